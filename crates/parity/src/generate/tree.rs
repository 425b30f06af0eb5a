//! A model as a tree of text: enough structure to take pieces out of it, no more.

use std::fmt::Write;

/// A model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelTree {
    /// Global declarations, inlines included, one a line.
    pub globals: Vec<String>,
    /// Proctypes and `init`, in order.
    pub processes: Vec<ProcessTree>,
    /// Temporal formulas, without their names.
    pub formulas: Vec<String>,
    /// SPIN refuses it, or what SPIN says is an accident: there is nothing to compare with.
    pub beyond_spin: bool,
}

/// A proctype, or `init`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProcessTree {
    /// What stands before the opening brace.
    pub head: String,
    /// Declarations of local variables.
    pub locals: Vec<String>,
    /// The body.
    pub body: Vec<Node>,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// One without parts.
    Simple(String),
    /// A label before one.
    Labelled(String, Box<Node>),
    /// `if` or `do`.
    Choice {
        /// Whether it repeats.
        repeats: bool,
        /// The options.
        options: Vec<Vec<Node>>,
    },
    /// `atomic {…}`, `d_step {…}`, `{…}` or `for (…) {…}`.
    Block {
        /// What stands before the opening brace.
        head: String,
        /// The inside.
        body: Vec<Node>,
    },
    /// `{…} unless {…}`
    Unless {
        /// What is guarded.
        main: Vec<Node>,
        /// What may interrupt it.
        escape: Vec<Node>,
    },
}

impl ModelTree {
    /// The Promela text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for global in &self.globals {
            let _ = writeln!(out, "{global}");
        }
        for process in &self.processes {
            let _ = writeln!(out, "{} {{", process.head);
            for local in &process.locals {
                let _ = writeln!(out, "  {local};");
            }
            write_sequence(&mut out, &process.body, 1);
            out.push_str("}\n");
        }
        for (index, formula) in self.formulas.iter().enumerate() {
            let _ = writeln!(out, "ltl f{index} {{ {formula} }}");
        }
        out
    }
}

fn write_sequence(out: &mut String, nodes: &[Node], depth: usize) {
    if nodes.is_empty() {
        let _ = writeln!(out, "{}skip", "  ".repeat(depth));
    }
    for (i, node) in nodes.iter().enumerate() {
        let end = if i + 1 < nodes.len() { ";" } else { "" };
        write_node(out, node, depth, end);
    }
}

fn write_node(out: &mut String, node: &Node, depth: usize, end: &str) {
    let indent = "  ".repeat(depth);
    match node {
        Node::Simple(text) => {
            let _ = writeln!(out, "{indent}{text}{end}");
        }
        Node::Labelled(label, inner) => {
            let _ = writeln!(out, "{indent}{label}:");
            write_node(out, inner, depth, end);
        }
        Node::Choice { repeats, options } => {
            let (open, close) = if *repeats { ("do", "od") } else { ("if", "fi") };
            let _ = writeln!(out, "{indent}{open}");
            for option in options {
                let _ = writeln!(out, "{indent}::");
                write_sequence(out, option, depth + 1);
            }
            let _ = writeln!(out, "{indent}{close}{end}");
        }
        Node::Block { head, body } => {
            let _ = writeln!(out, "{indent}{head} {{");
            write_sequence(out, body, depth + 1);
            let _ = writeln!(out, "{indent}}}{end}");
        }
        Node::Unless { main, escape } => {
            let _ = writeln!(out, "{indent}{{");
            write_sequence(out, main, depth + 1);
            let _ = writeln!(out, "{indent}}} unless {{");
            write_sequence(out, escape, depth + 1);
            let _ = writeln!(out, "{indent}}}{end}");
        }
    }
}
