//! Colours of the terminal, and none anywhere else.

use crate::diagnostic::Colour;
use std::fmt::Display;

/// Paints words, or leaves them as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Palette {
    colour: Colour,
}

impl Palette {
    /// A palette for a terminal or for a pipe.
    pub fn new(colour: Colour) -> Palette {
        Palette { colour }
    }

    /// `PROVED`, `VIOLATED`, `UNKNOWN` in green, red, yellow.
    pub fn verdict(&self, word: &str, text: impl Display) -> String {
        match word {
            "PROVED" => self.paint("1;32", text),
            "VIOLATED" => self.paint("1;31", text),
            "UNKNOWN" => self.paint("1;33", text),
            _ => text.to_string(),
        }
    }

    /// What is there for completeness.
    pub fn dim(&self, text: impl Display) -> String {
        self.paint("2", text)
    }

    /// What should catch the eye.
    pub fn bold(&self, text: impl Display) -> String {
        self.paint("1", text)
    }

    fn paint(&self, code: &str, text: impl Display) -> String {
        match self.colour {
            Colour::Styled => format!("\x1b[{code}m{text}\x1b[0m"),
            Colour::Plain => text.to_string(),
        }
    }
}
