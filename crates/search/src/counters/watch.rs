//! Any number of processes, of which one is watched.
//!
//! One process of each proctype of any number is kept with its local state, the others are a **crowd** of which only this is
//! kept: where the rest of the state is `g`, somebody in the crowd may do whatever a watched process could ever do there. It
//! is enough to know which `g` the crowd may lead to, so the number of states grows with the number of local states and not
//! with that of their multisets: this decides what counters cannot, such as many readers with many local states each.
//!
//! Why it covers every number (from one on): by symmetry any process may be the watched one. Suppose that for a reachable
//! state every choice of watched processes is covered. A step of process j is covered for choices with j as a step of
//! the watched one, and for the others as a step of the crowd, since the choice with j is covered and so its step was recorded
//! under `g`. Whether watched processes and individuals can move depends on `g` and themselves alone, as long as there is no rendezvous and
//! no `timeout`; models with these are refused. A state in which only the crowd could move may also be the end of a run.

use super::space::{Counted, CounterSpace, LocalState};
use crate::fair::explicit::{encode_process, encode_rest};
use crate::fair::interner::Writer;
use crate::fair::space::{Expansion, Move, Space, StateNumber};
use omega::{Letter, ProcessId, ProcessSet};
use std::collections::{BTreeMap, HashMap, HashSet};
use system::interpreter::RuntimeError;

/// States with one watched process of each proctype that is counted.
pub struct WatchSpace<'s> {
    inner: CounterSpace<'s>,
    /// For each shared part the counted states that have it.
    residents: HashMap<Vec<u8>, Vec<StateNumber>>,
    /// For each shared part, states of any watched processes that the crowd may lead to.
    crowd: HashMap<Vec<u8>, HashMap<Vec<u8>, Counted>>,
    own: HashMap<StateNumber, Expansion>,
}

impl<'s> WatchSpace<'s> {
    /// Explores everything that is reachable; `None` if there is more than `limit` states, or something in the model that the
    /// idea does not fit.
    pub fn new(mut inner: CounterSpace<'s>, limit: usize) -> Option<WatchSpace<'s>> {
        let model = &inner.interpreter.system().model;
        let has_rendezvous = model.channel_types.iter().any(|channel| channel.capacity == 0);
        if has_rendezvous || model.features.timeout || inner.asks_for_numbers() {
            return None;
        }
        let mut initial = inner.initial_counted().ok()?;
        initial.counts.values_mut().for_each(|count| *count = 1);
        let start = inner.number(&initial);
        let mut space =
            WatchSpace { inner, residents: HashMap::new(), crowd: HashMap::new(), own: HashMap::new() };
        let mut pending = vec![start];
        let mut seen: HashSet<StateNumber> = HashSet::from([start]);
        while let Some(number) = pending.pop() {
            if seen.len() > limit {
                return None;
            }
            let mut reached = space.meet(number)?;
            reached.retain(|&target| seen.insert(target));
            pending.extend(reached);
        }
        Some(space)
    }

    /// Expands a state by itself, lets the crowd profit from what its watched processes do, and gives the states that follow.
    fn meet(&mut self, number: StateNumber) -> Option<Vec<StateNumber>> {
        let state = self.inner.state(number);
        let shared = shared_part(&state);
        let own = self.inner.expand(number);
        let mut reached: Vec<StateNumber> = own.moves.iter().map(|step| step.target).collect();
        // What the crowd was known to do here, this one sees too.
        let known: Vec<Counted> =
            self.crowd.get(&shared).map_or(Vec::new(), |known| known.values().cloned().collect());
        for after in known {
            reached.push(self.beside(&state.counts, &after));
        }
        self.residents.entry(shared.clone()).or_default().push(number);
        for step in &own.moves {
            if !step.actors.iter().any(is_watched) {
                continue;
            }
            let after = self.inner.state(step.target);
            if after.counts.values().any(|&count| count != 1) || after.counts.len() != state.counts.len() {
                // Somebody was created.
                return None;
            }
            let target = shared_part(&after);
            let known = self.crowd.entry(shared.clone()).or_default();
            if known.contains_key(&target) {
                continue;
            }
            known.insert(target, after.clone());
            for resident in self.residents[&shared].clone() {
                let counts = self.inner.state(resident).counts;
                reached.push(self.beside(&counts, &after));
            }
        }
        self.own.insert(number, own);
        Some(reached)
    }

    /// The state with these watched processes and another's shared part.
    fn beside(&mut self, watched: &BTreeMap<LocalState, u32>, after: &Counted) -> StateNumber {
        let state = Counted { counts: watched.clone(), ..after.clone() };
        self.inner.number(&state)
    }
}

impl Space for WatchSpace<'_> {
    fn initial(&mut self) -> Result<Vec<StateNumber>, RuntimeError> {
        Ok(vec![StateNumber(0)])
    }

    fn expand(&mut self, number: StateNumber) -> Expansion {
        let mut expansion = self.own.get(&number).cloned().unwrap_or_default();
        let state = self.inner.state(number);
        let crowd: Vec<Counted> = self
            .crowd
            .get(&shared_part(&state))
            .map_or(Vec::new(), |known| known.values().cloned().collect());
        for after in crowd {
            let target = self.beside(&state.counts, &after);
            expansion.moves.push(Move {
                target,
                actors: ProcessSet::new(),
                changes: Vec::new(),
                letter: Letter::new(),
            });
        }
        expansion
    }

    fn states(&self) -> usize {
        self.inner.states()
    }

    fn memory(&self) -> usize {
        self.inner.memory() * 3
    }
}

/// Everything in a state but the watched processes.
fn shared_part(state: &Counted) -> Vec<u8> {
    let mut writer = Writer::default();
    state.shared.globals.iter().for_each(|&value| writer.signed(value));
    writer.unsigned(state.buried as u32);
    writer.unsigned(state.shared.processes.len() as u32);
    state.shared.processes.iter().for_each(|process| encode_process(process, &mut writer));
    encode_rest(&state.shared, &mut writer);
    writer.bytes
}

/// Watched processes have odd numbers among the actors, individuals even ones.
fn is_watched(actor: ProcessId) -> bool {
    actor.0 % 2 == 1
}
