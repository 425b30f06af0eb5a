//! Texts made to hurt: each must come to an end, with one error at most.

use super::*;

fn only_error(text: &str, start: &str) {
    let read = read(text);
    let complaints = read.complaints();
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert!(complaints[0].starts_with(start), "{complaints:?}");
    assert_eq!(read.tokens.len(), 1, "nothing but the end is read");
}

#[test]
fn macros_that_double_each_time() {
    let mut text = String::from("#define A0 x\n");
    for i in 1..64 {
        text.push_str(&format!("#define A{i} A{} A{}\n", i - 1, i - 1));
    }
    only_error(&format!("{text}A63"), "P0015 65:1 the macros here make more than 4000000 tokens");
}

#[test]
fn function_macros_that_double_their_argument() {
    let mut text = String::from("#define F0(x) x x\n");
    for i in 1..64 {
        text.push_str(&format!("#define F{i}(x) F{}(x x)\n", i - 1));
    }
    only_error(&format!("{text}F63(y)"), "P0015 65:");
}

#[test]
fn strings_that_double() {
    let mut text = String::from("#define S(x) #x\n#define T(x) S(x x)\n");
    text.push_str(&"T(".repeat(40));
    text.push('y');
    text.push_str(&")".repeat(40));
    let read = read(&text);
    assert!(read.tokens.len() <= 2);
}

#[test]
fn a_long_chain_of_macros() {
    let mut text = String::from("#define A0 x\n");
    for i in 1..5000 {
        text.push_str(&format!("#define A{i} A{}\n", i - 1));
    }
    only_error(&format!("{text}A4999"), "P0015 5001:1 macros lead to each other more than 1000 deep");
}

#[test]
fn uses_deep_in_arguments() {
    let text = format!("#define F(x) x\n{}y{}", "F(".repeat(5000), ")".repeat(5000));
    only_error(&text, "P0015 2:");
    assert_reads(&format!("#define F(x) x\n{}y{}", "F(".repeat(150), ")".repeat(150)), "y");
}

#[test]
fn a_chain_of_calls_out_of_tails_stays_short_for_readers() {
    // The f of each body takes the next parenthesis.
    let text = format!("#define f(x) g\n#define g(x) f\nf{}", "(1)".repeat(5000));
    let read = read(&text);
    assert_eq!(read.complaints(), Vec::<String>::new());
    let longest = read.tokens.iter().map(|t| read.sources.expansion_chain(t.span).len()).max();
    assert!(longest <= Some(1001), "{longest:?}");
}

#[test]
fn deep_conditions_and_conditionals() {
    let text = format!("#if {}1{}\n#endif", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(read(&text).diagnostics[0].code, "P0007");
    let text = format!("#if {}1\n#endif", "!".repeat(10_001));
    assert_eq!(read(&text).diagnostics[0].code, "P0007");
    let text = format!("#if {}0\n#endif", "1 ? 1 : ".repeat(10_000));
    assert_eq!(read(&text).diagnostics[0].code, "P0007");
    assert_reads(&format!("{}x\n{}", "#if 1\n".repeat(10_000), "#endif\n".repeat(10_000)), "x");
    assert_reads(&format!("{}x\n{}", "#if 0\n".repeat(10_000), "#endif\n".repeat(10_000)), "");
}

#[test]
fn a_million_strange_characters_are_one_complaint() {
    let text = "§".repeat(500_000);
    assert_eq!(read(&text).diagnostics.len(), 1);
}

#[test]
fn a_model_of_a_megabyte_with_a_macro_in_every_line_fits_into_the_budget() {
    let text = format!("#define INC(v) v = v + 1\n{}", "    INC(counter_of_this_model);\n".repeat(32_768));
    let read = read(&text);
    assert_eq!(read.complaints(), Vec::<String>::new());
    assert_eq!(read.tokens.len(), 32_768 * 6 + 1);
}

#[test]
fn a_thousand_complaints_of_a_kind_are_enough_and_errors_outlive_warnings() {
    let read = read(&format!("{}` ` `", "010 ".repeat(5000)));
    assert_eq!(read.diagnostics.len(), 1003);
    assert_eq!(self::read(&"` ".repeat(5000)).diagnostics.len(), 1000);
}
