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
