//! Finding the nodes of a graph that may cover something, without looking at all of them.

use super::environment::Environment;
use crate::claims::{Node, NodeId, Point, SlotValues};
use promela::model::Frame;
use std::collections::{HashMap, HashSet};

/// So many nodes at one place are looked at one by one.
const FEW: usize = 8;

/// Nodes of a graph by where they are and by their shadows; many at one place also by the value of a slot that tells them apart.
pub struct Lookup {
    places: HashMap<(Point, Vec<NodeId>), Place>,
}

struct Place {
    /// All of them, ascending.
    all: Vec<NodeId>,
    by_value: Option<ByValue>,
}

/// Every node at the place lists this slot with one integer.
struct ByValue {
    frame: Frame,
    slot: u32,
    nodes: HashMap<i32, Vec<NodeId>>,
}

impl Lookup {
    /// Prepares.
    pub fn new(nodes: &[Node]) -> Lookup {
        let mut places: HashMap<(Point, Vec<NodeId>), Place> = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            let place = places.entry((node.point, node.shadows.clone()));
            place.or_insert(Place { all: Vec::new(), by_value: None }).all.push(NodeId(index as u32));
        }
        for place in places.values_mut().filter(|place| place.all.len() > FEW) {
            place.by_value = ByValue::new(nodes, &place.all);
        }
        Lookup { places }
    }

    /// Nodes at the place, ascending; left out are only some that have nothing in common with the environment.
    pub fn candidates(&self, point: Point, shadows: Vec<NodeId>, environment: &Environment) -> &[NodeId] {
        let Some(place) = self.places.get(&(point, shadows)) else { return &[] };
        let Some(by_value) = &place.by_value else { return &place.all };
        match environment.get(by_value.frame, by_value.slot).single_integer() {
            Some(value) => by_value.nodes.get(&value).map_or(&[], Vec::as_slice),
            None => &place.all,
        }
    }
}

impl ByValue {
    fn new(nodes: &[Node], ids: &[NodeId]) -> Option<ByValue> {
        let first = &nodes[ids.first()?.index()];
        let slots = (first.locals.iter().map(|entry| (Frame::Local, entry.slot)))
            .chain(first.globals.iter().map(|entry| (Frame::Global, entry.slot)));
        let value_at = |id: &NodeId, frame: Frame, slot: u32| value_of(&nodes[id.index()], frame, slot);
        let (_, frame, slot) = slots
            .filter_map(|(frame, slot)| {
                let values: Option<HashSet<i32>> = ids.iter().map(|id| value_at(id, frame, slot)).collect();
                values.map(|values| (values.len(), frame, slot))
            })
            .max_by_key(|(distinct, _, _)| *distinct)?;
        let mut by_value: HashMap<i32, Vec<NodeId>> = HashMap::new();
        for id in ids {
            by_value.entry(value_at(id, frame, slot)?).or_default().push(*id);
        }
        Some(ByValue { frame, slot, nodes: by_value })
    }
}

/// The one integer that the node lists for the slot.
fn value_of(node: &Node, frame: Frame, slot: u32) -> Option<i32> {
    let entries: &[SlotValues] = match frame {
        Frame::Local => &node.locals,
        Frame::Global => &node.globals,
    };
    let at = entries.binary_search_by_key(&slot, |entry| entry.slot).ok()?;
    entries[at].values.single_integer()
}
