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
    UNEXPECTED_TOKEN = "E0001", "Something else is expected here",
        "The text does not follow Promela's grammar at this place; the message says what would fit. An error here may be the consequence of a\nforgotten brace, `fi` or `od` before.\n\n    if\n    :: x > 0 -> skip\n    od\n\nWrite `fi` at the end of an `if`.";
    EMBEDDED_C = "E0002", "Embedded C is not supported",
        "`c_code`, `c_expr`, `c_decl`, `c_state` and `c_track` put C into SPIN's verifier. What C does cannot be analysed here.\n\n    c_code { now.x++; }\n\nWrite `x++`.";
    NESTED_TOO_DEEPLY = "E0003", "Something is nested too deeply or too long",
        "Statements and parentheses may be nested 128 deep (SPIN's limit for braces), inlines 16 deep, and an expression may have 1000 operators in a\nrow. Inlines that call others many times can grow without end.";
    MISSING_SEPARATOR = "E0004", "A separator is missing",
        "Statements are separated by `;` or `->`, which mean the same. The end of a line separates as well, unless the line ends in an operator\nor within parentheses.\n\n    x = 1 y = 2\n\nWrite `x = 1; y = 2`.";
    PROBE_IN_EXPRESSION = "E0005", "`full`, `empty`, `nfull` or `nempty` inside a larger expression",
        "These four can only be combined with `&&` and `||`. So they cannot be negated, compared, or used in an `ltl` formula.\n\n    !full(c)\n\nWrite `nfull(c)`, or use `len(c)`.";
    NOT_ASSIGNABLE = "E0006", "An assignment to something that is not a variable",
        "`=` assigns to a variable, and an assignment is a statement, not an expression. To compare, write `==`.\n\n    3 = x\n    x = y = 1\n\nWrite `y = 1; x = 1`.";
    TYPE_AS_NAME = "E0007", "The word of a type is used as a name",
        "`bit`, `bool`, `byte`, `short`, `int`, `unsigned`, `pid`, `chan` and `mtype` are words of the language. It is said once for each of\nthem, not at every use.\n\n    mtype bit;\n    bit = 1\n\nChoose another name, such as `mtype which`.";
    UNDECLARED = "E0101", "A name is not declared",
        "A name can be used only after its declaration, and only within the braces in which it is declared. Only `run` may name a proctype\nthat comes later.\n\n    init { cuont = 1 }\n\nDeclare it before: `int cuont;`, or correct the spelling.";
    DECLARED_TWICE = "E0102", "A name is declared twice",
        "Variables, proctypes, inlines, typedefs and mtype names must differ. A local variable cannot have the name of a global one, nor an inner\none that of an outer one; two blocks beside each other can use the same name.\n\n    int x;\n    init { int x; x = 1 }\n\nRename one of them.";
    LABEL_TWICE = "E0103", "A label is declared twice",
        "A label must be unique in its proctype, except in blocks that are not inside each other.\n\n    L: skip;\n    L: skip";
    LABEL_IS_VARIABLE = "E0104", "A label has the name of a variable",
        "Labels and variables share their names in Promela.\n\n    int L;\n    init { L: skip }\n\nRename one of them.";
    MTYPE_NOT_GLOBAL = "E0105", "An mtype declaration must be global",
        "Symbolic names are declared outside of proctypes.\n\n    init { mtype = { a, b }; skip }\n\nMove the declaration before the proctype.";
    PREDEFINED_MISUSED = "E0106", "A predefined name is used where it cannot be",
        "`_pid`, `_nr_pr`, `_last` can be read and not written; `_` can be written, as in `c?_`, and not read.\n\n    _pid = 3";
    MISSING_INDEX = "E0107", "An array is used without an index",
        "Only after `in` of a `for`, an array is meant as a whole.\n\n    int a[3];\n    init { a = 1 }\n\nWrite `a[0] = 1`.";
    NO_SUCH_FIELD = "E0108", "A struct has no such field",
        "The name behind the dot is not declared in the typedef, or what stands before the dot is not a struct.\n\n    typedef T { int a };\n    T t;\n    init { t.b = 1 }";
    STRUCT_WITHOUT_FIELD = "E0109", "A struct is used as a whole where one value is needed",
        "A struct can be used as a whole only as an argument of a send, receive or `run`, where it stands for its fields.\n\n    x = s\n\nName a field: `x = s.a`. Structs are copied field by field.";
    RECURSIVE_INLINE = "E0110", "An inline calls itself",
        "An inline is text that is put in the place of the call, so it cannot call itself, directly or through others.\n\n    inline f() { f() }\n\nUse a loop, or a proctype that runs another instance.";
    MISPLACED_RETURN = "E0111", "A `return` without use",
        "`return` is for inlines that are called in an assignment: `x = f(3)`.\n\n    init { return 1 }";
    INLINE_ARGUMENTS = "E0112", "An inline is called with the wrong number of arguments",
        "There must be one argument for each parameter.\n\n    inline f(a, b) { a = b }\n    init { int x; f(x) }";
    NO_SUCH_LABEL = "E0113", "There is no such label",
        "A `goto` jumps to a label in the same proctype; a remote reference `P@label` names one in `P`, which must be declared before.\n\n    init { goto L }";
    REMOTE_STRUCT = "E0114", "A remote reference cannot name a struct",
        "`P[i]:x` reads a variable of another process; it must be a scalar or an element of an array.";
    MISPLACED_BREAK = "E0115", "A `break` outside of a loop",
        "`break` leaves the innermost `do` or `for`; from inside a `d_step` it cannot leave a loop around the `d_step`.\n\n    if :: break fi";
    GOTO_LOOP = "E0116", "A `goto` leads only to itself",
        "A jump takes no step of its own, so a loop of jumps is no behaviour at all.\n\n    L: goto L\n\nWrite `L: skip; goto L` to wait actively, or `false` to stop.";
    JUMP_ACROSS_D_STEP = "E0117", "A jump into or out of a `d_step`",
        "A `d_step` is one step: it can be entered only at its beginning and left only at its end.\n\n    d_step { skip; goto L };\n    L: skip";
    ELSE_TWICE = "E0118", "Two `else` among the options",
        "An `else` is for when no other option can be executed; there can be one.\n\n    if :: else :: x > 0 :: else fi";
    ELSE_WITH_EXCLUSIVE = "E0119", "`else` beside a send or receive, with `xr` or `xs`",
        "SPIN's partial order reduction, to which `xr` and `xs` give leave, would be wrong with such an `else`.";
    MISPLACED_LABEL = "E0120", "A label in a place that cannot be jumped to",
        "The first statement of a block is entered through the block. Put the label before the block, or a statement before the label.\n\n    atomic { L: skip }\n\nWrite `L: atomic { skip }`.";
    LABEL_BEFORE_DECLARATION = "E0121", "A label before a declaration",
        "A declaration is not a statement, so there is nothing to jump to.\n\n    L: int x;\n\nPut the label before the next statement.";
    PARAMETER_WITH_VALUE = "E0122", "A parameter with an initial value",
        "The value of a parameter comes from `run`; for an active proctype it is 0.\n\n    proctype P(int x = 3) { skip }";
    ARRAY_PARAMETER = "E0123", "An array as a parameter",
        "A parameter is one value, or a struct without arrays.\n\n    proctype P(int a[3]) { skip }\n\nUse a global array, or single parameters.";
    LATE_INITIALIZER = "E0124", "A declaration that must come first",
        "Channels are created, and arrays filled from a list, when the process starts; so these declarations must stand before the first\nstatement and outside of inner blocks.\n\n    init { skip; chan c = [1] of { byte }; c!1 }";
    HIDDEN_BIT = "E0125", "A bit cannot be hidden",
        "Declare it as a byte, or do not hide it.\n\n    hidden bit b";
    WRONG_INITIALIZER = "E0126", "An initial value of the wrong kind",
        "`[n] of {…}` is for channels, `{1, 2}` for arrays.\n\n    int a = { 1, 2 };";
    NOT_AN_ARRAY = "E0127", "An index on something that is not an array",
        "    int x;\n    init { x[1] = 3 }\n\nDeclare it as an array: `int x[2]`.";
    NOTHING_RUNS = "E0130", "No process ever starts",
        "A model needs an `init` or an `active proctype`.\n\n    proctype P() { skip }\n\nWrite `active proctype P()`.";
    RUN_ARGUMENTS = "E0201", "`run` with the wrong number of arguments",
        "There must be one argument for each parameter; a struct stands for its fields.\n\n    proctype P(int a, b) { skip }\n    init { run P(1) }";
    MISPLACED_RUN = "E0202", "`run` where it cannot be",
        "`run` is a statement of its own or the value of an assignment. It cannot be part of a larger condition, an argument of a send, receive\nor another `run`, an initial value, or stand outside of proctypes.\n\n    run P() && x > 0\n\nWrite `x > 0 -> run P()`.";
    MISPLACED_NP = "E0203", "`np_` outside of a never claim",
        "`np_` is true where no process is at a progress label; only a claim can ask for it.";
    MISPLACED_EXCLUSIVE = "E0204", "`xr` or `xs` that cannot be",
        "`xr c` says that only this proctype receives from `c`, `xs c` that only it sends. They stand in a proctype, name channels, and two\nproctypes cannot both claim the same.";
    CLAIM_WITH_MESSAGES = "E0205", "A never claim that sends or receives",
        "A claim observes the system and must not change it; ask about a channel with `len(c)` or `c?[m]`.";
    NOT_AN_EVENT = "E0206", "Something in a trace that is not an event",
        "A trace has only sends and receives (`!` and `?`), and `if`, `do`, `goto`, `break` around them.";
    BAD_PROVIDED = "E0207", "A `provided` clause that SPIN does not accept",
        "The clause can use constants, global variables, `_pid`, `_priority`, `timeout` and questions about global channels.\n\n    proctype P(int x) provided (x > 0) { skip }";
    CLAIM_WITH_VARIABLES = "E0209", "A never claim with variables of its own",
        "Declare them globally.\n\n    never { int x; x == 0 }";
    UNSIGNED_FIELD = "E0210", "`unsigned` as the type of a message field",
        "Use `byte`, `short` or `int`, which can hold the same values.\n\n    chan c = [1] of { unsigned };";
    ARRAY_OF_STRUCTS_SENT = "E0211", "An array of structs in a message or a list of arguments",
        "A struct in a message is replaced by its fields, but arrays of structs inside it are not.";
    CHANNEL_ARITHMETIC = "E0212", "A channel in arithmetic",
        "A channel can be assigned to a channel variable, compared in a condition, sent, and passed to `run`. It is not a number.\n\n    chan c;\n    init { c = 3 }";
    BAD_LOOP_VARIABLE = "E0213", "Something that cannot count in `for` or `select`",
        "The variable is a plain one: no channel, struct, element or field.\n\n    for (a[1] : 1 .. 3) { skip }";
    BAD_LOOP_RANGE = "E0214", "Something that `for … in` cannot go through",
        "After `in` comes an array that is a variable, or a buffered channel whose messages are one struct; then the variable before `in` is such\na struct.\n\n    int x;\n    for (i in x) { skip }";
    NOT_A_CHANNEL = "E0215", "Something that is not a channel is used as one",
        "    byte c;\n    init { c!1 }\n\nDeclare it: `chan c = [1] of { byte }`.";
    TOO_MANY_FIELDS = "E0216", "A message has more fields than any channel",
        "    chan c = [1] of { byte };\n    init { c!1,2 }";
    PRINTM_OF_NUMBER = "E0217", "`printm` of a number",
        "`printm` prints the name of an mtype value. For numbers there is `printf`.\n\n    printm(3)";
    RESTRICTED_IN_D_STEP = "E0218", "Something that is not allowed in a `d_step`",
        "Conditions and assertions in a `d_step` can neither `run` processes nor refer to other processes. Use `atomic`.\n\n    d_step { run P() }";
    EMPTY_RANGE = "E0301", "A range without values",
        "The first number is larger than the last.\n\n    for (i : 3 .. 1) { skip }";
    OUT_OF_LIMITS = "E0302", "A number outside of what is possible",
        "Arrays have at least one element; there are at most 65535 processes and 255 names in an mtype; priorities are from 1 to 255; a channel\ncannot hold less than 0 messages.\n\n    int a[0];";
    BAD_WIDTH = "E0303", "A width that cannot be",
        "Only an `unsigned` has a width, from 1 to 31 bits, and it must have one.\n\n    unsigned u;\n\nWrite `unsigned u : 4`.";
    CONSTANT_DIVISION_BY_ZERO = "E0304", "A constant is divided by zero",
        "The value of a constant expression is computed while the model is read, and this one has none.\n\n    int a[4 / 0];\n\nDivide by something else.";
    NOT_CONSTANT = "E0305", "A constant is needed",
        "In `active [N]` and `a[N]`, `N` can be a variable only if its initial value is a constant. Better use `#define N 3`.\nA field of a `typedef` begins with a constant, too.\n\n    typedef T { byte n = m }";
    OWN_INDEX = "E0306", "An element is indexed by another element of its array",
        "SPIN cannot undo such an assignment.\n\n    a[a[1]] = 2\n\nWrite `i = a[1]; a[i] = 2`.";
    WRONG_MTYPE = "E0307", "A symbolic name of another mtype",
        "A variable of a named mtype takes only names of this set; one of the unnamed mtype keeps to the set of the first name it was given.\n\n    mtype:fruit = { apple };\n    mtype:size = { large };\n    mtype:fruit f = large;";
    TEMPORAL_IN_EXPRESSION = "E0401", "A temporal operator inside an expression",
        "`[]`, `<>`, `X`, `U` bind tighter than comparisons and arithmetic. SPIN accepts the text and checks something meaningless.\nThe formula has no answer; everything else in the model is checked.\n\n    ltl p { [] x == 1 }\n\nWrite `[] (x == 1)`.";
    COUNT_OUTSIDE_FORMULA = "E0402", "The number of processes at a label outside of a formula",
        "`P[*]@label` says how many processes of a proctype stand at a label. It is for formulas only; SPIN does not know it.\n\n    P[*]@here == 1 -> skip\n\nLet a global variable count them.";
    UNUSED_INLINE = "W0101", "An inline is never called",
        "Its body is never read either, so mistakes in it are not found.";
    UNUSED_VARIABLE = "W0102", "A variable, parameter or channel is never used",
        "It is neither read nor written (nor sent to or received from). It may cost memory in each state.";
    UNUSED_PROCTYPE = "W0104", "A proctype is never run",
        "No `run` names it and it is not `active`: it has no part in the behaviour.";
    UNUSED_MTYPE_NAME = "W0106", "Symbolic names are never used",
        "They may be mistyped elsewhere, or left over.";
    MTYPE_HIDES_VARIABLE = "W0108", "An mtype name takes the name of a variable",
        "From the declaration on the name means the symbolic value; the variable can no longer be reached.";
    LABEL_BEGINS_OPTION = "W0120", "A label at the beginning of an option",
        "A jump to it enters the option without the choice; SPIN warns about it.\n\n    do :: L: x++ od";
    UNREACHABLE = "W0130", "A statement can never be reached",
        "It comes after a jump or after a loop without `break`, and no label leads to it.\n\n    do :: skip od;\n    x = 1";
    ELSE_NOT_GUARD = "W0131", "`else` is not the first statement of an option",
        "There is nothing that it could be an alternative to, so it can always be executed.";
    UNLESS_IN_D_STEP = "W0132", "`unless` in a `d_step`",
        "A `d_step` is one step: nothing can happen in its middle that an escape could wait for. SPIN ignores the escape.\n\n    d_step { x = 1 unless { stop } }\n\nPut the `unless` around the `d_step`.";
    ELSE_WITH_MESSAGES = "W0133", "`else` beside a send or receive",
        "Whether the `else` can be executed depends on a channel, with a rendezvous even on whether the partner is ready. Consider\n`timeout`, or a test of `len(c)`.";
    TIMEOUT_IN_D_STEP = "W0134", "`timeout` in a `d_step`",
        "Within one step no other process can move, so `timeout` does not mean what it usually means.";
    HIDDEN_ACCEPTANCE = "W0135", "An `accept…` label inside of `atomic`",
        "What happens inside of `atomic` and `d_step` is one step, and acceptance is looked for between steps. SPIN calls the label invisible.\n\n    do :: atomic { x = 1; accept: x = 0; y = 1 } od\n\nPut it before the `atomic`, or after it.";
    CLAIM_ASSIGNS = "W0136", "A never claim assigns to a variable of the model",
        "A claim is to watch, not to act. SPIN lets it, so that what the model does depends on what is asked of it. Here the claim is not decided then, and\nall other questions are answered for the model without it.\n\n    byte x;\n    never { x = 1; do :: true od }\n\nLet a process do it.";
    EXCLUSIVE_BROKEN = "W0137", "A channel that is claimed by `xr` or `xs` is used by others too",
        "`xr c` promises that nobody else receives from `c`, `xs c` that nobody else sends to it; and looking into it (`len`, `full`, `empty`,\n`c?[…]`) is not for others either. SPIN relies on it when it reduces the search, and stops with an error when the promise is\nbroken. Here nothing depends on it. A parameter stands for the channels that each `run` hands over to it.\n\n    active proctype P() { xr c; c?1 }\n    active proctype Q() { c?2 }";
    ELSE_NEVER_TAKEN = "W0138", "`else` beside an assignment",
        "An assignment can always be executed, so the `else` beside it never is.\n\n    if\n    :: x = 1 -> y = 2\n    :: else -> y = 3\n    fi\n\nWrite `==` to compare.";
    MESSAGE_ARITY = "W0211", "A message with the wrong number of fields",
        "A send, and a receive that takes a message, must name all its fields: executing it is an error otherwise. A poll or a copying receive\nmay name the first fields only.\n\n    chan c = [1] of { byte, byte };\n    init { c!1 }";
    CHANNEL_MISMATCH = "W0212", "A channel where a number is expected, or the reverse",
        "The message field and the variable do not agree on being a channel.";
    MTYPE_MISMATCH = "W0213", "A symbolic value of another mtype in a message",
        "The field's set and the value's set differ.";
    INDEX_OUT_OF_RANGE = "W0301", "A constant index outside of the array",
        "Executing it is an error.\n\n    int a[3];\n    init { a[3] = 1 }\n\nThe last element is `a[2]`.";
    VARIABLE_AS_LENGTH = "W0302", "A variable as the length of an array",
        "SPIN takes its initial value, or 8 if there is none. Better use `#define`.";
    TOO_MANY_VALUES = "W0303", "More initial values than elements",
        "The superfluous ones are ignored.\n\n    int a[2] = { 1, 2, 3 };";
    VALUE_OUT_OF_RANGE = "W0305", "A constant does not fit its type",
        "It is cut to the type's bits when it is stored.\n\n    byte b = 300     // becomes 44";
    STRUCT_VALUE_IGNORED = "W0306", "An initial value for a struct",
        "SPIN ignores it. Initialise the fields in the typedef.";
    LARGE_CHANNEL = "W0307", "A channel for more than 255 messages",
        "SPIN counts the messages of a channel in a byte.";
    BEYOND_SPIN = "W0308", "More than 255 processes or channels",
        "SPIN numbers processes and channels in a byte and cannot run such a model. Here numbers are wider as soon as the declarations of a model\nask for it. A variable of type `pid` still holds 8 bits: keep the numbers of processes in an `int`.\n\n    chan q[300] = [1] of { byte }";
}
