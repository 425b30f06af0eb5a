//! Decision trees over the components of packed states.
//!
//! A node asks for the number of one component; each answer leads to another node or to a leaf. Whoever adds a leaf names the components that
//! it rests on, and all of them are asked for on the way to it, so a leaf that is found was computed for what is there.

use crate::explore::memo_cache::Cache;
use crate::packed::components::ComponentId;
use crate::packed::layout::Layout;

/// The nodes of all trees. A **link** is 0 (nothing), a leaf, or one more than the index of a node.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Links of nodes with few answers, side by side.
    links: Vec<u32>,
    /// How many leaves were added.
    leaves: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    component: ComponentId,
    word: u8,
    shift: u8,
    width: u8,
    /// The first of its links, or [`IN_CACHE`].
    links: u32,
}

/// Components and their numbers on the way to a leaf.
pub type Path = [(ComponentId, u32)];

/// Which row.
pub type RowId = (u32, u32);

const LEAF: u32 = 1 << 31;
/// The links of a node are in a cache, under its link and the number.
const IN_CACHE: u32 = u32::MAX;
/// Components with at most this many bits have a list of links.
const LISTED_BITS: u32 = 5;
/// The same as long as lists are short beside what they are for: links of one node lie side by side, and those of states that come one after
/// another are near each other, which they are not in a cache.
const LISTED_BITS_OF_FEW: u32 = 10;
/// Links in lists for each leaf, up to which longer lists are made.
const LINKS_PER_LEAF: usize = 1 << 5;

impl Tree {
    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.links.capacity() * size_of::<u32>()
    }

    /// The leaf for a state; 0 if there is none.
    #[inline]
    pub fn find<const N: usize>(&self, root: u32, state: &[u64; N], cache: &Cache) -> u32 {
        let mut link = root;
        while link != 0 && link & LEAF == 0 {
            let node = &self.nodes[link as usize - 1];
            link = self.follow(link, node, node.number(state), cache);
        }
        link & !LEAF
    }

    /// Adds a leaf that rests on some components, for which there mostly is none yet; the new root.
    pub fn insert<const N: usize>(
        &mut self,
        root: u32,
        state: &[u64; N],
        layout: &Layout,
        components: &[ComponentId],
        leaf: u32,
        cache: &mut Cache,
    ) -> u32 {
        let mut asked = Vec::new();
        let (mut link, mut last) = (root, None);
        while link != 0 && link & LEAF == 0 {
            let node = self.nodes[link as usize - 1];
            asked.push(node.component);
            last = Some((link, node.number(state)));
            link = self.follow(link, &node, node.number(state), cache);
        }
        self.leaves += 1;
        // If there is a leaf already, it gives way. From the new leaf upwards.
        let mut below = leaf | LEAF;
        for &component in components.iter().rev() {
            let field = layout.field(component);
            if field.width == 0 || asked.contains(&component) {
                continue;
            }
            let (word, shift, width) = (field.word as u8, field.shift as u8, field.width as u8);
            let first = self.links.len();
            let is_listed = field.width <= LISTED_BITS
                || (field.width <= LISTED_BITS_OF_FEW
                    && first + (1 << field.width) <= LINKS_PER_LEAF * self.leaves);
            let links = if is_listed {
                self.links.resize(first + (1 << width), 0);
                first as u32
            } else {
                IN_CACHE
            };
            self.nodes.push(Node { component, word, shift, width, links });
            let node = self.nodes.len() as u32;
            self.set(node, field.get(state), below, cache);
            below = node;
        }
        match last {
            Some((node, number)) => {
                self.set(node, number, below, cache);
                root
            }
            None => below,
        }
    }

    /// Calls `visit` with every leaf of some trees.
    pub fn for_each(&self, roots: &[(RowId, u32)], cache: &Cache, mut visit: impl FnMut(RowId, &Path, u32)) {
        let mut in_cache: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.nodes.len() + 1];
        if !self.nodes.is_empty() {
            cache.for_each(|node, number, link| in_cache[node as usize].push((number as u32, link)));
        }
        let mut path = Vec::new();
        for &(row, root) in roots {
            let mut waiting = vec![(0, None, root)];
            while let Some((depth, answer, link)) = waiting.pop() {
                path.truncate(depth);
                path.extend(answer);
                if link & LEAF != 0 {
                    visit(row, &path, link & !LEAF);
                } else if link != 0 {
                    let node = &self.nodes[link as usize - 1];
                    let answers = path.len();
                    let mut next =
                        |number, link| waiting.push((answers, Some((node.component, number)), link));
                    if node.links == IN_CACHE {
                        in_cache[link as usize].iter().for_each(|&(number, link)| next(number, link));
                    } else {
                        let list = &self.links[node.links as usize..][..1 << node.width];
                        let links = list.iter().enumerate().filter(|&(_, &link)| link != 0);
                        links.for_each(|(number, &link)| next(number as u32, link));
                    }
                }
            }
        }
    }

    #[inline]
    fn follow(&self, link: u32, node: &Node, number: u32, cache: &Cache) -> u32 {
        match node.links {
            IN_CACHE => cache.get(link, u64::from(number)),
            first => self.links[(first + number) as usize],
        }
    }

    fn set(&mut self, link: u32, number: u32, to: u32, cache: &mut Cache) {
        match self.nodes[link as usize - 1].links {
            IN_CACHE => cache.insert(link, u64::from(number), to),
            first => self.links[(first + number) as usize] = to,
        }
    }
}

impl Node {
    #[inline]
    fn number<const N: usize>(&self, state: &[u64; N]) -> u32 {
        let word = if N == 1 { state[0] } else { state[self.word as usize] };
        ((word >> self.shift) & ((1 << self.width) - 1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::packed::components::{Components, Divided};
    use system::state::State;

    fn dice(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as u32
    }

    /// A layout of components with many and with few values.
    fn layout() -> (Components, Layout) {
        let text = "byte a, b, c, d; active proctype P() { skip }";
        let (model, _) = promela::read("test.pml", text, &promela::Options::default(), &promela::NoIncludes);
        let (system, _) = system::lower::lower(model);
        let interpreter =
            system::interpreter::Interpreter::new(&system, system::interpreter::Capacities::Declared);
        let Ok(initial) = interpreter.initial_state() else { panic!("there is one") };
        let mut components = Components::new(&system, &initial, &Divided::None, &Budget::new(None));
        let mut numbers = Vec::new();
        for value in 0..200 {
            let globals = initial.globals.iter().enumerate();
            let globals = globals.map(|(slot, _)| value % [3, 200, 5, 100][slot % 4]).collect();
            components.encode(&State { globals, ..initial.clone() }, &mut numbers);
        }
        let layout = Layout::plan(&components).expect("it is small");
        (components, layout)
    }

    #[test]
    fn what_is_found_is_what_was_computed_from_the_components_that_were_read() {
        let (components, layout) = layout();
        let globals: Vec<ComponentId> = (0..4).map(|slot| components.global(slot)).collect();
        // Reads one component, and depending on that others.
        let compute = |state: &[u64; 1]| {
            let first = layout.number(state, globals[0]);
            let second = globals[1 + first as usize % 3];
            let answer = layout.number(state, second);
            let mut read = vec![globals[0], second];
            if answer % 2 == 1 {
                read.push(globals[3]);
            }
            let last = if answer % 2 == 1 { layout.number(state, globals[3]) } else { 7 };
            (read, 1 + 1000 * first + 3 * answer + last)
        };
        let (mut tree, mut cache, mut root, mut seed) = (Tree::default(), Cache::default(), 0, 1);
        let (mut hits, mut misses) = (0, 0);
        for _ in 0..20_000 {
            let number = |component: ComponentId| match globals.iter().position(|&other| other == component) {
                Some(slot) => dice(&mut seed.clone()).rotate_left(7 * slot as u32) % [3, 200, 5, 100][slot],
                None => 0,
            };
            let state = layout.pack::<1>(number);
            dice(&mut seed);
            let (read, wanted) = compute(&state);
            match tree.find(root, &state, &cache) {
                0 => {
                    root = tree.insert(root, &state, &layout, &read, wanted, &mut cache);
                    misses += 1;
                }
                found => {
                    assert_eq!(found, wanted);
                    hits += 1;
                }
            }
            assert_eq!(tree.find(root, &state, &cache), wanted);
        }
        assert!(hits > 4 * misses, "{hits} and {misses}");
        let mut leaves = 0;
        tree.for_each(&[((0, 0), root)], &cache, |_, path, leaf| {
            let number = |component| path.iter().find(|(other, _)| *other == component).map_or(0, |at| at.1);
            assert_eq!(compute(&layout.pack::<1>(number)).1, leaf);
            leaves += 1;
        });
        assert_eq!(leaves, misses);
    }
}
