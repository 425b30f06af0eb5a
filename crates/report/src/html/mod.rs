//! The report as one page: everything inside, nothing from elsewhere, readable on paper and without a script too.

mod loops;
mod plot;
mod stepper;

pub use loops::Loops;

use crate::chart::{chart, escape};
use crate::graph::{self, Marks};
use crate::text;
use crate::waiting;
use certificate::trace::replay;
use certificate::verdict::{Evidence, Verdict};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use system::automaton::{Automaton, AutomatonId, System};
use system::interpreter::{Interpreter, Step};
use verify::{Answer, CheckReport, Counterexample, Filling, Question, counted, hints};

const STYLE: &str = concat!(include_str!("palette.css"), include_str!("report.css"));
const SCRIPT: &str = include_str!("report.js");

/// Sentences of a proof that are shown at once.
const FIRST_SENTENCES: usize = 10;
/// Rows of a chart that a page shows; a longer one nobody reads.
const MOST_CHART_STEPS: usize = 400;
/// Places of all graphs that a page shows; larger ones nobody reads, and drawing them takes longer than the answer.
const MOST_PLACES: usize = 2_000;

/// The page about one model. Loops and their dependencies come from whoever knows of them, if anybody does.
pub fn page(
    model: &str,
    system: &System,
    report: &CheckReport,
    fillings: &[Filling],
    loops: Option<&Loops>,
) -> String {
    let mut out = String::new();
    let title = escape(model);
    let _ = writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}: Plimsoll</title>\n<style>\n{STYLE}</style>\n</head>\n<body>"
    );
    let _ = writeln!(
        out,
        "<header><h1>{title}</h1><p class=\"sum\">{} · {}</p></header>\n<main>",
        text::summary(&report.summary()),
        text::duration(report.seconds)
    );
    summary(&mut out, system, report);
    let violated: Vec<&Answer> = report
        .answers
        .iter()
        .filter(|answer| answer.counterexample().is_some() && !matches!(answer.question, Question::Buffer(_)))
        .collect();
    let mut steppers: Vec<Value> = Vec::new();
    for answer in &violated {
        let Some(counterexample) = answer.counterexample() else { continue };
        let data = stepper::data(&counterexample.system(system), counterexample);
        violation(&mut out, system, answer, counterexample, (steppers.len(), &data));
        steppers.push(data);
    }
    buffers(&mut out, report, fillings);
    proofs(&mut out, system, report);
    graphs(&mut out, system, report, &violated);
    if let Some(cluster) = &report.cluster {
        let _ = writeln!(
            out,
            "<section id=\"levels\"><h2>Levels of the search</h2>{}</section>",
            plot::levels(&cluster.levels)
        );
    }
    if let Some(loops) = loops {
        loops.section(&mut out);
    }
    let sources: Vec<Value> = system
        .model
        .sources
        .files()
        .map(|(_, file)| json!({ "name": file.name, "lines": file.text.lines().collect::<Vec<_>>() }))
        .collect();
    let data = json!({ "sources": sources, "violations": steppers });
    // `</script>` inside a string would end the element: the one thing that must not stand there.
    let data = data.to_string().replace("</", "<\\/").replace("<!--", "<\\!--");
    let _ = writeln!(
        out,
        "</main>\n<footer>Plimsoll {}</footer>\n<script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION")
    );
    out
}

/// The page about several models: a line each, in the form of the table, with a link to its own page; and a line for each that cannot be
/// used, with the reason.
pub fn index(models: &[(String, String, Value)], unusable: &[(String, String)]) -> String {
    let mut rows = String::new();
    for (name, reason) in unusable {
        let (name, reason) = (escape(name), escape(reason));
        let _ = writeln!(rows, "<tr><td>{name}<td><td><td><td><span class=\"VIOLATED\">{reason}</span></tr>");
    }
    for (name, file, model) in models {
        let cells: Vec<String> = ["violated", "unknown", "proved"]
            .iter()
            .map(|word| {
                let count = model["summary"][word].as_u64().unwrap_or(0);
                let class = if count > 0 { word.to_uppercase() } else { String::new() };
                format!("<td><span class=\"verdict {class}\">{count}</span>")
            })
            .collect();
        let wrong: Vec<String> = model["results"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|result| result["verdict"] == "VIOLATED")
            .filter_map(|result| result["question"].as_str().map(escape))
            .filter(|question| !question.starts_with("buffer "))
            .collect();
        let (name, file) = (escape(name), escape(file));
        let _ = writeln!(
            rows,
            "<tr><td><a href=\"{file}\">{name}</a>{}<td>{}</tr>",
            cells.concat(),
            wrong.join(", ")
        );
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Plimsoll</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{}</h1></header>\n<main><section id=\"summary\"><div class=\"scroll\"><table class=\"answers\"><thead>\
         <tr><th>model<th>violated<th>unknown<th>proved<th>what is violated</tr></thead><tbody>\n{rows}</tbody></table></div></section></main>\n\
         <footer>Plimsoll {}</footer>\n</body>\n</html>\n",
        counted(models.len() + unusable.len(), "model"),
        env!("CARGO_PKG_VERSION")
    )
}

fn summary(out: &mut String, system: &System, report: &CheckReport) {
    out.push_str("<section id=\"summary\"><h2>Answers</h2><div class=\"scroll\"><table class=\"answers\"><thead><tr><th>question<th>verdict<th>meaning<th>reading<th>time</tr></thead><tbody>\n");
    let mut answers: Vec<&Answer> =
        report.answers.iter().filter(|answer| !matches!(answer.question, Question::Buffer(_))).collect();
    answers.sort_by_key(|answer| urgency(answer));
    for answer in answers {
        let word = if urgency(answer) == NOTHING { "nothing" } else { answer.verdict.word() };
        let question = escape(&answer.question.to_string());
        let question = match answer.counterexample() {
            Some(_) => format!("<a href=\"#{}\">{question}</a>", anchor(answer)),
            None => question,
        };
        let mut meaning = prose(text::in_short(answer));
        if let Verdict::Unknown(unknown) = &answer.verdict {
            let _ =
                write!(meaning, "<br><small>stopped by: {}</small>", prose(&hints::reason(&unknown.reason)));
            for line in unknown.findings.iter().chain(&answer.hints) {
                let _ = write!(meaning, "<br><small>{}</small>", prose(line));
            }
        }
        for note in &answer.notes {
            let _ = write!(meaning, "<br><small>{}</small>", prose(note));
        }
        let reading = text::reading(system, answer);
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{question}<td><span class=\"verdict {word}\">{word}</span><td>{meaning}<td>{}<td class=\"time\">{}</tr>",
            escape(&reading),
            text::duration(answer.seconds)
        );
    }
    out.push_str("</tbody></table></div></section>\n");
}

fn anchor(answer: &Answer) -> String {
    format!("violation-{}", crate::json::file_stem(&answer.question))
}

fn buffers(out: &mut String, report: &CheckReport, fillings: &[Filling]) {
    let all: Vec<&Answer> =
        report.answers.iter().filter(|answer| matches!(answer.question, Question::Buffer(_))).collect();
    if all.is_empty() {
        return;
    }
    out.push_str("<section id=\"buffers\"><h2>Buffers</h2><div class=\"cards\">\n");
    for answer in all {
        let Question::Buffer(name) = &answer.question else { continue };
        let word = answer.verdict.word();
        let filling = fillings.iter().find(|filling| filling.buffer == *name);
        let bound = bound_in_words(answer, filling);
        let how = match &answer.verdict {
            Verdict::Proved(Evidence::Certificate(_)) => "by a certificate, for every capacity",
            Verdict::Proved(Evidence::Search { .. }) => "by search with unbounded buffers",
            _ => "",
        };
        let _ = write!(
            out,
            "<article class=\"card\"><h3>{} <span class=\"verdict {word}\">{word}</span></h3><p>{}</p><p class=\"dim\">{how}</p>",
            escape(name),
            escape(&bound)
        );
        if let Some(filling) = filling {
            let caption = match filling.repeats_from {
                Some(_) => "messages along a run that can go on for ever".to_string(),
                None => format!("messages along a run to the fullest state seen, with {}", peak(filling)),
            };
            let _ = write!(
                out,
                "<figure>{}<figcaption>{caption}</figcaption></figure>",
                plot::plot(filling, answer.bound)
            );
        }
        out.push_str("</article>\n");
    }
    out.push_str("</div></section>\n");
}

/// What is violated comes first, then what is unknown; what there is nothing to prove about comes last.
fn urgency(answer: &Answer) -> u8 {
    match &answer.verdict {
        Verdict::Violated(_) => 0,
        Verdict::Unknown(_) => 1,
        Verdict::Proved(Evidence::Nothing(_)) => NOTHING,
        Verdict::Proved(_) => 2,
    }
}

/// There is nothing to prove.
const NOTHING: u8 = 3;

/// What is known of a buffer; where that is no proof, the plot below may have seen more than the answer.
fn bound_in_words(answer: &Answer, filling: Option<&Filling>) -> String {
    match (answer.bound, &answer.verdict, filling) {
        (Some(bound), ..) if bound.tight => format!("at most {} (some run reaches it)", bound.at_most),
        (Some(bound), ..) => format!("at most {}", bound.at_most),
        (None, Verdict::Unknown(_), Some(filling)) => {
            format!("no bound is known; {} seen", counted(peak(filling) as usize, "message"))
        }
        (None, ..) => answer.meaning.clone(),
    }
}

/// The most messages along a run.
fn peak(filling: &Filling) -> u32 {
    filling.messages.iter().copied().max().unwrap_or(0)
}

/// Who waits for whom at the end of a run that ends in a deadlock.
fn waiting_list(system: &System, answer: &Answer, counterexample: &Counterexample) -> String {
    if answer.question != Question::Deadlock {
        return String::new();
    }
    let system = counterexample.system(system);
    let Ok(replayed) = replay(&system, counterexample.trace()) else { return String::new() };
    let waiting = waiting::waiting(&system, counterexample.trace(), &replayed);
    let lines: Vec<String> =
        waiting.lines(usize::MAX).iter().map(|line| format!("<li>{}</li>", prose(line))).collect();
    format!("<h3>Who waits for whom</h3><ul class=\"waiting\">{}</ul>\n", lines.concat())
}

/// A sentence of an answer: what stands between backquotes is of the model.
fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

fn violation(
    out: &mut String,
    system: &System,
    answer: &Answer,
    counterexample: &Counterexample,
    (number, data): (usize, &Value),
) {
    let id = anchor(answer);
    let _ = writeln!(
        out,
        "<section class=\"violation\" id=\"{id}\" data-violation=\"{number}\"><h2>{} <span class=\"verdict VIOLATED\">VIOLATED</span></h2><p>{}</p><p class=\"dim\">{}</p>",
        escape(&answer.question.to_string()),
        prose(text::in_short(answer)),
        escape(&text::shape(counterexample))
    );
    out.push_str(&waiting_list(system, answer, counterexample));
    out.push_str(
        "<div class=\"stepper\" tabindex=\"0\" role=\"group\" aria-label=\"steps of the counterexample; arrow keys go back and forth\">\
         <div class=\"bar\"><button type=\"button\" data-go=\"first\" title=\"to the beginning (Home)\">|◀</button>\
         <button type=\"button\" data-go=\"back\" title=\"one step back (←)\">◀</button>\
         <button type=\"button\" data-go=\"on\" title=\"one step on (→)\">▶</button>\
         <button type=\"button\" data-go=\"last\" title=\"to the end (End)\">▶|</button>\
         <input type=\"range\" min=\"0\" value=\"0\" aria-label=\"step\"><output class=\"where\"></output></div>\
         <p class=\"said\" aria-live=\"polite\"></p>\
         <div class=\"panes\"><pre class=\"source\" tabindex=\"0\" aria-label=\"source\"></pre><div class=\"state\"></div></div></div>\n",
    );
    let instance = counterexample.system(system);
    let interpreter = Interpreter::new(&instance, counterexample.trace().capacities);
    let steps: Vec<Step> =
        counterexample.trace().steps.iter().take(MOST_CHART_STEPS).map(|&step| step.into()).collect();
    let drawn = chart(&interpreter, &steps, counterexample.repeats_from());
    if !drawn.rows.is_empty() {
        let _ = write!(out, "<h3>Message sequence chart</h3><div class=\"scroll\">{}</div>", drawn.as_svg());
    }
    let listed = stepper::list(data, MOST_CHART_STEPS);
    let _ = write!(out, "<details class=\"steps\"><summary>The steps as a list</summary>{listed}</details>");
    out.push_str("</section>\n");
}

/// The proofs in words, each certificate once.
fn proofs(out: &mut String, system: &System, report: &CheckReport) {
    let mut shown: Vec<&str> = Vec::new();
    let mut text = String::new();
    for answer in &report.answers {
        let Some(certificate) = answer.certificate() else { continue };
        if shown.contains(&certificate.seal.as_str()) {
            continue;
        }
        shown.push(&certificate.seal);
        let sentences = folded(certificate::words::words(system, certificate));
        let (first, rest) = sentences.split_at(sentences.len().min(FIRST_SENTENCES));
        let rest = match rest.is_empty() {
            true => String::new(),
            false => format!(
                "<details><summary>and {} more</summary><ol class=\"words\" start=\"{}\">{}</ol></details>",
                rest.len(),
                first.len() + 1,
                rest.concat()
            ),
        };
        let _ = writeln!(
            text,
            "<details><summary>{}: {}</summary><ol class=\"words\">{}</ol>{rest}</details>",
            escape(&answer.question.to_string()),
            counted(sentences.len(), "sentence"),
            first.concat()
        );
    }
    if !text.is_empty() {
        let _ = writeln!(out, "<section id=\"proofs\"><h2>Proofs in words</h2>\n{text}</section>");
    }
}

/// The sentences of a proof as items of a list. Weights, which are many, are counted where the argument goes on, and listed inside.
fn folded(sentences: Vec<String>) -> Vec<String> {
    let is_weight = |sentence: &String| {
        let number = sentence.trim_end_matches('.').rsplit_once(" weighs ").map(|(_, number)| number);
        number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
    };
    let runs = sentences.chunk_by(|one, next| is_weight(one) && is_weight(next));
    let item = |run: &[String]| match run {
        [only] => format!("<li>{}</li>", escape(only)),
        weights => {
            let inside: String = weights.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
            let count = counted(weights.len(), "weight");
            format!(
                "<li><details><summary>{count} of messages and places.</summary><ul>{inside}</ul></details></li>"
            )
        }
    };
    runs.map(item).collect()
}

fn graphs(out: &mut String, system: &System, report: &CheckReport, violated: &[&Answer]) {
    let mut marks: BTreeMap<AutomatonId, Marks> = BTreeMap::new();
    for answer in violated {
        if let Some(counterexample) = answer.counterexample() {
            mark(&counterexample.system(system), counterexample, &mut marks);
        }
    }
    for statement in report.unreached.iter().flatten() {
        marks.entry(statement.automaton).or_default().unreached.insert(statement.edge);
    }
    out.push_str(
        "<section id=\"graphs\"><h2>Control flow</h2><p class=\"legend\"><span class=\"traced\">in a counterexample</span> \
         <span class=\"cycle\">in its loop</span> <span class=\"unreached\">never executed</span></p>\n",
    );
    let none = Marks::default();
    let drawn = drawn(system, &marks);
    for (id, automaton) in system.process_automata() {
        let marks = marks.get(&id).unwrap_or(&none);
        let drawing = match drawn.contains(&id) {
            true => graph::svg(system, automaton, marks),
            false => {
                "<p>too large to be drawn here: <code>plimsoll graph --format svg</code></p>".to_string()
            }
        };
        let open = if marks.cycle.is_empty() && marks.trace.is_empty() { "" } else { " open" };
        let _ = writeln!(
            out,
            "<details{open}><summary><code>{}</code> {} places, {} statements{}</summary><div class=\"scroll\">{}</div></details>",
            escape(&automaton.name),
            automaton.locations.len(),
            automaton.edges.len(),
            match marks.unreached.len() {
                0 => String::new(),
                count => format!(", {count} never executed"),
            },
            drawing
        );
    }
    out.push_str("</section>\n");
}

/// Whose graphs are drawn: those in counterexamples first.
fn drawn(system: &System, marks: &BTreeMap<AutomatonId, Marks>) -> BTreeSet<AutomatonId> {
    let is_met = |id: &AutomatonId| marks.get(id).is_some_and(|marks| !marks.trace.is_empty());
    let (met, others): (Vec<_>, Vec<_>) = system.process_automata().partition(|(id, _)| is_met(id));
    let mut left = MOST_PLACES;
    let fits = |(id, automaton): (AutomatonId, &Automaton)| {
        left = left.checked_sub(automaton.locations.len())?;
        Some(id)
    };
    met.into_iter().chain(others).filter_map(fits).collect()
}

fn mark(system: &System, counterexample: &Counterexample, marks: &mut BTreeMap<AutomatonId, Marks>) {
    let mut trace = counterexample.trace().clone();
    trace.loop_start = None;
    let repeats_from = counterexample.repeats_from().unwrap_or(usize::MAX);
    let last = trace.steps.pop();
    let Ok(replayed) = replay(system, &trace) else { return };
    for (index, &step) in trace.steps.iter().chain(&last).enumerate() {
        let step: Step = step.into();
        let state = replayed.state_before(index);
        let sides = [Some((step.process, step.edge)), step.partner.map(|p| (p.process, p.edge))];
        for (pid, edge) in sides.into_iter().flatten() {
            let Some(process) = state.processes.get(pid.0 as usize) else { continue };
            let marks = marks.entry(process.automaton).or_default();
            marks.trace.insert(edge);
            if index >= repeats_from {
                marks.cycle.insert(edge);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certificate::verdict::StopReason;
    use system::capacities::CapacityReading;
    use verify::Reading;

    #[test]
    fn what_a_sentence_quotes_of_the_model_is_code() {
        assert_eq!(prose("`a < 2` (line 3)"), "<code>a &lt; 2</code> (line 3)");
        assert_eq!(prose("a ` alone"), "a ` alone");
    }

    #[test]
    fn graphs_that_nobody_reads_are_not_drawn() {
        let long = "skip; ".repeat(MOST_PLACES);
        let text = format!("active proctype Long() {{ {long}skip }} active proctype Short() {{ skip }}");
        let system = system::read_text(&text).expect("a model");
        assert_eq!(drawn(&system, &BTreeMap::new()), BTreeSet::from([AutomatonId(1)]));
        let half = "skip; ".repeat(MOST_PLACES / 2 + 1);
        let text = format!("active proctype A() {{ {half}skip }} active proctype B() {{ {half}skip }}");
        let system = system::read_text(&text).expect("a model");
        let mut marks: BTreeMap<AutomatonId, Marks> = BTreeMap::new();
        marks.entry(AutomatonId(1)).or_default().trace.insert(system::automaton::EdgeId(0));
        assert_eq!(drawn(&system, &marks), BTreeSet::from([AutomatonId(1)]));
    }

    #[test]
    fn the_argument_of_a_proof_is_not_lost_among_its_weights() {
        let weights = (0..200).map(|at| format!("p before `c!{at}` (line {at}) weighs 1."));
        let first = ["This holds whatever the capacities of the buffers are.".to_string()];
        let last =
            ["No statement makes the total grow.".to_string(), "So `c` never holds more than 2.".into()];
        let items = folded(first.into_iter().chain(weights).chain(last).collect());
        assert_eq!(items.len(), 4, "{items:?}");
        assert!(items[1].contains("200 weights of messages") && items[1].contains("c!199"), "{}", items[1]);
        assert_eq!(items[3], "<li>So `c` never holds more than 2.</li>");
    }

    #[test]
    fn a_plot_never_shows_more_than_its_text_says() {
        let question = Question::Buffer("c".to_string());
        let reading = Reading::of(CapacityReading::Unbounded);
        let meaning = "held up to 2 in what was searched";
        let answer = Answer::unknown(question, reading, StopReason::RefinementsExhausted, meaning);
        let filling = Filling { buffer: "c".to_string(), messages: vec![0, 1, 3, 2], repeats_from: None };
        assert_eq!(bound_in_words(&answer, Some(&filling)), "no bound is known; 3 messages seen");
        assert!(plot::plot(&filling, None).contains("at most 3"));
    }
}
