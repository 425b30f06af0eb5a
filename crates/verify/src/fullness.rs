//! Whether buffers get as full as is proved: runs that go straight for it, and whether a search of all states could say more.
//!
//! A bound is tight if some run reaches it. A search of all states meets most such runs soon or never: where many processes can move at the same time
//! it never gets far. So there are walks at random, which do, and searches in which the fullest states come first, one for each buffer whose
//! bound nobody has reached. Where these are in vain, and there are more states than anybody searches for the sake of a figure, nobody waits.

use crate::board::Board;
use crate::facts::Facts;
use crate::rules;
use proofs::BufferName;
use search::{ChannelPeak, Limits, fullest};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use system::interpreter::{Capacities, Interpreter};
use system::simulate::Dice;
use system::state::{ChannelId, State};

/// Looks at a process, all told, for one walk or one search: what either costs grows with the number of processes.
const LOOKS: usize = 20_000;
const WALKS: u64 = 2;
/// So many buffers in a row that do not get fuller are the last ones that are looked at.
const IN_VAIN: usize = 3;
/// So many processes that can move at the same time have two to the power of this many states, at least, if they do not meddle with each other:
/// more than are searched while somebody waits for a figure.
const MANY_MOVERS: usize = 24;
/// How many times as long as until a first look a search of all states is left alone, where it may come to an end: the second look is so much
/// larger.
const LONGER: u32 = 8;
/// Bytes for a search.
const MEMORY: usize = 64 << 20;

/// Looks for runs that reach the bounds, once there are bounds.
pub fn look(board: &Board, memory: Option<usize>) {
    let is_closed = || board.closed().bounds.load(Ordering::Relaxed) || board.timed.is_over();
    let all_have_bounds = |facts: &Facts| {
        let has_bound = |buffer: &BufferName| facts.certified_bound(buffer).is_some();
        facts.buffers.is_some() && board.buffers(facts).iter().all(has_bound)
    };
    // Provers that have stopped find no more of them.
    board.wait_for(|facts| is_closed() || facts.bounds_stopped.is_some() || all_have_bounds(facts));
    let capacities = rules::searched_capacities(board.options.proof_capacities);
    let interpreter = Interpreter::new(&board.system, capacities);
    let Ok(initial) = interpreter.initial_state() else { return };
    if is_closed() || open(board).is_empty() {
        return;
    }
    let first_look = || board.wait_for(|facts| is_closed() || facts.seen.is_some());
    let may_be_many = board.system.code.starts_processes() || initial.processes.len() >= MANY_MOVERS;
    if !may_be_many {
        first_look();
    }
    let mut seen = Seen { peaks: BTreeMap::new(), movers: 0, processes: 1 };
    for number in 0..WALKS {
        seen.walk(&interpreter, initial.clone(), number, &is_closed);
        publish(board, capacities, &initial, &seen.peaks);
        // Where states are few, a first look at all of them says more, and a longer one everything.
        if number == 0 && seen.movers < MANY_MOVERS {
            first_look();
            let until = LONGER * board.elapsed();
            board.wait_for(|facts| is_closed() || facts.all_states_ended || board.elapsed() >= until);
        }
    }
    let states = (LOOKS / seen.processes).max(1) as u64;
    let memory = memory.map_or(MEMORY, |bytes| bytes.min(MEMORY));
    let mut in_vain = 0;
    for (channel, at_most, most_seen) in open(board) {
        if is_closed() || in_vain == IN_VAIN {
            break;
        }
        let limits = Limits { states: Some(states), memory: Some(memory), deadline: board.timed.deadline() };
        let control = search::Control::none().cancelled_by(&is_closed);
        let wanted = u32::try_from(at_most).unwrap_or(u32::MAX);
        // The error is that of a model without an initial state.
        let Ok(found) = fullest::find(&board.system, capacities, channel, wanted, &limits, &control) else {
            return;
        };
        publish(board, capacities, &initial, &BTreeMap::from([(channel.0, found.messages)]));
        in_vain = if u64::from(found.messages) > most_seen { 0 } else { in_vain + 1 };
    }
    if seen.movers >= MANY_MOVERS {
        board.update(|facts| facts.is_beyond_search = all_have_bounds(facts));
    }
}

/// Buffers whose bound nobody has reached, with the bound and the most that was seen.
fn open(board: &Board) -> Vec<(ChannelId, u64, u64)> {
    let facts = board.facts();
    let is_open = |buffer: BufferName| {
        let (bound, _) = facts.certified_bound(&buffer)?;
        let seen = facts.most_seen(&buffer).unwrap_or(0);
        (!bound.tight).then_some((ChannelId(buffer.channel?), bound.at_most, seen))
    };
    board.buffers(&facts).into_iter().filter_map(is_open).collect()
}

/// Tells of how full channels were seen that are there from the beginning.
fn publish(board: &Board, capacities: Capacities, initial: &State, peaks: &BTreeMap<u32, u32>) {
    let there = peaks.iter().filter_map(|(&channel, &peak)| {
        let channel_type = initial.channels.get(channel as usize)?.channel_type;
        Some(ChannelPeak { channel: ChannelId(channel), channel_type, peak })
    });
    let there: Vec<ChannelPeak> = there.collect();
    board.update(|facts| facts.add_peaks(capacities, &there));
}

/// What walks have seen.
struct Seen {
    /// The most messages in each channel that is there from the beginning.
    peaks: BTreeMap<u32, u32>,
    /// The most processes that could move at the same time.
    movers: usize,
    /// The most that there were.
    processes: usize,
}

impl Seen {
    /// Walks once, the same way every time.
    fn walk(
        &mut self,
        interpreter: &Interpreter<'_>,
        mut state: State,
        number: u64,
        is_closed: &dyn Fn() -> bool,
    ) {
        let types = &interpreter.system().model.channel_types;
        let there = state.channels.len();
        let mut dice = Dice::new(2 * number + 1);
        let mut steps = Vec::new();
        let mut looks = 0;
        while looks < LOOKS && !is_closed() {
            interpreter.steps_beside_errors(&state, &mut steps);
            looks += state.processes.len().max(1);
            self.processes = self.processes.max(state.processes.len());
            // They come process by process.
            let movers = steps.chunk_by(|one, other| one.process == other.process).count();
            self.movers = self.movers.max(movers);
            if steps.is_empty() {
                return;
            }
            let step = steps[dice.roll(steps.len())];
            if interpreter.execute(&mut state, step, &(), &mut ()).is_err() {
                return;
            }
            for (channel, held) in (0..).zip(&state.channels).take(there) {
                let fields = types[held.channel_type.0 as usize].fields.len().max(1);
                let messages = (held.contents.len() / fields) as u32;
                if messages > 0 {
                    let peak = self.peaks.entry(channel).or_default();
                    *peak = messages.max(*peak);
                }
            }
        }
    }
}
