//! What a client is told first: what this server can do.

use super::super::tokens;
use super::super::verdicts::{CHECK, PROVE, SIMULATE};
use super::Server;
use crate::place::Encoding;
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    DocumentLinkOptions, ExecuteCommandOptions, FoldingRangeProviderCapability, HoverProviderCapability,
    OneOf, PositionEncodingKind, RenameOptions, SaveOptions, SemanticTokensFullOptions,
    SemanticTokensOptions, ServerCapabilities, SignatureHelpOptions, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};
use serde_json::{Value, json};

impl Server {
    /// What a client is told first.
    pub(in crate::lsp) fn introduction(&self) -> Value {
        json!({
            "capabilities": self.capabilities(),
            "serverInfo": { "name": "plimsoll", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn capabilities(&self) -> ServerCapabilities {
        let encoding = match self.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        };
        let mut commands = vec![CHECK.to_string(), PROVE.to_string()];
        if !self.settings.debugger {
            commands.push(SIMULATE.to_string());
        }
        let trigger = |letters: &[&str]| Some(letters.iter().map(ToString::to_string).collect());
        ServerCapabilities {
            position_encoding: Some(encoding),
            text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            })),
            definition_provider: Some(OneOf::Left(true)),
            references_provider: Some(OneOf::Left(true)),
            document_highlight_provider: Some(OneOf::Left(true)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            rename_provider: Some(OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: Default::default(),
            })),
            completion_provider: Some(CompletionOptions {
                trigger_characters: trigger(&[".", "@", "#"]),
                ..CompletionOptions::default()
            }),
            signature_help_provider: Some(SignatureHelpOptions {
                trigger_characters: trigger(&["(", ",", "!", "?"]),
                ..SignatureHelpOptions::default()
            }),
            document_symbol_provider: Some(OneOf::Left(true)),
            workspace_symbol_provider: Some(OneOf::Left(true)),
            document_link_provider: Some(DocumentLinkOptions {
                resolve_provider: Some(false),
                work_done_progress_options: Default::default(),
            }),
            folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
            document_formatting_provider: Some(OneOf::Left(true)),
            code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                ..CodeActionOptions::default()
            })),
            semantic_tokens_provider: Some(
                SemanticTokensOptions {
                    legend: tokens::legend(),
                    full: Some(SemanticTokensFullOptions::Bool(true)),
                    ..SemanticTokensOptions::default()
                }
                .into(),
            ),
            execute_command_provider: Some(ExecuteCommandOptions { commands, ..Default::default() }),
            ..ServerCapabilities::default()
        }
    }
}
