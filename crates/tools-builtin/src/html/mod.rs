//! Readable text of HTML.
