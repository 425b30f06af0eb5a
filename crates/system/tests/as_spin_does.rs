//! Points in which the automata or the steps once differed from SPIN's, each in the smallest model that shows it. The
//! expected figures are SPIN's own: `spin -o3 -a m.pml; gcc -DSAFETY -DNOREDUCE -o pan pan.c; ./pan -d` for state numbers.

use promela::{IncludeLoader, Options};
use system::automaton::{Automaton, System};

struct NoIncludes;

impl IncludeLoader for NoIncludes {
    fn load(&self, name: &str, _included_from: &str) -> Result<(String, String), String> {
        Err(format!("no `{name}` here"))
    }
}

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    assert!(
        diagnostics.iter().all(|d| d.severity != promela::diagnostic::Severity::Error),
        "{diagnostics:?}"
    );
    system::lower::lower(model).0
}

/// (source, target) of all edges, as state numbers, sorted.
fn numbered_edges(automaton: &Automaton) -> Vec<(u32, u32)> {
    let number = |id| automaton.location(id).number;
    let mut edges: Vec<_> = automaton.edges.iter().map(|e| (number(e.source), number(e.target))).collect();
    edges.sort_unstable();
    edges
}

#[test]
fn a_select_numbers_counting_before_stopping_but_tries_to_stop_first() {
    let system = system("byte x; init { select(x : 0 .. (x + 3)); x = 7 }");
    let init = &system.automata[0];
    assert_eq!(numbered_edges(init), vec![(1, 5), (3, 5), (5, 3), (5, 8), (8, 9), (9, 9)]);
    let choice = init.locations.iter().find(|l| l.number == 5).expect("the loop");
    let targets: Vec<u32> = choice.edges.iter().map(|&e| init.location(init.edge(e).target).number).collect();
    assert_eq!(targets, vec![8, 3]);
}
