//! Cycles: strongly connected components on the fly, with acceptance on edges.
//!
//! The algorithm is Couvreur's: a depth-first search keeps a stack of components, each with the acceptance sets that its edges
//! belong to. An edge back into the stack merges components; as soon as a component belongs to all sets there is a
//! cycle. Edges that make progress are not followed; what they lead to is searched later, on its own. Since components
//! are known with all their edges, conditions on who moves in them (fairness) can be added where a component is judged.

pub(crate) mod asked;
mod fairly;
pub(crate) mod product;
pub(crate) mod watching;

use crate::budget::Account;
use crate::explore::expand::{Shared, lock};
use crate::explore::memo::RowMemory;
use crate::explore::scout::{LookAhead, scout};
use crate::monitor::Monitor;
use crate::options::Limits;
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::packed::nodes::{CLOSED, Node, Nodes};
use crate::reduce::Reducer;
use crate::report::StopReason;
use certificate::verdict::ProgressReading;
use foldhash::quality::FixedState;
use product::{Followed, Product, ProductEdge, PutOff, Trouble, Unclear};
use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};
use system::clock::Instant;
use system::control::{Control, Status};
use system::interpreter::Step;

/// Moves between two looks at the limits.
const A_WHILE: usize = 4096;
/// With more visited nodes than this no shortest way is looked for.
const MOST_FOR_NEAREST: usize = 1 << 21;
/// So many looks at the clock come between two reports of progress.
const CHECKS_A_REPORT: u32 = 32;

/// What a search for cycles found.
#[derive(Clone, Debug)]
pub enum CycleOutcome {
    /// There is none, except perhaps among runs that are unclear; so many nodes and edges of the product were visited.
    None { nodes: u64, edges: u64, unclear: Option<Unclear> },
    /// A lasso: steps, and the index of the step with which the loop begins.
    Lasso { steps: Vec<Step>, loop_start: usize, nodes: u64 },
    /// The monitor is completed after these steps.
    Completed { steps: Vec<Step>, nodes: u64 },
    /// A guard of the monitor cannot be evaluated.
    GuardFails,
    /// Runs are to be fair, and there are more processes than can be told apart for that.
    TooManyProcesses,
    /// The search ended early, after so many nodes of the product.
    Stopped { reason: StopReason, nodes: u64 },
}

impl CycleOutcome {
    fn stopped(reason: StopReason) -> CycleOutcome {
        CycleOutcome::Stopped { reason, nodes: 0 }
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'q> {
    /// A run that this accepts
    pub monitor: &'q Monitor,
    /// and, if given, that makes progress only finitely often.
    pub progress: Option<ProgressReading>,
    /// Which runs count.
    pub runs: Runs,
    /// In which order successors are tried.
    pub first: First,
}

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runs {
    /// All.
    All,
    /// Those in which a process that can move for ever moves again and again. Nothing may be left out of a search for them.
    WeaklyFair,
}

/// Which successor of a node is tried first. Where there is a cycle, which one is lucky differs from model to model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum First {
    /// That of the oldest process.
    Oldest,
    /// That of the youngest process.
    Youngest,
    /// Another one at each node.
    ByTurns,
}

/// Moves of random walks that show a reducer who uses what before it relies on anything.
const MOVES_TO_LEARN_FROM: u64 = 1 << 12;

/// Looks for a run. Where moves are left out, until nothing that was relied on turns out to be wrong.
pub fn find(
    shared: &Shared<'_>,
    initial: &[u32],
    wanted: Wanted<'_>,
    limits: &Limits,
    control: &Control<'_>,
) -> CycleOutcome {
    let Some(reducer) = &shared.reducer else {
        return find_relying(shared, initial, wanted, limits, control);
    };
    loop {
        // What is remembered here rests on less than will be known when the search begins, so it is dropped.
        scout(shared, initial, MOVES_TO_LEARN_FROM, RowMemory::default(), (limits, control));
        reducer.begin();
        let outcome = find_relying(shared, initial, wanted, limits, control);
        // A run is a run, however it was found.
        let is_run = matches!(outcome, CycleOutcome::Lasso { .. } | CycleOutcome::Completed { .. });
        if !reducer.is_broken() || is_run {
            return outcome;
        }
    }
}

/// Looks for a run, relying on what is known.
fn find_relying(
    shared: &Shared<'_>,
    initial: &[u32],
    wanted: Wanted<'_>,
    limits: &Limits,
    control: &Control<'_>,
) -> CycleOutcome {
    let mut ahead = LookAhead::default();
    let made = Cell::new(0);
    let mut memory = RowMemory::default();
    loop {
        let layout = Layout::plan(&lock(&shared.knowledge).components);
        let Some(layout) = layout else { return CycleOutcome::stopped(StopReason::StateTooLarge) };
        let words = layout.words();
        let question = Question { shared, initial, wanted, limits, control, made: &made };
        let outcome = match words {
            1 => question.answer::<1>(layout, &mut memory),
            2 => question.answer::<2>(layout, &mut memory),
            4 => question.answer::<4>(layout, &mut memory),
            16 => question.answer::<16>(layout, &mut memory),
            _ => question.answer::<MOST_WORDS>(layout, &mut memory),
        };
        match outcome {
            Ok(outcome) => return outcome,
            Err(Trouble::Guard) => return CycleOutcome::GuardFails,
            Err(Trouble::TooManyProcesses) => return CycleOutcome::TooManyProcesses,
            Err(Trouble::Stopped(reason)) => return CycleOutcome::stopped(reason),
            Err(Trouble::LayoutIsFull) => {
                let moves = ahead.worth(made.get());
                memory = scout(shared, initial, moves, memory, (limits, control));
            }
        }
    }
}

struct Question<'q, 's> {
    shared: &'q Shared<'s>,
    initial: &'q [u32],
    wanted: Wanted<'q>,
    limits: &'q Limits,
    control: &'q Control<'q>,
    /// Edges that were followed, also under layouts that were too small.
    made: &'q Cell<u64>,
}

struct Component {
    order: u32,
    marks: u64,
    /// Of the edge by which the search came here.
    incoming: u64,
}

struct Frame {
    order: u32,
    begin: usize,
    next: usize,
}

struct Search<const N: usize> {
    nodes: Nodes<N>,
    components: Vec<Component>,
    stack: Vec<Frame>,
    edges: Vec<ProductEdge<N>>,
    later: Vec<Node<N>>,
    first: First,
    followed_edges: u64,
    /// Of all but the nodes, which have their own.
    account: Account,
}

/// What the search came to.
enum Hit<const N: usize> {
    /// The last component is accepted.
    Cycle,
    /// The monitor is completed by a move from this node.
    Completes(Node<N>),
}

impl Question<'_, '_> {
    fn answer<const N: usize>(
        &self,
        layout: Layout,
        memory: &mut RowMemory,
    ) -> Result<CycleOutcome, Trouble> {
        let mut product = Product::<N>::new(self.shared, layout, self.wanted, std::mem::take(memory));
        let outcome = self.answer_in(&mut product);
        if outcome.is_err() {
            *memory = product.into_memory();
        }
        outcome
    }

    fn answer_in<const N: usize>(&self, product: &mut Product<'_, '_, N>) -> Result<CycleOutcome, Trouble> {
        product.keep_cycles(self.initial, &|states| {
            self.made.set(self.made.get().max(states as u64));
            self.over_limit(states)
        })?;
        let mut search = Search::<N> {
            nodes: Nodes::new(&self.shared.budget),
            components: Vec::new(),
            stack: Vec::new(),
            edges: Vec::new(),
            later: product.initial(self.initial),
            first: self.wanted.first,
            followed_edges: 0,
            account: Account::new(&self.shared.budget),
        };
        let outcome = self.search(product, &mut search);
        self.made.set(self.made.get() + search.followed_edges);
        outcome
    }

    fn search<const N: usize>(
        &self,
        product: &mut Product<'_, '_, N>,
        search: &mut Search<N>,
    ) -> Result<CycleOutcome, Trouble> {
        let all = product.all_marks();
        let started = Instant::now();
        let most_nodes = self.limits.states.map_or(usize::MAX, |limit| limit as usize);
        let (mut since_check, mut checks) = (0, 0u32);
        while let Some(root) = search.later.pop() {
            if search.nodes.order(&root).is_some() {
                continue;
            }
            let mut hit = search.enter(product, root, 0)?;
            while hit.is_none() {
                since_check += 1;
                if since_check == A_WHILE || search.nodes.len() > most_nodes {
                    since_check = 0;
                    checks += 1;
                    if checks.is_multiple_of(CHECKS_A_REPORT) {
                        self.report(search, started);
                    }
                    if let Some(reason) = self.reason_to_stop(search, product) {
                        let nodes = search.nodes.len() as u64;
                        return Ok(CycleOutcome::Stopped { reason, nodes });
                    }
                }
                let Some(frame) = search.stack.last_mut() else { break };
                if frame.next == search.edges.len() {
                    search.leave();
                    continue;
                }
                let edge = search.edges[frame.next];
                frame.next += 1;
                hit = search.go_along(product, edge, all)?;
            }
            let nodes = search.nodes.len() as u64;
            match hit {
                None => {}
                Some(Hit::Completes(node)) => {
                    let found = self.way_to(product, search, |other| *other == node)?;
                    let steps = found.map(|(steps, _)| steps).unwrap_or_default();
                    return Ok(CycleOutcome::Completed { steps, nodes });
                }
                Some(Hit::Cycle) => return self.lasso(product, search, all, nodes),
            }
        }
        let edges = search.followed_edges;
        Ok(CycleOutcome::None { nodes: search.nodes.len() as u64, edges, unclear: product.unclear() })
    }

    /// The steps to a node that is wanted, which the search has met, and that node: the nearest within what was visited, or, where
    /// that is much, where the search itself came by.
    fn way_to<const N: usize>(
        &self,
        product: &mut Product<'_, '_, N>,
        search: &Search<N>,
        wanted: impl Fn(&Node<N>) -> bool,
    ) -> Result<Option<(Vec<Step>, Node<N>)>, Trouble> {
        // What follows a cut is searched on its own, from where no stack leads back to the beginning.
        let fits = self.shared.budget.allows(bytes_of_origins::<N>(2 * search.nodes.len()));
        if (search.nodes.len() <= MOST_FOR_NEAREST && fits) || self.wanted.progress.is_some() {
            return Way { product, question: self, search }.to(wanted);
        }
        let mut steps = Vec::new();
        for frame in &search.stack {
            let Some(node) = search.nodes.live_from(frame.order).next() else { return Ok(None) };
            if wanted(&node) {
                return Ok(Some((steps, node)));
            }
            let Some(taken) = frame.next.checked_sub(1) else { return Ok(None) };
            if let Some(ordinal) = search.edges[taken].ordinal {
                steps.extend(product.steps(&node.0, ordinal).unwrap_or_default());
            }
        }
        Ok(None)
    }

    /// A way into the last component, and a cycle in it through all acceptance sets.
    fn lasso<const N: usize>(
        &self,
        product: &mut Product<'_, '_, N>,
        search: &Search<N>,
        all: u64,
        nodes: u64,
    ) -> Result<CycleOutcome, Trouble> {
        let first = search.components.last().map_or(0, |component| component.order);
        let members: HashSet<Node<N>, FixedState> = search.nodes.live_from(first).collect();
        let found = self.way_to(product, search, |node| members.contains(node))?;
        let Some((mut steps, entry)) = found else {
            return Ok(CycleOutcome::Stopped { reason: StopReason::TraceNotConfirmed, nodes });
        };
        let loop_start = steps.len();
        let mut at = entry;
        let mut missing = all;
        // To an edge of each missing set in turn, and then back to where it began. Without sets any edge will do.
        loop {
            let inside = |edge: &ProductEdge<N>| !edge.cut && members.contains(&edge.target);
            let goal = |edge: &ProductEdge<N>| {
                if missing == 0 { edge.target == entry } else { edge.marks & missing != 0 }
            };
            let Some((more, end, marks)) = walk_inside(product, at, inside, goal)? else {
                return Ok(CycleOutcome::Stopped { reason: StopReason::TraceNotConfirmed, nodes });
            };
            steps.extend(more);
            at = end;
            let closes = missing == 0;
            missing &= !marks;
            if closes || (missing == 0 && at == entry) {
                return Ok(CycleOutcome::Lasso { steps, loop_start, nodes });
            }
        }
    }

    fn reason_to_stop<const N: usize>(
        &self,
        search: &Search<N>,
        product: &Product<'_, '_, N>,
    ) -> Option<StopReason> {
        search.note_bytes(product);
        self.over_limit(search.nodes.len())
    }

    fn over_limit(&self, nodes: usize) -> Option<StopReason> {
        if let Some(limit) = self.limits.states.filter(|&limit| nodes as u64 > limit) {
            return Some(StopReason::States(limit));
        }
        self.out_of_memory().or_else(|| self.out_of_time())
    }

    fn out_of_memory(&self) -> Option<StopReason> {
        let budget = &self.shared.budget;
        budget.limit().filter(|_| budget.is_over()).map(StopReason::Memory)
    }

    fn report<const N: usize>(&self, search: &Search<N>, started: Instant) {
        let states = search.nodes.len() as u64;
        self.control.report(Status {
            states,
            transitions: search.followed_edges,
            depth: search.stack.len() as u64,
            waiting: search.stack.len() as u64,
            memory: self.shared.budget.used(),
            rate: states as f64 / started.elapsed().as_secs_f64().max(1e-9),
            together: None,
        });
    }

    fn out_of_time(&self) -> Option<StopReason> {
        // What was relied on does not hold: whoever asked for this search will ask again.
        let is_broken = self.shared.reducer.as_ref().is_some_and(Reducer::is_broken);
        if self.control.is_cancelled() || is_broken {
            return Some(StopReason::Cancelled);
        }
        self.limits.deadline.filter(|&deadline| Instant::now() > deadline).map(|_| StopReason::Deadline)
    }
}

impl<const N: usize> Search<N> {
    /// Puts what grows by a little at a time on account.
    fn note_bytes(&self, product: &Product<'_, '_, N>) {
        let stack = self.stack.capacity() * size_of::<Frame>()
            + self.components.capacity() * size_of::<Component>()
            + self.edges.capacity() * size_of::<ProductEdge<N>>()
            + self.later.capacity() * size_of::<Node<N>>();
        self.account.set(stack + product.bytes());
    }

    fn enter(
        &mut self,
        product: &mut Product<'_, '_, N>,
        node: Node<N>,
        incoming: u64,
    ) -> Result<Option<Hit<N>>, Trouble> {
        let order = self.nodes.add(&node);
        self.components.push(Component { order, marks: 0, incoming });
        let begin = self.edges.len();
        let mut followed = product.follow(&node, &mut self.edges)?;
        let put_off_by = product.put_off_by();
        if put_off_by != PutOff::Never
            && self.edges[begin..].iter().any(|edge| self.puts_off(put_off_by, edge, order))
        {
            self.edges.truncate(begin);
            product.follow_fully(&node.0);
            followed = product.follow(&node, &mut self.edges)?;
        }
        let edges = &mut self.edges[begin..];
        self.followed_edges += edges.len() as u64;
        match self.first {
            First::Oldest => {}
            First::Youngest => edges.reverse(),
            First::ByTurns if edges.is_empty() => {}
            First::ByTurns => edges.rotate_left(order.wrapping_mul(0x9E37_79B9) as usize % edges.len()),
        }
        edges.iter().for_each(|edge| self.nodes.prefetch(&edge.target));
        self.stack.push(Frame { order, begin, next: begin });
        Ok((followed == Followed::Completes).then_some(Hit::Completes(node)))
    }

    /// Whether an edge of the node with an order, which was just entered, leads where moves may be put off for ever.
    fn puts_off(&self, put_off_by: PutOff, edge: &ProductEdge<N>, entered: u32) -> bool {
        let is_on_stack =
            |order: u32| order == entered || self.stack.binary_search_by_key(&order, |f| f.order).is_ok();
        match (put_off_by, self.nodes.order(&edge.target)) {
            (PutOff::Never, _) | (_, None) | (PutOff::OnExecution, Some(CLOSED)) => false,
            (PutOff::OnExecution, Some(order)) => is_on_stack(order),
            (PutOff::OnVisited, Some(_)) => true,
        }
    }

    fn go_along(
        &mut self,
        product: &mut Product<'_, '_, N>,
        edge: ProductEdge<N>,
        all: u64,
    ) -> Result<Option<Hit<N>>, Trouble> {
        match self.nodes.order(&edge.target) {
            None if edge.cut => {
                self.later.push(edge.target);
                Ok(None)
            }
            None => self.enter(product, edge.target, edge.marks),
            Some(CLOSED) => Ok(None),
            Some(_) if edge.cut => Ok(None),
            Some(order) => {
                let mut marks = edge.marks;
                while let Some(component) = self.components.pop_if(|component| component.order > order) {
                    marks |= component.marks | component.incoming;
                }
                let Some(component) = self.components.last_mut() else { return Ok(None) };
                component.marks |= marks;
                Ok((component.marks & all == all).then_some(Hit::Cycle))
            }
        }
    }

    fn leave(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        self.edges.truncate(frame.begin);
        if self.components.pop_if(|component| component.order == frame.order).is_some() {
            self.nodes.close_from(frame.order);
        }
    }
}

/// Shortest ways from the initial nodes through what was visited, breadth first.
struct Way<'w, 'q, 't, 'a, 's, const N: usize> {
    product: &'w mut Product<'a, 's, N>,
    question: &'w Question<'q, 't>,
    search: &'w Search<N>,
}

/// How a node was reached: from which node, by which of the system's moves.
type Origins<const N: usize> = HashMap<Node<N>, (Node<N>, Option<u32>), FixedState>;

/// Bytes for so many nodes that were reached, also while they are copied to a larger place.
fn bytes_of_origins<const N: usize>(nodes: usize) -> usize {
    3 * nodes * (size_of::<(Node<N>, (Node<N>, Option<u32>))>() + 1) * 8 / 7
}

impl<const N: usize> Way<'_, '_, '_, '_, '_, N> {
    /// The steps to the nearest node that is wanted, and that node.
    fn to(self, wanted: impl Fn(&Node<N>) -> bool) -> Result<Option<(Vec<Step>, Node<N>)>, Trouble> {
        let starts = self.product.initial(self.question.initial);
        let mut origins: Origins<N> = starts.iter().map(|&node| (node, (node, None))).collect();
        let mut queue: VecDeque<Node<N>> = starts.iter().copied().collect();
        let mut edges = Vec::new();
        let mut visited = 0u32;
        let account = Account::new(&self.question.shared.budget);
        while let Some(node) = queue.pop_front() {
            visited += 1;
            if visited.is_multiple_of(4096) {
                account.set(bytes_of_origins::<N>(origins.capacity()));
                let reason = self.question.out_of_memory().or_else(|| self.question.out_of_time());
                if let Some(reason) = reason {
                    return Err(Trouble::Stopped(reason));
                }
            }
            if wanted(&node) {
                let steps = retrace(self.product, &origins, node, |at| starts.contains(at));
                return Ok(steps.map(|steps| (steps, node)));
            }
            edges.clear();
            self.product.follow(&node, &mut edges)?;
            for edge in edges.iter().filter(|edge| self.search.nodes.order(&edge.target).is_some()) {
                origins.entry(edge.target).or_insert_with(|| {
                    queue.push_back(edge.target);
                    (node, edge.ordinal)
                });
            }
        }
        Ok(None)
    }
}

/// Steps, where they end, and the marks of the last edge.
type Walked<const N: usize> = (Vec<Step>, Node<N>, u64);

/// The steps from a node along edges inside a component to and including an edge that is wanted.
fn walk_inside<const N: usize>(
    product: &mut Product<'_, '_, N>,
    from: Node<N>,
    inside: impl Fn(&ProductEdge<N>) -> bool,
    goal: impl Fn(&ProductEdge<N>) -> bool,
) -> Result<Option<Walked<N>>, Trouble> {
    let mut origins: Origins<N> = HashMap::default();
    origins.insert(from, (from, None));
    let mut queue = VecDeque::from([from]);
    let mut edges = Vec::new();
    while let Some(node) = queue.pop_front() {
        edges.clear();
        product.follow(&node, &mut edges)?;
        for edge in edges.iter().filter(|edge| inside(edge)) {
            if goal(edge) {
                let Some(mut steps) = retrace(product, &origins, node, |at| *at == from) else {
                    return Ok(None);
                };
                if let Some(ordinal) = edge.ordinal {
                    steps.extend(product.steps(&node.0, ordinal).unwrap_or_default());
                }
                return Ok(Some((steps, edge.target, edge.marks)));
            }
            origins.entry(edge.target).or_insert_with(|| {
                queue.push_back(edge.target);
                (node, edge.ordinal)
            });
        }
    }
    Ok(None)
}

fn retrace<const N: usize>(
    product: &mut Product<'_, '_, N>,
    origins: &Origins<N>,
    to: Node<N>,
    is_start: impl Fn(&Node<N>) -> bool,
) -> Option<Vec<Step>> {
    let mut pieces = Vec::new();
    let mut at = to;
    while !is_start(&at) {
        let &(before, ordinal) = origins.get(&at)?;
        if let Some(ordinal) = ordinal {
            pieces.push(product.steps(&before.0, ordinal)?);
        }
        at = before;
    }
    pieces.reverse();
    Some(pieces.concat())
}
