//! `plimsoll cluster` finds what `plimsoll search --full` finds, with any number of processes, also when some of them are killed.
//!
//! `PLIMSOLL_CRASHES=100` makes as many runs with processes that are killed; without it there are ten. `PLIMSOLL_NAMESPACES=1` asks for the tests in
//! network namespaces, which need rights that not everybody has.

use serde_json::Value;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Models with more states than this take too long here.
const MOST_STATES: u64 = 20_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn plimsoll(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(arguments).args(["--format", "json", "--no-keep"]).current_dir(root()).stdin(Stdio::null());
    command
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn output(command: &mut Command) -> Output {
    command.output().expect("plimsoll runs")
}

/// Everything that must be the same: figures, peaks, verdicts, what is wrong and how often.
fn facts(document: &Value) -> Vec<String> {
    let mut facts = Vec::new();
    for figure in ["states", "transitions", "depth", "atomic_steps", "channels"] {
        facts.push(format!("{figure} {}", document["search"][figure]));
    }
    for result in document["results"].as_array().into_iter().flatten() {
        facts.push(format!("{} {}", result["question"], result["verdict"]));
        facts.extend(result["notes"].as_array().into_iter().flatten().map(Value::to_string));
    }
    facts.push(document["unreached"].to_string());
    facts
}

fn addresses(processes: usize) -> Vec<String> {
    // An address of its own for each: nobody else, in this test or another, comes upon a port before it is listened to.
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let (own, next) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let address = format!("127.{}.{}.{next}:0", own / 250 % 250 + 1, own % 250);
    let listeners: Vec<TcpListener> =
        (0..processes).map(|_| TcpListener::bind(&address).expect("a port")).collect();
    listeners.iter().map(|listener| listener.local_addr().expect("an address").to_string()).collect()
}

#[test]
fn all_models_have_the_same_states_errors_and_peaks_with_one_to_four_processes() {
    let mut models: Vec<PathBuf> = std::fs::read_dir(root().join("models"))
        .expect("models")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "pml"))
        .collect();
    models.sort();
    let most = MOST_STATES.to_string();
    let mut compared = 0;
    for (place, model) in models.iter().enumerate() {
        let model = model.to_str().expect("a name");
        for capacity in ["declared", "unbounded"] {
            let common = [model, "--capacity", capacity, "--states", &most, "--time", "none"];
            let alone = output(plimsoll(&["search", "--full", "--threads", "1"]).args(common));
            let expected = json(&alone);
            let is_complete =
                expected["search"]["states"].as_u64().is_some_and(|states| states <= MOST_STATES);
            if !is_complete {
                continue;
            }
            // One, two, three and four of them, in turn; the first models with all of these.
            let numbers: Vec<usize> = if place < 6 { vec![1, 2, 3, 4] } else { vec![1 + place % 4] };
            for processes in numbers {
                let number = processes.to_string();
                let together =
                    output(plimsoll(&["cluster", "--processes", &number, "--threads", "1"]).args(common));
                assert_eq!(facts(&json(&together)), facts(&expected), "{model}, {capacity}, {processes}");
                assert_eq!(together.status.code(), alone.status.code(), "{model}, {capacity}, {processes}");
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared} searches");
}

#[test]
fn a_counterexample_is_the_shortest_and_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let traces: Vec<PathBuf> = ["alone", "together"].map(|name| folder.path().join(name)).to_vec();
    let steps = |command: &[&str], trace: &Path| {
        let name = trace.to_str().expect("a name");
        let model = "models/perf-philosophers.pml";
        let found = output(plimsoll(command).args([model, "--shortest", "--trace", name]));
        assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stderr));
        let replayed = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["replay", name])
            .current_dir(root())
            .output()
            .expect("plimsoll runs");
        assert!(replayed.status.success());
        let trace: Value =
            serde_json::from_str(&std::fs::read_to_string(trace).expect("written")).expect("JSON");
        trace["steps"].as_array().expect("steps").len()
    };
    let alone = steps(&["search", "--full"], &traces[0]);
    assert_eq!(steps(&["cluster", "--processes", "3"], &traces[1]), alone);
}

/// Numbers that look random, the same for the same seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }
}

/// One that is not searched before something happens, as fast as the program is.
const CRASHED_MODEL: [&str; 2] =
    ["models/perf-peterson.pml", if cfg!(debug_assertions) { "-DN=3" } else { "-DN=4" }];
/// One that no machine searches before it is interrupted.
const LARGE_MODEL: [&str; 2] = ["models/perf-peterson.pml", "-DN=6"];

/// Starts a generation with so many processes, each of its own.
fn generation(folder: &Path, processes: usize, model: [&str; 2]) -> Vec<Child> {
    let hosts = folder.join("hosts");
    std::fs::write(&hosts, addresses(processes).join("\n")).expect("written");
    let begun = folder.join("run/cluster.json").exists();
    let start = |index: usize| {
        plimsoll(&["cluster", model[0], model[1], "--time", "none", "--threads", "1"])
            .args(["--commit", "10ms", "--wait", "10s", "--index", &index.to_string(), "--hosts"])
            .arg(&hosts)
            .arg(if begun { "--resume" } else { "--disk" })
            .arg(folder.join("run"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("plimsoll runs")
    };
    (0..processes).map(start).collect()
}

/// Waits until there is something to lose: a process of the run has committed its states three times.
fn until_committed(run: &Path, process: usize) {
    let commit = run.join(format!("g000001/m{process:04}/000003.json"));
    let until = Instant::now() + Duration::from_secs(60);
    while !commit.exists() {
        assert!(Instant::now() < until, "nothing was committed");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a process has ended; the others of a process that was killed must not go on for long.
fn ended(mut child: Child) -> Output {
    let until = Instant::now() + Duration::from_secs(120);
    while child.try_wait().expect("it is there").is_none() {
        if Instant::now() > until {
            let _ = child.kill();
            panic!("a process does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("its output")
}

/// Kills processes at random, one or two at once, and goes on with others until the search is complete.
fn crash(seed: u64, expected: &[String]) -> u64 {
    let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let folder = tempfile::tempdir().expect("a folder");
    let mut killed = 0;
    for round in 0.. {
        let processes = 1 + numbers.below(4) as usize;
        let mut team = generation(folder.path(), processes, CRASHED_MODEL);
        let is_last = round == 4;
        let mut victims = Vec::new();
        if !is_last {
            std::thread::sleep(Duration::from_millis(numbers.below(900)));
            for _ in 0..1 + numbers.below(2) {
                let victim = numbers.below(processes as u64) as usize;
                let _ = team[victim].kill();
                victims.push(victim);
            }
            killed += victims.len() as u64;
        }
        let outputs: Vec<Output> = team.into_iter().map(ended).collect();
        let first = &outputs[0];
        let said = String::from_utf8_lossy(&first.stdout);
        let document: Option<Value> = serde_json::from_str(&said).ok();
        let verdicts: Vec<String> = document.as_ref().map_or_else(Vec::new, facts);
        let claims = verdicts.iter().any(|fact| fact.contains("PROVED") || fact.contains("VIOLATED"));
        if claims || is_last {
            // Whatever is claimed is true, killed or not.
            assert_eq!(
                verdicts,
                expected,
                "seed {seed}, round {round}: {}",
                String::from_utf8_lossy(&first.stderr)
            );
            break;
        }
    }
    killed
}

#[test]
fn processes_that_are_killed_change_nothing() {
    let runs: u64 = std::env::var("PLIMSOLL_CRASHES").ok().and_then(|runs| runs.parse().ok()).unwrap_or(10);
    let mut alone = plimsoll(&["search", "--full", "--threads", "1", "--time", "none"]);
    let expected = facts(&json(&output(alone.args(CRASHED_MODEL))));
    let killed: u64 = (1..=runs).map(|seed| crash(seed, &expected)).sum();
    assert!(killed >= runs, "{killed} processes were killed in {runs} runs");
}

#[test]
fn a_lost_process_is_named_and_nothing_is_claimed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut team = generation(folder.path(), 3, LARGE_MODEL);
    until_committed(&folder.path().join("run"), 2);
    team[2].kill().expect("it runs");
    let outputs: Vec<Output> = team.into_iter().map(ended).collect();
    assert_eq!(outputs[0].status.code(), Some(3), "{}", String::from_utf8_lossy(&outputs[0].stderr));
    let document = json(&outputs[0]);
    let text = document.to_string();
    // Whoever ends because of it is lost as well, and may be noticed first.
    assert!(text.contains("process 2 (127.") || text.contains("process 1 (127."), "{text}");
    assert!(text.contains("was lost"), "{text}");
    assert!(text.contains("what was committed is kept: --resume"), "{text}");
    assert_eq!(document["summary"]["proved"], 0);
    let other = String::from_utf8_lossy(&outputs[1].stderr);
    assert!(other.contains("process 1: process ") && other.contains("was lost"), "{other}");
    assert!(!other.contains("defect"), "{other}");
}

#[test]
fn strangers_and_garbage_are_refused_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let hosts = addresses(2);
    std::fs::write(folder.path().join("hosts"), hosts.join("\n")).expect("written");
    let start = |index: &str, run: &str, model: &str| {
        plimsoll(&["cluster", model, "--wait", "20s", "--index", index])
            .arg("--hosts")
            .arg(folder.path().join("hosts"))
            .arg("--disk")
            .arg(folder.path().join(run))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("plimsoll runs")
    };
    let mut first = start("0", "run", "models/alternating-bit.pml");
    let until = Instant::now() + Duration::from_secs(60);
    let mut stranger = loop {
        match TcpStream::connect(&hosts[0]) {
            Ok(stream) => break stream,
            Err(error) => assert!(Instant::now() < until, "nobody listens on {}: {error}", hosts[0]),
        }
        std::thread::sleep(Duration::from_millis(10));
        assert!(first.try_wait().expect("it is there").is_none(), "the first process does not listen");
    };
    stranger.write_all(&[0xFF; 200]).expect("it listens");
    // Somebody with another folder does not know the secret.
    std::fs::create_dir(folder.path().join("other")).expect("made");
    std::fs::write(folder.path().join("other/secret"), "00".repeat(32)).expect("written");
    let other = ended(start("1", "other", "models/alternating-bit.pml"));
    assert_ne!(other.status.code(), Some(0));
    let why = String::from_utf8_lossy(&other.stderr);
    assert!(why.contains("it does not know this run's secret"), "{why}");
    let model = ended(start("1", "run", "models/client-server.pml"));
    let why = String::from_utf8_lossy(&model.stderr);
    assert!(why.contains("it searches another model"), "{why}");
    let second = ended(start("1", "run", "models/alternating-bit.pml"));
    let first = ended(first);
    assert_eq!(second.status.code(), Some(0), "{}", String::from_utf8_lossy(&second.stderr));
    let said = String::from_utf8_lossy(&first.stderr);
    assert!(said.contains("was refused: it is no process of a search"), "{said}");
    assert!(json(&first)["search"]["states"].as_u64().is_some_and(|states| states > 0));
}

/// Two processes in network namespaces of their own, with a cable between them. When it is cut they end with a word, and go on later.
#[test]
fn in_network_namespaces_a_cut_cable_ends_the_search_with_a_word() {
    if std::env::var_os("PLIMSOLL_NAMESPACES").is_none() {
        return;
    }
    let ip = |arguments: &str| {
        let status = Command::new("ip").args(arguments.split(' ')).status();
        assert!(status.expect("iproute2 is there").success(), "ip {arguments}");
    };
    struct Namespaces;
    impl Drop for Namespaces {
        fn drop(&mut self) {
            for name in ["plimsoll0", "plimsoll1"] {
                let _ = Command::new("ip").args(["netns", "delete", name]).status();
            }
        }
    }
    let _namespaces = Namespaces;
    ip("netns add plimsoll0");
    ip("netns add plimsoll1");
    ip("link add plim0 netns plimsoll0 type veth peer name plim1 netns plimsoll1");
    for (side, address) in [(0, "10.99.7.1/24"), (1, "10.99.7.2/24")] {
        ip(&format!("-n plimsoll{side} address add {address} dev plim{side}"));
        ip(&format!("-n plimsoll{side} link set plim{side} up"));
        ip(&format!("-n plimsoll{side} link set lo up"));
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("hosts"), "10.99.7.1:4100\n10.99.7.2:4100\n").expect("written");
    let start = |index: usize, flag: &str, states: &str| {
        let namespace = format!("plimsoll{index}");
        Command::new("ip")
            .args(["netns", "exec", &namespace, env!("CARGO_BIN_EXE_plimsoll"), "cluster"])
            .args(LARGE_MODEL)
            .args(["--time", "none", "--commit", "20ms", "--format", "json", "--no-keep", "--states", states])
            .args(["--index", &index.to_string(), flag])
            .arg(folder.path().join("run"))
            .arg("--hosts")
            .arg(folder.path().join("hosts"))
            .current_dir(root())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ip runs")
    };
    let team: Vec<Child> = (0..2).map(|index| start(index, "--disk", "100000000")).collect();
    until_committed(&folder.path().join("run"), 1);
    ip("-n plimsoll0 link set plim0 down");
    let outputs: Vec<Output> = team.into_iter().map(ended).collect();
    assert_eq!(outputs[0].status.code(), Some(3), "{}", String::from_utf8_lossy(&outputs[0].stderr));
    let text = json(&outputs[0]).to_string();
    assert!(text.contains("process 1 (10.99.7.2:4100) was lost"), "{text}");
    ip("-n plimsoll0 link set plim0 up");
    let before = json(&outputs[0])["search"]["states"].as_u64().expect("states");
    let more = (before + 1000).to_string();
    let team: Vec<Child> = (0..2).map(|index| start(index, "--resume", &more)).collect();
    let outputs: Vec<Output> = team.into_iter().map(ended).collect();
    let after = json(&outputs[0])["search"]["states"].as_u64().expect("states");
    assert!(after > before + 1000, "{before}, {after}");
}
