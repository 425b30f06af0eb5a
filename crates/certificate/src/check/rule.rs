//! The obligations of `docs/certificates.md`, by their numbers there, and the one gate through which every refusal goes.

use super::refusal::Refusal;
use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $number:literal: $says:literal;)*) => {
        /// An obligation. The page says why each of them is needed; [`Rule::says`] is its sentence there.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[allow(missing_docs)]
        pub enum Rule {
            $(#[doc = concat!("R", $number, ": ", $says)] $name = $number,)*
        }

        impl Rule {
            /// All of them, in order.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// What it demands.
            pub fn says(self) -> &'static str {
                match self {
                    $(Rule::$name => $says,)*
                }
            }
        }
    };
}

rules! {
    Identity = 1: "the certificate is of this schema, sealed, and for this model";
    SaysSomething = 2: "there is a proof, and every proof says something";
    Exists = 3: "what is named exists and is written in its one form";
    OneType = 4: "places for numbers hold numbers, places for channels hold channels or 0";
    Objects = 5: "every channel has exactly one object";
    Fields = 6: "a message class has one set for each field of its channel";
    TrackersPlaced = 7: "at the start every tracker has a node";
    ToldApart = 8: "a proof speaks of groups that a process can belong to";
    HoldsAtStart = 9: "the claims hold at the start";
    PlacedAtStart = 10: "at the start every process has a group and a node";
    ShadowBegins = 11: "every shadow has a beginning";
    Understood = 12: "every statement is understood";
    ValuesClaimed = 13: "every value that a statement leaves is claimed";
    MessageClaimed = 14: "every message that is sent is of a class";
    Arrives = 15: "who moves arrives in a node";
    Started = 16: "who is started has a group, claimed values, and a node";
    TrackersFollow = 17: "trackers follow what is written";
    OthersCarried = 18: "who lists a global that is written arrives in a node, too";
    StartedUnseen = 19: "a statement writes no global that the process it starts lists";
    NamesEnd = 20: "no name of a channel outlives the channel";
    SizesShown = 21: "the size of a group is shown";
    SenderGraph = 22: "the second graph of a sender covers all that the sender does";
    OneSender = 23: "a shadow has one channel, one sender, one receiver, and first-in first-out";
    InvariantWeights = 24: "an invariant's weights are not negative";
    InvariantKept = 25: "no transition makes an invariant grow";
    InvariantTotal = 26: "an invariant's total is what it is at the start";
    IsBuffer = 27: "what is bounded is a buffer";
    NotNegative = 28: "weights that others must not use up are not negative";
    NothingGrows = 29: "no transition makes the potential grow";
    WeighsEnough = 30: "each message of the buffer weighs at least the denominator, which is at least 1";
    Figure = 31: "the figure is exactly what the potential shows";
    Moments = 32: "the cases are exactly the moments just after a send";
    OnlySender = 33: "the sender that looks is one process, and nobody else sends";
    LengthKept = 34: "every move of the sender keeps what is known of the length";
    NothingPilesUp = 35: "only what cannot pile up has a negative weight in a stage";
    StageKept = 36: "no allowed transition makes the stage's potential grow";
    NothingLeft = 37: "a closed stage leaves nothing";
    EveryPart = 38: "a split treats every part of a component with one token";
    AboutFormula = 39: "the formula is the model's, is understood, and no `atomic` goes on for ever";
    Unreached = 40: "what excludes nodes of the monitor does not grow, and is not negative elsewhere";
    TakesNoPart = 41: "only fairness closes a stage, with a process that is always there and takes no part";
    EveryPlace = 42: "a case of being blocked is split into all places of one component";
    NotBlocked = 43: "where somebody is blocked a potential that never grows would have grown";
    AbleAgain = 44: "only strong fairness excludes what lets somebody move who is always there and takes no part";
    AnyNumber = 45: "nothing depends on how many processes there are of which there may be any number";
    NumberForm = 46: "a number is of integer variables that are always there, and weighs only where that is understood";
    NumberStarts = 47: "at the start every number is in its range";
    NumberKept = 48: "every statement keeps every number in its range";
}

impl Rule {
    /// Refuses, because of this rule.
    pub(super) fn refuse(self, what: impl Into<String>) -> Result<(), Refusal> {
        match waived(self) {
            true => Ok(()),
            false => Err(Refusal::Broken { rule: self, what: what.into() }),
        }
    }

    /// Refuses unless it holds.
    pub(super) fn demand(self, holds: bool, what: impl FnOnce() -> String) -> Result<(), Refusal> {
        if holds { Ok(()) } else { self.refuse(what()) }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "R{}", *self as u8)
    }
}

/// A rule that is broken, before it is known by which statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The rule.
    pub rule: Rule,
    /// How.
    pub what: String,
}

impl Broken {
    /// What the rules for statements do not speak of.
    pub fn not_understood(what: impl Into<String>) -> Broken {
        Broken { rule: Rule::Understood, what: what.into() }
    }
}

#[cfg(test)]
thread_local! {
    static WAIVED: std::cell::Cell<Option<Rule>> = const { std::cell::Cell::new(None) };
}

/// Does the work as if the rule were not there. Tests show with it that each rule is needed.
#[cfg(test)]
pub fn without<T>(rule: Rule, work: impl FnOnce() -> T) -> T {
    WAIVED.with(|waived| waived.set(Some(rule)));
    let result = work();
    WAIVED.with(|waived| waived.set(None));
    result
}

#[cfg(test)]
fn waived(rule: Rule) -> bool {
    WAIVED.with(|waived| waived.get() == Some(rule))
}

#[cfg(not(test))]
fn waived(_rule: Rule) -> bool {
    false
}
