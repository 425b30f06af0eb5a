//! What the language server does, each thing as an editor asks for it.

mod client;

use client::{Client, covered, cursor, edited, models, position_of};
use serde_json::{Value, json};

const URI: &str = "file:///models/model.pml";

/// A server with one text open.
fn with(text: &str) -> Client {
    let mut client = Client::start();
    client.open(URI, text);
    client
}

fn at(position: &Value) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": position })
}

/// The texts and lines (from 0) that some locations cover.
fn lines(places: &Value) -> Vec<u64> {
    let place = |place: &Value| place["range"]["start"]["line"].as_u64().expect("a line");
    let mut lines: Vec<u64> = places.as_array().expect("places").iter().map(place).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn mistakes_are_shown_while_they_are_typed_and_the_fix_mends_them() {
    let text = "byte count;\nactive proctype P() { do :: coutn < 3 -> count++ od }\n";
    let mut client = with(text);
    let found = client.diagnostics(URI);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["message"], "`coutn` is not declared\nhelp: did you mean `count`?");
    assert_eq!(covered(text, &found[0]["range"]), "coutn");
    let actions = client.ask(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": URI }, "range": found[0]["range"], "context": { "diagnostics": [] } }),
    );
    assert_eq!(actions[0]["title"], "replace `coutn` by `count`");
    let edits = actions[0]["edit"]["changes"][URI].as_array().expect("edits").clone();
    client.replace(URI, &edited(text, &edits));
    assert_eq!(client.diagnostics(URI), Vec::<Value>::new());
}

#[test]
fn a_missing_od_is_put_in() {
    let text = "active proctype P() {\n\tdo\n\t:: skip\n}\n";
    let mut client = with(text);
    let found = client.diagnostics(URI);
    assert!(found[0]["message"].as_str().expect("a text").contains("`od`"), "{found:#?}");
    let actions = client.ask(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": URI }, "range": found[0]["range"], "context": { "diagnostics": [] } }),
    );
    let edits = actions[0]["edit"]["changes"][URI].as_array().expect("edits").clone();
    client.replace(URI, &edited(text, &edits));
    assert_eq!(client.diagnostics(URI), Vec::<Value>::new());
}

#[test]
fn what_is_never_used_is_taken_away() {
    for (text, mended) in [
        (
            "byte a, b, c;\nactive proctype P() { a++; c++ }\n",
            "byte a, c;\nactive proctype P() { a++; c++ }\n",
        ),
        ("byte a;\nbyte b;\nactive proctype P() { a++ }\n", "byte a;\n\nactive proctype P() { a++ }\n"),
        ("byte a, b = 3;\nactive proctype P() { a++ }\n", "byte a;\nactive proctype P() { a++ }\n"),
    ] {
        let mut client = with(text);
        let found = client.diagnostics(URI);
        assert_eq!(found[0]["tags"], json!([1]), "{found:#?}");
        let actions = client.ask(
            "textDocument/codeAction",
            json!({ "textDocument": { "uri": URI }, "range": found[0]["range"], "context": { "diagnostics": [] } }),
        );
        let edits = actions[0]["edit"]["changes"][URI].as_array().expect("edits").clone();
        assert_eq!(edited(text, &edits), mended);
    }
}

const EVERYTHING: &str = "\
#define LIMIT 3
#define below(x) (x < LIMIT)
mtype = { ack };
typedef Pair { byte first; byte second };
chan wire = [2] of { mtype };
Pair pair;
inline bump(what) { what = what + 1; pair.first = what }
proctype sender(chan out) {
	byte n;
again:
	out!ack;
	bump(n);
	if
	:: below(n) -> goto again
	:: else
	fi
}
active proctype receiver() {
	do :: wire?ack od
}
init { run sender(wire) }
ltl steady { [] (pair.first <= 250 || sender@again) }
";

#[test]
fn a_name_leads_to_its_declaration_through_macros_inlines_and_labels() {
    let mut client = with(EVERYTHING);
    assert_eq!(client.diagnostics(URI), Vec::<Value>::new());
    for (word, which, line) in [
        ("LIMIT", 1, 0),
        ("below", 1, 1),
        ("x <", 0, 1),
        ("ack;", 0, 2),
        ("ack od", 0, 2),
        ("wire?", 0, 4),
        ("Pair pair", 0, 3),
        ("pair.", 0, 5),
        ("first =", 0, 3),
        ("what }", 0, 6),
        ("bump(n)", 0, 6),
        ("n);", 0, 8),
        ("again\n", 0, 9),
        ("again)", 0, 9),
        ("sender(wire", 0, 7),
        ("sender@", 0, 7),
        ("out!", 0, 7),
    ] {
        let found = client.ask("textDocument/definition", at(&position_of(EVERYTHING, word, which)));
        assert_eq!(lines(&found), [line], "{word} {found}");
    }
}

#[test]
fn a_channel_has_its_senders_and_receivers_under_other_names_too() {
    let mut client = with(EVERYTHING);
    let mut request = at(&position_of(EVERYTHING, "wire", 0));
    request["context"] = json!({ "includeDeclaration": false });
    let found = client.ask("textDocument/references", request);
    // The send through the parameter, the receive, and the `run` that hands it over.
    assert_eq!(lines(&found), [10, 18, 20], "{found}");
}

#[test]
fn names_in_included_files_are_found_as_they_are_in_the_editor() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("it is there");
    let part = folder.join("part.h");
    let main = folder.join("main.pml");
    std::fs::write(&part, "byte saved;\n").expect("written");
    let text = "#include \"part.h\"\nactive proctype P() { typed++; typed-- }\n";
    std::fs::write(&main, text).expect("written");
    let (part, main) = (format!("file://{}", part.display()), format!("file://{}", main.display()));
    let mut client = Client::start_with(json!({ "checkOnSave": false }), &[&folder]);
    client.open(&main, text);
    assert_eq!(client.diagnostics(&main).len(), 2);
    // What is not saved yet counts.
    client.open(&part, "/* new */ byte typed;\n");
    client.hear("textDocument/publishDiagnostics", |params| {
        params["uri"] == main.as_str() && params["diagnostics"] == json!([])
    });
    // It is judged as a part: alone it would be a model in which nothing runs.
    client.hear("textDocument/publishDiagnostics", |params| {
        params["uri"] == part.as_str() && params["diagnostics"] == json!([])
    });
    let request = |uri: &str, line: u32, character: u32| {
        json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character },
                "context": { "includeDeclaration": true }, "newName": "other" })
    };
    let found = client.ask("textDocument/definition", request(&main, 1, 23));
    assert_eq!(found[0]["uri"], part.as_str());
    let file = client.ask("textDocument/definition", request(&main, 0, 12));
    assert_eq!(file[0]["uri"], part.as_str());
    let found = client.ask("textDocument/references", request(&part, 0, 16));
    assert_eq!(found.as_array().map(Vec::len), Some(3), "{found}");
    let edit = client.ask("textDocument/rename", request(&part, 0, 16));
    assert_eq!(edit["changes"][&main].as_array().map(Vec::len), Some(2), "{edit}");
    assert_eq!(edit["changes"][&part].as_array().map(Vec::len), Some(1), "{edit}");
    let symbols = client.ask("workspace/symbol", json!({ "query": "typ" }));
    assert_eq!(symbols[0]["location"]["uri"], part.as_str(), "{symbols}");
}

#[test]
fn renaming_changes_every_mention_and_nothing_else() {
    let mut client = with(EVERYTHING);
    for (word, new, count) in [
        ("pair.", "couple", 3),
        ("first;", "eins", 3),
        ("LIMIT 3", "MOST", 2),
        ("what)", "that", 4),
        ("n;", "number", 3),
        ("again:", "repeat", 3),
        ("sender(", "source", 3),
        ("ack }", "yes", 3),
    ] {
        let mut request = at(&position_of(EVERYTHING, word, 0));
        request["newName"] = new.into();
        let edit = client.ask("textDocument/rename", request);
        let edits = edit["changes"][URI].as_array().expect("edits").clone();
        assert_eq!(edits.len(), count, "{word} {edits:#?}");
        let (before, after) = (EVERYTHING, edited(EVERYTHING, &edits));
        assert_ne!(before, after);
        client.replace(URI, &after);
        assert_eq!(client.diagnostics(URI), Vec::<Value>::new(), "{after}");
        client.replace(URI, before);
    }
}

#[test]
fn renaming_after_an_edit_does_not_mind_what_a_body_used_before() {
    let before = "#define ONE 1\n#define NEXT (x + ONE)\nbyte x;\nactive proctype P() { x = NEXT }\nactive proctype Q() { x = 2 }\n";
    let after = before.replace("= NEXT", "= 1");
    let mut client = with(before);
    client.replace(URI, &after);
    let mut request = at(&position_of(&after, "x;", 0));
    request["newName"] = "y".into();
    let edit = client.ask("textDocument/rename", request);
    assert_eq!(edit["changes"][URI].as_array().map(Vec::len), Some(3), "{edit}");
}

#[test]
fn a_name_that_is_taken_or_no_name_is_refused() {
    let mut client = with(EVERYTHING);
    for (new, why) in
        [("wire", "would mean something else"), ("do", "is not a name"), ("1x", "is not a name")]
    {
        let mut request = at(&position_of(EVERYTHING, "pair.", 0));
        request["newName"] = new.into();
        let refused = client.ask_in_vain("textDocument/rename", request);
        assert!(refused.contains(why), "{new}: {refused}");
    }
}

#[test]
fn an_inline_whose_names_mean_different_things_leads_to_all_of_them() {
    let text = "inline touch() { x++ }\nproctype A() { byte x; touch() }\nproctype B() { int x; touch() }\ninit { run A(); run B() }\n";
    let mut client = with(text);
    let found = client.ask("textDocument/definition", at(&position_of(text, "x++", 0)));
    assert_eq!(lines(&found), [1, 2]);
    let mut request = at(&position_of(text, "x;", 0));
    request["newName"] = "y".into();
    let refused = client.ask_in_vain("textDocument/rename", request);
    assert!(refused.contains("means several things"), "{refused}");
}

#[test]
fn hovering_tells_the_type_the_uses_and_what_is_proved() {
    let text = "chan requests = [2] of { byte };\nchan answers = [2] of { byte };\n\
        active proctype client() { do :: requests!1; answers?1 od }\n\
        active proctype server() { do :: requests?1; answers!1 od }\n\
        ltl small { [] (len(requests) <= 1) }\n";
    let mut client = with(text);
    let about = |client: &mut Client, word: &str| {
        let hover = client.ask("textDocument/hover", at(&position_of(text, word, 0)));
        hover["contents"]["value"].as_str().unwrap_or("").to_string()
    };
    let before = about(&mut client, "requests!");
    assert!(before.contains("chan requests = [2] of { byte }"), "{before}");
    assert!(before.contains("1 send (line 3), 1 receive (line 4)"), "{before}");
    assert!(about(&mut client, "small").contains("not checked yet"));
    assert_eq!(client.check(URI), Vec::<Value>::new());
    let after = about(&mut client, "requests!");
    assert!(after.contains("**PROVED** requests"), "{after}");
    assert!(about(&mut client, "small").contains("**PROVED**"));
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let titles: Vec<&str> =
        lenses.as_array().expect("lenses").iter().filter_map(|l| l["command"]["title"].as_str()).collect();
    assert!(titles.iter().any(|title| title.starts_with("requests <= 1")), "{titles:?}");
    assert!(titles.iter().any(|title| title.starts_with("check: PROVED")), "{titles:?}");
    // What was proved of another text is not said of this one.
    client.replace(URI, &text.replace("answers!1", "answers!2"));
    assert!(!about(&mut client, "requests!").contains("PROVED"));
}

#[test]
fn a_deadlock_is_a_diagnostic_with_its_steps() {
    let text = "chan a = [1] of { byte };\nactive proctype P() {\n\ta!1;\n\ta!2\n}\n";
    let mut client = with(text);
    let found = client.check(URI);
    let deadlock = found.iter().find(|d| d["code"] == "deadlock").expect("it is found");
    assert_eq!(deadlock["severity"], 1);
    assert_eq!(covered(text, &deadlock["range"]), "a!2");
    let steps = deadlock["relatedInformation"].as_array().expect("steps");
    assert_eq!(steps[0]["message"], "step 1: P(0): a!1");
    assert!(steps.iter().any(|step| step["message"] == "after step 1: P(0) stands here"), "{steps:#?}");
    client.change(URI, json!({ "text": text.replace("a!2", "a?1") }));
    let after = client.diagnostics(URI);
    assert!(after.iter().all(|d| d["code"] != "deadlock"), "{after:#?}");
}

#[test]
fn completion_knows_what_can_stand_there() {
    for (text, wanted, unwanted) in [
        ("proctype P() { skip }\ninit { run | }\n", "P", "do"),
        ("init { again: skip; goto | }\n", "again", "init"),
        ("typedef T { byte left; int right };\nT t[2];\ninit { t[1].| }\n", "right", "t"),
        ("byte counter;\ninit { byte local_one; coun| }\n", "counter", "left"),
        ("byte counter;\ninit { byte local_one; loc| }\n", "local_one", "left"),
        ("#| \ninit { skip }\n", "include", "init"),
        ("proctype P() { here: skip }\ninit { run P() }\nltl f { [] P@| }\n", "here", "skip"),
        ("mtype = { ack };\ninit { | }\n", "ack", "nothing"),
        ("init { | }\n", "do", "nothing"),
    ] {
        let (text, position) = cursor(text);
        let mut client = with(&text);
        let items = client.ask("textDocument/completion", at(&position));
        let labels: Vec<&str> =
            items["items"].as_array().expect("items").iter().filter_map(|i| i["label"].as_str()).collect();
        assert!(labels.contains(&wanted), "{text} {labels:?}");
        assert!(!labels.contains(&unwanted), "{text} {labels:?}");
    }
}

#[test]
fn of_many_names_those_are_offered_that_fit_the_word_and_not_all_at_once() {
    let declared: String = (0..1000).map(|number| format!("byte value{number};\n")).collect();
    let offered = |typed: &str| {
        let (text, position) = cursor(&format!("{declared}init {{ {typed}| }}\n"));
        let found = with(&text).ask("textDocument/completion", at(&position));
        let labels = found["items"].as_array().expect("items").iter();
        let labels: Vec<String> = labels.map(|item| item["label"].as_str().expect("a name").into()).collect();
        (labels, found["isIncomplete"].as_bool().expect("it is said"))
    };
    let (all, is_incomplete) = offered("");
    assert!(is_incomplete && (250..350).contains(&all.len()), "{}", all.len());
    assert!(all.contains(&"value0".to_string()) && all.contains(&"do".to_string()));
    let (fitting, is_incomplete) = offered("Val77");
    let has_two = |number: &usize| number.to_string().matches('7').count() > 1;
    let mut wanted: Vec<String> = (0..1000).filter(has_two).map(|number| format!("value{number}")).collect();
    wanted.sort();
    assert!(is_incomplete);
    assert_eq!(fitting, wanted);
}

#[test]
fn completion_remembers_what_a_mistake_hides() {
    let text = "init { byte remembered; skip }\n";
    let mut client = with(text);
    assert_eq!(client.diagnostics(URI).len(), 1);
    let (broken, position) = cursor("init { byte remembered; if :: (( rem| }\n");
    client.replace(URI, &broken);
    let items = client.ask("textDocument/completion", at(&position));
    assert!(items["items"].as_array().expect("items").iter().any(|item| item["label"] == "remembered"));
}

#[test]
fn calls_and_messages_tell_what_they_want() {
    for (text, label, active) in [
        ("proctype P(byte a; chan b) { skip }\ninit { run P(1, | ) }\n", "proctype P(byte a; chan b)", 1),
        ("inline f(x, y) { x = y }\ninit { byte z; f(|) }\n", "f(x, y)", 0),
        ("#define max(a, b) (a > b -> a : b)\ninit { byte z = max(1, |) }\n", "max(a, b)", 1),
        ("chan c = [1] of { byte, bool };\ninit { c!3,| }\n", "c: { byte, bool }", 1),
        ("chan c[2] = [1] of { byte, bool };\ninit { byte x; c[1]?| }\n", "c: { byte, bool }", 0),
    ] {
        let (text, position) = cursor(text);
        let mut client = with(&text);
        let help = client.ask("textDocument/signatureHelp", at(&position));
        assert_eq!(help["signatures"][0]["label"], label, "{text}");
        assert_eq!(help["activeParameter"], active, "{text}");
    }
}

#[test]
fn the_outline_has_variables_and_labels_inside_of_their_proctypes() {
    let mut client = with(EVERYTHING);
    let outline = client.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    let symbol = |name: &str| {
        let symbols = outline.as_array().expect("symbols");
        symbols.iter().find(|s| s["name"] == name).unwrap_or_else(|| panic!("{name}: {outline:#}")).clone()
    };
    let children = symbol("sender")["children"].clone();
    let names: Vec<&str> =
        children.as_array().expect("a list").iter().filter_map(|c| c["name"].as_str()).collect();
    assert_eq!(names, ["out", "n", "again"]);
    for name in ["LIMIT", "below", "ack", "Pair", "wire", "bump", "receiver", "init", "steady"] {
        symbol(name);
    }
}

#[test]
fn blocks_loops_and_comments_fold() {
    let text = "/* a\n   b */\ninit {\n\tdo\n\t:: skip\n\tod\n}\n#if 0\nx\n#endif\n";
    let mut client = with(text);
    let folds = client.ask("textDocument/foldingRange", json!({ "textDocument": { "uri": URI } }));
    let mut lines: Vec<(u64, u64)> = folds
        .as_array()
        .expect("folds")
        .iter()
        .map(|fold| (fold["startLine"].as_u64().expect("a line"), fold["endLine"].as_u64().expect("a line")))
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [(0, 1), (2, 5), (3, 4), (7, 8)]);
}

#[test]
fn colours_cover_the_text_in_its_order() {
    let mut client = with(EVERYTHING);
    let tokens = client.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }));
    let data: Vec<u64> =
        tokens["data"].as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
    let (mut line, mut column) = (0, 0);
    let mut kinds = std::collections::BTreeMap::new();
    for token in data.chunks(5) {
        line += token[0];
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        let text = EVERYTHING.lines().nth(line as usize).expect("a line");
        kinds.insert(&text[column as usize..(column + token[2]) as usize], token[3]);
    }
    for (word, kind) in [("proctype", 0), ("byte", 1), ("wire", 2), ("first", 4), ("ack", 5), ("Pair", 7)] {
        assert_eq!(kinds.get(word), Some(&kind), "{word}");
    }
    for (word, kind) in [("sender", 8), ("bump", 9), ("LIMIT", 10), ("again", 11), ("250", 12)] {
        assert_eq!(kinds.get(word), Some(&kind), "{word}");
    }
}

#[test]
fn colours_stand_where_they_are_spelled_in_long_lines_and_beyond_ascii() {
    let text = format!(
        "byte x;\r\nactive proctype P() {{ {}skip }}\r\n/* a\r\n𝄞 */ byte y;\n",
        "x = x + 1; /* 𝄞é */ ".repeat(500)
    );
    let mut client = with(&text);
    let tokens = client.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }));
    let data: Vec<usize> = tokens["data"]
        .as_array()
        .expect("numbers")
        .iter()
        .map(|n| n.as_u64().expect("one") as usize)
        .collect();
    let lines: Vec<Vec<u16>> = text.lines().map(|line| line.encode_utf16().collect()).collect();
    let (mut line, mut column) = (0, 0);
    let mut variables = String::new();
    for token in data.chunks(5) {
        line += token[0];
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        let spelled = String::from_utf16(&lines[line][column..column + token[2]]).expect("whole letters");
        match token[3] {
            2 => variables.push_str(&spelled),
            14 => assert!(["/* 𝄞é */", "/* a", "𝄞 */"].contains(&spelled.as_str()), "{spelled}"),
            _ => {}
        }
    }
    assert_eq!(variables, format!("x{}y", "xx".repeat(500)));
}

#[test]
fn formatting_changes_white_space_and_nothing_else() {
    use editor::lsp::format::{Indent, format};
    use editor::lsp::pieces::Pieces;
    for (name, text) in models() {
        for indent in [Indent::tab(), Indent::blanks(4)] {
            // A text without any layout of its own, as far as lines allow that.
            let flat: String = text.lines().map(|line| format!("{}\n", line.trim_start())).collect();
            let once = format(&flat, &indent);
            assert!(Pieces::of(&once).says_the_same(&Pieces::of(&flat)), "{name}");
            assert_eq!(format(&once, &indent), once, "{name}");
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(letters(&once), letters(&text), "{name}");
        }
    }
}

#[test]
fn what_nobody_waits_for_any_more_is_not_done() {
    let mut client = with(EVERYTHING);
    let id = client.send("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }));
    let number: i32 = id.to_string().parse().expect("a number");
    // The server may be quicker than the cancellation; then there is an answer, and either is right.
    client.tell("$/cancelRequest", json!({ "id": number }));
    if let Err(error) = client.response(&id).response_result {
        assert_eq!(error.code, -32800, "{}", error.message);
    }
    // A check of a text that has changed since says nothing, and this one would take long.
    client.replace(URI, "int a, b, c; active proctype P() { do :: a++ :: b++ :: c++ od }\n");
    client.ask("workspace/executeCommand", json!({ "command": "plimsoll.check", "arguments": [URI] }));
    client.replace(URI, "init { assert(false) }\n");
    let found = client.check(URI);
    assert!(found.iter().any(|d| d["code"] == "assertions"), "{found:#?}");
    assert!(client.heard.iter().filter(|n| n.method == "plimsoll/checked").count() == 0);
}

#[test]
fn a_simulation_tells_how_it_ended() {
    let mut client = with("init { skip; skip }\n");
    client.ask("workspace/executeCommand", json!({ "command": "plimsoll.simulate", "arguments": [URI] }));
    let told = client.hear("window/showMessage", |_| true);
    assert_eq!(told["message"], "finished after 3 steps");
}

#[test]
fn what_is_not_known_is_refused_and_the_server_lives_on() {
    let mut client = with("init { skip }\n");
    assert!(client.ask_in_vain("textDocument/implementation", json!({})).contains("not known"));
    assert!(!client.ask_in_vain("textDocument/hover", json!({ "nonsense": 1 })).is_empty());
    client.replace(URI, "init { skip; skip }\n");
    assert_eq!(client.diagnostics(URI), Vec::<Value>::new());
}

/// So large that reading it takes longer than somebody who types waits.
fn large(first: &str) -> String {
    let process = |number: usize| {
        format!(
            "proctype P{number}(byte id) {{\n\tbyte x, y;\n\tdo\n\t:: c!x; x = x + id\n\t:: c?y -> y = (x + y) % 7\n\t:: x > 10 -> break\n\tod\n}}\n"
        )
    };
    let processes: String = (0..4_000).map(process).collect();
    format!("{first}chan c = [2] of {{ byte }};\n{processes}init {{ run P0(1) }}\n")
}

/// Keystrokes in macros have everything read again; names are wanted before that.
#[test]
fn who_types_in_a_large_text_is_offered_the_names_that_are_known_and_then_the_new_ones() {
    let mut client = with(&large("#define before 1\n"));
    client.diagnostics(URI);
    let changed = large("#define behind 1\n");
    client.replace(URI, &changed);
    let offered = |client: &mut Client| -> Vec<String> {
        let items = client.ask("textDocument/completion", at(&json!({ "line": 5, "character": 1 })));
        let label = |item: &Value| item["label"].as_str().expect("a name").to_string();
        items["items"].as_array().expect("items").iter().map(label).collect()
    };
    let at_once = offered(&mut client);
    assert!(at_once.contains(&"before".to_string()) && !at_once.contains(&"behind".to_string()));
    client.diagnostics(URI);
    let later = offered(&mut client);
    assert!(!later.contains(&"before".to_string()) && later.contains(&"behind".to_string()));
}
