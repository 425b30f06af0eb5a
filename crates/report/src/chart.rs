//! Message sequence charts: who sent what to whom, in the order of an execution.
//!
//! A chart is built by executing steps with the step semantics and listening to its output, so it shows what happened and
//! nothing else. It can be drawn as text and as SVG.

use crate::columns::shortened;
use crate::names;
use std::collections::HashMap;
use std::fmt::Write;
use system::interpreter::{Interpreter, Output, Step};
use system::state::{ChannelId, Pid, State};

/// A chart: a column for each process that ever lived, a row for each step that is worth a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chart {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// In order of time.
    pub rows: Vec<Row>,
    /// Row before which the loop begins, if the execution has one.
    pub loop_start: Option<usize>,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its number, from 1.
    pub step: usize,
    /// What happened.
    pub event: Event,
}

/// What happened at a step. Columns are indices into [`Chart::columns`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A message went into a buffer; `message` identifies it until it is received.
    Sent {
        /// By whom.
        column: usize,
        /// `channel!fields`
        text: String,
        /// Which message.
        message: usize,
    },
    /// A message came out of a buffer.
    Received {
        /// By whom.
        column: usize,
        /// `channel?fields`
        text: String,
        /// Which message; `None` if it was there before the chart begins.
        message: Option<usize>,
    },
    /// A message was handed over.
    HandedOver {
        /// By whom.
        from: usize,
        /// To whom.
        to: usize,
        /// `channel!fields`
        text: String,
    },
    /// A process was started.
    Started {
        /// By whom.
        by: usize,
        /// Which one.
        column: usize,
    },
    /// The model printed something.
    Printed {
        /// Who.
        column: usize,
        /// What, on one line.
        text: String,
    },
}

/// Executes steps from the initial state and draws what they do. Stops at the first step that is not possible.
pub fn chart(interpreter: &Interpreter<'_>, steps: &[Step], loop_start: Option<usize>) -> Chart {
    let mut chart = Chart { columns: Vec::new(), rows: Vec::new(), loop_start: None };
    let Ok(mut state) = interpreter.initial_state() else { return chart };
    let mut tracker = Tracker::default();
    tracker.meet(interpreter, &state, &mut chart.columns);
    for (index, &step) in steps.iter().enumerate() {
        if loop_start == Some(index) {
            chart.loop_start = Some(chart.rows.len());
        }
        let mut recorder = Recorder::default();
        let before = state.clone();
        if interpreter.execute(&mut state, step, &(), &mut recorder).is_err() {
            break;
        }
        tracker.meet(interpreter, &state, &mut chart.columns);
        for heard in recorder.heard {
            if let Some(event) = tracker.event(interpreter, &before, &state, heard) {
                chart.rows.push(Row { step: index + 1, event });
            }
        }
        tracker.forget_the_dead(&state);
    }
    chart
}

/// What the semantics says while a step is executed.
enum Heard {
    Sent(Pid, ChannelId, Vec<i32>),
    Received(Pid, ChannelId, Vec<i32>),
    Started(Pid, Pid),
    Printed(Pid, String),
}

#[derive(Default)]
struct Recorder {
    heard: Vec<Heard>,
}

impl Output for Recorder {
    fn printed(&mut self, process: Pid, text: &str) {
        self.heard.push(Heard::Printed(process, text.to_string()));
    }

    fn sent(&mut self, process: Pid, channel: ChannelId, message: &[i32]) {
        self.heard.push(Heard::Sent(process, channel, message.to_vec()));
    }

    fn received(&mut self, process: Pid, channel: ChannelId, message: &[i32]) {
        // A rendezvous is heard as a send and a receive in one step: one event of the chart.
        self.heard.push(Heard::Received(process, channel, message.to_vec()));
    }

    fn started(&mut self, by: Pid, process: Pid) {
        self.heard.push(Heard::Started(by, process));
    }
}

/// Which column a living process has, and which messages are under way.
#[derive(Default)]
struct Tracker {
    columns: Vec<usize>,
    under_way: HashMap<ChannelId, Vec<(usize, Vec<i32>)>>,
    next_message: usize,
    offered: Option<(usize, String, ChannelId)>,
}

impl Tracker {
    fn meet(&mut self, interpreter: &Interpreter<'_>, state: &State, columns: &mut Vec<String>) {
        for pid in self.columns.len()..state.processes.len() {
            self.columns.push(columns.len());
            columns.push(names::process(interpreter.system(), state, Pid(pid as u32)));
        }
    }

    fn forget_the_dead(&mut self, state: &State) {
        self.columns.truncate(state.processes.len());
    }

    fn column(&self, pid: Pid) -> usize {
        self.columns.get(pid.0 as usize).copied().unwrap_or(0)
    }

    fn event(
        &mut self,
        interpreter: &Interpreter<'_>,
        before: &State,
        after: &State,
        heard: Heard,
    ) -> Option<Event> {
        let system = interpreter.system();
        let text = |sign: char, id: ChannelId, message: &[i32]| {
            let state = if (id.0 as usize) < after.channels.len() { after } else { before };
            let (name, fields) =
                (names::channel(system, state, id), names::message(system, state, id, message));
            format!("{name}{sign}{fields}")
        };
        match heard {
            Heard::Sent(pid, id, message) => {
                let column = self.column(pid);
                let text = text('!', id, &message);
                let channel_type = before.channels.get(id.0 as usize)?.channel_type;
                if interpreter.capacity(channel_type) == Some(0) {
                    self.offered = Some((column, text, id));
                    return None;
                }
                let number = self.next_message;
                self.next_message += 1;
                self.under_way.entry(id).or_default().push((number, message));
                Some(Event::Sent { column, text, message: number })
            }
            Heard::Received(pid, id, message) => {
                let column = self.column(pid);
                if let Some((from, text, offered)) = self.offered.take()
                    && offered == id
                {
                    return Some(Event::HandedOver { from, to: column, text });
                }
                let waiting = self.under_way.entry(id).or_default();
                let position = waiting.iter().position(|(_, m)| *m == message);
                let still_there = before.channels.get(id.0 as usize).map(|c| c.contents.len())
                    == after.channels.get(id.0 as usize).map(|c| c.contents.len());
                let number = position.map(|p| if still_there { waiting[p].0 } else { waiting.remove(p).0 });
                Some(Event::Received { column, text: text('?', id, &message), message: number })
            }
            Heard::Started(by, pid) => Some(Event::Started { by: self.column(by), column: self.column(pid) }),
            Heard::Printed(pid, printed) => {
                let text = printed.split_whitespace().collect::<Vec<_>>().join(" ");
                (!text.is_empty()).then(|| Event::Printed { column: self.column(pid), text })
            }
        }
    }
}

impl Chart {
    /// The chart as text: a column for each process, time runs downwards. Where there is no room for everybody, those are drawn who
    /// have most to do.
    pub fn as_text(&self, room: usize) -> String {
        const STEP: usize = 6;
        const GAP: usize = 2;
        let room = room.saturating_sub(STEP);
        let widest_event = self.rows.iter().map(|r| event_text(&r.event).chars().count());
        let widest = self.columns.iter().map(|c| c.chars().count()).chain(widest_event).max().unwrap_or(0);
        // Half of the room for one column: two can always be seen.
        let width = (widest + GAP).min(room / 2).max(4);
        let (shown, left_out) = self.busiest((room / width).max(1));
        let place = |column: usize| shown.iter().position(|&shown| shown == column);
        let cell = |text: &str| format!("{:^width$}", shortened(text, width - GAP));
        let mut out = " ".repeat(STEP);
        for &column in &shown {
            out.push_str(&cell(&self.columns[column]));
        }
        out = out.trim_end().to_string() + "\n";
        for (index, row) in self.rows.iter().enumerate() {
            if self.loop_start == Some(index) {
                let rule = "-".repeat((width * shown.len()).saturating_sub(" the loop begins".len()).max(4));
                let _ = writeln!(out, "{:STEP$}{rule} the loop begins", "");
            }
            let mut cells = vec![format!("{:^width$}", "|"); shown.len()];
            match &row.event {
                Event::HandedOver { from, to, text } => match (place(*from), place(*to)) {
                    (Some(from), Some(to)) => arrow(&mut cells, from, to, text, width),
                    (Some(at), None) | (None, Some(at)) => cells[at] = cell(text),
                    (None, None) => continue,
                },
                event => match place(event_column(event)) {
                    Some(at) => cells[at] = cell(&event_text(event)),
                    None => continue,
                },
            }
            let line = format!("{:>4}  {}", row.step, cells.concat());
            let _ = writeln!(out, "{}", line.trim_end());
        }
        if self.rows.is_empty() {
            let _ = writeln!(out, "{:STEP$}nobody sends, receives, starts or prints anything", "");
        }
        if left_out > 0 {
            let _ = writeln!(out, "      {} of {} not drawn: there is no room", left_out, self.columns.len());
        }
        out
    }

    /// So many columns with the most events, in their order, and how many are left out.
    fn busiest(&self, most: usize) -> (Vec<usize>, usize) {
        let mut events = vec![0_usize; self.columns.len()];
        for row in &self.rows {
            match &row.event {
                Event::HandedOver { from, to, .. } => {
                    events[*from] += 1;
                    events[*to] += 1;
                }
                event => events[event_column(event)] += 1,
            }
        }
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(|&column| std::cmp::Reverse(events[column]));
        order.truncate(most);
        order.sort_unstable();
        let left_out = self.columns.len() - order.len();
        (order, left_out)
    }

    /// Room for the first column's name and for what it receives.
    fn left_margin(&self) -> usize {
        let received = self.rows.iter().filter_map(|row| match &row.event {
            Event::Received { column: 0, text, .. } => Some(text.chars().count() * LETTER + 12),
            _ => None,
        });
        let name = self.columns.first().map_or(0, |name| name.chars().count() * BOLD_LETTER / 2 + 12);
        received.max().unwrap_or(0).max(name).max(80)
    }

    /// Room between two processes: for what stands beside their lines and for their names, within reason. Many stand closer, so that all
    /// of them can be seen at once: every text has a row to itself, and may reach over the lines of others.
    fn column_width(&self, left: usize) -> usize {
        const PAGE: usize = 1060;
        const CLOSEST: usize = 40;
        let texts = self.rows.iter().map(|row| event_text(&row.event).chars().count() * LETTER + 20);
        let names = self.columns.iter().map(|name| name.chars().count() * BOLD_LETTER + 20);
        let wanted = texts.chain(names).max().unwrap_or(0).clamp(90, 200);
        let there_is = PAGE.saturating_sub(left) / self.columns.len().max(1);
        wanted.min(there_is.max(CLOSEST))
    }

    /// How far the texts reach to the right, with columns at these places.
    fn right_end(&self, x: impl Fn(usize) -> usize) -> usize {
        let texts = self
            .rows
            .iter()
            .map(|row| x(event_column(&row.event)) + event_text(&row.event).chars().count() * LETTER + 20);
        texts.max().unwrap_or(0)
    }

    /// The chart as an SVG element; colours come from the page (`currentColor`).
    pub fn as_svg(&self) -> String {
        const ROW: usize = 26;
        let left = self.left_margin();
        let distance = self.column_width(left);
        // Names that would touch each other stand aslant.
        let longest = self.columns.iter().map(|name| name.chars().count() * BOLD_LETTER).max().unwrap_or(0);
        let aslant = longest + 10 > distance;
        let top = if aslant { 32 + longest * 4 / 5 } else { 48 };
        let x = |column: usize| left + column * distance;
        let y = |row: usize| top + 14 + row * ROW;
        let width = (left + distance * self.columns.len().max(1)).max(self.right_end(x));
        let height = top + ROW * (self.rows.len() + 1);
        let mut out = format!(
            "<svg class=\"chart\" role=\"img\" aria-label=\"message sequence chart\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"currentColor\"/></marker></defs>\n"
        );
        for (column, name) in self.columns.iter().enumerate() {
            let at = x(column);
            let (below, begins) = (top - 24, top - 16);
            let place = match aslant {
                true => format!("transform=\"translate({at} {below}) rotate(-50)\""),
                false => format!("x=\"{at}\" y=\"{below}\" text-anchor=\"middle\""),
            };
            let _ = writeln!(
                out,
                "<text {place} font-weight=\"bold\">{}</text>\
                 <line x1=\"{at}\" y1=\"{begins}\" x2=\"{at}\" y2=\"{height}\" stroke=\"currentColor\" stroke-opacity=\"0.35\"/>",
                escape(name)
            );
        }
        let mut sent_at: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut drawn_rows: Vec<String> = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            if self.loop_start == Some(index) {
                let at = y(index) - ROW * 2 / 3;
                let _ = writeln!(
                    out,
                    "<line x1=\"8\" y1=\"{at}\" x2=\"{width}\" y2=\"{at}\" stroke=\"currentColor\" \
                     stroke-dasharray=\"4 4\"/><text x=\"8\" y=\"{}\" font-size=\"11\">loop</text>",
                    at - 4
                );
            }
            let mut group = format!("<g data-step=\"{}\">", row.step);
            let line = |from: (usize, usize), to: (usize, usize)| {
                format!(
                    "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"currentColor\" marker-end=\"url(#head)\"/>",
                    x(from.0),
                    y(from.1),
                    x(to.0),
                    y(to.1)
                )
            };
            let mut side = Side::Right;
            let (label_at, text) = match &row.event {
                Event::Sent { column, text, message } => {
                    sent_at.insert(*message, (*column, index));
                    let _ = write!(
                        group,
                        "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"currentColor\"/>",
                        x(*column),
                        y(index)
                    );
                    (*column, text.clone())
                }
                Event::Received { column, text, message } => {
                    if let Some(from) = message.and_then(|m| sent_at.get(&m)) {
                        group.push_str(&line(*from, (*column, index)));
                        // The arrow comes from the right: there the text would lie on it.
                        if from.0 > *column {
                            side = Side::Left;
                        }
                    }
                    (*column, text.clone())
                }
                Event::HandedOver { from, to, text } => {
                    group.push_str(&line((*from, index), (*to, index)));
                    (*from, text.clone())
                }
                event => (event_column(event), event_text(event)),
            };
            let (at, anchor) = match side {
                Side::Right => (x(label_at) + 6, ""),
                Side::Left => (x(label_at) - 6, " text-anchor=\"end\""),
            };
            let _ = writeln!(
                group,
                "<text x=\"{at}\" y=\"{}\" font-size=\"12\"{anchor}>{}</text></g>",
                y(index) - 4,
                escape(&text)
            );
            drawn_rows.push(group);
        }
        // An arrow ends in its own row and crosses earlier ones: drawn from the last row on, no text lies below an arrow.
        out.extend(drawn_rows.into_iter().rev());
        out.push_str("</svg>\n");
        out
    }
}

/// How wide a letter is at most, in what stands beside the lines and in the names above them.
const LETTER: usize = 8;
const BOLD_LETTER: usize = 9;

/// On which side of a process's line a text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

fn event_column(event: &Event) -> usize {
    match event {
        Event::Sent { column, .. } | Event::Received { column, .. } | Event::Printed { column, .. } => {
            *column
        }
        Event::HandedOver { from, .. } => *from,
        Event::Started { column, .. } => *column,
    }
}

fn event_text(event: &Event) -> String {
    match event {
        Event::Sent { text, .. } | Event::Received { text, .. } | Event::HandedOver { text, .. } => {
            text.clone()
        }
        Event::Started { .. } => "(starts)".to_string(),
        Event::Printed { text, .. } => format!("\"{text}\""),
    }
}

/// Draws `---text-->` from the middle of one cell to the middle of another.
fn arrow(cells: &mut [String], from: usize, to: usize, text: &str, width: usize) {
    if from == to {
        return;
    }
    let (left, right) = (from.min(to), from.max(to));
    let span = (right - left) * width;
    let body_width = span.saturating_sub(1);
    let body: String = format!("{text:-^body_width$}").chars().take(body_width).collect();
    let body = if from < to {
        format!("{}>", &body.chars().take(body_width.saturating_sub(1)).collect::<String>())
    } else {
        format!("<{}", &body.chars().skip(1).collect::<String>())
    };
    let half = width.div_ceil(2);
    let line = format!("{}|{body}|", " ".repeat(half.saturating_sub(1)));
    let mut chars: Vec<char> = line.chars().collect();
    chars.resize((right - left + 1) * width, ' ');
    for (offset, cell) in cells[left..=right].iter_mut().enumerate() {
        *cell = chars[offset * width..(offset + 1) * width].iter().collect();
    }
}

/// Text made safe for HTML and SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chart of so many processes, each of which sends something to its neighbour.
    fn ring(processes: usize) -> Chart {
        let columns = (0..processes).map(|pid| format!("node({pid})")).collect();
        let row = |step: usize| {
            let text = "link!message,1".to_string();
            Row { step, event: Event::HandedOver { from: step - 1, to: step % processes, text } }
        };
        Chart { columns, rows: (1..=processes).map(row).collect(), loop_start: None }
    }

    #[test]
    fn twenty_processes_fit_on_a_page_and_their_names_do_not_touch() {
        let width = |drawn: &str| -> usize {
            let (_, rest) = drawn.split_once(" width=\"").expect("a width");
            rest.split('"').next().and_then(|text| text.parse().ok()).expect("a number")
        };
        let (few, many) = (ring(4).as_svg(), ring(20).as_svg());
        assert!(!few.contains("rotate"), "{few}");
        assert!(many.matches("rotate(-50)").count() == 20 && width(&many) <= 1_200, "{many}");
        assert!(width(&ring(60).as_svg()) > 2_000, "lines stay apart");
    }

    #[test]
    fn what_comes_from_the_right_is_named_on_the_left() {
        let sent = |column, message| Event::Sent { column, text: "c!1".to_string(), message };
        let received =
            |column, message| Event::Received { column, text: "c?1".to_string(), message: Some(message) };
        let rows = [sent(1, 0), received(0, 0), sent(0, 1), received(1, 1)];
        let rows = rows.into_iter().enumerate().map(|(index, event)| Row { step: index + 1, event });
        let columns = vec!["left(0)".to_string(), "right(1)".to_string()];
        let drawn = Chart { columns, rows: rows.collect(), loop_start: None }.as_svg();
        let of_step = |step: usize| {
            let begin = drawn.find(&format!("<g data-step=\"{step}\">")).expect("the step is drawn");
            drawn[begin..].split("</g>").next().expect("it ends").to_string()
        };
        assert!(of_step(2).contains("text-anchor=\"end\""), "{}", of_step(2));
        assert!(!of_step(4).contains("text-anchor"), "{}", of_step(4));
        let begins = |step: usize| drawn.find(&format!("<g data-step=\"{step}\">"));
        assert!(begins(4) < begins(3) && begins(2) < begins(1), "an arrow would lie over an earlier text");
    }
}
