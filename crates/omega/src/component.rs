//! Strongly connected components of explicit graphs (Tarjan), without recursion.

use crate::index::{NodeId, TypedIndex};

/// The strongly connected components of a graph with nodes `0 .. node_count`, successors before predecessors, each
/// component in ascending order. `successors` appends the successors of a node to a list.
pub fn strongly_connected_components(
    node_count: usize,
    successors: impl FnMut(NodeId, &mut Vec<NodeId>),
) -> Vec<Vec<NodeId>> {
    let mut components = Vec::new();
    for_each_component(node_count, successors, |component| components.push(component.to_vec()));
    components
}

/// The same, told one by one: most components of a large graph are single nodes, and who has no use for them need not keep them.
pub fn for_each_component(
    node_count: usize,
    mut successors: impl FnMut(NodeId, &mut Vec<NodeId>),
    mut found: impl FnMut(&[NodeId]),
) {
    const UNSEEN: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    // The smallest visiting time known to be reachable; afterwards `DONE`.
    let mut low = vec![UNSEEN; node_count];
    let mut clock = 0;
    let mut open: Vec<NodeId> = Vec::new();
    // The successors of the nodes on the path lie in one list; a frame remembers where its own begin.
    let mut frames: Vec<Frame> = Vec::new();
    let mut pending: Vec<NodeId> = Vec::new();
    for root in (0..node_count).map(NodeId::from_position) {
        if low[root.position()] != UNSEEN {
            continue;
        }
        let mut entering = Some(root);
        loop {
            if let Some(node) = entering.take() {
                low[node.position()] = clock;
                open.push(node);
                let start = pending.len();
                successors(node, &mut pending);
                frames.push(Frame { node, time: clock, start });
                clock += 1;
            }
            let Some(frame) = frames.last() else { break };
            let (node, time) = (frame.node, frame.time);
            if pending.len() > frame.start {
                let target = pending.pop().expect("longer than the frame's start");
                match low[target.position()] {
                    UNSEEN => entering = Some(target),
                    DONE => {}
                    reached => low[node.position()] = low[node.position()].min(reached),
                }
                continue;
            }
            frames.pop();
            let reached = low[node.position()];
            if reached == time {
                let root = open.iter().rposition(|&member| member == node);
                let root = root.expect("the root of a component is still open");
                let component = &mut open[root..];
                component.iter().for_each(|member| low[member.position()] = DONE);
                component.sort();
                found(component);
                open.truncate(root);
            } else if let Some(parent) = frames.last() {
                let parent = parent.node.position();
                low[parent] = low[parent].min(reached);
            }
        }
    }
}

struct Frame {
    node: NodeId,
    time: u32,
    start: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_in_reverse_topological_order() {
        let graph: [&[u32]; 6] = [&[1], &[2], &[0, 3], &[4], &[3], &[0]];
        let components = strongly_connected_components(6, |node, list| {
            list.extend(graph[node.position()].iter().map(|&target| NodeId(target)));
        });
        let expected: [&[u32]; 3] = [&[3, 4], &[0, 1, 2], &[5]];
        assert_eq!(components, expected.map(|ids| ids.iter().map(|&id| NodeId(id)).collect::<Vec<_>>()));
    }

    #[test]
    fn a_path_of_a_million_nodes_needs_no_deep_stack() {
        let count = 1_000_000;
        let components = strongly_connected_components(count, |node, list| {
            if node.position() + 1 < count {
                list.push(NodeId(node.0 + 1));
            }
        });
        assert_eq!(components.len(), count);
    }
}
