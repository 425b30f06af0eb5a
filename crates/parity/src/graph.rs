//! Whole state graphs compared with SPIN's: states, transitions, atomic steps, errors by kind; and the engines of `search` with
//! both.

use crate::engines;
use crate::reference::{Exploration, Extent, Limits, explore};
use crate::spin::{Compiler, Ending, Figures, Workplace};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter};

/// The outcome of one comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Both went through the whole graph and agree in everything.
    Equal {
        /// Stored states.
        states: u64,
        /// Transitions.
        transitions: u64,
    },
    /// Both find a runtime error; the graphs are not comparable beyond it.
    EqualRuntimeError,
    /// They disagree; in words.
    Different(Vec<String>),
    /// One of them did not get through, or the model cannot be used; why.
    NotCompared(String),
}

/// How the two are asked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// For the reference.
    pub limits: Limits,
    /// How the verifier is compiled.
    pub compiler: Compiler,
    /// Seconds for the verifier.
    pub seconds: u32,
    /// Depth of its stack.
    pub depth: u32,
    /// Two to this power is the size of its hash table.
    pub table: u32,
}

/// Compares a model that is read already with SPIN's reading of the same text.
pub fn compare(system: &System, workplace: &Workplace, settings: &Settings) -> Comparison {
    let theirs = match figures(workplace, settings, &[]) {
        Ok(theirs) => theirs,
        Err(stopped) => return Comparison::NotCompared(stopped),
    };
    let without_end_states = || figures(workplace, settings, &["-E"]).ok();
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let reference = explore(&interpreter, &settings.limits);
    let fast = engines::full(system, &settings.limits);
    if reference.extent != Extent::Complete {
        // Too large for the reference: the fast engine is compared with SPIN itself.
        return judge(&fast, &theirs, without_end_states);
    }
    let mut different = engines::differences(&reference, &fast);
    if reference.runtime_errors.is_empty() {
        different.extend(engines::differences_when_reduced(system, &reference, &settings.limits));
    }
    match judge(&reference, &theirs, without_end_states) {
        Comparison::Different(mut from_spin) => {
            from_spin.append(&mut different);
            Comparison::Different(from_spin)
        }
        _ if !different.is_empty() => Comparison::Different(different),
        equal => equal,
    }
}

/// Builds and runs the verifier.
fn figures(workplace: &Workplace, settings: &Settings, options: &[&str]) -> Result<Figures, String> {
    if !workplace.folder().join("graph").is_file() {
        workplace.generate().map_err(|e| format!("SPIN refuses it: {}", first_line(&e)))?;
        workplace
            .compile("graph", settings.compiler, &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"])
            .map_err(|e| format!("the compiler refuses it: {}", first_line(&e)))?;
    }
    let (depth, table) = (format!("-m{}", settings.depth), format!("-w{}", settings.table));
    let mut arguments = vec!["-n", "-c0", depth.as_str(), table.as_str()];
    arguments.extend(options);
    let run = workplace.run("./graph", &arguments, settings.seconds).map_err(|e| e.to_string())?;
    match run.ending {
        Ending::TimedOut => Err(format!("SPIN needs more than {} s", settings.seconds)),
        Ending::Crashed => Err("the verifier crashed".to_string()),
        Ending::Exited(_) => match Figures::parse(&run.output) {
            Some(f) if f.depth_exceeded => Err("deeper than SPIN's stack".to_string()),
            Some(f) => Ok(f),
            None => Err(format!("the verifier stopped: {}", last_words(&run.output))),
        },
    }
}

fn judge(
    ours: &Exploration,
    theirs: &Figures,
    without_end_states: impl Fn() -> Option<Figures>,
) -> Comparison {
    if ours.extent != Extent::Complete {
        return Comparison::NotCompared(format!("the reference gave up: {:?}", ours.extent));
    }
    let other_errors = theirs.messages.iter().any(|m| {
        !m.starts_with("assertion violated")
            && !m.starts_with("invalid end state")
            && !m.starts_with("event_trace")
    });
    if !ours.runtime_errors.is_empty() || other_errors {
        return if !ours.runtime_errors.is_empty() && other_errors {
            Comparison::EqualRuntimeError
        } else {
            let (a, b) = (&ours.runtime_errors, &theirs.messages);
            Comparison::Different(vec![format!("runtime errors {a:?}, SPIN {b:?}")])
        };
    }
    let mut different = Vec::new();
    let mut check = |what: &str, our: u64, their: u64| {
        if our != their {
            different.push(format!("{what} {our}, SPIN {their}"));
        }
    };
    check("states", ours.stored, theirs.stored);
    check("transitions", ours.stored + ours.matched, theirs.stored + theirs.matched);
    check("atomic steps", ours.atomic_steps, theirs.atomic_steps);
    check("errors", ours.assertions + ours.invalid_end_states + ours.trace_violations, theirs.errors);
    if theirs.messages.len() > 1
        && let Some(other) = without_end_states()
    {
        check("errors other than end states", ours.assertions + ours.trace_violations, other.errors);
    }
    let ends = theirs.messages.iter().any(|m| m.starts_with("invalid end state"));
    check("has invalid end states", u64::from(ours.invalid_end_states > 0), u64::from(ends));
    if different.is_empty() {
        Comparison::Equal { states: ours.stored, transitions: ours.stored + ours.matched }
    } else {
        Comparison::Different(different)
    }
}

fn first_line(text: &str) -> &str {
    text.lines().find(|l| !l.trim().is_empty()).unwrap_or("").trim()
}

/// The last line that says something.
fn last_words(text: &str) -> &str {
    let idle = |l: &str| l.trim().is_empty() || l.starts_with("pan: rate") || l.starts_with("pan: elapsed");
    text.lines().rfind(|l| !idle(l)).unwrap_or("").trim()
}
