//! What time it is.
//!
//! Everybody who has a deadline takes [`Instant`] from here: where the standard library has no clock, the host has one. A program in
//! WebAssembly imports `now` from the module `plimsoll`, a function without parameters that returns milliseconds since any moment.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
pub use host::Instant;

#[cfg(target_family = "wasm")]
mod host {
    use std::ops::{Add, Sub};
    use std::time::Duration;

    #[link(wasm_import_module = "plimsoll")]
    unsafe extern "C" {
        safe fn now() -> f64;
    }

    /// A moment, as far as the standard library's type of this name is used.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        pub fn now() -> Instant {
            Instant(Duration::try_from_secs_f64(now() / 1e3).unwrap_or_default())
        }

        /// How long ago that was.
        pub fn elapsed(&self) -> Duration {
            Instant::now() - *self
        }

        /// How long after `earlier` this is: not at all if it is before.
        pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
            *self - earlier
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, later: Duration) -> Instant {
            Instant(self.0 + later)
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }
}
