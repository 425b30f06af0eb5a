//! How the proofs scale: leader-election rings of growing size, in the manner of SPIN's `leader0` (each node reads one
//! channel of an array and writes the next). `cargo run --release -p proofs --example rings -- 5 50 500 5000`.
//!
//! For each size: the seconds of computing (Linux; elsewhere all are 0) to read the model, to prove that every buffer is bounded and by how much, to prove that in every endless run some node handles
//! messages again and again, to write
//! the certificates as JSON and to check them again; and the exponent of growth from the size before.

use std::collections::BTreeMap;
use std::sync::Arc;
use system::progress::{ProgressAt, ProgressPlace};

use certificate::Certificate;
use proofs::{BoundsOptions, Fact, Nobody, ProgressOptions, bounds, progress};

/// The protocol of Dolev, Klawe and Rodeh (1982), with channels that are parameters.
const RING: &str = "
mtype = { one, two, winner };
chan q[N] = [2 * N] of { mtype, int };
int leaders = 0;

proctype node(chan inp, out; int mine) {
	bool racing = true, known = false;
	int value, maximum = mine, neighbour;
	xr inp;
	xs out;
	out!one(mine);
end:	do
	:: inp?one(value) ->
	   if
	   :: racing ->
	      if
	      :: value != maximum -> out!two(value); neighbour = value
	      :: else -> assert(value == N); known = true; out!winner(value)
	      fi
	   :: else -> out!one(value)
	   fi
	:: inp?two(value) ->
	   if
	   :: racing ->
	      if
	      :: neighbour > value && neighbour > maximum -> maximum = neighbour; out!one(neighbour)
	      :: else -> racing = false
	      fi
	   :: else -> out!two(value)
	   fi
	:: inp?winner(value) ->
	   if
	   :: value != mine
	   :: else -> leaders++; assert(leaders == 1)
	   fi;
	   if
	   :: known
	   :: else -> out!winner(value)
	   fi;
	   break
	od
}

init {
	int i = 1;
	atomic {
		do
		:: i <= N -> run node(q[i - 1], q[i % N], (N + 3 - i) % N + 1); i++
		:: i > N -> break
		od
	}
}
";

/// Seconds that this thread has computed: on a machine that others use too, the time on the wall says little.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    nanoseconds / 1e9
}

fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![5, 50, 500];
    }
    println!(
        "{:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}  answers",
        "N", "read s", "bounds s", "progr. s", "check s", "MB", "total s"
    );
    let mut before: Option<(usize, f64)> = None;
    for size in sizes {
        let started = cpu_seconds();
        let defines = vec![("N".to_string(), size.to_string())];
        let options = promela::Options { defines, ..promela::Options::default() };
        let (model, _) = promela::read("ring.pml", RING, &options, &promela::NoIncludes);
        let (system, _) = system::lower::lower(model);
        let read = cpu_seconds() - started;
        let asked = cpu_seconds();
        let nobody = Nobody::default();
        bounds(&system, &BoundsOptions::default(), &nobody);
        let bounding = cpu_seconds() - asked;
        let asked = cpu_seconds();
        let handled = ProgressAt::Places(vec![ProgressPlace::Label("end".into())]);
        let options = ProgressOptions { progress: handled, ..ProgressOptions::default() };
        progress(&system, &options, &nobody);
        let ending = cpu_seconds() - asked;
        let total = cpu_seconds() - started;

        let mut certificates: Vec<Arc<Certificate>> = Vec::new();
        let mut answers = Vec::new();
        let mut bounds: BTreeMap<String, u64> = BTreeMap::new();
        for fact in nobody.facts() {
            let certificate = match fact {
                Fact::AllBounded(certificate) => {
                    answers.push("all bounded".to_string());
                    certificate
                }
                Fact::LivelockFree(certificate) => {
                    answers.push("progress".to_string());
                    certificate
                }
                Fact::AtMost { buffer, bound, certificate } => {
                    bounds.entry(buffer).and_modify(|least| *least = bound.min(*least)).or_insert(bound);
                    certificate
                }
                Fact::FairProgress(_) | Fact::Buffers(_) | Fact::Formula { .. } | Fact::Suspicious(_) => {
                    continue;
                }
            };
            if !certificates.iter().any(|known| Arc::ptr_eq(known, &certificate)) {
                certificates.push(certificate);
            }
        }
        if let (Some(least), Some(most)) = (bounds.values().min(), bounds.values().max()) {
            answers.push(format!("{} bounds {least}..{most}", bounds.len()));
        }
        let bytes: usize = certificates
            .iter()
            .map(|certificate| serde_json::to_string(&**certificate).map_or(0, |text| text.len()))
            .sum();
        let asked = cpu_seconds();
        for certificate in &certificates {
            certificate::check::check(&system, certificate).expect("a certificate that was checked already");
        }
        let checking = cpu_seconds() - asked;
        let growth = before.map_or(String::new(), |(smaller, seconds)| {
            let exponent = (total / seconds).ln() / (size as f64 / smaller as f64).ln();
            format!(", growth N^{exponent:.2}")
        });
        println!(
            "{size:>6} {read:>8.3} {bounding:>9.3} {ending:>9.3} {checking:>9.3} {:>9.2} {total:>9.3}  {}{growth}",
            bytes as f64 / 1e6,
            answers.join(", ")
        );
        before = Some((size, total));
    }
}
