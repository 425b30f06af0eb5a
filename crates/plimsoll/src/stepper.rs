//! Stepping through a run as debuggers do: forwards, backwards, until something, with breakpoints and watched expressions.
//!
//! One stepper for `simulate -i`, where each step is chosen, and `replay -i`, where the run is known. It keeps all states of the way, so
//! going back costs nothing, and whatever follows is kept until another way is taken.

use crate::files;
use crate::input::{self, ModelArguments};
use certificate::trace::{ReplayError, Trace};
use promela::model::{Expr, ExprKind, Ltl};
use report::names::place;
use report::steps::{changes, describe_violation, full_state, step_line};
use report::trace_file::{AddedText, TraceFile};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::BufRead;
use std::path::Path;
use system::automaton::{Edge, System};
use system::interpreter::{Interpreter, Output, RuntimeError, Step, Violation};
use system::state::{Pid, State};

/// A run, and where in it somebody stands.
pub struct Stepper<'s> {
    system: &'s System,
    interpreter: Interpreter<'s>,
    model: &'s ModelArguments,
    /// What was added to the model.
    added: &'s [AddedText],
    /// The states of the way; one more than steps.
    states: Vec<State>,
    steps: Vec<Step>,
    /// Steps that are done.
    at: usize,
    /// Whether steps can be chosen where the run ends.
    free: bool,
    /// The step with which a part begins that goes on for ever.
    repeats_from: Option<usize>,
    breakpoints: Vec<Stop>,
    watches: Vec<(String, Expr)>,
    /// Where the choices were shown last.
    offered: Option<usize>,
}

/// Where to stop.
struct Stop {
    text: String,
    kind: StopKind,
}

enum StopKind {
    /// A statement of this line is executed.
    Line(u32),
    /// It becomes true.
    Condition(Expr),
}

/// Why a run that goes on by itself stops.
enum Stopped {
    /// Something that somebody waits for, in his words.
    At(String),
    /// What no model may do, or an assertion that fails.
    Wrong,
}

const HELP: &str = "\
n, f, Enter    one step forwards (n 5: five), where there is only one
1, 2, …        take this step, and those after it that leave no choice
b              one step backwards (b 5: five)
c              forwards until a breakpoint, a choice, an error or the end
until 12       forwards until a statement of line 12 is executed
until x > 2    forwards until this becomes true
go 7           to the state after step 7
break 12       stop at line 12;  break x > 2: stop when this becomes true
breaks         list the breakpoints;  delete 1: away with the first
watch x + 1    show this after every step;  unwatch 1: no longer
p x + 1        its value now; p client[1]:n is a variable of process 1
s              the state: everybody's place and variables, all channels
l              the lines around the last statement
t              the steps so far
save FILE      the run so far, for plimsoll replay;  load FILE: take that run
q              end;  help: this
";

impl<'s> Stepper<'s> {
    /// At the beginning of a run that is known, or of none.
    pub fn new(
        system: &'s System,
        interpreter: Interpreter<'s>,
        model: &'s ModelArguments,
        added: &'s [AddedText],
        run: &[Step],
        repeats_from: Option<usize>,
    ) -> Result<Stepper<'s>, String> {
        let initial = interpreter
            .initial_state()
            .map_err(|error| format!("{} ({})", error.kind, place(system, error.span)))?;
        let mut stepper = Stepper {
            system,
            interpreter,
            model,
            added,
            states: vec![initial],
            steps: Vec::new(),
            at: 0,
            free: run.is_empty(),
            repeats_from,
            breakpoints: Vec::new(),
            watches: Vec::new(),
            offered: None,
        };
        stepper.follow(run);
        Ok(stepper)
    }

    /// Makes a run the one that is stepped through; stands at its beginning.
    fn follow(&mut self, run: &[Step]) {
        self.states.truncate(1);
        self.steps.clear();
        for &step in run {
            let mut state = self.states[self.states.len() - 1].clone();
            self.steps.push(step);
            let failed = self.interpreter.execute(&mut state, step, &(), &mut ()).is_err();
            self.states.push(state);
            if failed {
                break;
            }
        }
        self.at = 0;
    }

    fn state(&self) -> &State {
        &self.states[self.at]
    }

    /// Reads commands until somebody has enough.
    pub fn run(&mut self) {
        let stdin = std::io::stdin();
        loop {
            let choices = self.choices();
            if self.offered != Some(self.at) {
                self.offer(&choices);
            }
            self.offered = Some(self.at);
            let known = if self.free { String::new() } else { format!("/{}", self.steps.len()) };
            files::print(&format!("{}{known}> ", self.at));
            let mut line = String::new();
            if stdin.lock().read_line(&mut line).unwrap_or(0) == 0 {
                say_line!();
                return;
            }
            let line = line.trim();
            let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
            match word {
                "q" | "quit" | "exit" => return,
                "" | "n" | "next" | "step" | "f" | "forward" => match count(rest) {
                    Ok(count) => self.forwards(count),
                    Err(message) => say_line!("{message}"),
                },
                "b" | "back" => match count(rest) {
                    Ok(count) => self.backwards(count),
                    Err(message) => say_line!("{message}"),
                },
                "c" | "continue" | "run" => self.until(None),
                "until" => match self.stop_at(rest) {
                    Ok(stop) => self.until(Some(&stop)),
                    Err(message) => say_line!("{message}"),
                },
                "go" => match rest.parse::<usize>() {
                    Ok(step) if step <= self.steps.len() => {
                        self.at = step;
                        self.tell_last();
                    }
                    _ => say_line!("a step from 0 to {}", self.steps.len()),
                },
                "break" if rest.is_empty() => self.tell_breakpoints(),
                "break" => match self.stop_at(rest) {
                    Ok(stop) => {
                        say_line!("  {}: {}", self.breakpoints.len() + 1, stop.text);
                        self.breakpoints.push(stop);
                    }
                    Err(message) => say_line!("{message}"),
                },
                "breaks" => self.tell_breakpoints(),
                "delete" => {
                    if remove(&mut self.breakpoints, rest).is_none() {
                        say_line!("delete takes the number of a breakpoint (breaks lists them)");
                    }
                }
                "watch" => match self.expression(rest) {
                    Ok(watched) => {
                        self.watches.push((rest.to_string(), watched));
                        self.tell_watches();
                    }
                    Err(message) => say_line!("{message}"),
                },
                "unwatch" => {
                    if remove(&mut self.watches, rest).is_none() {
                        say_line!("unwatch takes the number before what is watched");
                    }
                }
                "p" | "print" => match self.expression(rest) {
                    Ok(expression) => say_line!("{rest} = {}", self.value(&expression)),
                    Err(message) => say_line!("{message}"),
                },
                "s" | "state" => files::print_fitted(&full_state(self.system, self.state())),
                "l" | "list" => self.list(),
                "t" | "trace" => (0..self.at).for_each(|step| self.tell_step(step)),
                "save" | "load" if rest.is_empty() => say_line!("a file is missing: {word} FILE"),
                "save" => self.save(Path::new(rest)),
                "load" => self.load(Path::new(rest)),
                "help" | "h" | "?" => files::print_fitted(HELP),
                number => match number.parse::<usize>() {
                    Ok(choice) if (1..=choices.len()).contains(&choice) => self.choose(choices[choice - 1]),
                    Ok(step) if !self.free && step <= self.steps.len() => {
                        self.at = step;
                        self.tell_last();
                    }
                    Ok(_) if choices.is_empty() => say_line!("nothing can be chosen here (help)"),
                    Ok(_) if choices.len() == 1 => say_line!("there is only 1 to choose (help)"),
                    Ok(_) => say_line!("a number from 1 to {} (help)", choices.len()),
                    // A key of the terminal that is no letter would be written back to it.
                    Err(_) if number.contains(char::is_control) => {
                        say_line!("there is no such command (help lists what there is)");
                    }
                    Err(_) => say_line!("there is no `{number}` (help lists what there is)"),
                },
            }
        }
    }

    fn tell_breakpoints(&self) {
        if self.breakpoints.is_empty() {
            say_line!("no breakpoints (break 12, break x > 2)");
        }
        for (index, stop) in self.breakpoints.iter().enumerate() {
            say_line!("  {}: {}", index + 1, stop.text);
        }
    }

    /// The steps that can be chosen here; none where the run is known, or ended in an error.
    fn choices(&self) -> Vec<Step> {
        if !self.free || self.ended_in_an_error() {
            return Vec::new();
        }
        let mut enabled = Vec::new();
        self.interpreter.steps_beside_errors(self.state(), &mut enabled);
        enabled
    }

    fn offer(&self, choices: &[Step]) {
        for (index, &step) in choices.iter().enumerate() {
            let line = step_line(self.system, self.state(), index + 1, step);
            say_line!("  {:>2}) {}", index + 1, line.split_once(": ").map_or(&*line, |(_, line)| line));
        }
    }

    /// Takes a step from here; another way than before is forgotten.
    fn take(&mut self, step: Step) {
        if self.steps.get(self.at) != Some(&step) {
            self.steps.truncate(self.at);
            self.states.truncate(self.at + 1);
        }
        if self.steps.len() == self.at {
            let mut state = self.state().clone();
            // An error is told with the step, whenever that is told.
            let _ = self.interpreter.execute(&mut state, step, &(), &mut ());
            self.steps.push(step);
            self.states.push(state);
        }
        self.at += 1;
    }

    /// Takes a step that was chosen, and those behind it that leave no choice.
    fn choose(&mut self, step: Step) {
        /// More than that are no longer read; some models never have a choice.
        const MOST: usize = 50;
        let mut next = Some(step);
        for _ in 0..MOST {
            let Some(step) = next else { break };
            let stopped = self.take_and_look(step, None);
            self.tell_last();
            if let Some(reason) = stopped {
                self.tell_stop(&reason);
                return;
            }
            next = self.only_step();
        }
        if self.choices().is_empty() {
            self.tell_why_it_stops();
        }
    }

    /// Takes a step, and says what there is to stop for behind it.
    fn take_and_look(&mut self, step: Step, wanted: Option<&Stop>) -> Option<Stopped> {
        let stops = || wanted.into_iter().chain(&self.breakpoints);
        let before: Vec<bool> = stops().map(|stop| self.holds(stop)).collect();
        self.take(step);
        let last = self.at - 1;
        let mut stops = wanted.into_iter().chain(&self.breakpoints).zip(before);
        let hit = stops.find(|(stop, before)| match &stop.kind {
            StopKind::Line(line) => self.line_of(last) == Some(*line),
            StopKind::Condition(_) => !before && self.holds(stop),
        });
        match hit {
            Some((stop, _)) => Some(Stopped::At(stop.text.clone())),
            None => self.heard(last).is_wrong().then_some(Stopped::Wrong),
        }
    }

    fn tell_stop(&self, reason: &Stopped) {
        // What is wrong has been told with its step.
        if let Stopped::At(text) = reason {
            say_line!("stopped: {text}");
        }
    }

    /// What a step prints and breaks: it is executed once more, and listened to.
    fn heard(&self, step: usize) -> Heard {
        let mut heard = Heard::default();
        let mut again = self.states[step].clone();
        heard.error = self.interpreter.execute(&mut again, self.steps[step], &(), &mut heard).err();
        heard
    }

    fn ended_in_an_error(&self) -> bool {
        self.at.checked_sub(1).is_some_and(|last| self.heard(last).error.is_some())
    }

    /// The next step where there is no choice: the known one, or the only one.
    fn only_step(&self) -> Option<Step> {
        if let Some(&known) = self.steps.get(self.at) {
            return Some(known);
        }
        let choices = self.choices();
        (choices.len() == 1).then(|| choices[0])
    }

    fn forwards(&mut self, count: usize) {
        for _ in 0..count {
            let Some(step) = self.only_step() else {
                self.tell_why_it_stops();
                return;
            };
            self.take(step);
            self.tell_last();
        }
    }

    fn backwards(&mut self, count: usize) {
        self.at = self.at.saturating_sub(count);
        self.tell_last();
    }

    /// Forwards until a breakpoint, a choice or the end.
    fn until(&mut self, wanted: Option<&Stop>) {
        /// A model that is free to run may do so for ever.
        const MOST: usize = 100_000;
        for _ in 0..MOST {
            let Some(step) = self.only_step() else {
                self.tell_last();
                self.tell_why_it_stops();
                return;
            };
            if let Some(reason) = self.take_and_look(step, wanted) {
                self.tell_last();
                self.tell_stop(&reason);
                return;
            }
        }
        self.tell_last();
        say_line!("stopped after {}", verify::counted(MOST, "step"));
    }

    fn holds(&self, stop: &Stop) -> bool {
        match &stop.kind {
            StopKind::Line(_) => false,
            StopKind::Condition(condition) => {
                self.interpreter.evaluate(self.state(), None, condition).is_ok_and(|value| value != 0)
            }
        }
    }

    /// The line of a step's statement.
    fn line_of(&self, step: usize) -> Option<u32> {
        Some(self.system.model.sources.visible_line(self.edge_of(step)?.span))
    }

    fn edge_of(&self, step: usize) -> Option<&Edge> {
        let taken = self.steps.get(step)?;
        let process = self.states[step].processes.get(taken.process.0 as usize)?;
        Some(self.system.automaton(process.automaton).edge(taken.edge))
    }

    fn tell_why_it_stops(&mut self) {
        match (self.free, self.choices().len()) {
            _ if self.ended_in_an_error() => say_line!("the run ends with an error"),
            (true, 0) if self.interpreter.is_valid_end_state(self.state()) => say_line!("finished"),
            (true, 0) => say_line!("deadlock: nothing can move"),
            (true, _) => {
                say_line!("choose a step");
                // Those that were shown may have gone out of sight.
                self.offered = None;
            }
            (false, _) => match self.repeats_from {
                Some(from) if from < self.steps.len() => {
                    say_line!("the end: it goes on with step {} (go {from})", from + 1);
                }
                _ => say_line!("the end of the run"),
            },
        }
    }

    /// The step that was done last, and what is watched.
    fn tell_last(&self) {
        match self.at.checked_sub(1) {
            Some(last) => self.tell_step(last),
            None => say_line!("at the beginning"),
        }
        self.tell_watches();
    }

    fn tell_step(&self, step: usize) {
        let before = &self.states[step];
        let mut out = step_line(self.system, before, step + 1, self.steps[step]) + "\n";
        for change in changes(self.system, before, &self.states[step + 1]) {
            let _ = writeln!(out, "        {change}");
        }
        let heard = self.heard(step);
        for text in &heard.printed {
            let _ = writeln!(out, "      > {}", text.trim_end());
        }
        for violation in &heard.violations {
            let _ = writeln!(out, "{:>4}: {}", step + 1, describe_violation(self.system, violation));
        }
        if let Some(error) = &heard.error {
            let place = place(self.system, error.span);
            let _ = writeln!(out, "{:>4}: error: {} ({place})", step + 1, error.kind);
        }
        files::print_fitted(&out);
    }

    fn tell_watches(&self) {
        for (index, (text, watched)) in self.watches.iter().enumerate() {
            say_line!("    {}: {text} = {}", index + 1, self.value(watched));
        }
    }

    fn value(&self, expression: &Expr) -> String {
        match self.interpreter.evaluate(self.state(), None, expression) {
            Ok(value) => value.to_string(),
            Err(error) => format!("no value: {}", error.kind),
        }
    }

    /// The lines around the last statement, in the file where it stands.
    fn list(&self) {
        const AROUND: usize = 4;
        let sources = &self.system.model.sources;
        let last = self.at.checked_sub(1).and_then(|last| self.edge_of(last));
        let span = last.map(|edge| sources.visible_span(edge.span));
        let line = span.map_or(1, |span| sources.line_column(span).line) as usize;
        let text = match span {
            Some(span) => sources.file(span.file).text.as_str(),
            None => sources.files().next().map_or("", |(_, file)| file.text.as_str()),
        };
        for (index, content) in
            text.lines().enumerate().skip(line.saturating_sub(AROUND + 1)).take(2 * AROUND + 1)
        {
            let mark = if index + 1 == line { '>' } else { ' ' };
            say_line!("{mark}{:>5}  {}", index + 1, content.replace('\t', "    "));
        }
    }

    /// A line, or a condition.
    fn stop_at(&self, text: &str) -> Result<Stop, String> {
        let kind = match text.parse::<u32>() {
            Ok(line) if !self.lines().contains(&line) => {
                let next = self.lines().into_iter().find(|&other| other > line);
                let next = next.map(|next| format!(": the next one does on line {next}"));
                return Err(format!("no statement begins on line {line}{}", next.unwrap_or_default()));
            }
            Ok(line) => StopKind::Line(line),
            Err(_) => StopKind::Condition(self.expression(text)?),
        };
        let text = match kind {
            StopKind::Line(line) => format!("line {line}"),
            StopKind::Condition(_) => text.to_string(),
        };
        Ok(Stop { text, kind })
    }

    /// The lines on which statements begin.
    fn lines(&self) -> BTreeSet<u32> {
        let edges = self.system.automata.iter().flat_map(|automaton| &automaton.edges);
        edges.map(|edge| self.system.model.sources.visible_line(edge.span)).collect()
    }

    /// Reads an expression as a formula of the model would have it.
    fn expression(&self, text: &str) -> Result<Expr, String> {
        if text.is_empty() {
            return Err("an expression is missing (help)".to_string());
        }
        // A sum is no formula of its own, whatever the text is, and its first part is the text.
        let name = "stepper_expression";
        let asked = AddedText {
            name: "command".to_string(),
            text: format!("ltl {name} {{ [] ((({text}) + 0) == 0) }}"),
        };
        let additions: Vec<AddedText> = self.added.iter().cloned().chain([asked]).collect();
        let system = input::load_addition(self.model, &additions)
            .map_err(|message| self.with_holders(message, text))?;
        let formula = system.model.formulas.iter().find(|formula| formula.name == name);
        let Some(Ltl::Always(inner)) = formula.map(|formula| &formula.formula) else {
            return Err(format!("`{text}` is no expression"));
        };
        if let Ltl::Proposition(Expr { kind: ExprKind::Binary(_, sum, _), .. }) = &**inner
            && let ExprKind::Binary(_, expression, _) = &sum.kind
        {
            return Ok((**expression).clone());
        }
        Err(format!("`{text}` is no expression"))
    }

    /// Adds how variables of processes are written, where the text names one without its process.
    fn with_holders(&self, message: String, text: &str) -> String {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let names =
            text.split(|c| !is_part(c)).filter(|name| message.contains(&format!("`{name}` is not declared")));
        let processes = || self.state().processes.iter().enumerate();
        let held = names.flat_map(|name| {
            processes().filter_map(move |(pid, process)| {
                let automaton = self.system.automaton(process.automaton);
                let slot = automaton.slots.iter().find(|slot| !slot.hidden && slot.name == name)?;
                Some(format!("`{}[{pid}]:{}`", automaton.name, slot.name))
            })
        });
        match held.take(3).collect::<Vec<String>>() {
            held if held.is_empty() => message,
            held => format!("{message} for all; of a process it is {}", held.join(", ")),
        }
    }

    fn save(&self, path: &Path) {
        let trace = Trace::new(self.system, self.interpreter.capacities(), &self.steps[..self.at], None);
        let file = TraceFile {
            added: self.added.to_vec(),
            source: Some(self.model.source()),
            ..TraceFile::plain(trace)
        };
        match files::write(path, &file.to_json()) {
            Ok(()) => {
                say_line!("written: plimsoll replay {}", crate::ask::quoted(&path.display().to_string()))
            }
            Err(message) => say_line!("{message}"),
        }
    }

    fn stand_at_the_end_of(&mut self, trace: &Trace) {
        let steps: Vec<Step> = trace.steps.iter().map(|&step| step.into()).collect();
        self.follow(&steps);
        self.repeats_from = trace.loop_start;
        self.at = self.steps.len();
        self.tell_last();
    }

    fn load(&mut self, path: &Path) {
        let no_trace = |wrong: String| format!("`{}` is no trace: {wrong}", path.display());
        let read = input::read_text(path).and_then(|text| TraceFile::from_json(&text).map_err(no_trace));
        match read {
            Ok(file) => {
                // Whoever wrote it: only a run of this model, with these capacities, is one that can be stepped through.
                let trace = Trace { capacities: self.interpreter.capacities(), ..file.trace };
                match certificate::trace::replay(self.system, &trace) {
                    Err(ReplayError::OtherModel) => {
                        say_line!("`{}` belongs to another model", path.display());
                    }
                    Err(ReplayError::Failed { step, .. }) if step + 1 == trace.steps.len() => {
                        self.stand_at_the_end_of(&trace);
                    }
                    Err(error) => say_line!("`{}` does not replay: {error}", path.display()),
                    Ok(_) => self.stand_at_the_end_of(&trace),
                }
            }
            Err(message) => say_line!("{message}"),
        }
    }
}

/// How many steps are meant; one if nothing is said.
fn count(text: &str) -> Result<usize, String> {
    match text {
        "" => Ok(1),
        _ => text.parse().map_err(|_| format!("`{text}` is no number of steps")),
    }
}

/// Takes away the element with a number as it is shown.
fn remove<T>(list: &mut Vec<T>, number: &str) -> Option<T> {
    let index = number.parse::<usize>().ok()?.checked_sub(1)?;
    (index < list.len()).then(|| list.remove(index))
}

/// What a step prints and breaks.
#[derive(Default)]
struct Heard {
    printed: Vec<String>,
    violations: Vec<Violation>,
    error: Option<RuntimeError>,
}

impl Heard {
    fn is_wrong(&self) -> bool {
        !self.violations.is_empty() || self.error.is_some()
    }
}

impl Output for Heard {
    fn printed(&mut self, _process: Pid, text: &str) {
        self.printed.push(text.to_string());
    }

    fn violated(&mut self, violation: Violation) {
        self.violations.push(violation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_fits_eighty_columns() {
        for line in HELP.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
