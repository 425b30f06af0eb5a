//! Models in which processes meet: who waits at a rendezvous, and when, decides how far an `atomic` sequence gets.
//!
//! The usual statements seldom come together like this: they wait for each other on channels that differ, or for values.

use super::Generator;
use super::tree::{ModelTree, Node, ProcessTree};

/// More would make more states than comparisons with everything have time for.
const MOST_STATEMENTS: usize = 5;

impl Generator {
    /// A model of two to four processes that do little but meet, with two formulas.
    pub(super) fn meetings(&mut self) -> ModelTree {
        let mut model = ModelTree {
            globals: vec![
                "chan hand = [0] of { bit }".to_string(),
                "chan desk[2] = [0] of { byte }".to_string(),
                "chan box = [1] of { bit }".to_string(),
                "byte met, seen".to_string(),
            ],
            ..ModelTree::default()
        };
        for index in 0..2 + self.random.below(2) {
            let number = if self.random.percent(35) { " [2]" } else { "" };
            let count = 2 + self.random.below(MOST_STATEMENTS - 1);
            let repeats = self.random.percent(30);
            let mut body = self.visits(count, 0, repeats);
            if repeats {
                body = vec![Node::Choice { repeats: true, options: vec![body] }];
            } else if self.random.percent(40) {
                body.push(Node::Simple("assert(false)".to_string()));
            }
            let head = format!("active{number} proctype P{index}()");
            model.processes.push(ProcessTree { head, locals: Vec::new(), body });
        }
        model.formulas = vec![self.about_meetings(true), self.about_meetings(false)];
        model
    }

    /// So many statements. The first of an option must not have a label.
    fn visits(&mut self, count: usize, depth: usize, is_option: bool) -> Vec<Node> {
        (0..count)
            .map(|index| {
                let node = self.visit(depth);
                if (is_option && index == 0) || !self.random.percent(25) {
                    return node;
                }
                // Whoever waits for ever at an end has ended as he should.
                let kind = ["end", "end", "accept", "progress"][self.random.below(4)];
                self.labels += 1;
                Node::Labelled(format!("{kind}{}", self.labels), Box::new(node))
            })
            .collect()
    }

    fn visit(&mut self, depth: usize) -> Node {
        let text = match self.random.below(if depth < 2 { 16 } else { 12 }) {
            0..=2 => "hand!0",
            3..=5 => "hand?_",
            6 => ["desk[0]!met", "desk[1]!1", "desk[met & 1]!0"][self.random.below(3)],
            7 => ["desk[0]?_", "desk[1]?seen", "desk[0]?1"][self.random.below(3)],
            8 => ["box!0", "box?_"][self.random.below(2)],
            9 => "skip",
            10 => "met = 1 - met",
            11 => ["met == 1", "seen == 0", "nempty(box)"][self.random.below(3)],
            12..=14 => {
                let count = 1 + self.random.below(3);
                return Node::Block { head: "atomic".to_string(), body: self.visits(count, depth + 1, true) };
            }
            _ => {
                let options = (0..2).map(|_| self.some_visits(depth)).collect();
                return Node::Choice { repeats: false, options };
            }
        };
        Node::Simple(text.to_string())
    }

    fn some_visits(&mut self, depth: usize) -> Vec<Node> {
        let count = 1 + self.random.below(2);
        self.visits(count, depth + 1, true)
    }

    fn about_meetings(&mut self, always: bool) -> String {
        let proposition = ["met == 0", "seen == 0", "len(box) == 0", "met == seen"][self.random.below(4)];
        match (always, self.random.below(3)) {
            (true, _) => format!("([] ({proposition}))"),
            (false, 0) => format!("([] (<> ({proposition})))"),
            (false, 1) => format!("(<> ([] ({proposition})))"),
            (false, _) => format!("((met == 0) U ({proposition}))"),
        }
    }
}
