//! Answers what a page would ask, natively: `answer < questions > answers`, a line of JSON each.

use page::Desk;
use std::io::BufRead;

fn main() {
    let mut desk = Desk::default();
    for question in std::io::stdin().lock().lines().map_while(Result::ok) {
        println!("{}", desk.answer(&question, |_| {}));
    }
}
