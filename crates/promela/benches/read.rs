//! How long a model of a megabyte takes to tokenize and to read: `cargo bench -p promela`.
//!
//! The model is made of many proctypes of a usual size, with macros, inlines, channels and control structure in usual
//! amounts; it is read several times and the best time is printed, because everything slower is the machine's doing.
//!
//! Then models as only programs write them, with very many of one thing. Each is read in two sizes: what is quadratic takes sixteen
//! times as long for four times as much, and shows.

use std::fmt::Write;
use std::time::{Duration, Instant};

use promela::diagnostic::Severity;
use promela::source::SourceMap;
use promela::{Options, read, tokenize};

const SIZE: usize = 1 << 20;
const ROUNDS: usize = 5;

fn main() {
    let text = model();
    let options = Options::default();
    let tokens = best_of(|| {
        let mut sources = SourceMap::default();
        let file = sources.add_file("generated.pml", text.as_str());
        tokenize(&mut sources, file, &options, &promela::NoIncludes).0.len()
    });
    let statements = best_of(|| {
        let (model, diagnostics) = read("generated.pml", &text, &options, &promela::NoIncludes);
        let errors: Vec<_> = diagnostics.iter().filter(|d| d.severity == Severity::Error).take(3).collect();
        assert!(errors.is_empty(), "the generated model must be right: {errors:?}");
        model.proctypes.len()
    });
    println!("{} bytes, {} lines", text.len(), text.lines().count());
    println!("tokenize  {:>8.1} ms  {} tokens", milliseconds(tokens.0), tokens.1);
    println!("read      {:>8.1} ms  {} proctypes", milliseconds(statements.0), statements.1);
    for (name, of_size) in MANY {
        let time = |size: usize| {
            let text = of_size(size);
            milliseconds(best_of(|| read("many.pml", &text, &options, &promela::NoIncludes).1.len()).0)
        };
        let (few, many) = (time(5_000), time(20_000));
        println!("{name:<10}{many:>8.1} ms for 20,000, {:.1} times as long as for 5,000", many / few);
    }
}

/// A model with so many of one thing.
type OfSize = fn(usize) -> String;

const MANY: [(&str, OfSize); 8] = [
    ("statements", |n| format!("int x; init {{ {} }}", "x++;\n".repeat(n))),
    ("labels", |n| format!("int x; init {{ {} }}", lines(n, |i| format!("L{i}: x++;")))),
    ("jumps", |n| {
        format!(
            "int x; init {{ {} }}",
            lines(n, |i| format!("L{i}: if :: x -> goto L{} :: x++ fi;", n - 1 - i))
        )
    }),
    ("options", |n| format!("int x; init {{ if {} fi }}", lines(n, |i| format!(":: x == {i} -> x++")))),
    ("proctypes", |n| lines(n, |i| format!("active proctype P{i}() {{ skip }}"))),
    ("globals", |n| {
        format!("{} init {{ {} }}", lines(n, |i| format!("int g{i};")), lines(n, |i| format!("g{i}++;")))
    }),
    ("macros", |n| {
        format!(
            "{}\ninit {{ {} }}",
            lines(n, |i| format!("#define M{i} skip")),
            lines(n, |i| format!("M{i};"))
        )
    }),
    ("mistakes", |n| format!("int x; init {{ {} }}", lines(n, |i| format!("y{i} = x; goto L{i};")))),
];

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|index| line(index) + "\n").collect()
}

fn best_of(mut work: impl FnMut() -> usize) -> (Duration, usize) {
    let mut best = (Duration::MAX, 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let count = work();
        best = best.min((start.elapsed(), count));
    }
    best
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn model() -> String {
    let mut text = String::from(HEADER) + "init { skip }\n";
    let mut number = 0;
    while text.len() < SIZE {
        proctype(&mut text, number);
        number += 1;
    }
    text
}

const HEADER: &str = "\
/* A model made to be large. */
#define CAPACITY 4
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define COUNT(v) v = (v + 1) % 100
#define READY (busy == 0 && len(requests) > 0)

mtype = { request, reply, refuse, data };
chan requests = [CAPACITY] of { mtype, byte };
chan replies = [CAPACITY] of { mtype, byte };
byte busy;
int total;

inline serve(kind, value) {
    atomic {
        busy = 1;
        replies!kind, value;
        busy = 0
    }
}

";

/// About a hundred lines, as people write them.
fn proctype(text: &mut String, number: usize) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "/* Worker {number}. */\nproctype worker_{number}(byte me) {{");
    text.push_str("    byte received, counter, largest; // local state\n    bool done;\n");
    for step in 0..8 {
        let _ = write!(
            text,
            "wait_{step}:
    do
    :: requests?request, received ->
        COUNT(counter);
        largest = MAX(largest, received);
        if
        :: largest > {step} && READY -> serve(reply, received)
        :: else -> total = total + received * {number} - (counter << 2)
        fi
    :: done || counter == {step} -> break
    :: timeout -> goto wait_{step}
    od;
    assert(counter <= 100); printf(\"worker %d: step {step}, %d\\n\", me, counter);
"
        );
    }
    text.push_str("    done = true\n}\n\n");
}
