use super::*;

fn read_files(text: &str, files: &[(&'static str, &str)]) -> Read {
    read_with(text, &Options::default(), &Files::of(files))
}

#[test]
fn quotes_angles_and_macros_name_files() {
    let files = [("a.h", "a"), ("dir/b.h", "b\n"), ("c-1.h", "#define C c\n")];
    let read = read_files(
        "x\n#include \"a.h\"\n#include <dir/b.h>\n#define NAME \"c-1.h\"\n#include NAME\nC\n#include <c-1.h> // again",
        &files,
    );
    assert_eq!(read.complaints(), Vec::<String>::new());
    assert_eq!(read.lines(), "⏎x ⏎a ⏎b ⏎c");
    let names: Vec<&str> = read.sources.files().map(|(_, f)| f.name.as_str()).collect();
    assert_eq!(names, ["test.pml", "a.h", "dir/b.h", "c-1.h", "c-1.h"]);
}

#[test]
fn spans_point_into_the_included_file() {
    let read = read_files("#include \"a.h\"\ny", &[("a.h", "\n  x")]);
    let place = |i: usize| {
        let span = read.tokens[i].span;
        (read.sources.file(span.file).name.as_str(), read.sources.line_column(span).line)
    };
    assert_eq!((place(0), place(1)), (("a.h", 2), ("test.pml", 2)));
}

#[test]
fn a_missing_file_is_named() {
    let read = read_files("#include \"nowhere.h\"\nx", &[]);
    assert_eq!(read.complaints(), ["P0005 1:1 cannot include `nowhere.h`: no such file"]);
    assert_eq!(read.text(), "x");
}

#[test]
fn a_file_that_includes_itself_is_an_error_unless_it_is_guarded() {
    let read = read_files("#include \"a.h\"\nx", &[("a.h", "a\n#include \"a.h\"\n")]);
    assert_eq!(
        read.complaints(),
        ["P0006 2:1 more than 64 files include each other; the innermost one is `a.h`"]
    );
    assert_eq!(read.text(), format!("{}x", "a ".repeat(63)));
    let guarded = "#ifndef A\n#define A\na\n#include \"a.h\"\n#endif\n";
    let read = read_files("#include \"a.h\"\n#include \"a.h\"\nx", &[("a.h", guarded)]);
    assert_eq!((read.complaints(), read.text()), (vec![], "a x".to_owned()));
    let once = "#pragma once\na\n";
    let read = read_files("#include \"a.h\"\n#include \"a.h\"\nx", &[("a.h", once)]);
    assert_eq!((read.complaints(), read.text()), (vec![], "a x".to_owned()));
}

#[test]
fn files_that_include_themselves_twice_come_to_an_end() {
    let read = read_files("#include \"a.h\"\nx", &[("a.h", "#include \"a.h\"\n#include \"a.h\"\n")]);
    assert!(read.diagnostics.iter().any(|d| d.code == "P0015"));
    assert_eq!(read.text(), "");
}

#[test]
fn a_conditional_ends_in_its_file() {
    let read = read_files("#include \"a.h\"\nx\n#endif", &[("a.h", "#if 1\na\n")]);
    assert_eq!(
        read.complaints(),
        ["P0003 1:1 this conditional does not end", "P0004 3:1 `#endif` without `#if`"]
    );
    assert_eq!(read.text(), "a x");
}

#[test]
fn include_needs_a_name() {
    assert_complains(
        "#include\n#include foo\n#include <bar\n#include \"\"",
        &[
            "P0002 1:1 `#include` needs the name of a file",
            "P0002 2:10 `#include` needs the name of a file",
            "P0002 3:10 `#include` needs the name of a file",
            "P0002 4:10 `#include` needs the name of a file",
        ],
    );
}

#[test]
fn a_call_does_not_reach_beyond_its_file() {
    let read = read_files("#include \"a.h\"\n(1) f(2)", &[("a.h", "#define f(x) <x>\nf")]);
    assert_eq!((read.complaints(), read.text()), (vec![], "f ( 1 ) < 2 >".to_owned()));
}
