//! Control-flow graphs as SVG: layers from top to bottom, jumps back along the side.
//!
//! The layout is the usual one of Sugiyama, Tagawa and Toda in its simplest form: edges that go back are found by depth-first search,
//! layers are longest paths, the order within a layer follows the average of the neighbours above.

use crate::chart::escape;
use std::collections::BTreeSet;
use std::fmt::Write;
use system::automaton::{Action, Automaton, EdgeId, System};

/// What to mark in a graph.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Statements of a counterexample.
    pub trace: BTreeSet<EdgeId>,
    /// Statements of its loop.
    pub cycle: BTreeSet<EdgeId>,
    /// Statements that no run executes.
    pub unreached: BTreeSet<EdgeId>,
}

const ROW: i32 = 72;
const MARGIN: i32 = 60;
const RADIUS: i32 = 15;
/// Between two jumps back, and how many there are side by side.
const LANE: i32 = 14;
const LANES: i32 = 12;

/// The automaton as an SVG element; colours come from the page's style.
pub fn svg(system: &System, automaton: &Automaton, marks: &Marks) -> String {
    let places = places(automaton);
    let back_edges =
        automaton.edges.iter().filter(|edge| goes_back(&places, edge.source.0, edge.target.0)).count() as i32;
    let side = MARGIN + LANE * back_edges.min(LANES);
    let distance = column_width(automaton);
    let width = places.iter().map(|place| place.0).max().unwrap_or(0) + distance + side;
    let height = places.iter().map(|place| place.1).max().unwrap_or(0) + MARGIN;
    let mut out = format!(
        "<svg class=\"graph\" role=\"img\" aria-label=\"control flow of {name}\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\" font-family=\"ui-monospace, monospace\" \
         font-size=\"11\">\n<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"context-stroke\"/></marker></defs>\n",
        name = escape(&automaton.name)
    );
    let mut backs = 0;
    let mut labels = String::new();
    for (index, edge) in automaton.edges.iter().enumerate() {
        let id = EdgeId(index as u32);
        let class = if marks.cycle.contains(&id) {
            " cycle"
        } else if marks.trace.contains(&id) {
            " traced"
        } else if marks.unreached.contains(&id) {
            " unreached"
        } else {
            ""
        };
        let (from, to) = (places[edge.source.0 as usize], places[edge.target.0 as usize]);
        let siblings = &automaton.location(edge.source).edges;
        let rank = siblings.iter().position(|&sibling| sibling == id).unwrap_or(0) as i32;
        let (path, label) = if matches!(edge.action, Action::End) {
            (format!("M{} {}v{}", from.0, from.1 + RADIUS, 18), (from.0 + 6, from.1 + RADIUS + 16))
        } else if edge.source == edge.target {
            let (x, y) = from;
            (
                format!("M{} {} c 34 -22, 34 22, 2 10", x + RADIUS - 2, y - 6),
                (x + RADIUS + 28, y + 4 + 12 * rank),
            )
        } else if goes_back(&places, edge.source.0, edge.target.0) {
            backs += 1;
            // Around everything that stands between, and no further.
            let between = places.iter().filter(|place| (to.1..=from.1).contains(&place.1));
            let outmost = between.map(|place| place.0).max().unwrap_or(from.0);
            let lane = outmost + distance + LANE * (backs % LANES);
            let earlier = siblings
                .iter()
                .take(rank as usize)
                .filter(|&&sibling| goes_back(&places, edge.source.0, automaton.edge(sibling).target.0))
                .count() as i32;
            // The first stands over its line; below there is the statement that leads downwards.
            let below = if earlier == 0 { -2 } else { 6 + 12 * earlier };
            (
                format!(
                    "M{} {} C {lane} {}, {lane} {}, {} {}",
                    from.0 + RADIUS,
                    from.1 + 4,
                    from.1 + 4,
                    to.1 - 4,
                    to.0 + RADIUS,
                    to.1 - 4
                ),
                (from.0 + RADIUS + 6, from.1 + below),
            )
        } else {
            // Several statements from one place to the next fan out, so that each can be read.
            let parallel = siblings
                .iter()
                .take(rank as usize)
                .filter(|&&sibling| automaton.edge(sibling).target == edge.target)
                .count() as i32;
            let bend = parallel * 34;
            let middle = ((from.0 + to.0) / 2 + bend, (from.1 + to.1) / 2 + parallel * 13);
            (
                format!(
                    "M{} {} Q {} {}, {} {}",
                    from.0,
                    from.1 + RADIUS,
                    middle.0,
                    middle.1,
                    to.0,
                    to.1 - RADIUS
                ),
                // Where a place has many ways on, they are apart at their ends.
                match from.0 == to.0 {
                    true => (middle.0 + 6, middle.1 + 4),
                    false => (from.0 + (to.0 - from.0) * 4 / 5 + bend + 6, middle.1 + 9),
                },
            )
        };
        let line = system.model.sources.visible_line(edge.span);
        let full = escape(&edge.text);
        let _ = writeln!(
            out,
            "<g class=\"edge{class}\"><title>line {line}: {full}</title><path d=\"{path}\" fill=\"none\" \
             stroke=\"currentColor\" marker-end=\"url(#arrow)\"/></g>"
        );
        let _ = writeln!(
            labels,
            "<g class=\"label{class}\"><title>line {line}: {full}</title><text x=\"{x}\" y=\"{y}\" \
             fill=\"currentColor\">{short}</text></g>",
            x = label.0,
            y = label.1,
            short = escape(&shortened(&edge.text))
        );
    }
    // No statement lies below an arrow.
    out.push_str(&labels);
    for (index, location) in automaton.locations.iter().enumerate() {
        let (x, y) = places[index];
        let mut class = "node".to_string();
        for (holds, word) in
            [(location.end, " end"), (location.progress, " progress"), (location.accept, " accept")]
        {
            if holds {
                class.push_str(word);
            }
        }
        if index as u32 == automaton.initial.0 {
            class.push_str(" initial");
        }
        let labels = location.labels.join(", ");
        let ring = if location.end {
            format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"none\" stroke=\"currentColor\"/>",
                RADIUS - 3
            )
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "<g class=\"{class}\"><circle class=\"disc\" cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\" stroke=\"currentColor\"/>{ring}\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"currentColor\">{}</text>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-weight=\"bold\" fill=\"currentColor\">{}</text></g>",
            y + 4,
            location.number,
            x - RADIUS - 4,
            y - 6,
            escape(&labels)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn shortened(text: &str) -> String {
    const LENGTH: usize = 26;
    if text.chars().count() <= LENGTH {
        text.to_string()
    } else {
        text.chars().take(LENGTH - 1).chain(['…']).collect()
    }
}

/// Between two places in a row: room for the longest statement.
fn column_width(automaton: &Automaton) -> i32 {
    const LETTER: i32 = 7;
    let longest = automaton.edges.iter().map(|edge| shortened(&edge.text).chars().count() as i32).max();
    (longest.unwrap_or(0) * LETTER + 2 * RADIUS + 16).clamp(110, 240)
}

fn goes_back(places: &[(i32, i32)], from: u32, to: u32) -> bool {
    from != to && places[to as usize].1 <= places[from as usize].1
}

/// Where each location is drawn.
fn places(automaton: &Automaton) -> Vec<(i32, i32)> {
    let layers = layers(automaton);
    let depth = layers.iter().copied().max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); depth + 1];
    for (location, &layer) in layers.iter().enumerate() {
        rows[layer].push(location);
    }
    let mut column = vec![0.0f64; layers.len()];
    for (layer, row) in rows.iter_mut().enumerate() {
        let wish = |location: usize| {
            let above: Vec<f64> = automaton
                .edges
                .iter()
                .filter(|edge| edge.target.0 as usize == location && layers[edge.source.0 as usize] < layer)
                .map(|edge| column[edge.source.0 as usize])
                .collect();
            if above.is_empty() { 0.0 } else { above.iter().sum::<f64>() / above.len() as f64 }
        };
        let mut wishes: Vec<(f64, usize)> = row.iter().map(|&location| (wish(location), location)).collect();
        wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut next = f64::NEG_INFINITY;
        for (wish, location) in wishes {
            column[location] = wish.max(next);
            next = column[location] + 1.0;
        }
    }
    // Labels stand to the left of their place: the first column needs room for them.
    let longest = automaton.locations.iter().enumerate().filter(|(index, _)| column[*index] < 1.0);
    let longest = longest.map(|(_, location)| location.labels.join(", ").chars().count()).max();
    let left = (longest.unwrap_or(0) as i32 * 7 + RADIUS + 10).max(MARGIN + 40);
    let column_width = column_width(automaton);
    let place = |location: usize| {
        let x = left + (column[location] * f64::from(column_width)) as i32;
        (x, 30 + layers[location] as i32 * ROW)
    };
    (0..layers.len()).map(place).collect()
}

/// The longest way from the beginning to each location, jumps back left out.
fn layers(automaton: &Automaton) -> Vec<usize> {
    let count = automaton.locations.len();
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    // Depth first without recursion: (location, next edge to follow).
    let mut stack = vec![(automaton.initial.0 as usize, 0usize)];
    seen[automaton.initial.0 as usize] = true;
    while let Some(top) = stack.last_mut() {
        let edges = &automaton.locations[top.0].edges;
        match edges.get(top.1) {
            Some(&edge) => {
                top.1 += 1;
                let target = automaton.edge(edge).target.0 as usize;
                if !seen[target] {
                    seen[target] = true;
                    stack.push((target, 0));
                }
            }
            None => {
                order.push(top.0);
                stack.pop();
            }
        }
    }
    order.reverse();
    let mut position = vec![usize::MAX; count];
    for (index, &location) in order.iter().enumerate() {
        position[location] = index;
    }
    let mut layers = vec![0; count];
    for &location in &order {
        for &edge in &automaton.locations[location].edges {
            let target = automaton.edge(edge).target.0 as usize;
            if position[target] > position[location] && position[target] != usize::MAX {
                layers[target] = layers[target].max(layers[location] + 1);
            }
        }
    }
    layers
}

/// The style of a graph that stands alone in a file.
pub const STYLE: &str = ".disc{fill:#fff}.edge,.label{color:#555}.traced{color:#0a6}.cycle{color:#c30;stroke-width:2}\
    .unreached{color:#aaa;stroke-dasharray:4 3}.progress .disc{fill:#dfd}.accept .disc{fill:#ffd}.initial .disc{stroke-width:3}";
