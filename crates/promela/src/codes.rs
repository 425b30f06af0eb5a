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
