//! From a run with counters to an execution of named processes.
//!
//! Somebody leaves a local state: who? Without fairness the one who came last, so that few processes are involved. Under
//! fairness the one who has waited longest; then going round the loop once is a permutation of the processes' places, and
//! going round as often as the permutation's order brings everybody back to where he was, after everybody who stood in a
//! local state that is ever left has moved (lemma 2 of the paper).

use super::space::{Arrivals, CounterSpace, LocalState, Role};
use crate::fair::path::{Executable, Execution, Hop, Run};
use crate::fair::space::Space;
use omega::Fairness;
use std::collections::{BTreeMap, VecDeque};
use system::automaton::{AutomatonId, EdgeId};
use system::interpreter::{Partner, Step};
use system::state::Pid;

/// An execution longer than this is not written out.
const MOST_STEPS: usize = 4_000_000;

/// Who of several goes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    LastCome,
    FirstCome,
}

/// Where the named processes are.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Named {
    /// The processes in each local state, longest there first.
    waiting: BTreeMap<LocalState, VecDeque<Pid>>,
    /// The individuals' pids.
    individuals: Vec<Pid>,
    /// Who has come to the end and waits for those that are younger, and the edge by which each dies.
    ended: BTreeMap<Pid, EdgeId>,
    /// How many processes there are.
    total: u32,
}

impl Executable for CounterSpace<'_> {
    fn execution(&mut self, run: &Run, fairness: Fairness) -> Option<Execution> {
        let orders: &[Order] = match fairness {
            Fairness::None => &[Order::LastCome, Order::FirstCome],
            Fairness::Weak | Fairness::Strong => &[Order::FirstCome],
        };
        orders.iter().find_map(|&order| self.named_execution(run, order))
    }

    fn without_execution(&self) -> Option<&'static str> {
        // Who is started before the last one has ended keeps it from dying.
        self.forgets().then_some("a run in which there are more and more processes at once")
    }
}

impl CounterSpace<'_> {
    fn named_execution(&mut self, run: &Run, order: Order) -> Option<Execution> {
        let mut named = self.initially_named()?;
        let mut steps = Vec::new();
        named.bury(&mut steps);
        for hop in run.prefix.iter().filter(|hop| !hop.actors.is_empty()) {
            self.hop(hop, order, &mut named, &mut steps)?;
        }
        let loop_start = steps.len();
        let start = named.places();
        loop {
            for hop in run.cycle.iter().filter(|hop| !hop.actors.is_empty()) {
                self.hop(hop, order, &mut named, &mut steps)?;
            }
            // Who waited longer is no part of the state of the system, so the places alone decide. Under fairness the
            // order of the queues must come back too: that is when everybody had his turn.
            let closed = match order {
                Order::LastCome => named.places() == start,
                Order::FirstCome => {
                    named.places() == start && everybody_moved(&named, &steps[loop_start..], run)
                }
            };
            if closed || steps.len() == loop_start {
                let loop_start = (!run.cycle.is_empty()).then_some(loop_start);
                return Some(Execution { steps, loop_start });
            }
            if steps.len() > MOST_STEPS {
                return None;
            }
        }
    }

    fn initially_named(&mut self) -> Option<Named> {
        let initial = *self.initial().ok()?.first()?;
        let counted = self.state(initial);
        let system = self.interpreter.system();
        let mut named =
            Named { waiting: BTreeMap::new(), individuals: Vec::new(), ended: BTreeMap::new(), total: 0 };
        for (index, proctype) in system.model.proctypes.iter().enumerate() {
            let pids = (named.total..named.total + proctype.active).map(Pid);
            named.total += proctype.active;
            let first = system.automata[index].initial;
            let end = self.unseen_end_at(AutomatonId(index as u32), first);
            named.ended.extend(end.into_iter().flat_map(|end| pids.clone().map(move |pid| (pid, end))));
            if self.counts_proctype(index) && end.is_some() {
                continue;
            }
            let is_of_kind = |local: &LocalState| {
                self.locals.process(&self.interpreter, *local).automaton.0 as usize == index
            };
            match counted.counts.keys().copied().find(is_of_kind) {
                Some(local) => named.waiting.entry(local).or_default().extend(pids),
                None => named.individuals.extend(pids),
            }
        }
        named.individuals.truncate(counted.shared.processes.len());
        Some(named)
    }

    fn hop(&mut self, hop: &Hop, order: Order, named: &mut Named, steps: &mut Vec<Step>) -> Option<()> {
        let Arrivals { representative, found, .. } = self.arrivals(hop.from);
        let (_, _, chain) =
            found.into_iter().find(|(to, actors, _)| *to == hop.to && *actors == hop.actors)?;
        // Choose a process for each part of the representative that moves.
        let mut pids: Vec<Option<Pid>> = vec![None; representative.roles.len()];
        let mut moved: Vec<usize> = Vec::new();
        let mut state = representative.state.clone();
        for step in chain {
            let process = self.pid_of(step.process, &representative.roles, &mut pids, order, named)?;
            let partner = match step.partner {
                None => None,
                Some(Partner { process, edge }) => {
                    let process = self.pid_of(process, &representative.roles, &mut pids, order, named)?;
                    Some(Partner { process, edge })
                }
            };
            let length = state.processes.len();
            let interpreter = self.interpreter.with_process_limit(usize::MAX);
            interpreter.execute(&mut state, step, &(), &mut ()).ok()?;
            let created = state.processes.len().saturating_sub(length);
            pids.extend((0..created as u32).map(|offset| Some(Pid(named.total + offset))));
            named.total += created as u32;
            named.total -= length.saturating_sub(state.processes.len()) as u32;
            steps.push(Step { process, edge: step.edge, partner });
            moved.push(step.process.0 as usize);
            moved.extend(step.partner.map(|partner| partner.process.0 as usize));
        }
        // Everybody to his new place, those who moved behind the others.
        for (position, process) in state.processes.iter().enumerate() {
            let pid = match representative.roles.get(position) {
                Some(Role::Individual(index)) => Some(named.individuals[*index]),
                Some(Role::Somebody(..)) => pids[position],
                None => Some(pids[position]?),
            };
            let Some(pid) = pid else { continue };
            let end = self.unseen_end_of(process);
            named.ended.extend(end.map(|end| (pid, end)));
            if self.is_counted(process) && end.is_none() {
                named.waiting.entry(self.locals.number(process)).or_default().push_back(pid);
            } else if !self.is_counted(process) && position >= representative.roles.len() {
                named.individuals.push(pid);
            }
        }
        named.individuals.truncate(self.state(hop.to).shared.processes.len());
        named.waiting.retain(|_, queue| !queue.is_empty());
        named.bury(steps);
        (named.total as usize <= self.interpreter.process_limit()).then_some(())
    }

    /// The process that stands for a part of the representative; taken out of its queue when it is first asked for.
    fn pid_of(
        &self,
        position: Pid,
        roles: &[Role],
        pids: &mut [Option<Pid>],
        order: Order,
        named: &mut Named,
    ) -> Option<Pid> {
        let position = position.0 as usize;
        if let Some(pid) = pids[position] {
            return Some(pid);
        }
        let pid = match *roles.get(position)? {
            Role::Individual(index) => named.individuals[index],
            Role::Somebody(local, _) => {
                let queue = named.waiting.get_mut(&local)?;
                match order {
                    Order::FirstCome => queue.pop_front()?,
                    Order::LastCome => queue.pop_back()?,
                }
            }
        };
        pids[position] = Some(pid);
        Some(pid)
    }
}

impl Named {
    /// Lets everybody die who has come to the end and is the youngest: as soon as possible, so that nobody waits for it.
    fn bury(&mut self, steps: &mut Vec<Step>) {
        while let Some(youngest) = self.total.checked_sub(1).map(Pid)
            && let Some(edge) = self.ended.remove(&youngest)
        {
            steps.push(Step { process: youngest, edge, partner: None });
            self.total = youngest.0;
        }
    }

    /// Who is where, regardless of who came first.
    fn places(&self) -> Named {
        let mut places = self.clone();
        places.waiting.values_mut().for_each(|queue| queue.make_contiguous().sort());
        places
    }
}

/// Whether everybody in a local state that the loop leaves has moved.
fn everybody_moved(named: &Named, steps: &[Step], run: &Run) -> bool {
    let mut left = omega::ProcessSet::new();
    run.cycle.iter().for_each(|hop| left.union_with(&hop.actors));
    let mut moved: std::collections::HashSet<Pid> = steps.iter().map(|step| step.process).collect();
    moved.extend(steps.iter().filter_map(|step| step.partner.map(|partner| partner.process)));
    named.waiting.iter().all(|(&local, queue)| {
        !left.contains(super::space::actor(Role::Somebody(local, 0)))
            || queue.iter().all(|pid| moved.contains(pid))
    })
}
