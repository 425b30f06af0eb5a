use super::*;

#[test]
fn a_token_out_of_a_macro_knows_its_definition_and_its_use() {
    let read = read("#define N (1 + x)\ny = N;");
    let x = read.tokens.iter().find(|t| t.kind == TokenKind::Name("x".into())).expect("x is there");
    assert_eq!(read.sources.text(x.span), "x");
    assert_eq!(read.sources.line_column(x.span).line, 1);
    let chain = read.sources.expansion_chain(x.span);
    assert_eq!(chain.len(), 1);
    assert_eq!(&*chain[0].name, "N");
    assert_eq!(read.sources.line_column(chain[0].used_at).line, 2);
    assert_eq!((read.sources.text(chain[0].used_at), read.sources.text(chain[0].defined_at)), ("N", "N"));
    assert_eq!(read.sources.line_column(chain[0].defined_at).line, 1);
    assert_eq!(read.sources.visible_line(x.span), 2);
}

#[test]
fn nested_macros_make_a_chain_from_the_inside_out() {
    let read = read("#define A x\n#define B(p) A + p\n#define C B(z)\n\nC");
    let names = |i: usize| -> Vec<String> {
        read.sources.expansion_chain(read.tokens[i].span).iter().map(|e| e.name.to_string()).collect()
    };
    assert_eq!(read.text(), "x + z");
    assert_eq!(names(0), ["A", "B", "C"]);
    assert_eq!(names(1), ["B", "C"]);
    // The argument is spelled in the body of C, and that is where it is to be shown.
    assert_eq!(names(2), ["C"]);
    assert_eq!(read.sources.visible_line(read.tokens[0].span), 5);
}

#[test]
fn an_argument_is_shown_where_it_is_written() {
    let read = read("#define F(p) p + 1\nF(a)");
    assert_eq!(read.tokens[0].span.expansion, crate::source::ExpansionId::NONE);
    assert_eq!(read.sources.line_column(read.tokens[0].span).column, 3);
}

#[test]
fn pieces_of_a_number_have_their_own_spans() {
    let read = read("12fi");
    let texts: Vec<&str> = read.tokens.iter().map(|t| read.sources.text(t.span)).collect();
    assert_eq!(texts, ["12", "fi", ""]);
}

#[test]
fn a_complaint_about_a_macros_body_is_made_once() {
    let read = read("#define A 0x1F\nA A A");
    assert_eq!(read.complaints(), ["L0006 2:1 `0x1F`: Promela has only decimal numbers"]);
}
