//! The rewriting constructors of the [`Arena`]: every formula is simplified as it is built.
//!
//! The rules are those of Somenzi and Bloem ("Efficient Büchi automata from LTL formulae", section 3) and of Etessami
//! and Holzmann (pure eventual and universal formulas). Until and release are each other's duals and so are the rules;
//! they are written twice, side by side, because a generic formulation hides which law is applied.

use crate::formula::normal::{Arena, Normal, NormalId};
use crate::index::PropositionId;

impl Arena {
    /// A proposition or its negation.
    pub fn literal(&mut self, proposition: PropositionId, positive: bool) -> NormalId {
        self.intern(Normal::Literal(proposition, positive))
    }

    /// `X operand`.
    pub fn next(&mut self, operand: NormalId) -> NormalId {
        let shape = self.shape(operand);
        // What neither a prefix nor a suffix can change is as true now as at the next moment.
        if shape.eventual && shape.universal { operand } else { self.intern(Normal::Next(operand)) }
    }

    /// `left U right`.
    pub fn until(&mut self, left: NormalId, right: NormalId) -> NormalId {
        if self.shape(right).eventual || left == Arena::FALSE || self.implies(left, right) {
            return right;
        }
        // If a holds whenever b does not, a U b is <>b.
        if left != Arena::TRUE && self.covers_all(right, left) {
            return self.until(Arena::TRUE, right);
        }
        // a U (a U b) = a U b, and more generally a U (c U b) = c U b if a implies c.
        if let &Normal::Until(inner, _) = self.node(right)
            && self.implies(left, inner)
        {
            return right;
        }
        match (self.node(left).clone(), self.node(right).clone()) {
            (Normal::Next(left), Normal::Next(right)) => {
                let inner = self.until(left, right);
                return self.next(inner);
            }
            (Normal::True, Normal::Next(right)) => {
                let inner = self.until(Arena::TRUE, right);
                return self.next(inner);
            }
            // <>(a U b) = <>b
            (Normal::True, Normal::Until(_, last)) => return self.until(Arena::TRUE, last),
            // (a U b) U b = a U b.
            (Normal::Until(_, second), _) if second == right => return left,
            // (a U b) U c = b U c if a implies c: before c comes a cannot hold, so b must.
            (Normal::Until(first, second), _) if self.implies(first, right) => {
                return self.until(second, right);
            }
            // a U (b || e) = (a U b) || e for pure eventualities e.
            (_, Normal::Or(operands)) => {
                let (eventual, rest): (Vec<_>, Vec<_>) =
                    operands.iter().copied().partition(|&operand| self.shape(operand).eventual);
                if !eventual.is_empty() {
                    let rest = self.or(rest);
                    let inner = self.until(left, rest);
                    return self.or(with(eventual, inner));
                }
            }
            // a U (b && e) = (a U b) && e if e is the same at all moments.
            (_, Normal::And(operands)) => {
                let (constant, rest): (Vec<_>, Vec<_>) =
                    operands.iter().copied().partition(|&operand| self.is_timeless(operand));
                if !constant.is_empty() {
                    let rest = self.and(rest);
                    let inner = self.until(left, rest);
                    return self.and(with(constant, inner));
                }
            }
            _ => {}
        }
        self.intern(Normal::Until(left, right))
    }

    /// `left V right`.
    pub fn release(&mut self, left: NormalId, right: NormalId) -> NormalId {
        if self.shape(right).universal || left == Arena::TRUE || self.implies(right, left) {
            return right;
        }
        if left != Arena::FALSE && self.excludes(left, right) {
            return self.release(Arena::FALSE, right);
        }
        if let &Normal::Release(inner, _) = self.node(right)
            && self.implies(inner, left)
        {
            return right;
        }
        match (self.node(left).clone(), self.node(right).clone()) {
            (Normal::Next(left), Normal::Next(right)) => {
                let inner = self.release(left, right);
                return self.next(inner);
            }
            (Normal::False, Normal::Next(right)) => {
                let inner = self.release(Arena::FALSE, right);
                return self.next(inner);
            }
            (Normal::False, Normal::Release(_, last)) => return self.release(Arena::FALSE, last),
            (Normal::Release(_, second), _) if second == right => return left,
            (Normal::Release(first, second), _) if self.implies(right, first) => {
                return self.release(second, right);
            }
            (_, Normal::And(operands)) => {
                let (universal, rest): (Vec<_>, Vec<_>) =
                    operands.iter().copied().partition(|&operand| self.shape(operand).universal);
                if !universal.is_empty() {
                    let rest = self.and(rest);
                    let inner = self.release(left, rest);
                    return self.and(with(universal, inner));
                }
            }
            (_, Normal::Or(operands)) => {
                let (constant, rest): (Vec<_>, Vec<_>) =
                    operands.iter().copied().partition(|&operand| self.is_timeless(operand));
                if !constant.is_empty() {
                    let rest = self.or(rest);
                    let inner = self.release(left, rest);
                    return self.or(with(constant, inner));
                }
            }
            _ => {}
        }
        self.intern(Normal::Release(left, right))
    }

    /// The conjunction of the operands.
    pub fn and(&mut self, operands: Vec<NormalId>) -> NormalId {
        let mut flat = Vec::with_capacity(operands.len());
        for operand in operands {
            match self.node(operand) {
                Normal::And(inner) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        self.merge_conjuncts(&mut flat);
        flat.sort();
        flat.dedup();
        // One that another implies adds nothing. Of two that imply each other the one with the smaller id stays.
        let kept = self.keep_extreme(&flat, |arena, other, operand| arena.implies(other, operand));
        for (position, &first) in kept.iter().enumerate() {
            for &second in &kept[position + 1..] {
                if self.excludes(first, second) {
                    return Arena::FALSE;
                }
            }
        }
        match kept.as_slice() {
            [] => Arena::TRUE,
            [single] => *single,
            _ if kept.contains(&Arena::FALSE) => Arena::FALSE,
            _ => self.intern(Normal::And(kept.into_boxed_slice())),
        }
    }

    /// The disjunction of the operands.
    pub fn or(&mut self, operands: Vec<NormalId>) -> NormalId {
        let mut flat = Vec::with_capacity(operands.len());
        for operand in operands {
            match self.node(operand) {
                Normal::Or(inner) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        self.merge_disjuncts(&mut flat);
        flat.sort();
        flat.dedup();
        let kept = self.keep_extreme(&flat, |arena, other, operand| arena.implies(operand, other));
        for (position, &first) in kept.iter().enumerate() {
            for &second in &kept[position + 1..] {
                if self.covers_all(first, second) {
                    return Arena::TRUE;
                }
            }
        }
        match kept.as_slice() {
            [] => Arena::FALSE,
            [single] => *single,
            _ if kept.contains(&Arena::TRUE) => Arena::TRUE,
            _ => self.intern(Normal::Or(kept.into_boxed_slice())),
        }
    }

    /// Whether `first` implies `second` for a reason that their shapes show. Sound, not complete.
    pub fn implies(&mut self, first: NormalId, second: NormalId) -> bool {
        if first == second || first == Arena::FALSE || second == Arena::TRUE {
            return true;
        }
        if first == Arena::TRUE || second == Arena::FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(first, second)) {
            return known;
        }
        let result = self.implies_by_left(first, second) || self.implies_by_right(first, second);
        self.implications.insert((first, second), result);
        result
    }

    /// Rules that take the left formula apart (and those that take both).
    fn implies_by_left(&mut self, first: NormalId, second: NormalId) -> bool {
        match self.node(first).clone() {
            Normal::And(operands) => operands.iter().any(|&operand| self.implies(operand, second)),
            Normal::Or(operands) => operands.iter().all(|&operand| self.implies(operand, second)),
            Normal::Next(inner) => {
                if let &Normal::Next(other) = self.node(second)
                    && self.implies(inner, other)
                {
                    return true;
                }
                self.shape(second).eventual && self.implies(inner, second)
            }
            Normal::Until(left, right) => {
                if let &Normal::Until(other_left, other_right) = self.node(second)
                    && self.implies(left, other_left)
                    && self.implies(right, other_right)
                {
                    return true;
                }
                self.implies(right, second) && (self.shape(second).eventual || self.implies(left, second))
            }
            Normal::Release(left, right) => {
                if let &Normal::Release(other_left, other_right) = self.node(second)
                    && self.implies(left, other_left)
                    && self.implies(right, other_right)
                {
                    return true;
                }
                self.implies(right, second)
            }
            Normal::True | Normal::False | Normal::Literal(..) => false,
        }
    }

    /// Rules that take only the right formula apart.
    fn implies_by_right(&mut self, first: NormalId, second: NormalId) -> bool {
        match self.node(second).clone() {
            Normal::And(operands) => operands.iter().all(|&operand| self.implies(first, operand)),
            Normal::Or(operands) => operands.iter().any(|&operand| self.implies(first, operand)),
            Normal::Next(inner) => self.shape(first).universal && self.implies(first, inner),
            Normal::Until(_, right) => self.implies(first, right),
            Normal::Release(left, right) => {
                self.implies(first, right) && (self.shape(first).universal || self.implies(first, left))
            }
            Normal::True | Normal::False | Normal::Literal(..) => false,
        }
    }

    /// Whether the truth of the formula is the same at all moments of a word.
    pub(crate) fn is_timeless(&self, id: NormalId) -> bool {
        let shape = self.shape(id);
        shape.eventual && shape.universal
    }

    /// Whether `first || second` is always true, seen without building a disjunction (negating one would build it).
    fn covers_all(&mut self, first: NormalId, second: NormalId) -> bool {
        let negated = self.negate(first);
        self.implies(negated, second)
    }

    /// Whether `first && second` is never true.
    fn excludes(&mut self, first: NormalId, second: NormalId) -> bool {
        let negated = self.negate(second);
        self.implies(first, negated)
    }

    fn keep_extreme(
        &mut self,
        operands: &[NormalId],
        makes_redundant: impl Fn(&mut Arena, NormalId, NormalId) -> bool,
    ) -> Vec<NormalId> {
        let mut kept = Vec::with_capacity(operands.len());
        for &operand in operands {
            let redundant = operands.iter().any(|&other| {
                other != operand
                    && makes_redundant(self, other, operand)
                    && (other < operand || !makes_redundant(self, operand, other))
            });
            if !redundant {
                kept.push(operand);
            }
        }
        kept
    }

    /// X a && X b = X(a && b); a V b && a V c = a V (b && c); a U c && b U c = (a && b) U c; <>[]a && <>[]b =
    /// <>[](a && b).
    fn merge_conjuncts(&mut self, operands: &mut Vec<NormalId>) {
        self.merge_pairs(operands, |arena, first, second| {
            match (arena.node(first).clone(), arena.node(second).clone()) {
                (Normal::Next(first), Normal::Next(second)) => {
                    let both = arena.and(vec![first, second]);
                    Some(arena.next(both))
                }
                (Normal::Release(left, first), Normal::Release(other, second)) if left == other => {
                    let both = arena.and(vec![first, second]);
                    Some(arena.release(left, both))
                }
                (Normal::Until(first, right), Normal::Until(second, other)) if right == other => {
                    let both = arena.and(vec![first, second]);
                    Some(arena.until(both, right))
                }
                (Normal::Until(Arena::TRUE, first), Normal::Until(Arena::TRUE, second))
                    if arena.shape(first).universal && arena.shape(second).universal =>
                {
                    let both = arena.and(vec![first, second]);
                    Some(arena.until(Arena::TRUE, both))
                }
                _ => None,
            }
        });
    }

    /// The duals of the rules for conjuncts.
    fn merge_disjuncts(&mut self, operands: &mut Vec<NormalId>) {
        self.merge_pairs(operands, |arena, first, second| {
            match (arena.node(first).clone(), arena.node(second).clone()) {
                (Normal::Next(first), Normal::Next(second)) => {
                    let either = arena.or(vec![first, second]);
                    Some(arena.next(either))
                }
                (Normal::Until(left, first), Normal::Until(other, second)) if left == other => {
                    let either = arena.or(vec![first, second]);
                    Some(arena.until(left, either))
                }
                (Normal::Release(first, right), Normal::Release(second, other)) if right == other => {
                    let either = arena.or(vec![first, second]);
                    Some(arena.release(either, right))
                }
                (Normal::Release(Arena::FALSE, first), Normal::Release(Arena::FALSE, second))
                    if arena.shape(first).eventual && arena.shape(second).eventual =>
                {
                    let either = arena.or(vec![first, second]);
                    Some(arena.release(Arena::FALSE, either))
                }
                _ => None,
            }
        });
    }

    fn merge_pairs(
        &mut self,
        operands: &mut Vec<NormalId>,
        merge: impl Fn(&mut Arena, NormalId, NormalId) -> Option<NormalId>,
    ) {
        let mut first = 0;
        while first < operands.len() {
            let mut second = first + 1;
            while second < operands.len() {
                match merge(self, operands[first], operands[second]) {
                    Some(merged) => {
                        operands.remove(second);
                        operands[first] = merged;
                        second = first + 1;
                    }
                    None => second += 1,
                }
            }
            first += 1;
        }
    }
}

fn with(mut operands: Vec<NormalId>, added: NormalId) -> Vec<NormalId> {
    operands.push(added);
    operands
}

#[cfg(test)]
mod tests {
    use crate::formula::PropositionTable;
    use crate::formula::normal::simplify;
    use crate::formula::parse::{Syntax, parse_formula};

    fn simplified(text: &str) -> String {
        let mut table = PropositionTable::new();
        let formula = parse_formula(text, Syntax::LtlBlock, &mut table).unwrap();
        simplify(&formula).display(&table).to_string()
    }

    #[test]
    fn the_usual_laws_are_applied() {
        for (text, expected) in [
            ("!!p", "p"),
            ("p && p", "p"),
            ("p && !p", "false"),
            ("p || !p", "true"),
            ("p -> p", "true"),
            ("p && (p || q)", "p"),
            ("<><>p", "<>p"),
            ("[][]p", "[]p"),
            ("[]<>[]<>p", "[]<>p"),
            ("<>[]<>p", "[]<>p"),
            ("[]<>[]p", "<>[]p"),
            ("X []<>p", "[]<>p"),
            ("<>X p", "X <>p"),
            ("X p U X q", "X (p U q)"),
            ("X p && X q", "X (p && q)"),
            ("[]p && []q", "[](p && q)"),
            ("<>p || <>q", "<>(p || q)"),
            ("[]<>p || []<>q", "[]<>(p || q)"),
            ("<>[]p && <>[]q", "<>[](p && q)"),
            ("p U p", "p"),
            ("true U (p U q)", "<>q"),
            ("p U (p U q)", "p U q"),
            ("(p U q) U q", "p U q"),
            ("p U <>q", "<>q"),
            ("p U !p", "<>!p"),
            ("p V !p", "[]!p"),
            ("[](p U (p -> []<>q))", "[]<>(!p || q)"),
            ("p V []q", "[]q"),
            ("p U (q || <>r)", "<>r || (p U q)"),
            ("<>(p && []<>q)", "[]<>q && <>p"),
            ("[]p && p", "[]p"),
            ("[]p && <>p", "[]p"),
            ("[]p && <>!p", "false"),
            ("p W q", "p W q"),
            ("!(p W q)", "!q U (!p && !q)"),
            ("!(p <-> p)", "false"),
        ] {
            assert_eq!(simplified(text), expected, "{text}");
        }
    }
}
