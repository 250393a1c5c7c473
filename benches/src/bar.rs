//! The bars that the project has set itself, and how high it jumps.

use std::fmt;

/// A figure that must stay on one side of a bar.
///
/// The bars of a run are printed as a table: [`Bar::HEADING`], then a line for each.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    name: String,
    measured: f64,
    at_least: f64,
    aim: f64,
    /// Whether more is better.
    is_floor: bool,
}

impl Bar {
    /// The first two lines of the table.
    pub const HEADING: &'static str =
        "| bar | measured | at least | aim | |\n|---|---:|---:|---:|---|";

    /// What was measured must not exceed `at_least`, and should not exceed `aim`.
    #[must_use]
    pub fn ceiling(name: impl Into<String>, measured: f64, at_least: f64, aim: f64) -> Self {
        Self {
            name: name.into(),
            measured,
            at_least,
            aim,
            is_floor: false,
        }
    }

    /// What was measured must reach `at_least`, and should reach `aim`.
    #[must_use]
    pub fn floor(name: impl Into<String>, measured: f64, at_least: f64, aim: f64) -> Self {
        Self {
            is_floor: true,
            ..Self::ceiling(name, measured, at_least, aim)
        }
    }

    fn reaches(&self, bar: f64) -> bool {
        if self.is_floor {
            self.measured >= bar
        } else {
            self.measured <= bar
        }
    }

    fn verdict(&self) -> &'static str {
        match (self.reaches(self.aim), self.reaches(self.at_least)) {
            (true, _) => "aim met",
            (false, true) => "met",
            (false, false) => "MISSED",
        }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            measured,
            at_least,
            aim,
            ..
        } = self;
        // Two digits that count, however small the bar is.
        let digits = if *aim > 0.0 && *aim < 0.01 { 6 } else { 2 };
        let verdict = self.verdict();
        write!(
            f,
            "| {name} | {measured:.digits$} | {at_least} | {aim} | {verdict} |"
        )
    }
}

/// Prints the table.
pub fn print(bars: &[Bar]) {
    println!("\n{}", Bar::HEADING);
    for bar in bars {
        println!("{bar}");
    }
}
