//! What a step does.

use super::evaluate::{Context, RunRequest, misfit};
use super::{Interpreter, Observer, Output, RuntimeError, RuntimeErrorKind, Step, Violation};
use crate::automaton::{Action, DStep, DStepNodeId, Edge};
use crate::state::{ChannelId, Pid, State};
use promela::model::{Expr, Frame, Place, ReceiveArgument};
use promela::source::Span;
use std::cell::RefCell;

/// A `d_step` of more statements than this is taken for endless.
const LONGEST_D_STEP: usize = 1_000_000;

impl Interpreter<'_> {
    /// Executes a step that the state allows. A [`Violation`] is reported beside: the state has moved on all the same.
    pub fn execute<O: Observer>(
        &self,
        state: &mut State,
        step: Step,
        observer: &O,
        output: &mut dyn Output,
    ) -> Result<Option<Violation>, RuntimeError> {
        let edge = self.edge_of(state, step.process, step.edge);
        let mut run = Execution { interpreter: self, state, observer, output, violation: None };
        match step.partner {
            None => run.edge(step.process, edge)?,
            Some(partner) => {
                let receiving = self.edge_of(run.state, partner.process, partner.edge);
                run.rendezvous(step.process, edge, partner.process, receiving)?;
            }
        }
        Ok(run.violation)
    }

    fn edge_of(&self, state: &State, pid: Pid, edge: crate::automaton::EdgeId) -> &Edge {
        self.system.automaton(state.processes[pid.0 as usize].automaton).edge(edge)
    }
}

struct Execution<'a, 's, O> {
    interpreter: &'a Interpreter<'s>,
    state: &'a mut State,
    observer: &'a O,
    output: &'a mut dyn Output,
    violation: Option<Violation>,
}

impl<O: Observer> Execution<'_, '_, O> {
    fn edge(&mut self, pid: Pid, edge: &Edge) -> Result<(), RuntimeError> {
        if matches!(edge.action, Action::End) {
            self.die(pid);
            self.note_mover(pid);
            self.state.exclusive = None;
            return Ok(());
        }
        self.action(pid, &edge.action, edge.span)?;
        self.arrive(pid, edge);
        Ok(())
    }

    fn arrive(&mut self, pid: Pid, edge: &Edge) {
        let process = &mut self.state.processes[pid.0 as usize];
        process.location = edge.target;
        for &slot in &edge.dead {
            process.locals[slot as usize] = 0;
        }
        self.note_mover(pid);
        self.state.exclusive = edge.atomic.then_some(pid);
    }

    fn note_mover(&mut self, pid: Pid) {
        if self.interpreter.model().features.last {
            self.state.last = pid.0;
        }
    }

    /// The youngest process dies, and its channels with it.
    fn die(&mut self, pid: Pid) {
        self.state.processes.truncate(pid.0 as usize);
        while self.state.channels.last().is_some_and(|c| c.owner == Some(pid)) {
            self.state.channels.pop();
        }
    }

    fn rendezvous(
        &mut self,
        sender: Pid,
        sending: &Edge,
        receiver: Pid,
        receiving: &Edge,
    ) -> Result<(), RuntimeError> {
        let Action::Send { channel, arguments, .. } = &sending.action else { return Ok(()) };
        let context = self.context(sender);
        let id = context.channel(channel)?;
        let message = context.message(id, arguments, sending.span)?;
        self.output.sent(sender, id, &message);
        self.event(super::event::Direction::Send, id, &message, sending.span);
        self.arrive(sender, sending);
        self.output.received(receiver, id, &message);
        self.event(super::event::Direction::Receive, id, &message, receiving.span);
        match &receiving.action {
            Action::Receive { arguments, .. } => {
                self.take_message(receiver, &message, arguments, receiving.span)?;
            }
            Action::DStep(body) => {
                // The first statement that takes the message is the one that was found when the step was offered.
                for (position, choice) in body.nodes[0].choices.iter().enumerate() {
                    if let Action::Receive { channel, arguments, .. } = &choice.action {
                        let context = self.context(receiver);
                        if context.channel(channel)? == id && context.matches(&message, arguments)? {
                            self.output.chose(receiver, DStepNodeId(0), position as u32);
                            self.take_message(receiver, &message, arguments, choice.span)?;
                            self.d_step_from(receiver, body, choice.next, receiving.span)?;
                            break;
                        }
                    }
                }
            }
            _ => {}
        }
        self.arrive(receiver, receiving);
        Ok(())
    }

    fn violate(&mut self, violation: Violation) {
        self.output.violated(&violation);
        self.violation.get_or_insert(violation);
    }

    fn context(&self, pid: Pid) -> Context<'_, '_, O> {
        self.interpreter.context(self.state, pid, false, self.observer)
    }

    fn action(&mut self, pid: Pid, action: &Action, span: Span) -> Result<(), RuntimeError> {
        match action {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(e) => {
                self.evaluate_and_run(pid, e)?;
            }
            Action::Assign { place, value } => {
                let value = self.evaluate_and_run(pid, value)?;
                self.store(pid, place, value)?;
            }
            Action::Send { channel, sorted, arguments } => {
                let context = self.context(pid);
                let id = context.channel(channel)?;
                let message = context.message(id, arguments, span)?;
                // As in SPIN, the place is found with the values before they are cut to their fields.
                let order = match sorted {
                    true => Some(arguments.iter().map(|e| context.value(e)).collect::<Result<Vec<_>, _>>()?),
                    false => None,
                };
                self.put(id, &message, order.as_deref());
                self.output.sent(pid, id, &message);
                self.event(super::event::Direction::Send, id, &message, span);
            }
            Action::Receive { channel, random, copy, arguments } => {
                let context = self.context(pid);
                let id = context.channel(channel)?;
                let Some(position) = context.find_message(id, *random, arguments)? else {
                    return self.interpreter.fail(RuntimeErrorKind::BlockedInDStep, Some(pid), span);
                };
                let fields = context.fields(id);
                let range = position * fields..(position + 1) * fields;
                let contents = &mut self.state.channels[id.0 as usize].contents;
                let message: Vec<i32> =
                    if *copy { contents[range].to_vec() } else { contents.drain(range).collect() };
                self.output.received(pid, id, &message);
                self.event(super::event::Direction::Receive, id, &message, span);
                match copy {
                    true if arguments.len() <= message.len() => {
                        self.store_message(pid, &message, arguments)?
                    }
                    _ => self.take_message(pid, &message, arguments, span)?,
                }
            }
            Action::Assert(e) => {
                if self.context(pid).value(e)? == 0 {
                    self.violate(Violation::AssertionFailed { span });
                }
            }
            Action::Printf { format, arguments } => {
                let context = self.context(pid);
                let values = arguments
                    .iter()
                    .map(|e| Ok((context.value(e)?, mtype_set(e))))
                    .collect::<Result<Vec<_>, RuntimeError>>()?;
                let text = crate::print::format(self.interpreter.model(), format, &values);
                self.output.printed(pid, &text);
            }
            Action::Printm(e) => {
                let value = self.context(pid).value(e)?;
                let text = crate::print::mtype_name(self.interpreter.model(), value, mtype_set(e));
                self.output.printed(pid, &text);
            }
            Action::SetPriority { pid: whose, priority } => {
                let context = self.context(pid);
                let (whose, priority) = (context.value(whose)?, context.value(priority)?);
                self.observer.read_number_of_processes();
                if usize::try_from(whose).is_ok_and(|w| w < self.state.processes.len()) {
                    self.observer.read_process(Pid(whose as u32));
                    if !(1..=255).contains(&priority) {
                        let kind = RuntimeErrorKind::PriorityOutOfRange(priority);
                        return self.interpreter.fail(kind, Some(pid), span);
                    }
                    self.state.processes[whose as usize].priority = priority;
                }
            }
            Action::DStep(body) => self.d_step_from(pid, body, Some(DStepNodeId(0)), span)?,
        }
        Ok(())
    }

    fn d_step_from(
        &mut self,
        pid: Pid,
        body: &DStep,
        start: Option<DStepNodeId>,
        span: Span,
    ) -> Result<(), RuntimeError> {
        let mut node = start;
        for _ in 0..LONGEST_D_STEP {
            let Some(at) = node else { return Ok(()) };
            let mut taken = None;
            for (position, choice) in body.nodes[at.0 as usize].choices.iter().enumerate() {
                if self.context(pid).is_executable_inside(&choice.action)? {
                    self.output.chose(pid, at, position as u32);
                    taken = Some(choice);
                    break;
                }
            }
            let Some(choice) = taken else {
                let span = body.nodes[at.0 as usize].choices.first().map_or(span, |c| c.span);
                return self.interpreter.fail(RuntimeErrorKind::BlockedInDStep, Some(pid), span);
            };
            self.action(pid, &choice.action, choice.span)?;
            node = choice.next;
        }
        self.interpreter.fail(RuntimeErrorKind::EndlessDStep, Some(pid), span)
    }

    /// The value of an expression, after which the process that it asks for is started.
    fn evaluate_and_run(&mut self, pid: Pid, e: &Expr) -> Result<i32, RuntimeError> {
        let requests = RefCell::new(Vec::new());
        let mut context = self.context(pid);
        context.runs = Some(&requests);
        let value = context.value(e)?;
        for RunRequest { proctype, arguments, priority, span } in requests.into_inner() {
            self.observer.read_number_of_channels();
            let priority = priority.unwrap_or(1);
            let started = self.interpreter.start(
                self.state,
                proctype,
                &arguments,
                priority,
                Some(pid),
                span,
                self.observer,
            )?;
            self.output.started(pid, started);
        }
        Ok(value)
    }

    fn store(&mut self, pid: Pid, place: &Place, value: i32) -> Result<(), RuntimeError> {
        let slot = self.context(pid).slot(place)?;
        let stored = self.interpreter.limits.stored(place.scalar, value);
        if stored != value {
            self.output.truncated(pid, value, stored, place.span);
        }
        match place.frame {
            Frame::Global if self.interpreter.system.global_slots[slot as usize].hidden => {}
            Frame::Global => {
                // What was there before is lost: whoever remembers this step as a change must know it.
                self.observer.read_global(slot);
                self.state.globals[slot as usize] = stored;
            }
            Frame::Local => self.state.processes[pid.0 as usize].locals[slot as usize] = stored,
        }
        Ok(())
    }

    /// A message that is taken: every field must be named, as SPIN asks.
    fn take_message(
        &mut self,
        pid: Pid,
        message: &[i32],
        arguments: &[ReceiveArgument],
        span: Span,
    ) -> Result<(), RuntimeError> {
        if arguments.len() != message.len() {
            return self.interpreter.fail(misfit(arguments, message), Some(pid), span);
        }
        self.store_message(pid, message, arguments)
    }

    fn store_message(
        &mut self,
        pid: Pid,
        message: &[i32],
        arguments: &[ReceiveArgument],
    ) -> Result<(), RuntimeError> {
        for (&field, argument) in message.iter().zip(arguments) {
            if let ReceiveArgument::Store(place) = argument {
                self.store(pid, place, field)?;
            }
        }
        Ok(())
    }

    /// Puts a message behind the others, or before the first that is larger than `order`.
    fn put(&mut self, id: ChannelId, message: &[i32], order: Option<&[i32]>) {
        let contents = &mut self.state.channels[id.0 as usize].contents;
        let mut at = contents.len();
        if let Some(order) = order
            && !message.is_empty()
        {
            let position = contents.chunks(message.len()).position(|old| order < old);
            at = position.map_or(at, |p| p * message.len());
        }
        contents.splice(at..at, message.iter().copied());
    }

    fn event(&mut self, direction: super::event::Direction, id: ChannelId, message: &[i32], span: Span) {
        if self.interpreter.system.event_trace.is_none() {
            return;
        }
        self.observer.read_event_trace();
        if let Some(violation) = self.interpreter.event(self.state, direction, id, message, span) {
            self.violate(violation);
        }
    }
}

impl<O: Observer> Context<'_, '_, O> {
    /// The message that a send puts: its arguments cut to the channel's fields.
    pub(super) fn message(
        &self,
        id: ChannelId,
        arguments: &[Expr],
        span: Span,
    ) -> Result<Vec<i32>, RuntimeError> {
        let channel_type = self.state.channels[id.0 as usize].channel_type;
        let fields = &self.interpreter.model().channel_types[channel_type.0 as usize].fields;
        if fields.len() != arguments.len() {
            let kind =
                RuntimeErrorKind::WrongNumberOfFields { given: arguments.len(), expected: fields.len() };
            return self.fail(kind, span);
        }
        let limits = self.interpreter.limits;
        arguments
            .iter()
            .zip(fields)
            .map(|(e, field)| Ok(limits.stored(field.scalar, self.value(e)?)))
            .collect()
    }
}

/// The set of symbolic names that an expression's value belongs to, for printing.
fn mtype_set(e: &Expr) -> Option<promela::model::MtypeSetId> {
    use promela::model::{ExprKind, Scalar};
    match &e.kind {
        ExprKind::Constant { mtype, .. } => *mtype,
        ExprKind::Read(Place { scalar: Scalar::Mtype(set), .. }) => Some(*set),
        _ => None,
    }
}
