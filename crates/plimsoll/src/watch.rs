//! Ctrl-C, and the progress lines on the standard error.

use crate::terminal;
use report::text::duration;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use verify::{Event, Question};

/// A flag that the first Ctrl-C sets, so that what is known can still be told; the second one ends the program.
pub fn interrupted() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&flag);
        // Without the handler Ctrl-C ends the program as usual: worse, but nothing to give up for.
        let _ = ctrlc::set_handler(move || {
            if set.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        flag
    });
    Arc::clone(flag)
}

/// The progress lines: one for each question, redrawn in place while there is work.
pub struct ProgressLine {
    started: Instant,
    /// Questions that nobody has asked: there may be an answer, but a line that waits for one would vanish at the end.
    aside: Vec<Question>,
    state: Mutex<State>,
}

struct State {
    parts: BTreeMap<Question, String>,
    /// How many lines stand on the terminal.
    drawn: usize,
    finished: bool,
}

/// How often the lines are redrawn.
const BEAT: Duration = Duration::from_millis(200);

impl ProgressLine {
    /// Shown on a terminal only, and not before somebody could read it.
    pub fn start(quiet: bool, aside: Vec<Question>) -> Arc<ProgressLine> {
        let state = State { parts: BTreeMap::new(), drawn: 0, finished: false };
        let shown = !quiet && terminal::can_redraw();
        let line = Arc::new(ProgressLine { started: Instant::now(), aside, state: Mutex::new(state) });
        if shown {
            let drawn = Arc::clone(&line);
            // Engines are silent for long: the clock must go on all the same. Without a thread there are no lines.
            let _ = std::thread::Builder::new().spawn(move || {
                loop {
                    std::thread::sleep(BEAT);
                    if !drawn.draw() {
                        break;
                    }
                }
            });
        }
        line
    }

    /// Takes note of an event.
    pub fn event(&self, event: Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Started(question) | Event::Searching(question, _) if self.aside.contains(&question) => {}
            Event::Started(question) => {
                state.parts.insert(question, "working".to_string());
            }
            Event::Searching(question, progress) => {
                let mut text = format!(
                    "{} states, {}/s, depth {}, {} MB",
                    short(progress.states as f64),
                    short(progress.rate),
                    verify::grouped(progress.depth),
                    verify::grouped(progress.memory as u64 >> 20)
                );
                if let Some(together) = progress.together {
                    text += &format!(
                        ", {} MB on the wire, the largest of {} shares {:.0} %",
                        together.wire_bytes >> 20,
                        together.processes,
                        100.0 * together.largest_share
                    );
                }
                state.parts.insert(question, text);
            }
            Event::Answered(Question::Buffer(_), _) => {}
            Event::Answered(question, verdict) => {
                state.parts.insert(question, verdict.to_string());
            }
            _ => {}
        }
    }

    /// Takes the lines away for good.
    pub fn clear(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.finished = true;
        let erased = erase(state.drawn);
        state.drawn = 0;
        complain!("{erased}");
    }

    /// Draws the lines anew; whether there is more to come.
    fn draw(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.finished {
            return false;
        }
        let width = terminal::width_of_errors().unwrap_or(80);
        let elapsed = duration(self.started.elapsed().as_secs_f64());
        let lines = lines(&state.parts, &elapsed, width);
        complain!("{}{}", erase(state.drawn), lines.join("\n"));
        state.drawn = lines.len();
        true
    }
}

/// The line of a run over many models: how many are done, and which are under way.
pub struct FolderLine {
    started: Instant,
    models: usize,
    state: Mutex<FolderState>,
}

#[derive(Default)]
struct FolderState {
    done: usize,
    under_way: Vec<String>,
    drawn: usize,
    finished: bool,
}

impl FolderLine {
    /// Shown on a terminal only, as the lines above.
    pub fn start(models: usize, quiet: bool) -> Arc<FolderLine> {
        let line = Arc::new(FolderLine {
            started: Instant::now(),
            models,
            state: Mutex::new(FolderState::default()),
        });
        if !quiet && terminal::can_redraw() {
            let drawn = Arc::clone(&line);
            let _ = std::thread::Builder::new().spawn(move || {
                loop {
                    std::thread::sleep(BEAT);
                    if !drawn.draw() {
                        break;
                    }
                }
            });
        }
        line
    }

    /// Work on a model begins.
    pub fn begin(&self, name: &str) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).under_way.push(name.to_string());
    }

    /// It has ended.
    pub fn end(&self, name: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.under_way.retain(|known| known != name);
        state.done += 1;
    }

    /// Prints something else: the line makes way for it.
    pub fn make_way(&self, print: impl FnOnce()) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        complain!("{}", erase(std::mem::take(&mut state.drawn)));
        print();
    }

    /// Takes the line away for good.
    pub fn finish(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.finished = true;
        complain!("{}", erase(std::mem::take(&mut state.drawn)));
    }

    fn draw(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.finished {
            return false;
        }
        let width = terminal::width_of_errors().unwrap_or(80);
        let elapsed = duration(self.started.elapsed().as_secs_f64());
        let text = format!("{elapsed:>8}  {} of {}: {}", state.done, self.models, state.under_way.join(", "));
        let text: String = text.chars().take(width.saturating_sub(1)).collect();
        complain!("{}{text}", erase(state.drawn));
        state.drawn = 1;
        true
    }
}

/// More lines than this are not drawn: what is higher than the terminal cannot be taken away again.
const MOST_LINES: usize = 10;

/// One line for each question; the clock stands on the first. Of too many, those that are still worked on, and how many others there are.
fn lines(parts: &BTreeMap<Question, String>, elapsed: &str, width: usize) -> Vec<String> {
    let is_answered = |text: &String| ["PROVED", "VIOLATED", "UNKNOWN"].contains(&text.as_str());
    let mut rows: Vec<(String, String)> =
        parts.iter().map(|(question, text)| (question.to_string(), text.clone())).collect();
    if rows.len() > MOST_LINES {
        let answered = rows.iter().filter(|(_, text)| is_answered(text)).count();
        rows.retain(|(_, text)| !is_answered(text));
        rows.truncate(MOST_LINES - 1);
        let more = verify::grouped((parts.len() - rows.len()) as u64);
        rows.push((format!("and {more} more"), format!("{} answered", verify::grouped(answered as u64))));
    }
    let longest = rows.iter().map(|(question, _)| question.chars().count()).max().unwrap_or(0);
    rows.iter()
        .enumerate()
        .map(|(row, (question, text))| {
            let clock = if row == 0 { elapsed } else { "" };
            // One column stays free: some terminals go to the next line when the last one is written.
            format!("{clock:>8}  {question:<longest$}  {text}")
                .chars()
                .take(width.saturating_sub(1))
                .collect()
        })
        .collect()
}

/// Back to the first of so many lines, each of them away. One by one: a terminal that is cleared to its end from its first line on may keep
/// what stood there (tmux does), and whoever scrolls back finds every beat of the clock.
fn erase(lines: usize) -> String {
    match lines {
        0 => String::new(),
        lines => format!("\r\x1b[2K{}", "\x1b[1A\x1b[2K".repeat(lines - 1)),
    }
}

/// `1.2M`
fn short(number: f64) -> String {
    match number {
        n if n >= 1e9 => format!("{:.1}G", n / 1e9),
        n if n >= 1e6 => format!("{:.1}M", n / 1e6),
        n if n >= 1e3 => format!("{:.0}k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_line_for_each_question_and_none_is_wider_than_the_terminal() {
        let parts = BTreeMap::from([
            (Question::Buffers, "working".to_string()),
            (Question::Deadlock, "1.2M states, 900k/s, depth 31, 12 MB".to_string()),
        ]);
        assert_eq!(
            lines(&parts, "1.4 s", 80),
            ["   1.4 s  buffers   working", "          deadlock  1.2M states, 900k/s, depth 31, 12 MB"]
        );
        assert_eq!(lines(&parts, "1.4 s", 30)[1], "          deadlock  1.2M stat");
    }

    #[test]
    fn of_too_many_questions_those_are_shown_that_are_worked_on() {
        let part = |number: u32| {
            let text = if number < 30 { "PROVED" } else { "working" };
            (Question::Formula(format!("p{number}")), text.to_string())
        };
        let few: BTreeMap<Question, String> = (29..31).map(part).collect();
        assert_eq!(lines(&few, "1.2 s", 80), ["   1.2 s  ltl p29  PROVED", "          ltl p30  working"]);
        let many = lines(&(0..60).map(part).collect(), "1.2 s", 80);
        assert_eq!(many.len(), MOST_LINES);
        assert_eq!(many[0], "   1.2 s  ltl p30      working");
        assert_eq!(many[MOST_LINES - 1], "          and 51 more  30 answered");
    }

    #[test]
    fn lines_are_taken_away_from_the_first_on() {
        assert_eq!(erase(0), "");
        assert_eq!(erase(1), "\r\x1b[2K");
        assert_eq!(erase(3), "\r\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K");
    }

    #[test]
    fn large_numbers_are_short() {
        assert_eq!([short(17.0), short(1_234.0), short(1_250_000.0)], ["17", "1k", "1.2M"]);
    }
}
