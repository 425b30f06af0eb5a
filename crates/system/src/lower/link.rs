//! Second half of lowering: elements become locations and edges.
//!
//! Joints, jumps and braces are no steps: the target of a statement is found by hunting through them. Choices are
//! flattened, so that a location carries the first statements of all its options, and the first statements of an
//! `unless`'s escapes are put before those of the statements they guard.

use super::d_step;
use super::element::{Body, Element, ElementId, Jump, Kind, SequenceId, constant_condition, is_skip};
use crate::automaton::{Action, Edge, EdgeId, Location, LocationId};
use promela::interrupt;
use promela::model::{Model, StatementKind, Variable};
use promela::print::statement_text;
use promela::source::{ExpansionId, Span};
use std::collections::{BTreeMap, HashMap};

/// What SPIN keeps for a state while it links: either the numbers of its options' first states, or one transition.
#[derive(Clone)]
enum Entry {
    Options(Vec<u32>),
    Single(Transition),
}

#[derive(Clone)]
struct Transition {
    /// The element whose statement it executes.
    element: ElementId,
    target: Option<u32>,
    atomic: bool,
    /// First states of the escapes, outermost first.
    escapes: Vec<u32>,
    escape: u32,
}

#[derive(Clone, Copy, Default)]
struct Marks {
    end: bool,
    progress: bool,
    accept: bool,
}

impl Marks {
    fn merge(&mut self, other: Marks) {
        self.end |= other.end;
        self.progress |= other.progress;
        self.accept |= other.accept;
    }
}

/// Locations and edges of a body, in the order in which they are reached.
pub(super) struct Linked {
    pub initial: LocationId,
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    /// Number of the state at which each label stands.
    pub label_numbers: Vec<(String, u32)>,
    /// The element that each edge executes, for what is computed per element (dead variables).
    pub executes: Vec<ElementId>,
    /// A choice that contains itself without a statement between, if there is one.
    pub confusing: Option<Span>,
}

pub(super) fn link(body: &mut Body, model: &Model, locals: &[Variable]) -> Linked {
    let labels = statement_labels(body);
    let mut linker =
        Linker { body, entries: BTreeMap::new(), marks: HashMap::new(), labels, confusing: None };
    let top = linker.body.top;
    linker.put_sequence(top);
    linker.set_marks();
    linker.flatten_choices();
    let lists = linker.pull_first_statements();
    let lists = linker.prepend_escapes(lists);
    linker.collect(lists, &|element| text_of(model, locals, element))
}

/// The labels of each element that is a statement.
pub(super) type StatementLabels = HashMap<ElementId, Vec<String>>;

/// Whether a label is one that marks progress.
pub(super) fn is_progress(label: &str) -> bool {
    label.starts_with("progress")
}

/// Gives the labels of what is made of other statements to those that it can begin with.
fn statement_labels(body: &Body) -> StatementLabels {
    let mut labels = StatementLabels::new();
    for (index, element) in body.elements.iter().enumerate().filter(|(_, e)| !e.labels.is_empty()) {
        interrupt::point();
        let mut firsts = Vec::new();
        first_statements(body, ElementId(index), &mut firsts);
        for first in firsts {
            labels.entry(first).or_default().extend(element.labels.iter().cloned());
        }
    }
    labels
}

fn first_statements(body: &Body, e: ElementId, out: &mut Vec<ElementId>) {
    let element = body.element(e);
    let parts = match element.kind {
        Kind::Choice => &element.sub[..],
        Kind::Unless => &element.sub[..1],
        Kind::Atomic(ref inner) | Kind::Block(ref inner) => std::slice::from_ref(inner),
        Kind::Basic(_) | Kind::Goto(_) | Kind::Joint | Kind::Exit | Kind::DStep(_) | Kind::End => {
            return out.push(e);
        }
    };
    for first in parts.iter().filter_map(|&part| body.sequence(part).first) {
        first_statements(body, first, out);
    }
}

/// The state at which control stands when it has come to `from`: jumps and joints are passed. Control that is inside an
/// `atomic` does not pass a joint that leaves it, so that the step which gives up atomicity is a step of its own.
pub(super) fn hunt(body: &Body, from: ElementId, atomic: bool) -> ElementId {
    let mut e = from;
    // SPIN gives up after 500 hops; a longer chain of jumps is a loop of jumps.
    for _ in 0..500 {
        interrupt::point();
        let element = body.element(e);
        let next = match &element.kind {
            Kind::Goto(jump) => body.destination(jump),
            Kind::Joint | Kind::Exit => element.next,
            Kind::Unless => body.sequence(element.sub[0]).first.map(|f| hunt(body, f, atomic)),
            _ => None,
        };
        match next {
            Some(next) if next != e && (!atomic || body.element(next).atomic) => e = next,
            _ => return e,
        }
    }
    e
}

/// The first state of an option or a block.
pub(super) fn hunt_start(body: &Body, from: ElementId) -> ElementId {
    let mut e = from;
    for _ in 0..200 {
        interrupt::point();
        let element = body.element(e);
        let next = match element.kind {
            Kind::Joint => element.next,
            Kind::Unless => body.sequence(element.sub[0]).first,
            _ => None,
        };
        match next {
            Some(next) => e = next,
            None => break,
        }
    }
    e
}

/// An option that begins with a condition that is never true is no option.
pub(super) fn is_dead_option(body: &Body, first: ElementId) -> bool {
    let element = body.element(first);
    let never = matches!(&element.kind, Kind::Basic(kind) if constant_condition(kind) == Some(0));
    never && element.escapes.is_empty()
}

struct Linker<'b> {
    body: &'b mut Body,
    entries: BTreeMap<u32, Entry>,
    marks: HashMap<u32, Marks>,
    /// The labels of each statement.
    labels: StatementLabels,
    confusing: Option<Span>,
}

impl Linker<'_> {
    fn number(&self, e: ElementId) -> u32 {
        self.body.element(e).number
    }

    fn put_sequence(&mut self, sequence: SequenceId) {
        for e in self.body.members(sequence) {
            let element = self.body.element(e);
            if self.entries.contains_key(&element.number) {
                continue;
            }
            match element.kind {
                Kind::Unless => {
                    let main = element.sub[0];
                    self.put_sequence(main);
                }
                Kind::Choice => {
                    let sub = element.sub.clone();
                    let firsts = sub.iter().filter_map(|&s| self.body.sequence(s).first);
                    let options = firsts
                        .map(|f| hunt_start(self.body, f))
                        .filter(|&f| !is_dead_option(self.body, f))
                        .map(|f| self.number(f))
                        .collect();
                    let number = self.number(e);
                    self.entries.insert(number, Entry::Options(options));
                    for s in sub {
                        self.put_sequence(s);
                    }
                }
                Kind::Atomic(inner) | Kind::Block(inner) => self.put_block(e, inner),
                Kind::DStep(inner) => {
                    self.mend_jumps(inner);
                    self.put_step(e);
                }
                Kind::Basic(_) | Kind::Goto(_) | Kind::Joint | Kind::Exit | Kind::End => self.put_step(e),
            }
        }
    }

    fn put_block(&mut self, e: ElementId, inner: SequenceId) {
        self.mend_jumps(inner);
        let number = self.number(e);
        let first = self.body.sequence(inner).first.map(|f| hunt_start(self.body, f));
        let options = first.map(|f| vec![self.number(f)]).unwrap_or_default();
        self.entries.insert(number, Entry::Options(options));
        self.put_sequence(inner);
    }

    /// A jump out of an `atomic` ends it; a jump from the end of one into another goes on with it.
    fn mend_jumps(&mut self, sequence: SequenceId) {
        let extent = self.body.sequence(sequence).extent;
        for e in self.body.members(sequence) {
            let element = self.body.element(e);
            if let Kind::Goto(jump) = &element.kind {
                if let Some(destination) = self.body.destination(jump) {
                    let to = self.body.element(destination);
                    let (from_inside, to_inside) =
                        (element.atomic || element.atomic_last, to.atomic || to.atomic_last);
                    let was_last = element.atomic_last;
                    let element = &mut self.body.elements[e.0];
                    if from_inside && !to_inside {
                        element.atomic = false;
                        element.atomic_last = true;
                    } else if was_last && to_inside {
                        element.atomic_last = false;
                        element.atomic = true;
                    }
                }
            } else {
                for s in element.sub.clone() {
                    self.mend_jumps(s);
                }
            }
            if Some(e) == extent {
                break;
            }
        }
    }

    fn put_step(&mut self, e: ElementId) {
        let element = self.body.element(e);
        let atomic = element.atomic;
        let next = match &element.kind {
            Kind::Goto(jump) => self.body.destination(jump),
            Kind::End => None,
            _ => element.next,
        };
        let target = next.map(|n| self.number(hunt(self.body, n, atomic)));
        let escapes = match element.kind {
            Kind::Joint => Vec::new(),
            _ => element.escapes.clone(),
        };
        let first_states = escapes
            .iter()
            .filter_map(|&s| self.body.sequence(s).first)
            .map(|f| self.number(hunt(self.body, f, atomic)))
            .collect();
        let transition = Transition { element: e, target, atomic, escapes: first_states, escape: 0 };
        let number = self.number(e);
        self.entries.insert(number, Entry::Single(transition));
        for s in escapes {
            self.put_sequence(s);
        }
    }

    fn set_marks(&mut self) {
        for element in &self.body.elements {
            let marks = Marks {
                end: element.labels.iter().any(|l| l.starts_with("end")) || matches!(element.kind, Kind::End),
                progress: element.labels.iter().any(|label| is_progress(label)),
                accept: element.labels.iter().any(|l| l.starts_with("accept")),
            };
            self.marks.entry(element.number).or_default().merge(marks);
        }
    }

    /// SPIN hands the marks of a state that is flattened away on to where its statements lead.
    fn hand_on_marks(&mut self, from: u32, to: Option<u32>) {
        let marks = self.marks.get(&from).copied().unwrap_or_default();
        if let Some(to) = to {
            self.marks.entry(to).or_default().merge(marks);
        }
    }

    /// Whether opening what is nested would never end.
    fn has_choice_inside_itself(&self) -> bool {
        let nested = |number: u32| match self.entries.get(&number) {
            Some(Entry::Options(options)) => options.clone(),
            _ => Vec::new(),
        };
        // The choices on the way, each with the options that are left to look at.
        let mut way: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut done: HashMap<u32, bool> = HashMap::new();
        for &start in self.entries.keys() {
            if done.contains_key(&start) {
                continue;
            }
            done.insert(start, false);
            way.push((start, nested(start)));
            while let Some((number, left)) = way.last_mut() {
                match left.pop() {
                    Some(option) => match done.get(&option) {
                        Some(true) => {}
                        Some(false) => return true,
                        None => {
                            done.insert(option, false);
                            way.push((option, nested(option)));
                        }
                    },
                    None => {
                        done.insert(*number, true);
                        way.pop();
                    }
                }
            }
        }
        false
    }

    fn flatten_choices(&mut self) {
        if self.has_choice_inside_itself() {
            self.confusing = self.body.elements.first().map(|e| e.span);
            return;
        }
        let numbers: Vec<u32> = self.entries.keys().copied().collect();
        // Each round opens one level of nesting.
        loop {
            let mut changed = false;
            for &number in &numbers {
                interrupt::point();
                let Some(Entry::Options(options)) = self.entries.get(&number).cloned() else { continue };
                let nested = |s: &u32| matches!(self.entries.get(s), Some(Entry::Options(_)));
                if !options.iter().any(nested) {
                    continue;
                }
                changed = true;
                let mut flat = Vec::new();
                for option in options {
                    match self.entries.get(&option).cloned() {
                        Some(Entry::Options(inner)) => {
                            for first in inner {
                                self.hand_on_marks(option, Some(first));
                                flat.push(first);
                            }
                        }
                        _ => {
                            self.hand_on_marks(option, Some(option));
                            flat.push(option);
                        }
                    }
                }
                flat.truncate(1 << 16);
                self.entries.insert(number, Entry::Options(flat));
            }
            if !changed {
                return;
            }
        }
    }

    fn pull_first_statements(&mut self) -> BTreeMap<u32, Vec<Transition>> {
        let mut lists = BTreeMap::new();
        let numbers: Vec<u32> = self.entries.keys().copied().collect();
        for number in numbers {
            interrupt::point();
            let list = match self.entries[&number].clone() {
                Entry::Single(transition) => vec![transition],
                Entry::Options(options) => {
                    let mut list = Vec::new();
                    for option in options {
                        if let Some(Entry::Single(first)) = self.entries.get(&option).cloned() {
                            self.hand_on_marks(option, first.target);
                            list.push(first);
                        }
                    }
                    list
                }
            };
            lists.insert(number, list);
        }
        self.hand_on_ends_of_joints();
        lists
    }

    /// Inside of an `atomic` sequence the place where options meet is a state, with a jump to what comes next. If it is an end because the option began
    /// with an `end…` label, SPIN hands that on to there; not so progress and acceptance.
    fn hand_on_ends_of_joints(&mut self) {
        let joints: Vec<(u32, Option<u32>)> = self
            .entries
            .iter()
            .filter_map(|(&number, entry)| match entry {
                Entry::Single(transition) => Some((number, transition)),
                Entry::Options(_) => None,
            })
            .filter(|(_, transition)| matches!(self.body.element(transition.element).kind, Kind::Joint))
            .map(|(number, transition)| (number, transition.target))
            .collect();
        for (number, target) in joints {
            let end = self.marks.get(&number).is_some_and(|marks| marks.end);
            if let Some(target) = target {
                self.marks.entry(target).or_default().end |= end;
            }
        }
    }

    fn prepend_escapes(&self, mut lists: BTreeMap<u32, Vec<Transition>>) -> BTreeMap<u32, Vec<Transition>> {
        let numbers: Vec<u32> = lists.keys().copied().collect();
        for number in numbers {
            interrupt::point();
            let own = lists[&number].clone();
            let mut list = own.clone();
            for transition in &own {
                for &first in transition.escapes.iter().rev() {
                    for escape in lists.get(&first).cloned().unwrap_or_default() {
                        if list.iter().any(|t| t.element == escape.element) {
                            continue;
                        }
                        list.insert(0, Transition { escape: first, ..escape });
                    }
                }
            }
            lists.insert(number, list);
        }
        lists
    }

    fn collect(self, lists: BTreeMap<u32, Vec<Transition>>, text: &dyn Fn(&Element) -> String) -> Linked {
        let by_number: HashMap<u32, ElementId> =
            self.body.elements.iter().enumerate().map(|(i, e)| (e.number, ElementId(i))).collect();
        let top = self.body.sequence(self.body.top).first.expect("a body ends with its closing brace");
        let start = self.body.element(top).atomic;
        let initial = self.number(hunt(self.body, top, start));
        let mut ids = HashMap::from([(initial, LocationId(0))]);
        let mut order = vec![initial];
        let mut edges = Vec::new();
        let mut executes = Vec::new();
        let mut locations = Vec::new();
        let mut position = 0;
        while position < order.len() {
            let number = order[position];
            let source = LocationId(position as u32);
            position += 1;
            let mut out = Vec::new();
            for transition in lists.get(&number).into_iter().flatten() {
                interrupt::point();
                let target = transition.target.map_or(source, |t| {
                    *ids.entry(t).or_insert_with(|| {
                        order.push(t);
                        LocationId(order.len() as u32 - 1)
                    })
                });
                out.push(EdgeId(edges.len() as u32));
                edges.push(self.edge(transition, source, target, text));
                executes.push(transition.element);
            }
            let element = by_number.get(&number).map(|&e| self.body.element(e));
            let marks = self.marks.get(&number).copied().unwrap_or_default();
            locations.push(Location {
                number,
                edges: out,
                labels: element.map(|e| e.labels.clone()).unwrap_or_default(),
                end: marks.end,
                progress: marks.progress,
                accept: marks.accept,
                span: element.map(|e| e.span).unwrap_or_default(),
            });
        }
        let mut label_numbers: Vec<(String, u32)> =
            self.body.labels.iter().map(|(name, &e)| (name.clone(), self.number(e))).collect();
        label_numbers.sort();
        Linked {
            initial: LocationId(0),
            locations,
            edges,
            label_numbers,
            executes,
            confusing: self.confusing,
        }
    }

    fn edge(
        &self,
        transition: &Transition,
        source: LocationId,
        target: LocationId,
        text: &dyn Fn(&Element) -> String,
    ) -> Edge {
        let element = self.body.element(transition.element);
        let labels = self.labels.get(&transition.element).cloned().unwrap_or_default();
        let action = match &element.kind {
            Kind::Basic(kind) => basic_action(kind),
            Kind::DStep(inner) => Action::DStep(d_step::lower(self.body, &self.labels, *inner)),
            Kind::End => Action::End,
            _ => Action::Skip,
        };
        Edge {
            source,
            target,
            action,
            atomic: transition.atomic,
            escape: transition.escape,
            dead: Vec::new(),
            progress: labels.iter().any(|label| is_progress(label)),
            labels,
            text: text(element),
            span: element.span,
        }
    }
}

/// A statement as people read it: as it is written where that is one line, as SPIN prints it where it comes out of a macro or
/// an inline, is spread over lines or is only a part of what is written.
fn text_of(model: &Model, locals: &[Variable], element: &Element) -> String {
    match &element.kind {
        Kind::End => "-end-".to_string(),
        Kind::Goto(Jump::Label(label)) => format!("goto {label}"),
        Kind::Goto(Jump::Exit(_)) => "break".to_string(),
        Kind::Exit | Kind::Joint => "goto".to_string(),
        Kind::DStep(_) => "d_step".to_string(),
        Kind::Basic(kind) => {
            let written = model.sources.text(element.span);
            let plain = element.span.expansion == ExpansionId::NONE;
            let fits = !written.is_empty() && !written.contains('\n');
            if plain && fits && is_all_of(kind, written, element.span) {
                written.to_string()
            } else {
                statement_text(model, locals, kind)
            }
        }
        Kind::Choice | Kind::Unless | Kind::Atomic(_) | Kind::Block(_) => String::new(),
    }
}

/// Whether what is written is the statement: a `for` or `select` stands for several of them, a declaration has the span of its name.
fn is_all_of(kind: &StatementKind, written: &str, span: Span) -> bool {
    let word = written.split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
    let is_declared = matches!(kind, StatementKind::Assign { place, .. } if place.span == span);
    !is_declared && !matches!(word, Some("for" | "select"))
}

/// The action of a statement that is not made of others.
pub(super) fn basic_action(kind: &StatementKind) -> Action {
    match kind.clone() {
        kind if is_skip(&kind) => Action::Skip,
        StatementKind::Condition(e) => Action::Condition(e),
        StatementKind::Assign { place, value } => Action::Assign { place, value },
        StatementKind::Send { channel, sorted, arguments } => Action::Send { channel, sorted, arguments },
        StatementKind::Receive { channel, random, copy, arguments } => {
            Action::Receive { channel, random, copy, arguments }
        }
        StatementKind::Assert(e) => Action::Assert(e),
        StatementKind::Printf { format, arguments } => Action::Printf { format, arguments },
        StatementKind::Printm(e) => Action::Printm(e),
        StatementKind::SetPriority { pid, priority } => {
            Action::SetPriority { pid: *pid, priority: *priority }
        }
        StatementKind::Else => Action::Else,
        StatementKind::Goto { .. }
        | StatementKind::Break
        | StatementKind::If(_)
        | StatementKind::Do(_)
        | StatementKind::Atomic(_)
        | StatementKind::DStep(_)
        | StatementKind::Block(_)
        | StatementKind::Unless { .. } => Action::Skip,
    }
}
