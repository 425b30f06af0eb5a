//! `plimsoll graph MODEL`

use crate::files;
use crate::input::{self, ModelArguments};
use crate::limits::TimeArguments;
use clap::Args;
use promela::source::Span;
use report::graph::{self, Marks};
use std::fmt::Write;
use system::automaton::{Action, Automaton, System};

/// Show the control flow of every process: locations, statements, labels
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll graph models/client-server.pml\n  \
    plimsoll graph models/client-server.pml --format dot | dot -Tpdf > graph.pdf\n  \
    plimsoll graph models/conway.pml --format system | grep -v '^;' | sha256sum")]
pub struct Arguments {
    #[command(flatten)]
    pub model: ModelArguments,

    #[command(flatten)]
    pub time: TimeArguments,

    /// How to show it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Only this proctype or claim
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// One line a statement
    Text,
    /// For Graphviz
    Dot,
    /// A drawing
    Svg,
    /// The whole system in the form that fingerprints are made of and that another program can read
    System,
}

pub fn run(arguments: &Arguments) -> u8 {
    let system = match input::load(&arguments.model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    if arguments.format == Format::System && arguments.only.is_some() {
        complain_line!("error: --format system is about the whole system, so --only cannot be used with it");
        return crate::exit::ERROR;
    }
    let wanted = |a: &&Automaton| arguments.only.as_ref().is_none_or(|n| *n == a.name);
    let automata: Vec<&Automaton> = system.automata.iter().filter(wanted).collect();
    if automata.is_empty() && arguments.format != Format::System {
        let names: Vec<&str> = system.automata.iter().map(|a| a.name.as_str()).collect();
        complain_line!("error: no such proctype; there are {}", names.join(", "));
        return crate::exit::ERROR;
    }
    match arguments.format {
        Format::Text => files::print_fitted(&as_text(&system, &automata)),
        Format::Dot => files::print(&as_dot(&system, &automata)),
        Format::Svg => files::print(&as_svg(&system, &automata)),
        Format::System => files::print(&system::text::write_with_comments(&system)),
    }
    crate::exit::PROVED
}

fn line(system: &System, span: Span) -> u32 {
    system.model.sources.visible_line(span)
}

fn as_text(system: &System, automata: &[&Automaton]) -> String {
    let mut out = String::new();
    for automaton in automata {
        let _ = writeln!(
            out,
            "{}: {} locations, {} edges, starts at {}",
            automaton.name,
            automaton.locations.len(),
            automaton.edges.len(),
            automaton.location(automaton.initial).number
        );
        for location in &automaton.locations {
            let mut marks: Vec<String> = location.labels.iter().map(|l| format!("{l}:")).collect();
            marks.extend(location.end.then(|| "end".to_string()));
            marks.extend(location.progress.then(|| "progress".to_string()));
            marks.extend(location.accept.then(|| "accept".to_string()));
            let _ = writeln!(out, "  {:>4}  {}", location.number, marks.join(" "));
            for &id in &location.edges {
                let edge = automaton.edge(id);
                let target = match edge.action {
                    Action::End => "dies".to_string(),
                    _ => automaton.location(edge.target).number.to_string(),
                };
                let mut notes = String::new();
                if edge.atomic {
                    notes.push_str(" atomic");
                }
                if edge.escape > 0 {
                    notes.push_str(" escape");
                }
                for &slot in &edge.dead {
                    let _ = write!(notes, " {}:=0", automaton.slots[slot as usize].name);
                }
                let _ = writeln!(
                    out,
                    "        -> {target:<5} line {:<5} {}{notes}",
                    line(system, edge.span),
                    edge.text
                );
            }
        }
    }
    out
}

/// One drawing for each automaton, on a page of its own if there are several.
/// One drawing, whatever the number of automata: one below the other, each with its own arrow heads.
fn as_svg(system: &System, automata: &[&Automaton]) -> String {
    const GAP: u32 = 24;
    let mut drawings = String::new();
    let (mut width, mut height) = (0, 0);
    for (index, automaton) in automata.iter().enumerate() {
        let drawing = graph::svg(system, automaton, &Marks::default());
        let size = |name: &str| {
            let (_, rest) = drawing.split_once(&format!(" {name}=\""))?;
            rest.split('"').next()?.parse::<u32>().ok()
        };
        width = width.max(size("width").unwrap_or(0));
        let placed = drawing
            .replacen("<svg ", &format!("<svg x=\"0\" y=\"{height}\" "), 1)
            .replace("id=\"arrow", &format!("id=\"arrow-{index}"))
            .replace("url(#arrow", &format!("url(#arrow-{index}"));
        drawings.push_str(&placed);
        height += size("height").unwrap_or(0) + GAP;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>{}</style>\n{drawings}</svg>\n",
        graph::STYLE
    )
}

fn as_dot(system: &System, automata: &[&Automaton]) -> String {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
    let mut out = String::from("digraph model {\n  node [shape=circle, fontname=monospace];\n");
    for (index, automaton) in automata.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label=\"{}\";", escape(&automaton.name));
        for (number, location) in automaton.locations.iter().enumerate() {
            let shape = if location.end { "doublecircle" } else { "circle" };
            let labels = location.labels.join("\\n");
            let separator = if labels.is_empty() { "" } else { "\\n" };
            let name = location.number;
            let _ =
                writeln!(out, "    n{index}_{number} [shape={shape}, label=\"{name}{separator}{labels}\"];");
        }
        for edge in &automaton.edges {
            let (from, to) = (edge.source.0, edge.target.0);
            let style = if edge.atomic { ", style=bold" } else { "" };
            let label = format!("{}: {}", line(system, edge.span), escape(&edge.text));
            let _ = writeln!(out, "    n{index}_{from} -> n{index}_{to} [label=\"{label}\"{style}];");
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}
