//! Trees of potentials that are deeper than a JSON reader goes by itself.

mod common;

use certificate::Certificate;
use certificate::check::check;
use certificate::potential::{Component, Next, Potential, Proof, Stage};
use certificate::read::{DEEPEST, read};
use certificate::verdict::Capacities;
use common::Draft;

/// One process that goes round, split into its one part again and again: true, and as deep as one likes.
fn tree(splits: usize) -> (Draft, Certificate) {
    let draft = Draft::of("active proctype P() { do :: true od }");
    let mut stage = Stage { potential: Potential::default(), next: Next::Closed };
    for _ in 0..splits {
        let component = Component::Group(draft.id("P"));
        let next = Next::Split { component, parts: vec![stage] };
        stage = Stage { potential: Potential::default(), next };
    }
    let proofs = vec![Proof::AllBounded { stage }];
    let certificate = Certificate::new(&draft.system, Capacities::Any, draft.claims.clone(), proofs);
    (draft, certificate)
}

/// Around the stages are the certificate, its proofs, the proof and what it says; a stage has a potential, and lists in it.
const SPLITS: usize = (DEEPEST - 7) / 4;

#[test]
fn a_tree_at_the_limit_is_read_and_checked_on_the_stack_of_any_thread() {
    let (draft, certificate) = tree(SPLITS);
    let text = serde_json::to_string(&certificate).expect("JSON");
    let found = read(&text).expect("within the limit");
    assert_eq!(found, [certificate]);
    assert_eq!(check(&draft.system, &found[0]).map(|checked| checked.proofs), Ok(1));
    assert!(!certificate::words::words(&draft.system, &found[0]).is_empty());
}

#[test]
fn a_tree_beyond_the_limit_is_refused_by_its_depth() {
    let (_, certificate) = tree(SPLITS + 1);
    let text = serde_json::to_string(&certificate).expect("JSON");
    let said = read(&text).expect_err("too deep");
    assert!(said.starts_with("rule R1 ") && said.contains("nested deeper"), "{said}");
}

#[test]
fn a_list_of_certificates_is_read_as_one_is() {
    let (_, certificate) = tree(40);
    let text = serde_json::to_string(&[&certificate, &certificate]).expect("JSON");
    assert_eq!(read(&text), Ok(vec![certificate.clone(), certificate]));
}
