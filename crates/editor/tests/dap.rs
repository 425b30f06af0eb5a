//! The debug adapter, driven as an editor's debugger drives it.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::path::PathBuf;

/// A debugger: requests out, answers and events in.
struct Debugger {
    input: BufReader<PipeReader>,
    output: Option<PipeWriter>,
    server: Option<std::thread::JoinHandle<()>>,
    sent: i64,
    events: VecDeque<Value>,
    _folder: tempfile::TempDir,
    model: PathBuf,
}

impl Debugger {
    fn new(text: &str) -> Debugger {
        let folder = tempfile::tempdir().expect("a folder");
        let model = folder.path().join("model.pml");
        std::fs::write(&model, text).expect("written");
        let (their_input, output) = std::io::pipe().expect("a pipe");
        let (input, their_output) = std::io::pipe().expect("a pipe");
        let serve =
            move || editor::dap::serve(BufReader::new(their_input), their_output).expect("it ends well");
        let server = std::thread::Builder::new().stack_size(64 << 20).spawn(serve).expect("a thread");
        Debugger {
            input: BufReader::new(input),
            output: Some(output),
            server: Some(server),
            sent: 0,
            events: VecDeque::new(),
            _folder: folder,
            model,
        }
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.input.read_line(&mut line).expect("readable"), 0, "the adapter is gone");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a number"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.input.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn response(&mut self, command: &str, arguments: Value) -> Value {
        self.sent += 1;
        let text = json!({ "seq": self.sent, "type": "request", "command": command, "arguments": arguments })
            .to_string();
        let output = self.output.as_mut().expect("it is open");
        write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("written");
        loop {
            let message = self.message();
            if message["type"] == "event" {
                self.events.push_back(message);
            } else if message["request_seq"] == self.sent {
                return message;
            }
        }
    }

    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.response(command, arguments);
        assert_eq!(response["success"], true, "{command}: {response}");
        response["body"].clone()
    }

    /// The next event of a kind; others before it are passed over.
    fn event(&mut self, kind: &str) -> Value {
        loop {
            let event = match self.events.pop_front() {
                Some(event) => event,
                None => self.message(),
            };
            if event["event"] == kind {
                return event["body"].clone();
            }
        }
    }

    fn launch(&mut self, mut options: Value, breakpoints: &[Value]) -> Value {
        self.ask(
            "initialize",
            json!({ "adapterID": "plimsoll", "linesStartAt1": true, "columnsStartAt1": true }),
        );
        options["program"] = self.model.display().to_string().into();
        self.ask("launch", options);
        self.event("initialized");
        let path = self.model.display().to_string();
        let set =
            self.ask("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": breakpoints }));
        self.ask("configurationDone", Value::Null);
        set
    }

    /// Moves, and the line on which the process stands that is shown then, with the reason.
    fn walk(&mut self, command: &str) -> (String, i64) {
        self.ask(command, json!({ "threadId": 0 }));
        self.stop()
    }

    fn stop(&mut self) -> (String, i64) {
        let stopped = self.event("stopped");
        let stack = self.ask("stackTrace", json!({ "threadId": stopped["threadId"] }));
        let line = stack["stackFrames"][0]["line"].as_i64().expect("a line");
        (stopped["reason"].as_str().expect("a reason").to_string(), line)
    }

    fn value(&mut self, thread: u64, expression: &str) -> Value {
        let stack = self.ask("stackTrace", json!({ "threadId": thread }));
        let frame = stack["stackFrames"][0]["id"].clone();
        self.ask("evaluate", json!({ "expression": expression, "frameId": frame }))["result"].clone()
    }
}

impl Drop for Debugger {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.ask("disconnect", Value::Null);
            drop(self.output.take());
            self.server.take().expect("it was started").join().expect("it ends well");
        }
    }
}

const DEADLOCK: &str = "\
chan left = [1] of { byte };
chan right = [1] of { byte };
active proctype A() {
	byte got;
	left!1;
	right?got;
	got = got + 1;
	right?got
}
active proctype B() {
	byte got;
	left?got;
	right!got
}
";

#[test]
fn a_deadlock_is_walked_forwards_and_backwards() {
    let mut debugger = Debugger::new(DEADLOCK);
    debugger.launch(json!({ "question": "deadlock" }), &[]);
    assert_eq!(debugger.stop(), ("entry".into(), 5));
    let threads = debugger.ask("threads", Value::Null);
    let names: Vec<&str> =
        threads["threads"].as_array().expect("threads").iter().filter_map(|t| t["name"].as_str()).collect();
    assert_eq!(names, ["A(0)", "B(1)"]);
    assert_eq!(debugger.value(1, "left"), "0 of 1");
    let mut forwards = Vec::new();
    loop {
        let (reason, line) = debugger.walk("next");
        forwards.push((line, debugger.value(1, "got + len(left) * 10"), debugger.value(1, "len(right)")));
        if reason == "pause" {
            break;
        }
        assert_eq!(reason, "step");
    }
    // The one run there is: the message goes to B and back, and A waits for another.
    let [.., last] = &forwards[..] else { panic!("no steps") };
    assert_eq!(last.1, "2");
    assert_eq!(debugger.walk("next").0, "pause");
    // Back again, everything is as it was.
    let mut backwards = Vec::new();
    for _ in 1..forwards.len() {
        let (_, line) = debugger.walk("stepBack");
        backwards.push((line, debugger.value(1, "got + len(left) * 10"), debugger.value(1, "len(right)")));
    }
    backwards.reverse();
    assert_eq!(backwards, forwards[..forwards.len() - 1]);
    assert_eq!(debugger.walk("stepBack"), ("step".into(), 5));
    assert_eq!(debugger.walk("stepBack"), ("entry".into(), 5));
}

#[test]
fn breakpoints_stop_before_their_line_in_both_directions() {
    let mut debugger = Debugger::new(DEADLOCK);
    // Line 4 is a declaration: the next statement counts. Line 7 stops only if it holds.
    let set = debugger.launch(
        json!({ "question": "deadlock", "stopOnEntry": false }),
        &[json!({ "line": 7, "condition": "got == 1" }), json!({ "line": 12 }), json!({ "line": 99 })],
    );
    assert_eq!(set["breakpoints"][0]["verified"], true);
    assert_eq!(set["breakpoints"][2]["verified"], false);
    assert_eq!(debugger.stop(), ("breakpoint".into(), 12));
    assert_eq!(debugger.walk("continue"), ("breakpoint".into(), 7));
    assert_eq!(debugger.walk("continue").0, "pause");
    assert_eq!(debugger.walk("reverseContinue"), ("breakpoint".into(), 7));
    assert_eq!(debugger.walk("reverseContinue"), ("breakpoint".into(), 12));
    assert_eq!(debugger.walk("reverseContinue").0, "entry");
}

#[test]
fn a_simulation_lets_the_process_step_that_is_asked_to() {
    let text = "byte x;\nactive [2] proctype P() {\n\tx = 10 + _pid;\n\tx = 20 + _pid\n}\n";
    for thread in [1u64, 2] {
        let mut debugger = Debugger::new(text);
        debugger.launch(json!({ "seed": 7 }), &[]);
        assert_eq!(debugger.stop().0, "entry");
        for tens in [10, 20] {
            debugger.ask("next", json!({ "threadId": thread }));
            debugger.event("stopped");
            let x = debugger.value(1, "x");
            assert_eq!(x, (tens + thread - 1).to_string());
        }
    }
}

#[test]
fn inlines_are_frames_and_channels_unfold() {
    let text = "mtype = { ping, pong };\nchan c = [3] of { mtype, byte };\n\
        inline put(what) {\n\tc!what, 7\n}\ninit {\n\tput(ping);\n\tput(pong);\n\tassert(len(c) == 0)\n}\n";
    let mut debugger = Debugger::new(text);
    debugger.launch(json!({}), &[]);
    assert_eq!(debugger.stop(), ("entry".into(), 4));
    let stack = debugger.ask("stackTrace", json!({ "threadId": 1 }));
    let frames: Vec<(Value, Value)> = stack["stackFrames"]
        .as_array()
        .expect("frames")
        .iter()
        .map(|f| (f["name"].clone(), f["line"].clone()))
        .collect();
    assert_eq!(frames, [(json!("put"), json!(4)), (json!(":init:(0)"), json!(7))]);
    let (reason, _) = debugger.walk("continue");
    assert_eq!(reason, "exception");
    let frame = stack["stackFrames"][1]["id"].clone();
    let scopes = debugger.ask("scopes", json!({ "frameId": frame }));
    let channels =
        scopes["scopes"].as_array().expect("scopes").iter().find(|s| s["name"] == "Channels").expect("there");
    let all = debugger.ask("variables", json!({ "variablesReference": channels["variablesReference"] }));
    assert_eq!(all["variables"][0]["value"], "2 of 3: [ping,7] [pong,7]");
    let inside =
        debugger.ask("variables", json!({ "variablesReference": all["variables"][0]["variablesReference"] }));
    assert_eq!(inside["variables"][1]["value"], "pong,7");
}

#[test]
fn what_cannot_be_run_is_refused_with_the_reason() {
    let mut debugger = Debugger::new("init { x = 1 }\n");
    let program = debugger.model.display().to_string();
    let refused = debugger.response("launch", json!({ "program": program }));
    assert_eq!(refused["success"], false);
    let told = debugger.event("output");
    assert!(told["output"].as_str().expect("a text").contains("`x` is not declared"), "{told}");
    std::fs::write(&debugger.model, "init { skip }\n").expect("written");
    let refused = debugger.response("launch", json!({ "program": program, "question": "deadlock" }));
    assert!(refused["message"].as_str().expect("a text").contains("deadlock: PROVED"), "{refused}");
    let refused = debugger.response("next", json!({ "threadId": 1 }));
    assert_eq!(refused["message"], "nothing runs yet");
}
