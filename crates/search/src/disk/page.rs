//! Pages: what is known, as one line of JSON and a checksum, replaced in one move. Whoever finds one finds it whole.

use super::Trouble;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// What a folder is about; stands on its page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heading {
    /// The form of the page.
    pub schema: String,
    /// Fingerprint of the model.
    pub model: String,
    /// What is asked of it.
    pub question: String,
    /// Stands in all files of the search.
    pub key: u64,
}

impl Heading {
    /// That of a new search, whose page is to be `page`. A folder with a search in it is not touched.
    pub fn begin(page: &Path, schema: &str, model: &str, question: &str) -> Result<Heading, Trouble> {
        let folder = page.parent().unwrap_or(page);
        fs::create_dir_all(folder).map_err(|error| Trouble::of(folder, error))?;
        if page.exists() {
            return Err(Trouble::InUse { path: folder.to_path_buf() });
        }
        let (schema, model, question) = (schema.to_string(), model.to_string(), question.to_string());
        Ok(Heading { key: key_of(folder, &model), schema, model, question })
    }

    /// Whether a search with this page may go on with these questions.
    pub fn demand(&self, page: &Path, schema: &str, model: &str, question: &str) -> Result<(), Trouble> {
        let other = |what| Err(Trouble::Other { path: page.parent().unwrap_or(page).to_path_buf(), what });
        if self.schema != schema {
            return other(format!("has the form `{}`, not `{schema}`", self.schema));
        }
        if self.model != model {
            return other("belongs to another model".to_string());
        }
        if self.question != question {
            return other(format!("was begun with {}, not with {question}", self.question));
        }
        Ok(())
    }
}

/// A number that another search hardly has.
fn key_of(path: &Path, model: &str) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let text = format!("{} {model} {:?} {}", path.display(), now, std::process::id());
    u64::from(crc32fast::hash(text.as_bytes())) << 32
        | u64::from(crc32fast::hash(text.to_uppercase().as_bytes()))
}

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
