//! Reading a text again after an edit inside of one body or one declaration of variables, as an editor does at every keystroke.
//!
//! What the parser makes of a body depends on what stands before it outside of bodies: macros, types, symbolic names, proctypes, inlines. An
//! edit inside of one body changes nothing of that, nor does one of variables, so the syntax of all other bodies is still right, and only where
//! they stand may have moved. So the text is tokenized and parsed with everything blanked out that does not matter to that body: all other units but for symbolic names
//! and types or, where that is too much, the other bodies (`skip` in each, so that all places stay what they are); and what is remembered of
//! those is put back. What their names mean is remembered too, as long as that does not depend on what is edited
//! (`resolve/known.rs`).
//!
//! Invariant: what comes out is what [`crate::read`] says of the same text, but for the numbers of expansions. Whatever makes this doubtful
//! leads to reading everything: an edit of anything else, a declaration with a mistake in it, a brace that is no longer where it was, directives and line numbers in bodies, files
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
use std::rc::Rc;

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
    /// What is wrong with tokens of the text, and with its syntax.
    complaints: Vec<Span>,
    mistakes: Vec<Span>,
    /// What macros and inlines have cost, everything that was ever read counted.
    spent: usize,
    inlined: usize,
    /// How many expansions there were when everything was read.
    expansions: usize,
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
            memory.before = last.take().filter(Kept::is_whole).or(memory.before.take());
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
        let (ast, syntax) = parse::parse(read.tokens, [], &mut sources);
        let kept = Kept {
            name: name.to_string(),
            options: options.clone(),
            inlined: ast.inlined,
            ast,
            braces: read.braces,
            complaints,
            mistakes: syntax.iter().map(|d| d.span).collect(),
            spent: read.spent,
            expansions: sources.expansion_count(),
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
        let body = bodies.iter().position(|inside| inside.as_ref().is_some_and(is_edited));
        let (edited, inside) = match body {
            Some(index) => (body, bodies[index].clone()),
            None => self.declaration_around(&edit).unzip(),
        };
        // Where nothing differs there may be none.
        let inside = inside.unwrap_or_default();
        let now = inside.start..shift.offset(inside.end as u32) as usize;
        if (edited.is_none() && before != text)
            || has_directive(&before[inside.clone()])
            || has_directive(&text[now.clone()])
            || !is_closed(&text[now.clone()])
        {
            return None;
        }
        let edited = Edited { text, shift, unit: edited, inside, now };
        let units = self.units_to_leave_out(&edited, &bodies);
        // A declaration that cannot be read without the other units can hardly be read with them.
        let is_all = body.is_none() && units.is_some();
        let diagnostics = units.and_then(|left_out| self.read_edited(&edited, &left_out, includes));
        if diagnostics.is_some() || is_all {
            return diagnostics;
        }
        self.read_edited(&edited, &self.bodies_to_leave_out(&edited, bodies), includes)
    }

    /// All units but the edited one and those that matter to how it is parsed, if all of that is known: there is nothing to be said about the
    /// syntax of the others, and no body among those that stay, which would need all proctypes before it.
    fn units_to_leave_out(&self, edited: &Edited<'_>, bodies: &[Option<Range<usize>>]) -> Option<LeftOut> {
        let is_inside = |span: &Span| stands(*span) && edited.inside.contains(&(span.start as usize));
        let own = edited.unit?;
        if !self.complaints.iter().chain(&self.mistakes).all(is_inside) {
            return None;
        }
        let text = &self.sources.file(ROOT).text;
        let mut places = Vec::with_capacity(bodies.len());
        for (index, (unit, (first, last))) in self.ast.units.iter().zip(&self.ast.extents).enumerate() {
            let extent = first.start as usize..last.end as usize;
            let can_be_left_out = stands(*first)
                && stands(*last)
                && extent.start < extent.end
                && !has_directive(&text[extent.clone()])
                && !matches!(unit, Unit::Mtype { .. } | Unit::Typedef { .. });
            let overlaps = extent.start < edited.inside.end && edited.inside.start < extent.end;
            if index != own && (overlaps || (unit.body().is_some() && !can_be_left_out)) {
                return None;
            }
            places.push(Some(extent).filter(|_| index != own && can_be_left_out));
        }
        let before = self.ast.units[..own].iter().filter_map(Unit::proctype_name).cloned().collect();
        Some(LeftOut { places, stub: "", proctypes: before })
    }

    /// The other bodies, but for those about whose syntax there is something to say.
    fn bodies_to_leave_out(&self, edited: &Edited<'_>, bodies: Vec<Option<Range<usize>>>) -> LeftOut {
        let places = bodies.into_iter().zip(&self.ast.units).enumerate().map(|(index, (inside, unit))| {
            inside.filter(|inside| Some(index) != edited.unit && self.can_be_left_out(unit, inside))
        });
        LeftOut { places: places.collect(), stub: STUB, proctypes: Vec::new() }
    }

    /// Reads the text without what is left out, and puts that back.
    fn read_edited(
        &mut self,
        edited: &Edited<'_>,
        left_out: &LeftOut,
        includes: &dyn IncludeLoader,
    ) -> Option<Vec<Diagnostic>> {
        let Edited { text, shift, inside, now, .. } = edited;
        let mut kept_places: Vec<Range<usize>> = left_out.places.iter().flatten().cloned().collect();
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
        let file = sources.add_file(self.name.as_str(), left_out.blanked(text, shift)?);
        let Preprocessed { tokens, mut braces, spent, diagnostics } =
            preprocess(&mut sources, file, &self.options, includes);
        sources.replace_text(file, text);
        let same_files = sources.files().skip(1).eq(self.sources.files().skip(1));
        if !same_files || self.spent + spent > BUDGET {
            return None;
        }
        let (mut ast, syntax) = parse::parse(tokens, left_out.proctypes.iter().cloned(), &mut sources);
        if self.inlined + ast.inlined > parse::MOST_INLINED_TOKENS
            || !left_out.leaves(&self.ast, &ast, shift)
            || edited.unit.is_some_and(|unit| match self.ast.units[unit] {
                Unit::Declaration(_) => {
                    let (_, last) = ast.extents[left_out.index_in_read(unit)];
                    !diagnostics.is_empty() || !syntax.is_empty() || !is_before_semicolon(text, last)
                }
                _ => braces.binary_search(&(now.end as u32)).is_err(),
            })
        {
            return None;
        }
        let kept_braces = self.braces.iter().map(|brace| Span { start: *brace, ..Span::default() });
        braces.extend(kept_braces.filter(|brace| in_kept(*brace)).map(|brace| shift.offset(brace.start)));
        braces.sort_unstable();

        let kept: Vec<bool> = left_out.places.iter().map(Option::is_some).collect();
        self.known.edit(shift, &kept, edited.unit);
        let called = left_out.put_back(std::mem::take(&mut self.ast), &mut ast, shift);
        for inline in ast.inlines.iter_mut().filter(|inline| called.contains(&inline.name.text)) {
            inline.is_called = true;
        }
        self.spent += spent;
        self.inlined += ast.inlined;
        self.ast = ast;
        self.sources = sources;
        self.braces = braces;
        self.complaints = diagnostics.iter().map(|d| d.span).collect();
        self.mistakes = syntax.iter().map(|d| d.span).collect();
        Some([diagnostics, syntax].concat())
    }

    /// There was nothing wrong with its syntax.
    fn is_whole(&self) -> bool {
        self.complaints.is_empty() && self.mistakes.is_empty()
    }

    /// The bytes between the braces of a body, if both stand in the text as they are.
    fn inside(&self, unit: &Unit) -> Option<Range<usize>> {
        let body = unit.body()?;
        let is_brace = |span: Span| stands(span) && self.braces.binary_search(&span.start).is_ok();
        (is_brace(body.open) && is_brace(body.end)).then_some(body.open.end as usize..body.end.start as usize)
    }

    /// The declaration of variables inside of which a text is edited, and its bytes, if it ends by a semicolon: whatever comes behind that,
    /// it is read as it is.
    fn declaration_around(&self, edit: &Edit) -> Option<(usize, Range<usize>)> {
        let text = &self.sources.file(ROOT).text;
        let mut units = self.ast.units.iter().zip(&self.ast.extents).enumerate();
        let (index, (_, (first, last))) = units.find(|(_, (unit, (first, last)))| {
            matches!(unit, Unit::Declaration(_))
                && stands(*first)
                && first.start as usize <= edit.start
                && edit.end <= last.end as usize
                && is_before_semicolon(text, *last)
        })?;
        Some((index, first.start as usize..last.end as usize))
    }

    fn can_be_left_out(&self, unit: &Unit, inside: &Range<usize>) -> bool {
        let is_inside = |span: &Span| span.file == ROOT && inside.contains(&(span.start as usize));
        unit.body().is_some_and(|body| body.clean)
            && inside.len() >= STUB.len()
            && !has_directive(&self.sources.file(ROOT).text[inside.clone()])
            && !self.complaints.iter().any(is_inside)
    }
}

/// What is to be read again.
struct Edited<'a> {
    text: &'a str,
    shift: Shift,
    /// The unit that is edited, or whose body is; none, if nothing is.
    unit: Option<usize>,
    /// Between the braces of that body, as it was and as it is.
    inside: Range<usize>,
    now: Range<usize>,
}

/// What is not read again.
struct LeftOut {
    /// For each unit what is left out of it, where it stood.
    places: Vec<Option<Range<usize>>>,
    /// What stands in its place: nothing, if that is the whole unit.
    stub: &'static str,
    /// The names of the proctypes that are left out, as far as they stand before the edited body.
    proctypes: Vec<Rc<str>>,
}

impl LeftOut {
    fn blanked(&self, text: &str, shift: &Shift) -> Option<String> {
        let mut blanked = text.as_bytes().to_vec();
        for place in self.places.iter().flatten() {
            let place = shift.offset(place.start as u32) as usize..shift.offset(place.end as u32) as usize;
            blanked[place.clone()].fill(b' ');
            blanked[place.start..place.start + self.stub.len()].copy_from_slice(self.stub.as_bytes());
        }
        // Both ends of what was blanked out are ends of tokens, so this is text as before.
        String::from_utf8(blanked).ok()
    }

    /// Which of the units that are read one is.
    fn index_in_read(&self, unit: usize) -> usize {
        match self.leaves_out_units() {
            true => self.places[..unit].iter().filter(|place| place.is_none()).count(),
            false => unit,
        }
    }

    fn leaves_out_units(&self) -> bool {
        self.stub.is_empty()
    }

    /// Whether the units that were read are those that were to be, and stand where they should.
    fn leaves(&self, old: &Ast, new: &Ast, shift: &Shift) -> bool {
        let is_read = |place: &Option<Range<usize>>| place.is_none() || !self.leaves_out_units();
        let read: Vec<&Unit> = old
            .units
            .iter()
            .zip(&self.places)
            .filter(|(_, place)| is_read(place))
            .map(|(unit, _)| unit)
            .collect();
        read.len() == new.units.len()
            && read.iter().zip(&new.units).all(|(old, new)| is_same(old, new, shift))
    }

    /// Puts what was left out back into what was read; the inlines that it calls.
    fn put_back(&self, old: Ast, new: &mut Ast, shift: &Shift) -> HashSet<Rc<str>> {
        let mut called = HashSet::default();
        let old_units = old.units.into_iter().zip(old.extents).zip(&self.places);
        let mut read = std::mem::take(&mut new.units).into_iter().zip(std::mem::take(&mut new.extents));
        for ((mut unit, mut extent), place) in old_units {
            if place.is_some() {
                called.extend(unit.body().into_iter().flat_map(|body| body.calls.iter().cloned()));
            }
            if place.is_some() && self.leaves_out_units() {
                shift.unit(&mut unit);
                extent = (shift.span(extent.0), shift.span(extent.1));
            } else if let Some((mut fresh, at)) = read.next() {
                if place.is_some()
                    && let (Some(body), Some(stub)) = (unit.body_mut(), fresh.body_mut())
                {
                    shift.body(body);
                    std::mem::swap(body, stub);
                }
                (unit, extent) = (fresh, at);
            }
            new.units.push(unit);
            new.extents.push(extent);
        }
        called
    }
}

/// It stands in the text itself as it is.
fn stands(span: Span) -> bool {
    span.file == ROOT && span.expansion == ExpansionId::NONE
}

/// Whether a token stands in the text as it is, and a semicolon behind it.
fn is_before_semicolon(text: &str, token: Span) -> bool {
    let behind = text.get(token.end as usize..).unwrap_or("");
    stands(token) && behind.trim_start().starts_with(';')
}

/// Whether there may be a directive: a `#` with nothing before it on its line, or with what may be nothing.
fn has_directive(text: &str) -> bool {
    text.match_indices('#').any(|(at, _)| {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = &text[start..at];
        before.trim().is_empty() || before.contains("*/") || text[..start].trim_end().ends_with('\\')
    })
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
    let places = |body: &Body| (body.open, body.end);
    let moved = old.body().map(places).map(|(open, end)| (shift.span(open), shift.span(end)));
    std::mem::discriminant(old) == std::mem::discriminant(new)
        && old.proctype_name() == new.proctype_name()
        && moved == new.body().map(places)
}
