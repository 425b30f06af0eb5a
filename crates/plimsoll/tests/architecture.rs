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

/// All files below a folder, but for what is built or fetched, as paths from the root.
fn files_below(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", "node_modules", ".git", "dist"].contains(&name.as_str()) {
                files_below(root, &path, found);
            }
        } else {
            let path = path.strip_prefix(root).expect("below the root");
            found.insert(path.to_string_lossy().replace('\\', "/"));
        }
    }
}

/// What stands between backquotes and ends in `.rs` or `.py`, outside of examples.
fn named_sources(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    let quoted = outside.flat_map(|part| part.split('`').skip(1).step_by(2));
    quoted
        .filter(|name| name.ends_with(".rs") || name.ends_with(".py"))
        .filter(|name| !name.contains([' ', '*', '<']))
        .collect()
}

/// The targets of the relative links of a page, outside of examples.
fn links(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    let targets = outside.flat_map(|part| part.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
    targets
        .filter_map(|target| target.split('#').next())
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.contains(' '))
        .collect()
}

#[test]
fn pages_name_and_link_only_files_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root");
    let mut files = BTreeSet::new();
    files_below(&root, &root, &mut files);
    // Those below a crate are templates: their links are from where they are written to.
    let pages: Vec<&String> =
        files.iter().filter(|file| file.ends_with(".md") && !file.starts_with("crates/")).collect();
    assert!(pages.len() > 20, "{pages:?}");
    for page in pages {
        let text = std::fs::read_to_string(root.join(page)).expect("readable");
        for name in named_sources(&text) {
            let is_it = |file: &String| file == name || file.ends_with(&format!("/{name}"));
            assert!(files.iter().any(is_it), "{page} names {name}");
        }
        for link in links(&text) {
            let folder = root.join(page).parent().expect("a folder").to_path_buf();
            assert!(folder.join(link).exists(), "{page} links to {link}");
        }
    }
}
