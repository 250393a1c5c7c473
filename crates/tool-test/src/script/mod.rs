//! Tools that follow a script.

mod step;
#[cfg(test)]
mod tests;
mod tool;

pub use step::Step;
pub use tool::ScriptedTool;
