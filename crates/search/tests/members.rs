//! Several members that search together find what one search finds, whatever happens on the way.

mod kit;

use kit::{LARGE_VALUES, MANY_THINGS, facts_by_levels, places_to_damage, read};
use search::members::{Failure, Ground, Member, Ownership, SharedFolder, report};
use search::{Control, ErrorPolicy, Outcome, SearchOptions, SearchReport, StopReason, explore};
use std::collections::VecDeque;
use std::path::Path;
use system::automaton::System;
use system::capacities::Capacities;

/// Buffers without a limit, and a channel for each process that is started.
const CHANNELS: &str = "
    chan d = [1] of { chan };
    proctype Client(byte n) { chan own = [1] of { byte }; d!own; own?n }
    active proctype Server() { chan c; do :: d?c -> c!7 od }
    init { atomic { run Client(1); run Client(2) }; run Client(3) }";

fn options(capacities: Capacities) -> SearchOptions {
    SearchOptions { errors: ErrorPolicy::All, capacities, ..SearchOptions::full() }
}

/// A search by members that take turns, up to a level or to the end. Parcels arrive late.
fn together(
    system: &System,
    options: &SearchOptions,
    members: usize,
    place: &Path,
    until: u64,
) -> Result<SearchReport, Failure> {
    let ground = Ground::new(system, options).expect("a first state");
    let question = ground.question();
    let folder = match place.join("cluster.json").exists() {
        true => SharedFolder::open(place, system.fingerprint(), &question)?,
        false => SharedFolder::create(place, system.fingerprint(), &question)?,
    };
    // Owners by a hash of everything and by a choice of components, in turn.
    let ownership = match members % 2 {
        0 => ground.ownership(members),
        _ => Ownership::by_hash(members),
    };
    let generation = folder.begin_generation(ownership)?;
    let before = folder.before(&generation)?;
    let grounds: Vec<Ground<'_>> =
        (0..members).map(|_| Ground::new(system, options).expect("a first state")).collect();
    let mut team = Vec::new();
    for (index, ground) in grounds.iter().enumerate() {
        let own = folder.place(generation.number, index);
        team.push(Member::new(ground, (index, &generation.ownership), &own, folder.key(), before.as_ref())?);
    }
    let mut complete = false;
    while !complete && team[0].depth() < until {
        let mut parcels = VecDeque::new();
        let mut is_busy = true;
        while is_busy || !parcels.is_empty() {
            is_busy = false;
            for (index, member) in team.iter_mut().enumerate() {
                is_busy |= member.expand(7)?;
                member.flush();
                parcels.extend(member.outgoing().map(|(to, parcel)| (index, to, parcel)));
            }
            for _ in 0..parcels.len().div_ceil(2) {
                let Some((from, to, parcel)) = parcels.pop_front() else { break };
                team[to].take(from, &parcel)?;
            }
        }
        complete = team.iter().map(|member| member.count().level).sum::<u64>() == 0;
        for member in team.iter_mut().filter(|_| !complete) {
            member.begin_next_level()?;
            if member.depth() % 3 == 0 {
                member.commit()?;
            }
        }
    }
    team.into_iter().try_for_each(|member| member.finish(complete))?;
    let chain = folder.chain(&generation)?.expect("it was committed");
    let stopped = (!complete).then_some(StopReason::Cancelled);
    Ok(report(&ground, &chain, stopped, &Control::none())?)
}

#[test]
fn any_number_of_members_finds_what_one_search_finds() {
    let unbounded = options(Capacities::Unbounded);
    let declared = options(Capacities::Declared);
    for (text, options) in [
        (MANY_THINGS, &declared),
        (LARGE_VALUES, &declared),
        (CHANNELS, &declared),
        (MANY_THINGS, &unbounded),
    ] {
        let system = read(text);
        let expected = explore(&system, options, &Control::none()).expect("a first state");
        assert_eq!(expected.outcome, Outcome::Complete);
        for members in [1, 2, 3, 5] {
            let folder = tempfile::tempdir().expect("a folder");
            let report = together(&system, options, members, folder.path(), u64::MAX).expect("no trouble");
            assert_eq!(facts_by_levels(&report), facts_by_levels(&expected), "{members} members, {text}");
        }
    }
}

#[test]
fn executions_are_as_short_as_those_of_one_search() {
    let system = read(MANY_THINGS);
    let shortest = SearchOptions { errors: ErrorPolicy::Shortest, ..SearchOptions::full() };
    let expected = explore(&system, &shortest, &Control::none()).expect("a first state");
    let folder = tempfile::tempdir().expect("a folder");
    let all = options(Capacities::Declared);
    let report = together(&system, &all, 3, folder.path(), u64::MAX).expect("no trouble");
    assert!(expected.errors.len() == 1 && report.errors.len() > 2);
    assert_eq!(report.errors[0].trace.steps.len(), expected.errors[0].trace.steps.len());
}

#[test]
fn others_go_on_where_a_generation_has_ended() {
    for text in [MANY_THINGS, LARGE_VALUES, CHANNELS] {
        let system = read(text);
        let options = options(Capacities::Declared);
        let expected = explore(&system, &options, &Control::none()).expect("a first state");
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path();
        for (members, until) in [(3, 4), (1, 5), (4, 11)] {
            let part = together(&system, &options, members, place, until).expect("no trouble");
            assert_eq!(part.outcome, Outcome::Stopped(StopReason::Cancelled));
        }
        let report = together(&system, &options, 2, place, u64::MAX).expect("no trouble");
        assert_eq!(facts_by_levels(&report), facts_by_levels(&expected), "{text}");
        // Once more, from the end.
        let report = together(&system, &options, 3, place, u64::MAX).expect("no trouble");
        assert_eq!(facts_by_levels(&report), facts_by_levels(&expected), "{text}");
    }
}

#[test]
fn a_commit_without_the_trailers_of_all_is_none() {
    let system = read(MANY_THINGS);
    let options = options(Capacities::Declared);
    let expected = explore(&system, &options, &Control::none()).expect("a first state");
    let folder = tempfile::tempdir().expect("a folder");
    together(&system, &options, 3, folder.path(), 20).expect("no trouble");
    let last = folder.path().join("g000001/m0001");
    let mut trailers: Vec<_> = std::fs::read_dir(&last)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    trailers.sort();
    std::fs::remove_file(trailers.last().expect("a trailer")).expect("removed");
    let report = together(&system, &options, 2, folder.path(), u64::MAX).expect("no trouble");
    assert_eq!(facts_by_levels(&report), facts_by_levels(&expected));
}

#[test]
fn a_log_that_was_cut_or_changed_never_leads_to_an_answer() {
    let system = read(MANY_THINGS);
    let options = options(Capacities::Declared);
    let expected = explore(&system, &options, &Control::none()).expect("a first state");
    let folder = tempfile::tempdir().expect("a folder");
    together(&system, &options, 2, folder.path(), 12).expect("no trouble");
    let mut files = Vec::new();
    for member in ["m0000", "m0001"] {
        let entries = std::fs::read_dir(folder.path().join("g000001").join(member)).expect("a folder");
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        let whole = std::fs::read(&file).expect("read");
        for place in places_to_damage(&whole) {
            for cut in [false, true] {
                let mut damaged = whole.clone();
                match cut {
                    true => damaged.truncate(place),
                    false => damaged[place] ^= 1 << (place % 8),
                }
                std::fs::write(&file, &damaged).expect("written");
                match together(&system, &options, 2, folder.path(), u64::MAX) {
                    Err(Failure::Disk(_)) => {}
                    Err(other) => panic!("{} at {place}: {other:?}", file.display()),
                    Ok(report) => {
                        assert_eq!(facts_by_levels(&report), facts_by_levels(&expected), "{}", file.display())
                    }
                }
                // What was begun on it goes with it.
                for generation in 2..20 {
                    let _ = std::fs::remove_dir_all(folder.path().join(format!("g{generation:06}")));
                }
            }
        }
        std::fs::write(&file, &whole).expect("written");
    }
}

#[test]
fn a_parcel_that_was_changed_anywhere_is_refused_and_its_sender_named() {
    let system = read(MANY_THINGS);
    let options = options(Capacities::Declared);
    let folder = tempfile::tempdir().expect("a folder");
    let ground = Ground::new(&system, &options).expect("a first state");
    let place = |index: usize| folder.path().join(index.to_string());
    let two = Ownership::by_hash(2);
    let mut senders: Vec<Member<'_, '_>> = (0..2)
        .map(|index| Member::new(&ground, (index, &two), &place(index), 7, None).expect("a member"))
        .collect();
    let mut parcel = Vec::new();
    for (index, sender) in senders.iter_mut().enumerate() {
        for _ in 0..3 {
            assert!(!sender.expand(usize::MAX).expect("room"));
            sender.flush();
            if let Some((_, bytes)) = sender.outgoing().next() {
                parcel = vec![(index, bytes)];
            }
            sender.begin_next_level().expect("room");
        }
    }
    let (from, parcel) = parcel.pop().expect("something was sent");
    let receiver = 1 - from;
    let other = Ground::new(&system, &options).expect("a first state");
    for place_of_change in (0..parcel.len()).chain([parcel.len()]) {
        let mut changed = parcel.clone();
        match changed.get_mut(place_of_change) {
            Some(byte) => *byte ^= 0x10,
            None => changed.truncate(place_of_change / 2),
        }
        let mut member = Member::new(&other, (receiver, &two), &place(9), 7, None).expect("a member");
        let Err(Failure::Garbled(garbled)) = member.take(from, &changed) else {
            panic!("changed at {place_of_change}")
        };
        assert_eq!(garbled.from, from);
    }
}
