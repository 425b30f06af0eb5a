//! Sequence charts for tools that draw them from text: PlantUML and Mermaid.

use crate::chart::{Chart, Event};
use std::collections::HashMap;
use std::fmt::Write;

/// For PlantUML. A message that goes through a buffer is an arrow to the border when it is sent and an arrow from its sender when it is
/// received.
pub fn plantuml(chart: &Chart) -> String {
    let mut out = String::from("@startuml\n");
    for (index, name) in chart.columns.iter().enumerate() {
        let _ = writeln!(out, "participant \"{}\" as p{index}", name.replace('"', "'"));
    }
    let mut senders: HashMap<usize, usize> = HashMap::new();
    for (index, row) in chart.rows.iter().enumerate() {
        if chart.loop_start == Some(index) {
            out.push_str("loop for ever\n");
        }
        match &row.event {
            Event::Sent { column, text, message } => {
                senders.insert(*message, *column);
                let _ = writeln!(out, "p{column} ->] : {text}");
            }
            Event::Received { column, text, message } => {
                match message.and_then(|message| senders.get(&message)) {
                    Some(from) => drop(writeln!(out, "p{from} ->> p{column} : {text}")),
                    None => drop(writeln!(out, "[-> p{column} : {text}")),
                }
            }
            Event::HandedOver { from, to, text } => drop(writeln!(out, "p{from} -> p{to} : {text}")),
            Event::Started { by, column } => drop(writeln!(out, "p{by} --> p{column} : starts")),
            Event::Printed { column, text } => drop(writeln!(out, "note over p{column} : {text}")),
        }
    }
    if chart.loop_start.is_some_and(|start| start < chart.rows.len()) {
        out.push_str("end\n");
    }
    out.push_str("@enduml\n");
    out
}

/// For Mermaid. It has no arrow to the border: that a message was sent is a note.
pub fn mermaid(chart: &Chart) -> String {
    // `;` ends a statement there, and `#` begins the number of a letter.
    let plain = |text: &str| text.replace('#', "#35;").replace(';', "#59;");
    let mut out = String::from("sequenceDiagram\n");
    for (index, name) in chart.columns.iter().enumerate() {
        let _ = writeln!(out, "    participant p{index} as {}", plain(name).replace(':', "#58;"));
    }
    let mut senders: HashMap<usize, usize> = HashMap::new();
    for (index, row) in chart.rows.iter().enumerate() {
        if chart.loop_start == Some(index) {
            out.push_str("    loop for ever\n");
        }
        match &row.event {
            Event::Sent { column, text, message } => {
                senders.insert(*message, *column);
                let _ = writeln!(out, "    Note right of p{column}: {}", plain(text));
            }
            Event::Received { column, text, message } => {
                let text = plain(text);
                match message.and_then(|message| senders.get(&message)) {
                    Some(from) => drop(writeln!(out, "    p{from}-)p{column}: {text}")),
                    None => drop(writeln!(out, "    Note left of p{column}: {text}")),
                }
            }
            Event::HandedOver { from, to, text } => {
                let _ = writeln!(out, "    p{from}->>p{to}: {}", plain(text));
            }
            Event::Started { by, column } => drop(writeln!(out, "    p{by}-->>p{column}: starts")),
            Event::Printed { column, text } => {
                let _ = writeln!(out, "    Note over p{column}: {}", plain(text));
            }
        }
    }
    if chart.loop_start.is_some_and(|start| start < chart.rows.len()) {
        out.push_str("    end\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Row;

    fn chart() -> Chart {
        let rows = [
            Event::Started { by: 0, column: 1 },
            Event::Sent { column: 0, text: "c!1".into(), message: 0 },
            Event::Received { column: 1, text: "c?1".into(), message: Some(0) },
            Event::HandedOver { from: 1, to: 0, text: "d!2;3".into() },
        ];
        let rows = rows.into_iter().enumerate().map(|(index, event)| Row { step: index + 1, event });
        Chart { columns: vec![":init:(0)".into(), "p(1)".into()], rows: rows.collect(), loop_start: Some(1) }
    }

    #[test]
    fn plantuml_draws_who_sends_what_to_whom() {
        let expected = "@startuml\nparticipant \":init:(0)\" as p0\nparticipant \"p(1)\" as p1\n\
            p0 --> p1 : starts\nloop for ever\np0 ->] : c!1\np0 ->> p1 : c?1\np1 -> p0 : d!2;3\nend\n@enduml\n";
        assert_eq!(plantuml(&chart()), expected);
    }

    #[test]
    fn mermaid_draws_it_too_and_is_not_ended_by_a_semicolon() {
        let expected = "sequenceDiagram\n    participant p0 as #58;init#58;(0)\n    participant p1 as p(1)\n    \
            p0-->>p1: starts\n    loop for ever\n    Note right of p0: c!1\n    p0-)p1: c?1\n    p1->>p0: d!2#59;3\n    end\n";
        assert_eq!(mermaid(&chart()), expected);
    }
}
