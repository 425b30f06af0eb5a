//! Counterexamples that are kept, so that `plimsoll replay` can show them without having been asked for before.
//!
//! They lie in the folder for caches that the operating system's conventions name. Losing them costs a run of `check`, so nothing here
//! is an error: what cannot be kept is not, and the answers say then how to write it elsewhere.

use crate::ask::{Found, Written, quoted};
use crate::files;
use crate::input::STDIN;
use report::trace_file::{ModelSource, TraceFile};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Counterexamples that are kept; the oldest go first.
const MOST: usize = 200;
/// The file that lists those of the last run, the first of them first.
const LAST: &str = "last";

/// One that was kept.
pub struct Kept {
    /// Its question as part of a file's name: `ltl-p0`.
    pub stem: String,
    /// The run.
    pub trace: TraceFile,
}

/// Keeps the counterexamples of a model in place of those that were kept of it before; returns how to see them.
pub fn keep(model: &Path, found: &[Found]) -> Vec<Written> {
    let keep = |folder: PathBuf| {
        forget(&folder, model);
        let (names, written) = add(&folder, model, found)?;
        list_as_last(&folder, &names)?;
        Some(written)
    };
    // What came from the standard input cannot be read again.
    folder().filter(|_| model != Path::new(STDIN)).and_then(keep).unwrap_or_default()
}

/// What is kept when many models are checked: one of them may come several times, with other macros, and the first that is violated is
/// what `plimsoll replay` shows.
#[derive(Default)]
pub struct OfMany {
    begun: BTreeSet<PathBuf>,
    violated: BTreeSet<PathBuf>,
}

impl OfMany {
    /// Keeps the counterexamples of the next model.
    pub fn keep(&mut self, model: &Path, found: &[Found]) {
        let Some(folder) = folder() else { return };
        if self.begun.insert(model.to_path_buf()) {
            forget(&folder, model);
        }
        let Some((names, _)) = add(&folder, model, found) else { return };
        if self.violated.is_empty() {
            list_as_last(&folder, &names);
        }
        self.violated.insert(model.to_path_buf());
    }

    /// Takes note of a model whose answers are known from before.
    pub fn known(&mut self, model: &Path) {
        let prefix = prefix(&absolute(model));
        if folder().is_some_and(|folder| listed(&folder).iter().any(|path| starts_with(path, &prefix))) {
            self.violated.insert(model.to_path_buf());
        }
    }

    /// What to type to see a counterexample, if there is any.
    pub fn command(&self) -> Option<String> {
        let first = self.violated.first()?;
        let model = match self.violated.len() {
            1 => quoted(&first.display().to_string()),
            _ => "MODEL".to_string(),
        };
        Some(format!("plimsoll replay {model}"))
    }
}

fn forget(folder: &Path, model: &Path) {
    let prefix = prefix(&absolute(model));
    let before = listed(folder).into_iter().filter(|path| starts_with(path, &prefix));
    before.for_each(|path| drop(std::fs::remove_file(path)));
}

/// Writes the counterexamples of a model, if there are any: under which names, and how to see them.
fn add(folder: &Path, model: &Path, found: &[Found]) -> Option<(Vec<String>, Vec<Written>)> {
    if found.is_empty() {
        return None;
    }
    let model = absolute(model);
    let prefix = prefix(&model);
    files::make_folder(folder).ok()?;
    let mut names = Vec::new();
    let mut written = Vec::new();
    for found in found {
        let mut trace = found.trace.clone();
        trace.source = trace.source.map(|source| ModelSource {
            path: model.display().to_string(),
            include_folders: source
                .include_folders
                .iter()
                .map(|folder| absolute(Path::new(folder)).display().to_string())
                .collect(),
            ..source
        });
        let name = format!("{prefix}{}.json", found.stem);
        files::write(&folder.join(&name), &trace.to_json()).ok()?;
        names.push(name);
        let command = match &written[..] {
            [] => "plimsoll replay".to_string(),
            _ => format!("plimsoll replay {}", quoted(&found.stem)),
        };
        written.push(Written { question: trace.question.unwrap_or_default(), command });
    }
    forget_the_oldest(folder);
    Some((names, written))
}

fn list_as_last(folder: &Path, names: &[String]) -> Option<()> {
    files::write(&folder.join(LAST), &(names.join("\n") + "\n")).ok()
}

/// The counterexamples of the last run that had any.
pub fn last() -> Vec<Kept> {
    let Some(folder) = folder() else { return Vec::new() };
    let names = std::fs::read_to_string(folder.join(LAST)).unwrap_or_default();
    names.lines().filter_map(|name| read(&folder.join(name))).collect()
}

/// The counterexamples that are kept of a model, in the order in which they were written.
pub fn of(model: &Path) -> Vec<Kept> {
    let Some(folder) = folder() else { return Vec::new() };
    let prefix = prefix(&absolute(model));
    let mut files: Vec<PathBuf> =
        listed(&folder).into_iter().filter(|path| starts_with(path, &prefix)).collect();
    files.sort_by_key(|path| (age(path), path.clone()));
    files.iter().filter_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Option<Kept> {
    let trace = TraceFile::from_json(&std::fs::read_to_string(path).ok()?).ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    let stem = name.strip_suffix(".json")?.rsplit_once('.')?.1.to_string();
    Some(Kept { stem, trace })
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

fn age(path: &PathBuf) -> SystemTime {
    std::fs::metadata(path).and_then(|there| there.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

fn folder() -> Option<PathBuf> {
    caches().map(|caches| caches.join("traces"))
}

/// Our folder where the operating system wants caches to be.
pub fn caches() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = |below: &str| variable("HOME").map(|home| home.join(below));
    // The convention asks to ignore a relative path.
    let xdg = || variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let caches = match std::env::consts::OS {
        "windows" => variable("LOCALAPPDATA"),
        "macos" => xdg().or_else(|| home("Library/Caches")),
        _ => xdg().or_else(|| home(".cache")),
    };
    caches.map(|caches| caches.join("plimsoll"))
}

/// What the files of a model begin with: its name for people, and a number for its folder.
fn prefix(model: &Path) -> String {
    let stem = model.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let stem: String = stem.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    // FNV-1a: stable from run to run, and two models of one name are all that it has to tell apart.
    let hash = model.display().to_string().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{stem}-{hash:016x}.")
}

fn starts_with(path: &Path, prefix: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix))
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "json")).collect()
}

fn forget_the_oldest(folder: &Path) {
    let mut all = listed(folder);
    if all.len() <= MOST {
        return;
    }
    all.sort_by_key(age);
    all[..all.len() - MOST].iter().for_each(|path| drop(std::fs::remove_file(path)));
}
