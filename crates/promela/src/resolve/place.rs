//! From a reference such as `a.b[i].c` to the slots that it names.

use super::declaration::constant;
use super::{Context, FrameId, Resolver};
use crate::ast::{self, Reference};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::model::{
    ChannelRef, ChannelTypeId, Expr, ExprKind, Field, Frame, Index, Initializer, Place, Scalar, Type,
    TypedefId, Variable, VariableId,
};
use crate::names::NameKind;
use crate::source::Span;
use crate::suggest;
use std::rc::Rc;

/// Names that every model has.
pub(super) const PREDEFINED: &[&str] = &["_", "_last", "_nr_pr", "_p", "_pid", "_priority"];

/// What a reference names.
pub(super) enum Target {
    Scalar {
        place: Place,
        declared: Option<ChannelTypeId>,
    },
    /// A struct as a whole: SPIN replaces it by its fields where there may be several values.
    Struct {
        place: Place,
        typedef: TypedefId,
    },
    /// An array as a whole, which is right only after `in`.
    Array,
}

impl Resolver<'_> {
    pub(super) fn lookup(&self, name: &Rc<str>) -> Option<(Frame, VariableId, &Variable)> {
        if self.context != Context::Global
            && let Some(id) = self.frame.scopes.iter().rev().find_map(|s| s.get(name))
        {
            return Some((Frame::Local, *id, &self.frame.variables[id.0 as usize]));
        }
        self.global(name).map(|id| (Frame::Global, id, &self.model.globals[id.0 as usize]))
    }

    /// The global variable with a name. That it was asked for is noted, whether there is one or not.
    pub(super) fn global(&self, name: &Rc<str>) -> Option<VariableId> {
        self.asked.borrow_mut().insert(name.clone());
        self.globals.get(name).copied()
    }

    pub(super) fn frame_id(&self, frame: Frame) -> FrameId {
        match frame {
            Frame::Global => FrameId::GLOBAL,
            Frame::Local => self.frame.id,
        }
    }

    /// Resolves a reference; `None` if that was in vain, which is reported.
    pub(super) fn target(&mut self, reference: &Reference) -> Option<Target> {
        let head = reference.head();
        let Some((frame, variable, declared)) = self.lookup(&head.text) else {
            if PREDEFINED.contains(&&*head.text) {
                self.error(
                    codes::PREDEFINED_MISUSED,
                    head.span,
                    format!("`{}` cannot be used here", head.text),
                );
            } else {
                self.undeclared(head);
            }
            for part in reference.parts() {
                if let Some(index) = &part.index {
                    self.expr(index);
                }
            }
            return None;
        };
        let (mut ty, mut length, mut channel) =
            (declared.ty, declared.length, declared_channel(&declared.init));
        let (base, declared) = (declared.slot, declared.span);
        self.mention(head.span, declared, NameKind::Variable);
        let place =
            Place { frame, variable, base, indices: Vec::new(), scalar: Scalar::Int, span: reference.span };
        self.target_in(reference, place, &mut ty, &mut length, &mut channel)
    }

    fn target_in(
        &mut self,
        reference: &Reference,
        mut place: Place,
        ty: &mut Type,
        length: &mut Option<u32>,
        channel: &mut Option<ChannelTypeId>,
    ) -> Option<Target> {
        let last = reference.rest.len();
        let mut of = reference.head();
        for (position, part) in reference.parts().enumerate() {
            if position > 0 {
                let field = self.field(*ty, part, std::mem::replace(&mut of, &part.name))?;
                place.base += field.offset;
                (*ty, *length, *channel) = (field.ty, field.length, declared_channel(&field.init));
            }
            let stride = self.model.slots_of(*ty);
            match (&part.index, *length) {
                (Some(index), Some(length)) => {
                    let value = self.expr(index);
                    self.check_index(&value, length, &part.name);
                    place.indices.push(Index { value, length, stride });
                }
                // SPIN reads `s[0]` as the scalar `s`, and no other index on a scalar.
                (Some(index), None) if matches!(index.kind, ast::ExprKind::Number(0)) => {}
                (Some(index), None) => {
                    self.expr(index);
                    self.error(
                        codes::NOT_AN_ARRAY,
                        index.span,
                        format!("`{}` is not an array", part.name.text),
                    );
                }
                (None, Some(_)) if position == last => {
                    return Some(Target::Array);
                }
                (None, Some(_)) => {
                    self.error(
                        codes::MISSING_INDEX,
                        part.name.span,
                        format!("the array `{}` needs an index", part.name.text),
                    );
                    return None;
                }
                (None, None) => {}
            }
        }
        Some(match *ty {
            Type::Struct(typedef) => Target::Struct { place, typedef },
            Type::Scalar(scalar) => {
                place.scalar = if length.is_some() { scalar.in_array() } else { scalar };
                let declared = channel.filter(|_| scalar == Scalar::Chan);
                Target::Scalar { place, declared }
            }
        })
    }

    fn field(&mut self, ty: Type, part: &ast::ReferencePart, of: &ast::Name) -> Option<Field> {
        let Type::Struct(id) = ty else {
            let message = format!("`{}` is not a struct: it has no field `{}`", of.text, part.name.text);
            let mut diagnostic = Diagnostic::error(codes::NO_SUCH_FIELD, part.name.span, message);
            if ty == Type::Scalar(Scalar::Chan) {
                let name = &of.text;
                diagnostic = diagnostic.with_help(format!(
                    "`{name}!VALUE` sends, `{name}?VARIABLE` receives, `len({name})` is the number of messages"
                ));
            }
            self.report(diagnostic);
            return None;
        };
        let typedef = &self.model.typedefs[id.0 as usize];
        if let Some(field) = typedef.fields.iter().find(|f| *f.name == *part.name.text) {
            let field = field.clone();
            self.mention(part.name.span, field.span, NameKind::Field);
            return Some(field);
        }
        let message = format!("`{}` has no field `{}`", typedef.name, part.name.text);
        let mut diagnostic = Diagnostic::error(codes::NO_SUCH_FIELD, part.name.span, message)
            .with_related(typedef.span, "declared here");
        if let Some(similar) = self.similar(&part.name.text, typedef.fields.iter().map(|f| f.name.as_str())) {
            diagnostic = diagnostic.with_suggestion(similar);
        }
        self.report(diagnostic);
        None
    }

    /// A reference that must name one scalar.
    pub(super) fn place(&mut self, reference: &Reference) -> Option<(Place, Option<ChannelTypeId>)> {
        match self.target(reference)? {
            Target::Scalar { place, declared } => Some((place, declared)),
            Target::Struct { .. } => {
                let name = reference.last();
                self.error(
                    codes::STRUCT_WITHOUT_FIELD,
                    reference.span,
                    format!("`{}` is a struct: name one of its fields", name.text),
                );
                None
            }
            Target::Array => {
                let name = reference.last();
                self.error(
                    codes::MISSING_INDEX,
                    reference.span,
                    format!("the array `{}` needs an index", name.text),
                );
                None
            }
        }
    }

    /// The places that a reference stands for in a list of arguments: one, or the fields of a struct in order.
    pub(super) fn places(&mut self, reference: &Reference) -> Option<Vec<Place>> {
        match self.target(reference)? {
            Target::Struct { place, typedef } => {
                let mut places = Vec::new();
                self.flatten(&place, typedef, &mut places);
                Some(places)
            }
            Target::Scalar { place, .. } => Some(vec![place]),
            Target::Array => {
                let name = reference.last();
                self.error(
                    codes::MISSING_INDEX,
                    reference.span,
                    format!("the array `{}` needs an index", name.text),
                );
                None
            }
        }
    }

    pub(super) fn flatten(&mut self, place: &Place, typedef: TypedefId, places: &mut Vec<Place>) {
        let fields = self.model.typedefs[typedef.0 as usize].fields.clone();
        for field in fields {
            let base = place.base + field.offset;
            match (field.ty, field.length) {
                (Type::Struct(_), Some(_)) => {
                    let message = format!(
                        "`{}` is an array of structs, which cannot be in a list of arguments",
                        field.name
                    );
                    self.report(
                        Diagnostic::error(codes::ARRAY_OF_STRUCTS_SENT, place.span, message)
                            .with_related(field.span, "declared here"),
                    );
                }
                (Type::Struct(inner), None) => self.flatten(&Place { base, ..place.clone() }, inner, places),
                (Type::Scalar(scalar), None) => places.push(Place { base, scalar, ..place.clone() }),
                (Type::Scalar(scalar), Some(length)) => {
                    for element in 0..length {
                        let mut place = Place { base, scalar: scalar.in_array(), ..place.clone() };
                        let value = constant(element as i32, place.span);
                        place.indices.push(Index { value, length, stride: 1 });
                        places.push(place);
                    }
                }
            }
        }
    }

    pub(super) fn channel(&mut self, reference: &Reference) -> Option<ChannelRef> {
        let (place, declared) = self.place(reference)?;
        if place.scalar != Scalar::Chan {
            let name = reference.last();
            self.error(codes::NOT_A_CHANNEL, reference.span, format!("`{}` is not a channel", name.text));
            return None;
        }
        self.read(&place);
        Some(ChannelRef { place, declared })
    }

    pub(super) fn read(&mut self, place: &Place) {
        let frame = self.frame_id(place.frame);
        self.deeds.usage.read.insert((frame, place.variable));
    }

    pub(super) fn assigned(&mut self, place: &Place) {
        let frame = self.frame_id(place.frame);
        self.deeds.usage.written.insert((frame, place.variable));
        if place.scalar == Scalar::Chan {
            self.deeds.assigned_channels.insert((frame, place.variable));
        }
    }

    pub(super) fn undeclared(&mut self, name: &ast::Name) {
        let mut diagnostic =
            Diagnostic::error(codes::UNDECLARED, name.span, format!("`{}` is not declared", name.text));
        if let Some(later) = self.declared_later.get(&name.text) {
            diagnostic = diagnostic.with_related(*later, "it is declared only here, after its use");
        } else if let Some(foreign) = suggest::foreign(&name.text) {
            diagnostic = diagnostic.with_help(foreign);
        } else {
            let scopes = self.frame.scopes.iter().filter(|_| self.context != Context::Global);
            let variables = self.globals.keys().chain(scopes.flat_map(|scope| scope.keys()));
            let known = variables.chain(self.symbols.keys()).map(|name| &**name);
            if let Some(similar) = self.similar(&name.text, known) {
                diagnostic = diagnostic.with_suggestion(similar);
            }
        }
        self.report(diagnostic);
    }

    fn check_index(&mut self, value: &Expr, length: u32, name: &ast::Name) {
        if let ExprKind::Constant { value: index, .. } = value.kind
            && (index < 0 || i64::from(index) >= i64::from(length))
        {
            let message =
                format!("index {index} is outside of `{}`, which has the length {length}", name.text);
            self.report(
                Diagnostic::warning(codes::INDEX_OUT_OF_RANGE, value.span, message)
                    .with_label("this is an error when executed"),
            );
        }
    }

    /// A constant that is stored into something too small for it.
    pub(super) fn check_range(&mut self, value: &Expr, scalar: Scalar, name: &str) {
        let constant = match &value.kind {
            ExprKind::Constant { value, .. } => *value,
            ExprKind::Unary(crate::model::UnaryOp::Negate, inner) => match inner.kind {
                ExprKind::Constant { value, .. } => value.wrapping_neg(),
                _ => return,
            },
            _ => return,
        };
        let stored = scalar.truncate(constant);
        if stored != constant {
            let (least, most) = scalar.range();
            let message =
                format!("{constant} does not fit into `{name}` ({least} to {most}): {stored} is stored");
            self.report(Diagnostic::warning(codes::VALUE_OUT_OF_RANGE, value.span, message));
        }
    }

    pub(super) fn nowhere(&self, span: Span) -> Expr {
        constant(0, span)
    }
}

/// The channel with which a variable begins.
fn declared_channel(init: &Initializer) -> Option<ChannelTypeId> {
    match init {
        Initializer::Channel(id) => Some(*id),
        _ => None,
    }
}
