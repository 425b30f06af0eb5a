//! The command line of Plimsoll: options, files, exit codes, progress line.

fn main() {}
