//! What people write who come from other languages, and what they are told in place of it.

use promela::{Options, read};

/// What the first diagnostic that has a hint says of a process with this body.
fn hint(body: &str) -> String {
    hint_of(&format!("byte x, y; proctype q() {{ skip }} active proctype p() {{ {body} }}"))
}

fn hint_of(text: &str) -> String {
    let (_, diagnostics) = read("model.pml", text, &Options::default(), &promela::NoIncludes);
    let helps = diagnostics.iter().filter(|d| !d.code.starts_with("W01") || d.code == "W0138");
    helps.filter_map(|d| d.help.clone()).next().unwrap_or_else(|| panic!("{text}: {diagnostics:#?}"))
}

#[test]
fn statements_of_other_languages_are_answered_with_those_of_promela() {
    let expected = [
        ("while (x < 3) { x++ }", "write `do :: CONDITION -> STATEMENTS :: else -> break od`"),
        ("if (x == 1) { y = 2 }", "every option begins with `::`"),
        ("if x == 1 -> y = 2 fi", "every option begins with `::`"),
        ("do x == 1 -> y = 2 od", "every option begins with `::`"),
        ("switch (x) { case 1: skip }", "Promela has no `switch`"),
        ("for (int i = 0; i < 3; i++) { skip }", "write `for (i : FIRST .. LAST)"),
        ("for (x = 0; x < 3; x++) { skip }", "write `for (i : FIRST .. LAST)"),
        ("print(\"x\")", "write `printf("),
        ("q()", "write `run q(…)`"),
    ];
    for (body, words) in expected {
        let told = hint(body);
        assert!(told.contains(words), "{body}: {told}");
    }
}

#[test]
fn expressions_of_other_languages_are_answered_with_those_of_promela() {
    let expected = [
        ("x := 3", "write `x = …`"),
        ("x += 3", "write `x = x + VALUE`"),
        ("(x = 1) -> y = 2", "`==` compares"),
        ("if :: x = 1 -> y = 2 :: else fi", "`==` compares"),
        ("if :: x > 0 && run q() -> skip :: else fi", "assign its value to a variable first"),
        ("y = x == 1 ? 2 : 3", "`(CONDITION -> VALUE : VALUE)`"),
        ("x = True", "write `true`"),
        ("x == 1 and y == 2", "write `&&`"),
    ];
    for (body, words) in expected {
        let told = hint(body);
        assert!(told.contains(words), "{body}: {told}");
    }
}

#[test]
fn a_process_by_another_word_is_told_how_it_is_declared() {
    let told = hint_of("process p() { skip } init { skip }");
    assert!(told.contains("active proctype NAME()"), "{told}");
}

#[test]
fn a_function_is_told_what_there_is_in_place_of_it() {
    let told = hint_of("int add(int a, int b) { return a + b } init { skip }");
    assert!(told.contains("`inline NAME(a, b) { STATEMENTS }`"), "{told}");
}

#[test]
fn a_misspelt_proctype_is_one() {
    let told = hint_of("active proctyp p() { skip }");
    assert!(told.contains("did you mean `proctype`?"), "{told}");
}

/// The errors of a text, each with its help, if it has one.
fn errors(text: &str) -> Vec<String> {
    let (_, diagnostics) = read("model.pml", text, &Options::default(), &promela::NoIncludes);
    let errors = diagnostics.iter().filter(|d| d.severity == promela::diagnostic::Severity::Error);
    errors.map(|d| [d.message.as_str(), d.help.as_deref().unwrap_or("-")].join(" / ")).collect()
}

/// One mistake is one error, and what would be right stands below it.
#[test]
fn one_mistake_is_one_error_that_says_what_would_be_right() {
    let p = |body: &str| format!("byte x, y; chan c = [2] of {{ byte }}; active proctype p() {{ {body} }}");
    let formula = |formula: &str| format!("byte x; active proctype p() {{ x = 1 }} ltl f {{ {formula} }}");
    let comma = "expected the variable's name, found `byte` / a comma is followed by another name of the same type, a `;` by another type: `byte x; byte y`";
    let loops = "write `for (i : FIRST .. LAST) { STATEMENTS }`, and declare `i` before it";
    let expected: &[(String, &str)] = &[
        ("proctype p(chan c, byte x) { c!x } init { chan c = [1] of { byte }; run p(c, 2) }".into(), comma),
        ("int a, byte b; active proctype p() { a = b }".into(), comma),
        (p("int a, byte b; a = b"), comma),
        (formula("G (x == 1)"), "there is no operator `G` / write `[]` or `always`"),
        (formula("[] (x == 1) -> F (x == 0)"), "there is no operator `F` / write `<>` or `eventually`"),
        (
            p("do x++ od"),
            "expected `::` and an option, found `x` / every option begins with `::`, as in `do :: CONDITION -> STATEMENTS :: else -> STATEMENTS od`",
        ),
        (
            "active proctype p() { byte x; x = LIMIT }\n#define LIMIT 3\n".into(),
            "`LIMIT` is not declared / a macro holds from its `#define` on: put that before the first use",
        ),
        (
            p("while (x < 3) { x = x + 1; }; y = 1"),
            "there is no statement or inline `while` / Promela has no `while`: write `do :: CONDITION -> STATEMENTS :: else -> break od`",
        ),
        (p("send(c, 1); x = 1"), "there is no statement or inline `send` / -"),
        (
            p("x = 1; return; x = 2"),
            "`return` outside of an inline / a process ends at its closing brace: put a label before it, and `goto` that label",
        ),
        (
            p("++x; y = 1"),
            "expected an expression, found `++` / `++` and `--` stand behind the variable, as in `x++`",
        ),
        (
            p("x = y++"),
            "expected `;` or `->` before `++` / `++` is a statement of its own: write `x + 1` for the value",
        ),
        (p("for (x = 0; x < 3; x++) { y = 1 }; y = 2"), &format!("expected `:`, found `=` / {loops}")),
        (p("for x in 0..3 { y = 1 }; y = 2"), &format!("expected `(`, found `x` / {loops}")),
        (p("if :: x == 0 => y = 1 :: else fi"), "`=>` is no operator / write `->`"),
        (p("(x and y)"), "expected `)`, found `and` / write `&&`"),
        (
            "chan c = [2] of byte; active proctype p() { c!1 }".into(),
            "expected `{`, found `byte` / the types of a message stand between braces, as in `[2] of { byte }`",
        ),
        (
            "chan c = [2]; active proctype p() { c!1 }".into(),
            "expected `of`, found `;` / write what its messages are made of, as in `[2] of { byte }`",
        ),
        (
            "chan c of { byte }; active proctype p() { c!1 }".into(),
            "expected a declaration or a proctype, found `of` / a channel is declared as `chan NAME = [CAPACITY] of { TYPE }`",
        ),
        (
            "int a[] = {1, 2}; active proctype p() { skip }".into(),
            "expected `;`, found `[]` / an array has its length between the brackets, as in `int a[3]`",
        ),
        (
            "byte [3] a; active proctype p() { skip }".into(),
            "expected the variable's name, found `[` / the length stands behind the name, as in `int a[3]`",
        ),
        (
            "mtype bit; active proctype p() { bit = 1; if :: bit == 2 -> skip :: (1 + bit > 2) fi }".into(),
            "`bit` is a type and cannot be a name / choose another name",
        ),
        (
            "byte len; active proctype p() { skip }".into(),
            "expected the variable's name, but `len` is a word of the language / choose another name",
        ),
        (
            "byte x; ltl f [] (x == 0)\nactive proctype p() { skip }".into(),
            "expected `{`, found `[]` / write `ltl NAME { FORMULA }`",
        ),
    ];
    let wrong: Vec<_> = expected
        .iter()
        .map(|(text, said)| (text, vec![said.to_string()], errors(text)))
        .filter(|(_, expected, found)| expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_channel_has_no_methods() {
    let told = hint_of("chan c = [1] of { byte }; active proctype p() { c.send(1) }");
    assert_eq!(told, "`c!VALUE` sends, `c?VARIABLE` receives, `len(c)` is the number of messages");
}
