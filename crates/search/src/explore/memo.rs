//! Remembered steps: what a process can do depends on its own local state and on the few components that its statements touch.
//!
//! For each local state of a process there is a **row**: the set of components that its statements were seen to touch, as a mask
//! over the packed state, and for each combination of values of those components the steps, each as the bits that it flips. A
//! step is remembered only under a mask that covers all that was read or written to compute it, so looking it up gives
//! what computing it would give. When a computation touches more than the mask covers, the mask grows and the row is
//! forgotten.
//!
//! A statement that computes which element of an array it looks at touches few components each time, and all of them together. Where a mask
//! has become too wide for a list, the row is a **decision tree** instead: each node asks for the component that the computation touched
//! next, which the answers before it determine. What is looked up then depends on what was touched this time, not on what ever was.
//! (Searches that reduce keep masks: which moves are enough was judged with more than the components that their computation touched.)

use crate::budget::{Account, Budget, bytes_of_small};
use crate::explore::memo_cache::Cache;
use crate::explore::memo_tree::{Path, Tree};
use crate::packed::bits::extract_words;
use crate::packed::components::ComponentId;
use crate::packed::layout::Layout;
use foldhash::quality::FixedState;
use std::collections::HashMap;
use std::sync::Arc;
use system::interpreter::Step;
use system::state::Pid;

/// A remembered step: which bits of the packed state it flips, and what to know about it.
#[derive(Clone, Copy, Debug)]
pub struct Move<const N: usize> {
    /// To be combined with the state by exclusive or.
    pub change: [u64; N],
    /// Flags, and the number of its [`MoveInfo`].
    pub info: u32,
}

/// What a move is, apart from its effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MoveInfo {
    /// The step of the semantics; `None` if finding the steps of the process is itself an error.
    pub step: Option<Step>,
    /// The process that has exclusive control after it.
    pub exclusive: Option<Pid>,
    /// Index of what is wrong with it, if anything.
    pub problem: Option<u32>,
    /// Whether it leads to a state. A runtime error does not; nor does an offer of a rendezvous, which stands in the list
    /// of a process to say that the other processes are to be asked, and which has no problem either.
    pub arrives: bool,
    /// Whether the process has gone round a loop of its automaton; only known to searches that reduce.
    pub closes_loop: bool,
    /// Whether the process dies.
    pub dies: bool,
    /// A labelled statement: see [`Marks`].
    pub marks: Marks,
    /// States inside of an `atomic` sequence that it leads through.
    pub inner: u32,
}

/// Which labels stand at the statements of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Marks {
    /// A statement with a `progress…` label is executed.
    pub progress: bool,
}

/// A bit of [`Move::info`]: it is the last of its list.
pub const LAST_OF_LIST: u32 = 1 << 31;
/// A bit of [`Move::info`]: there is more to do than to arrive at a state.
pub const SPECIAL: u32 = 1 << 30;
/// A bit of [`Move::info`], the same for all moves of a list: these moves are independent of what all others can do, so
/// that it is enough to try them first.
pub const AMPLE: u32 = 1 << 29;
/// A bit of [`Move::info`]: a label stands at one of its statements, see [`MoveInfo::marks`].
pub const MARKED: u32 = 1 << 28;
const INFO_MASK: u32 = MARKED - 1;

/// What a look-up says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// Nothing is known yet.
    Unknown,
    /// The process cannot move.
    Blocked,
    /// The list of moves that begins there.
    Moves(u32),
}

/// Which rows may be decision trees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeRows {
    /// None.
    Never,
    /// Those whose masks are too wide for a list.
    WhereMasksAreWide,
    /// All.
    Always,
}

/// The rows of one thread.
#[derive(Clone, Debug)]
pub struct TransitionMemo<const N: usize> {
    /// By line (a process or a pair of them, and whether `timeout` holds), then by the number of the local state.
    rows: Vec<Vec<Row>>,
    /// The masks, in the same order.
    masks: Vec<Vec<[u64; N]>>,
    memory: RowMemory,
    dense: Vec<u32>,
    hashed: Cache,
    wide: HashMap<(u32, [u64; N]), u32, FixedState>,
    tree: Tree,
    tree_rows: TreeRows,
    next_row: u32,
    moves: Vec<Move<N>>,
    /// Where moves begin that are held for a moment only and are too many for the first [`HELD`] places.
    held: Option<usize>,
    /// Moves that were numbered of late.
    recent: Vec<Option<(MoveInfo, u32)>>,
    /// How many look-ups can be answered, or could before something was forgotten.
    answers: usize,
    /// Bytes of rows and masks.
    bytes_of_rows: usize,
    /// The most rows of a line.
    most_rows: usize,
    /// Bytes beyond which everything is forgotten and begun anew: the memory of remembered steps is bounded.
    most_bytes: usize,
    account: Account,
}

/// What outlives a change of the layout.
#[derive(Clone, Debug, Default)]
pub struct RowMemory {
    /// The components that each row's mask covers.
    covered: HashMap<(u32, u32), Vec<ComponentId>, FixedState>,
    infos: Vec<MoveInfo>,
    info_numbers: HashMap<MoveInfo, u32, FixedState>,
    /// Bytes of `covered` and `trees`.
    bytes_of_covered: usize,
    /// The rows that are decision trees, each with the components that some computation touched and that had no bits: in all that was
    /// remembered these are 0.
    trees: HashMap<(u32, u32), Vec<ComponentId>, FixedState>,
    entries: Entries,
    /// While nobody uses it.
    account: Option<Account>,
}

/// Remembered steps as numbers of components, which mean the same under every layout. One after another: line and number of the row,
/// how many components it rests on (those that the mask covers, or those on the way through the tree), and for each of them component and
/// number; how many moves there are; for each move its info, how many components it changes, and for each of these the component and which bits of
/// its number are flipped.
#[derive(Clone, Debug, Default)]
struct Entries {
    list: Vec<u32>,
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// The runs of ones of a mask that has few; the others are empty. All of them are always looked at: no branch to guess.
    runs: [Run; RUNS],
    kind: RowKind,
    /// Where its dense list begins, or its number in the hashed ones.
    place: u32,
}

/// Neighbouring bits of a state that belong to a key.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    mask: u16,
    word: u8,
    shift: u8,
    /// Where in the key.
    fill: u8,
}

const RUNS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RowKind {
    /// Never used.
    Unused,
    /// A list with an entry for each combination of values; the mask has few runs.
    Dense,
    /// The same, with a mask of many runs.
    Scattered,
    /// Too many combinations for a list: a hash map of those that occurred.
    Hashed,
    /// The mask has more than 64 bits.
    Wide,
    /// A decision tree; the place is its root.
    Tree,
}

/// Rows with at most this many bits in their mask may have a dense list.
const DENSE_BITS: u32 = 12;
/// The same as long as there are few such lists: [`FEW_DENSE`].
const DENSE_BITS_OF_FEW: u32 = 16;
/// Entries of dense lists in total, up to which larger ones are made.
const FEW_DENSE: usize = 1 << 22;
/// Entries of dense lists in total, beyond which new rows are hashed.
const MOST_DENSE: usize = 1 << 24;
/// Entries of dense lists that a small model may have.
const FREE_DENSE: usize = 1 << 16;
/// Entries of dense lists for each look-up that can be answered: clearing them and, for another layout, going through them must
/// cost little beside computing what they are for.
const DENSE_PER_ANSWER: usize = 1 << 5;
/// Length of a list of remembered steps beyond which it is not carried over to another layout.
const MOST_REPACKED: usize = 1 << 25;
/// Moves in total, beyond which everything is forgotten and begun anew: the memory of remembered steps is bounded.
const MOST_MOVES: usize = 1 << 24;
/// Places at the beginning for moves that are held for a moment only.
const HELD: usize = 32;
/// How many moves that were numbered of late are kept beside the map of all.
const RECENT: usize = 64;
/// Below this many bytes remembering is not worth the while.
const LEAST_BUDGET: usize = 1 << 18;
/// The same for entries of hash maps.
const MOST_HASHED: usize = 1 << 22;

impl<const N: usize> TransitionMemo<N> {
    /// Rows under a layout, with what is known whatever the layout. Of the budget they may take `most_bytes`.
    pub fn new(
        mut memory: RowMemory,
        layout: &Layout,
        most_bytes: usize,
        tree_rows: TreeRows,
        budget: &Arc<Budget>,
    ) -> TransitionMemo<N> {
        let entries = std::mem::take(&mut memory.entries);
        let of_entries = memory.account.take();
        let mut rows = TransitionMemo {
            rows: Vec::new(),
            masks: Vec::new(),
            memory,
            dense: Vec::new(),
            hashed: Cache::default(),
            wide: HashMap::default(),
            tree: Tree::default(),
            tree_rows,
            next_row: 0,
            moves: Self::places_to_hold(),
            held: None,
            recent: vec![None; RECENT],
            answers: entries.count,
            bytes_of_rows: 0,
            most_rows: 0,
            // Trees are copied while they grow, and lists of what they hold are longer.
            most_bytes: match tree_rows {
                TreeRows::Never => most_bytes.max(LEAST_BUDGET),
                TreeRows::WhereMasksAreWide | TreeRows::Always => (most_bytes / 2).max(LEAST_BUDGET),
            },
            account: Account::new(budget),
        };
        rows.take_entries(&entries, layout);
        drop(of_entries);
        rows
    }

    /// What outlives a change of the layout.
    pub fn into_memory(mut self, layout: &Layout) -> RowMemory {
        self.let_go();
        self.memory.entries = self.entries(layout);
        let account = Account::new(self.account.budget());
        account.set(self.memory.bytes() + self.memory.entries.list.capacity() * 4);
        self.memory.account = Some(account);
        self.memory
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.dense.capacity() * 4
            + self.hashed.bytes()
            + self.wide.capacity() * Self::WIDE_BYTES
            + self.tree.bytes()
            + self.moves.capacity() * size_of::<Move<N>>()
            + self.bytes_of_rows
            + self.memory.bytes()
    }

    /// Bytes of an entry in the hash map of those that are wide: seven of eight places are used, and each has a byte beside it.
    const WIDE_BYTES: usize = (size_of::<((u32, [u64; N]), u32)>() + 1) * 8 / 7;

    /// Bytes that it takes, more than there are, to remember so many moves more, under so many components: what is full is copied to a place of twice the size.
    fn bytes_to_grow(&self, moves: usize, touched: usize) -> usize {
        let of_moves =
            if self.moves.len() + moves > self.moves.capacity() { self.moves.capacity() } else { 0 };
        let of_wide = if self.wide.len() == self.wide.capacity() { self.wide.capacity() } else { 0 };
        of_moves * size_of::<Move<N>>()
            + 2 * of_wide * Self::WIDE_BYTES
            + self.tree.bytes()
            + self.hashed.bytes_to_grow(touched + 1)
            + self.most_rows * Self::ROW_BYTES
            + 4 * self.dense.capacity()
    }

    /// Bytes of a row and its mask.
    const ROW_BYTES: usize = size_of::<Row>() + 8 * N;

    /// What is known about the local state `number` of a process (`line` stands for the process, or a pair, and for whether `timeout` holds).
    #[inline(always)]
    pub fn look_up(&self, line: u32, number: u32, state: &[u64; N]) -> Lookup {
        self.look_up_unless(line, number, state, || false)
    }

    /// The same; where it would take long it is left alone if that is said to be of no use.
    #[inline(always)]
    pub fn look_up_unless(
        &self,
        line: u32,
        number: u32,
        state: &[u64; N],
        is_of_no_use: impl FnOnce() -> bool,
    ) -> Lookup {
        let Some(row) = self.rows.get(line as usize).and_then(|rows| rows.get(number as usize)) else {
            return Lookup::Unknown;
        };
        let entry = match row.kind {
            RowKind::Dense => self.dense[row.place as usize + row.key(state)],
            RowKind::Tree if is_of_no_use() => 0,
            _ => self.look_up_elsewhere(row, &self.masks[line as usize][number as usize], state),
        };
        match entry {
            0 => Lookup::Unknown,
            1 => Lookup::Blocked,
            place => Lookup::Moves(place - 2),
        }
    }

    /// The move at a place.
    #[inline(always)]
    pub fn at(&self, place: u32) -> &Move<N> {
        &self.moves[place as usize]
    }

    /// What a move is.
    pub fn info(&self, info: u32) -> MoveInfo {
        self.memory.infos[(info & INFO_MASK) as usize]
    }

    /// Remembers the moves of a local state in a given state. `touched` are all components that were looked at or changed, each once, in the
    /// order in which they were.
    #[allow(clippy::too_many_arguments)]
    pub fn remember(
        &mut self,
        line: u32,
        number: u32,
        state: &[u64; N],
        layout: &Layout,
        touched: &[ComponentId],
        moves: &[([u64; N], MoveInfo)],
        ample: bool,
    ) -> Lookup {
        self.let_go();
        if self.moves.len() + moves.len() > MOST_MOVES
            || self.hashed.len() + self.wide.len() > MOST_HASHED
            || self.bytes() + self.bytes_to_grow(moves.len(), touched.len()) > self.most_bytes
        {
            self.forget();
        }
        let is_tree = self.memory.trees.contains_key(&(line, number));
        let grown = !is_tree && self.memory.cover((line, number), touched);
        self.answers += 1;
        let entry = self.append(moves, if ample { AMPLE } else { 0 });
        self.set(line, number, state, layout, (grown, touched), entry);
        self.account.set(self.bytes());
        if entry == 1 { Lookup::Blocked } else { Lookup::Moves(entry - 2) }
    }

    /// Sets the entry of a row for a state. The row is made if there is none, or anew if more components are covered than before.
    fn set(
        &mut self,
        line: u32,
        number: u32,
        state: &[u64; N],
        layout: &Layout,
        (anew, touched): (bool, &[ComponentId]),
        entry: u32,
    ) {
        if self.rows.len() <= line as usize {
            self.rows.resize_with(line as usize + 1, Vec::new);
            self.masks.resize_with(line as usize + 1, Vec::new);
        }
        let rows = &mut self.rows[line as usize];
        let masks = &mut self.masks[line as usize];
        if rows.len() <= number as usize {
            self.bytes_of_rows -= rows.capacity() * Self::ROW_BYTES;
            rows.resize(
                number as usize + 1,
                Row { runs: Default::default(), kind: RowKind::Unused, place: 0 },
            );
            masks.resize(number as usize + 1, [0; N]);
            self.bytes_of_rows += rows.capacity() * Self::ROW_BYTES;
            self.most_rows = self.most_rows.max(rows.capacity());
        }
        let row = &mut rows[number as usize];
        let mask = &mut masks[number as usize];
        if row.kind == RowKind::Unused && self.memory.trees.contains_key(&(line, number)) {
            (row.kind, row.place) = (RowKind::Tree, 0);
        }
        if anew || row.kind == RowKind::Unused {
            *mask = [0; N];
            for &component in self.memory.covered.get(&(line, number)).into_iter().flatten() {
                let field = layout.field(component);
                if field.width > 0 {
                    mask[field.word as usize] |= field.mask();
                }
            }
            let bits: u32 = mask.iter().map(|word| word.count_ones()).sum();
            let most = if bits <= DENSE_BITS { MOST_DENSE } else { FEW_DENSE };
            let most = most.min(FREE_DENSE + DENSE_PER_ANSWER * self.answers);
            let is_dense = self.tree_rows != TreeRows::Always
                && bits <= DENSE_BITS_OF_FEW
                && self.dense.len() + (1 << bits) <= most;
            (row.kind, row.place) = if is_dense {
                let place = self.dense.len();
                self.dense.resize(place + (1 << bits), 0);
                let runs = runs_of(mask);
                row.runs = runs.unwrap_or_default();
                (if runs.is_some() { RowKind::Dense } else { RowKind::Scattered }, place as u32)
            } else if self.tree_rows != TreeRows::Never {
                self.memory.is_tree_now((line, number));
                (RowKind::Tree, 0)
            } else {
                // A fresh number: entries under the old mask are never found again.
                self.next_row += 1;
                (if bits <= 64 { RowKind::Hashed } else { RowKind::Wide }, self.next_row)
            };
        }
        let (row, mask) = (*row, *mask);
        match row.kind {
            RowKind::Dense => self.dense[row.place as usize + row.key(state)] = entry,
            RowKind::Scattered => {
                self.dense[row.place as usize + extract_words(state, &mask) as usize] = entry
            }
            RowKind::Wide => {
                self.wide.insert((row.place, masked(state, &mask)), entry);
            }
            RowKind::Hashed | RowKind::Unused => {
                self.hashed.insert(row.place, extract_words(state, &mask), entry);
            }
            RowKind::Tree => {
                let root = self.tree.insert(row.place, state, layout, touched, entry, &mut self.hashed);
                self.rows[line as usize][number as usize].place = root;
                self.memory.note_without_bits((line, number), touched, layout);
            }
        }
    }

    /// All that is remembered, as numbers of components; nothing if it is too much.
    fn entries(&self, layout: &Layout) -> Entries {
        let mut entries = Entries::default();
        let components = layout.components_of_bits::<N>();
        let (mut scattered_rows, mut roots) = (HashMap::new(), Vec::new());
        for (line, rows) in self.rows.iter().enumerate() {
            for (number, row) in rows.iter().enumerate() {
                let mask = &self.masks[line][number];
                let place = (line as u32, number as u32);
                match row.kind {
                    RowKind::Unused => {}
                    RowKind::Hashed | RowKind::Wide => {
                        scattered_rows.insert(row.place, place);
                    }
                    RowKind::Tree => roots.push((place, row.place)),
                    RowKind::Dense | RowKind::Scattered => {
                        let bits: u32 = mask.iter().map(|word| word.count_ones()).sum();
                        let list = &self.dense[row.place as usize..][..1 << bits];
                        for (key, &entry) in list.iter().enumerate().filter(|&(_, &entry)| entry != 0) {
                            let state = deposit(key as u64, mask, row.kind == RowKind::Dense);
                            self.note_entry(
                                place,
                                Conditions::Mask(&state),
                                entry,
                                (layout, &components),
                                &mut entries,
                            );
                        }
                    }
                }
            }
        }
        self.hashed.for_each(|row, key, entry| {
            if let Some(&place) = scattered_rows.get(&row) {
                let state = deposit(key, &self.masks[place.0 as usize][place.1 as usize], false);
                self.note_entry(place, Conditions::Mask(&state), entry, (layout, &components), &mut entries);
            }
        });
        self.tree.for_each(&roots, &self.hashed, |place, path, entry| {
            self.note_entry(place, Conditions::Path(path), entry, (layout, &components), &mut entries);
        });
        for (&(row, state), &entry) in &self.wide {
            if let Some(&place) = scattered_rows.get(&row) {
                self.note_entry(place, Conditions::Mask(&state), entry, (layout, &components), &mut entries);
            }
        }
        entries
    }

    fn note_entry(
        &self,
        (line, number): (u32, u32),
        conditions: Conditions<'_, N>,
        entry: u32,
        (layout, components): (&Layout, &[[ComponentId; 64]; N]),
        entries: &mut Entries,
    ) {
        // There are the rows and the list, which has room for twice as much at times, then the list and the new rows.
        if entries.list.len() > MOST_REPACKED.min(self.most_bytes / 16) {
            return;
        }
        entries.count += 1;
        let list = &mut entries.list;
        list.extend([line, number]);
        let count_at = list.len();
        list.push(0);
        match conditions {
            Conditions::Mask(state) => {
                for &component in self.memory.covered.get(&(line, number)).into_iter().flatten() {
                    list.extend([component.0, layout.number(state, component)]);
                }
            }
            Conditions::Path(path) => {
                path.iter().for_each(|&(component, number)| list.extend([component.0, number]));
                let without_bits = self.memory.trees.get(&(line, number)).into_iter().flatten();
                // Those that have bits by now are on the way where they matter.
                for component in without_bits.filter(|&&component| layout.field(component).width == 0) {
                    list.extend([component.0, 0]);
                }
            }
        }
        list[count_at] = ((list.len() - count_at) / 2) as u32;
        let count_at = list.len();
        list.push(0);
        // Entry 1 is an empty list.
        for step in self.moves.iter().skip((entry as usize).saturating_sub(2)).take_while(|_| entry > 1) {
            list.push(step.info);
            let changes_at = list.len();
            list.push(0);
            for (components, &flipped) in components.iter().zip(&step.change) {
                let mut rest = flipped;
                while rest != 0 {
                    let component = components[rest.trailing_zeros() as usize];
                    let field = layout.field(component);
                    list.extend([component.0, field.get(&step.change)]);
                    list[changes_at] += 1;
                    rest &= !field.mask();
                }
            }
            list[count_at] += 1;
            if step.info & LAST_OF_LIST != 0 {
                break;
            }
        }
    }

    /// Remembers what was remembered under another layout.
    fn take_entries(&mut self, entries: &Entries, layout: &Layout) {
        let mut rest = entries.list.iter().copied();
        let mut next = || rest.next().unwrap_or(0);
        let mut touched = Vec::new();
        for _ in 0..entries.count {
            // The list is there as well; what is left out is computed again when it is asked for.
            if self.bytes() + self.bytes_to_grow(0, touched.len()) > self.most_bytes / 2 {
                break;
            }
            let (line, number) = (next(), next());
            let mut state = [0; N];
            touched.clear();
            for _ in 0..next() {
                let component = ComponentId(next());
                layout.field(component).flip(&mut state, next());
                touched.push(component);
            }
            let count = next();
            let place = self.moves.len();
            for _ in 0..count {
                let info = next();
                let mut change = [0; N];
                for _ in 0..next() {
                    let component = ComponentId(next());
                    layout.field(component).flip(&mut change, next());
                }
                self.moves.push(Move { change, info });
            }
            let entry = if count == 0 { 1 } else { place as u32 + 2 };
            self.set(line, number, &state, layout, (false, &touched), entry);
        }
    }

    /// Holds moves until others are held or remembered. Mostly there is a place for them, so that nothing grows.
    pub fn hold(&mut self, moves: &[([u64; N], MoveInfo)]) -> Lookup {
        self.let_go();
        if moves.is_empty() {
            return Lookup::Blocked;
        }
        if moves.len() > HELD {
            let held = self.moves.len();
            self.append(moves, 0);
            self.held = Some(held);
            return Lookup::Moves(held as u32);
        }
        for (index, &(change, info)) in moves.iter().enumerate() {
            let flags = if index + 1 == moves.len() { LAST_OF_LIST } else { 0 };
            self.moves[index] = self.as_move(change, info, flags);
        }
        Lookup::Moves(0)
    }

    fn let_go(&mut self) {
        if let Some(held) = self.held.take() {
            self.moves.truncate(held);
        }
    }

    fn number_of(&mut self, info: MoveInfo) -> u32 {
        let place = info.step.map_or(0, |step| step.edge.0 as usize % RECENT);
        match self.recent[place] {
            Some((other, number)) if other == info => number,
            _ => {
                let memory = &mut self.memory;
                let number = *memory.info_numbers.entry(info).or_insert_with(|| {
                    memory.infos.push(info);
                    memory.infos.len() as u32 - 1
                });
                self.recent[place] = Some((info, number));
                number
            }
        }
    }

    fn append(&mut self, moves: &[([u64; N], MoveInfo)], all: u32) -> u32 {
        if moves.is_empty() {
            return 1;
        }
        let place = self.moves.len();
        for (index, &(change, info)) in moves.iter().enumerate() {
            let last = if index + 1 == moves.len() { LAST_OF_LIST } else { 0 };
            let step = self.as_move(change, info, all | last);
            self.moves.push(step);
        }
        place as u32 + 2
    }

    fn as_move(&mut self, change: [u64; N], info: MoveInfo, flags: u32) -> Move<N> {
        let is_special = info.exclusive.is_some() || info.problem.is_some() || !info.arrives;
        let special = if is_special { SPECIAL } else { 0 };
        let marked = if info.marks != Marks::default() { MARKED } else { 0 };
        Move { change, info: self.number_of(info) | flags | special | marked }
    }

    /// Places for moves that are held; those that are remembered come after them.
    fn places_to_hold() -> Vec<Move<N>> {
        vec![Move { change: [0; N], info: 0 }; HELD]
    }

    fn forget(&mut self) {
        self.rows = Vec::new();
        self.masks = Vec::new();
        (self.bytes_of_rows, self.most_rows) = (0, 0);
        self.dense = Vec::new();
        self.hashed.clear();
        self.wide = HashMap::default();
        self.tree = Tree::default();
        self.moves = Self::places_to_hold();
        self.held = None;
        // What is covered is learned again with the rows; what a move is may still be asked for.
        self.memory.covered = HashMap::default();
        self.memory.trees = HashMap::default();
        self.memory.bytes_of_covered = 0;
    }

    #[inline(never)]
    fn look_up_elsewhere(&self, row: &Row, mask: &[u64; N], state: &[u64; N]) -> u32 {
        let found = match row.kind {
            RowKind::Scattered => {
                return self.dense[row.place as usize + extract_words(state, mask) as usize];
            }
            RowKind::Hashed => return self.hashed.get(row.place, extract_words(state, mask)),
            RowKind::Wide => self.wide.get(&(row.place, masked(state, mask))),
            RowKind::Tree => return self.tree.find(row.place, state, &self.hashed),
            RowKind::Unused | RowKind::Dense => None,
        };
        found.copied().unwrap_or(0)
    }
}

impl RowMemory {
    /// Bytes of memory in use, without entries.
    fn bytes(&self) -> usize {
        const COVERED: usize = size_of::<((u32, u32), Vec<ComponentId>)>() + 1;
        const INFO: usize = 2 * size_of::<MoveInfo>() + size_of::<u32>() + 1;
        (self.covered.capacity() + self.trees.capacity()) * COVERED * 8 / 7
            + self.bytes_of_covered
            + self.infos.capacity() * INFO * 8 / 7
    }

    /// Covers more components by a row's mask. True if some of them were not covered.
    fn cover(&mut self, row: (u32, u32), touched: &[ComponentId]) -> bool {
        let covered = self.covered.entry(row).or_default();
        let grown = touched.iter().any(|component| !covered.contains(component));
        if grown {
            self.bytes_of_covered -= bytes_of_small(covered.capacity() * size_of::<ComponentId>());
            covered.extend(touched);
            covered.sort_unstable();
            covered.dedup();
            self.bytes_of_covered += bytes_of_small(covered.capacity() * size_of::<ComponentId>());
        }
        grown
    }
}

impl RowMemory {
    /// A row is a decision tree from now on. Its mask is of no use any more.
    fn is_tree_now(&mut self, row: (u32, u32)) {
        let covered = self.covered.remove(&row).unwrap_or_default();
        self.bytes_of_covered -= bytes_of_small(covered.capacity() * size_of::<ComponentId>());
        self.trees.insert(row, Vec::new());
    }

    /// Notes which of the components that a computation of a tree's row has touched have no bits.
    fn note_without_bits(&mut self, row: (u32, u32), touched: &[ComponentId], layout: &Layout) {
        let mut without = touched.iter().filter(|&&component| layout.field(component).width == 0).peekable();
        if without.peek().is_none() {
            return;
        }
        let noted = self.trees.entry(row).or_default();
        self.bytes_of_covered -= bytes_of_small(noted.capacity() * size_of::<ComponentId>());
        for component in without {
            if !noted.contains(component) {
                noted.push(*component);
            }
        }
        self.bytes_of_covered += bytes_of_small(noted.capacity() * size_of::<ComponentId>());
    }
}

/// What an entry of a row rests on.
enum Conditions<'p, const N: usize> {
    /// The numbers of the components that the row's mask covers.
    Mask(&'p [u64; N]),
    /// The numbers of these components.
    Path(&'p Path),
}

impl Row {
    /// The selected bits of a state side by side, if the mask has few runs.
    #[inline(always)]
    fn key<const N: usize>(&self, state: &[u64; N]) -> usize {
        let mut key = 0;
        for run in &self.runs {
            let word = if N == 1 { state[0] } else { state[run.word as usize % N] };
            key |= ((word >> (run.shift & 63)) & u64::from(run.mask)) << (run.fill & 63);
        }
        key as usize
    }
}

/// The runs of ones of a mask with at most 16 bits, if they are few.
fn runs_of<const N: usize>(mask: &[u64; N]) -> Option<[Run; RUNS]> {
    let mut runs = [Run::default(); RUNS];
    let (mut count, mut fill) = (0, 0);
    for (word, &bits) in mask.iter().enumerate() {
        let mut rest = bits;
        while rest != 0 {
            let shift = rest.trailing_zeros();
            let length = (rest >> shift).trailing_ones();
            let ones = (1u64 << length) - 1;
            *runs.get_mut(count)? = Run { mask: ones as u16, word: word as u8, shift: shift as u8, fill };
            count += 1;
            fill += length as u8;
            rest &= !(ones << shift);
        }
    }
    Some(runs)
}

fn masked<const N: usize>(state: &[u64; N], mask: &[u64; N]) -> [u64; N] {
    std::array::from_fn(|word| state[word] & mask[word])
}

/// A state with the bits of a key where the mask selects them. A key begins with the bits of the first word (as in
/// [`Row::key`]) or with those of the last one (as in [`extract_words`]).
fn deposit<const N: usize>(key: u64, mask: &[u64; N], from_first: bool) -> [u64; N] {
    let mut state = [0; N];
    let mut key = key;
    for index in 0..N {
        let word = if from_first { index } else { N - 1 - index };
        let mut rest = mask[word];
        while rest != 0 {
            let lowest = rest & rest.wrapping_neg();
            if key & 1 != 0 {
                state[word] |= lowest;
            }
            key >>= 1;
            rest &= rest - 1;
        }
    }
    state
}
