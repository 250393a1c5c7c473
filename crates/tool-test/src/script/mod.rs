//! Tools that do what a test says.

mod step;
#[cfg(test)]
mod tests;
mod tool;

pub use step::Step;
pub use tool::ScriptedTool;
