//! Johnson's enumeration of elementary cycles (SIAM J. Comput. 4, 1975), arc by arc: two statements between the same points make two
//! cycles.

use super::{ArcId, Process};
use parts::components;

/// The elementary cycles of a graph, at most `limit` + 1 of them (one more says that there are more). Each arc is given by the points
/// that it leads from and to.
pub(super) fn elementary_cycles(
    points: usize,
    arcs: impl Iterator<Item = (u32, u32)>,
    limit: usize,
) -> Vec<Vec<ArcId>> {
    let mut leaving: Vec<Vec<(ArcId, usize)>> = vec![Vec::new(); points];
    for (index, (from, to)) in arcs.enumerate() {
        leaving[from as usize].push((ArcId(index as u32), to as usize));
    }
    let mut cycles = Vec::new();
    for start in 0..points {
        // Only cycles whose least point is `start`: within its strongly connected part of the points from `start` on.
        let part = components(points, &|p| {
            leaving[p].iter().map(|(_, to)| *to).filter(|&to| to >= start && p >= start).collect()
        });
        let inside: Vec<bool> = (0..points).map(|p| p >= start && part[p] == part[start]).collect();
        if !search(start, &leaving, &inside, limit, &mut cycles) {
            break;
        }
    }
    cycles
}

/// Points that every loop of their strongly connected part goes through: without such a point the part has no cycle. A process that comes
/// back to one has gone round once, without an interruption.
pub(super) fn loop_heads(process: &Process) -> Vec<bool> {
    let points = process.points as usize;
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); points];
    for arc in &process.arcs {
        successors[arc.from as usize].push(arc.to as usize);
    }
    let part = components(points, &|p| successors[p].clone());
    let is_head = |head: usize| {
        let kept = |p: usize| p != head && part[p] == part[head];
        let rest = components(points, &|p| {
            successors[p].iter().copied().filter(|&to| kept(p) && kept(to)).collect()
        });
        let mut sizes = vec![0; points];
        rest.iter().for_each(|&r| sizes[r] += 1);
        (0..points).filter(|&p| kept(p)).all(|p| sizes[rest[p]] == 1 && !successors[p].contains(&p))
    };
    (0..points).map(is_head).collect()
}

struct Frame {
    point: usize,
    next: usize,
    found: bool,
}

/// Finds the cycles through `start`; `false` once there are more than `limit`.
fn search(
    start: usize,
    leaving: &[Vec<(ArcId, usize)>],
    inside: &[bool],
    limit: usize,
    cycles: &mut Vec<Vec<ArcId>>,
) -> bool {
    let mut blocked = vec![false; leaving.len()];
    let mut waits_for: Vec<Vec<usize>> = vec![Vec::new(); leaving.len()];
    let mut path: Vec<ArcId> = Vec::new();
    let mut frames = vec![Frame { point: start, next: 0, found: false }];
    blocked[start] = true;
    while let Some(frame) = frames.last_mut() {
        if let Some(&(arc, to)) = leaving[frame.point].get(frame.next) {
            frame.next += 1;
            if to == start {
                let mut cycle = path.clone();
                cycle.push(arc);
                cycles.push(cycle);
                frame.found = true;
                if cycles.len() > limit {
                    return false;
                }
            } else if inside[to] && !blocked[to] {
                blocked[to] = true;
                path.push(arc);
                frames.push(Frame { point: to, next: 0, found: false });
            }
            continue;
        }
        let done = frames.pop().expect("a frame is being looked at");
        path.pop();
        if done.found {
            unblock(done.point, &mut blocked, &mut waits_for);
        } else {
            for &(_, to) in &leaving[done.point] {
                if inside[to] && !waits_for[to].contains(&done.point) {
                    waits_for[to].push(done.point);
                }
            }
        }
        if let Some(parent) = frames.last_mut() {
            parent.found |= done.found;
        }
    }
    true
}

fn unblock(point: usize, blocked: &mut [bool], waits_for: &mut [Vec<usize>]) {
    let mut work = vec![point];
    while let Some(p) = work.pop() {
        if std::mem::replace(&mut blocked[p], false) {
            work.append(&mut waits_for[p]);
        }
    }
}

/// Strongly connected parts, without recursion.
mod parts {
    /// For each point the number of its part; points in one part reach each other.
    pub fn components(points: usize, successors: &dyn Fn(usize) -> Vec<usize>) -> Vec<usize> {
        let mut order = vec![usize::MAX; points];
        let mut low = vec![usize::MAX; points];
        let mut part = vec![usize::MAX; points];
        let mut stack = Vec::new();
        let (mut counter, mut parts) = (0, 0);
        for root in 0..points {
            if order[root] != usize::MAX {
                continue;
            }
            let mut frames = vec![(root, successors(root), 0)];
            order[root] = counter;
            low[root] = counter;
            counter += 1;
            stack.push(root);
            while let Some((p, next, position)) = frames.last_mut() {
                let p = *p;
                if let Some(&to) = next.get(*position) {
                    *position += 1;
                    if order[to] == usize::MAX {
                        order[to] = counter;
                        low[to] = counter;
                        counter += 1;
                        stack.push(to);
                        let after = successors(to);
                        frames.push((to, after, 0));
                    } else if part[to] == usize::MAX {
                        low[p] = low[p].min(order[to]);
                    }
                    continue;
                }
                frames.pop();
                if let Some((parent, ..)) = frames.last() {
                    low[*parent] = low[*parent].min(low[p]);
                }
                if low[p] == order[p] {
                    while let Some(member) = stack.pop() {
                        part[member] = parts;
                        if member == p {
                            break;
                        }
                    }
                    parts += 1;
                }
            }
        }
        part
    }
}
