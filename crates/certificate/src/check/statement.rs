//! What one statement may do, from sets of values to sets of values.
//!
//! The rules are those of `system::interpreter`, read over sets: whatever the interpreter may do from a configuration within
//! the sets must be within one of the outcomes. Guards that depend on more than sets of values (`len`, `timeout`,
//! priorities, `provided`, whether a buffer is full, escapes of `unless`) may go either way.

use super::environment::Environment;
use super::evaluate::{Evaluator, truncate};
use super::rule::{Broken, Rule};
use crate::claims::{ClassId, ObjectId, Point};
use crate::values::{Values, subtract};
use promela::model::{ChannelTypeId, Expr, ExprKind, Frame, Place, ProctypeId, ReceiveArgument};
use system::automaton::{Action, Automaton, DStepNodeId, EdgeId, LocationId, System};
use system::limits::Limits;

/// One thing that a statement may do.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The statement's edge.
    pub edge: EdgeId,
    /// Which node and choice of its `d_step` it is.
    pub inside: Option<(u32, u32)>,
    /// Sets of values afterwards.
    pub environment: Environment<'a>,
    /// Global slots that were written.
    pub written: Vec<u32>,
    /// What it does besides.
    pub effect: Effect,
    /// Where the process stands afterwards; `None` if it is gone.
    pub target: Option<Point>,
}

/// What a statement does to channels and to the number of processes.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Nothing.
    None,
    /// A message is put into a buffer.
    Put {
        /// Which.
        object: ObjectId,
        /// The message's class.
        class: ClassId,
        /// `!!`: not at the end.
        sorted: bool,
    },
    /// A message is taken from a buffer.
    Take {
        /// Which.
        object: ObjectId,
        /// The message's class.
        class: ClassId,
        /// `??`: not the first.
        random: bool,
    },
    /// One half of a rendezvous: a message is offered.
    Offer(ObjectId, ClassId),
    /// The other half: it is accepted.
    Accept(ObjectId, ClassId),
    /// A process is started with these values of its parameters.
    Start {
        /// Of which type.
        proctype: ProctypeId,
        /// Cut to the parameters' types.
        arguments: Vec<Values>,
    },
}

/// Computes outcomes of statements.
#[derive(Clone, Copy)]
pub struct Statements<'a> {
    /// For the expressions.
    pub evaluator: Evaluator<'a>,
    /// The type of each object's channels.
    pub channel_types: &'a [ChannelTypeId],
}

/// An action's effect and environment, before it is known where it leads.
type Done<'a> = (Environment<'a>, Vec<u32>, Effect);

impl<'a> Statements<'a> {
    /// Everything that a process at the point may do next, except to end.
    pub fn outcomes(
        &self,
        automaton: &'a Automaton,
        point: Point,
        environment: &Environment<'a>,
    ) -> Result<Vec<Outcome<'a>>, (EdgeId, Broken)> {
        let mut outcomes = Vec::new();
        match point {
            Point::At(location) => {
                let edges: Vec<_> = automaton.edges_from(LocationId(location)).collect();
                for (position, (id, edge)) in edges.iter().enumerate() {
                    let before = edges[..position].iter().map(|(_, edge)| &edge.action);
                    self.edge(automaton, *id, before, environment, &mut outcomes)
                        .map_err(|what| (*id, what))?;
                    debug_assert_eq!(edge.source, LocationId(location));
                }
            }
            Point::Inside { edge, step } => {
                let id = EdgeId(edge);
                self.inside(automaton, id, DStepNodeId(step), environment, &mut outcomes)
                    .map_err(|what| (id, what))?;
            }
        }
        Ok(outcomes)
    }

    fn edge<'b>(
        &self,
        automaton: &'a Automaton,
        id: EdgeId,
        before: impl Iterator<Item = &'b Action>,
        environment: &Environment<'a>,
        outcomes: &mut Vec<Outcome<'a>>,
    ) -> Result<(), Broken> {
        let edge = automaton.edge(id);
        match &edge.action {
            Action::End => outcomes.push(Outcome {
                edge: id,
                inside: None,
                environment: environment.clone(),
                written: Vec::new(),
                effect: Effect::None,
                target: None,
            }),
            Action::DStep(_) => self.inside(automaton, id, DStepNodeId(0), environment, outcomes)?,
            action => {
                let environments = match action {
                    Action::Else => self.where_none_is_executable(before, environment)?,
                    _ => vec![environment.clone()],
                };
                for environment in environments {
                    for done in self.action(action, &environment)? {
                        outcomes.push(arrive(automaton, id, None, done, None));
                    }
                }
            }
        }
        Ok(())
    }

    /// The choices at one node of a `d_step`.
    fn inside(
        &self,
        automaton: &'a Automaton,
        id: EdgeId,
        node: DStepNodeId,
        environment: &Environment<'a>,
        outcomes: &mut Vec<Outcome<'a>>,
    ) -> Result<(), Broken> {
        let Action::DStep(body) = &automaton.edge(id).action else {
            return Err(Broken::not_understood("a node claims to be inside a `d_step` where none is"));
        };
        let number = node.0;
        let Some(node) = body.nodes.get(number as usize) else {
            return Err(Broken::not_understood(
                "a node claims to be at a point of a `d_step` that does not exist",
            ));
        };
        for (position, choice) in node.choices.iter().enumerate() {
            // The first executable choice is taken, so those before it are not executable. A receive by rendezvous is the
            // exception: it is not asked for when the others are.
            let inside = Some((number, position as u32));
            let before = node.choices[..position].iter().map(|choice| &choice.action);
            for environment in self.where_none_is_executable(before, environment)? {
                for done in self.action(&choice.action, &environment)? {
                    if matches!(done.2, Effect::Offer(..)) {
                        continue; // A runtime error: the run ends here.
                    }
                    outcomes.push(arrive(automaton, id, inside, done, choice.next));
                }
            }
            let accepted: Vec<Done> = match (&choice.action, position) {
                (Action::Receive { .. }, 1..) => self.action(&choice.action, environment)?,
                _ => Vec::new(),
            };
            for done in accepted.into_iter().filter(|done| matches!(done.2, Effect::Accept(..))) {
                outcomes.push(arrive(automaton, id, inside, done, choice.next));
            }
        }
        Ok(())
    }

    /// The parts of the environment in which none of the actions is sure to be executable.
    fn where_none_is_executable<'b>(
        &self,
        actions: impl Iterator<Item = &'b Action>,
        environment: &Environment<'a>,
    ) -> Result<Vec<Environment<'a>>, Broken> {
        let mut parts = vec![environment.clone()];
        for action in actions {
            match action {
                Action::Skip
                | Action::Assign { .. }
                | Action::Assert(_)
                | Action::Printf { .. }
                | Action::Printm(_)
                | Action::SetPriority { .. } => return Ok(Vec::new()),
                Action::Condition(condition) if !contains_run(condition) => {
                    let mut narrowed = Vec::new();
                    for part in &parts {
                        narrowed.extend(self.evaluator.narrow(part, condition, false)?);
                    }
                    parts = narrowed;
                }
                _ => {}
            }
        }
        Ok(parts)
    }

    fn action(&self, action: &Action, environment: &Environment<'a>) -> Result<Vec<Done<'a>>, Broken> {
        if starts_inside(action) {
            return Err(Broken::not_understood("`run` inside of something else starts a process"));
        }
        let unchanged = || vec![(environment.clone(), Vec::new(), Effect::None)];
        Ok(match action {
            Action::Skip
            | Action::Else
            | Action::Assert(_)
            | Action::Printf { .. }
            | Action::Printm(_)
            | Action::SetPriority { .. } => unchanged(),
            Action::Condition(Expr { kind: ExprKind::Run { proctype, arguments, .. }, .. }) => {
                vec![(environment.clone(), Vec::new(), self.start(environment, *proctype, arguments)?)]
            }
            Action::Condition(condition) => {
                let narrowed = self.evaluator.narrow(environment, condition, true)?;
                narrowed.into_iter().map(|part| (part, Vec::new(), Effect::None)).collect()
            }
            Action::Assign { place, value: Expr { kind: ExprKind::Run { proctype, arguments, .. }, .. } } => {
                let start = self.start(environment, *proctype, arguments)?;
                let pid = started_pids(self.evaluator.system);
                let stored = self.store(environment, place, &pid)?;
                stored.into_iter().map(|(part, written)| (part, written, start.clone())).collect()
            }
            Action::Assign { place, value } => {
                let mut done = Vec::new();
                // The slot first, so that what is known of the index is known of the value, too.
                for (slot, part) in self.evaluator.locate(environment, place)? {
                    let values = self.evaluator.evaluate(&part, value)?;
                    if !values.is_empty() {
                        let (part, written) = self.store_at(part, place, slot, &values)?;
                        done.push((part, written, Effect::None));
                    }
                }
                done
            }
            Action::Send { channel, sorted, arguments } => {
                let mut done = Vec::new();
                for (object, part) in self.evaluator.resolve(environment, channel)? {
                    done.extend(self.send(object, part, *sorted, arguments)?);
                }
                done
            }
            Action::Receive { channel, random, copy, arguments } => {
                let mut done = Vec::new();
                for (object, part) in self.evaluator.resolve(environment, channel)? {
                    done.extend(self.receive(object, part, (*random, *copy), arguments)?);
                }
                done
            }
            Action::End | Action::DStep(_) => {
                return Err(Broken::not_understood("a process ends, or a `d_step`, inside a `d_step`"));
            }
        })
    }

    fn start(
        &self,
        environment: &Environment<'a>,
        proctype: ProctypeId,
        arguments: &[Expr],
    ) -> Result<Effect, Broken> {
        let slots = &self.evaluator.system.automata[proctype.0 as usize].slots;
        if arguments.len() > slots.len() {
            return Err(Broken::not_understood("`run` has more arguments than the process has parameters"));
        }
        let mut values = Vec::new();
        for (argument, slot) in arguments.iter().zip(slots) {
            values.push(truncate(
                self.evaluator.system,
                slot.scalar,
                &self.evaluator.evaluate(environment, argument)?,
            )?);
        }
        Ok(Effect::Start { proctype, arguments: values })
    }

    /// R14: what is sent is of a class; an outcome for each class that it may be of.
    fn send(
        &self,
        object: ObjectId,
        environment: Environment<'a>,
        sorted: bool,
        arguments: &[Expr],
    ) -> Result<Vec<Done<'a>>, Broken> {
        let channel_type =
            &self.evaluator.system.model.channel_types[self.channel_types[object.index()].0 as usize];
        if channel_type.fields.len() != arguments.len() {
            return Err(Broken::not_understood("it sends another number of fields than the channel has"));
        }
        let mut message = Vec::new();
        for (argument, field) in arguments.iter().zip(&channel_type.fields) {
            message.push(truncate(
                self.evaluator.system,
                field.scalar,
                &self.evaluator.evaluate(&environment, argument)?,
            )?);
        }
        let mut done = Vec::new();
        let mut rest = vec![message];
        for (index, class) in self.evaluator.claims.objects[object.index()].classes.iter().enumerate() {
            let mut left = Vec::new();
            let mut meets = false;
            for part in rest {
                meets |= subtract(&part, &class.fields, &mut left);
            }
            rest = left;
            if meets {
                let class = ClassId(index as u32);
                let effect = if channel_type.capacity == 0 {
                    Effect::Offer(object, class)
                } else {
                    Effect::Put { object, class, sorted }
                };
                done.push((environment.clone(), Vec::new(), effect));
            }
        }
        match rest.first() {
            Some(part) => {
                let what = format!("it may send {part:?}, which is in no message class of the channel");
                Err(Broken { rule: Rule::MessageClaimed, what })
            }
            None => Ok(done),
        }
    }

    fn receive(
        &self,
        object: ObjectId,
        environment: Environment<'a>,
        (random, copy): (bool, bool),
        arguments: &[ReceiveArgument],
    ) -> Result<Vec<Done<'a>>, Broken> {
        let channel_type =
            &self.evaluator.system.model.channel_types[self.channel_types[object.index()].0 as usize];
        if channel_type.capacity == 0 && copy {
            return Ok(Vec::new()); // A runtime error: the run ends here.
        }
        // Who only copies may name fewer.
        let (fields, named) = (channel_type.fields.len(), arguments.len());
        if named > fields || (named < fields && !copy) {
            return Err(Broken::not_understood("it receives another number of fields than the channel has"));
        }
        let mut done = Vec::new();
        for (index, class) in self.evaluator.claims.objects[object.index()].classes.iter().enumerate() {
            let class_id = ClassId(index as u32);
            let effect = match (channel_type.capacity, copy) {
                (0, _) => Effect::Accept(object, class_id),
                (_, true) => Effect::None,
                (_, false) => Effect::Take { object, class: class_id, random },
            };
            // All values are matched before one is stored.
            let mut parts = vec![(environment.clone(), class.fields.clone())];
            for (position, argument) in arguments.iter().enumerate().take(class.fields.len()) {
                if let ReceiveArgument::Match(value) = argument {
                    let mut matched = Vec::new();
                    for (part, fields) in parts {
                        matched.extend(self.match_field(part, fields, position, value)?);
                    }
                    parts = matched;
                }
            }
            for (part, fields) in parts {
                let mut stored = vec![(part, Vec::new())];
                for (field, argument) in fields.iter().zip(arguments) {
                    if let ReceiveArgument::Store(place) = argument {
                        let mut next = Vec::new();
                        for (part, written) in stored {
                            for (part, more) in self.store(&part, place, field)? {
                                next.push((part, [written.clone(), more].concat()));
                            }
                        }
                        stored = next;
                    }
                }
                done.extend(stored.into_iter().map(|(part, written)| (part, written, effect.clone())));
            }
        }
        Ok(done)
    }

    /// The cases in which a field equals the value of an expression.
    fn match_field(
        &self,
        environment: Environment<'a>,
        fields: Vec<Values>,
        position: usize,
        value: &Expr,
    ) -> Result<Vec<(Environment<'a>, Vec<Values>)>, Broken> {
        let values = self.evaluator.evaluate(&environment, value)?;
        let channels = !values.channels.is_empty() || !fields[position].channels.is_empty();
        let zero_only = |set: &Values| set.integers.iter().all(|i| (i.low, i.high) == (0, 0));
        if channels && !(zero_only(&values) && zero_only(&fields[position])) {
            // A channel is compared with a number, which may be its own.
            return Ok(vec![(environment, fields)]);
        }
        let both = values.intersection(&fields[position]);
        if both.is_empty() {
            return Ok(Vec::new());
        }
        let mut with = fields;
        with[position] = both.clone();
        if channels || values.single_integer().is_some() || values.count() > 64 {
            return Ok(vec![(environment, with)]);
        }
        let mut matched = Vec::new();
        for (number, part) in self.evaluator.determine(&environment, value)? {
            if both.contains(number) {
                with[position] = Values::integer(number);
                matched.push((part, with.clone()));
            }
        }
        Ok(matched)
    }

    fn store(
        &self,
        environment: &Environment<'a>,
        place: &Place,
        values: &Values,
    ) -> Result<Vec<(Environment<'a>, Vec<u32>)>, Broken> {
        let mut stored = Vec::new();
        for (slot, part) in self.evaluator.locate(environment, place)? {
            stored.push(self.store_at(part, place, slot, values)?);
        }
        Ok(stored)
    }

    fn store_at(
        &self,
        mut environment: Environment<'a>,
        place: &Place,
        slot: u32,
        values: &Values,
    ) -> Result<(Environment<'a>, Vec<u32>), Broken> {
        let values = truncate(self.evaluator.system, place.scalar, values)?;
        let mut written = Vec::new();
        match place.frame {
            Frame::Local => environment.set(Frame::Local, slot, values),
            Frame::Global if self.evaluator.system.global_slots[slot as usize].hidden => {}
            Frame::Global => {
                environment.set(Frame::Global, slot, values);
                written.push(slot);
            }
        }
        Ok((environment, written))
    }
}

/// Pids of processes that `run` starts: there are so many processes at most, and the one that executes `run` is older.
pub fn started_pids(system: &System) -> Values {
    let most = i32::try_from(Limits::of(&system.model).processes).unwrap_or(i32::MAX);
    Values::interval(1, most.saturating_sub(1))
}

/// Whether a part of the expression starts a process.
fn contains_run(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |part| found |= matches!(part.kind, ExprKind::Run { .. }));
    found
}

/// Whether the action has a `run` that is neither the whole condition nor the whole right side of an assignment. Wherever it
/// stands, it starts a process; the rules speak of those two places only.
fn starts_inside(action: &Action) -> bool {
    let whole = match action {
        Action::Condition(expr) | Action::Assign { value: expr, .. } => Some(expr),
        _ => None,
    };
    let mut found = false;
    action.visit_expressions(&mut |expr| {
        found |= match &expr.kind {
            ExprKind::Run { arguments, .. } if whole.is_some_and(|whole| std::ptr::eq(whole, expr)) => {
                arguments.iter().any(contains_run)
            }
            _ => contains_run(expr),
        };
    });
    found
}

/// Where an edge's statement leads: to the next point of its `d_step`, or to the edge's target, dead slots reset.
fn arrive<'a>(
    automaton: &Automaton,
    id: EdgeId,
    inside: Option<(u32, u32)>,
    (mut environment, written, effect): Done<'a>,
    next: Option<DStepNodeId>,
) -> Outcome<'a> {
    let edge = automaton.edge(id);
    let target = match next {
        Some(step) => Point::Inside { edge: id.0, step: step.0 },
        None => {
            for &slot in &edge.dead {
                environment.set(Frame::Local, slot, Values::integer(0));
            }
            Point::At(edge.target.0)
        }
    };
    Outcome { edge: id, inside, environment, written, effect, target: Some(target) }
}
