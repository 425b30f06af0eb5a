//! Many models at once: a table with a line each.

use crate::style::Palette;
use crate::text::duration;
use std::fmt;
use verify::{CheckReport, Question, Summary, counted};

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
    palette: Palette,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Row {
    name: String,
    cells: [Option<&'static str>; COLUMNS.len()],
    seconds: f64,
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

impl Layout {
    /// A layout for models with these names.
    pub fn new(names: impl Iterator<Item = String>, palette: Palette) -> Layout {
        Layout { names: names.map(|name| name.chars().count()).max().unwrap_or(0).max(5), palette }
    }

    /// The names of the columns.
    pub fn head(&self) -> String {
        let mut out = format!("{:<width$}", "model", width = self.names);
        for column in COLUMNS {
            out.push_str(&format!("  {column:<width$}", width = width(column)));
        }
        out.push_str(&format!("  {:>8}\n", "time"));
        out
    }

    /// One line.
    pub fn row(&self, row: &Row) -> String {
        let mut out = format!("{:<width$}", row.name, width = self.names);
        for (column, cell) in COLUMNS.iter().zip(row.cells) {
            let word = cell.unwrap_or("-");
            out.push_str("  ");
            out.push_str(&self.palette.verdict(word, format!("{word:<width$}", width = width(column))));
        }
        out.push_str(&self.palette.dim(format!("  {:>8}", duration(row.seconds))));
        out.push('\n');
        out
    }

    /// One line about a model that cannot be used.
    pub fn unusable(&self, name: &str, message: &str) -> String {
        format!("{name:<width$}  {}\n", self.palette.bold(message), width = self.names)
    }
}

impl Row {
    /// The line of a report: in each column the worst verdict.
    pub fn of(name: &str, report: &CheckReport) -> Row {
        let mut cells = [None; COLUMNS.len()];
        for answer in &report.answers {
            let column = match answer.question {
                Question::Buffers => 0,
                Question::Progress => 1,
                Question::Deadlock => 2,
                Question::Assertions => 3,
                Question::RuntimeErrors => 4,
                Question::Buffer(_) => continue,
                _ => 5,
            };
            if cells[column].is_none_or(|word| severity(word) < severity(answer.verdict.word())) {
                cells[column] = Some(answer.verdict.word());
            }
        }
        Row { name: name.to_string(), cells, seconds: report.seconds }
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
    /// Takes note of one model.
    pub fn count(&mut self, summary: &Summary) {
        self.models += 1;
        self.answers.proved += summary.proved;
        self.answers.violated += summary.violated;
        self.answers.unknown += summary.unknown;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { proved, violated, unknown } = self.answers;
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
