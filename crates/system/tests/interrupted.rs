//! Reading listens: wherever it is in a large model, it soon looks whether it is to go on.
//!
//! How long "soon" is must not depend on the machine, so work is counted in allocations, not in seconds: between two looks there are few.

use promela::Options;
use promela::interrupt::{self, Interrupted};
use std::alloc::{GlobalAlloc, Layout, System as Allocator};
use std::cell::Cell;
use std::rc::Rc;
use system::automaton::System;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator as it came; counting changes nothing of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps to the same contract.
        unsafe { Allocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps to the same contract.
        unsafe { Allocator.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations between two looks that nobody notices: a hundredth of a second, roughly.
const SOON: u64 = 50_000;

fn read(text: &str) -> System {
    let (model, _) = promela::read("large.pml", text, &Options::default(), &promela::NoIncludes);
    let (system, _) = system::lower::lower(model);
    assert_eq!(system::validate::validate(&system), []);
    system
}

/// Proctypes with hundreds of choices.
fn long() -> String {
    let mut text = "chan c = [4] of { byte, int };\n".to_string();
    for process in 0..12 {
        text += &format!("active proctype P{process}() {{ byte a; int b, x, y, z;\n");
        for i in 0..300 {
            text += &format!(
                "if :: x < {i} -> y = x + {i} * (z - 1); c!a,y :: c?a,b -> z = (a + b) % {} :: else -> x++ fi;\n",
                i + 3
            );
        }
        text += "}\n";
    }
    text
}

/// A body in which everything has a label and jumps elsewhere.
fn labels() -> String {
    let count = 6_000;
    let mut text = "byte g; active proctype P() {\n".to_string();
    for i in 0..count {
        text += &format!("L{i}: if :: g < 100 -> g++ :: goto L{} fi;\n", i * 7919 % count);
    }
    text + "}\n"
}

fn processes() -> String {
    let mut text = "byte g; chan c = [4] of { byte };\n".to_string();
    for i in 0..3_000 {
        text += &format!(
            "active proctype P{i}() {{ byte x; do :: c!x; x++ :: c?x; g = g + x :: x > 3 -> break od }}\n"
        );
    }
    text
}

#[test]
fn between_two_looks_little_is_read_of_a_large_model() {
    for (what, text) in [("a long text", long()), ("labels", labels()), ("processes", processes())] {
        let (last, most, looks) =
            (Rc::new(Cell::new(ALLOCATIONS.get())), Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let (at, longest, count) = (last.clone(), most.clone(), looks.clone());
        let begun = ALLOCATIONS.get();
        let look = move || {
            let now = ALLOCATIONS.get();
            longest.set(longest.get().max(now - at.replace(now)));
            count.set(count.get() + 1);
            false
        };
        let system = interrupt::until(look, || read(&text)).expect("nobody stops it");
        let whole = ALLOCATIONS.get() - begun;
        let since_last = ALLOCATIONS.get() - last.get();
        drop(system);
        assert!(whole > 5 * SOON, "{what}: {whole} allocations are not large");
        assert!(most.get() <= SOON, "{what}: {} allocations without a look, of {whole}", most.get());
        assert!(since_last <= SOON, "{what}: {since_last} allocations after the last look");
        assert!(looks.get() > 100, "{what}: {} looks", looks.get());
    }
}

#[test]
fn reading_ends_at_the_look_that_says_so_wherever_it_is() {
    let text = labels();
    for stop_at in [1, 10, 100, 300] {
        let looks = Rc::new(Cell::new(0));
        let count = looks.clone();
        let look = move || {
            count.set(count.get() + 1);
            count.get() >= stop_at
        };
        assert_eq!(interrupt::until(look, || drop(read(&text))), Err(Interrupted));
        assert_eq!(looks.get(), stop_at);
    }
}
