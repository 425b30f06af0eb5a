//! From a file to the tokens of the model: directives, conditionals, includes and macros.

mod convert;

use crate::diagnostic::Diagnostic;
use crate::lexer::{Interner, PieceKind, lex};
use crate::source::{FileId, SourceMap};
use crate::token::{Token, TokenKind};
use crate::{IncludeLoader, Options};

/// The tokens of a file after preprocessing, the last one [`TokenKind::End`], and what is to be said about the text.
pub fn tokenize(
    sources: &mut SourceMap,
    file: FileId,
    _options: &Options,
    _includes: &dyn IncludeLoader,
) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut interner = Interner::default();
    let mut diagnostics = Vec::new();
    let mut tokens = Vec::new();
    let text = sources.file(file).text.clone();
    for piece in lex(&text, file, &mut interner, &mut diagnostics) {
        match piece.kind {
            PieceKind::End => {
                tokens.push(Token { kind: TokenKind::End, span: piece.span, starts_line: true })
            }
            _ => convert::convert(
                &piece,
                piece.after_newline,
                &mut interner,
                sources,
                &mut tokens,
                &mut diagnostics,
            ),
        }
    }
    (tokens, diagnostics)
}
