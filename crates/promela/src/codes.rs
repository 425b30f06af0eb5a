//! Every code that a [`crate::diagnostic::Diagnostic`] may carry, with what `plimsoll explain CODE` says about it.
//!
//! Codes are stable: one is never used again for something else. `P` is the preprocessor, `L` the tokens, `E` errors of
//! the language, `W` warnings about the language.

/// A code and what it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// For instance `L0001`.
    pub code: &'static str,
    /// One line.
    pub title: &'static str,
    /// Paragraphs, with an example.
    pub explanation: &'static str,
}

/// The entry of a code.
pub fn find(code: &str) -> Option<&'static Code> {
    ALL.iter().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

macro_rules! codes {
    ($($constant:ident = $code:literal, $title:literal, $explanation:literal;)*) => {
        $(#[doc = $title] pub const $constant: &str = $code;)*

        /// All codes, in the order of the alphabet within each letter.
        pub const ALL: &[Code] = &[$(Code { code: $code, title: $title, explanation: $explanation },)*];
    };
}

codes! {
    UNKNOWN_DIRECTIVE = "P0001", "A line begins with `#` and a word that is no directive",
        "The directives are `#define`, `#undef`, `#include`, `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else`, `#endif`, `#error`,\n`#warning`, `#line` and `#pragma`.\n\n    #defien N 3\n\nWrite `#define N 3`.";
    MALFORMED_DIRECTIVE = "P0002", "A directive lacks something",
        "The word behind `#` is known, but what it needs does not follow.\n\n    #ifdef\n    #include hello\n\nWrite `#ifdef NAME` and `#include \"hello\"`.";
    UNTERMINATED_CONDITIONAL = "P0003", "A conditional does not end in its file",
        "Every `#if`, `#ifdef` and `#ifndef` needs its own `#endif`, in the same file.\n\n    #ifdef DEBUG\n    printf(\"here\\n\");\n\nAdd `#endif` where the conditional text ends.";
    MISPLACED_CONDITIONAL = "P0004", "`#else`, `#elif` or `#endif` without its `#if`",
        "Either there is no open conditional here, or its `#else` has been seen already.\n\n    #ifdef A\n    #else\n    #else\n    #endif";
    INCLUDE_FAILED = "P0005", "A file to be included cannot be read",
        "The file named by `#include` is looked for beside the including file and then in the folders given with `-I`.\n\n    #include \"missing.h\"";
    INCLUDE_TOO_DEEP = "P0006", "Files include each other too deeply",
        "More than 64 files are open at once; most often a file includes itself, directly or through others.\n\n    #include \"this-file.pml\"\n\nIf that is on purpose, guard the text with `#ifndef NAME`, `#define NAME` and `#endif`.";
    BAD_CONDITION = "P0007", "The expression of `#if` or `#elif` has no value",
        "The expression may have numbers, character constants, `defined NAME`, names (which are 0 unless they are macros), and\nC's operators.\n\n    #if N >\n    #if N / 0\n\nWrite for instance `#if N > 3`.";
    ERROR_DIRECTIVE = "P0008", "The text says `#error`",
        "The author of the model wants to be told when this line is reached.\n\n    #ifndef N\n    #error define N with -DN=3\n    #endif";
    WARNING_DIRECTIVE = "P0009", "The text says `#warning`",
        "The author of the model wants this to be said when the line is reached; nothing else follows from it.";
    MACRO_REDEFINED = "P0010", "A macro gets a second definition that differs",
        "The new definition holds from here on. If that is meant, say `#undef` first.\n\n    #define N 3\n    #define N 4";
    WRONG_NUMBER_OF_ARGUMENTS = "P0011", "A macro is used with the wrong number of arguments",
        "Arguments are separated by commas; a comma inside parentheses does not separate.\n\n    #define MAX(a, b) ((a) > (b) -> (a) : (b))\n    x = MAX(1)\n\nWrite `MAX(1, y)`.";
    UNTERMINATED_MACRO_CALL = "P0012", "The arguments of a macro do not end",
        "The opening parenthesis behind the macro's name has no partner in the rest of the file (or of the directive).\n\n    #define F(x) x + 1\n    y = F(3;\n\nWrite `F(3)`.";
    BAD_PASTE = "P0013", "`##` makes something that is not one token",
        "`a ## b` joins two tokens into one, such as a name and a number into a longer name.\n\n    #define BAD(x) x ## +\n    BAD(y)\n\nLeave out the `##`.";
    BAD_MACRO_DEFINITION = "P0014", "A `#define` cannot be understood",
        "A macro is a name, optionally followed (without a blank) by parameters in parentheses, and then its body. In the body, `#`\nmust stand before a parameter and `##` between two tokens.\n\n    #define F(x, x) x\n    #define G(x) #y\n    #define 3 4";
    TOO_MUCH_EXPANSION = "P0015", "Macros or includes grow without end",
        "The text after preprocessing would be larger than any model that can be checked, or macros are nested deeper than any\nperson writes them. Nothing was read.\n\n    #define A B B\n    #define B C C\n    …\n\nLook at the macro named in the message.";
    EXTRA_TEXT = "P0016", "Text behind the end of a directive",
        "What stands behind `#else`, `#endif` or `#ifdef NAME` on the same line is ignored.\n\n    #endif DEBUG\n\nMake it a comment: `#endif // DEBUG`.";
    GLUED_RANGE = "P0017", "SPIN would not expand this macro",
        "For C's preprocessor, which SPIN uses, `0..N` is a single number, so that the macro `N` in it is not expanded and SPIN\ncomplains about the name. It is expanded here.\n\n    #define N 5\n    for (i : 0..N) { … }\n\nWrite `0 .. N` to please both.";
    PRAGMA_IGNORED = "P0018", "`#pragma` is ignored",
        "No pragma but `#pragma once` in an included file has a meaning here. SPIN stops at the line.\n\n    #pragma warning(off)";
    UNTERMINATED_COMMENT = "L0001", "A comment does not end",
        "A `/*` has no `*/` behind it, so the rest of the file is a comment. Comments do not nest.\n\n    /* the count\n    int n;\n\nClose the comment: `/* the count */`.";
    UNTERMINATED_STRING = "L0002", "A string does not end on its line",
        "A `\"` needs its partner on the same line.\n\n    printf(\"hello);\n\nWrite `printf(\"hello\");`. A quote inside a string is written `\\\"`; a long text can be split into several\n`printf`s.";
    BAD_CHARACTER_CONSTANT = "L0003", "A character constant is not one character",
        "A character constant is one character, or a backslash and one character, between single quotes.\n\n    c = 'ab'\n\nWrite `'a'`, or `'\\n'` for the end of a line. Promela has no variables for strings; name the values with `mtype`.";
    STRAY_CHARACTER = "L0004", "A character that Promela does not know",
        "No token of Promela begins with this character.\n\n    x = 5 ` 3\n\nLetters outside ASCII are allowed only in comments and strings.";
    NUMBER_WITH_LETTERS = "L0005", "Letters stand directly behind a number",
        "Numbers are decimal; the letters behind one are a word of their own for SPIN.\n\n    if :: x = 1fi\n\nPut a space between the two.";
    NOT_DECIMAL = "L0006", "A number that is not decimal",
        "Promela has only decimal numbers. `0x1F` would be the number 0 and the name `x1F`.\n\n    mask = 0x1F\n\nWrite `mask = 31`.";
    NUMBER_TOO_LARGE = "L0007", "A number does not fit into an int",
        "Numbers have 32 bits with a sign: at most 2147483647. SPIN silently keeps the low 32 bits of a larger one, and\nreads one that does not even fit into 64 bits as -1.\n\n    x = 4294967297     // is 1";
    LONG_ARROW = "L0008", "`-->` is read as `->`",
        "SPIN reads `-->` as an arrow, never as `--` and `>`.\n\n    do :: x-->0 od\n\nWrite `->` if an arrow is meant, and a space between the two operators otherwise.";
    FORMULA_OPERATOR = "L0009", "`/\\` and `\\/` in the text of a model",
        "SPIN knows these two operators only in formulas on its command line and rejects them in a model. They are read as\n`&&` and `||` here.\n\n    ltl p { [] (a /\\ b) }\n\nWrite `a && b`.";
    STRAY_COMMENT_END = "L0010", "`*/` without a comment",
        "There is no comment that this `*/` could end: comments do not nest. SPIN skips it.\n\n    /* outer /* inner */ still a comment? */\n\nDelete it, or use `#if 0` and `#endif` to switch off text with comments inside.";
    LEADING_ZERO = "L0011", "A number that begins with 0 is decimal",
        "C would read `010` as eight. Promela has no octal numbers: it is ten.\n\n    x = 010\n\nWrite `10`, or `8` if that is meant.";
}
