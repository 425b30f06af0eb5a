//! Many models at once: a table with a line each.

use crate::columns;
use crate::style::Palette;
use crate::text::duration;
use serde_json::Value;
use std::fmt;
use verify::{Summary, counted};

/// The columns: which kinds of questions.
const COLUMNS: [&str; 6] = ["buffers", "progress", "deadlock", "assertions", "errors", "claims+ltl"];

/// A column is as wide as its name and the longest verdict.
fn width(column: &str) -> usize {
    column.len().max("VIOLATED".len())
}

/// How wide the table is.
#[derive(Clone, Debug)]
pub struct Layout {
    names: usize,
    width: usize,
    palette: Palette,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Row {
    name: String,
    cells: [Option<&'static str>; COLUMNS.len()],
    /// `None`: it was known before.
    seconds: Option<f64>,
}

/// What came out of all models.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Totals {
    /// Models that were checked.
    pub models: usize,
    /// All their answers.
    pub answers: Summary,
    /// Models that could not be used.
    pub unusable: usize,
    /// From the first to the last, by the clock on the wall.
    pub seconds: f64,
}

/// Room for a time.
const TIME: usize = 8;

impl Layout {
    /// A layout for models with these names. Where not all columns fit, a line lists what is not proved instead.
    pub fn new(names: impl Iterator<Item = String>, palette: Palette, width: usize) -> Layout {
        let longest = names.map(|name| name.chars().count()).max().unwrap_or(0).max(5);
        // What is not proved needs room for a verdict.
        let room_for_names = width.saturating_sub(2 + 6 + 2 + "not proved".len() + 2 + TIME);
        Layout { names: longest.min(width / 2).min(room_for_names), width, palette }
    }

    /// Whether there is room for a column for each kind of question.
    fn is_wide(&self) -> bool {
        let columns: usize = COLUMNS.iter().map(|column| 2 + width(column)).sum();
        self.names + columns + 2 + TIME <= self.width
    }

    fn name(&self, name: &str) -> String {
        format!("{:<width$}", columns::shortened_path(name, self.names), width = self.names)
    }

    /// Columns for what is not proved, where there is no room for more.
    fn room(&self) -> usize {
        self.width.saturating_sub(self.names + 2 + 6 + 2 + 2 + TIME).max(8)
    }

    /// The names of the columns.
    pub fn head(&self) -> String {
        let mut out = self.name("model");
        match self.is_wide() {
            true => {
                for column in COLUMNS {
                    out.push_str(&format!("  {column:<width$}", width = width(column)));
                }
            }
            false => out.push_str(&format!("  proved  {:<width$}", "not proved", width = self.room())),
        }
        out.push_str(&format!("  {:>TIME$}\n", "time"));
        out
    }

    /// One line, or several where what is not proved does not fit.
    pub fn row(&self, row: &Row) -> String {
        let mut out = self.name(&row.name);
        let time = row.seconds.map_or_else(|| "cached".to_string(), duration);
        let time = self.palette.dim(format!("  {time:>TIME$}"));
        if !self.is_wide() {
            let proved = row.cells.iter().filter(|cell| **cell == Some("PROVED")).count();
            let room = self.room();
            let rows = columns::wrap(&row.not_proved(), room);
            let first = self.painted(&format!("{:<room$}", rows.first().map_or("", String::as_str)));
            out.push_str(&format!("  {proved:>6}  {first}{time}\n"));
            for more in rows.iter().skip(1) {
                out.push_str(&format!("{:width$}{}\n", "", self.painted(more), width = self.names + 10));
            }
            return out;
        }
        for (column, cell) in COLUMNS.iter().zip(row.cells) {
            let word = cell.unwrap_or("-");
            out.push_str("  ");
            out.push_str(&self.palette.verdict(word, format!("{word:<width$}", width = width(column))));
        }
        out + &time + "\n"
    }

    /// The verdicts in a text in their colours.
    fn painted(&self, text: &str) -> String {
        let mut text = text.to_string();
        for word in ["VIOLATED", "UNKNOWN"] {
            text = text.replace(word, &self.palette.verdict(word, word));
        }
        text
    }

    /// What else is to be said of a model, below its line.
    pub fn remark(&self, text: &str) -> String {
        let mut out = String::new();
        columns::indented(&mut out, "  ", text, self.width);
        out
    }

    /// A line about a model that cannot be used.
    pub fn unusable(&self, name: &str, message: &str) -> String {
        let rows = columns::wrap(message, self.width.saturating_sub(self.names + 2).max(8));
        let mut out = String::new();
        for (index, row) in rows.iter().enumerate() {
            let name = self.name(if index == 0 { name } else { "" });
            out.push_str(&format!("{name}  {}\n", self.palette.bold(row)));
        }
        out
    }
}

impl Row {
    /// The line of a model, from its answers in the form that machines read: in each column the worst verdict.
    pub fn of(name: &str, model: &Value) -> Row {
        let mut cells: [Option<&'static str>; COLUMNS.len()] = [None; COLUMNS.len()];
        for result in model["results"].as_array().into_iter().flatten() {
            let question = result["question"].as_str().unwrap_or("");
            if question.starts_with("buffer ") || result["evidence"] == "nothing to prove" {
                continue;
            }
            let last = COLUMNS.len() - 1;
            let column = COLUMNS.iter().position(|column| *column == question).unwrap_or(last);
            let word = match result["verdict"].as_str() {
                Some("PROVED") => "PROVED",
                Some("VIOLATED") => "VIOLATED",
                _ => "UNKNOWN",
            };
            if cells[column].is_none_or(|known| severity(known) < severity(word)) {
                cells[column] = Some(word);
            }
        }
        Row { name: name.to_string(), cells, seconds: model["seconds"].as_f64() }
    }

    /// The same for answers that were known from another run.
    pub fn known_before(self) -> Row {
        Row { seconds: None, ..self }
    }

    /// `VIOLATED deadlock, errors; UNKNOWN progress`
    fn not_proved(&self) -> String {
        let of = |word: &str| {
            let columns = COLUMNS.iter().zip(self.cells);
            let names: Vec<&str> =
                columns.filter(|(_, cell)| *cell == Some(word)).map(|(column, _)| *column).collect();
            (!names.is_empty()).then(|| format!("{word} {}", names.join(", ")))
        };
        let parts: Vec<String> = ["VIOLATED", "UNKNOWN"].into_iter().filter_map(of).collect();
        if parts.is_empty() { "-".to_string() } else { parts.join("; ") }
    }
}

fn severity(word: &str) -> u8 {
    match word {
        "PROVED" => 0,
        "UNKNOWN" => 1,
        _ => 2,
    }
}

impl Totals {
    /// Takes note of one model's answers in the form that machines read.
    pub fn count(&mut self, model: &Value) {
        let of = |word: &str| model["summary"][word].as_u64().unwrap_or(0) as usize;
        self.models += 1;
        self.answers.proved += of("proved");
        self.answers.violated += of("violated");
        self.answers.unknown += of("unknown");
        self.answers.nothing += of("nothing");
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { proved, violated, unknown, .. } = self.answers;
        write!(
            f,
            "{}, {} in {}: {}",
            counted(self.models, "model"),
            counted(proved + violated + unknown, "answer"),
            duration(self.seconds),
            crate::text::summary(&self.answers)
        )?;
        if self.unusable > 0 {
            write!(f, "; {} more cannot be used", self.unusable)?;
        }
        Ok(())
    }
}
