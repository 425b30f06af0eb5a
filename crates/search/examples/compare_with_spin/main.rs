//! SPIN and Plimsoll side by side, in one run on one machine.
//!
//! `compare_with_spin [FOLDER] [TABLE…] [NAME…] [--rounds N] [--write]`: FOLDER is where SPIN's examples lie (by default where Debian puts
//! them), a TABLE is one of `safety`, `reduced`, `cycles` (all three without it), `examples`, `growth`, a NAME selects rows. Needs `spin`, `gcc` and `bash`, and is to
//! be run from the root of the repository, where `models/` and `benches/` are. With `--write` the table of full graphs goes to
//! `benches/README.md` and its plot to `docs/speed.svg`; the table of growth goes to `benches/growth.md`.
//!
//! All times are seconds of processor time (user and system) of a program of its own: on a machine that does other work too only these, and only
//! their ratios within one run, mean something. The two programs take turns, and medians are shown.
//!
//! - `safety`: the full graph, every statement a step, assertions and end states checked. SPIN gets `-O2 -DSAFETY -DNOREDUCE -DNOCLAIM`, a hash
//!   table with a place for every state (`-w`) and a stack that is just deep enough (`-m`), so that it does not spend its time on clearing
//!   memory that it does not need. Its times for `spin` and `gcc` are shown apart. Plimsoll's time is from the source to the verdict.
//!   A difference in states or transitions is marked.
//! - `reduced`: SPIN with its reduction, Plimsoll with its own; states of both.
//! - `examples`: states of reduced searches of every model in FOLDER, without times. Only if it is asked for.
//! - `growth`: full graphs of one model, ten times as large from row to row. Only if it is asked for.
//! - `cycles`: acceptance and non-progress cycles; SPIN full and reduced.

mod plot;
mod rows;
mod run;

use rows::{CYCLES, Cycles, GROWTH, REDUCED, Row, SAFETY};
use run::{Figures, Fit, Pan, Question};
use search::Reduction;
use std::fmt::Write as _;
use std::path::PathBuf;

struct Request {
    examples: PathBuf,
    tables: Vec<String>,
    names: Vec<String>,
    rounds: usize,
    write: bool,
}

/// A row of the table of full graphs.
pub struct Measured {
    row: Row,
    spin: Figures,
    preparing: f64,
    ours: Figures,
    two_threads: Figures,
}

impl Measured {
    fn ratio(&self) -> f64 {
        self.spin.seconds / self.ours.seconds
    }
}

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let mut request = Request {
        examples: PathBuf::from("/usr/share/doc/spin/examples/Examples"),
        tables: Vec::new(),
        names: Vec::new(),
        rounds: 3,
        write: false,
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // The program calls itself with a model, so that its processor time can be measured as SPIN's is.
            "--one" => return run::one(&arguments.collect::<Vec<_>>()),
            "--rounds" => request.rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(3),
            "--write" => request.write = true,
            "safety" | "reduced" | "cycles" | "examples" | "growth" => request.tables.push(argument),
            _ if std::path::Path::new(&argument).is_dir() => request.examples = argument.into(),
            _ => request.names.push(argument),
        }
    }
    let wants = |table: &str| request.tables.is_empty() || request.tables.iter().any(|other| other == table);
    if wants("safety") {
        safety(&request)?;
    }
    if wants("reduced") {
        reduced(&request)?;
    }
    if wants("cycles") {
        cycles(&request)?;
    }
    if request.tables.iter().any(|table| table == "examples") {
        examples(&request)?;
    }
    if request.tables.iter().any(|table| table == "growth") {
        growth(&request)?;
    }
    Ok(())
}

impl Request {
    fn selects(&self, row: &Row) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| row.name.contains(wanted.as_str()))
    }
}

fn safety(request: &Request) -> Result<(), String> {
    let mut table = String::from(
        "| class | model | states | transitions | spin + gcc s | pan s | pan bytes/state | ours s | x SPIN | bytes/state | 2 threads s | |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n",
    );
    print!("{table}");
    let mut measured = Vec::new();
    for row in SAFETY.iter().filter(|row| request.selects(row)) {
        let text = row.text(&request.examples)?;
        let pan = Pan::make(&text, "-o3", &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"])?;
        let first = run::ours(&text, Question::Safety, 1)?;
        let fit = pan.fit(first.states, &["-n", "-c0"])?;
        let (spin, ours) =
            in_turns(request.rounds, || pan.run(&fit), || run::ours(&text, Question::Safety, 1))?;
        let two_threads = run::ours(&text, Question::Safety, 2)?;
        let row = Measured { row: *row, spin, preparing: pan.preparing, ours, two_threads };
        let line = line(&row);
        print!("{line}");
        table += &line;
        measured.push(row);
    }
    let distribution = distribution(&measured);
    println!("\n{distribution}");
    if request.write && request.names.is_empty() {
        let page = include_str!("page.md").replace("TABLE", &table).replace("DISTRIBUTION", &distribution);
        let page = page.replace("LOAD", &load());
        std::fs::write("benches/README.md", page).map_err(|error| error.to_string())?;
        std::fs::write("docs/speed.svg", plot::plot(&measured)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// How many programs wanted a processor in the last quarter of an hour, as the kernel says.
fn load() -> String {
    let said = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    said.split_whitespace().nth(2).unwrap_or("unknown").to_string()
}

/// Full graphs of one model, ten times as large from row to row. SPIN's memory ends before ours.
fn growth(request: &Request) -> Result<(), String> {
    let mut table = String::from(
        "| model | states | transitions | pan s | pan ns/state | ours s | ours ns/state | x SPIN | pan bytes/state | bytes/state |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    print!("{table}");
    for row in GROWTH.iter().filter(|row| request.selects(row)) {
        let text = row.text(&request.examples)?;
        let pan = Pan::make(&text, "-o3", &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"])?;
        let ours = run::ours(&text, Question::Safety, 1)?;
        let fit = pan.fit(ours.states, &["-n", "-c0"])?;
        let (spin, ours) =
            in_turns(request.rounds, || pan.run(&fit), || run::ours(&text, Question::Safety, 1))?;
        let nanoseconds = |figures: &Figures| figures.seconds * 1e9 / figures.states as f64;
        let line = format!(
            "| {} | {} | {} | {:.3} | {:.0} | {:.3} | {:.0} | {:.2} | {:.0} | {:.1} |\n",
            row.name,
            ours.states,
            ours.transitions,
            spin.seconds,
            nanoseconds(&spin),
            ours.seconds,
            nanoseconds(&ours),
            spin.seconds / ours.seconds,
            spin.bytes_per_state,
            ours.bytes_per_state
        );
        print!("{line}");
        table += &line;
    }
    if request.write && request.names.is_empty() {
        let page = include_str!("growth.md").replace("TABLE", &table).replace("LOAD", &load());
        std::fs::write("benches/growth.md", page).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn line(measured: &Measured) -> String {
    let Measured { row, spin, preparing, ours, two_threads } = measured;
    let same = (spin.states, spin.transitions) == (ours.states, ours.transitions);
    let remark = match same {
        true => String::new(),
        false => format!("SPIN has {} / {}", spin.states, spin.transitions),
    };
    format!(
        "| {} | {} | {} | {} | {preparing:.2} | {:.3} | {:.0} | {:.3} | {:.2} | {:.1} | {:.3} | {remark} |\n",
        row.class,
        row.name,
        ours.states,
        ours.transitions,
        spin.seconds,
        spin.bytes_per_state,
        ours.seconds,
        measured.ratio(),
        ours.bytes_per_state,
        two_threads.seconds,
    )
}

/// Median, quartiles and worst, of all rows and by class.
fn distribution(measured: &[Measured]) -> String {
    let mut text = String::from(
        "| class | rows | worst | quarter | median | three quarters | best |\n| --- | --: | --: | --: | --: | --: | --: |\n",
    );
    let mut classes: Vec<&str> = measured.iter().map(|row| row.row.class).collect();
    classes.dedup();
    for class in classes.into_iter().map(Some).chain([None]) {
        let of_class = measured.iter().filter(|row| class.is_none_or(|class| class == row.row.class));
        let mut ratios: Vec<f64> = of_class.map(Measured::ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let at = |quarter: usize| ratios[(ratios.len() - 1) * quarter / 4];
        let name = class.unwrap_or("**all**");
        let _ = writeln!(
            text,
            "| {name} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
            ratios.len(),
            at(0),
            at(1),
            at(2),
            at(3),
            at(4)
        );
    }
    text
}

fn reduced(request: &Request) -> Result<(), String> {
    println!(
        "\n| reduced | SPIN's states | ours | pan s | ours s | x SPIN |\n| --- | --: | --: | --: | --: | --: |"
    );
    for row in REDUCED.iter().filter(|row| request.selects(row)) {
        let text = row.text(&request.examples)?;
        let pan = Pan::make(&text, "-o1", &["-DSAFETY", "-DNOCLAIM"])?;
        let first = run::ours(&text, Question::Reduced, 1)?;
        let fit = pan.fit(first.states, &["-n", "-c0"])?;
        let (spin, ours) =
            in_turns(request.rounds, || pan.run(&fit), || run::ours(&text, Question::Reduced, 1))?;
        println!(
            "| {} | {} | {} | {:.3} | {:.3} | {:.2} |",
            row.name,
            spin.states,
            ours.states,
            spin.seconds,
            ours.seconds,
            spin.seconds / ours.seconds
        );
    }
    Ok(())
}

/// Every model of a folder: how many states a reduced search has. Those that one of the two does not take are left out.
fn examples(request: &Request) -> Result<(), String> {
    println!("\n| example | SPIN's states | ours | |\n| --- | --: | --: | --- |");
    let (mut more, mut compared) = (0, 0);
    for file in models_in(&request.examples) {
        let name = file.strip_prefix(&request.examples).unwrap_or(&file).display().to_string();
        let is_wanted = request.names.is_empty() || request.names.iter().any(|wanted| name.contains(wanted));
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        if !is_wanted {
            continue;
        }
        let spin = Pan::make(&text, "-o1", &["-DSAFETY", "-DNOCLAIM"]).and_then(|pan| {
            let fit = pan.fit(1 << 20, &["-n", "-c0"])?;
            pan.run(&fit)
        });
        let ours = run::ours(&text, Question::Reduced, 1);
        let (Ok(spin), Ok(ours)) = (spin, ours) else {
            println!("| {name} | | | not compared |");
            continue;
        };
        compared += 1;
        more += u32::from(ours.states > spin.states);
        let remark = if ours.states > spin.states { "more" } else { "" };
        println!("| {name} | {} | {} | {remark} |", spin.states, ours.states);
    }
    println!("\n{compared} compared, {more} with more states than SPIN");
    Ok(())
}

/// The models in a folder and in those inside of it, by name.
fn models_in(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => found.extend(models_in(&path)),
            false if path.extension().is_some_and(|end| end == "pml") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

fn cycles(request: &Request) -> Result<(), String> {
    println!(
        "\n| cycles | pan full s | ours full s | x full | pan reduced s | ours reduced s | x reduced | SPIN | ours |\n\
         | --- | --: | --: | --: | --: | --: | --: | --- | --- |"
    );
    for (row, cycles) in CYCLES.iter().filter(|(row, _)| request.selects(row)) {
        let text = row.text(&request.examples)?;
        let (define, flag, question): (_, _, fn(Reduction) -> Question) = match cycles {
            Cycles::Acceptance => ("-DNOCLAIM", "-a", Question::Acceptance),
            Cycles::NonProgress => ("-DNP", "-l", Question::NonProgress),
        };
        let full = Pan::make(&text, "-o3", &["-DNOREDUCE", define])?;
        let reduced = Pan::make(&text, "-o1", &[define])?;
        let states = run::ours(&text, Question::Safety, 1)?.states;
        let (fit_full, fit_reduced): (Fit, Fit) =
            (full.fit(states, &["-n", flag])?, reduced.fit(states, &["-n", flag])?);
        let ours = |reduction: Reduction| run::ours(&text, question(reduction), 1);
        let (spin, in_full) = in_turns(request.rounds, || full.run(&fit_full), || ours(Reduction::Full))?;
        let (spin_reduced, in_part) =
            in_turns(request.rounds, || reduced.run(&fit_reduced), || ours(Reduction::Reduced))?;
        let verdict = |errors: u64| if errors > 0 { "cycle" } else { "none" };
        let (theirs, own) = (verdict(spin.errors), verdict(in_full.errors));
        let remark = if in_full.errors.min(1) == in_part.errors.min(1) { "" } else { ", reduced not so" };
        println!(
            "| {} | {:.3} | {:.3} | {:.2} | {:.3} | {:.3} | {:.2} | {theirs} | {own}{remark} |",
            row.name,
            spin.seconds,
            in_full.seconds,
            spin.seconds / in_full.seconds,
            spin_reduced.seconds,
            in_part.seconds,
            spin_reduced.seconds / in_part.seconds,
        );
    }
    Ok(())
}

/// Runs two programs in turns; the median run of each. What takes long is run once.
fn in_turns(
    rounds: usize,
    first: impl Fn() -> Result<Figures, String>,
    second: impl Fn() -> Result<Figures, String>,
) -> Result<(Figures, Figures), String> {
    const LONG: f64 = 4.0;
    let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        of_first.push(first()?);
        of_second.push(second()?);
        if of_first[0].seconds.max(of_second[0].seconds) > LONG {
            break;
        }
    }
    let median = |mut figures: Vec<Figures>| {
        figures.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        figures.swap_remove(figures.len() / 2)
    };
    Ok((median(of_first), median(of_second)))
}
