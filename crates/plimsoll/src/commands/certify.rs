//! `plimsoll certify FILE MODEL`

use super::recount;
use crate::exit;
use crate::files;
use crate::input::{self, FileKind, ModelArguments};
use crate::limits::{TimeArguments, free_memory, parse_memory};
use certificate::check::{Refusal, Rule, check_unless};
use certificate::schema::other_version;
use certificate::{Certificate, SCHEMA};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;

/// Check a certificate again, with a few lines of integer arithmetic
///
/// The checker knows no solver, no value analysis and no search: it goes over every statement of the model once and verifies that the
/// claims hold at the start, that each statement keeps them, and that no statement makes the total grow. Then it says the
/// proof in words. Given answers (`--format json`), it counts the states of proofs by search again, with the slow reference engine.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 everything holds, 1 refused, 2 not readable, or of another model, or about nothing, 3 not done in \
    time.\n\nExamples:\n  \
    plimsoll bounds models/client-server.pml --certificate bounds.json\n  \
    plimsoll certify bounds.json models/client-server.pml\n  \
    plimsoll search models/perf-peterson.pml --full --format json > answers.json\n  \
    plimsoll certify answers.json models/perf-peterson.pml"
)]
pub struct Arguments {
    /// The certificate, or answers in JSON
    file: PathBuf,

    #[command(flatten)]
    pub model: ModelArguments,

    #[command(flatten)]
    pub time: TimeArguments,

    /// Only say whether it holds
    #[arg(short, long)]
    quiet: bool,

    /// Memory for the certificate (`500M`, `4G`); without it, what is free
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    memory: Option<usize>,
}

pub fn run(arguments: &Arguments) -> u8 {
    let room = arguments.memory.or_else(free_memory);
    let evidence = match read(arguments, room) {
        Ok(evidence) => evidence,
        Err(message) => {
            complain_line!("error: {message}");
            return exit::ERROR;
        }
    };
    let system = match input::load(&arguments.model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    let certificates = match evidence {
        Evidence::Certificates(certificates) => certificates,
        Evidence::Answers(answers) => return recount::run(&system, &answers, room),
    };
    let mut out = String::new();
    for certificate in &certificates {
        match check_unless(&system, certificate, &|| arguments.time.time.is_over()) {
            Ok(checked) => {
                let _ = writeln!(
                    out,
                    "holds: {}, {} and {} checked",
                    verify::counted(checked.proofs, "proof"),
                    verify::counted(checked.transitions, "transition"),
                    verify::counted(checked.nodes, "place")
                );
                if !arguments.quiet {
                    for line in certificate::words::words(&system, certificate) {
                        let _ = writeln!(out, "  {line}");
                    }
                }
            }
            Err(refusal) => {
                files::print_fitted(&out);
                complain_line!("refused: {refusal}");
                return exit_code(&refusal);
            }
        }
    }
    files::print_fitted(&out);
    exit::PROVED
}

/// A certificate that speaks of another model or of nothing answers no question; one that breaks a rule answers it wrongly.
fn exit_code(refusal: &Refusal) -> u8 {
    match refusal.rule() {
        Some(Rule::Identity | Rule::SaysSomething) => exit::ERROR,
        Some(_) => exit::VIOLATED,
        None => exit::UNKNOWN,
    }
}

/// A certificate in memory takes up to so many times the room of its text.
const ROOM: u64 = 12;

/// What can be checked again.
enum Evidence {
    /// One certificate, or a list of them.
    Certificates(Vec<Certificate>),
    /// Answers about one model, some of them by search.
    Answers(serde_json::Value),
}

fn read(arguments: &Arguments, room: Option<usize>) -> Result<Evidence, String> {
    let name = arguments.file.display();
    let size = std::fs::metadata(&arguments.file).map_or(0, |file| file.len());
    if room.is_some_and(|room| size.saturating_mul(ROOM) > room as u64) {
        let megabytes = size.div_ceil(1 << 20);
        return Err(format!("`{name}` has {megabytes} MB, too much for the memory that there is (--memory)"));
    }
    let text = input::read_text(&arguments.file)?;
    let kind = input::kind_of(text.as_bytes());
    if let Some((FileKind::Certificate, found)) = &kind
        && found != SCHEMA
    {
        let what = other_version("certificate", found, SCHEMA);
        return Err(format!("`{name}`: {}", Refusal::Broken { rule: Rule::Identity, what }));
    }
    if matches!(kind, Some((FileKind::Answers, _)))
        && let Ok(answers) = serde_json::from_str::<serde_json::Value>(&text)
        && answers.get("results").is_some()
    {
        return Ok(Evidence::Answers(answers));
    }
    match certificate::read::read(&text) {
        Ok(certificates) if certificates.is_empty() => {
            Err(format!("`{name}` is an empty list: it proves nothing"))
        }
        Ok(certificates) => Ok(Evidence::Certificates(certificates)),
        Err(error) => {
            let wrong = format!("`{name}` is no certificate");
            Err(match kind {
                Some((FileKind::Trace, _)) => format!("{wrong} but a trace: plimsoll replay shows it"),
                Some((FileKind::Answers, _)) => {
                    format!("{wrong} but answers about several models")
                }
                None => format!("{wrong} (the certificate comes first, then the model)"),
                Some((FileKind::Certificate, _)) => format!("{wrong}: {error}"),
            })
        }
    }
}
