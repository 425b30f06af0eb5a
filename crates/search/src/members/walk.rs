//! Executions that lead to errors, by walking the levels of a log backwards.
//!
//! A state that was found in a level has a predecessor in the level before it: that level is expanded until the predecessors of all states
//! that are looked for were met. So every level is read once, whatever the number of errors, and executions are as short as they can be.

use super::log::{Chain, Log};
use super::share::Interruption;
use super::{Failure, FoundCause, Ground, number_in};
use crate::disk::{Successors, Trouble};
use crate::explore::breadth::{Found, FoundAt};
use crate::explore::expand::{Expander, LayoutIsFull, Way, lock};
use crate::explore::memo::RowMemory;
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::report::StopReason;
use system::clock::Instant;
use system::control::Control;

/// The errors with the ways to them.
pub fn ways(
    ground: &Ground<'_>,
    chain: &Chain,
    found: &[FoundCause],
    control: &Control<'_>,
) -> Result<Vec<Found>, Trouble> {
    let shared = &ground.shared;
    let (mut logs, causes) = {
        let mut knowledge = lock(&shared.knowledge);
        let logs = chain.logs(&mut knowledge.components)?;
        let causes: Vec<u32> = found.iter().map(|found| knowledge.number_of(found.cause.clone())).collect();
        (logs, causes)
    };
    let walk = Walk { ground, found, causes: &causes, control };
    loop {
        let layout = Layout::plan(&lock(&shared.knowledge).components);
        let Some(layout) = layout else { return Ok(walk.without_way(StopReason::StateTooLarge)) };
        let walked = match layout.words() {
            1 => walk.back::<1>(layout, &mut logs),
            2 => walk.back::<2>(layout, &mut logs),
            4 => walk.back::<4>(layout, &mut logs),
            16 => walk.back::<16>(layout, &mut logs),
            MOST_WORDS => walk.back::<MOST_WORDS>(layout, &mut logs),
            _ => return Ok(walk.without_way(StopReason::StateTooLarge)),
        };
        match walked {
            Ok(found) => return Ok(found),
            // There are more values than when it was planned.
            Err(Stop::LayoutIsFull) => {}
            Err(Stop::Trouble(trouble)) => return Err(trouble),
            Err(Stop::Reason(reason)) => return Ok(walk.without_way(reason)),
        }
    }
}

struct Walk<'w, 's> {
    ground: &'w Ground<'s>,
    found: &'w [FoundCause],
    causes: &'w [u32],
    control: &'w Control<'w>,
}

enum Stop {
    LayoutIsFull,
    Trouble(Trouble),
    Reason(StopReason),
}

impl Walk<'_, '_> {
    fn without_way(&self, reason: StopReason) -> Vec<Found> {
        self.with_places(|_| FoundAt::OutOfReach(reason))
    }

    fn with_places(&self, mut place: impl FnMut(usize) -> FoundAt) -> Vec<Found> {
        let each = self.found.iter().zip(self.causes).enumerate();
        each.map(|(index, (found, &cause))| {
            let place = place(index);
            Found { cause, count: found.count, depth: found.depth, place }
        })
        .collect()
    }

    fn is_over(&self) -> Result<(), Stop> {
        let deadline = self.ground.options.limits.deadline;
        match () {
            () if self.control.is_cancelled() => Err(Stop::Reason(StopReason::Cancelled)),
            () if deadline.is_some_and(|deadline| Instant::now() > deadline) => {
                Err(Stop::Reason(StopReason::Deadline))
            }
            () => Ok(()),
        }
    }

    fn back<const N: usize>(&self, layout: Layout, logs: &mut [Log]) -> Result<Vec<Found>, Stop> {
        let shared = &self.ground.shared;
        let mut expander = {
            let knowledge = lock(&shared.knowledge);
            Expander::<N>::new(shared, layout.clone(), &knowledge.components, RowMemory::default())
        };
        for log in logs.iter_mut() {
            log.forget_routes();
        }
        let mut successors = Successors::default();
        // By error: the states of its execution, the last one first, and which successor each of them is.
        let mut tracks: Vec<Vec<([u64; N], u32)>> = vec![Vec::new(); self.found.len()];
        let deepest = self.found.iter().map(|found| found.depth).max().unwrap_or(0);
        for depth in (0..=deepest).rev() {
            let mut left = self.found.iter().filter(|found| found.depth >= depth).count();
            // Which of them this level has given a state already.
            let mut done = vec![false; self.found.len()];
            for log in logs.iter_mut() {
                if left == 0 {
                    break;
                }
                let mut stop = None;
                let visited = log.for_each(depth..=depth, |_, numbering, words| {
                    numbering.aim(&layout, 0)?;
                    let state: [u64; N] = numbering.translate(words)?;
                    successors.clear();
                    let expanded = expander.expand_fully(&state, &mut successors);
                    stop = match expanded {
                        Err(LayoutIsFull) => Some(Stop::LayoutIsFull),
                        Ok(_) => self.is_over().err(),
                    };
                    for (index, track) in tracks.iter_mut().enumerate() {
                        if done[index] {
                            continue;
                        }
                        let ordinal = match track.last() {
                            Some((next, _)) => successors.states.iter().position(|state| state == next),
                            None if self.found[index].depth == depth => {
                                successors.problems.iter().position(|cause| *cause == self.causes[index])
                            }
                            None => None,
                        };
                        if let Some(ordinal) = ordinal {
                            track.push((state, ordinal as u32));
                            done[index] = true;
                            left -= 1;
                        }
                    }
                    Ok::<bool, Interruption>(left > 0 && stop.is_none())
                });
                match (visited, stop) {
                    (_, Some(stop)) => return Err(stop),
                    (Err(Failure::Disk(trouble)), _) => return Err(Stop::Trouble(trouble)),
                    (Err(_), _) => return Err(Stop::Reason(StopReason::TraceNotConfirmed)),
                    (Ok(_), None) => {}
                }
            }
        }
        let initial: [u64; N] = layout.pack(number_in(&self.ground.initial));
        Ok(self.with_places(|index| {
            let track = &tracks[index];
            let is_whole = track.len() as u64 == self.found[index].depth + 1
                && track.last().is_some_and(|(first, _)| *first == initial);
            match is_whole {
                // The ordinal of the last state is that of the error.
                true => FoundAt::Way(
                    track[1..].iter().rev().map(|&(_, ordinal)| (Way::ExpandFully, ordinal)).collect(),
                ),
                false => FoundAt::OutOfReach(StopReason::TraceNotConfirmed),
            }
        }))
    }
}
