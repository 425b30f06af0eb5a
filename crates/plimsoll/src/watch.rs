//! Ctrl-C, and the progress line on the standard error.

use report::text::duration;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
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

/// The progress line: one part for each question that is being worked on.
pub struct ProgressLine {
    shown: bool,
    started: Instant,
    state: Mutex<State>,
}

struct State {
    parts: BTreeMap<Question, String>,
    last: Option<Instant>,
    drawn: bool,
    finished: bool,
}

impl ProgressLine {
    /// Shown on a terminal only.
    pub fn new(quiet: bool) -> ProgressLine {
        let state = State { parts: BTreeMap::new(), last: None, drawn: false, finished: false };
        let shown = !quiet && std::io::stderr().is_terminal();
        ProgressLine { shown, started: Instant::now(), state: Mutex::new(state) }
    }

    /// Takes note of an event and draws the line, not too often.
    pub fn event(&self, event: Event) {
        if !self.shown {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Started(question) => {
                state.parts.insert(question, "working".to_string());
            }
            Event::Searching(question, progress) => {
                let text = format!(
                    "{} states, {}/s, depth {}, {} MB",
                    short(progress.states as f64),
                    short(progress.rate),
                    progress.depth,
                    progress.memory >> 20
                );
                state.parts.insert(question, text);
            }
            Event::Answered(question, _) => {
                state.parts.remove(&question);
            }
            _ => {}
        }
        let due = state.last.is_none_or(|last| last.elapsed() >= Duration::from_millis(200));
        // Short runs end before anybody could read a line.
        if due && !state.finished && self.started.elapsed() >= Duration::from_millis(300) {
            state.last = Some(Instant::now());
            state.drawn = true;
            let parts: Vec<String> = state.parts.iter().map(|(q, text)| format!("{q}: {text}")).collect();
            let line = format!("{}  {}", duration(self.started.elapsed().as_secs_f64()), parts.join(" | "));
            let line: String = line.chars().take(118).collect();
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
            let _ = std::io::stderr().flush();
        }
    }

    /// Takes the line away for good.
    pub fn clear(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.finished = true;
        if state.drawn {
            state.drawn = false;
            let _ = write!(std::io::stderr(), "\r\x1b[K");
            let _ = std::io::stderr().flush();
        }
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
