//! Boolean conditions on edges, as text: `(p && !(x > 3)) || done`.
//!
//! Never claims are written in Promela, so a condition's atoms may be any Promela expression. What stands between
//! `&&`, `||`, `!` and the parentheses around them is taken as an atom as it is; this module does not know Promela.

use crate::automaton::cube::{Cube, minimise_cover};
use crate::formula::PropositionTable;
use crate::index::PropositionId;

/// A condition on a letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Guard {
    Constant(bool),
    Proposition(PropositionId),
    Not(Box<Guard>),
    And(Box<Guard>, Box<Guard>),
    Or(Box<Guard>, Box<Guard>),
}

/// The deepest condition that is read, to protect the stack.
const MAXIMUM_DEPTH: usize = 2_000;

/// The most cubes that a condition may stand for.
const MAXIMUM_CUBES: usize = 10_000;

/// Why a condition could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GuardProblem {
    Unbalanced,
    MissingOperand,
    TooDeep,
    TooManyCubes,
}

impl std::fmt::Display for GuardProblem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            GuardProblem::Unbalanced => "the parentheses of the condition do not match",
            GuardProblem::MissingOperand => "an operand is missing in the condition",
            GuardProblem::TooDeep => "the condition is nested too deeply",
            GuardProblem::TooManyCubes => "the condition has too many alternatives",
        })
    }
}

impl Guard {
    /// The condition as a union of cubes.
    pub(crate) fn cubes(&self) -> Result<Vec<Cube>, GuardProblem> {
        Ok(minimise_cover(&self.signed_cubes(true)?))
    }

    fn signed_cubes(&self, positive: bool) -> Result<Vec<Cube>, GuardProblem> {
        match self {
            Guard::Constant(value) if *value == positive => Ok(vec![Cube::top()]),
            Guard::Constant(_) => Ok(Vec::new()),
            Guard::Proposition(proposition) => Ok(vec![Cube::literal(*proposition, positive)]),
            Guard::Not(inner) => inner.signed_cubes(!positive),
            Guard::And(left, right) | Guard::Or(left, right) => {
                let (left, right) = (left.signed_cubes(positive)?, right.signed_cubes(positive)?);
                let mut cubes: Vec<Cube> = if matches!(self, Guard::And(..)) == positive {
                    left.iter().flat_map(|one| right.iter().filter_map(|other| one.and(other))).collect()
                } else {
                    left.into_iter().chain(right).collect()
                };
                cubes.sort();
                cubes.dedup();
                if cubes.len() > MAXIMUM_CUBES {
                    return Err(GuardProblem::TooManyCubes);
                }
                Ok(cubes)
            }
        }
    }
}

/// Reads a condition; atoms that are not yet in the table are added to it.
pub(crate) fn parse_guard(text: &str, propositions: &mut PropositionTable) -> Result<Guard, GuardProblem> {
    parse_at_depth(text, propositions, 0)
}

fn parse_at_depth(
    text: &str,
    propositions: &mut PropositionTable,
    depth: usize,
) -> Result<Guard, GuardProblem> {
    if depth > MAXIMUM_DEPTH {
        return Err(GuardProblem::TooDeep);
    }
    let text = text.trim();
    for (operator, combine) in [("||", Guard::Or as fn(_, _) -> _), ("&&", Guard::And as fn(_, _) -> _)] {
        let parts = split_outside_brackets(text, operator)?;
        if parts.len() > 1 {
            let mut guards = Vec::with_capacity(parts.len());
            for part in parts {
                guards.push(parse_at_depth(part, propositions, depth + 1)?);
            }
            return balanced(guards, combine);
        }
    }
    if text.is_empty() {
        return Err(GuardProblem::MissingOperand);
    }
    if let Some(rest) = text.strip_prefix('!')
        && !rest.starts_with('=')
        && is_operand_of_negation(rest.trim())
    {
        return Ok(Guard::Not(Box::new(parse_at_depth(rest, propositions, depth + 1)?)));
    }
    if text.starts_with('(') && closing_parenthesis(text) == Some(text.len() - 1) {
        return parse_at_depth(&text[1..text.len() - 1], propositions, depth + 1);
    }
    Ok(match text {
        "1" | "true" => Guard::Constant(true),
        "0" | "false" => Guard::Constant(false),
        atom => Guard::Proposition(propositions.intern(atom)),
    })
}

/// `!` binds stronger than a comparison: in `!a == b` it belongs to `a`, so the whole is one atom.
fn is_operand_of_negation(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|character: char| character == '!' || character.is_whitespace());
    let end = if rest.starts_with('(') {
        closing_parenthesis(rest).map_or(rest.len(), |position| position + 1)
    } else {
        rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len())
    };
    // Indexing, remote references and calls continue the operand; anything else that follows is an operator.
    rest[end..].trim().is_empty()
        || rest[end..].starts_with(['[', '(', '@', '.']) && !rest[end..].contains(['=', '<', '>', '+', '*'])
}

/// Folds the guards as a balanced tree, so that a long disjunction is not a deep one.
fn balanced(
    mut guards: Vec<Guard>,
    combine: fn(Box<Guard>, Box<Guard>) -> Guard,
) -> Result<Guard, GuardProblem> {
    while guards.len() > 1 {
        let mut halved = Vec::with_capacity(guards.len().div_ceil(2));
        let mut rest = guards.into_iter();
        while let Some(first) = rest.next() {
            halved.push(match rest.next() {
                Some(second) => combine(Box::new(first), Box::new(second)),
                None => first,
            });
        }
        guards = halved;
    }
    guards.pop().ok_or(GuardProblem::MissingOperand)
}

fn split_outside_brackets<'t>(text: &'t str, operator: &str) -> Result<Vec<&'t str>, GuardProblem> {
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    let bytes = text.as_bytes();
    let mut position = 0;
    while position < bytes.len() {
        match bytes[position] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.checked_sub(1).ok_or(GuardProblem::Unbalanced)?,
            _ if depth == 0 && bytes[position..].starts_with(operator.as_bytes()) => {
                parts.push(&text[start..position]);
                position += operator.len();
                start = position;
                continue;
            }
            _ => {}
        }
        position += 1;
    }
    if depth != 0 {
        return Err(GuardProblem::Unbalanced);
    }
    parts.push(&text[start..]);
    Ok(parts)
}

/// Where the parenthesis that opens at the start is closed.
pub(crate) fn closing_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(position);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubes_of(text: &str) -> (Vec<Vec<(u32, bool)>>, PropositionTable) {
        let mut table = PropositionTable::new();
        let cubes = parse_guard(text, &mut table).unwrap().cubes().unwrap();
        let cubes = cubes
            .iter()
            .map(|cube| {
                cube.literals().into_iter().map(|(proposition, sign)| (proposition.0, sign)).collect()
            })
            .collect();
        (cubes, table)
    }

    #[test]
    fn conditions_become_cubes() {
        assert_eq!(cubes_of("(! ((p)) || (q))").0, [vec![(0, false)], vec![(1, true)]]);
        assert_eq!(cubes_of("!(p && q)").0, [vec![(0, false)], vec![(1, false)]]);
        assert_eq!(cubes_of("(1)").0, [vec![]]);
        assert_eq!(cubes_of("p && !p").0, Vec::<Vec<(u32, bool)>>::new());
    }

    #[test]
    fn atoms_may_be_expressions() {
        let (cubes, table) = cubes_of("(a+b) > 3 && !(len(q) == 0) && P[1]@here && x != y");
        assert_eq!(cubes.len(), 1);
        let names: Vec<_> =
            (0..table.len()).map(|id| table.name(PropositionId(id as u32)).unwrap()).collect();
        assert_eq!(names, ["(a+b) > 3", "len(q) == 0", "P[1]@here", "x != y"]);
        assert_eq!(cubes[0].iter().map(|literal| literal.1).collect::<Vec<_>>(), [true, false, true, true]);
    }

    #[test]
    fn a_negation_in_a_comparison_is_part_of_the_atom() {
        let (cubes, table) = cubes_of("!a == b");
        assert_eq!(cubes, [vec![(0, true)]]);
        assert_eq!(table.get("!a == b"), Some(PropositionId(0)));
    }

    #[test]
    fn malformed_conditions_are_refused() {
        let problem = |text: &str| parse_guard(text, &mut PropositionTable::new()).unwrap_err();
        assert_eq!(problem("(p"), GuardProblem::Unbalanced);
        assert_eq!(problem("p)"), GuardProblem::Unbalanced);
        assert_eq!(problem("p &&"), GuardProblem::MissingOperand);
        assert_eq!(problem(&("!".repeat(10_000) + "p")), GuardProblem::TooDeep);
    }
}
