//! Boxes in columns with arrows between them, as SVG: what depends on what.

use crate::chart::escape;
use std::collections::HashMap;
use std::fmt::Write;

/// A column of boxes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// Its boxes: a number that arrows refer to, and what stands in the box, a line each.
    pub boxes: Vec<(u32, Vec<String>)>,
}

/// An arrow between two boxes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// From which box.
    pub from: u32,
    /// To which box.
    pub to: u32,
    /// What stands at it.
    pub label: String,
}

const WIDTH: i32 = 230;
const GAP: i32 = 110;
const LINE: i32 = 16;
const TOP: i32 = 56;

/// The picture as an SVG element; colours come from the page (`currentColor`).
pub fn svg(columns: &[Column], arrows: &[Arrow]) -> String {
    let mut places: HashMap<u32, (i32, i32, i32)> = HashMap::new();
    let mut height = TOP;
    for (index, column) in columns.iter().enumerate() {
        let x = 24 + index as i32 * (WIDTH + GAP);
        let mut y = TOP;
        for (number, lines) in &column.boxes {
            let tall = LINE * lines.len() as i32 + 14;
            places.insert(*number, (x, y, tall));
            y += tall + 26;
        }
        height = height.max(y);
    }
    let width = 24 + columns.len().max(1) as i32 * (WIDTH + GAP);
    // A page may make it smaller, as long as it can still be read.
    let least = width * 7 / 10;
    let mut out = format!(
        "<svg class=\"boxes\" role=\"img\" aria-label=\"what depends on what\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" style=\"min-width:{least}px\" xmlns=\"http://www.w3.org/2000/svg\" \
         font-family=\"ui-monospace, monospace\" font-size=\"12\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"currentColor\"/></marker></defs>\n"
    );
    // Arrows first: one that passes a column goes behind its boxes.
    for arrow in arrows {
        let (Some(&from), Some(&to)) = (places.get(&arrow.from), places.get(&arrow.to)) else { continue };
        let (path, label) = route(from, to);
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.7\" marker-end=\"url(#tip)\"/>\
             <text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"currentColor\">{}</text>",
            label.0,
            label.1,
            escape(&arrow.label)
        );
    }
    for (index, column) in columns.iter().enumerate() {
        let x = 24 + index as i32 * (WIDTH + GAP);
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"32\" font-weight=\"bold\" fill=\"currentColor\">{}</text>",
            escape(&column.title)
        );
        for (number, lines) in &column.boxes {
            let (x, y, tall) = places[number];
            let _ = write!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{tall}\" rx=\"5\" fill=\"white\" \
                 stroke=\"currentColor\"/>"
            );
            for (row, line) in lines.iter().enumerate() {
                let at = y + 18 + LINE * row as i32;
                let _ = write!(
                    out,
                    "<text class=\"in\" x=\"{}\" y=\"{at}\" fill=\"currentColor\">{}</text>",
                    x + 8,
                    escape(&shortened(line))
                );
            }
            out.push('\n');
        }
    }
    out.push_str("</svg>\n");
    out
}

/// From the side of one box to the side of another; within a column, in a bow along the right side.
fn route(from: (i32, i32, i32), to: (i32, i32, i32)) -> (String, (i32, i32)) {
    let (from_y, to_y) = (from.1 + from.2 / 2, to.1 + to.2 / 2);
    if from.0 == to.0 {
        // Down in a small bow, up in a large one: an arrow and its answer do not lie on each other.
        let x = from.0 + WIDTH;
        let bow = x + if from_y < to_y { 40 } else { 84 };
        let path = format!("M{x} {from_y} C {bow} {from_y}, {bow} {to_y}, {x} {to_y}");
        return (path, (x + (bow - x) * 3 / 4 + 3, (from_y + to_y) / 2));
    }
    let (start, end) = if from.0 < to.0 { (from.0 + WIDTH, to.0) } else { (from.0, to.0 + WIDTH) };
    let middle = (start + end) / 2;
    let path = format!("M{start} {from_y} C {middle} {from_y}, {middle} {to_y}, {end} {to_y}");
    (path, (middle, (from_y + to_y) / 2 - 4))
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 30;
    if text.chars().count() <= LONGEST {
        return text.to_string();
    }
    text.chars().take(LONGEST - 1).chain(std::iter::once('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_are_drawn_before_the_boxes_that_they_pass() {
        let column = |title: &str, number: u32| Column {
            title: title.to_string(),
            boxes: vec![(number, vec![format!("C{number}"), "a < b".to_string()])],
        };
        let columns = [column("p", 1), column("q", 2), column("r", 3)];
        let drawn = svg(&columns, &[Arrow { from: 1, to: 3, label: "2".to_string() }]);
        assert_eq!((drawn.matches("<rect").count(), drawn.matches("marker-end").count()), (3, 1));
        assert!(drawn.find("marker-end") < drawn.find("<rect"), "{drawn}");
        assert!(drawn.contains("a &lt; b"), "{drawn}");
    }

    #[test]
    fn an_arrow_to_a_box_that_is_not_there_is_left_out() {
        let drawn = svg(&[], &[Arrow { from: 1, to: 2, label: String::new() }]);
        assert!(!drawn.contains("marker-end"), "{drawn}");
    }
}
