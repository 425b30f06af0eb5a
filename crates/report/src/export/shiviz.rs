//! A log for ShiViz: every event with the vector clock of its process, so that the tool can draw who knew of what.

use crate::chart::{Chart, Event};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fmt::Write;

/// The log. It is read with `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`, which is what ShiViz assumes.
pub fn shiviz(chart: &Chart) -> String {
    let mut clocks: Vec<Vec<u64>> = vec![vec![0; chart.columns.len()]; chart.columns.len()];
    let mut under_way: HashMap<usize, Vec<u64>> = HashMap::new();
    let mut out = String::new();
    let mut tell = |clocks: &mut Vec<Vec<u64>>, column: usize, heard: Option<&Vec<u64>>, text: &str| {
        clocks[column][column] += 1;
        for (mine, theirs) in clocks[column].iter_mut().zip(heard.into_iter().flatten()) {
            *mine = (*mine).max(*theirs);
        }
        let known = clocks[column].iter().enumerate().filter(|(_, time)| **time > 0);
        let clock: Map<String, Value> =
            known.map(|(index, time)| (chart.columns[index].clone(), json!(time))).collect();
        let _ = writeln!(out, "{} {}\n{text}", chart.columns[column], Value::Object(clock));
    };
    for row in &chart.rows {
        match &row.event {
            Event::Sent { column, text, message } => {
                tell(&mut clocks, *column, None, text);
                under_way.insert(*message, clocks[*column].clone());
            }
            Event::Received { column, text, message } => {
                let heard = message.and_then(|message| under_way.get(&message));
                tell(&mut clocks, *column, heard, text);
            }
            Event::HandedOver { from, to, text } => {
                tell(&mut clocks, *from, None, text);
                let heard = clocks[*from].clone();
                tell(&mut clocks, *to, Some(&heard), &text.replacen('!', "?", 1));
            }
            Event::Started { by, column } => {
                tell(&mut clocks, *by, None, &format!("starts {}", chart.columns[*column]));
                let heard = clocks[*by].clone();
                tell(&mut clocks, *column, Some(&heard), "starts");
            }
            Event::Printed { column, text } => tell(&mut clocks, *column, None, text),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Row;

    #[test]
    fn whoever_receives_knows_what_the_sender_knew() {
        let rows = [
            Event::Sent { column: 0, text: "c!1".into(), message: 0 },
            Event::Received { column: 1, text: "c?1".into(), message: Some(0) },
        ];
        let rows = rows.into_iter().enumerate().map(|(index, event)| Row { step: index + 1, event });
        let chart =
            Chart { columns: vec!["a(0)".into(), "b(1)".into()], rows: rows.collect(), loop_start: None };
        assert_eq!(shiviz(&chart), "a(0) {\"a(0)\":1}\nc!1\nb(1) {\"a(0)\":1,\"b(1)\":1}\nc?1\n");
    }
}
