//! What a host sees of the module: a room for texts, and one question at a time.
//!
//! The host asks for a `room` of as many bytes as its question has, writes it there, and calls `ask`. Then `room(0)` is where the answer
//! is, of as many bytes as `ask` returned. It stays there until the next question.

use crate::Desk;
use serde_json::json;
use std::cell::RefCell;
use std::sync::Once;

#[link(wasm_import_module = "plimsoll")]
unsafe extern "C" {
    /// Something to tell, which the host copies before it returns.
    #[link_name = "tell"]
    safe fn tell_host(text: *const u8, bytes: usize);
}

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static DESK: RefCell<Desk> = RefCell::default();
}

/// What a defect says is told before the module traps.
static HOOK: Once = Once::new();

fn tell(text: &str) {
    tell_host(text.as_ptr(), text.len());
}

/// Room for a question; without bytes, where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    ROOM.with_borrow_mut(|room| {
        if bytes > 0 {
            room.clear();
            room.resize(bytes, 0);
        }
        room.as_mut_ptr()
    })
}

/// Answers the question in the room; how many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|defect| tell(&json!({ "defect": defect.to_string() }).to_string())));
    });
    let question = ROOM.take();
    let answer = DESK.with_borrow_mut(|desk| desk.answer(&String::from_utf8_lossy(&question), tell));
    let bytes = answer.len();
    ROOM.set(answer.into_bytes());
    bytes
}
