//! The debug adapter: `plimsoll dap`. A counterexample or a simulation in an editor's debugger.
//!
//! Processes are threads, calls of inlines are the frames of their stacks, variables and channels are variables. The steps are those of the
//! interpreter, and all states passed are kept ([`Run`](crate::run::Run)), so one can go back as well as forth. Where the run stands, the next
//! step is known: a breakpoint stops before its line is executed.
//!
//! The protocol is small, so its messages are plain JSON here ([`protocol`]); [`session`] answers them, [`values`] shows states.

mod protocol;
mod session;
mod values;

use protocol::{Reader, Writer};
use session::Session;
use std::io::{BufRead, Write};

/// Serves over the standard input and output until the client is gone.
pub fn serve_stdio() -> bool {
    let served = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(|| serve(std::io::stdin().lock(), std::io::stdout()));
    matches!(served.map(|thread| thread.join()), Ok(Ok(Ok(()))))
}

/// Serves a client until it says goodbye or is gone.
pub fn serve(input: impl BufRead, output: impl Write) -> std::io::Result<()> {
    let mut reader = Reader::new(input);
    let mut session = Session::new(Writer::new(output));
    while let Some(request) = reader.next()? {
        if !session.handle(&request)? {
            break;
        }
    }
    Ok(())
}
