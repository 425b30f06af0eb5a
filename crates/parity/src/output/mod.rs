//! What a model prints when nothing is left to chance: `spin` and `plimsoll simulate` must print the same, line by line.
//!
//! A run is compared if every state of it allows one step only, so that both sides have no choice. SPIN's random simulator is
//! then as good as its verifier, and it shows values that no comparison of state graphs shows: what `printf` makes of them.

mod models;

pub use models::model;

use crate::spin::{Ending, Run, Workplace};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Output, Violation};
use system::simulate::{Halt, Simulation};
use system::state::Pid;

/// Runs that are longer are not compared.
const MOST_STEPS: usize = 20_000;

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Both print this many lines.
    Equal(usize),
    /// The first line that differs: its number, ours, SPIN's.
    Different {
        /// Counted from 1.
        line: usize,
        /// What we print.
        ours: String,
        /// What SPIN prints.
        spin: String,
    },
    /// There is nothing to compare, for this reason.
    Not(String),
}

/// Everything that a deterministic model prints; the error says why it is none.
pub fn printed(system: &System) -> Result<String, String> {
    #[derive(Default)]
    struct Text {
        text: String,
        violates: bool,
    }
    impl Output for Text {
        fn printed(&mut self, _process: Pid, text: &str) {
            self.text.push_str(text);
        }

        fn violated(&mut self, _violation: Violation) {
            self.violates = true;
        }
    }
    let interpreter = Interpreter::new(system, Capacities::Declared).keeping_everything();
    let mut simulation = Simulation::new(interpreter).map_err(|error| error.kind.to_string())?;
    let mut output = Text::default();
    for _ in 0..MOST_STEPS {
        match (simulation.halt(), simulation.steps()) {
            (Some(Halt::Error(error)), _) => return Err(error.kind.to_string()),
            (Some(_), _) => return Ok(output.text),
            (None, [_]) => {}
            (None, steps) => return Err(format!("{} steps are possible at once", steps.len())),
        }
        simulation.take(0, &mut output);
        if output.violates {
            return Err("it violates an assertion".to_string());
        }
    }
    Err("it goes on for long".to_string())
}

/// Compares what the model in a workplace prints.
pub fn compare(place: &Workplace, system: &System) -> Compared {
    let ours = match printed(system) {
        Ok(text) if text.trim().is_empty() => return Compared::Not("it prints nothing".to_string()),
        Ok(text) => text,
        Err(reason) => return Compared::Not(reason),
    };
    // Without indentation, and without a word about the processes at the end.
    let spin = match place.run("spin", &["-T", "-B", place.model()], 20) {
        // Its exit code counts values that were cut, which is no reason to refuse a model.
        Ok(Run { output, ending: Ending::Exited(_) }) => output,
        Ok(Run { ending, .. }) => return Compared::Not(format!("SPIN: {ending:?}")),
        Err(error) => return Compared::Not(error.to_string()),
    };
    // What the simulator itself says, about formulas, values that are cut, priorities, and runs that stop before their end.
    let is_printed = |line: &&str| {
        let own = ["spin: ", "ltl "].iter().any(|start| line.starts_with(start));
        !own && line.trim() != "timeout" && !line.contains(": setting priority of proc ")
    };
    let spin: Vec<&str> = spin.lines().filter(is_printed).collect();
    let ours: Vec<&str> = ours.lines().collect();
    for line in 0..ours.len().max(spin.len()) {
        let (own, other) = (ours.get(line), spin.get(line));
        if own.map(|text| text.trim_end()) != other.map(|text| text.trim_end()) {
            let text = |found: Option<&&str>| found.map_or("nothing".to_string(), |text| format!("`{text}`"));
            return Compared::Different { line: line + 1, ours: text(own), spin: text(other) };
        }
    }
    Compared::Equal(ours.len())
}
