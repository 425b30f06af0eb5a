use super::*;
use crate::token::{Keyword, Punct};

#[test]
fn every_keyword_is_a_keyword_and_every_operator_an_operator() {
    for (keyword, text) in Keyword::ALL {
        assert_eq!(read(text).tokens[0].kind, TokenKind::Keyword(*keyword), "{text}");
    }
    for (punct, text) in Punct::ALL {
        let tokens = read(text).tokens;
        assert_eq!(tokens[0].kind, TokenKind::Punct(*punct), "{text}");
        assert_eq!(tokens[1].kind, TokenKind::End, "{text}");
    }
}

#[test]
fn names_may_have_underscores_and_digits_and_are_case_sensitive() {
    assert_reads("_ _pid x_1 IF Do _9", "_ _pid x_1 IF Do _9");
    assert!(read("IF").tokens[0].kind == TokenKind::Name("IF".into()));
}

#[test]
fn the_longest_operator_wins() {
    assert_reads("a<<b<=c<d<>e<->f<-g", "a << b <= c < d <> e <-> f < - g");
    assert_reads("x++ +y-- -z->w", "x ++ + y -- - z -> w");
    assert_reads(
        "c!!a c!b a!=b c??x c?x c?[x] c?<x>",
        "c !! a c ! b a != b c ?? x c ? x c ? [ x ] c ? < x >",
    );
    assert_reads("::a:b P@l 0..3 s.t", ":: a : b P @ l 0 .. 3 s . t");
    assert_reads("a&&b&c||d|e^~f%g", "a && b & c || d | e ^ ~ f % g");
    assert_reads("a[0] [] p", "a [ 0 ] [] p");
}

#[test]
fn numbers_are_decimal_and_wrap_as_in_spin() {
    assert_reads("0 7 2147483647", "0 7 2147483647");
    let read = read("2147483648 4294967297 99999999999999999999");
    assert_eq!(read.text(), "-2147483648 1 -1");
    assert_eq!(
        read.complaints(),
        [
            "L0007 1:1 `2147483648` does not fit into 32 bits",
            "L0007 1:12 `4294967297` does not fit into 32 bits",
            "L0007 1:23 `99999999999999999999` does not fit into 32 bits",
        ]
    );
}

#[test]
fn a_leading_zero_means_nothing_and_is_worth_a_warning() {
    let read = read("x = 010");
    assert_eq!(read.text(), "x = 10");
    assert_eq!(read.complaints(), ["L0011 1:5 `010` is a decimal number here"]);
}

#[test]
fn hexadecimal_is_refused_with_the_decimal_number() {
    let read = read("x = 0x1F");
    assert_eq!(read.text(), "x = 31");
    assert_eq!(read.complaints(), ["L0006 1:5 `0x1F`: Promela has only decimal numbers"]);
    assert_eq!(read.diagnostics[0].help.as_deref(), Some("write 31"));
}

#[test]
fn letters_behind_a_number_are_a_word_of_their_own_and_no_macro() {
    let read = read("#define fi oops\nx = 1fi");
    assert_eq!(read.text(), "x = 1 fi");
    assert_eq!(read.complaints(), ["L0005 2:5 `fi` stands directly behind a number"]);
}

#[test]
fn character_constants_have_the_values_of_spin() {
    assert_reads(r"'a' '0' ' ' '\n' '\t' '\r' '\f' '\\' '\'' '\0'", "97 48 32 10 9 13 12 92 39 48");
}

#[test]
fn strings_keep_their_escapes() {
    assert_reads(
        r#"printf("a\n\"%d\" // no comment /* nor this", x)"#,
        r#"printf ( "a\n\"%d\" // no comment /* nor this" , x )"#,
    );
}

#[test]
fn comments_are_blanks() {
    assert_reads("a/* b */c // d\ne /* * / ** */ f /**/ g", "a c e f g");
    assert_reads("a*/* x */b", "a * b");
    assert_reads("a /* ' \" # */ b // ' \"", "a b");
    assert_reads("// one \\\n still one\nx", "x");
}

#[test]
fn a_backslash_joins_lines_even_inside_a_token() {
    assert_reads("ab\\\ncd = 1\\\n2 -\\\n> \"x\\\ny\"", "abcd = 12 -> \"xy\"");
    assert_reads("a \\  \n b", "a b");
    assert_reads("a \\\r\n b", "a b");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_no_news() {
    assert_eq!(read("\u{feff}a\r\nb\r\n").lines(), "⏎a ⏎b");
}

#[test]
fn starts_line_follows_the_lines_that_gcc_prints() {
    let read = read(
        "#define F(a,b) a + b\n#define EMPTY\nx = F(1,\n 2) y = 3\nEMPTY z\nF\n(1,2) v\na /*\n*/ b c \\\n d\nF (3, /*\n*/ 4) e\nF(1,2\n) g",
    );
    assert_eq!(read.lines(), "⏎x = 1 + 2 ⏎y = 3 ⏎z ⏎1 + 2 ⏎v ⏎a ⏎b c ⏎d ⏎3 + 4 ⏎e ⏎1 + 2 ⏎g");
}

#[test]
fn the_text_ends_with_one_end_at_its_length() {
    let read = read("a b \n");
    let ends: Vec<u32> =
        read.tokens.iter().filter(|t| t.kind == TokenKind::End).map(|t| t.span.start).collect();
    assert_eq!(ends, [5]);
    assert_eq!(self::read("").tokens.len(), 1);
}

#[test]
fn a_long_arrow_is_an_arrow_as_in_spin() {
    let read = read("do :: x-->y od");
    assert_eq!(read.text(), "do :: x -> y od");
    assert_eq!(read.complaints(), ["L0008 1:8 SPIN reads `-->` as `->`"]);
}

#[test]
fn wedge_and_vee_are_and_and_or() {
    let read = read(r"a /\ b \/ c");
    assert_eq!(read.text(), "a && b || c");
    assert_eq!(read.diagnostics.len(), 2);
}

#[test]
fn a_lonely_comment_end_is_skipped() {
    let read = read("a */ b");
    assert_eq!(read.text(), "a b");
    assert_eq!(read.complaints(), ["L0010 1:3 `*/` without a comment that it could end"]);
}
