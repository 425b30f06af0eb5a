//! Forges certificates, and as many pumps and traces, and counts what the checker makes of them: `forge COUNT SEED [FOLDER]`. Exit code 1 if one
//! is accepted that is false.
//!
//! With a folder, every certificate is written there (`m3-17-accepted.json`) beside its model's automata (`m3.sys`), for another checker.

#[path = "../tests/forger/mod.rs"]
mod forger;

use forger::runs::forge_runs;
use forger::{Random, forge, models};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>().unwrap_or(1));
    let (count, seed) = (arguments.next().unwrap_or(100_000), arguments.next().unwrap_or(1));
    let mut random = Random(seed.wrapping_add(77));
    let subjects = forger::subjects(200, &mut random);
    let by_hand = models::BY_HAND.len();
    let started = Instant::now();
    let folder = std::env::args().nth(3).map(PathBuf::from);
    let mut number = 0;
    let tally = forge(&subjects, count, seed, &mut |model, certificate, accepted| {
        let Some(folder) = &folder else { return };
        number += 1;
        let verdict = if accepted { "accepted" } else { "refused" };
        let text = serde_json::to_string(certificate).unwrap_or_default();
        let automata = system::text::write(&subjects[model].system);
        let written = std::fs::write(folder.join(format!("m{model}-{number}-{verdict}.json")), text)
            .and_then(|()| std::fs::write(folder.join(format!("m{model}.sys")), automata));
        if let Err(error) = written {
            eprintln!("{}: {error}", folder.display());
        }
    });
    println!(
        "{} forged certificates on {by_hand} models by hand and {} at random in {:.0} s: {} accepted and true, {} accepted and false",
        tally.tried,
        subjects.len() - by_hand,
        started.elapsed().as_secs_f64(),
        tally.true_ones,
        tally.false_ones.len()
    );
    println!("accepted, by what they say: {:?}", tally.kinds);
    println!("refused, by rule: {:?}", tally.refused);
    let started = Instant::now();
    let runs = forge_runs(&subjects, count, seed);
    println!(
        "{} forged pumps and traces in {:.0} s: {} accepted and true, {} accepted and false",
        runs.tried,
        started.elapsed().as_secs_f64(),
        runs.true_ones.values().sum::<u64>(),
        runs.false_ones.len()
    );
    println!("accepted, by kind: {:?}", runs.true_ones);
    println!("refused, by reason: {:?}", runs.refused);
    let false_ones: Vec<_> = tally.false_ones.iter().chain(&runs.false_ones).collect();
    for (what, model, text) in &false_ones {
        println!("FALSE: {what}\n{model}\n{text}");
    }
    ExitCode::from(u8::from(!false_ones.is_empty()))
}
