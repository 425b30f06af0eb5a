//! What directed searches stand on: one layout, one memory of steps for all their trees, and what packed states have in common.

use super::tree::{Reading, Scope, Tree, hash};
use crate::budget::{Account, Budget, MemoryEnds, bytes_of_small};
use crate::explore::expand::{Arrival, Expander, LayoutIsFull, Shared, Sink, lock};
use crate::explore::memo::RowMemory;
use crate::options::Limits;
use crate::packed::components::{Component, ComponentId, Components};
use crate::packed::layout::{Field, Layout, MOST_WORDS};
use crate::report::StopReason;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use system::automaton::{AutomatonId, EdgeId, System};
use system::clock::Instant;
use system::control::Control;
use system::interpreter::Step;
use system::state::{ChannelId, Pid, State};

/// A search on packed states that goes on under every layout.
pub trait Journey {
    /// What it ends with.
    type End;
    /// Its trees, to be packed anew.
    fn trees(&mut self) -> Vec<&mut Tree>;
    /// Goes on until it ends or the layout is too small.
    fn travel<const N: usize>(&mut self, ground: &mut Ground<'_, '_, N>) -> Result<Self::End, LayoutIsFull>;
}

/// Runs a journey under one layout after another until it ends, or until states are too large or too many to be packed anew. What goes over
/// belongs to the journey: with it the journey may be resumed.
pub fn run<J: Journey>(
    shared: &Shared<'_>,
    initial: &[u32],
    suspended: &mut Suspended,
    journey: &mut J,
) -> Result<J::End, StopReason> {
    loop {
        let layout = Layout::plan(&lock(&shared.knowledge).components).ok_or(StopReason::StateTooLarge)?;
        if let Some(old) = &suspended.layout {
            let repacked = journey.trees().into_iter().try_for_each(|tree| tree.repack(old, &layout));
            repacked.map_err(|MemoryEnds| {
                shared.budget.limit().map_or(StopReason::StateTooLarge, StopReason::Memory)
            })?;
        }
        suspended.layout = Some(layout.clone());
        let travelled = match layout.words() {
            1 => go_on::<J, 1>(shared, initial, layout, suspended, journey),
            2 => go_on::<J, 2>(shared, initial, layout, suspended, journey),
            4 => go_on::<J, 4>(shared, initial, layout, suspended, journey),
            16 => go_on::<J, 16>(shared, initial, layout, suspended, journey),
            _ => go_on::<J, MOST_WORDS>(shared, initial, layout, suspended, journey),
        };
        if let Ok(end) = travelled {
            return Ok(end);
        }
    }
}

fn go_on<J: Journey, const N: usize>(
    shared: &Shared<'_>,
    initial: &[u32],
    layout: Layout,
    suspended: &mut Suspended,
    journey: &mut J,
) -> Result<J::End, LayoutIsFull> {
    let mut ground = Ground::<N>::new(shared, layout.clone(), initial, std::mem::take(suspended));
    let travelled = journey.travel(&mut ground);
    *suspended = ground.into_suspended(layout);
    travelled
}

/// What outlives a layout.
#[derive(Default)]
pub struct Suspended {
    /// The layout of all trees.
    layout: Option<Layout>,
    memory: RowMemory,
    channels: Vec<ChannelNumbers>,
    roles: Roles,
    places: Vec<Vec<u64>>,
    problems: Problems,
}

/// What was met on the way that leads to no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Problems {
    /// The cause of the first error.
    pub error: Option<u32>,
    /// An `atomic` sequence may go round for ever.
    pub endless_atomic: bool,
}

/// Numbers for what processes are, the same for equal processes with different pids.
#[derive(Default)]
struct Roles {
    numbers: HashMap<Box<[i32]>, u32>,
    /// By pid and the number of its local state.
    of_pid: Vec<Vec<u32>>,
    bytes: usize,
    account: Option<Account>,
}

impl Roles {
    fn learn(&mut self, components: &Components, pid: Pid, budget: &Arc<Budget>) {
        let Some(component) = components.process(pid) else { return };
        let known = &mut self.of_pid[pid.0 as usize];
        for number in known.len() as u32..components.values(component) as u32 {
            let next = self.numbers.len() as u32;
            let value = components.value(component, number);
            known.push(*self.numbers.entry(value.into()).or_insert(next));
            if self.numbers.len() as u32 > next {
                // A place in a table that may just be copied to one of twice the size.
                const PLACE: usize = 3 * (size_of::<(Box<[i32]>, u32)>() + 1) * 8 / 7;
                self.bytes += PLACE + bytes_of_small(size_of_val(value));
            }
        }
        self.account.get_or_insert_with(|| Account::new(budget)).set(self.bytes);
    }
}

/// What the numbers of a channel's values mean.
#[derive(Clone, Debug, Default)]
struct ChannelNumbers {
    /// How many messages each value holds.
    messages: Vec<u32>,
    /// The number of the same channel without messages; 0 is not known yet.
    emptied: Vec<u32>,
}

/// A buffered channel in a packed state.
#[derive(Clone, Copy, Debug)]
pub struct ChannelField {
    /// Which channel.
    pub channel: ChannelId,
    component: ComponentId,
    field: Field,
}

/// A state that a move leads to.
#[derive(Clone, Copy, Debug)]
pub struct Found<const N: usize> {
    /// The state, without what is left out.
    pub state: [u64; N],
    /// Which move.
    pub ordinal: u32,
    /// The move makes no progress.
    pub repeatable: bool,
    /// A buffer that is left out has got messages.
    pub fills: bool,
}

/// Packed states under one layout.
pub struct Ground<'g, 's, const N: usize> {
    shared: &'g Shared<'s>,
    expander: Expander<'g, 's, N>,
    initial: [u64; N],
    channels: Vec<ChannelField>,
    numbers: Vec<ChannelNumbers>,
    /// Everything but what channels hold.
    control: [u64; N],
    /// Everything but channels, processes and how many there are.
    variables: [u64; N],
    arrivals: Arrivals<N>,
    roles: Roles,
    /// By pid and the number of its local state: where it stands, as a number of its own.
    places: Vec<Vec<u64>>,
    problems: Problems,
    /// What the last expansion led to.
    pub found: Vec<Found<N>>,
}

/// Moves of a state, and the first thing that is wrong with any.
#[derive(Default)]
struct Arrivals<const N: usize> {
    states: Vec<([u64; N], Arrival)>,
    problem: Option<u32>,
}

impl<const N: usize> Sink<N> for Arrivals<N> {
    const NEEDS_MARKS: bool = true;

    fn arrive(&mut self, state: [u64; N], arrival: Arrival) {
        self.states.push((state, arrival));
    }

    fn problem(&mut self, cause: u32, _arrival: Option<Arrival>) {
        self.problem.get_or_insert(cause);
    }
}

impl<'g, 's, const N: usize> Ground<'g, 's, N> {
    fn new(shared: &'g Shared<'s>, layout: Layout, initial: &[u32], suspended: Suspended) -> Self {
        let knowledge = lock(&shared.knowledge);
        let components = &knowledge.components;
        let channels = components.ids().filter_map(|component| match components.kind(component) {
            Component::Channel(channel) => {
                Some(ChannelField { channel, component, field: layout.field(component) })
            }
            _ => None,
        });
        // In the order of their numbers.
        let channels: Vec<ChannelField> = channels.collect();
        let (mut control, mut variables) = ([u64::MAX; N], [u64::MAX; N]);
        for (component, field) in layout.fields() {
            let of = components.kind(component);
            let word = field.word as usize;
            if matches!(of, Component::Channel(_)) {
                control[word] &= !field.mask();
            }
            if matches!(of, Component::Channel(_) | Component::Process(_) | Component::Shape) {
                variables[word] &= !field.mask();
            }
        }
        let initial =
            layout.pack(|component: ComponentId| initial.get(component.0 as usize).copied().unwrap_or(0));
        let Suspended { memory, channels: mut numbers, roles, places, problems, .. } = suspended;
        numbers.resize(channels.len(), ChannelNumbers::default());
        let expander = Expander::new(shared, layout, components, memory);
        drop(knowledge);
        let (arrivals, found) = (Arrivals::default(), Vec::new());
        Ground {
            shared,
            expander,
            initial,
            channels,
            numbers,
            control,
            variables,
            arrivals,
            roles,
            places,
            problems,
            found,
        }
    }

    fn into_suspended(self, layout: Layout) -> Suspended {
        Suspended {
            layout: Some(layout),
            problems: self.problems(),
            memory: self.expander.into_memory(),
            channels: self.numbers,
            roles: self.roles,
            places: self.places,
        }
    }

    /// The model.
    pub fn system(&self) -> &'s System {
        self.shared.interpreter.system()
    }

    /// What is known beside states.
    pub fn shared(&self) -> &'g Shared<'s> {
        self.shared
    }

    /// The first state.
    pub fn initial(&self) -> [u64; N] {
        self.initial
    }

    /// The buffers: channels that can hold messages.
    pub fn buffers(&self) -> Vec<ChannelId> {
        let knowledge = lock(&self.shared.knowledge);
        let model = &self.system().model;
        let is_buffer = |channel: &&ChannelField| {
            let values = 1..knowledge.components.values(channel.component) as u32;
            let mut values = values.map(|number| knowledge.components.value(channel.component, number));
            values.any(|value| model.channel_types[value[0] as usize].capacity > 0)
        };
        self.channels.iter().filter(is_buffer).map(|channel| channel.channel).collect()
    }

    /// The values of a state.
    pub fn decode(&mut self, state: &[u64; N]) -> &State {
        self.expander.decode(state)
    }

    /// What was met so far that leads to no state.
    pub fn problems(&self) -> Problems {
        Problems {
            error: self.problems.error.or(self.arrivals.problem),
            endless_atomic: self.problems.endless_atomic || self.expander.chain_came_back,
        }
    }

    /// Fills in [`Ground::found`] for a state.
    pub fn expand(&mut self, state: [u64; N], scope: &Scope) -> Result<(), LayoutIsFull> {
        self.found.clear();
        match &scope.along {
            None => self.arrive(&state, scope)?,
            Some(_) => self.with_log(state, scope)?,
        }
        let stands = scope.reading == Reading::ByState && self.expander.stands_at_progress(&state);
        for ordinal in 0..self.arrivals.states.len() {
            let (next, arrival) = self.arrivals.states[ordinal];
            if scope.along.as_ref().is_some_and(|along| !self.is_along(&state, arrival, along)) {
                continue;
            }
            let (next, fills) = self.without(&scope.left_out, next)?;
            let progress = match scope.reading {
                Reading::ByStatement => arrival.marks.progress,
                // No cycle goes through a state that no move leaves, so it is enough to look at the source.
                Reading::ByState => stands,
            };
            self.found.push(Found { state: next, ordinal: ordinal as u32, repeatable: !progress, fills });
        }
        Ok(())
    }

    /// The steps of a move of a state.
    pub fn steps(&mut self, state: [u64; N], scope: &Scope, ordinal: u32) -> Result<Vec<Step>, LayoutIsFull> {
        self.with_log(state, scope)?;
        let arrival = self.arrivals.states.get(ordinal as usize);
        Ok(arrival.map(|&(_, arrival)| self.expander.steps_to(arrival)).unwrap_or_default())
    }

    /// The buffers that are left out to which a move of a state sends.
    pub fn filled(
        &mut self,
        state: [u64; N],
        scope: &Scope,
        ordinal: u32,
    ) -> Result<Vec<ChannelId>, LayoutIsFull> {
        self.arrive(&state, scope)?;
        let Some(&(next, _)) = self.arrivals.states.get(ordinal as usize) else { return Ok(Vec::new()) };
        let left_out = scope.left_out.iter().copied();
        Ok(left_out.filter(|&channel| self.messages_of(&next, channel) > 0).collect())
    }

    /// Whether all statements of a move, whose steps are in the log, are among these.
    fn is_along(&self, state: &[u64; N], arrival: Arrival, along: &BTreeSet<(AutomatonId, EdgeId)>) -> bool {
        let knowledge = lock(&self.shared.knowledge);
        let is_meant = |pid: Pid, edge: EdgeId| {
            let number = self.expander.process_number(pid.0 as usize, state);
            let frame = knowledge
                .components
                .process(pid)
                .and_then(|component| knowledge.components.frame(component, number));
            frame.is_some_and(|(automaton, _)| along.contains(&(automaton, edge)))
        };
        let mut all = true;
        self.expander.visit_steps_back(arrival, &mut |step| {
            all &= is_meant(step.process, step.edge)
                && step.partner.is_none_or(|partner| is_meant(partner.process, partner.edge));
        });
        all
    }

    /// A state without what buffers hold, and whether they held something.
    pub fn without(
        &mut self,
        left_out: &BTreeSet<ChannelId>,
        mut state: [u64; N],
    ) -> Result<([u64; N], bool), LayoutIsFull> {
        let mut held = false;
        if left_out.is_empty() {
            return Ok((state, held));
        }
        for index in 0..self.channels.len() {
            let ChannelField { channel, field, component } = self.channels[index];
            let number = field.get(&state);
            if number == 0 || !left_out.contains(&channel) || self.messages(index, number) == 0 {
                continue;
            }
            held = true;
            let emptied = self.emptied(index, number);
            if !self.expander.layout().fits(component, emptied) {
                return Err(LayoutIsFull);
            }
            field.flip(&mut state, number ^ emptied);
        }
        Ok((state, held))
    }

    /// How many messages a channel holds.
    pub fn messages_of(&mut self, state: &[u64; N], channel: ChannelId) -> u32 {
        let index = channel.0 as usize;
        match self.channels.get(index) {
            Some(of) => self.messages(index, of.field.get(state)),
            None => 0,
        }
    }

    /// How many messages all channels hold together.
    pub fn all_messages(&mut self, state: &[u64; N]) -> u64 {
        (0..self.channels.len())
            .map(|index| u64::from(self.messages(index, self.channels[index].field.get(state))))
            .sum()
    }

    /// What two states with the same control and variables have in common.
    pub fn control(&self, state: &[u64; N]) -> [u64; N] {
        std::array::from_fn(|word| state[word] & self.control[word])
    }

    /// What two states with the same variables have in common, whoever lives.
    pub fn variables(&self, state: &[u64; N]) -> [u64; N] {
        std::array::from_fn(|word| state[word] & self.variables[word])
    }

    /// Where all processes of a state stand, whatever they know, as one number.
    pub fn places(&mut self, state: &[u64; N]) -> u64 {
        let mut all = 0u64;
        for pid in 0.. {
            let number = self.expander.process_number(pid, state) as usize;
            if number == 0 {
                return all;
            }
            if self.places.len() <= pid {
                self.places.resize(pid + 1, Vec::new());
            }
            if self.places[pid].len() <= number {
                self.learn_places(pid);
            }
            all = hash(&[all, self.places[pid][number]]) as u64;
        }
        all
    }

    #[cold]
    fn learn_places(&mut self, pid: usize) {
        let knowledge = lock(&self.shared.knowledge);
        let Some(component) = knowledge.components.process(Pid(pid as u32)) else { return };
        let known = &mut self.places[pid];
        for number in known.len() as u32..knowledge.components.values(component) as u32 {
            let place = knowledge.components.place(component, number);
            known.push(place.map_or(0, |(automaton, location)| {
                (u64::from(automaton.0) << 32 | u64::from(location.0)) + 1
            }));
        }
    }

    /// What differs between two states beside what channels hold, as one number.
    pub fn difference(&self, before: &[u64; N], after: &[u64; N]) -> u64 {
        let layout = self.expander.layout();
        let channels: BTreeSet<ComponentId> = self.channels.iter().map(|channel| channel.component).collect();
        let differs = |(component, field): &(ComponentId, Field)| {
            field.get(before) != field.get(after) && !channels.contains(component)
        };
        let fields = layout.fields().filter(differs);
        fields.fold(0, |all, (component, _)| hash(&[all, u64::from(component.0) + 1]) as u64)
    }

    /// The channels that hold more in the second of two states, if each other holds the same in both, or as much if that is enough.
    pub fn growth(
        &mut self,
        before: &[u64; N],
        after: &[u64; N],
        as_much_is_enough: bool,
        grown: &mut Vec<(ChannelId, u32)>,
    ) -> bool {
        grown.clear();
        for index in 0..self.channels.len() {
            let field = self.channels[index].field;
            let (old, new) = (field.get(before), field.get(after));
            if old == new {
                continue;
            }
            let (old, new) = (self.messages(index, old), self.messages(index, new));
            if new < old || (new == old && !as_much_is_enough) {
                return false;
            }
            if new == old {
                continue;
            }
            grown.push((self.channels[index].channel, new - old));
        }
        true
    }

    /// The processes of a state, each as a number that stands for where it is and what its variables are.
    pub fn processes(&mut self, state: &[u64; N], out: &mut Vec<u32>) {
        out.clear();
        for pid in 0.. {
            let number = self.expander.process_number(pid, state) as usize;
            if number == 0 {
                break;
            }
            if self.roles.of_pid.len() <= pid {
                self.roles.of_pid.resize(pid + 1, Vec::new());
            }
            if self.roles.of_pid[pid].len() <= number {
                let knowledge = lock(&self.shared.knowledge);
                self.roles.learn(&knowledge.components, Pid(pid as u32), &self.shared.budget);
            }
            out.push(self.roles.of_pid[pid][number]);
        }
        out.sort_unstable();
    }

    fn with_log(&mut self, state: [u64; N], scope: &Scope) -> Result<(), LayoutIsFull> {
        self.expander.keep_log = true;
        self.expander.log.clear();
        let arrived = self.arrive(&state, scope);
        self.expander.keep_log = false;
        arrived
    }

    fn arrive(&mut self, state: &[u64; N], scope: &Scope) -> Result<(), LayoutIsFull> {
        self.arrivals.states.clear();
        match &scope.moving {
            None => self.expander.expand_fully(state, &mut self.arrivals)?,
            Some(moving) => {
                self.expander.expand_some(state, |pid| moving.contains(&pid), &mut self.arrivals)?
            }
        };
        Ok(())
    }

    #[inline]
    fn messages(&mut self, index: usize, number: u32) -> u32 {
        if self.numbers[index].messages.len() <= number as usize {
            self.learn_messages(index);
        }
        self.numbers[index].messages[number as usize]
    }

    #[cold]
    fn learn_messages(&mut self, index: usize) {
        let knowledge = lock(&self.shared.knowledge);
        let component = self.channels[index].component;
        let system = self.shared.interpreter.system();
        let known = &mut self.numbers[index].messages;
        let values = known.len() as u32..knowledge.components.values(component) as u32;
        known.extend(values.map(|number| knowledge.components.messages(system, component, number)));
    }

    fn emptied(&mut self, index: usize, number: u32) -> u32 {
        let numbers = &mut self.numbers[index];
        if numbers.emptied.len() <= number as usize {
            numbers.emptied.resize(number as usize + 1, 0);
        }
        if numbers.emptied[number as usize] == 0 {
            let component = self.channels[index].component;
            numbers.emptied[number as usize] =
                lock(&self.shared.knowledge).components.emptied(component, number);
        }
        numbers.emptied[number as usize]
    }
}

/// Looks at the limits now and then.
pub struct Meter<'m> {
    limits: &'m Limits,
    budget: Arc<Budget>,
    control: &'m Control<'m>,
}

impl<'m> Meter<'m> {
    /// For these limits.
    pub fn new(limits: &'m Limits, budget: &Arc<Budget>, control: &'m Control<'m>) -> Meter<'m> {
        Meter { limits, budget: budget.clone(), control }
    }

    /// Whether the time or the memory is used up. Cheap enough to be asked every few hundred moves.
    pub fn exhausted(&self) -> Option<StopReason> {
        if self.control.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        let memory = self.budget.limit().filter(|_| self.budget.is_over()).map(StopReason::Memory);
        let late = || self.limits.deadline.filter(|&deadline| Instant::now() > deadline);
        memory.or_else(|| late().map(|_| StopReason::Deadline))
    }

    /// Whether any limit is met with so many states.
    pub fn over(&self, states: u64) -> Option<StopReason> {
        let too_many = self.limits.states.filter(|&limit| states > limit).map(StopReason::States);
        too_many.or_else(|| self.exhausted())
    }

    /// Whether there is no memory for so many bytes more, for a while.
    pub fn lacks(&self, bytes: usize) -> Option<StopReason> {
        self.budget.limit().filter(|_| !self.budget.allows(bytes)).map(StopReason::Memory)
    }
}
