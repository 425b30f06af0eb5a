//! The models that are compared.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A model and how it is read.
#[derive(Clone, Copy)]
pub struct Row {
    /// What kind of model it is.
    pub class: &'static str,
    /// Its name in the tables.
    pub name: &'static str,
    /// The file: one of `benches/` or `models/`, of SPIN's examples, or generated here.
    pub file: &'static str,
    /// Lines of the form `#define NAME …` that get another value.
    pub defines: &'static [(&'static str, &'static str)],
}

const fn row(class: &'static str, name: &'static str, file: &'static str) -> Row {
    Row { class, name, file, defines: &[] }
}

const fn with(mut row: Row, defines: &'static [(&'static str, &'static str)]) -> Row {
    row.defines = defines;
    row
}

/// Full graphs, every statement a step. Where the size of a model can be chosen it is one that takes more than starting a program does.
pub const SAFETY: &[Row] = &[
    row("board", "sliding tiles", "benches/sliding-tiles.pml"),
    row("board", "hanoi", "benches/hanoi.pml"),
    row("board", "sokoban", "benches/sokoban.pml"),
    with(row("board", "peg solitaire", "benches/peg-solitaire.pml"), &[("SIDE", "6")]),
    row("board", "rush hour", "benches/rush-hour.pml"),
    with(row("board", "frogs", "benches/frogs.pml"), &[("N", "8"), ("STONES", "18")]),
    row("board", "queens", "benches/queens.pml"),
    with(row("board", "satisfy", "benches/satisfy.pml"), &[("VARS", "10")]),
    row("board", "logistics", "benches/logistics.pml"),
    row("array", "priority sort", "benches/priority-sort.pml"),
    row("array", "readers of a table", "benches/readers-array.pml"),
    row("array", "wide table", "models/perf-wide-data.pml"),
    row("array", "struct table", "benches/struct-table.pml"),
    row("counters", "river", "benches/river.pml"),
    row("counters", "counters", "benches/counters.pml"),
    row("counters", "wide ints", "wide ints"),
    row("counters", "hash of history", "benches/hash-history.pml"),
    row("counters", "long counter", "benches/long-counter.pml"),
    row("counters", "deadlines", "benches/deadlines.pml"),
    row("link", "link layer", "benches/link-layer.pml"),
    with(
        row("link", "retransmission", "models/perf-bounded-retransmission.pml"),
        &[("FRAMES", "120"), ("TRIES", "40")],
    ),
    row("link", "pftp", "LTL/pftp.pml"),
    row("link", "dtp", "dtp.pml"),
    row("link", "cambridge", "cambridge.pml"),
    row("intruder", "intruder", "benches/intruder.pml"),
    row("exclusion", "bakery", "benches/bakery-arrays.pml"),
    row("exclusion", "filter lock", "benches/filter-lock.pml"),
    with(row("exclusion", "peterson", "models/perf-peterson.pml"), &[("N", "4")]),
    with(row("exclusion", "peterson N=3", "LTL/petersonN.pml"), &[("N", "3")]),
    with(row("exclusion", "peterson N=4", "LTL/petersonN.pml"), &[("N", "4")]),
    row("exclusion", "readers, writers", "models/perf-readers-writers.pml"),
    row("control", "elevators", "benches/elevators.pml"),
    with(row("control", "train gate", "models/perf-train-gate.pml"), &[("N", "7")]),
    with(row("control", "train N=5", "LTL/train.pml"), &[("N", "5")]),
    with(row("control", "train N=6", "LTL/train.pml"), &[("N", "6")]),
    row("ring", "ring with data", "benches/ring-data.pml"),
    row("ring", "token ring", "models/perf-token-ring.pml"),
    with(row("ring", "leader0 N=6", "leader0.pml"), &[("N", "6"), ("L", "12")]),
    with(row("ring", "leader0 N=7", "leader0.pml"), &[("N", "7"), ("L", "14")]),
    row("ring", "LTL/leader N=5", "LTL/leader.pml"),
    row("pipeline", "producer, consumer", "models/perf-producer-consumer.pml"),
    row("pipeline", "sort", "sort.pml"),
    with(row("pipeline", "sort N=8", "sort.pml"), &[("N", "8")]),
    row("errors", "many deadlocks", "benches/many-deadlocks.pml"),
    with(row("errors", "philosophers", "models/perf-philosophers.pml"), &[("N", "11")]),
    row("creation", "creation", "benches/creation.pml"),
    row("generated", "generated", "generated"),
];

/// One model, ten times as large from row to row.
pub const GROWTH: &[Row] = &[
    with(row("counters", "counters MAX=38", "benches/counters.pml"), &[("MAX", "38")]),
    with(row("counters", "counters MAX=116", "benches/counters.pml"), &[("MAX", "116")]),
    with(row("counters", "counters MAX=362", "benches/counters.pml"), &[("MAX", "362")]),
];

/// Reduced searches: SPIN's reduction beside ours.
pub const REDUCED: &[Row] = &[
    row("link", "pftp", "LTL/pftp.pml"),
    row("link", "dtp", "dtp.pml"),
    row("link", "link layer", "benches/link-layer.pml"),
    with(row("ring", "leader0 N=7", "leader0.pml"), &[("N", "7"), ("L", "14")]),
    row("ring", "ring with data", "benches/ring-data.pml"),
    row("ring", "token ring", "models/perf-token-ring.pml"),
    row("pipeline", "sort", "sort.pml"),
    row("errors", "many deadlocks", "benches/many-deadlocks.pml"),
    row("creation", "creation", "benches/creation.pml"),
    row("creation", "eratosthenes", "eratosthenes.pml"),
    row("small", "snoopy", "snoopy.pml"),
    row("small", "mobile1", "LTL/mobile1.pml"),
    row("small", "conway", "models/conway.pml"),
    row("small", "mvcc", "models/mvcc.pml"),
];

/// What cycles are looked for.
#[derive(Clone, Copy, PartialEq)]
pub enum Cycles {
    Acceptance,
    NonProgress,
}

/// Searches for cycles.
pub const CYCLES: &[(Row, Cycles)] = &[
    (row("link", "pftp -l", "LTL/pftp.pml"), Cycles::NonProgress),
    (row("link", "cambridge -l", "cambridge.pml"), Cycles::NonProgress),
    (row("link", "dtp -l", "dtp.pml"), Cycles::NonProgress),
    (with(row("ring", "leader0 N=6 -a", "leader0.pml"), &[("N", "6"), ("L", "12")]), Cycles::Acceptance),
    (row("pipeline", "sort -a", "sort.pml"), Cycles::Acceptance),
    (row("link", "cambridge -a", "cambridge.pml"), Cycles::Acceptance),
    (with(row("control", "train N=5 -a", "LTL/train.pml"), &[("N", "5")]), Cycles::Acceptance),
    (with(row("exclusion", "peterson N=3 -a", "LTL/petersonN.pml"), &[("N", "3")]), Cycles::Acceptance),
    (row("link", "hajek -l", "hajek.pml"), Cycles::NonProgress),
    (row("small", "mobile1 -l", "LTL/mobile1.pml"), Cycles::NonProgress),
    (row("control", "diskhead -l", "LTL/diskhead.pml"), Cycles::NonProgress),
];

/// Two large integers and an array: every state has values that hardly any other has.
const WIDE_INTS: &str = "
int x = 1, y = 1, a[4];
active proctype P() { do :: x < 40000000 -> x = x * 3 + 1; a[x % 4] = x :: x >= 40000000 -> x = 1 od }
active proctype Q() { do :: y < 30000000 -> y = y * 2 + 5; a[y % 4] = y + a[(y + 1) % 4] / 2 :: y >= 30000000 -> y = 1 od }
";

impl Row {
    /// The text of the model.
    pub fn text(&self, examples: &Path) -> Result<String, String> {
        match self.file {
            "wide ints" => return Ok(WIDE_INTS.to_string()),
            "generated" => return Ok(generated(200, 12)),
            _ => {}
        }
        let is_ours = self.file.starts_with("benches/") || self.file.starts_with("models/");
        let path = if is_ours { PathBuf::from(self.file) } else { examples.join(self.file) };
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(redefine(&text, self.defines))
    }
}

fn redefine(text: &str, defines: &[(&str, &str)]) -> String {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("#define"), Some(name)) => match defines.iter().find(|(other, _)| *other == name) {
                Some((name, value)) => format!("#define {name} {value}"),
                None => line.to_string(),
            },
            _ => line.to_string(),
        }
    };
    text.lines().map(|l| line(l) + "\n").collect()
}

/// What a translator from another language makes: hundreds of proctypes, thousands of locations. Three of them at a time are alive.
fn generated(types: usize, statements: usize) -> String {
    let mut text = String::from("byte shared[8];\nchan done = [3] of { byte };\n");
    for index in 0..types {
        let _ = writeln!(text, "proctype T{index}() {{ byte x;");
        for statement in 0..statements {
            let (from, to) = ((index * 3 + statement) % 8, (index + statement * 5) % 8);
            let _ = match statement % 4 {
                0 => writeln!(text, "  x = (x + shared[{from}] + {statement}) % 3;"),
                1 => writeln!(
                    text,
                    "  if :: x == 0 -> shared[{to}] = (shared[{to}] + 1) % 3 :: x > 0 -> skip fi;"
                ),
                2 => writeln!(text, "  shared[{to}] = x;"),
                _ => {
                    writeln!(text, "  if :: shared[{from}] > 1 -> x = 0 :: shared[{from}] <= 1 -> x = 1 fi;")
                }
            };
        }
        let _ = writeln!(text, "  x = 0; done!1 }}");
    }
    text += "init { byte n;\n";
    for index in 0..types / 3 {
        let first = 3 * index;
        let started = (first..first + 3).map(|other| format!("run T{other}();"));
        let _ = writeln!(text, "  atomic {{ {} }}", started.collect::<Vec<_>>().join(" "));
        let _ = writeln!(text, "  done?n; done?n; done?n; (_nr_pr == 1);");
    }
    text += "}\n";
    text
}
