//! The Hanoi Omega-Automata format, version 1 (<https://adl.github.io/hoaf/>), for generalised Büchi automata.
//!
//! Written is the transition-based form with explicit labels. Read are labels on edges or states, implicit labels,
//! aliases, acceptance on edges or states, and several initial states; the acceptance condition must be a conjunction of
//! `Inf`s (or `t`). Alternation and other acceptance conditions are refused.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::automaton::cube::Cube;
use crate::automaton::{Automaton, Edge};
use crate::formula::{PropositionNames, PropositionTable};
use crate::index::{Letter, MarkId, MarkSet, PropositionId, StateId, TypedIndex};
use crate::text::guard::Guard;

/// Why a text is not an automaton that this module understands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaError {
    /// The byte of the text at which the trouble starts.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl std::fmt::Display for HoaError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for HoaError {}

/// The automaton in HOA format. The propositions that occur are declared in ascending order.
pub fn write_hoa<N: PropositionNames>(automaton: &Automaton, names: &N, title: &str) -> String {
    let mut used = Letter::new();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            used.union_with(edge.label.positive());
            used.union_with(edge.label.negative());
        }
    }
    let used: Vec<PropositionId> = used.iter().collect();
    let mut text = String::from("HOA: v1\n");
    let _ = writeln!(text, "name: {}", quoted(title));
    let _ = writeln!(text, "States: {}\nStart: {}", automaton.state_count(), automaton.initial().0);
    let _ = write!(text, "AP: {}", used.len());
    for &proposition in &used {
        let _ = write!(text, " {}", quoted(&Named { proposition, names }.to_string()));
    }
    let count = automaton.mark_count();
    let _ = match count {
        0 => writeln!(text, "\nacc-name: all\nAcceptance: 0 t"),
        1 => writeln!(text, "\nacc-name: Buchi\nAcceptance: 1 Inf(0)"),
        _ => {
            let condition: Vec<String> = (0..count).map(|mark| format!("Inf({mark})")).collect();
            writeln!(
                text,
                "\nacc-name: generalized-Buchi {count}\nAcceptance: {count} {}",
                condition.join("&")
            )
        }
    };
    text.push_str("properties: trans-labels explicit-labels trans-acc\n--BODY--\n");
    for state in automaton.states() {
        let _ = writeln!(text, "State: {}", state.0);
        for edge in automaton.edges(state) {
            let literals: Vec<String> = edge
                .label
                .literals()
                .into_iter()
                .map(|(proposition, positive)| {
                    let index =
                        used.binary_search(&proposition).expect("every proposition of a label is used");
                    if positive { index.to_string() } else { format!("!{index}") }
                })
                .collect();
            let label = if literals.is_empty() { "t".to_owned() } else { literals.join("&") };
            let _ = write!(text, "[{label}] {}", edge.target.0);
            if !edge.marks.is_empty() {
                let marks: Vec<String> = edge.marks.iter().map(|mark| mark.0.to_string()).collect();
                let _ = write!(text, " {{{}}}", marks.join(" "));
            }
            text.push('\n');
        }
    }
    text.push_str("--END--\n");
    text
}

/// Reads one automaton; its propositions are added to the table by name.
pub fn read_hoa(text: &str, propositions: &mut PropositionTable) -> Result<Automaton, HoaError> {
    let tokens = tokenise(text)?;
    let mut reader = Reader { tokens: &tokens, position: 0, end: text.len() };
    let header = reader.header(propositions)?;
    reader.body(&header)
}

struct Named<'a, N> {
    proposition: PropositionId,
    names: &'a N,
}

impl<N: PropositionNames> std::fmt::Display for Named<'_, N> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.names.write_name(self.proposition, formatter)
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    /// `name:` at the start of a header item.
    Header(String),
    Word(String),
    Alias(String),
    Text(String),
    Number(usize),
    Symbol(char),
}

struct Token {
    offset: usize,
    kind: Kind,
}

fn tokenise(text: &str) -> Result<Vec<Token>, HoaError> {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    let mut tokens = Vec::new();
    let mut offset = 0;
    while let Some(character) = text[offset..].chars().next() {
        let rest = &text[offset..];
        let start = offset;
        let fail = |message: &str| Err(HoaError { offset: start, message: message.to_owned() });
        if character.is_whitespace() {
            offset += character.len_utf8();
            continue;
        }
        if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(length) => offset += length + 2,
                None => return fail("this comment has no end"),
            }
            continue;
        }
        let kind = if character == '"' {
            let Some((value, length)) = string_literal(rest) else { return fail("this string has no end") };
            offset += length;
            Kind::Text(value)
        } else if character.is_ascii_digit() {
            let length = rest.find(|next: char| !next.is_ascii_digit()).unwrap_or(rest.len());
            offset += length;
            match rest[..length].parse() {
                Ok(number) => Kind::Number(number),
                Err(_) => return fail("this number is too large"),
            }
        } else if character == '@' {
            let length = rest[1..].find(|next| !is_word(next)).map_or(rest.len(), |length| length + 1);
            offset += length;
            Kind::Alias(rest[1..length].to_owned())
        } else if is_word(character) {
            let length = rest.find(|next| !is_word(next)).unwrap_or(rest.len());
            offset += length;
            if text[offset..].starts_with(':') {
                offset += 1;
                Kind::Header(rest[..length].to_owned())
            } else {
                Kind::Word(rest[..length].to_owned())
            }
        } else if "[](){}!&|".contains(character) {
            offset += 1;
            Kind::Symbol(character)
        } else {
            return fail("this character has no meaning in HOA");
        };
        tokens.push(Token { offset: start, kind });
    }
    Ok(tokens)
}

/// The value of the string at the start of the text, and its length there.
fn string_literal(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((position, character)) = characters.next() {
        match character {
            '"' => return Some((value, position + 1)),
            '\\' => value.push(characters.next()?.1),
            _ => value.push(character),
        }
    }
    None
}

struct Header {
    states: Option<usize>,
    initial: Vec<usize>,
    propositions: Vec<PropositionId>,
    mark_count: usize,
    aliases: HashMap<String, Guard>,
}

struct Reader<'t> {
    tokens: &'t [Token],
    position: usize,
    end: usize,
}

/// More than this is a mistake, or an attempt to exhaust the memory with a short file.
const MAXIMUM_STATES: usize = 1_000_000;
/// The most propositions with implicit labels, which stand for all their valuations.
const MAXIMUM_IMPLICIT_PROPOSITIONS: usize = 12;
/// The deepest label, to protect the stack.
const MAXIMUM_DEPTH: usize = 500;

impl Reader<'_> {
    fn header(&mut self, propositions: &mut PropositionTable) -> Result<Header, HoaError> {
        if self.next() != Some(&Kind::Header("HOA".to_owned()))
            || !matches!(self.next(), Some(Kind::Word(version)) if version == "v1")
        {
            self.position = 0;
            return self.fail("expected `HOA: v1`");
        }
        let mut header = Header {
            states: None,
            initial: Vec::new(),
            propositions: Vec::new(),
            mark_count: 0,
            aliases: HashMap::new(),
        };
        let mut has_acceptance = false;
        loop {
            match self.next().cloned() {
                Some(Kind::Header(name)) => match name.as_str() {
                    "States" => header.states = Some(self.number()?),
                    "Start" => {
                        header.initial.push(self.number()?);
                        if self.peek() == Some(&Kind::Symbol('&')) {
                            return self.fail("alternating automata are not supported");
                        }
                    }
                    "AP" => {
                        for _ in 0..self.number()? {
                            match self.next().cloned() {
                                Some(Kind::Text(name)) => {
                                    header.propositions.push(propositions.intern(&name))
                                }
                                _ => return self.fail_here("expected the name of a proposition"),
                            }
                        }
                    }
                    "Acceptance" => {
                        header.mark_count = self.acceptance()?;
                        has_acceptance = true;
                    }
                    "Alias" => {
                        let Some(Kind::Alias(name)) = self.next().cloned() else {
                            return self.fail_here("expected the name of an alias");
                        };
                        let guard = self.label(&header, 0)?;
                        header.aliases.insert(name, guard);
                    }
                    // A capital letter says that the item must not be ignored.
                    name if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                        return self.fail_here(&format!("the header item `{name}:` is not supported"));
                    }
                    _ => self.skip_item(),
                },
                Some(Kind::Word(word)) if word == "--BODY--" => break,
                _ => return self.fail_here("expected a header item or `--BODY--`"),
            }
        }
        if !has_acceptance {
            return self.fail("the header has no `Acceptance:`");
        }
        Ok(header)
    }

    /// `n Inf(0)&Inf(1)…` in any order, each set once or more, or `0 t`.
    fn acceptance(&mut self) -> Result<usize, HoaError> {
        let count = self.number()?;
        let mut wanted = MarkSet::new();
        if matches!(self.peek(), Some(Kind::Word(word)) if word == "t") {
            self.position += 1;
        } else {
            loop {
                let parentheses = self.accept('(');
                if !matches!(self.next(), Some(Kind::Word(word)) if word == "Inf") || !self.accept('(') {
                    return self.fail_here("only generalised Büchi acceptance is supported");
                }
                let mark = self.number()?;
                if mark >= count || !self.accept(')') || parentheses && !self.accept(')') {
                    return self.fail_here("only generalised Büchi acceptance is supported");
                }
                wanted.insert(MarkId::from_position(mark));
                if !self.accept('&') {
                    break;
                }
            }
        }
        if matches!(self.peek(), Some(Kind::Symbol(_))) || count > 64 || wanted.len() != count {
            return self.fail("only generalised Büchi acceptance of up to 64 sets is supported");
        }
        Ok(count)
    }

    fn body(&mut self, header: &Header) -> Result<Automaton, HoaError> {
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        let declared = header.states.unwrap_or(0);
        if declared > MAXIMUM_STATES {
            return self.fail("the automaton has too many states");
        }
        grow(&mut edges, declared);
        while self.peek() == Some(&Kind::Header("State".to_owned())) {
            self.position += 1;
            let state_label = self.bracketed_label(header)?;
            let state = self.state(header)?;
            grow(&mut edges, state + 1);
            if let Some(Kind::Text(_)) = self.peek() {
                self.position += 1;
            }
            let state_marks = self.marks(header)?;
            let mut outgoing = Vec::new();
            let mut implicit = 0u64;
            while matches!(self.peek(), Some(Kind::Symbol('[') | Kind::Number(_))) {
                let label = self.bracketed_label(header)?;
                let target = self.state(header)?;
                if self.peek() == Some(&Kind::Symbol('&')) {
                    return self.fail("alternating automata are not supported");
                }
                grow(&mut edges, target + 1);
                let marks = state_marks.union(&self.marks(header)?);
                let cubes = match label.or_else(|| state_label.clone()) {
                    Some(guard) => guard.cubes().or_else(|problem| self.fail(&problem.to_string()))?,
                    None => {
                        implicit += 1;
                        vec![self.implicit_label(header, implicit - 1)?]
                    }
                };
                outgoing.extend(cubes.into_iter().map(|label| Edge {
                    target: StateId::from_position(target),
                    label,
                    marks: marks.clone(),
                }));
            }
            edges[state] = outgoing;
        }
        if !matches!(self.next(), Some(Kind::Word(word)) if word == "--END--") {
            return self.fail_here("expected `State:` or `--END--`");
        }
        let initial = match header.initial.as_slice() {
            [] => {
                edges.push(Vec::new());
                edges.len() - 1
            }
            [single] => *single,
            several => {
                // One more state that can do what each of the initial states can.
                let mut outgoing = Vec::new();
                for &state in several {
                    outgoing.extend(edges.get(state).cloned().unwrap_or_default());
                }
                edges.push(outgoing);
                edges.len() - 1
            }
        };
        if initial > MAXIMUM_STATES {
            return self.fail("the initial state does not exist");
        }
        Automaton::new(StateId::from_position(initial), header.mark_count, edges)
            .or_else(|error| self.fail(&error.to_string()))
    }

    fn state(&mut self, header: &Header) -> Result<usize, HoaError> {
        let state = self.number()?;
        if state >= header.states.unwrap_or(MAXIMUM_STATES) {
            return self.fail_here("this state does not exist");
        }
        Ok(state)
    }

    /// The n-th valuation: the first proposition is the lowest bit.
    fn implicit_label(&self, header: &Header, number: u64) -> Result<Cube, HoaError> {
        let count = header.propositions.len();
        if count > MAXIMUM_IMPLICIT_PROPOSITIONS {
            return self.fail("there are too many propositions for implicit labels");
        }
        if number >= 1 << count {
            return self.fail("the state has more edges than there are valuations");
        }
        let select = |wanted: u64| {
            header
                .propositions
                .iter()
                .enumerate()
                .filter(|(index, _)| number >> index & 1 == wanted)
                .map(|(_, &proposition)| proposition)
                .collect()
        };
        Cube::new(select(1), select(0)).map_or_else(|| self.fail("a proposition is declared twice"), Ok)
    }

    fn bracketed_label(&mut self, header: &Header) -> Result<Option<Guard>, HoaError> {
        if !self.accept('[') {
            return Ok(None);
        }
        let guard = self.label(header, 0)?;
        if self.accept(']') { Ok(Some(guard)) } else { self.fail("expected `]`") }
    }

    fn label(&mut self, header: &Header, depth: usize) -> Result<Guard, HoaError> {
        let mut left = self.conjunction(header, depth)?;
        while self.accept('|') {
            left = Guard::Or(Box::new(left), Box::new(self.conjunction(header, depth)?));
        }
        Ok(left)
    }

    fn conjunction(&mut self, header: &Header, depth: usize) -> Result<Guard, HoaError> {
        let mut left = self.factor(header, depth)?;
        while self.accept('&') {
            left = Guard::And(Box::new(left), Box::new(self.factor(header, depth)?));
        }
        Ok(left)
    }

    fn factor(&mut self, header: &Header, depth: usize) -> Result<Guard, HoaError> {
        if depth > MAXIMUM_DEPTH {
            return self.fail("the label is nested too deeply");
        }
        match self.next().cloned() {
            Some(Kind::Symbol('!')) => Ok(Guard::Not(Box::new(self.factor(header, depth + 1)?))),
            Some(Kind::Symbol('(')) => {
                let inner = self.label(header, depth + 1)?;
                if self.accept(')') { Ok(inner) } else { self.fail("expected `)`") }
            }
            Some(Kind::Word(word)) if word == "t" => Ok(Guard::Constant(true)),
            Some(Kind::Word(word)) if word == "f" => Ok(Guard::Constant(false)),
            Some(Kind::Number(index)) => match header.propositions.get(index) {
                Some(&proposition) => Ok(Guard::Proposition(proposition)),
                None => self.fail_here("there is no proposition of this number"),
            },
            Some(Kind::Alias(name)) => match header.aliases.get(&name) {
                Some(guard) => Ok(guard.clone()),
                None => self.fail_here("there is no alias of this name"),
            },
            _ => self.fail_here("expected a label"),
        }
    }

    fn marks(&mut self, header: &Header) -> Result<MarkSet, HoaError> {
        let mut marks = MarkSet::new();
        if self.accept('{') {
            while !self.accept('}') {
                let mark = self.number()?;
                if mark >= header.mark_count {
                    return self.fail_here("there is no acceptance set of this number");
                }
                marks.insert(MarkId::from_position(mark));
            }
        }
        Ok(marks)
    }

    fn skip_item(&mut self) {
        while let Some(kind) = self.peek() {
            if matches!(kind, Kind::Header(_)) || matches!(kind, Kind::Word(word) if word == "--BODY--") {
                return;
            }
            self.position += 1;
        }
    }

    fn number(&mut self) -> Result<usize, HoaError> {
        match self.next() {
            Some(&Kind::Number(number)) => Ok(number),
            _ => self.fail_here("expected a number"),
        }
    }

    fn accept(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Kind::Symbol(symbol));
        self.position += usize::from(found);
        found
    }

    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.position).map(|token| &token.kind)
    }

    fn next(&mut self) -> Option<&Kind> {
        let kind = self.tokens.get(self.position).map(|token| &token.kind);
        self.position += 1;
        kind
    }

    /// An error at the token that was just read.
    fn fail_here<T>(&self, message: &str) -> Result<T, HoaError> {
        self.fail_at(self.position.saturating_sub(1), message)
    }

    /// An error at the token that comes next.
    fn fail<T>(&self, message: &str) -> Result<T, HoaError> {
        self.fail_at(self.position, message)
    }

    fn fail_at<T>(&self, position: usize, message: &str) -> Result<T, HoaError> {
        let offset = self.tokens.get(position).map_or(self.end, |token| token.offset);
        Err(HoaError { offset, message: message.to_owned() })
    }
}

fn grow(edges: &mut Vec<Vec<Edge>>, count: usize) {
    if edges.len() < count {
        edges.resize(count, Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_labels_aliases_implicit_labels_and_state_acceptance_are_read() {
        let states = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b c\"\nAlias: @x 0&!1\nAcceptance: 1 Inf(0)\n\
                      --BODY--\nState: [@x | 1] 0 \"start\"\n1\nState: 1 {0}\n0 1 0 1\n--END--";
        let mut table = PropositionTable::new();
        let automaton = read_hoa(states, &mut table).unwrap();
        assert_eq!((automaton.state_count(), automaton.mark_count()), (2, 1));
        assert_eq!(automaton.edges(StateId(0)).len(), 2, "a&!b | b is a | b");
        assert_eq!(automaton.edges(StateId(1)).len(), 4);
        assert_eq!(automaton.state_marks(StateId(1)).len(), 1);
        assert_eq!(table.get("b c"), Some(PropositionId(1)));
    }

    #[test]
    fn what_is_not_a_generalised_buchi_automaton_is_refused() {
        let with = |acceptance: &str, body: &str| {
            let text = format!(
                "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: {acceptance}\n--BODY--\n{body}\n--END--"
            );
            read_hoa(&text, &mut PropositionTable::new()).map_err(|error| error.message)
        };
        let only = Err("only generalised Büchi acceptance is supported".to_owned());
        assert_eq!(with("1 Fin(0)", ""), only);
        assert!(with("2 Inf(0)|Inf(1)", "").is_err());
        assert!(with("2 Inf(0)", "").is_err(), "a set that need not be visited would be demanded");
        assert_eq!(with("0 t", "State: 0\n[t] 7"), Err("this state does not exist".to_owned()));
        assert_eq!(with("0 t", "State: 0\n[3] 0"), Err("there is no proposition of this number".to_owned()));
        assert_eq!(
            with("0 t", "State: 0\n[t] 0&0"),
            Err("alternating automata are not supported".to_owned())
        );
        assert_eq!(
            with("0 t", "State: 0\n[t] 0 {0}"),
            Err("there is no acceptance set of this number".to_owned())
        );
        assert!(with("0 t", "State: 0\n[t] 0").is_ok());
        assert!(read_hoa("", &mut PropositionTable::new()).is_err());
        assert!(read_hoa("HOA: v1\nStates: 99999999999\n", &mut PropositionTable::new()).is_err());
    }
}
