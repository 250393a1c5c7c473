//! Gmail: search, read and send.
//!
//! The tools are in the [toolsets](crate::toolsets). If your application fetches messages itself,
//! [`decode_body`], [`extract_text`] and [`get_header`] read the JSON that the Gmail API returns.

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

use attachments::Attachment;
pub use decode::{InvalidBody, decode_body};
pub use extract::{BodyFormat, ExtractedText, extract_text};
use headers::MailAddress;
pub use headers::get_header;
pub(crate) use outgoing::SendMailInput;
pub use part::{Body, Header, Part};
pub(crate) use read::{GmailRead, ReadMailInput};
pub(crate) use search::{GmailSearch, SearchMailInput};
pub(crate) use send::GmailSend;
use summary::MailSummary;
