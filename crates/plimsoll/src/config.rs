//! `plimsoll.toml`: which models to check, how, and what to expect of them.

use crate::input::{ReadingArguments, parse_define, read_text};
use crate::limits::{TimeLimit, parse_memory, parse_time};
use promela::suggest::closest;
use report::expect::Expectation;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use verify::{CheckOptions, FormulaChoice, Questions};

/// The file that is looked for when no model is named.
pub const NAME: &str = "plimsoll.toml";

/// The file. What stands at the top holds for all models, what stands with a model for that one.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Config {
    /// Models, and folders with models, beside the file.
    #[serde(default)]
    pub models: Vec<PathBuf>,
    /// Memory for everything.
    memory: Option<String>,
    /// Whether answers for unchanged models are kept.
    #[serde(default)]
    pub cache: bool,
    /// How all models are checked.
    #[serde(flatten)]
    all: Settings,
    /// Models that want something of their own.
    #[serde(default, rename = "model")]
    own: Vec<ModelEntry>,
}

/// A model that wants something of its own; it may come several times, with other macros.
#[derive(Clone, Debug, Deserialize)]
struct ModelEntry {
    path: PathBuf,
    #[serde(flatten)]
    settings: Settings,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Settings {
    #[serde(default)]
    define: Vec<String>,
    #[serde(default)]
    include: Vec<PathBuf>,
    time: Option<String>,
    states: Option<u64>,
    questions: Option<Vec<String>>,
    #[serde(default)]
    expect: Vec<String>,
    strict: Option<bool>,
}

/// One model to be checked.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its file.
    pub path: PathBuf,
    /// How it is called in what is printed: the file, and what is special about this time.
    pub name: String,
    /// How to read it.
    pub reading: ReadingArguments,
    /// What to ask.
    pub options: CheckOptions,
    /// How long it may take.
    pub time: TimeLimit,
    /// What is expected of it beside what its comments say.
    pub expected: Vec<Expectation>,
}

impl Config {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Config, String> {
        let text = read_text(path)?;
        let wrong = |what: &str| format!("`{}`: {}", path.display(), what.trim_end());
        let table: toml::Table = toml::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
        known(&table, &[&TOP[..], &EITHER[..]].concat()).map_err(|what| wrong(&what))?;
        for entry in table.get("model").and_then(toml::Value::as_array).into_iter().flatten() {
            let keys = [&["path"][..], &EITHER[..]].concat();
            entry.as_table().map_or(Ok(()), |entry| known(entry, &keys)).map_err(|what| wrong(&what))?;
        }
        toml::from_str(&text).map_err(|error| wrong(&error.to_string()))
    }

    /// Bytes for everything, if the file says so.
    pub fn memory(&self) -> Result<Option<usize>, String> {
        self.memory.as_deref().map(parse_memory).transpose()
    }

    /// What is to be checked: the models that `collect` finds in the folders, and those that want something of their own, in place of
    /// those.
    pub fn jobs(
        &self,
        folder: &Path,
        usual: &Job,
        collect: impl Fn(&[PathBuf]) -> Result<Vec<PathBuf>, String>,
    ) -> Result<Vec<Job>, String> {
        let there = |path: &PathBuf| folder.join(path);
        let models: Vec<PathBuf> = self.models.iter().map(there).collect();
        let own: Vec<PathBuf> = self.own.iter().map(|entry| there(&entry.path)).collect();
        let usual = self.all.applied(folder, usual.clone())?;
        let mut jobs = Vec::new();
        for path in collect(&models)?.into_iter().filter(|path| !own.contains(path)) {
            jobs.push(Job { name: path.display().to_string(), path, ..usual.clone() });
        }
        for (entry, path) in self.own.iter().zip(own) {
            let macros: Vec<String> = entry.settings.define.iter().map(|text| format!(" -D{text}")).collect();
            let name = format!("{}{}", path.display(), macros.concat());
            jobs.push(entry.settings.applied(folder, Job { name, path, ..usual.clone() })?);
        }
        match jobs.is_empty() {
            true => Err(format!("`{NAME}` names no models: write models = [\"FOLDER\"]")),
            false => Ok(jobs),
        }
    }
}

/// What may stand at the top only, and what anywhere.
const TOP: [&str; 4] = ["models", "memory", "cache", "model"];
const EITHER: [&str; 7] = ["define", "include", "time", "states", "questions", "expect", "strict"];

/// Whether nothing is mistyped.
fn known(table: &toml::Table, keys: &[&str]) -> Result<(), String> {
    let Some(key) = table.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    match closest(key, keys.iter().copied()) {
        Some(meant) => Err(format!("there is no `{key}`: did you mean `{meant}`?")),
        None => Err(format!("there is no `{key}`; there are {}", keys.join(", "))),
    }
}

impl Settings {
    fn applied(&self, folder: &Path, mut job: Job) -> Result<Job, String> {
        for text in &self.define {
            job.reading.defines.push(parse_define(text)?);
        }
        job.reading.include_folders.extend(self.include.iter().map(|include| folder.join(include)));
        if let Some(time) = &self.time {
            job.time = parse_time(time)?;
            job.options.time = job.time.limit;
        }
        job.options.search.states = self.states.or(job.options.search.states);
        job.reading.strict = self.strict.unwrap_or(job.reading.strict);
        if let Some(names) = &self.questions {
            job.options.questions = questions(names)?;
        }
        for text in &self.expect {
            job.expected.push(Expectation::parse(text)?);
        }
        Ok(job)
    }
}

/// Questions by their names: `deadlock`, `ltl`, `ltl p0`.
fn questions(names: &[String]) -> Result<Questions, String> {
    let mut questions = Questions::none();
    let mut formulas = Vec::new();
    for name in names {
        match name.as_str() {
            "buffers" => questions.buffers = true,
            "progress" => questions.progress = true,
            "deadlock" => questions.deadlock = true,
            "assertions" | "errors" => questions.assertions = true,
            "trace" => questions.event_trace = true,
            "claims" => questions.claims = true,
            "ltl" => questions.formulas = FormulaChoice::All,
            other => match other.strip_prefix("ltl ") {
                Some(name) => formulas.push(name.trim().to_string()),
                None => {
                    return Err(format!(
                        "there is no question `{other}`; there are buffers, progress, deadlock, assertions, errors, trace, claims, ltl and ltl NAME"
                    ));
                }
            },
        }
    }
    if !formulas.is_empty() && questions.formulas != FormulaChoice::All {
        questions.formulas = FormulaChoice::Named(formulas);
    }
    Ok(questions)
}
