//! Versions of the formats, and who reads which.

/// Says of a schema that is not the expected one who can read it.
pub(crate) fn other_version(what: &str, found: &str, expected: &str) -> String {
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
    use super::other_version;

    #[test]
    fn an_older_and_a_newer_version_are_told_from_nonsense() {
        let expected = "plimsoll-trace/2";
        assert!(other_version("trace", "plimsoll-trace/1", expected).contains("needs Plimsoll 0.1,"));
        assert!(other_version("trace", "plimsoll-trace/3", expected).contains("needs a newer Plimsoll"));
        assert!(other_version("trace", "plimsoll-pump/1", expected).ends_with("not `plimsoll-trace/2`"));
        assert!(other_version("trace", "x", expected).ends_with("not `plimsoll-trace/2`"));
    }
}
