//! Requests about the name at a place: where it is declared and mentioned, what it means, another name for it.

use super::super::hover;
use super::super::names::{Place, declarations, is_name, references, renamed};
use super::Server;
use crate::place::{location, range, uri_of};
use crate::reading::{ROOT, Reading};
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, GotoDefinitionResponse, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, PrepareRenameResponse, TextDocumentPositionParams, TextEdit, Uri,
    WorkspaceEdit,
};
use promela::names::{NameKind, Role};
use promela::source::{SourceFile, Span};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// A text, and where in it something is declared.
type Declared = (Arc<Reading>, Vec<Span>);

impl Server {
    pub(super) fn definition(
        &mut self,
        params: lsp_types::GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>, String> {
        let (reading, file, offset) = self.place(&params.text_document_position_params)?;
        let spans = declarations(&reading, file, offset);
        let places = spans.iter().filter_map(|&span| location(reading.sources(), span, self.encoding));
        let places: Vec<Location> = places.collect();
        Ok((!places.is_empty()).then_some(GotoDefinitionResponse::Array(places)))
    }

    pub(super) fn references(
        &mut self,
        params: lsp_types::ReferenceParams,
    ) -> Result<Option<Vec<Location>>, String> {
        let Some(named) = self.named(&params.text_document_position)? else { return Ok(None) };
        let mut found = BTreeMap::new();
        for (other, declared) in &named {
            for mention in references(other, declared, params.context.include_declaration) {
                if let Some(place) = location(other.sources(), mention.span, self.encoding) {
                    found.insert(Place::of(other, mention.span), place);
                }
            }
        }
        Ok(Some(found.into_values().collect()))
    }

    /// What is named at a place, in everything in which it may be mentioned: where it is declared there.
    fn named(&mut self, at: &TextDocumentPositionParams) -> Result<Option<Vec<Declared>>, String> {
        let (reading, file, offset) = self.place(at)?;
        let declared = declarations(&reading, file, offset);
        let Some(&first) = declared.first() else { return Ok(None) };
        let places: Vec<Place> = declared.iter().map(|&span| Place::of(&reading, span)).collect();
        let home = reading.sources().file(first.file).name.clone();
        let declared_in = |other: Arc<Reading>| {
            let declared = places.iter().filter_map(|place| place.in_reading(&other)).collect();
            (other, declared)
        };
        Ok(Some(self.everywhere(&home).into_iter().map(declared_in).collect()))
    }

    pub(super) fn highlights(
        &mut self,
        params: lsp_types::DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>, String> {
        let (reading, file, offset) = self.place(&params.text_document_position_params)?;
        let mut found = Vec::new();
        for declared in declarations(&reading, file, offset) {
            for mention in reading.mentions_of(declared).filter(|mention| mention.span.file == file) {
                let kind = match mention.role {
                    Role::Written | Role::Sent | Role::Declared => DocumentHighlightKind::WRITE,
                    _ => DocumentHighlightKind::READ,
                };
                let range = range(reading.sources(), mention.span, self.encoding);
                found.push(DocumentHighlight { range, kind: Some(kind) });
            }
        }
        found.dedup_by_key(|highlight| highlight.range);
        Ok(Some(found))
    }

    pub(super) fn hover(&mut self, params: lsp_types::HoverParams) -> Result<Option<Hover>, String> {
        let at = params.text_document_position_params;
        let (reading, file, offset) = self.place(&at)?;
        let mentions = reading.mentioned_at(file, offset);
        let verdicts = self.document(&at.text_document.uri)?.verdicts.as_ref();
        let Some(first) = mentions.first() else { return Ok(None) };
        let texts: Vec<String> =
            mentions.iter().filter_map(|mention| hover::about(&reading, mention, verdicts)).collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let value = texts.join("\n\n---\n\n");
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Ok(Some(Hover { contents, range: Some(range(reading.sources(), first.span, self.encoding)) }))
    }

    pub(super) fn prepare_rename(
        &mut self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>, String> {
        let (reading, file, offset) = self.place(&params)?;
        let mentions = reading.mentioned_at(file, offset);
        let Some(mention) = mentions.first().filter(|mention| mention.kind != NameKind::File) else {
            return Ok(None);
        };
        let declared = declarations(&reading, file, offset);
        renamed(&reading, &declared)?;
        Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: range(reading.sources(), mention.span, self.encoding),
            placeholder: reading.sources().text(mention.span).to_string(),
        }))
    }

    pub(super) fn rename(&mut self, params: lsp_types::RenameParams) -> Result<WorkspaceEdit, String> {
        let new_name = params.new_name;
        if !is_name(&new_name) {
            return Err(format!("`{new_name}` is not a name"));
        }
        let named = self.named(&params.text_document_position)?.ok_or("there is no name here")?;
        let mut changes: BTreeMap<Place, lsp_types::Range> = BTreeMap::new();
        for (other, declared) in &named {
            for mention in renamed(other, declared)? {
                changes.insert(
                    Place::of(other, mention.span),
                    range(other.sources(), mention.span, self.encoding),
                );
            }
        }
        for (other, _) in &named {
            self.stays_right(other, &changes, &new_name)?;
        }
        #[allow(clippy::mutable_key_type, reason = "the protocol's own type")]
        let mut edits: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        for (place, range) in changes {
            let uri = uri_of(&place.file).ok_or_else(|| format!("`{}` is no file", place.file))?;
            edits.entry(uri).or_default().push(TextEdit { range, new_text: new_name.clone() });
        }
        Ok(WorkspaceEdit { changes: Some(edits), ..WorkspaceEdit::default() })
    }

    /// Whether a text that is renamed in means something as before; the other name may be taken.
    fn stays_right(
        &self,
        reading: &Reading,
        changes: &BTreeMap<Place, lsp_types::Range>,
        new_name: &str,
    ) -> Result<(), String> {
        let read = |changed: &dyn Fn(&SourceFile) -> String| {
            let texts = reading.sources().files().map(|(_, file)| (file.name.clone(), changed(file)));
            let texts: HashMap<String, String> = texts.collect();
            let root = reading.sources().file(ROOT);
            let open = |path: &Path| texts.get(&path.display().to_string()).cloned();
            Reading::new(&root.name, &changed(root), &self.settings.reading(), &open)
        };
        // Both read as a whole: one that was read again may still know what a body mentioned before it was edited.
        let before = read(&|file| file.text.clone());
        let after = read(&|file| {
            let mut text = file.text.clone();
            for place in changes.keys().rev().filter(|place| place.file == file.name) {
                text.replace_range(place.start as usize..place.end as usize, new_name);
            }
            text
        });
        // The same mistakes as before may be there, in other words, and warnings about order do not count.
        let errors = |reading: &Reading| {
            let error =
                |d: &&promela::diagnostic::Diagnostic| d.severity == promela::diagnostic::Severity::Error;
            reading.diagnostics.iter().filter(error).count()
        };
        if errors(&after) > errors(&before) || after.mentions_in(ROOT).len() != before.mentions_in(ROOT).len()
        {
            let first = after.diagnostics.first().map_or_else(String::new, |d| format!(": {}", d.message));
            return Err(format!("with the name `{new_name}` the model would mean something else{first}"));
        }
        Ok(())
    }
}
