//! What the tests share: reading models and asking provers that work alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use certificate::Certificate;
use proofs::{BoundsOptions, Fact, Nobody, ProgressOptions, Stopped};
use system::automaton::System;

/// The system of a text; a test's text is right.
pub fn system_of(text: &str) -> System {
    let (model, diagnostics) =
        promela::read("test.pml", text, &promela::Options::default(), &promela::NoIncludes);
    let errors: Vec<_> = diagnostics
        .iter()
        .filter(|d| d.severity == promela::diagnostic::Severity::Error)
        .map(|d| &d.message)
        .collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (system, _) = system::lower::lower(model);
    system
}

/// What a prover published, and where it stopped.
#[allow(dead_code)]
#[derive(Debug)]
pub struct Found {
    /// What it published.
    pub facts: Vec<Fact>,
    /// Where it stopped.
    pub stopped: Stopped,
}

#[allow(dead_code)]
impl Found {
    /// The certificate that all buffers are bounded.
    pub fn all_bounded(&self) -> Option<&Arc<Certificate>> {
        self.facts.iter().find_map(|fact| match fact {
            Fact::AllBounded(certificate) => Some(certificate),
            _ => None,
        })
    }

    /// The certificate that every infinite run makes progress.
    pub fn livelock_free(&self) -> Option<&Arc<Certificate>> {
        self.facts.iter().find_map(|fact| match fact {
            Fact::LivelockFree(certificate) => Some(certificate),
            _ => None,
        })
    }

    /// The least bound that was published for a buffer.
    pub fn bound(&self, name: &str) -> Option<u64> {
        let bounds = self.facts.iter().filter_map(|fact| match fact {
            Fact::AtMost { buffer, bound, .. } if buffer == name => Some(*bound),
            _ => None,
        });
        bounds.min()
    }

    /// All certificates.
    pub fn certificates(&self) -> impl Iterator<Item = &Arc<Certificate>> {
        self.facts.iter().filter_map(|fact| match fact {
            Fact::AllBounded(certificate)
            | Fact::LivelockFree(certificate)
            | Fact::AtMost { certificate, .. } => Some(certificate),
            Fact::FairProgress(certificate) => Some(certificate),
            Fact::Buffers(_) | Fact::Formula { .. } | Fact::Suspicious(_) => None,
        })
    }
}

/// What is published about buffers.
#[allow(dead_code)]
pub fn bounds_with(system: &System, options: &BoundsOptions) -> Found {
    let nobody = Nobody::default();
    let stopped = proofs::bounds(system, options, &nobody);
    Found { facts: nobody.facts(), stopped }
}

/// The same within so many seconds.
#[allow(dead_code)]
pub fn bounds_within(seconds: u64, system: &System, options: &BoundsOptions) -> Found {
    let nobody = Nobody::until(Instant::now() + Duration::from_secs(seconds));
    let stopped = proofs::bounds(system, options, &nobody);
    Found { facts: nobody.facts(), stopped }
}

/// The same with the usual options.
#[allow(dead_code)]
pub fn bounds_of(text: &str) -> Found {
    bounds_with(&system_of(text), &BoundsOptions::default())
}

/// What is published about progress.
#[allow(dead_code)]
pub fn progress_with(system: &System, options: &ProgressOptions) -> Found {
    let nobody = Nobody::default();
    let stopped = proofs::progress(system, options, &nobody);
    Found { facts: nobody.facts(), stopped }
}

/// The same within so many seconds.
#[allow(dead_code)]
pub fn progress_within(seconds: u64, system: &System, options: &ProgressOptions) -> Found {
    let nobody = Nobody::until(Instant::now() + Duration::from_secs(seconds));
    let stopped = proofs::progress(system, options, &nobody);
    Found { facts: nobody.facts(), stopped }
}

/// The same with the usual options.
#[allow(dead_code)]
pub fn progress_of(text: &str) -> Found {
    progress_with(&system_of(text), &ProgressOptions::default())
}
