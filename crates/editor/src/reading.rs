//! A text as the front end reads it: with what it includes, as that is in the editor; and where each name is mentioned.

use promela::again::{Memory, read_again};
use promela::diagnostic::{Diagnostic, Severity};
use promela::model::{Model, Scalar};
use promela::names::{Mention, NameKind, Role};
use promela::source::{FileId, SourceMap, Span};
use promela::{IncludeLoader, Options};
use report::warnings::each_once;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use system::automaton::System;

/// How texts are read.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Macros that are defined beforehand.
    pub options: Options,
    /// Folders in which included files are looked for.
    pub include_folders: Vec<PathBuf>,
}

/// What was understood of a text, and everything that is wrong with it.
#[derive(Debug)]
pub struct Reading {
    /// What it means, if nothing is an error.
    pub model: Model,
    /// The same as automata, from when they are asked for: nobody runs a text at every keystroke.
    system: OnceLock<System>,
    /// The same as the command line shows with `--warnings`: errors first.
    pub diagnostics: Vec<Diagnostic>,
    /// Sorted by place, each once, from when somebody asks about a name.
    mentions: OnceLock<Vec<Mention>>,
}

/// The text that was read; others are included.
pub const ROOT: FileId = FileId(0);

impl Reading {
    /// Reads a text. What is `open` in the editor counts more than what is on disk.
    pub fn new(
        name: &str,
        text: &str,
        settings: &Settings,
        open: &dyn Fn(&Path) -> Option<String>,
    ) -> Reading {
        let loader = Folders { include_folders: &settings.include_folders, open };
        Reading::of(promela::read(name, text, &settings.options, &loader))
    }

    /// The same, for a text that was read before with this memory: faster, if the edit since then is inside of one body.
    pub fn again(
        name: &str,
        text: &str,
        settings: &Settings,
        open: &dyn Fn(&Path) -> Option<String>,
        memory: &mut Memory,
    ) -> Reading {
        let loader = Folders { include_folders: &settings.include_folders, open };
        Reading::of(read_again(name, text, &settings.options, &loader, memory))
    }

    fn of((model, mut diagnostics): (Model, Vec<Diagnostic>)) -> Reading {
        diagnostics.extend(system::lower::diagnose(&model));
        let (mut shown, warnings): (Vec<_>, Vec<_>) =
            diagnostics.into_iter().partition(|found| found.severity > Severity::Warning);
        shown.extend(each_once(&model.sources, warnings));
        Reading { model, system: OnceLock::new(), diagnostics: shown, mentions: OnceLock::new() }
    }

    fn mentions(&self) -> &[Mention] {
        self.mentions.get_or_init(|| {
            let mut mentions = self.sources().mentions().to_vec();
            // They come almost in order, which this sort makes use of.
            mentions.sort();
            mentions.dedup();
            mentions
        })
    }

    /// What it means, as automata.
    pub fn system(&self) -> &System {
        self.system.get_or_init(|| system::lower::lower(self.model.clone()).0)
    }

    /// Whether it means something.
    pub fn is_usable(&self) -> bool {
        !self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The texts.
    pub fn sources(&self) -> &SourceMap {
        &self.model.sources
    }

    /// The file with a name.
    pub fn file_named(&self, name: &str) -> Option<FileId> {
        self.sources().files().find(|(_, file)| file.name == name).map(|(id, _)| id)
    }

    /// Every mention of a name in a file, by place.
    pub fn mentions_in(&self, file: FileId) -> &[Mention] {
        let mentions = self.mentions();
        let start = mentions.partition_point(|mention| mention.span.file < file);
        let end = mentions.partition_point(|mention| mention.span.file <= file);
        &mentions[start..end]
    }

    /// What is mentioned at a place; several things, if an inline is called where its names mean different ones.
    pub fn mentioned_at(&self, file: FileId, offset: u32) -> Vec<Mention> {
        let mentions = self.mentions_in(file);
        let end = mentions.partition_point(|mention| mention.span.start <= offset);
        let around = |mention: &&Mention| mention.span.start <= offset && offset <= mention.span.end;
        // The names before this one are not much longer than a name is.
        let near = mentions[end.saturating_sub(64)..end].iter();
        let mut found: Vec<Mention> = near.filter(around).copied().collect();
        // Between two names that touch, the one that begins here.
        if let Some(last) = found.iter().map(|mention| mention.span.start).max() {
            found.retain(|mention| mention.span.start == last);
        }
        found
    }

    /// Every mention of what is declared at a place, the declaration included.
    pub fn mentions_of(&self, declared: Span) -> impl Iterator<Item = &Mention> {
        self.mentions().iter().filter(move |mention| mention.declared == declared)
    }

    /// Where inlines and macros are declared, in no order: for somebody who types and does not wait until all mentions are sorted.
    pub fn calls_declared(&self) -> impl Iterator<Item = &Mention> {
        let declared = self.sources().mentions().iter().filter(|mention| mention.role == Role::Declared);
        declared.filter(|mention| matches!(mention.kind, NameKind::Inline | NameKind::Macro))
    }

    /// All declarations, by place.
    pub fn declarations(&self) -> impl Iterator<Item = &Mention> {
        self.mentions()
            .iter()
            .filter(|mention| mention.role == Role::Declared && mention.kind != NameKind::File)
    }
}

/// Included files are looked for beside the including file, then in the folders given.
struct Folders<'a> {
    include_folders: &'a [PathBuf],
    open: &'a dyn Fn(&Path) -> Option<String>,
}

impl IncludeLoader for Folders<'_> {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let beside = Path::new(included_from).parent().map(Path::to_path_buf).unwrap_or_default();
        for path in std::iter::once(&beside).chain(self.include_folders).map(|folder| folder.join(name)) {
            let shown = path.display().to_string();
            if let Some(text) = (self.open)(&path) {
                return Ok((shown, text));
            }
            if path.is_file() {
                return read_text(&path).map(|text| (shown, text));
            }
        }
        Err("there is no such file beside this one, nor in a folder named by -I".to_string())
    }
}

/// The word with which a type is declared.
pub fn keyword(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bit => "bit",
        Scalar::Bool => "bool",
        Scalar::Byte => "byte",
        Scalar::Pid => "pid",
        Scalar::Short => "short",
        Scalar::Int => "int",
        Scalar::Unsigned(_) => "unsigned",
        Scalar::Mtype(_) => "mtype",
        Scalar::Chan => "chan",
    }
}

/// A file's text; a byte that is no UTF-8 becomes a replacement character, as on the command line.
pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
