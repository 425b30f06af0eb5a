//! Loops and their dependencies as a picture, for `deps --format svg` and for the page that `--html` writes.

use proofs::cycles::{Catalogue, Completeness, CycleLimits, Dependency, Strategy, dependencies};
use report::boxes::{Arrow, Column};
use report::html::Loops;
use system::automaton::System;
use system::progress::{ProgressAt, ProgressStatements};

/// More loops than a page has room for.
const MOST_LOOPS: usize = 60;

/// The loops of a model; nothing if it cannot be analysed.
pub fn loops(system: &System) -> Option<Loops> {
    let progress = ProgressStatements::new(system, &ProgressAt::Labels);
    let limits = CycleLimits { cycles: MOST_LOOPS, ..CycleLimits::default() };
    let (catalogue, values) = Catalogue::new(system, &progress, limits).ok()?;
    if catalogue.completeness == Completeness::TooManyCycles(MOST_LOOPS) {
        let remark = format!("There are more than {MOST_LOOPS} loops: `plimsoll deps MODEL` lists them.");
        let (columns, arrows, sentences) = (Vec::new(), Vec::new(), Vec::new());
        return Some(Loops { columns, arrows, sentences, remark: Some(remark) });
    }
    let found = dependencies(&catalogue, &values, &[Strategy::Improved]);
    let mut sentences: Vec<String> = Vec::new();
    for dependency in &found {
        let sentence = dependency.in_words(&catalogue);
        // What the neighbours and the helpers say is often the same.
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    Some(Loops { columns: columns(&catalogue), arrows: arrows(&found), sentences, remark: None })
}

/// A column for each process that has loops, a box for each loop: its name and its statements.
pub fn columns(catalogue: &Catalogue) -> Vec<Column> {
    let of_process = |index: usize| {
        let own = catalogue.cycle_ids().filter(move |(_, cycle)| cycle.process == index);
        own.map(|(id, cycle)| {
            let statements = cycle.arcs.iter().map(|&arc| catalogue.arc(index, arc).text.clone());
            (id.0, std::iter::once(format!("C{}", id.0 + 1)).chain(statements).collect())
        })
        .collect()
    };
    let processes = catalogue.processes.iter().enumerate();
    processes
        .map(|(index, process)| Column { title: process.name.clone(), boxes: of_process(index) })
        .filter(|column| !column.boxes.is_empty())
        .collect()
}

/// From each loop to those of which it needs one, with the number of rounds.
pub fn arrows(found: &[Dependency]) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for dependency in found {
        for on in &dependency.on {
            let label = dependency.rounds.map(|rounds| rounds.to_string()).unwrap_or_default();
            let arrow = Arrow { from: dependency.cycle.0, to: on.0, label };
            if !arrows.contains(&arrow) {
                arrows.push(arrow);
            }
        }
    }
    arrows
}
