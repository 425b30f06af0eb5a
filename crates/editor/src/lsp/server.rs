//! The loop: texts as they are typed, requests in their order, diagnostics when nothing else is to be done.

use super::checks::{Asked, Check, Checked, Limits, was_stopped};
use super::complete::{complete, signature_at};
use super::format::{Indent, format};
use super::names::{Place, declarations, is_name, references, renamed};
use super::verdicts::{CHECK, PROVE, SIMULATE, Verdicts, lenses};
use super::{hover, problems, symbols, tokens};
use crate::place::{Encoding, Text, location, name_of, path_of, range, uri_of};
use crate::reading::{ROOT, Reading, Settings, read_text};
use crate::run::Run;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeConfiguration, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument,
    DidOpenTextDocument, DidSaveTextDocument, Notification as _, PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentHighlightRequest, DocumentLinkRequest,
    DocumentSymbolRequest, ExecuteCommand, FoldingRangeRequest, Formatting, GotoDefinition, HoverRequest,
    PrepareRenameRequest, References, Rename, Request as _, SemanticTokensFullRequest, SignatureHelpRequest,
    WorkspaceSymbolRequest,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, CompletionResponse, Diagnostic, DidChangeTextDocumentParams, DocumentHighlight,
    DocumentHighlightKind, DocumentLink, DocumentLinkOptions, DocumentSymbolResponse, ExecuteCommandOptions,
    FoldingRangeProviderCapability, GotoDefinitionResponse, Hover, HoverContents, HoverProviderCapability,
    InitializeParams, Location, MarkupContent, MarkupKind, MessageType, OneOf, Position,
    PositionEncodingKind, PrepareRenameResponse, PublishDiagnosticsParams, RenameOptions, SaveOptions,
    SemanticTokens, SemanticTokensFullOptions, SemanticTokensOptions, SemanticTokensResult,
    ServerCapabilities, ShowMessageParams, SignatureHelpOptions, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, TextEdit, Uri, WorkspaceEdit,
    WorkspaceSymbolResponse,
};
use promela::interrupt;
use promela::names::{NameKind, Role};
use promela::source::{FileId, Span};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use system::simulate::{Dice, Halt};

/// Reading recurses as deep as a text is nested.
const STACK: usize = 64 << 20;
/// How often in a row reading may be given up for something newer.
const MOST_INTERRUPTIONS: u32 = 5;
/// So many files of a folder are looked into for whoever asks about all of them.
const MOST_FILES: usize = 500;
/// Steps of a simulation that is only told about.
const MOST_STEPS: usize = 10_000;

/// Serves over the standard input and output until the client says goodbye. Whether it did so properly is returned.
pub fn serve_stdio() -> bool {
    let (connection, threads) = Connection::stdio();
    let served = std::thread::Builder::new().stack_size(STACK).spawn(move || serve(&connection));
    let ended = served.map(|thread| thread.join());
    let properly = matches!(ended, Ok(Ok(Ok(()))));
    // Without a goodbye the reader still waits for a line that does not come.
    properly && threads.join().is_ok()
}

/// Serves a client until it says goodbye.
pub fn serve(connection: &Connection) -> Result<(), ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params).unwrap_or_default();
    let (answers, answered) = unbounded();
    let client = (connection.sender.clone(), connection.receiver.clone());
    let mut server = Server::new(client, &params, answers);
    connection.initialize_finish(id, server.introduction())?;
    server.run(connection, &answered)
}

/// What a client may set.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ClientSettings {
    /// Ask the engines when a text is saved.
    check_on_save: bool,
    /// How long they may take.
    seconds: f64,
    /// How much memory they may use.
    memory_megabytes: usize,
    /// Macros, as `NAME` or `NAME=VALUE`.
    defines: Vec<String>,
    /// Folders for included files.
    include_folders: Vec<PathBuf>,
    /// The client has commands of its own that simulate and step, in its debugger.
    debugger: bool,
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
    fn reading(&self) -> Settings {
        let define = |text: &String| {
            let (name, value) = text.split_once('=').unwrap_or((text, "1"));
            (name.to_string(), value.to_string())
        };
        let options =
            promela::Options { defines: self.defines.iter().map(define).collect(), undefines: Vec::new() };
        Settings { options, include_folders: self.include_folders.clone() }
    }

    fn limits(&self) -> Limits {
        let seconds = if self.seconds.is_finite() { self.seconds.clamp(0.1, 86_400.0) } else { 10.0 };
        let memory = self.memory_megabytes.clamp(16, 1 << 20) << 20;
        Limits { time: Duration::from_secs_f64(seconds), memory }
    }
}

/// A text that is open in the editor.
struct Document {
    text: Text,
    version: i32,
    /// What it says now.
    reading: Option<Arc<Reading>>,
    /// What it said when it last meant something.
    good: Option<Arc<Reading>>,
    /// What it said before: taken apart when nobody waits.
    outdated: Vec<Arc<Reading>>,
    verdicts: Option<Verdicts>,
    check: Option<Check>,
    /// What is wrong with it has not been said since it changed.
    dirty: bool,
    interruptions: u32,
}

pub(super) struct Server {
    sender: Sender<Message>,
    receiver: Receiver<Message>,
    answers: Sender<Checked>,
    encoding: Encoding,
    snippets: bool,
    /// The client asks for lenses again when told to.
    refreshes_lenses: bool,
    settings: ClientSettings,
    folders: Vec<PathBuf>,
    documents: BTreeMap<String, Document>,
    /// What each text has to say about which file.
    problems: HashMap<String, Vec<(String, Diagnostic)>>,
    checks: u64,
}

type Answer = Result<Value, String>;

impl Server {
    pub(super) fn new(
        (sender, receiver): (Sender<Message>, Receiver<Message>),
        params: &InitializeParams,
        answers: Sender<Checked>,
    ) -> Server {
        let encodings = params.capabilities.general.as_ref().and_then(|g| g.position_encodings.as_ref());
        let bytes = encodings.is_some_and(|known| known.contains(&PositionEncodingKind::UTF8));
        let completion = params.capabilities.text_document.as_ref().and_then(|t| t.completion.as_ref());
        let item = completion.and_then(|completion| completion.completion_item.as_ref());
        let workspace = params.capabilities.workspace.as_ref();
        let lenses = workspace.and_then(|workspace| workspace.code_lens.as_ref());
        let settings = params.initialization_options.clone();
        let settings = settings.and_then(|options| serde_json::from_value(options).ok()).unwrap_or_default();
        let folders = params.workspace_folders.iter().flatten().filter_map(|folder| path_of(&folder.uri));
        Server {
            sender,
            receiver,
            answers,
            encoding: if bytes { Encoding::Utf8 } else { Encoding::Utf16 },
            snippets: item.is_some_and(|item| item.snippet_support == Some(true)),
            refreshes_lenses: lenses.is_some_and(|lenses| lenses.refresh_support == Some(true)),
            settings,
            folders: folders.collect(),
            documents: BTreeMap::new(),
            problems: HashMap::new(),
            checks: 0,
        }
    }

    /// What a client is told first.
    pub(super) fn introduction(&self) -> Value {
        json!({
            "capabilities": self.capabilities(),
            "serverInfo": { "name": "plimsoll", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn capabilities(&self) -> ServerCapabilities {
        let encoding = match self.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        };
        let mut commands = vec![CHECK.to_string(), PROVE.to_string()];
        if !self.settings.debugger {
            commands.push(SIMULATE.to_string());
        }
        let trigger = |letters: &[&str]| Some(letters.iter().map(ToString::to_string).collect());
        ServerCapabilities {
            position_encoding: Some(encoding),
            text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            })),
            definition_provider: Some(OneOf::Left(true)),
            references_provider: Some(OneOf::Left(true)),
            document_highlight_provider: Some(OneOf::Left(true)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            rename_provider: Some(OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: Default::default(),
            })),
            completion_provider: Some(CompletionOptions {
                trigger_characters: trigger(&[".", "@", "#"]),
                ..CompletionOptions::default()
            }),
            signature_help_provider: Some(SignatureHelpOptions {
                trigger_characters: trigger(&["(", ",", "!", "?"]),
                ..SignatureHelpOptions::default()
            }),
            document_symbol_provider: Some(OneOf::Left(true)),
            workspace_symbol_provider: Some(OneOf::Left(true)),
            document_link_provider: Some(DocumentLinkOptions {
                resolve_provider: Some(false),
                work_done_progress_options: Default::default(),
            }),
            folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
            document_formatting_provider: Some(OneOf::Left(true)),
            code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                ..CodeActionOptions::default()
            })),
            semantic_tokens_provider: Some(
                SemanticTokensOptions {
                    legend: tokens::legend(),
                    full: Some(SemanticTokensFullOptions::Bool(true)),
                    ..SemanticTokensOptions::default()
                }
                .into(),
            ),
            execute_command_provider: Some(ExecuteCommandOptions { commands, ..Default::default() }),
            ..ServerCapabilities::default()
        }
    }

    fn run(&mut self, connection: &Connection, answered: &Receiver<Checked>) -> Result<(), ProtocolError> {
        let mut waiting: VecDeque<Message> = VecDeque::new();
        loop {
            waiting.extend(self.receiver.try_iter());
            self.cancel(&mut waiting);
            if let Some(message) = waiting.pop_front() {
                match &message {
                    Message::Request(request) if connection.handle_shutdown(request)? => return Ok(()),
                    Message::Notification(notification) if notification.method == "exit" => return Ok(()),
                    _ => self.hear(message),
                }
                continue;
            }
            if self.refresh_one() {
                continue;
            }
            select! {
                recv(self.receiver) -> message => match message {
                    Ok(message) => waiting.push_back(message),
                    // The client is gone without a word.
                    Err(_) => return Ok(()),
                },
                recv(answered) -> checked => if let Ok(checked) = checked {
                    self.checked(checked);
                },
            }
        }
    }

    /// Does what a message asks for.
    pub(super) fn hear(&mut self, message: Message) {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) => self.notified(notification),
            Message::Response(_) => {}
        }
    }

    /// Says what is wrong with a text that has changed; whether there was one.
    pub(super) fn refresh_one(&mut self) -> bool {
        let changed = self.documents.iter().find(|(_, document)| document.dirty);
        let Some(name) = changed.map(|(name, _)| name.clone()) else { return false };
        self.refresh(&name);
        true
    }

    /// Requests whose answers nobody wants any more are answered with just that.
    fn cancel(&self, waiting: &mut VecDeque<Message>) {
        let cancelled: Vec<RequestId> = waiting
            .iter()
            .filter_map(|message| match message {
                Message::Notification(n) if n.method == Cancel::METHOD => {
                    let id = n.params.get("id")?;
                    match (id.as_i64(), id.as_str()) {
                        (Some(number), _) => Some(RequestId::from(number as i32)),
                        (_, Some(text)) => Some(RequestId::from(text.to_string())),
                        _ => None,
                    }
                }
                _ => None,
            })
            .collect();
        if cancelled.is_empty() {
            return;
        }
        waiting.retain(|message| match message {
            Message::Request(request) if cancelled.contains(&request.id) => {
                let text = "nobody wants the answer any more".to_string();
                self.send(Response::new_err(request.id.clone(), ErrorCode::RequestCanceled as i32, text));
                false
            }
            Message::Notification(notification) => notification.method != Cancel::METHOD,
            _ => true,
        });
    }

    fn send(&self, message: impl Into<Message>) {
        // If nobody listens any more the loop ends by itself.
        let _ = self.sender.send(message.into());
    }

    fn tell(&self, typ: MessageType, message: String) {
        let params = ShowMessageParams { typ, message };
        self.send(Notification::new(ShowMessage::METHOD.into(), params));
    }

    /// Answers a request; a defect of ours is an answer too, and the server goes on.
    fn request(&mut self, request: Request) {
        let Request { id, method, params, .. } = request;
        let done = catch_unwind(AssertUnwindSafe(|| self.answer(&method, params)));
        self.send(match done {
            Ok(Some(Ok(value))) => Response::new_ok(id, value),
            Ok(Some(Err(message))) => Response::new_err(id, ErrorCode::RequestFailed as i32, message),
            Ok(None) => Response::new_err(
                id,
                ErrorCode::MethodNotFound as i32,
                format!("`{method}` is not known here"),
            ),
            Err(_) => {
                let text = "this is a defect of Plimsoll, please report it".to_string();
                Response::new_err(id, ErrorCode::InternalError as i32, text)
            }
        });
    }

    fn answer(&mut self, method: &str, params: Value) -> Option<Answer> {
        Some(match method {
            GotoDefinition::METHOD => self.with(params, Self::definition),
            References::METHOD => self.with(params, Self::references),
            DocumentHighlightRequest::METHOD => self.with(params, Self::highlights),
            HoverRequest::METHOD => self.with(params, Self::hover),
            PrepareRenameRequest::METHOD => self.with(params, Self::prepare_rename),
            Rename::METHOD => self.with(params, Self::rename),
            Completion::METHOD => self.with(params, Self::completion),
            SignatureHelpRequest::METHOD => self.with(params, Self::signature_help),
            DocumentSymbolRequest::METHOD => self.with(params, Self::document_symbols),
            WorkspaceSymbolRequest::METHOD => self.with(params, Self::workspace_symbols),
            DocumentLinkRequest::METHOD => self.with(params, Self::links),
            FoldingRangeRequest::METHOD => self.with(params, Self::folds),
            Formatting::METHOD => self.with(params, Self::format),
            SemanticTokensFullRequest::METHOD => self.with(params, Self::tokens),
            CodeLensRequest::METHOD => self.with(params, Self::lenses),
            CodeActionRequest::METHOD => self.with(params, Self::actions),
            ExecuteCommand::METHOD => self.with(params, Self::command),
            _ => return None,
        })
    }

    fn with<P: DeserializeOwned, R: serde::Serialize>(
        &mut self,
        params: Value,
        work: impl FnOnce(&mut Self, P) -> Result<R, String>,
    ) -> Answer {
        let params = serde_json::from_value(params).map_err(|error| error.to_string())?;
        serde_json::to_value(work(self, params)?).map_err(|error| error.to_string())
    }

    fn notified(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        let done = catch_unwind(AssertUnwindSafe(|| self.note(&method, params)));
        if done.is_err() {
            self.tell(
                MessageType::ERROR,
                format!("this is a defect of Plimsoll, please report it ({method})"),
            );
        }
    }

    fn note(&mut self, method: &str, params: Value) -> Option<()> {
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

    fn read(&self, name: &str, text: &str) -> Reading {
        Reading::new(name, text, &self.settings.reading(), &|path| self.open_text(path))
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
    fn reading(&mut self, name: &str) -> Option<Arc<Reading>> {
        let document = self.documents.get(name)?;
        if let Some(reading) = &document.reading {
            return Some(Arc::clone(reading));
        }
        let reading = self.read(name, document.text.as_str());
        self.keep(name, reading)
    }

    /// Reads a text again and says what is wrong with it, unless something newer comes in between.
    fn refresh(&mut self, name: &str) {
        let Some(document) = self.documents.get(name) else { return };
        if document.reading.is_none() {
            let receiver = self.receiver.clone();
            let patient = document.interruptions >= MOST_INTERRUPTIONS;
            let is_over = move || !patient && !receiver.is_empty();
            let work = || interrupt::until(is_over, || self.read(name, document.text.as_str()));
            let done = catch_unwind(AssertUnwindSafe(work));
            match done {
                Ok(Ok(reading)) => {
                    self.keep(name, reading);
                }
                Ok(Err(interrupt::Interrupted)) => {
                    if let Some(document) = self.documents.get_mut(name) {
                        document.interruptions += 1;
                    }
                    return;
                }
                Err(_) => {
                    self.tell(MessageType::ERROR, "this is a defect of Plimsoll, please report it".into());
                }
            }
        }
        if let Some(document) = self.documents.get_mut(name) {
            document.dirty = false;
            document.interruptions = 0;
        }
        self.say_problems(name);
        if let Some(document) = self.documents.get_mut(name) {
            document.outdated.clear();
        }
    }

    /// Publishes what there is to say about a text and what it includes.
    fn say_problems(&mut self, name: &str) {
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
    fn includers(&self, name: &str) -> impl Iterator<Item = (&String, &Arc<Reading>)> {
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
            for (root, problems) in &self.problems {
                // A file that others include is judged as their part, not as a model of its own.
                if *root == file && is_part {
                    continue;
                }
                for (_, problem) in problems.iter().filter(|(at, _)| *at == file) {
                    if !diagnostics.contains(problem) {
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
    fn view(&mut self, uri: &Uri) -> Result<(Arc<Reading>, FileId), String> {
        let name = name_of(uri);
        let own = self.reading(&name).ok_or_else(|| format!("`{name}` is not open"))?;
        let includer = self.includers(&name).find_map(|(_, r)| Some((Arc::clone(r), r.file_named(&name)?)));
        Ok(includer.unwrap_or((own, ROOT)))
    }

    fn offset(&self, uri: &Uri, position: Position) -> u32 {
        self.documents.get(&name_of(uri)).map_or(0, |d| d.text.offset(position, self.encoding)) as u32
    }

    /// Everything in which a file may be mentioned: the open texts, and models beside them that include it.
    fn everywhere(&mut self, file: &str) -> Vec<Arc<Reading>> {
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

    fn models_on_disk(&self) -> Vec<PathBuf> {
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

    fn definition(
        &mut self,
        params: lsp_types::GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>, String> {
        let at = params.text_document_position_params;
        let (reading, file) = self.view(&at.text_document.uri)?;
        let offset = self.offset(&at.text_document.uri, at.position);
        let spans = declarations(&reading, file, offset);
        let places = spans.iter().filter_map(|&span| location(reading.sources(), span, self.encoding));
        let places: Vec<Location> = places.collect();
        Ok((!places.is_empty()).then_some(GotoDefinitionResponse::Array(places)))
    }

    fn references(&mut self, params: lsp_types::ReferenceParams) -> Result<Option<Vec<Location>>, String> {
        let at = params.text_document_position;
        let (reading, file) = self.view(&at.text_document.uri)?;
        let offset = self.offset(&at.text_document.uri, at.position);
        let declared = declarations(&reading, file, offset);
        let Some(&first) = declared.first() else { return Ok(None) };
        let places: Vec<Place> = declared.iter().map(|&span| Place::of(&reading, span)).collect();
        let home = reading.sources().file(first.file).name.clone();
        let mut found = BTreeMap::new();
        for other in self.everywhere(&home) {
            let declared: Vec<Span> = places.iter().filter_map(|place| place.in_reading(&other)).collect();
            for mention in references(&other, &declared, params.context.include_declaration) {
                if let Some(place) = location(other.sources(), mention.span, self.encoding) {
                    found.insert(Place::of(&other, mention.span), place);
                }
            }
        }
        Ok(Some(found.into_values().collect()))
    }

    fn highlights(
        &mut self,
        params: lsp_types::DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>, String> {
        let at = params.text_document_position_params;
        let (reading, file) = self.view(&at.text_document.uri)?;
        let offset = self.offset(&at.text_document.uri, at.position);
        let mut found = Vec::new();
        for declared in declarations(&reading, file, offset) {
            for mention in reading.mentions_of(declared).filter(|mention| mention.span.file == file) {
                let kind = match mention.role {
                    Role::Written | Role::Sent | Role::Declared => DocumentHighlightKind::WRITE,
                    _ => DocumentHighlightKind::READ,
                };
                let range = range(reading.sources(), mention.span, self.encoding);
                found.push(DocumentHighlight { range, kind: Some(kind) });
            }
        }
        found.dedup_by_key(|highlight| highlight.range);
        Ok(Some(found))
    }

    fn hover(&mut self, params: lsp_types::HoverParams) -> Result<Option<Hover>, String> {
        let at = params.text_document_position_params;
        let uri = &at.text_document.uri;
        let (reading, file) = self.view(uri)?;
        let mentions = reading.mentioned_at(file, self.offset(uri, at.position));
        let verdicts = self.documents.get(&name_of(uri)).and_then(|document| document.verdicts.as_ref());
        let Some(first) = mentions.first() else { return Ok(None) };
        let texts: Vec<String> =
            mentions.iter().filter_map(|mention| hover::about(&reading, mention, verdicts)).collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let value = texts.join("\n\n---\n\n");
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Ok(Some(Hover { contents, range: Some(range(reading.sources(), first.span, self.encoding)) }))
    }

    fn prepare_rename(
        &mut self,
        params: lsp_types::TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>, String> {
        let uri = &params.text_document.uri;
        let (reading, file) = self.view(uri)?;
        let offset = self.offset(uri, params.position);
        let mentions = reading.mentioned_at(file, offset);
        let Some(mention) = mentions.first().filter(|mention| mention.kind != NameKind::File) else {
            return Ok(None);
        };
        let declared = declarations(&reading, file, offset);
        renamed(&reading, &declared)?;
        Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: range(reading.sources(), mention.span, self.encoding),
            placeholder: reading.sources().text(mention.span).to_string(),
        }))
    }

    fn rename(&mut self, params: lsp_types::RenameParams) -> Result<WorkspaceEdit, String> {
        let at = params.text_document_position;
        let new_name = params.new_name;
        if !is_name(&new_name) {
            return Err(format!("`{new_name}` is not a name"));
        }
        let (reading, file) = self.view(&at.text_document.uri)?;
        let offset = self.offset(&at.text_document.uri, at.position);
        let declared = declarations(&reading, file, offset);
        let Some(&first) = declared.first() else { return Err("there is no name here".into()) };
        let places: Vec<Place> = declared.iter().map(|&span| Place::of(&reading, span)).collect();
        let home = reading.sources().file(first.file).name.clone();
        let mut changes: BTreeMap<Place, lsp_types::Range> = BTreeMap::new();
        let readings = self.everywhere(&home);
        for other in &readings {
            let declared: Vec<Span> = places.iter().filter_map(|place| place.in_reading(other)).collect();
            for mention in renamed(other, &declared)? {
                changes.insert(
                    Place::of(other, mention.span),
                    range(other.sources(), mention.span, self.encoding),
                );
            }
        }
        for other in &readings {
            self.stays_right(other, &changes, &new_name)?;
        }
        #[allow(clippy::mutable_key_type, reason = "the protocol's own type")]
        let mut edits: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        for (place, range) in changes {
            let uri = uri_of(&place.file).ok_or_else(|| format!("`{}` is no file", place.file))?;
            edits.entry(uri).or_default().push(TextEdit { range, new_text: new_name.clone() });
        }
        Ok(WorkspaceEdit { changes: Some(edits), ..WorkspaceEdit::default() })
    }

    /// Whether a text that is renamed in means something as before; the other name may be taken.
    fn stays_right(
        &self,
        reading: &Reading,
        changes: &BTreeMap<Place, lsp_types::Range>,
        new_name: &str,
    ) -> Result<(), String> {
        let changed = |file: &str, text: &str| {
            let mut text = text.to_string();
            for place in changes.keys().rev().filter(|place| place.file == file) {
                text.replace_range(place.start as usize..place.end as usize, new_name);
            }
            text
        };
        let root = reading.sources().file(ROOT);
        let texts: HashMap<String, String> = reading
            .sources()
            .files()
            .map(|(_, file)| (file.name.clone(), changed(&file.name, &file.text)))
            .collect();
        let open = |path: &Path| texts.get(&path.display().to_string()).cloned();
        let after =
            Reading::new(&root.name, &changed(&root.name, &root.text), &self.settings.reading(), &open);
        // The same mistakes as before may be there, in other words, and warnings about order do not count.
        let errors = |reading: &Reading| {
            let error =
                |d: &&promela::diagnostic::Diagnostic| d.severity == promela::diagnostic::Severity::Error;
            reading.diagnostics.iter().filter(error).count()
        };
        if errors(&after) > errors(reading)
            || after.mentions_in(ROOT).len() != reading.mentions_in(ROOT).len()
        {
            let first = after.diagnostics.first().map_or_else(String::new, |d| format!(": {}", d.message));
            return Err(format!("with the name `{new_name}` the model would mean something else{first}"));
        }
        Ok(())
    }

    fn completion(&mut self, params: lsp_types::CompletionParams) -> Result<CompletionResponse, String> {
        let at = params.text_document_position;
        let uri = &at.text_document.uri;
        let (reading, _) = self.view(uri)?;
        let offset = self.offset(uri, at.position) as usize;
        let document = self.documents.get(&name_of(uri)).ok_or("it is not open")?;
        let readings: Vec<&Reading> = std::iter::once(&reading).chain(&document.good).map(|r| &**r).collect();
        let items = complete(&readings, document.text.as_str(), offset, self.snippets);
        Ok(CompletionResponse::Array(items))
    }

    fn signature_help(
        &mut self,
        params: lsp_types::SignatureHelpParams,
    ) -> Result<Option<lsp_types::SignatureHelp>, String> {
        let at = params.text_document_position_params;
        let uri = &at.text_document.uri;
        let (reading, _) = self.view(uri)?;
        let offset = self.offset(uri, at.position) as usize;
        let document = self.documents.get(&name_of(uri)).ok_or("it is not open")?;
        let readings: Vec<&Reading> = std::iter::once(&reading).chain(&document.good).map(|r| &**r).collect();
        Ok(signature_at(&readings, document.text.as_str(), offset))
    }

    fn document_symbols(
        &mut self,
        params: lsp_types::DocumentSymbolParams,
    ) -> Result<DocumentSymbolResponse, String> {
        let (reading, file) = self.view(&params.text_document.uri)?;
        Ok(DocumentSymbolResponse::Nested(symbols::outline(&reading, file, self.encoding)))
    }

    fn workspace_symbols(
        &mut self,
        params: lsp_types::WorkspaceSymbolParams,
    ) -> Result<WorkspaceSymbolResponse, String> {
        let names: Vec<String> = self.documents.keys().cloned().collect();
        let mut readings: Vec<Arc<Reading>> = names.iter().filter_map(|name| self.reading(name)).collect();
        for path in self.models_on_disk() {
            let name = path.display().to_string();
            if !self.documents.contains_key(&name)
                && let Ok(text) = read_text(&path)
                // Without the word there is no name with it.
                && text.to_lowercase().contains(&params.query.to_lowercase())
            {
                readings.push(Arc::new(self.read(&name, &text)));
            }
        }
        let mut found = Vec::new();
        for symbol in readings.iter().flat_map(|r| symbols::matching(r, &params.query, self.encoding)) {
            if !found.contains(&symbol) {
                found.push(symbol);
            }
        }
        Ok(WorkspaceSymbolResponse::Flat(found))
    }

    fn links(&mut self, params: lsp_types::DocumentLinkParams) -> Result<Vec<DocumentLink>, String> {
        let (reading, file) = self.view(&params.text_document.uri)?;
        let link = |mention: &promela::names::Mention| {
            let target = uri_of(&reading.sources().file(mention.declared.file).name)?;
            let range = range(reading.sources(), mention.span, self.encoding);
            Some(DocumentLink { range, target: Some(target), tooltip: None, data: None })
        };
        let files = reading.mentions_in(file).iter().filter(|mention| mention.kind == NameKind::File);
        Ok(files.filter_map(link).collect())
    }

    fn folds(
        &mut self,
        params: lsp_types::FoldingRangeParams,
    ) -> Result<Vec<lsp_types::FoldingRange>, String> {
        let document = self.documents.get(&name_of(&params.text_document.uri)).ok_or("it is not open")?;
        Ok(symbols::folds(&document.text))
    }

    fn format(&mut self, params: lsp_types::DocumentFormattingParams) -> Result<Vec<TextEdit>, String> {
        let document = self.documents.get(&name_of(&params.text_document.uri)).ok_or("it is not open")?;
        let indent = match params.options.insert_spaces {
            true => Indent::blanks(params.options.tab_size as usize),
            false => Indent::tab(),
        };
        let text = document.text.as_str();
        let formatted = format(text, &indent);
        if formatted == text {
            return Ok(Vec::new());
        }
        let range = document.text.range(0..text.len(), self.encoding);
        Ok(vec![TextEdit { range, new_text: formatted }])
    }

    fn tokens(&mut self, params: lsp_types::SemanticTokensParams) -> Result<SemanticTokensResult, String> {
        let (reading, file) = self.view(&params.text_document.uri)?;
        let data = tokens::tokens(&reading, file, self.encoding);
        Ok(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data }))
    }

    fn lenses(&mut self, params: lsp_types::CodeLensParams) -> Result<Vec<lsp_types::CodeLens>, String> {
        let uri = &params.text_document.uri;
        let (reading, file) = self.view(uri)?;
        let verdicts = self.documents.get(&name_of(uri)).and_then(|document| document.verdicts.as_ref());
        let mut lenses = lenses(&reading, file, verdicts, uri.as_str(), self.encoding);
        if !self.settings.debugger {
            lenses.retain(|lens| lens.command.as_ref().is_none_or(|c| c.command != super::verdicts::DEBUG));
        }
        Ok(lenses)
    }

    fn actions(&mut self, params: lsp_types::CodeActionParams) -> Result<Vec<CodeActionOrCommand>, String> {
        let uri = &params.text_document.uri;
        let (reading, file) = self.view(uri)?;
        let document = self.documents.get(&name_of(uri)).ok_or("it is not open")?;
        let fixes = problems::fixes(&reading, file, &document.text, params.range, self.encoding);
        Ok(fixes.into_iter().map(CodeActionOrCommand::CodeAction).collect())
    }

    fn command(&mut self, params: lsp_types::ExecuteCommandParams) -> Result<Value, String> {
        let text = |index: usize| params.arguments.get(index).and_then(Value::as_str);
        let uri = text(0).ok_or("the command needs the URI of a text")?;
        let uri: Uri = uri.parse().map_err(|_| format!("`{uri}` is no URI"))?;
        let name = name_of(&uri);
        let asked = text(1).map_or(Asked::Everything, |question| Asked::One(question.to_string()));
        match params.command.as_str() {
            CHECK => self.check(&name, asked, false)?,
            PROVE => self.check(&name, asked, true)?,
            SIMULATE => {
                let told = self.simulate(&name)?;
                self.tell(MessageType::INFO, told);
            }
            other => return Err(format!("`{other}` is not known here")),
        }
        Ok(Value::Null)
    }

    /// Asks the engines about a text; what they say is shown when they say it.
    fn check(&mut self, name: &str, asked: Asked, thorough: bool) -> Result<(), String> {
        let reading = self.reading(name).ok_or_else(|| format!("`{name}` is not open"))?;
        if !reading.is_usable() {
            return Err("there are errors in the model".into());
        }
        self.checks += 1;
        let what = (name.to_string(), reading);
        let check =
            Check::start(self.checks, what, (asked, thorough), self.settings.limits(), self.answers.clone());
        if let Some(document) = self.documents.get_mut(name) {
            document.check = Some(check);
        }
        Ok(())
    }

    fn checked(&mut self, checked: Checked) {
        let Checked { name, number, reading, report } = checked;
        let Some(document) = self.documents.get_mut(&name) else { return };
        // The text has changed, or something else was asked since.
        if document.check.as_ref().is_none_or(|check| check.number != number) {
            return;
        }
        document.check = None;
        let Some(report) = report.filter(|report| !was_stopped(report)) else { return };
        match &mut document.verdicts {
            Some(verdicts) => verdicts.add(report),
            verdicts => *verdicts = Some(Verdicts { reading, report }),
        }
        let summary = document.verdicts.as_ref().map(|verdicts| verdicts.report.summary());
        self.say_problems(&name);
        if let (Some(summary), Some(uri)) = (summary, uri_of(&name)) {
            // For whoever shows it: the editor's status line, tests.
            let counts = json!({
                "uri": uri, "proved": summary.proved, "violated": summary.violated, "unknown": summary.unknown,
            });
            self.send(Notification::new("plimsoll/checked".into(), counts));
        }
        if self.refreshes_lenses {
            let id = RequestId::from(format!("lenses {number}"));
            self.send(Request::new(id, "workspace/codeLens/refresh".into(), ()));
        }
    }

    fn simulate(&mut self, name: &str) -> Result<String, String> {
        let reading = self.reading(name).ok_or_else(|| format!("`{name}` is not open"))?;
        if !reading.is_usable() {
            return Err("there are errors in the model".into());
        }
        let mut run = Run::begin(reading.system.clone())?;
        let mut dice = Dice::new(1);
        while run.steps().len() < MOST_STEPS && run.failure().is_none() {
            let choices = run.choices(run.last());
            if choices.is_empty() {
                break;
            }
            run.take(choices[dice.roll(choices.len())]);
        }
        let steps = verify::counted(run.steps().len(), "step");
        let violated = run.steps().iter().flat_map(|taken| &taken.violations).next();
        Ok(match (run.failure().or(violated.map(String::as_str)), run.halt()) {
            (Some(problem), _) => format!("after {steps}: {problem}"),
            (None, Some(Halt::Finished)) => format!("finished after {steps}"),
            (None, Some(Halt::Deadlock)) => format!("deadlock after {steps}: nothing can move"),
            (None, Some(Halt::Error(error))) => format!("error after {steps}: {}", error.kind),
            (None, None) => format!("stopped after {steps}"),
        })
    }
}
