//! How answers speak of processes, places and numbers.

use certificate::verdict::StopReason;
use promela::source::Span;
use system::automaton::{Action, AutomatonId, EdgeId, System};
use system::state::State;

/// What is said of a question whose engine failed.
pub const FAILED: &str = "Plimsoll failed at this question, please report it";

/// What is said of the states of a reduced search.
pub const STANDING: &str = "which stand for all others";

/// Why there is no answer where an engine failed.
pub fn a_defect() -> StopReason {
    StopReason::Unsupported { what: "a defect of Plimsoll".to_string() }
}

/// `client(0) waits at line 12, server(2) at line 30`: everybody who is not at a valid end.
pub fn who_waits(system: &System, state: &State) -> String {
    let mut texts = Vec::new();
    for (pid, process) in state.processes.iter().enumerate() {
        let automaton = system.automaton(process.automaton);
        let location = automaton.location(process.location);
        if location.end {
            continue;
        }
        let statement = location.edges.first().map(|&edge| automaton.edge(edge));
        let text = statement.map_or("the end", |edge| edge.text.as_str());
        let place = line(system, statement.map_or(location.span, |edge| edge.span));
        let verb = if texts.is_empty() { "waits at" } else { "at" };
        texts.push(format!("{}({pid}) {verb} `{text}` ({place})", automaton.name));
    }
    const SHOWN: usize = 3;
    let more = texts.len().saturating_sub(SHOWN);
    texts.truncate(SHOWN);
    let mut text = texts.join(", ");
    if more > 0 {
        text += &format!(" and {more} more");
    }
    text
}

/// ``assert(n == 2)` of client (line 9)``
pub fn statement(system: &System, automaton: AutomatonId, edge: EdgeId) -> String {
    let automaton = system.automaton(automaton);
    let edge = automaton.edge(edge);
    format!("`{}` of {} ({})", edge.text, automaton.name, line(system, edge.span))
}

/// ``assert(y == 3)` of P (line 7)``: the smallest statement around a place, those inside of a `d_step` among them.
pub fn statement_around(system: &System, automaton: AutomatonId, place: Span) -> String {
    let sources = &system.model.sources;
    let automaton = system.automaton(automaton);
    let inner = sources.visible_span(place);
    let size = |span: Span| {
        let outer = sources.visible_span(span);
        let is_around = outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end;
        is_around.then_some(outer.end - outer.start)
    };
    let mut found = (u32::MAX, one_line(sources.text(inner)), place);
    for edge in &automaton.edges {
        if let Some(size) = size(edge.span).filter(|&size| size < found.0) {
            found = (size, edge.text.clone(), edge.span);
        }
        let Action::DStep(body) = &edge.action else { continue };
        for choice in body.nodes.iter().flat_map(|node| &node.choices) {
            if let Some(size) = size(choice.span).filter(|&size| size < found.0) {
                found = (size, one_line(sources.text(sources.visible_span(choice.span))), choice.span);
            }
        }
    }
    let (_, text, span) = found;
    format!("`{text}` of {} ({})", automaton.name, line(system, span))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `line 12`, or `file.h:12` if it is not the model's own file.
pub fn line(system: &System, span: Span) -> String {
    let sources = &system.model.sources;
    if sources.files().next().is_none() {
        return "no line".to_string();
    }
    let visible = sources.visible_span(span);
    let line = sources.line_column(visible).line;
    if visible.file.0 == 0 {
        format!("line {line}")
    } else {
        let name = &sources.file(visible.file).name;
        format!("{}:{line}", name.rsplit('/').next().unwrap_or(name))
    }
}

/// `1 step`, `5 steps`
pub fn steps(count: usize) -> String {
    counted(count, "step")
}

/// `after 5 steps`; `at the start`, which is after none.
pub fn after(count: usize) -> String {
    match count {
        0 => "at the start".to_string(),
        _ => format!("after {}", steps(count)),
    }
}

/// `after 13 steps the next 2 can be repeated again and again`
pub fn repeated(before: usize, count: usize) -> String {
    let what = match (before, count) {
        (0, 1) => "the first step".to_string(),
        (0, count) => format!("the first {}", steps(count)),
        (before, 1) => format!("after {} the next one", steps(before)),
        (before, count) => format!("after {} the next {}", steps(before), grouped(count as u64)),
    };
    format!("{what} can be repeated again and again")
}

/// `nothing wrong in the 31 states searched`
pub fn nothing_wrong(states: u64) -> String {
    match states {
        0 => "no answer yet".to_string(),
        1 => "nothing wrong in the one state searched".to_string(),
        _ => format!("nothing wrong in the {} states searched", grouped(states)),
    }
}

/// `one state`, `1,234 states`
pub fn states(count: u64) -> String {
    if count == 1 { "one state".to_string() } else { format!("{} states", grouped(count)) }
}

/// `all 31 states searched`
pub fn all_states(count: u64) -> String {
    if count == 1 {
        "there is only one state".to_string()
    } else {
        format!("all {} states searched", grouped(count))
    }
}

/// `x`, `y` and 3 more
pub fn some_names(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match (names.len(), &shown[..]) {
        (more, _) if more > SHOWN => format!("{} and {} more", shown.join(", "), more - SHOWN),
        (_, [first @ .., last]) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => shown.join(", "),
    }
}

/// `1 proof`, `1,234 proofs`
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// `640 bytes`, `12 kB`, `256 MB`
pub fn bytes(count: u64) -> String {
    match count {
        0..=1023 => format!("{count} bytes"),
        1024..=1_048_575 => format!("{} kB", count >> 10),
        _ => format!("{} MB", grouped(count >> 20)),
    }
}

/// `1,234,567`
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_said_in_plain_words() {
        assert_eq!(repeated(0, 1), "the first step can be repeated again and again");
        assert_eq!(repeated(0, 3), "the first 3 steps can be repeated again and again");
        assert_eq!(repeated(13, 2), "after 13 steps the next 2 can be repeated again and again");
        assert_eq!(repeated(1, 1), "after 1 step the next one can be repeated again and again");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1, "proof"), "1 proof");
        assert_eq!(counted(1234, "proof"), "1,234 proofs");
        assert_eq!((states(1), states(1000)), ("one state".into(), "1,000 states".into()));
        assert_eq!(nothing_wrong(0), "no answer yet");
        assert_eq!(nothing_wrong(1), "nothing wrong in the one state searched");
        assert_eq!(
            (bytes(640), bytes(1 << 10), bytes(256 << 20)),
            ("640 bytes".into(), "1 kB".into(), "256 MB".into())
        );
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
    }
}
