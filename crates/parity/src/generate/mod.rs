//! Random models: small, and with everything in them that the language has short of embedded C.
//!
//! The same seed gives the same model. Most have a few hundred states; some are endless or wrong on purpose, and whoever uses
//! them sets limits. [`model`] leaves out what SPIN refuses, and where its result is an accident: a rendezvous inside `d_step`, jumps
//! out of `d_step`, a channel that was never set, and what decision record 0004 lists. [`everywhere`] has all of that too, and marks
//! the models that SPIN cannot be asked about.

mod everywhere;
mod expression;
mod formula;
mod meeting;
pub mod protocol;
mod statement;
pub mod tree;

use crate::random::Random;
use tree::{ModelTree, Node, ProcessTree};

/// The model of a seed.
pub fn model(seed: u64) -> ModelTree {
    Generator::new(seed).model()
}

/// A model of a seed that goes everywhere: several processes that mostly have their own variables and channels, so that a reduced search
/// has something to leave out, and among their statements everything that a search could get wrong. With two formulas, the
/// first of which says what is always so. One in eight has processes that do little but meet.
pub fn everywhere(seed: u64) -> ModelTree {
    let mut generator = Generator::new(seed);
    if seed % 8 == 5 {
        return generator.meetings();
    }
    generator.settle();
    let mut model = generator.model();
    let always = format!("([] ({}))", generator.proposition());
    model.formulas = vec![always, generator.formula(3)];
    if generator.random.percent(40) {
        model.processes.push(stuck());
    }
    generator.add_event_trace(&mut model);
    model.beyond_spin = generator.beyond_spin;
    model
}

/// A small model whose processes never end and are told apart by nothing, with a formula: any number of them can be counted.
pub fn uncounted(seed: u64) -> ModelTree {
    let mut generator = Generator::new(seed);
    generator.claims_nothing = true;
    generator.nameless = true;
    let mut model = generator.crowd();
    model.formulas = vec![generator.formula(2)];
    model
}

/// The model of a seed with so many temporal formulas over its globals and channels.
pub fn model_with_formulas(seed: u64, formulas: usize) -> ModelTree {
    let mut generator = Generator::new(seed);
    generator.claims_nothing = true;
    let mut model = generator.model();
    if generator.random.percent(60) {
        model.processes.push(endless());
    }
    model.formulas = (0..formulas).map(|_| generator.formula(3)).collect();
    model
}

/// A process that never moves: whatever state the others end in is then one that deadlocks, and all of them are counted.
fn stuck() -> ProcessTree {
    let body = vec![Node::Simple("false".to_string())];
    ProcessTree { head: "active proctype Stuck()".to_string(), locals: Vec::new(), body }
}

/// A process that always goes on, so that no run ends: what fairness makes of the others can then be compared.
fn endless() -> ProcessTree {
    let turn = vec![Node::Simple("tick = 1 - tick".to_string())];
    ProcessTree {
        head: "active proctype Endless()".to_string(),
        locals: vec!["bit tick".to_string()],
        body: vec![Node::Choice { repeats: true, options: vec![turn] }],
    }
}

/// A scalar that can be read and assigned.
#[derive(Clone, Debug)]
struct Scalar {
    text: String,
    kind: ScalarKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ScalarKind {
    /// `bit`, `bool`
    Bit,
    /// `unsigned` of a few bits.
    Narrow,
    /// Never negative, a byte at least.
    Natural,
    /// `short`, `int`
    Signed,
    Mtype,
}

/// A channel that can be used.
#[derive(Clone, Debug)]
struct Channel {
    text: String,
    rendezvous: bool,
    fields: Vec<ScalarKind>,
}

/// A proctype that can be started: its parameters in order.
#[derive(Clone, Debug)]
struct Startable {
    name: String,
    parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
enum Parameter {
    Value,
    Channel(Vec<ScalarKind>, bool),
}

/// What an inline takes: names of variables.
#[derive(Clone, Debug)]
struct Inline {
    name: String,
}

/// Where statements are generated: what may not occur there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Surroundings {
    Plain,
    Atomic,
    /// Only what can always be executed.
    DStep,
}

struct Generator {
    random: Random,
    globals: Vec<Scalar>,
    locals: Vec<Scalar>,
    channels: Vec<Channel>,
    local_channels: Vec<Channel>,
    startable: Vec<Startable>,
    inlines: Vec<Inline>,
    labels: usize,
    /// Labels of the body that is being made; jumps are filled in when it is done.
    own_labels: Vec<String>,
    /// Questions that others may ask where a finished process stands: `P@label`, zero or one.
    places: Vec<String>,
    /// There is a channel of channels, and this is what its channels carry.
    mail: Option<(Vec<ScalarKind>, bool)>,
    symbols: bool,
    /// The statements that [`everywhere`] has beside the usual ones, if it is such a model.
    unusual: Option<everywhere::Unusual>,
    /// What the process that is being made uses more often than the rest: globals and channels.
    home: (Vec<Scalar>, Vec<Channel>),
    /// SPIN refuses the model, or its answer is an accident.
    beyond_spin: bool,
    /// Nothing tells processes apart: no `_pid`, no `_nr_pr`, no places.
    nameless: bool,
    /// Without assertions and `accept…` labels, which SPIN's verifier does not keep apart from what a formula says.
    claims_nothing: bool,
    budget: usize,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed),
            globals: Vec::new(),
            locals: Vec::new(),
            channels: Vec::new(),
            local_channels: Vec::new(),
            startable: Vec::new(),
            inlines: Vec::new(),
            labels: 0,
            own_labels: Vec::new(),
            places: Vec::new(),
            mail: None,
            symbols: false,
            unusual: None,
            home: (Vec::new(), Vec::new()),
            beyond_spin: false,
            nameless: false,
            claims_nothing: false,
            budget: 0,
        }
    }

    fn model(&mut self) -> ModelTree {
        let mut model = ModelTree::default();
        self.symbols = self.random.percent(40);
        if self.symbols {
            model.globals.push("mtype = { red, green, blue }".to_string());
        }
        self.declare_globals(&mut model.globals);
        self.declare_channels(&mut model.globals);
        self.declare_inlines(&mut model.globals);
        let (least, started) = if self.unusual.is_some() { (2, 40) } else { (1, 40) };
        let count = least + self.random.below(if self.unusual.is_some() { 2 } else { 3 });
        let started = self.random.percent(started);
        for index in 0..count {
            self.settle_in(index, count);
            let started = started && (index > 0 || count == 1);
            let process = self.process(index, started);
            model.processes.push(process);
        }
        self.home = (Vec::new(), Vec::new());
        if started || self.random.percent(20) {
            let process = self.init();
            model.processes.push(process);
        }
        model
    }

    fn declare_globals(&mut self, out: &mut Vec<String>) {
        let least = if self.unusual.is_some() { 2 } else { 1 };
        for index in 0..least + self.random.below(3) {
            let declaration = self.variable(&format!("g{index}"));
            out.push(declaration.0);
            self.globals.extend(declaration.1);
        }
        if self.random.percent(25) {
            out.push("typedef Pair { byte first; bit second[2] }".to_string());
            out.push("Pair pair".to_string());
            let names = [("pair.first", ScalarKind::Natural), ("pair.second[1]", ScalarKind::Natural)];
            self.globals.extend(names.map(|(text, kind)| Scalar { text: text.to_string(), kind }));
            if self.random.percent(40) {
                out.push("Pair pairs[2]".to_string());
                let text = "pairs[1].first".to_string();
                self.globals.push(Scalar { text, kind: ScalarKind::Natural });
            }
        }
        self.declare_unusual_globals(out);
    }

    /// A declaration and the scalars that it gives.
    fn variable(&mut self, name: &str) -> (String, Vec<Scalar>) {
        let scalar = |text: String, kind| Scalar { text, kind };
        let (word, kind) = match self.random.below(if self.symbols { 9 } else { 8 }) {
            0 => ("bit", ScalarKind::Bit),
            1 => ("bool", ScalarKind::Bit),
            2 | 3 => ("byte", ScalarKind::Natural),
            4 => ("short", ScalarKind::Signed),
            5 => ("int", ScalarKind::Signed),
            6 => {
                let width = 1 + self.random.below(3);
                let start = if self.random.percent(40) { " = 1" } else { "" };
                let declaration = format!("unsigned {name} : {width}{start}");
                return (declaration, vec![scalar(name.to_string(), ScalarKind::Narrow)]);
            }
            7 => ("pid", ScalarKind::Natural),
            _ => ("mtype", ScalarKind::Mtype),
        };
        let prefix = if self.random.percent(4) { "local " } else { "" };
        if kind != ScalarKind::Mtype && self.random.percent(20) {
            let start = match self.random.below(3) {
                0 => " = 1",
                1 => " = {0, 1}",
                _ => "",
            };
            // An array of bits holds bytes.
            let kind = if kind == ScalarKind::Bit { ScalarKind::Natural } else { kind };
            let mut elements: Vec<Scalar> = (0..2).map(|i| scalar(format!("{name}[{i}]"), kind)).collect();
            let index = self.index();
            elements.extend(index.map(|index| scalar(format!("{name}[{index}]"), kind)));
            return (format!("{prefix}{word} {name}[2]{start}"), elements);
        }
        if let Some(read) = self.initial_value(name, kind) {
            return (format!("{prefix}{word} {name} = {read}"), vec![scalar(name.to_string(), kind)]);
        }
        let start = match kind {
            ScalarKind::Mtype if self.random.percent(50) => " = green".to_string(),
            ScalarKind::Mtype => String::new(),
            _ if self.random.percent(30) => format!(" = {}", self.random.below(3)),
            _ => String::new(),
        };
        (format!("{prefix}{word} {name}{start}"), vec![scalar(name.to_string(), kind)])
    }

    /// Something that is zero or one and that others may change.
    fn index(&mut self) -> Option<String> {
        if self.random.percent(30)
            && let Some(place) = self.random.pick(&self.places.clone())
        {
            return Some(place.clone());
        }
        let known: Vec<Scalar> = self.all().into_iter().filter(|s| s.kind != ScalarKind::Mtype).collect();
        self.random.pick(&known).map(|x| format!("{} & 1", x.text))
    }

    fn declare_channels(&mut self, out: &mut Vec<String>) {
        for index in 0..self.random.below(4) {
            let (fields, types) = self.fields();
            let capacity = [0, 1, 1, 2][self.random.below(4)];
            let rendezvous = capacity == 0;
            let name = format!("c{index}");
            if self.random.percent(if self.unusual.is_some() { 30 } else { 15 }) {
                out.push(format!("chan {name}[2] = [{capacity}] of {{ {types} }}"));
                let indices = [Some("0".to_string()), Some("1".to_string()), self.index()];
                for index in indices.into_iter().flatten() {
                    let text = format!("{name}[{index}]");
                    self.channels.push(Channel { text, rendezvous, fields: fields.clone() });
                }
            } else {
                out.push(format!("chan {name} = [{capacity}] of {{ {types} }}"));
                self.channels.push(Channel { text: name, rendezvous, fields });
            }
        }
        if let Some(channel) = self.random.pick(&self.channels.clone())
            && self.random.percent(if self.unusual.is_some() { 30 } else { 15 })
        {
            out.push("chan mail = [1] of { chan }".to_string());
            self.mail = Some((channel.fields.clone(), channel.rendezvous));
        }
    }

    /// A channel that can be sent through the channel of channels.
    fn letter(&mut self) -> Option<String> {
        let (fields, rendezvous) = self.mail.clone()?;
        let fits = |c: &&Channel| c.fields == fields && c.rendezvous == rendezvous;
        let fits: Vec<Channel> = self.channels.iter().filter(fits).cloned().collect();
        self.random.pick(&fits).map(|c| c.text.clone())
    }

    fn fields(&mut self) -> (Vec<ScalarKind>, String) {
        let count = 1 + self.random.below(2);
        let mut fields = Vec::new();
        let mut types = Vec::new();
        for _ in 0..count {
            let (kind, word) = match self.random.below(if self.symbols { 6 } else { 5 }) {
                0 => (ScalarKind::Bit, "bit"),
                1 => (ScalarKind::Bit, "bool"),
                2 | 3 => (ScalarKind::Natural, "byte"),
                4 => (ScalarKind::Signed, "short"),
                _ => (ScalarKind::Mtype, "mtype"),
            };
            fields.push(kind);
            types.push(word);
        }
        if fields == [ScalarKind::Bit] {
            // A bit that is the whole message is a byte.
            fields = vec![ScalarKind::Natural];
        }
        (fields, types.join(", "))
    }

    fn declare_inlines(&mut self, out: &mut Vec<String>) {
        if self.random.percent(25) {
            let body = match self.random.below(3) {
                0 => "atomic { a < 2 -> a++ }",
                1 => "if :: a > 0 -> a-- :: else -> a = 1 fi",
                _ if self.claims_nothing => "d_step { a = 1 - a; skip }",
                _ => "d_step { a = 1 - a; assert(a < 3) }",
            };
            out.push(format!("inline change(a) {{ {body} }}"));
            self.inlines.push(Inline { name: "change".to_string() });
        }
    }

    fn process(&mut self, index: usize, started: bool) -> ProcessTree {
        let name = format!("P{index}");
        self.locals.clear();
        self.local_channels.clear();
        let mut startable = Startable { name: name.clone(), parameters: Vec::new() };
        let mut parameters = Vec::new();
        if started {
            if self.random.percent(50) {
                parameters.push("byte p".to_string());
                self.locals.push(Scalar { text: "p".to_string(), kind: ScalarKind::Natural });
                startable.parameters.push(Parameter::Value);
            }
            if let Some(model) = self.random.clone().pick(&self.channels).cloned()
                && self.random.percent(50)
            {
                parameters.push("chan q".to_string());
                let (fields, rendezvous) = (model.fields.clone(), model.rendezvous);
                self.local_channels.push(Channel {
                    text: "q".to_string(),
                    rendezvous,
                    fields: fields.clone(),
                });
                startable.parameters.push(Parameter::Channel(fields, rendezvous));
            }
        }
        let active = match (started, self.random.percent(20)) {
            (true, _) => "",
            (false, true) => "active [2] ",
            (false, false) => "active ",
        };
        let provided = if self.random.percent(if self.unusual.is_some() { 14 } else { 8 }) {
            format!(" provided ({})", self.guard_over_globals())
        } else {
            String::new()
        };
        let priority = self.priority();
        let head = format!("{active}proctype {name}({}){priority}{provided}", parameters.join("; "));
        if started && self.unusual.is_some() {
            // It may start itself.
            self.startable.push(startable);
            return self.body(head);
        }
        let process = self.body(head);
        if started {
            self.startable.push(startable);
        }
        process
    }

    fn init(&mut self) -> ProcessTree {
        self.locals.clear();
        self.local_channels.clear();
        let mut process = self.body("init".to_string());
        let mut starts = Vec::new();
        for startable in self.startable.clone() {
            for _ in 0..1 + self.random.below(2) {
                starts.push(Node::Simple(self.run(&startable)));
            }
        }
        if self.random.percent(60) {
            starts = vec![Node::Block { head: "atomic".to_string(), body: starts }];
        }
        starts.append(&mut process.body);
        process.body = starts;
        process
    }

    fn body(&mut self, head: String) -> ProcessTree {
        let mut process = ProcessTree { head, ..ProcessTree::default() };
        for index in 0..self.random.below(3) {
            let declaration = self.variable(&format!("l{index}"));
            process.locals.push(declaration.0);
            self.locals.extend(declaration.1);
        }
        if self.random.percent(10) {
            let (fields, types) = self.fields();
            process.locals.push(format!("chan own = [1] of {{ {types} }}"));
            self.local_channels.push(Channel { text: "own".to_string(), rendezvous: false, fields });
        }
        let mut first = None;
        if let Some((fields, rendezvous)) = self.mail.clone()
            && let Some(channel) = self.letter()
        {
            process.locals.push("chan v".to_string());
            self.local_channels.push(Channel { text: "v".to_string(), rendezvous, fields });
            first = Some(Node::Simple(format!("v = {channel}")));
        }
        if self.unusual.is_some_and(|unusual| unusual.errors) && self.random.percent(20) {
            process.locals.push("chan unset".to_string());
            let fields = vec![ScalarKind::Natural];
            self.local_channels.push(Channel { text: "unset".to_string(), rendezvous: false, fields });
        }
        self.own_labels.clear();
        self.budget =
            if self.unusual.is_some() { 1 + self.random.below(5) } else { 3 + self.random.below(9) };
        let mut body = self.sequence(Surroundings::Plain, 0);
        if self.random.percent(35) {
            let guarded = Node::Choice { repeats: true, options: self.options(Surroundings::Plain, 0) };
            body.push(self.maybe_labelled(guarded, Surroundings::Plain));
        }
        let labels = self.own_labels.clone();
        self.fill_jumps(&mut body, &labels);
        self.remember_locals(&mut body);
        process.body = first.into_iter().chain(body).collect();
        if let Some((_, name)) = process.head.split_once("proctype ") {
            let name = name.split('(').next().unwrap_or(name);
            self.places.extend(labels.iter().map(|label| format!("{name}@{label}")));
        }
        process
    }

    /// Jumps were generated before all labels were known.
    fn fill_jumps(&mut self, nodes: &mut [Node], labels: &[String]) {
        for node in nodes {
            match node {
                Node::Simple(text) if text == "goto" => {
                    *text = match self.random.pick(labels) {
                        Some(label) => format!("goto {label}"),
                        None => "skip".to_string(),
                    };
                }
                Node::Simple(_) => {}
                Node::Labelled(_, inner) => self.fill_jumps(std::slice::from_mut(inner), labels),
                Node::Choice { options, .. } => {
                    options.iter_mut().for_each(|o| self.fill_jumps(o, labels));
                }
                Node::Block { body, .. } => self.fill_jumps(body, labels),
                Node::Unless { main, escape } => {
                    self.fill_jumps(main, labels);
                    self.fill_jumps(escape, labels);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_model_again() {
        assert_eq!(model(17), model(17));
        assert_ne!(model(17).text(), model(18).text());
    }

    #[test]
    fn generated_models_are_read_without_errors() {
        let wrong: Vec<String> = (0..500)
            .filter_map(|seed| {
                let text = model(seed).text();
                crate::input::read_text("generated.pml", &text)
                    .err()
                    .map(|e| format!("{seed}: {e:?}\n{text}"))
            })
            // A jump that only leads to itself and a look at another process inside a `d_step` come up now and then; SPIN refuses
            // them as well.
            .filter(|wrong| !wrong.contains("E0116") && !wrong.contains("E0218"))
            .collect();
        assert!(wrong.is_empty(), "{} of 500, the first:\n{}", wrong.len(), wrong[0]);
    }
}
