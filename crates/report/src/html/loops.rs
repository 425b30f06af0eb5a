//! The loops that a system lives from, and which loop needs which.

use crate::boxes::{Arrow, Column, svg};
use crate::chart::escape;
use std::fmt::Write;
use verify::grouped;

/// Loops in columns, one for each process, and what each needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loops {
    /// The loops.
    pub columns: Vec<Column>,
    /// From a loop to those of which it needs one.
    pub arrows: Vec<Arrow>,
    /// The same as sentences.
    pub sentences: Vec<String>,
    /// Why something is missing.
    pub remark: Option<String>,
}

/// A picture with more than this is a tangle.
const MOST_ARROWS: usize = 150;

impl Loops {
    pub(super) fn section(&self, out: &mut String) {
        let count: usize = self.columns.iter().map(|column| column.boxes.len()).sum();
        if count == 0 && self.remark.is_none() {
            return;
        }
        out.push_str(
            "<section id=\"loops\"><h2>Loops, and which loop needs which</h2>\n<p class=\"dim\">An arrow leads from a loop to one that it needs: \
             the first can go on for ever only if one of those that its arrows lead to does. A number says within how many rounds.</p>\n",
        );
        if let Some(remark) = &self.remark {
            let _ = writeln!(out, "<p>{}</p>", escape(remark));
        }
        if self.arrows.len() <= MOST_ARROWS {
            let _ = writeln!(out, "<div class=\"scroll\">{}</div>", svg(&self.columns, &self.arrows));
        } else {
            let _ = writeln!(out, "<p>{} loops need each other in too many ways for a picture.</p>", count);
        }
        if !self.sentences.is_empty() {
            let items: String =
                self.sentences.iter().map(|sentence| format!("<li>{}</li>", escape(sentence))).collect();
            let count = match self.sentences.len() {
                1 => "1 dependency".to_string(),
                count => format!("{} dependencies", grouped(count as u64)),
            };
            let _ = writeln!(
                out,
                "<details><summary>{count} in words</summary><ol class=\"words\">{items}</ol></details>"
            );
        }
        out.push_str("</section>\n");
    }
}
