//! Figures with limits and goals.

use std::fmt;

/// Figure with a limit and a goal.
///
/// The bars of a run are printed as a table: [`Bar::HEADING`], then one line per bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    name: String,
    measured: f64,
    at_least: f64,
    aim: f64,
    /// Whether larger values are better.
    is_floor: bool,
}

impl Bar {
    /// First two lines of the table.
    pub const HEADING: &'static str =
        "| figure | measured | limit | goal | |\n|---|---:|---:|---:|---|";

    /// Creates a bar whose value must not exceed `at_least` and should not exceed `aim`.
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

    /// Creates a bar whose value must reach `at_least` and should reach `aim`.
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
            (true, _) => "goal met",
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
        // Show two significant digits, also for very small goals.
        let digits = if *aim > 0.0 && *aim < 0.01 { 6 } else { 2 };
        let verdict = self.verdict();
        write!(
            f,
            "| {name} | {measured:.digits$} | {at_least} | {aim} | {verdict} |"
        )
    }
}

/// Prints the bars as a table.
pub fn print(bars: &[Bar]) {
    println!("\n{}", Bar::HEADING);
    for bar in bars {
        println!("{bar}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_figure_with_limit_and_goal() {
        for (bar, line) in [
            (
                Bar::ceiling("c", 0.5, 1.0, 0.5),
                "| c | 0.50 | 1 | 0.5 | goal met |",
            ),
            (
                Bar::ceiling("c", 0.9, 1.0, 0.5),
                "| c | 0.90 | 1 | 0.5 | met |",
            ),
            (
                Bar::ceiling("c", 1.1, 1.0, 0.5),
                "| c | 1.10 | 1 | 0.5 | MISSED |",
            ),
            (
                Bar::floor("f", 0.9, 0.5, 1.0),
                "| f | 0.90 | 0.5 | 1 | met |",
            ),
            (
                Bar::floor("f", 0.4, 0.5, 1.0),
                "| f | 0.40 | 0.5 | 1 | MISSED |",
            ),
        ] {
            assert_eq!(bar.to_string(), line);
        }
    }

    #[test]
    fn zero_limit_is_met_only_by_zero() {
        let bars = [0.0, 1.0].map(|measured| Bar::ceiling("c", measured, 0.0, 0.0).verdict());

        assert_eq!(bars, ["goal met", "MISSED"]);
    }
}
