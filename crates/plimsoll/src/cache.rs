//! Answers for models that have not changed.
//!
//! A file is found by a hash of everything that the answers depend on: the texts of the model, the macros, what is asked and how, and
//! the program itself. Only whole answers are kept (with an `UNKNOWN` among them more time might tell more), so the limits take no part:
//! what was decided within some of them is decided.

use crate::config::Job;
use crate::files;
use crate::kept;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use system::automaton::System;
use verify::CheckOptions;

/// Where the answers about a model lie, or would.
pub fn place(job: &Job, system: &System) -> Option<PathBuf> {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    add(env!("CARGO_PKG_VERSION"));
    // Two builds of one version may differ.
    let program = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    add(&format!("{} {:?}", program.len(), program.modified().ok()?));
    for (_, file) in system.model.sources.files() {
        add(&file.name);
        add(&file.text);
    }
    add(&format!("{:?}", (&job.reading.defines, &job.reading.undefines)));
    add(&format!("{:?}", without_limits(&job.options)));
    let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Some(kept::caches()?.join("answers").join(format!("{name}.json")))
}

/// Everything but the limits: an option that is added later counts unless it is named here.
fn without_limits(options: &CheckOptions) -> CheckOptions {
    let mut options = CheckOptions {
        time: None,
        started: None,
        memory: None,
        memory_limit: None,
        threads: 1,
        ..options.clone()
    };
    options.search.states = None;
    options
}

/// The answers, if they are known.
pub fn known(place: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(place).ok()?).ok()
}

/// Keeps answers; what cannot be kept is not.
pub fn keep(place: &Path, model: &Value) {
    let is_whole = model["summary"]["unknown"] == 0 && model["interrupted"].is_null();
    if let Some(folder) = place.parent().filter(|_| is_whole)
        && files::make_folder(folder).is_ok()
    {
        let _ = files::write(place, &model.to_string());
    }
}
