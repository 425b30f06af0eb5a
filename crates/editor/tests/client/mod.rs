//! A scripted client: what an editor sends, and what it gets.

#![allow(dead_code, reason = "each suite uses a part of it")]

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::time::Duration;

pub struct Client {
    connection: Connection,
    server: Option<std::thread::JoinHandle<()>>,
    requests: i32,
    versions: i32,
    /// What came beside answers.
    pub heard: Vec<Notification>,
}

/// Nobody is waited for longer; only a test that fails waits so long.
const PATIENCE: Duration = Duration::from_secs(120);

impl Client {
    pub fn start() -> Client {
        Client::start_with(json!({ "checkOnSave": false }), &[])
    }

    pub fn start_with(options: Value, folders: &[&std::path::Path]) -> Client {
        let (ours, theirs) = Connection::memory();
        let server = std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn(move || editor::lsp::serve(&theirs).expect("the client says goodbye"))
            .expect("a thread");
        let mut client =
            Client { connection: ours, server: Some(server), requests: 0, versions: 0, heard: Vec::new() };
        let folders: Vec<Value> = folders
            .iter()
            .map(|f| json!({ "uri": format!("file://{}", f.display()), "name": "x" }))
            .collect();
        let answer = client.ask(
            "initialize",
            json!({ "capabilities": { "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } },
                    "initializationOptions": options, "workspaceFolders": folders }),
        );
        assert!(answer["capabilities"]["hoverProvider"].as_bool().unwrap_or(false), "{answer}");
        client.tell("initialized", json!({}));
        client
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.connection
            .sender
            .send(Notification::new(method.into(), params).into())
            .expect("the server lives");
    }

    pub fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let request = Request::new(id.clone(), method.into(), params);
        self.connection.sender.send(request.into()).expect("the server lives");
        id
    }

    pub fn response(&mut self, id: &RequestId) -> Response {
        loop {
            match self.connection.receiver.recv_timeout(PATIENCE).expect("an answer in time") {
                Message::Response(response) if response.id == *id => return response,
                Message::Notification(notification) => self.heard.push(notification),
                _ => {}
            }
        }
    }

    /// The answer, which must not be an error.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let response = self.response(&id);
        match response.response_result {
            Ok(value) => value,
            Err(error) => panic!("{method}: {}", error.message),
        }
    }

    /// The error, which must be one.
    pub fn ask_in_vain(&mut self, method: &str, params: Value) -> String {
        let id = self.send(method, params);
        match self.response(&id).response_result {
            Ok(value) => panic!("{method}: {value}"),
            Err(error) => error.message,
        }
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        self.versions += 1;
        let document = json!({ "uri": uri, "languageId": "promela", "version": self.versions, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn replace(&mut self, uri: &str, text: &str) {
        self.change(uri, json!({ "text": text }));
    }

    pub fn change(&mut self, uri: &str, change: Value) {
        self.versions += 1;
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": self.versions }, "contentChanges": [change] }),
        );
    }

    /// The diagnostics of the latest version of a text.
    pub fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        let version = self.versions;
        self.hear("textDocument/publishDiagnostics", |params| {
            params["uri"] == uri && params["version"] == version
        })["diagnostics"]
            .as_array()
            .expect("a list")
            .clone()
    }

    /// The next notification of a kind that is as wanted; older ones are forgotten.
    pub fn hear(&mut self, method: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.heard.iter().rposition(|n| n.method == method && wanted(&n.params)) {
            return self.heard.drain(..=at).next_back().expect("it is there").params;
        }
        loop {
            match self.connection.receiver.recv_timeout(PATIENCE).expect("news in time") {
                Message::Notification(n) if n.method == method && wanted(&n.params) => return n.params,
                Message::Notification(n) => self.heard.push(n),
                _ => {}
            }
        }
    }

    /// Asks the engines and waits for what they say: the diagnostics after that.
    pub fn check(&mut self, uri: &str) -> Vec<Value> {
        self.ask("workspace/executeCommand", json!({ "command": "plimsoll.check", "arguments": [uri] }));
        self.hear("plimsoll/checked", |params| params["uri"] == uri);
        let said = |n: &Notification| n.method == "textDocument/publishDiagnostics" && n.params["uri"] == uri;
        let last = self.heard.iter().rfind(|n| said(n)).expect("they are published before it is said");
        last.params["diagnostics"].as_array().expect("a list").clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.take().expect("it was started").join().expect("it ends well");
    }
}

/// A text with one `|` in it: the text without, and the position.
pub fn cursor(text: &str) -> (String, Value) {
    let at = text.find('|').expect("a cursor");
    (text.replacen('|', "", 1), position(text, at))
}

/// The position of the n-th occurrence of a word (from 0).
pub fn position_of(text: &str, word: &str, n: usize) -> Value {
    let (at, _) = text.match_indices(word).nth(n).unwrap_or_else(|| panic!("{n} times `{word}`"));
    position(text, at)
}

pub fn position(text: &str, at: usize) -> Value {
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": line, "character": text[start..at].encode_utf16().count() })
}

/// The byte of a position.
pub fn offset(text: &str, position: &Value) -> usize {
    let number = |name: &str| position[name].as_u64().expect("a number") as usize;
    let start: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
    let mut units = 0;
    for (at, letter) in text[start..].char_indices() {
        if units >= number("character") {
            return start + at;
        }
        units += letter.len_utf16();
    }
    text.len()
}

/// The text that a range covers.
pub fn covered<'t>(text: &'t str, range: &Value) -> &'t str {
    &text[offset(text, &range["start"])..offset(text, &range["end"])]
}

/// The text after some edits.
pub fn edited(text: &str, edits: &[Value]) -> String {
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let text_of = edit["newText"].as_str().expect("a text");
            (offset(text, &range["start"]), offset(text, &range["end"]), text_of)
        })
        .collect();
    edits.sort();
    let mut out = text.to_string();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

/// All models of the project, with their names.
pub fn models() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("models are there") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "pml") {
                let path = path.canonicalize().expect("it is there");
                let text = std::fs::read_to_string(&path).expect("a text");
                found.push((path.display().to_string(), text));
            }
        }
    }
    found.sort();
    assert!(found.len() > 60);
    found
}
