//! SPIN's `.trail`: written so that `spin -t` replays our runs, read so that we replay those of `pan`.
//!
//! A line is `depth:process:transition`. Transitions are numbered through all bodies of a model in the order of the source: a statement's
//! number in its body (which is SPIN's, see [`Automaton::statement_numbers`]) behind all numbers of the bodies before. If the model has a
//! claim that takes part, it is process 0 and the others are one further; a line `-2:…` says so, `-4:-4:-4` that statements were merged, and
//! `-1:-1:-1` stands where a loop begins. A rendezvous is two lines, the sender's and the receiver's, in our step it is one.
//!
//! [`Automaton::statement_numbers`]: system::automaton::Automaton::statement_numbers

use certificate::trace::Trace;
use promela::names::NameKind;
use promela::source::{FileId, SourceMap, Span};
use std::fmt::Write;
use system::automaton::{Action, AutomatonId, AutomatonKind, EdgeId, System};
use system::interpreter::{Capacities, Interpreter, Step, Violation};
use system::state::{Pid, State};

/// Why a trail cannot be read.
pub type Wrong = String;

/// How SPIN numbers the transitions of a model.
struct Numbers {
    /// The first number of each body's: behind those of all bodies that stand before it in the text.
    first: Vec<u32>,
}

impl Numbers {
    fn of(system: &System) -> Numbers {
        let model = &system.model;
        let place = |index: usize| {
            let span = match system.automata[index].kind {
                AutomatonKind::Process(id) => Some(model.proctypes[id.0 as usize].span),
                AutomatonKind::Claim(claim) => model.claims.get(claim as usize).map(|claim| claim.span),
                AutomatonKind::EventTrace { .. } => model.event_trace.as_ref().map(|trace| trace.span),
            };
            (span.map(|span| place_in_text(&model.sources, span)), index)
        };
        let mut places: Vec<_> = (0..system.automata.len()).map(place).collect();
        places.sort();
        let mut first = vec![0; places.len()];
        let mut next = 0;
        for (_, index) in places {
            first[index] = next;
            next += system.automata[index].number_count;
        }
        Numbers { first }
    }

    /// SPIN's number of an edge.
    fn of_edge(&self, system: &System, automaton: AutomatonId, edge: EdgeId) -> Option<u32> {
        let statement = system.automaton(automaton).statement_numbers.get(edge.0 as usize)?;
        Some(self.first.get(automaton.0 as usize)? + statement.checked_sub(1)?)
    }
}

/// Where something stands in the text that SPIN reads, with the included files in their places: in the model, then in the file that is
/// included there, and so on.
fn place_in_text(sources: &SourceMap, span: Span) -> Vec<u32> {
    let mut at = sources.visible_span(span);
    let mut place = vec![at.start];
    let included = |file: FileId| {
        let mut mentions = sources.mentions().iter();
        mentions.find(|mention| mention.kind == NameKind::File && mention.declared.file == file)
    };
    while let Some(mention) = included(at.file).filter(|mention| mention.span.file < at.file) {
        at = mention.span;
        place.push(at.start);
    }
    place.reverse();
    place
}

/// A trace as a trail. `None` if SPIN could not run it: some step needs other capacities than those that the model declares.
pub fn write(system: &System, trace: &Trace) -> Option<String> {
    let declared = Trace { capacities: Capacities::Declared, ..trace.clone() };
    let interpreter = declared.interpreter(system);
    let mut state = interpreter.initial_state().ok()?;
    let numbers = Numbers::of(system);
    let mut out = String::new();
    let mut depth = 0;
    let mut enabled = Vec::new();
    for (index, &step) in trace.steps.iter().enumerate() {
        if trace.loop_start == Some(index) {
            out.push_str("-1:-1:-1\n");
        }
        let step: Step = step.into();
        if trace.capacities != Capacities::Declared {
            // It was found with larger buffers, and may not have needed them.
            interpreter.steps_beside_errors(&state, &mut enabled);
            enabled.contains(&step).then_some(())?;
        }
        let mut line = |process: Pid, edge: EdgeId| {
            let automaton = state.processes.get(process.0 as usize)?.automaton;
            depth += 1;
            writeln!(out, "{depth}:{}:{}", process.0, numbers.of_edge(system, automaton, edge)?).ok()
        };
        line(step.process, step.edge)?;
        if let Some(partner) = step.partner {
            line(partner.process, partner.edge)?;
        }
        if interpreter.execute(&mut state, step, &(), &mut ()).is_err() {
            break;
        }
    }
    Some(out)
}

/// One line of a trail.
struct Line {
    row: usize,
    process: i64,
    transition: i64,
}

/// A trail as a trace of the model.
pub fn read(system: &System, text: &str) -> Result<Trace, Wrong> {
    let mut lines = Vec::new();
    let mut loop_line = None;
    let mut claim = false;
    let mut merged = false;
    for (row, line) in text.lines().enumerate() {
        let numbers: Vec<i64> = line.split(':').filter_map(|word| word.trim().parse().ok()).collect();
        let [depth, process, transition] = numbers[..] else {
            return Err(format!("line {}: `{line}` is not of the form depth:process:transition", row + 1));
        };
        match depth {
            -1 => loop_line = Some(lines.len()),
            -2 => claim = true,
            -4 => merged = true,
            depth if depth < 0 => {}
            _ => lines.push(Line { row: row + 1, process, transition }),
        }
    }
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let mut reader = Reader {
        system,
        numbers: Numbers::of(system),
        interpreter,
        state: interpreter.initial_state().map_err(|e| e.kind.to_string())?,
        steps: Vec::new(),
        violated: false,
    };
    let first = i64::from(claim);
    let mut loop_start = None;
    let mut index = 0;
    while index < lines.len() {
        if loop_line == Some(index) {
            if merged {
                reader.catch_up(&lines[index..], first);
            }
            loop_start = Some(reader.steps.len());
        }
        let line = &lines[index];
        index += 1;
        // What the claim does is no step of the model.
        if claim && line.process == 0 {
            continue;
        }
        let partner = lines[index..].iter().find(|line| !(claim && line.process == 0));
        let used = match reader.take(line, partner, first) {
            Ok(used) => used,
            // The event that no `trace` allows stands there twice.
            Err(_) if reader.violated && index == lines.len() => break,
            Err(wrong) => return Err(format!("line {}: {wrong}", line.row)),
        };
        if used {
            index += lines[index..].iter().position(|line| !(claim && line.process == 0)).unwrap_or(0) + 1;
        }
    }
    match loop_line {
        // The loop goes on with its first lines.
        Some(at) if merged && loop_start.is_some() => reader.catch_up(&lines[at..], first),
        _ if merged => reader.finish_merged(),
        _ => {}
    }
    Ok(Trace::new(system, Capacities::Declared, &reader.steps, loop_start))
}

/// SPIN merges statements that nobody else notices, but not more than this.
const MERGED: usize = 10_000;

struct Reader<'s> {
    system: &'s System,
    numbers: Numbers,
    interpreter: Interpreter<'s>,
    state: State,
    steps: Vec<Step>,
    /// The last step violated something, or failed: there SPIN's verifier has stopped.
    violated: bool,
}

impl Reader<'_> {
    /// Takes the step of a line; whether the next line was its other half.
    fn take(&mut self, line: &Line, next: Option<&Line>, first: i64) -> Result<bool, Wrong> {
        let pid = Pid(u32::try_from(line.process - first).map_err(|_| "there is no such process")?);
        let is_partner = |reader: &Reader<'_>, step: &Step| match (step.partner, next) {
            (None, _) => true,
            (Some(_), None) => true,
            (Some(partner), Some(next)) => {
                let process = reader.state.processes.get(partner.process.0 as usize);
                let number = process.and_then(|process| reader.number(process.automaton, partner.edge));
                i64::from(partner.process.0) + first == next.process && number == Some(next.transition)
            }
        };
        // A line may stand for several statements, up to the next one of this process.
        let (state, taken, violated) = (self.state.clone(), self.steps.len(), self.violated);
        for _ in 0..MERGED {
            let mut enabled = Vec::new();
            self.interpreter.steps_beside_errors(&self.state, &mut enabled);
            let found = enabled
                .iter()
                .copied()
                .find(|step| self.is_named(step, line, first) && is_partner(self, step));
            if let Some(step) = found {
                self.execute(step)?;
                return Ok(step.partner.is_some() && next.is_some());
            }
            // Whoever is inside of an atomic sequence may be another one, whose last line stood for the rest of it.
            let mover = self.state.exclusive.unwrap_or(pid);
            let mut of_process = enabled.iter().copied().filter(|step| step.process == mover);
            let (Some(only), None) = (of_process.next(), of_process.next()) else { break };
            if only.partner.is_some() || self.is_end(only) {
                break;
            }
            self.execute(only)?;
        }
        (self.state, self.violated) = (state, violated);
        self.steps.truncate(taken);
        match self.take_jump(pid) {
            true => Ok(false),
            false => {
                Err(format!("process {} cannot take the transition {} there", line.process, line.transition))
            }
        }
    }

    /// A jump to a jump has SPIN's number of the one or of the other: which one depends on what it merges. Both do nothing and lead to the
    /// same place, so the only step of a process that does nothing is the one that is meant.
    fn take_jump(&mut self, pid: Pid) -> bool {
        let mut enabled = Vec::new();
        self.interpreter.steps_beside_errors(&self.state, &mut enabled);
        let mut of_process = enabled.iter().copied().filter(|step| step.process == pid);
        let (Some(only), None) = (of_process.next(), of_process.next()) else { return false };
        let automaton = self.state.processes[pid.0 as usize].automaton;
        let does_nothing = matches!(self.system.automaton(automaton).edge(only.edge).action, Action::Skip);
        does_nothing && self.execute(only).is_ok()
    }

    /// What SPIN merged with the last line of a process was executed with it: everybody goes on to where its next line begins.
    fn catch_up(&mut self, next: &[Line], first: i64) {
        self.finish_atomic(next.iter().find(|line| line.process >= first), first);
        let mut met = Vec::new();
        for line in next {
            if line.process < first || met.contains(&line.process) {
                continue;
            }
            met.push(line.process);
            let Ok(pid) = u32::try_from(line.process - first).map(Pid) else { continue };
            for _ in 0..MERGED {
                let mut enabled = Vec::new();
                self.interpreter.steps_beside_errors(&self.state, &mut enabled);
                let is_there = enabled.iter().any(|step| self.is_named(step, line, first));
                if is_there || !self.take_merged(pid, &enabled) {
                    break;
                }
            }
        }
    }

    /// Whoever is inside of an atomic sequence goes on, because nobody else could, up to the next line.
    fn finish_atomic(&mut self, next: Option<&Line>, first: i64) {
        for _ in 0..MERGED {
            let Some(pid) = self.state.exclusive else { break };
            let mut enabled = Vec::new();
            self.interpreter.steps_beside_errors(&self.state, &mut enabled);
            let is_there =
                next.is_some_and(|line| enabled.iter().any(|step| self.is_named(step, line, first)));
            if is_there || !self.take_merged(pid, &enabled) {
                break;
            }
        }
    }

    /// What was merged with the last line of each process was executed with it.
    fn finish_merged(&mut self) {
        self.finish_atomic(None, 0);
        for pid in 0..self.state.processes.len() as u32 {
            // Whoever has not moved has executed nothing.
            if !self
                .steps
                .iter()
                .any(|step| step.process.0 == pid || step.partner.is_some_and(|p| p.process.0 == pid))
            {
                continue;
            }
            for _ in 0..MERGED {
                let mut enabled = Vec::new();
                self.interpreter.steps_beside_errors(&self.state, &mut enabled);
                if !self.take_merged(Pid(pid), &enabled) {
                    break;
                }
            }
        }
    }

    /// Takes the only step of a process if nobody else notices it, or nobody else could move; whether there was one.
    fn take_merged(&mut self, pid: Pid, enabled: &[Step]) -> bool {
        let mut of_process = enabled.iter().copied().filter(|step| step.process == pid);
        let (Some(only), None) = (of_process.next(), of_process.next()) else { return false };
        if self.violated || only.partner.is_some() || self.is_end(only) {
            return false;
        }
        if self.state.exclusive == Some(pid) {
            return self.execute(only).is_ok();
        }
        let touched = self.interpreter.footprint(&self.state, pid, only.edge);
        let local = touched.reads.is_empty()
            && touched.writes.is_empty()
            && touched.sends.is_empty()
            && touched.receives.is_empty()
            && touched.looks.is_empty()
            && !touched.is_about_processes();
        local && self.execute(only).is_ok()
    }

    /// Whether a step is the one that a line names.
    fn is_named(&self, step: &Step, line: &Line, first: i64) -> bool {
        let process = self.state.processes.get(step.process.0 as usize);
        let number = process.and_then(|process| self.number(process.automaton, step.edge));
        i64::from(step.process.0) + first == line.process && number == Some(line.transition)
    }

    fn number(&self, automaton: AutomatonId, edge: EdgeId) -> Option<i64> {
        self.numbers.of_edge(self.system, automaton, edge).map(i64::from)
    }

    fn is_end(&self, step: Step) -> bool {
        let automaton = self.state.processes[step.process.0 as usize].automaton;
        matches!(self.system.automaton(automaton).edge(step.edge).action, Action::End)
    }

    fn execute(&mut self, step: Step) -> Result<(), Wrong> {
        self.steps.push(step);
        let mut after = self.state.clone();
        let mut violations: Vec<Violation> = Vec::new();
        // The last step may be the error that the trail shows.
        let done = self.interpreter.execute(&mut after, step, &(), &mut violations).is_ok();
        self.violated = !done || !violations.is_empty();
        if done {
            self.state = after;
        }
        Ok(())
    }
}
