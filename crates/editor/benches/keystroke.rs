//! How long a keystroke takes in a model of 20,000 lines, from the change to the names that are offered and to the diagnostics: `cargo bench -p editor`. A measurement, not a
//! claim: machines differ.
//!
//! Keystrokes are of several kinds. One inside of a body that leaves its braces where they are has that body read again, and its names
//! resolved; one in a declaration of variables that stays one has that read again, and the names of the bodies that name them resolved
//! (`promela/src/again`); a brace without its other half, a comment that does not end, a declaration that is none, and macros have everything
//! read again. Each is measured when it is typed and when it is taken back.

#[path = "../tests/client/mod.rs"]
mod client;

use client::{Client, position};
use serde_json::json;
use std::time::Instant;

const LINES: usize = 20_000;
/// What nobody notices, in milliseconds.
const GOAL: f64 = 50.0;
/// Keystrokes of each kind at random places.
const EDITS: usize = 60;

/// Where something is typed.
#[derive(Clone, Copy)]
enum Where {
    Body,
    Declaration,
    Macro,
}

/// What people type, and where; macros only in a model that has some.
const KINDS: [(&str, Where, &[&str]); 4] = [
    ("inside of a body", Where::Body, &["x", " ", ";", "(", "\"", "=", "\n", "::", "1", "skip;"]),
    ("half of something inside of a body", Where::Body, &["{", "}", "/*", "#"]),
    ("in a declaration", Where::Declaration, &["x", " ", "1", ";"]),
    ("in a macro", Where::Macro, &["x", " ", "1"]),
];

/// A byte of the kind, chosen by a roll.
fn place(text: &str, place: Where, mut roll: impl FnMut(usize) -> usize) -> Option<usize> {
    let number = roll(900);
    let (from, to) = match place {
        Where::Body => (format!("proctype P{number}(byte id) {{"), "\n}"),
        Where::Declaration => (format!("chan c{number} "), ";"),
        Where::Macro => ("#define next".into(), "\n"),
    };
    let start = text.find(&from)? + from.len();
    let end = start + text[start..].find(to)?;
    Some(start + roll(end - start))
}

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
        println!("{name}, {} lines:", text.lines().count());
        for (kind, at, typed) in KINDS {
            let (mut times, mut offers) = (Vec::new(), Vec::new());
            for _ in 0..EDITS {
                let Some(at) = place(&text, at, &mut roll) else { break };
                let typed = typed[roll(typed.len())];
                let (start, end) =
                    (position(&text, at), position(&(text[..at].to_string() + typed), at + typed.len()));
                for change in [
                    json!({ "range": { "start": start, "end": start }, "text": typed }),
                    json!({ "range": { "start": start, "end": end }, "text": "" }),
                ] {
                    let (began, before) = (Instant::now(), computed());
                    let since = || {
                        let waited = began.elapsed().as_secs_f64() * 1000.0;
                        computed().zip(before).map_or(waited, |(now, before)| now - before)
                    };
                    client.change(&uri, change);
                    // As an editor does that offers names while somebody types.
                    let place = json!({ "textDocument": { "uri": uri }, "position": end });
                    client.ask("textDocument/completion", place);
                    offers.push(since());
                    client.diagnostics(&uri);
                    times.push(since());
                }
            }
            for (what, mut times) in [("names are offered", offers), ("and mistakes are shown", times)] {
                times.sort_by(f64::total_cmp);
                let part = |hundredths: usize| times[(times.len() - 1) * hundredths / 100];
                if !times.is_empty() {
                    println!(
                        "  {kind}: {what} half within {:.1} ms computed, 95 % within {:.1}, all within {:.1} (the goal is {GOAL})",
                        part(50),
                        part(95),
                        part(100)
                    );
                }
            }
        }
    }
}
