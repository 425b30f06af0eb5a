//! How running work is watched and stopped from outside: the same for every engine.

/// How running work is watched and stopped from outside.
#[derive(Clone, Copy, Default)]
pub struct Control<'c> {
    cancelled: Option<&'c (dyn Fn() -> bool + Sync)>,
    watcher: Option<&'c (dyn Fn(Status) + Sync)>,
    memory_left: Option<&'c (dyn Fn() -> usize + Sync)>,
}

/// Where a running search is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Status {
    /// Stored states.
    pub states: u64,
    /// Arrivals at states.
    pub transitions: u64,
    /// Moves from the initial state.
    pub depth: u64,
    /// States that wait for their turn.
    pub waiting: u64,
    /// Bytes.
    pub memory: usize,
    /// States a second, on the whole.
    pub rate: f64,
    /// Of a search by several processes.
    pub together: Option<Together>,
}

/// Where several processes are that search together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Together {
    /// How many they are.
    pub processes: u32,
    /// Bytes that went over their connections.
    pub wire_bytes: u64,
    /// The largest share of the states that one of them has.
    pub largest_share: f64,
}

impl<'c> Control<'c> {
    /// Nobody stops it and nobody watches.
    pub fn none() -> Control<'c> {
        Control::default()
    }

    /// Asks `cancelled` now and then; `true` ends the work with what is known.
    pub fn cancelled_by(mut self, cancelled: &'c (dyn Fn() -> bool + Sync)) -> Control<'c> {
        self.cancelled = Some(cancelled);
        self
    }

    /// Tells `watcher` several times a second.
    pub fn watched_by(mut self, watcher: &'c (dyn Fn(Status) + Sync)) -> Control<'c> {
        self.watcher = Some(watcher);
        self
    }

    /// `left` says how many bytes the program may still take: who can do with less looks at it, whatever its own accounts say.
    pub fn with_memory_left(mut self, left: &'c (dyn Fn() -> usize + Sync)) -> Control<'c> {
        self.memory_left = Some(left);
        self
    }

    /// How many bytes the program may still take, if somebody knows.
    pub fn memory_left(&self) -> Option<usize> {
        self.memory_left.map(|left| left())
    }

    /// Whether to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_some_and(|cancelled| cancelled())
    }

    /// Tells the watcher, if there is one.
    pub fn report(&self, status: Status) {
        if let Some(watcher) = self.watcher {
            watcher(status);
        }
    }
}
