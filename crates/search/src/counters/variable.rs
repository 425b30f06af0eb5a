//! Global variables that count: `v++`, `v--`, and comparisons with constants, nothing else.
//!
//! With any number of processes such a variable has any value. What statements and propositions see of it are comparisons with
//! constants, so beyond the largest constant (and below the smallest) all values are alike. The paper calls them special
//! process counter variables (section 5, example 2).

use crate::fair::Property;
use promela::model::{BinaryOp, Expr, ExprKind, Frame, Initializer, Place, Scalar, Type};
use system::automaton::{Action, System};
use system::code::footprint::Footprint;

/// A variable that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountingVariable {
    /// Its slot among the globals.
    pub slot: usize,
    /// Its type.
    pub scalar: Scalar,
    /// The smallest constant that it is compared with or begins with.
    pub low: i32,
    /// The largest.
    pub high: i32,
    /// The most that one statement changes it by.
    pub stride: i32,
}

impl CountingVariable {
    /// The smallest value that is kept exactly.
    pub fn first(&self) -> i32 {
        self.low - self.stride
    }

    /// The largest value that is kept exactly. Values beyond stay beyond every constant whatever one statement does.
    pub fn last(&self) -> i32 {
        self.high + self.stride
    }

    /// What stands for all values above.
    pub fn above(&self) -> i32 {
        self.last() + 1
    }

    /// What stands for all values below.
    pub fn below(&self) -> i32 {
        self.first() - 1
    }
}

/// The variables of a system that count.
pub fn counting_variables(system: &System, property: &Property) -> Vec<CountingVariable> {
    let model = &system.model;
    let edges = system.process_automata().flat_map(|(_, automaton)| &automaton.edges);
    let statements: Vec<(&Action, Footprint)> =
        edges.map(|edge| (&edge.action, Footprint::of_statement(system, &edge.action))).collect();
    let mut found = Vec::new();
    for variable in &model.globals {
        let Type::Scalar(scalar) = variable.ty else { continue };
        if variable.length.is_some()
            || matches!(scalar, Scalar::Chan | Scalar::Mtype(_) | Scalar::Bit | Scalar::Bool)
        {
            continue;
        }
        let slot = variable.slot as usize;
        if system.global_slots[slot].hidden {
            continue;
        }
        let mut uses = Uses { system, slot: variable.slot, constants: Vec::new(), stride: 0, other: false };
        statements.iter().for_each(|(action, footprint)| uses.statement(action, footprint));
        let initial = match &variable.init {
            Initializer::None => 0,
            Initializer::Expr(Expr { kind: ExprKind::Constant { value, .. }, .. }) => *value,
            _ => continue,
        };
        property.propositions.iter().for_each(|expr| uses.expression(expr));
        for proctype in &model.proctypes {
            proctype.provided.iter().for_each(|expr| uses.expression(expr));
            for local in &proctype.locals {
                match &local.init {
                    Initializer::Expr(expr) => uses.expression(expr),
                    Initializer::List(list) => list.iter().for_each(|expr| uses.expression(expr)),
                    Initializer::None | Initializer::Channel(_) => {}
                }
            }
        }
        if uses.other || uses.stride == 0 {
            continue;
        }
        let low = uses.constants.iter().fold(initial, |low, &constant| low.min(constant));
        let high = uses.constants.iter().fold(initial, |high, &constant| high.max(constant));
        let counting = CountingVariable { slot, scalar, low, high, stride: uses.stride };
        let (least, most) = scalar.range();
        // All that stands for something must be storable; a type that starts at zero has nothing below.
        let fits = high.checked_add(uses.stride + 1).is_some_and(|above| above <= most)
            && (least >= 0 || counting.below() >= least);
        if fits && high - low < 64 {
            found.push(counting);
        }
    }
    found
}

/// How a variable is used. The forms that count are recognised; whether it is used at all is known from what statements and expressions
/// touch, so a form that is not recognised counts as another use.
struct Uses<'s> {
    system: &'s System,
    slot: u32,
    constants: Vec<i32>,
    stride: i32,
    /// Used in another way than to count.
    other: bool,
}

impl Uses<'_> {
    fn is_it(&self, place: &Place) -> bool {
        place.frame == Frame::Global && place.indices.is_empty() && place.base == self.slot
    }

    fn reads_it(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Read(place) if self.is_it(place))
    }

    fn statement(&mut self, action: &Action, footprint: &Footprint) {
        match action {
            Action::Assign { place, value } if self.is_it(place) => match self.change(value) {
                Some(change) => self.stride = self.stride.max(change),
                None => self.other = true,
            },
            // Values inside a `d_step` cannot be watched.
            Action::DStep(_) => {
                self.other |= footprint.reads.contains(self.slot) || footprint.writes.contains(self.slot);
            }
            _ => {
                self.other |= footprint.writes.contains(self.slot);
                action.visit_expressions(&mut |expr| self.expression(expr));
            }
        }
    }

    /// By how much the variable is changed by what is assigned to it, if that is a sum of it and a small constant.
    fn change(&self, value: &Expr) -> Option<i32> {
        let ExprKind::Binary(operator, left, right) = &value.kind else { return None };
        let constant = match (operator, &left.kind, &right.kind) {
            (BinaryOp::Add | BinaryOp::Subtract, _, ExprKind::Constant { value, .. })
                if self.reads_it(left) =>
            {
                *value
            }
            (BinaryOp::Add, ExprKind::Constant { value, .. }, _) if self.reads_it(right) => *value,
            _ => return None,
        };
        (constant.unsigned_abs() <= MOST_STRIDE).then_some(constant.abs())
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(operator, left, right) => match (&left.kind, &right.kind) {
                (_, ExprKind::Constant { value, .. }) | (ExprKind::Constant { value, .. }, _)
                    if operator.is_comparison() && (self.reads_it(left) || self.reads_it(right)) =>
                {
                    self.constants.push(*value);
                }
                _ => {
                    self.expression(left);
                    self.expression(right);
                }
            },
            ExprKind::Unary(_, inner) => self.expression(inner),
            ExprKind::Conditional(condition, left, right) => {
                self.expression(condition);
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Constant { .. } => {}
            ExprKind::Read(place) if place.indices.is_empty() => self.other |= self.is_it(place),
            // Whatever else an expression holds must not hold it at all.
            _ => self.other |= Footprint::of_expression(self.system, expr).reads.contains(self.slot),
        }
    }
}

/// The most that a variable may be changed by at once.
const MOST_STRIDE: u32 = 8;
