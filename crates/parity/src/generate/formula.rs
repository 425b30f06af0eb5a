//! Temporal formulas over the globals and channels of a model.

use super::{Generator, ScalarKind};

impl Generator {
    /// A formula with at most so many operators inside each other.
    pub(super) fn formula(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.percent(15) {
            return format!("({})", self.proposition());
        }
        let left = self.formula(depth - 1);
        match self.random.below(12) {
            0 => format!("(! {left})"),
            1..=3 => format!("([] {left})"),
            4..=6 => format!("(<> {left})"),
            7 => format!("({left} && {})", self.formula(depth - 1)),
            8 => format!("({left} || {})", self.formula(depth - 1)),
            9 => format!("({left} -> {})", self.formula(depth - 1)),
            10 => format!("({left} V {})", self.formula(depth - 1)),
            _ => format!("({left} U {})", self.formula(depth - 1)),
        }
    }

    /// What a formula asks of a state.
    pub(super) fn proposition(&mut self) -> String {
        let buffers: Vec<String> =
            self.channels.iter().filter(|c| !c.rendezvous).map(|c| c.text.clone()).collect();
        if self.random.percent(25)
            && let Some(buffer) = self.random.pick(&buffers)
        {
            if self.unusual.is_none() && !self.nameless {
                let question = ["empty", "full", "nempty"][self.random.below(3)];
                return format!("{question}({buffer})");
            }
            // Those may not be negated, which would cost every third model.
            return format!("len({buffer}) {} {}", ["==", ">"][self.random.below(2)], self.random.below(2));
        }
        let globals = self.globals.clone();
        let x = self.random.pick(&globals).cloned().expect("there is a global");
        let n = self.random.below(3);
        match x.kind {
            ScalarKind::Mtype => format!("{} == green", x.text),
            _ => format!("{} {} {n}", x.text, ["==", "!=", ">", "<="][self.random.below(4)]),
        }
    }
}
