//! Makes a failing text small: drops ever smaller parts as long as the failure stays the same.

/// The most calls of `fails` that are worth it.
const PATIENCE: usize = 5_000;

/// A smaller text that still fails.
pub fn shrink(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut current: Vec<char> = text.chars().collect();
    let mut calls = 0;
    let mut size = current.len() / 2;
    while size > 0 && calls < PATIENCE {
        let mut start = 0;
        let mut shrunk = false;
        while start < current.len() && calls < PATIENCE {
            let end = (start + size).min(current.len());
            let without: String = current[..start].iter().chain(&current[end..]).collect();
            calls += 1;
            if fails(&without) {
                current = without.chars().collect();
                shrunk = true;
            } else {
                start = end;
            }
        }
        if !shrunk || size > 1 {
            size /= 2;
        }
    }
    current.into_iter().collect()
}
