//! Which variable to look at next: reasons why a suspicious flow may not be real.

use std::collections::BTreeSet;

use promela::model::{Frame, Place, ReceiveArgument};
use system::automaton::{Action, AutomatonId, System};

use crate::board::SeenValues;
use crate::net::TransitionId;
use crate::refine::attempt::Attempt;
use crate::refine::cuts::cuts;
use crate::refine::replay;
use crate::refine::shadows::wishes;
use crate::values::flow::Flow;
use crate::values::sets::LARGEST_SET;
use crate::values::step::find_run;
use crate::values::world::{GroupKey, ShadowWish, Tracking};

/// Values of one variable beyond which it is not worth a guess.
const MOST_SEEN: usize = 16;

/// So many values for each interval make it worth a try to tell only these apart.
const VALUES_OF_AN_INTERVAL: u64 = 3;

/// One more thing that the abstraction keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Refinement {
    /// A local slot's values split the nodes of its process.
    Local {
        /// Whose.
        automaton: AutomatonId,
        /// Which slot.
        slot: u32,
    },
    /// Of a local slot with many values it is told apart which of the constants that it is compared with it has reached.
    Intervals {
        /// Whose.
        automaton: AutomatonId,
        /// Which slot.
        slot: u32,
    },
    /// A global slot's values split the nodes of a process that tests it.
    Global {
        /// Whose nodes.
        automaton: AutomatonId,
        /// The first slot of the variable.
        slot: u32,
        /// How many slots it has; each process tracks those that it touches.
        slots: u32,
    },
    /// A local slot is tracked, too, and guessed to have no other values than search saw.
    Guess {
        /// Whose.
        automaton: AutomatonId,
        /// Which slot.
        slot: u32,
    },
    /// A receiver follows the order in which a sender sent.
    Shadow(ShadowWish),
}

impl Refinement {
    /// In words.
    pub fn describe(&self, system: &System) -> String {
        match *self {
            Refinement::Local { automaton, slot } => {
                let automaton = system.automaton(automaton);
                format!("tracked `{}` in {}", automaton.slots[slot as usize].name, automaton.name)
            }
            Refinement::Intervals { automaton, slot } => {
                let automaton = system.automaton(automaton);
                let name = &automaton.slots[slot as usize].name;
                format!("told apart what `{name}` in {} is compared with", automaton.name)
            }
            Refinement::Guess { automaton, slot } => {
                let automaton = system.automaton(automaton);
                let name = &automaton.slots[slot as usize].name;
                format!("tracked the values of `{name}` in {} that search saw", automaton.name)
            }
            Refinement::Global { automaton, slot, .. } => {
                let name = system.global_slots[slot as usize].name.split('[').next().unwrap_or_default();
                format!("tracked `{name}` jointly with {}", system.automaton(automaton).name)
            }
            Refinement::Shadow(ShadowWish { receiver, slot, sender, .. }) => {
                let name = system.global_slots[slot as usize].name.split('[').next().unwrap_or_default();
                let (receiver, sender) = (system.automaton(receiver), system.automaton(sender));
                format!("followed the order of {} in `{name}` jointly with {}", sender.name, receiver.name)
            }
        }
    }

    /// Adds it.
    pub fn add_to(&self, tracking: &mut Tracking) {
        let (list, first, count) = match *self {
            Refinement::Local { automaton, slot }
            | Refinement::Intervals { automaton, slot }
            | Refinement::Guess { automaton, slot } => (&mut tracking.locals[automaton.0 as usize], slot, 1),
            Refinement::Global { automaton, slot, slots } => {
                (&mut tracking.globals[automaton.0 as usize], slot, slots)
            }
            Refinement::Shadow(wish) => {
                if let Err(position) = tracking.shadows.binary_search(&wish) {
                    tracking.shadows.insert(position, wish);
                }
                return;
            }
        };
        for slot in first..first + count {
            if let Err(position) = list.binary_search(&slot) {
                list.insert(position, slot);
            }
        }
    }
}

/// What is tracked from the beginning: what decides how many processes a process starts, and with which arguments.
pub fn starting_tracking(system: &System, flows: &[Flow<'_>]) -> Vec<Refinement> {
    let mut wanted = Vec::new();
    for (index, flow) in flows.iter().enumerate() {
        let starts = |action: &Action| match action {
            Action::Condition(expr) | Action::Assign { value: expr, .. } => find_run(expr).is_some(),
            _ => false,
        };
        if flow.leaving.iter().flatten().any(|arc| starts(arc.action)) {
            let automaton = AutomatonId(index as u32);
            let slots = slots_that_matter(flow, Frame::Local);
            let scalars = system.model.proctypes[index].locals.iter().filter(|variable| variable.slots == 1);
            let scalars: BTreeSet<u32> = scalars.map(|variable| variable.slot).collect();
            wanted.extend(slots.intersection(&scalars).map(|&slot| Refinement::Local { automaton, slot }));
        }
    }
    wanted
}

/// How well a refinement may help; the least is the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Promise {
    /// Of a thousand transitions of the flow so many could still be repeated.
    LeavesOf1000(u64),
    /// A local variable with few values.
    FewValues,
    /// A global variable with few values.
    FewGlobalValues,
    /// The order of messages.
    Order,
    /// A local variable with many values.
    ManyValues,
}

/// What may help against a flow, best first, without what is tracked already or known to be of no use. Only processes that take part in the flow
/// can exclude it. Whoever is cancelled gets what was found until then.
pub fn candidates(
    attempt: &Attempt<'_>,
    flow: &[TransitionId],
    useless: &BTreeSet<Refinement>,
    cancelled: &dyn Fn() -> bool,
) -> Vec<Refinement> {
    let analysis = &attempt.analysis;
    let automaton = |id: &TransitionId| {
        let origin = attempt.abstraction.origins[attempt.abstraction.net.transition(*id).origin as usize];
        analysis.world.group(origin.group).automaton
    };
    let involved: BTreeSet<AutomatonId> = flow.iter().map(automaton).collect();
    let leaves = |automaton, frame, slots: std::ops::Range<u32>, cuts: Option<&[i32]>| {
        let left = slots.filter_map(|slot| {
            replay::with_values_of(attempt, flow, automaton, (frame, slot), cuts, cancelled)
        });
        let less = left.filter(|repeatable| repeatable.left < repeatable.of);
        less.map(|repeatable| Promise::LeavesOf1000((1000 * repeatable.left / repeatable.of) as u64)).min()
    };
    let mut found: Vec<((Promise, u64), Refinement)> = Vec::new();
    for &automaton in &involved {
        for slot in slots_that_matter(&analysis.flows[automaton.0 as usize], Frame::Local) {
            let refinement = Refinement::Local { automaton, slot };
            let values = local_values(attempt, automaton, slot);
            let is_tracked = tracked(&analysis.tracking.locals[automaton.0 as usize], slot);
            if values < 2 || is_tracked || useless.contains(&refinement) {
                continue;
            }
            let few = if values <= LARGEST_SET as u64 { Promise::FewValues } else { Promise::ManyValues };
            let promise = leaves(automaton, Frame::Local, slot..slot + 1, None).unwrap_or(few);
            found.push(((promise, values), refinement));
            let refinement = Refinement::Intervals { automaton, slot };
            let cuts = cuts(&analysis.flows[automaton.0 as usize], slot);
            let intervals = cuts.len() as u64 + 1;
            if (2..=values / VALUES_OF_AN_INTERVAL).contains(&intervals) && !useless.contains(&refinement) {
                let promise = leaves(automaton, Frame::Local, slot..slot + 1, Some(&cuts));
                found.push(((promise.unwrap_or(few), intervals), refinement));
            }
        }
        if !is_alone(attempt, automaton) {
            continue;
        }
        for (slot, slots) in globals_that_matter(attempt, automaton) {
            let refinement = Refinement::Global { automaton, slot, slots };
            let range = slot as usize..(slot + slots) as usize;
            let values = analysis.world.globals[range].iter().map(|values| values.count()).max().unwrap_or(0);
            let is_tracked = tracked(&analysis.tracking.globals[automaton.0 as usize], slot);
            if values < 2 || is_tracked || useless.contains(&refinement) {
                continue;
            }
            // Many values are for one process only: every write would be a step of everybody else, once for each value.
            let is_large = values > LARGEST_SET as u64;
            if is_large && !(slot..slot + slots).all(|slot| analysis.is_private(slot)) {
                continue;
            }
            let few = (!is_large).then_some(Promise::FewGlobalValues);
            let promise = leaves(automaton, Frame::Global, slot..slot + slots, None).or(few);
            found.extend(promise.map(|promise| ((promise, values), refinement)));
        }
    }
    for wish in wishes(attempt).into_iter().filter(|wish| involved.contains(&wish.receiver)) {
        let refinement = Refinement::Shadow(wish);
        if !analysis.tracking.shadows.contains(&wish) && !useless.contains(&refinement) {
            found.push(((Promise::Order, 0), refinement));
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, refinement)| refinement).collect()
}

/// Whether no two processes of an automaton are one group.
fn is_alone(attempt: &Attempt<'_>, automaton: AutomatonId) -> bool {
    let world = &attempt.analysis.world;
    let starts = attempt.starts(&|| false);
    world.group_indices().filter(|(_, group)| group.automaton == automaton).all(|(index, group)| {
        matches!(group.key, GroupKey::Initial(..))
            || starts.get(&index).is_some_and(|(at_most, _)| *at_most <= 1)
    })
}

/// Local slots that decide something and of which search saw few values, fewer than the analysis must allow.
pub fn guesses(attempt: &Attempt<'_>, seen: &SeenValues) -> Vec<Refinement> {
    let mut found = Vec::new();
    for (index, flow) in attempt.analysis.flows.iter().enumerate() {
        let automaton = AutomatonId(index as u32);
        for slot in slots_that_matter(flow, Frame::Local) {
            let few = seen.get(&(automaton, slot)).is_some_and(|values| {
                values.len() <= MOST_SEEN && (values.len() as u64) < local_values(attempt, automaton, slot)
            });
            if few {
                found.push(Refinement::Guess { automaton, slot });
            }
        }
    }
    found
}

fn tracked(slots: &[u32], slot: u32) -> bool {
    slots.binary_search(&slot).is_ok()
}

fn local_values(attempt: &Attempt<'_>, automaton: AutomatonId, slot: u32) -> u64 {
    let mut most = 0;
    for group in attempt.analysis.world.groups.iter().filter(|group| group.automaton == automaton) {
        let mut values = crate::values::sets::Values::empty();
        for node in &group.nodes {
            values.join_with(&node.locals[slot as usize]);
        }
        most = most.max(values.count());
    }
    most
}

/// Slots that decide something: they are read in a guard, an index, a message, a match or an argument of `run`, or they flow into one
/// that is.
fn slots_that_matter(flow: &Flow<'_>, frame: Frame) -> BTreeSet<u32> {
    let mut slots = BTreeSet::new();
    {
        let mut note = |place: &Place| {
            if place.frame == frame {
                slots.extend(place_slots(place));
            }
        };
        for arc in flow.leaving.iter().flatten() {
            match arc.action {
                Action::Condition(expr) => expr.visit_places(&mut note),
                Action::Send { channel, arguments, .. } => {
                    channel.place.visit_places(&mut note);
                    arguments.iter().for_each(|argument| argument.visit_places(&mut note));
                }
                Action::Receive { channel, arguments, .. } => {
                    channel.place.visit_places(&mut note);
                    for argument in arguments {
                        match argument {
                            ReceiveArgument::Match(expr) => expr.visit_places(&mut note),
                            ReceiveArgument::Store(place) => {
                                place.visit_index_places(&mut note);
                            }
                            ReceiveArgument::Discard(_) => {}
                        }
                    }
                }
                Action::Assign { place, value } => {
                    place.visit_index_places(&mut note);
                    if find_run(value).is_some() {
                        value.visit_places(&mut note);
                    }
                }
                _ => {}
            }
        }
    }
    // What is assigned to a slot that matters matters, too.
    loop {
        let before = slots.len();
        for arc in flow.leaving.iter().flatten() {
            if let Action::Assign { place, value } = arc.action
                && place.frame == frame
                && place_slots(place).iter().any(|slot| slots.contains(slot))
            {
                value.visit_places(&mut |read| {
                    if read.frame == frame {
                        slots.extend(place_slots(read));
                    }
                });
            }
        }
        if slots.len() == before {
            return slots;
        }
    }
}

/// Global variables that decide something in a process: first slot and number of slots, long arrays left out.
fn globals_that_matter(attempt: &Attempt<'_>, automaton: AutomatonId) -> Vec<(u32, u32)> {
    let slots = slots_that_matter(&attempt.analysis.flows[automaton.0 as usize], Frame::Global);
    let variables = &attempt.analysis.system.model.globals;
    variables
        .iter()
        .filter(|variable| variable.slots <= 64)
        .filter(|variable| slots.range(variable.slot..variable.slot + variable.slots).next().is_some())
        .map(|variable| (variable.slot, variable.slots))
        .collect()
}

/// Slots of a place whatever its indices; long arrays are left out.
fn place_slots(place: &Place) -> Vec<u32> {
    let mut slots = vec![place.base];
    for index in &place.indices {
        if index.length as usize * slots.len() > 64 {
            return Vec::new();
        }
        slots =
            slots.iter().flat_map(|slot| (0..index.length).map(move |i| slot + i * index.stride)).collect();
    }
    slots
}
