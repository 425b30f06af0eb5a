//! Does every infinite run make progress again and again?
//!
//! Progress is the papers' reading: a marked statement is executed. A proof of it implies SPIN's reading, unless a mark lies where nobody
//! ever stands.

use certificate::potential::{Progress, ProgressStatement as ClaimedStatement};
use certificate::verdict::Fairness;
use system::automaton::System;
use system::control::Control;
use system::progress::{ProgressAt, ProgressStatements};

use crate::board::{Board, Fact, Stopped, Wanted};
use crate::formula::conditions;
use crate::options::ProgressOptions;
use crate::refine::prove::{Aim, Prover};
use crate::values::analysis::flows;

/// Publishes a proof that every infinite run that counts makes progress, if there is one. Where nothing is marked: that every run ends.
pub fn progress(system: &System, options: &ProgressOptions, board: &dyn Board) -> Stopped {
    let marked = ProgressStatements::new(system, &options.progress);
    let claimed = match &options.progress {
        ProgressAt::Labels => Progress::Labels,
        ProgressAt::Places(_) => Progress::At(marked.iter().map(ClaimedStatement::from).collect()),
    };
    let flows = flows(system, &marked);
    let closed = || !board.wants(Wanted::Progress);
    let control = Control::none().cancelled_by(&closed);
    let mut prover =
        Prover::new(system, &flows, options.capacities, options.budgets, (control, board.analyses()));
    let aim = match options.fairness {
        Fairness::None => Aim::Progress(claimed),
        fairness => {
            prover.also_track(conditions(system));
            Aim::FairProgress(claimed, fairness)
        }
    };
    match prover.prove_with_help(&aim, board) {
        Err(reason) => prover.stopped(None, reason),
        Ok(conclusion) => {
            if let Some(proof) = &conclusion.proof {
                let certificate = proof.certificate.clone();
                board.publish(match aim {
                    Aim::FairProgress(..) => Fact::FairProgress(certificate),
                    _ => Fact::LivelockFree(certificate),
                });
            }
            let reason = conclusion.reason.clone();
            prover.stopped(Some(&conclusion), reason)
        }
    }
}
