//! The loop: texts as they are typed, requests in their order, diagnostics when nothing else is to be done.

mod capabilities;
mod engines;
mod names;
mod settings;
mod stale;
mod texts;
mod views;

use super::checks::{Check, Checked};
use super::verdicts::Verdicts;
use crate::place::{Encoding, Text, path_of};
use crate::reading::Reading;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, Response};
use lsp_types::notification::{Notification as _, ShowMessage};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentHighlightRequest, DocumentLinkRequest,
    DocumentSymbolRequest, ExecuteCommand, FoldingRangeRequest, Formatting, GotoDefinition, HoverRequest,
    PrepareRenameRequest, References, Rename, Request as _, SemanticTokensFullRequest, SignatureHelpRequest,
    WorkspaceSymbolRequest,
};
use lsp_types::{Diagnostic, InitializeParams, MessageType, PositionEncodingKind, ShowMessageParams};
use promela::again::Memory;
use serde::de::DeserializeOwned;
use serde_json::Value;
use settings::ClientSettings;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

/// Reading recurses as deep as a text is nested.
const STACK: usize = 64 << 20;

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

/// A text that is open in the editor.
struct Document {
    text: Text,
    version: i32,
    /// What is remembered of it for reading it again.
    memory: RefCell<Memory>,
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

    fn run(&mut self, connection: &Connection, answered: &Receiver<Checked>) -> Result<(), ProtocolError> {
        let mut waiting: VecDeque<Message> = VecDeque::new();
        loop {
            waiting.extend(self.receiver.try_iter());
            self.drop_stale(&mut waiting);
            if let Some(message) = waiting.pop_front() {
                match &message {
                    // Whatever came in between may make it needless.
                    Message::Request(request) if !self.is_ready_for(request) => waiting.push_front(message),
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
}
