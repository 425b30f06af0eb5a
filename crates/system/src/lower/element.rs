//! First half of lowering: statements become elements, in sequences.
//!
//! An element is a statement or a joint between statements. The structure, and even the numbers, are those of SPIN's parser:
//! its state graph (which joints are states of their own, which statements stay inside an `atomic`) depends on them, and
//! only so can the two be compared state by state.

use promela::interrupt;
use promela::model::{Sequence, Statement, StatementKind};
use promela::source::Span;
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct ElementId(pub usize);
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SequenceId(pub usize);
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct LoopId(pub usize);

/// Where a jump goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Jump {
    Label(String),
    /// The exit of an enclosing `do`.
    Exit(LoopId),
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A statement that is neither a jump nor made of others.
    Basic(Box<StatementKind>),
    Goto(Jump),
    /// The joint after an `if` or `unless`, before a `do`.
    Joint,
    /// The joint after a `do`, where `break` leads.
    Exit,
    /// `if` or `do`: a choice between the sequences in `sub`.
    Choice,
    /// `sub[0] unless sub[1]`
    Unless,
    Atomic(SequenceId),
    DStep(SequenceId),
    Block(SequenceId),
    /// The closing brace.
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub kind: Kind,
    /// SPIN's state number.
    pub number: u32,
    pub next: Option<ElementId>,
    pub sub: Vec<SequenceId>,
    /// Escape sequences, the outermost first.
    pub escapes: Vec<SequenceId>,
    /// Inside an `atomic` and not its last step.
    pub atomic: bool,
    /// The last step of an `atomic`.
    pub atomic_last: bool,
    /// Inside a `d_step`.
    pub in_d_step: bool,
    pub labels: Vec<String>,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Elements {
    pub first: Option<ElementId>,
    pub last: Option<ElementId>,
    /// The last element before joints were appended.
    pub extent: Option<ElementId>,
}

/// All elements of one body.
pub(super) struct Body {
    pub elements: Vec<Element>,
    pub sequences: Vec<Elements>,
    pub labels: HashMap<String, ElementId>,
    pub exits: Vec<Option<ElementId>>,
    pub top: SequenceId,
}

impl Body {
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0]
    }

    pub fn sequence(&self, id: SequenceId) -> &Elements {
        &self.sequences[id.0]
    }

    /// Where a jump goes; `None` if the label does not exist (the front end has said so already).
    pub fn destination(&self, jump: &Jump) -> Option<ElementId> {
        match jump {
            Jump::Label(name) => self.labels.get(name).copied(),
            Jump::Exit(id) => self.exits[id.0],
        }
    }

    /// The elements of a sequence in order, joints included.
    pub fn members(&self, id: SequenceId) -> Vec<ElementId> {
        let sequence = self.sequence(id);
        let mut members = Vec::new();
        let mut current = sequence.first;
        while let Some(e) = current {
            interrupt::point();
            members.push(e);
            if Some(e) == sequence.last {
                break;
            }
            current = self.element(e).next;
        }
        members
    }
}

/// Whether SPIN drops repeated `skip`s (it does not in a never claim).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RepeatedSkips {
    Drop,
    Keep,
}

/// Makes elements of a body. `remotely_named` are the labels that a remote reference asks about: a jump that carries one
/// must be a state of its own.
pub(super) fn build(body: &Sequence, end: Span, skips: RepeatedSkips, remotely_named: &[String]) -> Body {
    let mut builder = Builder {
        body: Body {
            elements: Vec::new(),
            sequences: Vec::new(),
            labels: HashMap::new(),
            exits: Vec::new(),
            top: SequenceId(0),
        },
        open: Vec::new(),
        loops: Vec::new(),
        next_number: 1,
        skips,
    };
    let top = builder.open_sequence();
    builder.body.top = top;
    for statement in &body.statements {
        builder.add_statement(statement);
    }
    let end = builder.new_element(Kind::End, end);
    builder.append(end, top);
    builder.close_sequence();
    let mut body = builder.body;
    for name in remotely_named {
        make_jump_a_state(&mut body, name);
    }
    let top = body.top;
    link_ends(&mut body, top);
    body
}

/// What is inside a statement, already laid out.
enum Inside {
    Nothing,
    If(Vec<SequenceId>),
    Do(Vec<SequenceId>, LoopId),
    Sequence(SequenceId),
}

struct Builder {
    body: Body,
    open: Vec<SequenceId>,
    loops: Vec<LoopId>,
    next_number: u32,
    skips: RepeatedSkips,
}

impl Builder {
    fn open_sequence(&mut self) -> SequenceId {
        self.body.sequences.push(Elements::default());
        let id = SequenceId(self.body.sequences.len() - 1);
        self.open.push(id);
        id
    }

    fn close_sequence(&mut self) {
        if let Some(id) = self.open.pop() {
            self.body.sequences[id.0].extent = self.body.sequences[id.0].last;
        }
    }

    fn current(&self) -> SequenceId {
        *self.open.last().expect("a sequence is open while statements are added")
    }

    fn new_element(&mut self, kind: Kind, span: Span) -> ElementId {
        interrupt::point();
        let number = self.next_number;
        self.next_number += 1;
        self.body.elements.push(Element {
            kind,
            number,
            next: None,
            sub: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            atomic_last: false,
            in_d_step: false,
            labels: Vec::new(),
            span,
        });
        ElementId(self.body.elements.len() - 1)
    }

    fn append(&mut self, e: ElementId, sequence: SequenceId) {
        let special =
            |l: &String| l.starts_with("accept") || l.starts_with("end") || l.starts_with("progress");
        let element = &self.body.elements[e.0];
        if matches!(element.kind, Kind::Goto(_)) && element.labels.iter().any(special) {
            // A jump is not a state, so a label that marks states gets a `skip` to stand on.
            let span = element.span;
            let labels = std::mem::take(&mut self.body.elements[e.0].labels);
            let skip = self.new_element(Kind::Basic(skip_statement(span)), span);
            for label in &labels {
                self.body.labels.insert(label.clone(), skip);
            }
            self.body.elements[skip.0].labels = labels;
            self.append(skip, sequence);
        }
        let s = &mut self.body.sequences[sequence.0];
        match s.last {
            None => s.first = Some(e),
            Some(last) => self.body.elements[last.0].next = Some(e),
        }
        self.body.sequences[sequence.0].last = Some(e);
    }

    fn label(&mut self, e: ElementId, statement: &Statement) {
        for label in &statement.labels {
            self.body.labels.insert(label.name.clone(), e);
            self.body.elements[e.0].labels.push(label.name.clone());
        }
    }

    /// Statements of a sequence of their own.
    fn add_sequence(&mut self, sequence: &Sequence) -> SequenceId {
        let id = self.open_sequence();
        for statement in &sequence.statements {
            self.add_statement(statement);
        }
        self.close_sequence();
        id
    }

    fn add_statement(&mut self, statement: &Statement) {
        if let StatementKind::Unless { main, escape } = &statement.kind {
            return self.add_unless(statement, main, escape);
        }
        let inside = self.add_inside(statement);
        self.add_outside(statement, inside);
    }

    /// First half of adding a statement: what is inside it, as SPIN's parser meets it before the statement itself.
    fn add_inside(&mut self, statement: &Statement) -> Inside {
        match &statement.kind {
            StatementKind::If(options) => Inside::If(options.iter().map(|o| self.add_option(o)).collect()),
            StatementKind::Do(options) => {
                let exit = LoopId(self.body.exits.len());
                self.body.exits.push(None);
                self.loops.push(exit);
                let sub = match loop_kind(statement, options) {
                    LoopKind::Written => options.iter().map(|o| self.add_option(o)).collect(),
                    LoopKind::For => options.iter().map(|o| self.add_sequence(o)).collect(),
                    LoopKind::Select => {
                        let mut sub: Vec<_> = options.iter().rev().map(|o| self.add_sequence(o)).collect();
                        sub.reverse();
                        sub
                    }
                };
                self.loops.pop();
                Inside::Do(sub, exit)
            }
            StatementKind::Atomic(inner) => {
                let sequence = self.add_sequence(inner);
                self.mark_atomic(sequence, false);
                Inside::Sequence(sequence)
            }
            StatementKind::DStep(inner) => {
                let sequence = self.add_sequence(inner);
                self.mark_atomic(sequence, true);
                Inside::Sequence(sequence)
            }
            StatementKind::Block(inner) => Inside::Sequence(self.add_sequence(inner)),
            _ => Inside::Nothing,
        }
    }

    /// Second half: the statement itself goes to the end of the open sequence.
    fn add_outside(&mut self, statement: &Statement, inside: Inside) {
        let span = statement.span;
        match (&statement.kind, inside) {
            (_, Inside::If(sub)) => self.add_choice(statement, sub, None),
            (_, Inside::Do(sub, exit)) => self.add_choice(statement, sub, Some(exit)),
            (StatementKind::Atomic(_), Inside::Sequence(s)) => {
                self.add_simple(statement, Kind::Atomic(s), span)
            }
            (StatementKind::DStep(_), Inside::Sequence(s)) => {
                self.add_simple(statement, Kind::DStep(s), span)
            }
            (_, Inside::Sequence(s)) => self.add_simple(statement, Kind::Block(s), span),
            (StatementKind::Unless { main, escape }, Inside::Nothing) => {
                self.add_unless(statement, main, escape)
            }
            (StatementKind::Goto { label, .. }, Inside::Nothing) => {
                self.add_simple(statement, Kind::Goto(Jump::Label(label.clone())), span);
            }
            (StatementKind::Break, Inside::Nothing) => {
                let Some(&exit) = self.loops.last() else { return };
                self.add_simple(statement, Kind::Goto(Jump::Exit(exit)), span);
            }
            (basic, Inside::Nothing) => {
                self.add_simple(statement, Kind::Basic(Box::new(basic.clone())), span)
            }
        }
    }

    fn add_simple(&mut self, statement: &Statement, kind: Kind, span: Span) {
        let e = self.new_element(kind, span);
        self.label(e, statement);
        self.append(e, self.current());
    }

    fn add_option(&mut self, option: &Sequence) -> SequenceId {
        let id = self.add_sequence(option);
        if self.skips == RepeatedSkips::Drop {
            self.drop_repeated_skips(id);
        }
        id
    }

    /// SPIN unlinks a `skip` that follows a `skip` or a `printf` within an option.
    fn drop_repeated_skips(&mut self, id: SequenceId) {
        let sequence = self.body.sequence(id).clone();
        let mut idle = 0;
        let mut previous: Option<ElementId> = None;
        for e in self.body.members(id) {
            let element = self.body.element(e);
            let (is_skip, is_print) = match &element.kind {
                Kind::Basic(kind) => (is_skip(kind), is_print(kind)),
                _ => (false, false),
            };
            if !(is_skip || is_print) || !element.labels.is_empty() {
                idle = 0;
                previous = Some(e);
                continue;
            }
            idle += 1;
            let at_border = Some(e) == sequence.first || Some(e) == sequence.last;
            if idle > 1
                && is_skip
                && !at_border
                && let Some(p) = previous
            {
                self.body.elements[p.0].next = self.body.elements[e.0].next;
                continue;
            }
            previous = Some(e);
        }
    }

    fn add_choice(&mut self, statement: &Statement, mut sub: Vec<SequenceId>, exit: Option<LoopId>) {
        let is_else = |s: &SequenceId| {
            let first = self.body.sequence(*s).first;
            first.is_some_and(
                |e| matches!(&self.body.element(e).kind, Kind::Basic(k) if **k == StatementKind::Else),
            )
        };
        if let Some(position) = sub.iter().position(is_else) {
            let otherwise = sub.remove(position);
            sub.push(otherwise);
        }
        let span = statement.span;
        let choice = self.new_element(Kind::Choice, span);
        let joint = self.new_element(Kind::Joint, span);
        for &s in &sub {
            self.append_joint(joint, s);
        }
        self.body.elements[choice.0].sub = sub;
        self.label(choice, statement);
        let current = self.current();
        match exit {
            None => {
                self.append(choice, current);
                self.append(joint, current);
            }
            Some(exit) => {
                self.append(joint, current);
                let after = self.new_element(Kind::Exit, span);
                self.body.exits[exit.0] = Some(after);
                self.append(choice, current);
                self.append(after, current);
            }
        }
    }

    /// A joint belongs to several sequences at once; its own successor is set by the enclosing one.
    fn append_joint(&mut self, joint: ElementId, sequence: SequenceId) {
        let s = &mut self.body.sequences[sequence.0];
        if let Some(last) = s.last {
            s.last = Some(joint);
            self.body.elements[last.0].next = Some(joint);
        } else {
            s.first = Some(joint);
            s.last = Some(joint);
        }
    }

    /// The parser sees what is inside of both before either becomes an element, the escape first.
    fn add_unless(&mut self, statement: &Statement, main: &Statement, escape: &Statement) {
        let inside_main = self.add_inside(main);
        let inside_escape = self.add_inside(escape);
        let escape_sequence = self.sequence_of(escape, inside_escape);
        let wrap: Option<fn(SequenceId) -> Kind> = match &main.kind {
            StatementKind::Block(_) => Some(Kind::Block),
            StatementKind::Atomic(_) => Some(Kind::Atomic),
            StatementKind::DStep(_) => Some(Kind::DStep),
            _ => None,
        };
        match (wrap, &inside_main) {
            // `L: {…} unless {…}` reads as `L: { {…} unless {…} }`.
            (Some(wrap), Inside::Sequence(main_sequence)) if !main.labels.is_empty() => {
                let outer = self.open_sequence();
                self.join_unless(statement.span, *main_sequence, escape_sequence);
                self.close_sequence();
                let e = self.new_element(wrap(outer), statement.span);
                self.label(e, main);
                self.append(e, self.current());
            }
            _ => {
                let main_sequence = self.sequence_of(main, inside_main);
                let e = self.join_unless(statement.span, main_sequence, escape_sequence);
                self.label(e, statement);
            }
        }
    }

    /// A statement as a sequence; a block without label is one already.
    fn sequence_of(&mut self, statement: &Statement, inside: Inside) -> SequenceId {
        if let (StatementKind::Block(_), Inside::Sequence(sequence), true) =
            (&statement.kind, &inside, statement.labels.is_empty())
        {
            return *sequence;
        }
        let id = self.open_sequence();
        self.add_outside(statement, inside);
        self.close_sequence();
        id
    }

    fn join_unless(&mut self, span: Span, main: SequenceId, escape: SequenceId) -> ElementId {
        let e = self.new_element(Kind::Unless, span);
        let joint = self.new_element(Kind::Joint, span);
        self.append_joint(joint, main);
        self.append_joint(joint, escape);
        self.body.elements[e.0].sub = vec![main, escape];
        self.attach_escape(main, escape);
        let current = self.current();
        self.append(e, current);
        self.append(joint, current);
        e
    }

    fn attach_escape(&mut self, sequence: SequenceId, escape: SequenceId) {
        let extent = self.body.sequence(sequence).extent;
        for e in self.body.members(sequence) {
            self.escape_from(e, escape);
            if Some(e) == extent {
                break;
            }
        }
    }

    fn escape_from(&mut self, e: ElementId, escape: SequenceId) {
        if self.body.element(e).escapes.contains(&escape) {
            return;
        }
        for inner in self.body.element(e).escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.body.elements[e.0].escapes.insert(0, escape);
        let element = self.body.element(e).clone();
        match element.kind {
            Kind::Unless => self.attach_escape(element.sub[0], escape),
            Kind::Choice => {
                for s in element.sub {
                    self.attach_escape(s, escape);
                }
            }
            Kind::DStep(s) => {
                if let Some(first) = self.body.sequence(s).first {
                    self.escape_from(first, escape);
                }
            }
            Kind::Atomic(s) | Kind::Block(s) => self.attach_escape(s, escape),
            _ => {}
        }
    }

    fn mark_atomic(&mut self, sequence: SequenceId, d_step: bool) {
        self.walk_atomic(sequence, d_step);
        let Some(last) = self.body.sequence(sequence).last else { return };
        match self.body.element(last).kind {
            Kind::Atomic(inner) | Kind::Block(inner) => self.mark_atomic(inner, d_step),
            Kind::Unless => {
                let main = self.body.element(last).sub[0];
                self.mark_atomic(main, d_step);
            }
            _ => {
                let element = &mut self.body.elements[last.0];
                element.atomic = false;
                element.atomic_last = true;
            }
        }
    }

    fn walk_atomic(&mut self, sequence: SequenceId, d_step: bool) {
        for e in self.body.members(sequence) {
            let element = &mut self.body.elements[e.0];
            element.atomic = true;
            element.in_d_step |= d_step;
            match element.kind {
                Kind::Atomic(inner) | Kind::Block(inner) => {
                    element.kind = Kind::Block(inner);
                    self.walk_atomic(inner, d_step);
                }
                Kind::DStep(inner) if d_step => {
                    element.kind = Kind::Block(inner);
                    self.walk_atomic(inner, d_step);
                }
                _ => {}
            }
            for s in self.body.element(e).sub.clone() {
                self.walk_atomic(s, d_step);
            }
        }
    }
}

fn make_jump_a_state(body: &mut Body, label: &str) {
    let Some(&e) = body.labels.get(label) else { return };
    if !matches!(body.element(e).kind, Kind::Goto(_)) {
        return;
    }
    let mut jump = body.element(e).clone();
    jump.number = body.elements.iter().map(|x| x.number).max().unwrap_or(0) + 1;
    jump.labels.clear();
    body.elements.push(jump);
    let jump = ElementId(body.elements.len() - 1);
    let span = body.element(e).span;
    body.elements[e.0].kind = Kind::Basic(skip_statement(span));
    body.elements[e.0].next = Some(jump);
    for sequence in &mut body.sequences {
        if sequence.last == Some(e) {
            sequence.last = Some(jump);
        }
    }
}

/// The last element of a block continues where the block does.
fn link_ends(body: &mut Body, sequence: SequenceId) {
    for e in body.members(sequence) {
        let element = body.element(e);
        match element.kind {
            Kind::Atomic(inner) | Kind::DStep(inner) | Kind::Block(inner) => {
                let next = element.next;
                if let Some(last) = body.sequence(inner).last {
                    body.elements[last.0].next = next;
                }
                link_ends(body, inner);
            }
            _ => {
                for s in element.sub.clone() {
                    link_ends(body, s);
                }
            }
        }
    }
}

/// What a loop was in the source. SPIN drops no repeated `skip`s in the loops that it makes itself, and it numbers the
/// statements with which a `select` counts up before the one that stops, which it tries first.
enum LoopKind {
    Written,
    For,
    Select,
}

fn loop_kind(statement: &Statement, options: &[Sequence]) -> LoopKind {
    // Only in a loop that nobody wrote does a `break` have the place of its `do`.
    let own_break = |s: &Statement| s.kind == StatementKind::Break && s.span == statement.span;
    if options.first().and_then(|o| o.statements.first()).is_some_and(own_break) {
        LoopKind::Select
    } else if options.iter().any(|o| o.statements.iter().any(own_break)) {
        LoopKind::For
    } else {
        LoopKind::Written
    }
}

fn skip_statement(span: Span) -> Box<StatementKind> {
    let kind = promela::model::ExprKind::Constant { value: 1, mtype: None };
    Box::new(StatementKind::Condition(promela::model::Expr { kind, span }))
}

pub(super) fn is_skip(kind: &StatementKind) -> bool {
    constant_condition(kind) == Some(1)
}

/// The value of a statement that is a condition on a constant.
pub(super) fn constant_condition(kind: &StatementKind) -> Option<i32> {
    match kind {
        StatementKind::Condition(e) => match e.kind {
            promela::model::ExprKind::Constant { value, .. } => Some(value),
            _ => None,
        },
        _ => None,
    }
}

fn is_print(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Printf { .. } | StatementKind::Printm(_))
}
