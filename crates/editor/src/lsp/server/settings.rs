//! What a client may set.

use super::super::checks::Limits;
use crate::reading::Settings;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

/// What a client may set.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ClientSettings {
    /// Ask the engines when a text is saved.
    pub(super) check_on_save: bool,
    /// How long they may take.
    pub(super) seconds: f64,
    /// How much memory they may use.
    pub(super) memory_megabytes: usize,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub(super) defines: Vec<String>,
    /// Folders for included files.
    pub(super) include_folders: Vec<PathBuf>,
    /// The client has commands of its own that simulate and step, in its debugger.
    pub(super) debugger: bool,
}

impl Default for ClientSettings {
    fn default() -> Self {
        ClientSettings {
            check_on_save: true,
            seconds: 10.0,
            memory_megabytes: 1024,
            defines: Vec::new(),
            include_folders: Vec::new(),
            debugger: false,
        }
    }
}

impl ClientSettings {
    pub(super) fn reading(&self) -> Settings {
        let define = |text: &String| {
            let (name, value) = text.split_once('=').unwrap_or((text, "1"));
            (name.to_string(), value.to_string())
        };
        let options =
            promela::Options { defines: self.defines.iter().map(define).collect(), undefines: Vec::new() };
        Settings { options, include_folders: self.include_folders.clone() }
    }

    pub(super) fn limits(&self) -> Limits {
        let seconds = if self.seconds.is_finite() { self.seconds.clamp(0.1, 86_400.0) } else { 10.0 };
        let memory = self.memory_megabytes.clamp(16, 1 << 20) << 20;
        Limits { time: Duration::from_secs_f64(seconds), memory }
    }
}
