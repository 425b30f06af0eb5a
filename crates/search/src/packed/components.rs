//! The components that a state is made of, each with a list of the values that it has taken.
//!
//! A statement looks at a few components of a state only: its own process, a channel, some globals. Each component's values are
//! numbered as they appear, and a state is one number for each component. Processes and channels that do not exist have number
//! 0, which is why creating one never changes the components of older states: they just have a component more, that is 0.

use crate::budget::{Account, Budget};
use crate::packed::numbered::{Numbered, is_same};
use std::sync::Arc;
use system::automaton::{AutomatonId, LocationId, System};
use system::interpreter::Touched;
use system::state::{Channel, ChannelId, Pid, Process, State};

use promela::model::ChannelTypeId;

/// Index of a component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ComponentId(pub u32);

/// What a component is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Component {
    /// How many processes and channels there are. It follows from the others, but a statement that only asks for the
    /// number need not look at all of them.
    Shape,
    /// `_last`.
    Last,
    /// Where the event trace stands.
    EventTrace,
    /// Some neighbouring slots of the global frame.
    Globals {
        /// The first slot.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A process: its type, location, priority and, unless it has components of its own, its frame.
    Process(Pid),
    /// Some neighbouring slots of the frame of a process while it has this type; number 0 where they are 0, and where it has not.
    Locals {
        /// Whose.
        pid: Pid,
        /// Its type.
        automaton: AutomatonId,
        /// The first slot.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A channel: its type, owner and contents.
    Channel(ChannelId),
}

/// The lists of values. Shared by all threads; touched only when something new is seen.
#[derive(Debug)]
pub struct Components {
    lists: Vec<ValueList>,
    of_process: Vec<ComponentId>,
    of_channel: Vec<ComponentId>,
    /// By slot.
    of_global: Vec<ComponentId>,
    /// By automaton: how its frame is divided; `None` where it is a part of the process.
    frames: Vec<Option<DividedFrame>>,
    /// By pid: the types with divided frames that it has had, and for each of them the components of its pieces.
    of_frame: Vec<Vec<(AutomatonId, Vec<ComponentId>)>>,
    template: State,
    /// For the value at hand.
    value: Vec<i32>,
    /// Bytes of values.
    bytes: usize,
    account: Account,
}

/// How a frame is divided into components.
#[derive(Clone, Debug)]
struct DividedFrame {
    /// First slot, how many, and where the array begins if it is an element of one.
    pieces: Vec<(u32, u32, Option<u32>)>,
    /// By slot: its piece.
    of_slot: Vec<u32>,
}

/// Whose frames are divided into components of their own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Divided {
    /// Nobody's: a process is one component.
    #[default]
    None,
    /// Those of these types.
    These(Vec<AutomatonId>),
    /// All.
    All,
}

/// Where a step can have changed something beside global variables, if there are as many processes and channels as before.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'w> {
    /// The processes that moved, the smaller number first; twice the same if there is one.
    pub processes: [Pid; 2],
    /// Channels in increasing order.
    pub channels: &'w [ChannelId],
}

/// Components that are likely to have as many values as each other: elements of an array, processes or channels of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// The array that begins at this slot.
    Array(u32),
    /// Processes.
    Process(AutomatonId),
    /// A variable of processes, by its first slot.
    Local(AutomatonId, u32),
    /// Channels.
    Channel(ChannelTypeId),
}

#[derive(Debug)]
struct ValueList {
    kind: Component,
    values: Numbered,
    /// The slot at which the array begins that it is an element of.
    array: Option<u32>,
    /// Its first value, which number 0 stands for where nothing is there as well, was met.
    has_met_first: bool,
    /// By small value, if values are single numbers: one more than its number, or 0.
    direct: Vec<u32>,
    /// What its lists take.
    bytes: usize,
    /// The first process that touched it: neighbours in a packed state should be used together.
    companion: Option<Pid>,
}

/// A state as values, together with the numbers that it was decoded from, so that the next one needs few changes.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The state; `exclusive` is always `None`.
    pub state: State,
    /// By component; components that are not listed are 0.
    pub numbers: Vec<u32>,
}

const SHAPE: ComponentId = ComponentId(0);
const LAST: ComponentId = ComponentId(1);
const EVENT_TRACE: ComponentId = ComponentId(2);
/// Numbers before the messages in the value of a channel: its type and its owner.
const CHANNEL_HEAD: usize = 2;
/// Numbers before the local variables in the value of a process: its type, location and priority.
const PROCESS_HEAD: usize = 3;
/// Values below this are looked up in a list.
const DIRECT_VALUES: usize = 256;
/// Global slots that are compared at once.
const EQUAL_RUN: usize = 16;
/// Arrays up to this many slots are split into their elements.
const SPLIT_UP_TO: u32 = 64;

impl Components {
    /// The components of the states of a system that starts in `initial`.
    pub fn new(system: &System, initial: &State, divided: &Divided, budget: &Arc<Budget>) -> Components {
        let frames = system.process_automata().map(|(id, _)| DividedFrame::of(system, id, divided));
        let mut components = Components {
            frames: frames.collect(),
            of_frame: Vec::new(),
            bytes: 0,
            account: Account::new(budget),
            lists: Vec::new(),
            of_process: Vec::new(),
            of_channel: Vec::new(),
            of_global: vec![SHAPE; initial.globals.len()],
            template: initial.clone(),
            value: Vec::new(),
        };
        components.template.exclusive = None;
        for component in [Component::Shape, Component::Last, Component::EventTrace] {
            components.add(component);
        }
        let many = system.global_slots.len() > 512;
        for variable in &system.model.globals {
            let split = variable.slots <= SPLIT_UP_TO && !many;
            let (pieces, count) = if split { (variable.slots, 1) } else { (1, variable.slots) };
            for piece in 0..pieces {
                let first = variable.slot + piece;
                let id = components.add(Component::Globals { first, count });
                components.lists[id.0 as usize].array = (pieces > 1).then_some(variable.slot);
                components.of_global[first as usize..(first + count) as usize].fill(id);
            }
        }
        let mut numbers = Vec::new();
        components.encode(initial, &mut numbers);
        components
    }

    /// How many components there are.
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// How many values a component has taken.
    pub fn values(&self, component: ComponentId) -> usize {
        self.lists[component.0 as usize].values.len()
    }

    /// What a component is.
    pub fn kind(&self, component: ComponentId) -> Component {
        self.lists[component.0 as usize].kind
    }

    /// A value of a component.
    pub fn value(&self, component: ComponentId, number: u32) -> &[i32] {
        self.lists[component.0 as usize].values.value(number)
    }

    /// The automaton and the frame that a value of a process stands for; `None` where there is no process.
    pub fn frame(&self, component: ComponentId, number: u32) -> Option<(AutomatonId, &[i32])> {
        let [automaton, _, _, locals @ ..] = self.value(component, number) else { return None };
        Some((AutomatonId(*automaton as u32), locals))
    }

    /// Whether frames of a type are divided.
    pub fn is_divided(&self, automaton: AutomatonId) -> bool {
        self.frame_of(automaton).is_some()
    }

    /// Whether any frames are divided.
    pub fn has_divided(&self) -> bool {
        self.frames.iter().any(Option::is_some)
    }

    /// Whether the value with a number was met; number 0 of a piece of a frame may only stand for nothing.
    pub fn was_met(&self, component: ComponentId, number: u32) -> bool {
        let list = &self.lists[component.0 as usize];
        number > 0 || !matches!(list.kind, Component::Locals { .. }) || list.has_met_first
    }

    /// The pieces of the frame of a process, of all types with divided frames that it has had.
    pub fn frame_pieces(&self, pid: Pid) -> impl Iterator<Item = ComponentId> + '_ {
        self.of_frame.get(pid.0 as usize).into_iter().flatten().flat_map(|(_, pieces)| pieces.iter().copied())
    }

    /// The pieces of the frame of a process while it has a type; none where the frame is not divided or it never had that type.
    pub fn pieces_of(&self, pid: Pid, automaton: AutomatonId) -> &[ComponentId] {
        let known = self.of_frame.get(pid.0 as usize).into_iter().flatten();
        known.into_iter().find(|(other, _)| *other == automaton).map_or(&[], |(_, pieces)| pieces)
    }

    /// The component of a slot of a process of a type; `None` where the frame is not divided.
    pub fn local(&self, pid: Pid, automaton: AutomatonId, slot: u32) -> Option<ComponentId> {
        let piece = *self.frame_of(automaton)?.of_slot.get(slot as usize)?;
        self.pieces_of(pid, automaton).get(piece as usize).copied()
    }

    fn frame_of(&self, automaton: AutomatonId) -> Option<&DividedFrame> {
        self.frames.get(automaton.0 as usize)?.as_ref()
    }

    /// Whether the process that a number stands for has the type of the process that is there.
    pub fn keeps_type(&self, component: ComponentId, number: u32, state: &State) -> bool {
        let Component::Process(pid) = self.kind(component) else { return true };
        let is_there = state.processes.get(pid.0 as usize).map(|process| process.automaton);
        self.place(component, number).map(|(automaton, _)| automaton) == is_there
    }

    /// Where the process stands that a value of a process stands for; `None` where there is no process.
    pub fn place(&self, component: ComponentId, number: u32) -> Option<(AutomatonId, LocationId)> {
        let [automaton, location, ..] = self.value(component, number) else { return None };
        Some((AutomatonId(*automaton as u32), LocationId(*location as u32)))
    }

    /// How many messages a value of a channel holds; 0 where there is no channel.
    pub fn messages(&self, system: &System, component: ComponentId, number: u32) -> u32 {
        let [channel_type, _, contents @ ..] = self.value(component, number) else { return 0 };
        let fields = system.model.channel_types[*channel_type as usize].fields.len().max(1);
        (contents.len() / fields) as u32
    }

    /// The number of a channel's value without its messages.
    pub fn emptied(&mut self, component: ComponentId, number: u32) -> u32 {
        let of_channel = self.value(component, number);
        let empty: Vec<i32> = of_channel.iter().take(CHANNEL_HEAD).copied().collect();
        self.number(component, &empty)
    }

    /// All components.
    pub fn ids(&self) -> impl Iterator<Item = ComponentId> + use<> {
        (0..self.lists.len() as u32).map(ComponentId)
    }

    /// The component of a process, if there ever was one with that pid.
    pub fn process(&self, pid: Pid) -> Option<ComponentId> {
        self.of_process.get(pid.0 as usize).copied()
    }

    /// The component of a channel, if there ever was one with that id.
    pub fn channel(&self, id: ChannelId) -> Option<ComponentId> {
        self.of_channel.get(id.0 as usize).copied()
    }

    /// The component of a global slot.
    pub fn global(&self, slot: u32) -> ComponentId {
        self.of_global[slot as usize]
    }

    /// The component that tells how many processes and channels there are.
    pub fn shape(&self) -> ComponentId {
        SHAPE
    }

    /// The component of `_last`.
    pub fn last(&self) -> ComponentId {
        LAST
    }

    /// The component of the event trace's location.
    pub fn event_trace(&self) -> ComponentId {
        EVENT_TRACE
    }

    /// How many process numbers were ever in use.
    pub fn process_slots(&self) -> usize {
        self.of_process.len()
    }

    /// Remembers that a process touches a component, unless another one was first.
    pub fn note_companion(&mut self, component: ComponentId, pid: Pid) {
        self.lists[component.0 as usize].companion.get_or_insert(pid);
    }

    /// By which components are sorted in a packed state: what one process uses lies together.
    pub fn neighbourhood(&self, component: ComponentId) -> (u32, u32) {
        let list = &self.lists[component.0 as usize];
        match (list.kind, list.companion) {
            (Component::Process(pid), _) => (pid.0 + 1, 0),
            (_, Some(pid)) => (pid.0 + 1, 1 + component.0),
            (_, None) => (0, component.0),
        }
    }

    /// Those that are likely to have as many values as a component; `None` if there are none.
    pub fn family(&self, component: ComponentId) -> Option<Family> {
        let list = &self.lists[component.0 as usize];
        let last = list.values.len().checked_sub(1).map(|last| list.values.value(last as u32));
        let newest = last.and_then(<[i32]>::first).map(|&first| first as u32);
        match list.kind {
            Component::Globals { .. } => list.array.map(Family::Array),
            Component::Locals { automaton, first, .. } => {
                Some(Family::Local(automaton, list.array.unwrap_or(first)))
            }
            Component::Process(_) => newest.map(|automaton| Family::Process(AutomatonId(automaton))),
            Component::Channel(_) => newest.map(|channel_type| Family::Channel(ChannelTypeId(channel_type))),
            Component::Shape | Component::Last | Component::EventTrace => None,
        }
    }

    /// Bytes of memory in use, together with what the next growth of each table takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The numbers of all components of a state.
    pub fn encode(&mut self, state: &State, numbers: &mut Vec<u32>) {
        let nothing = Decoded {
            state: State {
                globals: Vec::new(),
                processes: Vec::new(),
                channels: Vec::new(),
                ..self.template.clone()
            },
            numbers: Vec::new(),
        };
        let mut changes = Vec::new();
        self.changes(&nothing, state, None, &mut changes);
        numbers.clear();
        numbers.resize(self.len(), 0);
        for (component, number) in changes {
            numbers[component.0 as usize] = number;
        }
    }

    /// The components in which `after` differs from `before`, with their new numbers. New values and new components are added. With
    /// `reach` only there processes and channels are looked at.
    pub fn changes(
        &mut self,
        before: &Decoded,
        after: &State,
        reach: Option<Reach<'_>>,
        out: &mut Vec<(ComponentId, u32)>,
    ) {
        out.clear();
        let shape = |state: &State| [state.processes.len() as i32, state.channels.len() as i32];
        if before.numbers.is_empty() || shape(&before.state) != shape(after) {
            out.push((SHAPE, self.number(SHAPE, &shape(after))));
        }
        if before.numbers.is_empty() || before.state.last != after.last {
            out.push((LAST, self.number(LAST, &[after.last as i32])));
        }
        if before.numbers.is_empty() || before.state.event_trace != after.event_trace {
            out.push((
                EVENT_TRACE,
                self.number(EVENT_TRACE, &[after.event_trace.map_or(-1, |l| l.0 as i32)]),
            ));
        }
        let mut slot = 0;
        while slot < after.globals.len() {
            // Most are as they were.
            let run = slot..(slot + EQUAL_RUN).min(after.globals.len());
            if before.state.globals.get(run.clone()) == Some(&after.globals[run.clone()]) {
                slot = run.end;
                continue;
            }
            let id = self.of_global[slot];
            let Component::Globals { first, count } = self.kind(id) else { break };
            let range = first as usize..(first + count) as usize;
            let new = &after.globals[range.clone()];
            if !before.state.globals.get(range.clone()).is_some_and(|was| is_same(was, new)) {
                out.push((id, self.number(id, new)));
            }
            slot = range.end;
        }
        let is_as_large = |state: &State| shape(state) == shape(&before.state);
        match reach.filter(|_| is_as_large(after)) {
            Some(Reach { processes: [first, second], channels }) => {
                self.change_of_process(first.0 as usize, before, after, out);
                if second != first {
                    self.change_of_process(second.0 as usize, before, after, out);
                }
                for channel in channels {
                    self.change_of_channel(channel.0 as usize, before, after, out);
                }
            }
            None => {
                for index in 0..before.state.processes.len().max(after.processes.len()) {
                    self.change_of_process(index, before, after, out);
                }
                for index in 0..before.state.channels.len().max(after.channels.len()) {
                    self.change_of_channel(index, before, after, out);
                }
            }
        }
    }

    fn change_of_process(
        &mut self,
        index: usize,
        before: &Decoded,
        after: &State,
        out: &mut Vec<(ComponentId, u32)>,
    ) {
        let (was, process) = (before.state.processes.get(index), after.processes.get(index));
        if was == process {
            return;
        }
        let id = self.process_part(index);
        let divided = |components: &Self, process: Option<&Process>| {
            process.is_some_and(|process| components.is_divided(process.automaton))
        };
        if !divided(self, was) && !divided(self, process) {
            let number = process.map_or(0, |process| self.number_of_process(id, process));
            out.push((id, number));
            return;
        }
        let head = |process: &Process| (process.automaton, process.location, process.priority);
        if was.map(head) != process.map(head) {
            let number = process.map_or(0, |process| self.number_of_process(id, process));
            out.push((id, number));
        }
        let pid = Pid(index as u32);
        let was_of_type = was.filter(|was| process.is_some_and(|process| process.automaton == was.automaton));
        if let (Some(was), None) = (was, was_of_type) {
            // All of them, also those that are 0 this time: what is forgotten is written.
            out.extend(self.pieces_of(pid, was.automaton).iter().map(|&piece| (piece, 0)));
        }
        let Some(process) = process else { return };
        self.frame_part(pid, process.automaton);
        for piece in 0..self.pieces_of(pid, process.automaton).len() {
            let id = self.pieces_of(pid, process.automaton)[piece];
            let Component::Locals { first, count, .. } = self.kind(id) else { continue };
            let range = first as usize..(first + count) as usize;
            let new = &process.locals[range.clone()];
            if was_of_type.is_some_and(|was| is_same(&was.locals[range], new)) {
                continue;
            }
            let number = self.number_of_piece(id, new);
            if number > 0 || was_of_type.is_some() {
                out.push((id, number));
            }
        }
    }

    fn change_of_channel(
        &mut self,
        index: usize,
        before: &Decoded,
        after: &State,
        out: &mut Vec<(ComponentId, u32)>,
    ) {
        let channel = after.channels.get(index);
        if before.state.channels.get(index) != channel {
            let id = self.channel_part(index);
            out.push((
                id,
                channel.map_or(0, |channel| self.number_with(id, |out| channel_value(channel, out))),
            ));
        }
    }

    /// The component that something belongs to which a process changes; `None` where there is none.
    pub fn of_touched(&self, touched: Touched, pid: Pid, automaton: AutomatonId) -> Option<ComponentId> {
        match touched {
            Touched::Global(slot) => Some(self.global(slot)),
            Touched::Local(slot) => self.local(pid, automaton, slot).or_else(|| self.process(pid)),
            Touched::Place => self.process(pid),
            Touched::Channel(id) => self.channel(id),
        }
    }

    /// The number of what a component is after steps that have changed variables, places and contents of channels only, if it is another.
    pub fn number_if_changed(
        &mut self,
        component: ComponentId,
        before: &State,
        after: &State,
    ) -> Option<u32> {
        match self.kind(component) {
            Component::Globals { first, count } => {
                let range = first as usize..(first + count) as usize;
                let (was, new) = (&before.globals[range.clone()], &after.globals[range]);
                (!is_same(was, new)).then(|| self.number(component, new))
            }
            Component::Locals { pid, first, count, .. } => {
                let range = first as usize..(first + count) as usize;
                let index = pid.0 as usize;
                let (was, new) =
                    (&before.processes[index].locals[range.clone()], &after.processes[index].locals[range]);
                (!is_same(was, new)).then(|| self.number_of_piece(component, new))
            }
            Component::Process(pid) => {
                let process = &after.processes[pid.0 as usize];
                Some(self.number_of_process(component, process))
            }
            Component::Channel(id) => {
                let channel = &after.channels[id.0 as usize];
                Some(self.number_with(component, |out| channel_value(channel, out)))
            }
            Component::Shape | Component::Last | Component::EventTrace => None,
        }
    }

    fn number_of_process(&mut self, component: ComponentId, process: &Process) -> u32 {
        let is_divided = self.is_divided(process.automaton);
        self.number_with(component, |out| {
            process_value(process, out);
            out.truncate(if is_divided { PROCESS_HEAD } else { out.len() });
        })
    }

    fn number_of_piece(&mut self, component: ComponentId, value: &[i32]) -> u32 {
        let number = self.number(component, value);
        if number == 0 {
            self.lists[component.0 as usize].has_met_first = true;
        }
        number
    }

    /// The number of a value that is written down first.
    fn number_with(&mut self, component: ComponentId, write: impl FnOnce(&mut Vec<i32>)) -> u32 {
        let mut value = std::mem::take(&mut self.value);
        write(&mut value);
        let number = self.number(component, &value);
        self.value = value;
        number
    }

    /// A decoded state to start from.
    pub fn decoded(&self) -> Decoded {
        Decoded { state: self.template.clone(), numbers: Vec::new() }
    }

    /// Changes a decoded state to the one with these numbers.
    pub fn decode(&self, numbers: impl Fn(ComponentId) -> u32, decoded: &mut Decoded) {
        let shape_changed = decoded.numbers.is_empty() || decoded.numbers[SHAPE.0 as usize] != numbers(SHAPE);
        if shape_changed {
            decoded.numbers.clear();
            decoded.state.processes.clear();
            decoded.state.channels.clear();
        }
        decoded.numbers.resize(self.len(), 0);
        for index in 0..self.lists.len() {
            let number = numbers(ComponentId(index as u32));
            if decoded.numbers[index] == number && !shape_changed {
                continue;
            }
            decoded.numbers[index] = number;
            self.write(ComponentId(index as u32), number, &mut decoded.state);
        }
    }

    /// Gives a component of a state the value with a number.
    pub fn write(&self, component: ComponentId, number: u32, state: &mut State) {
        let list = &self.lists[component.0 as usize];
        let value = list.values.value(number);
        match list.kind {
            Component::Shape => {}
            Component::Last => state.last = value[0] as u32,
            Component::EventTrace => state.event_trace = u32::try_from(value[0]).ok().map(LocationId),
            Component::Globals { first, count: 1 } => state.globals[first as usize] = value[0],
            Component::Globals { first, count } => {
                state.globals[first as usize..(first + count) as usize].copy_from_slice(value);
            }
            Component::Process(_) if number == 0 => {}
            Component::Channel(_) if number == 0 => {}
            // Components are numbered by age and decoded in that order, so a list grows by one at a time.
            Component::Process(pid) => {
                let slots = self.frame_of(AutomatonId(value[0] as u32)).map(|frame| frame.of_slot.len());
                match (state.processes.get_mut(pid.0 as usize), slots) {
                    (Some(process), None) => write_process(value, process),
                    (Some(process), Some(slots)) => {
                        write_head(value, process);
                        process.locals.resize(slots, 0);
                    }
                    (None, slots) => {
                        let mut process = process_of(value);
                        process.locals.resize(slots.unwrap_or(process.locals.len()), 0);
                        state.processes.push(process);
                    }
                }
            }
            Component::Locals { pid, automaton, first, count } => {
                // Pieces of another type's frame, or of a process that is not there, are 0 and stand for nothing.
                let process = state.processes.get_mut(pid.0 as usize);
                if let Some(process) = process.filter(|process| process.automaton == automaton) {
                    match count {
                        1 => process.locals[first as usize] = value[0],
                        _ => process.locals[first as usize..(first + count) as usize].copy_from_slice(value),
                    }
                }
            }
            Component::Channel(id) => match state.channels.get_mut(id.0 as usize) {
                Some(channel) => write_channel(value, channel),
                None => state.channels.push(channel_of(value)),
            },
        }
    }

    /// Gives a value the number that it had in another search, if values come in the order of their numbers; the number.
    pub fn restore(&mut self, component: ComponentId, kind: Component, value: &[i32]) -> Option<u32> {
        self.intern(kind, value).filter(|(id, _)| *id == component).map(|(_, number)| number)
    }

    /// The component that is this, and the number of a value of it that somebody else has met; `None` where there is no such thing.
    pub fn intern(&mut self, kind: Component, value: &[i32]) -> Option<(ComponentId, u32)> {
        let (id, is_value) = match kind {
            // Younger ones come first only where something is wrong.
            Component::Process(pid) if pid.0 as usize <= self.of_process.len() => {
                (self.process_part(pid.0 as usize), value.is_empty() || value.len() >= PROCESS_HEAD)
            }
            Component::Channel(channel) if channel.0 as usize <= self.of_channel.len() => {
                (self.channel_part(channel.0 as usize), value.is_empty() || value.len() >= CHANNEL_HEAD)
            }
            Component::Process(_) | Component::Channel(_) | Component::Locals { .. } => return None,
            Component::Shape => (SHAPE, value.len() == 2),
            Component::Last => (LAST, value.len() == 1),
            Component::EventTrace => (EVENT_TRACE, value.len() == 1),
            Component::Globals { first, count } => {
                (*self.of_global.get(first as usize)?, value.len() == count as usize)
            }
        };
        (is_value && self.kind(id) == kind).then(|| (id, self.number(id, value)))
    }

    /// Knows from now on all values that another search of this system has met, unless that one divides frames.
    pub fn adopt(&mut self, other: &Components) {
        for id in other.ids().filter(|_| !other.has_divided()) {
            for number in 0..other.values(id) as u32 {
                self.intern(other.kind(id), other.value(id, number));
            }
        }
    }

    fn add(&mut self, component: Component) -> ComponentId {
        let id = ComponentId(self.lists.len() as u32);
        let length = match component {
            Component::Process(_) | Component::Channel(_) => None,
            Component::Shape => Some(2),
            Component::Last | Component::EventTrace => Some(1),
            Component::Globals { count, .. } | Component::Locals { count, .. } => Some(count as usize),
        };
        let list = ValueList {
            kind: component,
            values: Numbered::new(length),
            array: None,
            has_met_first: false,
            direct: Vec::new(),
            bytes: 0,
            companion: None,
        };
        self.lists.push(list);
        // What number 0 stands for where nothing is there.
        let nothing = match component {
            Component::Process(_) | Component::Channel(_) => Some(0),
            Component::Locals { count, .. } => Some(count as usize),
            Component::Shape | Component::Last | Component::EventTrace | Component::Globals { .. } => None,
        };
        if let Some(length) = nothing {
            let number = self.number(id, &vec![0; length]);
            debug_assert_eq!(number, 0, "it is the first");
        }
        id
    }

    /// Makes the components of the pieces of a process's frame, if it is divided.
    fn frame_part(&mut self, pid: Pid, automaton: AutomatonId) {
        if !self.is_divided(automaton) || !self.pieces_of(pid, automaton).is_empty() {
            return;
        }
        let Some(frame) = self.frame_of(automaton).cloned() else { return };
        let pieces = frame.pieces.iter().map(|&(first, count, array)| {
            let id = self.add(Component::Locals { pid, automaton, first, count });
            self.lists[id.0 as usize].array = array;
            id
        });
        let pieces = pieces.collect();
        if self.of_frame.len() <= pid.0 as usize {
            self.of_frame.resize_with(pid.0 as usize + 1, Vec::new);
        }
        self.of_frame[pid.0 as usize].push((automaton, pieces));
    }

    fn process_part(&mut self, index: usize) -> ComponentId {
        while self.of_process.len() <= index {
            let id = self.add(Component::Process(Pid(self.of_process.len() as u32)));
            self.of_process.push(id);
        }
        self.of_process[index]
    }

    fn channel_part(&mut self, index: usize) -> ComponentId {
        while self.of_channel.len() <= index {
            let id = self.add(Component::Channel(ChannelId(self.of_channel.len() as u32)));
            self.of_channel.push(id);
        }
        self.of_channel[index]
    }

    fn number(&mut self, component: ComponentId, value: &[i32]) -> u32 {
        let list = &mut self.lists[component.0 as usize];
        let small = match *value {
            [value] => usize::try_from(value).ok().filter(|&value| value < DIRECT_VALUES),
            _ => None,
        };
        if let Some(&known @ 1..) = small.and_then(|value| list.direct.get(value)) {
            return known - 1;
        }
        let known = list.values.len();
        let number = list.values.number(value);
        if number as usize >= known {
            if let Some(small) = small {
                list.direct.resize(list.direct.len().max(small + 1), 0);
                list.direct[small] = number + 1;
            }
            let bytes = list.values.bytes() + list.direct.capacity() * size_of::<u32>();
            self.bytes += bytes - std::mem::replace(&mut list.bytes, bytes);
            self.account.set(self.bytes);
        }
        number
    }
}

impl DividedFrame {
    /// Of a type, if it is one of these and has variables: a piece for each of them, and for each element of an array.
    fn of(system: &System, id: AutomatonId, divided: &Divided) -> Option<DividedFrame> {
        let is_wanted = match divided {
            Divided::None => false,
            Divided::These(these) => these.contains(&id),
            Divided::All => true,
        };
        let proctype = system.model.proctypes.get(id.0 as usize)?;
        if !is_wanted || proctype.slots == 0 {
            return None;
        }
        let mut frame = DividedFrame { pieces: Vec::new(), of_slot: vec![u32::MAX; proctype.slots as usize] };
        let mut variables: Vec<_> = proctype.locals.iter().collect();
        variables.sort_by_key(|variable| variable.slot);
        for variable in variables {
            let is_split = variable.slots <= SPLIT_UP_TO;
            let (pieces, count) = if is_split { (variable.slots, 1) } else { (1, variable.slots) };
            for piece in 0..pieces {
                let first = variable.slot + piece;
                let slots = frame.of_slot.get_mut(first as usize..(first + count) as usize)?;
                slots.fill(frame.pieces.len() as u32);
                frame.pieces.push((first, count, (pieces > 1).then_some(variable.slot)));
            }
        }
        frame.of_slot.iter().all(|&piece| piece != u32::MAX).then_some(frame)
    }
}

fn process_value(process: &Process, value: &mut Vec<i32>) {
    value.clear();
    value.extend([process.automaton.0 as i32, process.location.0 as i32, process.priority]);
    value.extend_from_slice(&process.locals);
}

fn process_of(value: &[i32]) -> Process {
    let (automaton, location) = (AutomatonId(0), LocationId(0));
    let mut process = Process { automaton, location, priority: 0, locals: Vec::new() };
    write_process(value, &mut process);
    process
}

fn write_head(value: &[i32], process: &mut Process) {
    process.automaton = AutomatonId(value[0] as u32);
    process.location = LocationId(value[1] as u32);
    process.priority = value[2];
}

fn write_process(value: &[i32], process: &mut Process) {
    write_head(value, process);
    process.locals.clear();
    process.locals.extend_from_slice(&value[3..]);
}

fn channel_value(channel: &Channel, value: &mut Vec<i32>) {
    value.clear();
    value.extend([channel.channel_type.0 as i32, channel.owner.map_or(-1, |pid| pid.0 as i32)]);
    value.extend_from_slice(&channel.contents);
}

fn channel_of(value: &[i32]) -> Channel {
    let mut channel = Channel { channel_type: ChannelTypeId(0), owner: None, contents: Vec::new() };
    write_channel(value, &mut channel);
    channel
}

fn write_channel(value: &[i32], channel: &mut Channel) {
    channel.channel_type = ChannelTypeId(value[0] as u32);
    channel.owner = u32::try_from(value[1]).ok().map(Pid);
    channel.contents.clear();
    channel.contents.extend_from_slice(&value[CHANNEL_HEAD..]);
}
