//! Reading certificates from a text.
//!
//! A tree of potentials is nested as deep as it has splits, deeper than a JSON reader goes by itself. So how deep a text is nested is
//! counted before it is read, without recursion; what is within the limit is read on a stack that is large enough for the limit, whatever
//! thread asks.

use crate::Certificate;
use crate::check::{Refusal, Rule};
use serde::de::DeserializeOwned;

/// So many lists and objects may be inside of each other: four for each split of a tree, and those around it. Whoever walks through a
/// certificate of this depth recursively needs less than a thread's usual stack.
pub const DEEPEST: usize = 1_024;

/// Room for reading at that depth, many times what it takes.
const STACK: usize = 64 << 20;

/// R1: one certificate, or a list of them, nested no deeper than [`DEEPEST`]. The words say what is wrong with the text.
pub fn read(text: &str) -> Result<Vec<Certificate>, String> {
    if is_deeper(text.as_bytes(), DEEPEST) {
        let what = format!("it is nested deeper than {DEEPEST} lists and objects");
        return Err(Refusal::Broken { rule: Rule::Identity, what }.to_string());
    }
    match text.trim_start().starts_with('[') {
        true => on_a_large_stack(text),
        false => on_a_large_stack(text).map(|certificate| vec![certificate]),
    }
}

/// Whether more lists and objects than this are open at some place of a JSON text. What is no JSON is found out when it is read.
fn is_deeper(text: &[u8], limit: usize) -> bool {
    let (mut open, mut is_text, mut is_escaped) = (0_usize, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => open = open.saturating_add(1),
            b']' | b'}' if !is_text => open = open.saturating_sub(1),
            _ => {}
        }
        if open > limit {
            return true;
        }
    }
    false
}

fn on_a_large_stack<T: DeserializeOwned + Send>(text: &str) -> Result<T, String> {
    let parse = || {
        let mut reader = serde_json::Deserializer::from_str(text);
        reader.disable_recursion_limit();
        let value = T::deserialize(&mut reader)?;
        reader.end().map(|()| value)
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, parse);
        let read = thread.map_err(|error| error.to_string())?.join();
        read.map_err(|_| "reading it failed".to_string())?
            .map_err(|error: serde_json::Error| error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, is_deeper, read};

    #[test]
    fn brackets_inside_of_a_text_are_none() {
        let text = br#"{"a\"[[[":"[[[\\","b":[{}]}"#;
        assert!(is_deeper(text, 2) && !is_deeper(text, 3));
    }

    #[test]
    fn a_hundred_megabytes_of_brackets_are_refused_by_their_depth() {
        let said = read(&"[".repeat(100 << 20)).expect_err("no certificate");
        assert!(said.starts_with("rule R1 ") && said.contains("nested deeper"), "{said}");
        let said = read(&"[".repeat(DEEPEST)).expect_err("no certificate");
        assert!(!said.contains("nested deeper"), "{said}");
    }
}
