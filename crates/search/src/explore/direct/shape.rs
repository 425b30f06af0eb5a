//! How the values of a state stand in words: each variable in the bits of its type, each channel with room for all of its messages.
//!
//! Which variables there are is the **shape** of a state: the types of its processes, the types and owners of its channels. Shapes are numbered as they are met, and
//! the lowest bits of the first word say which it is; so two states are the same if and only if their words are. No value is taken on trust: one that does not
//! come back out of its bits is told as [`Misfit`].

use std::collections::HashMap;
use system::automaton::AutomatonId;
use system::interpreter::{Interpreter, Touched};
use system::state::{Channel, ChannelId, Pid, Process, State};

use promela::model::{ChannelTypeId, Scalar};

/// A state cannot be written so: a value is not one of its type, or there are too many shapes, or one is too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Misfit;

/// The bits of a value.
#[derive(Clone, Copy, Debug)]
struct Place {
    word: u32,
    shift: u8,
    /// At least 1.
    width: u8,
    signed: bool,
}

/// What a bit belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Global(u32),
    Location(Pid),
    Local(Pid, u32),
    Channel(ChannelId),
}

#[derive(Debug)]
struct ProcessPlaces {
    location: Place,
    locals: Vec<Place>,
}

#[derive(Debug)]
struct ChannelPlaces {
    /// How many values its messages have together.
    length: Place,
    contents: Vec<Place>,
}

/// Where everything stands.
#[derive(Debug)]
pub(super) struct Shape {
    automata: Vec<AutomatonId>,
    channel_types: Vec<(ChannelTypeId, Option<Pid>)>,
    globals: Vec<Place>,
    processes: Vec<ProcessPlaces>,
    channels: Vec<ChannelPlaces>,
    items: Vec<(Item, Place)>,
    /// For each bit of a state its item.
    of_bits: Vec<[u16; 64]>,
    words: usize,
}

/// What tells shapes apart: the types of processes, and the types and owners of channels.
type Kind = (Vec<AutomatonId>, Vec<(ChannelTypeId, Option<Pid>)>);

/// All shapes that were met.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    list: Vec<Shape>,
    numbers: HashMap<Kind, u16>,
}

/// Bits of the first word that say which shape it is. A model with more shapes starts and ends processes all the time, which is not made in place.
const SHAPE_BITS: u32 = 6;
/// Words that a state may have.
const MOST_WORDS: usize = 1 << 9;

impl Shapes {
    /// The number of the shape of a state; true if it is a new one.
    pub fn number(&mut self, state: &State, interpreter: &Interpreter<'_>) -> Result<(u16, bool), Misfit> {
        let automata = state.processes.iter().map(|process| process.automaton).collect();
        let channels = state.channels.iter().map(|channel| (channel.channel_type, channel.owner)).collect();
        let key = (automata, channels);
        if let Some(&number) = self.numbers.get(&key) {
            return Ok((number, false));
        }
        let number = self.list.len();
        if number >> SHAPE_BITS != 0 {
            return Err(Misfit);
        }
        self.list.push(Shape::of(state, interpreter)?);
        self.numbers.insert(key, number as u16);
        Ok((number as u16, true))
    }

    /// The shape with a number.
    #[inline(always)]
    pub fn shape(&self, number: u16) -> &Shape {
        &self.list[usize::from(number)]
    }

    /// The number of the shape of a state that begins with a word.
    #[inline(always)]
    pub fn number_in(first: u64) -> u16 {
        (first & ((1 << SHAPE_BITS) - 1)) as u16
    }
}

impl Shape {
    fn of(state: &State, interpreter: &Interpreter<'_>) -> Result<Shape, Misfit> {
        let system = interpreter.system();
        let mut builder = Builder { items: Vec::new(), of_bits: vec![[0; 64]], used: SHAPE_BITS };
        let mut globals = Vec::new();
        for (slot, info) in system.global_slots.iter().enumerate() {
            globals.push(builder.value(Item::Global(slot as u32), info.scalar)?);
        }
        let mut processes = Vec::new();
        for (pid, process) in state.processes.iter().enumerate() {
            let automaton = system.automaton(process.automaton);
            let pid = Pid(pid as u32);
            let location =
                builder.place(Item::Location(pid), bits_below(automaton.locations.len()), false)?;
            let mut locals = Vec::new();
            for (slot, info) in automaton.slots.iter().enumerate().take(process.locals.len()) {
                locals.push(builder.value(Item::Local(pid, slot as u32), info.scalar)?);
            }
            if locals.len() != process.locals.len() {
                return Err(Misfit);
            }
            processes.push(ProcessPlaces { location, locals });
        }
        let mut channels = Vec::new();
        for (id, channel) in state.channels.iter().enumerate() {
            let item = Item::Channel(ChannelId(id as u32));
            let fields = &system.model.channel_types[channel.channel_type.0 as usize].fields;
            let capacity = interpreter.capacity(channel.channel_type).ok_or(Misfit)? as usize;
            // A message without fields takes a value as well.
            let values = capacity.saturating_mul(fields.len().max(1));
            if values > MOST_WORDS * 64 {
                return Err(Misfit);
            }
            let length = builder.place(item, bits_below(values + 1), false)?;
            let mut contents = Vec::new();
            for _ in 0..capacity {
                for field in fields {
                    contents.push(builder.value(item, field.scalar)?);
                }
                if fields.is_empty() {
                    contents.push(builder.value(item, Scalar::Int)?);
                }
            }
            channels.push(ChannelPlaces { length, contents });
        }
        Ok(Shape {
            automata: state.processes.iter().map(|process| process.automaton).collect(),
            channel_types: state
                .channels
                .iter()
                .map(|channel| (channel.channel_type, channel.owner))
                .collect(),
            globals,
            processes,
            channels,
            items: builder.items,
            words: builder.of_bits.len(),
            of_bits: builder.of_bits,
        })
    }

    /// How many words its states have.
    #[inline(always)]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The type of a process.
    #[inline(always)]
    pub fn automaton(&self, pid: Pid) -> AutomatonId {
        self.automata[pid.0 as usize]
    }

    /// Appends a state of this shape, which has this number.
    pub fn append(&self, number: u16, state: &State, out: &mut Vec<u64>) -> Result<(), Misfit> {
        let begin = out.len();
        out.resize(begin + self.words, 0);
        let words = &mut out[begin..];
        words[0] = u64::from(number);
        for (place, &value) in self.globals.iter().zip(&state.globals) {
            place.put(words, value)?;
        }
        for (places, process) in self.processes.iter().zip(&state.processes) {
            places.location.put(words, process.location.0 as i32)?;
            for (place, &value) in places.locals.iter().zip(&process.locals) {
                place.put(words, value)?;
            }
        }
        for (places, channel) in self.channels.iter().zip(&state.channels) {
            places.put(words, &channel.contents)?;
        }
        Ok(())
    }

    /// Writes what a process has touched.
    #[inline]
    pub fn put(&self, words: &mut [u64], touched: Touched, pid: Pid, state: &State) -> Result<(), Misfit> {
        match touched {
            Touched::Global(slot) => self.globals[slot as usize].put(words, state.globals[slot as usize]),
            Touched::Local(slot) => {
                let value = state.processes[pid.0 as usize].locals[slot as usize];
                self.processes[pid.0 as usize].locals[slot as usize].put(words, value)
            }
            Touched::Place => {
                let location = state.processes[pid.0 as usize].location;
                self.processes[pid.0 as usize].location.put(words, location.0 as i32)
            }
            Touched::Channel(id) => {
                self.channels[id.0 as usize].put(words, &state.channels[id.0 as usize].contents)
            }
        }
    }

    /// Makes `state`, whose words are `was`, the one whose words are `words`; both have this shape. Tells what differs.
    #[inline]
    pub fn read_changes(
        &self,
        was: &[u64],
        words: &[u64],
        state: &mut State,
        mut differs: impl FnMut(Item, i32, i32),
    ) {
        for (index, (&was, &word)) in was.iter().zip(words).enumerate() {
            let mut different = was ^ word;
            while different != 0 {
                let bit = different.trailing_zeros() as usize;
                let (item, place) = self.items[usize::from(self.of_bits[index][bit])];
                different &= !place.mask();
                self.read(item, place, words, state, &mut differs);
            }
        }
    }

    #[inline]
    fn read(
        &self,
        item: Item,
        place: Place,
        words: &[u64],
        state: &mut State,
        differs: &mut impl FnMut(Item, i32, i32),
    ) {
        match item {
            Item::Global(slot) => {
                let value = place.get(words);
                let was = std::mem::replace(&mut state.globals[slot as usize], value);
                differs(item, was, value);
            }
            Item::Location(pid) => {
                state.processes[pid.0 as usize].location.0 = place.get(words) as u32;
                differs(item, 0, 0);
            }
            Item::Local(pid, slot) => {
                let value = place.get(words);
                let was =
                    std::mem::replace(&mut state.processes[pid.0 as usize].locals[slot as usize], value);
                differs(item, was, value);
            }
            Item::Channel(id) => {
                self.channels[id.0 as usize].read(words, &mut state.channels[id.0 as usize].contents);
                differs(item, 0, 0);
            }
        }
    }

    /// Makes `state` the one whose words are `words`, which have this shape. What no shape says is as it was.
    pub fn read_all(&self, words: &[u64], state: &mut State) {
        for (place, value) in self.globals.iter().zip(&mut state.globals) {
            *value = place.get(words);
        }
        state.processes.clear();
        for (places, &automaton) in self.processes.iter().zip(&self.automata) {
            let location = system::automaton::LocationId(places.location.get(words) as u32);
            let locals = places.locals.iter().map(|place| place.get(words)).collect();
            state.processes.push(Process { automaton, location, locals, priority: 1 });
        }
        state.channels.clear();
        for (places, &(channel_type, owner)) in self.channels.iter().zip(&self.channel_types) {
            let mut contents = Vec::new();
            places.read(words, &mut contents);
            state.channels.push(Channel { channel_type, owner, contents });
        }
    }
}

impl ChannelPlaces {
    fn put(&self, words: &mut [u64], contents: &[i32]) -> Result<(), Misfit> {
        if contents.len() > self.contents.len() {
            return Err(Misfit);
        }
        self.length.put(words, contents.len() as i32)?;
        let values = contents.iter().copied().chain(std::iter::repeat(0));
        self.contents.iter().zip(values).try_for_each(|(place, value)| place.put(words, value))
    }

    fn read(&self, words: &[u64], contents: &mut Vec<i32>) {
        contents.clear();
        let length = self.length.get(words) as usize;
        contents.extend(self.contents[..length].iter().map(|place| place.get(words)));
    }
}

impl Place {
    #[inline(always)]
    fn of_bits(self, bits: u32) -> i32 {
        let above = 32 - u32::from(self.width);
        if self.signed { ((bits << above) as i32) >> above } else { ((bits << above) >> above) as i32 }
    }

    #[inline(always)]
    fn get(self, words: &[u64]) -> i32 {
        self.of_bits((words[self.word as usize] >> self.shift) as u32)
    }

    #[inline(always)]
    fn put(self, words: &mut [u64], value: i32) -> Result<(), Misfit> {
        let (word, mask) = (&mut words[self.word as usize], self.mask());
        *word = (*word & !mask) | ((u64::from(value as u32) << self.shift) & mask);
        if self.of_bits(value as u32) == value { Ok(()) } else { Err(Misfit) }
    }

    #[inline(always)]
    fn mask(self) -> u64 {
        (u64::MAX >> (64 - u32::from(self.width))) << self.shift
    }
}

/// Gives places away, one after another.
struct Builder {
    items: Vec<(Item, Place)>,
    of_bits: Vec<[u16; 64]>,
    /// Bits of the last word.
    used: u32,
}

impl Builder {
    fn value(&mut self, item: Item, scalar: Scalar) -> Result<Place, Misfit> {
        let (bits, signed) = match scalar {
            // Larger models have more channels than fit into the bits that SPIN gives them.
            Scalar::Chan => (16, false),
            other => other.bits(),
        };
        self.place(item, bits, signed)
    }

    fn place(&mut self, item: Item, bits: u32, signed: bool) -> Result<Place, Misfit> {
        let bits = bits.max(1);
        if self.used + bits > 64 {
            self.of_bits.push([0; 64]);
            self.used = 0;
        }
        let word = self.of_bits.len() - 1;
        let number = u16::try_from(self.items.len()).map_err(|_| Misfit)?;
        if word >= MOST_WORDS {
            return Err(Misfit);
        }
        let place = Place { word: word as u32, shift: self.used as u8, width: bits as u8, signed };
        self.of_bits[word][self.used as usize..(self.used + bits) as usize].fill(number);
        self.items.push((item, place));
        self.used += bits;
        Ok(place)
    }
}

/// Bits for so many different numbers.
fn bits_below(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::interpreter::Capacities;

    #[test]
    fn states_come_out_of_their_words_as_they_went_in_and_what_does_not_fit_is_told() {
        let text = "bit b; short s = -3; int i = -70000; byte a[9]; chan c = [2] of { short, bit };
            active proctype P() { int x = -1; byte y; c!-5, 1; a[8] = 255; y = 200; x = y; c?x, b; i = x + y; s = i }";
        let system = system::read_text(text).expect("a model");
        let interpreter = Interpreter::new(&system, Capacities::Declared);
        let mut state = interpreter.initial_state().expect("a state");
        let (mut shapes, mut read) = (Shapes::default(), state.clone());
        let (mut met, mut steps) = (0, Vec::new());
        let mut before: Vec<u64> = Vec::new();
        loop {
            let (number, is_new) = shapes.number(&state, &interpreter).expect("a shape");
            assert_eq!(is_new, number != 0 || met == 0);
            let (shape, mut words) = (shapes.shape(number), Vec::new());
            shape.append(number, &state, &mut words).expect("all values are of their types");
            assert_eq!((Shapes::number_in(words[0]), words.len()), (number, shape.words()));
            if before.len() == words.len() && Shapes::number_in(before[0]) == number {
                shape.read_changes(&before, &words, &mut read, |_, _, _| ());
                assert_eq!(read, state);
            }
            shape.read_all(&words, &mut read);
            assert_eq!(read, state);
            before = words;
            met += 1;
            interpreter.steps(&state, &mut steps).expect("steps");
            let Some(&step) = steps.first() else { break };
            interpreter.execute(&mut state, step, &(), &mut ()).expect("a step");
        }
        assert!(met > 7, "the process has gone its way: {met}");
        let (number, _) = shapes.number(&state, &interpreter).expect("a shape");
        state.globals[0] = 2;
        assert_eq!(shapes.shape(number).append(number, &state, &mut Vec::new()), Err(Misfit));
    }
}
