//! The nodes of a product, or the states, that a depth-first search has met, each with its order.

use crate::budget::{Account, Budget};
use std::sync::Arc;

/// A node: a packed state and a location of the monitor.
pub type Node<const N: usize> = ([u64; N], u32);

/// The order of a node whose component is closed.
pub const CLOSED: u32 = u32::MAX;
const FREE: u32 = u32::MAX - 1;

/// Nodes and their orders: open addressing, a node beside its order, so that a look-up is one visit to memory. It also knows where
/// the nodes that are not closed lie, by their orders, so that closing one needs no look-up.
///
/// The slots lie in segments, chosen by the upper bits of a node's hash, each of which grows on its own and by less than a half: for a moment
/// there is one segment twice, never all of them, so nobody needs to ask before.
#[derive(Debug)]
pub struct Nodes<const N: usize> {
    segments: Vec<Segment<N>>,
    length: usize,
    /// Slots by order.
    live: Vec<Place>,
    account: Account,
}

#[derive(Debug)]
struct Segment<const N: usize> {
    slots: Vec<Slot<N>>,
    length: usize,
}

/// Where a slot lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    segment: u32,
    slot: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot<const N: usize> {
    state: [u64; N],
    location: u32,
    order: u32,
}

const SEGMENT_BITS: u32 = 6;
const FIRST_SLOTS: usize = 16;

impl<const N: usize> Slot<N> {
    fn free() -> Slot<N> {
        Slot { state: [0; N], location: 0, order: FREE }
    }
}

impl<const N: usize> Nodes<N> {
    /// No nodes.
    pub fn new(budget: &Arc<Budget>) -> Nodes<N> {
        let segment = |_| Segment { slots: vec![Slot::free(); FIRST_SLOTS], length: 0 };
        let segments: Vec<Segment<N>> = (0..1 << SEGMENT_BITS).map(segment).collect();
        let nodes = Nodes { segments, length: 0, live: Vec::new(), account: Account::new(budget) };
        nodes.account.set(nodes.bytes());
        nodes
    }

    /// How many nodes were met.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        let slots: usize = self.segments.iter().map(|segment| segment.slots.len()).sum();
        slots * size_of::<Slot<N>>() + self.live.len() * size_of::<Place>()
    }

    /// The order of a node, or [`CLOSED`]; `None` if it was never met.
    #[inline(always)]
    pub fn order(&self, node: &Node<N>) -> Option<u32> {
        let hash = hash(node);
        let order = self.segments[segment_of(hash)].find(node, hash).1;
        (order != FREE).then_some(order)
    }

    /// Adds a node that was never met. Its order is the number of nodes that are not closed.
    #[inline(always)]
    pub fn add(&mut self, node: &Node<N>) -> u32 {
        let order = self.live.len() as u32;
        let place = self.put(node, order);
        self.live.push(place);
        order
    }

    /// Adds a node that was never met, and is closed.
    pub fn add_closed(&mut self, node: &Node<N>) {
        self.put(node, CLOSED);
    }

    /// Closes all nodes from an order on.
    pub fn close_from(&mut self, order: u32) {
        for place in self.live.drain(order as usize..) {
            self.segments[place.segment as usize].slots[place.slot as usize].order = CLOSED;
        }
    }

    /// Closes the last node that is not closed.
    #[inline(always)]
    pub fn close_last(&mut self) {
        if let Some(place) = self.live.pop() {
            self.segments[place.segment as usize].slots[place.slot as usize].order = CLOSED;
        }
    }

    /// The nodes that are not closed, from an order on.
    pub fn live_from(&self, order: u32) -> impl Iterator<Item = Node<N>> + '_ {
        self.live[order as usize..].iter().map(|place| {
            let slot = &self.segments[place.segment as usize].slots[place.slot as usize];
            (slot.state, slot.location)
        })
    }

    /// Calls `visit` with the nodes that are closed. What was visited takes no memory any more.
    pub fn for_each_closed(self, mut visit: impl FnMut(&Node<N>)) {
        for segment in self.segments {
            let closed = segment.slots.iter().filter(|slot| slot.order == CLOSED);
            closed.for_each(|slot| visit(&(slot.state, slot.location)));
            self.account.give_back(segment.slots.len() * size_of::<Slot<N>>());
        }
    }

    /// Asks the processor to fetch what a node needs.
    #[inline(always)]
    pub fn prefetch(&self, node: &Node<N>) {
        let hash = hash(node);
        let slots = &self.segments[segment_of(hash)].slots;
        crate::packed::prefetch::prefetch(slots, home(hash, slots.len()));
    }

    #[inline(always)]
    fn put(&mut self, node: &Node<N>, order: u32) -> Place {
        let hash = hash(node);
        let segment = segment_of(hash);
        if self.segments[segment].length * 3 >= self.segments[segment].slots.len() * 2 {
            self.grow(segment);
        }
        let slot = self.segments[segment].find(node, hash).0;
        self.segments[segment].slots[slot] = Slot { state: node.0, location: node.1, order };
        self.segments[segment].length += 1;
        self.length += 1;
        Place { segment: segment as u32, slot: slot as u32 }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, index: usize) {
        let segment = &mut self.segments[index];
        let larger = vec![Slot::free(); segment.slots.len() * 7 / 5];
        crate::packed::prefetch::advise_huge_pages(&larger);
        let old = std::mem::replace(&mut segment.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.order != FREE) {
            let node = (slot.state, slot.location);
            let place = segment.find(&node, hash(&node)).0;
            segment.slots[place] = slot;
            if slot.order != CLOSED {
                self.live[slot.order as usize].slot = place as u32;
            }
        }
        self.account.set(self.bytes());
    }
}

impl<const N: usize> Segment<N> {
    /// The slot of a node, or that where it would be put; and its order.
    #[inline(always)]
    fn find(&self, node: &Node<N>, hash: u64) -> (usize, u32) {
        let mut place = home(hash, self.slots.len());
        loop {
            let slot = &self.slots[place];
            if slot.order == FREE || (slot.state == node.0 && slot.location == node.1) {
                return (place, slot.order);
            }
            place = if place + 1 == self.slots.len() { 0 } else { place + 1 };
        }
    }
}

#[inline(always)]
fn segment_of(hash: u64) -> usize {
    (hash >> (64 - SEGMENT_BITS)) as usize
}

/// One of so many slots, by bits of the hash that do not choose the segment.
#[inline(always)]
fn home(hash: u64, slots: usize) -> usize {
    ((u64::from(hash as u32) * slots as u64) >> 32) as usize
}

#[inline(always)]
fn hash<const N: usize>(node: &Node<N>) -> u64 {
    let mut mixed = u64::from(node.1).wrapping_mul(0xA24B_AED4_963E_E407);
    for &word in &node.0 {
        let product = u128::from(mixed ^ word) * u128::from(0x9E37_79B9_7F4A_7C15u64);
        mixed = (product >> 64) as u64 ^ product as u64;
    }
    mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn nodes_keep_their_orders_while_the_table_grows_and_are_closed_from_the_end() {
        let mut nodes = Nodes::<2>::new(&Budget::new(None));
        let mut expected = BTreeMap::new();
        let mut live = Vec::new();
        for round in 0..20_000u64 {
            let node = ([round * round, round % 7], (round % 3) as u32);
            assert_eq!(nodes.order(&node), expected.get(&node).copied());
            if let std::collections::btree_map::Entry::Vacant(entry) = expected.entry(node) {
                entry.insert(nodes.add(&node));
                live.push(node);
            }
            if round % 100 == 99 {
                let from = live.len() - (round as usize % 61).min(live.len());
                nodes.close_from(from as u32);
                live.drain(from..).for_each(|node| {
                    expected.insert(node, CLOSED);
                });
            }
        }
        assert_eq!(nodes.len(), expected.len());
        assert_eq!(nodes.live_from(0).collect::<Vec<_>>(), live);
        assert!(expected.iter().all(|(node, order)| nodes.order(node) == Some(*order)));
        let closed: BTreeSet<_> = expected.into_iter().filter(|&(_, order)| order == CLOSED).collect();
        let mut visited = BTreeSet::new();
        nodes.for_each_closed(|node| assert!(visited.insert((*node, CLOSED))));
        assert_eq!(visited, closed);
    }
}
