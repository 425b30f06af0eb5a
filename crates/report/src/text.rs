//! Answers as people read them on a terminal.

use crate::columns::{self, indented, wrap};
use crate::names;
use crate::style::Palette;
use crate::waiting;
use certificate::trace::replay_to_show;
use certificate::verdict::{Evidence, Fairness, ProgressReading, Verdict};
use std::fmt::Write;
use system::automaton::System;
use verify::{
    Answer, CapacityReading, CheckReport, Counterexample, Question, Summary, counted, grouped, hints,
};

/// What beside the answers belongs into the text.
#[derive(Clone, Copy)]
pub struct TextOptions<'a> {
    /// Colours or not.
    pub palette: Palette,
    /// Columns that a line may have.
    pub width: usize,
    /// How to see the execution behind a violated answer: a command.
    pub show_command: &'a dyn Fn(&Answer) -> Option<String>,
    /// How much to say.
    pub detail: Detail,
    /// The figures of the search as well.
    pub figures: bool,
}

/// How much to say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Detail {
    /// Verdicts only.
    Verdicts,
    /// What somebody needs who wants to go on working.
    Usual,
    /// Whatever is known: every buffer, how a proof was found, every suspicious cycle.
    Everything,
}

/// All answers about one model.
pub fn report(model: &str, system: &System, report: &CheckReport, options: &TextOptions<'_>) -> String {
    let palette = options.palette;
    let mut out = format!("{}\n", palette.bold(columns::shortened_path(model, options.width)));
    let (main, empty): (Vec<&Answer>, Vec<&Answer>) = report
        .answers
        .iter()
        .filter(|answer| !matches!(answer.question, Question::Buffer(_)))
        .partition(|answer| nothing_to_prove(answer).is_none());
    let lengths = main.iter().map(|answer| answer.question.to_string().chars().count());
    let narrow = options.width < NARROW;
    let longest = if narrow { LONGEST_WHERE_NARROW } else { LONGEST_QUESTION };
    let width = lengths.filter(|&length| length <= longest).max().unwrap_or(0).max(10);
    let indent = " ".repeat(if narrow { INDENT_WHERE_NARROW } else { width + 3 });
    let repeated = repeated(&main, options.detail);
    let alike = |index: usize| repeated.iter().find(|alike| alike.binary_search(&index).is_ok());
    for (index, answer) in main.iter().enumerate() {
        if let Some(alike) = alike(index) {
            if alike.first() == Some(&index) {
                also(&mut out, alike.iter().map(|&index| main[index]), width, options);
            }
            continue;
        }
        line(&mut out, system, answer, width, options);
        if options.detail == Detail::Verdicts {
            continue;
        }
        if answer.question == Question::Buffers {
            buffers(&mut out, report, &indent, options);
        }
        // One search answers several questions: what there is to say of it is said once, after the last of them.
        let said_below =
            alike(index + 1).is_none() && main.get(index + 1).is_some_and(|next| ended_alike(answer, next));
        if !said_below {
            // The first few formulas show how they are violated, the others that they are.
            let is_violated = |answer: &&&Answer| {
                matches!((&answer.question, &answer.verdict), (Question::Formula(_), Verdict::Violated(_)))
            };
            let enough = main[..index].iter().filter(is_violated).count() >= FIRST_ALIKE;
            let brief = enough && options.detail < Detail::Everything && is_violated(&answer);
            let detail = if brief { Detail::Verdicts } else { options.detail };
            details(&mut out, system, answer, &indent, &TextOptions { detail, ..*options });
        }
    }
    if main.is_empty() && empty.is_empty() {
        for answer in &report.answers {
            line(&mut out, system, answer, width, options);
        }
    }
    let dim = |out: &mut String, text: String| {
        for row in wrap(&text, options.width.saturating_sub(2)) {
            let _ = writeln!(out, "  {}", palette.dim(row));
        }
    };
    if !empty.is_empty() {
        let why: Vec<&str> = empty.iter().filter_map(|answer| nothing_to_prove(answer)).collect();
        dim(&mut out, format!("nothing to prove: {}", why.join("; ")));
    }
    if options.detail > Detail::Verdicts
        && let Some(unreached) = &report.unreached
        && !unreached.is_empty()
    {
        let them = if unreached.len() == 1 { "shows it" } else { "lists them" };
        let statements = counted(unreached.len(), "statement");
        dim(&mut out, format!("{statements} never executed (--unreached {them})"));
    }
    if options.figures && options.detail > Detail::Verdicts {
        out.push_str(&columns::fitted(&figures(system, report), options.width));
    }
    let _ = writeln!(out, "{}", summary(&report.summary()));
    if report.interrupted {
        out.push_str("interrupted: this is what is known so far\n");
    }
    out
}

/// More formulas than this with the same verdict are not all told: only the first few of them, and the names of the others.
const MOST_ALIKE: usize = 8;
const FIRST_ALIKE: usize = 3;

/// Answers, by their numbers, that say once more what others before them have said: formulas of one verdict, where there are many.
fn repeated(answers: &[&Answer], detail: Detail) -> Vec<Vec<usize>> {
    if detail == Detail::Everything {
        return Vec::new();
    }
    let mut verdicts: Vec<(&str, Vec<usize>)> = Vec::new();
    for (index, answer) in answers.iter().enumerate() {
        if !matches!(answer.question, Question::Formula(_)) {
            continue;
        }
        let word = answer.verdict.word();
        match verdicts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, alike)) => alike.push(index),
            None => verdicts.push((word, vec![index])),
        }
    }
    let many = verdicts.into_iter().map(|(_, alike)| alike).filter(|alike| alike.len() > MOST_ALIKE);
    many.map(|mut alike| alike.split_off(FIRST_ALIKE)).collect()
}

/// One line for answers that are repeated.
fn also<'a>(
    out: &mut String,
    answers: impl Iterator<Item = &'a Answer>,
    width: usize,
    options: &TextOptions<'_>,
) {
    const EACH: &str = " (-v shows each)";
    let answers: Vec<&Answer> = answers.collect();
    let names = answers.iter().filter_map(|answer| match &answer.question {
        Question::Formula(name) => Some(name.as_str()),
        _ => None,
    });
    let names: Vec<&str> = names.collect();
    let room = row_room(width, options.width).saturating_sub("also ".len() + EACH.len());
    let text = format!("also {}{EACH}", together(&names, room, "formula"));
    let word = answers.first().map_or("", |answer| answer.verdict.word());
    row(out, "ltl", word, &text, "", width, options);
}

/// A question with a longer name has a line of its own.
const LONGEST_QUESTION: usize = 24;
/// Below so many columns there is no room for columns: what an answer means stands below it.
const NARROW: usize = 60;
const LONGEST_WHERE_NARROW: usize = 16;
const INDENT_WHERE_NARROW: usize = 4;

/// Why there is nothing to prove, if there is nothing.
fn nothing_to_prove(answer: &Answer) -> Option<&str> {
    match &answer.verdict {
        Verdict::Proved(Evidence::Nothing(why)) => Some(why),
        _ => None,
    }
}

/// How much was searched, and how full channels were.
fn figures(system: &System, report: &CheckReport) -> String {
    let Some(counts) = &report.search else { return String::new() };
    let mut out = format!(
        "  {}, {}, depth {}",
        counted(counts.states as usize, "state"),
        counted(counts.transitions() as usize, "transition"),
        grouped(counts.depth)
    );
    // Tables start with some room, so this says something for large searches only.
    if counts.states >= 100_000 {
        let _ = write!(out, ", {:.1} bytes a state", counts.bytes_per_state());
    }
    out.push('\n');
    let fullest: Vec<String> =
        peaks(system, report).into_iter().map(|(name, peak)| format!("{name} {peak}")).collect();
    if !fullest.is_empty() {
        let _ = writeln!(out, "  most messages seen: {}", fullest.join(", "));
    }
    if let Some(cluster) = &report.cluster {
        let largest = cluster.shares.iter().max().copied().unwrap_or(0) as f64;
        let _ = writeln!(
            out,
            "  {}, the largest share {:.0} % of the states; {} sent, {:.1} bytes on the wire for each state",
            if cluster.processes == 1 {
                "1 process".to_string()
            } else {
                format!("{} processes", cluster.processes)
            },
            100.0 * largest / counts.states.max(1) as f64,
            grouped(cluster.sent),
            cluster.wire_bytes as f64 / counts.states.max(1) as f64,
        );
    }
    out
}

/// The most messages that a search saw in each buffer that has a name.
pub fn peaks(system: &System, report: &CheckReport) -> Vec<(String, u32)> {
    let names = verify::channel_names(system);
    report
        .peaks
        .iter()
        .filter(|peak| system.model.channel_types[peak.channel_type.0 as usize].capacity > 0)
        .filter_map(|peak| Some((names.get(peak.channel.0 as usize)?.clone()?, peak.peak)))
        .collect()
}

/// The statements that no run executes, one a line.
pub fn unreached(system: &System, report: &CheckReport) -> String {
    let Some(unreached) = &report.unreached else {
        return "which statements are never executed is known only if all states are searched\n".to_string();
    };
    let mut out = String::new();
    for statement in unreached {
        let automaton = system.automaton(statement.automaton);
        let edge = automaton.edge(statement.edge);
        let place = crate::names::place(system, edge.span);
        let _ = writeln!(out, "never executed: {} of {} ({place})", edge.text, automaton.name);
    }
    out
}

/// `1 violated, 2 proved`
pub fn summary(summary: &Summary) -> String {
    let parts = [(summary.violated, "violated"), (summary.unknown, "unknown"), (summary.proved, "proved")];
    let texts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", grouped(*count as u64)))
        .collect();
    match (texts.is_empty(), summary.nothing) {
        (false, _) => texts.join(", "),
        (true, 0) => "nothing was asked".to_string(),
        (true, _) => "there is nothing to prove".to_string(),
    }
}

fn line(out: &mut String, system: &System, answer: &Answer, width: usize, options: &TextOptions<'_>) {
    let meaning = meaning(system, answer, options.detail);
    let (question, time) = (answer.question.to_string(), duration(answer.seconds));
    row(out, &question, answer.verdict.word(), &meaning, &time, width, options);
}

const TIME: usize = 8;

/// Columns for what an answer means.
fn row_room(question: usize, terminal: usize) -> usize {
    match terminal < NARROW {
        true => terminal.saturating_sub(INDENT_WHERE_NARROW),
        false => terminal.saturating_sub(question + 13 + TIME + 1).max(16),
    }
}

/// `question VERDICT  meaning  time`; a long meaning goes on in the lines below.
fn row(
    out: &mut String,
    question: &str,
    word: &str,
    meaning: &str,
    time: &str,
    width: usize,
    options: &TextOptions<'_>,
) {
    let palette = options.palette;
    let room = row_room(width, options.width);
    if question.chars().count() > width {
        let _ = writeln!(out, "  {}", columns::shortened(question, options.width.saturating_sub(2)));
    }
    let question = if question.chars().count() > width { "" } else { question };
    let question = format!("{question:<width$}");
    let verdict = palette.verdict(word, format!("{word:<8}"));
    let rows = wrap(meaning, room);
    if options.width < NARROW {
        let time = palette.dim(format!("{time:>TIME$}"));
        let _ = writeln!(out, "  {question} {verdict} {time}");
        let indent = " ".repeat(INDENT_WHERE_NARROW);
        for row in rows {
            let _ = writeln!(out, "{indent}{row}");
        }
        return;
    }
    let first = rows.first().map_or("", String::as_str);
    match time.is_empty() {
        true => {
            let _ = writeln!(out, "  {question} {verdict}  {first}");
        }
        false => {
            let time = palette.dim(format!("{time:>TIME$}"));
            let _ = writeln!(out, "  {question} {verdict}  {first:<room$} {time}");
        }
    }
    for row in rows.iter().skip(1) {
        let _ = writeln!(out, "{:indent$}{row}", "", indent = width + 13);
    }
}

/// What the verdict means where everybody who waits for something is listed below it.
pub fn in_short(answer: &Answer) -> &str {
    match (&answer.question, answer.meaning.split_once(": ")) {
        (Question::Deadlock, Some((text, _))) if answer.counterexample().is_some() => text,
        _ => &answer.meaning,
    }
}

/// What the verdict means, under which reading where that is not the obvious one, and whether a certificate shows it: how much was
/// searched the meaning itself says.
fn meaning(system: &System, answer: &Answer, detail: Detail) -> String {
    let text = if detail > Detail::Verdicts { in_short(answer) } else { &answer.meaning };
    let certificate = if answer.certificate().is_some() { "certificate" } else { "" };
    let aside = [reading(system, answer), certificate.to_string()];
    let aside: Vec<String> = aside.into_iter().filter(|part| !part.is_empty()).collect();
    match aside.is_empty() {
        true => text.to_string(),
        false => format!("{text} [{}]", aside.join("; ")),
    }
}

/// The reading in a few words; nothing where the meaning already says it or where it makes no difference.
pub fn reading(system: &System, answer: &Answer) -> String {
    if matches!(answer.verdict, Verdict::Proved(Evidence::Nothing(_))) {
        return String::new();
    }
    let (question, reading) = (&answer.question, &answer.reading);
    let mut parts: Vec<String> = Vec::new();
    let buffers = system.model.channel_types.iter().any(|channel| channel.capacity > 0);
    match (question, reading.capacities) {
        _ if !buffers => {}
        (Question::Buffers | Question::Buffer(_), CapacityReading::Any) => {}
        (_, CapacityReading::Any) => parts.push("any capacity".to_string()),
        (_, CapacityReading::Declared) => parts.push("declared capacities".to_string()),
        (_, CapacityReading::Fixed(size)) => parts.push(format!("capacity {size}")),
        (_, CapacityReading::Unbounded) => parts.push("unbounded buffers".to_string()),
    }
    match reading.progress {
        Some(ProgressReading::State) => parts.push("progress by state".to_string()),
        Some(ProgressReading::Transition) | None => {}
    }
    match reading.fairness {
        Some(Fairness::Weak) => parts.push("weak fairness".to_string()),
        Some(Fairness::Strong) => parts.push("strong fairness".to_string()),
        Some(Fairness::None) | None => {}
    }
    parts.join(", ")
}

/// `ts[0..1] <= 2 (tight)   tc <= 1`: buffers of which the same is known together, as many as fit on a line.
fn buffers(out: &mut String, report: &CheckReport, indent: &str, options: &TextOptions<'_>) {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for answer in &report.answers {
        let Question::Buffer(name) = &answer.question else { continue };
        let known = match (&answer.verdict, answer.bound) {
            (_, Some(bound)) if bound.tight => format!("<= {} (tight)", grouped(bound.at_most)),
            (_, Some(bound)) => format!("<= {}", grouped(bound.at_most)),
            (Verdict::Proved(_), None) => "bounded".to_string(),
            (Verdict::Violated(_), _) => "unbounded".to_string(),
            (Verdict::Unknown(_), _) => "unknown".to_string(),
        };
        let every_one = options.detail == Detail::Everything;
        match groups.iter_mut().find(|(text, _)| !every_one && *text == known) {
            Some((_, names)) => names.push(name),
            None => groups.push((known, vec![name])),
        }
    }
    let room = options.width.saturating_sub(indent.len());
    let mut row = String::new();
    for (known, names) in &groups {
        let text = format!("{} {known}", together(names, room.saturating_sub(known.len() + 1), "buffer"));
        if !row.is_empty() && row.chars().count() + 3 + text.chars().count() > room {
            let _ = writeln!(out, "{indent}{row}");
            row.clear();
        }
        if !row.is_empty() {
            row.push_str("   ");
        }
        row.push_str(&text);
    }
    if !row.is_empty() {
        let _ = writeln!(out, "{indent}{}", columns::shortened(&row, room));
    }
}

/// `ask, ts[0..3]`: names in a row, neighbours in an array as a range, and of too many only how many there are.
fn together(names: &[&str], room: usize, noun: &str) -> String {
    let mut ranges: Vec<Range<'_>> = Vec::new();
    for name in names {
        let next = Range::of(name);
        match ranges.last_mut() {
            Some(range) if range.is_before(&next) => range.last = next.last,
            _ => ranges.push(next),
        }
    }
    let texts: Vec<String> = ranges.iter().map(Range::to_string).collect();
    let whole = texts.join(", ");
    if whole.chars().count() <= room {
        return whole;
    }
    let mut shown = String::new();
    let mut left = names.len();
    for (range, text) in ranges.iter().zip(&texts) {
        let tail = format!(" and {} more", grouped(left as u64));
        if shown.chars().count() + text.chars().count() + tail.len() + 4 > room {
            break;
        }
        shown.push_str(if shown.is_empty() { "" } else { ", " });
        shown.push_str(text);
        left -= range.count();
    }
    match shown.is_empty() {
        true if names.len() == 1 => columns::shortened(names[0], room),
        true => counted(names.len(), noun),
        false => format!("{shown} and {} more", grouped(left as u64)),
    }
}

/// Elements of an array that stand side by side, or one name.
struct Range<'n> {
    name: &'n str,
    first: Option<u64>,
    last: Option<u64>,
}

impl<'n> Range<'n> {
    fn of(name: &'n str) -> Range<'n> {
        let element = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
        match element.and_then(|(array, index)| Some((array, index.parse::<u64>().ok()?))) {
            Some((array, index)) => Range { name: array, first: Some(index), last: Some(index) },
            None => Range { name, first: None, last: None },
        }
    }

    fn is_before(&self, next: &Range<'_>) -> bool {
        self.name == next.name && self.last.is_some() && self.last.map(|last| last + 1) == next.first
    }

    fn count(&self) -> usize {
        match (self.first, self.last) {
            (Some(first), Some(last)) => (last - first + 1) as usize,
            _ => 1,
        }
    }
}

impl std::fmt::Display for Range<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.first, self.last) {
            (Some(first), Some(last)) if first == last => write!(f, "{}[{first}]", self.name),
            (Some(first), Some(last)) => write!(f, "{}[{first}..{last}]", self.name),
            _ => write!(f, "{}", self.name),
        }
    }
}

/// Two answers of one search that came to the same end.
fn ended_alike(one: &Answer, other: &Answer) -> bool {
    match (&one.verdict, &other.verdict) {
        (Verdict::Proved(_), Verdict::Proved(_)) => {
            !one.notes.is_empty()
                && (&one.notes, &one.details, &one.hints) == (&other.notes, &other.details, &other.hints)
        }
        (Verdict::Unknown(a), Verdict::Unknown(b)) => {
            hints::reason(&a.reason) == hints::reason(&b.reason)
                && (&a.findings, &one.notes, &one.hints) == (&b.findings, &other.notes, &other.hints)
                && one.meaning == other.meaning
        }
        _ => false,
    }
}

fn details(out: &mut String, system: &System, answer: &Answer, indent: &str, options: &TextOptions<'_>) {
    let everything = options.detail == Detail::Everything;
    let mut say = |text: &str| indented(out, indent, text, options.width);
    match &answer.verdict {
        Verdict::Proved(_) => {}
        Verdict::Violated(counterexample) => {
            if options.detail > Detail::Verdicts {
                how(system, answer, counterexample, options).iter().for_each(|text| say(text));
            }
            let shape = shape(counterexample);
            match (options.show_command)(answer) {
                Some(command) => say(&format!("{shape}: {command}")),
                None => say(&shape),
            }
        }
        Verdict::Unknown(unknown) => {
            say(&format!("stopped by: {}", hints::reason(&unknown.reason)));
            match unknown.findings.len() {
                0 => {}
                count if !everything => {
                    say(&format!("{} to look at (-v shows them)", counted(count, "suspicious cycle")));
                }
                _ => unknown.findings.iter().for_each(|finding| say(finding)),
            }
        }
    }
    answer.notes.iter().for_each(|note| say(note));
    if everything {
        answer.details.iter().for_each(|detail| say(detail));
    }
    for hint in &answer.hints {
        say(&format!("try: {hint}"));
    }
}

/// Lines of a run that an answer shows, and processes that wait.
const SHOWN: usize = 4;
const SHOWN_WAITING: usize = 6;

/// What there is to see at the end of a run: its last steps, or those that are repeated; and who waits for whom.
fn how(
    system: &System,
    answer: &Answer,
    counterexample: &Counterexample,
    options: &TextOptions<'_>,
) -> Vec<String> {
    let most = |usual: usize| if options.detail == Detail::Everything { usize::MAX } else { usual };
    let system = counterexample.system(system);
    let trace = counterexample.trace();
    let Ok(replay) = replay_to_show(&system, trace) else { return Vec::new() };
    let mut lines = Vec::new();
    if answer.question == Question::Deadlock {
        lines.extend(waiting::waiting(&system, trace, &replay).lines(most(SHOWN_WAITING)));
    }
    let count = trace.steps.len();
    let repeated = counterexample.repeats_from().filter(|&from| from < count);
    let (title, first, last) = match repeated {
        Some(from) => ("repeated:", from, count.min(from.saturating_add(most(SHOWN)))),
        None => ("at the end:", count.saturating_sub(most(SHOWN)), count),
    };
    if first < last {
        lines.push(title.to_string());
    }
    for index in first..last {
        let step = trace.steps[index];
        let before = replay.state_before(index);
        let Some(process) = before.processes.get(step.process as usize) else { continue };
        let automaton = system.automaton(process.automaton);
        let edge = &automaton.edges[step.edge as usize];
        let name = names::process(&system, before, system::state::Pid(step.process));
        let line = system.model.sources.visible_line(edge.span);
        let text = columns::shortened(&edge.text, 48);
        lines.push(format!("{:>4}: {name} `{text}` (line {line})", grouped(index as u64 + 1)));
    }
    if repeated.is_some() && last < count {
        lines.push(format!("      and {} more", grouped((count - last) as u64)));
    }
    lines
}

/// `a loop of 6 steps, entered after 5`
pub fn shape(counterexample: &Counterexample) -> String {
    let count = counterexample.trace().steps.len();
    let plural = |count: usize| counted(count, "step");
    let Some(from) = counterexample.repeats_from() else {
        return match count {
            0 => "the state at the start".to_string(),
            _ => format!("a run of {}", plural(count)),
        };
    };
    let repeated = count - from.min(count);
    match (counterexample, repeated) {
        (Counterexample::Pump { .. }, _) if from == 0 => {
            format!("{} to repeat, from the start on", plural(count))
        }
        (Counterexample::Pump { .. }, _) => format!("{} to repeat, after {from}", plural(repeated)),
        (_, 0) if count == 0 => "the state at the start, which stays as it is".to_string(),
        (_, 0) => format!("a run of {} that stays where it ends", plural(count)),
        _ if from == 0 => format!("a loop of {}, from the start on", plural(repeated)),
        _ => format!("a loop of {}, entered after {from}", plural(repeated)),
    }
}

/// `0.4 ms`, `12 ms`, `3.1 s`, `2 min 5 s`
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.009_95 => format!("{:.1} ms", s * 1e3),
        s if s < 0.9995 => format!("{:.0} ms", s * 1e3),
        s if s < 99.95 => format!("{s:.1} s"),
        s => {
            let seconds = s.round() as u64;
            format!("{} min {} s", grouped(seconds / 60), seconds % 60)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_an_array_are_one_name_and_too_many_are_counted() {
        assert_eq!(together(&["ask", "ts[0]", "ts[1]", "ts[2]", "c"], 80, "buffer"), "ask, ts[0..2], c");
        assert_eq!(together(&["ts[0]", "ts[2]"], 80, "buffer"), "ts[0], ts[2]");
        let names: Vec<String> = (0..40).map(|index| format!("channel_{index}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(together(&names, 40, "buffer"), "channel_0, channel_1 and 38 more");
        assert_eq!(together(&names, 10, "buffer"), "40 buffers");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(duration(0.000_41), "0.4 ms");
        assert_eq!(duration(0.012), "12 ms");
        assert_eq!(duration(3.12), "3.1 s");
        assert_eq!(duration(125.0), "2 min 5 s");
    }

    #[test]
    fn times_are_rounded_to_what_a_clock_shows() {
        assert_eq!(duration(119.7), "2 min 0 s");
        assert_eq!(duration(99.97), "1 min 40 s");
        assert_eq!(duration(0.9997), "1.0 s");
        assert_eq!(duration(0.009_97), "10 ms");
    }
}
