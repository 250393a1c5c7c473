#![cfg_attr(feature = "charset", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "charset"),
    doc = "Converts HTML to plain text or Markdown within limits."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod characters;
#[cfg(feature = "charset")]
mod charset;
mod document;
mod events;
mod hidden;
mod options;
mod page;
mod reader;
mod render;
mod tag;
mod tokens;

#[cfg(test)]
mod tests;

pub use characters::reference;
#[cfg(feature = "charset")]
pub use charset::{Decoded, decode};
pub use events::{Event, Events, StartTag};
pub use options::Options;
pub use page::{Page, to_markdown, to_markdown_with, to_text, to_text_with};
