//! Fair model checking with process counters: times on the models of the paper (TARGETS, section 4).
//!
//! `cargo run --release -p search --example fairness` prints the whole table, with what SPIN needs for the same question in the same run (its
//! verifier's time, without `spin` and `gcc`; `-` where SPIN cannot be asked: strong fairness, more than 255 processes, any number);
//! `… --example fairness MODEL FORMULA FAIRNESS [Proctype=NUMBER|*] … [-DNAME=VALUE] … [counters=auto|on|off] [states=N]` one line of it.

mod spin;

use certificate::verdict::Verdict;
use omega::Fairness;
use promela::model::ProctypeId;
use search::fair::{
    Counters, FairOptions, FairReport, Numbers, ProcessNumber, Representation, check_formula,
};
use search::{Control, Limits};
use std::time::{Duration, Instant};
use system::automaton::System;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let with_spin = spin::is_installed();
    if !with_spin {
        println!("SPIN's times are left out: `spin` and `gcc` are not both installed");
    }
    if arguments.is_empty() {
        for line in TABLE.lines().map(str::trim).filter(|line| !line.is_empty()) {
            run(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>(), with_spin);
        }
    } else {
        run(&arguments, with_spin);
    }
}

/// Models, formulas, fairness, numbers.
const TABLE: &str = "
    models/fair-leader-election.pml one_leader none Node=10
    models/fair-leader-election.pml one_leader none Node=1000
    models/fair-leader-election.pml one_leader none Node=100000
    models/fair-leader-election.pml one_leader none Node=*
    models/fair-leader-election.pml one_leader weak Node=10
    models/fair-leader-election.pml one_leader weak Node=100
    models/fair-leader-election.pml one_leader weak Node=1000
    models/fair-leader-election.pml one_leader weak Node=10000
    models/fair-leader-election.pml one_leader weak Node=100000
    models/fair-leader-election.pml one_leader weak Node=*
    models/fair-leader-election.pml one_leader strong Node=10
    models/fair-leader-election.pml one_leader strong Node=10000
    models/fair-leader-election.pml one_leader strong Node=*
    models/fair-k-valued-register.pml read_returns none Reader=5
    models/fair-k-valued-register.pml read_returns weak Reader=2
    models/fair-k-valued-register.pml read_returns weak Reader=3
    models/fair-k-valued-register.pml read_returns weak Reader=4
    models/fair-k-valued-register.pml read_returns weak Reader=5
    models/fair-k-valued-register.pml read_returns strong Reader=5
    models/fair-k-valued-register.pml read_returns weak Reader=*
    models/fair-k-valued-register.pml read_returns strong Reader=*
    models/fair-stack.pml push_returns none Other=10
    models/fair-stack.pml push_returns weak Other=5
    models/fair-stack.pml push_returns weak Other=7
    models/fair-stack.pml push_returns weak Other=9
    models/fair-stack.pml push_returns weak Other=10
    models/fair-stack.pml push_returns strong Other=10
    models/fair-stack.pml push_returns strong Other=*
    models/fair-meta-lock.pml access_again_and_again none Thread=10
    models/fair-meta-lock.pml access_again_and_again none Thread=100
    models/fair-meta-lock.pml access_again_and_again none Thread=1000
    models/fair-meta-lock.pml access_again_and_again none Thread=100000
    models/fair-meta-lock.pml access_again_and_again none Thread=*
    models/fair-meta-lock.pml access_again_and_again weak Thread=1000
    models/fair-meta-lock.pml access_again_and_again strong Thread=1000
    models/fair-meta-lock.pml access_again_and_again strong Thread=*
    models/fair-meta-lock.pml exclusive none Thread=*
    models/fair-readers-writers.pml exclusion none Reader=1000 Writer=1000
    models/fair-readers-writers.pml exclusion none Reader=* Writer=*
    models/fair-readers-writers.pml reading_again_and_again none Reader=1000 Writer=1000
    models/fair-readers-writers.pml reading_again_and_again weak Reader=100 Writer=100
    models/fair-readers-writers.pml reading_again_and_again weak Reader=* Writer=*
    models/fair-readers-writers.pml reading_again_and_again strong Reader=1000 Writer=1000
    models/fair-readers-writers.pml reading_again_and_again strong Reader=* Writer=*
";

fn run(arguments: &[String], with_spin: bool) {
    let [path, name, fairness, rest @ ..] = arguments else {
        eprintln!("a model, a formula and a fairness are needed");
        return;
    };
    let mut options = FairOptions {
        fairness: match fairness.as_str() {
            "weak" => Fairness::Weak,
            "strong" => Fairness::Strong,
            _ => Fairness::None,
        },
        diagnose: false,
        limits: Limits { deadline: Some(Instant::now() + Duration::from_secs(600)), ..Limits::default() },
        ..FairOptions::default()
    };
    let mut defines = Vec::new();
    let mut numbers = Vec::new();
    for word in rest {
        let (left, right) = word.split_once('=').unwrap_or((word, "1"));
        match left {
            "counters" => {
                options.counters = match right {
                    "on" => Counters::On,
                    "off" => Counters::Off,
                    _ => Counters::Auto,
                }
            }
            "states" => options.limits.states = right.parse().ok(),
            "diagnose" => options.diagnose = true,
            _ => match left.strip_prefix("-D") {
                Some(macro_name) => defines.push((macro_name.to_string(), right.to_string())),
                None => numbers.push((left.to_string(), right.to_string())),
            },
        }
    }
    let system = match read(path, defines.clone()) {
        Ok(system) => system,
        Err(message) => return eprintln!("{path}: {message}"),
    };
    for (proctype, number) in &numbers {
        let Some(index) = system.model.proctypes.iter().position(|known| known.name == *proctype) else {
            return eprintln!("{path}: no proctype {proctype}");
        };
        let number = match number.parse() {
            Ok(number) => Numbers::Exactly(number),
            Err(_) => Numbers::Any,
        };
        options.processes.push(ProcessNumber { proctype: ProctypeId(index as u32), number });
    }
    let Some(formula) = system.model.formulas.iter().find(|formula| &formula.name == name) else {
        return eprintln!("{path}: no formula {name}");
    };
    let started = Instant::now();
    let report = check_formula(&system, formula, &options, &Control::none());
    let seconds = started.elapsed().as_secs_f64();
    let short = path.rsplit('/').next().unwrap_or(path);
    let spin = if with_spin { spin::ask(path, name, fairness, &numbers, &defines) } else { String::new() };
    println!(
        "{short:28} {name:24} {fairness:7} {:24} {seconds:9.3} s | SPIN {spin:22} | {}",
        rest.join(" "),
        summary(&report)
    );
}

fn summary(report: &FairReport) -> String {
    let how = match &report.representation {
        Representation::Explicit => "explicit".to_string(),
        Representation::WithFormula { reduced: true } => "reduced".to_string(),
        Representation::WithFormula { reduced: false } => "with formula".to_string(),
        Representation::Counted { .. } => "counted".to_string(),
        Representation::AnyNumber { cutoff, together, .. } => {
            let cutoff = cutoff.map_or("one watched".to_string(), |cutoff| format!("cutoff {cutoff}"));
            format!(
                "any number ({cutoff}, up to {})",
                together.map_or("all".to_string(), |most| most.to_string())
            )
        }
    };
    let what = match &report.verdict {
        Verdict::Violated(found) => {
            let loop_start = found.trace.loop_start.unwrap_or(0);
            format!("after {loop_start} steps a loop of {}", found.trace.steps.len() - loop_start)
        }
        Verdict::Unknown(unknown) => format!("{:?} {:?}", unknown.reason, unknown.findings),
        Verdict::Proved(_) => String::new(),
    };
    format!(
        "{:8} {how}, {} states, {} transitions, {} nodes {what} {:?}",
        report.verdict.word(),
        report.states,
        report.transitions,
        report.nodes,
        report.remedies.iter().map(|remedy| (remedy.fairness, remedy.holds)).collect::<Vec<_>>()
    )
}

fn read(path: &str, defines: Vec<(String, String)>) -> Result<System, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let options = promela::Options { defines, undefines: Vec::new() };
    let (model, diagnostics) = promela::read(path, &text, &options, &promela::NoIncludes);
    let is_error = |severity| severity == promela::diagnostic::Severity::Error;
    if let Some(error) = diagnostics.iter().find(|diagnostic| is_error(diagnostic.severity)) {
        return Err(error.message.clone());
    }
    let (system, diagnostics) = system::lower::lower(model);
    match diagnostics.iter().find(|diagnostic| is_error(diagnostic.severity)) {
        Some(error) => Err(error.message.clone()),
        None => Ok(system),
    }
}
