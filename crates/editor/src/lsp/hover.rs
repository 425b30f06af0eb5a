//! What a name is, in a few lines: its type, where it is used, what is proved about it.

use super::channels::same_channel;
use super::verdicts::Verdicts;
use crate::reading::{Reading, keyword};
use promela::model::{Initializer, Model, Proctype, Scalar, Type, Variable};
use promela::names::{Mention, NameKind, Role};
use promela::print::formula_text;
use promela::source::{SourceMap, Span};
use std::fmt::Write;
use verify::Question;

/// What there is to say about a mention, as Markdown.
pub fn about(reading: &Reading, mention: &Mention, verdicts: Option<&Verdicts>) -> Option<String> {
    let model = &reading.model;
    let declared = mention.declared;
    let name = reading.sources().text(declared);
    let mut out = String::new();
    match mention.kind {
        NameKind::Variable => {
            let (owner, variable) = variable_at(model, declared)?;
            code(&mut out, &declaration(model, variable));
            let place = match owner {
                Some(owner) if variable.parameter => format!("parameter of `{}`", owner.name),
                Some(owner) => format!("local variable of `{}`", owner.name),
                None => "global variable".to_string(),
            };
            let _ = writeln!(out, "{place}; {}", uses(reading, mention));
            if variable.ty == Type::Scalar(Scalar::Chan) {
                out.push_str(&bounds(name, verdicts));
            }
        }
        NameKind::Field => {
            let fields = || model.typedefs.iter().flat_map(|t| t.fields.iter().map(move |f| (t, f)));
            let (typedef, field) = fields().find(|(_, field)| is_at(field.span, declared))?;
            let length = field.length.map_or_else(String::new, |length| format!("[{length}]"));
            code(&mut out, &format!("{} {}{length}", type_name(model, field.ty), field.name));
            let _ = writeln!(out, "field of `{}`; {}", typedef.name, uses(reading, mention));
        }
        NameKind::Symbol => {
            let sets = || model.mtype_sets.iter().flat_map(|s| s.names.iter().map(move |n| (s, n)));
            let (set, (name, value, _)) = sets().find(|(_, (_, _, span))| is_at(*span, declared))?;
            let of = set.name.as_ref().map_or_else(String::new, |of| format!(":{of}"));
            code(&mut out, &format!("mtype{of} {name} = {value}"));
            let _ = writeln!(out, "{}", uses(reading, mention));
        }
        NameKind::Typedef => {
            let typedef = model.typedefs.iter().find(|typedef| is_at(typedef.span, declared))?;
            let field = |field: &promela::model::Field| {
                let length = field.length.map_or_else(String::new, |length| format!("[{length}]"));
                format!("\t{} {}{length};\n", type_name(model, field.ty), field.name)
            };
            let fields: String = typedef.fields.iter().map(field).collect();
            code(&mut out, &format!("typedef {} {{\n{fields}}}", typedef.name));
            let _ = writeln!(out, "{}", uses(reading, mention));
        }
        NameKind::Proctype => {
            let proctype = model.proctypes.iter().find(|proctype| is_at(proctype.span, declared))?;
            code(&mut out, &signature(model, proctype));
            let starts = match proctype.active {
                0 => "is started by `run`".to_string(),
                1 => "starts by itself".to_string(),
                n => format!("{n} of them start by themselves"),
            };
            let _ = writeln!(out, "{starts}; {}", uses(reading, mention));
        }
        NameKind::Property => {
            if let Some(formula) = model.formulas.iter().find(|formula| formula.name == name) {
                code(&mut out, &format!("ltl {name} {{ {} }}", formula_text(model, &formula.formula)));
                out.push_str(&verdict(&Question::Formula(name.into()), verdicts));
            } else if let Some(refused) = model.refused_formulas.iter().find(|refused| refused.name == name) {
                code(&mut out, &format!("ltl {name}"));
                let _ = writeln!(out, "has no meaning: {}", refused.why);
            } else {
                code(&mut out, &format!("never {name}"));
                out.push_str(&verdict(&Question::Claim(name.into()), verdicts));
            }
        }
        NameKind::Label => {
            code(&mut out, &format!("{name}:"));
            let meaning = match name {
                _ if name.starts_with("end") => "who waits here may wait for ever: a valid end\n\n",
                _ if name.starts_with("progress") => "executing this statement is progress\n\n",
                _ if name.starts_with("accept") => {
                    "passing it again and again is what an acceptance cycle is\n\n"
                }
                _ => "",
            };
            let _ = writeln!(out, "{meaning}label; {}", uses(reading, mention));
        }
        NameKind::Macro => {
            code(&mut out, logical_line(reading.sources(), declared));
            let _ = writeln!(out, "{}", uses(reading, mention));
        }
        NameKind::Inline => {
            code(&mut out, &header(reading.sources(), declared));
            let _ = writeln!(out, "{}", uses(reading, mention));
        }
        NameKind::TextParameter => {
            code(&mut out, name);
            let _ = writeln!(out, "parameter; its text is put in its place\n\n{}", uses(reading, mention));
        }
        NameKind::SymbolSet => {
            let set = model.mtype_sets.iter().find(|set| set.name.as_deref() == Some(name))?;
            let names: Vec<&str> = set.names.iter().map(|(name, ..)| name.as_str()).collect();
            code(&mut out, &format!("mtype:{name} = {{ {} }}", names.join(", ")));
        }
        NameKind::File => {
            let _ = writeln!(out, "`{}`", reading.sources().file(declared.file).name);
        }
    }
    Some(out.trim_end().to_string())
}

/// `run P(` and what the parameters are.
pub fn signature(model: &Model, proctype: &Proctype) -> String {
    let parameters: Vec<String> = parameters(model, proctype);
    let active = match proctype.active {
        0 => String::new(),
        1 => "active ".into(),
        n => format!("active [{n}] "),
    };
    format!("{active}proctype {}({})", proctype.name, parameters.join("; "))
}

/// The parameters of a proctype as they are declared.
pub fn parameters(model: &Model, proctype: &Proctype) -> Vec<String> {
    let parameters = &proctype.locals[..proctype.parameters as usize];
    parameters.iter().map(|variable| declaration(model, variable)).collect()
}

/// A variable's declaration, from what is known of it.
pub fn declaration(model: &Model, variable: &Variable) -> String {
    let length = variable.length.map_or_else(String::new, |length| format!("[{length}]"));
    let init = match &variable.init {
        Initializer::Channel(id) => {
            format!(" = {}", model.sources.text(model.channel_types[id.0 as usize].span))
        }
        _ => String::new(),
    };
    let width = match variable.ty {
        Type::Scalar(Scalar::Unsigned(bits)) => format!(" : {bits}"),
        _ => String::new(),
    };
    format!("{} {}{width}{length}{init}", type_name(model, variable.ty), variable.name)
}

/// A type's name.
pub fn type_name(model: &Model, ty: Type) -> String {
    match ty {
        Type::Struct(id) => model.typedefs[id.0 as usize].name.clone(),
        Type::Scalar(Scalar::Mtype(set)) => match &model.mtype_sets[set.0 as usize].name {
            Some(name) => format!("mtype:{name}"),
            None => "mtype".into(),
        },
        Type::Scalar(scalar) => keyword(scalar).into(),
    }
}

/// The variable whose name stands at a place, and whose it is.
pub fn variable_at(model: &Model, declared: Span) -> Option<(Option<&Proctype>, &Variable)> {
    let here = |variable: &&Variable| is_at(variable.span, declared);
    if let Some(variable) = model.globals.iter().find(here) {
        return Some((None, variable));
    }
    model.proctypes.iter().find_map(|p| Some((Some(p), p.locals.iter().find(here)?)))
}

/// Whether a span is spelled at a place.
pub fn is_at(span: Span, place: Span) -> bool {
    (span.file, span.start, span.end) == (place.file, place.start, place.end)
}

/// The proved bound of a buffer, or of each buffer of an array.
pub fn bounds(name: &str, verdicts: Option<&Verdicts>) -> String {
    let mut out = String::new();
    for answer in verdicts.into_iter().flat_map(|verdicts| &verdicts.report.answers) {
        let Question::Buffer(buffer) = &answer.question else { continue };
        if buffer == name || buffer.strip_prefix(name).is_some_and(|rest| rest.starts_with('[')) {
            let _ = writeln!(out, "\n**{}** {buffer}: {}", answer.verdict.word(), answer.meaning);
        }
    }
    out
}

/// The verdict of a question.
pub fn verdict(question: &Question, verdicts: Option<&Verdicts>) -> String {
    match verdicts.and_then(|verdicts| verdicts.report.answer(question)) {
        Some(answer) => format!("**{}** {}\n", answer.verdict.word(), answer.meaning),
        None => "not checked yet\n".into(),
    }
}

fn code(out: &mut String, text: &str) {
    let _ = writeln!(out, "```promela\n{text}\n```");
}

/// `used 3 times: 2 sends (lines 4, 9), 1 receive (line 12)`
fn uses(reading: &Reading, mention: &Mention) -> String {
    let names = match mention.kind {
        NameKind::Variable => same_channel(reading, mention.declared),
        _ => [mention.declared].into(),
    };
    let mut mentions: Vec<&Mention> = names.iter().flat_map(|&name| reading.mentions_of(name)).collect();
    mentions.sort();
    mentions.dedup_by_key(|mention| mention.span);
    let mut parts = Vec::new();
    for (role, one, several) in [
        (Role::Sent, "send", "sends"),
        (Role::Received, "receive", "receives"),
        (Role::Written, "write", "writes"),
        (Role::Used, "use", "uses"),
    ] {
        let lines: Vec<String> = mentions
            .iter()
            .filter(|mention| mention.role == role)
            .map(|mention| reading.sources().line(mention.span).to_string())
            .collect();
        let shown = lines.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
        let more = if lines.len() > 8 { ", …" } else { "" };
        match lines.len() {
            0 => {}
            1 => parts.push(format!("1 {one} (line {shown})")),
            n => parts.push(format!("{n} {several} (lines {shown}{more})")),
        }
    }
    if parts.is_empty() { "never used".into() } else { parts.join(", ") }
}

/// The whole line around a place, with those that a backslash draws in.
fn logical_line(sources: &SourceMap, span: Span) -> &str {
    let text = &sources.file(span.file).text;
    let start = text[..span.start as usize].rfind('\n').map_or(0, |end| end + 1);
    let mut end = span.end as usize;
    loop {
        end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
        if end == text.len() || !text[start..end].trim_end().ends_with('\\') {
            return text[start..end].trim_end();
        }
        end += 1;
    }
}

/// `inline name(parameters)`
fn header(sources: &SourceMap, name: Span) -> String {
    let behind = &sources.file(name.file).text[name.end as usize..];
    let end = behind.find(')').map_or(0, |end| end + 1);
    format!("inline {}{}", sources.text(name), &behind[..end])
}
