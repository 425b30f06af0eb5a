//! What resolving a body came to, so that it need not be done again when another body is edited.
//!
//! A body sees the variables outside of bodies that it names, the labels and variables of proctypes that it names, and the little that what
//! stands before it does to what all share: its [`Effect`]s, and how many variables there are. So what is known of a body stays right until
//! something is edited that it names; and when an edited body or declaration has other effects, everything is resolved anew.
//!
//! Invariant: what is put back is what resolving would come to, but for the numbers of expansions.

use super::{FrameId, Resolver};
use crate::again::Shift;
use crate::ast::{Ast, Unit};
use crate::diagnostic::Diagnostic;
use crate::hash::HashSet;
use crate::model::{
    ChannelType, Claim, EventTrace, Features, Initializer, MtypeSet, MtypeSetId, Proctype, ProctypeId,
    Scalar, Type, Variable, VariableId, Visibility,
};
use crate::names::Mention;
use crate::source::Span;
use std::ops::Range;
use std::rc::Rc;

/// What is known of the bodies of a model.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// One for each unit, if it has a body.
    bodies: Vec<Option<KnownBody>>,
    /// One for each unit, if it declares variables.
    declarations: Vec<Option<KnownDeclaration>>,
    /// The global channels that any body assigns.
    assigned_channels: HashSet<VariableId>,
    /// Fields of the messages that have most.
    most_fields: usize,
}

/// What others see of a declaration of global variables without naming one of them; and the names.
#[derive(Debug)]
pub(super) struct KnownDeclaration {
    names: Vec<Rc<str>>,
    /// How many variables, slots and types of channels there are, those before it counted.
    counts: (usize, u32, usize),
    /// What it does beside making variables and types of channels.
    effects: Vec<Effect>,
    edited: bool,
}

#[derive(Debug)]
struct KnownBody {
    meaning: Meaning,
    /// What was said while its names were resolved.
    resolved: Vec<Diagnostic>,
    /// What was said when the whole model was known.
    finished: Vec<Diagnostic>,
    mentions: Vec<Mention>,
    deeds: Deeds,
    /// It is no longer what it was: of all this only its effects are of use, to be compared with those that it has now.
    edited: bool,
}

#[derive(Debug)]
enum Meaning {
    Proctype(Box<Proctype>),
    Claim(Claim),
    Trace(EventTrace),
}

/// What the text does with its names; for the warnings about those that it does nothing with.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    pub read: HashSet<(FrameId, VariableId)>,
    pub written: HashSet<(FrameId, VariableId)>,
    pub symbols: HashSet<Rc<str>>,
    pub run: HashSet<ProctypeId>,
}

impl Usage {
    pub(super) fn add(&mut self, other: &Usage) {
        self.read.extend(&other.read);
        self.written.extend(&other.written);
        self.symbols.extend(other.symbols.iter().cloned());
        self.run.extend(&other.run);
    }
}

/// What a unit does beside meaning something.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    pub usage: Usage,
    /// Channel variables that are assigned or received into: their channel is not known from the declaration.
    pub assigned_channels: HashSet<(FrameId, VariableId)>,
    pub effects: Vec<Effect>,
    /// The proctypes whose labels and variables it asked for.
    pub looked_into: HashSet<ProctypeId>,
    /// The names that it takes for those of global variables, rightly or not.
    asked: HashSet<Rc<str>>,
    /// How many names were compared with misspelt ones.
    comparisons: usize,
    features: Features,
}

/// What a unit does to what those behind it see.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Effect {
    /// A set of symbolic names is mentioned that was not there.
    Set(String),
    /// Where a set of symbolic names is mentioned first.
    SetName(MtypeSetId, Span),
    /// The set of the first symbolic name that a global variable without a set of its own is given.
    SymbolSet(VariableId, MtypeSetId),
    /// A channel is claimed by `xr` (true) or `xs`.
    Exclusive(VariableId, bool, ProctypeId, Span),
    /// The variable `_` is used first.
    WriteOnly(Span),
    /// A channel is made.
    Channel(ChannelType),
}

impl Effect {
    fn span_mut(&mut self) -> Option<&mut Span> {
        match self {
            Effect::Set(_) | Effect::SymbolSet(..) => None,
            Effect::SetName(_, span) | Effect::Exclusive(.., span) | Effect::WriteOnly(span) => Some(span),
            Effect::Channel(ty) => Some(&mut ty.span),
        }
    }

    /// Without the number of the expansion, which is another whenever a text is read.
    fn as_spelled(&self) -> Effect {
        let mut effect = self.clone();
        effect.span_mut().into_iter().for_each(|span| *span = span.spelled());
        effect
    }
}

/// Whether those behind see the same of both.
fn are_the_same(some: &[Effect], others: &[Effect]) -> bool {
    some.iter().map(Effect::as_spelled).eq(others.iter().map(Effect::as_spelled))
}

fn shift_effects(effects: &mut [Effect], shift: &Shift) {
    effects.iter_mut().filter_map(Effect::span_mut).for_each(|span| *span = shift.span(*span));
}

impl KnownDeclaration {
    fn affects_the_same(&self, other: &KnownDeclaration) -> bool {
        self.counts == other.counts && are_the_same(&self.effects, &other.effects)
    }
}

impl Deeds {
    /// Whether those behind it see the same of both.
    fn affect_the_same(&self, other: &Deeds) -> bool {
        self.features.exclusive_channels == other.features.exclusive_channels
            && are_the_same(&self.effects, &other.effects)
    }

    /// Whether it may mean something else when variables have other names, or others have these. What is misspelt is compared with all names.
    fn depend_on(&self, names: &HashSet<Rc<str>>) -> bool {
        !names.is_empty() && (self.comparisons > 0 || !self.asked.is_disjoint(names))
    }
}

fn declared_names(unit: &Unit) -> Vec<Rc<str>> {
    let Unit::Declaration(declaration) = unit else { return Vec::new() };
    declaration.variables.iter().map(|variable| variable.name.text.clone()).collect()
}

fn most_fields(channel_types: &[ChannelType]) -> usize {
    channel_types.iter().map(|ty| ty.fields.len()).max().unwrap_or(0)
}

/// A body of the model that is being resolved.
pub(super) struct ResolvedBody {
    /// Its number among the units.
    pub unit: usize,
    pub part: Part,
    /// Nothing, if it was known.
    deeds: Option<Deeds>,
    /// What was said about it, and what it mentions, among all of that.
    resolved: Range<usize>,
    pub finished: Range<usize>,
    mentions: Range<usize>,
}

impl ResolvedBody {
    pub fn was_known(&self) -> bool {
        self.deeds.is_none()
    }
}

/// Where a body is in the model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Proctype(usize),
    Claim(usize),
    Trace,
}

impl Known {
    /// A unit of the text was edited, and the rest stands elsewhere: only the bodies that are `kept` are what they were.
    pub(crate) fn edit(&mut self, shift: &Shift, kept: &[bool], unit: Option<usize>) {
        for (index, declaration) in self.declarations.iter_mut().enumerate() {
            let Some(declaration) = declaration else { continue };
            declaration.edited |= Some(index) == unit;
            shift_effects(&mut declaration.effects, shift);
        }
        for (body, kept) in self.bodies.iter_mut().zip(kept) {
            let Some(body) = body else { continue };
            body.edited |= !kept;
            body.shift(shift);
        }
    }

    pub(super) fn finished(&self, unit: usize) -> &[Diagnostic] {
        self.body(unit).map_or(&[], |body| &body.finished)
    }

    fn body(&self, unit: usize) -> Option<&KnownBody> {
        self.bodies.get(unit)?.as_ref()
    }

    fn edited_proctypes(&self, ast: &Ast) -> HashSet<ProctypeId> {
        let units = ast.units.iter().enumerate();
        let proctypes = units.filter(|(_, unit)| matches!(unit, Unit::Proctype(_)));
        let is_edited = |unit: usize| self.body(unit).is_none_or(|body| body.edited);
        let edited = proctypes.enumerate().filter(|(_, (unit, _))| is_edited(*unit));
        edited.map(|(id, _)| ProctypeId(id as u32)).collect()
    }

    /// What variables are and were called whose declaration is edited.
    fn edited_names(&self, ast: &Ast) -> HashSet<Rc<str>> {
        let mut names = HashSet::default();
        for (unit, declaration) in ast.units.iter().zip(&self.declarations) {
            if let Some(before) = declaration.as_ref().filter(|declaration| declaration.edited) {
                names.extend(declared_names(unit));
                names.extend(before.names.iter().cloned());
            }
        }
        names
    }

    /// Everything is resolved: what was found out about the bodies that were not known is known now.
    pub(super) fn learn(&mut self, resolver: &mut Resolver<'_>) {
        if resolver.unrepeatable || resolver.comparisons_left.get() == 0 {
            *self = Known::default();
            return;
        }
        self.assigned_channels = resolver.assigned_global_channels().collect();
        self.most_fields = most_fields(&resolver.model.channel_types);
        self.declarations = std::mem::take(&mut resolver.declarations);
        for body in std::mem::take(&mut resolver.bodies) {
            let Some(deeds) = body.deeds else { continue };
            if self.bodies.len() <= body.unit {
                self.bodies.resize_with(body.unit + 1, || None);
            }
            let model = &resolver.model;
            let meaning = match body.part {
                Part::Proctype(index) => Meaning::Proctype(Box::new(model.proctypes[index].clone())),
                Part::Claim(index) => Meaning::Claim(model.claims[index].clone()),
                Part::Trace => match &model.event_trace {
                    Some(trace) => Meaning::Trace(trace.clone()),
                    None => continue,
                },
            };
            self.bodies[body.unit] = Some(KnownBody {
                meaning,
                resolved: resolver.diagnostics[body.resolved].to_vec(),
                finished: resolver.diagnostics[body.finished].to_vec(),
                mentions: resolver.mentions[body.mentions].to_vec(),
                deeds,
                edited: false,
            });
        }
    }
}

impl KnownBody {
    fn shift(&mut self, shift: &Shift) {
        match &mut self.meaning {
            Meaning::Proctype(proctype) => shift.proctype(proctype),
            Meaning::Claim(claim) => shift.claim(claim),
            Meaning::Trace(trace) => shift.event_trace(trace),
        }
        self.resolved.iter_mut().chain(&mut self.finished).for_each(|found| shift.diagnostic(found));
        self.mentions.iter_mut().for_each(|mention| *mention = shift.mention(mention));
        shift_effects(&mut self.deeds.effects, shift);
    }
}

impl<'a> Resolver<'a> {
    /// Resolves all units but for the bodies that are known. False if that does not do: what is known of some is no longer right.
    pub(super) fn units(&mut self, ast: &'a Ast, known: &Known) -> bool {
        let edited = known.edited_proctypes(ast);
        let renamed = known.edited_names(ast);
        let is_right = |body: &&KnownBody| {
            !body.edited && body.deeds.looked_into.is_disjoint(&edited) && !body.deeds.depend_on(&renamed)
        };
        for (index, unit) in ast.units.iter().enumerate() {
            let before = known.body(index);
            match before.filter(is_right) {
                Some(body) => self.put_back(index, body),
                None => {
                    let deeds = self.resolve_unit(index, unit);
                    let is_other =
                        |before: &KnownBody| deeds.is_none_or(|deeds| !before.deeds.affect_the_same(deeds));
                    if before.is_some_and(is_other) || !self.is_declared_as_before(index, known) {
                        return false;
                    }
                }
            }
        }
        let has_compared_all = self.comparisons_left.get() > 0;
        known.bodies.is_empty()
            || (has_compared_all
                && known.most_fields == most_fields(&self.model.channel_types)
                && known.assigned_channels == self.assigned_global_channels().collect())
    }

    /// Whether a unit that declares variables is for others what it was, as far as they do not name one of them.
    fn is_declared_as_before(&self, unit: usize, known: &Known) -> bool {
        match (self.declarations.get(unit), known.declarations.get(unit)) {
            (Some(Some(now)), Some(Some(before))) => !before.edited || now.affects_the_same(before),
            _ => true,
        }
    }

    /// Resolves a unit, and says what it does, if it has a body.
    fn resolve_unit(&mut self, index: usize, unit: &'a Unit) -> Option<&Deeds> {
        let (resolved, mentions) = (self.diagnostics.len(), self.mentions.len());
        // Of what others use only this matters to it.
        let exclusive_channels = self.model.features.exclusive_channels;
        let comparisons = self.comparisons_left.get();
        let features = std::mem::replace(
            &mut self.model.features,
            Features { exclusive_channels, ..Features::default() },
        );
        self.unit(unit);
        let own = self.model.features;
        self.model.features = features.and(own);
        let comparisons = comparisons - self.comparisons_left.get();
        let asked = std::mem::take(self.asked.get_mut());
        let deeds = Deeds { features: own, comparisons, asked, ..std::mem::take(&mut self.deeds) };
        self.count(&deeds);
        let declaration = matches!(unit, Unit::Declaration(_)).then(|| {
            let others = deeds.effects.iter().filter(|effect| !matches!(effect, Effect::Channel(_)));
            let model = &self.model;
            KnownDeclaration {
                names: declared_names(unit),
                counts: (model.globals.len(), model.global_slots, model.channel_types.len()),
                effects: others.cloned().collect(),
                edited: false,
            }
        });
        self.declarations.resize_with(index, || None);
        self.declarations.push(declaration);
        let part = match unit {
            Unit::Proctype(_) => Part::Proctype(self.model.proctypes.len() - 1),
            Unit::Claim { .. } => Part::Claim(self.model.claims.len() - 1),
            Unit::Trace { .. } => Part::Trace,
            Unit::Mtype { .. } | Unit::Typedef { .. } | Unit::Declaration(_) | Unit::Ltl { .. } => {
                return None;
            }
        };
        self.add_body(ResolvedBody {
            unit: index,
            part,
            deeds: Some(deeds),
            resolved: resolved..self.diagnostics.len(),
            finished: 0..0,
            mentions: mentions..self.mentions.len(),
        })
    }

    /// Does what resolving a body would do that is known.
    fn put_back(&mut self, unit: usize, body: &KnownBody) {
        self.frames += 1;
        let part = match &body.meaning {
            Meaning::Proctype(proctype) => {
                self.proctype_frames.push(FrameId(self.frames));
                self.model.proctypes.push(Proctype::clone(proctype));
                Part::Proctype(self.model.proctypes.len() - 1)
            }
            Meaning::Claim(claim) => {
                self.model.claims.push(claim.clone());
                Part::Claim(self.model.claims.len() - 1)
            }
            Meaning::Trace(trace) => {
                self.model.event_trace = Some(trace.clone());
                Part::Trace
            }
        };
        self.diagnostics.extend_from_slice(&body.resolved);
        self.mentions.extend_from_slice(&body.mentions);
        self.model.features = self.model.features.and(body.deeds.features);
        body.deeds.effects.iter().for_each(|effect| self.apply(effect));
        let left = self.comparisons_left.get();
        self.comparisons_left.set(left.saturating_sub(body.deeds.comparisons));
        self.count(&body.deeds);
        let nowhere =
            ResolvedBody { unit, part, deeds: None, resolved: 0..0, finished: 0..0, mentions: 0..0 };
        self.add_body(nowhere);
    }

    fn add_body(&mut self, body: ResolvedBody) -> Option<&Deeds> {
        if body.part == Part::Trace && self.bodies.iter().any(|other| other.part == Part::Trace) {
            // There can be only one, which has been said; the last is in the model.
            self.unrepeatable = true;
            self.bodies.retain(|other| other.part != Part::Trace);
        }
        self.bodies.push(body);
        self.bodies.last()?.deeds.as_ref()
    }

    fn count(&mut self, deeds: &Deeds) {
        self.usage.add(&deeds.usage);
        self.assigned_channels.extend(&deeds.assigned_channels);
    }

    fn assigned_global_channels(&self) -> impl Iterator<Item = VariableId> {
        self.assigned_channels.iter().filter(|(frame, _)| *frame == FrameId::GLOBAL).map(|(_, id)| *id)
    }

    /// Does something that those behind see.
    pub(super) fn affect(&mut self, effect: Effect) {
        self.apply(&effect);
        self.deeds.effects.push(effect);
    }

    fn apply(&mut self, effect: &Effect) {
        match effect {
            Effect::Set(name) => {
                self.model.mtype_sets.push(MtypeSet { name: Some(name.clone()), names: Vec::new() });
            }
            Effect::SetName(set, span) => {
                self.set_names.insert(*set, *span);
            }
            Effect::SymbolSet(variable, set) => {
                self.symbol_sets.insert((FrameId::GLOBAL, *variable), *set);
            }
            Effect::Exclusive(channel, receive, proctype, span) => {
                self.exclusive_claims.insert((*channel, *receive), (*proctype, *span));
            }
            Effect::WriteOnly(span) => {
                self.model.globals.push(Variable {
                    name: "_".into(),
                    span: *span,
                    ty: Type::Scalar(Scalar::Int),
                    length: None,
                    slot: self.model.global_slots,
                    slots: 1,
                    init: Initializer::None,
                    visibility: Visibility::Hidden,
                    parameter: false,
                    block: String::new(),
                });
                self.model.global_slots += 1;
            }
            Effect::Channel(ty) => self.model.channel_types.push(ty.clone()),
        }
    }
}
