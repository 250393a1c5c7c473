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
mod element;
mod hidden;
mod options;
mod page;
mod parse;
mod render;
mod role;
mod table;
mod tree;

#[cfg(test)]
mod tests;

#[cfg(feature = "charset")]
pub use charset::{Decoded, decode};
pub use element::Element;
pub use options::Options;
pub use page::{Page, to_markdown, to_markdown_with, to_text, to_text_with};
pub use tree::Tree;
