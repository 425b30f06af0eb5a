//! Puts the page of `plimsoll play` into the program, if `web/build` has made one.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where it is");
    let folder = Path::new(&manifest).join("../../web/dist");
    // The folder is always there, so that nothing is built again as long as nothing in it changes.
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            files.push((name, entry.path()));
        }
    }
    files.sort();
    let mut list = String::from("&[\n");
    for (name, path) in files {
        writeln!(list, "    ({name:?}, include_bytes!({path:?}) as &[u8]),")
            .expect("a text takes everything");
    }
    list.push(']');
    let out = std::env::var("OUT_DIR").expect("cargo says where to write");
    std::fs::write(Path::new(&out).join("page.rs"), list).expect("the folder is there");
}
