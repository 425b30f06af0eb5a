//! The linear program of a net, made small before it is solved and kept warm between questions.
//!
//! Every transition is a row: what its tokens and messages weigh afterwards is no more than before. Most nodes only lead from one statement to the
//! next, so their values are eliminated (Fourier and Motzkin): each row that bounds a node from above, an arrival, is added to each that bounds it from below, a
//! departure or that it is not negative. That is done only where it leaves no more rows than there were. What is left are paths between the nodes
//! where much meets, and cycles without any node: the papers' elementary cycles, as far as they are few.
//!
//! Questions about the same rows differ in the bounds of weights only, so the basis that answered one is a good beginning for the next.

use std::collections::{BTreeSet, HashMap};

use linear::{
    Basis, Bounds, Limits, Outcome, Problem, Rational, Relation, Sense, VariableId, solve_from,
    to_small_integers,
};

use super::invariants::Exit;
use super::{Answer, Flow, Potential, Question};
use crate::net::{ComponentId, Counted, CounterId, Net, Transition, TransitionId};

/// Pairs of rows that are looked at before a node is kept.
const MOST_PAIRS: usize = 32;

/// Terms of a row that a node is eliminated for: long rows cost more than they save.
const MOST_TERMS: usize = 12;

/// What all questions to one program have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Shape {
    /// No transition makes the total grow.
    NoGrowth,
    /// The same; a node of this component may weigh less than nothing, but for one that is asked for each time.
    NoGrowthAfter(ComponentId),
    /// Every transition that is no progress makes the total less.
    Decrease,
}

impl Shape {
    pub(super) fn of(net: &Net, question: Question) -> Shape {
        match question {
            Question::Termination => Shape::Decrease,
            Question::OneBufferAfter(_, id) => match net.transition(id).moves.first() {
                Some(own) if own.from.is_some() && own.to.is_some() => Shape::NoGrowthAfter(own.component),
                _ => Shape::NoGrowth,
            },
            _ => Shape::NoGrowth,
        }
    }
}

/// Sorted by variable, none zero.
type Terms = Vec<(u32, i64)>;

/// A sum of weights and of values of nodes that is at most `right`.
#[derive(Clone, Debug)]
struct Row {
    terms: Terms,
    right: i64,
    /// Index into [`Program::sources`].
    source: u32,
}

/// Where a row comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Transition(TransitionId),
    Sum(u32, u32),
    /// It is part of the question.
    Asked,
}

/// A node whose value was eliminated: at least what the rows below say, at most what those above say.
struct Eliminated {
    variable: u32,
    below: Vec<Row>,
    above: Vec<Row>,
}

/// The rows of a net, reduced, with the basis of the last answer.
pub(super) struct Program {
    problem: Problem,
    basis: Basis,
    shape: Shape,
    /// Of each weight and node: its variable, if it was not eliminated.
    variables: Vec<Option<VariableId>>,
    first_node: Vec<u32>,
    eliminated: Vec<Eliminated>,
    /// The source of each constraint.
    rows: Vec<u32>,
    sources: Vec<Source>,
    /// A row that nothing satisfies.
    contradiction: Option<u32>,
}

impl Program {
    /// The program of these transitions. `exclude`: the node with what is taken there weighs more than the initial total.
    pub(super) fn new(net: &Net, ids: &[TransitionId], shape: Shape, exclude: Option<Exit>) -> Program {
        let mut reduction = Reduction::new(net, shape);
        for &id in ids {
            reduction.add_transition(net, id);
        }
        if let Some(exit) = exclude {
            reduction.exclude(net, exit);
        }
        reduction.run();
        reduction.into_program(net)
    }

    /// Answers a question about the rows.
    pub(super) fn ask(&mut self, net: &Net, question: Question, cancelled: &dyn Fn() -> bool) -> Answer {
        debug_assert_eq!(Shape::of(net, question), self.shape);
        if let Some(source) = self.contradiction {
            return self.flow([(source, Rational::ONE)]);
        }
        for (index, counter) in net.counters.iter().enumerate() {
            if let Some(variable) = self.variables[index] {
                let asked = question == Question::Number(CounterId(index as u32));
                let bounds =
                    if asked { Bounds::at_least(1) } else { weight_bounds(net, counter.counted, question) };
                self.problem.set_bounds(variable, bounds);
            }
        }
        if let (Question::OneBufferAfter(_, id), Shape::NoGrowthAfter(component)) = (question, self.shape) {
            let to = net.transition(id).moves.first().and_then(|own| own.to);
            for node in 0..net.components[component.0 as usize].nodes {
                if let Some(variable) =
                    self.variables[(self.first_node[component.0 as usize] + node) as usize]
                {
                    let is_asked = to.is_some_and(|to| to.0 == node);
                    let bounds = if is_asked { Bounds::non_negative() } else { Bounds::free() };
                    self.problem.set_bounds(variable, bounds);
                }
            }
        }
        match solve_from(&self.problem, &mut self.basis, &Limits { cancelled, ..Limits::none() }) {
            Outcome::Optimal(optimum) => match self.potential(net, &optimum.values) {
                Some(potential) => Answer::Found(potential),
                None => Answer::Stopped,
            },
            Outcome::Infeasible(farkas) => {
                let used = farkas.constraints.iter().map(Rational::abs);
                let used: Vec<(u32, Rational)> = self.rows.iter().copied().zip(used).collect();
                self.flow(used)
            }
            Outcome::Unbounded(_) | Outcome::Stopped(_) => Answer::Stopped,
        }
    }

    /// The transitions that rows with multipliers are made of.
    fn flow(&self, used: impl IntoIterator<Item = (u32, Rational)>) -> Answer {
        let mut amounts = vec![Rational::ZERO; self.sources.len()];
        for (source, amount) in used {
            amounts[source as usize] += amount;
        }
        let mut times: Vec<(TransitionId, Rational)> = Vec::new();
        // A sum comes after what it is made of.
        for index in (0..self.sources.len()).rev() {
            let amount = std::mem::replace(&mut amounts[index], Rational::ZERO);
            if amount.is_zero() {
                continue;
            }
            match self.sources[index] {
                Source::Transition(id) => times.push((id, amount)),
                Source::Sum(one, other) => {
                    amounts[one as usize] += &amount;
                    amounts[other as usize] += &amount;
                }
                Source::Asked => {}
            }
        }
        times.sort_unstable_by_key(|(id, _)| *id);
        let (ids, amounts): (Vec<TransitionId>, Vec<Rational>) = times.into_iter().unzip();
        match to_small_integers(&amounts) {
            Some(integers) => Answer::None(Flow { times: ids.into_iter().zip(integers).collect() }),
            None => Answer::Stopped,
        }
    }

    /// The potential with these values of the variables that are left.
    fn potential(&self, net: &Net, values: &[Rational]) -> Option<Potential> {
        // The last entry tells by how much all others were multiplied.
        let mut wanted: Vec<Rational> = values.to_vec();
        wanted.push(Rational::ONE);
        let integers = to_small_integers(&wanted)?;
        let scale = i128::from(*integers.last()?);
        let mut all = vec![0i128; self.variables.len()];
        for (value, variable) in all.iter_mut().zip(&self.variables) {
            *value = variable.map_or(0, |variable| integers[variable.index()].into());
        }
        for Eliminated { variable, below, above } in self.eliminated.iter().rev() {
            let rest = |row: &Row| -> i128 {
                let others = row.terms.iter().filter(|(other, _)| other != variable);
                let sum: i128 = others.map(|&(other, by)| i128::from(by) * all[other as usize]).sum();
                sum - i128::from(row.right) * scale
            };
            let least = below.iter().map(rest).max();
            let most = above.iter().map(|row| -rest(row)).min();
            let is_free = self.is_free(*variable);
            all[*variable as usize] = match (least, most) {
                (Some(least), _) if is_free => least,
                (None, Some(most)) if is_free => most,
                (least, _) => least.unwrap_or(0).max(0),
            };
        }
        let common = all.iter().fold(0, |divisor, value| gcd(divisor, value.unsigned_abs())).max(1) as i128;
        let all: Option<Vec<i64>> = all.into_iter().map(|value| i64::try_from(value / common).ok()).collect();
        let mut all = all?.into_iter();
        let weights = all.by_ref().take(net.counters.len()).collect();
        let nodes = net.components.iter();
        let nodes = nodes.map(|component| all.by_ref().take(component.nodes as usize).collect()).collect();
        Some(Potential { weights, nodes })
    }

    fn is_free(&self, variable: u32) -> bool {
        is_free(self.shape, &self.first_node, variable)
    }
}

/// Whether a node may weigh less than nothing.
fn is_free(shape: Shape, first_node: &[u32], variable: u32) -> bool {
    match shape {
        Shape::NoGrowthAfter(ComponentId(component)) => {
            let component = component as usize;
            first_node[component] <= variable && variable < first_node[component + 1]
        }
        Shape::NoGrowth | Shape::Decrease => false,
    }
}

fn weight_bounds(net: &Net, counted: Counted, question: Question) -> Bounds {
    match (counted, question) {
        (Counted::Handshake, _) => Bounds::free(),
        (Counted::Messages(buffer), Question::AllBuffers) if !net.settled.contains(&buffer) => {
            Bounds::at_least(1)
        }
        (Counted::Messages(own), Question::OneBuffer(asked) | Question::OneBufferAfter(asked, _))
            if own == asked =>
        {
            Bounds::at_least(1)
        }
        // A buffer's own room says no more than its capacity, which needs no potential.
        (Counted::Room(own), Question::OneBuffer(asked) | Question::OneBufferAfter(asked, _))
            if own == asked =>
        {
            Bounds::fixed(0)
        }
        (Counted::Starts(own), Question::Starts(asked)) if own == asked => Bounds::at_least(1),
        (Counted::Starts(_), _) | (Counted::Room(_), Question::NeverThere(_) | Question::Number(_)) => {
            Bounds::fixed(0)
        }
        _ => Bounds::non_negative(),
    }
}

/// Rows while nodes are eliminated.
struct Reduction {
    shape: Shape,
    rows: Vec<Option<Row>>,
    /// Rows by their terms: of two that differ in the right side only the sharper one is kept.
    known: HashMap<Terms, u32>,
    /// Rows in which each variable occurs or occurred.
    using: Vec<Vec<u32>>,
    /// Of weights: that it may be negative. Of nodes: that it must be kept.
    is_signed: Vec<bool>,
    is_kept: Vec<bool>,
    first_node: Vec<u32>,
    initial: Vec<(u32, i64)>,
    eliminated: Vec<Eliminated>,
    is_eliminated: Vec<bool>,
    sources: Vec<Source>,
    contradiction: Option<u32>,
}

impl Reduction {
    fn new(net: &Net, shape: Shape) -> Reduction {
        let mut first_node = Vec::with_capacity(net.components.len() + 1);
        let mut total = net.counters.len() as u32;
        for component in &net.components {
            first_node.push(total);
            total += component.nodes;
        }
        first_node.push(total);
        let mut is_signed = vec![false; total as usize];
        let mut is_kept = vec![false; total as usize];
        let mut initial = Vec::new();
        for (index, counter) in net.counters.iter().enumerate() {
            is_signed[index] = counter.counted == Counted::Handshake;
            is_kept[index] = true;
            if counter.initial > 0 {
                initial.push((index as u32, i64::from(counter.initial)));
            }
        }
        for (component, first) in net.components.iter().zip(&first_node) {
            for &(node, number) in &component.initial {
                is_kept[(first + node.0) as usize] = true;
                initial.push((first + node.0, i64::from(number)));
            }
        }
        if let Shape::NoGrowthAfter(component) = shape {
            for variable in first_node[component.0 as usize]..first_node[component.0 as usize + 1] {
                is_signed[variable as usize] = true;
            }
            // Where a send may arrive is asked for.
            let puts = |transition: &&Transition| {
                transition.effect.iter().any(|&(counter, by)| by > 0 && net.counts_messages(counter))
            };
            for own in net.transitions.iter().filter(puts).filter_map(|transition| transition.moves.first()) {
                if let Some(to) = own.to.filter(|_| own.component == component) {
                    is_kept[(first_node[component.0 as usize] + to.0) as usize] = true;
                }
            }
        }
        Reduction {
            shape,
            rows: Vec::new(),
            known: HashMap::new(),
            using: vec![Vec::new(); total as usize],
            is_signed,
            is_kept,
            first_node,
            initial,
            eliminated: Vec::new(),
            is_eliminated: vec![false; total as usize],
            sources: Vec::new(),
            contradiction: None,
        }
    }

    fn add_transition(&mut self, net: &Net, id: TransitionId) {
        let transition = net.transition(id);
        let mut terms = Terms::new();
        for step in &transition.moves {
            let first = self.first_node[step.component.0 as usize];
            terms.extend(step.to.map(|node| (first + node.0, 1)));
            terms.extend(step.from.map(|node| (first + node.0, -1)));
        }
        terms.extend(transition.effect.iter().map(|&(counter, by)| (counter.0, i64::from(by))));
        let right = if self.shape == Shape::Decrease { -1 } else { 0 };
        let source = self.source(Source::Transition(id));
        self.add(Row { terms: sum(terms), right, source });
    }

    fn exclude(&mut self, net: &Net, exit: Exit) {
        let mut terms = self.initial.clone();
        terms.push((self.first_node[exit.component.0 as usize] + exit.node.0, -1));
        terms.extend(
            exit.taken.filter(|&counter| net.counts_messages(counter)).map(|counter| (counter.0, -1)),
        );
        let source = self.source(Source::Asked);
        self.add(Row { terms: sum(terms), right: -1, source });
    }

    fn source(&mut self, source: Source) -> u32 {
        self.sources.push(source);
        self.sources.len() as u32 - 1
    }

    /// Whether the row says nothing, since weights and nodes are not negative.
    fn is_trivial(&self, terms: &[(u32, i64)], right: i64) -> bool {
        right >= 0 && terms.iter().all(|&(variable, by)| by < 0 && !self.is_signed[variable as usize])
    }

    fn add(&mut self, row: Row) {
        if self.is_trivial(&row.terms, row.right) {
            return;
        }
        if row.terms.is_empty() {
            self.contradiction = Some(row.source);
            return;
        }
        let next = self.rows.len() as u32;
        let index = *self.known.entry(row.terms.clone()).or_insert(next);
        if index == next {
            for &(variable, _) in &row.terms {
                self.using[variable as usize].push(next);
            }
            self.rows.push(Some(row));
        } else if let Some(old) = &mut self.rows[index as usize]
            && row.right < old.right
        {
            *old = row;
        }
    }

    fn run(&mut self) {
        let weights = self.first_node[0] as usize;
        let mut open: BTreeSet<u32> = (weights as u32..self.using.len() as u32).collect();
        while let Some(variable) = open.pop_first() {
            if !self.is_kept[variable as usize] && !self.is_eliminated[variable as usize] {
                open.extend(self.eliminate(variable));
            }
        }
    }

    /// Eliminates a node if that leaves no more rows; which nodes were beside it.
    fn eliminate(&mut self, variable: u32) -> Vec<u32> {
        let rows = std::mem::take(&mut self.using[variable as usize]);
        let rows: Vec<u32> = rows.into_iter().filter(|&row| self.rows[row as usize].is_some()).collect();
        let by = |row: u32| {
            let terms = self.rows[row as usize].as_ref().map_or(&[][..], |row| &row.terms);
            terms.iter().find(|(other, _)| *other == variable).map_or(0, |(_, by)| *by)
        };
        let above: Vec<u32> = rows.iter().copied().filter(|&row| by(row) > 0).collect();
        let below: Vec<u32> = rows.iter().copied().filter(|&row| by(row) < 0).collect();
        let is_simple = rows.iter().all(|&row| by(row).abs() == 1);
        let is_free = is_free(self.shape, &self.first_node, variable);
        if !is_simple || above.len() * (below.len() + usize::from(!is_free)) > MOST_PAIRS {
            self.using[variable as usize] = rows;
            return Vec::new();
        }
        // Each with the rows that it is made of.
        let mut sums: Vec<(Terms, i64, (u32, Option<u32>))> = Vec::new();
        for &high in &above {
            let Some(upper) = &self.rows[high as usize] else { continue };
            if !is_free {
                let terms: Terms =
                    upper.terms.iter().copied().filter(|(other, _)| *other != variable).collect();
                if !self.is_trivial(&terms, upper.right) {
                    sums.push((terms, upper.right, (upper.source, None)));
                }
            }
            for &low in &below {
                let Some(lower) = &self.rows[low as usize] else { continue };
                let terms = sum(upper.terms.iter().chain(&lower.terms).copied().collect());
                let right = upper.right + lower.right;
                if !self.is_trivial(&terms, right) {
                    sums.push((terms, right, (upper.source, Some(lower.source))));
                }
            }
        }
        if sums.len() > rows.len() || sums.iter().any(|(terms, ..)| terms.len() > MOST_TERMS) {
            self.using[variable as usize] = rows;
            return Vec::new();
        }
        let take = |rows: &mut Vec<Option<Row>>, index: u32| rows[index as usize].take();
        let above: Vec<Row> = above.iter().filter_map(|&row| take(&mut self.rows, row)).collect();
        let below: Vec<Row> = below.iter().filter_map(|&row| take(&mut self.rows, row)).collect();
        let mut beside = Vec::new();
        for row in above.iter().chain(&below) {
            self.known.remove(&row.terms);
            beside.extend(row.terms.iter().map(|(other, _)| *other));
        }
        for (terms, right, (one, other)) in sums {
            let source = other.map_or(one, |other| self.source(Source::Sum(one, other)));
            self.add(Row { terms, right, source });
        }
        self.is_eliminated[variable as usize] = true;
        self.eliminated.push(Eliminated { variable, below, above });
        beside.retain(|&other| other >= self.first_node[0] && other != variable);
        beside
    }

    fn into_program(self, net: &Net) -> Program {
        let mut problem = Problem::new();
        let mut variables = vec![None; self.using.len()];
        for (index, slot) in variables.iter_mut().enumerate() {
            if !self.is_eliminated[index] {
                let is_node = index >= net.counters.len();
                let bounds =
                    if is_node && self.is_signed[index] { Bounds::free() } else { Bounds::non_negative() };
                *slot = Some(problem.add_variable(bounds));
            }
        }
        let mut sources = Vec::new();
        for row in self.rows.iter().flatten() {
            let terms = row.terms.iter().filter_map(|&(v, by)| Some((variables[v as usize]?, by)));
            problem.add_constraint(terms, Relation::AtMost, row.right);
            sources.push(row.source);
        }
        let goal = self.initial.iter().filter_map(|&(v, number)| Some((variables[v as usize]?, number)));
        problem.set_objective(Sense::Minimise, goal);
        Program {
            problem,
            basis: Basis::new(),
            shape: self.shape,
            variables,
            first_node: self.first_node,
            eliminated: self.eliminated,
            rows: sources,
            sources: self.sources,
            contradiction: self.contradiction,
        }
    }
}

/// The terms sorted, each variable once, none zero.
fn sum(mut terms: Terms) -> Terms {
    terms.sort_unstable();
    let mut out = Terms::with_capacity(terms.len());
    for (variable, by) in terms {
        match out.last_mut() {
            Some((last, total)) if *last == variable => *total += by,
            _ => out.push((variable, by)),
        }
    }
    out.retain(|(_, by)| *by != 0);
    out
}

fn gcd(one: u128, other: u128) -> u128 {
    if other == 0 { one } else { gcd(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{BufferId, Component, Counter, CounterId, Move, NodeId, Tokens};

    /// Xorshift.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u32) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % u64::from(limit)) as u32
        }
    }

    /// Two processes and two buffers; a few transitions move both processes.
    fn random_net(random: &mut Random) -> Net {
        let component = |name: &str, random: &mut Random| Component {
            name: name.into(),
            nodes: 2 + random.below(5),
            initial: vec![(NodeId(0), 1)],
            tokens: Tokens::AtMostOne,
        };
        let components = vec![component("one", random), component("other", random)];
        let counters =
            (0..2).map(|index| Counter { counted: Counted::Messages(BufferId(index)), initial: 0 });
        let mut net = Net { components, counters: counters.collect(), ..Net::default() };
        for _ in 0..4 + random.below(10) {
            let first = random.below(2);
            let both = random.below(8) == 0;
            let moves = [first, 1 - first].into_iter().take(if both { 2 } else { 1 });
            let moves = moves.map(|index| {
                let nodes = net.components[index as usize].nodes;
                let mut node = || Some(NodeId(random.below(nodes)));
                Move { component: ComponentId(index), from: node(), to: node() }
            });
            let moves = moves.collect();
            let by = random.below(3) as i32 - 1;
            let effect = if by == 0 { vec![] } else { vec![(CounterId(random.below(2)), by)] };
            net.transitions.push(Transition { moves, effect, progress: false, origin: 0 });
        }
        net
    }

    /// The least initial total by the program with a row for each transition and nothing eliminated; `None`: there is no potential.
    /// `Err`: there is no least one, since no run arrives where it is asked for.
    fn least_total(net: &Net, question: Question) -> Result<Option<Rational>, ()> {
        let mut problem = Problem::new();
        let bounds = |counter: &Counter| weight_bounds(net, counter.counted, question);
        let weights: Vec<_> =
            net.counters.iter().map(|counter| problem.add_variable(bounds(counter))).collect();
        let mut nodes: Vec<Vec<VariableId>> = Vec::new();
        for (index, component) in net.components.iter().enumerate() {
            let asked = match question {
                Question::OneBufferAfter(_, id) => Some(net.transition(id).moves[0]),
                _ => None,
            };
            let bounds = |node: u32| match asked {
                Some(own) if own.component.0 as usize == index && own.to != Some(NodeId(node)) => {
                    Bounds::free()
                }
                _ => Bounds::non_negative(),
            };
            nodes.push((0..component.nodes).map(|node| problem.add_variable(bounds(node))).collect());
        }
        for transition in &net.transitions {
            let mut terms: Vec<(VariableId, i32)> = Vec::new();
            for step in &transition.moves {
                let own = &nodes[step.component.0 as usize];
                terms.extend(step.to.map(|node| (own[node.0 as usize], 1)));
                terms.extend(step.from.map(|node| (own[node.0 as usize], -1)));
            }
            terms.extend(transition.effect.iter().map(|&(counter, by)| (weights[counter.0 as usize], by)));
            let right = if question == Question::Termination { -1 } else { 0 };
            problem.add_constraint(terms, Relation::AtMost, right);
        }
        problem.set_objective(Sense::Minimise, nodes.iter().map(|own| (own[0], 1)));
        match linear::solve(&problem, &Limits::none()) {
            Outcome::Optimal(optimum) => Ok(Some(optimum.objective)),
            Outcome::Infeasible(_) => Ok(None),
            Outcome::Unbounded(_) => Err(()),
            Outcome::Stopped(_) => panic!("nobody stopped it"),
        }
    }

    #[test]
    fn a_reduced_and_warm_program_says_what_the_whole_one_says() {
        let mut random = Random(7);
        let (mut found, mut none) = (0, 0);
        for _ in 0..400 {
            let net = random_net(&mut random);
            let send = net.transition_ids().find(|(_, t)| t.effect.iter().any(|(_, by)| *by > 0));
            let mut questions = vec![
                Question::AllBuffers,
                Question::OneBuffer(BufferId(0)),
                Question::OneBuffer(BufferId(1)),
                Question::Termination,
            ];
            questions.extend(
                send.map(|(id, transition)| Question::OneBufferAfter(BufferId(transition.effect[0].0.0), id)),
            );
            let mut programs = super::super::Programs::default();
            for question in questions {
                let answer = programs.find(&net, question, &|| false);
                let Ok(whole) = least_total(&net, question) else {
                    assert!(matches!(answer, Answer::Stopped), "{question:?} of {net:?}");
                    continue;
                };
                match answer {
                    Answer::Found(potential) => {
                        let least = whole.unwrap_or_else(|| panic!("{question:?} of {net:?}: there is none"));
                        let change = |id| potential.change(&net, id);
                        let most = if question == Question::Termination { -1 } else { 0 };
                        assert!(
                            net.transition_ids().all(|(id, _)| change(id) <= most),
                            "{question:?} of {net:?}"
                        );
                        let scale = match question {
                            Question::OneBuffer(buffer) | Question::OneBufferAfter(buffer, _) => {
                                let weights = net.counters_of(buffer);
                                weights.map(|counter| potential.weights[counter.0 as usize]).min()
                            }
                            Question::AllBuffers => potential.weights.iter().copied().min(),
                            // The smallest integers may be less than what was asked for, never more.
                            _ => None,
                        };
                        if let Some(scale) = scale {
                            let total = i64::try_from(potential.initial_total(&net)).expect("small");
                            assert_eq!(
                                &least * &Rational::from(scale),
                                Rational::from(total),
                                "{question:?} of {net:?}"
                            );
                        }
                        found += 1;
                    }
                    Answer::None(flow) => {
                        assert_eq!(whole, None, "{question:?} of {net:?}");
                        assert!(!flow.times.is_empty());
                        for (index, component) in net.components.iter().enumerate() {
                            let mut gained = vec![0; component.nodes as usize];
                            for &(id, times) in &flow.times {
                                let moves = net.transition(id).moves.iter();
                                for step in moves.filter(|step| step.component.0 as usize == index) {
                                    step.to.iter().for_each(|node| gained[node.0 as usize] += times);
                                    step.from.iter().for_each(|node| gained[node.0 as usize] -= times);
                                }
                            }
                            assert!(
                                gained.iter().all(|gained| *gained >= 0),
                                "{question:?} of {net:?}: {flow:?}"
                            );
                        }
                        none += 1;
                    }
                    Answer::Stopped => panic!("nobody stopped it"),
                }
            }
        }
        assert!(found > 200 && none > 200, "{found} found, {none} none");
    }
}
