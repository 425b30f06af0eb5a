//! "Did you mean …": the candidate that a misspelt word is closest to.

/// The candidate nearest to `word`, if it is near enough to be what was meant: at most one edit in three letters, where
/// an edit is a letter more, less, changed, or swapped with its neighbour, and case does not count. All names of one letter
/// are one edit apart: for those only case is forgiven.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    let limit = match letters.len() {
        0 | 1 => 0,
        count => (count / 3).max(1),
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|candidate| *candidate != word) {
        let bound = best.map_or(limit, |(edits, _)| edits.saturating_sub(1));
        if let Some(edits) = edits_within(&letters, candidate, bound)
            && best.is_none_or(|(least, _)| edits < least)
        {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The number of edits between the two words if it is not above the limit.
fn edits_within(letters: &[char], candidate: &str, limit: usize) -> Option<usize> {
    if candidate.is_ascii() && letters.len().abs_diff(candidate.len()) > limit {
        return None;
    }
    let other: Vec<char> = candidate.chars().flat_map(char::to_lowercase).collect();
    // Long names are never typed wrongly in a way that is worth a table of their lengths' product.
    if letters.len().abs_diff(other.len()) > limit || letters.len() > 64 {
        return None;
    }
    // What is common to both at their beginnings and at their ends costs nothing, whatever is between.
    let same = |(a, b): &(&char, &char)| a == b;
    let start = letters.iter().zip(&other).take_while(same).count();
    let (letters, other) = (&letters[start..], &other[start..]);
    let end = letters.iter().rev().zip(other.iter().rev()).take_while(same).count();
    let (letters, other) = (&letters[..letters.len() - end], &other[..other.len() - end]);
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in letters.iter().enumerate() {
        let mut current = vec![i + 1];
        for (j, target) in other.iter().enumerate() {
            let mut edits =
                (previous[j] + usize::from(letter != target)).min(previous[j + 1] + 1).min(current[j] + 1);
            if i > 0 && j > 0 && letter == &other[j - 1] && &letters[i - 1] == target {
                edits = edits.min(before[j - 1] + 1);
            }
            current.push(edits);
        }
        // No edit makes up for what earlier letters cost.
        if previous.iter().chain(&current).all(|edits| *edits > limit) {
            return None;
        }
        before = std::mem::replace(&mut previous, current);
    }
    previous.last().copied().filter(|edits| *edits <= limit)
}

/// What Promela has in place of a word of other languages.
pub fn foreign(name: &str) -> Option<&'static str> {
    Some(match name {
        "while" => "Promela has no `while`: write `do :: CONDITION -> STATEMENTS :: else -> break od`",
        "switch" | "case" | "select_case" => {
            "Promela has no `switch`: write `if :: x == 1 -> STATEMENTS :: x == 2 -> STATEMENTS :: else fi`"
        }
        "then" | "elif" | "elseif" | "elsif" | "endif" => {
            "write `if :: CONDITION -> STATEMENTS :: else -> STATEMENTS fi`"
        }
        "continue" => "Promela has no `continue`: an option of a `do` that ends goes on with the next round",
        "process" | "function" | "func" | "fn" | "def" | "void" | "task" | "thread" => {
            "a process is declared as `active proctype NAME() { STATEMENTS }`; `inline` is for what is used in several places"
        }
        "print" | "println" | "puts" | "echo" => "write `printf(\"x is %d\\n\", x)`",
        "True" | "TRUE" => "write `true`",
        "False" | "FALSE" => "write `false`",
        "channel" => "a channel is declared as `chan NAME = [CAPACITY] of { TYPE }`",
        "boolean" => "the type is called `bool`",
        "string" | "char" | "float" | "double" | "long" => {
            "the types are `bit`, `bool`, `byte`, `short`, `int`, `mtype`, `chan` and `pid`"
        }
        "null" | "nil" | "NULL" => "Promela has no such value: 0 is often used in its place",
        "and" => "write `&&`",
        "or" => "write `||`",
        "not" => "write `!`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_in_three_letters_is_forgiven() {
        let directives = ["define", "undef", "include", "ifdef", "ifndef"];
        assert_eq!(closest("defien", directives), Some("define"));
        assert_eq!(closest("inclde", directives), Some("include"));
        assert_eq!(closest("ifdeff", directives), Some("ifdef"));
        assert_eq!(closest("IFNDEF", directives), Some("ifndef"));
        assert_eq!(closest("banana", directives), None);
        assert_eq!(closest("", directives), None);
    }

    #[test]
    fn one_letter_is_no_misspelling_of_another() {
        assert_eq!(closest("y", ["x", "yy", "i"]), None);
        assert_eq!(closest("X", ["i", "x"]), Some("x"));
        assert_eq!(closest("yy", ["i", "yyy"]), Some("yyy"));
    }

    #[test]
    fn the_nearest_wins_and_the_first_of_equals() {
        assert_eq!(closest("count", ["mount", "counts", "county"]), Some("mount"));
        assert_eq!(closest("coutn1", ["counter", "count1"]), Some("count1"));
    }
}
