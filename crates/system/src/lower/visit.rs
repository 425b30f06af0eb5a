//! What the whole model uses: needed before any body can be lowered, because a reference from one process changes the
//! states of another.

use promela::model::{
    Expr, ExprKind, Frame, Initializer, Ltl, Model, Place, ReceiveArgument, RemoteProcess, Sequence,
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
        usage.sequence(&proctype.body);
    }
    model.claims.iter().for_each(|c| usage.sequence(&c.body));
    model.event_trace.iter().for_each(|t| usage.sequence(&t.body));
    model.formulas.iter().for_each(|f| usage.formula(&f.formula));
    usage
}

impl Usage {
    fn sequence(&mut self, sequence: &Sequence) {
        sequence.statements.iter().for_each(|s| self.statement(&s.kind));
    }

    fn statement(&mut self, kind: &StatementKind) {
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
            // Printing is not reading: SPIN hides variables that are only printed. Remote references still count.
            StatementKind::Printf { arguments, .. } => {
                let read = self.global_is_read.clone();
                arguments.iter().for_each(|e| self.expression(e));
                self.global_is_read = read;
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

    fn place(&mut self, place: &Place) {
        if place.frame == Frame::Global {
            self.global_is_read[place.variable.0 as usize] = true;
        }
        self.indices(place);
    }

    fn indices(&mut self, place: &Place) {
        place.indices.iter().for_each(|i| self.expression(&i.value));
    }

    fn expression(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(_, a)
            | ExprKind::Enabled(a)
            | ExprKind::PcValue(a)
            | ExprKind::GetPriority(a) => self.expression(a),
            ExprKind::Binary(_, a, b) => {
                self.expression(a);
                self.expression(b);
            }
            ExprKind::Conditional(c, a, b) => {
                self.expression(c);
                self.expression(a);
                self.expression(b);
            }
            ExprKind::Run { arguments, .. } => arguments.iter().for_each(|a| self.expression(a)),
            ExprKind::Len(c)
            | ExprKind::Empty(c)
            | ExprKind::NotEmpty(c)
            | ExprKind::Full(c)
            | ExprKind::NotFull(c) => self.place(&c.place),
            ExprKind::Poll { channel, arguments, .. } => {
                self.place(&channel.place);
                self.receive_arguments(arguments);
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let whose = match proctype {
                    RemoteProcess::All(id) => RemoteProcess::Proctype(*id),
                    other => *other,
                };
                self.labels.push((whose, label.clone()));
                pid.iter().for_each(|e| self.expression(e));
            }
            ExprKind::RemoteVariable { pid, place, .. } => {
                self.remote_variables = true;
                pid.iter().for_each(|e| self.expression(e));
                self.indices(place);
            }
            ExprKind::Constant { .. }
            | ExprKind::Pid
            | ExprKind::NumberOfProcesses
            | ExprKind::Last
            | ExprKind::OwnPriority
            | ExprKind::NonProgress
            | ExprKind::Timeout => {}
        }
    }

    fn formula(&mut self, formula: &Ltl) {
        match formula {
            Ltl::Proposition(e) => self.expression(e),
            Ltl::Not(a) | Ltl::Next(a) | Ltl::Always(a) | Ltl::Eventually(a) => self.formula(a),
            Ltl::And(a, b)
            | Ltl::Or(a, b)
            | Ltl::Implies(a, b)
            | Ltl::Equivalent(a, b)
            | Ltl::Until(a, b)
            | Ltl::WeakUntil(a, b)
            | Ltl::Release(a, b) => {
                self.formula(a);
                self.formula(b);
            }
        }
    }
}
