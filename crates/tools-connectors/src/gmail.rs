//! Gmail: search, read and send.
//!
//! [`decode_body`], [`extract_text`] and [`get_header`] read messages in the JSON form of the Gmail
//! API.

mod attachments;
mod decode;
mod extract;
mod headers;
mod outgoing;
mod part;
mod read;
mod search;
mod send;
mod service;
mod summary;
#[cfg(test)]
mod testing;

pub use attachments::Attachment;
pub use decode::{InvalidBody, decode_body};
pub use extract::{BodyFormat, ExtractedText, extract_text};
pub use headers::{MailAddress, get_header};
pub use outgoing::SendMailInput;
pub use part::{Body, Header, Part};
pub use read::{GmailRead, ReadMailInput, ReadMailOutput};
pub use search::{GmailSearch, SearchMailInput, SearchMailOutput};
pub use send::{GmailSend, SendMailOutput};
pub use summary::MailSummary;
