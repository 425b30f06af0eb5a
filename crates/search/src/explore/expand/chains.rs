//! States inside of `atomic` sequences and merged moves, which are followed and not stored.

use super::sequences::MOST_LINKS;
use super::{Actors, Arrival, Expander, LONG_CHAIN, LayoutIsFull, NO_STEP, Sink, flip};
use crate::explore::memo::{LAST_OF_LIST, Lookup, Marks};
use foldhash::quality::FixedState;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use system::state::Pid;

/// A state inside a chain, which is not stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<const N: usize> {
    pub(super) state: [u64; N],
    /// Who has exclusive control; `None`: nobody, the state was left out by merging.
    pub(super) exclusive: Option<Pid>,
    pub(super) arrival: Arrival,
}

/// What tells states inside a chain apart: what comes after them depends on nothing else. And who has taken part, if whoever keeps the log asks for it:
/// for fairness it is not the same whether a rendezvous in the sequence was with the one or with the other.
type LinkKey<const N: usize> = ([u64; N], Option<Pid>, Marks, Actors);

/// The states of a chain that is long because it goes round, or because free choices multiply the ways through it. Each is followed
/// once.
#[derive(Default)]
struct LongChain<const N: usize> {
    onward: HashMap<LinkKey<N>, Vec<LinkKey<N>>, FixedState>,
}

impl<const N: usize> LongChain<N> {
    fn is_new(&mut self, link: LinkKey<N>) -> bool {
        match self.onward.entry(link) {
            Entry::Occupied(_) => false,
            Entry::Vacant(entry) => {
                entry.insert(Vec::new());
                true
            }
        }
    }

    fn note(&mut self, link: LinkKey<N>, next: Vec<LinkKey<N>>) {
        self.onward.insert(link, next);
    }

    /// Whether some state leads back to itself: whoever comes before a state is taken away with it, and only loops are left.
    fn comes_back(&self) -> bool {
        let mut before: HashMap<&LinkKey<N>, usize, FixedState> = HashMap::default();
        self.onward.values().flatten().for_each(|next| *before.entry(next).or_default() += 1);
        let mut free: Vec<_> = self.onward.keys().filter(|key| !before.contains_key(key)).collect();
        let mut left = self.onward.len();
        while let Some(key) = free.pop() {
            left -= 1;
            for next in self.onward.get(key).into_iter().flatten() {
                if let Some(count) = before.get_mut(next) {
                    *count -= 1;
                    if *count == 0 && self.onward.contains_key(next) {
                        free.push(next);
                    }
                }
            }
        }
        left > 0
    }
}

impl<const N: usize> Expander<'_, '_, N> {
    /// Goes on from the states inside chains until all have arrived.
    #[inline(never)]
    pub(super) fn follow_chains<S: Sink<N>>(&mut self, sink: &mut S) -> Result<(), LayoutIsFull> {
        let mut followed = 0;
        // Hardly any chain is long.
        let mut long: Option<LongChain<N>> = None;
        while let Some(link) = self.chain.pop() {
            followed += 1;
            let key = (followed > LONG_CHAIN).then(|| self.key(&link));
            if let Some(key) = &key
                && !long.get_or_insert_default().is_new(key.clone())
            {
                continue;
            }
            let waiting = self.chain.len();
            let outcome = match link.exclusive {
                None => self.settle(&link, sink),
                Some(pid) => self.go_on(&link, pid, &mut followed, sink),
            };
            if let Err(full) = outcome {
                self.chain.clear();
                return Err(full);
            }
            if let Some(key) = key {
                let next = self.chain[waiting..].iter().map(|next| self.key(next)).collect();
                long.get_or_insert_default().note(key, next);
            }
        }
        self.chain_came_back |= long.is_some_and(|long| long.comes_back());
        Ok(())
    }

    fn key(&self, link: &Link<N>) -> LinkKey<N> {
        let actors = if self.keep_log {
            self.log[link.arrival.before as usize].actors.clone()
        } else {
            Actors::default()
        };
        (link.state, link.exclusive, link.arrival.marks, actors)
    }

    /// Goes on inside of an `atomic` sequence: to its end, if the rest of it is remembered, or by a step.
    fn go_on<S: Sink<N>>(
        &mut self,
        link: &Link<N>,
        pid: Pid,
        followed: &mut usize,
        sink: &mut S,
    ) -> Result<(), LayoutIsFull> {
        if self.has_whole_sequences
            && !self.keep_log
            && *followed + MOST_LINKS <= LONG_CHAIN
            && let Some(rest) = self.rest_of_sequence(&link.state, pid, LONG_CHAIN + 1 - *followed)?
        {
            *followed += self.inside;
            self.atomic_steps += self.inside as u64;
            let Lookup::Moves(mut place) = rest else { return Ok(()) };
            loop {
                let step = *self.rows.at(place);
                let info = self.rows.info(step.info);
                *followed += info.inner as usize;
                self.special(flip(&link.state, &step.change), step.info, info, link.arrival, sink);
                if step.info & LAST_OF_LIST != 0 {
                    return Ok(());
                }
                place += 1;
            }
        }
        self.sample(&link.state, Some(pid));
        let number = self.process_fields[pid.0 as usize].get(&link.state);
        if !self.moves_of(&link.state, pid.0, number, false, link.arrival, sink)? {
            // Blocked: control is given up, and this is a state like any other.
            let before = self.before_last(link.arrival);
            sink.arrive(link.state, Arrival { before, ..link.arrival });
        }
        Ok(())
    }

    /// A state that was left out by merging: either merging goes on, or it is a state to be stored after all. Where a process
    /// has gone round a loop of its own a state is stored, so that merging ends, and at the same states wherever it began.
    pub(super) fn settle<S: Sink<N>>(&mut self, link: &Link<N>, sink: &mut S) -> Result<(), LayoutIsFull> {
        if !self.rows.info(link.arrival.last).closes_loop
            && let Some((_, _, place)) = self.ample_moves(&link.state)?
            && let Some((next, info)) = self.single_plain_move(&link.state, place)
        {
            let arrival = self.step_on(link.arrival, info);
            self.chain.push(Link { state: next, exclusive: None, arrival });
        } else {
            let before = self.before_last(link.arrival);
            sink.arrive(link.state, Arrival { before, ..link.arrival });
        }
        Ok(())
    }

    /// The arrival's last step is in the log already; the step before it is what the log says.
    pub(super) fn before_last(&self, arrival: Arrival) -> u32 {
        if self.keep_log { self.log[arrival.before as usize].before } else { NO_STEP }
    }
}
