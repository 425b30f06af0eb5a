//! The server as editors start it: the same diagnostics as on the command line whatever is typed, and real editors as its clients.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_plimsoll");

/// Edits that are tried; a nightly run asks for 10,000.
fn edits() -> usize {
    std::env::var("PLIMSOLL_EDITS").ok().and_then(|number| number.parse().ok()).unwrap_or(150)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// `plimsoll lsp` in a process of its own.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What came while something else was waited for.
    heard: Vec<Value>,
}

impl Server {
    fn start() -> Server {
        let mut child = Command::new(PROGRAM)
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it can be started");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut server = Server { child, input, output, heard: Vec::new() };
        server.send(json!({ "id": 1, "method": "initialize",
            "params": { "capabilities": {}, "initializationOptions": { "checkOnSave": false } } }));
        server.wait(|message| message["id"] == 1);
        server.send(json!({ "method": "initialized", "params": {} }));
        server
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server lives");
        self.input.flush().expect("the server lives");
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.heard.iter().position(&wanted) {
            return self.heard.drain(..=at).next_back().expect("it is there");
        }
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                assert_ne!(self.output.read_line(&mut line).expect("readable"), 0, "the server is gone");
                match line.trim_end().strip_prefix("Content-Length: ") {
                    Some(number) => length = number.parse().expect("a number"),
                    None => break,
                }
            }
            let mut body = vec![0; length];
            self.output.read_exact(&mut body).expect("a body");
            let message: Value = serde_json::from_slice(&body).expect("JSON");
            if wanted(&message) {
                return message;
            }
            self.heard.push(message);
        }
    }

    fn goodbye(mut self) {
        self.send(json!({ "id": 2, "method": "shutdown" }));
        self.wait(|message| message["id"] == 2);
        self.send(json!({ "method": "exit" }));
        assert!(self.child.wait().expect("it ends").success());
    }
}

/// A small generator of random numbers, the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % sides as u64) as usize
    }
}

/// What somebody may type: words of the language, halves of things, and what does not belong there.
const TYPED: [&str; 28] = [
    "do",
    "od",
    "if\n:: ",
    "fi",
    "{",
    "}",
    "(",
    ")",
    ";",
    "::",
    "->",
    "x",
    "goto l;",
    "l: ",
    "\n",
    "#define x 1\n",
    "#if 0\n",
    "#endif\n",
    "/*",
    "*/",
    "\"",
    "byte q;",
    "ß𝄞",
    "inline f(a) { a }\n",
    "run ",
    "c!1,2;",
    "[] ",
    "atomic { ",
];

/// One edit: which bytes are replaced, and by what.
fn edit(text: &str, dice: &mut Dice) -> (std::ops::Range<usize>, String) {
    let border = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let at = border(dice.roll(text.len() + 1));
    match dice.roll(4) {
        0 => (at..border((at + dice.roll(20)).min(text.len())), String::new()),
        1 => {
            let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
            (start..start, format!("{}\n", &text[start..end]))
        }
        _ => (at..at, TYPED[dice.roll(TYPED.len())].to_string()),
    }
}

fn position(text: &str, at: usize) -> Value {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[..start].matches('\n').count();
    json!({ "line": line, "character": text[start..at].encode_utf16().count() })
}

/// `error[E0001] 3:7 message`
fn as_line(text: &str, found: &Value) -> String {
    let word = if found["severity"] == 1 { "error" } else { "warning" };
    let number = |name: &str| found["range"]["start"][name].as_u64().expect("a number") as usize;
    let line = text.split('\n').nth(number("line")).unwrap_or("");
    let mut units = 0;
    let before = |letter: &char| {
        units += letter.len_utf16();
        units <= number("character")
    };
    let column = line.chars().take_while(before).count() + 1;
    let message = found["message"].as_str().expect("a text").lines().next().unwrap_or("");
    let word = format!("{word}[{}]", found["code"].as_str().expect("a code"));
    placed(&word, &format!("{}:{column}", number("line") + 1), message)
}

/// A terminal shows the end of the text behind its last line, editors in the empty one after it: that place does not count.
fn placed(word: &str, place: &str, message: &str) -> String {
    match message.contains("the end of the text") {
        true => format!("{word} {message}"),
        false => format!("{word} {place} {message}"),
    }
}

/// What the command line says about a file; nothing if that is more than it shows.
fn on_the_command_line(file: &Path) -> Option<BTreeSet<String>> {
    let arguments = ["simulate", "--quiet", "--warnings", "--steps", "0"];
    let done = Command::new(PROGRAM).args(arguments).arg(file).output().expect("it runs");
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    if text.lines().any(|line| line.starts_with("and ") && line.ends_with(" more")) {
        return None;
    }
    let mut found = BTreeSet::new();
    let mut heading: Option<(String, String)> = None;
    for line in text.lines() {
        let words = line
            .split_once("]: ")
            .filter(|(word, _)| word.starts_with("error[") || word.starts_with("warning["));
        if let Some((word, message)) = words {
            heading = Some((format!("{word}]"), message.to_string()));
        } else if let Some(place) = line.trim_start().strip_prefix("--> ")
            && let Some((word, message)) = heading.take()
        {
            let mut parts = place.rsplitn(3, ':');
            let (column, line) = (parts.next().expect("a column"), parts.next().expect("a line"));
            found.insert(placed(&word, &format!("{line}:{column}"), &message));
        }
    }
    Some(found)
}

#[test]
fn after_each_edit_the_editor_shows_what_the_command_line_says() {
    let mut models: Vec<PathBuf> = std::fs::read_dir(root().join("models"))
        .expect("models")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .collect();
    models.sort();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().canonicalize().expect("it is there").join("model.pml");
    let uri = format!("file://{}", file.display());
    let mut server = Server::start();
    let mut dice = Dice(20_261_117);
    let (mut version, mut compared) = (0, 0);
    while compared < edits() {
        let model = &models[dice.roll(models.len())];
        let mut text = std::fs::read_to_string(model).expect("a text");
        version += 1;
        let document = json!({ "uri": uri, "languageId": "promela", "version": version, "text": text });
        server.send(json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
        for _ in 0..10 {
            let (bytes, new) = edit(&text, &mut dice);
            let range = json!({ "start": position(&text, bytes.start), "end": position(&text, bytes.end) });
            text.replace_range(bytes, &new);
            version += 1;
            let change = json!({ "range": range, "text": new });
            server.send(json!({ "method": "textDocument/didChange",
                "params": { "textDocument": { "uri": uri, "version": version }, "contentChanges": [change] } }));
            // Whatever is asked in between must not bring it down.
            let at = position(&text, edit(&text, &mut dice).0.start);
            let asked = [
                "hover",
                "definition",
                "completion",
                "signatureHelp",
                "documentSymbol",
                "foldingRange",
                "semanticTokens/full",
                "codeLens",
                "documentHighlight",
            ];
            let method = format!("textDocument/{}", asked[dice.roll(asked.len())]);
            server.send(json!({ "id": 100 + version, "method": method,
                "params": { "textDocument": { "uri": uri }, "position": at } }));
            let answer = server.wait(|message| message["id"] == 100 + version);
            assert!(answer.get("error").is_none(), "{method}: {answer}\n{text}");
            let said = server.wait(|message| {
                message["method"] == "textDocument/publishDiagnostics"
                    && message["params"]["version"] == version
            });
            let shown: BTreeSet<String> = said["params"]["diagnostics"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|found| as_line(&text, found))
                .collect();
            std::fs::write(&file, &text).expect("written");
            if let Some(told) = on_the_command_line(&file) {
                assert_eq!(shown, told, "{}\n{text}", model.display());
            }
            compared += 1;
        }
        server
            .send(json!({ "method": "textDocument/didClose", "params": { "textDocument": { "uri": uri } } }));
    }
    server.goodbye();
}

/// A mistake in line 4; once it is mended, a deadlock.
const MODEL: &str = "byte count;\nactive proctype P() {\n\tcount = 2;\n\tcoutn == 1\n}\n";

const SEEN: [&str; 5] = [
    "diagnostic 4 `coutn` is not declared",
    "definition 1",
    "hover byte count",
    "mended 0",
    "verdict 4 deadlock: ",
];

/// Runs an editor without a screen on the model and looks whether it saw what there is to see.
fn drive(editor: &str, prepare: impl FnOnce(&mut Command)) {
    let present = Command::new(editor).arg("--version").output().is_ok_and(|done| done.status.success());
    if !present {
        assert!(std::env::var_os("PLIMSOLL_REQUIRE_EDITORS").is_none(), "{editor} is not installed");
        eprintln!("{editor} is not installed: left out");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (model, saw) = (folder.path().join("model.pml"), folder.path().join("saw.txt"));
    std::fs::write(&model, MODEL).expect("written");
    let mut command = Command::new(editor);
    command
        .env("PLIMSOLL_PROGRAM", PROGRAM)
        .env("PLIMSOLL_MODEL", &model)
        .env("PLIMSOLL_SAW", &saw)
        .env("HOME", folder.path())
        .stdin(Stdio::null());
    prepare(&mut command);
    let done = command.output().expect("it runs");
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    let seen = std::fs::read_to_string(&saw).unwrap_or_default();
    let lines: Vec<&str> = seen.lines().collect();
    for wanted in SEEN {
        assert!(
            lines.iter().any(|line| line.starts_with(wanted)),
            "{wanted}\nit saw:\n{seen}\nit said:\n{said}"
        );
    }
}

#[test]
fn neovim_sees_mistakes_names_and_verdicts() {
    let editors = root().join("editors");
    drive("nvim", |command| {
        command
            .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd"])
            .arg(format!("set runtimepath+={}", editors.join("neovim").display()))
            .arg("-c")
            .arg(format!("luafile {}", editors.join("tests/neovim.lua").display()));
    });
}

#[test]
fn emacs_sees_mistakes_names_and_verdicts() {
    let has_eglot = Command::new("emacs")
        .args(["--batch", "--eval", "(progn (package-initialize) (require 'eglot))"])
        .output()
        .is_ok_and(|done| done.status.success());
    if !has_eglot {
        assert!(std::env::var_os("PLIMSOLL_REQUIRE_EDITORS").is_none(), "Emacs has no Eglot");
        eprintln!("Emacs with Eglot is not installed: left out");
        return;
    }
    let script = root().join("editors/tests/emacs.el");
    drive("emacs", |command| {
        command.args(["--batch", "--eval", "(package-initialize)", "-l"]).arg(script);
    });
}
