//! Figures with limits and goals.

use std::fmt;

/// Figure with a limit, and a goal if there is one.
///
/// The bars of a run are printed as a table: [`Bar::HEADING`], then one line per bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    name: String,
    measured: f64,
    limit: f64,
    goal: Option<f64>,
    /// Whether larger values are better.
    is_floor: bool,
}

impl Bar {
    /// First two lines of the table.
    pub const HEADING: &'static str =
        "| figure | measured | limit | goal | |\n|---|---:|---:|---:|---|";

    /// Creates a bar whose value must not exceed `limit`.
    #[must_use]
    pub fn ceiling(name: impl Into<String>, measured: f64, limit: f64) -> Self {
        Self {
            name: name.into(),
            measured,
            limit,
            goal: None,
            is_floor: false,
        }
    }

    /// Creates a bar whose value must reach `limit`.
    #[must_use]
    pub fn floor(name: impl Into<String>, measured: f64, limit: f64) -> Self {
        Self {
            is_floor: true,
            ..Self::ceiling(name, measured, limit)
        }
    }

    /// Sets the value that we aim for.
    #[must_use]
    pub fn goal(mut self, goal: f64) -> Self {
        self.goal = Some(goal);
        self
    }

    fn reaches(&self, bar: f64) -> bool {
        if self.is_floor {
            self.measured >= bar
        } else {
            self.measured <= bar
        }
    }

    fn verdict(&self) -> &'static str {
        if !self.reaches(self.limit) {
            "MISSED"
        } else if self.goal.is_some_and(|goal| self.reaches(goal)) {
            "goal met"
        } else {
            "met"
        }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            measured,
            limit,
            goal,
            ..
        } = self;
        let goal = goal.map_or("-".to_owned(), |goal| goal.to_string());
        let verdict = self.verdict();
        write!(
            f,
            "| {name} | {measured:.2} | {limit} | {goal} | {verdict} |"
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
                Bar::ceiling("c", 0.5, 1.0).goal(0.5),
                "| c | 0.50 | 1 | 0.5 | goal met |",
            ),
            (
                Bar::ceiling("c", 0.9, 1.0).goal(0.5),
                "| c | 0.90 | 1 | 0.5 | met |",
            ),
            (
                Bar::ceiling("c", 1.1, 1.0).goal(0.5),
                "| c | 1.10 | 1 | 0.5 | MISSED |",
            ),
            (
                Bar::floor("f", 0.9, 0.5).goal(1.0),
                "| f | 0.90 | 0.5 | 1 | met |",
            ),
            (
                Bar::floor("f", 0.4, 0.5).goal(1.0),
                "| f | 0.40 | 0.5 | 1 | MISSED |",
            ),
            (Bar::ceiling("c", 0.0, 0.0), "| c | 0.00 | 0 | - | met |"),
        ] {
            assert_eq!(bar.to_string(), line);
        }
    }
}
