//! What models that go everywhere have beside the usual: the places where a search, a reduction or a proof could look at the wrong thing
//! or at the wrong moment.

use super::tree::{ModelTree, Node, ProcessTree};
use super::{Channel, Generator, Scalar, ScalarKind, Surroundings};

/// Which of the unusual a model has. Few have everything, so that each has its share of models that are otherwise plain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unusual {
    /// Divisions by zero, indices out of range, channels that were never set, messages with too few fields.
    pub(super) errors: bool,
    /// `priority`, `set_priority`, `get_priority`.
    priorities: bool,
    /// A `trace`.
    event_trace: bool,
    /// How often a statement is an unusual one, in percent.
    share: usize,
}

impl Generator {
    /// Chooses what the model will have.
    pub(super) fn settle(&mut self) {
        self.claims_nothing = self.random.percent(30);
        self.unusual = Some(Unusual {
            errors: self.random.percent(15),
            priorities: self.random.percent(6),
            event_trace: self.random.percent(8),
            share: 15 + self.random.below(40),
        });
    }

    /// The globals and channels that a process mostly keeps to: its share of all.
    pub(super) fn settle_in(&mut self, index: usize, count: usize) {
        if self.unusual.is_none() {
            return;
        }
        let is_own = |at: usize| at % count == index;
        let scalars = self.globals.iter().enumerate().filter(|(at, _)| is_own(*at));
        let scalars = scalars.map(|(_, scalar)| scalar.clone()).collect();
        let channels = self.channels.iter().enumerate().filter(|(at, _)| is_own(*at));
        self.home = (scalars, channels.map(|(_, channel)| channel.clone()).collect());
    }

    /// Arrays of structures, and structures with channels in them.
    pub(super) fn declare_unusual_globals(&mut self, out: &mut Vec<String>) {
        if self.unusual.is_none() || !self.random.percent(25) {
            return;
        }
        out.push("typedef Box { chan way = [1] of { byte }; byte left; byte right[2] }".to_string());
        out.push("Box box[2]".to_string());
        for element in ["0", "1"] {
            let scalar =
                |rest: &str| Scalar { text: format!("box[{element}].{rest}"), kind: ScalarKind::Natural };
            self.globals.extend([scalar("left"), scalar("right[0]")]);
            let text = format!("box[{element}].way");
            self.channels.push(Channel { text, rendezvous: false, fields: vec![ScalarKind::Natural] });
        }
    }

    /// What the declaration of a local variable reads.
    pub(super) fn initial_value(&mut self, name: &str, kind: ScalarKind) -> Option<String> {
        if self.unusual.is_none() || !name.starts_with('l') || kind == ScalarKind::Mtype {
            return None;
        }
        // SPIN evaluates initialisers in their order, and so what comes before may be read too.
        self.random.percent(40).then(|| match (self.buffer(), self.random.below(3)) {
            (Some(buffer), 0) => format!("len({})", buffer.text),
            _ => self.target().text,
        })
    }

    /// What was passed and what was read at the beginning is kept where others can see it.
    pub(super) fn remember_locals(&mut self, body: &mut Vec<Node>) {
        let natural: Vec<Scalar> =
            self.globals.iter().filter(|global| global.kind != ScalarKind::Mtype).cloned().collect();
        for local in ["p", "l0", "l1"] {
            let known = self.locals.iter().any(|l| l.text == local && l.kind != ScalarKind::Mtype);
            if self.unusual.is_none() || !known || !self.random.percent(35) {
                continue;
            }
            let statement = match self.random.pick(&natural) {
                Some(global) if self.random.percent(70) => format!("{} = {local}", global.text),
                _ if self.claims_nothing => continue,
                _ => format!("assert({local} != {})", self.random.below(3)),
            };
            body.insert(self.random.below(body.len().min(2)), Node::Simple(statement));
        }
    }

    /// ` priority 2`, or nothing.
    pub(super) fn priority(&mut self) -> String {
        let has_one = self.unusual.is_some_and(|unusual| unusual.priorities) && self.random.percent(60);
        if has_one { format!(" priority {}", 1 + self.random.below(3)) } else { String::new() }
    }

    /// A value that usual models do not have.
    pub(super) fn unusual_value(&mut self) -> Option<String> {
        let unusual = self.unusual?;
        if unusual.priorities && self.random.percent(5) {
            return Some("get_priority(_pid)".to_string());
        }
        if unusual.errors && self.random.percent(5) {
            let (x, y) = (self.target().text, self.target().text);
            return Some(format!("{x} {} {y}", if self.random.percent(50) { "/" } else { "%" }));
        }
        None
    }

    /// Whether a message is to be sent or received with a field too few.
    pub(super) fn leaves_out_a_field(&mut self, channel: &Channel) -> bool {
        let errs = self.unusual.is_some_and(|unusual| unusual.errors);
        errs && channel.fields.len() > 1 && self.random.percent(8)
    }

    /// A receive whose second field goes where the first says: `c?i,a[i]`.
    pub(super) fn unusual_receive(&mut self, channel: &Channel) -> Option<String> {
        self.unusual?;
        if self.leaves_out_a_field(channel) {
            return Some(format!("{}?_", channel.text));
        }
        if channel.fields.len() != 2 || !self.random.percent(20) {
            return None;
        }
        let index = self.plain_index()?;
        if index.text == channel.text || channel.text.contains(&format!("[{}", index.text)) {
            return None;
        }
        let place = self.element(&format!("{} & 1", index.text))?;
        // Undone by SPIN with the index of afterwards.
        self.beyond_spin = true;
        Some(format!("{}?{},{}", channel.text, index.text, place.text))
    }

    /// A statement that usual models do not have, now and then.
    pub(super) fn unusual_statement(&mut self, surroundings: Surroundings, depth: usize) -> Option<Node> {
        let unusual = self.unusual?;
        if !self.random.percent(unusual.share) {
            return None;
        }
        match self.random.below(12) {
            0 | 1 => Some(self.start_inside_an_expression()),
            2 | 3 => Some(self.start()),
            4 | 5 if depth < 3 => {
                let mut body = self.beginning_of_d_step();
                for _ in 0..1 + self.random.below(2) {
                    body.push(self.moving_target());
                }
                Some(Node::Block { head: "d_step".to_string(), body })
            }
            6 => Some(self.moving_target()),
            7 if depth < 2 && surroundings == Surroundings::Plain => Some(self.free_choices()),
            8 if depth < 3 => {
                let guard = self.guard_statement(surroundings);
                let main = self.sequence(surroundings, depth + 2);
                Some(Node::Unless { main, escape: vec![guard, self.assignment()] })
            }
            9 if unusual.priorities => {
                Some(Node::Simple(format!("set_priority(_pid, {})", 1 + self.random.below(3))))
            }
            10 if surroundings == Surroundings::Plain => Some(Node::Simple("timeout".to_string())),
            11 if depth < 3 => {
                let nested = self.nested_else(surroundings, depth);
                let other = vec![Node::Simple(self.guard()), self.assignment()];
                let options = if self.random.percent(50) { [nested, other] } else { [other, nested] };
                Some(Node::Choice { repeats: false, options: options.to_vec() })
            }
            _ => None,
        }
    }

    /// With what an option begins: its guard, now and then with a label, or with a choice that has an `else` of its own.
    pub(super) fn head_of_option(
        &mut self,
        guard: Node,
        has_else: bool,
        surroundings: Surroundings,
        depth: usize,
    ) -> Vec<Node> {
        if self.unusual.is_none() || surroundings == Surroundings::DStep {
            return vec![guard];
        }
        match self.random.below(20) {
            0 | 1 => vec![self.maybe_labelled(guard, surroundings)],
            2 if !has_else && depth < 3 => self.nested_else(surroundings, depth),
            _ => vec![guard],
        }
    }

    /// Where the option with `else` stands among the others: usually last.
    pub(super) fn place_else(&mut self, options: &mut Vec<Vec<Node>>, option: Vec<Node>) {
        let anywhere = self.unusual.is_some() && self.random.percent(30);
        let at = if anywhere { self.random.below(options.len() + 1) } else { options.len() };
        options.insert(at, option);
    }

    /// The first statement of a `d_step` is its guard; an empty list is the usual beginning.
    pub(super) fn beginning_of_d_step(&mut self) -> Vec<Node> {
        if self.unusual.is_none() {
            return Vec::new();
        }
        match self.random.below(12) {
            0 => vec![Node::Simple("timeout".to_string())],
            1 | 2 => {
                let meeting: Vec<Channel> =
                    self.channels.iter().filter(|channel| channel.rendezvous).cloned().collect();
                match self.random.pick(&meeting).cloned() {
                    Some(channel) => vec![Node::Simple(self.receive(&channel))],
                    None => Vec::new(),
                }
            }
            3 => match self.channel() {
                Some(channel) => vec![Node::Simple(self.receive(&channel))],
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// An index or a channel changes, and what it leads to is used: always executable, inside of a `d_step` too.
    pub(super) fn moving_target(&mut self) -> Node {
        let moved = self.plain_index();
        let Some(moved) = moved else { return self.assignment() };
        let how = match self.random.below(3) {
            0 => format!("1 - ({} & 1)", moved.text),
            1 => "1".to_string(),
            _ => self.value(ScalarKind::Bit),
        };
        let errs = self.unusual.is_some_and(|unusual| unusual.errors) && self.random.percent(20);
        let index = match self.random.below(6) {
            _ if errs => moved.text.clone(),
            0 => format!("({} & 1 -> 0 : 1)", moved.text),
            1 => format!("({} & 1 -> 1 : 0)", moved.text),
            _ => format!("{} & 1", moved.text),
        };
        let channels: Vec<Channel> = self
            .channels
            .iter()
            .filter(|channel| !channel.rendezvous && channel.text.contains("[0]"))
            .cloned()
            .collect();
        let mut body = vec![Node::Simple(format!("{} = {how}", moved.text))];
        match self.random.pick(&channels).cloned() {
            Some(channel) if self.random.percent(40) => {
                let text = channel.text.replacen("[0]", &format!("[{index}]"), 1);
                let channel = Channel { text, ..channel };
                let (question, used) = if self.random.percent(50) {
                    (format!("nfull({})", channel.text), self.send(&channel))
                } else {
                    let blanks = vec!["_"; channel.fields.len()].join(",");
                    (format!("nempty({})", channel.text), format!("{}?{blanks}", channel.text))
                };
                let used = vec![Node::Simple(question), Node::Simple(used)];
                let options = vec![used, vec![Node::Simple("else".to_string())]];
                body.push(Node::Choice { repeats: false, options });
            }
            _ => match self.element(&index) {
                Some(element) => {
                    let value = self.value(element.kind);
                    body.push(Node::Simple(format!("{} = {value}", element.text)));
                }
                None => body.push(self.assignment()),
            },
        }
        Node::Block { head: String::new(), body }
    }

    /// A process is started, at most a few times in all.
    pub(super) fn bounded_start(&mut self, run: String) -> Node {
        // SPIN counts its automaton of a formula in `_nr_pr`, so that only some models should look at it.
        let body = if self.random.percent(30) {
            vec!["_nr_pr < 4".to_string(), run]
        } else {
            vec!["started < 2".to_string(), "started++".to_string(), run]
        };
        Node::Block { head: "atomic".to_string(), body: body.into_iter().map(Node::Simple).collect() }
    }

    /// `run` where a value is expected.
    fn start_inside_an_expression(&mut self) -> Node {
        let startable = self.startable.clone();
        let Some(startable) = self.random.pick(&startable) else { return Node::Simple(self.guard()) };
        let run = self.run(startable);
        let statement = match self.random.below(5) {
            0 if !self.claims_nothing => format!("assert({run})"),
            1 => format!("printf(\"%d\\n\", {run})"),
            2 => match self.element(&run) {
                Some(element) if self.unusual.is_some_and(|unusual| unusual.errors) => {
                    format!("{} = 1", element.text)
                }
                _ => run,
            },
            3 if self.unusual.is_some_and(|unusual| unusual.priorities) => {
                format!("set_priority({run}, {})", 1 + self.random.below(3))
            }
            _ => {
                let known: Vec<Scalar> =
                    self.all().into_iter().filter(|scalar| scalar.kind != ScalarKind::Mtype).collect();
                match self.random.pick(&known).cloned() {
                    Some(target) => format!("{} = {run}", target.text),
                    None => run,
                }
            }
        };
        self.bounded_start(statement)
    }

    /// A loop that may be left at several places, by choices that depend on nothing.
    fn free_choices(&mut self) -> Node {
        self.labels += 1;
        let leave = format!("leave{}", self.labels);
        let choice = || Node::Choice {
            repeats: false,
            options: vec![
                vec![Node::Simple("true".to_string()), Node::Simple(format!("goto {leave}"))],
                vec![Node::Simple("true".to_string())],
            ],
        };
        let mut around = vec![Node::Simple("true".to_string())];
        if self.random.percent(50) {
            let inner = vec![Node::Simple("true".to_string()), choice(), self.assignment()];
            let options = vec![inner, vec![Node::Simple("break".to_string())]];
            around.push(Node::Choice { repeats: true, options });
        }
        around.push(self.assignment());
        around.push(choice());
        let options = vec![around, vec![Node::Simple("true".to_string()), Node::Simple("break".to_string())]];
        let end = Node::Labelled(leave, Box::new(self.assignment()));
        Node::Block { head: String::new(), body: vec![Node::Choice { repeats: true, options }, end] }
    }

    /// An option that begins with a choice with `else`, perhaps inside of an `atomic`.
    fn nested_else(&mut self, surroundings: Surroundings, depth: usize) -> Vec<Node> {
        let guarded = vec![Node::Simple(self.guard()), self.assignment()];
        let otherwise = vec![Node::Simple("else".to_string()), self.assignment()];
        let nested = match self.random.below(6) {
            0 => Node::Block { head: "atomic".to_string(), body: otherwise },
            1 => {
                let options = vec![otherwise, guarded];
                Node::Choice { repeats: false, options }
            }
            2 => {
                let choice = Node::Choice { repeats: false, options: vec![guarded, otherwise] };
                Node::Block { head: "atomic".to_string(), body: vec![choice] }
            }
            _ => Node::Choice { repeats: false, options: vec![guarded, otherwise] },
        };
        let mut option = vec![nested];
        if self.random.percent(30) {
            option.extend(self.sequence(surroundings, depth + 2));
        }
        option
    }

    /// A variable that can be an index: no element itself, never negative.
    fn plain_index(&mut self) -> Option<Scalar> {
        let known: Vec<Scalar> = self
            .all()
            .into_iter()
            .filter(|scalar| {
                matches!(scalar.kind, ScalarKind::Bit | ScalarKind::Natural | ScalarKind::Narrow)
                    && !scalar.text.contains(['[', '.'])
            })
            .collect();
        self.random.pick(&known).cloned()
    }

    /// An element of some array at this index.
    fn element(&mut self, index: &str) -> Option<Scalar> {
        let known: Vec<Scalar> =
            self.all().into_iter().filter(|scalar| scalar.text.contains("[0]")).collect();
        let found = self.random.pick(&known).cloned()?;
        Some(Scalar { text: found.text.replacen("[0]", &format!("[{index}]"), 1), ..found })
    }

    /// A `trace` over a buffer, and the counter of processes that are started.
    pub(super) fn add_event_trace(&mut self, model: &mut ModelTree) {
        if model.text().contains("started") {
            model.globals.push("byte started".to_string());
        }
        // SPIN does not tell states apart by local bits beside a priority.
        let text = model.text();
        let has_bits = ["bit l", "bool l", "unsigned l"].iter().any(|bits| text.contains(bits));
        self.beyond_spin |= text.contains("priority") && has_bits;
        let buffers: Vec<Channel> =
            self.channels.iter().filter(|c| !c.rendezvous && !c.text.contains(['[', '.'])).cloned().collect();
        let wanted = self.unusual.is_some_and(|unusual| unusual.event_trace);
        let Some(channel) = self.random.pick(&buffers).filter(|_| wanted).cloned() else { return };
        let mut event = |operator: &str| {
            let fields: Vec<String> = channel
                .fields
                .iter()
                .map(|kind| match kind {
                    ScalarKind::Mtype => "red".to_string(),
                    _ if self.random.percent(50) => self.random.below(2).to_string(),
                    _ => "_".to_string(),
                })
                .collect();
            format!("{}{operator}{}", channel.text, fields.join(","))
        };
        let (first, second, third) = (event("!"), event("?"), event("!"));
        let body = match self.random.below(4) {
            0 => format!("do :: {first}; {second} od"),
            1 => format!("do :: {first} :: {second} :: {third} od"),
            2 => format!("{first}; {third}; {second}"),
            _ => format!("do :: {first} :: {second} od"),
        };
        let word = if self.random.percent(80) { "trace" } else { "notrace" };
        // What copying and random receives are to a trace, and what a notrace is at the end, SPIN sees in its own way; and beside a
        // trace a send on a rendezvous channel needs nobody who receives.
        let meets = self.channels.iter().any(|channel| channel.rendezvous);
        self.beyond_spin |= word == "notrace" || meets || text.contains("?<") || text.contains("??");
        model.globals.push(format!("{word} {{ {body} }}"));
    }

    /// One or two proctypes whose processes go round for ever.
    pub(super) fn crowd(&mut self) -> ModelTree {
        let mut model = ModelTree::default();
        for index in 0..1 + self.random.below(2) {
            let (word, kind) =
                [("bit", ScalarKind::Bit), ("byte", ScalarKind::Natural)][self.random.below(2)];
            let name = format!("g{index}");
            model.globals.push(format!("{word} {name}"));
            self.globals.push(Scalar { text: name, kind });
        }
        if self.random.percent(30) {
            model.globals.push("chan c = [1] of { bit }".to_string());
            let channel =
                Channel { text: "c".to_string(), rendezvous: false, fields: vec![ScalarKind::Natural] };
            self.channels.push(channel);
        }
        for index in 0..1 + self.random.below(2) {
            self.locals.clear();
            self.budget = 2 + self.random.below(4);
            let mut body = self.sequence(Surroundings::Plain, 1);
            // A counter goes up and down again: this is what is linked to the numbers of processes.
            if self.random.percent(50)
                && let Some(counter) = self.globals.iter().find(|g| g.kind == ScalarKind::Natural).cloned()
            {
                body.insert(0, Node::Simple(format!("{}++", counter.text)));
                body.push(Node::Simple(format!("{}--", counter.text)));
            }
            let labels = std::mem::take(&mut self.own_labels);
            self.fill_jumps(&mut body, &labels);
            let repeated = Node::Choice { repeats: true, options: vec![body] };
            model.processes.push(ProcessTree {
                head: format!("active proctype P{index}()"),
                locals: Vec::new(),
                body: vec![repeated],
            });
        }
        model
    }
}
