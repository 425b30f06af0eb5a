//! Requests about a text as a whole, and about what may stand at a place.

use super::super::complete::{complete, signature_at};
use super::super::format::{Indent, format};
use super::super::verdicts::{DEBUG, lenses};
use super::super::{problems, symbols, tokens};
use super::{Document, Server};
use crate::place::{range, uri_of};
use crate::reading::{Reading, read_text};
use lsp_types::{
    CodeActionOrCommand, CompletionResponse, DocumentLink, DocumentSymbolResponse, SemanticTokens,
    SemanticTokensResult, TextEdit, WorkspaceSymbolResponse,
};
use promela::names::NameKind;
use std::sync::Arc;

impl Server {
    pub(super) fn completion(
        &mut self,
        params: lsp_types::CompletionParams,
    ) -> Result<CompletionResponse, String> {
        let at = params.text_document_position;
        let names = self.names_in(&at.text_document.uri)?;
        let document = self.document(&at.text_document.uri)?;
        let offset = document.text.offset(at.position, self.encoding);
        let readings = known(&names, document);
        Ok(CompletionResponse::List(complete(&readings, document.text.as_str(), offset, self.snippets)))
    }

    pub(super) fn signature_help(
        &mut self,
        params: lsp_types::SignatureHelpParams,
    ) -> Result<Option<lsp_types::SignatureHelp>, String> {
        let at = params.text_document_position_params;
        let names = self.names_in(&at.text_document.uri)?;
        let document = self.document(&at.text_document.uri)?;
        let offset = document.text.offset(at.position, self.encoding);
        Ok(signature_at(&known(&names, document), document.text.as_str(), offset))
    }

    pub(super) fn document_symbols(
        &mut self,
        params: lsp_types::DocumentSymbolParams,
    ) -> Result<DocumentSymbolResponse, String> {
        let (reading, file) = self.view(&params.text_document.uri)?;
        Ok(DocumentSymbolResponse::Nested(symbols::outline(&reading, file, self.encoding)))
    }

    pub(super) fn workspace_symbols(
        &mut self,
        params: lsp_types::WorkspaceSymbolParams,
    ) -> Result<WorkspaceSymbolResponse, String> {
        let names: Vec<String> = self.documents.keys().cloned().collect();
        let mut readings: Vec<Arc<Reading>> = names.iter().filter_map(|name| self.reading(name)).collect();
        for path in self.models_on_disk() {
            let name = path.display().to_string();
            if !self.documents.contains_key(&name)
                && let Ok(text) = read_text(&path)
                // Without the word there is no name with it.
                && text.to_lowercase().contains(&params.query.to_lowercase())
            {
                readings.push(Arc::new(self.read(&name, &text)));
            }
        }
        let mut found = Vec::new();
        for symbol in readings.iter().flat_map(|r| symbols::matching(r, &params.query, self.encoding)) {
            if !found.contains(&symbol) {
                found.push(symbol);
            }
        }
        Ok(WorkspaceSymbolResponse::Flat(found))
    }

    pub(super) fn links(
        &mut self,
        params: lsp_types::DocumentLinkParams,
    ) -> Result<Vec<DocumentLink>, String> {
        let (reading, file) = self.view(&params.text_document.uri)?;
        let link = |mention: &promela::names::Mention| {
            let target = uri_of(&reading.sources().file(mention.declared.file).name)?;
            let range = range(reading.sources(), mention.span, self.encoding);
            Some(DocumentLink { range, target: Some(target), tooltip: None, data: None })
        };
        let files = reading.mentions_in(file).iter().filter(|mention| mention.kind == NameKind::File);
        Ok(files.filter_map(link).collect())
    }

    pub(super) fn folds(
        &mut self,
        params: lsp_types::FoldingRangeParams,
    ) -> Result<Vec<lsp_types::FoldingRange>, String> {
        let document = self.document(&params.text_document.uri)?;
        Ok(symbols::folds(&document.text))
    }

    pub(super) fn format(
        &mut self,
        params: lsp_types::DocumentFormattingParams,
    ) -> Result<Vec<TextEdit>, String> {
        let document = self.document(&params.text_document.uri)?;
        let indent = match params.options.insert_spaces {
            true => Indent::blanks(params.options.tab_size as usize),
            false => Indent::tab(),
        };
        let text = document.text.as_str();
        let formatted = format(text, &indent);
        if formatted == text {
            return Ok(Vec::new());
        }
        let range = document.text.range(0..text.len(), self.encoding);
        Ok(vec![TextEdit { range, new_text: formatted }])
    }

    pub(super) fn tokens(
        &mut self,
        params: lsp_types::SemanticTokensParams,
    ) -> Result<SemanticTokensResult, String> {
        let (reading, file) = self.view(&params.text_document.uri)?;
        let data = tokens::tokens(&reading, file, self.encoding);
        Ok(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data }))
    }

    pub(super) fn lenses(
        &mut self,
        params: lsp_types::CodeLensParams,
    ) -> Result<Vec<lsp_types::CodeLens>, String> {
        let uri = &params.text_document.uri;
        let (reading, file) = self.view(uri)?;
        let verdicts = self.document(uri)?.verdicts.as_ref();
        let mut lenses = lenses(&reading, file, verdicts, uri.as_str(), self.encoding);
        if !self.settings.debugger {
            lenses.retain(|lens| lens.command.as_ref().is_none_or(|c| c.command != DEBUG));
        }
        Ok(lenses)
    }

    pub(super) fn actions(
        &mut self,
        params: lsp_types::CodeActionParams,
    ) -> Result<Vec<CodeActionOrCommand>, String> {
        let uri = &params.text_document.uri;
        let (reading, file) = self.view(uri)?;
        let document = self.document(uri)?;
        let fixes = problems::fixes(&reading, file, &document.text, params.range, self.encoding);
        Ok(fixes.into_iter().map(CodeActionOrCommand::CodeAction).collect())
    }
}

/// What a text says, and what it said when it last meant something, if that is something else.
fn known<'a>(names: &'a Arc<Reading>, document: &'a Document) -> Vec<&'a Reading> {
    let good = document.good.as_ref().filter(|good| !Arc::ptr_eq(good, names));
    std::iter::once(names).chain(good).map(|reading| &**reading).collect()
}
