use super::*;

#[test]
fn objects_and_functions() {
    assert_reads(
        "#define N 3\n#define MAX(a, b) ((a) > (b) -> (a) : (b))\nx = N; y = MAX(x + 1, N)",
        "x = 3 ; y = ( ( x + 1 ) > ( 3 ) -> ( x + 1 ) : ( 3 ) )",
    );
    assert_reads("#define F (x)\nF(1)", "( x ) ( 1 )");
    assert_reads("#define f() a\nf() f( ) f", "a a f");
}

#[test]
fn keywords_can_be_macros() {
    assert_reads("#define skip true\n#define od fi\nskip od", "true fi");
}

#[test]
fn the_end_of_a_range_is_expanded_with_a_warning_if_spin_would_not() {
    let read = read("#define N 5\nfor (i : 0..N) for (i : 0 .. N) for (i : 0.. N) for (i : M..N)");
    assert_eq!(read.text(), "for ( i : 0 .. 5 ) for ( i : 0 .. 5 ) for ( i : 0 .. 5 ) for ( i : M .. 5 )");
    assert_eq!(read.complaints(), ["P0017 2:13 SPIN does not expand the macro `N` directly behind `..`"]);
}

#[test]
fn no_macro_expands_inside_itself() {
    assert_reads("#define foo foo + 1\nfoo", "foo + 1");
    assert_reads("#define AA BB\n#define BB AA\nAA BB", "AA BB");
    assert_reads("#define f(x) x f\nf(1)(2) f(f)(1)", "1 f ( 2 ) f f ( 1 )");
    assert_reads("#define f(x) f(x + 1)\nf(f(1))", "f ( f ( 1 + 1 ) + 1 )");
}

#[test]
fn the_examples_of_the_c_standard() {
    // C99 6.10.3.5, examples 3, 4, 5 and 7, with what Promela's tokens make of them.
    let definitions = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
        #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
        #define r(x,y) x ## y\n#define str(x) # x\n";
    assert_reads(
        &format!("{definitions}f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"),
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;",
    );
    assert_reads(
        &format!("{definitions}g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
        "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
    );
    assert_reads(
        &format!("{definitions}p() i[q()] = {{ q(1), r(2,3), r(4,), r(,5), r(,) }};"),
        "int i [ ] = { 1 , 23 , 4 , 5 , } ;",
    );
    assert_reads(
        "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
         #define join(c, d) in_between(c hash_hash d)\njoin(x, y)",
        "\"x ## y\"",
    );
    assert_reads(
        "#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,11,) t(,,12) t(,,) end",
        "123 45 67 89 10 11 12 end",
    );
}

#[test]
fn hash_makes_a_string_of_the_argument_as_written() {
    assert_reads(
        "#define S(x) #x\n#define N 3\nS( a  \"b\\n\" '\\n' /* c */ d  ) S() S(N) S(a\nb) S(a+b)",
        r#""a \"b\\n\" '\\n' d" "" "N" "a b" "a+b""#,
    );
    assert_reads("#define S(x) #x\n#define T(x) S(x)\n#define N 3\nT(N)", "\"3\"");
}

#[test]
fn pasting_makes_names_that_may_be_macros() {
    assert_reads("#define xy 7\n#define P(a,b) a##b\nP(x,y) P(a,1) P(-,>) P(:,:) P(1,2)", "7 a1 -> :: 12");
    assert_reads("#define N 3\n#define P(a) a ## N ## a\nP(x) P(N)", "xNx NNN");
}

#[test]
fn variadic_macros_as_gcc_has_them() {
    assert_reads("#define R(x...) f(x, ##x)\nR() R(1) R(1,2)", "f ( ) f ( 1 , 1 ) f ( 1 , 2 , 1 , 2 )");
    assert_reads(
        "#define V(a, ...) f(a, ##__VA_ARGS__) g(__VA_ARGS__) #__VA_ARGS__\nV(1) V(1,) V(1,2,3) V()",
        "f ( 1 ) g ( ) \"\" f ( 1 , ) g ( ) \"\" f ( 1 , 2 , 3 ) g ( 2 , 3 ) \"2,3\" f ( ) g ( ) \"\"",
    );
    assert_reads("#define P(...) printf(__VA_ARGS__)\nP(\"%d\", x)", "printf ( \"%d\" , x )");
}

#[test]
fn definitions_may_have_several_lines() {
    assert_reads("#define A x = 1; \\\n   y = 2; \\\n   z\nA", "x = 1 ; y = 2 ; z");
    assert_reads("#define G /*\n*/ 5\nG", "5");
    assert_eq!(read("#define A x = 1 \\\n  y\nA z").lines(), "⏎x = 1 y z");
}

#[test]
fn arguments_may_have_lines_directives_and_parentheses() {
    assert_reads(
        "#define F(a,b) [a|b]\nF(1,\n#define Q 3\nQ) F((1,2),(3,(4,5)))",
        "[ 1 | 3 ] [ ( 1 , 2 ) | ( 3 , ( 4 , 5 ) ) ]",
    );
}

#[test]
fn a_macro_may_take_its_arguments_from_behind_another() {
    assert_reads("#define f(x) <x>\n#define g f\ng(1) g\n(2) g 3", "< 1 > < 2 > f 3");
}

#[test]
fn undef_forgets() {
    assert_reads("#define N 3\n#undef N\n#undef M\nN", "N");
    assert_reads("#define N 3\n#undef N\n#define N 4\nN", "4");
}

#[test]
fn file_line_and_counter() {
    assert_reads(
        "#define L __LINE__\n#define I(x) x\nL __FILE__\nI(L\nL) __LINE__ __COUNTER__ __COUNTER__",
        "3 \"test.pml\" 4 5 5 0 1",
    );
    assert_reads(
        "#line 12 \"foo\"\n__LINE__ __FILE__\n# 30 \"bar\\\"x\" 1 3\n__LINE__\n__LINE__ __FILE__",
        "12 \"foo\" 30 31 \"bar\\\"x\"",
    );
}

#[test]
fn nothing_of_the_machine_is_defined() {
    assert_reads("linux unix __GNUC__ __STDC__ __unix__ i386", "linux unix __GNUC__ __STDC__ __unix__ i386");
}

#[test]
fn the_command_line_defines_and_undefines() {
    let options = Options {
        defines: vec![
            ("N".to_owned(), "3".to_owned()),
            ("M".to_owned(), "N + 1".to_owned()),
            ("F(x)".to_owned(), "(x)".to_owned()),
            ("X".to_owned(), "1".to_owned()),
        ],
        undefines: vec!["X".to_owned()],
    };
    let read = read_with("N M F(2) X", &options, &Files::default());
    assert_eq!(read.text(), "3 3 + 1 ( 2 ) X");
    assert_eq!(read.complaints(), Vec::<String>::new());
    let bad = Options { defines: vec![("3".to_owned(), "4".to_owned())], undefines: vec![] };
    let read = read_with("x", &bad, &Files::default());
    assert_eq!(read.complaints(), ["P0014 1:9 the name of a macro must be a name"]);
    assert_eq!(read.sources.file(read.diagnostics[0].span.file).name, "<command line>");
}

#[test]
fn a_directive_between_name_and_parenthesis_ends_the_search_for_it() {
    assert_reads("#define f(x) <x>\nf\n#define N 3\n(N)", "f ( 3 )");
}
