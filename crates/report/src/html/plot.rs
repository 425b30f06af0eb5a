//! How full a buffer is along a run, as a step plot.

use crate::chart::escape;
use std::fmt::Write;
use verify::{Bound, Filling};

/// A plot: steps to the right, messages upwards, the bound as a line.
pub fn plot(filling: &Filling, bound: Option<Bound>) -> String {
    const WIDTH: f64 = 330.0;
    const HEIGHT: f64 = 110.0;
    const LEFT: f64 = 26.0;
    const BOTTOM: f64 = 22.0;
    let steps = filling.messages.len().max(2) - 1;
    let peak = filling.messages.iter().copied().max().unwrap_or(0);
    let bound_shown = bound.map(|bound| bound.at_most).filter(|&most| most <= u64::from(peak) * 4 + 4);
    let top = u64::from(peak).max(bound_shown.unwrap_or(0)).max(1) as f64;
    let x = |step: usize| LEFT + (WIDTH - LEFT - 12.0) * step as f64 / steps as f64;
    let y = |messages: f64| 12.0 + (HEIGHT - BOTTOM - 12.0) * (1.0 - messages / top);
    let name = escape(&filling.buffer);
    let mut out = format!(
        "<svg class=\"plot\" role=\"img\" aria-label=\"messages in {name} along a run of {steps} steps, at most {peak}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" xmlns=\"http://www.w3.org/2000/svg\" font-size=\"11\">"
    );
    let _ = write!(
        out,
        "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{0}\" x2=\"{WIDTH}\" y2=\"{0}\"/><line class=\"axis\" x1=\"{LEFT}\" y1=\"6\" x2=\"{LEFT}\" y2=\"{0}\"/>",
        y(0.0)
    );
    let every = (top / 5.0).ceil().max(1.0) as u64;
    for mark in (0..=top as u64).step_by(every as usize) {
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{mark}</text>",
            LEFT - 6.0,
            y(mark as f64) + 4.0
        );
    }
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">step {steps}</text>",
        WIDTH - 12.0,
        HEIGHT - 6.0
    );
    if let Some(most) = bound_shown {
        let at = y(most as f64);
        let _ = write!(out, "<line class=\"bound\" x1=\"{LEFT}\" y1=\"{at}\" x2=\"{WIDTH}\" y2=\"{at}\"/>");
    }
    if let Some(from) = filling.repeats_from {
        let at = x(from.min(steps));
        let _ = write!(
            out,
            "<line class=\"again\" x1=\"{at}\" y1=\"6\" x2=\"{at}\" y2=\"{0}\"/><text x=\"{1}\" y=\"{2}\">again and again</text>",
            y(0.0),
            at + 4.0,
            HEIGHT - 6.0
        );
    }
    let mut path = String::new();
    for (step, &messages) in filling.messages.iter().enumerate() {
        let height = y(f64::from(messages));
        match step {
            0 => {
                let _ = write!(path, "M{:.1} {height:.1}", x(0));
            }
            _ => {
                let _ = write!(path, "H{:.1}V{height:.1}", x(step));
            }
        }
    }
    let _ = write!(out, "<path class=\"filling\" d=\"{path}\"/></svg>");
    out
}

/// How many states the levels of a search have: levels to the right, states upwards.
pub fn levels(states: &[u64]) -> String {
    const WIDTH: f64 = 660.0;
    const HEIGHT: f64 = 120.0;
    const BOTTOM: f64 = 98.0;
    let most = states.iter().copied().max().unwrap_or(0);
    let last = states.len().saturating_sub(1);
    let x = |level: usize| WIDTH * level as f64 / states.len().max(1) as f64;
    let y = |count: u64| 8.0 + (BOTTOM - 8.0) * (1.0 - count as f64 / most.max(1) as f64);
    let mut path = format!("M0 {BOTTOM:.1}");
    for (level, &count) in states.iter().enumerate() {
        let _ = write!(path, "V{:.1}H{:.1}", y(count), x(level + 1));
    }
    format!(
        "<svg class=\"plot\" role=\"img\" aria-label=\"states of {last} levels, at most {most}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" xmlns=\"http://www.w3.org/2000/svg\" font-size=\"11\">\
         <line class=\"axis\" x1=\"0\" y1=\"{BOTTOM}\" x2=\"{WIDTH}\" y2=\"{BOTTOM}\"/>\
         <path class=\"filling\" d=\"{path}V{BOTTOM:.1}\"/><text x=\"4\" y=\"18\">at most {most} states in a level</text>\
         <text x=\"{WIDTH}\" y=\"{}\" text-anchor=\"end\">level {last}</text></svg>",
        HEIGHT - 6.0
    )
}
