//! Where remembering pays, by what is measured.
//!
//! A site is a location of a process. Of every few states it is noted whether what can be done there was remembered. Where it mostly was not,
//! because steps read much that hardly ever comes again, the steps are executed and forgotten; after a while remembering is tried again,
//! for a model may behave otherwise later on. What was remembered stays good all the time, so nothing but time depends on this.

use system::automaton::LocationId;

/// What to do with steps that are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// They are remembered.
    Remember,
    /// They are forgotten.
    Execute,
}

/// What came of looking for something that may be remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attempt<T> {
    /// It is to be executed and forgotten.
    Execute,
    /// It was remembered.
    Found(T),
    /// It was not.
    NotFound,
}

/// What was measured, by line (a process, and what of it) and location.
#[derive(Clone, Debug)]
pub struct Sites {
    sites: Vec<Vec<Site>>,
    /// States until the next one is noted.
    pub until_sample: u32,
    /// The state at hand is noted.
    pub is_sampling: bool,
    rule: Rule,
}

#[derive(Clone, Copy, Debug, Default)]
struct Site {
    hits: u32,
    misses: u32,
    /// Executions before remembering is tried again.
    executions_left: u32,
    /// How many of them there were the last time.
    patience: u32,
    /// How many steps are found, or computed, at a time; 0 stands for one.
    steps: u32,
}

/// When remembering pays.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// Misses that are enough to judge by. A search begins with nothing but misses.
    enough_misses: u32,
    /// It pays if there are so many hits for each miss.
    hits_for_a_miss: u32,
    /// Executions before remembering is tried again, at first and at most.
    patience: (u32, u32),
}

/// One state of so many is noted.
pub const SAMPLED_OF: u32 = 61;

impl Sites {
    /// Of single steps, some of which are noted: one that is computed, found a place for and never asked again costs about as much as executing
    /// a few times.
    pub fn of_steps() -> Sites {
        Sites::by(Rule { enough_misses: 64, hits_for_a_miss: 3, patience: (1 << 12, 1 << 22) })
    }

    /// Of whole sequences, all of which are noted, by their steps: computing one costs far more than following it where it is remembered.
    pub fn of_sequences() -> Sites {
        Sites::by(Rule { enough_misses: 512, hits_for_a_miss: 16, patience: (1 << 11, 1 << 22) })
    }

    fn by(rule: Rule) -> Sites {
        Sites { sites: Vec::new(), until_sample: 0, is_sampling: false, rule }
    }

    /// What to do with steps that are about to be computed.
    #[inline]
    pub fn decide(&mut self, line: u32, location: LocationId) -> Decision {
        let site = self.sites.get_mut(line as usize).and_then(|sites| sites.get_mut(location.0 as usize));
        match site {
            Some(site) if site.executions_left > 0 => {
                site.executions_left -= 1;
                Decision::Execute
            }
            _ => Decision::Remember,
        }
    }

    /// Whether steps that are computed there are forgotten.
    #[inline]
    pub fn executes(&self, line: u32, location: LocationId) -> bool {
        let site = self.sites.get(line as usize).and_then(|sites| sites.get(location.0 as usize));
        site.is_some_and(|site| site.executions_left > 0)
    }

    /// Decides, looks up what is remembered unless it is to be executed, and notes if it was found.
    #[inline(always)]
    pub fn find<T>(
        &mut self,
        line: u32,
        location: LocationId,
        look_up: impl FnOnce() -> Option<T>,
    ) -> Attempt<T> {
        let rule = self.rule;
        let site = self.site(line, location);
        if site.executions_left > 0 {
            site.executions_left -= 1;
            return Attempt::Execute;
        }
        match look_up() {
            Some(found) => {
                site.note(&rule, true);
                Attempt::Found(found)
            }
            None => Attempt::NotFound,
        }
    }

    /// Notes whether something was remembered.
    #[inline]
    pub fn note(&mut self, line: u32, location: LocationId, was_remembered: bool) {
        let rule = self.rule;
        self.site(line, location).note(&rule, was_remembered);
    }

    /// From now on so many steps are found, or computed, at a time.
    pub fn note_steps(&mut self, line: u32, location: LocationId, steps: u32) {
        self.site(line, location).steps = steps;
    }

    /// Remembering is of no use there.
    pub fn give_up(&mut self, line: u32, location: LocationId) {
        self.site(line, location).executions_left = u32::MAX;
    }

    #[inline]
    fn site(&mut self, line: u32, location: LocationId) -> &mut Site {
        let (line, location) = (line as usize, location.0 as usize);
        if self.sites.len() <= line {
            self.sites.resize_with(line + 1, Vec::new);
        }
        let sites = &mut self.sites[line];
        if sites.len() <= location {
            sites.resize(location + 1, Site::default());
        }
        &mut sites[location]
    }
}

impl Site {
    #[inline(always)]
    fn note(&mut self, rule: &Rule, was_remembered: bool) {
        if self.executions_left > 0 {
            return;
        }
        let count = if was_remembered { &mut self.hits } else { &mut self.misses };
        *count = count.saturating_add(self.steps.max(1));
        if self.misses >= rule.enough_misses {
            self.judge(rule);
        }
    }

    #[cold]
    fn judge(&mut self, &Rule { hits_for_a_miss, patience, .. }: &Rule) {
        if self.hits < hits_for_a_miss.saturating_mul(self.misses) {
            self.patience = (2 * self.patience).clamp(patience.0, patience.1);
            self.executions_left = self.patience;
        } else {
            self.patience = 0;
        }
        (self.hits, self.misses) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hardly_ever_remembered_is_executed_and_tried_again() {
        let (line, location) = (4, LocationId(7));
        let mut sites = Sites::of_steps();
        let Rule { enough_misses, hits_for_a_miss, patience } = sites.rule;
        assert_eq!(sites.decide(line, location), Decision::Remember);
        (0..enough_misses).for_each(|_| sites.note(line, location, false));
        (0..patience.0).for_each(|_| assert_eq!(sites.decide(line, location), Decision::Execute));
        assert_eq!(sites.decide(line, location), Decision::Remember);
        for note in 0..enough_misses * (hits_for_a_miss + 1) {
            sites.note(line, location, (note + 1) % (hits_for_a_miss + 1) > 0);
        }
        assert_eq!(sites.decide(line, location), Decision::Remember);
        assert_eq!(sites.decide(line, LocationId(8)), Decision::Remember);
        sites.give_up(line, location);
        assert_eq!(sites.decide(line, location), Decision::Execute);
    }
}
