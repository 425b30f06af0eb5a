//! Trails both ways: `spin -t` replays our counterexamples, and we replay those of SPIN's verifiers.
//!
//! A trail is replayed if both come to the same end: the same processes at the same states, the same values, the same messages, and the
//! same thing wrong there. That no step was refused on the way says little, because SPIN's simulator takes a step that is not enabled
//! without a word.

use crate::spin::{Compiler, Ending, Figures, Workplace};
use certificate::trace::{Replay, ReplayError, Trace};
use promela::model::Scalar;
use report::export::trail;
use report::trace_file::TraceFile;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use system::automaton::{Slot, System};
use system::interpreter::{Capacities, Violation};
use system::state::{ChannelId, State};
use verify::{CheckOptions, Question, Supervisor};

/// What came of one trail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trail {
    /// Both come to the same end.
    Replayed,
    /// SPIN cannot run it, or has no run of it; why.
    NotComparable(String),
    /// The ends differ, or one does not come to an end; why.
    Lost(String),
}

/// A trail and the question that it answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// As `check` names it, or as SPIN is asked.
    pub question: String,
    /// What came of it.
    pub trail: Trail,
}

/// A model that reads what somebody types: SPIN's runs depend on it.
fn reads_input(system: &System) -> bool {
    system.model.sources.files().any(|(_, file)| file.text.contains("STDIN"))
}

/// Every counterexample that `check` finds within the time, replayed by `spin -t`.
pub fn ours_by_spin(system: &System, workplace: &Workplace, time: Duration) -> Vec<Told> {
    if reads_input(system) {
        return Vec::new();
    }
    let options = CheckOptions { time: Some(time), ..CheckOptions::default() };
    let report = verify::check(system, &options, &Supervisor::none());
    let files = report.answers.iter().filter_map(|answer| Some((answer, TraceFile::of(system, answer)?)));
    let mut told = Vec::new();
    let mut shown: Vec<Trace> = Vec::new();
    for (answer, file) in files {
        // Each buffer of a model that overflows has the run that shows it for all.
        if shown.contains(&file.trace) {
            continue;
        }
        let trail = ours_replayed(system, workplace, &answer.question, &file);
        told.push(Told { question: answer.question.to_string(), trail });
        shown.push(file.trace);
    }
    told
}

fn ours_replayed(system: &System, workplace: &Workplace, question: &Question, file: &TraceFile) -> Trail {
    if !file.processes.is_empty() || !file.rooms.is_empty() {
        return Trail::NotComparable("it is a run with other processes or capacities".to_string());
    }
    let system = &file.system(system.clone());
    let declared = Trace { capacities: Capacities::Declared, ..file.trace.clone() };
    let replayed = certificate::trace::replay(system, &declared);
    if file.trace.capacities != Capacities::Declared
        && matches!(replayed, Err(ReplayError::NotEnabled { .. }))
    {
        return Trail::NotComparable("it needs larger buffers than the model's".to_string());
    }
    let Some(text) = trail::write(system, &file.trace) else {
        return Trail::Lost("no trail is written".to_string());
    };
    if system.model.features.last {
        return Trail::NotComparable("SPIN's replay knows no `_last`".to_string());
    }
    let (_, replay) = match as_far_as_it_goes(system, &declared) {
        Ok(replayed) => replayed,
        Err(error) => return Trail::Lost(format!("we do not replay it ourselves: {error}")),
    };
    let output = match spin_replays(workplace, &text) {
        Ok(output) => output,
        Err(why) => return Trail::Lost(why),
    };
    if *question == Question::RuntimeErrors {
        // SPIN goes on behind some errors, and dies of others: it is where it was before, at least.
        return match output.contains("Error: ") || output.contains("error: ") {
            true => Trail::Replayed,
            false => Trail::NotComparable("SPIN does not notice the error".to_string()),
        };
    }
    if *question == Question::Assertions && !output.contains("assertion violated") {
        return Trail::Lost("SPIN violates no assertion".to_string());
    }
    if file.trace.loop_start.is_some_and(|start| start < file.trace.steps.len())
        && !output.contains("START OF CYCLE")
    {
        return Trail::Lost("SPIN sees no cycle".to_string());
    }
    compare_ends(system, &replay, &output, None)
}

/// What SPIN's verifiers are asked: the options to compile and to run, and the words of the error that is looked for.
struct Asked {
    name: String,
    defines: Vec<&'static str>,
    flags: Vec<String>,
}

fn questions(system: &System) -> Vec<Asked> {
    let asked = |name: &str, defines: &[&'static str], flags: &[&str]| Asked {
        name: name.to_string(),
        defines: defines.to_vec(),
        flags: flags.iter().map(ToString::to_string).collect(),
    };
    let formulas = &system.model.formulas;
    let claimed = !system.claims.is_empty() || !formulas.is_empty();
    let mut out = vec![
        asked("safety", &["-DNOCLAIM", "-DSAFETY"], &[]),
        asked("shortest", &["-DNOCLAIM", "-DREACH"], &["-i"]),
        asked("assertions", &["-DNOCLAIM", "-DSAFETY"], &["-E"]),
        asked("acceptance", &["-DNOCLAIM"], &["-a", "-A", "-E"]),
    ];
    match claimed {
        false => out.push(asked("progress", &["-DNP"], &["-l", "-A", "-E"])),
        true if formulas.is_empty() => out.push(asked("claim", &[], &["-a", "-A", "-E"])),
        true => {}
    }
    for formula in formulas {
        out.push(asked(&format!("formula {}", formula.name), &[], &["-a", "-A", "-E", "-N", &formula.name]));
    }
    out
}

/// Every error that SPIN's verifiers find within the seconds, replayed by us.
pub fn spins_by_us(system: &System, workplace: &Workplace, seconds: u32) -> Vec<Told> {
    if reads_input(system) {
        return Vec::new();
    }
    let generated = workplace.run("spin", &["-a", workplace.model()], 20);
    if generated.is_err() || !workplace.folder().join("pan.c").is_file() {
        return Vec::new();
    }
    let mut told = Vec::new();
    let mut shown = Vec::new();
    for asked in questions(system) {
        let binary = format!("pan{}", asked.defines.concat());
        if !workplace.folder().join(&binary).is_file()
            && workplace.compile(&binary, Compiler::Quick, &asked.defines).is_err()
        {
            continue;
        }
        let path = workplace.folder().join(format!("{}.trail", workplace.model()));
        let _ = std::fs::remove_file(&path);
        let mut arguments = vec!["-n", "-m100000", "-w20"];
        arguments.extend(asked.flags.iter().map(String::as_str));
        let Ok(run) = workplace.run(&format!("./{binary}"), &arguments, seconds) else { continue };
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        // What was found twice is replayed once.
        if run.ending == Ending::Crashed || shown.contains(&text) {
            continue;
        }
        let trail = match Figures::parse(&run.output) {
            Some(_) => theirs_replayed(system, workplace, &text, last_message(&run.output)),
            None => Trail::NotComparable("the verifier stopped at a limit of its own".to_string()),
        };
        told.push(Told { question: asked.name, trail });
        shown.push(text);
    }
    told
}

/// What the last trail shows: a shorter one takes the place of the one before.
fn last_message(output: &str) -> &str {
    let message = |line: &str| {
        let (number, message) = line.strip_prefix("pan:")?.split_once(": ")?;
        number.parse::<u64>().is_ok().then_some(message.len())
    };
    let last = output.lines().rev().find_map(|line| Some(&line[line.len() - message(line)?..]));
    last.unwrap_or_default()
}

fn theirs_replayed(system: &System, workplace: &Workplace, text: &str, message: &str) -> Trail {
    let is_about = |words: &str| message.starts_with(words);
    let known = [
        "assertion",
        "invalid end state",
        "acceptance cycle",
        "non-progress cycle",
        "claim",
        "end state in claim",
        "event_trace",
    ];
    if !known.iter().any(|words| is_about(words)) {
        return Trail::NotComparable(format!("the verifier stopped: {message}"));
    }
    let trace = match trail::read(system, text) {
        Ok(trace) => trace,
        Err(why) => return Trail::Lost(why),
    };
    let (failed, replay) = match as_far_as_it_goes(system, &trace) {
        Ok(replayed) => replayed,
        Err(error) => return Trail::Lost(error.to_string()),
    };
    let assertions = certificate::trace::violations_at_end(system, &trace).unwrap_or_default();
    let assertion = assertions.iter().any(|violation| matches!(violation, Violation::AssertionFailed { .. }));
    if is_about("assertion violated") && !assertion {
        return Trail::Lost("no assertion is violated at the end".to_string());
    }
    if is_about("invalid end state") && !is_stuck(system, &trace, &replay) {
        return Trail::Lost("the end is no deadlock".to_string());
    }
    if (is_about("acceptance cycle") || is_about("non-progress cycle")) && trace.loop_start.is_none() {
        return Trail::Lost("there is no loop".to_string());
    }
    if failed {
        return Trail::Replayed;
    }
    let is_merged = text.contains("-4:-4:-4");
    match spin_replays(workplace, text) {
        // SPIN's simulator goes on behind the assertion, to the end of what was merged with it; its verifier did not.
        Ok(output) if assertion && is_merged => match output.contains("assertion violated") {
            true => Trail::Replayed,
            false => Trail::NotComparable("SPIN does not violate the assertion itself".to_string()),
        },
        // How far those have come that do not move in the loop depends on what was merged; the run is the same.
        Ok(output) if is_merged && trace.loop_start.is_some() => {
            let moving = trace.loop_start.map(|start| moving(&trace, start));
            compare_ends(system, &replay, &output, moving.as_ref())
        }
        Ok(output) => compare_ends(system, &replay, &output, None),
        Err(why) => Trail::NotComparable(format!("SPIN does not replay it itself: {why}")),
    }
}

/// Whether nothing can move at the end and somebody is not done.
fn is_stuck(system: &System, trace: &Trace, replay: &Replay) -> bool {
    let end = replay.state_before(replay.steps.len());
    let mut steps = Vec::new();
    trace.interpreter(system).steps_beside_errors(end, &mut steps);
    let is_at_end =
        |process: &system::state::Process| system.automaton(process.automaton).location(process.location).end;
    // A `trace` that has not come to its end is an invalid end state too.
    steps.is_empty() && (!end.processes.iter().all(is_at_end) || system.model.event_trace.is_some())
}

/// The states of a run with all values, and whether its last step fails.
fn as_far_as_it_goes(system: &System, trace: &Trace) -> Result<(bool, Replay), ReplayError> {
    match certificate::trace::replay_to_show(system, trace) {
        Ok(replay) => Ok((false, replay)),
        Err(ReplayError::Failed { step, .. }) if step + 1 == trace.steps.len() => {
            let mut shorter = trace.clone();
            shorter.steps.pop();
            Ok((true, certificate::trace::replay_to_show(system, &shorter)?))
        }
        Err(error) => Err(error),
    }
}

/// What `spin -t` prints; the error is that it does not come to the end of the trail.
fn spin_replays(workplace: &Workplace, text: &str) -> Result<String, String> {
    let trail = "replayed.trail";
    std::fs::write(workplace.folder().join(trail), text).map_err(|error| error.to_string())?;
    // Named, because SPIN looks for `progress.pml.trail` in `_progress.pml.trail`; and without -p it says nothing of a step that cannot be
    // taken.
    let run = workplace.run("spin", &["-t", "-k", trail, "-p", "-g", "-l", workplace.model()], 60);
    let output = run.map_err(|error| error.to_string())?.output;
    let lost = ["no matching stmnt", "stop error", "invalid statement", "transition failed", " (?) "];
    let is_lost = |line: &&str| lost.iter().any(|words| line.contains(words));
    if let Some((index, line)) = output.lines().enumerate().find(|(_, line)| is_lost(line)) {
        let before = output.lines().nth(index.saturating_sub(1)).unwrap_or("");
        return Err(format!("SPIN loses it: {} / {}", before.trim(), line.trim()));
    }
    Ok(output)
}

/// Who takes a step from here on.
fn moving(trace: &Trace, start: usize) -> BTreeSet<u32> {
    let steps = trace.steps.iter().skip(start);
    steps.flat_map(|step| [Some(step.process), step.partner.map(|(process, _)| process)]).flatten().collect()
}

/// Compares where we end with where SPIN ends; of the processes only some, if so told.
fn compare_ends(system: &System, replay: &Replay, output: &str, only: Option<&BTreeSet<u32>>) -> Trail {
    let Some(mut theirs) = End::told(output) else {
        let last = output.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("");
        return Trail::Lost(format!("SPIN does not come to the end: {}", last.trim()));
    };
    let mut ours = End::of(system, replay.state_before(replay.steps.len()));
    if let Some(only) = only {
        ours.keep(only);
        theirs.keep(only);
    }
    match ours.difference(&theirs) {
        Some(difference) => Trail::Lost(difference),
        None => Trail::Replayed,
    }
}

/// Where a run ends: as much as SPIN prints of it.
#[derive(Default, PartialEq, Eq, Debug)]
struct End {
    /// Proctype and state of each process.
    processes: BTreeMap<u32, (String, u32)>,
    /// Variables, with the process before those that belong to one.
    values: BTreeMap<String, String>,
    /// The messages of each buffer.
    buffers: BTreeMap<String, String>,
}

impl End {
    fn of(system: &System, state: &State) -> End {
        let mut end = End::default();
        let mut note = |prefix: &str, slots: &[Slot], held: &[i32]| {
            let shown =
                slots.iter().zip(held).filter(|(slot, _)| slot.scalar != Scalar::Chan && !slot.hidden);
            for (slot, &value) in shown {
                // Of several with one name SPIN prints all, and says not which is which; and all symbolic names as if they were of one set.
                let is_alone = slots.iter().filter(|other| other.name == slot.name).count() == 1;
                let is_named = matches!(slot.scalar, Scalar::Mtype(_)) && system.model.mtype_sets.len() > 1;
                if is_alone && !is_named {
                    let value = report::names::value(system, Some(slot.scalar), value);
                    end.values.insert(format!("{prefix}{}", slot.name), value);
                }
            }
        };
        note("", &system.global_slots, &state.globals);
        for (pid, process) in state.processes.iter().enumerate() {
            let automaton = system.automaton(process.automaton);
            note(&format!("{}({pid}):", automaton.name), &automaton.slots, &process.locals);
        }
        for (pid, process) in state.processes.iter().enumerate() {
            let automaton = system.automaton(process.automaton);
            let number = automaton.location(process.location).number;
            end.processes.insert(pid as u32, (automaton.name.clone(), number));
        }
        for (index, channel) in state.channels.iter().enumerate() {
            let id = ChannelId(index as u32);
            // Like in variables, channels have other numbers in SPIN's simulator.
            let fields = &system.model.channel_types[channel.channel_type.0 as usize].fields;
            if fields.iter().any(|field| field.scalar == Scalar::Chan) {
                continue;
            }
            let messages = report::steps::messages(system, state, id, channel);
            let told: String = messages.iter().map(|message| format!("[{message}]")).collect();
            end.buffers.insert(report::names::channel(system, state, id), told);
        }
        end
    }

    /// Forgets all processes but these.
    fn keep(&mut self, only: &BTreeSet<u32>) {
        self.processes.retain(|pid, _| only.contains(pid));
        self.values.retain(|name, _| {
            !name.contains("):") || only.iter().any(|pid| name.contains(&format!("({pid}):")))
        });
    }

    /// What `spin -t -g -l` tells of the last state.
    fn told(output: &str) -> Option<End> {
        let mut end = End::default();
        let Some((_, listing)) = output.rsplit_once("#processes: ") else {
            // Where everybody has gone nothing is listed.
            let last = output.lines().rfind(|line| !line.trim().is_empty())?;
            return (last.ends_with(" process created") || last.ends_with(" processes created"))
                .then_some(end);
        };
        for line in listing.lines().skip(1).map(str::trim) {
            if let Some((_, rest)) = line.split_once("proc") {
                let mut words = rest.split_whitespace();
                let Some(pid) = words.next().and_then(|word| word.parse().ok()) else { continue };
                let name = words.next()?.trim_start_matches('(').trim_end_matches(')');
                let name = name.rsplit_once(':')?.0.to_string();
                let state = rest.rsplit_once("(state ")?.1.split(')').next()?.parse().ok()?;
                end.processes.insert(pid, (name, state));
            } else if let Some(buffer) = line.strip_prefix("queue ") {
                let (name, messages) = buffer.split_once("): ").or_else(|| buffer.split_once("):"))?;
                let name = name.split_once(" (")?.1.to_string();
                end.buffers.insert(name, messages.trim().to_string());
            } else if let Some((name, value)) = line.split_once(" = ") {
                end.values.insert(name.to_string(), value.to_string());
            }
        }
        Some(end)
    }

    /// The first thing that is not the same. SPIN prints neither rendezvous channels nor hidden variables.
    fn difference(&self, theirs: &End) -> Option<String> {
        if self.processes != theirs.processes {
            let differing = self.processes.iter().find(|(pid, at)| theirs.processes.get(pid) != Some(at));
            return Some(match differing {
                Some((pid, (name, at))) => match theirs.processes.get(pid) {
                    Some((other, there)) => {
                        format!("process {pid} is {name} at state {at}, for SPIN {other} at {there}")
                    }
                    None => format!("process {pid} ({name}) is none for SPIN"),
                },
                None => "SPIN has more processes".to_string(),
            });
        }
        for (kind, ours, theirs) in
            [("", &self.values, &theirs.values), ("buffer ", &self.buffers, &theirs.buffers)]
        {
            let mut both = ours.iter().filter_map(|(name, value)| Some((name, value, theirs.get(name)?)));
            if let Some((name, value, other)) = both.find(|(_, value, other)| value != other) {
                return Some(format!("{kind}{name} is {value}, for SPIN {other}"));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_read_from_what_spin_prints() {
        let output = "spin: trail ends after 13 steps\n#processes: 2\n\t\tx = 2\n\t\tqueue 1 (c): [2][A,1]\n\
            \t\tqueue 2 (d[1]): \n 13:\tproc  1 (q:1) a.pml:2 (state 11)\n\t\tq(1):k = A\n\
            \x2013:\tproc  0 (:init::1) a.pml:3 (state 7) <valid end state>\n3 processes created\n";
        let end = End::told(output).expect("an end");
        assert_eq!(end.processes[&1], ("q".to_string(), 11));
        assert_eq!(end.processes[&0], (":init:".to_string(), 7));
        assert_eq!(end.values["x"], "2");
        assert_eq!(end.values["q(1):k"], "A");
        assert_eq!(end.buffers["c"], "[2][A,1]");
        assert_eq!(end.buffers["d[1]"], "");
    }

    #[test]
    fn ends_that_differ_in_a_value_are_no_same_end() {
        let told = |x: u32, state: u32| {
            End::told(&format!("#processes: 1\n\t\tx = {x}\n 3:\tproc  0 (p:1) a.pml:2 (state {state})\n"))
        };
        let first = told(2, 1).expect("an end");
        assert_eq!(first.difference(&told(2, 1).expect("an end")), None);
        let other = first.difference(&told(3, 1).expect("an end"));
        assert_eq!(other.as_deref(), Some("x is 2, for SPIN 3"));
        let elsewhere = first.difference(&told(2, 4).expect("an end"));
        assert_eq!(elsewhere.as_deref(), Some("process 0 is p at state 1, for SPIN p at 4"));
    }
}
