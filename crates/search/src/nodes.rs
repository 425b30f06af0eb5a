//! The nodes of a product that a search for cycles has met, each with its order.

use crate::product::Node;

/// The order of a node whose component is closed.
pub const CLOSED: u32 = u32::MAX;
const FREE: u32 = u32::MAX - 1;

/// Nodes and their orders: open addressing, a node beside its order, so that a look-up is one visit to memory. It also knows where
/// the nodes that are not closed lie, by their orders, so that closing one needs no look-up.
pub struct Nodes<const N: usize> {
    slots: Vec<Slot<N>>,
    length: usize,
    /// Slots by order.
    live: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Slot<const N: usize> {
    state: [u64; N],
    location: u32,
    order: u32,
}

impl<const N: usize> Default for Nodes<N> {
    fn default() -> Nodes<N> {
        Nodes { slots: vec![Slot::free(); 1 << 10], length: 0, live: Vec::new() }
    }
}

impl<const N: usize> Slot<N> {
    fn free() -> Slot<N> {
        Slot { state: [0; N], location: 0, order: FREE }
    }
}

impl<const N: usize> Nodes<N> {
    /// How many nodes were met.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<Slot<N>>() + self.live.capacity() * 8
    }

    /// Bytes that it takes to make room before so many more are met: for a moment there are the old slots and the new ones.
    pub fn bytes_to_grow(&self, more: usize) -> usize {
        let grows = (self.length + more) * 8 >= self.slots.len() * 5;
        if grows { 2 * self.slots.len() * size_of::<Slot<N>>() } else { 0 }
    }

    /// The order of a node, or [`CLOSED`]; `None` if it was never met.
    #[inline(always)]
    pub fn order(&self, node: &Node<N>) -> Option<u32> {
        let slot = &self.slots[self.find(node)];
        (slot.order != FREE).then_some(slot.order)
    }

    /// Adds a node that was never met. Its order is the number of nodes that are not closed.
    #[inline(always)]
    pub fn add(&mut self, node: &Node<N>) -> u32 {
        if self.length * 8 >= self.slots.len() * 5 {
            self.grow();
        }
        let place = self.find(node);
        let order = self.live.len() as u32;
        self.slots[place] = Slot { state: node.0, location: node.1, order };
        self.length += 1;
        self.live.push(place);
        order
    }

    /// Closes all nodes from an order on.
    pub fn close_from(&mut self, order: u32) {
        for place in self.live.drain(order as usize..) {
            self.slots[place].order = CLOSED;
        }
    }

    /// The nodes that are not closed, from an order on.
    pub fn live_from(&self, order: u32) -> impl Iterator<Item = Node<N>> + '_ {
        self.live[order as usize..].iter().map(|&place| (self.slots[place].state, self.slots[place].location))
    }

    /// Asks the processor to fetch what a node needs.
    #[inline(always)]
    pub fn prefetch(&self, node: &Node<N>) {
        crate::prefetch::prefetch(&self.slots, hash(node) & (self.slots.len() - 1));
    }

    #[inline(always)]
    fn find(&self, node: &Node<N>) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash(node) & mask;
        loop {
            let slot = &self.slots[place];
            if slot.order == FREE || (slot.state == node.0 && slot.location == node.1) {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let larger = vec![Slot::free(); self.slots.len() * 2];
        crate::prefetch::advise_huge_pages(&larger);
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.order != FREE) {
            let place = self.find(&(slot.state, slot.location));
            self.slots[place] = slot;
            if slot.order != CLOSED {
                self.live[slot.order as usize] = place;
            }
        }
    }
}

#[inline(always)]
fn hash<const N: usize>(node: &Node<N>) -> usize {
    let mut mixed = u64::from(node.1).wrapping_mul(0xA24B_AED4_963E_E407);
    for &word in &node.0 {
        let product = u128::from(mixed ^ word) * u128::from(0x9E37_79B9_7F4A_7C15u64);
        mixed = (product >> 64) as u64 ^ product as u64;
    }
    mixed as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn nodes_keep_their_orders_while_the_table_grows_and_are_closed_from_the_end() {
        let mut nodes = Nodes::<2>::default();
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
    }
}
