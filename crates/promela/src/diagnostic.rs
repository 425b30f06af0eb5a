//! One type for everything that can be said about a model's text; how it is shown is for others to decide.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Severity {
    /// SPIN accepts it, but it is likely a mistake.
    Warning,
    /// A formula cannot be understood: it alone has no answer, and all else means what it says.
    Refused,
    /// SPIN rejects it, or it cannot be understood.
    Error,
}

impl Severity {
    /// What it is called before the message.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Refused | Severity::Error => "error",
        }
    }
}

/// A place beside the main one, with what to say about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be said there.
    pub message: String,
}

/// Something to be said about the text of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// A stable code such as `E0012`, explained by `plimsoll explain`; see [`crate::codes`].
    pub code: &'static str,
    /// Warning or error.
    pub severity: Severity,
    /// One line: what is wrong.
    pub message: String,
    /// The offending text.
    pub span: Span,
    /// What to write under the carets; empty for just the carets.
    pub label: String,
    /// Other places that matter: the first declaration, the definition of the macro.
    pub related: Vec<Label>,
    /// What would be right.
    pub help: Option<String>,
    /// The change that makes it right, if there is one.
    pub fix: Option<Fix>,
}

/// A change of the text that makes something right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What is replaced; nothing, if something is missing there.
    pub span: Span,
    /// By what.
    pub text: String,
}

impl Diagnostic {
    /// An error with just a place and a message.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// A warning with just a place and a message.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            severity,
            message,
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// With a word under the carets.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With another place.
    pub fn with_related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Label { span, message: message.into() });
        self
    }

    /// With what would be right.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With the name that was probably meant.
    pub fn with_suggestion(self, name: &str) -> Self {
        let fix = Fix { span: self.span, text: name.to_string() };
        Self { fix: Some(fix), ..self.with_help(format!("did you mean `{name}`?")) }
    }

    /// With a change that makes it right.
    pub fn with_fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, text: text.into() });
        self
    }
}
