//! The programs over cycles (Ciclo, sections IV, V, VII): what they prove, after how many counterexamples, and what they must not prove.

mod common;

use std::collections::BTreeSet;

use proofs::cycles::{
    Catalogue, CheckLimits, CycleLimits, CycleVerdict, NoEstimate, Question, RouteReport, WorldValues, check,
    estimates,
};
use system::progress::{ProgressAt, ProgressStatements};

fn catalogue_of(text: &str) -> (Catalogue, WorldValues) {
    let system = common::system_of(text);
    let progress = ProgressStatements::new(&system, &ProgressAt::Labels);
    Catalogue::new(&system, &progress, CycleLimits::default()).expect("it is small")
}

fn report_on(text: &str, question: Question) -> RouteReport {
    let (catalogue, values) = catalogue_of(text);
    check(&catalogue, &values, question, CheckLimits::default(), &|| false)
}

/// Programs, counterexamples and spurious ones of a check that must hold.
fn route(text: &str, question: Question) -> (usize, usize, usize) {
    let report = report_on(text, question);
    assert_eq!(report.verdict, CycleVerdict::Holds);
    (report.programs, report.counterexamples, report.spurious)
}

#[test]
fn a_loop_that_ends_by_else_is_refined_once_for_each_kind_of_item() {
    // Ciclo's table VI has 5, 4, 4 for a generator of four kinds of items that ends by `else`, and some who pass on what they get.
    let text = "chan c = [2] of { byte };\nactive proctype Generator() { byte i = 1;\n\
                do :: i > 50 -> break :: else -> if :: c!1 :: c!2 :: c!3 :: c!4 fi; i++ od }\n\
                active proctype Printer() { byte x; end: do :: c?x -> if :: x == 1 :: else fi od }\n";
    assert_eq!(route(text, Question::Boundedness), (5, 4, 4));
    assert_eq!(route(text, Question::Livelock), (5, 4, 4));
}

#[test]
fn what_holds_for_one_instance_is_one_refinement_for_the_whole_proctype() {
    let text = "chan c[3] = [2] of { byte };\nproctype S(byte me) { byte i;\n\
                do :: i > 2 -> break :: else -> c[me]!1; i++ od }\n\
                init { atomic { run S(0); run S(1); run S(2) } }\n";
    assert_eq!(route(text, Question::Boundedness), (2, 1, 1));
}

/// A worker takes an order and puts two items, at most three times before he rests; at rest he takes `price` items and puts ten orders.
fn worker(price: usize) -> String {
    let take = "items?_; ".repeat(price);
    let put = "orders!1; ".repeat(10);
    format!(
        "chan orders = [1] of {{ byte }};\nchan items = [1] of {{ byte }};\n\
         active proctype Owner() {{ orders!1; items!1 }}\n\
         active proctype Worker() {{ byte x;\n\
         do :: x < 3 -> orders?_; items!1; items!1; x++ :: x == 3 -> {take}{put}x = 0 od }}\n"
    )
}

#[test]
fn a_counterexample_with_too_few_rounds_of_what_is_needed_is_excluded() {
    // Four orders and one rest would gain an item, but there is a rest in every three orders (38). The set of cycles is not spurious.
    assert_eq!(route(&worker(7), Question::Boundedness), (2, 1, 0));
}

#[test]
fn a_counterexample_with_as_many_rounds_as_are_allowed_stays() {
    let report = report_on(&worker(6), Question::Boundedness);
    assert!(matches!(report.verdict, CycleVerdict::Counterexample(_)));
}

#[test]
fn a_channel_that_is_received_into_a_number_may_be_any_number() {
    // The second channel has the number 2, so Q goes round for ever without progress.
    let text = "chan a = [1] of { chan };\nchan q = [1] of { byte };\n\
                active proctype P() { do :: a!q od }\n\
                active proctype Q() { byte x; do :: a?x -> x == 2 :: a?x -> x != 2 -> progress: skip od }\n";
    assert_ne!(report_on(text, Question::Livelock).verdict, CycleVerdict::Holds);
}

#[test]
fn a_number_in_place_of_a_channel_may_be_any_channel() {
    // The second channel has the number 2, and is flooded in each of these.
    let channels = "chan a = [1] of { byte };\nchan q = [2] of { byte };\n";
    for text in [
        format!("{channels}active proctype P() {{ chan v; a!2; a?v; do :: v!1 od }}\n"),
        format!("{channels}proctype P(chan v) {{ do :: v!1 od }}\ninit {{ run P(2) }}\n"),
        format!("{channels}active proctype P() {{ chan v; v = q; a!2; a?eval(v); do :: q!1 od }}\n"),
        "chan a = [1] of { chan };\nchan q = [2] of { byte };\nactive proctype P() { a!q; a?2; do :: q!1 od }\n"
            .to_string(),
    ] {
        let report = report_on(&text, Question::Boundedness);
        assert!(matches!(report.verdict, CycleVerdict::Counterexample(_)), "{text}");
        assert!(common::bounds_of(&text).all_bounded().is_none(), "{text}");
    }
}

#[test]
fn nobody_goes_past_an_assertion_that_is_false() {
    // That t is true only where s is 1 is more than values of each know.
    let text = "active proctype P() { byte s; bool t;\n\
                do :: s == 0 -> s = 1; t = true\n\
                :: t -> if :: s == 1 -> break\n\
                :: else -> assert(false)\n\
                fi od }\n";
    let (catalogue, _) = catalogue_of(text);
    assert_eq!(catalogue.sizes.cycles, Some(1));
    assert_eq!(catalogue.ends, BTreeSet::from([4]));
    assert_eq!(route(text, Question::Livelock), (2, 1, 1));
}

#[test]
fn any_number_of_calls_one_after_the_other_is_bounded() {
    // As Ciclo's SIP: a process for each call, without end; the first program has no solution.
    let text = "chan toProxy = [1] of { byte };\nchan toCaller = [1] of { byte };\nchan toCallee = [1] of { byte };\n\
                chan fromCallee = [1] of { byte };\nchan ended = [0] of { byte };\n\
                proctype Call() { toCallee!1; fromCallee?1; ended!1 }\n\
                active proctype Proxy() { do :: toProxy?1 -> run Call(); ended?1; toCaller!1 od }\n\
                active proctype Caller() { do :: toProxy!1; toCaller?1 od }\n\
                active proctype Callee() { do :: toCallee?1; fromCallee!1 od }\n";
    assert_eq!(route(text, Question::Boundedness), (1, 0, 0));
    let (catalogue, _) = catalogue_of(text);
    assert_eq!(estimates(&catalogue), Err(NoEstimate::UnknownProcesses));
}

/// Clients with a channel each way, and a server that looks after one after the other.
fn served_in_turn(clients: usize) -> String {
    format!(
        "mtype = {{ request, answer, release }};\n\
         chan up[{clients}] = [1] of {{ mtype }}; chan down[{clients}] = [1] of {{ mtype }};\n\
         proctype Client(byte me) {{ do :: up[me]!request; down[me]?answer; up[me]!release od }}\n\
         active proctype Server() {{ byte i;\n\
         do :: i < {clients} -> up[i]?request; down[i]!answer; up[i]?release; i++ :: i == {clients} -> i = 0 od }}\n\
         init {{ byte i; atomic {{ do :: i < {clients} -> run Client(i); i++ :: else -> break od }} }}\n"
    )
}

#[test]
fn one_index_means_the_same_channel_in_all_of_a_round() {
    let (catalogue, values) = catalogue_of(&served_in_turn(20));
    let server =
        catalogue.cycle_ids().find(|(_, cycle)| cycle.effects.len() > 1).expect("the server's round");
    assert_eq!(server.1.effects.len(), 20, "one for each client");
    assert!(server.1.effects.iter().all(|effect| effect.len() == 3));
    let report = check(&catalogue, &values, Question::Boundedness, CheckLimits::default(), &|| false);
    assert_eq!(report.verdict, CycleVerdict::Holds);
}

#[test]
fn an_index_that_is_changed_within_a_round_means_other_channels_then() {
    let (catalogue, _) = catalogue_of(
        "chan c[2] = [4] of { byte };\nactive proctype P() { byte i;\n\
         do :: i = 0; c[i]!1; i = i + 1; c[i]!1 :: i = 1; c[i]!1; i = i - 1; c[i]!1 od }\n\
         active proctype R() { byte i; do :: c[i]?_ :: i = 1 - i od }\n",
    );
    for (_, cycle) in catalogue.cycle_ids().filter(|(_, cycle)| cycle.process == 0) {
        assert_eq!(cycle.effects.len(), 1);
        assert_eq!(cycle.effects[0].len(), 2, "one message to each: {:?}", cycle.effects);
    }
}

#[test]
fn an_index_is_forgotten_where_the_round_may_be_interrupted() {
    // Before either statement another loop may change the index any number of times.
    let (catalogue, values) = catalogue_of(
        "chan c[2] = [4] of { byte };\nactive proctype P() { byte i;\n\
         do :: i = 1 - i :: c[i]!1; do :: i = 1 - i :: c[i]?_; break od od }\n",
    );
    let most = catalogue.cycle_ids().map(|(_, cycle)| cycle.effects.len()).max();
    assert_eq!(most, Some(3), "nothing, or from either to the other");
    let report = check(&catalogue, &values, Question::Boundedness, CheckLimits::default(), &|| false);
    assert_eq!(report.verdict, CycleVerdict::Holds, "each round puts one and takes one");
}

/// A process of which every way through a round is another cycle.
fn with_branches(choices: usize) -> String {
    let choice =
        |i: usize| format!("if :: x < {i} -> y = y + 1 :: x == {i} -> y = y + 2 :: else -> d!{i} fi;\n");
    let choices: String = (1..=choices).map(choice).collect();
    format!(
        "chan c = [4] of {{ byte }};\nchan d = [2] of {{ byte }};\nbyte g;\n\
         active proctype P() {{ byte x; int y; do :: {choices} c?x od }}\n\
         active proctype Q() {{ do :: g < 5 -> g++; c!g; d?_ :: g == 5 -> g = 0; progress: skip od }}\n"
    )
}

#[test]
fn thousands_of_cycles_are_checked_because_only_those_of_counterexamples_are_asked_what_they_need() {
    let (catalogue, values) = catalogue_of(&with_branches(7));
    assert_eq!(catalogue.missing(), None);
    assert!(catalogue.cycles.len() > 1_000, "{}", catalogue.cycles.len());
    let report = check(&catalogue, &values, Question::Livelock, CheckLimits::default(), &|| false);
    assert_eq!(report.verdict, CycleVerdict::Holds);
    assert_eq!((report.programs, report.counterexamples, report.spurious), (2, 1, 1));
}

#[test]
fn whoever_does_not_wait_for_a_program_is_told_nothing() {
    let (catalogue, values) = catalogue_of(&served_in_turn(3));
    for question in [Question::Boundedness, Question::Livelock] {
        let asked = std::cell::Cell::new(0);
        let after_the_first_look = || asked.replace(asked.get() + 1) > 0;
        let report = check(&catalogue, &values, question, CheckLimits::default(), &after_the_first_look);
        assert!(matches!(report.verdict, CycleVerdict::Undecided(_)), "{:?}", report.verdict);
    }
}
