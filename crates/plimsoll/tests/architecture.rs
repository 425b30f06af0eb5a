//! ARCHITECTURE.md must tell the truth about the tree.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn architecture_lists_exactly_the_crates_of_the_tree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let described: BTreeSet<String> = text
        .lines()
        .filter_map(|l| l.strip_prefix("### `crates/"))
        .filter_map(|l| l.split('`').next())
        .map(ToString::to_string)
        .collect();
    let present: BTreeSet<String> = std::fs::read_dir(root.join("crates"))
        .expect("crates/ is there")
        .map(|e| e.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(described, present);
}

#[test]
fn crates_look_only_in_the_direction_that_architecture_allows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let order = [
        "promela",
        "linear",
        "omega",
        "system",
        "certificate",
        "proofs",
        "search",
        "cluster",
        "verify",
        "report",
        "parity",
        "editor",
        "page",
        "plimsoll",
    ];
    for (position, name) in order.iter().enumerate() {
        let manifest = std::fs::read_to_string(root.join("crates").join(name).join("Cargo.toml"))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("");
        let dependencies = dependencies.split("\n[").next().unwrap_or("");
        for above in &order[position + 1..] {
            let uses = dependencies.lines().any(|l| l.starts_with(&format!("{above}.")));
            assert!(!uses, "`{name}` uses `{above}`, which stands above it");
        }
    }
}
