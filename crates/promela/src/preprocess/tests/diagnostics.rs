use super::*;
use crate::codes;
use crate::diagnostic::Severity;

#[test]
fn what_does_not_end() {
    assert_complains("x /* y", &["L0001 1:3 this comment does not end"]);
    assert_complains("printf(\"x)\ny", &["L0002 1:8 this string does not end on its line"]);
    assert_eq!(read("printf(\"x)\ny").text(), "printf ( \"\" y");
    assert_complains("c = 'x\ny", &["L0003 1:5 this character constant does not end"]);
    assert_complains("#if 1\nx", &["P0003 1:1 this conditional does not end"]);
    assert_complains("#ifdef A\n#else\nx", &["P0003 1:1 this conditional does not end"]);
    assert_complains(
        "#define F(x) x\nF(1, 2",
        &["P0012 2:1 the arguments of the macro `F` have no closing `)`"],
    );
}

#[test]
fn strange_characters_and_constants() {
    assert_complains("x = 5 ` 3", &["L0004 1:7 ``` begins no token of Promela"]);
    assert_complains("größe = 1", &["L0004 1:3 `öß` begins no token of Promela"]);
    assert_complains("x # y", &["L0004 1:3 `#` stands where no directive can begin"]);
    assert_complains(
        "c = 'ab'; d = ''",
        &["L0003 1:5 `'ab'` is not one character", "L0003 1:15 this character constant is empty"],
    );
    assert_complains("c = 'é'", &["L0003 1:5 `'é'` is not one character"]);
    assert_complains(
        "a \\ b $c \u{0}",
        &[
            "L0004 1:3 `\\\\` begins no token of Promela",
            "L0004 1:7 `$` begins no token of Promela",
            "L0004 1:10 `\\0` begins no token of Promela",
        ],
    );
}

#[test]
fn unknown_directives_get_a_suggestion() {
    let read = read("#defien N 3\n#inclde \"x\"\n#banana\n#!\n");
    assert_eq!(
        read.complaints(),
        [
            "P0001 1:1 `#defien` is no directive",
            "P0001 2:1 `#inclde` is no directive",
            "P0001 3:1 `#banana` is no directive",
            "P0001 4:1 `#` at the beginning of a line must be followed by a directive",
        ]
    );
    let helps: Vec<Option<&str>> = read.diagnostics.iter().map(|d| d.help.as_deref()).collect();
    assert_eq!(helps, [Some("did you mean `#define`?"), Some("did you mean `#include`?"), None, None]);
}

#[test]
fn directives_that_lack_something() {
    assert_complains(
        "#define\n#ifdef\n#endif\n#ifndef 3\n#endif\n#undef \"x\"\n#line x\n#line 3 4",
        &[
            "P0002 1:1 `#define` needs a name",
            "P0002 2:1 `#ifdef` needs the name of a macro",
            "P0002 4:9 `#ifndef` needs the name of a macro",
            "P0002 6:8 `#undef` needs the name of a macro",
            "P0002 7:1 a line marker needs a number and perhaps a file name",
            "P0002 8:1 a line marker needs a number and perhaps a file name",
        ],
    );
}

#[test]
fn conditionals_out_of_place() {
    assert_complains(
        "#else\n#elif 1\n#endif\n#if 1\n#else\n#else\n#elif 1\n#endif",
        &[
            "P0004 1:1 `#else` without `#if`",
            "P0004 2:1 `#elif` without `#if`",
            "P0004 3:1 `#endif` without `#if`",
            "P0004 6:1 `#else` behind `#else`",
            "P0004 7:1 `#elif` behind `#else`",
        ],
    );
}

#[test]
fn conditions_without_a_value() {
    let complaint = |condition: &str| read(&format!("#if {condition}\nx\n#endif")).complaints();
    assert_eq!(complaint(""), ["P0007 1:1 this condition is empty"]);
    assert_eq!(complaint("1 +"), ["P0007 1:7 the condition ends where a value is expected"]);
    assert_eq!(complaint("1 / 0"), ["P0007 1:7 division by zero in a condition"]);
    assert_eq!(complaint("1 % (2 - 2)"), ["P0007 1:7 division by zero in a condition"]);
    assert_eq!(complaint("(1"), ["P0007 1:5 this `(` has no closing `)`"]);
    assert_eq!(complaint("1)"), ["P0007 1:6 this `)` has no opening `(`"]);
    assert_eq!(complaint("1 2"), ["P0007 1:7 expected an operator here"]);
    assert_eq!(complaint("1 = 1"), ["P0007 1:7 expected an operator here"]);
    assert_eq!(complaint("1 ? 2"), ["P0007 1:9 expected the `:` of `? :`"]);
    assert_eq!(complaint("12ab"), ["P0007 1:5 `12ab` is no whole number"]);
    assert_eq!(complaint("\"x\""), ["P0007 1:5 a string has no value in a condition"]);
    assert_eq!(complaint("'ab'"), ["P0007 1:5 this is not one character"]);
    assert_eq!(complaint("defined"), ["P0007 1:5 `defined` needs the name of a macro"]);
    assert_eq!(complaint("defined(X"), ["P0007 1:13 `defined(` has no closing `)`"]);
}

#[test]
fn error_and_warning_say_what_they_say() {
    let read = read("#error  don't   do \"this\"\n#warning look /* here */ out\n#error");
    assert_eq!(
        read.complaints(),
        ["P0008 1:1 don't do \"this\"", "P0009 2:1 look /* here */ out", "P0008 3:1 the text says `#error`",]
    );
    assert_eq!(read.diagnostics[1].severity, Severity::Warning);
}

#[test]
fn a_second_definition_is_a_warning_only_if_it_differs() {
    assert_reads("#define N 3\n#define N   3 // same\n#define F(x) x + 1\n#define F(x) x  +  1\nN", "3");
    let read = read("#define N 3\n#define N 4\nN");
    assert_eq!(
        (read.complaints(), read.text()),
        (vec!["P0010 2:9 the macro `N` is defined a second time".to_owned()], "4".to_owned())
    );
    assert_eq!(read.diagnostics[0].severity, Severity::Warning);
    assert_eq!(read.sources.line_column(read.diagnostics[0].related[0].span).line, 1);
    assert_eq!(self::read("#define F(x) x\n#define F(y) y\n#define G 1\n#define G() 1").diagnostics.len(), 2);
}

#[test]
fn a_wrong_number_of_arguments_shows_use_and_definition() {
    let read = read(
        "#define MAX(a, b) (a)\n#define Z() 0\n#define V(a, b, ...) 0\nx = MAX(1); MAX(1,2,3) Z(1) V(1) MAX()",
    );
    assert_eq!(
        read.complaints(),
        [
            "P0011 4:5 the macro `MAX` takes 2 arguments, but 1 is given",
            "P0011 4:13 the macro `MAX` takes 2 arguments, but 3 are given",
            "P0011 4:24 the macro `Z` takes 0 arguments, but 1 is given",
            "P0011 4:29 the macro `V` takes at least 2 arguments, but 1 is given",
            "P0011 4:34 the macro `MAX` takes 2 arguments, but 1 is given",
        ]
    );
    assert_eq!(read.sources.line_column(read.diagnostics[0].related[0].span).line, 1);
    assert_eq!(read.text(), "x = 0 ; 0 0 0 0");
}

#[test]
fn definitions_that_cannot_be_understood() {
    assert_complains(
        "#define 3 4\n#define F(x, x) x\n#define F(x\n#define F(3) x\n#define F(x y) x\n#define F(..., x) x\n#define F(x) #y\n#define G ## x\n#define H x ##\n#define defined 1\n#define __LINE__ 3\n#undef __FILE__",
        &[
            "P0014 1:9 the name of a macro must be a name",
            "P0014 2:14 two parameters are called `x`",
            "P0014 3:11 the parameters of this macro have no closing `)`",
            "P0014 4:11 a parameter of a macro must be a name",
            "P0014 5:13 expected `,` or `)` behind a parameter",
            "P0014 6:14 `...` must be the last parameter",
            "P0014 7:14 `#` in a macro's body must stand before a parameter",
            "P0014 8:11 `##` cannot stand at the beginning or the end of a macro's body",
            "P0014 9:13 `##` cannot stand at the beginning or the end of a macro's body",
            "P0014 10:9 `defined` has a meaning of its own and cannot be a macro",
            "P0014 11:9 `__LINE__` has a meaning of its own and cannot be a macro",
            "P0014 12:8 `__FILE__` has a meaning of its own and cannot be a macro",
        ],
    );
}

#[test]
fn pasting_what_is_not_one_token() {
    let read = read("#define P(a, b) a ## b\nP(x, +) P(\"a\", b)");
    assert_eq!(read.complaints(), ["P0013 2:1 `##` makes `x+`, which is not one token"]);
    assert_eq!(read.text(), "x + \"a\" b");
    assert_complains(
        "#define Q(a, b) , ## b\nQ(1, 2)",
        &["P0013 2:1 `##` makes `,2`, which is not one token"],
    );
}

#[test]
fn extra_text_is_ignored_with_a_warning() {
    assert_complains(
        "#ifdef A B\n#else C\n#endif D E\n#undef X Y",
        &[
            "P0016 1:10 the text behind `#ifdef` is ignored",
            "P0016 2:7 the text behind `#else` is ignored",
            "P0016 3:8 the text behind `#endif` is ignored",
            "P0016 4:10 the text behind `#undef` is ignored",
        ],
    );
}

#[test]
fn every_code_is_explained_once_and_in_order() {
    let mut seen = std::collections::HashMap::<char, &str>::new();
    for entry in codes::ALL {
        assert!(
            entry.code.len() == 5 && entry.code[1..].bytes().all(|b| b.is_ascii_digit()),
            "{}",
            entry.code
        );
        assert!(!entry.title.is_empty() && !entry.explanation.is_empty(), "{}", entry.code);
        let letter = entry.code.chars().next().expect("codes are not empty");
        let before = seen.insert(letter, entry.code);
        assert!(before.is_none_or(|before| before < entry.code), "{} comes too late", entry.code);
        assert_eq!(codes::find(&entry.code.to_lowercase()), Some(entry));
    }
}
