//! From [`Ast`] to [`Model`]: names to variables, types to slots, `for` and `select` to what SPIN makes of them.
//!
//! Units are resolved in the order of the text, because in SPIN a name is visible only after its declaration; only `run`
//! may name a proctype that comes later. What needs the whole model (the channel type behind a variable, the number of
//! arguments) is settled afterwards in [`finish`].

mod assignment;
mod declaration;
mod expression;
mod finish;
mod formula;
mod known;
mod loops;
mod place;
mod statement;

use crate::ast::{self, Ast, Unit};
use crate::codes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::hash::{HashMap, HashSet};
use crate::model::{
    Claim, EventTrace, ExclusiveUse, LtlFormula, Model, MtypeSet, MtypeSetId, Proctype, ProctypeId,
    RefusedFormula, Sequence, TypedefId, Variable, VariableId,
};
use crate::names::{Mention, NameKind, Role};
use crate::source::Span;
use crate::suggest;
use known::{Deeds, KnownDeclaration, ResolvedBody};
pub(crate) use known::{Known, Usage};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Processes that may start by themselves. SPIN allows 255 of them; whoever lowers a model says so.
const MOST_PROCESSES: i32 = 65_535;

/// Names that are compared with misspelt ones in all: one wrong letter in a declaration makes errors everywhere, and nobody reads what each of a
/// thousand was meant to be.
const MOST_COMPARISONS: usize = 100_000;

/// Resolves a parsed model; the sources are put in by the caller.
pub(crate) fn resolve(ast: &Ast) -> (Model, Vec<Diagnostic>, Vec<Mention>) {
    let mut resolver = Resolver::new(ast);
    let known = Known::default();
    resolver.units(ast, &known);
    resolver.finish(&known);
    resolver.result(ast)
}

/// The same, but for bodies that are known from the last time. All of them are known afterwards.
pub(crate) fn resolve_again(ast: &Ast, known: &mut Known) -> (Model, Vec<Diagnostic>, Vec<Mention>) {
    let mut resolver = Resolver::new(ast);
    if !resolver.units(ast, known) {
        *known = Known::default();
        resolver = Resolver::new(ast);
        resolver.units(ast, known);
    }
    resolver.finish(known);
    known.learn(&mut resolver);
    resolver.result(ast)
}

/// Resolves a formula over the globals, proctypes and symbolic names of a model that is already read.
pub(crate) fn resolve_formula(model: &Model, formula: &ast::Expr) -> (crate::model::Ltl, Vec<Diagnostic>) {
    let mut resolver = Resolver::over(model);
    let formula = resolver.formula(formula);
    resolver.finish(&Known::default());
    (formula, resolver.diagnostics)
}

/// Which frame of variables: 0 is the global one, others are numbered as their bodies come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct FrameId(pub u32);

impl FrameId {
    pub const GLOBAL: FrameId = FrameId(0);
}

/// Where we are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Context {
    Global,
    Proctype(ProctypeId),
    Claim,
    Trace,
}

/// The frame that is being filled.
struct LocalFrame {
    id: FrameId,
    variables: Vec<Variable>,
    slots: u32,
    scopes: Vec<HashMap<Rc<str>, VariableId>>,
    /// Number of each open block and how many there were on each level.
    block: Vec<u32>,
    block_counts: Vec<u32>,
    exclusive: Vec<ExclusiveUse>,
    named_in_calls: Vec<VariableId>,
    /// Hidden counters of `for (x in channel)`, one a block.
    counters: HashMap<ast::ScopePath, VariableId>,
}

impl LocalFrame {
    fn new(id: FrameId) -> Self {
        Self {
            id,
            variables: Vec::new(),
            slots: 0,
            scopes: vec![HashMap::default()],
            block: Vec::new(),
            block_counts: Vec::new(),
            exclusive: Vec::new(),
            named_in_calls: Vec::new(),
            counters: HashMap::default(),
        }
    }
}

/// A proctype's name, known before it is resolved.
struct ProctypeHeader {
    span: Span,
    /// The plain names of its labels, each with the unique name of the first that has it, and where that stands.
    labels: BTreeMap<Rc<str>, (Rc<str>, Span)>,
}

impl ProctypeHeader {
    fn add(&mut self, plain: Rc<str>, unique: Rc<str>, span: Span) {
        self.labels.entry(plain).or_insert((unique, span));
    }
}

struct Resolver<'a> {
    model: Model,
    diagnostics: Vec<Diagnostic>,
    /// What the units that are resolved do with their names.
    usage: Usage,
    /// What the unit does that is being resolved.
    deeds: Deeds,
    /// The names that it takes for those of global variables, rightly or not.
    asked: RefCell<HashSet<Rc<str>>>,
    /// The bodies that are resolved.
    bodies: Vec<ResolvedBody>,
    /// What is outside of bodies, by unit.
    declarations: Vec<Option<KnownDeclaration>>,
    /// Something came out that depends on more than is known of a body.
    unrepeatable: bool,
    context: Context,
    /// Set, value, and where it is declared.
    symbols: HashMap<Rc<str>, (MtypeSetId, i32, Span)>,
    typedefs: HashMap<Rc<str>, TypedefId>,
    globals: HashMap<Rc<str>, VariableId>,
    proctypes: HashMap<Rc<str>, ProctypeId>,
    headers: Vec<ProctypeHeader>,
    /// Where each formula is declared first.
    formulas: HashMap<String, Span>,
    /// How many formulas are called `ltl_…`, as those are that have no name.
    unnamed_formulas: u32,
    frame: LocalFrame,
    frames: u32,
    /// Frame of each proctype.
    proctype_frames: Vec<FrameId>,
    /// Channel variables that are assigned or received into.
    assigned_channels: HashSet<(FrameId, VariableId)>,
    /// Globals, wherever they are declared: to say so when one is used too early.
    declared_later: HashMap<Rc<str>, Span>,
    /// Labels of the body that is being resolved.
    labels: Option<&'a ast::LabelTable>,
    loops: u32,
    d_steps: u32,
    atomics: u32,
    /// Where the first statement of the option stands that is being resolved.
    guard: Option<Span>,
    /// The set of the first symbolic name that was assigned to a variable without a set of its own.
    symbol_sets: HashMap<(FrameId, VariableId), MtypeSetId>,
    /// Which proctype claims a channel by `xr` (true) or `xs`.
    exclusive_claims: HashMap<(VariableId, bool), (ProctypeId, Span)>,
    /// Where names are mentioned.
    mentions: Vec<Mention>,
    /// How many were mentioned before the statement that is being resolved.
    mentioned_before: usize,
    /// So many names may still be compared with a misspelt one.
    comparisons_left: Cell<usize>,
    /// Where each set of symbolic names is mentioned first.
    set_names: HashMap<MtypeSetId, Span>,
}

impl<'a> Resolver<'a> {
    fn new(ast: &'a Ast) -> Self {
        let mut resolver = Self::empty();
        resolver.model.mtype_sets.push(MtypeSet::default());
        for unit in &ast.units {
            if let Unit::Declaration(declaration) = unit {
                let names = declaration.variables.iter().map(|v| (v.name.text.clone(), v.name.span));
                resolver.declared_later.extend(names);
            }
            if let Unit::Proctype(proctype) = unit {
                let id = ProctypeId(resolver.headers.len() as u32);
                let mut header = ProctypeHeader { span: proctype.name.span, labels: BTreeMap::new() };
                let labels = proctype.body.labels.iter();
                labels.for_each(|l| header.add(l.name.text.clone(), l.unique.clone(), l.name.span));
                resolver.headers.push(header);
                resolver.proctypes.entry(proctype.name.text.clone()).or_insert(id);
            }
        }
        resolver
    }

    fn over(model: &Model) -> Self {
        let mut resolver = Self::empty();
        resolver.model = model.clone();
        for (index, set) in model.mtype_sets.iter().enumerate() {
            for (name, value, span) in &set.names {
                resolver.symbols.insert(name.as_str().into(), (MtypeSetId(index as u32), *value, *span));
            }
        }
        for (index, variable) in model.globals.iter().enumerate() {
            resolver.globals.insert(variable.name.as_str().into(), VariableId(index as u32));
        }
        for (index, proctype) in model.proctypes.iter().enumerate() {
            let mut header = ProctypeHeader { span: proctype.span, labels: BTreeMap::new() };
            collect_labels(&proctype.body, &mut header);
            resolver.headers.push(header);
            resolver.proctypes.insert(proctype.name.as_str().into(), ProctypeId(index as u32));
            resolver.proctype_frames.push(FrameId(index as u32 + 1));
        }
        resolver
    }

    fn empty() -> Self {
        Self {
            model: Model::default(),
            diagnostics: Vec::new(),
            usage: Usage::default(),
            deeds: Deeds::default(),
            asked: RefCell::default(),
            bodies: Vec::new(),
            declarations: Vec::new(),
            unrepeatable: false,
            context: Context::Global,
            symbols: HashMap::default(),
            typedefs: HashMap::default(),
            globals: HashMap::default(),
            proctypes: HashMap::default(),
            headers: Vec::new(),
            formulas: HashMap::default(),
            unnamed_formulas: 0,
            frame: LocalFrame::new(FrameId::GLOBAL),
            frames: 0,
            proctype_frames: Vec::new(),
            assigned_channels: HashSet::default(),
            declared_later: HashMap::default(),
            labels: None,
            loops: 0,
            d_steps: 0,
            atomics: 0,
            guard: None,
            symbol_sets: HashMap::default(),
            exclusive_claims: HashMap::default(),
            mentions: Vec::new(),
            mentioned_before: 0,
            comparisons_left: Cell::new(MOST_COMPARISONS),
            set_names: HashMap::default(),
        }
    }

    fn result(mut self, ast: &Ast) -> (Model, Vec<Diagnostic>, Vec<Mention>) {
        let used = crate::check::Used { usage: &self.usage, frames: &self.proctype_frames };
        crate::check::check(&self.model, ast, &used, &mut self.diagnostics);
        (self.model, self.diagnostics, self.mentions)
    }

    fn mention(&mut self, span: Span, declared: Span, kind: NameKind) {
        let role = if span == declared { Role::Declared } else { Role::Used };
        self.mentions.push(Mention { span, declared, kind, role });
    }

    /// Says what is done with the name that was mentioned just before.
    fn done_with(&mut self, reference: &ast::Reference, role: Role) {
        let span = reference.last().span;
        // Behind it there are only the names in its index. One that is not declared is not there at all.
        let of_statement = self.mentions[self.mentioned_before..].iter_mut();
        if let Some(mention) = of_statement.rev().find(|mention| mention.span == span) {
            mention.role = role;
        }
    }

    /// What a misspelt name may have been meant to be, as long as there are not too many of them.
    fn similar<'k>(&self, name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
        let left = self.comparisons_left.get();
        if left == 0 {
            return None;
        }
        let mut known: Vec<&str> = known.collect();
        self.comparisons_left.set(left.saturating_sub(known.len()));
        known.sort_unstable();
        suggest::closest(name, known)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    fn unit(&mut self, unit: &'a Unit) {
        self.context = Context::Global;
        self.frame = LocalFrame::new(FrameId::GLOBAL);
        match unit {
            Unit::Mtype { set, names } => self.mtype_names(set.as_ref(), names),
            Unit::Typedef { name, fields } => self.typedef(name, fields),
            Unit::Declaration(declaration) => self.global_declaration(declaration),
            Unit::Proctype(proctype) => self.proctype(proctype),
            Unit::Claim { name, span, body } => self.claim(name.as_ref(), *span, body),
            Unit::Trace { negated, span, body } => self.trace(*negated, *span, body),
            Unit::Ltl { name, span, formula } => self.ltl(name.as_ref(), *span, formula),
        }
    }

    fn open_frame(&mut self, context: Context) -> FrameId {
        self.frames += 1;
        let id = FrameId(self.frames);
        self.context = context;
        self.frame = LocalFrame::new(id);
        self.loops = 0;
        self.d_steps = 0;
        self.atomics = 0;
        self.guard = None;
        id
    }

    fn proctype(&mut self, proctype: &'a ast::Proctype) {
        let id = ProctypeId(self.model.proctypes.len() as u32);
        if let Some(variable) = self.global(&proctype.name.text) {
            let first = self.model.globals[variable.0 as usize].span;
            let message = format!("`{}` is already a variable", proctype.name.text);
            self.report(
                Diagnostic::error(codes::DECLARED_TWICE, proctype.name.span, message)
                    .with_related(first, "declared here"),
            );
        }
        if &*proctype.name.text != ":init:" {
            self.mention(proctype.name.span, proctype.name.span, NameKind::Proctype);
        }
        let active = self.instances(&proctype.active);
        let frame = self.open_frame(Context::Proctype(id));
        self.proctype_frames.push(frame);
        for declaration in &proctype.parameters {
            self.parameters(declaration);
        }
        let parameters = self.frame.variables.len() as u32;
        if proctype.priority.is_some() {
            self.model.features.priorities = true;
        }
        if let Some(priority) = proctype.priority
            && active > 0
            && !(1..=255).contains(&priority)
        {
            self.error(codes::OUT_OF_LIMITS, proctype.name.span, "a priority is from 1 to 255");
        }
        let provided = proctype.provided.as_ref().map(|e| self.expr(e));
        if let Some(provided) = &provided {
            self.check_provided(provided);
        }
        let body = self.body(&proctype.body);
        let frame = std::mem::replace(&mut self.frame, LocalFrame::new(FrameId::GLOBAL));
        self.model.proctypes.push(Proctype {
            name: proctype.name.text.to_string(),
            span: proctype.name.span,
            deterministic: proctype.deterministic,
            active,
            parameters,
            locals: frame.variables,
            slots: frame.slots,
            priority: proctype.priority,
            provided,
            exclusive: frame.exclusive,
            named_in_calls: frame.named_in_calls,
            body,
            end: proctype.body.end,
        });
    }

    fn instances(&mut self, active: &ast::Active) -> u32 {
        match active {
            ast::Active::Count(count, span) => {
                if *count > MOST_PROCESSES {
                    let message = format!("there can be at most {MOST_PROCESSES} processes");
                    self.error(codes::OUT_OF_LIMITS, *span, message);
                }
                (*count).clamp(0, MOST_PROCESSES) as u32
            }
            ast::Active::Variable(name) => match self.initial_constant(name) {
                Some(value) => value.clamp(0, MOST_PROCESSES) as u32,
                None => 0,
            },
        }
    }

    fn claim(&mut self, name: Option<&ast::Name>, span: Span, body: &'a ast::Body) {
        self.open_frame(Context::Claim);
        if let Some(name) = name {
            self.mention(name.span, name.span, NameKind::Property);
        }
        let name = match name {
            Some(name) => name.text.to_string(),
            None => format!("never_{}", self.model.claims.len()),
        };
        if self.model.claims.iter().any(|c| c.name == name) {
            self.error(codes::DECLARED_TWICE, span, format!("claim `{name}` is declared twice"));
        }
        let end = body.end;
        let body = self.body(body);
        let frame = std::mem::replace(&mut self.frame, LocalFrame::new(FrameId::GLOBAL));
        if let Some(variable) = frame.variables.first() {
            self.report(
                Diagnostic::error(
                    codes::CLAIM_WITH_VARIABLES,
                    variable.span,
                    "a never claim cannot have variables of its own",
                )
                .with_help("declare it globally"),
            );
        }
        self.model.claims.push(Claim { name, span, locals: frame.variables, slots: frame.slots, body, end });
    }

    fn trace(&mut self, negated: bool, span: Span, body: &'a ast::Body) {
        self.open_frame(Context::Trace);
        let end = body.end;
        let body = self.body(body);
        if let Some(first) = &self.model.event_trace {
            let first = first.span;
            self.report(
                Diagnostic::error(codes::DECLARED_TWICE, span, "there is already a `trace` or `notrace`")
                    .with_related(first, "first declared here"),
            );
        }
        self.model.event_trace = Some(EventTrace { negated, span, body, end });
    }

    fn ltl(&mut self, name: Option<&ast::Name>, span: Span, formula: &ast::Expr) {
        if let Some(name) = name {
            self.mention(name.span, name.span, NameKind::Property);
        }
        let name = name.map_or_else(|| format!("ltl_{}", self.unnamed_formulas), |n| n.text.to_string());
        self.unnamed_formulas += u32::from(name.starts_with("ltl_"));
        let first = *self.formulas.entry(name.clone()).or_insert(span);
        if first != span {
            self.report(
                Diagnostic::error(codes::DECLARED_TWICE, span, format!("formula `{name}` is declared twice"))
                    .with_related(first, "first declared here"),
            );
        }
        let found_before = self.diagnostics.len();
        let formula = self.formula(formula);
        match self.refusal(found_before) {
            Some(why) => self.model.refused_formulas.push(RefusedFormula { name, span, why }),
            None => self.model.formulas.push(LtlFormula { name, span, formula }),
        }
    }

    /// Why a formula has no meaning, if that is all that is wrong with it: what was said about it concerns nothing else then.
    fn refusal(&mut self, found_before: usize) -> Option<String> {
        let found = &mut self.diagnostics[found_before..];
        let refuses = |d: &Diagnostic| d.code == codes::TEMPORAL_IN_EXPRESSION;
        let is_all = found.iter().all(|d| refuses(d) || d.severity == Severity::Warning);
        let why = found.iter().find(|d| refuses(d) && is_all)?.message.clone();
        found.iter_mut().filter(|d| refuses(d)).for_each(|d| d.severity = Severity::Refused);
        Some(why)
    }

    fn body(&mut self, body: &'a ast::Body) -> Sequence {
        self.labels = Some(&body.labels);
        self.check_label_names();
        for label in body.labels.iter() {
            self.mention(label.name.span, label.name.span, NameKind::Label);
        }
        let mut statements = Vec::with_capacity(body.sequence.len());
        for statement in &body.sequence {
            self.statement(statement, &mut statements);
        }
        self.labels = None;
        Sequence { statements }
    }

    /// All labels of the body.
    fn labels(&self) -> impl Iterator<Item = &'a ast::LabelPlace> + use<'a> {
        self.labels.into_iter().flat_map(ast::LabelTable::iter)
    }

    /// The first label of the body with this name.
    fn label_named(&self, name: &str) -> Option<&'a ast::LabelPlace> {
        self.labels?.named(name).next()
    }

    /// In SPIN labels and variables share their names.
    fn check_label_names(&mut self) {
        for label in self.labels() {
            if let Some(id) = self.global(&label.name.text) {
                let declared = self.model.globals[id.0 as usize].span;
                self.report(
                    Diagnostic::error(
                        codes::LABEL_IS_VARIABLE,
                        label.name.span,
                        format!("`{}` is a variable, not a label", label.name.text),
                    )
                    .with_related(declared, "declared here"),
                );
            }
        }
    }
}

fn collect_labels(sequence: &Sequence, header: &mut ProctypeHeader) {
    for statement in &sequence.statements {
        for label in &statement.labels {
            let plain = label.name.split(':').next().unwrap_or(&label.name);
            header.add(plain.into(), label.name.as_str().into(), label.span);
        }
        for inner in statement.kind.sequences() {
            collect_labels(inner, header);
        }
        for inner in statement.kind.statements() {
            for label in &inner.labels {
                header.add(label.name.as_str().into(), label.name.as_str().into(), label.span);
            }
            for sequence in inner.kind.sequences() {
                collect_labels(sequence, header);
            }
        }
    }
}
