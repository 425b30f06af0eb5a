//! Small models: some by hand, for what the rules speak of, and any number at random.

use super::Random;
use promela::Options;
use promela::diagnostic::Severity;
use promela::model::Scalar;
use std::fmt::Write;
use system::automaton::System;

/// Each has something that a rule is about.
pub const BY_HAND: &[&str] = &[
    // What the certificates that were accepted once spoke of.
    "chan c = [4] of { byte }; active proctype P() { do :: c!1 od }
     active proctype Q() { byte x; x = 1; do :: x = 1 - x od }",
    "chan c = [1] of { byte }; byte n; byte k; active proctype P() { do :: n = 1 - n :: n == 7 -> progress: skip od }
     active proctype Q() { skip }",
    "active proctype Q() { chan p = [4] of { byte }; p!1; p!1; p!1; (false) }",
    "chan q = [1] of { chan }; chan c = [4] of { byte }; proctype H() { chan y = [1] of { byte }; q!y; (false) }
     active proctype Z() { byte x = 3; chan v; (_nr_pr == 1); run H(); q?v; if :: v == x -> do :: c!1 od :: else -> skip fi }
     active proctype P() { chan p = [1] of { byte }; skip }",
    "chan c = [4] of { byte }; byte d; bool b; active proctype P() { b = (d != 0 && 10 / d > 2); do :: c!1 od }",
    "chan c = [4] of { byte }; proctype Q() { c!1 } init { run Q(); run Q(); run Q() }",
    // Ping-pong, windows, credits.
    "chan c = [1] of { byte }; chan d = [1] of { byte }; active proctype P() { byte x; do :: c!1; d?x od }
     active proctype Q() { byte x; do :: c?x; d!1 od }",
    "chan c = [2] of { byte }; chan d = [2] of { byte }; active proctype P() { byte n; do :: n < 2 -> c!1; n++ :: d?1 -> n-- od }
     active proctype Q() { do :: c?1 -> progress: d!1 od }",
    "chan c = [3] of { byte }; active proctype P() { do :: len(c) < 2 -> c!1 :: else -> skip od } active proctype Q() { do :: c?_ od }",
    "chan c = [3] of { byte }; active proctype P() { do :: c!1 :: len(c) < 2 -> skip :: else -> c!2 od } active proctype Q() { do :: c?_ od }",
    "chan c = [3] of { byte }; active proctype P() { do :: empty(c) -> c!1 od } active proctype Q() { byte x; do :: c?x od }",
    // `else` that does not stand last.
    "chan c = [2] of { byte }; byte x; active proctype P() { do :: x > 0 -> x-- :: else -> c!1; x = 1 :: x < 2 -> x++ od } active proctype Q() { do :: c?_ od }",
    // d_step, atomic, peaks.
    "chan c = [4] of { byte }; active proctype P() { do :: d_step { c!1; c!1; c?_; c?_ } od }",
    "chan c = [4] of { byte }; active proctype P() { do :: atomic { c!1; c!1; c?_; c?_ } od }",
    "chan c = [4] of { byte }; byte g; active proctype P() { do :: d_step { g < 1 -> g++; c!1 } :: d_step { c?1 -> g-- } od }",
    // Rendezvous.
    "chan r = [0] of { byte }; chan c = [2] of { byte }; active proctype P() { do :: r!1; c!1 od } active proctype Q() { do :: c?1; r?1 od }",
    "chan r = [0] of { byte }; byte g; active proctype P() { do :: r!2 :: g == 2 -> g = 0 od } active proctype Q() { do :: r?g od }",
    "chan r = [0] of { byte }; chan c = [2] of { byte }; active [2] proctype P() { byte x; do :: r!1 :: r?x; c!x :: c?x od }",
    // Globals that several look at.
    "byte t; chan c = [2] of { byte }; active [2] proctype P() { do :: t == _pid -> c!1; c?_; t = 1 - t od }",
    "byte t; chan c = [2] of { byte }; active proctype P() { do :: t == 0 -> c!1; t = 1 od } active proctype Q() { do :: t == 1 -> c?_; t = 0 od }",
    "bool lock; chan c = [2] of { byte }; active [2] proctype P() { do :: atomic { !lock -> lock = 1 }; c!1; c?_; lock = 0 od }",
    "byte a, b; chan c = [2] of { byte }; active proctype P() { do :: a = b + 1; c!a :: b = a; c?_ :: (a > 2) -> a = 0; b = 0 od }",
    "int n; chan c = [2] of { int }; active proctype P() { do :: n = n * 2 + 1; c!n; c?_ :: n > 100 -> n = 0 - n od }",
    "byte n; chan c = [2] of { byte }; active proctype P() { do :: n++; c!n :: c?_ od }",
    // Numbers at which only some ways round look.
    "byte n, m; chan c = [2] of { byte }; active proctype P() { do :: n++; c!n :: c?m :: m == 3 -> c!1 :: n < 3 -> c!2 od }",
    "byte n; chan c = [2] of { byte }; chan d = [2] of { byte }; active proctype P() { byte x; do :: c!n; n++; d!n :: c?x; d!x :: d?2 -> c!1 :: d?_ od }",
    "byte n, a[2]; chan c = [2] of { byte }; active proctype P() { do :: atomic { n++; a[n % 2] = n }; c!1 :: a[0]++; c!2 :: a[1] == 1 -> c?_ :: n > 2 -> c!a[0] od }
     active proctype Q() { byte x; do :: c?x :: x++ :: x > 3 -> progress: x = 0 od }",
    "byte n; chan c = [2] of { byte }; active proctype P() { do :: n++; if :: n > 3 -> c!1 :: else -> c!2 fi :: { n++; c!3 } unless { n == 2 } :: timeout -> n = 0 od }
     active proctype Q() provided (n < 5) { byte x; do :: c?x -> c!x; c!x :: x = x + n od }",
    // Order of messages.
    "chan c = [2] of { byte }; active proctype P() { do :: c!1; c!2 od } active proctype Q() { byte x; do :: c?1; c?2 od }",
    "chan c = [2] of { byte }; chan d = [2] of { byte }; active proctype P() { do :: c!1; c!2; d?_ od }
     active proctype Q() { do :: c?1 :: c?2 -> d!1 od }",
    "chan c = [2] of { byte, byte }; active proctype P() { do :: c!1,2 :: c!2,1 od } active proctype Q() { byte x, y; do :: c?x,eval(y) :: c??2,y od }",
    "chan c = [3] of { byte }; active proctype P() { do :: c!!2 :: c!!1 od } active proctype Q() { byte x; do :: c??1 :: c?<x> :: c?x od }",
    // Who only copies may name fewer fields.
    "chan c = [2] of { byte, byte }; active proctype P() { byte x; do :: c!1,2 :: c?<x> :: c?1,2 od }",
    // Channels as values.
    "chan a = [1] of { byte }; chan b = [1] of { byte }; active proctype P() { chan x; x = a; do :: x!1; x?_ :: x = b :: x == a -> x = b od }",
    "chan a = [1] of { chan }; active proctype P() { chan p = [1] of { byte }; a!p; do :: p?_ od } active proctype Q() { chan x; a?x; do :: x!1 od }",
    "chan a[2] = [1] of { byte }; byte i; active proctype P() { do :: a[i]!1 :: i = 1 - i :: a[i]?_ od }",
    "chan a[2] = [1] of { byte }; active [2] proctype P() { do :: a[_pid]!1 :: a[1 - _pid]?_ od }",
    "chan a = [1] of { byte }; chan b = [1] of { byte }; byte k; active proctype P() { chan x; if :: x = a :: x = b fi; k = x; if :: k == 1 -> do :: a!1 od :: else -> skip fi }",
    "chan a = [2] of { byte }; proctype W(chan o; byte n) { do :: n > 0 -> o!n; n-- :: else -> break od } init { run W(a, 1); run W(a, 2); do :: a?_ od }",
    "proctype W() { chan own = [2] of { byte }; own!1; own?_ } init { do :: run W(); (_nr_pr == 1) od }",
    "byte x = 1; chan a = [2] of { byte }; active proctype P() { do :: a!x :: a?_; x = 1 od }",
    "byte x = 1; byte y = 2; chan a = [1] of { byte }; chan b = [1] of { byte }; active proctype P() { do :: x == 1 -> a!y; a?_ :: y == 2 -> b!x; b?_ od }",
    // Processes that come and go.
    "chan c = [2] of { byte }; proctype W() { c!1 } init { do :: _nr_pr < 3 -> run W() :: c?_ od }",
    "chan c = [2] of { byte }; byte n; proctype W() { c!1; n-- } init { do :: n < 2 -> n++; run W() :: c?_ od }",
    "chan c = [2] of { byte }; byte p; proctype W(byte x) { c!x } init { p = run W(1); p = run W(2); do :: c?_ -> progress: skip od }",
    "chan c = [2] of { byte }; byte g; proctype W() { do :: g == 1 -> c!1; g = 0 od } init { run W(); do :: g == 0 -> g = 1 :: c?_ od }",
    // Names of channels whose process has ended, when another process has a channel of that number.
    "chan q = [1] of { chan }; proctype H() { chan y = [1] of { byte }; q!y } proctype W() { chan w = [4] of { byte }; (false) }
     init { chan v; run H(); q?v; (_nr_pr == 1); run W(); v!1; (false) }",
    "chan g; proctype H() { chan y = [1] of { byte }; g = y } proctype W() { chan w = [2] of { byte }; do :: w?_ od }
     init { run H(); (_nr_pr == 1); run W(); do :: g!1 od }",
    "chan q = [2] of { chan }; chan d = [1] of { byte }; proctype H() { chan y = [1] of { byte }; q!y; q!y }
     init { chan v; run H(); q?v; (_nr_pr == 1); run H(); do :: v!2 :: q?v od }",
    // Two who send to one, two who receive from one, and one who owes what it sent.
    "chan c = [4] of { byte }; chan d = [4] of { byte }; active proctype P() { c!1; (false) } active proctype R() { do :: c!1 od }
     active proctype Q() { c?1; c?1; d!1; (false) }",
    "chan c = [4] of { byte }; chan d = [4] of { byte }; active proctype P() { c!1; c!2; (false) } active proctype Q() { do :: c?2 -> d!1 :: c?_ od }
     active proctype R() { do :: c?_ od }",
    "chan c = [4] of { byte }; chan d = [4] of { byte }; active proctype P() { byte x; do :: c!1; c!2; x = 1 - x od } active proctype Q() { do :: c?1 :: c?2 -> d!1 od }",
    "chan c = [4] of { byte }; chan d = [4] of { byte }; active proctype P() { c!1; do :: d!1 od }",
    "chan c = [4] of { byte }; chan d = [4] of { byte }; byte x; active proctype P() { do :: x = 1 - x :: c!x -> break od; do :: d!1; d?_ od } active proctype Q() { do :: x == 1 -> d!2 :: d?_ od }",
    // Who looks, while another sends.
    "chan c = [4] of { byte }; active proctype P() { do :: c!1 od } active proctype Q() { do :: len(c) < 2 -> skip od }",
    // Errors that end runs.
    "chan c = [2] of { byte }; byte a[2]; byte i; active proctype P() { do :: i++; a[i] = 1; c!1 od }",
    "chan c = [2] of { byte }; byte d; active proctype P() { byte x; do :: d = 1 - d :: x = 10 / d; c!x od } active proctype Q() { do :: c?_ od }",
    "chan c = [2] of { byte }; byte d; active proctype P() { do :: (d == 0 || 10 / d > 3) -> c!1; d = 1 - d :: c?_ od }",
    "chan c = [2] of { byte }; byte d; active proctype P() { byte x; do :: x = (d == 0 -> 1 : 10 / d); c!x :: d = (d + 1) % 3 :: c?_ od }",
    "chan c = [2] of { byte }; active proctype P() { assert(false); do :: c!1 od }",
    // Progress in several ways.
    "chan c = [2] of { byte }; active proctype P() { do :: c!1 :: progress: c?_ od }",
    "byte x; active proctype P() { do :: x < 2 -> x++ :: x == 2 -> progress: x = 0 od }",
    "byte x; active proctype P() { progress: do :: x < 2 -> x++ :: x == 2 -> x = 0 od }",
    "byte x; active proctype P() { do :: d_step { x < 2 -> x++ } :: d_step { x == 2 -> progress: x = 0 } od }",
    "chan c = [2] of { byte }; active proctype P() { byte i; do :: i < 3 -> i++; c!1 :: else -> break od } active proctype Q() { do :: c?_ od }",
    "chan c = [2] of { byte }; active proctype P() { if :: skip -> do :: c!1; c?_ od :: skip -> do :: c?_; c!1 od fi }",
    "chan c = [1] of { byte }; chan d = [1] of { byte }; active [2] proctype P() { byte x; if :: skip -> do :: c!1; d?x od :: skip -> do :: c?x; d!1; d!1 od fi }",
    // Integers that count: guards, windows, credits, what others write meanwhile, what wraps, what is reset, elements by a computed index.
    "chan c = [3] of { byte }; byte n; active proctype P() { do :: n < 3 -> c!1; n++ od } active proctype Q() { do :: c?_ od }",
    "chan c = [3] of { byte }; byte n; active [2] proctype P() { do :: n < 3 -> c!1; n++ od } active proctype Q() { do :: c?_ od }",
    "chan c = [2] of { byte }; chan d = [2] of { byte }; int s, a; active proctype P() { do :: s - a < 2 -> c!1; s++ od }
     active proctype Q() { do :: c?1 -> d!1 od } active proctype R() { do :: d?1 -> a++ od }",
    "chan c = [2] of { byte }; byte k = 2; active proctype P() { do :: k > 0 -> k--; c!1 od } active proctype Q() { do :: c?_ -> k++ od }",
    "chan c = [2] of { byte }; byte k = 2; active [2] proctype P() { do :: k > 0 -> k--; c!1 od } active proctype Q() { do :: c?_ -> k++ od }",
    "chan c = [2] of { byte }; byte k = 2; active [2] proctype P() { do :: atomic { k > 0 -> k-- }; c!1 od } active proctype Q() { do :: c?_ -> k++ od }",
    "chan c = [2] of { byte }; byte k = 2; active [2] proctype P() { do :: d_step { k > 0 -> k--; c!1 } od } active proctype Q() { do :: d_step { c?_ -> k++ } od }",
    "chan r = [0] of { byte }; chan c = [2] of { byte }; byte n; active [2] proctype P() { do :: atomic { n < 2 -> r!1; n++; c!1 } od } active proctype Q() { do :: r?1 :: n = 0 od }",
    "chan r = [0] of { byte }; chan c = [2] of { byte }; byte n; active proctype P() { do :: n < 2 -> r!1; c!1 od } active proctype Q() { byte m; do :: r?m; n = n + m :: c?_ -> n-- od }",
    "chan c = [2] of { byte }; byte a[2]; byte i; active proctype P() { do :: a[0] < 2 -> a[i]++; c!1 :: i = 1 - i :: c?_ -> a[0] = 0 od }",
    "chan c = [2] of { byte }; active proctype P() { byte n; do :: n < 2 -> n++; c!1 :: n == 2 -> c?_; c?_; n = 0 od }",
    "chan c = [2] of { byte }; active proctype P() { byte n; do :: n = 1; n == 1 -> c!1 od }",
    "chan c = [2] of { byte }; chan d = [1] of { byte }; byte n; active proctype P() { do :: n < 2 -> n++; c!1 :: d?n od } active proctype Q() { do :: d!0 :: d!3 :: c?_ od }",
    "chan c = [2] of { byte }; byte n; bit y; active [2] proctype P() provided (y == 0) { do :: atomic { n < 2 -> n++ }; c!1 od } active proctype Q() { do :: y = 1 - y :: n = 2 :: c?_ -> n = 0 od }",
    "chan c = [2] of { byte }; byte n; active proctype P() { do :: { n < 2 -> skip; n++; c!1 } unless { n == 2 -> n = n + 2 } :: c?_ -> n = 0 od }",
    "unsigned n : 2; chan c = [2] of { byte }; active proctype P() { do :: n++; c!1 od } active proctype Q() { do :: c?_ od }",
    "byte x = 2, y; chan c = [2] of { byte }; active proctype P() { do :: x > 0 -> x--; y++; c!1 od } active proctype Q() { do :: y > 0 -> y--; x++; c?_ od }",
    "byte n; active proctype P() { do :: n < 3 -> n++ :: n > 1 -> progress: n = 0 od } active proctype Q() { byte m; do :: m < 2 -> m++ :: else -> break od }",
    // Guards that nothing tells.
    "chan c = [2] of { byte }; active proctype P() { do :: timeout -> c!1 :: c?_ od }",
    "chan c = [2] of { byte }; active proctype P() { do :: nfull(c) -> c!1 :: full(c) -> c?_ od }",
    "chan c = [2] of { byte }; active proctype P() { { do :: c!1 od } unless { c?[1] } }",
    "chan c = [2] of { byte }; byte x; active proctype P() provided (x == 0) { do :: c!1; x = 1 od } active proctype Q() { do :: x = 0 :: c?_ od }",
    "hidden byte h; chan c = [2] of { byte }; active proctype P() { do :: h = 1; c!1 :: c?_ od }",
    "mtype = { req, ack }; chan c = [2] of { mtype }; chan d = [2] of { mtype }; active proctype P() { do :: c!req; d?ack od } active proctype Q() { do :: c?req; d!ack od }",
    "short s; chan c = [2] of { short }; active proctype P() { do :: s = s + 20000; c!s :: c?_ od }",
    "bit b; chan c = [2] of { bit }; active proctype P() { do :: b = b + 1; c!b; c?_ od }",
    "typedef T { byte a; chan q = [2] of { byte } }; T t[2]; active proctype P() { do :: t[0].q!1; t[0].q?_ :: t[1].a++; t[1].q!1 :: t[1].q?_ od }",
    // What formulas speak of: answers, fairness, runs that end, moments inside of `atomic`.
    "chan q = [2] of { byte }; chan r = [1] of { byte }; active proctype C() { do :: q!1; wait: r?_ od } active proctype S() { do :: q?_ -> r!1 od }",
    "chan q = [2] of { byte }; chan r = [1] of { byte }; byte x; active proctype C() { do :: q!1; wait: r?_ od } active proctype S() { do :: q?_ -> r!1 od }
     active proctype Z() { do :: x = 1 - x od }",
    "byte x, y; active proctype P() { do :: x = 1; in: y = 1; x = 0; y = 0 od }",
    "byte x, y; active proctype P() { do :: atomic { x = 1; y = 1 }; atomic { x = 0; y = 0 } od } active proctype Q() { do :: x == 1 -> at: skip od }",
    "byte x, y; active proctype P() { do :: d_step { x = 1; y = 1 }; d_step { x = 0; y = 0 } od } active proctype Q() { do :: y == 1 -> at: x = 2 od }",
    "byte x; active proctype P() { x = 1; stop: (false) } active proctype Q() { (x == 1); x = 2 }",
    "byte x; active proctype P() { x = 1; do :: x == 1 -> x = 2 :: x == 2 -> x = 1 od } active proctype Q() { (x == 2) -> got: x = 0 }",
    "byte x, d; active proctype P() { (10 / d > 2) -> x = 1 } active proctype Q() { do :: x = 2 - x od }",
    "chan a = [0] of { byte }; chan b = [0] of { byte }; byte x; active proctype P() { do :: atomic { b?1; a!1 } od }
     active proctype Q() { do :: atomic { a?1; x = 1; b!1 } od } active proctype R() { b!1; (false) }",
    "chan c = [1] of { byte }; byte x; active proctype P() { c!1; x = 1; (false) } active proctype Q() { do :: c?_ -> x = 2; got: skip :: timeout -> x = 3; break od }",
    "byte x; active proctype P() provided (x < 2) { x = 1; (false) } active proctype Q() { do :: x = 2; x = 0 od }",
    "byte t; active [2] proctype P() { do :: t == _pid -> in: skip; t = 1 - t od }",
    // What a repetition may look at: a pump goes wrong when a channel that grows is seen.
    "chan c = [9] of { byte }; chan r = [0] of { byte }; active proctype P() { do :: r!3 -> break :: else -> c!1 od } active proctype Q() { r?eval(len(c)) }",
    "chan c = [9] of { byte }; chan r = [0] of { byte }; active proctype P() { do :: r!3 -> break :: else -> c!1 od } active proctype Q() provided (len(c) > 2) { r?3 }",
    "chan c = [9] of { byte }; chan r = [0] of { byte }; active proctype P() { { do :: c!1 od } unless { r!3 } } active proctype Q() { r?eval(len(c)) }",
    "chan c = [9] of { byte }; active proctype P() { do :: len(c) > 4 -> c?_; c?_ :: else -> c!1 od }",
    "chan c = [9] of { byte }; chan d = [9] of { byte }; active proctype P() { do :: c!1; if :: c?[1] -> d!1 :: else -> c?_ fi od }",
    "chan c = [9] of { byte }; active proctype P() { do :: c!1; c!2; c?_ :: c?2 -> break od }",
    "chan c = [9] of { byte }; active proctype P() { do :: timeout -> c!1 od } active proctype Q() { do :: len(c) == 3 -> c?_; c?_ od }",
    "chan c = [9] of { byte }; active proctype P() { do :: atomic { c!1; len(c) > 2 -> c?_; c?_ } od } active proctype Q() { do :: c!2 od }",
    "chan c = [9] of { byte }; active proctype P() { do :: d_step { c!1; if :: len(c) > 3 -> c?_; c?_ :: else fi } od }",
    "chan c = [9] of { byte }; active proctype P() { byte x; do :: c!!2 :: c!!1 :: c??2 :: c?<x> -> x = 0 od }",
    "chan c = [9] of { byte }; proctype W() { c!1; (false) } init { do :: run W() od }",
    "chan c = [9] of { byte }; proctype W() { run W(); c!1 } init { run W() }",
    "chan c = [9] of { byte }; chan r = [0] of { byte }; proctype W() { c!1; r?1 } init { do :: r!1 -> break :: else -> run W() od }",
    "chan c = [9] of { byte }; byte x; active proctype P() { do :: x == 0 -> c!1; x = 1 :: x == 1 -> progress: c!1; x = 0 od }",
    "chan c = [9] of { byte }; active proctype P() provided (len(c) < 4) { do :: c!1 od }",
    "chan c = [9] of { byte }; byte x; active proctype P() { do :: atomic { x = 1; if :: x == 0 :: len(c) > 3 fi } od } active proctype Q() { do :: x == 1 -> c!1; x = 0 od }",
    "chan c = [9] of { byte }; active proctype P() { c!1; do :: c!2; c?1 od }",
    "chan c = [9] of { byte }; chan d = [9] of { byte }; active proctype P() { do :: c!1 :: c?1; d!1 od }",
    "proctype W() { chan own = [4] of { byte }; do :: own!1 :: break od } init { do :: run W(); (_nr_pr == 1) od }",
    "chan c = [9] of { byte }; proctype W() { c!1; (_pid < 6) -> run W(); (false) } init { run W(); (false) }",
    "chan c = [9] of { byte }; proctype W() { c!1; (_nr_pr < 7) -> run W(); (false) } init { run W(); (false) }",
    // Any number of processes: locks, tokens that are handed round, what each adds, names of channels, places where all begin.
    "bool lock; byte n; active [2] proctype P() { do :: atomic { !lock -> lock = 1 }; n++; in: n--; lock = 0 od }",
    "chan t = [1] of { byte }; byte n; active proctype I() { t!1; (false) } active [2] proctype W() { do :: t?1; n++; in: n--; t!1 od }",
    "chan c = [2] of { byte }; byte n; active [2] proctype P() { begin: c!1; n++; (false) } active proctype Q() { do :: c?_ od }",
    "chan c = [2] of { byte }; chan d = [2] of { byte }; active [3] proctype P() { do :: c!1; d?_ od } active proctype Q() { do :: c?_; d!1 od }",
    "byte n; active [2] proctype P() { n = 1 - n; there: do :: n == 1 -> n = 0 :: n == 0 -> n = 1 od } active proctype Q() { do :: n == 2 -> n = 0 od }",
    "chan r = [0] of { byte }; byte n; active [2] proctype P() { do :: r!1 :: r?1 -> n = 1; n = 0 od }",
    "int k; chan c = [1] of { byte }; active [2] proctype P() { chan own = [1] of { byte }; k = own; do :: own!1; own?_ od }",
    "chan c = [3] of { byte }; byte n; active [2] proctype P() { byte x; do :: atomic { n < 2 -> n++ }; c!1; c?x; n-- od }",
];

/// The model with two formulas about what it has: numbers, buffers, labels.
pub fn with_formulas(text: &str, random: &mut Random) -> String {
    let Some(system) = read(text) else { return text.to_string() };
    let mut propositions = Vec::new();
    let is_plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    for slot in system.global_slots.iter().filter(|slot| is_plain(&slot.name)) {
        let name = &slot.name;
        propositions.extend(match slot.scalar {
            Scalar::Chan => {
                vec![format!("len({name}) < 2"), format!("len({name}) == 0"), format!("len({name}) > 0")]
            }
            _ => vec![format!("{name} == {}", random.below(3)), format!("{name} < {}", 1 + random.below(3))],
        });
    }
    for (_, automaton) in system.process_automata() {
        for (label, _) in &automaton.labels {
            propositions.push(format!("{}@{label}", automaton.name));
            propositions.push(format!("{}[*]@{label} < {}", automaton.name, 1 + random.below(2)));
        }
    }
    let mut whole = text.to_string();
    for number in 0..2 {
        let mut proposition = || random.pick(&propositions).map_or("true".into(), |text| format!("({text})"));
        let (a, b) = (proposition(), proposition());
        let formula = match random.below(12) {
            0 | 1 => format!("[] {a}"),
            2 => format!("<> {a}"),
            3 => format!("[] (! {a})"),
            4 | 5 => format!("[] ({a} -> <> {b})"),
            6 => format!("{a} U {b}"),
            7 => format!("{a} W {b}"),
            8 => format!("[] <> {a}"),
            9 => format!("<> [] {a}"),
            10 => format!("[] ({a} -> X {b})"),
            _ => format!("(<> {a}) -> (<> {b})"),
        };
        let longer = format!("{whole}\nltl f{number} {{ {formula} }}");
        if read(&longer).is_some() {
            whole = longer;
        }
    }
    whole
}

/// Reads and lowers a text; `None` if there is an error in it.
pub fn read(text: &str) -> Option<System> {
    let (model, diagnostics) = promela::read("forged.pml", text, &Options::default(), &promela::NoIncludes);
    let is_error = |d: &promela::diagnostic::Diagnostic| d.severity == Severity::Error;
    if diagnostics.iter().any(is_error) {
        return None;
    }
    let (system, diagnostics) = system::lower::lower(model);
    (!diagnostics.iter().any(is_error)).then_some(system)
}

/// A small random model.
pub fn random(random: &mut Random) -> String {
    let mut text = String::new();
    let channels = 1 + random.below(2);
    for index in 0..channels {
        let capacity = [0, 1, 2, 2, 3][random.below(5)];
        let _ = writeln!(text, "chan c{index} = [{capacity}] of {{ byte }};");
    }
    let _ = writeln!(text, "byte g0; byte g1;");
    if random.percent(20) {
        names(random, &mut text);
    } else if random.percent(35) {
        orders(random, &mut text);
        return text;
    } else if random.percent(35) {
        counters(random, &mut text);
        return text;
    }
    let processes = 1 + random.below(3);
    let runs = random.percent(30);
    if runs {
        let body = statements(random, channels, false, 2);
        let _ = writeln!(text, "proctype W(byte x) {{ {body} }}");
    }
    for index in 0..processes {
        let active = if random.percent(20) { "active [2]" } else { "active" };
        let body = statements(random, channels, runs, 3);
        let _ = writeln!(text, "{active} proctype P{index}() {{ byte x; {body} }}");
    }
    text
}

/// Processes that tell others their own channel, and may end before it is used.
fn names(random: &mut Random, text: &mut String) {
    let (tell, hear) =
        [("q!own", "q?v"), ("told = own", "v = told"), ("told = own; q!own", "q?v")][random.below(3)];
    let end = ["skip", "own?_", "(false)", "own?_; own?_"][random.below(4)];
    let wait = ["skip", "(_nr_pr < 4)", "timeout", "(_nr_pr == 2)"][random.below(4)];
    let second = ["run Owner()", "run Idle()"][random.below(2)];
    let send = ["v!1", "do :: v!2 od", "v!1; v!2"][random.below(3)];
    let size = random.below(3);
    let _ = writeln!(
        text,
        "chan q = [{size}] of {{ chan }}; chan told;
         proctype Owner() {{ chan own = [2] of {{ byte }}; {tell}; {end} }}
         proctype Idle() {{ chan mine = [2] of {{ byte }}; (false) }}
         active proctype Teller() {{ chan v; run Owner(); {hear}; {wait}; {second}; {send} }}"
    );
}

/// Who receives in an order that somebody sends in, while perhaps another sends or receives, too.
fn orders(random: &mut Random, text: &mut String) {
    let mut few = |sign: &str| -> String {
        let each: Vec<String> =
            (0..1 + random.below(3)).map(|_| format!("a{sign}{}", 1 + random.below(2))).collect();
        each.join("; ")
    };
    let (sends, takes, more, fewer) = (few("!"), few("?"), few("!"), few("?"));
    let sender = [format!("{sends}; (false)"), format!("do :: {sends}; x = 1 - x od")];
    let receiver = [
        format!("{takes}; b!1; (false)"),
        "do :: a?1 :: a?2 -> b!1 od".to_string(),
        format!("do :: {takes}; b!1 od"),
    ];
    let other =
        [String::new(), format!("do :: {more} od"), format!("do :: {fewer} od"), format!("{more}; (false)")];
    let _ = writeln!(text, "chan a = [4] of {{ byte }}; chan b = [4] of {{ byte }};");
    let _ = writeln!(text, "active proctype Sends() {{ byte x; {} }}", sender[random.below(2)]);
    let _ = writeln!(text, "active proctype Takes() {{ {} }}", receiver[random.below(3)]);
    let other = &other[random.below(4)];
    if !other.is_empty() {
        let _ = writeln!(text, "active proctype Other() {{ {other} }}");
    }
}

/// Who counts what is sent, or what may be, and asks the counter first; with or without control meanwhile; and perhaps another who counts, too.
fn counters(random: &mut Random, text: &mut String) {
    let kind = ["byte n, m", "int n, m", "short n, m", "unsigned n : 2; byte m"][random.below(4)];
    let top = 1 + random.below(3);
    let guards = [
        format!("n < {top}"),
        format!("{top} > n"),
        format!("!(n >= {top})"),
        format!("n != {top}"),
        format!("n - m < {top}"),
        format!("n < m + {top}"),
        format!("(n < {top} && m < 3)"),
        format!("(n + 1 <= {top} || m == 9)"),
        format!("n < {} - m", top + 1),
    ];
    let guard = &guards[random.below(guards.len())];
    let up = ["n++", "n = n + 1", "n = 1 + n", "n = n + m", "n++; m++"][random.below(5)];
    let mut body = match random.below(3) {
        0 => format!("{guard} -> {up}; c0!1"),
        1 => format!("{guard} -> c0!1; {up}"),
        _ => format!("{guard} -> {up}"),
    };
    body = match random.below(4) {
        0 => format!("atomic {{ {body} }}"),
        1 => format!("d_step {{ {body} }}"),
        _ => body,
    };
    let more = ["", "; c0!2", "; m--"][random.below(3)];
    let active = if random.percent(25) { "active [2]" } else { "active" };
    let other = ["", " :: else -> n = 0", " :: n = m", " :: c0?n"][random.below(4)];
    let _ = writeln!(text, "{kind};\n{active} proctype Counts() {{ do :: {body}{more}{other} od }}");
    let down = ["n--", "m++", "n = n - 1", "n = 0", "skip", "m = n", "n = n - m"][random.below(7)];
    let takes =
        [format!("c0?_ -> {down}"), format!("atomic {{ c0?_ -> {down} }}"), format!("n > 0 -> {down}")];
    let takes = &takes[random.below(3)];
    let _ = writeln!(text, "active proctype Takes() {{ byte own; do :: {takes} :: own < 2 -> own++ od }}");
}

fn statements(random: &mut Random, channels: usize, runs: bool, depth: usize) -> String {
    let count = 1 + random.below(3);
    let each: Vec<String> = (0..count).map(|_| statement(random, channels, runs, depth)).collect();
    each.join("; ")
}

fn statement(random: &mut Random, channels: usize, runs: bool, depth: usize) -> String {
    let c = random.below(channels);
    let k = random.below(3);
    let v = ["x", "g0", "g1"][random.below(3)];
    match random.below(if depth > 0 { 20 } else { 14 }) {
        0 | 1 => format!("c{c}!{k}"),
        2 => format!("c{c}!{v}"),
        3 | 4 => format!("c{c}?{v}"),
        5 => format!("c{c}?{k}"),
        6 => format!("{v} = {k}"),
        7 => format!("{v} = 1 - {v}"),
        8 => format!("({v} == {k})"),
        9 if runs => format!("run W({k})"),
        9 => "skip".to_string(),
        10 => format!("(len(c{c}) < {})", 1 + k),
        11 => format!("d_step {{ {v} = {k}; {v} = {v} + 1 }}"),
        12 => match k {
            0 => format!("c{c}?[{k}]"),
            1 => format!("nempty(c{c})"),
            _ => format!("c{c}?eval(len(c0))"),
        },
        13 => match k {
            0 => format!("c{c}?<{v}>"),
            1 => format!("c{c}??1"),
            _ => "timeout".to_string(),
        },
        18 => {
            let (main, escape) =
                (statements(random, channels, runs, depth - 1), statement(random, channels, false, 0));
            format!("{{ {main} }} unless {{ {escape} }}")
        }
        19 => format!("atomic {{ {} }}", statements(random, channels, runs, 0)),
        kind => {
            let options: Vec<String> = (0..1 + random.below(3))
                .map(|index| {
                    let label = match random.percent(12) {
                        true => format!("progress{depth}{index}{}: ", random.below(100_000)),
                        false => String::new(),
                    };
                    format!(":: {label}{}", statements(random, channels, runs, depth - 1))
                })
                .collect();
            let other = if random.percent(30) { " :: else -> skip" } else { "" };
            match kind {
                14 | 15 => format!("do {}{other} od", options.join(" ")),
                16 => format!("if {}{other} fi", options.join(" ")),
                _ => format!("do {}{other} :: break od", options.join(" ")),
            }
        }
    }
}
