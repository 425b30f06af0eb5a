//! Expressions and what surrounds them: guards, arguments, receives.

use super::{Channel, Generator, Parameter, Scalar, ScalarKind, Startable};

impl Generator {
    /// Something that can be assigned.
    pub(super) fn target(&mut self) -> Scalar {
        let local = !self.locals.is_empty() && self.random.percent(45);
        let at_home = !local && !self.home.0.is_empty() && self.random.percent(70);
        let from = match (local, at_home) {
            (true, _) => self.locals.clone(),
            (false, true) => self.home.0.clone(),
            (false, false) => self.globals.clone(),
        };
        self.random.pick(&from).cloned().expect("there is a global")
    }

    /// A value that fits a kind, more or less: values are cut now and then, as they should be.
    pub(super) fn value(&mut self, kind: ScalarKind) -> String {
        if kind == ScalarKind::Mtype && self.symbols {
            let mtypes: Vec<Scalar> =
                self.all().into_iter().filter(|s| s.kind == ScalarKind::Mtype).collect();
            return match self.random.pick(&mtypes).cloned() {
                Some(variable) if self.random.percent(40) => variable.text,
                _ => (*self.random.pick(&["red", "green", "blue"]).unwrap_or(&"red")).to_string(),
            };
        }
        if let Some(unusual) = self.unusual_value() {
            return unusual;
        }
        let x = self.target().text;
        let y = self.target().text;
        let n = self.random.below(3);
        match self.random.below(13) {
            0..=3 => n.to_string(),
            4 => x,
            5 => format!("({x} + {n}) % 3"),
            6 => format!("1 - {x}"),
            7 => format!("({x} > {n})"),
            8 => format!("({x} == {y} -> {n} : {y})"),
            9 if kind == ScalarKind::Signed => format!("-{n}"),
            9 => format!("({x} & 1) ^ {n}"),
            10 if self.nameless => n.to_string(),
            10 => "_pid".to_string(),
            11 => match self.buffer() {
                Some(c) => format!("len({})", c.text),
                None => n.to_string(),
            },
            _ => format!("({x} << 1) & 3"),
        }
    }

    /// A condition.
    pub(super) fn guard(&mut self) -> String {
        let x = self.target();
        let n = self.random.below(3);
        if x.kind == ScalarKind::Mtype {
            return format!("{} {} {}", x.text, self.comparison_of_symbols(), self.value(x.kind));
        }
        let x = x.text;
        match self.random.below(16) {
            0..=3 => format!("{x} == {n}"),
            4 => format!("{x} != {n}"),
            5 => format!("{x} < {n}"),
            6 => format!("!{x}"),
            7 => x,
            8 => {
                let y = self.target().text;
                format!("{x} >= {y}")
            }
            9 => {
                let other = self.guard();
                let operator = self.random.pick(&["&&", "||"]).copied().unwrap_or("&&");
                format!("({x} == {n} {operator} {other})")
            }
            10 | 14 | 15 if self.nameless => format!("{x} <= {n}"),
            10 => format!("_nr_pr {} {}", if self.random.percent(50) { "<" } else { "==" }, 2 + n),
            11..=13 => match self.buffer() {
                Some(c) => self.question(&c),
                None => format!("{x} <= {n}"),
            },
            14 if self.random.percent(30) => format!("_last == {n}"),
            15 if self.random.percent(40) && !self.places.is_empty() => {
                let place = self.random.pick(&self.places.clone()).cloned().unwrap_or_default();
                if self.random.percent(50) { place } else { format!("!{place}") }
            }
            _ => format!("{x} > {n}"),
        }
    }

    pub(super) fn guard_over_globals(&mut self) -> String {
        let globals = self.globals.clone();
        let x = self.random.pick(&globals).cloned().expect("there is a global");
        match x.kind {
            ScalarKind::Mtype => format!("{} != red", x.text),
            _ => format!("{} != {}", x.text, 1 + self.random.below(2)),
        }
    }

    pub(super) fn channel(&mut self) -> Option<Channel> {
        if !self.home.1.is_empty() && self.random.percent(60) {
            return self.random.pick(&self.home.1.clone()).cloned();
        }
        let all: Vec<Channel> = self.channels.iter().chain(&self.local_channels).cloned().collect();
        self.random.pick(&all).cloned()
    }

    pub(super) fn buffer(&mut self) -> Option<Channel> {
        let all: Vec<Channel> =
            self.channels.iter().chain(&self.local_channels).filter(|c| !c.rendezvous).cloned().collect();
        self.random.pick(&all).cloned()
    }

    pub(super) fn send(&mut self, channel: &Channel) -> String {
        let operator = if !channel.rendezvous && self.random.percent(20) { "!!" } else { "!" };
        let mut arguments: Vec<String> = channel.fields.iter().map(|&f| self.value(f)).collect();
        if self.leaves_out_a_field(channel) {
            arguments.pop();
        }
        format!("{}{operator}{}", channel.text, arguments.join(","))
    }

    pub(super) fn receive(&mut self, channel: &Channel) -> String {
        if let Some(unusual) = self.unusual_receive(channel) {
            return unusual;
        }
        let operator = if !channel.rendezvous && self.random.percent(20) { "??" } else { "?" };
        let arguments = self.receive_arguments(channel, true);
        if !channel.rendezvous && self.random.percent(15) {
            format!("{}{operator}<{arguments}>", channel.text)
        } else {
            format!("{}{operator}{arguments}", channel.text)
        }
    }

    pub(super) fn run(&mut self, startable: &Startable) -> String {
        let mut arguments = Vec::new();
        for parameter in &startable.parameters {
            match parameter {
                // What an argument reads is read when the process starts.
                Parameter::Value if self.unusual.is_some() && self.random.percent(70) => {
                    arguments.push(self.value(ScalarKind::Natural));
                }
                Parameter::Value => arguments.push(self.random.below(3).to_string()),
                Parameter::Channel(fields, rendezvous) => {
                    let fits: Vec<Channel> = self
                        .channels
                        .iter()
                        .filter(|c| c.fields == *fields && c.rendezvous == *rendezvous)
                        .cloned()
                        .collect();
                    arguments.push(self.random.pick(&fits).map_or("0".to_string(), |c| c.text.clone()));
                }
            }
        }
        format!("run {}({})", startable.name, arguments.join(", "))
    }

    pub(super) fn all(&self) -> Vec<Scalar> {
        self.globals.iter().chain(&self.locals).cloned().collect()
    }

    fn comparison_of_symbols(&mut self) -> &'static str {
        if self.random.percent(60) { "==" } else { "!=" }
    }

    fn question(&mut self, channel: &Channel) -> String {
        let c = &channel.text;
        match self.random.below(7) {
            0 => format!("full({c})"),
            1 => format!("empty({c})"),
            2 => format!("nfull({c})"),
            3 => format!("nempty({c})"),
            4 => format!("len({c}) > {}", self.random.below(2)),
            n => {
                let operator = if n == 5 { "?" } else { "??" };
                let arguments = self.receive_arguments(channel, false);
                format!("{c}{operator}[{arguments}]")
            }
        }
    }

    fn receive_arguments(&mut self, channel: &Channel, store: bool) -> String {
        let mut arguments: Vec<String> = Vec::new();
        for &field in &channel.fields {
            let matching = self.random.percent(if store { 35 } else { 80 });
            arguments.push(if matching && field == ScalarKind::Mtype && self.symbols {
                (*self.random.pick(&["red", "green", "blue"]).unwrap_or(&"red")).to_string()
            } else if matching {
                let evaluated = self.target().text;
                let is_apart = !arguments.iter().any(|argument| share_a_name(argument, &evaluated));
                match self.random.below(3) {
                    0 if is_apart => format!("eval({evaluated})"),
                    _ => self.random.below(2).to_string(),
                }
            } else if self.random.percent(15) {
                "_".to_string()
            } else {
                // SPIN refuses one variable in two fields, and undoes wrongly what is one variable only at run time.
                let target = self.target();
                let fits = !store || holds(target.kind, field) && !names(&channel.text, &target);
                let is_apart = !arguments.iter().any(|argument| share_a_name(argument, &target.text));
                if fits && is_apart { target.text } else { "_".to_string() }
            });
        }
        arguments.join(",")
    }
}

/// Whether a variable takes every value of a field uncut.
fn holds(variable: ScalarKind, field: ScalarKind) -> bool {
    match field {
        ScalarKind::Bit => true,
        ScalarKind::Narrow | ScalarKind::Natural => {
            matches!(variable, ScalarKind::Natural | ScalarKind::Signed)
        }
        ScalarKind::Signed => variable == ScalarKind::Signed,
        ScalarKind::Mtype => variable == ScalarKind::Mtype,
    }
}

/// Whether a text names the variable of a scalar.
fn names(text: &str, scalar: &Scalar) -> bool {
    let variable = scalar.text.split(['[', '.']).next().unwrap_or(&scalar.text);
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word == variable)
}

/// Whether two places are perhaps one, or where one is depends on the other.
fn share_a_name(one: &str, other: &str) -> bool {
    let words = |text| -> Vec<String> {
        let pieces = str::split(text, |c: char| !c.is_alphanumeric());
        pieces
            .filter(|word| word.starts_with(char::is_alphabetic) && *word != "eval")
            .map(String::from)
            .collect()
    };
    let others = words(other);
    words(one).iter().any(|word| others.contains(word))
}
