//! The tokens of Promela, as they come out of the preprocessor.

use crate::source::Span;

/// One token and where it is spelled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is spelled, and through which macros it came.
    pub span: Span,
    /// A line ended between the token before and this one, where SPIN sees an end of a line: SPIN puts the missing
    /// semicolon there. Lines inside the arguments of a macro do not count, nor does a macro's body have lines.
    pub starts_line: bool,
}

/// What a token is. Keywords are told apart from names by [`keyword`], so that the preprocessor may treat both alike.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum TokenKind {
    /// A name that is no keyword.
    Name(std::rc::Rc<str>),
    /// A keyword.
    Keyword(Keyword),
    /// A number, or a character constant such as `'a'`. Wrapped to 32 bits as SPIN's `atoi` does is the lexer's business.
    Number(i32),
    /// A string literal, without the quotes, escapes as written.
    String(std::rc::Rc<str>),
    /// An operator or a piece of punctuation.
    Punct(Punct),
    /// The end of the text; exactly one, the last.
    End,
}

macro_rules! table {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        #[allow(missing_docs)]
        pub enum $name { $($variant,)* }

        impl $name {
            /// All of them, with their spelling.
            pub const ALL: &'static [($name, &'static str)] = &[$(($name::$variant, $text),)*];

            /// How it is spelled.
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

table! {
    /// The reserved words, SPIN 6.5's and no others.
    Keyword {
        Active = "active", Always = "always", Assert = "assert", Atomic = "atomic", Bit = "bit", Bool = "bool",
        Break = "break", Byte = "byte", CCode = "c_code", CDecl = "c_decl", CExpr = "c_expr", CState = "c_state",
        CTrack = "c_track", Chan = "chan", DProctype = "D_proctype", DStep = "d_step", Do = "do", Else = "else",
        Empty = "empty", Enabled = "enabled", Equivalent = "equivalent", Eval = "eval", Eventually = "eventually",
        Fi = "fi", For = "for", Full = "full", GetPriority = "get_priority", Goto = "goto", Hidden = "hidden",
        If = "if", Implies = "implies", In = "in", Init = "init", Inline = "inline", Int = "int", Len = "len",
        Local = "local", Ltl = "ltl", Mtype = "mtype", Nempty = "nempty", Never = "never", Next = "next",
        Nfull = "nfull", Notrace = "notrace", Np = "np_", Od = "od", Of = "of", PcValue = "pc_value", Pid = "pid",
        Printf = "printf", Printm = "printm", Priority = "priority", Proctype = "proctype", Provided = "provided",
        Release = "release", Return = "return", Run = "run", Select = "select", SetPriority = "set_priority",
        Short = "short", Show = "show", Skip = "skip", StrongUntil = "stronguntil", Timeout = "timeout",
        Trace = "trace", Typedef = "typedef", Unless = "unless", Unsigned = "unsigned", Until = "until",
        WeakUntil = "weakuntil", Xr = "xr", Xs = "xs", True = "true", False = "false",
    }
}

table! {
    /// Operators and punctuation.
    Punct {
        LeftParen = "(", RightParen = ")", LeftBracket = "[", RightBracket = "]", LeftBrace = "{", RightBrace = "}",
        Comma = ",", Semicolon = ";", Colon = ":", DoubleColon = "::", Dot = ".", DotDot = "..", At = "@",
        Assign = "=", Equal = "==", NotEqual = "!=", Less = "<", LessEqual = "<=", Greater = ">", GreaterEqual = ">=",
        ShiftLeft = "<<", ShiftRight = ">>", Plus = "+", PlusPlus = "++", Minus = "-", MinusMinus = "--",
        Arrow = "->", DoubleArrow = "<->", Star = "*", Slash = "/", Percent = "%", Tilde = "~", Caret = "^",
        Ampersand = "&", AndAnd = "&&", Pipe = "|", OrOr = "||", Bang = "!", BangBang = "!!", Question = "?",
        QuestionQuestion = "??", AlwaysBox = "[]", EventuallyDiamond = "<>",
    }
}

/// The keyword with this spelling.
pub fn keyword(text: &str) -> Option<Keyword> {
    Keyword::ALL.iter().find(|(_, t)| *t == text).map(|(k, _)| *k)
}
