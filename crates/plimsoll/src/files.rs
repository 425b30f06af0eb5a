//! Files are written only where asked, and whole or not at all.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes a file: first beside its place under another name, then moved there, so that nobody ever sees half of it. What is
/// no plain file (`/dev/stdout`, a pipe, a link) is written to as it is: it must not be replaced by one.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    let fail = |error: std::io::Error| {
        format!("cannot write `{}`: {}", path.display(), why(&error, "there is no such folder"))
    };
    if std::fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        return std::fs::write(path, text).map_err(fail);
    }
    let name = path.file_name().ok_or_else(|| format!("`{}` is no file", path.display()))?;
    let mut beside = name.to_os_string();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(beside);
    let written = std::fs::File::create(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let moved = written.and_then(|()| std::fs::rename(&beside, path));
    if moved.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    moved.map_err(fail)
}

/// Makes a folder, and those that it lies in.
pub fn make_folder(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| {
        format!("cannot make the folder `{}`: {}", folder.display(), why(&error, "there is no such folder"))
    })
}

/// What the system has against it, in the words of `docs/messages.md`; a system's own words, with their numbers, where there are no others.
pub fn why(error: &std::io::Error, missing: &str) -> String {
    match error.kind() {
        ErrorKind::NotFound => missing.to_string(),
        ErrorKind::PermissionDenied => "that is not permitted".to_string(),
        ErrorKind::IsADirectory => "that is a folder".to_string(),
        ErrorKind::NotADirectory => "what should be a folder is a file".to_string(),
        ErrorKind::AlreadyExists => "that is there already".to_string(),
        ErrorKind::StorageFull => "there is no room on the disk".to_string(),
        ErrorKind::ReadOnlyFilesystem => "nothing can be written there".to_string(),
        _ => error.to_string(),
    }
}

/// Prints a text for people: on a terminal no line is wider than that.
pub fn print_fitted(text: &str) {
    match crate::terminal::width_of_output() {
        Some(width) => print(&report::columns::fitted(text, width)),
        None => print(text),
    }
}

/// Whether something was said that nobody will ever read.
static LOST: AtomicBool = AtomicBool::new(false);

/// Prints to the standard output; a reader that has gone away (`| head`) is no error. What does not arrive for another reason (a disk
/// that is full) is said once, and no exit code of a success follows ([`is_lost`]).
pub fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = printed
        && error.kind() != ErrorKind::BrokenPipe
        && !LOST.swap(true, Ordering::Relaxed)
    {
        complain(&format!("error: cannot write the output: {}\n", why(&error, "there is no such file")));
    }
}

/// Whether something of the standard output was lost.
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Prints to the standard error, in the same way; on a terminal no line is wider than that.
pub fn complain(text: &str) {
    let fitted = crate::terminal::width_of_errors().map(|width| report::columns::fitted(text, width));
    let text = fitted.as_deref().unwrap_or(text);
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// As `print!`, but a reader that has gone away is no reason to panic.
macro_rules! say {
    ($($text:tt)*) => { $crate::files::print_fitted(&format!($($text)*)) };
}

/// As `println!`, in the same way.
macro_rules! say_line {
    () => { $crate::files::print("\n") };
    ($($text:tt)*) => { $crate::files::print_fitted(&(format!($($text)*) + "\n")) };
}

/// As `eprint!`, in the same way.
macro_rules! complain {
    ($($text:tt)*) => { $crate::files::complain(&format!($($text)*)) };
}

/// As `eprintln!`, in the same way.
macro_rules! complain_line {
    ($($text:tt)*) => { $crate::files::complain(&(format!($($text)*) + "\n")) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trace.json");
        write(&path, "old").expect("written");
        write(&path, "new").expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "new");
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
    }

    #[test]
    fn what_is_no_plain_file_is_written_to_and_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("trace.json"), folder.path().join("link.json"));
        write(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        write(&link, "new").expect("written");
        assert!(std::fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(std::fs::read_to_string(&file).expect("read"), "new");
        assert!(write(folder.path(), "x").is_err());
    }

    #[test]
    fn a_place_that_does_not_exist_is_named() {
        let error = write(Path::new("/nowhere/at/all.json"), "x").expect_err("no such folder");
        assert!(error.contains("/nowhere/at/all.json"), "{error}");
    }
}
