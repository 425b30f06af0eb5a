//! Changes at random places of a certificate's JSON.

use super::Random;
use certificate::Certificate;
use serde_json::{Value, json};
use std::collections::HashMap;

/// So many parts are remembered under each name.
const MOST_PARTS: usize = 48;

/// Remembers parts of certificates by their names, and puts them into others.
#[derive(Default)]
pub struct Mangler {
    parts: HashMap<String, Vec<Value>>,
}

impl Mangler {
    /// Remembers some parts.
    pub fn learn(&mut self, certificate: &Certificate, random: &mut Random) {
        let Ok(mut value) = serde_json::to_value(certificate) else { return };
        for _ in 0..6 {
            let (name, part) = somewhere(&mut value, random);
            let parts = self.parts.entry(name).or_default();
            match parts.len() < MOST_PARTS {
                true => parts.push(part.clone()),
                false => parts[random.below(MOST_PARTS)] = part.clone(),
            }
        }
    }

    /// The certificate with one or a few changes, if that is still a certificate.
    pub fn changed(&self, certificate: &Certificate, random: &mut Random) -> Option<Certificate> {
        let mut value = serde_json::to_value(certificate).ok()?;
        loop {
            let (name, part) = somewhere(&mut value, random);
            self.change(part, &name, random);
            if random.percent(55) {
                break;
            }
        }
        serde_json::from_value(value).ok()
    }

    fn change(&self, part: &mut Value, name: &str, random: &mut Random) {
        if random.percent(25)
            && let Some(other) = self.parts.get(name).and_then(|parts| random.pick(parts))
        {
            *part = other.clone();
            return;
        }
        match part {
            Value::Number(number) => *part = another_number(number.as_i64().unwrap_or(0), random),
            Value::Null => *part = json!(random.below(3)),
            Value::String(text) => match text.as_str() {
                "any" => *part = json!("declared"),
                "declared" => *part = json!("any"),
                "labels" => *part = json!({ "at": [] }),
                "closed" => {
                    *part = json!({ "idle": { "groups": [0], "blocked": { "excluded": { "potential": { "messages": [], "nodes": [] } } } } })
                }
                "none" | "weak" | "strong" => *part = json!(["none", "weak", "strong"][random.below(3)]),
                "f0" | "f1" => *part = json!(["f0", "f1"][random.below(2)]),
                _ => {}
            },
            Value::Array(elements) => change_elements(elements, random),
            Value::Object(fields) => {
                if let Some(at_most) = fields.get_mut("at_most") {
                    *at_most = if at_most.is_null() { json!(random.below(3)) } else { Value::Null };
                }
            }
            Value::Bool(_) => {}
        }
    }
}

fn change_elements(elements: &mut Vec<Value>, random: &mut Random) {
    let count = elements.len();
    let at = random.below(count);
    match random.below(6) {
        _ if count == 0 => {}
        0 | 1 => {
            elements.remove(at);
        }
        2 => elements.insert(at, elements[at].clone()),
        3 => elements.push(elements[at].clone()),
        4 => elements.swap(at, random.below(count)),
        _ => elements.clear(),
    }
}

fn another_number(number: i64, random: &mut Random) -> Value {
    const EDGES: [i64; 17] = [
        0,
        1,
        -1,
        127,
        128,
        255,
        256,
        32_767,
        65_535,
        65_536,
        i32::MAX as i64,
        i32::MIN as i64,
        u32::MAX as i64,
        i64::MAX,
        i64::MIN,
        i64::MAX - 1,
        i64::MIN + 1,
    ];
    match random.below(10) {
        0..=2 => json!(number.saturating_add(1)),
        3..=5 => json!(number.saturating_sub(1)),
        6 | 7 => json!(random.below(5)),
        8 if random.percent(20) => json!(u64::MAX - random.below(2) as u64),
        _ => json!(EDGES[random.below(EDGES.len())]),
    }
}

/// A part of the value, by a random way down, with the last name on the way: of what kind the part is.
fn somewhere<'v>(value: &'v mut Value, random: &mut Random) -> (String, &'v mut Value) {
    below(value, String::new(), random)
}

fn below<'v>(value: &'v mut Value, name: String, random: &mut Random) -> (String, &'v mut Value) {
    if !name.is_empty() && random.percent(12) {
        return (name, value);
    }
    let next = match &*value {
        Value::Array(elements) if !elements.is_empty() => (name.clone(), random.below(elements.len())),
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().filter(|name| !is_identity(name)).collect();
            // In which order `serde_json` keeps them is up to whoever else uses it; a seed forges the same everywhere.
            names.sort_unstable();
            let Some(next) = random.pick(&names) else { return (name, value) };
            ((*next).clone(), 0)
        }
        _ => return (name, value),
    };
    match (value, next) {
        (Value::Array(elements), (name, at)) => below(&mut elements[at], name, random),
        (value, (name, _)) => {
            let part = &mut value[name.as_str()];
            below(part, name, random)
        }
    }
}

fn is_identity(name: &str) -> bool {
    matches!(name, "schema" | "model" | "seal")
}
