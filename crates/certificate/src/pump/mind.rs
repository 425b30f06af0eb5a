//! Whether a step of σ would be possible, and would do the same, in every later repetition.
//!
//! Variables and control are then what they were, and so is what a channel holds that does not grow. A channel that grows holds at least as
//! much, and if it holds something now, what comes first is the same. So what a step depends on may be:
//!
//! - anything about a channel that does not grow, also in `!!`, `??` and inside a `d_step`;
//! - of one that grows: that it is not full (nothing is, without limits); and whether it is empty, what comes first, whether a
//!   receive is executable, provided that it is not empty now.
//!
//! The same for what a step depends on that is *not* executed: the guards beside an `else`, escapes that come first (and if one of these
//! is a send in a rendezvous, what every possible receiver asks for), the reason why an `atomic` sequence gives way, and, if the
//! step happens because of `timeout`, every statement of every process. Priorities and `enabled` are refused.

use super::{PumpRefusal, Roles, Runner};
use promela::model::{ChannelRef, Expr, ExprKind, Initializer};
use std::cell::RefCell;
use system::automaton::{Action, DStep, EdgeId};
use system::interpreter::{Observer, Step};
use system::state::{ChannelId, Pid, State};

/// Why a step may go another way.
type Doubt = &'static str;

/// Whether the step would be the same whatever more the growing channels held.
pub(super) fn keeps_its_mind(
    runner: &Runner<'_>,
    state: &State,
    growing: &[(ChannelId, u64)],
    index: usize,
    step: Step,
    roles: Roles,
) -> Result<(), PumpRefusal> {
    let changes = |what| PumpRefusal::MayChangeItsMind { step: index, what };
    if runner.system.model.features.priorities {
        return Err(changes("the model uses priorities"));
    }
    let mut enabled = Vec::new();
    let (how, _) = runner.interpreter.steps_beside_errors(state, &mut enabled);
    if !enabled.contains(&step) {
        return Err(PumpRefusal::NotEnabled { step: index });
    }
    let mind = Mind { runner, state, growing, roles, timeout: how.timeout };
    if let (true, Some(exclusive)) = (how.released, state.exclusive) {
        if roles == Roles::HandedOn {
            return Err(changes("an `atomic` sequence gives way, which may depend on who else is there"));
        }
        if !mind.depends_on_nothing_that_grows(exclusive, false) {
            return Err(changes("an `atomic` sequence gives way, which depends on what channels hold"));
        }
    }
    let everybody = (0..state.processes.len() as u32).map(Pid);
    if how.timeout
        && (roles == Roles::HandedOn
            || !everybody.into_iter().all(|pid| mind.depends_on_nothing_that_grows(pid, false)))
    {
        return Err(changes("it happens because of `timeout`, which depends on what channels hold"));
    }
    mind.actor(step.process, step.edge, step).map_err(changes)?;
    step.partner.map_or(Ok(()), |partner| mind.actor(partner.process, partner.edge, step)).map_err(changes)
}

struct Mind<'a, 's> {
    runner: &'a Runner<'s>,
    state: &'a State,
    growing: &'a [(ChannelId, u64)],
    roles: Roles,
    /// The step happens because of `timeout`, and will again.
    timeout: bool,
}

/// How much of a channel somebody looks at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Whether there is anything, and what comes first.
    Front,
    /// How much, or what comes later.
    All,
}

/// Notes the channels that an evaluation looks at.
#[derive(Default)]
pub(super) struct Looks {
    pub(super) channels: RefCell<Vec<ChannelId>>,
}

impl Observer for Looks {
    fn read_channel(&self, id: ChannelId) {
        self.channels.borrow_mut().push(id);
    }
}

impl Mind<'_, '_> {
    /// What a process executes, and what it would rather do.
    fn actor(&self, pid: Pid, edge: EdgeId, step: Step) -> Result<(), Doubt> {
        let process = &self.state.processes[pid.0 as usize];
        let automaton = self.runner.system.automaton(process.automaton);
        let provided = &self.runner.system.model.proctypes[process.automaton.0 as usize].provided;
        if !provided.iter().all(|expr| self.expression_stays(pid, expr, Part::Front)) {
            return Err("its `provided` clause looks at channels");
        }
        let own = automaton.edge(edge);
        self.executed(pid, &own.action, step)?;
        if self.starts_with_a_look(&own.action) {
            return Err("it starts a process whose variables begin with what a channel holds");
        }
        let is_else = match &own.action {
            Action::Else => true,
            Action::DStep(body) => has_else_first(body),
            _ => false,
        };
        for (id, other) in automaton.edges_from(process.location) {
            if id == edge {
                break;
            }
            // A send in a rendezvous depends on who else is there; inside a `d_step` it is an error.
            let may_offer = self.roles == Roles::HandedOn && matches!(other.action, Action::Send { .. });
            let may_become = may_offer || !self.stays_blocked(pid, &other.action);
            if (is_else || other.escape != own.escape) && may_become {
                return Err("a statement that is tried before it may become executable");
            }
        }
        Ok(())
    }

    /// Whether a statement that is executed does the same.
    fn executed(&self, pid: Pid, action: &Action, step: Step) -> Result<(), Doubt> {
        match action {
            Action::Condition(expr) => match self.expression_stays(pid, expr, Part::Front) {
                true => Ok(()),
                false => Err("it looks at how much a channel holds"),
            },
            Action::Send { channel, sorted: true, .. } if !self.stays(pid, channel, Part::All) => {
                Err("`!!` depends on what the channel holds")
            }
            Action::Receive { channel, random: true, .. } if !self.stays(pid, channel, Part::All) => {
                Err("`??` depends on what the channel holds")
            }
            Action::SetPriority { .. } => Err("it changes a priority"),
            // Inside, the state is another one at each statement; either nothing there looks, or all that it looks at stays.
            Action::DStep(body) => match looks_nowhere(body) {
                Ok(()) => Ok(()),
                Err(_) if self.touches_nothing_that_grows(pid, step) => Ok(()),
                Err(doubt) => Err(doubt),
            },
            // An index may be looked up after the message is gone, so nothing but what stays all the time.
            _ => {
                let mut stay = true;
                action.visit_expressions(&mut |expr| stay &= self.expression_stays(pid, expr, Part::All));
                if stay { Ok(()) } else { Err("it looks at how much a channel holds") }
            }
        }
    }

    /// Whether a statement that is not executable now is not later, either.
    fn stays_blocked(&self, pid: Pid, action: &Action) -> bool {
        let mut expressions_stay = true;
        action
            .visit_expressions(&mut |expr| expressions_stay &= self.expression_stays(pid, expr, Part::Front));
        match action {
            Action::Receive { channel, random, .. } => {
                let part = if *random { Part::All } else { Part::Front };
                expressions_stay && self.stays(pid, channel, part)
            }
            Action::DStep(body) => body
                .nodes
                .first()
                .is_none_or(|node| node.choices.iter().all(|choice| self.stays_blocked(pid, &choice.action))),
            // Without limits a send to a buffer is executable already; one in a rendezvous depends on the partner, too.
            Action::Send { .. } => expressions_stay && self.receivers_stay(pid),
            _ => expressions_stay,
        }
    }

    /// Whether what others would take from a process in a rendezvous is what they would take later.
    fn receivers_stay(&self, sender: Pid) -> bool {
        let others = (0..).map(Pid).zip(&self.state.processes).filter(|(pid, _)| *pid != sender);
        others.into_iter().all(|(pid, process)| {
            let automaton = self.runner.system.automaton(process.automaton);
            let provided = &self.runner.system.model.proctypes[process.automaton.0 as usize].provided;
            provided.iter().all(|expr| self.expression_stays(pid, expr, Part::Front))
                && automaton
                    .edges_from(process.location)
                    .all(|(_, edge)| self.reception_stays(pid, &edge.action))
        })
    }

    /// Whether a statement that begins with a receive asks for the same.
    fn reception_stays(&self, pid: Pid, action: &Action) -> bool {
        match action {
            Action::Receive { .. } => {
                let mut stays = true;
                action.visit_expressions(&mut |expr| stays &= self.expression_stays(pid, expr, Part::Front));
                stays
            }
            Action::DStep(body) => {
                let mut first = body.nodes.iter().take(1).flat_map(|node| &node.choices);
                first.all(|choice| self.reception_stays(pid, &choice.action))
            }
            _ => true,
        }
    }

    /// Whether an expression will have the value that it has now; `most`: how much of a growing channel it may look at.
    fn expression_stays(&self, pid: Pid, expr: &Expr, most: Part) -> bool {
        let mut stays = true;
        let at_most = |part: Part| if most == Part::All { Part::All } else { part };
        expr.visit(&mut |expr| {
            stays &= match &expr.kind {
                ExprKind::Len(channel) => self.stays(pid, channel, Part::All),
                ExprKind::Empty(channel) | ExprKind::NotEmpty(channel) => {
                    self.stays(pid, channel, at_most(Part::Front))
                }
                ExprKind::Poll { channel, random: true, .. } => self.stays(pid, channel, Part::All),
                ExprKind::Poll { channel, .. } => self.stays(pid, channel, at_most(Part::Front)),
                ExprKind::Timeout => self.timeout,
                ExprKind::Enabled(_) => false,
                // Without limits no channel is ever full.
                _ => true,
            };
        });
        stays
    }

    /// Whether this part of a channel is the same in every repetition.
    fn stays(&self, pid: Pid, channel: &ChannelRef, part: Part) -> bool {
        let read = Expr { kind: ExprKind::Read(channel.place.clone()), span: channel.place.span };
        let Ok(number) = self.runner.interpreter.evaluate(self.state, Some(pid), &read) else { return false };
        let Some(id) = u32::try_from(number).ok().and_then(|number| number.checked_sub(1)) else {
            return false;
        };
        let Some(channel) = self.state.channels.get(id as usize) else { return false };
        !self.grows(ChannelId(id)) || (part == Part::Front && !channel.contents.is_empty())
    }

    fn grows(&self, id: ChannelId) -> bool {
        self.growing.iter().any(|(growing, _)| *growing == id)
    }

    /// Whether what a process can do depends on no channel that grows.
    fn depends_on_nothing_that_grows(&self, pid: Pid, timeout: bool) -> bool {
        let looks = Looks::default();
        let mut steps = Vec::new();
        let known = self.runner.interpreter.steps_of(self.state, pid, timeout, &looks, &mut steps);
        known.is_ok() && !looks.channels.borrow().iter().any(|id| self.grows(*id))
    }

    /// Whether a step looks at no channel that grows and changes none.
    fn touches_nothing_that_grows(&self, pid: Pid, step: Step) -> bool {
        let looks = Looks::default();
        let mut state = self.state.clone();
        let executed = self.runner.interpreter.execute(&mut state, step, &looks, &mut ());
        self.depends_on_nothing_that_grows(pid, self.timeout)
            && executed.is_ok()
            && !looks.channels.borrow().iter().any(|id| self.grows(*id))
    }

    /// Whether the action starts a process of which an initial value depends on what channels hold.
    fn starts_with_a_look(&self, action: &Action) -> bool {
        let mut found = false;
        action.visit_expressions(&mut |expr| {
            expr.visit(&mut |expr| {
                let ExprKind::Run { proctype, .. } = &expr.kind else { return };
                let locals = &self.runner.system.model.proctypes[proctype.0 as usize].locals;
                found |= locals.iter().any(|variable| match &variable.init {
                    Initializer::Expr(expr) => looks_at_channels(expr),
                    Initializer::List(list) => list.iter().any(looks_at_channels),
                    Initializer::None | Initializer::Channel(_) => false,
                });
            });
        });
        found
    }
}

/// Whether the value of an expression may depend on what channels hold.
fn looks_at_channels(expr: &Expr) -> bool {
    let mut looks = false;
    expr.visit(&mut |expr| {
        looks |= matches!(
            expr.kind,
            ExprKind::Len(_)
                | ExprKind::Empty(_)
                | ExprKind::NotEmpty(_)
                | ExprKind::Poll { .. }
                | ExprKind::Timeout
                | ExprKind::Enabled(_)
        );
    });
    looks
}

/// Whether nothing inside a `d_step` depends on what channels hold, other than what comes first where it receives.
fn looks_nowhere(body: &DStep) -> Result<(), Doubt> {
    for node in &body.nodes {
        for choice in &node.choices {
            match &choice.action {
                Action::Send { sorted: true, .. } => return Err("`!!` depends on what the channel holds"),
                Action::Receive { random: true, .. } => return Err("`??` depends on what the channel holds"),
                Action::Receive { copy: true, .. } => return Err("a copying receive inside a `d_step`"),
                Action::Receive { .. } if node.choices.len() > 1 => {
                    return Err("a choice inside a `d_step` depends on what a channel holds");
                }
                Action::SetPriority { .. } => return Err("it changes a priority"),
                _ => {}
            }
            let mut looks = false;
            choice.action.visit_expressions(&mut |expr| looks |= looks_at_channels(expr));
            if looks {
                return Err("it looks at how much a channel holds");
            }
        }
    }
    Ok(())
}

/// Whether a `d_step` may begin with an `else`.
pub(super) fn has_else_first(body: &DStep) -> bool {
    body.nodes
        .first()
        .is_some_and(|node| node.choices.iter().any(|choice| matches!(choice.action, Action::Else)))
}
