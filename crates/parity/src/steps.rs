//! Random runs of ours, followed by SPIN's own search: at every state of the run the two must find the same steps.
//!
//! The verifier that SPIN generates is given a guide (`guide.c`): its search, with all of SPIN's scheduling (atomic sequences,
//! rendezvous, timeouts, `unless`, priorities), is made to follow our run, and prints every step that it finds on the way.
//! Steps are named as in SPIN's trails, by process and transition.

use crate::automata::{self, SpinAutomaton};
use crate::random::Random;
use crate::spin::{Compiler, Ending, Workplace};
use std::collections::HashMap;
use std::fmt::Write;
use system::automaton::{AutomatonId, EdgeId, System};
use system::interpreter::{Capacities, Interpreter, Step};
use system::state::State;

/// What came of following runs of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// So many steps in so many runs, at each state of which both found the same steps.
    Equal {
        /// Steps taken.
        steps: usize,
        /// Runs: a model that ends is run again.
        runs: usize,
    },
    /// They disagree; in words.
    Different(Vec<String>),
    /// No comparison; why.
    NotCompared(String),
}

const GUIDE: &str = include_str!("guide.c");

/// Most runs of a model that ends early.
const MOST_RUNS: usize = 1000;

/// Takes `steps` random steps, in several runs if need be, and has SPIN follow.
pub fn follow(system: &System, workplace: &Workplace, steps: usize, seed: u64) -> Followed {
    let follower = match Follower::new(system, workplace) {
        Ok(follower) => follower,
        Err(why) => return Followed::NotCompared(why),
    };
    let mut random = Random::new(seed);
    let (mut taken, mut runs) = (0, 0);
    while taken < steps && runs < MOST_RUNS {
        let run = match follower.random_run(steps - taken, &mut random) {
            Ok(run) => run,
            Err(why) => return Followed::NotCompared(why),
        };
        match follower.differences(&run) {
            Ok(differences) if differences.is_empty() => {}
            Ok(differences) => return Followed::Different(differences),
            Err(why) => return Followed::NotCompared(why),
        }
        taken += run.taken.len();
        runs += 1;
        if run.taken.is_empty() {
            break;
        }
    }
    Followed::Equal { steps: taken, runs }
}

/// A step as SPIN's trails name it: process and transition, and those of the receiver or -1.
type Name = [i32; 4];

#[derive(Default)]
struct Run {
    taken: Vec<Name>,
    /// The steps that each state allows, the last one included.
    enabled: Vec<Vec<Name>>,
}

struct Follower<'a> {
    interpreter: Interpreter<'a>,
    workplace: &'a Workplace,
    ids: HashMap<(AutomatonId, EdgeId), i32>,
}

impl<'a> Follower<'a> {
    fn new(system: &'a System, workplace: &'a Workplace) -> Result<Self, String> {
        workplace.generate()?;
        workplace.compile("table", Compiler::Quick, &["-DNOREDUCE"])?;
        let tables = automata::spin_automata(workplace, "./table")?;
        let different = automata::differences(system, &tables);
        if let Some(first) = different.first() {
            return Err(format!("the automata differ: {first}"));
        }
        let path = workplace.folder().join("pan.c");
        let source = std::fs::read(&path).map_err(|e| e.to_string())?;
        let guided = with_guide(&String::from_utf8_lossy(&source))?;
        std::fs::write(&path, guided).map_err(|e| e.to_string())?;
        workplace.compile("guided", Compiler::Quick, &["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"])?;
        let interpreter = Interpreter::new(system, Capacities::Declared);
        Ok(Follower { interpreter, workplace, ids: transition_ids(system, &tables) })
    }

    fn random_run(&self, most: usize, random: &mut Random) -> Result<Run, String> {
        let error = |e: system::interpreter::RuntimeError| format!("runtime error: {}", e.kind);
        let mut state = self.interpreter.initial_state().map_err(error)?;
        let mut run = Run::default();
        let mut steps: Vec<Step> = Vec::new();
        loop {
            // A run ends before a step that is a runtime error: SPIN goes on there with whatever is in memory.
            if self.interpreter.steps(&state, &mut steps).is_err() {
                run.taken.pop();
                return Ok(run);
            }
            let executable = steps.iter().all(|&step| {
                let mut next = state.clone();
                self.interpreter.execute(&mut next, step, &(), &mut ()).is_ok()
            });
            if !executable {
                run.taken.pop();
                return Ok(run);
            }
            run.enabled.push(self.names(&state, &steps));
            if run.taken.len() == most {
                return Ok(run);
            }
            let Some(&step) = random.pick(&steps) else { return Ok(run) };
            run.taken.push(self.name(&state, step));
            self.interpreter.execute(&mut state, step, &(), &mut ()).map_err(error)?;
        }
    }

    fn names(&self, state: &State, steps: &[Step]) -> Vec<Name> {
        let mut names: Vec<Name> = steps.iter().map(|&s| self.name(state, s)).collect();
        names.sort_unstable();
        names
    }

    fn name(&self, state: &State, step: Step) -> Name {
        let id = |pid: system::state::Pid, edge: EdgeId| {
            self.ids[&(state.processes[pid.0 as usize].automaton, edge)]
        };
        let (process, transition) = (step.process.0 as i32, id(step.process, step.edge));
        match step.partner {
            None => [process, transition, -1, -1],
            Some(partner) => {
                [process, transition, partner.process.0 as i32, id(partner.process, partner.edge)]
            }
        }
    }

    fn differences(&self, run: &Run) -> Result<Vec<String>, String> {
        let mut guide = String::new();
        for [a, b, c, d] in &run.taken {
            let _ = writeln!(guide, "{a} {b} {c} {d}");
        }
        std::fs::write(self.workplace.folder().join("guide"), guide).map_err(|e| e.to_string())?;
        let depth = format!("-m{}", 4 * run.taken.len() + 1000);
        let done =
            self.workplace.run("./guided", &["-n", "-c0", "-w16", &depth], 60).map_err(|e| e.to_string())?;
        if done.ending != Ending::Exited(0) {
            return Err(format!("the verifier ended with {:?}: {}", done.ending, last_line(&done.output)));
        }
        let mut theirs: Vec<Vec<Name>> = vec![Vec::new(); run.enabled.len()];
        for (position, name) in done.output.lines().filter_map(listed_step) {
            match theirs.get_mut(position) {
                Some(steps) => steps.push(name),
                None => return Err(format!("SPIN is at step {position} of a shorter run")),
            }
        }
        let mut different = Vec::new();
        for (position, (ours, theirs)) in run.enabled.iter().zip(&mut theirs).enumerate() {
            theirs.sort_unstable();
            if ours != theirs {
                different.push(format!("before step {position}: {ours:?}, SPIN {theirs:?}"));
            }
        }
        Ok(different)
    }
}

fn last_line(text: &str) -> &str {
    text.lines().rfind(|l| !l.trim().is_empty()).unwrap_or("")
}

/// `step 3: 0 12 -1 -1`
fn listed_step(line: &str) -> Option<(usize, Name)> {
    let (position, numbers) = line.strip_prefix("step ")?.split_once(": ")?;
    let mut name = [0; 4];
    let mut numbers = numbers.split_whitespace();
    for part in &mut name {
        *part = numbers.next()?.parse().ok()?;
    }
    Some((position.parse().ok()?, name))
}

/// The same edge stands at the same place among the edges of its state in both tables.
fn transition_ids(system: &System, tables: &[SpinAutomaton]) -> HashMap<(AutomatonId, EdgeId), i32> {
    let mut ids = HashMap::new();
    for (id, automaton) in system.process_automata() {
        let Some(table) = tables.iter().find(|t| t.name == automaton.name) else { continue };
        for location in &automaton.locations {
            let theirs = table.edges.get(&location.number).into_iter().flatten();
            for (&edge, their_edge) in location.edges.iter().zip(theirs) {
                ids.insert((id, edge), their_edge.id as i32);
            }
        }
    }
    ids
}

/// Puts the guide before the verifier's search, asks it at every arrival, and has no state taken for an old one.
fn with_guide(source: &str) -> Result<String, String> {
    let missing = || "the verifier's source is not that of SPIN 6.5.2".to_string();
    let search = source.find("\nnew_state(void)").ok_or_else(missing)?;
    let begin = source[..search].rfind("\nvoid").ok_or_else(missing)? + 1;
    let (before, search) = source.split_at(begin);
    let down = search.find("\nDown:\n").ok_or_else(missing)? + "\nDown:\n".len();
    let (head, rest) = search.split_at(down);
    let store = "II = h_store((char *)&now, vsize);";
    if !rest.contains(store) {
        return Err(missing());
    }
    let rest = rest.replacen(store, "II = 0;", 1);
    Ok(format!("{before}{GUIDE}\n{head}\tif (guide_turns_back()) goto Up;\n{rest}"))
}
