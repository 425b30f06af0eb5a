//! How long a keystroke takes in a model of 20,000 lines. A measurement, not a claim: machines differ. To see it,
//! `cargo test --release -p editor --test speed -- --ignored --nocapture`.

mod client;

use client::Client;
use serde_json::json;
use std::time::Instant;

const URI: &str = "file:///models/large.pml";

fn large() -> String {
    let mut text = String::from("mtype = { req, ack };\n");
    let mut number = 0;
    while text.lines().count() < 20_000 {
        for _ in 0..100 {
            number += 1;
            text.push_str(&format!(
                "chan c{number} = [2] of {{ mtype, byte }};\nproctype P{number}(byte id) {{\n\tbyte x, y;\n\tdo\n\t:: c{number}!req, x; x = x + 1\n\
                 \t:: c{number}?ack, y -> if\n\t   :: y > x -> y = y - x\n\t   :: else -> skip\n\t   fi\n\t:: x > 10 -> break\n\tod;\nagain:\n\
                 \tatomic {{ x = (x + y) % 7; y = id }};\n\tif\n\t:: x == 3 -> goto again\n\t:: else\n\tfi\n}}\n\n"
            ));
        }
    }
    let runs: String = (1..=number).map(|n| format!("\trun P{n}(1);\n")).collect();
    text + &format!("init {{\n{runs}\tskip\n}}\n")
}

#[test]
#[ignore = "a measurement"]
fn how_long_a_keystroke_takes() {
    let text = large();
    let mut client = Client::start();
    client.open(URI, &text);
    client.diagnostics(URI);
    let mut times: Vec<f64> = (0..30)
        .map(|round| {
            let line = 3 + 19 * (round * 30);
            let place = json!({ "line": line, "character": 5 });
            let began = Instant::now();
            client.change(URI, json!({ "range": { "start": place, "end": place }, "text": " " }));
            client.diagnostics(URI);
            began.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{} lines: median {:.1} ms, worst {:.1} ms", text.lines().count(), times[15], times[29]);
    let settings = editor::reading::Settings::default();
    let began = Instant::now();
    let (model, _) = promela::read("large.pml", &text, &settings.options, &promela::NoIncludes);
    let read = began.elapsed();
    let (_system, _) = system::lower::lower(model);
    println!("of which reading takes {read:.1?} and lowering {:.1?}", began.elapsed() - read);
}
