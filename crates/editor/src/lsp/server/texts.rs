//! Texts as they are typed, what they say, and what is wrong with them.

use super::super::checks::Asked;
use super::super::problems;
use super::settings::ClientSettings;
use super::{Document, Server};
use crate::place::{Text, name_of, uri_of};
use crate::reading::{ROOT, Reading, read_text};
use lsp_server::Notification;
use lsp_types::notification::{
    DidChangeConfiguration, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument,
    DidOpenTextDocument, DidSaveTextDocument, Notification as _, PublishDiagnostics,
};
use lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, MessageType, PublishDiagnosticsParams, Range,
    TextDocumentPositionParams, Uri,
};
use promela::interrupt;
use promela::source::FileId;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How often in a row reading may be given up for something newer.
const MOST_INTERRUPTIONS: u32 = 5;
/// Somebody who types waits for the names of a text of so many bytes, with what it includes: reading it takes a few milliseconds.
const SHORT: usize = 32 << 10;
/// So many files of a folder are looked into for whoever asks about all of them.
const MOST_FILES: usize = 500;

impl Server {
    pub(super) fn note(&mut self, method: &str, params: Value) -> Option<()> {
        fn read<P: DeserializeOwned>(params: Value) -> Option<P> {
            serde_json::from_value(params).ok()
        }
        match method {
            DidOpenTextDocument::METHOD => {
                let params: lsp_types::DidOpenTextDocumentParams = read(params)?;
                let opened = params.text_document;
                let document = Document {
                    text: Text::new(opened.text),
                    version: opened.version,
                    memory: RefCell::default(),
                    reading: None,
                    good: None,
                    outdated: Vec::new(),
                    verdicts: None,
                    check: None,
                    dirty: true,
                    interruptions: 0,
                };
                let name = name_of(&opened.uri);
                self.documents.insert(name.clone(), document);
                self.changed(&name);
            }
            DidChangeTextDocument::METHOD => {
                let params: DidChangeTextDocumentParams = read(params)?;
                let name = name_of(&params.text_document.uri);
                let document = self.documents.get_mut(&name)?;
                document.version = params.text_document.version;
                for change in &params.content_changes {
                    document.text.apply(change, self.encoding);
                }
                self.changed(&name);
            }
            DidSaveTextDocument::METHOD => {
                let params: lsp_types::DidSaveTextDocumentParams = read(params)?;
                if self.settings.check_on_save {
                    let _ = self.check(&name_of(&params.text_document.uri), Asked::Everything, false);
                }
            }
            DidCloseTextDocument::METHOD => {
                let params: lsp_types::DidCloseTextDocumentParams = read(params)?;
                let name = name_of(&params.text_document.uri);
                self.documents.remove(&name);
                self.changed(&name);
                let before = self.problems.remove(&name).unwrap_or_default();
                self.publish(before.into_iter().map(|(file, _)| file).chain([name]).collect());
            }
            DidChangeConfiguration::METHOD => {
                let settings = params.get("settings")?;
                let settings = settings.get("plimsoll").unwrap_or(settings).clone();
                let debugger = self.settings.debugger;
                let settings: ClientSettings = serde_json::from_value(settings).ok()?;
                self.settings = ClientSettings { debugger, ..settings };
                self.everything_changed();
            }
            // Included files may have changed.
            DidChangeWatchedFiles::METHOD => self.everything_changed(),
            _ => {}
        }
        Some(())
    }

    fn everything_changed(&mut self) {
        let names: Vec<String> = self.documents.keys().cloned().collect();
        names.iter().for_each(|name| self.changed(name));
    }

    /// A text is not what it was: nor is what was said about it and about those that include it.
    fn changed(&mut self, name: &str) {
        for (other, document) in &mut self.documents {
            let includes = |reading: &Arc<Reading>| reading.file_named(name).is_some();
            // Whoever looked for it in vain may find it now.
            let lacks = |reading: &Arc<Reading>| {
                reading.diagnostics.iter().any(|found| found.code == promela::codes::INCLUDE_FAILED)
            };
            let concerned = |reading: &Arc<Reading>| includes(reading) || lacks(reading);
            if other == name || document.reading.as_ref().is_none_or(concerned) {
                document.outdated.extend(document.reading.take());
                document.verdicts = None;
                document.check = None;
                document.dirty = true;
            }
        }
    }

    /// The text of a file as it is in the editor.
    fn open_text(&self, path: &Path) -> Option<String> {
        self.documents.get(&path.display().to_string()).map(|document| document.text.as_str().to_string())
    }

    pub(super) fn read(&self, name: &str, text: &str) -> Reading {
        Reading::new(name, text, &self.settings.reading(), &|path| self.open_text(path))
    }

    /// Reads a text that is open.
    fn read_open(&self, name: &str, document: &Document) -> Reading {
        let memory = &mut document.memory.borrow_mut();
        let open = |path: &Path| self.open_text(path);
        Reading::again(name, document.text.as_str(), &self.settings.reading(), &open, memory)
    }

    fn keep(&mut self, name: &str, reading: Reading) -> Option<Arc<Reading>> {
        let reading = Arc::new(reading);
        let document = self.documents.get_mut(name)?;
        document.reading = Some(Arc::clone(&reading));
        if reading.is_usable() {
            document.outdated.extend(document.good.replace(Arc::clone(&reading)));
        }
        Some(reading)
    }

    /// What a text says.
    pub(super) fn reading(&mut self, name: &str) -> Option<Arc<Reading>> {
        let document = self.documents.get(name)?;
        if let Some(reading) = &document.reading {
            return Some(Arc::clone(reading));
        }
        let reading = self.read_open(name, document);
        self.keep(name, reading)
    }

    /// Says what is wrong with a text that has changed; whether there was one.
    pub(in crate::lsp) fn refresh_one(&mut self) -> bool {
        let changed = self.documents.iter().find(|(_, document)| document.dirty);
        let Some(name) = changed.map(|(name, _)| name.clone()) else { return false };
        self.refresh(&name);
        true
    }

    /// Reads a text that has changed, unless something newer comes in between: false then, but not too often in a row.
    pub(super) fn read_undisturbed(&mut self, name: &str) -> bool {
        let Some(document) = self.documents.get(name) else { return true };
        if document.reading.is_some() {
            return true;
        }
        let receiver = self.receiver.clone();
        let patient = document.interruptions >= MOST_INTERRUPTIONS;
        // Where nothing can be unwound it cannot be stopped.
        let is_over = move || cfg!(panic = "unwind") && !patient && !receiver.is_empty();
        let work = || interrupt::until(is_over, || self.read_open(name, document));
        let done = catch_unwind(AssertUnwindSafe(work));
        let is_read = !matches!(done, Ok(Err(interrupt::Interrupted)));
        match done {
            Ok(Ok(reading)) => {
                self.keep(name, reading);
            }
            Ok(Err(interrupt::Interrupted)) => {}
            Err(_) => {
                self.tell(MessageType::ERROR, "this is a defect of Plimsoll, please report it".into());
            }
        }
        if let Some(document) = self.documents.get_mut(name) {
            document.interruptions = if is_read { 0 } else { document.interruptions + 1 };
        }
        is_read
    }

    /// Reads a text again and says what is wrong with it, unless something newer comes in between.
    fn refresh(&mut self, name: &str) {
        if !self.read_undisturbed(name) {
            return;
        }
        if let Some(document) = self.documents.get_mut(name) {
            document.dirty = false;
        }
        self.say_problems(name);
        if let Some(document) = self.documents.get_mut(name) {
            document.outdated.clear();
        }
    }

    /// Publishes what there is to say about a text and what it includes.
    pub(super) fn say_problems(&mut self, name: &str) {
        let Some(document) = self.documents.get(name) else { return };
        let mut found = Vec::new();
        if let Some(reading) = &document.reading {
            found.extend(problems::problems(reading, self.encoding));
        }
        if let Some(verdicts) = &document.verdicts {
            found.extend(verdicts.problems(self.encoding));
        }
        let files = |problems: &[(String, Diagnostic)]| -> Vec<String> {
            problems.iter().map(|(file, _)| file.clone()).collect()
        };
        let mut concerned: BTreeSet<String> = files(&found).into_iter().collect();
        concerned.insert(name.to_string());
        let before = self.problems.insert(name.to_string(), found).unwrap_or_default();
        concerned.extend(files(&before));
        // A file that is a part of this one is no longer judged alone.
        if let Some(reading) = self.documents.get(name).and_then(|document| document.reading.as_ref()) {
            let included = reading.sources().files().map(|(_, file)| file.name.clone());
            concerned.extend(included.filter(|file| self.documents.contains_key(file)));
        }
        self.publish(concerned);
    }

    /// The texts that are open and include a file.
    pub(super) fn includers(&self, name: &str) -> impl Iterator<Item = (&String, &Arc<Reading>)> {
        self.documents.iter().filter_map(move |(other, document)| {
            let reading = document.reading.as_ref()?;
            (other != name && reading.file_named(name).is_some()).then_some((other, reading))
        })
    }

    fn publish(&self, files: BTreeSet<String>) {
        for file in files {
            let Some(uri) = uri_of(&file) else { continue };
            let is_part = self.includers(&file).next().is_some();
            let mut diagnostics: Vec<Diagnostic> = Vec::new();
            // A wrong letter in a declaration can make thousands: only those at one place are compared.
            let mut places: HashMap<Range, Vec<usize>> = HashMap::new();
            for (root, problems) in &self.problems {
                // A file that others include is judged as their part, not as a model of its own.
                if *root == file && is_part {
                    continue;
                }
                for (_, problem) in problems.iter().filter(|(at, _)| *at == file) {
                    let here = places.entry(problem.range).or_default();
                    if here.iter().all(|index| diagnostics[*index] != *problem) {
                        here.push(diagnostics.len());
                        diagnostics.push(problem.clone());
                    }
                }
            }
            let version = self.documents.get(&file).map(|document| document.version);
            let params = PublishDiagnosticsParams { uri, diagnostics, version };
            self.send(Notification::new(PublishDiagnostics::METHOD.into(), params));
        }
    }

    /// The reading in which a text is best understood, and which of its files it is: a file that others include means what it means
    /// there.
    pub(super) fn view(&mut self, uri: &Uri) -> Result<(Arc<Reading>, FileId), String> {
        let name = name_of(uri);
        let own = self.reading(&name).ok_or_else(|| format!("`{name}` is not open"))?;
        let includer = self.includers(&name).find_map(|(_, r)| Some((Arc::clone(r), r.file_named(&name)?)));
        Ok(includer.unwrap_or((own, ROOT)))
    }

    /// What is known of the names in a text, for somebody who types: what it says, or what it said last if it is long.
    pub(super) fn names_in(&mut self, uri: &Uri) -> Result<Arc<Reading>, String> {
        let name = name_of(uri);
        let last = |document: &Document| document.reading.as_ref().or(document.outdated.last()).cloned();
        let is_long = |reading: Arc<Reading>| {
            reading.sources().files().map(|(_, file)| file.text.len()).sum::<usize>() > SHORT
        };
        if !self.documents.get(&name).and_then(last).is_some_and(is_long) {
            self.reading(&name);
        }
        let includer = self.documents.iter().find_map(|(other, document)| {
            last(document).filter(|reading| *other != name && reading.file_named(&name).is_some())
        });
        match includer.or_else(|| self.documents.get(&name).and_then(last)) {
            Some(known) => Ok(known),
            None => Ok(self.view(uri)?.0),
        }
    }

    /// The same for a place: with the byte at which it is.
    pub(super) fn place(
        &mut self,
        at: &TextDocumentPositionParams,
    ) -> Result<(Arc<Reading>, FileId, u32), String> {
        let (reading, file) = self.view(&at.text_document.uri)?;
        let text = &self.document(&at.text_document.uri)?.text;
        Ok((reading, file, text.offset(at.position, self.encoding) as u32))
    }

    /// A text that is open.
    pub(super) fn document(&self, uri: &Uri) -> Result<&Document, String> {
        let name = name_of(uri);
        self.documents.get(&name).ok_or_else(|| format!("`{name}` is not open"))
    }

    /// Everything in which a file may be mentioned: the open texts, and models beside them that include it.
    pub(super) fn everywhere(&mut self, file: &str) -> Vec<Arc<Reading>> {
        let names: Vec<String> = self.documents.keys().cloned().collect();
        let mut readings: Vec<Arc<Reading>> = names.iter().filter_map(|name| self.reading(name)).collect();
        let short = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
        for path in self.models_on_disk() {
            let name = path.display().to_string();
            let Ok(text) = read_text(&path) else { continue };
            let mentions =
                text.contains("#") && short.as_ref().is_some_and(|short| text.contains(short.as_str()));
            if !self.documents.contains_key(&name) && mentions {
                readings.push(Arc::new(self.read(&name, &text)));
            }
        }
        readings.retain(|reading| reading.file_named(file).is_some());
        readings
    }

    pub(super) fn models_on_disk(&self) -> Vec<PathBuf> {
        let mut models = Vec::new();
        let mut folders = self.folders.clone();
        while let Some(folder) = folders.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for path in entries.flatten().map(|entry| entry.path()) {
                let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
                let known = ["pml", "prom", "promela", "spin", "h"];
                if hidden || models.len() >= MOST_FILES {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| known.iter().any(|known| e == *known)) {
                    models.push(path);
                }
            }
        }
        models.sort();
        models
    }
}
