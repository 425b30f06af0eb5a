//! Work that somebody may stop: reading a model that is larger than anybody has time for.
//!
//! Whoever waits says until when ([`until`]); whoever works passes a [`point`] for each piece, token, statement, edge. When the time is
//! over, the work is unwound from the next point that looks, whatever it was doing: what is half read is of no use, so there is nothing to
//! hand back through all the functions in between. (The alternative, a result in every function of the front end, would make the
//! rule "it never fails" untrue for the sake of a case in which nobody looks at what comes back.)
//!
//! A test with a counter in place of a clock sees to it that no part of reading goes far without a look.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

/// Points between two looks at whether the work is to go on: a look asks for the time, a point counts.
pub const POINTS_A_LOOK: u32 = 256;

/// The work was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

thread_local! {
    static POINTS_LEFT: Cell<u32> = const { Cell::new(POINTS_A_LOOK) };
    static IS_OVER: RefCell<Option<Rc<dyn Fn() -> bool>>> = const { RefCell::new(None) };
}

/// Does some work, on this thread, and stops it when `is_over` says so.
pub fn until<T>(is_over: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> Result<T, Interrupted> {
    let before = IS_OVER.replace(Some(Rc::new(is_over)));
    // What the work leaves half done is dropped with it.
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_OVER.set(before);
    done.or_else(|payload| match payload.downcast::<Interrupted>() {
        Ok(interrupted) => Err(*interrupted),
        Err(defect) => resume_unwind(defect),
    })
}

/// Does some work that is brought to its end whatever the time: what is known by now is worth saying.
pub fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    let before = IS_OVER.replace(None);
    let done = work();
    IS_OVER.set(before);
    done
}

/// A place at which the work may be stopped.
#[inline]
pub fn point() {
    let is_time = POINTS_LEFT.with(|points| match points.get().checked_sub(1) {
        Some(left) => {
            points.set(left);
            false
        }
        None => true,
    });
    if is_time {
        look();
    }
}

#[cold]
fn look() {
    POINTS_LEFT.set(POINTS_A_LOOK);
    let is_over = IS_OVER.with_borrow(Clone::clone);
    if is_over.is_some_and(|is_over| is_over()) {
        // No panic: nobody is told of a defect.
        resume_unwind(Box::new(Interrupted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_stopped_at_the_next_look_and_other_work_is_not() {
        let points = Rc::new(Cell::new(0));
        let (seen, passed) = (points.clone(), points.clone());
        let endless = || loop {
            passed.set(passed.get() + 1);
            point();
        };
        let stopped: Result<(), Interrupted> = until(move || seen.get() > 1000, endless);
        assert_eq!(stopped, Err(Interrupted));
        assert!((1000..=1001 + POINTS_A_LOOK).contains(&points.get()));
        (0..10 * POINTS_A_LOOK).for_each(|_| point());
        assert_eq!(until(|| false, || (0..10 * POINTS_A_LOOK).for_each(|_| point())), Ok(()));
    }

    #[test]
    fn the_inner_of_two_limits_ends_before_the_outer_goes_on() {
        let passes = || (0..10 * POINTS_A_LOOK).for_each(|_| point());
        let outer = until(|| false, || (until(|| true, passes), passes()));
        assert_eq!(outer, Ok((Err(Interrupted), ())));
    }

    #[test]
    fn what_is_said_at_the_end_is_said_undisturbed() {
        let passes = || (0..10 * POINTS_A_LOOK).for_each(|_| point());
        assert_eq!(until(|| true, || undisturbed(|| until(|| false, passes))), Ok(Ok(())));
        assert_eq!(until(|| true, || (undisturbed(passes), passes())), Err(Interrupted));
    }

    #[test]
    fn a_defect_is_passed_on() {
        let defect = catch_unwind(|| until(|| false, || std::panic::panic_any("a defect")));
        assert_eq!(
            defect.err().and_then(|payload| payload.downcast_ref::<&str>().copied()),
            Some("a defect")
        );
    }
}
