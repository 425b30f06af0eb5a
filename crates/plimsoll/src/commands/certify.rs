//! `plimsoll certify FILE MODEL`

use crate::exit;
use crate::files;
use crate::input::{self, FileKind, ModelArguments};
use crate::limits::TimeArguments;
use certificate::Certificate;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;

/// Check a certificate again, with a few lines of integer arithmetic
///
/// The checker knows no solver, no value analysis and no search: it goes over every statement of the model once and verifies that the
/// claims hold at the start, that each statement keeps them, and that no statement makes the total grow. Then it says the
/// proof in words.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll bounds models/client-server.pml --certificate bounds.json\n  \
    plimsoll certify bounds.json models/client-server.pml")]
pub struct Arguments {
    /// The certificate
    file: PathBuf,

    #[command(flatten)]
    pub model: ModelArguments,

    #[command(flatten)]
    pub time: TimeArguments,

    /// Only say whether it holds
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(arguments: &Arguments) -> u8 {
    let certificates = match read(arguments) {
        Ok(certificates) => certificates,
        Err(message) => {
            complain_line!("error: {message}");
            return exit::ERROR;
        }
    };
    let system = match input::load(&arguments.model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    let mut out = String::new();
    for certificate in &certificates {
        match certificate::check::check(&system, certificate) {
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
                files::print(&out);
                complain_line!("refused: {refusal}");
                return exit::VIOLATED;
            }
        }
    }
    files::print(&out);
    exit::PROVED
}

/// One certificate, or a list of them.
fn read(arguments: &Arguments) -> Result<Vec<Certificate>, String> {
    let text = input::read_text(&arguments.file)?;
    let one: Result<Certificate, _> = serde_json::from_str(&text);
    match one {
        Ok(certificate) => Ok(vec![certificate]),
        Err(error) => serde_json::from_str(&text).map_err(|_| {
            let wrong = format!("`{}` is no certificate", arguments.file.display());
            match input::kind_of(&text) {
                Some(FileKind::Trace) => format!("{wrong} but a trace: plimsoll replay shows it"),
                Some(FileKind::Answers) => format!("{wrong} but answers; --certificate writes certificates"),
                None => format!("{wrong} (the certificate comes first, then the model)"),
                Some(FileKind::Certificate) => format!("{wrong}: {error}"),
            }
        }),
    }
}
