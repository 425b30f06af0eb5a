//! What can stand at the cursor, and what a call there wants.
//!
//! The text is usually wrong while somebody types, and a proctype with a mistake may not be understood; then what was last understood
//! of it helps out.

use super::hover::{declaration, parameters, signature, type_name};
use super::pieces::{Pieces, bytes, is};
use crate::reading::Reading;
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, InsertTextFormat, ParameterInformation,
    ParameterLabel, SignatureHelp, SignatureInformation,
};
use promela::lexer::{Piece, PieceKind};
use promela::model::{Initializer, Model, Proctype, Type, Variable};
use promela::names::NameKind;
use promela::token::{Keyword, Punct};
use std::collections::BTreeMap;

/// More than these nobody looks through; with the next letter there are fewer.
const MOST: usize = 250;

/// What can stand at a byte of the text, as far as the word that is being typed there leaves it open.
pub fn complete(readings: &[&Reading], text: &str, offset: usize, snippets: bool) -> CompletionList {
    let pieces = Pieces::of(text);
    let all = pieces.all();
    // The word that is being typed is no context.
    let mut before = all.partition_point(|piece| (piece.span.start as usize) < offset);
    let mut word = "";
    if before > 0 {
        let last = &all[before - 1];
        if matches!(last.kind, PieceKind::Name(_)) && last.span.end as usize >= offset {
            word = &text[last.span.start as usize..offset];
            before -= 1;
        }
    }
    let context = &all[..before];
    let mut items = Items { word, found: BTreeMap::new(), is_incomplete: false };
    let last = context.last();
    let keyword = last.and_then(|piece| pieces.keyword(piece));
    let home = proctype_around(&pieces, context);
    match (last, keyword) {
        (Some(last), _) if last.kind == PieceKind::Hash && last.first_on_line => {
            for directive in ["define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif"]
            {
                items.add(directive, CompletionItemKind::KEYWORD, || None);
            }
        }
        (_, Some(Keyword::Goto)) => {
            readings.iter().for_each(|reading| labels(reading, home.as_deref(), &mut items));
        }
        (Some(last), _) if is(last, Punct::At) => {
            let proctype = context.iter().rev().skip(1).find(|piece| pieces.is_name(piece));
            let name = proctype.map(|piece| pieces.text(piece));
            readings.iter().for_each(|reading| labels(reading, name, &mut items));
        }
        (Some(last), _) if is(last, Punct::Dot) => {
            readings
                .iter()
                .for_each(|reading| fields(reading, &pieces, context, home.as_deref(), &mut items));
        }
        (_, Some(Keyword::Run)) => {
            for reading in readings {
                let model = &reading.model;
                for proctype in model.proctypes.iter().filter(|p| p.name != ":init:") {
                    items.add(&proctype.name, CompletionItemKind::CLASS, || Some(signature(model, proctype)));
                }
            }
        }
        _ => {
            for reading in readings {
                everything(reading, home.as_deref(), &mut items);
            }
            keywords(&mut items, snippets);
        }
    }
    CompletionList { is_incomplete: items.is_incomplete, items: items.found.into_values().collect() }
}

/// What a name that is being typed could be, each once; the first that says what it is wins.
struct Items<'t> {
    /// What is typed of it.
    word: &'t str,
    found: BTreeMap<String, CompletionItem>,
    /// Something was left out.
    is_incomplete: bool,
}

impl Items<'_> {
    fn add(&mut self, name: &str, kind: CompletionItemKind, detail: impl FnOnce() -> Option<String>) {
        if self.found.len() >= MOST {
            self.is_incomplete = true;
            return;
        }
        self.put(name, || CompletionItem { kind: Some(kind), detail: detail(), ..CompletionItem::default() });
    }

    fn put(&mut self, name: &str, item: impl FnOnce() -> CompletionItem) {
        if !can_become(self.word, name) {
            self.is_incomplete = true;
        } else if !self.found.contains_key(name) {
            self.found.insert(name.to_string(), CompletionItem { label: name.to_string(), ..item() });
        }
    }
}

/// Whether a name has the letters of a word in their order, as editors look for it.
fn can_become(word: &str, name: &str) -> bool {
    let mut letters = name.bytes();
    word.bytes().all(|wanted| letters.any(|letter| letter.eq_ignore_ascii_case(&wanted)))
}

/// The name of the proctype around the end of the pieces, or `:init:`.
fn proctype_around(pieces: &Pieces<'_>, context: &[Piece]) -> Option<String> {
    let mut depth = 0i32;
    for (at, piece) in context.iter().enumerate().rev() {
        depth += i32::from(is(piece, Punct::RightBrace)) - i32::from(is(piece, Punct::LeftBrace));
        match pieces.keyword(piece) {
            _ if depth >= 0 => {}
            Some(Keyword::Proctype | Keyword::DProctype) => {
                return context.get(at + 1).map(|name| pieces.text(name).to_string());
            }
            Some(Keyword::Init) => return Some(":init:".into()),
            _ => {}
        }
    }
    None
}

fn proctype_named<'m>(model: &'m Model, name: Option<&str>) -> Option<&'m Proctype> {
    model.proctypes.iter().find(|proctype| Some(proctype.name.as_str()) == name)
}

fn labels(reading: &Reading, proctype: Option<&str>, items: &mut Items<'_>) {
    let Some(proctype) = proctype_named(&reading.model, proctype) else { return };
    proctype.body.visit(&mut |statement| {
        for label in &statement.labels {
            let plain = label.name.split(':').next().unwrap_or(&label.name);
            items.add(plain, CompletionItemKind::REFERENCE, || None);
        }
    });
}

fn variable<'m>(model: &'m Model, home: Option<&str>, name: &str) -> Option<&'m Variable> {
    let locals = proctype_named(model, home).map_or(&[][..], |proctype| &proctype.locals);
    locals.iter().chain(&model.globals).find(|variable| variable.name == name)
}

/// The fields behind `a.b[i].`
fn fields(
    reading: &Reading,
    pieces: &Pieces<'_>,
    context: &[Piece],
    home: Option<&str>,
    items: &mut Items<'_>,
) {
    let model = &reading.model;
    let mut path = Vec::new();
    let mut at = context.len();
    while at > 0 && is(&context[at - 1], Punct::Dot) {
        at -= 1;
        if at > 0 && is(&context[at - 1], Punct::RightBracket) {
            let Some(open) = context[..at].iter().rposition(|piece| is(piece, Punct::LeftBracket)) else {
                return;
            };
            at = open;
        }
        if at == 0 || !pieces.is_name(&context[at - 1]) {
            return;
        }
        at -= 1;
        path.push(pieces.text(&context[at]));
    }
    let Some(head) = path.pop() else { return };
    let Some(mut ty) = variable(model, home, head).map(|variable| variable.ty) else { return };
    while let Some(name) = path.pop() {
        let Type::Struct(id) = ty else { return };
        let fields = &model.typedefs[id.0 as usize].fields;
        let Some(field) = fields.iter().find(|field| field.name == name) else { return };
        ty = field.ty;
    }
    let Type::Struct(id) = ty else { return };
    for field in &model.typedefs[id.0 as usize].fields {
        items.add(&field.name, CompletionItemKind::FIELD, || Some(type_name(model, field.ty)));
    }
}

fn everything(reading: &Reading, home: Option<&str>, items: &mut Items<'_>) {
    let model = &reading.model;
    let locals = proctype_named(model, home).map_or(&[][..], |proctype| &proctype.locals);
    for variable in locals.iter().chain(&model.globals).filter(|variable| is_word(&variable.name)) {
        items.add(&variable.name, CompletionItemKind::VARIABLE, || Some(declaration(model, variable)));
    }
    for (name, value, _) in model.mtype_sets.iter().flat_map(|set| &set.names) {
        items.add(name, CompletionItemKind::ENUM_MEMBER, || Some(format!("mtype, {value}")));
    }
    for typedef in &model.typedefs {
        items.add(&typedef.name, CompletionItemKind::STRUCT, || None);
    }
    for mention in reading.calls_declared() {
        let kind = match mention.kind {
            NameKind::Inline => CompletionItemKind::FUNCTION,
            _ => CompletionItemKind::CONSTANT,
        };
        items.add(reading.sources().text(mention.span), kind, || None);
    }
    for proctype in model.proctypes.iter().filter(|proctype| is_word(&proctype.name)) {
        items.add(&proctype.name, CompletionItemKind::CLASS, || Some(signature(model, proctype)));
    }
}

fn is_word(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') && name != "_"
}

fn keywords(items: &mut Items<'_>, snippets: bool) {
    const SHAPES: [(&str, &str); 10] = [
        ("do", "do\n:: $0\nod"),
        ("if", "if\n:: $0\n:: else\nfi"),
        ("atomic", "atomic {\n\t$0\n}"),
        ("d_step", "d_step {\n\t$0\n}"),
        ("proctype", "proctype ${1:name}($2) {\n\t$0\n}"),
        ("init", "init {\n\t$0\n}"),
        ("inline", "inline ${1:name}($2) {\n\t$0\n}"),
        ("ltl", "ltl ${1:name} { $0 }"),
        ("for", "for (${1:i} : ${2:0} .. ${3:N}) {\n\t$0\n}"),
        ("chan", "chan ${1:name} = [${2:1}] of { ${3:byte} };$0"),
    ];
    for (_, word) in Keyword::ALL {
        let shape = SHAPES.iter().find(|(shaped, _)| shaped == word).filter(|_| snippets);
        items.put(word, || CompletionItem {
            kind: Some(CompletionItemKind::KEYWORD),
            insert_text: shape.map(|(_, shape)| (*shape).to_string()),
            insert_text_format: shape.map(|_| InsertTextFormat::SNIPPET),
            ..CompletionItem::default()
        });
    }
    for word in ["_pid", "_nr_pr", "_last"] {
        items.add(word, CompletionItemKind::VARIABLE, || None);
    }
}

/// What the call around a byte wants: parameters of a proctype, an inline or a macro, or the fields of a message.
pub fn signature_at(readings: &[&Reading], text: &str, offset: usize) -> Option<SignatureHelp> {
    let pieces = Pieces::of(text);
    let all = pieces.all();
    let before = all.partition_point(|piece| (piece.span.start as usize) < offset);
    let context = &all[..before];
    let mut depth = 0;
    let mut commas = 0;
    for at in (0..context.len()).rev() {
        let piece = &context[at];
        match piece.kind {
            PieceKind::Punct(Punct::RightParen | Punct::RightBracket) => depth += 1,
            PieceKind::Punct(Punct::LeftParen | Punct::LeftBracket) if depth > 0 => depth -= 1,
            PieceKind::Punct(Punct::Comma) if depth == 0 => commas += 1,
            PieceKind::Punct(Punct::LeftParen) => {
                let name = at.checked_sub(1).map(|name| &context[name]).filter(|piece| pieces.is_name(piece));
                if let Some(name) = name
                    && let Some(found) = readings.iter().find_map(|reading| call(reading, pieces.text(name)))
                {
                    return Some(help(found, commas));
                }
                // A parenthesis inside of an argument, or `q!ack(…)`.
                commas = 0;
            }
            PieceKind::Punct(Punct::Bang | Punct::BangBang | Punct::Question | Punct::QuestionQuestion)
                if depth == 0 =>
            {
                let home = proctype_around(&pieces, context);
                let channel = channel_before(&pieces, &context[..at])?;
                let found = readings.iter().find_map(|reading| message(reading, home.as_deref(), channel))?;
                return Some(help(found, commas));
            }
            PieceKind::Punct(
                Punct::Semicolon | Punct::LeftBrace | Punct::RightBrace | Punct::Arrow | Punct::DoubleColon,
            ) => return None,
            _ => {}
        }
    }
    None
}

/// The name before `!` or `?`, its index left out.
fn channel_before<'t>(pieces: &Pieces<'t>, context: &[Piece]) -> Option<&'t str> {
    let mut end = context.len();
    if end > 0 && is(&context[end - 1], Punct::RightBracket) {
        end = context[..end].iter().rposition(|piece| is(piece, Punct::LeftBracket))?;
    }
    let name = context.get(end.checked_sub(1)?)?;
    pieces.is_name(name).then(|| &pieces.source()[bytes(name)])
}

/// A label and its parameters.
type Signature = (String, Vec<String>);

fn call(reading: &Reading, name: &str) -> Option<Signature> {
    let model = &reading.model;
    if let Some(proctype) = proctype_named(model, Some(name)) {
        return Some((signature(model, proctype), parameters(model, proctype)));
    }
    let declared = reading.calls_declared().find(|mention| reading.sources().text(mention.span) == name)?;
    let behind = &reading.sources().file(declared.span.file).text[declared.span.end as usize..];
    let inside = behind.strip_prefix('(')?.split_once(')')?.0;
    let names: Vec<String> =
        inside.split(',').map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect();
    Some((format!("{name}({})", names.join(", ")), names))
}

fn message(reading: &Reading, home: Option<&str>, channel: &str) -> Option<Signature> {
    let model = &reading.model;
    let Initializer::Channel(id) = variable(model, home, channel)?.init else { return None };
    let field = |field: &promela::model::MessageField| match &field.name {
        Some(name) => format!("{} {name}", type_name(model, Type::Scalar(field.scalar))),
        None => type_name(model, Type::Scalar(field.scalar)),
    };
    let fields: Vec<String> = model.channel_types[id.0 as usize].fields.iter().map(field).collect();
    Some((format!("{channel}: {{ {} }}", fields.join(", ")), fields))
}

fn help((label, parameters): Signature, active: u32) -> SignatureHelp {
    let parameters = parameters
        .into_iter()
        .map(|text| ParameterInformation { label: ParameterLabel::Simple(text), documentation: None })
        .collect();
    let signature = SignatureInformation {
        label,
        documentation: None,
        parameters: Some(parameters),
        active_parameter: Some(active),
    };
    SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: Some(active) }
}
