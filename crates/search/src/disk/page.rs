//! Pages: what is known, as one line of JSON and a checksum, replaced in one move. Whoever finds one finds it whole.

use super::Trouble;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Writes a page beside the old one, waits until it is on the disk, and puts it in its place.
pub fn write(path: &Path, page: &impl Serialize) -> Result<(), Trouble> {
    let text = serde_json::to_string(page).unwrap_or_default();
    let checksum = crc32fast::hash(text.as_bytes());
    let new = path.with_extension("new");
    let write = || {
        let mut file = File::create(&new)?;
        write!(file, "{text}\n{checksum:08x}\n")?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    };
    write().map_err(|error| Trouble::of(path, error))
}

/// Reads a page.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Trouble> {
    let text = fs::read_to_string(path).map_err(|error| Trouble::of(path, error))?;
    let damaged = |what| Trouble::Damaged { path: path.to_path_buf(), what };
    let (page, checksum) = text.split_once('\n').ok_or_else(|| damaged("it ends too early"))?;
    if format!("{:08x}\n", crc32fast::hash(page.as_bytes())) != checksum {
        return Err(damaged("its checksum is wrong"));
    }
    serde_json::from_str(page).map_err(|_| damaged("it is no page of a search"))
}
