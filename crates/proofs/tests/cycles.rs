//! The papers' examples: exactly the cycles, dependencies and programs that their text derives.

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use system::progress::{ProgressAt, ProgressStatements};

use promela::Options;
use proofs::cycles::{
    Catalogue, Cause, CheckLimits, Completeness, Count, CycleId, CycleLimits, CycleVerdict, Dependency,
    DependencyCounts, MessageTypes, Question, Strategy, WorldValues, check, dependencies, estimates,
    inclusions_broken,
};
use system::automaton::System;

fn model(name: &str) -> System {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (model, diagnostics) = promela::read(name, &text, &Options::default(), &promela::NoIncludes);
    let errors = diagnostics.iter().filter(|d| d.severity == promela::diagnostic::Severity::Error).count();
    assert_eq!(errors, 0, "{name}");
    system::lower::lower(model).0
}

fn catalogue(name: &str) -> (Catalogue, WorldValues) {
    let system = model(name);
    let progress = ProgressStatements::new(&system, &ProgressAt::Labels);
    Catalogue::new(&system, &progress, CycleLimits::default()).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

/// The cycle of a process that executes a statement with this text.
fn cycle_with(catalogue: &Catalogue, process: &str, text: &str, without: &str) -> CycleId {
    let found: Vec<CycleId> = catalogue
        .cycle_ids()
        .filter(|(_, c)| catalogue.processes[c.process].name == process)
        .filter(|(_, c)| {
            let texts: Vec<&str> =
                c.arcs.iter().map(|&a| catalogue.arc(c.process, a).text.as_str()).collect();
            texts.contains(&text) && !texts.contains(&without)
        })
        .map(|(id, _)| id)
        .collect();
    assert_eq!(found.len(), 1, "cycles of {process} with `{text}` and without `{without}`");
    found[0]
}

fn by_condition(
    found: &[Dependency],
    cycle: CycleId,
    wanted: Strategy,
) -> Vec<(Option<u64>, BTreeSet<CycleId>)> {
    found
        .iter()
        .filter(|d| d.cycle == cycle)
        .filter(|d| matches!(d.cause, Cause::Condition { strategy, .. } if strategy == wanted))
        .map(|d| (d.rounds, d.on.clone()))
        .collect()
}

#[test]
fn study_figure_1_has_three_cycles_and_the_left_one_needs_the_right_one_every_three_rounds() {
    let (catalogue, values) = catalogue("dependencies-figure-1.pml");
    assert_eq!(catalogue.cycles.len(), 3);
    let left = cycle_with(&catalogue, "client", "toServer!request", "");
    let right = cycle_with(&catalogue, "client", "fromServer?reply", "");
    let server = cycle_with(&catalogue, "server", "fromServer!reply", "");
    let found = dependencies(&catalogue, &values, &Strategy::ALL);
    let expected = vec![(Some(3), BTreeSet::from([right]))];
    assert_eq!(by_condition(&found, left, Strategy::Preemptive), expected);
    assert_eq!(by_condition(&found, right, Strategy::Preemptive), vec![(Some(1), BTreeSet::from([left]))]);
    let receives: Vec<_> = found
        .iter()
        .filter(|d| d.cycle == right && matches!(d.cause, Cause::Receive { .. }))
        .map(|d| d.on.clone())
        .collect();
    assert_eq!(receives, vec![BTreeSet::from([server])]);
}

#[test]
fn study_figure_1_is_livelock_free_by_one_refinement() {
    let (catalogue, values) = catalogue("dependencies-figure-1.pml");
    let report = check(&catalogue, &values, Question::Livelock, CheckLimits::default(), &|| false);
    assert_eq!(report.verdict, CycleVerdict::Holds);
    assert_eq!((report.programs, report.counterexamples, report.spurious), (2, 1, 1));
}

#[test]
fn study_figure_2_the_right_cycle_helps_although_it_does_not_touch_the_tested_variable() {
    let (catalogue, values) = catalogue("dependencies-figure-2.pml");
    let left = cycle_with(&catalogue, "p", "out!item", "back?clear");
    let right = cycle_with(&catalogue, "p", "back?clear", "out!item");
    let found = dependencies(&catalogue, &values, &Strategy::ALL);
    let on: Vec<_> = by_condition(&found, left, Strategy::Preemptive).into_iter().map(|(_, on)| on).collect();
    assert_eq!(on, vec![BTreeSet::from([right])]);
}

#[test]
fn study_figure_3_the_preempted_cycle_is_dropped() {
    let (catalogue, values) = catalogue("dependencies-figure-3.pml");
    let c1 = cycle_with(&catalogue, "p", "out!item", "");
    let found = dependencies(&catalogue, &values, &Strategy::ALL);
    let modifying = by_condition(&found, c1, Strategy::Modifying);
    let preemptive = by_condition(&found, c1, Strategy::Preemptive);
    assert_eq!(modifying.len(), 1);
    assert_eq!((modifying[0].1.len(), preemptive[0].1.len()), (2, 1), "C2 and C3, then C2 alone");
    // C2 only counts x down on the way back, so it does not isolate C1: next door is no better than MC here.
    assert_eq!(by_condition(&found, c1, Strategy::NextDoor), modifying);
}

#[test]
fn study_figure_5_a_condition_on_a_global_variable_depends_on_the_other_process() {
    let (catalogue, values) = catalogue("dependencies-figure-5.pml");
    let p = cycle_with(&catalogue, "p", "data!item", "");
    let q = cycle_with(&catalogue, "q", "data?item", "");
    let found = dependencies(&catalogue, &values, &Strategy::ALL);
    assert_eq!(by_condition(&found, p, Strategy::Preemptive), vec![(None, BTreeSet::from([q]))]);
}

#[test]
fn study_figure_6_a_sender_of_the_wrong_value_is_no_help() {
    let (catalogue, values) = catalogue("dependencies-figure-6.pml");
    let c1 = cycle_with(&catalogue, "GIOPClient", "usedReqId[reqId] = 0", "");
    let c2 = cycle_with(&catalogue, "GIOPAgent", "rs = 4", "");
    let c3 = cycle_with(&catalogue, "GIOPAgent", "rs = 5", "");
    let found = dependencies(&catalogue, &values, &Strategy::ALL);
    let senders: Vec<_> = found
        .iter()
        .filter(|d| d.cycle == c1 && matches!(d.cause, Cause::Receive { .. }))
        .map(|d| d.on.clone())
        .collect();
    assert_eq!(senders, vec![BTreeSet::from([c2, c3])]);
    let able: Vec<_> = found
        .iter()
        .filter(|d| d.cycle == c1)
        .filter_map(|d| match d.cause {
            Cause::Message { condition, .. } => {
                let text = &catalogue.arc(catalogue.cycle(c1).process, condition).text;
                (text == "reply_status == 4").then(|| d.on.clone())
            }
            _ => None,
        })
        .collect();
    assert_eq!(able, vec![BTreeSet::from([c2])]);
}

#[test]
fn a_sender_whose_fields_are_related_otherwise_is_no_help() {
    // Post(p) of Up says b == a + 1, which no set of values for each says: a and b both range over 0 to 100.
    let text = "chan c = [2] of { byte, byte };\n\
                active proctype Up() { byte a, b; do :: a < 100 -> b = a + 1; c!a,b; a++ :: a = 0 od }\n\
                active proctype Same() { byte a; do :: c!a,a :: a < 100 -> a++ od }\n\
                active proctype R() { byte x, y; do :: c?x,y -> if :: x == y -> skip :: x < y -> printf(\"x\") fi od }\n";
    let (catalogue, values) = catalogue_of(text);
    let up = cycle_with(&catalogue, "Up", "c!a,b", "");
    let same = cycle_with(&catalogue, "Same", "c!a,a", "");
    let equal = cycle_with(&catalogue, "R", "x == y", "");
    let less = cycle_with(&catalogue, "R", "x < y", "");
    let found = dependencies(&catalogue, &values, &[Strategy::Improved]);
    let able = |cycle: CycleId| -> Vec<BTreeSet<CycleId>> {
        let of_it = found.iter().filter(|d| d.cycle == cycle && matches!(d.cause, Cause::Message { .. }));
        of_it.map(|d| d.on.clone()).collect()
    };
    assert_eq!(able(equal), vec![BTreeSet::from([same])]);
    assert_eq!(able(less), vec![BTreeSet::from([up])]);
}

#[test]
fn ciclo_figure_5_gives_the_dependencies_of_its_text() {
    let (catalogue, values) = catalogue("ciclo-figure-5.pml");
    let c1 = cycle_with(&catalogue, "Sender", "reset?again", "");
    let c2 = cycle_with(&catalogue, "Sender", "data!first", "");
    let c3 = cycle_with(&catalogue, "Sender", "data!second", "");
    let found = dependencies(&catalogue, &values, &Strategy::ALL);
    let neighbours: Vec<_> = found
        .iter()
        .filter(|d| d.cycle == c2 && matches!(d.cause, Cause::Neighbours { .. }))
        .map(|d| (d.rounds, d.on.clone()))
        .collect();
    assert_eq!(neighbours, vec![(Some(3), BTreeSet::from([c1, c3]))]);
    assert_eq!(by_condition(&found, c2, Strategy::Improved), vec![(Some(3), BTreeSet::from([c1]))]);
}

#[test]
fn alive_figure_2_every_five_rounds_of_c1_need_c3() {
    let (catalogue, values) = catalogue("alive-figure-2.pml");
    let c1 = cycle_with(&catalogue, "Counter", "out!msg1", "");
    let found = dependencies(&catalogue, &values, &Strategy::ALL);
    let next_door = by_condition(&found, c1, Strategy::NextDoor);
    assert_eq!(next_door.len(), 1);
    let (rounds, on) = &next_door[0];
    assert_eq!(*rounds, Some(5));
    for &cycle in on {
        let data = catalogue.cycle(cycle);
        let texts: Vec<&str> =
            data.arcs.iter().map(|&a| catalogue.arc(data.process, a).text.as_str()).collect();
        assert!(texts.contains(&"x = 1"), "only cycles that set x back: {texts:?}");
    }
}

#[test]
fn ciclo_figure_1_the_start_up_loop_cannot_go_on_for_ever() {
    let (catalogue, values) = catalogue("client-server.pml");
    let start_up = cycle_with(&catalogue, ":init:", "run client(i)", "");
    let found = dependencies(&catalogue, &values, &[Strategy::Improved]);
    let none: Vec<_> =
        found.iter().filter(|d| d.cycle == start_up && d.on.is_empty()).map(|d| d.rounds).collect();
    assert!(none.contains(&Some(2)), "{none:?}");
    let report = check(&catalogue, &values, Question::Boundedness, CheckLimits::default(), &|| false);
    assert_eq!(report.verdict, CycleVerdict::Holds);
}

#[test]
fn finer_strategies_never_find_more_on_any_of_our_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("models/ is there") {
        let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
        if !name.ends_with(".pml") {
            continue;
        }
        let system = model(&name);
        let progress = ProgressStatements::new(&system, &ProgressAt::Labels);
        let Ok((catalogue, values)) = Catalogue::new(&system, &progress, CycleLimits::default()) else {
            continue;
        };
        let found = dependencies(&catalogue, &values, &Strategy::ALL);
        assert_eq!(inclusions_broken(&catalogue, &found), Vec::<String>::new(), "{name}");
        let counts = DependencyCounts::of(&found);
        let [mc, nd, pc, improved] = counts.conditions.map(|c| c.size);
        assert!(improved <= pc && pc <= nd && nd <= mc, "{name}: {counts:?}");
        assert!(counts.fastened.size <= counts.senders.size, "{name}: {counts:?}");
        all.extend(found);
    }
    // Each strategy is strictly finer than the one before somewhere.
    let counts = DependencyCounts::of(&all);
    let [mc, nd, pc, improved] = counts.conditions.map(|c| c.size);
    assert!(mc > nd && nd >= pc && pc > improved, "{counts:?}");
}

#[test]
fn the_counts_of_conway_are_those_of_the_tables() {
    let (catalogue, values) = catalogue("conway.pml");
    let counts = DependencyCounts::of(&dependencies(&catalogue, &values, &Strategy::ALL));
    let count = |dependencies, size| Count { dependencies, size };
    assert_eq!(counts.neighbours, count(5, 9));
    assert_eq!(counts.conditions, [count(5, 9), count(5, 9), count(5, 9), count(5, 7)]);
    assert_eq!((counts.senders, counts.fastened), (count(9, 10), count(9, 10)));
}

fn catalogue_of(text: &str) -> (Catalogue, WorldValues) {
    let system = common::system_of(text);
    let progress = ProgressStatements::new(&system, &ProgressAt::Labels);
    Catalogue::new(&system, &progress, CycleLimits::default()).expect("it is small")
}

#[test]
fn else_is_the_negation_of_its_siblings() {
    let text = "chan c = [2] of { byte };\nactive proctype Generator() { byte i = 1;\n\
                do :: i > 50 -> break :: else -> if :: c!1 :: c!2 :: c!3 :: c!4 fi; i++ od }\n\
                active proctype Printer() { byte x; end: do :: c?x -> if :: x == 1 :: else fi od }\n";
    let (catalogue, values) = catalogue_of(text);
    let found = dependencies(&catalogue, &values, &[Strategy::Improved]);
    let first = cycle_with(&catalogue, "Generator", "c!1", "");
    assert_eq!(by_condition(&found, first, Strategy::Improved), vec![(Some(50), BTreeSet::new())]);
}

#[test]
fn else_beside_a_receive_promises_nothing_of_what_the_receive_asks_for() {
    // The loop ends when i is 3, although `else` also waits for c to be empty.
    let text = "chan c = [2] of { byte };\nchan d = [2] of { byte };\n\
                active proctype P() { byte i; do :: i == 3 -> break :: c?_ -> i++ :: else -> d!1; i++ od }\n\
                active proctype E() { c!1 }\n";
    let (catalogue, values) = catalogue_of(text);
    let found = dependencies(&catalogue, &values, &[Strategy::Preemptive]);
    let sends = cycle_with(&catalogue, "P", "d!1", "");
    let receives = cycle_with(&catalogue, "P", "c?_", "");
    let on: Vec<_> =
        by_condition(&found, sends, Strategy::Preemptive).into_iter().map(|(_, on)| on).collect();
    assert_eq!(on, vec![BTreeSet::from([receives])]);
}

/// The numbers of rounds after which the only cycle of a process ends.
fn rounds_of(text: &str) -> Vec<Option<u64>> {
    let (catalogue, values) = catalogue_of(text);
    let found = dependencies(&catalogue, &values, &[Strategy::Improved]);
    let of_it = found.iter().filter(|d| matches!(d.cause, Cause::Condition { .. }));
    of_it.map(|d| d.rounds).collect()
}

#[test]
fn two_variables_that_come_nearer_to_each_other_end_a_loop() {
    let nearer = |scalar: &str| {
        format!("active proctype P() {{ {scalar} x; {scalar} y = 200; do :: x < y -> x++; y-- od }}\n")
    };
    // 255 apart at the most, and two nearer in each round.
    assert_eq!(rounds_of(&nearer("byte")), [Some(128)]);
    assert_eq!(rounds_of(&nearer("int")).len(), 1);
    assert_eq!(rounds_of("active proctype P() { byte x; byte y; do :: !(y <= x) -> x--; y-- od }"), []);
}

#[test]
fn a_count_that_only_the_width_of_an_integer_gives_is_no_count() {
    let text = "chan c = [2] of { int };\nactive proctype P() { int x;\n\
                do :: x < 3 -> x++ :: c?x od }\nactive proctype Q() { int y; do :: c!y; y = y * 7 + 1 od }\n";
    let (catalogue, values) = catalogue_of(text);
    let counts = cycle_with(&catalogue, "P", "x++", "");
    let resets = cycle_with(&catalogue, "P", "c?x", "");
    let found = dependencies(&catalogue, &values, &[Strategy::Preemptive]);
    let expected = vec![(None, BTreeSet::from([resets]))];
    assert_eq!(
        by_condition(&found, counts, Strategy::Preemptive),
        expected,
        "it ends, but nobody knows when"
    );
}

#[test]
fn an_element_with_a_constant_index_is_a_variable_like_others() {
    let text = "active proctype P() { int a[3]; do :: a[1] < 30000 -> a[1] = a[1] + 1 od }";
    assert_eq!(rounds_of(text), [None]);
    let other = "active proctype P() { int a[3]; do :: a[1] < 30000 -> a[2] = a[2] + 1 od }";
    assert_eq!(rounds_of(other), []);
}

#[test]
fn a_copy_that_wraps_in_the_first_round_is_not_counted_on() {
    // x follows y ten ahead: from y == INT_MAX - 4 it begins far below 100.
    let text = "chan c = [2] of { int };\nactive proctype Q() { int z; do :: c!z; z = z * 7 + 1 od }\n\
                active proctype P() { int x; int y; do :: x < 100 -> x = y + 10; y = y + 1 :: c?y od }\n";
    let (catalogue, values) = catalogue_of(text);
    let counts = cycle_with(&catalogue, "P", "x = y + 10", "");
    let found = dependencies(&catalogue, &values, &[Strategy::Preemptive]);
    assert_eq!(by_condition(&found, counts, Strategy::Preemptive), vec![]);
}

fn types_of(text: &str, types: MessageTypes) -> Vec<String> {
    let system = common::system_of(text);
    let found = Catalogue::with_types(
        &system,
        &ProgressStatements::default(),
        CycleLimits::default(),
        types,
        &|| false,
    );
    found.expect("it is small").0.message_types.into_iter().map(|t| t.name).collect()
}

#[test]
fn message_types_are_coarse_fine_or_what_receives_tell_apart() {
    let text = "mtype = { req, rel };\nchan c = [4] of { mtype, byte };\n\
                active proctype S() { c!req,5; c!req,6; c!rel,5; c!rel,6 }\n\
                active proctype R() { byte x; do :: c?req,5 :: c?req,x :: c?rel,x od }\n";
    assert_eq!(types_of(text, MessageTypes::Coarse).len(), 2, "IBOC 3.1: channel and symbolic name");
    assert_eq!(types_of(text, MessageTypes::Fine).len(), 4, "IBOC 3.1: a product of what is asked for");
    let optimal = types_of(text, MessageTypes::Optimal);
    let expected: BTreeSet<&str> = BTreeSet::from(["c: req,5", "c: req,_", "c: rel,_"]);
    assert_eq!(optimal.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected, "Ciclo VI-A");
}

#[test]
fn constants_that_are_sent_are_types_wherever_they_are_passed_on_to() {
    let text = "mtype = { join, leave };\nchan a = [1] of { byte }; chan b = [1] of { byte }; chan d = [1] of { byte };\n\
                active proctype S() { do :: a!join :: a!leave od }\n\
                active proctype M() { byte t; do :: a?t -> b!t od }\n\
                active proctype R() { byte t, u; do :: b?t; if :: t == join -> u = t + 1; d!u :: t == leave fi od }\n\
                active proctype E() { byte t; do :: d?t od }\n";
    let sent = types_of(text, MessageTypes::Sent);
    // What is computed is any number.
    assert_eq!(sent, ["a: leave", "a: join", "b: leave", "b: join", "d: _"].map(with_numbers));
    assert_eq!(types_of(text, MessageTypes::Optimal).len(), 3, "no receive asks for one of them");
    let (catalogue, _) = catalogue_of(text);
    let joins = cycle_with(&catalogue, "R", "t == join", "");
    assert_eq!(catalogue.cycle(joins).effects.len(), 1, "it takes no leave");
    // One of each send, two of the medium, one of each condition on a name, one at the end.
    assert_eq!(catalogue.sizes.vectors, Some(2 + 2 + 2 + 1));
}

/// Fields of type byte show numbers.
fn with_numbers(name: &str) -> String {
    name.replace("join", "2").replace("leave", "1")
}

#[test]
fn what_is_waited_for_and_never_sent_is_a_type_too() {
    let text = "chan a = [1] of { byte };\nactive proctype P() { byte t; do :: a?t od }\n";
    assert_eq!(types_of(text, MessageTypes::Sent), ["a: _"]);
    assert_eq!(types_of(text, MessageTypes::Optimal), [""; 0]);
}

#[test]
fn a_neighbour_that_only_makes_the_condition_false_is_no_help() {
    let text = "chan c = [1] of { byte };\nactive proctype S() { do :: c!1 od }\n\
                active proctype P() { byte s = 1; do :: s == 2 -> s = 1 :: c?1 -> s = 3 :: s == 1 -> s = 2 :: s == 3 -> s = 1 od }\n";
    let (catalogue, values) = catalogue_of(text);
    let needs_two = cycle_with(&catalogue, "P", "s == 2", "");
    let sets_two = cycle_with(&catalogue, "P", "s = 2", "");
    let found = dependencies(&catalogue, &values, &[Strategy::Improved, Strategy::Preemptive]);
    let one = BTreeSet::from([sets_two]);
    assert_eq!(by_condition(&found, needs_two, Strategy::Improved), vec![(Some(1), one)]);
    assert_eq!(by_condition(&found, needs_two, Strategy::Preemptive)[0].1.len(), 3);
}

#[test]
fn what_makes_a_condition_false_helps_where_the_cycle_itself_makes_it_true_from_there() {
    // From x == 0 the cycle's own x++ leads back to its condition.
    let text =
        "active proctype P() { byte x = 1; do :: x == 1 -> again: if :: x++ :: x = 0; goto again fi od }";
    let (catalogue, values) = catalogue_of(text);
    let counts = cycle_with(&catalogue, "P", "x++", "");
    let resets = cycle_with(&catalogue, "P", "x = 0", "");
    let found = dependencies(&catalogue, &values, &[Strategy::Improved]);
    let (_, on) = &by_condition(&found, counts, Strategy::Improved)[0];
    assert!(on.contains(&resets), "{on:?}");
}

#[test]
fn ciclo_figure_4_what_is_received_is_what_is_sent_on() {
    let (catalogue, _) = catalogue("ciclo-figure-4.pml");
    let medium = cycle_with(&catalogue, "Medium", "m2c!msg", "");
    // An answer is forwarded as it is, although the medium receives both kinds alike.
    let effects = &catalogue.cycle(medium).effects;
    assert_eq!(effects.len(), 2, "{effects:?}");
    let taken: BTreeSet<_> = effects.iter().flatten().filter(|(_, n)| *n < 0).map(|(t, _)| *t).collect();
    assert_eq!(taken.len(), 2, "one takes an ack, the other a rej");
}

fn estimates_of(name: &str) -> Vec<(String, Option<u64>)> {
    let (catalogue, _) = catalogue(name);
    let estimates = estimates(&catalogue).expect("the processes are known");
    estimates.into_iter().map(|estimate| (estimate.buffer, estimate.at_most)).collect()
}

#[test]
fn buffers_are_estimated_as_the_papers_do() {
    let of = |buffer: &str, n| (buffer.to_string(), Some(n));
    // Ciclo IV-D has 3 for ts[0]; what it really holds is 2.
    assert_eq!(
        estimates_of("client-server.pml"),
        [of("ts[0]", 3), of("ts[1]", 3), of("tc[0]", 1), of("tc[1]", 1)]
    );
    // IBOC section 4: 20 and 6 by the tool, over statements; 18 and 6 by hand, over the larger steps of its figure 1.
    assert_eq!(estimates_of("two-proctype.pml"), [of("AB", 20), of("BA", 6)]);
}

#[test]
fn sizes_are_counted_by_proctype_as_it_is_written() {
    let (catalogue, _) = catalogue("two-proctype.pml");
    let sizes = catalogue.sizes;
    assert_eq!((sizes.proctypes, sizes.processes, sizes.states, sizes.transitions), (2, Some(2), 20, 21));
    let (catalogue, _) = catalogue_of(
        "chan c[4] = [1] of { byte };\nproctype P(byte i) { do :: c[i]!1 :: c[i]?1 :: i > 9 -> c[i]!2 od }\n\
         init { byte i; do :: i > 3 -> break :: else -> run P(i); i++ od }\n",
    );
    assert_eq!(catalogue.sizes.processes, Some(5));
    assert_eq!(
        catalogue.sizes.cycles,
        Some(4),
        "three of P, whatever the number of its processes, and one of init"
    );
    assert_eq!(catalogue.cycles.len(), 9, "two of each P, because i is never larger than 9, and one of init");
}

#[test]
fn processes_beyond_sixteen_keep_their_arguments() {
    let (catalogue, values) = catalogue_of(
        "chan c[40] = [1] of { byte };\n\
         proctype P(byte i) { c[i]?1; do :: c[i]!1; c[i]?1 od }\n\
         init { byte i; do :: i > 39 -> break :: else -> c[i]!1; run P(i); i++ od }\n",
    );
    assert_eq!(catalogue.processes.len(), 41);
    let report = check(&catalogue, &values, Question::Boundedness, CheckLimits::default(), &|| false);
    assert_eq!(report.verdict, CycleVerdict::Holds);
}

#[test]
fn replication_transitions_show_what_any_number_of_processes_do() {
    // IBOC, figures 8 to 10: processes without a loop flood C because there is no end of them.
    for name in ["iboc-figure-08.pml", "iboc-figure-09.pml", "iboc-figure-10.pml"] {
        let (catalogue, values) = catalogue(name);
        let report = check(&catalogue, &values, Question::Boundedness, CheckLimits::default(), &|| false);
        let CycleVerdict::Counterexample(cycles) = report.verdict else {
            panic!("{name}: {:?}", report.verdict)
        };
        let replicated = cycles.iter().any(|(id, _)| {
            let cycle = catalogue.cycle(*id);
            cycle.arcs.iter().any(|&arc| catalogue.arc(cycle.process, arc).replication)
        });
        assert!(replicated, "{name}: {cycles:?}");
        assert!(estimates(&catalogue).is_err(), "{name}");
    }
}

#[test]
fn what_each_of_endless_processes_sends_after_it_has_started_the_next_is_seen() {
    let (catalogue, values) =
        catalogue_of("chan c = [1] of { byte };\nactive proctype P() { run P(); c!1 }\n");
    let report = check(&catalogue, &values, Question::Boundedness, CheckLimits::default(), &|| false);
    assert!(matches!(report.verdict, CycleVerdict::Counterexample(_)), "{:?}", report.verdict);
}

#[test]
fn processes_that_are_started_for_ever_may_change_a_variable_for_ever_without_any_cycle() {
    let text = "byte x;\nproctype Q() { x = 1 }\nactive proctype P() { do :: x == 1 -> x = 0 od }\n\
                init { do :: run Q() od }\n";
    let system = common::system_of(text);
    let (catalogue, values) =
        Catalogue::new(&system, &ProgressStatements::default(), CycleLimits::default()).expect("it is small");
    let tests = cycle_with(&catalogue, "P", "x = 0", "");
    let found = dependencies(&catalogue, &values, &Strategy::ALL);
    let of_it: Vec<&Dependency> = found.iter().filter(|d| d.cycle == tests).collect();
    assert_eq!(of_it, Vec::<&Dependency>::new(), "Q sets x again and again");
}

#[test]
fn no_dependency_is_claimed_where_cycles_are_missing() {
    let system = model("conway.pml");
    let limits = CycleLimits { cycles: 3, ..CycleLimits::default() };
    let (catalogue, values) =
        Catalogue::new(&system, &ProgressStatements::default(), limits).expect("it is small");
    assert_eq!(catalogue.completeness, Completeness::TooManyCycles(3));
    assert_eq!(dependencies(&catalogue, &values, &Strategy::ALL), Vec::new());
}

/// All states with declared capacities, and the steps between them; `None` if there are too many.
fn state_graph(system: &System) -> Option<Vec<Vec<(system::interpreter::Step, usize)>>> {
    use system::interpreter::{Capacities, Interpreter};
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let initial = interpreter.initial_state().ok()?;
    let mut index = std::collections::HashMap::from([(initial.clone(), 0usize)]);
    let mut states = vec![initial];
    let mut graph: Vec<Vec<(system::interpreter::Step, usize)>> = Vec::new();
    let mut steps = Vec::new();
    while graph.len() < states.len() {
        let state = states[graph.len()].clone();
        interpreter.steps(&state, &mut steps).ok()?;
        let mut out = Vec::new();
        for &step in &steps {
            let mut next = state.clone();
            if interpreter.execute(&mut next, step, &(), &mut ()).is_err() {
                continue;
            }
            let target = *index.entry(next.clone()).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            });
            out.push((step, target));
        }
        graph.push(out);
        if states.len() > 30_000 {
            return None;
        }
    }
    Some(graph)
}

/// Whether some loop of the graph uses only steps that are allowed, and one that is wanted.
fn has_loop(
    graph: &[Vec<(system::interpreter::Step, usize)>],
    allowed: &dyn Fn(&system::interpreter::Step) -> bool,
    wanted: &dyn Fn(&system::interpreter::Step) -> bool,
) -> bool {
    let mut kept = petgraph::graph::DiGraph::<(), bool>::with_capacity(graph.len(), 0);
    let nodes: Vec<_> = graph.iter().map(|_| kept.add_node(())).collect();
    for (from, steps) in graph.iter().enumerate() {
        for (step, to) in steps.iter().filter(|(step, _)| allowed(step)) {
            kept.add_edge(nodes[from], nodes[*to], wanted(step));
        }
    }
    let mut part = vec![0; graph.len()];
    for (number, members) in petgraph::algo::tarjan_scc(&kept).into_iter().enumerate() {
        members.into_iter().for_each(|n| part[n.index()] = number);
    }
    kept.edge_indices().any(|e| {
        let (from, to) = kept.edge_endpoints(e).expect("the edge exists");
        kept[e] && part[from.index()] == part[to.index()]
    })
}

#[test]
fn no_run_of_a_small_model_repeats_a_cycle_for_ever_without_what_it_depends_on() {
    let names = [
        "dependencies-figure-1.pml",
        "dependencies-figure-2.pml",
        "dependencies-figure-3.pml",
        "dependencies-figure-5.pml",
        "dependencies-figure-6.pml",
        "ciclo-figure-4.pml",
        "ciclo-figure-5.pml",
        "alive-figure-2.pml",
        "alive-client-server-alternating.pml",
        "client-server.pml",
        "two-proctype.pml",
        "conway.pml",
        "train-controller.pml",
        "neilsen-mizuno.pml",
    ];
    let mut checked = 0;
    for name in names {
        let system = model(name);
        let Some(graph) = state_graph(&system) else { continue };
        let (catalogue, values) = catalogue(name);
        for dependency in dependencies(&catalogue, &values, &Strategy::ALL) {
            let cycle = catalogue.cycle(dependency.cycle);
            // Only where an automaton stands for one process can a step be told to belong to a cycle.
            let automaton = catalogue.processes[cycle.process].automaton;
            let same = catalogue.processes.iter().filter(|p| p.automaton == automaton).count();
            let started: u32 = system.model.proctypes[automaton.0 as usize].active;
            if same != 1 || started != 1 {
                continue;
            }
            let own: BTreeSet<u32> =
                cycle.arcs.iter().map(|&a| catalogue.arc(cycle.process, a).edge.0).collect();
            let mut forbidden: BTreeSet<(u32, u32)> = BTreeSet::new();
            for &other in &dependency.on {
                let data = catalogue.cycle(other);
                if data.process != cycle.process {
                    let edges = data.arcs.iter().map(|&a| catalogue.arc(data.process, a).edge.0);
                    forbidden.extend(edges.map(|e| (catalogue.processes[data.process].automaton.0, e)));
                }
            }
            // The pid of an active process is its place among the active ones.
            let pid_of = |automaton: u32| -> u32 {
                system.model.proctypes[..automaton as usize].iter().map(|p| p.active).sum()
            };
            let own_pid = pid_of(automaton.0);
            let automaton_of = |pid: u32| -> Option<u32> {
                (0..system.model.proctypes.len() as u32)
                    .find(|&a| system.model.proctypes[a as usize].active > 0 && pid_of(a) == pid)
            };
            let sides = |step: &system::interpreter::Step| {
                std::iter::once((step.process.0, step.edge.0))
                    .chain(step.partner.map(|p| (p.process.0, p.edge.0)))
                    .collect::<Vec<_>>()
            };
            let allowed = |step: &system::interpreter::Step| {
                sides(step).iter().all(|&(pid, edge)| {
                    if pid == own_pid {
                        own.contains(&edge)
                    } else {
                        automaton_of(pid).is_none_or(|a| !forbidden.contains(&(a, edge)))
                    }
                })
            };
            let wanted =
                |step: &system::interpreter::Step| sides(step).iter().any(|&(pid, _)| pid == own_pid);
            assert!(!has_loop(&graph, &allowed, &wanted), "{name}: {}", dependency.in_words(&catalogue));
            checked += 1;
        }
    }
    assert!(checked > 60, "only {checked} dependencies were checked");
}

#[test]
fn the_route_over_cycles_contradicts_no_header_of_our_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut decided = 0;
    for entry in std::fs::read_dir(folder).expect("models/ is there") {
        let path = entry.expect("readable").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with(".pml") || name.starts_with("perf-") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let system = model(&name);
        let progress = ProgressStatements::new(&system, &ProgressAt::Labels);
        let Ok((catalogue, values)) = Catalogue::new(&system, &progress, CycleLimits::default()) else {
            continue;
        };
        for (question, false_line) in [
            (Question::Boundedness, "expect: buffers VIOLATED"),
            (Question::Livelock, "expect: progress VIOLATED"),
        ] {
            let report = check(&catalogue, &values, question, CheckLimits::default(), &|| false);
            if report.verdict == CycleVerdict::Holds {
                assert!(!text.contains(false_line), "{name}: {question:?} is said to hold");
                decided += 1;
            }
        }
    }
    assert!(decided > 10, "only {decided} questions were decided");
}
