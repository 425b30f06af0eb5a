//! Answers of an earlier run (`--format json`), to be told only what became worse.

use serde_json::Value;
use std::collections::BTreeMap;

/// The verdicts of an earlier run, by model and question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Baseline {
    verdicts: BTreeMap<(String, String), String>,
}

impl Baseline {
    /// Reads a document of the schema `plimsoll/1`, about one model or several.
    pub fn read(text: &str) -> Result<Baseline, String> {
        let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let several = document["models"].as_array().cloned();
        let models = several.unwrap_or_else(|| vec![document.clone()]);
        if document["schema"] != crate::json::SCHEMA {
            return Err(format!("it is no document of the schema {}", crate::json::SCHEMA));
        }
        let mut verdicts = BTreeMap::new();
        for model in &models {
            for result in model["results"].as_array().into_iter().flatten() {
                let text = |value: &Value| value.as_str().unwrap_or("").to_string();
                let key = (text(&model["model"]), text(&result["question"]));
                verdicts.insert(key, text(&result["verdict"]));
            }
        }
        Ok(Baseline { verdicts })
    }

    /// What is worse than it was: a line and the new verdict each.
    pub fn worse(&self, name: &str, model: &Value) -> Vec<(String, String)> {
        let mut worse = Vec::new();
        for result in model["results"].as_array().into_iter().flatten() {
            let text = |field: &str| result[field].as_str().unwrap_or("").to_string();
            let (question, now) = (text("question"), text("verdict"));
            let before = self.verdicts.get(&(name.to_string(), question.clone()));
            if rank(&now) > before.map_or(0, |before| rank(before)) {
                let before = before.map_or("was not asked before", |before| before.as_str());
                let meaning = text("meaning");
                worse.push((format!("worse: {question} is {now}, before: {before}: {meaning}"), now));
            }
        }
        worse
    }
}

fn rank(verdict: &str) -> u8 {
    match verdict {
        "PROVED" => 0,
        "UNKNOWN" => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_became_worse_is_told() {
        let answers = |deadlock: &str, progress: &str| {
            json!({ "schema": crate::json::SCHEMA, "model": "m.pml", "results": [
                { "question": "deadlock", "verdict": deadlock, "meaning": "" },
                { "question": "progress", "verdict": progress, "meaning": "" } ] })
        };
        let baseline = Baseline::read(&answers("VIOLATED", "PROVED").to_string()).expect("a baseline");
        assert!(baseline.worse("m.pml", &answers("VIOLATED", "PROVED")).is_empty());
        assert!(baseline.worse("m.pml", &answers("PROVED", "PROVED")).is_empty());
        assert_eq!(baseline.worse("m.pml", &answers("VIOLATED", "UNKNOWN")).len(), 1);
        assert_eq!(baseline.worse("other.pml", &answers("VIOLATED", "PROVED")).len(), 1);
        assert!(Baseline::read("{}").is_err());
    }
}
