//! `--memory` is kept: the largest resident size that the program ever had is at most a twentieth above it. The model has far more states
//! than fit, and values that are large, so that memory is full soon.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};

const LIMIT: u64 = 200 << 20;

/// Every state has another value of a large array.
const LARGE_VALUES: &str = "
    int a[60]; byte turn;
    active [2] proctype P() {
        byte i;
        do
        :: a[i % 60] = a[(i + 7) % 60] * 3 + turn + 1; turn++
        :: i++; a[59]++
        :: progress: a[3] = a[3] + turn
        od
    }";

/// The most kilobytes that a run had, and what it said.
#[allow(clippy::zombie_processes, reason = "wait4 waits, and tells what the program has used")]
fn run(model: &Path, arguments: &[&str]) -> (u64, String) {
    unsafe extern "C" {
        fn wait4(pid: i32, status: *mut i32, options: i32, usage: *mut [i64; 64]) -> i32;
    }
    const MOST_RESIDENT: usize = 4;
    let output = model.with_extension("out");
    let file = std::fs::File::create(&output).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(arguments).arg(model).args(["--memory", "200M", "--time", "10m"]);
    let child = command.stdout(Stdio::from(file)).stderr(Stdio::null()).spawn().expect("it starts");
    let (mut status, mut usage) = (0, [0; 64]);
    // SAFETY: both places live longer than the call, and that for the usage is larger than what the system writes (18 words).
    let waited = unsafe { wait4(child.id() as i32, &mut status, 0, &mut usage) };
    assert_eq!(waited, child.id() as i32);
    (usage[MOST_RESIDENT] as u64, std::fs::read_to_string(&output).expect("it says something"))
}

#[test]
fn the_limit_on_memory_is_kept_by_a_search_for_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("large.pml");
    std::fs::write(&model, LARGE_VALUES).expect("written");
    for threads in ["1", "2"] {
        let (kilobytes, said) = run(&model, &["search", "--full", "--threads", threads]);
        assert!(
            said.contains("memory limit of 200 MB"),
            "{threads} threads did not come to the limit:\n{said}"
        );
        let most = LIMIT / 1024 / 100 * 105;
        assert!(kilobytes <= most, "{threads} threads: {kilobytes} KB resident, {most} allowed");
    }
}

#[test]
fn the_limit_on_memory_is_kept_by_reading() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("long.pml");
    let statements = "    x = (x + 1) % 7; y = x * y - 3;\n".repeat(200_000);
    let text = format!("int x, y;\nactive proctype P() {{\n{statements}}}\n");
    std::fs::write(&model, text).expect("written");
    let (kilobytes, said) = run(&model, &["check"]);
    assert!(said.contains("UNKNOWN: the memory limit of 200 MB was reached"), "{said}");
    let most = LIMIT / 1024 / 100 * 105;
    assert!(kilobytes <= most, "{kilobytes} KB resident, {most} allowed");
}
