//! One session: a run, where it stands, and what a client asks about it.

use super::protocol::{Request, Writer};
use super::values::{Parts, evaluate, number, parts};
use crate::reading::{Reading, Settings, read_text};
use crate::run::Run;
use promela::source::{ExpansionKind, SourceMap, Span};
use report::diagnostic::{Colour, render};
use report::names;
use report::trace_file::TraceFile;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use system::interpreter::Step;
use system::simulate::{Dice, Halt};
use system::state::Pid;
use verify::{CheckOptions, Supervisor};

/// A simulation that is told to go on goes on for so many steps, then shows itself.
const MOST_STEPS: usize = 10_000;

/// What a client may say about what is to be run.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Launch {
    /// The model.
    program: PathBuf,
    /// A trace of it, as `plimsoll check --traces` writes them.
    trace: Option<PathBuf>,
    /// The question whose counterexample is wanted, such as `deadlock`; empty is whatever is violated first.
    question: Option<String>,
    /// Which random run; without a trace and a question.
    seed: u64,
    /// Stop before the first step.
    stop_on_entry: bool,
    /// How long finding a counterexample may take.
    seconds: f64,
    /// Macros, as `NAME` or `NAME=VALUE`.
    defines: Vec<String>,
    /// Folders for included files.
    include_folders: Vec<PathBuf>,
}

impl Default for Launch {
    fn default() -> Self {
        Launch {
            program: PathBuf::new(),
            trace: None,
            question: None,
            seed: 1,
            stop_on_entry: true,
            seconds: 60.0,
            defines: Vec::new(),
            include_folders: Vec::new(),
        }
    }
}

/// A line at which to stop, perhaps only if something holds.
#[derive(Clone, Debug)]
struct Breakpoint {
    line: u32,
    condition: Option<String>,
}

/// What is being run.
struct Debuggee {
    run: Run,
    /// So many steps have been taken. The run itself is always one step ahead, unless it has ended: what comes next is known.
    at: usize,
    /// Who decides what comes next; a counterexample has nothing to decide.
    dice: Option<Dice>,
    /// A heading for the counterexample.
    shows: Option<String>,
    stop_on_entry: bool,
}

/// A session.
pub struct Session<W> {
    writer: Writer<W>,
    debuggee: Option<Debuggee>,
    breakpoints: HashMap<String, Vec<Breakpoint>>,
    stops_at_violations: bool,
    first_line: i64,
    first_column: i64,
}

/// Why the run stands where it stands.
enum Stop {
    Entry,
    Step,
    Breakpoint,
    Violation(String),
    End(String),
}

impl<W: Write> Session<W> {
    pub fn new(writer: Writer<W>) -> Session<W> {
        Session {
            writer,
            debuggee: None,
            breakpoints: HashMap::new(),
            stops_at_violations: true,
            first_line: 1,
            first_column: 1,
        }
    }

    /// Answers a request; false when there will be no other.
    pub fn handle(&mut self, request: &Request) -> io::Result<bool> {
        let arguments = &request.arguments;
        let mut behind = Vec::new();
        let answer = match request.command.as_str() {
            "initialize" => Ok(self.initialize(arguments)),
            "launch" => self.launch(arguments)?.map(|()| {
                behind.push(("initialized", json!({})));
                Value::Null
            }),
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setExceptionBreakpoints" => {
                let filters = arguments["filters"].as_array();
                self.stops_at_violations =
                    filters.is_some_and(|filters| filters.iter().any(|filter| filter == "violations"));
                Ok(json!({}))
            }
            "configurationDone" => {
                self.writer.answer(request, Ok(Value::Null))?;
                self.begin()?;
                return Ok(true);
            }
            "threads" => self.threads(),
            "stackTrace" => self.stack(arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "next" | "stepIn" | "stepOut" | "continue" | "stepBack" | "reverseContinue" | "restart" => {
                if self.debuggee.is_none() {
                    Err(NOTHING_RUNS.to_string())
                } else {
                    let body = match request.command.as_str() {
                        "continue" => json!({ "allThreadsContinued": true }),
                        _ => Value::Null,
                    };
                    self.writer.answer(request, Ok(body))?;
                    self.walk(request)?;
                    return Ok(true);
                }
            }
            "pause" => Ok(Value::Null),
            "disconnect" | "terminate" => {
                self.writer.answer(request, Ok(Value::Null))?;
                self.writer.event("terminated", json!({}))?;
                return Ok(request.command != "disconnect");
            }
            other => Err(format!("`{other}` is not known here")),
        };
        self.writer.answer(request, answer)?;
        for (event, body) in behind {
            self.writer.event(event, body)?;
        }
        Ok(true)
    }

    fn initialize(&mut self, arguments: &Value) -> Value {
        self.first_line = i64::from(arguments["linesStartAt1"].as_bool().unwrap_or(true));
        self.first_column = i64::from(arguments["columnsStartAt1"].as_bool().unwrap_or(true));
        json!({
            "supportsConfigurationDoneRequest": true,
            "supportsStepBack": true,
            "supportsConditionalBreakpoints": true,
            "supportsEvaluateForHovers": true,
            "supportsRestartRequest": true,
            "supportsTerminateRequest": true,
            "exceptionBreakpointFilters": [
                { "filter": "violations", "label": "Violations", "default": true,
                  "description": "Stop where an assertion fails or the model does what no model may do" },
            ],
        })
    }

    fn launch(&mut self, arguments: &Value) -> io::Result<Result<(), String>> {
        let launch: Launch = match serde_json::from_value(arguments.clone()) {
            Ok(launch) => launch,
            Err(error) => return Ok(Err(error.to_string())),
        };
        match debuggee(&launch) {
            Ok(debuggee) => {
                if let Some(shows) = &debuggee.shows {
                    self.print("console", &format!("{shows}\n"))?;
                }
                self.debuggee = Some(debuggee);
                Ok(Ok(()))
            }
            Err(Failure { message, details }) => {
                self.print("stderr", &details)?;
                Ok(Err(message))
            }
        }
    }

    fn print(&mut self, category: &str, text: &str) -> io::Result<()> {
        match text.is_empty() {
            true => Ok(()),
            false => self.writer.event("output", json!({ "category": category, "output": text })),
        }
    }

    /// Everything is set up: the first stop.
    fn begin(&mut self) -> io::Result<()> {
        let Some(debuggee) = &mut self.debuggee else { return Ok(()) };
        debuggee.look_ahead(None);
        if debuggee.stop_on_entry {
            return self.stopped(Stop::Entry);
        }
        let stop = self.forwards(true, None)?;
        self.stopped(stop)
    }

    fn walk(&mut self, request: &Request) -> io::Result<()> {
        let thread = request.arguments["threadId"].as_u64();
        let stop = match request.command.as_str() {
            "stepBack" => self.backwards(false)?,
            "reverseContinue" => self.backwards(true)?,
            "restart" => {
                if let Some(debuggee) = &mut self.debuggee {
                    debuggee.at = 0;
                }
                Stop::Entry
            }
            "continue" => self.forwards(true, None)?,
            _ => {
                let pid = thread.and_then(|id| u32::try_from(id).ok()?.checked_sub(1)).map(Pid);
                self.forwards(false, pid)?
            }
        };
        self.stopped(stop)
    }

    /// Takes one step, or as many as it takes to come to something worth stopping for. In a simulation the process that is asked to
    /// step is the one that does, if it can.
    fn forwards(&mut self, on_and_on: bool, wanted: Option<Pid>) -> io::Result<Stop> {
        for taken in 0.. {
            let Some(debuggee) = &mut self.debuggee else { break };
            if let Some(pid) = wanted {
                debuggee.prefer(pid);
            }
            debuggee.look_ahead(None);
            if debuggee.at >= debuggee.run.steps().len() {
                return Ok(Stop::End(debuggee.ending()));
            }
            let at = debuggee.at;
            let text = format!("{:>4}: {}\n", at + 1, debuggee.run.describe(at));
            let step = debuggee.run.steps()[at].clone();
            debuggee.at += 1;
            debuggee.look_ahead(None);
            let failed = debuggee.at > debuggee.run.last();
            let ended = debuggee.at >= debuggee.run.steps().len();
            self.print("console", &text)?;
            self.print("stdout", &step.printed)?;
            let violations = step.violations.join("\n");
            if !violations.is_empty() {
                self.print("stderr", &format!("{violations}\n"))?;
                if self.stops_at_violations || failed {
                    return Ok(Stop::Violation(violations));
                }
            }
            if ended {
                let ending = self.debuggee.as_ref().map_or_else(String::new, Debuggee::ending);
                self.print("console", &format!("{ending}\n"))?;
                return Ok(Stop::End(ending));
            }
            if !on_and_on {
                return Ok(Stop::Step);
            }
            if self.at_breakpoint() {
                return Ok(Stop::Breakpoint);
            }
            if taken + 1 >= MOST_STEPS {
                break;
            }
        }
        Ok(Stop::Step)
    }

    fn backwards(&mut self, on_and_on: bool) -> io::Result<Stop> {
        loop {
            let Some(debuggee) = &mut self.debuggee else { return Ok(Stop::Step) };
            if debuggee.at == 0 {
                return Ok(Stop::Entry);
            }
            debuggee.at -= 1;
            if self.at_breakpoint() {
                return Ok(Stop::Breakpoint);
            }
            if !on_and_on {
                return Ok(Stop::Step);
            }
        }
    }

    /// Whether the next step stands at a line where somebody wants to stop.
    fn at_breakpoint(&self) -> bool {
        let Some(debuggee) = &self.debuggee else { return false };
        let (run, at) = (&debuggee.run, debuggee.at);
        let Some(taken) = run.steps().get(at) else { return false };
        let sources = &run.system().model.sources;
        let stops = |span: Span, pid: Pid| {
            let visible = sources.visible_span(span);
            let file = comparable(Path::new(&sources.file(visible.file).name));
            let line = sources.line(visible);
            self.breakpoints.get(&file).into_iter().flatten().any(|breakpoint| {
                let holds = |text: &String| number(run, at, Some(pid), text).is_ok_and(|value| value != 0);
                breakpoint.line == line && breakpoint.condition.as_ref().is_none_or(holds)
            })
        };
        if stops(run.edge(at).span, taken.step.process) {
            return true;
        }
        // Both sides of a rendezvous are executed.
        taken.step.partner.is_some_and(|partner| {
            let process = &run.state(at).processes[partner.process.0 as usize];
            stops(run.system().automaton(process.automaton).edge(partner.edge).span, partner.process)
        })
    }

    fn stopped(&mut self, stop: Stop) -> io::Result<()> {
        let Some(debuggee) = &self.debuggee else { return Ok(()) };
        // Who moves next is who one wants to look at; at the end, who moved last.
        let steps = debuggee.run.steps();
        let mover = steps.get(debuggee.at).or(steps.last()).map_or(0, |taken| taken.step.process.0);
        let living = debuggee.run.state(debuggee.at).processes.len() as u32;
        let thread = mover.min(living.saturating_sub(1)) + 1;
        let (reason, text) = match stop {
            Stop::Entry => ("entry", None),
            Stop::Step => ("step", None),
            Stop::Breakpoint => ("breakpoint", None),
            Stop::Violation(text) => ("exception", Some(text)),
            Stop::End(text) => ("pause", Some(text)),
        };
        let mut body = json!({ "reason": reason, "threadId": thread, "allThreadsStopped": true });
        if let Some(text) = text {
            body["description"] = text.clone().into();
            body["text"] = text.into();
        }
        self.writer.event("stopped", body)
    }

    fn set_breakpoints(&mut self, arguments: &Value) -> Result<Value, String> {
        let path = arguments["source"]["path"].as_str().ok_or("only files have breakpoints here")?;
        let file = comparable(Path::new(path));
        let lines = self.debuggee.as_ref().map(|debuggee| statement_lines(&debuggee.run, &file));
        let mut kept = Vec::new();
        let mut answers = Vec::new();
        for wanted in arguments["breakpoints"].as_array().into_iter().flatten() {
            let line = wanted["line"].as_i64().unwrap_or(0) + 1 - self.first_line;
            let line = u32::try_from(line).unwrap_or(0);
            // A line without a statement means the next one that has one.
            let found = match &lines {
                Some(lines) => lines.range(line..).next().copied(),
                None => Some(line),
            };
            let condition =
                wanted["condition"].as_str().filter(|c| !c.trim().is_empty()).map(ToString::to_string);
            match found {
                Some(line) => {
                    kept.push(Breakpoint { line, condition });
                    answers.push(json!({ "verified": true, "line": i64::from(line) - 1 + self.first_line }));
                }
                None => answers.push(json!({ "verified": false, "message": "no statement stands here" })),
            }
        }
        self.breakpoints.insert(file, kept);
        Ok(json!({ "breakpoints": answers }))
    }

    fn running(&self) -> Result<&Debuggee, String> {
        self.debuggee.as_ref().ok_or_else(|| NOTHING_RUNS.to_string())
    }

    fn threads(&self) -> Result<Value, String> {
        let debuggee = self.running()?;
        let state = debuggee.run.state(debuggee.at);
        let thread = |pid: u32| {
            let name = names::process(debuggee.run.system(), state, Pid(pid));
            json!({ "id": pid + 1, "name": name })
        };
        let threads: Vec<Value> = (0..state.processes.len() as u32).map(thread).collect();
        Ok(json!({ "threads": threads }))
    }

    /// Where a process stands: the statement that it executes next, and the calls of inlines around it.
    fn stack(&self, arguments: &Value) -> Result<Value, String> {
        let debuggee = self.running()?;
        let pid = thread(arguments)?;
        let span = debuggee.stands_at(pid).ok_or("there is no such process now")?;
        let run = &debuggee.run;
        let sources = &run.system().model.sources;
        let mut frames = Vec::new();
        let mut frame = |name: String, span: Span| {
            let visible = sources.visible_span(span);
            let at = sources.line_column(visible);
            frames.push(json!({
                "id": frame_number(pid, frames.len()), "name": name,
                "source": source(sources, visible),
                "line": i64::from(at.line) - 1 + self.first_line,
                "column": i64::from(at.column) - 1 + self.first_column,
            }));
        };
        let process = names::process(run.system(), run.state(debuggee.at), pid);
        let calls: Vec<_> =
            sources.expansion_chain(span).into_iter().filter(|e| e.kind == ExpansionKind::Inline).collect();
        let mut here = span;
        for call in calls {
            frame(call.name.to_string(), here);
            here = call.used_at;
        }
        frame(process, here);
        Ok(json!({ "totalFrames": frames.len(), "stackFrames": frames }))
    }

    fn scopes(&self, arguments: &Value) -> Result<Value, String> {
        self.running()?;
        let pid = process_of_frame(arguments);
        let scope = |name: &str, parts: Parts| json!({ "name": name, "variablesReference": parts.number(), "expensive": false });
        let locals = pid.map(|pid| {
            let mut locals = scope("Locals", Parts::Locals(pid));
            locals["presentationHint"] = "locals".into();
            locals
        });
        let others = [scope("Globals", Parts::Globals), scope("Channels", Parts::Channels)];
        Ok(json!({ "scopes": locals.into_iter().chain(others).collect::<Vec<Value>>() }))
    }

    fn variables(&self, arguments: &Value) -> Result<Value, String> {
        let debuggee = self.running()?;
        let reference = arguments["variablesReference"].as_u64().unwrap_or(0);
        let of = Parts::of(reference).ok_or("there is nothing behind this")?;
        Ok(json!({ "variables": parts(&debuggee.run, debuggee.at, of) }))
    }

    fn evaluate(&self, arguments: &Value) -> Result<Value, String> {
        let debuggee = self.running()?;
        let text = arguments["expression"].as_str().unwrap_or("");
        let found = evaluate(&debuggee.run, debuggee.at, process_of_frame(arguments), text)?;
        Ok(json!({
            "result": found["value"], "type": found["type"], "variablesReference": found["variablesReference"],
        }))
    }
}

impl Debuggee {
    /// Sees to it that the next step is known, if there is one.
    fn look_ahead(&mut self, choice: Option<Step>) {
        if self.at < self.run.steps().len() || self.run.failure().is_some() {
            return;
        }
        let Some(dice) = &mut self.dice else { return };
        let choices = self.run.choices(self.at);
        if let Some(step) = choice.or_else(|| choices.get(dice.roll(choices.len().max(1))).copied()) {
            self.run.take(step);
        }
    }

    /// In a simulation the next step is one of this process, if it has one.
    fn prefer(&mut self, pid: Pid) {
        let planned = self.run.steps().get(self.at).map(|taken| taken.step.process);
        if self.dice.is_none() || planned == Some(pid) {
            return;
        }
        let choices: Vec<Step> =
            self.run.choices(self.at).into_iter().filter(|step| step.process == pid).collect();
        let Some(dice) = self.dice.as_mut().filter(|_| !choices.is_empty()) else { return };
        let step = choices[dice.roll(choices.len())];
        self.run.forget_from(self.at);
        self.look_ahead(Some(step));
    }

    /// The statement of a process that comes next: for who moves next the one that it executes.
    fn stands_at(&self, pid: Pid) -> Option<Span> {
        if let Some(taken) = self.run.steps().get(self.at) {
            if taken.step.process == pid {
                return Some(self.run.edge(self.at).span);
            }
            if let Some(partner) = taken.step.partner.filter(|partner| partner.process == pid) {
                let process = &self.run.state(self.at).processes[pid.0 as usize];
                return Some(self.run.system().automaton(process.automaton).edge(partner.edge).span);
            }
        }
        self.run.stands_at(self.at, pid)
    }

    fn ending(&self) -> String {
        let count = self.run.steps().len();
        let after = verify::after(count);
        if let Some(failure) = self.run.failure() {
            return format!("{after}: {failure}");
        }
        if let Some(from) = self.run.repeats_from() {
            return match from < count {
                true => format!("after step {count} it goes on with step {}", from + 1),
                false => "and so it stays for ever".into(),
            };
        }
        match self.run.halt() {
            Some(Halt::Finished) => format!("finished {after}"),
            Some(Halt::Deadlock) => format!("deadlock {after}: nothing can move"),
            Some(Halt::Error(error)) => format!("error {after}: {}", error.kind),
            None => format!("the end, {after}"),
        }
    }
}

const NOTHING_RUNS: &str = "nothing runs yet";

/// Why nothing can be run: in a line, and in full.
struct Failure {
    message: String,
    details: String,
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { message, details: String::new() }
    }
}

fn debuggee(launch: &Launch) -> Result<Debuggee, Failure> {
    let trace = match &launch.trace {
        Some(path) => {
            let text = read_text(path)?;
            Some(
                TraceFile::from_json(&text)
                    .map_err(|error| format!("`{}` is no trace: {error}", path.display()))?,
            )
        }
        None => None,
    };
    let mut text = read_text(&launch.program)?;
    // What was added to the model when it was asked counts as if it stood at its end.
    for added in trace.iter().flat_map(|trace| &trace.added) {
        text.push('\n');
        text.push_str(&added.text);
    }
    let define = |text: &String| {
        let (name, value) = text.split_once('=').unwrap_or((text, "1"));
        (name.to_string(), value.to_string())
    };
    let options =
        promela::Options { defines: launch.defines.iter().map(define).collect(), undefines: Vec::new() };
    let settings = Settings { options, include_folders: launch.include_folders.clone() };
    let name = std::path::absolute(&launch.program).unwrap_or_else(|_| launch.program.clone());
    let reading = Reading::new(&name.display().to_string(), &text, &settings, &|_| None);
    if !reading.is_usable() {
        let details = render(reading.sources(), &reading.diagnostics, Colour::Plain);
        return Err(Failure { message: format!("`{}` has errors", launch.program.display()), details });
    }
    let system = reading.system().clone();
    let (run, shows, dice) = if let Some(trace) = trace {
        let run = Run::of_trace(trace.system(system), &trace.trace, trace.repeats_from());
        let shows = trace.question.zip(trace.shows).map(|(question, shows)| format!("{question}: {shows}"));
        (run.map_err(|error| format!("the trace does not replay: {error}"))?, shows, None)
    } else if let Some(question) = &launch.question {
        let seconds = if launch.seconds.is_finite() { launch.seconds.clamp(0.1, 86_400.0) } else { 60.0 };
        let time = Some(Duration::from_secs_f64(seconds));
        let report =
            verify::check(&system, &CheckOptions { time, ..CheckOptions::default() }, &Supervisor::none());
        let asked =
            |answer: &&verify::Answer| question.is_empty() || answer.question.to_string() == *question;
        let mut violated = report.answers.iter().filter(asked).filter_map(|a| Some((a, a.counterexample()?)));
        let Some((answer, counterexample)) = violated.next() else {
            let answers: Vec<String> = report
                .answers
                .iter()
                .filter(asked)
                .map(|a| format!("{}: {}", a.question, a.verdict.word()))
                .collect();
            return Err(format!("there is no counterexample ({})", answers.join(", ")).into());
        };
        let shows = format!("{}: {}", answer.question, answer.meaning);
        let of = counterexample.system(&system).into_owned();
        let run = Run::of_trace(of, counterexample.trace(), counterexample.repeats_from());
        (run.map_err(|error| format!("the trace does not replay: {error}"))?, Some(shows), None)
    } else {
        (Run::begin(system)?, None, Some(Dice::new(launch.seed)))
    };
    Ok(Debuggee { run, at: 0, dice, shows, stop_on_entry: launch.stop_on_entry })
}

/// The lines of a file on which a process has a statement.
fn statement_lines(run: &Run, file: &str) -> BTreeSet<u32> {
    let system = run.system();
    let sources = &system.model.sources;
    let spans = system.process_automata().flat_map(|(_, automaton)| &automaton.edges).map(|edge| edge.span);
    let mut names: HashMap<promela::source::FileId, bool> = HashMap::new();
    spans
        .map(|span| sources.visible_span(span))
        .filter(|span| {
            let is_here = || comparable(Path::new(&sources.file(span.file).name)) == file;
            *names.entry(span.file).or_insert_with(is_here)
        })
        .map(|span| sources.line(span))
        .collect()
}

/// A path that is the same for one file however it is written.
fn comparable(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}

fn source(sources: &SourceMap, span: Span) -> Value {
    let path = &sources.file(span.file).name;
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    json!({ "path": path, "name": name })
}

fn thread(arguments: &Value) -> Result<Pid, String> {
    let id = arguments["threadId"].as_u64().and_then(|id| u32::try_from(id).ok());
    id.and_then(|id| id.checked_sub(1)).map(Pid).ok_or_else(|| "there is no such process".to_string())
}

/// Frames of one process have numbers of their own, so that a frame tells its process.
const FRAMES: u64 = 32;

fn frame_number(pid: Pid, index: usize) -> u64 {
    (u64::from(pid.0) + 1) * FRAMES + (index as u64).min(FRAMES - 1)
}

fn process_of_frame(arguments: &Value) -> Option<Pid> {
    let frame = arguments["frameId"].as_u64()?;
    Some(Pid(u32::try_from((frame / FRAMES).checked_sub(1)?).ok()?))
}
