//! Small protocols with formulas: a few loops that send, receive, look and set, so that potentials prove something about every third of
//! them. Whatever may notice that a buffer is full, or that a run ends, is among what they do.

use crate::random::Random;
use certificate::verdict::Fairness;

/// Which processes there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cast {
    /// One of each kind, or two.
    Given,
    /// One of each kind; nobody is named by its number, so that there might be any number of `P0`.
    Counted,
}

/// A protocol with two formulas, `p` and `q`, and the runs that count.
pub fn protocol(seed: u64, cast: Cast) -> (String, Fairness) {
    let mut random = Random::new(seed.wrapping_mul(0x5851_f42d_4c95_7f2d));
    let channels = 1 + random.below(3);
    let variables = random.below(3);
    let processes = 1 + random.below(3);
    let mut maker = Maker { random, channels, variables, places: Vec::new() };
    let mut text = String::new();
    for channel in 0..channels {
        let size = if maker.random.percent(12) { 0 } else { 1 + maker.random.below(3) };
        text += &format!("chan c{channel} = [{size}] of {{ byte }};\n");
    }
    for variable in 0..variables {
        text += &format!("byte x{variable};\n");
    }
    let mut next_pid = 0;
    for process in 0..processes {
        let body = maker.body(2);
        let body = match maker.random.below(10) {
            0 => format!("{body}; lab: skip; {}", maker.body(1)),
            1 => format!("{body}; do :: skip; lab: skip od"),
            2 => format!("do :: {body}; lab: {} :: {} od", maker.statement(0), maker.body(1)),
            _ => format!("do :: {body}; lab: {} od", maker.statement(0)),
        };
        let instances = if cast == Cast::Given && maker.random.percent(10) { 2 } else { 1 };
        text += &format!("active [{instances}] proctype P{process}() {{ byte y; {body} }}\n");
        maker.places.push(match (cast, process) {
            (Cast::Given, _) => format!("(P{process}[{}]@lab)", next_pid + maker.random.below(instances)),
            (Cast::Counted, 0) => format!("(P0[*]@lab > {})", maker.random.below(2)),
            (Cast::Counted, _) => format!("(P{process}@lab)"),
        });
        next_pid += instances;
    }
    for name in ["p", "q"] {
        let formula = maker.formula();
        text += &format!("ltl {name} {{ {formula} }}\n");
    }
    let fairness = match maker.random.below(4) {
        0 => Fairness::Weak,
        1 => Fairness::Strong,
        _ => Fairness::None,
    };
    (text, fairness)
}

struct Maker {
    random: Random,
    channels: usize,
    variables: usize,
    /// For each proctype what says that a process of it is at its label.
    places: Vec<String>,
}

impl Maker {
    fn body(&mut self, depth: usize) -> String {
        let count = 1 + self.random.below(3);
        let statements: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        statements.join("; ")
    }

    fn statement(&mut self, depth: usize) -> String {
        let channel = self.random.below(self.channels);
        let value = self.random.below(2);
        match self.random.below(18) {
            0..=3 => format!("c{channel}!{value}"),
            4..=6 => format!("c{channel}?_"),
            7 => format!("c{channel}?{value}"),
            8 if self.variables > 0 => format!("x{} = {value}", self.random.below(self.variables)),
            9 if self.variables > 0 => format!("x{} == {value}", self.random.below(self.variables)),
            10 => self.look(channel, value),
            11 if depth > 0 => {
                let (one, other) = (self.body(depth - 1), self.body(depth - 1));
                let last = if self.random.percent(30) { ":: else" } else { "" };
                format!("if :: {one} :: {other} {last} fi")
            }
            12 if depth > 0 => format!("atomic {{ {} }}", self.body(depth - 1)),
            13 if self.variables > 0 => {
                let variable = self.random.below(self.variables);
                format!("d_step {{ x{variable} = {value}; x{variable} = 1 - x{variable} }}")
            }
            14 => ["y = 1 - y", "y == 0", "y == 1", "y = 0"][self.random.below(4)].to_string(),
            15 => format!("c{channel}?y"),
            16 if depth > 0 && self.random.percent(50) => {
                let (main, escape) = (self.body(depth - 1), self.look(channel, value));
                format!("{{ {main} }} unless {{ {escape}; {} }}", self.body(depth - 1))
            }
            17 if self.random.percent(40) => {
                if self.random.percent(50) {
                    format!("c{channel}!!{value}")
                } else {
                    format!("c{channel}??{value}")
                }
            }
            _ => format!("c{channel}!{value}"),
        }
    }

    /// A condition on what there is, or on what others can do.
    fn look(&mut self, channel: usize, value: usize) -> String {
        match self.random.below(9) {
            0 => "skip".to_string(),
            1 => "timeout".to_string(),
            2 => format!("nempty(c{channel})"),
            3 => format!("empty(c{channel})"),
            4 => format!("nfull(c{channel})"),
            5 => format!("full(c{channel})"),
            6 => format!("len(c{channel}) < 2"),
            7 => format!("c{channel}?[{value}]"),
            _ => format!("len(c{channel}) > {value}"),
        }
    }

    /// A proposition; `empty` and its like may not occur in formulas.
    fn atom(&mut self) -> String {
        let channel = self.random.below(self.channels);
        let process = self.random.below(self.places.len());
        match self.random.below(10) {
            3 if self.variables > 0 => {
                format!("(x{} == {})", self.random.below(self.variables), self.random.below(2))
            }
            4 => format!("(len(c{channel}) == 0)"),
            5 => format!("(len(c{channel}) <= {})", self.random.below(3)),
            6 => format!("(len(c{channel}) > 0)"),
            7 => format!("(c{channel}?[{}])", self.random.below(2)),
            8 => format!("(len(c0) + len(c{channel}) <= {})", 1 + self.random.below(3)),
            _ => self.places[process].clone(),
        }
    }

    fn formula(&mut self) -> String {
        let (a, b, c) = (self.atom(), self.atom(), self.atom());
        match self.random.below(13) {
            0 => format!("[] {a}"),
            1 => format!("[] !({a} && {b})"),
            2 => format!("[] <> {a}"),
            3 => format!("<> [] {a}"),
            4..=6 => format!("[] ({a} -> <> {b})"),
            7 => format!("!{a} W {b}"),
            8 => format!("!{a} U {b}"),
            9 => format!("([] <> {a}) -> ([] <> {b})"),
            10 => format!("[] ({a} -> ({b} W {c}))"),
            11 => format!("[] ({a} -> X {b})"),
            _ => format!("<> ({a} || [] {b})"),
        }
    }
}
