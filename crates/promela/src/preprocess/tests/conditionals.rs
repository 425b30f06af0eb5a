use super::*;

fn holds(condition: &str) -> bool {
    let read = read(&format!(
        "#define ONE 1\n#define EMPTY\n#define F(x) (x) * 2\n#if {condition}\nyes\n#else\nno\n#endif"
    ));
    assert_eq!(read.complaints(), Vec::<String>::new(), "{condition}");
    match read.text().as_str() {
        "yes" => true,
        "no" => false,
        other => panic!("{condition}: {other}"),
    }
}

#[test]
fn conditions_have_the_values_of_c() {
    for condition in [
        "1",
        "ONE",
        "!0",
        "!!ONE",
        "defined ONE",
        "defined(ONE)",
        "defined ( ONE ) && !defined TWO",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "10 / 3 == 3",
        "-7 / 2 == -3",
        "-7 % 2 == -1",
        "1 << 4 == 16",
        "256 >> 4 == 16",
        "1 ? 2 : 0",
        "0 ? 0 : 1 ? 1 : 0",
        "0x10 == 16",
        "010 == 8",
        "0b11 == 3",
        "'a' == 97",
        "'\\n' == 10",
        "5 & 4",
        "1 | 0",
        "1 ^ 0",
        "~0 == -1",
        "3 > 2 && 2 >= 2 && 1 < 2 && 2 <= 2 && 1 != 2",
        "-1 > 0u",
        "1 || 1 / 0",
        "!(0 && 1 / 0)",
        "1 ? 1 : 1/0",
        "F(ONE) == 2",
        "F(2) > 3 EMPTY",
        "UNKNOWN == 0",
        "100ULL > 1L",
        "(2, 3) == 3",
        "0 || 0 || 1",
        "18446744073709551615 > 0",
        "-1 >> 1 == -1",
        "2 - 1 - 1 == 0",
        "true == 0",
    ] {
        assert!(holds(condition), "{condition}");
    }
    for condition in
        ["0", "defined TWO", "UNKNOWN", "true", "1 == 2", "F(0)", "!ONE", "'\\0'", "1 && 0", "0 ? 1 : 0"]
    {
        assert!(!holds(condition), "{condition}");
    }
}

#[test]
fn only_one_group_is_read() {
    let text =
        |n: u32| format!("#if {n} == 1\na\n#elif {n} == 2\nb\n#elif {n} > 0\nc\n#else\nd\n#endif\nend");
    assert_reads(&text(1), "a end");
    assert_reads(&text(2), "b end");
    assert_reads(&text(3), "c end");
    assert_reads(&text(0), "d end");
}

#[test]
fn conditionals_nest_and_skipped_text_is_only_looked_through() {
    assert_reads(
        "#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#ifdef X\nd\n#else\ne\n#endif\n#endif\nf",
        "c e f",
    );
    assert_reads(
        "#if 0\ndon't \"mind ` this $\n#bogus\n#if 1 +\n#elif\n#endif\n#define N 3\n#include \"none\"\n#error no\n#endif\nN",
        "N",
    );
    assert_reads("#if 1\na\n#elif 1 / 0 +\nb\n#endif", "a");
    assert_reads("#if 0\n/* #endif\n*/ \n#endif\nx", "x");
    assert_reads("# /* c */ if 0\na\n  #  else\nb\n#endif", "b");
}

#[test]
fn ifdef_and_ifndef() {
    assert_reads(
        "#define A\n#ifdef A\na\n#endif\n#ifndef A\nb\n#endif\n#ifdef B\nc\n#endif\n#ifndef B\nd\n#endif",
        "a d",
    );
}

#[test]
fn defined_may_come_out_of_a_macro() {
    assert_reads("#define A 1\n#define HAS_A defined(A)\n#if HAS_A\nyes\n#endif", "yes");
}

#[test]
fn null_directives_ident_and_pragma() {
    assert_reads("#\n#ident \"x\"\n# \na", "a");
    assert_complains("#pragma foo\n", &["P0018 1:1 `#pragma` is ignored"]);
}
