//! Statements.

use super::tree::Node;
use super::{Generator, Scalar, ScalarKind, Surroundings};

/// Blocks inside blocks, at most.
const DEEPEST: usize = 3;

impl Generator {
    pub(super) fn sequence(&mut self, surroundings: Surroundings, depth: usize) -> Vec<Node> {
        let count = 1 + self.random.below(4);
        let mut nodes = Vec::new();
        for _ in 0..count {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let node = self.statement(surroundings, depth);
            // SPIN refuses a label on the first statement of a block, and a jump to a `d_step`.
            let may_have_label = surroundings != Surroundings::DStep
                && (depth == 0 || !nodes.is_empty())
                && !matches!(&node, Node::Block { head, .. } if head == "d_step");
            nodes.push(if may_have_label { self.maybe_labelled(node, surroundings) } else { node });
        }
        if nodes.is_empty() {
            nodes.push(self.assignment());
        }
        nodes
    }

    pub(super) fn options(&mut self, surroundings: Surroundings, depth: usize) -> Vec<Vec<Node>> {
        let count = 1 + self.random.below(3);
        let mut options = Vec::new();
        // SPIN refuses `else` beside sends and receives.
        let has_else = surroundings == Surroundings::DStep || self.random.percent(25);
        for _ in 0..count {
            let guard =
                if has_else { Node::Simple(self.guard()) } else { self.guard_statement(surroundings) };
            let mut option = self.head_of_option(guard, has_else, surroundings, depth);
            if self.random.percent(70) {
                option.extend(self.sequence(surroundings, depth + 1));
            }
            options.push(option);
        }
        if has_else {
            let mut option = vec![Node::Simple("else".to_string())];
            if self.random.percent(60) {
                option.extend(self.sequence(surroundings, depth + 1));
            }
            self.place_else(&mut options, option);
        }
        options
    }

    pub(super) fn maybe_labelled(&mut self, node: Node, surroundings: Surroundings) -> Node {
        // SPIN calls acceptance inside of an atomic sequence invisible, and sees it now and then.
        let accepts = !self.claims_nothing && surroundings != Surroundings::Atomic;
        let prefix = match self.random.below(12) {
            0 => "end",
            1 => "progress",
            2 if accepts => "accept",
            2..=5 => "here",
            _ => return node,
        };
        self.labels += 1;
        let label = format!("{prefix}{}", self.labels);
        self.own_labels.push(label.clone());
        Node::Labelled(label, Box::new(node))
    }

    fn statement(&mut self, surroundings: Surroundings, depth: usize) -> Node {
        if surroundings == Surroundings::DStep {
            return self.statement_in_d_step(depth);
        }
        if let Some(unusual) = self.unusual_statement(surroundings, depth) {
            return unusual;
        }
        match self.random.below(if depth < DEEPEST { 32 } else { 19 }) {
            0..=5 => self.assignment(),
            6..=10 => self.communication(),
            11 => Node::Simple(self.guard()),
            12 => self.assertion(),
            13 => Node::Simple("skip".to_string()),
            14 => Node::Simple(format!("printf(\"%d\\n\", {})", self.target().text)),
            15 => Node::Simple("goto".to_string()),
            16 => self.call(),
            17 => self.start(),
            18 => self.selection(),
            19..=22 => Node::Choice { repeats: false, options: self.options(surroundings, depth) },
            23 | 24 => self.repetition(surroundings, depth),
            25 | 26 => {
                let mut body = self.sequence(Surroundings::Atomic, depth + 1);
                if self.random.percent(40) {
                    body.insert(0, self.guard_statement(Surroundings::Atomic));
                }
                Node::Block { head: "atomic".to_string(), body }
            }
            27 | 28 => self.d_step(depth),
            29 => self.counting_loop(surroundings, depth),
            30 => Node::Block { head: String::new(), body: self.sequence(surroundings, depth + 1) },
            _ => Node::Unless {
                main: self.sequence(surroundings, depth + 1),
                escape: {
                    let mut escape = vec![self.guard_statement(surroundings)];
                    if self.random.percent(50) {
                        escape.extend(self.sequence(surroundings, depth + 1));
                    }
                    escape
                },
            },
        }
    }

    fn statement_in_d_step(&mut self, depth: usize) -> Node {
        if self.unusual.is_some() && self.random.percent(35) {
            return self.moving_target();
        }
        match self.random.below(if depth < DEEPEST { 12 } else { 9 }) {
            0..=6 => self.assignment(),
            7 => self.assertion(),
            8 => Node::Simple("skip".to_string()),
            _ => Node::Choice { repeats: false, options: self.options(Surroundings::DStep, depth) },
        }
    }

    fn assertion(&mut self) -> Node {
        let guard = self.guard();
        Node::Simple(if self.claims_nothing { "skip".to_string() } else { format!("assert({guard})") })
    }

    pub(super) fn assignment(&mut self) -> Node {
        let target = self.target();
        if target.kind != ScalarKind::Mtype && self.random.percent(12) {
            let operator = if self.random.percent(60) { "++" } else { "--" };
            // Bounded, so that a loop around it does not count to 255.
            let wraps = target.kind == ScalarKind::Bit;
            if wraps {
                return Node::Simple(format!("{}{operator}", target.text));
            }
        }
        Node::Simple(format!("{} = {}", target.text, self.value(target.kind)))
    }

    pub(super) fn guard_statement(&mut self, surroundings: Surroundings) -> Node {
        let text = match self.random.below(10) {
            0..=3 => self.guard(),
            4..=7 if surroundings != Surroundings::DStep => return self.communication(),
            8 if surroundings == Surroundings::Plain => "timeout".to_string(),
            9 => "skip".to_string(),
            _ => self.guard(),
        };
        Node::Simple(text)
    }

    pub(super) fn communication(&mut self) -> Node {
        if self.random.percent(25)
            && let Some(letter) = self.letter()
        {
            return Node::Simple(match self.random.below(5) {
                0 => format!("mail!{letter}"),
                1 => "mail!v".to_string(),
                2 => format!("v = {letter}"),
                _ => "mail?v".to_string(),
            });
        }
        let Some(channel) = self.channel() else { return self.assignment() };
        Node::Simple(if self.random.percent(50) { self.send(&channel) } else { self.receive(&channel) })
    }

    pub(super) fn call(&mut self) -> Node {
        let inlines = self.inlines.clone();
        let target = self.target();
        match self.random.pick(&inlines) {
            Some(inline) if target.kind != ScalarKind::Mtype => {
                Node::Simple(format!("{}({})", inline.name, target.text))
            }
            _ => self.assignment(),
        }
    }

    pub(super) fn start(&mut self) -> Node {
        let startable = self.startable.clone();
        match self.random.pick(&startable) {
            // Never more than a handful of processes.
            Some(startable) => {
                let run = self.run(startable);
                if self.unusual.is_some() {
                    return self.bounded_start(run);
                }
                let body = vec![Node::Simple("_nr_pr < 4".to_string()), Node::Simple(run)];
                Node::Block { head: "atomic".to_string(), body }
            }
            None => Node::Simple(self.guard()),
        }
    }

    fn selection(&mut self) -> Node {
        let target = self.target();
        if target.kind == ScalarKind::Mtype || !is_plain(&target) {
            return self.assignment();
        }
        let top = self.random.below(3);
        Node::Simple(format!("select({} : 0 .. {top})", target.text))
    }

    fn repetition(&mut self, surroundings: Surroundings, depth: usize) -> Node {
        let mut options = self.options(surroundings, depth);
        if self.random.percent(60) || surroundings == Surroundings::Atomic {
            options.insert(0, vec![Node::Simple("break".to_string())]);
        }
        if surroundings == Surroundings::Atomic {
            // A loop inside an `atomic` would never end for SPIN, which stores nothing there.
            return Node::Choice { repeats: false, options: options.split_off(1) };
        }
        Node::Choice { repeats: true, options }
    }

    fn d_step(&mut self, depth: usize) -> Node {
        let mut body = self.beginning_of_d_step();
        match self.random.below(4) {
            _ if !body.is_empty() => {}
            0 => body.push(Node::Simple(self.guard())),
            1 => {
                if let Some(channel) = self.buffer() {
                    body.push(Node::Simple(if self.random.percent(50) {
                        self.send(&channel)
                    } else {
                        self.receive(&channel)
                    }));
                }
            }
            2 => {
                if let Some(channel) = self.channel() {
                    body.push(Node::Simple(self.receive(&channel)));
                }
            }
            _ => {}
        }
        body.extend(self.sequence(Surroundings::DStep, depth + 1));
        if matches!(&body[0], Node::Simple(text) if text.starts_with("assert")) {
            // SPIN executes such a `d_step` in the middle of a rendezvous: decision record 0004.
            body.insert(0, self.assignment());
        }
        Node::Block { head: "d_step".to_string(), body }
    }

    fn counting_loop(&mut self, surroundings: Surroundings, depth: usize) -> Node {
        let target = self.target();
        let cannot_count = matches!(target.kind, ScalarKind::Mtype | ScalarKind::Bit) || !is_plain(&target);
        if cannot_count || surroundings != Surroundings::Plain {
            return self.assignment();
        }
        let head = format!("for ({} : 0 .. {})", target.text, 1 + self.random.below(2));
        Node::Block { head, body: self.sequence(surroundings, depth + 1) }
    }
}

/// Neither an element nor a field.
fn is_plain(target: &Scalar) -> bool {
    !target.text.contains(['[', '.'])
}
