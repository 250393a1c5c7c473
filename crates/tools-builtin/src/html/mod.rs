//! Readable text of HTML: from bytes to letters, and from a page to plain text or Markdown.
//!
//! [`decode`] makes text of the bytes of a page, [`to_text`] and [`to_markdown`] make readable text of the page. What a
//! reader does not see is left out: scripts, styles, and elements that are hidden by an attribute or by their own style.
//! No function here fails, panics or takes more than linear time, whatever it is given.
//!
//! ```
//! use tools_builtin::html;
//!
//! let decoded = html::decode(b"<h1>Caf\xE9</h1><p hidden>secret</p><ul><li>open", Some("text/html; charset=latin1"));
//! assert_eq!(decoded.encoding, "windows-1252");
//! assert_eq!(html::to_text(&decoded.text).text, "Café\n\n• open");
//! assert_eq!(html::to_markdown(&decoded.text).text, "# Café\n\n- open");
//! ```

mod address;
#[cfg(feature = "article")]
mod article;
mod charset;
mod document;
mod hidden;
mod letters;
mod options;
mod page;
mod reader;
mod references;
mod render;
mod style;
mod tag;
mod tokens;

#[cfg(test)]
mod tests;

#[cfg(feature = "article")]
pub use article::{article, article_text};
pub use charset::{Decoded, EncodingSource, decode};
pub use options::{Images, Options};
#[cfg(feature = "web")]
pub(crate) use references::reference;

pub use page::{Page, to_markdown, to_markdown_with, to_text, to_text_with};
