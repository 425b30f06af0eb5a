//! Where cases come from: models with a few wounds, models spliced together, and heaps of tokens.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fragments::fragment;
use crate::random::Random;

/// The longest case; what is slow at a few kilobytes is slow.
const LONGEST_CASE: usize = 16 << 10;

/// The models that cases begin with.
pub struct Seeds(Vec<String>);

impl Seeds {
    /// All `.pml` files below the folders, in the order of their names.
    pub fn load(folders: &[PathBuf]) -> Self {
        let mut paths = Vec::new();
        for folder in folders {
            collect(folder, &mut paths);
        }
        paths.sort();
        let texts = paths.iter().filter_map(|path| fs::read(path).ok());
        Seeds(texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Case `number` of `seed`.
    pub fn case(&self, seed: u64, number: u64) -> String {
        let mut random = Random::new(seed, number);
        let mut text = match random.below(10) {
            0 | 1 => soup(&mut random),
            2 if !self.0.is_empty() => spliced(random.pick(&self.0).clone(), self, &mut random),
            3 => nested(&mut random),
            _ if !self.0.is_empty() => random.pick(&self.0).clone(),
            _ => soup(&mut random),
        };
        for _ in 0..random.below(6) {
            text = wounded(text, self, &mut random);
        }
        truncate(&mut text, LONGEST_CASE);
        text
    }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            paths.push(path);
        }
    }
}

fn soup(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(200) {
        text.push_str(fragment(random));
        if !random.once_in(4) {
            text.push(' ');
        }
    }
    text
}

/// One thing inside itself, often: the way to run out of stack.
fn nested(random: &mut Random) -> String {
    const PAIRS: &[(&str, &str)] = &[
        ("(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("if :: ", " fi"),
        ("do :: ", " od"),
        ("atomic { ", " }"),
        ("!", ""),
        ("-", ""),
        ("~", ""),
        ("a[", "]"),
        ("(1 -> ", " : 2)"),
        ("F(", ")"),
        ("run P(", ")"),
        ("1 + ", ""),
        ("{ skip } unless ", ""),
        ("[] ", ""),
        ("<> ", ""),
        ("(a U ", ")"),
        ("a.", ""),
        ("for (i : 1 .. 2) { ", " }"),
        ("L: ", ""),
        ("I(", ")"),
        ("len(", ")"),
        ("eval(", ")"),
        ("d_step { ", " }"),
        ("x = ", ""),
        ("c?", ""),
        ("mtype = {", "}"),
        ("{ ", ";} unless { skip }"),
        ("a -> ", ""),
        ("a U ", ""),
        ("a ^ ", ""),
        ("a && ", ""),
        ("a || ", ""),
        ("a, ", ""),
        ("a; ", ""),
        (":: a ", ""),
        ("1 - ", ""),
    ];
    let (open, close) = *random.pick(PAIRS);
    let depth = 1 << random.below(13);
    let frame = *random.pick(&[
        ("", ""),
        ("init { ", " }"),
        ("init { x = ", " }"),
        ("ltl p { ", " }"),
        ("int x = ", ";"),
        ("#define F(x) x\ninit {", "}"),
        ("\n#if ", "\n#endif"),
        ("inline I(a) { a }\nbyte x; init { ", " }"),
        ("proctype P(", ") {}"),
        ("never { ", " }"),
    ]);
    format!("{}{}{}{}{}", frame.0, open.repeat(depth), fragment(random), close.repeat(depth), frame.1)
}

fn spliced(text: String, seeds: &Seeds, random: &mut Random) -> String {
    let other = random.pick(&seeds.0);
    let (cut, from) = (place(&text, random), place(other, random));
    format!("{}{}", &text[..cut], &other[from..])
}

/// The text with one thing wrong.
fn wounded(mut text: String, seeds: &Seeds, random: &mut Random) -> String {
    let (start, end) = words_at(&text, random);
    match random.below(12) {
        // Drop, double, replace or insert words.
        0 | 1 => text.replace_range(start..end, ""),
        2 => {
            let words = text[start..end].repeat(1 + random.below(3));
            text.insert_str(end, &words);
        }
        3 | 4 => text.replace_range(start..end, fragment(random)),
        5 | 6 => text.insert_str(start, fragment(random)),
        // Bring words, or a line, from elsewhere.
        7 => {
            let (from, to) = words_at(&text, random);
            let words = text[from..to].to_owned();
            text.replace_range(start..end, &words);
        }
        8 if !seeds.0.is_empty() => {
            let other = random.pick(&seeds.0);
            let lines: Vec<&str> = other.lines().collect();
            if !lines.is_empty() {
                let line = format!("\n{}\n", random.pick(&lines));
                text.insert_str(start, &line);
            }
        }
        // Another name or number everywhere.
        9 => {
            let word = text[start..end].trim().to_owned();
            if !word.is_empty() && !word.contains(' ') {
                text = text.replacen(&word, fragment(random), 50);
            }
        }
        10 => text.truncate(start),
        _ => {
            let character = char::from_u32(random.below(0x300) as u32).unwrap_or('?');
            text.insert(start, character);
        }
    }
    truncate(&mut text, LONGEST_CASE);
    text
}

/// A few words one after another: from a boundary of a word to another one.
fn words_at(text: &str, random: &mut Random) -> (usize, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = place(text, random);
    let start = text[..start]
        .rfind(|c| !is_word(c))
        .map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8));
    let mut end = start;
    for _ in 0..=random.below(4) {
        let rest = &text[end..];
        let Some(first) = rest.chars().next() else { break };
        end +=
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
    }
    (start, end)
}

fn place(text: &str, random: &mut Random) -> usize {
    floor(text, random.below(text.len() + 1))
}

fn truncate(text: &mut String, length: usize) {
    if text.len() > length {
        text.truncate(floor(text, length));
    }
}

fn floor(text: &str, mut position: usize) -> usize {
    while !text.is_char_boundary(position) {
        position -= 1;
    }
    position
}
