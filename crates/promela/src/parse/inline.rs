//! Calls of inlines: the arguments as tokens, the body read at the place of the call.

use super::tokens::Lexeme;
use super::{Lost, Parsed, Parser};
use crate::ast::{Name, Reference, StatementKind};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, Punct, TokenKind};
use std::rc::Rc;

impl Parser<'_> {
    /// The body of the inline, with the arguments in place of the parameters, read as a block.
    pub(super) fn inline_call(&mut self, name: Name, target: Option<Rc<Reference>>) -> Parsed<StatementKind> {
        let open = self.expect(Punct::LeftParen)?;
        let arguments = self.inline_arguments(&open)?;
        self.initialization = false;
        let Some(inline) = self.inlines.get_mut(&name.text) else { return Err(Lost) };
        inline.is_called = true;
        self.calls.push(name.text.clone());
        let parameters = inline.parameters.clone();
        let text = inline.body.clone();
        let defined_at = inline.name.span;
        if parameters.len() != arguments.len() {
            let message = format!(
                "inline `{}` takes {}, but {} given",
                name.text,
                counted(parameters.len(), "argument"),
                if arguments.len() == 1 { "1 is".into() } else { format!("{} are", arguments.len()) }
            );
            self.report(
                Diagnostic::error(codes::INLINE_ARGUMENTS, name.span, message)
                    .with_related(defined_at, "declared here"),
            );
            return Ok(StatementKind::Error);
        }
        let parameters: Vec<Rc<str>> = parameters
            .into_iter()
            // A symbolic name stays what it is, even if a parameter is called like it.
            .map(|p| if self.symbols.contains_key(&p) { "".into() } else { p })
            .collect();
        let expanded = self.stream.expand_inline(
            &name,
            &parameters,
            &text,
            &arguments,
            target,
            defined_at,
            self.sources,
        );
        if let Err(refusal) = expanded {
            self.refuse_inline(&name, refusal);
            return Ok(StatementKind::Error);
        }
        let names = argument_names(&arguments);
        let body = self.block()?;
        self.no_label_first(
            &body,
            "inline f() { label: statement … }",
            "inline f() { skip; label: statement … }",
        );
        Ok(StatementKind::Call { arguments: names, body })
    }

    fn inline_arguments(&mut self, open: &Lexeme) -> Parsed<Vec<Vec<Lexeme>>> {
        let mut arguments = Vec::new();
        let mut current = Vec::new();
        let mut depth = 0;
        loop {
            let lexeme = self.stream.next();
            match lexeme.kind {
                TokenKind::Punct(Punct::LeftParen | Punct::LeftBracket) => depth += 1,
                TokenKind::Punct(Punct::RightParen) if depth == 0 => {
                    if !(arguments.is_empty() && current.is_empty()) {
                        arguments.push(current);
                    }
                    return Ok(arguments);
                }
                TokenKind::Punct(Punct::RightParen | Punct::RightBracket) => depth -= 1,
                TokenKind::Punct(Punct::Comma) if depth == 0 => {
                    arguments.push(std::mem::take(&mut current));
                    continue;
                }
                TokenKind::End
                | TokenKind::Punct(Punct::Semicolon | Punct::LeftBrace | Punct::RightBrace) => {
                    self.unexpected(&lexeme, "`)`");
                    let last = self.diagnostics.len() - 1;
                    self.diagnostics[last]
                        .related
                        .push(crate::diagnostic::Label { span: open.span, message: "to close this".into() });
                    return Err(Lost);
                }
                _ => {}
            }
            current.push(lexeme);
        }
    }
}

/// The names at which a variable can begin, and whether an index or a field follows.
fn argument_names(arguments: &[Vec<Lexeme>]) -> Vec<(Name, bool)> {
    let mut names = Vec::new();
    for argument in arguments {
        for (position, lexeme) in argument.iter().enumerate() {
            let TokenKind::Name(text) = &lexeme.kind else { continue };
            let before = position.checked_sub(1).map(|p| &argument[p]);
            if before.is_some_and(|b| b.is(Punct::Dot) || b.is(Punct::At) || b.is_keyword(Keyword::Run)) {
                continue;
            }
            let after = argument.get(position + 1);
            let continued = after.is_some_and(|a| a.is(Punct::LeftBracket) || a.is(Punct::Dot));
            names.push((Name { text: text.clone(), span: lexeme.span }, continued));
        }
    }
    names
}

/// "1 argument", "2 arguments"
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
