//! Options about how much work may cost: time, memory, threads.

use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use verify::CheckOptions;

/// How much work may cost.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits")]
pub struct LimitArguments {
    /// Stop after this time (`500ms`, `30s`, `5m`, `1h`) with what is known by then; `none` is no limit
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time)]
    pub time: TimeLimit,

    /// Memory (`500M`, `4G`); without it, three quarters of what is free
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub memory: Option<usize>,

    /// Threads of a search; without it, one for each core
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,

    /// Stop after so many states; without it, as many as the memory holds
    #[arg(long, value_name = "N", value_parser = parse_number)]
    pub states: Option<u64>,
}

/// Where a search goes on when memory ends.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits")]
pub struct DiskArguments {
    /// When memory ends, go on on disk: states, sorted and packed, go to files in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    disk: Option<PathBuf>,

    /// Go on with the search of this folder that was interrupted, with the same model and the same questions
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
}

impl DiskArguments {
    /// Puts the folder into the options of a check.
    pub fn apply(&self, options: &mut CheckOptions) {
        let new = self.disk.as_ref().map(|folder| search::Disk { folder: folder.clone(), resume: false });
        let old = self.resume.as_ref().map(|folder| search::Disk { folder: folder.clone(), resume: true });
        options.search.disk = new.or(old);
    }
}

/// How long a command may take that has no other limits.
#[derive(Args, Clone, Copy, Debug)]
pub struct TimeArguments {
    /// Give up after this time (`500ms`, `30s`, `5m`, `1h`)
    #[arg(long, value_name = "TIME", default_value = "none", value_parser = parse_time)]
    pub time: TimeLimit,
}

/// A time limit, or none. It counts from when the command line was read, so that reading the model is part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeLimit {
    /// How long.
    pub limit: Option<Duration>,
    /// Since when.
    pub since: Instant,
}

impl TimeLimit {
    /// The point in time at which it is over.
    pub fn end(&self) -> Option<Instant> {
        self.limit.and_then(|limit| self.since.checked_add(limit))
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.end().is_some_and(|end| Instant::now() >= end)
    }
}

/// `the time limit of 2 s was over`
impl std::fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.limit.map_or(0.0, |limit| limit.as_secs_f64());
        write!(f, "the time limit of {} was over", report::text::duration(seconds))
    }
}

impl LimitArguments {
    /// Threads to use.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        self.threads.unwrap_or_else(cores)
    }

    /// Bytes that the program may take.
    pub fn memory(&self) -> Option<usize> {
        let free = || free_memory().map_or(WHERE_NOBODY_SAYS, |bytes| bytes / 4 * 3);
        self.memory.or_else(|| Some(free()))
    }

    /// Puts the limits into the options of a check.
    pub fn apply(&self, options: &mut CheckOptions) {
        options.time = self.time.limit;
        options.started = Some(self.time.since);
        options.memory_limit = self.memory();
        apply_memory(options, 1);
        options.threads = self.threads();
        options.search.states = self.states;
    }
}

/// Gives each of several models at once its share of the memory that is left: what the program has taken by now (for itself, and for
/// models that were read) is a part of the limit.
pub fn apply_memory(options: &mut CheckOptions, models_at_once: usize) {
    // The allocator's own share: what it rounds up and cannot give back.
    let left = |limit: usize| limit.saturating_sub(limit / 50 + taken_memory().unwrap_or(0));
    let left = options.memory_limit.map(left);
    options.memory = left.map(|bytes| bytes / models_at_once.max(1));
}

/// All that will be known is known.
static ONLY_WORDS_ARE_LEFT: AtomicBool = AtomicBool::new(false);

/// Says that all that will be known is known.
pub fn the_rest_is_words() {
    ONLY_WORDS_ARE_LEFT.store(true, Ordering::Release);
}

/// Whether all that will be known is known: no limit of time is a reason not to say it.
pub fn only_words_are_left() -> bool {
    ONLY_WORDS_ARE_LEFT.load(Ordering::Acquire)
}

/// Whether the program takes more than a limit allows.
pub fn memory_is_over(limit: Option<usize>) -> bool {
    limit.is_some_and(|limit| taken_memory().is_some_and(|taken| taken > limit))
}

/// What the program has taken; only known where there is `/proc`.
pub fn taken_memory() -> Option<usize> {
    const PAGE: usize = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = text.split_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(PAGE)
}

/// Asks the allocator to give back to the system what is freed: it would keep pieces of up to 32 MB for later, and a limit on memory
/// counts what is in use, not what was.
pub fn give_back_what_is_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const M_TRIM_THRESHOLD: i32 = -1;
        const M_MMAP_THRESHOLD: i32 = -3;
        unsafe extern "C" {
            fn mallopt(parameter: i32, value: i32) -> i32;
        }
        // SAFETY: it changes when the allocator asks the system for memory and gives it back, nothing else. A failure leaves that as
        // it is, so the result is not looked at.
        unsafe {
            mallopt(M_MMAP_THRESHOLD, 1 << 18);
            mallopt(M_TRIM_THRESHOLD, 1 << 21);
        }
    }
}

/// Bytes to take where the operating system does not say how many are free.
const WHERE_NOBODY_SAYS: usize = 2 << 30;

/// What the operating system says is free; only known where it has `/proc/meminfo`.
pub fn free_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Reads a time: `500ms`, `30s`, `none`.
pub fn parse_time(text: &str) -> Result<TimeLimit, String> {
    let since = Instant::now();
    if text == "none" {
        return Ok(TimeLimit { limit: None, since });
    }
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let wrong = || format!("`{text}` is no time; write 500ms, 30s, 5m, 1h or none");
    let number: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let seconds = match &text[digits..] {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(limit) => Ok(TimeLimit { limit: Some(limit), since }),
        Err(_) => Err(wrong()),
    }
}

/// Reads a number; thousands may be set apart, as they are where Plimsoll prints them.
pub fn parse_number(text: &str) -> Result<u64, String> {
    text.replace([',', '_'], "").parse().map_err(|_| format!("`{text}` is no number"))
}

fn parse_threads(text: &str) -> Result<usize, String> {
    match parse_number(text)? {
        0 => Err("at least one thread has to do the work".to_string()),
        threads => Ok(threads as usize),
    }
}

/// Reads a size: `500M`, `4G`.
pub fn parse_memory(text: &str) -> Result<usize, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let wrong = || format!("`{text}` is no size; write 500M or 4G");
    let number: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let factor = match text[digits..].trim_end_matches(['b', 'B']).trim_end_matches('i') {
        "" => 1.0,
        "k" | "K" => 1024.0,
        "m" | "M" => 1024.0 * 1024.0,
        "g" | "G" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    Ok((number * factor) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_as_people_write_them() {
        let limit = |text| parse_time(text).map(|time| time.limit);
        assert_eq!(limit("500ms"), Ok(Some(Duration::from_millis(500))));
        assert_eq!(limit("2m"), Ok(Some(Duration::from_secs(120))));
        assert_eq!(limit("7"), Ok(Some(Duration::from_secs(7))));
        assert_eq!(limit("none"), Ok(None));
        assert!(parse_time("soon").is_err());
        assert!(parse_time("1e999s").is_err());
        assert_eq!(parse_memory("2G"), Ok(2 << 30));
        assert_eq!(parse_memory("500MiB"), Ok(500 << 20));
        assert!(parse_memory("much").is_err());
        assert_eq!(parse_number("77,901"), Ok(77_901));
        assert_eq!(parse_number("many"), Err("`many` is no number".to_string()));
        assert!(parse_threads("0").is_err());
    }
}
