//! Declarations: slots, initial values, and the assignments that SPIN makes out of late ones.

use super::known::Effect;
use super::{Context, Resolver};
use crate::ast::{self, ArrayLength, Declaration, Declarator, TypeName};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::model::{
    ChannelType, ChannelTypeId, ExprKind, Field, Frame, Index, Initializer, MessageField, MtypeSetId, Place,
    Scalar, Statement, StatementKind, Type, Typedef, TypedefId, Variable, VariableId, Visibility,
};
use crate::names::NameKind;
use crate::source::Span;
use std::rc::Rc;

/// More slots than this in one frame are refused: no state of that size can be handled.
const MOST_SLOTS: u32 = 1 << 24;
/// SPIN numbers symbolic names from 1 to 255.
const MOST_SYMBOLS: usize = 255;
/// SPIN keeps the number of messages of a channel in a byte.
const LARGEST_SAFE_CAPACITY: i32 = 255;
/// Typedefs can multiply: so many scalars in one message are refused.
const MOST_FIELDS: u32 = 1 << 12;

impl Resolver<'_> {
    pub(super) fn mtype_names(&mut self, set: Option<&ast::Name>, names: &[ast::Name]) {
        let id = self.mtype_set(set);
        let before = self.model.mtype_sets[id.0 as usize].names.len();
        if before + names.len() > MOST_SYMBOLS {
            let span = names.first().map_or(Span::default(), |n| n.span);
            self.error(codes::OUT_OF_LIMITS, span, format!("an mtype has at most {MOST_SYMBOLS} names"));
            return;
        }
        for (position, name) in names.iter().enumerate() {
            let value = (before + names.len() - position) as i32;
            self.symbols.insert(name.text.clone(), (id, value, name.span));
            self.mention(name.span, name.span, NameKind::Symbol);
            self.model.mtype_sets[id.0 as usize].names.push((name.text.to_string(), value, name.span));
            if let Some(variable) = self.globals.get(&name.text) {
                let first = self.model.globals[variable.0 as usize].span;
                let message =
                    format!("from here on `{}` is an mtype name, no longer the variable", name.text);
                self.report(
                    Diagnostic::warning(codes::MTYPE_HIDES_VARIABLE, name.span, message)
                        .with_related(first, "the variable"),
                );
            }
        }
    }

    fn mtype_set(&mut self, name: Option<&ast::Name>) -> MtypeSetId {
        let Some(name) = name else { return MtypeSetId(0) };
        let known = self.model.mtype_sets.iter().position(|s| s.name.as_deref() == Some(&*name.text));
        let index = known.unwrap_or_else(|| {
            self.affect(Effect::Set(name.text.to_string()));
            self.model.mtype_sets.len() - 1
        });
        let id = MtypeSetId(index as u32);
        let declared = self.set_names.get(&id).copied().unwrap_or_else(|| {
            self.affect(Effect::SetName(id, name.span));
            name.span
        });
        self.mention(name.span, declared, NameKind::SymbolSet);
        id
    }

    pub(super) fn typedef(&mut self, name: &ast::Name, declarations: &[Declaration]) {
        let mut fields: Vec<Field> = Vec::new();
        let mut slots = 0u32;
        for declaration in declarations {
            for declarator in &declaration.variables {
                let Some((ty, length)) = self.declared_type(declaration, declarator) else { continue };
                if let Some(first) = fields.iter().find(|f| *f.name == *declarator.name.text) {
                    let first = first.span;
                    self.redeclared(&declarator.name, first);
                    continue;
                }
                let init = self.field_initializer(declarator, ty, length);
                let Some(total) =
                    self.slots(ty, length).and_then(|s| slots.checked_add(s)).filter(|t| *t <= MOST_SLOTS)
                else {
                    self.too_large(&declarator.name);
                    continue;
                };
                self.mention(declarator.name.span, declarator.name.span, NameKind::Field);
                fields.push(Field {
                    name: declarator.name.text.to_string(),
                    span: declarator.name.span,
                    ty,
                    length,
                    offset: slots,
                    init,
                });
                slots = total;
            }
        }
        let id = TypedefId(self.model.typedefs.len() as u32);
        self.typedefs.insert(name.text.clone(), id);
        self.mention(name.span, name.span, NameKind::Typedef);
        self.model.typedefs.push(Typedef { name: name.text.to_string(), span: name.span, fields, slots });
    }

    pub(super) fn global_declaration(&mut self, declaration: &Declaration) {
        for declarator in &declaration.variables {
            let Some((ty, length)) = self.declared_type(declaration, declarator) else { continue };
            let init = self.initializer(declarator, ty, length);
            if let Some(first) = self.visible_declaration(&declarator.name.text) {
                self.redeclared(&declarator.name, first);
                continue;
            }
            let slot = self.model.global_slots;
            let Some(slots) =
                self.slots(ty, length).filter(|s| slot.checked_add(*s).is_some_and(|t| t <= MOST_SLOTS))
            else {
                self.too_large(&declarator.name);
                continue;
            };
            let id = VariableId(self.model.globals.len() as u32);
            self.globals.insert(declarator.name.text.clone(), id);
            self.mention(declarator.name.span, declarator.name.span, NameKind::Variable);
            self.model.global_slots += slots;
            self.model.globals.push(Variable {
                name: declarator.name.text.to_string(),
                span: declarator.name.span,
                ty,
                length,
                slot,
                slots,
                init,
                visibility: declaration.visibility,
                parameter: false,
                block: String::new(),
            });
        }
    }

    pub(super) fn parameters(&mut self, declaration: &Declaration) {
        for declarator in &declaration.variables {
            let Some((ty, length)) = self.declared_type(declaration, declarator) else { continue };
            if declarator.init.is_some() {
                self.error(
                    codes::PARAMETER_WITH_VALUE,
                    declarator.name.span,
                    "a parameter cannot have an initial value",
                );
            }
            if let (Some(_), Some(bound)) = (length, &declarator.length) {
                let span = match bound {
                    ArrayLength::Constant(_, span) => *span,
                    ArrayLength::Variable(name) => name.span,
                };
                self.error(codes::ARRAY_PARAMETER, span, "an array cannot be a parameter");
            }
            if let Type::Struct(id) = ty
                && self.has_array(id)
            {
                let message = format!(
                    "the struct `{}` has an array inside and cannot be a parameter",
                    declarator.name.text
                );
                self.error(codes::ARRAY_PARAMETER, declarator.name.span, message);
            }
            self.local(declarator, ty, None, Initializer::None, declaration.visibility, true);
        }
    }

    /// A declaration inside a body; SPIN turns one that stands after a statement into an assignment there.
    pub(super) fn local_declaration(&mut self, declaration: &Declaration, out: &mut Vec<Statement>) {
        for declarator in &declaration.variables {
            let Some((ty, length)) = self.declared_type(declaration, declarator) else { continue };
            if !declarator.in_place {
                let init = self.initializer(declarator, ty, length);
                self.local(declarator, ty, length, init, declaration.visibility, false);
                continue;
            }
            let value = match &declarator.init {
                None => None,
                Some(ast::Init::Expr(value)) => Some(self.initial_value(value)),
                Some(ast::Init::List(_, span)) => {
                    self.error(
                        codes::LATE_INITIALIZER,
                        *span,
                        "a list of initial values can stand only before the first statement",
                    );
                    None
                }
                Some(ast::Init::Channel { span, .. }) => {
                    self.report(
                        Diagnostic::error(
                            codes::LATE_INITIALIZER,
                            *span,
                            "a channel can be created only before the first statement",
                        )
                        .with_help("move the declaration to the beginning of the proctype"),
                    );
                    self.local(declarator, ty, length, Initializer::None, declaration.visibility, false);
                    continue;
                }
            };
            let Some(id) =
                self.local(declarator, ty, length, Initializer::None, declaration.visibility, false)
            else {
                continue;
            };
            let span = declarator.name.span;
            let kind = match ty {
                // SPIN makes a step of it that does nothing.
                Type::Struct(_) => StatementKind::Condition(constant(1, span)),
                Type::Scalar(scalar) => {
                    let variable = &self.frame.variables[id.0 as usize];
                    let base = variable.slot;
                    // Of an array SPIN assigns only the first element.
                    let indices = length
                        .map(|length| Index { value: constant(0, span), length, stride: 1 })
                        .into_iter()
                        .collect();
                    let scalar = if length.is_some() { scalar.in_array() } else { scalar };
                    let place = Place { frame: Frame::Local, variable: id, base, indices, scalar, span };
                    self.assigned(&place);
                    if let Some(value) = &value {
                        self.check_range(value, scalar, &declarator.name.text);
                        self.check_initial_symbol(scalar, value);
                    }
                    StatementKind::Assign { place, value: value.unwrap_or_else(|| constant(0, span)) }
                }
            };
            out.push(Statement { labels: Vec::new(), kind, span });
        }
    }

    fn local(
        &mut self,
        declarator: &Declarator,
        ty: Type,
        length: Option<u32>,
        init: Initializer,
        visibility: Visibility,
        parameter: bool,
    ) -> Option<VariableId> {
        let name = &declarator.name;
        if let Some(first) = self.visible_declaration(&name.text) {
            self.redeclared(name, first);
            return None;
        }
        if let Some(label) = self.label_named(&name.text) {
            let first = label.name.span;
            self.report(
                Diagnostic::error(
                    codes::LABEL_IS_VARIABLE,
                    name.span,
                    format!("`{}` is a label and cannot be a variable", name.text),
                )
                .with_related(first, "the label"),
            );
        }
        let slot = self.frame.slots;
        let Some(slots) =
            self.slots(ty, length).filter(|s| slot.checked_add(*s).is_some_and(|t| t <= MOST_SLOTS))
        else {
            self.too_large(name);
            return None;
        };
        self.mention(name.span, name.span, NameKind::Variable);
        let block: Vec<String> = self.frame.block.iter().map(u32::to_string).collect();
        Some(self.add_local(
            name.text.clone(),
            Variable {
                name: name.text.to_string(),
                span: name.span,
                ty,
                length,
                slot,
                slots,
                init,
                visibility,
                parameter,
                block: block.join("."),
            },
        ))
    }

    pub(super) fn add_local(&mut self, name: Rc<str>, variable: Variable) -> VariableId {
        let id = VariableId(self.frame.variables.len() as u32);
        self.frame.slots += variable.slots;
        self.frame.variables.push(variable);
        if let Some(scope) = self.frame.scopes.last_mut() {
            scope.insert(name, id);
        }
        id
    }

    /// SPIN does not let an inner declaration hide an outer one.
    fn visible_declaration(&self, name: &Rc<str>) -> Option<Span> {
        if self.context != Context::Global
            && let Some(id) = self.frame.scopes.iter().rev().find_map(|s| s.get(name))
        {
            return Some(self.frame.variables[id.0 as usize].span);
        }
        if let Some(id) = self.global(name) {
            return Some(self.model.globals[id.0 as usize].span);
        }
        super::place::PREDEFINED.contains(&&**name).then(Span::default)
    }

    fn redeclared(&mut self, name: &ast::Name, first: Span) {
        if first == Span::default() && super::place::PREDEFINED.contains(&&*name.text) {
            self.error(
                codes::DECLARED_TWICE,
                name.span,
                format!("`{}` is predefined and cannot be declared", name.text),
            );
            return;
        }
        let mut diagnostic =
            Diagnostic::error(codes::DECLARED_TWICE, name.span, format!("`{}` is declared twice", name.text))
                .with_related(first, "first declared here");
        if self.context != Context::Global {
            diagnostic =
                diagnostic.with_help("in Promela an inner name cannot hide an outer one: rename one of them");
        }
        self.report(diagnostic);
    }

    fn too_large(&mut self, name: &ast::Name) {
        self.error(codes::OUT_OF_LIMITS, name.span, format!("`{}` is too large", name.text));
    }

    fn has_array(&self, id: TypedefId) -> bool {
        self.model.typedefs[id.0 as usize].fields.iter().any(|field| {
            field.length.is_some() || matches!(field.ty, Type::Struct(inner) if self.has_array(inner))
        })
    }

    fn slots(&self, ty: Type, length: Option<u32>) -> Option<u32> {
        self.model.slots_of(ty).checked_mul(length.unwrap_or(1)).filter(|s| *s <= MOST_SLOTS)
    }

    fn declared_type(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
    ) -> Option<(Type, Option<u32>)> {
        let name = &declarator.name;
        let mut ty = self.type_of(&declaration.ty)?;
        match (&declaration.ty, declarator.width) {
            (TypeName::Unsigned, Some((width, span))) => {
                if !(1..32).contains(&width) {
                    self.error(codes::BAD_WIDTH, span, "the width of an unsigned is from 1 to 31 bits");
                }
                let width = width.clamp(1, 31);
                ty = Type::Scalar(Scalar::Unsigned(width as u8));
            }
            (TypeName::Unsigned, None) => {
                self.report(
                    Diagnostic::error(
                        codes::BAD_WIDTH,
                        name.span,
                        format!("unsigned `{}` needs a width", name.text),
                    )
                    .with_help(format!("for instance `unsigned {} : 4`", name.text)),
                );
            }
            (_, Some((_, span))) => self.error(codes::BAD_WIDTH, span, "only an unsigned has a width"),
            _ => {}
        }
        if declaration.visibility == Visibility::Hidden
            && matches!(declaration.ty, TypeName::Bit | TypeName::Bool)
        {
            self.report(
                Diagnostic::error(
                    codes::HIDDEN_BIT,
                    name.span,
                    format!("the bit `{}` cannot be hidden", name.text),
                )
                .with_help("declare it as a byte"),
            );
        }
        let length = match &declarator.length {
            None => None,
            Some(ArrayLength::Constant(value, span)) => match u32::try_from(*value) {
                Ok(length) if length > 0 => Some(length),
                _ => {
                    self.error(
                        codes::OUT_OF_LIMITS,
                        *span,
                        format!("array `{}` has the length {value}", name.text),
                    );
                    Some(1)
                }
            },
            Some(ArrayLength::Variable(bound)) => Some(match self.initial_constant(bound) {
                Some(value) if value > 0 => {
                    let message = format!(
                        "the length of `{}` is the initial value of `{}`, {value}",
                        name.text, bound.text
                    );
                    self.report(Diagnostic::warning(codes::VARIABLE_AS_LENGTH, bound.span, message));
                    value as u32
                }
                Some(_) => {
                    let message =
                        format!("`{}` has no initial value: SPIN takes 8 as the length", bound.text);
                    self.report(Diagnostic::warning(codes::VARIABLE_AS_LENGTH, bound.span, message));
                    8
                }
                None => 1,
            }),
        };
        Some((ty, length))
    }

    /// The number that a variable is initialised with (0 without initialiser); `None` is reported.
    pub(super) fn initial_constant(&mut self, name: &ast::Name) -> Option<i32> {
        let Some((_, _, variable)) = self.lookup(&name.text) else {
            self.undeclared(name);
            return None;
        };
        let (declared, init) = (variable.span, variable.init.clone());
        self.mention(name.span, declared, NameKind::Variable);
        match &init {
            Initializer::None => Some(0),
            Initializer::Expr(expr) => match expr.kind {
                ExprKind::Constant { value, .. } => Some(value),
                _ => {
                    self.error(
                        codes::NOT_CONSTANT,
                        name.span,
                        format!("`{}` has no constant initial value", name.text),
                    );
                    None
                }
            },
            _ => {
                self.error(
                    codes::NOT_CONSTANT,
                    name.span,
                    format!("`{}` has no constant initial value", name.text),
                );
                None
            }
        }
    }

    fn type_of(&mut self, ty: &TypeName) -> Option<Type> {
        Some(Type::Scalar(match ty {
            TypeName::Bit => Scalar::Bit,
            TypeName::Bool => Scalar::Bool,
            TypeName::Byte => Scalar::Byte,
            TypeName::Pid => Scalar::Pid,
            TypeName::Short => Scalar::Short,
            TypeName::Int => Scalar::Int,
            TypeName::Unsigned => Scalar::Unsigned(16),
            TypeName::Chan => Scalar::Chan,
            TypeName::Mtype(set) => Scalar::Mtype(self.mtype_set(set.as_ref())),
            TypeName::User(name) => {
                // The parser knows the name as a type; it is missing only if its declaration was in error.
                let id = *self.typedefs.get(&name.text)?;
                self.mention(name.span, self.model.typedefs[id.0 as usize].span, NameKind::Typedef);
                return Some(Type::Struct(id));
            }
        }))
    }

    fn initializer(&mut self, declarator: &Declarator, ty: Type, length: Option<u32>) -> Initializer {
        let name = &declarator.name;
        match &declarator.init {
            None => Initializer::None,
            Some(ast::Init::Expr(value)) => {
                if let Type::Struct(_) = ty {
                    let message = format!("the initial value of the struct `{}` is ignored", name.text);
                    self.report(Diagnostic::warning(codes::STRUCT_VALUE_IGNORED, value.span, message));
                    self.initial_value(value);
                    return Initializer::None;
                }
                let value = self.initial_value(value);
                if let Type::Scalar(scalar) = ty {
                    let scalar = if length.is_some() { scalar.in_array() } else { scalar };
                    self.check_range(&value, scalar, &name.text);
                    self.check_initial_symbol(scalar, &value);
                }
                Initializer::Expr(value)
            }
            Some(ast::Init::List(values, span)) => {
                if length.is_none() {
                    self.error(codes::WRONG_INITIALIZER, *span, format!("`{}` is not an array", name.text));
                }
                if let Some(length) = length.filter(|l| values.len() > *l as usize) {
                    let message =
                        format!("{} values for the {length} elements of `{}`", values.len(), name.text);
                    self.report(Diagnostic::warning(codes::TOO_MANY_VALUES, *span, message));
                }
                let values: Vec<_> = values.iter().map(|v| self.expr(v)).collect();
                if let Type::Scalar(scalar) = ty {
                    for value in &values {
                        self.check_range(value, scalar.in_array(), &name.text);
                    }
                }
                Initializer::List(values)
            }
            Some(ast::Init::Channel { capacity, fields, span }) => {
                if ty != Type::Scalar(Scalar::Chan) {
                    self.error(codes::WRONG_INITIALIZER, *span, format!("`{}` is not a channel", name.text));
                    return Initializer::None;
                }
                Initializer::Channel(self.channel_type(*capacity, fields, *span))
            }
        }
    }

    /// A field begins with a constant, as in SPIN: what a variable begins with is then in its own declaration, where everybody looks.
    fn field_initializer(&mut self, declarator: &Declarator, ty: Type, length: Option<u32>) -> Initializer {
        let init = self.initializer(declarator, ty, length);
        let Initializer::Expr(value) = &init else { return init };
        if !value.is_constant() {
            let message = format!("the field `{}` has no constant initial value", declarator.name.text);
            self.error(codes::NOT_CONSTANT, value.span, message);
            return Initializer::None;
        }
        if ty == Type::Scalar(Scalar::Chan) {
            self.error(codes::CHANNEL_ARITHMETIC, value.span, "a number cannot be assigned to a channel");
            return Initializer::None;
        }
        init
    }

    fn initial_value(&mut self, value: &ast::Expr) -> crate::model::Expr {
        let resolved = self.expr(value);
        if resolved.contains_run() {
            self.error(codes::MISPLACED_RUN, value.span, "`run` cannot be used in an initial value");
        }
        resolved
    }

    fn channel_type(&mut self, capacity: i32, fields: &[TypeName], span: Span) -> ChannelTypeId {
        if capacity < 0 {
            self.error(codes::OUT_OF_LIMITS, span, format!("a channel cannot hold {capacity} messages"));
        } else if capacity > LARGEST_SAFE_CAPACITY {
            let message = format!(
                "SPIN cannot handle a channel for {capacity} messages: {LARGEST_SAFE_CAPACITY} is the most"
            );
            self.report(Diagnostic::warning(codes::LARGE_CHANNEL, span, message));
        }
        let mut flat = Vec::new();
        for field in fields {
            match self.type_of(field) {
                Some(Type::Scalar(scalar)) => flat.push(MessageField { scalar, name: None }),
                Some(Type::Struct(id)) => {
                    let typedef = &self.model.typedefs[id.0 as usize];
                    if typedef.slots > MOST_FIELDS {
                        self.error(codes::OUT_OF_LIMITS, span, "a message of this channel is too large");
                        continue;
                    }
                    self.flatten_message(id, "", span, &mut flat);
                }
                None => {}
            }
        }
        // SPIN gives a bit that is the whole message a byte of its own.
        if let [only] = flat.as_mut_slice() {
            only.scalar = only.scalar.in_array();
        }
        let id = ChannelTypeId(self.model.channel_types.len() as u32);
        self.affect(Effect::Channel(ChannelType { capacity: capacity.max(0) as u32, fields: flat, span }));
        id
    }

    fn flatten_message(&mut self, id: TypedefId, prefix: &str, span: Span, flat: &mut Vec<MessageField>) {
        let fields = self.model.typedefs[id.0 as usize].fields.clone();
        for field in fields {
            match field.ty {
                Type::Struct(_) if field.length.is_some() => {
                    let message = format!("`{}` is an array of structs, which cannot be sent", field.name);
                    self.report(
                        Diagnostic::error(codes::ARRAY_OF_STRUCTS_SENT, span, message)
                            .with_related(field.span, "declared here"),
                    );
                }
                Type::Struct(inner) => {
                    self.flatten_message(inner, &format!("{prefix}{}.", field.name), span, flat)
                }
                Type::Scalar(scalar) => match field.length {
                    None => flat.push(MessageField { scalar, name: Some(format!("{prefix}{}", field.name)) }),
                    Some(length) => flat.extend((0..length).map(|i| MessageField {
                        scalar,
                        name: Some(format!("{prefix}{}[{i}]", field.name)),
                    })),
                },
            }
        }
    }
}

pub(super) fn constant(value: i32, span: Span) -> crate::model::Expr {
    crate::model::Expr { kind: ExprKind::Constant { value, mtype: None }, span }
}
