//! Never claims: Büchi automata in Promela.
//!
//! The writer produces the form that `spin -f` produces. The reader understands that form and what other translators
//! write: states as labels (several for one state, `accept…` for accepting ones) before a `do` or `if` whose options
//! are a condition and a `goto`, `skip` for the state that accepts everything, `false` for the one that accepts
//! nothing, and `atomic { (c) -> assert(!(c)) }` for an edge to the end of the claim. A claim that reaches its end has
//! matched, whatever comes; the end is therefore a state that accepts everything.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::automaton::cube::Cube;
use crate::automaton::{Automaton, Edge, single_mark};
use crate::formula::{PropositionNames, PropositionTable};
use crate::index::{MarkSet, StateId, TypedIndex};
use crate::text::guard::{closing_parenthesis, parse_guard};

/// Why a text is not a never claim that this module understands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NeverClaimError {
    /// The byte of the text at which the trouble starts.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl std::fmt::Display for NeverClaimError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for NeverClaimError {}

/// The automaton as a never claim, or nothing if it is not [state-based](Automaton::is_state_based) with at most one
/// acceptance set (then [degeneralise](crate::automaton::degeneralise::degeneralise()) first). `comment` goes behind the opening brace.
pub fn write_never_claim<N: PropositionNames>(
    automaton: &Automaton,
    names: &N,
    comment: &str,
) -> Option<String> {
    if automaton.mark_count() > 1 || !automaton.is_state_based() {
        return None;
    }
    let accept_all = automaton
        .states()
        .find(|&state| state != automaton.initial() && accepts_everything(automaton, state));
    let label = |state: StateId| {
        let accepting =
            !automaton.edges(state).is_empty() && automaton.state_marks(state) == automaton.all_marks();
        if Some(state) == accept_all {
            return "accept_all".to_owned();
        }
        let prefix = if accepting { "accept" } else { "T0" };
        if state == automaton.initial() { format!("{prefix}_init") } else { format!("{prefix}_S{}", state.0) }
    };
    let comment = comment.replace("*/", "* /");
    let mut text = format!("never {{ /* {comment} */\n");
    // The claim starts at its first state; a state that accepts everything is best put last.
    let mut order: Vec<StateId> = automaton.states().filter(|&state| state != automaton.initial()).collect();
    order.sort_by_key(|&state| accepts_everything(automaton, state));
    order.insert(0, automaton.initial());
    for state in order {
        let _ = writeln!(text, "{}:", label(state));
        if accepts_everything(automaton, state) {
            text.push_str("\tskip\n");
            continue;
        }
        if automaton.edges(state).is_empty() {
            text.push_str("\tfalse;\n");
            continue;
        }
        text.push_str("\tdo\n");
        let mut targets: Vec<StateId> = automaton.edges(state).iter().map(|edge| edge.target).collect();
        targets.sort();
        targets.dedup();
        for target in targets {
            let cubes: Vec<&Cube> = automaton
                .edges(state)
                .iter()
                .filter(|edge| edge.target == target)
                .map(|edge| &edge.label)
                .collect();
            let _ = writeln!(text, "\t:: ({}) -> goto {}", Disjunction { cubes, names }, label(target));
        }
        text.push_str("\tod;\n");
    }
    text.push_str("}\n");
    Some(text)
}

/// Reads a never claim; conditions become propositions, which are added to the table. The automaton has one
/// acceptance set and is state-based.
pub fn read_never_claim(
    text: &str,
    propositions: &mut PropositionTable,
) -> Result<Automaton, NeverClaimError> {
    let stripped = blank_comments(text);
    let mut reader = Reader { text: &stripped, position: 0, propositions };
    let states = reader.claim()?;
    build(&states)
}

/// Whether the state has a loop for every letter and is accepting.
fn accepts_everything(automaton: &Automaton, state: StateId) -> bool {
    let all = automaton.all_marks();
    automaton.edges(state).iter().any(|edge| edge.target == state && edge.label.is_top() && edge.marks == all)
}

struct Disjunction<'a, N> {
    cubes: Vec<&'a Cube>,
    names: &'a N,
}

impl<N: PropositionNames> std::fmt::Display for Disjunction<'_, N> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (position, cube) in self.cubes.iter().enumerate() {
            if position > 0 {
                formatter.write_str(" || ")?;
            }
            if cube.is_top() {
                formatter.write_str("1")?;
                continue;
            }
            let several = self.cubes.len() > 1 && cube.literal_count() > 1;
            if several {
                formatter.write_str("(")?;
            }
            for (place, (proposition, positive)) in cube.literals().into_iter().enumerate() {
                if place > 0 {
                    formatter.write_str(" && ")?;
                }
                formatter.write_str(if positive { "(" } else { "!(" })?;
                self.names.write_name(proposition, formatter)?;
                formatter.write_str(")")?;
            }
            if several {
                formatter.write_str(")")?;
            }
        }
        Ok(())
    }
}

/// A state of the claim as written.
struct ClaimState {
    labels: Vec<String>,
    body: Body,
}

enum Body {
    Everything,
    Nothing,
    Choices { options: Vec<Choice>, repeats: bool },
}

struct Choice {
    cubes: Vec<Cube>,
    destination: Destination,
    offset: usize,
}

enum Destination {
    Label(String),
    /// The end of the claim.
    End,
    /// No jump: around again in a `do`.
    Stay,
}

fn build(states: &[ClaimState]) -> Result<Automaton, NeverClaimError> {
    let mut numbers: HashMap<&str, StateId> = HashMap::new();
    for (position, state) in states.iter().enumerate() {
        for label in &state.labels {
            numbers.insert(label, StateId::from_position(position));
        }
    }
    let end = StateId::from_position(states.len());
    let everything = |target| vec![Edge { target, label: Cube::top(), marks: single_mark(0) }];
    let mut edges = Vec::with_capacity(states.len() + 1);
    for (position, state) in states.iter().enumerate() {
        let own = StateId::from_position(position);
        let accepting = state.labels.iter().any(|label| label.starts_with("accept"));
        let marks = if accepting { single_mark(0) } else { MarkSet::new() };
        let mut outgoing = Vec::new();
        match &state.body {
            Body::Everything => outgoing = everything(own),
            Body::Nothing => {}
            Body::Choices { options, repeats } => {
                for option in options {
                    let target = match &option.destination {
                        Destination::End => end,
                        Destination::Stay if *repeats => own,
                        Destination::Stay => {
                            return Err(NeverClaimError {
                                offset: option.offset,
                                message: "an option of `if` in a never claim must end in `goto`".to_owned(),
                            });
                        }
                        Destination::Label(label) => {
                            *numbers.get(label.as_str()).ok_or_else(|| NeverClaimError {
                                offset: option.offset,
                                message: format!("there is no label `{label}` in the never claim"),
                            })?
                        }
                    };
                    outgoing.extend(option.cubes.iter().map(|cube| Edge {
                        target,
                        label: cube.clone(),
                        marks: marks.clone(),
                    }));
                }
            }
        }
        edges.push(outgoing);
    }
    edges.push(everything(end));
    Ok(Automaton::new(StateId(0), 1, edges).expect("labels were resolved to states").canonicalised())
}

/// The text with comments replaced by spaces, so that offsets stay.
fn blank_comments(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        result.push_str(&rest[..start]);
        let end = rest[start + 2..].find("*/").map_or(rest.len(), |length| start + length + 4);
        result.extend(std::iter::repeat_n(' ', end - start));
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

struct Reader<'t> {
    text: &'t str,
    position: usize,
    propositions: &'t mut PropositionTable,
}

impl<'t> Reader<'t> {
    fn claim(&mut self) -> Result<Vec<ClaimState>, NeverClaimError> {
        self.expect("never")?;
        if !self.peek("{") {
            self.word();
        }
        self.expect("{")?;
        let mut states = Vec::new();
        while !self.accept("}") {
            let state = self.state()?;
            states.push(state);
            while self.accept(";") {}
        }
        if self.remaining().is_empty() {
            if states.is_empty() {
                return self.fail("the never claim has no states");
            }
            return Ok(states);
        }
        self.fail("there is text behind the never claim")
    }

    fn state(&mut self) -> Result<ClaimState, NeverClaimError> {
        let mut labels = Vec::new();
        loop {
            let before = self.position;
            let name = self.word();
            if !name.is_empty() && !self.peek("::") && self.accept(":") {
                labels.push(name.to_owned());
            } else {
                self.position = before;
                break;
            }
        }
        let body = if self.accept_word("skip") {
            Body::Everything
        } else if self.accept_word("false") || self.accept_word("0") {
            Body::Nothing
        } else if self.accept_word("do") {
            Body::Choices { options: self.options("od")?, repeats: true }
        } else if self.accept_word("if") {
            Body::Choices { options: self.options("fi")?, repeats: false }
        } else if self.accept("}") {
            // A label at the very end: the claim's end.
            self.position -= 1;
            Body::Everything
        } else {
            return self.fail("expected `do`, `if`, `skip` or `false` in the never claim");
        };
        Ok(ClaimState { labels, body })
    }

    fn options(&mut self, closing: &str) -> Result<Vec<Choice>, NeverClaimError> {
        let mut options = Vec::new();
        while !self.accept_word(closing) {
            self.expect("::")?;
            options.push(self.option()?);
        }
        Ok(options)
    }

    fn option(&mut self) -> Result<Choice, NeverClaimError> {
        let offset = self.position;
        if self.accept_word("atomic") {
            self.expect("{")?;
            let cubes = self.condition()?;
            if !self.accept("->") {
                self.expect(";")?;
            }
            // Whatever is asserted, it is the negation of the condition: the claim's way to say "matched".
            self.expect("assert")?;
            self.skip_spaces();
            match closing_parenthesis(self.remaining()) {
                Some(end) if self.remaining().starts_with('(') => self.position += end + 1,
                _ => return self.fail("expected a condition in parentheses behind `assert`"),
            }
            self.expect("}")?;
            return Ok(Choice { cubes, destination: Destination::End, offset });
        }
        let cubes = self.condition()?;
        let destination = if self.accept("->") || self.accept(";") {
            if self.accept_word("goto") {
                let label = self.word();
                if label.is_empty() {
                    return self.fail("expected a label behind `goto`");
                }
                Destination::Label(label.to_owned())
            } else if self.accept_word("skip") {
                Destination::Stay
            } else {
                return self.fail("expected `goto` behind the condition");
            }
        } else {
            Destination::Stay
        };
        while self.accept(";") {}
        Ok(Choice { cubes, destination, offset })
    }

    /// A condition: everything up to `->`, `;`, `::` or the closing word, outside of brackets.
    fn condition(&mut self) -> Result<Vec<Cube>, NeverClaimError> {
        self.skip_spaces();
        let rest = self.remaining();
        let bytes = rest.as_bytes();
        let mut depth = 0usize;
        let mut end = 0;
        while end < bytes.len() {
            match bytes[end] {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                b';' | b'}' if depth == 0 => break,
                _ if depth == 0
                    && (rest.is_char_boundary(end))
                    && (rest[end..].starts_with("->") || rest[end..].starts_with("::")) =>
                {
                    break;
                }
                b'o' | b'f'
                    if depth == 0
                        && end > 0
                        && bytes[end - 1].is_ascii_whitespace()
                        && (starts_with_word(&rest[end..], "od") || starts_with_word(&rest[end..], "fi")) =>
                {
                    break;
                }
                _ => {}
            }
            end += 1;
        }
        let text = &rest[..end];
        let offset = self.position;
        if text.trim() == "else" {
            return self.fail("`else` is not understood in a never claim");
        }
        let cubes = parse_guard(text, self.propositions)
            .and_then(|guard| guard.cubes())
            .map_err(|problem| NeverClaimError { offset, message: problem.to_string() })?;
        self.position += end;
        Ok(cubes)
    }

    fn remaining(&self) -> &'t str {
        &self.text[self.position..]
    }

    fn skip_spaces(&mut self) {
        self.position = self.text.len() - self.remaining().trim_start().len();
    }

    fn peek(&mut self, token: &str) -> bool {
        self.skip_spaces();
        self.remaining().starts_with(token)
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek(token);
        if found {
            self.position += token.len();
            self.skip_spaces();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        self.skip_spaces();
        starts_with_word(self.remaining(), word) && self.accept(word)
    }

    fn expect(&mut self, token: &str) -> Result<(), NeverClaimError> {
        if self.accept(token) { Ok(()) } else { self.fail(&format!("expected `{token}` in the never claim")) }
    }

    fn word(&mut self) -> &'t str {
        self.skip_spaces();
        let rest = self.remaining();
        let length =
            rest.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    fn fail<T>(&self, message: &str) -> Result<T, NeverClaimError> {
        Err(NeverClaimError { offset: self.position, message: message.to_owned() })
    }
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| {
        !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_' || next == ':')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::translate::{TranslationLimits, translate_to_buchi};
    use crate::formula::parse::{Syntax, parse_formula};

    #[test]
    fn a_response_property_is_written_as_expected() {
        let mut table = PropositionTable::new();
        let formula = parse_formula("<>(p && []!q)", Syntax::LtlBlock, &mut table).unwrap();
        let automaton = translate_to_buchi(&formula, TranslationLimits::default()).unwrap();
        let expected = "never { /* <>(p && []!q) */\nT0_init:\n\tdo\n\t:: (1) -> goto T0_init\n\t:: ((p) && !(q)) -> goto \
                        accept_S1\n\tod;\naccept_S1:\n\tdo\n\t:: (!(q)) -> goto accept_S1\n\tod;\n}\n";
        assert_eq!(write_never_claim(&automaton, &table, "<>(p && []!q)").unwrap(), expected);
    }

    #[test]
    fn the_dialects_of_several_translators_are_read() {
        for (text, states, edges) in [
            (
                "never { /* <>p */\nT0_init:\n do\n :: atomic { ((p)) -> assert(!((p))) }\n :: (1) -> goto T0_init\n od;\n\
              accept_all:\n skip\n}",
                2,
                3,
            ),
            (
                "never {\nT0_init:\nif\n:: (!p) -> goto T0_init\n:: (p) -> goto accept_all\nfi;\naccept_all:\nskip\n}",
                2,
                3,
            ),
            ("never { accept_init: T0_init: do :: ((p)) -> goto T0_init od; }", 1, 1),
            ("never claim { T0_init: false; }", 1, 0),
            ("never { accept_init: do :: (x > 3) && len(q) == 1 od }", 1, 1),
        ] {
            let automaton = read_never_claim(text, &mut PropositionTable::new()).unwrap();
            assert_eq!((automaton.state_count(), automaton.edge_count()), (states, edges), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (text, message) in [
            ("never { T0: do :: (p) -> goto nowhere od }", "there is no label `nowhere` in the never claim"),
            ("never { T0: do :: else -> goto T0 od }", "`else` is not understood in a never claim"),
            ("never { T0: x = 1 }", "expected `do`, `if`, `skip` or `false` in the never claim"),
            ("never { T0: if :: (p) fi }", "an option of `if` in a never claim must end in `goto`"),
            ("never { T0: do :: (p -> goto T0 od }", "the parentheses of the condition do not match"),
            ("never {", "expected `do`, `if`, `skip` or `false` in the never claim"),
            ("never { }", "the never claim has no states"),
            ("", "expected `never` in the never claim"),
        ] {
            let error = read_never_claim(text, &mut PropositionTable::new()).unwrap_err();
            assert_eq!(error.message, message, "{text}");
        }
    }
}
