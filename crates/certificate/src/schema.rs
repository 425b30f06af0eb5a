//! Versions of the formats, and who reads which.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The schema that a JSON text names: that of the object, or of the first object of a list. Nothing else of the text is kept, so
/// that a large file of something else costs no memory.
pub fn named_in(text: impl std::io::Read) -> Option<String> {
    let named: Named = serde_json::from_reader(text).ok()?;
    named.0
}

/// The schema of an object or of the first element of a list.
struct Named(Option<String>);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamedVisitor)
    }
}

struct NamedVisitor;

impl<'de> Visitor<'de> for NamedVisitor {
    type Value = Named;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a schema, or a list of them")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named, A::Error> {
        let mut named = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == "schema" && named.is_none() {
                named = map.next_value::<Schema>()?.0;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Named(named))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Named, A::Error> {
        let first = list.next_element::<Named>()?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(first.unwrap_or(Named(None)))
    }
}

/// A text, or something else that is no schema.
#[derive(Deserialize)]
#[serde(from = "SchemaOrElse")]
struct Schema(Option<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum SchemaOrElse {
    Text(String),
    Else(IgnoredAny),
}

impl From<SchemaOrElse> for Schema {
    fn from(found: SchemaOrElse) -> Schema {
        match found {
            SchemaOrElse::Text(text) => Schema(Some(text)),
            SchemaOrElse::Else(_) => Schema(None),
        }
    }
}

/// Says of a schema that is not the expected one who can read it.
pub fn other_version(what: &str, found: &str, expected: &str) -> String {
    let number = |schema: &str| schema.rsplit_once('/').and_then(|(_, number)| number.parse::<u32>().ok());
    let kind = |schema: &str| schema.rsplit_once('/').map(|(kind, _)| kind.to_string());
    let version = env!("CARGO_PKG_VERSION");
    match (number(found), number(expected)) {
        (Some(1), _) if kind(found) == kind(expected) => format!(
            "the {what} has schema `{found}` and needs Plimsoll 0.1, which told models apart in another way; Plimsoll {version} reads \
             `{expected}`"
        ),
        (Some(found_number), Some(own)) if kind(found) == kind(expected) && found_number > own => format!(
            "the {what} has schema `{found}` and needs a newer Plimsoll; this is Plimsoll {version}, which reads `{expected}`"
        ),
        _ => format!("the {what} has schema `{found}`, not `{expected}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{named_in, other_version};

    #[test]
    fn a_schema_is_found_in_an_object_and_in_a_list() {
        let named = |text: &str| named_in(text.as_bytes());
        assert_eq!(named(r#"{"a":[1,{"schema":"no"}],"schema":"x/1"}"#), Some("x/1".to_string()));
        assert_eq!(named(r#"[{"schema":"x/1"},7,[]]"#), Some("x/1".to_string()));
        for none in
            ["", "[]", "7", "{", r#"{"schema":7}"#, r#"[7,{"schema":"x/1"}]"#, r#"{"schema":"x/1"} x"#]
        {
            assert_eq!(named(none), None, "{none}");
        }
    }

    #[test]
    fn an_older_and_a_newer_version_are_told_from_nonsense() {
        let expected = "plimsoll-trace/2";
        assert!(other_version("trace", "plimsoll-trace/1", expected).contains("needs Plimsoll 0.1,"));
        assert!(other_version("trace", "plimsoll-trace/3", expected).contains("needs a newer Plimsoll"));
        assert!(other_version("trace", "plimsoll-pump/1", expected).ends_with("not `plimsoll-trace/2`"));
        assert!(other_version("trace", "x", expected).ends_with("not `plimsoll-trace/2`"));
    }
}
