//! Whatever the text, reading it ends, without a panic, and every span points into it.

use promela::diagnostic::Diagnostic;
use promela::model::Model;
use promela::{Options, read};
use std::path::Path;

fn read_text(text: &str) -> (Model, Vec<Diagnostic>) {
    read("model.pml", text, &Options::default(), &promela::NoIncludes)
}

fn codes(text: &str) -> Vec<&'static str> {
    read_text(text).1.iter().map(|d| d.code).collect()
}

/// A small generator of numbers, so that failures can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Words and signs, each with what separates it from the next.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for c in text.chars() {
        let joins = |p: &String| p.chars().next_back().is_some_and(|l| l.is_alphanumeric() || l == '_');
        match pieces.last_mut() {
            Some(last) if (c.is_alphanumeric() || c == '_') && joins(last) => last.push(c),
            _ => pieces.push(c.to_string()),
        }
    }
    pieces
}

#[test]
fn mutilated_models_are_read_to_the_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/wrong");
    let mut texts: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder with wrong models")
        .map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a model"))
        .collect();
    texts.sort();
    let all: Vec<String> = texts.iter().flat_map(|t| pieces(t)).collect();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..4_000 {
        let mut text = pieces(&texts[round % texts.len()]);
        for _ in 0..=numbers.below(4) {
            let at = numbers.below(text.len());
            match numbers.below(4) {
                0 if text.len() > 1 => {
                    text.remove(at);
                }
                1 => text.insert(at, all[numbers.below(all.len())].clone()),
                2 => text[at] = all[numbers.below(all.len())].clone(),
                _ => {
                    let other = numbers.below(text.len());
                    text.swap(at, other);
                }
            }
        }
        let text = text.concat();
        let (model, diagnostics) = read_text(&text);
        for diagnostic in &diagnostics {
            let file = model.sources.file(diagnostic.span.file);
            assert!(diagnostic.span.end as usize <= file.text.len(), "{diagnostic:?} in\n{text}");
            assert!(promela::codes::find(diagnostic.code).is_some(), "{} is not explained", diagnostic.code);
        }
    }
}

#[test]
fn deep_parentheses_are_refused() {
    let text = format!("init {{ int x; x = {}1{} }}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(codes(&text).contains(&"E0003"));
}

#[test]
fn deep_blocks_are_refused() {
    let text = format!("init {{ {} skip {} }}", "{ skip; ".repeat(20_000), "}".repeat(20_000));
    assert!(codes(&text).contains(&"E0003"));
}

#[test]
fn deep_options_are_refused() {
    let text = format!("init {{ {} skip {} }}", "if :: ".repeat(20_000), " fi".repeat(20_000));
    assert!(codes(&text).contains(&"E0003"));
}

#[test]
fn long_chains_of_operators_are_refused_and_shorter_ones_are_read() {
    let chain = |n: usize| format!("init {{ int x; x = 1{} }}", " + x".repeat(n));
    assert!(codes(&chain(100_000)).contains(&"E0003"));
    assert_eq!(codes(&chain(900)), Vec::<&str>::new());
    let negations = format!("init {{ int x; x = {}x }}", "~".repeat(100_000));
    assert!(codes(&negations).contains(&"E0003"));
}

#[test]
fn inlines_that_multiply_are_refused() {
    let mut text = String::from("inline f0() { skip }\n");
    for level in 1..15 {
        let call = format!("f{}(); ", level - 1);
        text += &format!("inline f{level}() {{ {} }}\n", call.repeat(10));
    }
    text += "init { f14() }";
    assert_eq!(codes(&text).first(), Some(&"E0003"));
}

#[test]
fn structs_that_multiply_are_refused() {
    let mut text = String::from("typedef T0 { int a[1000] };\n");
    for level in 1..10 {
        text += &format!("typedef T{level} {{ T{} a[1000] }};\n", level - 1);
    }
    text += "T9 t; chan c = [1] of { T9 }; init { skip }";
    assert!(codes(&text).contains(&"E0302"));
}

#[test]
fn that_nothing_runs_is_no_news_where_something_else_is_wrong() {
    assert_eq!(codes("proctype P() { skip }"), ["E0130"]);
    assert_eq!(codes("proctype P() { skip"), ["E0001"]);
}
