//! `plimsoll simulate MODEL`

use crate::files;
use crate::input::{self, ModelArguments};
use crate::limits::TimeArguments;
use crate::stepper::Stepper;
use crate::terminal;
use clap::Args;
use promela::source::Span;
use report::chart::chart;
use report::names::place;
use report::steps::{changes, describe_violation, step_line};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Output, Violation};
use system::simulate::{Dice, Halt, Simulation};
use system::state::Pid;

/// Run the model: at random, or step by step as you choose
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll simulate models/client-server.pml --seed 7 --steps 50\n  \
    plimsoll simulate models/client-server.pml --interactive\n  \
    plimsoll simulate models/client-server.pml --quiet  (only what it prints)")]
pub struct Arguments {
    #[command(flatten)]
    pub model: ModelArguments,

    #[command(flatten)]
    pub time: TimeArguments,

    /// The run to take: the same seed gives the same run
    #[arg(long, default_value_t = 1, value_parser = crate::limits::parse_number)]
    seed: u64,

    /// Stop after so many steps
    #[arg(long, default_value_t = 10_000)]
    steps: usize,

    /// Choose each step yourself, as in a debugger; `help` lists what can be typed
    #[arg(short, long)]
    interactive: bool,

    /// Print only what the model prints
    #[arg(short, long)]
    quiet: bool,

    /// Draw a message sequence chart of the run at the end
    #[arg(long)]
    chart: bool,
}

pub fn run(arguments: &Arguments) -> u8 {
    let system = match input::load(&arguments.model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    let interpreter = Interpreter::new(&system, Capacities::Declared).keeping_everything();
    if arguments.interactive {
        return match Stepper::new(&system, interpreter, &arguments.model, &[], &[], None) {
            Ok(mut stepper) => {
                stepper.run();
                crate::exit::PROVED
            }
            Err(message) => {
                complain_line!("error: {message}");
                crate::exit::VIOLATED
            }
        };
    }
    let mut simulation = match Simulation::new(interpreter) {
        Ok(simulation) => simulation,
        Err(error) => {
            complain_line!("error: {} ({})", error.kind, place(&system, error.span));
            return crate::exit::VIOLATED;
        }
    };
    let mut dice = Dice::new(arguments.seed);
    let mut screen =
        Screen { system: &system, quiet: arguments.quiet, at_line_start: true, violations: Vec::new() };
    let mut failed = false;
    let mut run = Vec::new();
    let mut taken = 0;
    while taken < arguments.steps && simulation.halt().is_none() {
        let choice = dice.roll(simulation.steps().len());
        taken += 1;
        let step = simulation.steps()[choice];
        run.push(step);
        let before = simulation.state().clone();
        if !arguments.quiet {
            screen.line(&step_line(&system, &before, taken, step));
        }
        simulation.take(choice, &mut screen);
        if !arguments.quiet {
            for change in changes(&system, &before, simulation.state()) {
                screen.line(&format!("        {change}"));
            }
        }
        for violation in std::mem::take(&mut screen.violations) {
            failed = true;
            screen.line(&format!("{taken:>4}: {}", describe_violation(&system, &violation)));
        }
    }
    screen.finish_line();
    report_end(&system, &simulation, taken, arguments);
    if arguments.chart {
        say!("\n{}", chart(&interpreter, &run, None).as_text(terminal::columns()));
    }
    match simulation.halt() {
        Some(Halt::Deadlock | Halt::Error(_)) => crate::exit::VIOLATED,
        _ if failed => crate::exit::VIOLATED,
        _ => crate::exit::PROVED,
    }
}

/// What the model prints, between the lines about its steps.
struct Screen<'s> {
    system: &'s System,
    quiet: bool,
    at_line_start: bool,
    /// Of the step at hand.
    violations: Vec<Violation>,
}

impl Screen<'_> {
    fn line(&mut self, text: &str) {
        self.finish_line();
        say_line!("{text}");
    }

    fn finish_line(&mut self) {
        if !self.at_line_start {
            say_line!();
            self.at_line_start = true;
        }
    }
}

impl Output for Screen<'_> {
    fn violated(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    fn printed(&mut self, _process: Pid, text: &str) {
        if self.at_line_start && !self.quiet {
            say!("      > ");
        }
        files::print(text);
        self.at_line_start = text.ends_with('\n') || (self.at_line_start && text.is_empty());
    }

    fn truncated(&mut self, _process: Pid, value: i32, stored: i32, span: Span) {
        self.finish_line();
        complain_line!(
            "warning: {}: the value {value} does not fit and becomes {stored}",
            place(self.system, span)
        );
    }
}

fn report_end(system: &System, simulation: &Simulation, taken: usize, arguments: &Arguments) {
    let after = verify::after(taken);
    match simulation.halt() {
        Some(Halt::Finished) if arguments.quiet => {}
        Some(Halt::Finished) => say_line!("finished {after}"),
        Some(Halt::Deadlock) => say_line!("deadlock {after}: nothing can move"),
        Some(Halt::Error(error)) => {
            say_line!("error {after}: {} ({})", error.kind, place(system, error.span));
        }
        None if arguments.quiet => {}
        None => say_line!("stopped {after}"),
    }
    if arguments.quiet && !matches!(simulation.halt(), Some(Halt::Deadlock | Halt::Error(_))) {
        return;
    }
    let state = simulation.state();
    for (pid, process) in state.processes.iter().enumerate() {
        let automaton = system.automaton(process.automaton);
        let location = automaton.location(process.location);
        let end = if location.end { "  valid end" } else { "" };
        say_line!("  proc {pid:>2} ({}) at {}{end}", automaton.name, place(system, location.span));
    }
}
