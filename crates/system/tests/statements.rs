//! Statements as people read them in runs: as they are written, unless that is more or less than the statement.

/// The texts of a body's steps, in their order.
fn steps(body: &str) -> Vec<String> {
    let text = format!("byte n; active proctype P() {{ {body} }}");
    let system = system::read_text(&text).expect("a model");
    let edges = system.automata[0].edges.iter().map(|edge| edge.text.clone());
    edges.filter(|text| text != "-end-").collect()
}

#[test]
fn a_statement_is_shown_as_it_is_written() {
    assert_eq!(
        steps("n = n+1; n++; n  == 2; assert( n > 0 )"),
        ["n = n+1", "n++", "n  == 2", "assert( n > 0 )"]
    );
}

#[test]
fn a_declaration_that_assigns_is_shown_with_its_value() {
    assert_eq!(steps("n = 4; int temp = n; n = temp"), ["n = 4", "temp = n", "n = temp"]);
}

#[test]
fn jumps_say_where_they_go() {
    assert_eq!(steps("again: if :: break_it: goto again fi"), ["goto again"]);
    assert_eq!(steps("do :: break od; n = 1"), ["break", "n = 1"]);
}

#[test]
fn the_steps_of_a_loop_are_not_the_loop() {
    let loops = steps("byte i; for (i : 1 .. 3) { n = i }");
    assert_eq!(loops, ["i = 1", "((i<=3))", "else", "n = i", "i = (i+1)"]);
    let selected = steps("byte i; select (i : 1 .. 2)");
    assert!(selected.iter().all(|text| !text.contains("select")), "{selected:?}");
}
