//! What `printf` and `printm` print.

use promela::model::{Model, MtypeSetId};

/// The symbolic name of a value: of the given set if known, of any set otherwise; the number if it has none.
pub fn mtype_name(model: &Model, value: i32, set: Option<MtypeSetId>) -> String {
    let sets: Vec<_> = match set {
        Some(id) => model.mtype_sets.get(id.0 as usize).into_iter().collect(),
        None => model.mtype_sets.iter().collect(),
    };
    let names = sets.iter().flat_map(|s| &s.names);
    names.clone().find(|(_, v, _)| *v == value).map_or_else(|| value.to_string(), |(name, _, _)| name.clone())
}

/// Expands the format of a `printf`; each value comes with the set of symbolic names it belongs to, if any.
pub fn format(model: &Model, format: &str, values: &[(i32, Option<MtypeSetId>)]) -> String {
    let mut out = String::new();
    let mut values = values.iter();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            '%' => {
                let mut spec = String::new();
                while let Some(&digit) = chars.peek() {
                    if !(digit.is_ascii_digit() || digit == '-' || digit == '.') {
                        break;
                    }
                    spec.push(digit);
                    chars.next();
                }
                let Some(conversion) = chars.next() else {
                    out.push('%');
                    break;
                };
                if conversion == '%' {
                    out.push('%');
                    continue;
                }
                let (value, set) = values.next().copied().unwrap_or((0, None));
                let text = match conversion {
                    'c' => (value as u8 as char).to_string(),
                    'e' => mtype_name(model, value, set),
                    'o' => format!("{value:o}"),
                    'x' => format!("{value:x}"),
                    'u' => (value as u32).to_string(),
                    _ => value.to_string(),
                };
                pad(&mut out, &text, &spec);
            }
            c => out.push(c),
        }
    }
    out
}

fn pad(out: &mut String, text: &str, spec: &str) {
    let left = spec.starts_with('-');
    let zeros = !left && spec.starts_with('0');
    let width = spec.trim_start_matches('-').split('.').next().and_then(|w| w.parse().ok()).unwrap_or(0);
    // A width from a wrong format must not ask for gigabytes.
    let fill = usize::min(width, 1000).saturating_sub(text.len());
    match (left, zeros) {
        (true, _) => {
            out.push_str(text);
            out.extend(std::iter::repeat_n(' ', fill));
        }
        (false, zeros) => {
            out.extend(std::iter::repeat_n(if zeros { '0' } else { ' ' }, fill));
            out.push_str(text);
        }
    }
}
