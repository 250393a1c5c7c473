//! Whole pages, as text and as Markdown.

mod golden;
mod hostile;
mod properties;
mod standard;
