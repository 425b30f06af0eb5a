//! Answers as people read them on a terminal.

use crate::style::Palette;
use certificate::verdict::{Evidence, Fairness, ProgressReading, Verdict};
use std::fmt::Write;
use system::automaton::System;
use verify::{
    Answer, BufferCapacities, CheckReport, Counterexample, Question, Summary, counted, grouped, hints,
};

/// What beside the answers belongs into the text.
#[derive(Clone, Copy)]
pub struct TextOptions<'a> {
    /// Colours or not.
    pub palette: Palette,
    /// How to see the execution behind a violated answer: a command.
    pub show_command: &'a dyn Fn(&Answer) -> Option<String>,
    /// Only verdicts, no explanations.
    pub quiet: bool,
    /// The figures of the search as well.
    pub figures: bool,
}

/// Columns that a line may have.
const WIDTH: usize = 100;

/// All answers about one model.
pub fn report(model: &str, system: &System, report: &CheckReport, options: &TextOptions<'_>) -> String {
    let palette = options.palette;
    let mut out = format!("{}\n", palette.bold(model));
    let main: Vec<&Answer> =
        report.answers.iter().filter(|a| !matches!(a.question, Question::Buffer(_))).collect();
    let width = main.iter().map(|a| a.question.to_string().chars().count()).max().unwrap_or(0).max(10);
    let indent = " ".repeat(width + 3);
    for (index, answer) in main.iter().enumerate() {
        line(&mut out, system, answer, width, &palette);
        if options.quiet {
            continue;
        }
        if answer.question == Question::Buffers {
            buffers(&mut out, report, &indent);
        }
        // One search answers several questions: what stopped it is said once, after the last of them.
        let said_below = main.get(index + 1).is_some_and(|next| stopped_alike(answer, next));
        if !said_below {
            details(&mut out, answer, &indent, options);
        }
    }
    if main.is_empty() {
        for answer in &report.answers {
            line(&mut out, system, answer, width, &palette);
        }
    }
    if !options.quiet
        && let Some(unreached) = &report.unreached
        && !unreached.is_empty()
    {
        let count = counted(unreached.len(), "statement");
        let _ =
            writeln!(out, "{}", palette.dim(format!("  {count} never executed (--unreached lists them)")));
    }
    if options.figures && !options.quiet {
        out.push_str(&figures(system, report));
    }
    let _ = writeln!(out, "{}", summary(&report.summary()));
    if report.interrupted {
        out.push_str("interrupted: this is what is known so far\n");
    }
    out
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
    let texts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if texts.is_empty() { "nothing was asked".to_string() } else { texts.join(", ") }
}

/// `question VERDICT  meaning  time`; a long meaning goes on in the lines below.
fn line(out: &mut String, system: &System, answer: &Answer, width: usize, palette: &Palette) {
    const MEANING: usize = 72;
    let word = answer.verdict.word();
    let question = format!("{:<width$}", answer.question.to_string());
    let verdict = palette.verdict(word, format!("{word:<8}"));
    let time = palette.dim(format!("{:>8}", duration(answer.seconds)));
    let rows = wrap(&meaning(system, answer), MEANING);
    let first = rows.first().map_or("", String::as_str);
    let _ = writeln!(out, "  {question} {verdict}  {first:<MEANING$} {time}");
    for row in rows.iter().skip(1) {
        let _ = writeln!(out, "{:indent$}{row}", "", indent = width + 13);
    }
}

/// Breaks a text at blanks; a word that is too long stays whole.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match rows.last_mut() {
            Some(row) if row.chars().count() + 1 + word.chars().count() <= width => {
                row.push(' ');
                row.push_str(word);
            }
            _ => rows.push(word.to_string()),
        }
    }
    rows
}

/// What the verdict means, under which reading where that is not the obvious one, and whether a certificate shows it: how much was
/// searched the meaning itself says.
fn meaning(system: &System, answer: &Answer) -> String {
    let certificate = if answer.certificate().is_some() { "certificate" } else { "" };
    let aside = [reading(system, answer), certificate.to_string()];
    let aside: Vec<String> = aside.into_iter().filter(|part| !part.is_empty()).collect();
    match aside.is_empty() {
        true => answer.meaning.clone(),
        false => format!("{} [{}]", answer.meaning, aside.join("; ")),
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
        (Question::Buffers | Question::Buffer(_), BufferCapacities::Any) => {}
        (_, BufferCapacities::Any) => parts.push("any capacity".to_string()),
        (_, BufferCapacities::Declared) => parts.push("declared capacities".to_string()),
        (_, BufferCapacities::Fixed(size)) => parts.push(format!("capacity {size}")),
        (_, BufferCapacities::Unbounded) => parts.push("unbounded buffers".to_string()),
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

/// `ts[0] <= 2 (tight)   ts[1] <= 2 (tight)`, as many as fit on a line.
fn buffers(out: &mut String, report: &CheckReport, indent: &str) {
    let mut row = String::new();
    for answer in &report.answers {
        let Question::Buffer(name) = &answer.question else { continue };
        let text = match (&answer.verdict, answer.bound) {
            (_, Some(bound)) if bound.tight => format!("{name} <= {} (tight)", bound.at_most),
            (_, Some(bound)) => format!("{name} <= {}", bound.at_most),
            (Verdict::Proved(_), None) => format!("{name} bounded"),
            (Verdict::Violated(_), _) => format!("{name} unbounded"),
            (Verdict::Unknown(_), _) => format!("{name} unknown"),
        };
        if !row.is_empty() && indent.len() + row.len() + 3 + text.len() > WIDTH {
            let _ = writeln!(out, "{indent}{row}");
            row.clear();
        }
        if !row.is_empty() {
            row.push_str("   ");
        }
        row.push_str(&text);
    }
    if !row.is_empty() {
        let _ = writeln!(out, "{indent}{row}");
    }
}

/// Two answers of one search that came to the same end.
fn stopped_alike(one: &Answer, other: &Answer) -> bool {
    match (&one.verdict, &other.verdict) {
        (Verdict::Unknown(a), Verdict::Unknown(b)) => {
            hints::reason(&a.reason) == hints::reason(&b.reason)
                && (&a.findings, &one.notes, &one.hints) == (&b.findings, &other.notes, &other.hints)
                && one.meaning == other.meaning
        }
        _ => false,
    }
}

fn details(out: &mut String, answer: &Answer, indent: &str, options: &TextOptions<'_>) {
    match &answer.verdict {
        Verdict::Proved(_) => {}
        Verdict::Violated(counterexample) => {
            let shape = shape(counterexample);
            match (options.show_command)(answer) {
                Some(command) => {
                    let _ = writeln!(out, "{indent}{shape}:  {command}");
                }
                None => {
                    let _ = writeln!(out, "{indent}{shape}");
                }
            }
        }
        Verdict::Unknown(unknown) => {
            let _ = writeln!(out, "{indent}stopped by: {}", hints::reason(&unknown.reason));
            const SHOWN: usize = 6;
            for finding in unknown.findings.iter().take(SHOWN) {
                let _ = writeln!(out, "{indent}{finding}");
            }
            if unknown.findings.len() > SHOWN {
                let _ = writeln!(out, "{indent}and {} more", unknown.findings.len() - SHOWN);
            }
        }
    }
    for note in &answer.notes {
        for (row, text) in wrap(note, WIDTH - indent.len()).iter().enumerate() {
            let deeper = if row == 0 { "" } else { "  " };
            let _ = writeln!(out, "{indent}{deeper}{text}");
        }
    }
    for hint in &answer.hints {
        let _ = writeln!(out, "{indent}try: {hint}");
    }
}

/// `a loop of 6 steps, entered after 5`
pub fn shape(counterexample: &Counterexample) -> String {
    let count = counterexample.trace().steps.len();
    let plural = |count: usize| counted(count, "step");
    match counterexample {
        Counterexample::Run { .. } => format!("a run of {}", plural(count)),
        Counterexample::Lasso(trace) | Counterexample::Instance { trace, .. } => {
            let start = trace.loop_start.unwrap_or(count);
            match count - start.min(count) {
                0 => format!("a run of {} that stays where it ends", plural(count)),
                length if start == 0 => format!("a loop of {}, from the start on", plural(length)),
                length => format!("a loop of {}, entered after {start}", plural(length)),
            }
        }
        Counterexample::Pump { repeat_from: 0, .. } => {
            format!("{} to repeat, from the start on", plural(count))
        }
        Counterexample::Pump { repeat_from, .. } => {
            format!("{} to repeat, after {repeat_from}", plural(count - repeat_from.min(&count)))
        }
    }
}

/// `0.4 ms`, `12 ms`, `3.1 s`, `2 min 5 s`
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.01 => format!("{:.1} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.1} s"),
        s => format!("{:.0} min {:.0} s", (s / 60.0).floor(), s % 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_broken_at_blanks() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensibilities", 7), ["incomprehensibilities"]);
    }

    #[test]
    fn times_are_short() {
        assert_eq!(duration(0.000_41), "0.4 ms");
        assert_eq!(duration(0.012), "12 ms");
        assert_eq!(duration(3.12), "3.1 s");
        assert_eq!(duration(125.0), "2 min 5 s");
    }
}
