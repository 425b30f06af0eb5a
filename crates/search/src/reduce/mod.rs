//! Fewer states: where the moves of one process are enough (partial-order reduction).
//!
//! The moves of a process are an **ample set** of a state if whatever the others do before it moves neither changes what
//! it can do nor is changed by it. That is so if all statements at its location touch only its locals, and globals and
//! channels on one side of which nobody else is: nobody else sends where it sends, nobody else receives where it
//! receives, nobody asks how full the channel is. With that,
//!
//! - a receive from a channel that holds a message is stable, executable or not: only the process itself can change what
//!   comes first; likewise a send where there is room. So is a condition `nempty(c)` or `nfull(c)` that holds, and to others
//!   it is as harmless as the receive or the send: a send never makes `nempty(c)` false. An empty or full channel is not
//!   stable, and a location that waits for several channels is so only if none of them is empty;
//! - a condition of which one part is false and local does not matter: the others cannot make it true;
//! - a step to a place where a rendezvous may be received is kept out of ample sets where an `atomic` may give way because nobody receives;
//! - an `atomic` is one move. It is stable if all that it may do is local, or a send or receive that it surely need not wait
//!   for because its guard has asked ([`atomics`]). To others, a channel that an `atomic` may have to wait for is one
//!   that is looked at: a message more or less decides what is one step and what are two.
//!
//! Who uses what is not declared but **learned**: a use is noted when a process stands at a location that has it, executable
//! or not. An ample set relies on what is known so far, and that is noted as well. When a use turns up that somebody
//! relied on not to be there, the search is begun again, knowing better. This is sound: take a shortest execution to a
//! first use that breaks what was relied on. Up to there all is as assumed, so the reduced search contains an
//! execution that differs from it only by ample moves that commute with it or come in addition, and these do not move the
//! offender from its location; so the reduced search sees the use as well. (`xr` and `xs` say the same and are not needed.)
//!
//! A process that can only end is put first as well, so that those who have ended do not pile up: the youngest dies before anybody else moves. Where
//! nobody who is left can start another ([`Phase::Settled`]), its death disables nothing and nothing disables it, so it is like
//! any other move, visible to whoever asks how many processes there are. Where others may still be started they get other
//! numbers by that; it is done only where nothing depends on numbers ([`ended`]). A number may then belong to processes that would have been two without that. So
//! until the system is settled, a process whose number is not its own for ever is known by its proctype, if it is the only one of it, and otherwise what
//! it uses counts as used by many.
//!
//! A move must not be put off for ever. The search sees to that: a state whose ample moves all lead back to states of the
//! execution that it was reached by is expanded in full ([`crate::explore::depth`]).
//!
//! For formulas more is needed ([`Reducer::for_formula`]). The moves of an ample set must change nothing that the formula looks at
//! ([`visible`]): to the reducer the formula is one more process that reads and looks. And no move may be put off in any cycle, not
//! even in one that has other ways out: in every cycle some state is expanded in full. There are two ways to see to that
//! ([`Proviso`]). Either no ample set has a move that closes a loop of its process's control flow (as in Kurshan, Levin, Minea, Peled and
//! Yenigün, "Static partial order reduction"): a cycle takes some process round such a loop, or creates processes, which is
//! not ample either. Or a search of the system alone finds the states that must be expanded in full ([`proviso`]), which leaves
//! out more, but finds nothing before it is through. Either way what is done with a state depends on the state of the system
//! alone, never on that of the formula's automaton, so the reduced graph has for each run of the model one that differs by
//! stuttering, whatever automaton it is then combined with. (Where ample sets depend on the pair of both, runs can be lost: Siegel,
//! "What's wrong with on-the-fly partial order reduction".) What is
//! learned must be learned from the whole reduced graph, so in the first way the automaton must not stop watching
//! ([`crate::monitor::Monitor::watching_on`]).
//!
//! Questions about labels on cycles ([`Reducer::for_labels`]) are asked of the system alone, so the search itself can see to cycles, and needs to do so
//! only for those that are not what is looked for: `docs/decisions/0008-reduction-for-formulas.md`. Never claims, which may count steps, are not reduced.

mod atomics;
mod births;
mod ended;
pub(crate) mod proviso;
mod visible;

use crate::explore::expand::lock;
use atomics::Atomics;
use births::Births;
use ended::may_die_first;
use foldhash::quality::FixedState;
use promela::model::{ChannelRef, Expr};
use std::collections::HashMap;
use std::sync::Mutex;
use system::automaton::{Action, Automaton, AutomatonId, Edge, EdgeId, LocationId, System};
use system::code::Whose;
use system::code::footprint::{Channels, Footprint};
use system::interpreter::{Capacities, Interpreter, Step};
use system::progress::{ProgressAt, ProgressStatements, location_is_progress};
use system::state::{ChannelId, Pid, Process, State};
use visible::Visible;

/// Tells where the moves of one process are enough.
#[derive(Debug)]
pub struct Reducer {
    atomics: Atomics,
    /// By automaton: which slots of its processes some statement writes.
    written: Vec<Vec<bool>>,
    /// By automaton and edge: whether it leads back in a depth-first walk of the automaton, so that every loop has such an edge.
    leads_back: Vec<Vec<bool>>,
    /// By automaton: others look at its location or its variables, or it runs on a condition.
    watched: Vec<bool>,
    /// By automaton and edge: never part of an ample set, whatever it does.
    never_ample: Vec<Vec<bool>>,
    /// Whether somebody could notice that a process dies which has nothing else to do, even where nobody is started any more.
    deaths_are_noticed: bool,
    /// Whether a process that can only end may do so before anybody else moves, also where others may still be started.
    dies_first: bool,
    /// By number: a process that is there from the beginning and never dies, or dies last.
    stays: Vec<bool>,
    /// Who may start others, and who is the only one of its proctype.
    births: Births,
    proviso: Proviso,
    learned: Mutex<Learned>,
}

/// Whether processes may still be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// They may.
    Births,
    /// Nobody who is there can come to a statement that starts one: from now on all processes keep their numbers.
    Settled,
}

/// How it is seen to that in every cycle some state is expanded in full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proviso {
    /// It is not: the search sees to it that no error is put off.
    ForErrors,
    /// No ample set closes a loop of its process's control flow.
    ByControlFlow,
    /// The states are looked for before the search.
    ByStates,
    /// The search sees to it, in all cycles but those that are looked for ([`crate::cycles`]).
    InSearch,
}

/// Labels that a question about cycles looks at.
#[derive(Clone, Copy, Debug)]
pub enum Labels<'l> {
    /// Whether somebody stands at an `accept…` label.
    Accept,
    /// Whether somebody stands at a place that is progress.
    ProgressStates(&'l ProgressAt),
    /// Which statements are progress.
    ProgressStatements(&'l ProgressStatements),
}

/// Who uses what, and who relies on it.
#[derive(Debug, Default)]
struct Learned {
    /// In all states.
    anytime: Ledger,
    /// In states of [`Phase::Settled`]. What is relied on there concerns what comes after, and that is settled too.
    settled: Ledger,
}

/// Who uses what in some states, and who relies on it there.
#[derive(Debug, Default)]
struct Ledger {
    users: HashMap<Use, Users, FixedState>,
    /// What was known when the search began. Only this decides, so that a search can be repeated exactly.
    known: HashMap<Use, Users, FixedState>,
    /// Uses that these processes rely on to be nobody else's.
    relied_on: HashMap<Use, Users, FixedState>,
    broken: bool,
}

/// A way to use a part of the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Use {
    Read(u32),
    Write(u32),
    Send(ChannelId),
    Receive(ChannelId),
    Look(ChannelId),
}

/// Whether there is something to leave out: where there is never more than one process there is no order of steps to choose, and judging each of them
/// costs much.
pub fn pays(system: &System) -> bool {
    let active: u32 = system.model.proctypes.iter().map(|proctype| proctype.active).sum();
    active > 1 || system.code.starts_processes()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Users {
    One(User),
    Many,
}

/// Somebody who is the same in all states that are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum User {
    /// To the reducer a formula is one more process.
    Formula,
    /// The process with a number.
    Number(Pid),
    /// The only process of a proctype, whatever its number.
    OnlyOne(AutomatonId),
}

impl Reducer {
    /// A reducer that is sound for deadlocks, assertions and runtime errors; `None` if the model has something that makes every step matter.
    pub fn for_errors(system: &System, capacities: Capacities) -> Option<Reducer> {
        let features = &system.model.features;
        let delicate =
            features.last || features.enabled || features.pc_value || features.priorities || features.np;
        if delicate || system.event_trace.is_some() {
            return None;
        }
        if system.automata.iter().any(|automaton| asks_who_waits(system, capacities, automaton)) {
            return None;
        }
        let interpreter = Interpreter::new(system, capacities);
        let footprints = Footprints::of(&interpreter);
        let atomics = Atomics::of(system, capacities, &footprints);
        let written = written_slots(system, &footprints);
        let watched = watched_proctypes(&interpreter, &footprints);
        let leads_back = system.automata.iter().map(edges_that_lead_back).collect();
        let never_ample = steps_that_decide_who_waits(system, capacities);
        let proviso = Proviso::ForErrors;
        let deaths_are_noticed = features.number_of_processes;
        let dies_first = may_die_first(system);
        let stays = those_who_stay(system, &footprints);
        let births = Births::of(system, &footprints);
        let learned = Mutex::default();
        Some(Reducer {
            atomics,
            written,
            leads_back,
            watched,
            never_ample,
            deaths_are_noticed,
            dies_first,
            stays,
            births,
            proviso,
            learned,
        })
    }

    /// A reducer that is sound for every formula without `next` over these propositions; `None` if there is none.
    pub fn for_formula(
        interpreter: &Interpreter<'_>,
        initial: &State,
        propositions: &[Expr],
        capacities: Capacities,
        proviso: Proviso,
    ) -> Option<Reducer> {
        let visible = Visible::to(interpreter, initial, propositions)?;
        let mut reducer = Reducer::for_errors(interpreter.system(), capacities)?;
        for (watched, looked_at) in reducer.watched.iter_mut().zip(visible.variables) {
            *watched |= looked_at;
        }
        reducer.keep_out(&visible.edges);
        // Who is there is a matter of processes that start and end, and these may come in another order.
        reducer.deaths_are_noticed |= visible.processes;
        reducer.dies_first &= !visible.processes;
        reducer.proviso = proviso;
        if proviso == Proviso::ByControlFlow {
            let leads_back = reducer.leads_back.clone();
            reducer.keep_out(&leads_back);
        }
        let looks = visible.channels.into_iter().map(Use::Look);
        let uses = visible.slots.into_iter().map(Use::Read).chain(looks);
        for used in uses {
            let learned = &mut *lock(&reducer.learned);
            learned.anytime.note(used, Users::One(User::Formula));
            learned.settled.note(used, Users::One(User::Formula));
        }
        Some(reducer)
    }

    /// A reducer that is sound for the question whether there is a cycle with, or without, such labels; `None` if there is none. The search must
    /// see to cycles ([`Proviso::InSearch`]).
    pub fn for_labels(system: &System, labels: Labels<'_>, capacities: Capacities) -> Option<Reducer> {
        let mut reducer = Reducer::for_errors(system, capacities)?;
        let visible = match labels {
            Labels::Accept => visible::to_and_from(system, |automaton, location| {
                system.automaton(automaton).location(location).accept
            }),
            Labels::ProgressStates(at) => visible::to_and_from(system, |automaton, location| {
                location_is_progress(system, at, system.automaton(automaton), location)
            }),
            Labels::ProgressStatements(marked) => visible::with_statements(system, marked),
        };
        reducer.keep_out(&visible);
        reducer.proviso = Proviso::InSearch;
        Some(reducer)
    }

    /// From now on these edges, by automaton, are part of no ample set.
    fn keep_out(&mut self, edges: &[Vec<bool>]) {
        for (never, out) in self.never_ample.iter_mut().zip(edges) {
            never.iter_mut().zip(out).for_each(|(never, &out)| *never |= out);
        }
    }

    /// How it sees to cycles.
    pub fn proviso(&self) -> Proviso {
        self.proviso
    }

    /// Whether a process, or its partner, goes round a loop with the step.
    pub fn closes_loop(&self, state: &State, step: Step) -> bool {
        let leads_back = |pid: Pid, edge: EdgeId| {
            let AutomatonId(automaton) = state.processes[pid.0 as usize].automaton;
            self.leads_back[automaton as usize][edge.0 as usize]
        };
        leads_back(step.process, step.edge)
            || step.partner.is_some_and(|partner| leads_back(partner.process, partner.edge))
    }

    /// Whether something was relied on that turned out to be wrong: the search must begin again.
    pub fn is_broken(&self) -> bool {
        let learned = lock(&self.learned);
        learned.anytime.broken || learned.settled.broken
    }

    /// Begins again with all that was learned.
    pub fn begin(&self) {
        let learned = &mut *lock(&self.learned);
        learned.anytime.begin();
        learned.settled.begin();
    }

    /// Whether nobody is ever started.
    pub fn is_always_settled(&self) -> bool {
        !self.births.happen
    }

    /// Whether a process at a location may come to a statement that starts another.
    pub fn may_start(&self, automaton: AutomatonId, location: LocationId) -> bool {
        self.births.may_start[automaton.0 as usize][location.0 as usize]
    }

    /// Notes what a process may use where it stands.
    pub fn note_uses(&self, interpreter: &Interpreter<'_>, state: &State, pid: Pid, phase: Phase) {
        let process = &state.processes[pid.0 as usize];
        let automaton = interpreter.system().automaton(process.automaton);
        let mut uses = Uses::new(state);
        uses.all_count_as_looks = self.channels_are_looked_at(process, automaton);
        for (id, _) in automaton.edges_from(process.location) {
            let footprint = interpreter.footprint(state, pid, id);
            uses.add(&footprint);
            if footprint.ends {
                // Its channels die with it.
                let own = state.channels.iter().enumerate().filter(|(_, channel)| channel.owner == Some(pid));
                uses.uses.extend(own.map(|(index, _)| Use::Look(ChannelId(index as u32))));
            }
        }
        uses.add(&interpreter.provided_footprint(state, pid));
        let learned = &mut *lock(&self.learned);
        for used in uses.uses {
            learned.anytime.note(used, self.user(process, pid, Phase::Births));
            if phase == Phase::Settled {
                learned.settled.note(used, self.user(process, pid, Phase::Settled));
            }
        }
    }

    /// Whether the moves of a process, which has some, are enough in a state; if so, what this rests on is noted. As long as it
    /// has these moves `timeout` is false, whatever the others do, so its own statements may ask for it.
    pub fn is_ample(&self, interpreter: &Interpreter<'_>, state: &State, pid: Pid, phase: Phase) -> bool {
        let process = &state.processes[pid.0 as usize];
        let automaton = interpreter.system().automaton(process.automaton);
        if self.watched[process.automaton.0 as usize] {
            return false;
        }
        if let [only] = automaton.location(process.location).edges[..]
            && automaton.edge(only).action == Action::End
        {
            return !self.is_never_ample(process, only) && self.may_die_here(state, pid, phase);
        }
        let mut needs = Uses::new(state);
        for (id, edge) in automaton.edges_from(process.location) {
            if edge.escape > 0 || matches!(edge.action, Action::DStep(_)) {
                return false;
            }
            if matches!(edge.action, Action::Condition(_)) && is_false_for_now(interpreter, state, pid, id) {
                continue;
            }
            if self.is_never_ample(process, id) {
                return false;
            }
            let footprint = interpreter.footprint(state, pid, id);
            if footprint.is_about_processes() || footprint.uses_unknown_channels() {
                return false;
            }
            needs.add(&footprint);
            if edge.atomic && !self.gather_inside(interpreter, state, pid, edge.target, &mut needs) {
                return false;
            }
        }
        if !needs.are_stable(interpreter) {
            return false;
        }
        let mut relied_on = Vec::new();
        for used in needs.uses {
            relied_on.push(used);
            match used {
                // Reading is not disturbed by other readers, but writing is by readers and writers alike.
                Use::Read(slot) => {
                    relied_on.pop();
                    relied_on.push(Use::Write(slot));
                }
                Use::Write(slot) => relied_on.push(Use::Read(slot)),
                Use::Send(channel) | Use::Receive(channel) => relied_on.push(Use::Look(channel)),
                Use::Look(_) => return false,
            }
        }
        self.relies(process, pid, phase, &relied_on)
    }

    /// Whether these uses are nobody else's, as far as is known; if so it is noted that this is relied on.
    fn relies(&self, process: &Process, pid: Pid, phase: Phase, relied_on: &[Use]) -> bool {
        let user = self.user(process, pid, phase);
        let learned = &mut *lock(&self.learned);
        let ledger = match phase {
            Phase::Births => &mut learned.anytime,
            Phase::Settled => &mut learned.settled,
        };
        let alone = |used: &Use| match ledger.known.get(used) {
            None => true,
            Some(known) => *known == user && user != Users::Many,
        };
        let is_alone = relied_on.iter().all(alone);
        if is_alone {
            relied_on.iter().for_each(|&used| ledger.rely(used, user));
        }
        is_alone
    }

    /// Whether a process that can only end, and that is the youngest, may do so before anybody else moves. Where nobody is started any more its
    /// end disables nothing and nothing disables it; but with it its channels die, so nobody else must use them.
    fn may_die_here(&self, state: &State, pid: Pid, phase: Phase) -> bool {
        if self.dies_first {
            return true;
        }
        if phase != Phase::Settled || self.deaths_are_noticed {
            return false;
        }
        let own = state.channels.iter().enumerate().filter(|(_, channel)| channel.owner == Some(pid));
        let own = own.map(|(index, _)| ChannelId(index as u32));
        let uses: Vec<Use> = own.flat_map(|id| [Use::Send(id), Use::Receive(id), Use::Look(id)]).collect();
        self.relies(&state.processes[pid.0 as usize], pid, phase, &uses)
    }

    /// Gathers what the rest of an `atomic` may use, from a location inside it; `false` if others may decide how far it gets.
    fn gather_inside(
        &self,
        interpreter: &Interpreter<'_>,
        state: &State,
        pid: Pid,
        from: LocationId,
        needs: &mut Uses<'_>,
    ) -> bool {
        let process = &state.processes[pid.0 as usize];
        let automaton = interpreter.system().automaton(process.automaton);
        let written = &self.written[process.automaton.0 as usize];
        let is_written = |slot: u32| written[slot as usize];
        let mut visited = vec![false; automaton.locations.len()];
        let mut waiting = vec![from];
        while let Some(location) = waiting.pop() {
            if std::mem::replace(&mut visited[location.0 as usize], true) {
                continue;
            }
            for (id, edge) in automaton.edges_from(location) {
                let uses_channel = matches!(edge.action, Action::Send { .. } | Action::Receive { .. });
                let uncertain = uses_channel && !self.atomics.is_certain(process.automaton.0 as usize, id);
                let never = self.is_never_ample(process, id);
                if edge.escape > 0 || matches!(edge.action, Action::DStep(_)) || uncertain || never {
                    return false;
                }
                let footprint = interpreter.later_footprint(state, pid, id, &is_written);
                let waits = |channels: &Channels| channels.others || !channels.known.is_empty();
                if footprint.timeout
                    || footprint.is_about_processes()
                    || footprint.uses_unknown_channels()
                    || waits(&footprint.awaits_message)
                    || waits(&footprint.awaits_room)
                {
                    return false;
                }
                needs.add(&footprint);
                if edge.atomic {
                    waiting.push(edge.target);
                }
            }
        }
        true
    }

    /// Who a process is among the users.
    fn user(&self, process: &Process, pid: Pid, phase: Phase) -> Users {
        let stays = || self.stays.get(pid.0 as usize).copied().unwrap_or(false);
        if phase == Phase::Settled || !self.dies_first || stays() {
            Users::One(User::Number(pid))
        } else if self.births.only_one[process.automaton.0 as usize] {
            Users::One(User::OnlyOne(process.automaton))
        } else {
            Users::Many
        }
    }

    fn is_never_ample(&self, process: &Process, edge: EdgeId) -> bool {
        self.never_ample[process.automaton.0 as usize][edge.0 as usize]
    }

    /// Whether a send or a receive at this location tells more than that it happens: another statement is executable because
    /// it is not (`else`, `unless`), or it may decide how far an `atomic` gets.
    fn channels_are_looked_at(&self, process: &Process, automaton: &Automaton) -> bool {
        self.atomics.may_wait(process.automaton.0 as usize, process.location)
            || automaton
                .edges_from(process.location)
                .any(|(_, edge)| edge.escape > 0 || matches!(edge.action, Action::Else | Action::DStep(_)))
    }
}

impl Ledger {
    fn begin(&mut self) {
        self.known.clone_from(&self.users);
        self.relied_on.clear();
        self.broken = false;
    }

    fn note(&mut self, used: Use, user: Users) {
        let users = self.users.entry(used).or_insert(user);
        if *users != user {
            *users = Users::Many;
        }
        self.broken |= self.relied_on.get(&used).is_some_and(|by| user == Users::Many || *by != user);
    }

    fn rely(&mut self, used: Use, user: Users) {
        let by = self.relied_on.entry(used).or_insert(user);
        if *by != user {
            *by = Users::Many;
        }
        // Somebody else may have come in since the search began.
        self.broken |= self.users.get(&used).is_some_and(|users| *users == Users::Many || *by != *users);
    }
}

/// Whether a statement can be executed only while a send that may be a rendezvous cannot: an `else` behind it, or what an `unless` leaves when the
/// send is its escape. Any step of another process to a receive, or away from it, may then decide about that statement.
fn asks_who_waits(system: &System, capacities: Capacities, automaton: &Automaton) -> bool {
    let may_be_rendezvous = |edge: &Edge| may_send_in_rendezvous(system, capacities, edge);
    (0..automaton.locations.len()).any(|index| {
        let edges = || automaton.edges_from(LocationId(index as u32)).map(|(_, edge)| edge);
        let mut behind = edges().skip_while(|edge| !may_be_rendezvous(edge));
        let mut escapes = edges().filter(|edge| edge.escape > 0 && may_be_rendezvous(edge));
        behind.any(|edge| matches!(edge.action, Action::Else | Action::DStep(_)))
            || escapes.any(|escape| edges().any(|edge| edge.escape != escape.escape))
    })
}

/// By automaton and edge: the steps to a place where a process may be the receiving side of a rendezvous, if there is an `atomic` sequence with a send
/// that may be one. If nobody waits for that message the sequence is left there, and all others may move in between; if somebody does it goes on.
/// So such a step and the sequence are not independent, although they have no part of the state in common. (To step away from such a place is
/// never enough anyway: the receive there may become executable.)
fn steps_that_decide_who_waits(system: &System, capacities: Capacities) -> Vec<Vec<bool>> {
    let gives_way = |automaton: &Automaton| {
        let goes_on_at = |location| automaton.edges.iter().any(|edge| edge.atomic && edge.target == location);
        let mut edges = automaton.edges.iter();
        edges.any(|edge| may_send_in_rendezvous(system, capacities, edge) && goes_on_at(edge.source))
    };
    let is_noticed = system.automata.iter().any(gives_way);
    let automata = system.automata.iter().enumerate();
    let steps = automata.map(|(index, automaton)| {
        let receives = |location: LocationId| {
            let mut edges = automaton.edges_from(location);
            edges.any(|(id, edge)| match &edge.action {
                Action::Receive { channel, .. } => may_be_rendezvous(system, capacities, channel),
                _ => system.code.may_receive(AutomatonId(index as u32), id),
            })
        };
        automaton.edges.iter().map(|edge| is_noticed && receives(edge.target)).collect()
    });
    steps.collect()
}

fn may_send_in_rendezvous(system: &System, capacities: Capacities, edge: &Edge) -> bool {
    matches!(&edge.action, Action::Send { channel, .. } if may_be_rendezvous(system, capacities, channel))
}

fn may_be_rendezvous(system: &System, capacities: Capacities, channel: &ChannelRef) -> bool {
    let types = &system.model.channel_types;
    capacities == Capacities::Fixed(0)
        || match channel.declared {
            Some(id) => types[id.0 as usize].capacity == 0,
            None => types.iter().any(|channel_type| channel_type.capacity == 0),
        }
}

/// Whether a condition is false until the process itself moves, which it can: what it depends on before that is known, is its own and does not
/// fail, which would be a move; or it asks for `timeout`.
fn is_false_for_now(interpreter: &Interpreter<'_>, state: &State, pid: Pid, edge: EdgeId) -> bool {
    let guard = interpreter.guard_footprint(state, pid, edge);
    guard.may_block && !guard.may_succeed && !guard.may_fail
}

fn edges_that_lead_back(automaton: &Automaton) -> Vec<bool> {
    let mut leads_back = vec![false; automaton.edges.len()];
    let mut on_path = vec![false; automaton.locations.len()];
    let mut visited = on_path.clone();
    let edges_of = |location: LocationId| automaton.location(location).edges.clone().into_iter();
    let mut path = vec![(automaton.initial, edges_of(automaton.initial))];
    on_path[automaton.initial.0 as usize] = true;
    visited[automaton.initial.0 as usize] = true;
    while let Some((location, edges)) = path.last_mut() {
        let Some(edge) = edges.next() else {
            on_path[location.0 as usize] = false;
            path.pop();
            continue;
        };
        if automaton.edge(edge).action == Action::End {
            continue;
        }
        let target = automaton.edge(edge).target;
        if on_path[target.0 as usize] {
            leads_back[edge.0 as usize] = true;
        } else if !std::mem::replace(&mut visited[target.0 as usize], true) {
            on_path[target.0 as usize] = true;
            path.push((target, edges_of(target)));
        }
    }
    leads_back
}

/// What every statement may touch, in any state.
pub(crate) struct Footprints {
    /// By automaton and edge.
    pub edges: Vec<Vec<Footprint>>,
}

impl Footprints {
    fn of(interpreter: &Interpreter<'_>) -> Footprints {
        let automata = interpreter.system().automata.iter().enumerate();
        let edges = automata.map(|(index, automaton)| {
            let edges = (0..automaton.edges.len()).map(|edge| EdgeId(edge as u32));
            edges.map(|edge| interpreter.static_footprint(AutomatonId(index as u32), edge)).collect()
        });
        Footprints { edges: edges.collect() }
    }
}

/// By number, for the processes that start by themselves: whether it keeps its number to the end of every run.
fn those_who_stay(system: &System, footprints: &Footprints) -> Vec<bool> {
    let mut stays = Vec::new();
    for (proctype, footprints) in system.model.proctypes.iter().zip(&footprints.edges) {
        let never_dies = !footprints.iter().any(|footprint| footprint.ends);
        for _ in 0..proctype.active {
            stays.push(never_dies || stays.is_empty());
        }
    }
    stays
}

fn written_slots(system: &System, footprints: &Footprints) -> Vec<Vec<bool>> {
    let automata = system.automata.iter().zip(&footprints.edges);
    let written = automata.map(|(automaton, footprints)| {
        let mut written = vec![false; automaton.slots.len()];
        for (edge, footprint) in automaton.edges.iter().zip(footprints) {
            for slot in footprint.local_writes.iter().chain(edge.dead.iter().copied()) {
                written[slot as usize] = true;
            }
        }
        written
    });
    written.collect()
}

/// Proctypes whose processes others look into, or that have a `provided` clause.
fn watched_proctypes(interpreter: &Interpreter<'_>, footprints: &Footprints) -> Vec<bool> {
    let system = interpreter.system();
    let mut watched: Vec<bool> = system.automata.iter().map(|_| false).collect();
    let mut look = |footprint: &Footprint| {
        let asked = &footprint.processes;
        let labels = asked.labels.iter().map(|&(proctype, whose, _)| (proctype, whose));
        for (proctype, whose) in labels.chain(asked.variables.iter().copied()) {
            match whose {
                // Whatever has that number is looked at, of whatever type it is.
                Whose::Numbered => watched.fill(true),
                Whose::First | Whose::All => watched[proctype.0 as usize] = true,
            }
        }
        if asked.anything {
            watched.fill(true);
        }
    };
    footprints.edges.iter().flatten().for_each(&mut look);
    for (id, _) in system.process_automata() {
        look(&interpreter.static_provided_footprint(id));
    }
    for (index, proctype) in system.model.proctypes.iter().enumerate() {
        watched[index] |= proctype.provided.is_some();
    }
    watched
}

/// The uses of statements, in one state.
struct Uses<'a> {
    state: &'a State,
    uses: Vec<Use>,
    all_count_as_looks: bool,
}

impl<'a> Uses<'a> {
    fn new(state: &'a State) -> Self {
        Uses { state, uses: Vec::new(), all_count_as_looks: false }
    }

    /// What a statement may use; a condition `nempty(c)` counts as a receive and `nfull(c)` as a send.
    fn add(&mut self, footprint: &Footprint) {
        self.uses.extend(footprint.reads.iter().map(Use::Read));
        self.uses.extend(footprint.writes.iter().map(Use::Write));
        for sent in [&footprint.sends, &footprint.awaits_room] {
            self.add_channels(sent, Use::Send);
        }
        for received in [&footprint.receives, &footprint.awaits_message] {
            self.add_channels(received, Use::Receive);
        }
        self.add_channels(&footprint.looks, Use::Look);
    }

    fn add_channels(&mut self, channels: &Channels, kind: fn(ChannelId) -> Use) {
        let all = (0..self.state.channels.len() as u32).map(ChannelId).filter(|_| channels.others);
        for id in channels.known.iter().copied().chain(all) {
            self.uses.push(kind(id));
            if self.all_count_as_looks {
                self.uses.push(Use::Look(id));
            }
        }
    }

    /// Whether no message that others take or put can change what is executable: receives find a message, sends find room.
    fn are_stable(&self, interpreter: &Interpreter<'_>) -> bool {
        let model = &interpreter.system().model;
        self.uses.iter().all(|used| match *used {
            Use::Send(id) | Use::Receive(id) => {
                let channel = &self.state.channels[id.0 as usize];
                let fields = model.channel_types[channel.channel_type.0 as usize].fields.len().max(1);
                let messages = channel.contents.len() / fields;
                match (used, interpreter.capacity(channel.channel_type)) {
                    (_, Some(0)) => false,
                    (Use::Receive(_), _) => messages > 0,
                    (_, Some(capacity)) => messages < capacity as usize,
                    (_, None) => true,
                }
            }
            Use::Read(_) | Use::Write(_) | Use::Look(_) => true,
        })
    }
}

#[cfg(test)]
mod tests;
