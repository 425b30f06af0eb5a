//! Depth-first search: with reduction, or with bits instead of states.
//!
//! Of the moves of a state those of an ample set are followed (see [`crate::reduce`]), unless they all lead back to states of
//! the execution so far: then all moves are. So every cycle of the reduced graph has a state where nobody is put off.
//!
//! To judge which moves are enough costs several times what a move costs. A search that seldom finds less than all to be enough is given up, and
//! whoever asked for it does better without ([`DoesNotPay`]).
//!
//! When a component outgrows its field, everything is packed anew and the search goes on where it was.

use crate::budget::Account;
use crate::explore::breadth::{Explored, Found, FoundAt};
use crate::explore::expand::{
    Arrival, Direction, Expander, Expansion, LayoutIsFull, Shared, Sink, Way, lock,
};
use crate::explore::memo::RowMemory;
use crate::explore::scout::{LookAhead, scout};
use crate::explore::visited::{StateHasher, VisitedStates};
use crate::options::{BitState, ErrorPolicy, Limits};
use crate::packed::bit_table::BitTable;
use crate::packed::components::ComponentId;
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::packed::nodes::Nodes;
use crate::reduce::Reducer;
use crate::report::{BitStateFigures, Counts, StopReason};
use system::clock::Instant;
use system::control::{Control, Status};

/// Hardly any move is left out: all states are searched sooner than those that are enough.
pub struct DoesNotPay;

/// Explores a sufficient part of what is reachable from the initial state; with `bits`, as much as fits into them.
pub fn explore(
    shared: &Shared<'_>,
    initial: &[u32],
    policy: ErrorPolicy,
    limits: &Limits,
    control: &Control<'_>,
    bits: Option<BitState>,
) -> Result<Explored, DoesNotPay> {
    let run = Run { shared, policy, limits, control, started: Instant::now() };
    let table = bits.map(|bits| {
        let most = limits.memory.map_or(usize::MAX, |memory| memory / 2);
        BitTable::new(bits.bytes.min(most), bits.bits_per_state)
    });
    let mut suspended = Suspended::initial(initial, table);
    let mut ahead = LookAhead::default();
    loop {
        let layout = Layout::plan(&lock(&shared.knowledge).components);
        let outcome = match layout {
            None => {
                return Ok(Explored::nothing(StopReason::StateTooLarge));
            }
            Some(layout) => match layout.words() {
                1 => run.go::<1>(layout, suspended),
                2 => run.go::<2>(layout, suspended),
                4 => run.go::<4>(layout, suspended),
                16 => run.go::<16>(layout, suspended),
                _ => run.go::<MOST_WORDS>(layout, suspended),
            },
        };
        match outcome {
            Ok(explored) => return Ok(explored),
            Err(Interrupted::ByLayout(next)) => suspended = *next,
            Err(Interrupted::DoesNotPay) => return Err(DoesNotPay),
        }
        let moves = ahead.worth(suspended.figures.arrivals);
        suspended.memory = scout(shared, initial, moves, suspended.memory, (limits, control));
    }
}

/// States that are visited between two looks at the limits.
const A_WHILE: usize = 1024;
/// States after which it is judged whether leaving out moves pays,
const MANY: u64 = 1 << 12;
/// and in one of how many something must have been left out.
const SELDOM: u64 = 16;
/// A list that grows is copied into one of twice the size, and for a moment there are both.
const WHILE_GROWING: usize = 3;

struct Run<'r, 's> {
    shared: &'r Shared<'s>,
    policy: ErrorPolicy,
    limits: &'r Limits,
    control: &'r Control<'r>,
    started: Instant,
}

#[derive(Clone, Copy)]
struct Frame<const N: usize> {
    state: [u64; N],
    way: Way,
    /// Its moves that are still to be made, in the list of all moves.
    begin: usize,
    next: usize,
}

/// A move that is still to be made, and the how many-th of its state it is.
#[derive(Clone, Copy)]
struct Waiting<const N: usize> {
    state: [u64; N],
    ordinal: u32,
}

#[derive(Default)]
struct Moves<const N: usize> {
    /// Of all states of the execution so far, one after another.
    waiting: Vec<Waiting<N>>,
    /// Of the state that is being expanded.
    problems: Vec<u32>,
    arrived: u32,
}

impl<const N: usize> Sink<N> for Moves<N> {
    const NEEDS_MARKS: bool = false;

    fn arrive(&mut self, state: [u64; N], _arrival: Arrival) {
        self.waiting.push(Waiting { state, ordinal: self.arrived });
        self.arrived += 1;
    }

    fn problem(&mut self, cause: u32, _arrival: Option<Arrival>) {
        self.problems.push(cause);
    }
}

struct Search<'a, 's, const N: usize> {
    expander: Expander<'a, 's, N>,
    visited: VisitedStates<N>,
    stack: Vec<Frame<N>>,
    moves: Moves<N>,
    figures: Figures,
    /// Of the stack and the moves, and of a table of bits.
    account: Account,
}

/// What does not depend on the layout.
#[derive(Default)]
struct Figures {
    found: Vec<Found>,
    arrivals: u64,
    depth: usize,
    atomic_steps: u64,
    too_deep: u64,
    /// States of which not all moves were followed.
    reduced: u64,
}

/// Why a search under one layout ended before it was through.
enum Interrupted {
    ByLayout(Box<Suspended>),
    DoesNotPay,
}

/// A search between two layouts.
struct Suspended {
    states: Box<dyn StatesOfAnyWidth>,
    table: Option<BitTable>,
    frames: Vec<(Way, usize, usize)>,
    ordinals: Vec<u32>,
    figures: Figures,
    memory: RowMemory,
}

/// States in a layout that is about to be replaced.
trait StatesOfAnyWidth {
    /// Calls `visit` with the numbers of every state, and with where it belongs; in the order in which they lie there.
    fn for_each(self: Box<Self>, visit: &mut dyn FnMut(Place, &[u32]));
}

/// Where a state belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Stack,
    Waiting,
    Done,
    /// Visited, and to be expanded next.
    Pending,
}

struct InitialState(Vec<u32>);

struct OldStates<const N: usize> {
    layout: Layout,
    components: u32,
    stack: Vec<Frame<N>>,
    waiting: Vec<Waiting<N>>,
    /// All that were visited; nothing if bits are kept.
    done: Option<Nodes<N>>,
    pending: [u64; N],
    #[allow(dead_code, reason = "dropping it gives the bytes back")]
    account: Account,
}

impl Run<'_, '_> {
    /// Searches under one layout; if that is too small, gives back what there is.
    fn go<const N: usize>(&self, layout: Layout, suspended: Suspended) -> Result<Explored, Interrupted> {
        let (mut search, start) = self.settle::<N>(layout, suspended);
        let mut stopped = None;
        let mut since_check = 0;
        let mut room = self.room_for_stack(&search);
        let mut last_report = Instant::now();
        let mut entered = search.expand(start);
        let mut pending = start;
        while let Ok(()) = entered {
            let Some(frame) = search.stack.last_mut() else { break };
            if frame.next == search.moves.waiting.len() {
                search.leave();
                continue;
            }
            let next = search.moves.waiting[frame.next].state;
            frame.next += 1;
            search.figures.arrivals += 1;
            if search.visited.contains(&next) {
                continue;
            }
            if WHILE_GROWING * search.stack_bytes_used() > room {
                // Not visited either: there may be a shorter way to it.
                search.figures.too_deep += 1;
                continue;
            }
            search.visited.enter(&next);
            pending = next;
            entered = search.expand(next);
            since_check += 1;
            if since_check == A_WHILE || (!search.figures.found.is_empty() && self.policy != ErrorPolicy::All)
            {
                since_check = 0;
                room = self.room_for_stack(&search);
                let counts = self.counts(&search);
                if last_report.elapsed().as_millis() > 100 {
                    last_report = Instant::now();
                    self.report(&counts, search.stack.len());
                }
                stopped = self.reason_to_stop(&counts, &search.figures.found);
                if stopped.is_some() {
                    break;
                }
                if self.does_not_pay(&search) {
                    return Err(Interrupted::DoesNotPay);
                }
            }
        }
        if let Err(LayoutIsFull) = entered {
            // The execution so far is there twice while it is packed anew.
            if self.shared.budget.allows(2 * search.stack_bytes()) {
                return Err(Interrupted::ByLayout(Box::new(search.suspend(pending))));
            }
            stopped = self.shared.budget.limit().map(StopReason::Memory);
        }
        if self.policy != ErrorPolicy::All && !search.figures.found.is_empty() {
            stopped = Some(StopReason::Error);
        }
        let bit_state = match &search.visited {
            VisitedStates::Exact(_) => None,
            VisitedStates::Bits { table, .. } => Some(BitStateFigures {
                bytes: table.bytes(),
                bits_per_state: table.bits_per_hash(),
                fill: table.fill(),
                lost: table.lost(),
                too_deep: search.figures.too_deep,
            }),
        };
        if bit_state.is_some() {
            // Even if nothing was lost: nobody can know.
            stopped.get_or_insert(StopReason::BitState);
        }
        let counts = self.counts(&search);
        Ok(Explored { stopped, counts, found: search.figures.found, bit_state, digest: None })
    }

    /// Packs everything under a new layout. Also gives the state that is to be expanded next.
    fn settle<'a, const N: usize>(
        &'a self,
        layout: Layout,
        suspended: Suspended,
    ) -> (Search<'a, 'a, N>, [u64; N]) {
        let hasher = StateHasher::new(&layout);
        let mut visited = match suspended.table {
            None => VisitedStates::Exact(Nodes::new(&self.shared.budget)),
            Some(table) => {
                let on_stack = self.shared.reducer.is_some().then(Default::default);
                VisitedStates::Bits { table, hasher, on_stack }
            }
        };
        let mut frames = suspended.frames.into_iter();
        let mut ordinals = suspended.ordinals.into_iter();
        let mut stack = Vec::new();
        let mut waiting = Vec::new();
        let mut pending = [0; N];
        suspended.states.for_each(&mut |place, numbers| {
            let number = |component: ComponentId| numbers.get(component.0 as usize).copied().unwrap_or(0);
            let state = layout.pack::<N>(number);
            if let VisitedStates::Exact(states) = &mut visited {
                match place {
                    Place::Done => states.add_closed(&(state, 0)),
                    Place::Stack | Place::Pending => {
                        states.add(&(state, 0));
                    }
                    Place::Waiting => {}
                }
            }
            if let VisitedStates::Bits { on_stack: Some(on_stack), .. } = &mut visited
                && place != Place::Waiting
            {
                on_stack.insert(state);
            }
            match place {
                Place::Stack => {
                    stack.extend(frames.next().map(|(way, begin, next)| Frame { state, way, begin, next }));
                }
                Place::Waiting => waiting.extend(ordinals.next().map(|ordinal| Waiting { state, ordinal })),
                Place::Done => {}
                Place::Pending => pending = state,
            }
        });
        let expander = {
            let knowledge = lock(&self.shared.knowledge);
            let mut expander = Expander::new(self.shared, layout, &knowledge.components, suspended.memory);
            expander.atomic_steps = suspended.figures.atomic_steps;
            expander
        };
        if suspended.figures.arrivals == 0 {
            // The very first state; it is on the stack's side of a set of bits too.
            if let VisitedStates::Bits { table, hasher, .. } = &mut visited {
                table.add(hasher.hash(&pending));
            }
        }
        let mut figures = suspended.figures;
        figures.arrivals = figures.arrivals.max(1);
        let moves = Moves { waiting, ..Moves::default() };
        let account = Account::new(&self.shared.budget);
        (Search { expander, visited, stack, moves, figures, account }, pending)
    }

    /// Bytes that the execution so far may take before it is too long; only limited in searches that leave out states anyway.
    fn room_for_stack<const N: usize>(&self, search: &Search<'_, '_, N>) -> usize {
        let (VisitedStates::Bits { table, .. }, Some(limit)) = (&search.visited, self.shared.budget.limit())
        else {
            return usize::MAX;
        };
        let components = lock(&self.shared.knowledge).components.bytes();
        let steps = self.shared.budget_for_steps.max(search.expander.bytes());
        limit.saturating_sub(table.bytes() + steps + components)
    }

    /// Puts what grows by a little at a time on account.
    fn note_bytes<const N: usize>(&self, search: &Search<'_, '_, N>) {
        let bits = match &search.visited {
            VisitedStates::Exact(_) => 0,
            VisitedStates::Bits { table, .. } => table.bytes(),
        };
        search.account.set(search.stack_bytes() + bits);
    }

    fn counts<const N: usize>(&self, search: &Search<'_, '_, N>) -> Counts {
        let states = search.visited.len();
        let state_memory = search.visited.bytes();
        self.note_bytes(search);
        let knowledge = lock(&self.shared.knowledge);
        Counts {
            states,
            matched: search.figures.arrivals - states.min(search.figures.arrivals),
            atomic_steps: search.expander.atomic_steps,
            depth: search.figures.depth as u64,
            state_memory,
            memory: self.shared.budget.used(),
            computed_steps: knowledge.computed_steps,
            product_nodes: 0,
        }
    }

    /// Whether moves are to be left out and hardly any are. With bits instead of states memory is what counts.
    fn does_not_pay<const N: usize>(&self, search: &Search<'_, '_, N>) -> bool {
        let (states, reduced) = (search.visited.len(), search.figures.reduced);
        let is_exact = matches!(search.visited, VisitedStates::Exact(_));
        is_exact && self.shared.reducer.is_some() && states >= MANY && reduced < states / SELDOM
    }

    fn reason_to_stop(&self, counts: &Counts, found: &[Found]) -> Option<StopReason> {
        if self.policy != ErrorPolicy::All && !found.is_empty() {
            return Some(StopReason::Error);
        }
        // What was relied on does not hold: whoever asked for this search will ask again.
        if self.control.is_cancelled() || self.shared.reducer.as_ref().is_some_and(Reducer::is_broken) {
            return Some(StopReason::Cancelled);
        }
        if let Some(limit) = self.limits.states.filter(|&limit| counts.states > limit) {
            return Some(StopReason::States(limit));
        }
        if self.shared.budget.is_over() || self.control.memory_left() == Some(0) {
            return self.shared.budget.limit().map(StopReason::Memory);
        }
        self.limits.deadline.filter(|&deadline| Instant::now() > deadline).map(|_| StopReason::Deadline)
    }

    fn report(&self, counts: &Counts, waiting: usize) {
        self.control.report(Status {
            states: counts.states,
            transitions: counts.transitions(),
            depth: counts.depth,
            waiting: waiting as u64,
            memory: counts.memory,
            rate: counts.states as f64 / self.started.elapsed().as_secs_f64().max(1e-9),
            together: None,
        });
    }
}

impl<const N: usize> Search<'_, '_, N> {
    /// Goes to a state that was just visited for the first time. On an error all is as before.
    fn expand(&mut self, state: [u64; N]) -> Result<(), LayoutIsFull> {
        let begin = self.moves.waiting.len();
        let atomic_steps = self.expander.atomic_steps;
        self.moves.arrived = 0;
        let expanded = self.expand_enough(&state, begin, atomic_steps);
        let way = match expanded {
            Ok(way) => way,
            Err(full) => {
                self.moves.waiting.truncate(begin);
                self.moves.problems.clear();
                self.expander.atomic_steps = atomic_steps;
                return Err(full);
            }
        };
        self.forget_visited(begin);
        self.stack.push(Frame { state, way, begin, next: begin });
        self.figures.depth = self.figures.depth.max(self.stack.len() - 1);
        if !self.moves.problems.is_empty() {
            self.note_problems();
        }
        Ok(())
    }

    fn expand_enough(
        &mut self,
        state: &[u64; N],
        begin: usize,
        atomic_steps: u64,
    ) -> Result<Way, LayoutIsFull> {
        if self.expander.expand(state, &mut self.moves)? == Expansion::Reduced {
            let visited = &self.visited;
            if self.moves.waiting[begin..].iter().all(|next| visited.is_on_stack(&next.state)) {
                self.moves.waiting.truncate(begin);
                self.moves.problems.clear();
                self.moves.arrived = 0;
                self.expander.atomic_steps = atomic_steps;
                self.expander.expand_fully(state, &mut self.moves)?;
                return Ok(Way::ExpandFully);
            }
            self.figures.reduced += 1;
        }
        Ok(Way::Expand)
    }

    /// Moves to states that were visited need not wait.
    fn forget_visited(&mut self, begin: usize) {
        if let VisitedStates::Bits { table, hasher, .. } = &self.visited {
            self.moves.waiting[begin..].iter().for_each(|next| table.prefetch(hasher.hash(&next.state)));
        }
        let mut kept = begin;
        for index in begin..self.moves.waiting.len() {
            let next = self.moves.waiting[index];
            if !self.visited.contains(&next.state) {
                self.moves.waiting[kept] = next;
                kept += 1;
            }
        }
        self.figures.arrivals += (self.moves.waiting.len() - kept) as u64;
        self.moves.waiting.truncate(kept);
    }

    /// Bytes that the execution so far needs: it may be short after it was long.
    #[inline(always)]
    fn stack_bytes_used(&self) -> usize {
        let on_stack = match &self.visited {
            VisitedStates::Bits { on_stack: Some(on_stack), .. } => on_stack.len() * (8 * N + 1),
            _ => 0,
        };
        self.stack.len() * size_of::<Frame<N>>()
            + self.moves.waiting.len() * size_of::<Waiting<N>>()
            + on_stack
    }

    /// Bytes for the execution so far.
    #[inline(always)]
    fn stack_bytes(&self) -> usize {
        self.stack.capacity() * size_of::<Frame<N>>()
            + self.moves.waiting.capacity() * size_of::<Waiting<N>>()
            + self.visited.stack_bytes()
    }

    fn leave(&mut self) {
        if let Some(frame) = self.stack.pop() {
            self.moves.waiting.truncate(frame.begin);
            self.visited.leave(&frame.state);
        }
    }

    fn note_problems(&mut self) {
        for cause in std::mem::take(&mut self.moves.problems) {
            match self.figures.found.iter_mut().find(|group| group.cause == cause) {
                Some(group) => group.count += 1,
                None => {
                    let taken = &self.stack[..self.stack.len() - 1];
                    let directions: Vec<Direction> = taken
                        .iter()
                        .map(|frame| (frame.way, self.moves.waiting[frame.next - 1].ordinal))
                        .collect();
                    let depth = directions.len() as u64;
                    let place = FoundAt::Way(directions);
                    self.figures.found.push(Found { cause, count: 1, depth, place });
                }
            }
        }
    }

    /// Everything, to go on under another layout.
    fn suspend(self, pending: [u64; N]) -> Suspended {
        let layout = self.expander.layout().clone();
        let frames = self.stack.iter().map(|frame| (frame.way, frame.begin, frame.next)).collect();
        let ordinals = self.moves.waiting.iter().map(|waiting| waiting.ordinal).collect();
        let (table, done) = match self.visited {
            VisitedStates::Exact(states) => (None, Some(states)),
            VisitedStates::Bits { table, .. } => (Some(table), None),
        };
        let figures = Figures { atomic_steps: self.expander.atomic_steps, ..self.figures };
        let states = OldStates {
            components: layout.fields().count() as u32,
            layout,
            stack: self.stack,
            waiting: self.moves.waiting,
            done,
            pending,
            account: self.account,
        };
        let memory = self.expander.into_memory();
        Suspended { states: Box::new(states), table, frames, ordinals, figures, memory }
    }
}

impl Suspended {
    fn initial(initial: &[u32], table: Option<BitTable>) -> Suspended {
        Suspended {
            states: Box::new(InitialState(initial.to_vec())),
            table,
            frames: Vec::new(),
            ordinals: Vec::new(),
            figures: Figures::default(),
            memory: RowMemory::default(),
        }
    }
}

impl StatesOfAnyWidth for InitialState {
    fn for_each(self: Box<Self>, visit: &mut dyn FnMut(Place, &[u32])) {
        visit(Place::Pending, &self.0);
    }
}

impl<const N: usize> StatesOfAnyWidth for OldStates<N> {
    fn for_each(self: Box<Self>, visit: &mut dyn FnMut(Place, &[u32])) {
        let mut numbers = vec![0; self.components as usize];
        let mut give = |place: Place, state: &[u64; N]| {
            for (index, number) in numbers.iter_mut().enumerate() {
                *number = self.layout.number(state, ComponentId(index as u32));
            }
            visit(place, &numbers);
        };
        self.stack.iter().for_each(|frame| give(Place::Stack, &frame.state));
        self.waiting.iter().for_each(|waiting| give(Place::Waiting, &waiting.state));
        if let Some(done) = self.done {
            done.for_each_closed(|(state, _)| give(Place::Done, state));
        }
        give(Place::Pending, &self.pending);
    }
}
