//! Runs in which buffers grow for ever, and other searches that go straight for something on packed states with unbounded queues.
//!
//! A pump is a run that ends with steps that can be repeated for ever while buffers grow. [`certificate::pump`] knows all the conditions and judges
//! every candidate; here is only where to look. There are several ways to look ([`Strategy`]), none of which is best for every model, and each
//! of which may go on for ever. So they take turns, and each turn is as long as all turns of that strategy before: whatever one of them finds
//! after n moves is found after a small multiple of n.

mod ancestors;
pub mod fullest;
mod ground;
mod inside;
mod judge;
pub mod lassos;
mod stalled;
mod tree;

use crate::budget::Budget;
use crate::explore::expand::{LayoutIsFull, Shared, lock};
use crate::options::{Limits, Properties};
use crate::prepare_with;
use crate::report::StopReason;
use ancestors::{Alike, Ancestors};
use certificate::pids;
use certificate::potential::Progress;
use certificate::pump::{ConfirmedPump, PumpQuestion};
use ground::{Ground, Journey, Meter, Suspended};
use judge::Judge;
use stalled::{LoopGraph, Loops};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use system::automaton::{AutomatonId, DStepNodeId, EdgeId, System};
use system::code::slice::without_what_nobody_needs;
use system::control::Control;
use system::interpreter::{Capacities, Interpreter, RuntimeError};
use system::progress::{ProgressAt, ProgressStatements, StatementId};
use system::state::{ChannelId, Pid};
use tree::{Grown, Id, Order, Scope, Tree};

/// What to look for, and how far.
pub struct PumpOptions<'o> {
    /// What a pump is to show. Where it is a livelock, only steps without progress are repeated.
    pub question: PumpQuestion,
    /// Which buffers still want a pump that makes them grow. Asked anew all the time; where none is open, the search ends.
    pub is_open: &'o dyn Fn(ChannelId) -> bool,
    /// Statements that a proof could not exclude, if there are such by now: what is repeated may be made of them. Asked anew now and then.
    pub suspicious: &'o dyn Fn() -> BTreeSet<(AutomatonId, EdgeId)>,
    /// When to give up.
    pub limits: Limits,
}

/// How a search towards something ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirectedOutcome {
    /// With what was wanted, or because nobody wants more.
    Reached,
    /// All that it could look at was looked at.
    Exhausted,
    /// Early.
    Stopped(StopReason),
}

/// Figures of a search for pumps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PumpReport {
    /// How it ended. [`DirectedOutcome::Exhausted`]: there are finitely many states within SPIN's limits on processes and channels. But that was no search for anything
    /// else, and nothing should be concluded from it that an [exploration](crate::explore()) does not say.
    pub outcome: DirectedOutcome,
    /// States that were visited, by all strategies together.
    pub states: u64,
    /// Runs that were judged.
    pub candidates: u64,
}

/// Looks for pumps and tells each that was confirmed, until `found` says that it is enough or nothing is open any more. The error is that of
/// a model without an initial state.
pub fn find(
    system: &System,
    options: &PumpOptions<'_>,
    control: &Control<'_>,
    found: &mut dyn FnMut(ConfirmedPump) -> ControlFlow<()>,
) -> Result<PumpReport, RuntimeError> {
    // Counters that nobody reads keep states apart, and the judge does not ask for them. Formulas and fairness may.
    let slice = leaves_others(&options.question).then(|| without_what_nobody_needs(system, &[])).flatten();
    let searched = slice.as_ref().map_or(system, |slice| &slice.system);
    let interpreter = Interpreter::new(searched, Capacities::Unbounded);
    let (mut shared, initial) = prepare_with(interpreter, Properties::none(), &options.limits, 1, None)?;
    shared.progress = match options.question.progress() {
        None => ProgressStatements::default(),
        Some(Progress::Labels) => ProgressStatements::new(system, &ProgressAt::Labels),
        Some(Progress::At(statements)) => statements
            .iter()
            .map(|statement| StatementId {
                automaton: AutomatonId(statement.automaton),
                edge: EdgeId(statement.edge),
                inside: statement.inside.map(|(node, choice)| (DStepNodeId(node), choice)),
            })
            .collect(),
    };
    let judge = Judge::new(system, &options.question, options.is_open, found);
    let mut hunt = Hunt::new(&shared, options, control, judge);
    let outcome = ground::run(&shared, &initial, &mut Suspended::default(), &mut hunt);
    Ok(PumpReport {
        outcome: outcome.unwrap_or_else(DirectedOutcome::Stopped),
        states: hunt.states(),
        candidates: hunt.judge.candidates,
    })
}

/// Whether the judge accepts pumps that leave other values in variables that decide nothing.
fn leaves_others(question: &PumpQuestion) -> bool {
    matches!(question, PumpQuestion::Unbounded | PumpQuestion::Livelock(_))
}

/// One way to look for pumps.
struct Strategy {
    kind: Kind,
    tree: Tree,
    ancestors: Ancestors,
    /// Moves that it has made.
    spent: u64,
    /// It has nothing to do until others have gone on.
    waits: bool,
    is_exhausted: bool,
}

enum Kind {
    /// All states, the nearest first, each compared with its ancestors.
    Breadth,
    /// The same states and ancestors, but there may be more processes each time. It has no tree of its own.
    MoreProcesses,
    /// The same states and ancestors, but variables may differ. It has no tree of its own.
    SamePlaces,
    /// From each of those states along suspicious statements only; this one is next.
    Guided(Id),
    /// One process moves and all others stand still: it may go round a long loop, and shows what it sends where nobody else would have let it.
    Alone,
    /// Straight towards states in which a buffer is fuller.
    Filling(ChannelId),
    /// Nobody empties this buffer, nor perhaps some others.
    Stalled(ChannelId, Loops),
}

/// How far a strategy has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Advanced {
    /// By so many moves.
    By(u64),
    /// It cannot go on before others have.
    Waits,
    /// It will never go on.
    ToItsEnd,
}

struct Hunt<'h> {
    /// Pumps with more processes each time may be looked for as soon as somebody starts processes.
    may_hand_on: bool,
    /// Pumps that leave other values in variables may be looked for.
    may_leave_others: bool,
    suspicious: &'h dyn Fn() -> BTreeSet<(AutomatonId, EdgeId)>,
    meter: Meter<'h>,
    judge: Judge<'h>,
    /// The first is [`Kind::Breadth`].
    strategies: Vec<Strategy>,
    tried: BTreeSet<Scope>,
    /// Whose turn it is, and how many moves are left of it.
    turn: usize,
    left: u64,
    /// States of strategies that were given up.
    left_behind: u64,
}

/// Moves of a strategy's first turn.
const FIRST_TURN: u64 = 256;
/// Moves between two looks at the clock.
const A_WHILE: u64 = 256;

impl Strategy {
    fn new(kind: Kind, scope: Scope, order: Order, budget: &Arc<Budget>) -> Strategy {
        let alike = match kind {
            Kind::MoreProcesses => Alike::MoreProcesses,
            Kind::SamePlaces => Alike::SamePlaces,
            _ => Alike::SameProcesses,
        };
        let keeps_edges = matches!(kind, Kind::Stalled(..));
        let tree = Tree::new(scope, order, keeps_edges, budget);
        let ancestors = Ancestors::new(alike, budget);
        Strategy { kind, tree, ancestors, spent: 0, waits: false, is_exhausted: false }
    }

    /// Moves of its next turn: as many as it has made.
    fn length_of_turn(&self) -> u64 {
        self.spent.max(FIRST_TURN)
    }

    /// Compares the next state with its ancestors; if there is none, makes more.
    fn compare_or_grow<const N: usize>(
        &mut self,
        ground: &mut Ground<'_, '_, N>,
        judge: &mut Judge<'_>,
    ) -> Result<Advanced, LayoutIsFull> {
        self.tree.plant(ground)?;
        if let Some(cost) = self.ancestors.compare_next(ground, &self.tree, judge, None)? {
            return Ok(Advanced::By(cost));
        }
        match self.tree.grow(ground)? {
            Grown::Exhausted => Ok(Advanced::ToItsEnd),
            Grown::By(cost) => Ok(Advanced::By(cost)),
        }
    }
}

impl<'h> Hunt<'h> {
    fn new(
        shared: &Shared<'_>,
        options: &'h PumpOptions<'h>,
        control: &'h Control<'h>,
        judge: Judge<'h>,
    ) -> Hunt<'h> {
        let (system, budget) = (shared.interpreter.system(), &shared.budget);
        Hunt {
            suspicious: options.suspicious,
            may_leave_others: leaves_others(&options.question),
            may_hand_on: options.question == PumpQuestion::Unbounded && !pids::are_observed(system),
            meter: Meter::new(&options.limits, budget, control),
            judge,
            strategies: vec![Strategy::new(Kind::Breadth, Scope::default(), Order::Breadth, budget)],
            tried: BTreeSet::new(),
            turn: 0,
            left: FIRST_TURN,
            left_behind: 0,
        }
    }

    fn states(&self) -> u64 {
        self.left_behind + self.strategies.iter().map(|strategy| strategy.tree.len() as u64).sum::<u64>()
    }

    /// After everybody had a turn: what is of no use any more goes, and what the steps so far suggest comes.
    fn begin_round<const N: usize>(&mut self, ground: &Ground<'_, '_, N>) -> Option<DirectedOutcome> {
        let buffers = ground.buffers();
        let open: BTreeSet<ChannelId> =
            buffers.iter().copied().filter(|&channel| self.judge.is_open(channel)).collect();
        // A round without progress that only counts needs no buffer.
        let needs_none = buffers.is_empty() && self.judge.wants([].into_iter());
        if open.is_empty() && !needs_none {
            return Some(DirectedOutcome::Reached);
        }
        let (judge, left_behind) = (&self.judge, &mut self.left_behind);
        self.strategies.retain(|strategy| {
            let is_of_use = match strategy.kind {
                Kind::Breadth | Kind::MoreProcesses | Kind::SamePlaces | Kind::Guided(_) | Kind::Alone => {
                    true
                }
                Kind::Filling(channel) | Kind::Stalled(channel, _) => judge.is_open(channel),
            };
            *left_behind += if is_of_use { 0 } else { strategy.tree.len() as u64 };
            is_of_use
        });
        let budget = &ground.shared().budget;
        let traffic = lock(&ground.shared().knowledge).traffic().clone();
        if self.may_hand_on && !traffic.starters.is_empty() {
            self.may_hand_on = false;
            let (kind, scope) = (Kind::MoreProcesses, Scope::default());
            self.strategies.push(Strategy::new(kind, scope, Order::Breadth, budget));
        }
        if std::mem::take(&mut self.may_leave_others) {
            let (kind, scope) = (Kind::SamePlaces, Scope::default());
            self.strategies.push(Strategy::new(kind, scope, Order::Breadth, budget));
        }
        let suspicious = (self.suspicious)();
        let scope = Scope { along: Some(suspicious), ..Scope::default() };
        if scope.along.as_ref().is_some_and(|along| !along.is_empty()) && self.tried.insert(scope.clone()) {
            self.strategies.push(Strategy::new(Kind::Guided(0), scope, Order::Breadth, budget));
        }
        for pid in 0..lock(&ground.shared().knowledge).components.process_slots() as u32 {
            let scope = Scope { moving: Some(BTreeSet::from([Pid(pid)])), ..Scope::default() };
            if self.tried.insert(scope.clone()) {
                self.strategies.push(Strategy::new(Kind::Alone, scope, Order::Breadth, budget));
            }
        }
        for &channel in &open {
            let is_there =
                |strategy: &Strategy| matches!(strategy.kind, Kind::Filling(other) if other == channel);
            if !self.strategies.iter().any(is_there) {
                let order = Order::Fullest(channel);
                let (kind, scope) = (Kind::Filling(channel), Scope::default());
                self.strategies.push(Strategy::new(kind, scope, order, budget));
            }
            for scope in traffic.stalled_scopes(channel) {
                if self.tried.insert(scope.clone()) {
                    let kind = Kind::Stalled(channel, Loops::new());
                    self.strategies.push(Strategy::new(kind, scope, Order::Emptiest, budget));
                }
            }
        }
        None
    }

    /// One move, or what comes to the same, of the strategy whose turn it is.
    fn advance<const N: usize>(&mut self, ground: &mut Ground<'_, '_, N>) -> Result<Advanced, LayoutIsFull> {
        let judge = &mut self.judge;
        let (first, others) = self.strategies.split_at_mut(1);
        let breadth = &mut first[0];
        let Some(place) = self.turn.checked_sub(1) else { return breadth.compare_or_grow(ground, judge) };
        let Strategy { kind, tree, ancestors, .. } = &mut others[place];
        match kind {
            Kind::Breadth | Kind::Alone | Kind::Filling(_) => others[place].compare_or_grow(ground, judge),
            Kind::MoreProcesses | Kind::SamePlaces => {
                let compared = ancestors.compare_next(ground, &breadth.tree, judge, None)?;
                Ok(compared.map_or(Advanced::Waits, Advanced::By))
            }
            Kind::Guided(next_root) => {
                if let Some(cost) = ancestors.compare_next(ground, tree, judge, Some(&breadth.tree))? {
                    return Ok(Advanced::By(cost));
                }
                let grown = tree.grow(ground)?;
                if (*next_root as usize) < breadth.tree.len() {
                    tree.plant_at(ground, breadth.tree.state(*next_root), *next_root);
                    *next_root += 1;
                } else if grown == Grown::Exhausted {
                    return Ok(Advanced::Waits);
                }
                Ok(Advanced::By(grown.cost()))
            }
            Kind::Stalled(_, loops) => {
                tree.plant(ground)?;
                if loops.are_due(tree) && self.meter.lacks(LoopGraph::bytes_of(tree)).is_none() {
                    return Ok(Advanced::By(loops.look(ground, tree, judge)?));
                }
                let grown = tree.grow(ground)?;
                if grown == Grown::Exhausted {
                    if self.meter.lacks(LoopGraph::bytes_of(tree)).is_some() {
                        return Ok(Advanced::Waits);
                    }
                    loops.look(ground, tree, judge)?;
                    return Ok(Advanced::ToItsEnd);
                }
                Ok(Advanced::By(grown.cost()))
            }
        }
    }

    /// Whether all states were visited and compared: then they are finitely many, and nothing grows for ever.
    fn has_seen_everything(&self) -> bool {
        let is_waiting = |strategy: &Strategy| {
            !matches!(strategy.kind, Kind::MoreProcesses | Kind::SamePlaces) || strategy.waits
        };
        self.strategies[0].is_exhausted && self.strategies.iter().all(is_waiting)
    }
}

impl Journey for Hunt<'_> {
    type End = DirectedOutcome;

    fn trees(&mut self) -> Vec<&mut Tree> {
        self.strategies.iter_mut().map(|strategy| &mut strategy.tree).collect()
    }

    fn travel<const N: usize>(
        &mut self,
        ground: &mut Ground<'_, '_, N>,
    ) -> Result<DirectedOutcome, LayoutIsFull> {
        // The clock is looked at first of all: layouts may become too small one after another.
        let mut since_check = A_WHILE;
        loop {
            while let Some(strategy) = self.strategies.get(self.turn) {
                if self.left == 0 || strategy.is_exhausted {
                    self.turn += 1;
                    self.left = self.strategies.get(self.turn).map_or(0, Strategy::length_of_turn);
                    continue;
                }
                let advanced = self.advance(ground)?;
                let strategy = &mut self.strategies[self.turn];
                strategy.waits = advanced == Advanced::Waits;
                strategy.is_exhausted = advanced == Advanced::ToItsEnd;
                let cost = if let Advanced::By(cost) = advanced { cost } else { self.left };
                strategy.spent += cost;
                self.left = self.left.saturating_sub(cost);
                since_check += cost;
                if self.judge.is_done {
                    return Ok(DirectedOutcome::Reached);
                }
                if since_check >= A_WHILE {
                    since_check = 0;
                    if let Some(reason) = self.meter.exhausted() {
                        return Ok(DirectedOutcome::Stopped(reason));
                    }
                }
            }
            if let Some(reason) = self.meter.over(self.states()) {
                return Ok(DirectedOutcome::Stopped(reason));
            }
            if let Some(outcome) = self.begin_round(ground) {
                return Ok(outcome);
            }
            if self.has_seen_everything() {
                return Ok(DirectedOutcome::Exhausted);
            }
            self.turn = 0;
            self.left = self.strategies[0].length_of_turn();
        }
    }
}
