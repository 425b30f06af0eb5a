//! Reading a text again after an edit inside of one body, as an editor does at every keystroke.
//!
//! What the parser makes of a body depends on what stands before it outside of bodies: macros, types, symbolic names, proctypes, inlines. An
//! edit inside of one body changes nothing of that, so the syntax of all other bodies is still right, and only where they stand may have moved.
//! So the text is tokenized and parsed with the other bodies blanked out (`skip` in each, so that all places stay what they are), and
//! what is remembered of those is put back. What their names mean is remembered too, as long as that does not depend on the body that is edited
//! (`resolve/known.rs`).
//!
//! Invariant: what comes out is what [`crate::read`] says of the same text, but for the numbers of expansions. Whatever makes this doubtful
//! leads to reading everything: an edit outside of bodies, a brace that is no longer where it was, directives and line numbers in bodies, files
//! that are not what they were. A body about whose syntax there is something to say is never blanked out.

mod shift;

use crate::ast::{Ast, Body, Unit};
use crate::diagnostic::Diagnostic;
use crate::hash::HashSet;
use crate::lexer::{Interner, PieceKind, lex};
use crate::model::Model;
use crate::preprocess::{BUDGET, MAX_DIAGNOSTICS, Preprocessed, preprocess};
use crate::resolve::{Known, resolve_again};
use crate::source::{ExpansionId, FileId, SourceMap, Span};
use crate::token::Punct;
use crate::{IncludeLoader, Options, parse, understood};
pub(crate) use shift::Shift;
use std::ops::Range;

/// The text itself; others are included.
const ROOT: FileId = FileId(0);
/// What stands in a body that is blanked out.
const STUB: &str = " skip ";
/// Macros that say where they stand: what they say changes with what stands before them.
const PLACES: [&str; 2] = ["__LINE__", "__COUNTER__"];
/// Expansions of bodies that are gone, beside as many as there are.
const MOST_STALE_EXPANSIONS: usize = 10_000;

/// What is remembered of a text, so that reading it again costs less: of how it was read last, and of how it was before something was typed that
/// concerned everything. Most of that is soon taken back or made whole, as a brace by its other half.
#[derive(Debug, Default)]
pub struct Memory {
    last: Option<Kept>,
    before: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    name: String,
    options: Options,
    ast: Ast,
    /// With the mentions that are known before names are resolved.
    sources: SourceMap,
    /// Braces that stand in the text as they are: see [`Preprocessed`].
    braces: Vec<u32>,
    /// What is wrong with tokens of the text.
    complaints: Vec<Span>,
    /// What macros and inlines have cost, everything that was ever read counted.
    spent: usize,
    inlined: usize,
    /// How many expansions there were when everything was read.
    expansions: usize,
    /// There was nothing wrong with its syntax.
    is_whole: bool,
    /// What its bodies mean.
    known: Known,
}

/// Reads a model as [`crate::read`] does, faster if only a body differs from what was read before with the same memory.
pub fn read_again(
    name: &str,
    text: &str,
    options: &Options,
    includes: &dyn IncludeLoader,
    memory: &mut Memory,
) -> (Model, Vec<Diagnostic>) {
    let edited = |kept: &mut Option<Kept>| {
        let kept = kept.as_mut().filter(|kept| kept.name == name && kept.options == *options)?;
        kept.edit(text, includes)
    };
    let diagnostics = edited(&mut memory.last).or_else(|| {
        let diagnostics = edited(&mut memory.before)?;
        memory.last = memory.before.take();
        Some(diagnostics)
    });
    let (kept, diagnostics) = match (diagnostics, &mut memory.last) {
        (Some(diagnostics), Some(last)) => (last, diagnostics),
        (_, last) => {
            let (kept, diagnostics) = Kept::new(name, text, options, includes);
            memory.before = last.take().filter(|last| last.is_whole).or(memory.before.take());
            (last.insert(kept), diagnostics)
        }
    };
    understood(kept.sources.clone(), diagnostics, || resolve_again(&kept.ast, &mut kept.known))
}

impl Kept {
    fn new(
        name: &str,
        text: &str,
        options: &Options,
        includes: &dyn IncludeLoader,
    ) -> (Kept, Vec<Diagnostic>) {
        let mut sources = SourceMap::default();
        let file = sources.add_file(name, text);
        let read = preprocess(&mut sources, file, options, includes);
        let complaints = read.diagnostics.iter().map(|d| d.span).collect();
        let (ast, syntax) = parse::parse(read.tokens, &mut sources);
        let kept = Kept {
            name: name.to_string(),
            options: options.clone(),
            inlined: ast.inlined,
            ast,
            braces: read.braces,
            complaints,
            spent: read.spent,
            expansions: sources.expansion_count(),
            is_whole: read.diagnostics.is_empty() && syntax.is_empty(),
            sources,
            known: Known::default(),
        };
        (kept, [read.diagnostics, syntax].concat())
    }

    /// Makes it what it would be of another text, if that differs in one body only. Nothing changes if it does not.
    fn edit(&mut self, text: &str, includes: &dyn IncludeLoader) -> Option<Vec<Diagnostic>> {
        let most_expansions = 2 * self.expansions + MOST_STALE_EXPANSIONS;
        let mentions_places = |text: &str| PLACES.iter().any(|place| text.contains(place));
        if self.complaints.iter().any(|span| span.expansion != ExpansionId::NONE)
            || self.complaints.len() >= MAX_DIAGNOSTICS
            || self.sources.expansion_count() > most_expansions
            || mentions_places(text)
            || self.sources.files().skip(1).any(|(_, file)| mentions_places(&file.text))
        {
            return None;
        }
        let before = &self.sources.file(ROOT).text;
        let edit = Edit::between(before, text);
        let shift = edit.shift();
        let bodies: Vec<Option<Range<usize>>> = self.ast.units.iter().map(|unit| self.inside(unit)).collect();
        let is_edited = |inside: &Range<usize>| inside.start <= edit.start && edit.end <= inside.end;
        let edited = bodies.iter().position(|inside| inside.as_ref().is_some_and(is_edited));
        // Where nothing differs there may be none.
        let inside = edited.and_then(|index| bodies[index].clone()).unwrap_or_default();
        let now = inside.start..shift.offset(inside.end as u32) as usize;
        if (edited.is_none() && before != text)
            || before[inside.clone()].contains('#')
            || text[now.clone()].contains('#')
            || !is_closed(&text[now.clone()])
        {
            return None;
        }

        let mut blanked = text.to_string().into_bytes();
        let mut is_kept = vec![false; bodies.len()];
        let mut kept_places = Vec::new();
        for (index, unit) in self.ast.units.iter().enumerate() {
            let Some(inside) = bodies[index].clone().filter(|_| Some(index) != edited) else { continue };
            if self.can_be_blanked(unit, &inside) {
                let place =
                    shift.offset(inside.start as u32) as usize..shift.offset(inside.end as u32) as usize;
                blanked[place.clone()].fill(b' ');
                blanked[place.start..place.start + STUB.len()].copy_from_slice(STUB.as_bytes());
                is_kept[index] = true;
                kept_places.push(inside);
            }
        }
        // Both ends of what was blanked out are braces, so this is text as before.
        let blanked = String::from_utf8(blanked).ok()?;

        kept_places.sort_by_key(|place| place.start);
        let in_kept = |span: Span| {
            let at = span.start as usize;
            let index = kept_places.partition_point(|place| place.start <= at);
            span.file == ROOT && index > 0 && kept_places[index - 1].contains(&at)
        };
        let in_edited = |span: Span| span.file == ROOT && inside.contains(&(span.start as usize));
        let mut sources = self.sources.moved(
            |span| shift.span(span),
            |mention, repeated| in_kept(mention.span) || (repeated && !in_edited(mention.span)),
        );
        let file = sources.add_file(self.name.as_str(), blanked);
        let Preprocessed { tokens, braces, spent, diagnostics } =
            preprocess(&mut sources, file, &self.options, includes);
        sources.replace_text(file, text);
        let same_files = sources.files().skip(1).eq(self.sources.files().skip(1));
        if !same_files || self.spent + spent > BUDGET {
            return None;
        }
        let (mut ast, syntax) = parse::parse(tokens, &mut sources);
        if self.inlined + ast.inlined > parse::MOST_INLINED_TOKENS
            || ast.units.len() != self.ast.units.len()
            || !self.ast.units.iter().zip(&ast.units).all(|(old, new)| is_same(old, new, &shift))
            || (edited.is_some() && braces.binary_search(&(now.end as u32)).is_err())
        {
            return None;
        }

        let old = std::mem::take(&mut self.ast);
        let mut called = HashSet::default();
        self.known.edit(&shift, &is_kept);
        for ((old, new), is_kept) in old.units.into_iter().zip(&mut ast.units).zip(is_kept) {
            if let (true, Some(mut body), Some(place)) = (is_kept, into_body(old), new.body_mut()) {
                shift.body(&mut body);
                called.extend(body.calls.iter().cloned());
                *place = body;
            }
        }
        for inline in ast.inlines.iter_mut().filter(|inline| called.contains(&inline.name.text)) {
            inline.is_called = true;
        }
        self.spent += spent;
        self.inlined += ast.inlined;
        self.ast = ast;
        self.sources = sources;
        self.braces = braces;
        self.complaints = diagnostics.iter().map(|d| d.span).collect();
        self.is_whole = diagnostics.is_empty() && syntax.is_empty();
        Some([diagnostics, syntax].concat())
    }

    /// The bytes between the braces of a body, if both stand in the text as they are.
    fn inside(&self, unit: &Unit) -> Option<Range<usize>> {
        let body = unit.body()?;
        let stands = |brace: Span| {
            brace.file == ROOT
                && brace.expansion == ExpansionId::NONE
                && self.braces.binary_search(&brace.start).is_ok()
        };
        (stands(body.open) && stands(body.end)).then_some(body.open.end as usize..body.end.start as usize)
    }

    fn can_be_blanked(&self, unit: &Unit, inside: &Range<usize>) -> bool {
        let is_inside = |span: &Span| span.file == ROOT && inside.contains(&(span.start as usize));
        unit.body().is_some_and(|body| body.clean)
            && inside.len() >= STUB.len()
            && !self.sources.file(ROOT).text[inside.clone()].contains('#')
            && !self.complaints.iter().any(is_inside)
    }
}

/// Where two texts differ: what stands from `start` to `end` in one is replaced in the other, which is `by` bytes longer.
struct Edit {
    start: usize,
    end: usize,
    by: isize,
}

impl Edit {
    fn between(before: &str, after: &str) -> Edit {
        let same = |(a, b): &(u8, u8)| a == b;
        let start = before.bytes().zip(after.bytes()).take_while(same).count();
        let rest = before.len().min(after.len()) - start;
        let behind = before.bytes().rev().zip(after.bytes().rev()).take(rest).take_while(same).count();
        Edit { start, end: before.len() - behind, by: after.len() as isize - before.len() as isize }
    }

    fn shift(&self) -> Shift {
        Shift { file: ROOT, from: self.end as u32, by: self.by as i32 }
    }
}

/// Whether braces and comments end that begin here: if not, there is no need to try. Macros may still open what they do not close.
fn is_closed(text: &str) -> bool {
    let mut complaints = Vec::new();
    let mut depth = 0_i32;
    for piece in lex(text, ROOT, &mut Interner::default(), &mut complaints) {
        depth += match piece.kind {
            PieceKind::Punct(Punct::LeftBrace) => 1,
            PieceKind::Punct(Punct::RightBrace) => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && complaints.is_empty()
}

/// Both are units of one kind and name, and their bodies stand where they should.
fn is_same(old: &Unit, new: &Unit, shift: &Shift) -> bool {
    let name = |unit: &Unit| match unit {
        Unit::Proctype(proctype) => Some(proctype.name.text.clone()),
        _ => None,
    };
    let places = |body: &Body| (body.open, body.end);
    let moved = old.body().map(places).map(|(open, end)| (shift.span(open), shift.span(end)));
    std::mem::discriminant(old) == std::mem::discriminant(new)
        && name(old) == name(new)
        && moved == new.body().map(places)
}

fn into_body(unit: Unit) -> Option<Body> {
    match unit {
        Unit::Proctype(proctype) => Some(proctype.body),
        Unit::Claim { body, .. } | Unit::Trace { body, .. } => Some(body),
        _ => None,
    }
}
