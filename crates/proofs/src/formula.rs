//! Does every run satisfy a formula, whatever the capacities?

use std::collections::BTreeSet;
use std::sync::Arc;

use certificate::Certificate;
use certificate::check::{check, global_slots};
use certificate::formula::Violations;
use certificate::verdict::Fairness;
use promela::model::ProctypeId;
use system::automaton::{Action, AutomatonId, System};
use system::code::footprint::Footprint;
use system::control::Control;
use system::progress::{ProgressAt, ProgressStatements};

use crate::board::{Board, Fact, Stopped, Wanted};
use crate::options::FormulaOptions;
use crate::refine::candidates::Refinement;
use crate::refine::prove::{Aim, Prover};
use crate::values::analysis::flows;

/// Publishes a proof that every run that counts satisfies the formula, if there is one.
pub fn formula(system: &System, options: &FormulaOptions, board: &dyn Board) -> Stopped {
    let nothing = ProgressStatements::new(system, &ProgressAt::Places(Vec::new()));
    let (model, any_number) = (system, &options.any_number);
    let named = (0..).map(ProctypeId).zip(&model.model.proctypes);
    let named = named.filter(|(_, proctype)| any_number.contains(&proctype.name));
    let system = &system.clone().with_active(named.map(|(id, _)| (id, 1)));
    let flows = flows(system, &nothing);
    let closed = || !board.wants(Wanted::Formula(&options.name));
    let control = Control::none().cancelled_by(&closed);
    let mut prover =
        Prover::new(system, &flows, options.capacities, options.budgets, (control, board.analyses()));
    prover.any_number.clone_from(any_number);
    let mut tracked = propositions(system, &options.name);
    if options.fairness == Fairness::Strong {
        tracked.extend(
            conditions(system).into_iter().filter(|wish| !tracked.contains(wish)).collect::<Vec<_>>(),
        );
    }
    prover.also_track(tracked);
    match prover.prove_with_help(&Aim::Formula(options.name.clone(), options.fairness), board) {
        Err(reason) => prover.stopped(None, reason),
        Ok(conclusion) => {
            if let Some(certificate) =
                conclusion.proof.as_ref().and_then(|p| for_model(model, &p.certificate))
            {
                board.publish(Fact::Formula { name: options.name.clone(), certificate });
            }
            let reason = conclusion.reason.clone();
            prover.stopped(Some(&conclusion), reason)
        }
    }
}

/// The certificate for the model itself, if it was found with one process of each proctype of which there may be any number.
fn for_model(model: &System, found: &Arc<Certificate>) -> Option<Arc<Certificate>> {
    if found.any_number.is_empty() {
        return Some(found.clone());
    }
    let mut certificate = Certificate { model: model.fingerprint().to_string(), ..(**found).clone() };
    certificate.seal();
    check(model, &certificate).is_ok().then(|| Arc::new(certificate))
}

/// The variables that the formula looks at, with everybody who touches them.
fn propositions(system: &System, name: &str) -> Vec<Refinement> {
    let known = system.model.formulas.iter().find(|formula| formula.name == name);
    let violations = known.and_then(|formula| Violations::of(&system.model, &formula.formula));
    let propositions = violations.map_or_else(Vec::new, |violations| violations.propositions);
    tracked(system, propositions.iter().filter_map(global_slots).flatten())
}

/// The variables that somebody waits for, if they are few: whether a process can move is what fairness asks.
pub fn conditions(system: &System) -> Vec<Refinement> {
    let edges = system.process_automata().flat_map(|(_, automaton)| &automaton.edges);
    let conditions = edges.filter_map(|edge| match &edge.action {
        Action::Condition(condition) => global_slots(condition),
        _ => None,
    });
    let slots: BTreeSet<u32> = conditions.flatten().collect();
    if slots.len() > MOST_CONDITIONS { Vec::new() } else { tracked(system, slots) }
}

/// Variables that somebody waits for beyond which none of them is tracked for that.
const MOST_CONDITIONS: usize = 4;

fn tracked(system: &System, slots: impl IntoIterator<Item = u32>) -> Vec<Refinement> {
    let mut wanted = Vec::new();
    for slot in slots {
        for (index, automaton) in system.process_automata() {
            let touches = automaton.edges.iter().any(|edge| {
                let footprint = Footprint::of_statement(system, &edge.action);
                footprint.reads.contains(slot) || footprint.writes.contains(slot)
            });
            let refinement = Refinement::Global { automaton: AutomatonId(index.0), slot, slots: 1 };
            if touches && !wanted.contains(&refinement) {
                wanted.push(refinement);
            }
        }
    }
    wanted
}
