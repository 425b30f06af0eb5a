//! Prints the basic statements of each proctype of the models named on the command line, with the line of each: what can
//! be compared with the listing of `pan -d` for a model that SPIN translated with `-o3`.

use promela::model::{Sequence, StatementKind};
use promela::{IncludeLoader, Options, read};
use std::path::Path;

struct Files;

impl IncludeLoader for Files {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let path = Path::new(included_from).parent().unwrap_or(Path::new("")).join(name);
        let bytes = std::fs::read(&path).map_err(|e| e.to_string())?;
        Ok((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn main() {
    for name in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&name) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let (model, _) = read(&name, &text, &Options::default(), &Files);
        for proctype in &model.proctypes {
            println!("proctype {}", proctype.name);
            list(&model, &proctype.locals, &proctype.body);
        }
        for claim in &model.claims {
            println!("claim {}", claim.name);
            list(&model, &claim.locals, &claim.body);
        }
        for formula in &model.formulas {
            println!("ltl {}: {}", formula.name, promela::print::formula_text(&model, &formula.formula));
        }
    }
}

fn list(model: &promela::model::Model, locals: &[promela::model::Variable], body: &Sequence) {
    body.visit(&mut |statement| {
        let structured = matches!(
            statement.kind,
            StatementKind::If(_)
                | StatementKind::Do(_)
                | StatementKind::Atomic(_)
                | StatementKind::DStep(_)
                | StatementKind::Block(_)
                | StatementKind::Unless { .. }
        );
        if !structured {
            let line = model.sources.visible_line(statement.span);
            println!("{line}: {}", promela::print::statement_text(model, locals, &statement.kind));
        }
    });
}
