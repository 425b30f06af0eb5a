//! Making small what is wrong: pieces of a model are taken out as long as it stays wrong.

use crate::generate::tree::{ModelTree, Node};

/// The smallest model reached by taking out one piece after another such that `is_wrong` stays true. What is left cannot lose
/// any single piece.
pub fn shrink(model: &ModelTree, is_wrong: &dyn Fn(&ModelTree) -> bool) -> ModelTree {
    let mut current = model.clone();
    loop {
        let smaller = candidates(&current).into_iter().find(|c| is_wrong(c));
        match smaller {
            Some(smaller) => current = smaller,
            None => return current,
        }
    }
}

/// All models with one piece less, the largest pieces first.
fn candidates(model: &ModelTree) -> Vec<ModelTree> {
    let mut out = Vec::new();
    for index in 0..model.processes.len() {
        let mut smaller = model.clone();
        smaller.processes.remove(index);
        out.push(smaller);
    }
    for (index, process) in model.processes.iter().enumerate() {
        for body in smaller_sequences(&process.body) {
            let mut smaller = model.clone();
            smaller.processes[index].body = body;
            out.push(smaller);
        }
        for local in 0..process.locals.len() {
            let mut smaller = model.clone();
            smaller.processes[index].locals.remove(local);
            out.push(smaller);
        }
        let plain = process.head.split(" provided").next().unwrap_or("").replace(" [2]", "");
        if plain != process.head {
            let mut smaller = model.clone();
            smaller.processes[index].head = plain;
            out.push(smaller);
        }
    }
    for index in 0..model.globals.len() {
        let mut smaller = model.clone();
        smaller.globals.remove(index);
        out.push(smaller);
    }
    for index in 0..model.formulas.len() {
        let mut smaller = model.clone();
        smaller.formulas.remove(index);
        out.push(smaller);
    }
    out
}

fn smaller_sequences(nodes: &[Node]) -> Vec<Vec<Node>> {
    let mut out = Vec::new();
    for index in 0..nodes.len() {
        let mut without = nodes.to_vec();
        without.remove(index);
        out.push(without);
    }
    for (index, node) in nodes.iter().enumerate() {
        for replacement in smaller_nodes(node) {
            let mut smaller = nodes.to_vec();
            smaller.splice(index..=index, replacement);
            out.push(smaller);
        }
    }
    out
}

/// What may stand in a statement's place: its parts, or itself with a smaller part.
fn smaller_nodes(node: &Node) -> Vec<Vec<Node>> {
    match node {
        Node::Simple(text) if text == "skip" => Vec::new(),
        Node::Simple(_) => vec![vec![Node::Simple("skip".to_string())]],
        Node::Labelled(label, inner) => {
            let mut out = vec![vec![(**inner).clone()]];
            for replacement in smaller_nodes(inner) {
                if let [only] = replacement.as_slice() {
                    out.push(vec![Node::Labelled(label.clone(), Box::new(only.clone()))]);
                }
            }
            out
        }
        Node::Choice { repeats, options } => {
            let mut out: Vec<Vec<Node>> = options.clone();
            for index in 0..options.len() {
                let choice = |options: Vec<Vec<Node>>| vec![Node::Choice { repeats: *repeats, options }];
                if options.len() > 1 {
                    let mut fewer = options.clone();
                    fewer.remove(index);
                    out.push(choice(fewer));
                }
                for smaller in smaller_sequences(&options[index]) {
                    let mut changed = options.clone();
                    changed[index] = smaller;
                    out.push(choice(changed));
                }
            }
            out
        }
        Node::Block { head, body } => {
            let mut out = vec![body.clone()];
            for body in smaller_sequences(body) {
                out.push(vec![Node::Block { head: head.clone(), body }]);
            }
            out
        }
        Node::Unless { main, escape } => {
            let mut out = vec![main.clone(), escape.clone()];
            for main in smaller_sequences(main) {
                out.push(vec![Node::Unless { main, escape: escape.clone() }]);
            }
            for escape in smaller_sequences(escape) {
                out.push(vec![Node::Unless { main: main.clone(), escape }]);
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn what_is_left_is_what_matters() {
        let model = (0..).map(generate::model).find(|m| m.text().contains("d_step")).expect("some seed");
        let small = shrink(&model, &|m| m.text().contains("d_step"));
        let size = |m: &ModelTree| m.text().lines().count();
        assert!(small.text().contains("d_step"));
        assert!(size(&small) < size(&model) && size(&small) <= 6, "{}", small.text());
    }
}
