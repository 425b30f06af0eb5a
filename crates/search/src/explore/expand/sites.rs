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

/// What was measured, by line (a process, and whether `timeout` holds) and location.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    sites: Vec<Vec<Site>>,
    /// States until the next one is noted.
    pub until_sample: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Site {
    hits: u32,
    misses: u32,
    /// Executions before remembering is tried again.
    executions_left: u32,
    /// How many of them there were the last time.
    patience: u32,
}

/// One state of so many is noted.
pub const SAMPLED_OF: u32 = 61;
/// Misses that are enough to judge by. A search begins with nothing but misses.
const ENOUGH_MISSES: u32 = 64;
/// Remembering pays if there are so many hits for each miss: what is computed, found a place for and never asked again costs about as much
/// as executing a few times.
const HITS_FOR_A_MISS: u32 = 3;
/// Executions before remembering is tried again, at first and at most.
const PATIENCE: (u32, u32) = (1 << 12, 1 << 22);

impl Sites {
    /// What to do with steps that are about to be computed.
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

    /// Notes whether something was remembered.
    pub fn note(&mut self, line: u32, location: LocationId, was_remembered: bool) {
        let (line, location) = (line as usize, location.0 as usize);
        if self.sites.len() <= line {
            self.sites.resize_with(line + 1, Vec::new);
        }
        let sites = &mut self.sites[line];
        if sites.len() <= location {
            sites.resize(location + 1, Site::default());
        }
        let site = &mut sites[location];
        if site.executions_left > 0 {
            return;
        }
        *(if was_remembered { &mut site.hits } else { &mut site.misses }) += 1;
        if site.misses < ENOUGH_MISSES {
            return;
        }
        if site.hits < HITS_FOR_A_MISS * site.misses {
            site.patience = (2 * site.patience).clamp(PATIENCE.0, PATIENCE.1);
            site.executions_left = site.patience;
        } else {
            site.patience = 0;
        }
        (site.hits, site.misses) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hardly_ever_remembered_is_executed_and_tried_again() {
        let (line, location) = (4, LocationId(7));
        let mut sites = Sites::default();
        assert_eq!(sites.decide(line, location), Decision::Remember);
        (0..ENOUGH_MISSES).for_each(|_| sites.note(line, location, false));
        (0..PATIENCE.0).for_each(|_| assert_eq!(sites.decide(line, location), Decision::Execute));
        assert_eq!(sites.decide(line, location), Decision::Remember);
        for note in 0..ENOUGH_MISSES * (HITS_FOR_A_MISS + 1) {
            sites.note(line, location, (note + 1) % (HITS_FOR_A_MISS + 1) > 0);
        }
        assert_eq!(sites.decide(line, location), Decision::Remember);
        assert_eq!(sites.decide(line, LocationId(8)), Decision::Remember);
    }
}
