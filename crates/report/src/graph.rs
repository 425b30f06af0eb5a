//! Control-flow graphs as SVG: layers from top to bottom, jumps back along the side.
//!
//! The layout is the usual one of Sugiyama, Tagawa and Toda in its simplest form: edges that go back are found by depth-first search,
//! layers are longest paths, the order within a layer follows the average of the neighbours above.

use crate::chart::escape;
use std::collections::BTreeSet;
use system::automaton::{Action, Automaton, Edge, EdgeId, Location, System};

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
    let drawing = Drawing::of(system, automaton);
    let edges = || automaton.edges.iter().enumerate().map(|(index, edge)| (EdgeId(index as u32), edge));
    let backs = edges().filter(|(_, edge)| drawing.goes_back(edge)).count() as i32;
    let side = MARGIN + LANE * backs.min(LANES);
    let (mut arrows, mut labels, mut jumps) = (String::new(), Vec::new(), 0);
    for (id, edge) in edges() {
        jumps += i32::from(drawing.goes_back(edge));
        let (arrow, label) = drawing.statement(id, edge, marks.class_of(id), jumps);
        arrows.push_str(&arrow);
        labels.push(label);
    }
    settle(&mut labels, &drawing.places);
    let outmost = labels.iter().map(|label| label.area().right).max().unwrap_or(0);
    let width = drawing.places.iter().map(|place| place.0).max().unwrap_or(0) + drawing.distance + side;
    let width = width.max(outmost);
    let height = drawing.places.iter().map(|place| place.1).max().unwrap_or(0) + MARGIN;
    let mut out = format!(
        "<svg class=\"graph\" role=\"img\" aria-label=\"control flow of {name}\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\" font-family=\"ui-monospace, monospace\" \
         font-size=\"11\">\n<defs>{heads}</defs>\n",
        heads = ["", " cycle", " traced", " unreached"].map(head).concat(),
        name = escape(&automaton.name)
    );
    out.push_str(&arrows);
    // No statement lies below an arrow.
    labels.iter().for_each(|label| out.push_str(&label.svg()));
    automaton.locations.iter().enumerate().for_each(|(index, location)| {
        out.push_str(&drawing.place(index, location));
    });
    out.push_str("</svg>\n");
    out
}

/// The head of the arrows of a class, in their colour: browsers do not agree on what a marker takes over from its line.
fn head(class: &str) -> String {
    format!(
        "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path class=\"head{class}\" d=\"M0 0L8 4L0 8z\" fill=\"currentColor\" \
         stroke=\"none\"/></marker>",
        name_of_head(class)
    )
}

fn name_of_head(class: &str) -> String {
    format!("arrow{}", class.replace(' ', "-"))
}

impl Marks {
    /// What the page's style calls a statement that is marked so.
    fn class_of(&self, edge: EdgeId) -> &'static str {
        match edge {
            edge if self.cycle.contains(&edge) => " cycle",
            edge if self.trace.contains(&edge) => " traced",
            edge if self.unreached.contains(&edge) => " unreached",
            _ => "",
        }
    }
}

/// An automaton whose locations have found their places.
struct Drawing<'a> {
    system: &'a System,
    automaton: &'a Automaton,
    places: Vec<(i32, i32)>,
    /// Between two columns.
    distance: i32,
    /// Where the statements are written that lead downwards.
    written: Vec<Area>,
}

/// A line, and where the statement that it stands for is written.
type Line = (String, (i32, i32));

impl<'a> Drawing<'a> {
    fn of(system: &'a System, automaton: &'a Automaton) -> Drawing<'a> {
        let (places, distance) = (places(automaton), column_width(automaton));
        let mut drawing = Drawing { system, automaton, places, distance, written: Vec::new() };
        let goes_on = |edge: &Edge| drawing.ends(edge).1.1 > drawing.ends(edge).0.1;
        let edges = automaton.edges.iter().enumerate().filter(|(_, edge)| goes_on(edge));
        let labels = edges.map(|(index, edge)| drawing.statement(EdgeId(index as u32), edge, "", 0).1);
        drawing.written = labels.map(|label| label.area()).collect();
        drawing
    }

    /// A statement: its arrow, and its text.
    fn statement(&self, id: EdgeId, edge: &Edge, class: &'static str, jumps: i32) -> (String, Label) {
        let (path, (x, y)) = match edge.action {
            Action::End => self.ending(edge),
            _ if edge.source == edge.target => self.staying(id, edge),
            _ if self.goes_back(edge) => self.jumping_back(id, edge, jumps),
            _ => self.going_on(id, edge),
        };
        let title =
            format!("line {}: {}", self.system.model.sources.visible_line(edge.span), escape(&edge.text));
        let arrow = format!(
            "<g class=\"edge{class}\"><title>{title}</title><path d=\"{path}\" fill=\"none\" \
             stroke=\"currentColor\" marker-end=\"url(#{head})\"/></g>\n",
            head = name_of_head(class)
        );
        (arrow, Label { at: (x, y), text: shortened(&edge.text), title, class })
    }

    fn ending(&self, edge: &Edge) -> Line {
        let (x, y) = self.places[edge.source.0 as usize];
        (format!("M{x} {}v18", y + RADIUS), (x + 6, y + RADIUS + 16))
    }

    fn staying(&self, id: EdgeId, edge: &Edge) -> Line {
        let (x, y) = self.places[edge.source.0 as usize];
        let earlier = self.earlier_options(id, edge).count() as i32;
        let path = format!("M{} {} c 34 -22, 34 22, 2 10", x + RADIUS - 2, y - 6);
        (path, (x + RADIUS + 28, y + 4 + 12 * earlier))
    }

    /// Around everything that stands between, and no further. Where something stands beside the place in its row, the line goes below it,
    /// or comes from above.
    fn jumping_back(&self, id: EdgeId, edge: &Edge, jumps: i32) -> Line {
        const OFF: i32 = 5;
        const AWAY: i32 = RADIUS + 9;
        let (from, to) = self.ends(edge);
        let rows = to.1..=from.1;
        let between = self.places.iter().filter(|place| rows.contains(&place.1));
        let places = between.map(|place| place.0).max().unwrap_or(from.0) + RADIUS;
        let beside = self.written.iter().filter(|area| rows.contains(&area.bottom));
        let outmost = beside.map(|area| area.right + 4).max().unwrap_or(places).max(places);
        let lane = outmost + LANE * (3 + jumps % LANES);
        let earlier = self.earlier_options(id, edge).filter(|other| self.goes_back(other)).count() as i32;
        // The first stands over its line; below there is the statement that leads downwards.
        let below = if earlier == 0 { -2 } else { 6 + 12 * earlier };
        let (begin, leaves) = match self.has_neighbour(from) {
            true => {
                let (x, y) = (from.0 + OFF, from.1 + AWAY);
                (format!("M{x} {} Q {x} {y}, {} {y}", from.1 + RADIUS - 1, x + AWAY), y)
            }
            false => (format!("M{} {}", from.0 + RADIUS, from.1 + 4), from.1 + 4),
        };
        let (end, arrives) = match self.has_neighbour(to) {
            true => {
                let (x, y) = (to.0 + OFF, to.1 - AWAY);
                (format!(" H {} Q {x} {y}, {x} {}", x + AWAY, to.1 - RADIUS + 1), y)
            }
            false if to.0 + RADIUS < outmost => (format!(" H {}", to.0 + RADIUS), to.1 - 4),
            false => (String::new(), to.1 - 4),
        };
        let path =
            format!("{begin} H {outmost} C {lane} {leaves}, {lane} {arrives}, {outmost} {arrives}{end}");
        (path, (from.0 + RADIUS + 6, from.1 + below))
    }

    /// Whether something stands to the right in the same row.
    fn has_neighbour(&self, place: (i32, i32)) -> bool {
        self.places.iter().any(|other| other.1 == place.1 && other.0 > place.0)
    }

    /// Several statements from one place to the next fan out, so that each can be read.
    fn going_on(&self, id: EdgeId, edge: &Edge) -> Line {
        let (from, to) = self.ends(edge);
        let parallel =
            self.earlier_options(id, edge).filter(|other| other.target == edge.target).count() as i32;
        let bend = parallel * 34;
        let middle = ((from.0 + to.0) / 2 + bend, (from.1 + to.1) / 2 + parallel * 13);
        let path = format!(
            "M{} {} Q {} {}, {} {}",
            from.0,
            from.1 + RADIUS,
            middle.0,
            middle.1,
            to.0,
            to.1 - RADIUS
        );
        // Where a place has many ways on, they are apart at their ends; where it has one, others may meet it there.
        let label = match from.0 == to.0 {
            true => (middle.0 + 6, middle.1 + 4),
            false if self.automaton.location(edge.source).edges.len() == 1 => {
                const BELOW: i32 = 14;
                // To the right of the line at the upper or the lower edge of the letters, whichever is further out.
                let rim = if to.0 < from.0 { BELOW - 9 } else { BELOW + 3 };
                let length = (to.1 - from.1 - 2 * RADIUS).max(BELOW);
                (from.0 + (to.0 - from.0) * rim / length + 6, from.1 + RADIUS + BELOW)
            }
            false => (from.0 + (to.0 - from.0) * 4 / 5 + bend + 6, middle.1 + 9),
        };
        (path, label)
    }

    fn place(&self, index: usize, location: &Location) -> String {
        let (x, y) = self.places[index];
        let is_initial = index as u32 == self.automaton.initial.0;
        let words = [
            (location.end, " end"),
            (location.progress, " progress"),
            (location.accept, " accept"),
            (is_initial, " initial"),
        ];
        let class: String = words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
        let ring = match location.end {
            true => format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"none\" stroke=\"currentColor\"/>",
                RADIUS - 3
            ),
            false => String::new(),
        };
        format!(
            "<g class=\"node{class}\"><circle class=\"disc\" cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\" stroke=\"currentColor\"/>{ring}\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"currentColor\">{}</text>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-weight=\"bold\" fill=\"currentColor\">{}</text></g>\n",
            y + 4,
            location.number,
            x - RADIUS - 4,
            y - 6,
            escape(&location.labels.join(", "))
        )
    }

    fn ends(&self, edge: &Edge) -> ((i32, i32), (i32, i32)) {
        (self.places[edge.source.0 as usize], self.places[edge.target.0 as usize])
    }

    /// The options of the same place that are tried before this one.
    fn earlier_options(&self, id: EdgeId, edge: &Edge) -> impl Iterator<Item = &Edge> {
        let siblings = self.automaton.location(edge.source).edges.iter();
        siblings.take_while(move |&&sibling| sibling != id).map(|&sibling| self.automaton.edge(sibling))
    }

    /// Whether it is drawn along the side.
    fn goes_back(&self, edge: &Edge) -> bool {
        let (from, to) = self.ends(edge);
        edge.source != edge.target && to.1 <= from.1
    }
}

/// A statement beside its arrow.
struct Label {
    /// Where it begins, and the line that it stands on.
    at: (i32, i32),
    text: String,
    title: String,
    class: &'static str,
}

#[derive(Clone, Copy)]
struct Area {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Area {
    fn overlaps(self, other: Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

impl Label {
    fn area(&self) -> Area {
        const LETTER: i32 = 7;
        let (left, line) = self.at;
        let right = left + LETTER * self.text.chars().count() as i32;
        Area { left, top: line - 9, right, bottom: line + 3 }
    }

    fn svg(&self) -> String {
        let Label { at: (x, y), text, title, class } = self;
        format!(
            "<g class=\"label{class}\"><title>{title}</title><text x=\"{x}\" y=\"{y}\" \
             fill=\"currentColor\">{}</text></g>\n",
            escape(text)
        )
    }
}

/// Labels that would lie on others, or on a place, go up or down as little as is enough; where nothing is enough they stay.
fn settle(labels: &mut [Label], places: &[(i32, i32)]) {
    const FURTHEST: i32 = 5;
    let disc = |&(x, y): &(i32, i32)| Area {
        left: x - RADIUS,
        top: y - RADIUS,
        right: x + RADIUS,
        bottom: y + RADIUS,
    };
    let mut taken: Vec<Area> = places.iter().map(disc).collect();
    for label in labels {
        let wished = label.at.1;
        let moves = (0..=2 * FURTHEST).map(|step| if step % 2 == 0 { step / 2 } else { -(step + 1) / 2 });
        let free = moves.map(|step| wished + 12 * step).find(|&line| {
            label.at.1 = line;
            line > 9 && !taken.iter().any(|area| area.overlaps(label.area()))
        });
        label.at.1 = free.unwrap_or(wished);
        taken.push(label.area());
    }
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
pub const STYLE: &str = ".disc{fill:#fff}.edge,.head,.label{color:#555}.traced{color:#0a6}.cycle{color:#c30;stroke-width:2}\
    .unreached{color:#aaa;stroke-dasharray:4 3}.progress .disc{fill:#dfd}.accept .disc{fill:#ffd}.initial .disc{stroke-width:3}";

#[cfg(test)]
mod tests {
    use super::*;

    fn system(text: &str) -> System {
        let (model, diagnostics) =
            promela::read("m.pml", text, &promela::Options::default(), &promela::NoIncludes);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        system::lower::lower(model).0
    }

    /// Points along a path of `M`, `H`, `Q` and `C`.
    fn points(path: &str) -> Vec<(f64, f64)> {
        let spaced = path.replace(',', " ");
        let spaced =
            ["M", "H", "Q", "C", "v"].iter().fold(spaced, |text, c| text.replace(c, &format!(" {c} ")));
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let (mut out, mut at, mut index) = (Vec::new(), (0.0, 0.0), 0);
        while index < words.len() {
            let letter = words[index];
            let count = match letter {
                "M" => 2,
                "Q" => 4,
                "C" => 6,
                _ => 1,
            };
            let numbers: Vec<f64> =
                words[index + 1..=index + count].iter().map(|word| word.parse().expect("a number")).collect();
            index += 1 + count;
            let mut ends = vec![at];
            match letter {
                "H" => ends.push((numbers[0], at.1)),
                "v" => ends.push((at.0, at.1 + numbers[0])),
                "M" => ends = vec![(numbers[0], numbers[1])],
                _ => ends.extend(numbers.chunks(2).map(|pair| (pair[0], pair[1]))),
            }
            at = ends[ends.len() - 1];
            for step in 0..=50 {
                let t = f64::from(step) / 50.0;
                // De Casteljau: between neighbours, until one point is left.
                let mut left = ends.clone();
                while left.len() > 1 {
                    let middle =
                        |w: &[(f64, f64)]| (w[0].0 + t * (w[1].0 - w[0].0), w[0].1 + t * (w[1].1 - w[0].1));
                    left = left.windows(2).map(middle).collect();
                }
                out.push(left[0]);
            }
        }
        out
    }

    #[test]
    fn no_statement_is_written_over_another_or_over_a_place() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let mut labels_in_all = 0;
        for name in
            ["client-server-progress.pml", "alternating-bit.pml", "sleep-wakeup.pml", "leader-election.pml"]
        {
            let text = std::fs::read_to_string(folder.join(name)).expect("a model");
            let options = promela::Options::default();
            let system = system::lower::lower(promela::read(name, &text, &options, &promela::NoIncludes).0).0;
            for automaton in &system.automata {
                let drawing = Drawing::of(&system, automaton);
                let mut labels: Vec<Label> = automaton
                    .edges
                    .iter()
                    .enumerate()
                    .map(|(index, edge)| drawing.statement(EdgeId(index as u32), edge, "", 1).1)
                    .collect();
                settle(&mut labels, &drawing.places);
                for (index, label) in labels.iter().enumerate() {
                    let later = labels[index + 1..].iter().find(|other| other.area().overlaps(label.area()));
                    let other = later.map(|other| &other.text);
                    assert_eq!(other, None, "{name}, {}: beside `{}`", automaton.name, label.text);
                }
                labels_in_all += labels.len();
            }
        }
        assert!(labels_in_all > 50, "{labels_in_all}");
    }

    #[test]
    fn a_statement_stands_beside_its_own_line_where_ways_meet() {
        let system = system("byte x; init { if :: x == 0 -> x = 1 :: x == 5 -> x = 2 fi; x = 3 }");
        let automaton = &system.automata[0];
        let drawing = Drawing::of(&system, automaton);
        let edges = || {
            automaton.edges.iter().enumerate().filter(|(_, edge)| ["x = 1", "x = 2"].contains(&&*edge.text))
        };
        assert_eq!(edges().count(), 2);
        let away = |label: Area, path: &str| {
            let (x, y) = (f64::from(label.left), f64::from(label.top + label.bottom) / 2.0);
            points(path).iter().map(|point| (point.0 - x).hypot(point.1 - y)).fold(f64::INFINITY, f64::min)
        };
        for (index, edge) in edges() {
            let label = drawing.statement(EdgeId(index as u32), edge, "", 0).1.area();
            for (other, its_edge) in edges() {
                let path = drawing.going_on(EdgeId(other as u32), its_edge).0;
                let is_inside = |&(x, y): &(f64, f64)| {
                    (f64::from(label.left)..f64::from(label.right)).contains(&x)
                        && (f64::from(label.top)..f64::from(label.bottom)).contains(&y)
                };
                assert_eq!(
                    points(&path).iter().find(|point| is_inside(point)),
                    None,
                    "`{}` on {path}",
                    edge.text
                );
                assert_eq!(away(label, &path) < 15.0, other == index, "`{}` and {path}", edge.text);
            }
        }
    }

    #[test]
    fn a_jump_back_goes_around_the_places_and_the_statements_between_its_ends() {
        goes_around(
            "byte i, x; init { do :: i < 2 -> i++; x = 1 :: i > 4 -> x = 2; x = 3; i-- :: else -> break od; x = 7 }",
        );
        // The longest statement is the last in its row.
        goes_around("byte i, x; init { do :: i < 2 -> i++ :: i > 4 -> x = 2; x = i + i + i + i; i-- od }");
    }

    fn goes_around(text: &str) {
        let system = system(text);
        let automaton = &system.automata[0];
        let drawing = Drawing::of(&system, automaton);
        let mut jumps = 0;
        for (index, edge) in automaton.edges.iter().enumerate() {
            if !drawing.goes_back(edge) {
                continue;
            }
            jumps += 1;
            let (path, _) = drawing.jumping_back(EdgeId(index as u32), edge, jumps);
            for (other, place) in drawing.places.iter().enumerate() {
                if [edge.source.0 as usize, edge.target.0 as usize].contains(&other) {
                    continue;
                }
                for (x, y) in points(&path) {
                    let away = (x - f64::from(place.0)).hypot(y - f64::from(place.1));
                    assert!(away > f64::from(RADIUS), "{path} goes through {place:?}");
                }
            }
            let (from, to) = drawing.ends(edge);
            for area in drawing.written.iter().filter(|area| to.1 < area.top && area.bottom < from.1) {
                let is_inside = |&(x, y): &(f64, f64)| {
                    (f64::from(area.left)..f64::from(area.right)).contains(&x)
                        && (f64::from(area.top)..f64::from(area.bottom)).contains(&y)
                };
                assert_eq!(points(&path).iter().find(|point| is_inside(point)), None, "{path}");
            }
        }
        assert!(jumps >= 2, "{jumps}");
    }
}
