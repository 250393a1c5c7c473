//! Services of Google and their permissions.

/// Scope that reads mail.
pub(crate) const GMAIL_READ: &str = "https://www.googleapis.com/auth/gmail.readonly";
/// Scope that sends mail.
pub(crate) const GMAIL_SEND: &str = "https://www.googleapis.com/auth/gmail.send";
/// Scope that reads and changes events.
pub(crate) const CALENDAR: &str = "https://www.googleapis.com/auth/calendar.events";

/// Service of Google, each with its own sign-in.
///
/// # Examples
/// ```
/// use tools_connectors::google::GoogleService;
///
/// assert_ne!(GoogleService::Gmail, GoogleService::Calendar);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GoogleService {
    /// Gmail.
    Gmail,
    /// Google Calendar.
    Calendar,
}

/// Permissions for Gmail.
///
/// # Examples
/// ```
/// use tools_connectors::google::GmailAccess;
///
/// assert_eq!(GmailAccess::default(), GmailAccess::ReadAndSend);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GmailAccess {
    /// Reads and sends.
    #[default]
    ReadAndSend,
    /// Only reads. The tool that sends is not registered.
    ReadOnly,
}
