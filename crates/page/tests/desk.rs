//! What a page is answered.

use page::Desk;
use serde_json::{Value, json};
use std::sync::Mutex;

fn ask(desk: &mut Desk, question: &Value) -> Value {
    serde_json::from_str(&desk.answer(&question.to_string(), |_| {})).expect("JSON")
}

fn say(desk: &mut Desk, method: &str, params: Value) -> Value {
    ask(desk, &json!({ "editor": { "jsonrpc": "2.0", "method": method, "params": params } }))
}

fn request(desk: &mut Desk, method: &str, params: Value) -> Value {
    ask(desk, &json!({ "editor": { "jsonrpc": "2.0", "id": 7, "method": method, "params": params } }))
}

#[test]
fn the_editor_is_a_client_of_the_language_server() {
    let mut desk = Desk::default();
    let symbols = json!({ "textDocument": { "uri": "model:m.pml" } });
    let early = request(&mut desk, "textDocument/documentSymbol", symbols.clone());
    assert_eq!(early[0]["error"]["message"], "the first message is `initialize`");
    let greeting = request(&mut desk, "initialize", json!({ "capabilities": {} }));
    assert_eq!(greeting[0]["result"]["serverInfo"]["name"], "plimsoll");

    let text = "byte count;\nactive proctype P() { coun = 1 }\n";
    let document = json!({ "uri": "model:m.pml", "languageId": "promela", "version": 1, "text": text });
    let said = say(&mut desk, "textDocument/didOpen", json!({ "textDocument": document }));
    assert_eq!(said[0]["method"], "textDocument/publishDiagnostics");
    let problem = &said[0]["params"]["diagnostics"][0];
    assert_eq!(problem["range"]["start"], json!({ "line": 1, "character": 22 }));
    assert!(problem["message"].as_str().is_some_and(|message| message.contains("`coun`")), "{problem}");

    let version = json!({ "uri": "model:m.pml", "version": 2 });
    let mended =
        json!({ "textDocument": version, "contentChanges": [{ "text": text.replace("coun ", "count ") }] });
    let said = say(&mut desk, "textDocument/didChange", mended);
    assert_eq!(said[0]["params"]["diagnostics"], json!([]));
    let found = request(&mut desk, "textDocument/documentSymbol", symbols);
    let names: Vec<&Value> =
        found[0]["result"].as_array().into_iter().flatten().map(|symbol| &symbol["name"]).collect();
    assert_eq!(names, ["count", "P"]);
}

#[test]
fn a_check_answers_in_json_and_as_a_page_and_tells_what_happens() {
    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let text = "chan c = [2] of { byte }; active proctype P() { do :: c!1 od }";
    let question = json!({ "check": { "text": text, "seconds": 10 } }).to_string();
    let tell = |line: &str| TOLD.lock().expect("nobody failed").push(line.to_string());
    let answer: Value = serde_json::from_str(&Desk::default().answer(&question, tell)).expect("JSON");
    let results = answer["answers"]["results"].as_array().expect("answers");
    let buffers = results.iter().find(|result| result["question"] == "buffers").expect("it is asked");
    assert_eq!(buffers["verdict"], "VIOLATED");
    assert!(answer["page"].as_str().is_some_and(|page| page.contains("class=\"stepper\"")));
    let told = TOLD.lock().expect("nobody failed");
    let line = r#"{"question":"buffers","verdict":"VIOLATED"}"#;
    assert!(told.iter().any(|told| told == line), "{told:?}");
}

#[test]
fn any_number_and_fairness_are_asked_about() {
    let text = "bool lamp; byte time;
        active proctype Clock() { do :: time = 1 - time od }
        active [2] proctype Switch() { lamp = true }
        ltl goes_on { <> lamp }";
    let verdict = |more: Value| {
        let mut check = json!({ "text": text, "seconds": 20 });
        more.as_object().into_iter().flatten().for_each(|(key, value)| check[key] = value.clone());
        let answer = ask(&mut Desk::default(), &json!({ "check": check }));
        let results = answer["answers"]["results"].as_array().expect("answers").clone();
        results.into_iter().find(|result| result["question"] == "ltl goes_on").expect("it is asked")
    };
    assert_eq!(verdict(json!({}))["verdict"], "VIOLATED");
    assert_eq!(verdict(json!({ "fairness": "weak" }))["verdict"], "PROVED");
    let any = verdict(json!({ "fairness": "weak", "anyNumber": ["Clock"] }));
    assert_eq!(any["any_number"]["proctypes"], json!(["Clock"]), "{any}");
}

#[test]
fn what_is_no_model_and_what_is_no_question_is_refused_in_words() {
    let mut desk = Desk::default();
    let refused = ask(&mut desk, &json!({ "check": { "text": "active proctype P() { x = 1 }" } }));
    assert_eq!(refused["error"], "there are errors in the model");
    assert_eq!(refused["diagnostics"][0]["line"], 1);
    for wrong in ["", "{}", "{\"check\":", "{\"dance\":{}}"] {
        let refused: Value = serde_json::from_str(&desk.answer(wrong, |_| {})).expect("JSON");
        assert!(refused["refused"].is_string(), "{wrong}: {refused}");
    }
}
