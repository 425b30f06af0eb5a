//! What the whole model uses: needed before any body can be lowered, because a reference from one process changes the
//! states of another.

use promela::interrupt;
use promela::model::{
    BinaryOp, Expr, ExprKind, Frame, Initializer, Model, Place, ReceiveArgument, RemoteProcess, Sequence,
    StatementKind,
};

/// What the model uses.
pub(super) struct Usage {
    /// For each global variable: is its value looked at, other than to be printed?
    pub global_is_read: Vec<bool>,
    /// Somebody looks at another process's variables.
    pub remote_variables: bool,
    labels: Vec<(RemoteProcess, String)>,
}

impl Usage {
    /// The labels of a process that somebody asks about from outside.
    pub fn labels_of(&self, process: RemoteProcess) -> Vec<String> {
        self.labels.iter().filter(|(p, _)| *p == process).map(|(_, l)| l.clone()).collect()
    }
}

pub(super) fn usage(model: &Model) -> Usage {
    let mut usage = Usage {
        global_is_read: vec![false; model.globals.len()],
        remote_variables: false,
        labels: Vec::new(),
    };
    let initializers = model.globals.iter().chain(model.proctypes.iter().flat_map(|p| &p.locals));
    for variable in initializers {
        match &variable.init {
            Initializer::Expr(e) => usage.expression(e),
            Initializer::List(list) => list.iter().for_each(|e| usage.expression(e)),
            Initializer::None | Initializer::Channel(_) => {}
        }
    }
    for proctype in &model.proctypes {
        proctype.provided.iter().for_each(|e| usage.expression(e));
        proctype.named_in_calls.iter().for_each(|v| usage.global_is_read[v.0 as usize] = true);
        usage.sequence(&proctype.body);
    }
    model.claims.iter().for_each(|c| usage.sequence(&c.body));
    model.event_trace.iter().for_each(|t| usage.sequence(&t.body));
    model.formulas.iter().for_each(|f| f.formula.visit_propositions(&mut |e| usage.expression(e)));
    usage
}

impl Usage {
    fn sequence(&mut self, sequence: &Sequence) {
        sequence.statements.iter().for_each(|s| self.statement(&s.kind));
    }

    fn statement(&mut self, kind: &StatementKind) {
        interrupt::point();
        match kind {
            StatementKind::Condition(e) | StatementKind::Assert(e) | StatementKind::Printm(e) => {
                self.expression(e);
            }
            StatementKind::Assign { place, value } => {
                self.indices(place);
                // `x++` is `x = x + 1` here, but SPIN does not count it as a look at `x`. The two are told apart by where
                // the operand is spelled.
                match &value.kind {
                    ExprKind::Binary(_, a, _) if matches!(&a.kind, ExprKind::Read(p) if p.span == place.span) =>
                        {}
                    _ => self.expression(value),
                }
            }
            StatementKind::Send { channel, arguments, .. } => {
                self.place(&channel.place);
                arguments.iter().for_each(|e| self.expression(e));
            }
            StatementKind::Receive { channel, arguments, .. } => {
                self.place(&channel.place);
                self.receive_arguments(arguments);
            }
            // Printing is not reading: SPIN hides variables that are only printed. Remote references still count, and so
            // does what decides whether there is a value at all.
            StatementKind::Printf { arguments, .. } => {
                for argument in arguments {
                    let read = self.global_is_read.clone();
                    self.expression(argument);
                    if !may_have_no_value(argument) {
                        self.global_is_read = read;
                    }
                }
            }
            StatementKind::SetPriority { pid, priority } => {
                self.expression(pid);
                self.expression(priority);
            }
            StatementKind::If(options) | StatementKind::Do(options) => {
                options.iter().for_each(|o| self.sequence(o));
            }
            StatementKind::Atomic(s) | StatementKind::DStep(s) | StatementKind::Block(s) => {
                self.sequence(s);
            }
            StatementKind::Unless { main, escape } => {
                self.statement(&main.kind);
                self.statement(&escape.kind);
            }
            StatementKind::Else | StatementKind::Goto { .. } | StatementKind::Break => {}
        }
    }

    fn receive_arguments(&mut self, arguments: &[ReceiveArgument]) {
        for argument in arguments {
            match argument {
                ReceiveArgument::Match(e) => self.expression(e),
                // SPIN takes a variable in a receive for one that is read.
                ReceiveArgument::Store(place) => self.place(place),
                ReceiveArgument::Discard(_) => {}
            }
        }
    }

    /// What of the arguments is not an expression inside them.
    fn receive_variables(&mut self, arguments: &[ReceiveArgument]) {
        for argument in arguments {
            if let ReceiveArgument::Store(place) = argument {
                self.variable(place);
            }
        }
    }

    fn place(&mut self, place: &Place) {
        self.variable(place);
        self.indices(place);
    }

    fn variable(&mut self, place: &Place) {
        if place.frame == Frame::Global {
            self.global_is_read[place.variable.0 as usize] = true;
        }
    }

    fn indices(&mut self, place: &Place) {
        place.indices.iter().for_each(|i| self.expression(&i.value));
    }

    fn expression(&mut self, e: &Expr) {
        e.visit(&mut |inner| match &inner.kind {
            ExprKind::RemoteLabel { proctype, label, .. } => {
                let whose = match proctype {
                    RemoteProcess::All(id) => RemoteProcess::Proctype(*id),
                    other => *other,
                };
                self.labels.push((whose, label.clone()));
            }
            ExprKind::RemoteVariable { .. } => self.remote_variables = true,
            kind => {
                kind.place().into_iter().for_each(|place| self.variable(place));
                if let ExprKind::Poll { arguments, .. } = kind {
                    self.receive_variables(arguments);
                }
            }
        });
    }
}

/// Whether computing an expression may be an error, or start a process.
fn may_have_no_value(e: &Expr) -> bool {
    let mut may = false;
    e.visit(&mut |inner| {
        may |= match &inner.kind {
            ExprKind::Binary(op, ..) => matches!(op, BinaryOp::Divide | BinaryOp::Remainder),
            ExprKind::Read(place) => {
                place.indices.iter().any(|index| !matches!(index.value.kind, ExprKind::Constant { .. }))
            }
            ExprKind::Constant { .. }
            | ExprKind::Pid
            | ExprKind::NumberOfProcesses
            | ExprKind::Last
            | ExprKind::OwnPriority
            | ExprKind::NonProgress
            | ExprKind::Timeout
            | ExprKind::Unary(..)
            | ExprKind::Conditional(..) => false,
            ExprKind::Run { .. }
            | ExprKind::Len(_)
            | ExprKind::Empty(_)
            | ExprKind::NotEmpty(_)
            | ExprKind::Full(_)
            | ExprKind::NotFull(_)
            | ExprKind::Poll { .. }
            | ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::GetPriority(_)
            | ExprKind::RemoteLabel { .. }
            | ExprKind::RemoteVariable { .. } => true,
        };
    });
    may
}
