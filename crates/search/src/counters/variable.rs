//! Global variables that count: `v++`, `v--`, and comparisons with constants, nothing else.
//!
//! With any number of processes such a variable has any value. What statements and propositions see of it are comparisons with
//! constants, so beyond the largest constant (and below the smallest) all values are alike. The paper calls them special
//! process counter variables (section 5, example 2).

use super::symmetry::visit_action;
use crate::fair::Property;
use promela::model::{BinaryOp, Expr, ExprKind, Frame, Initializer, Place, ReceiveArgument, Scalar, Type};
use system::automaton::{Action, System};

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
        let mut writes = Uses { slot: variable.slot, constants: Vec::new(), stride: 0, other: false };
        for automaton in system.automata.iter().take(model.proctypes.len()) {
            automaton.edges.iter().for_each(|edge| writes.action(&edge.action, false));
        }
        let initial = match &variable.init {
            Initializer::None => 0,
            Initializer::Expr(Expr { kind: ExprKind::Constant { value, .. }, .. }) => *value,
            _ => continue,
        };
        let mut propositions = Uses { slot: variable.slot, constants: Vec::new(), stride: 0, other: false };
        property.propositions.iter().for_each(|expr| propositions.expression(expr));
        for proctype in &model.proctypes {
            proctype.provided.iter().for_each(|expr| propositions.expression(expr));
            for local in &proctype.locals {
                match &local.init {
                    Initializer::Expr(expr) => propositions.expression(expr),
                    Initializer::List(list) => list.iter().for_each(|expr| propositions.expression(expr)),
                    Initializer::None | Initializer::Channel(_) => {}
                }
            }
        }
        if writes.other || propositions.other || writes.stride == 0 {
            continue;
        }
        let constants = [writes.constants, propositions.constants, vec![initial]].concat();
        let (low, high) = (constants.iter().min().copied(), constants.iter().max().copied());
        let (Some(low), Some(high)) = (low, high) else { continue };
        let counting = CountingVariable { slot, scalar, low, high, stride: writes.stride };
        let (least, most) = scalar.range();
        // All that stands for something must be storable; a type that starts at zero has nothing below.
        let fits = high.checked_add(writes.stride + 1).is_some_and(|above| above <= most)
            && (least >= 0 || counting.below() >= least);
        if fits && high - low < 64 {
            found.push(counting);
        }
    }
    found
}

struct Uses {
    slot: u32,
    constants: Vec<i32>,
    stride: i32,
    /// Used in another way than to count.
    other: bool,
}

impl Uses {
    fn is_it(&self, place: &Place) -> bool {
        place.frame == Frame::Global && place.indices.is_empty() && place.base == self.slot
    }

    fn reads_it(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Read(place) if self.is_it(place))
    }

    fn action(&mut self, action: &Action, in_d_step: bool) {
        match action {
            Action::Assign { place, value } if self.is_it(place) => match &value.kind {
                ExprKind::Binary(operator @ (BinaryOp::Add | BinaryOp::Subtract), left, right)
                    if !in_d_step =>
                {
                    match (&left.kind, &right.kind) {
                        (ExprKind::Read(read), ExprKind::Constant { value, .. })
                            if self.is_it(read) && value.unsigned_abs() <= 8 =>
                        {
                            self.stride = self.stride.max(value.abs());
                        }
                        (ExprKind::Constant { value, .. }, ExprKind::Read(read))
                            if self.is_it(read)
                                && *operator == BinaryOp::Add
                                && value.unsigned_abs() <= 8 =>
                        {
                            self.stride = self.stride.max(value.abs());
                        }
                        _ => self.other = true,
                    }
                }
                _ => self.other = true,
            },
            Action::Receive { arguments, .. } => {
                let stored = |argument: &ReceiveArgument| matches!(argument, ReceiveArgument::Store(place) if self.is_it(place));
                self.other |= arguments.iter().any(stored);
                visit_action(action, &mut |expr, _| self.expression(expr));
            }
            Action::DStep(body) => {
                for choice in body.nodes.iter().flat_map(|node| &node.choices) {
                    self.action(&choice.action, true);
                    // Values inside a d_step cannot be watched.
                    visit_action(&choice.action, &mut |expr, _| {
                        expr.visit(&mut |inner| self.other |= self.reads_it(inner));
                    });
                }
            }
            other => visit_action(other, &mut |expr, _| self.expression(expr)),
        }
    }

    fn expression(&mut self, expr: &Expr) {
        if let ExprKind::Binary(operator, left, right) = &expr.kind {
            let compares = operator.is_comparison();
            match (&left.kind, &right.kind) {
                (_, ExprKind::Constant { value, .. }) if compares && self.reads_it(left) => {
                    return self.constants.push(*value);
                }
                (ExprKind::Constant { value, .. }, _) if compares && self.reads_it(right) => {
                    return self.constants.push(*value);
                }
                _ => {}
            }
        }
        match &expr.kind {
            ExprKind::Read(place) if self.is_it(place) => self.other = true,
            ExprKind::Unary(_, inner) => self.expression(inner),
            ExprKind::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Conditional(condition, left, right) => {
                self.expression(condition);
                self.expression(left);
                self.expression(right);
            }
            // Whatever else an expression holds must not hold it at all.
            _ => expr.visit(&mut |inner| self.other |= self.reads_it(inner)),
        }
    }
}
