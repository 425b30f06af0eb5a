//! The block of figures that SPIN's verifier prints, for scripts that look for it.

use crate::names;
use certificate::verdict::Verdict;
use std::fmt::Write;
use system::automaton::{AutomatonId, System};
use verify::{CheckReport, Counterexample, Question};

/// The figures of a search, line for line where SPIN's verifier has them.
pub fn block(system: &System, report: &CheckReport) -> String {
    let mut out = String::new();
    let violated = report.answers.iter().filter_map(|answer| match &answer.verdict {
        Verdict::Violated(counterexample) => Some((answer, counterexample)),
        _ => None,
    });
    let mut errors = 0;
    for (answer, counterexample) in violated {
        errors += 1;
        let problem = match (&answer.question, counterexample) {
            (Question::Deadlock, _) => "invalid end state".to_string(),
            (_, Counterexample::Run { problem, .. }) => problem.clone(),
            _ => answer.meaning.clone(),
        };
        let depth = counterexample.trace().steps.len();
        let _ = writeln!(out, "pan:{errors}: {problem} (at depth {depth})");
    }
    let cut = report.answers.iter().any(|answer| matches!(answer.verdict, Verdict::Unknown(_)));
    if cut {
        out.push_str("Warning: Search not completed\n");
    }
    let sign = |question: &Question| if report.answer(question).is_some() { '+' } else { '-' };
    let _ = writeln!(
        out,
        "\n(Plimsoll {})\n\nFull statespace search for:\n\tnever claim         \t- (not selected)\n\
         \tassertion violations\t{}\n\tinvalid end states\t{}\n",
        env!("CARGO_PKG_VERSION"),
        sign(&Question::Assertions),
        sign(&Question::Deadlock)
    );
    let counts = report.search.unwrap_or_default();
    let bytes = counts.bytes_per_state().round() as u64;
    let _ = writeln!(out, "State-vector {bytes} byte, depth reached {}, errors: {errors}", counts.depth);
    let _ = writeln!(out, "{:>9} states, stored", counts.states);
    let _ = writeln!(out, "{:>9} states, matched", counts.matched);
    let _ = writeln!(out, "{:>9} transitions (= stored+matched)", counts.transitions());
    let _ = writeln!(out, "{:>9} atomic steps", counts.atomic_steps);
    out.push_str("hash conflicts:         0 (resolved)\n\n");
    let _ = writeln!(out, "{:>9.3}\ttotal actual memory usage\n", counts.memory as f64 / f64::from(1 << 20));
    unreached(&mut out, system, report);
    let _ = writeln!(out, "\npan: elapsed time {:.2} seconds", report.seconds);
    out
}

fn unreached(out: &mut String, system: &System, report: &CheckReport) {
    let Some(unreached) = &report.unreached else { return };
    for (index, automaton) in system.process_automata() {
        let AutomatonId(number) = index;
        let mine: Vec<_> = unreached.iter().filter(|statement| statement.automaton.0 == number).collect();
        let _ = writeln!(out, "unreached in proctype {}", automaton.name);
        for statement in &mine {
            let edge = automaton.edge(statement.edge);
            let state = automaton.location(edge.source).number;
            let place = names::place(system, edge.span);
            let _ = writeln!(out, "\t{place}, state {state}, \"{}\"", edge.text);
        }
        let _ = writeln!(out, "\t({} of {} states)", mine.len(), automaton.locations.len());
    }
}
