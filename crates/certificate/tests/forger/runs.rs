//! Executions, composed freely: pumps and traces of steps that are real and of steps that are not. Whatever is accepted must do what it says:
//! a pump's repetition is executed fifty times and the channels must grow, a trace is gone through, a lasso's loop four times.

use super::{Random, Subject, models};
use certificate::potential::Progress;
use certificate::pump::{Pump, PumpQuestion, Pumped, check_pump};
use certificate::trace::{Trace, TraceStep, replay};
use certificate::verdict::Fairness;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use system::automaton::{Action, AutomatonId, DStepNodeId, EdgeId, LocationId, System};
use system::interpreter::{Capacities, Interpreter, Output, Partner, Step, Violation};
use system::state::{Pid, Process, State};

/// What became of the executions.
#[derive(Clone, Debug, Default)]
pub struct RunTally {
    /// How many were tried.
    pub tried: u64,
    /// How many of them were accepted and are what they say, by kind.
    pub true_ones: BTreeMap<&'static str, u64>,
    /// Refused, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Accepted and false, or a panic: what is wrong, the model, the execution.
    pub false_ones: Vec<(String, String, String)>,
}

/// A repetition is executed so often.
const REPETITIONS: u64 = 50;
/// Steps of a random run.
const LONGEST_WALK: usize = 28;
/// Processes that a pump may leave behind in all repetitions.
const MANY_PROCESSES: usize = 60_000;

/// Composes so many pumps and traces of the models, and stops at the third that is accepted although it is false.
pub fn forge_runs(subjects: &[Subject], count: u64, seed: u64) -> RunTally {
    let mut random = Random(seed ^ 0x7075_6d70);
    let mut tally = RunTally::default();
    while tally.tried < count && tally.false_ones.len() < 3 && !subjects.is_empty() {
        // The models by hand come first, and each has something that a rule is about.
        let among =
            if random.percent(50) { models::BY_HAND.len().min(subjects.len()) } else { subjects.len() };
        let subject = &subjects[random.below(among)];
        let stranger = &subjects[random.below(subjects.len())];
        let mut maker = Maker { subject, stranger, random: &mut random };
        let capacities = maker.capacities();
        let walk = maker.walk(capacities);
        // The same run several times: walking costs more than changing.
        for _ in 0..4 {
            tally.tried += 2;
            let pump = maker.pump(&walk);
            let question = maker.question();
            judge_pump(subject, &pump, &question, &mut tally);
            let trace = maker.trace(capacities, &walk);
            judge_trace(subject, &trace, &mut tally);
        }
    }
    tally
}

/// A run: each state with the step that was taken there, and the last state.
struct Walk {
    states: Vec<State>,
    steps: Vec<Step>,
}

struct Maker<'m> {
    subject: &'m Subject,
    stranger: &'m Subject,
    random: &'m mut Random,
}

impl Maker<'_> {
    fn capacities(&mut self) -> Capacities {
        match self.random.below(8) {
            0 => Capacities::Declared,
            1 => Capacities::Fixed(1 + self.random.below(3) as u32),
            _ => Capacities::Unbounded,
        }
    }

    fn question(&mut self) -> PumpQuestion {
        let nothing = || Progress::At(vec![]);
        match self.random.below(7) {
            0 => PumpQuestion::Livelock(Progress::Labels),
            1 => PumpQuestion::Livelock(nothing()),
            2 => PumpQuestion::FairLivelock(nothing(), Fairness::Weak),
            3 => PumpQuestion::FairLivelock(nothing(), Fairness::Strong),
            _ => PumpQuestion::Unbounded,
        }
    }

    /// Any run; one in which statements are taken rather again than for the first time, so that something is repeated.
    fn walk(&mut self, capacities: Capacities) -> Walk {
        let interpreter = Interpreter::new(&self.subject.system, capacities);
        let mut walk = Walk { states: Vec::new(), steps: Vec::new() };
        let Ok(mut state) = interpreter.initial_state() else { return walk };
        let mut enabled = Vec::new();
        for _ in 0..1 + self.random.below(LONGEST_WALK) {
            interpreter.steps_beside_errors(&state, &mut enabled);
            let known: Vec<Step> = enabled.iter().copied().filter(|s| walk.steps.contains(s)).collect();
            let choices = if self.random.percent(50) && !known.is_empty() { &known } else { &enabled };
            let Some(&step) = self.random.pick(choices) else { break };
            let before = state.clone();
            let executed = interpreter.execute(&mut state, step, &(), &mut ());
            walk.states.push(before.clone());
            walk.steps.push(step);
            if executed.is_err() {
                state = before;
                break;
            }
        }
        walk.states.push(state);
        walk
    }

    /// Two moments of a run, most often with the same control.
    fn moments(&mut self, walk: &Walk, same: impl Fn(&State, &State) -> bool) -> (usize, usize) {
        let last = walk.steps.len();
        let end = self.random.below(last + 1);
        let alike: Vec<usize> = (0..end).filter(|&at| same(&walk.states[at], &walk.states[end])).collect();
        match self.random.pick(&alike) {
            Some(&begin) if self.random.percent(85) => (begin, end),
            _ => (self.random.below(end + 1), end),
        }
    }

    fn pump(&mut self, walk: &Walk) -> Pump {
        let mut best = (0, 0);
        // Sometimes with other values in variables, which may decide nothing.
        let values_count = self.random.percent(60);
        let alike = |a: &State, b: &State| match values_count {
            true => same_control(a, b),
            false => places(&a.processes) == places(&b.processes) && a != b,
        };
        for _ in 0..6 {
            best = self.moments(walk, |a, b| alike(a, b) && (grows(a, b) || !values_count));
            if best.0 < best.1 && alike(&walk.states[best.0], &walk.states[best.1]) {
                break;
            }
        }
        let (begin, end) = best;
        let mut pump =
            Pump::new(&self.subject.system, &walk.steps[..begin], &walk.steps[begin..end.max(begin)]);
        if self.random.percent(55) {
            return pump;
        }
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(9) {
                0 => pump.model = self.fingerprint(),
                1 => pump.schema = self.schema(&pump.schema),
                2 => pump.repeated.clear(),
                3 => pump.prefix.clear(),
                4 => pump.repeated.extend(pump.repeated.clone()),
                5 => pump.prefix.extend(pump.repeated.clone()),
                6 => self.change(&mut pump.prefix),
                _ => self.change(&mut pump.repeated),
            }
        }
        pump
    }

    fn trace(&mut self, capacities: Capacities, walk: &Walk) -> Trace {
        let (begin, end) = self.moments(walk, |a, b| a == b);
        let loop_start = match self.random.below(6) {
            0 => None,
            1 => Some(end),
            2 => Some([0, end + 1, usize::MAX, end / 2][self.random.below(4)]),
            _ => Some(begin),
        };
        let mut trace = Trace::new(&self.subject.system, capacities, &walk.steps[..end], loop_start);
        if self.random.percent(50) {
            return trace;
        }
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(8) {
                0 => trace.model = self.fingerprint(),
                1 => trace.schema = self.schema(&trace.schema),
                2 => {
                    let sizes = [0, 1, 2, u32::MAX].map(Capacities::Fixed);
                    let named = [Capacities::Declared, Capacities::Unbounded];
                    let all = [sizes.as_slice(), named.as_slice()].concat();
                    trace.capacities = all[self.random.below(all.len())];
                }
                3 => {
                    let limits = [0, 1, 2, 254, 255, 256, 65_536, u32::MAX];
                    trace.process_limit = self.random.pick(&limits).copied();
                }
                _ => self.change(&mut trace.steps),
            }
        }
        trace
    }

    fn fingerprint(&mut self) -> String {
        match self.random.below(3) {
            0 => String::new(),
            1 => self.subject.truth.fingerprint.to_uppercase(),
            _ => self.stranger.truth.fingerprint.clone(),
        }
    }

    fn schema(&mut self, own: &str) -> String {
        let others = ["", "plimsoll-pump/1", "plimsoll-pump/2", "plimsoll-trace/2", "plimsoll-trace/3"];
        let other = others[self.random.below(others.len())];
        if self.random.percent(20) { own.to_uppercase() } else { other.to_string() }
    }

    /// Steps left out, doubled, exchanged, invented.
    fn change(&mut self, steps: &mut Vec<TraceStep>) {
        let at = self.random.below(steps.len());
        let other = self.random.below(steps.len());
        match self.random.below(6) {
            0 if !steps.is_empty() => {
                steps.remove(at);
            }
            1 if !steps.is_empty() => steps.insert(other, steps[at]),
            2 if !steps.is_empty() => steps.swap(at, other),
            3 if !steps.is_empty() => steps.rotate_left(at),
            _ => {
                let invented = self.invented();
                match steps.get_mut(at) {
                    Some(step) if self.random.percent(70) => *step = invented,
                    _ => steps.push(invented),
                }
            }
        }
    }

    fn invented(&mut self) -> TraceStep {
        let system = &self.subject.system;
        let mut number = |most: usize| match self.random.below(12) {
            0 => u32::MAX,
            1 => most as u32,
            _ => self.random.below(most.max(1)) as u32,
        };
        let edges = system.automata.iter().map(|automaton| automaton.edges.len()).max().unwrap_or(0);
        let (process, edge) = (number(4), number(edges));
        let partner = Some((number(4), number(edges)));
        TraceStep { process, edge, partner: partner.filter(|_| self.random.percent(25)) }
    }
}

/// All but what channels hold.
fn control(state: &State) -> State {
    let mut state = state.clone();
    state.channels.iter_mut().for_each(|channel| channel.contents.clear());
    state
}

fn same_control(one: &State, other: &State) -> bool {
    let multiset = |state: &State| {
        let mut processes: Vec<String> = state.processes.iter().map(|p| format!("{p:?}")).collect();
        processes.sort_unstable();
        processes
    };
    control(one) == control(other)
        || (one.globals == other.globals && {
            let (less, more) = (multiset(one), multiset(other));
            less.iter().all(|process| more.contains(process))
        })
}

fn place(process: &Process) -> (AutomatonId, LocationId) {
    (process.automaton, process.location)
}

fn places(processes: &[Process]) -> Vec<(AutomatonId, LocationId)> {
    processes.iter().map(place).collect()
}

fn grows(one: &State, other: &State) -> bool {
    let pairs = || one.channels.iter().zip(&other.channels);
    pairs().all(|(before, after)| before.contents.len() <= after.contents.len())
        && pairs().any(|(before, after)| before.contents.len() < after.contents.len())
}

fn judge_pump(subject: &Subject, pump: &Pump, question: &PumpQuestion, tally: &mut RunTally) {
    let system = &subject.system;
    let kind = match question {
        PumpQuestion::Unbounded => "pump",
        PumpQuestion::Livelock(_) => "pump without progress",
        PumpQuestion::FairLivelock(..) => "fair pump without progress",
        PumpQuestion::Violates(..) => "pump against a formula",
    };
    let result = catch_unwind(AssertUnwindSafe(|| check_pump(system, pump, question)));
    let wrong = match result {
        Err(_) => Some("the checker panics".to_string()),
        Ok(Err(refusal)) => {
            *tally.refused.entry(refusal.rule().to_string()).or_default() += 1;
            return;
        }
        Ok(Ok(pumped)) => is_pump(system, &subject.truth.fingerprint, pump, &pumped, question).err(),
    };
    count(subject, kind, wrong, serde_json::to_string(pump).unwrap_or_default(), tally);
}

fn judge_trace(subject: &Subject, trace: &Trace, tally: &mut RunTally) {
    let kind = if trace.loop_start.is_some() { "lasso" } else { "trace" };
    let result = catch_unwind(AssertUnwindSafe(|| replay(&subject.system, trace)));
    let wrong = match result {
        Err(_) => Some("the replay panics".to_string()),
        Ok(Err(refusal)) => {
            let text = refusal.to_string();
            let words = text.split(' ').filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit()));
            let reason = words.take(6).collect::<Vec<_>>().join(" ");
            *tally.refused.entry(reason).or_default() += 1;
            return;
        }
        Ok(Ok(_)) => is_execution(&subject.system, &subject.truth.fingerprint, trace).err(),
    };
    count(subject, kind, wrong, serde_json::to_string(trace).unwrap_or_default(), tally);
}

fn count(subject: &Subject, kind: &'static str, wrong: Option<String>, text: String, tally: &mut RunTally) {
    match wrong {
        Some(what) => tally.false_ones.push((format!("{kind}: {what}"), subject.text.clone(), text)),
        None => *tally.true_ones.entry(kind).or_default() += 1,
    }
}

/// Who executed which choice of which node of a `d_step`.
type Inside = (Pid, (u32, u32));

/// Executes a step if it can be executed; which statements inside of a `d_step` were.
fn advance(interpreter: &Interpreter<'_>, state: &mut State, step: Step) -> Result<Vec<Inside>, String> {
    let mut enabled = Vec::new();
    interpreter.steps_beside_errors(state, &mut enabled);
    if !enabled.contains(&step) {
        return Err(format!("{step:?} cannot be executed"));
    }
    let mut chosen = Chosen::default();
    match interpreter.execute(state, step, &(), &mut chosen) {
        Ok(()) if chosen.violates => Err("a violation".to_string()),
        Ok(()) => Ok(chosen.choices),
        Err(error) => Err(error.kind.to_string()),
    }
}

#[derive(Default)]
struct Chosen {
    choices: Vec<Inside>,
    violates: bool,
}

impl Output for Chosen {
    fn chose(&mut self, process: Pid, node: DStepNodeId, choice: u32) {
        self.choices.push((process, (node.0, choice)));
    }

    fn violated(&mut self, _violation: Violation) {
        self.violates = true;
    }
}

/// Whether the repetition can be executed again and again, and what is said to grow grows.
fn is_pump(
    system: &System,
    fingerprint: &str,
    pump: &Pump,
    pumped: &Pumped,
    question: &PumpQuestion,
) -> Result<(), String> {
    if pump.model != fingerprint || pump.repeated.is_empty() {
        return Err("it is of another model, or repeats nothing".into());
    }
    let interpreter = Interpreter::new(system, Capacities::Unbounded).with_process_limit(MANY_PROCESSES);
    let mut state = interpreter.initial_state().map_err(|error| error.kind.to_string())?;
    for &step in &pump.prefix {
        advance(&interpreter, &mut state, step.into())?;
    }
    let first = state.clone();
    let held = |state: &State| -> Vec<usize> {
        let channels = state.channels.iter().take(first.channels.len());
        channels.map(|channel| channel.contents.len()).collect()
    };
    let before = held(&first);
    let mut more: Option<Vec<usize>> = None;
    for repetition in 1..=REPETITIONS {
        let roles = roles(&first.processes, &state.processes)
            .ok_or(format!("before repetition {repetition} somebody is missing"))?;
        let there = state.processes.len();
        let mut watched = Watched::default();
        for &step in &pump.repeated {
            let step = played_by(&roles, there, step.into());
            let said = |what| format!("repetition {repetition}: {what}");
            watched.look(&interpreter, &state, step);
            let automata: Vec<u32> = state.processes.iter().map(|p| p.automaton.0).collect();
            let chosen = advance(&interpreter, &mut state, step).map_err(said)?;
            if let Some(progress) = question.progress()
                && is_progress(system, &automata, step, &chosen, progress)
            {
                return Err(said("it makes progress".into()));
            }
        }
        if let PumpQuestion::FairLivelock(_, fairness) = question
            && !watched.is_fair(*fairness)
        {
            return Err(format!("repetition {repetition}: it is not fair"));
        }
        let now = held(&state);
        let gained = match more.take() {
            None => now.iter().zip(&before).map(|(now, before)| now.checked_sub(*before)).collect(),
            known => known,
        };
        let gained: Vec<usize> = gained.ok_or("a channel holds less after the repetition")?;
        let wanted = gained.iter().zip(&before).map(|(more, before)| before + more * repetition as usize);
        if !now.iter().copied().eq(wanted) {
            return Err(format!("after repetition {repetition} channels hold {now:?}"));
        }
        more = Some(gained);
    }
    let growing: Vec<u32> = (0..)
        .zip(more.unwrap_or_default())
        .filter(|(_, more)| *more > 0)
        .map(|(channel, _)| channel)
        .collect();
    let said: Vec<u32> = pumped.growing.iter().map(|(channel, _)| channel.0).collect();
    let nothing = *question == PumpQuestion::Unbounded && growing.is_empty();
    let endless = pumped.more_processes > 0 && *question != PumpQuestion::Unbounded;
    match growing == said && !nothing && !endless {
        true => Ok(()),
        false => Err(format!("channels {growing:?} grow, not {said:?}")),
    }
}

/// Who moved in a repetition, and who could have.
#[derive(Default)]
struct Watched {
    moved: BTreeSet<u32>,
    once: BTreeSet<u32>,
    always: Option<BTreeSet<u32>>,
}

impl Watched {
    fn look(&mut self, interpreter: &Interpreter<'_>, state: &State, step: Step) {
        let who = |step: &Step| {
            [Some(step.process.0), step.partner.map(|partner| partner.process.0)].into_iter().flatten()
        };
        self.moved.extend(who(&step));
        let mut enabled = Vec::new();
        let (how, _) = interpreter.steps_beside_errors(state, &mut enabled);
        // In the middle of an `atomic` sequence nobody looks.
        if state.exclusive.is_none() || how.released {
            let able: BTreeSet<u32> = enabled.iter().flat_map(who).collect();
            self.once.extend(&able);
            self.always = Some(match self.always.take() {
                None => able,
                Some(always) => always.intersection(&able).copied().collect(),
            });
        }
    }

    fn is_fair(&self, fairness: Fairness) -> bool {
        match fairness {
            Fairness::None => true,
            Fairness::Weak => self.always.as_ref().is_some_and(|always| always.is_subset(&self.moved)),
            Fairness::Strong => self.always.is_some() && self.once.is_subset(&self.moved),
        }
    }
}

/// Who takes the part of each of these processes.
fn roles(first: &[Process], now: &[Process]) -> Option<Vec<u32>> {
    // What they know may differ where it decides nothing; whether it does is seen when it is executed.
    if places(now) == places(first) {
        return Some((0..first.len() as u32).collect());
    }
    let mut free: Vec<bool> = vec![true; now.len()];
    let mut find = |process: &Process| {
        let mut there = (0..now.len()).rev().filter(|&at| free[at] && place(&now[at]) == place(process));
        let same = there.clone().find(|&at| now[at] == *process);
        let at = same.or_else(|| there.next())?;
        free[at] = false;
        Some(at as u32)
    };
    first.iter().map(&mut find).collect()
}

/// The step with the processes that take part this time; those that a repetition starts are numbered from the first free number.
fn played_by(roles: &[u32], there: usize, step: Step) -> Step {
    let player = |pid: Pid| match roles.get(pid.0 as usize) {
        Some(&player) => Pid(player),
        None => Pid(pid.0 - roles.len() as u32 + there as u32),
    };
    let partner = step.partner.map(|partner| Partner { process: player(partner.process), ..partner });
    Step { process: player(step.process), partner, ..step }
}

fn is_progress(
    system: &System,
    automata: &[u32],
    step: Step,
    chosen: &[Inside],
    progress: &Progress,
) -> bool {
    let partner = step.partner.map(|partner| (partner.process, partner.edge));
    [Some((step.process, step.edge)), partner].into_iter().flatten().any(|(pid, edge): (Pid, EdgeId)| {
        let automaton = automata[pid.0 as usize];
        let own = system.automata[automaton as usize].edge(edge);
        let inside = |node: u32, choice: u32| match (&own.action, progress) {
            (Action::DStep(body), Progress::Labels) => {
                body.nodes[node as usize].choices[choice as usize].progress
            }
            (_, Progress::At(statements)) => statements
                .iter()
                .any(|s| (s.automaton, s.edge, s.inside) == (automaton, edge.0, Some((node, choice)))),
            _ => false,
        };
        let whole = match progress {
            Progress::Labels => own.progress,
            Progress::At(statements) => {
                statements.iter().any(|s| (s.automaton, s.edge, s.inside) == (automaton, edge.0, None))
            }
        };
        whole || chosen.iter().any(|(who, (node, choice))| *who == pid && inside(*node, *choice))
    })
}

/// Whether the steps can be executed one after the other, and the loop again and again.
fn is_execution(system: &System, fingerprint: &str, trace: &Trace) -> Result<(), String> {
    if trace.model != fingerprint || trace.capacities == Capacities::Fixed(0) {
        return Err("it is of another model, or of buffers without room".into());
    }
    if trace.process_limit.is_some_and(|limit| limit < 255) {
        return Err("it has a limit that SPIN has not".into());
    }
    let interpreter = trace.interpreter(system);
    let mut state = interpreter.initial_state().map_err(|error| error.kind.to_string())?;
    let mut at_loop = None;
    let forward = |state: &mut State, step: TraceStep| {
        let mut enabled = Vec::new();
        interpreter.steps_beside_errors(state, &mut enabled);
        match enabled.contains(&step.into()) {
            true => interpreter
                .execute(state, step.into(), &(), &mut ())
                .map(|_| ())
                .map_err(|error| error.kind.to_string()),
            false => Err(format!("{step:?} cannot be executed")),
        }
    };
    for (index, &step) in trace.steps.iter().enumerate() {
        if trace.loop_start == Some(index) {
            at_loop = Some(state.clone());
        }
        forward(&mut state, step)?;
    }
    let Some(start) = trace.loop_start else { return Ok(()) };
    let Some(at_loop) = at_loop else {
        let mut enabled = Vec::new();
        let (_, error) = interpreter.steps_beside_errors(&state, &mut enabled);
        let stays = start == trace.steps.len() && enabled.is_empty() && error.is_none();
        return if stays { Ok(()) } else { Err("the state in which it stays can be left".into()) };
    };
    for _ in 0..3 {
        for &step in &trace.steps[start..] {
            forward(&mut state, step).map_err(|what| format!("the loop cannot be repeated: {what}"))?;
        }
        let without = |state: &State| State { exclusive: None, ..state.clone() };
        if without(&state) != without(&at_loop) {
            return Err("the loop does not close".into());
        }
    }
    Ok(())
}
