//! How long a keystroke takes in a model of 20,000 lines, from the change to the diagnostics: `cargo bench -p editor`. A measurement, not a
//! claim: machines differ.
//!
//! Keystrokes are of two kinds. Those inside of a body that leave its braces where they are need the syntax of that body only
//! (`promela/src/again`); all others, and those at the top, have everything read again. Each is measured when it is typed and when it is taken back.

#[path = "../tests/client/mod.rs"]
mod client;

use client::{Client, position};
use serde_json::json;
use std::time::Instant;

const LINES: usize = 20_000;
/// What nobody notices, in milliseconds.
const GOAL: f64 = 50.0;
/// Keystrokes at random places, each measured when it is typed and when it is taken back.
const EDITS: usize = 100;

/// Processes with channels, loops, choices and jumps.
fn plain() -> String {
    model("mtype = { req, ack };\n", |number| {
        format!(
            "chan c{number} = [2] of {{ mtype, byte }};\nproctype P{number}(byte id) {{\n\tbyte x, y;\n\tdo\n\t:: c{number}!req, x; x = x + 1\n\
             \t:: c{number}?ack, y -> if\n\t   :: y > x -> y = y - x\n\t   :: else -> skip\n\t   fi\n\t:: x > 10 -> break\n\tod;\nagain:\n\
             \tatomic {{ x = (x + y) % 7; y = id }};\n\tif\n\t:: x == 3 -> goto again\n\t:: else\n\tfi\n}}\n\n"
        )
    })
}

/// The same with macros, inlines and an included file.
fn with_macros() -> String {
    model(
        "#include \"common.h\"\n#define next(v) ((v + 1) % LIMIT)\n#define SEND(c, v) c!req, v\n",
        |number| {
            format!(
                "chan c{number} = [2] of {{ mtype, byte }};\nproctype P{number}(byte id) {{\n\tbyte x, y;\n\tdo\n\t:: SEND(c{number}, x); x = next(x)\n\
             \t:: c{number}?ack, y -> pick(y)\n\t:: x > LIMIT -> break\n\tod;\nagain:\n\
             \tatomic {{ x = (x + y) % 7; y = id }};\n\tif\n\t:: x == 3 -> bump(x, y); goto again\n\t:: else\n\tfi\n}}\n\n"
            )
        },
    )
}

const COMMON: &str = "#define LIMIT 10\nmtype = { req, ack };\nbyte total;\n\
    inline bump(what, by) { atomic { what = what + by; total = total + 1 } }\n\
    inline pick(v) { if :: v < LIMIT -> v++ :: else -> v = 0 fi }\n";

fn model(head: &str, process: impl Fn(usize) -> String) -> String {
    let mut text = String::from(head);
    let mut number = 0;
    while text.matches('\n').count() + number < LINES {
        text.extend((0..50).map(|offset| process(number + offset)));
        number += 50;
    }
    let runs: String = (0..number).map(|n| format!("\trun P{n}(1);\n")).collect();
    text + &format!("init {{\n{runs}\tskip\n}}\n")
}

/// What the threads of this process have computed so far, in milliseconds; the wall clock counts what others do too.
fn computed() -> Option<f64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let nanoseconds = threads.flatten().filter_map(|thread| {
        let figures = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        figures.split(' ').next()?.parse::<f64>().ok()
    });
    Some(nanoseconds.sum::<f64>() / 1e6)
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("it is there");
    std::fs::write(folder.join("common.h"), COMMON).expect("written");
    for (name, text) in [("plain", plain()), ("with-macros", with_macros())] {
        let uri = format!("file://{}/{name}.pml", folder.display());
        let mut client = Client::start();
        client.open(&uri, &text);
        let found = client.diagnostics(&uri);
        assert!(found.iter().all(|found| found["severity"] != 1), "{found:#?}");
        let mut seed = 1_u64;
        let mut roll = |sides: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % sides
        };
        let mut times = Vec::new();
        let mut measure = |change: serde_json::Value, what: String| {
            let (began, before) = (Instant::now(), computed());
            client.change(&uri, change);
            client.diagnostics(&uri);
            let waited = began.elapsed().as_secs_f64() * 1000.0;
            let busy = computed().zip(before).map_or(waited, |(now, before)| now - before);
            times.push((busy, waited, what));
        };
        for edit in 0..EDITS {
            // A tenth of them at the top, where a letter matters to everything below.
            let at = if edit % 10 == 0 { roll(60) } else { roll(text.len()) };
            let typed = ["x", " ", ";", "{", "}", "(", "\"", "=", "\n", "#", "/*", "::"][roll(12)];
            let start = position(&text, at);
            let mut end = start.clone();
            if typed == "\n" {
                end = json!({ "line": start["line"].as_u64().expect("a line") + 1, "character": 0 });
            } else {
                end["character"] =
                    (start["character"].as_u64().expect("a column") + typed.len() as u64).into();
            }
            measure(
                json!({ "range": { "start": start, "end": start }, "text": typed }),
                format!("{typed:?} at {at}"),
            );
            measure(json!({ "range": { "start": start, "end": end }, "text": "" }), "taken back".into());
        }
        println!("{name}, {} lines, {} keystrokes:", text.lines().count(), times.len());
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (part, index) in
            [("half", times.len() / 2), ("nine tenths", times.len() * 9 / 10), ("all", times.len() - 1)]
        {
            let (busy, _, what) = &times[index];
            println!("  {part} within {busy:.1} ms computed ({what})");
        }
        let within = times.iter().filter(|(busy, ..)| *busy <= GOAL).count();
        let mut waited: Vec<f64> = times.iter().map(|(_, waited, _)| *waited).collect();
        waited.sort_by(f64::total_cmp);
        println!(
            "  {within} within {GOAL} ms; half of all were waited for at most {:.1} ms",
            waited[waited.len() / 2]
        );
    }
}
