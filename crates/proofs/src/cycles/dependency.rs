//! Which cycle cannot go on for ever without which others.
//!
//! A dependency `(c, S)` says: in every infinite run that repeats c for ever, some cycle of S is repeated for ever. `(n, c, S)` says
//! besides: every n times that c is repeated, some cycle of S is (the study, definition 1; Ciclo, section VII-A). Where they come from:
//! a condition on which c terminates, a receive, a condition on what was received.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use promela::model::{Expr, ExprKind, Frame, Place, ReceiveArgument, Scalar};
use system::automaton::{Action, AutomatonId};

use super::relations::{OnMessage, may_send};
use super::termination::{Course, Iterations, Valuation};
use super::variables::{
    Cell, cells_of, cycle_modifies, globally_modified, influences, modifying_arcs, shared_globals,
};
use super::{ArcId, Catalogue, Completeness, Cycle, CycleId, MessageTypeId, WorldValues};
use crate::values::evaluate::{Environment, any_channel, evaluate};
use crate::values::sets::Values;
use crate::values::step::{are_channels, as_number};

/// How cycles that help a condition are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Strategy {
    /// MC: every cycle that modifies a variable of the condition.
    Modifying,
    /// ND, next door: if the neighbours isolate the cycle from all others by setting the variables to constants on the way back, only
    /// the neighbours that modify one; otherwise as MC (aLive, section 5).
    NextDoor,
    /// PC: only preemptive cycles, by breadth-first search over neighbours (the study, figure 4).
    Preemptive,
    /// Ciclo's figure 6: like PC, and a neighbour has no effect that modifies the variables by the very statements of the cycle itself, or
    /// that only sets them so that the condition is false.
    Improved,
}

impl Strategy {
    /// All of them, the coarsest first.
    pub const ALL: [Strategy; 4] =
        [Strategy::Modifying, Strategy::NextDoor, Strategy::Preemptive, Strategy::Improved];

    /// The papers' name.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Modifying => "MC",
            Strategy::NextDoor => "ND",
            Strategy::Preemptive => "PC",
            Strategy::Improved => "improved",
        }
    }
}

/// Why a cycle depends on others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It ends on this condition, so the process leaves it for one of its neighbours.
    Neighbours {
        /// The condition.
        condition: ArcId,
    },
    /// It ends on this condition, which another cycle must make true again.
    Condition {
        /// The condition.
        condition: ArcId,
        /// How the others were found.
        strategy: Strategy,
        /// Other processes can change the condition too.
        global: bool,
    },
    /// It takes messages that somebody must send (SC).
    Receive {
        /// The receive.
        receive: ArcId,
    },
    /// It takes messages that must satisfy a condition (FC).
    Message {
        /// The receive.
        receive: ArcId,
        /// The condition on what was received.
        condition: ArcId,
    },
}

/// A dependency between cycles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// The cycle.
    pub cycle: CycleId,
    /// It cannot go on for ever unless one of these does. Empty: it cannot go on for ever at all.
    pub on: BTreeSet<CycleId>,
    /// One of them is repeated at least once in so many rounds.
    pub rounds: Option<u64>,
    /// Why.
    pub cause: Cause,
}

impl Dependency {
    /// All cycles belong to one process.
    pub fn is_local(&self, catalogue: &Catalogue) -> bool {
        let process = catalogue.cycle(self.cycle).process;
        self.on.iter().all(|&c| catalogue.cycle(c).process == process)
    }

    /// A sentence.
    pub fn in_words(&self, catalogue: &Catalogue) -> String {
        let cycle = catalogue.describe(self.cycle);
        let process = catalogue.cycle(self.cycle).process;
        let text = |a: ArcId| {
            let arc = catalogue.arc(process, a);
            format!("`{}` (line {})", arc.text, arc.line)
        };
        let why = match &self.cause {
            Cause::Neighbours { condition } | Cause::Condition { condition, .. } => {
                format!("it ends on {}", text(*condition))
            }
            Cause::Receive { receive } => format!("it takes messages by {}", text(*receive)),
            Cause::Message { receive, condition } => {
                format!("it takes messages by {} that satisfy {}", text(*receive), text(*condition))
            }
        };
        let often = match self.rounds {
            Some(1) => ", at least once in each round".to_string(),
            Some(n) => format!(", at least once in {n} rounds"),
            None => String::new(),
        };
        if self.on.is_empty() {
            return match self.rounds {
                Some(1) => format!("{cycle} cannot go on for ever: {why} after one round at most"),
                Some(n) => format!("{cycle} cannot go on for ever: {why} after {n} rounds at most"),
                None => format!("{cycle} cannot go on for ever: {why}, and nothing helps"),
            };
        }
        let others: Vec<String> = self.on.iter().map(|&c| catalogue.describe(c)).collect();
        let one_of = if others.len() == 1 { "" } else { "one of " };
        format!("{cycle} can go on only if {one_of}{} goes on{often}: {why}", others.join(", "))
    }
}

/// All dependencies that can be shown. For conditions, those of every strategy in `strategies`. None if cycles are missing: one of
/// those could be the one that helps.
pub fn dependencies(catalogue: &Catalogue, values: &WorldValues, strategies: &[Strategy]) -> Vec<Dependency> {
    let finder = Finder::new(catalogue, values, strategies);
    catalogue.cycle_ids().flat_map(|(id, _)| finder.of(id)).collect()
}

/// Proctypes of which any number of processes may be started: by a cycle that is not known to end, by one of their own kind directly or
/// through others, or by such processes.
pub(super) fn started_for_ever(catalogue: &Catalogue, values: &WorldValues) -> BTreeSet<AutomatonId> {
    let finder = Finder::new(catalogue, values, &[Strategy::Improved]);
    let ends = |id: CycleId| finder.of(id).iter().any(|d| d.on.is_empty());
    let mut endless: BTreeSet<AutomatonId> = catalogue
        .cycle_ids()
        .filter(|(id, cycle)| cycle.starts_processes && !ends(*id))
        .flat_map(|(_, cycle)| cycle.arcs.iter().map(|&arc| catalogue.arc(cycle.process, arc)))
        .flat_map(|arc| arc.starts.iter().copied())
        .collect();
    endless.extend(catalogue.automata_that_start_their_own());
    loop {
        let of_them = catalogue.processes.iter().filter(|process| endless.contains(&process.automaton));
        let more: BTreeSet<AutomatonId> = of_them
            .flat_map(|process| process.arcs.iter().flat_map(|arc| arc.starts.iter().copied()))
            .collect();
        if more.is_subset(&endless) {
            return endless;
        }
        endless.extend(more);
    }
}

/// Finds the dependencies of one cycle after the other: whoever asks for a few does not wait for all.
pub(super) struct Finder<'c> {
    catalogue: &'c Catalogue,
    values: &'c WorldValues,
    strategies: &'c [Strategy],
    shared: BTreeSet<u32>,
    starts: Starts,
    known: Known,
}

/// What has been found out once and holds for many cycles: by the process and its statements.
#[derive(Default)]
struct Known {
    rounds: Memory<Course, Iterations>,
    modifying: Memory<(usize, BTreeSet<Cell>), SharedCycles>,
    senders: Memory<(usize, ArcId), SharedCycles>,
    able: Memory<(usize, ArcId, ArcId), SharedCycles>,
}

type Memory<K, V> = RefCell<BTreeMap<K, V>>;
type SharedCycles = Rc<BTreeSet<CycleId>>;

/// What is known by this name, found out the first time.
fn once<K: Ord, V: Clone>(known: &Memory<K, V>, key: K, find: impl FnOnce(&K) -> V) -> V {
    if let Some(value) = known.borrow().get(&key) {
        return value.clone();
    }
    let value = find(&key);
    known.borrow_mut().insert(key, value.clone());
    value
}

/// Whether processes may be started for ever. If so, what each does once on its way, outside all cycles, may happen for ever too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Starts {
    End,
    MayGoOn,
}

impl<'c> Finder<'c> {
    pub(super) fn new(
        catalogue: &'c Catalogue,
        values: &'c WorldValues,
        strategies: &'c [Strategy],
    ) -> Finder<'c> {
        let mut finder = Finder {
            catalogue,
            values,
            strategies,
            shared: shared_globals(catalogue),
            starts: Starts::MayGoOn,
            known: Known::default(),
        };
        finder.starts = finder.starts();
        finder
    }

    /// The dependencies of a cycle.
    pub(super) fn of(&self, id: CycleId) -> Vec<Dependency> {
        let mut out = Vec::new();
        if matches!(self.catalogue.completeness, Completeness::TooManyCycles(_)) {
            return out;
        }
        let cycle = self.catalogue.cycle(id);
        for &arc in &cycle.arcs {
            let statement = self.catalogue.arc(cycle.process, arc);
            if statement.condition.is_some() {
                self.by_condition(id, arc, &mut out);
            }
            if matches!(statement.action, Action::Receive { copy: false, .. }) {
                self.by_receive(id, arc, &mut out);
            }
        }
        out
    }

    /// How often the cycle can be repeated, uninterrupted, while the condition at `at` stays true.
    fn iterations(&self, cycle: CycleId, at: ArcId, shared: &BTreeSet<u32>) -> Iterations {
        let Some(course) = Course::of(self.catalogue, cycle, at, shared) else { return Iterations::Unknown };
        once(&self.known.rounds, course, |course| course.iterations(self.catalogue, self.values))
    }

    /// The cycles of a process that modify one of the cells.
    fn modifying(&self, process: usize, cells: &BTreeSet<Cell>) -> SharedCycles {
        once(&self.known.modifying, (process, cells.clone()), |_| {
            let own = self.catalogue.cycle_ids().filter(|(_, cycle)| cycle.process == process);
            let modifies = |id: &CycleId| cycle_modifies(self.catalogue, *id, cells);
            Rc::new(own.map(|(id, _)| id).filter(modifies).collect())
        })
    }

    fn by_condition(&self, cycle: CycleId, at: ArcId, out: &mut Vec<Dependency>) {
        let process = self.catalogue.cycle(cycle).process;
        let cells = influences(self.catalogue, cycle, at);
        let globally = globally_modified(self.catalogue, cycle, &self.shared);
        if cells.is_disjoint(&globally) {
            let rounds = match self.iterations(cycle, at, &self.shared) {
                Iterations::AtMost(rounds) => Some(rounds),
                Iterations::Ends => None,
                Iterations::Unknown => return,
            };
            // A process of which there are several has its own copies of local variables only.
            let on = self.catalogue.neighbours(cycle);
            out.push(Dependency { cycle, on, rounds, cause: Cause::Neighbours { condition: at } });
            for &strategy in self.strategies {
                let on = self.helpers(cycle, at, &cells, strategy);
                let cause = Cause::Condition { condition: at, strategy, global: false };
                out.push(Dependency { cycle, on, rounds, cause });
            }
        } else if self.starts == Starts::End && self.ends_without_others(cycle, at, &cells) {
            for &strategy in self.strategies {
                let mut on = self.helpers(cycle, at, &cells, strategy);
                let globals = globals_of(&cells);
                let elsewhere = (0..self.catalogue.processes.len()).filter(|other| *other != process);
                elsewhere.for_each(|other| on.extend(self.modifying(other, &globals).iter().copied()));
                let cause = Cause::Condition { condition: at, strategy, global: true };
                out.push(Dependency { cycle, on, rounds: None, cause });
            }
        }
    }

    /// A globally determined condition on shared variables: with the others still, does the cycle end on it? Only where nothing that
    /// was received plays a part (that is the study's section 5).
    fn ends_without_others(&self, cycle: CycleId, at: ArcId, cells: &BTreeSet<Cell>) -> bool {
        let data = self.catalogue.cycle(cycle);
        let received = data.arcs.iter().any(|&a| {
            let arc = self.catalogue.arc(data.process, a);
            matches!(arc.action, Action::Receive { .. }) && !arc.writes.is_disjoint(cells)
        });
        // Several processes of one kind run the same cycle: each disturbs the other.
        if received || !self.catalogue.processes[data.process].single {
            return false;
        }
        let alone = BTreeSet::new();
        self.iterations(cycle, at, &alone) != Iterations::Unknown
    }

    /// The cycles of the same process that can make the condition true again.
    fn helpers(
        &self,
        cycle: CycleId,
        at: ArcId,
        cells: &BTreeSet<Cell>,
        strategy: Strategy,
    ) -> BTreeSet<CycleId> {
        let process = self.catalogue.cycle(cycle).process;
        let modifying = self.modifying(process, cells);
        let others = || modifying.iter().copied().filter(|&other| other != cycle).collect::<BTreeSet<_>>();
        match strategy {
            Strategy::Modifying => others(),
            Strategy::NextDoor => {
                let mut all = others();
                let neighbours = self.catalogue.neighbours(cycle);
                if !all.is_subset(&neighbours) && self.is_isolated(cycle, cells) {
                    all.retain(|helper| neighbours.contains(helper));
                }
                all
            }
            Strategy::Preemptive => self.nearest(cycle, &|other| modifying.contains(&other)),
            Strategy::Improved => {
                let own = modifying_arcs(self.catalogue, cycle, cells);
                let spoils = |arc: &ArcId| self.makes_false(process, *arc, at, cells);
                // The cycle's own statements must not turn what another one spoilt into what is asked for.
                let own_spoil = own.iter().all(spoils);
                self.nearest(cycle, &|other| {
                    let is_of_no_use = || {
                        let arcs = modifying_arcs(self.catalogue, other, cells);
                        is_rotation(&arcs, &own) || (own_spoil && arcs.iter().all(spoils))
                    };
                    modifying.contains(&other) && !is_of_no_use()
                })
            }
        }
    }

    /// Whether a statement sets the only variable that decides a condition to a constant for which it is false.
    fn makes_false(&self, process: usize, arc: ArcId, condition: ArcId, cells: &BTreeSet<Cell>) -> bool {
        let mut decide = cells.iter().copied();
        let (Some(cell), None) = (decide.next(), decide.next()) else { return false };
        let Some(test) = &self.catalogue.arc(process, condition).condition else { return false };
        let Action::Assign { place, value } = &self.catalogue.arc(process, arc).action else { return false };
        let constant = match value.kind {
            ExprKind::Constant { value, .. } => Values::single(value).truncate(place.scalar),
            _ => return false,
        };
        test.is_arithmetic
            && cells_of(place) == [cell]
            && constant.as_single().is_some_and(|value| {
                let values = BTreeMap::from([(cell, value)]);
                !evaluate(&test.expr, &Valuation { values: &values }).may_be_true()
            })
    }

    /// Whether nothing beyond the neighbours can help: each way back to the cycle on which a neighbour meets a cycle that is none sets
    /// every variable to a constant after whatever else it does to it. A neighbour without such ways brings only what itself does.
    fn is_isolated(&self, cycle: CycleId, cells: &BTreeSet<Cell>) -> bool {
        let catalogue = self.catalogue;
        let process = catalogue.cycle(cycle).process;
        let neighbours = catalogue.neighbours(cycle);
        let own = catalogue.points(cycle);
        let is_beyond = |other: &CycleId| *other != cycle && !neighbours.contains(other);
        let through = &catalogue.processes[process].through;
        let beyond: Vec<bool> = through.iter().map(|cycles| cycles.iter().any(is_beyond)).collect();
        let from = |arc: &ArcId| catalogue.arc(process, *arc).from;
        neighbours.iter().all(|&neighbour| {
            let mut arcs = catalogue.cycle(neighbour).arcs.clone();
            let start = arcs.iter().position(|arc| own.contains(&from(arc))).unwrap_or(0);
            arcs.rotate_left(start);
            // From one point of the cycle to the next one: a way out and back, or a part that both share.
            arcs.chunk_by(|_, next| !own.contains(&from(next))).all(|way| {
                let meets_others = way.iter().skip(1).any(|arc| beyond[from(arc) as usize]);
                !meets_others || cells.iter().all(|cell| self.is_reset(process, way, *cell))
            })
        })
    }

    /// Whether the last of the statements that may modify the cell sets it to a constant.
    fn is_reset(&self, process: usize, way: &[ArcId], cell: Cell) -> bool {
        let arcs = way.iter().rev().map(|&arc| self.catalogue.arc(process, arc));
        let last = arcs.into_iter().find(|arc| arc.writes.contains(&cell));
        last.is_some_and(|arc| match &arc.action {
            Action::Assign { place, value } => {
                cells_of(place) == [cell] && matches!(value.kind, ExprKind::Constant { .. })
            }
            _ => false,
        })
    }

    /// Breadth-first over neighbours: what helps is kept and not looked behind.
    fn nearest(&self, cycle: CycleId, helps: &dyn Fn(CycleId) -> bool) -> BTreeSet<CycleId> {
        let through = &self.catalogue.processes[self.catalogue.cycle(cycle).process].through;
        let mut left = vec![true; through.len()];
        let mut seen = BTreeSet::from([cycle]);
        let mut open = VecDeque::from([cycle]);
        let mut found = BTreeSet::new();
        while let Some(current) = open.pop_front() {
            for point in self.catalogue.points(current) {
                if !std::mem::take(&mut left[point as usize]) {
                    continue;
                }
                for &next in &through[point as usize] {
                    if !seen.insert(next) {
                        continue;
                    }
                    if helps(next) {
                        found.insert(next);
                    } else {
                        open.push_back(next);
                    }
                }
            }
        }
        found
    }

    fn by_receive(&self, cycle: CycleId, at: ArcId, out: &mut Vec<Dependency>) {
        let process = self.catalogue.cycle(cycle).process;
        let taken = &self.catalogue.arc(process, at).takes;
        let senders = once(&self.known.senders, (process, at), |_| {
            let sends = |c: &Cycle| c.sends.iter().any(|(t, _)| taken.contains(t));
            let all = self.catalogue.cycle_ids().filter(|(_, c)| sends(c));
            Rc::new(all.map(|(id, _)| id).collect())
        });
        // A cycle that may feed itself needs nobody; several processes of one kind may feed each other.
        if taken.is_empty() || senders.contains(&cycle) {
            return;
        }
        // Messages that are sent outside all cycles are finitely many, unless processes are started for ever.
        if self.starts == Starts::MayGoOn {
            return;
        }
        let on = BTreeSet::clone(&senders);
        out.push(Dependency { cycle, on, rounds: None, cause: Cause::Receive { receive: at } });
        for condition in self.message_conditions(cycle, at) {
            let able = once(&self.known.able, (process, at, condition), |_| {
                Rc::new(self.able(process, at, condition, &senders))
            });
            let cause = Cause::Message { receive: at, condition };
            out.push(Dependency { cycle, on: BTreeSet::clone(&able), rounds: None, cause });
        }
    }

    /// The senders to a receive that may send what satisfies a condition on it.
    fn able(
        &self,
        process: usize,
        at: ArcId,
        condition: ArcId,
        senders: &BTreeSet<CycleId>,
    ) -> BTreeSet<CycleId> {
        let receive = self.catalogue.arc(process, at);
        let (Some(test), Action::Receive { arguments, .. }) =
            (&self.catalogue.arc(process, condition).condition, &receive.action)
        else {
            return senders.clone();
        };
        let wanted = OnMessage { arguments, test: &test.expr };
        let may = |&sender: &CycleId| {
            let mut sends = self.catalogue.cycle(sender).sends.iter();
            let by_values = sends
                .any(|(t, fields)| receive.takes.contains(t) && may_satisfy(&test.expr, arguments, fields));
            by_values && (!test.is_arithmetic || self.may_send(sender, &receive.takes, &wanted))
        };
        senders.iter().copied().filter(may).collect()
    }

    /// Whether one of the cycle's sends of these types may put a message that satisfies a condition, as far as relations between variables
    /// tell.
    fn may_send(&self, sender: CycleId, taken: &[MessageTypeId], wanted: &OnMessage<'_>) -> bool {
        let cycle = self.catalogue.cycle(sender);
        let of_these = || cycle.sends.iter().filter(|(t, _)| taken.contains(t));
        let fields: Vec<Values> = (0..wanted.arguments.len())
            .map(|field| of_these().fold(Values::empty(), |all, (_, values)| all.join(&values[field])))
            .collect();
        cycle.arcs.iter().any(|&arc| {
            let puts = &self.catalogue.arc(cycle.process, arc).puts;
            puts.iter().any(|t| taken.contains(t))
                && may_send(self.catalogue, self.values, &self.shared, (sender, arc), &fields, wanted)
        })
    }

    /// They end if no process starts its own kind and every cycle that starts some is known to end.
    fn starts(&self) -> Starts {
        let ends = |id: CycleId, at: ArcId| {
            let alone = self.catalogue.neighbours(id).is_empty();
            alone && self.iterations(id, at, &self.shared) != Iterations::Unknown
        };
        let mut starting = self.catalogue.cycle_ids().filter(|(_, c)| c.starts_processes);
        let all_end = starting.all(|(id, c)| c.arcs.iter().any(|&at| ends(id, at)));
        let none_starts_its_own = self.catalogue.automata_that_start_their_own().is_empty();
        if all_end && none_starts_its_own { Starts::End } else { Starts::MayGoOn }
    }

    /// Conditions of the cycle that what was received decides: between the two nothing modifies their variables, they are local,
    /// and whoever leaves the cycle in between comes back by the receive (the study's fastened cycles).
    fn message_conditions(&self, cycle: CycleId, at: ArcId) -> Vec<ArcId> {
        let data = self.catalogue.cycle(cycle);
        let received = &self.catalogue.arc(data.process, at).writes;
        let start = data.arcs.iter().position(|&a| a == at).unwrap_or(0);
        let mut arcs = data.arcs.clone();
        arcs.rotate_left(start);
        let mut found = Vec::new();
        for (index, &id) in arcs.iter().enumerate().skip(1) {
            if !self.is_fastened(cycle, &arcs[..index], id) {
                break;
            }
            let arc = self.catalogue.arc(data.process, id);
            if let Some(condition) = &arc.condition {
                let decided = !condition.reads.is_empty()
                    && condition.reads.is_subset(received)
                    && condition.reads.iter().all(|(frame, _)| *frame == Frame::Local);
                if decided {
                    found.push(id);
                }
            }
            if !arc.writes.is_disjoint(received) {
                break;
            }
        }
        found
    }

    /// Every other cycle through the point behind a path contains the path.
    fn is_fastened(&self, cycle: CycleId, path: &[ArcId], behind: ArcId) -> bool {
        let process = &self.catalogue.processes[self.catalogue.cycle(cycle).process];
        let through = &process.through[process.arcs[behind.0 as usize].from as usize];
        through.iter().filter(|&&other| other != cycle).all(|&other| {
            let theirs = &self.catalogue.cycle(other).arcs;
            path.iter().all(|arc| theirs.contains(arc))
        })
    }
}

fn globals_of(cells: &BTreeSet<Cell>) -> BTreeSet<Cell> {
    cells.iter().copied().filter(|(frame, _)| *frame == Frame::Global).collect()
}

fn is_rotation(a: &[ArcId], b: &[ArcId]) -> bool {
    a.len() == b.len()
        && (0..a.len()).any(|shift| a.iter().cycle().skip(shift).zip(b).take(b.len()).all(|(x, y)| x == y))
}

/// A message's fields in place of the variables that they are received into.
struct Received<'m> {
    places: Vec<(&'m Place, &'m Values)>,
}

impl Environment for Received<'_> {
    fn slot(&self, frame: Frame, slot: u32) -> Values {
        let found = self.places.iter().rev().find(|(place, _)| cells_of(place).contains(&(frame, slot)));
        found.map_or_else(Values::all, |&(place, values)| match place.scalar {
            Scalar::Chan if are_channels(values) => values.clone(),
            Scalar::Chan => any_channel(),
            scalar => as_number(values).truncate(scalar),
        })
    }
    fn pid(&self) -> Values {
        Values::range(0, system::limits::Limits::WIDE.processes as i32)
    }
    fn length(&self, _: &Values) -> Values {
        Values::range(0, i32::MAX)
    }
    fn is_one_channel(&self, _: i32) -> bool {
        false
    }
}

/// Whether a message with these fields may make the condition true.
fn may_satisfy(test: &Expr, arguments: &[ReceiveArgument], fields: &[Values]) -> bool {
    if matches!(test.kind, ExprKind::Run { .. }) {
        return true;
    }
    let places = arguments
        .iter()
        .zip(fields)
        .filter_map(|(argument, values)| match argument {
            // An element of an array: which one is not known here, so nothing is concluded from it.
            ReceiveArgument::Store(place) if place.indices.is_empty() => Some((place, values)),
            _ => None,
        })
        .collect();
    evaluate(test, &Received { places }).may_be_true()
}
