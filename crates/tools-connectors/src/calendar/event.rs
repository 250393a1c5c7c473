//! Events for the model.

mod convert;
mod text;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Event in a list.
///
/// # Examples
/// ```
/// use tools_connectors::calendar::EventSummary;
///
/// let event = EventSummary::default();
/// assert!(!event.all_day);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EventSummary {
    /// ID of the event.
    pub event_id: String,
    /// Title.
    pub summary: String,
    /// Start: a time with offset, or a date.
    pub start: String,
    /// End: a time with offset, or the date after the last day.
    pub end: String,
    /// Whether the event lasts whole days.
    pub all_day: bool,
    /// Last day of an all-day event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_day: Option<String>,
    /// Location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// `confirmed`, `tentative` or `cancelled`.
    pub status: String,
    /// Organizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organizer: Option<String>,
    /// Response of the user: `accepted`, `declined`, `tentative` or `needsAction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub my_response: Option<String>,
    /// ID of the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurring_event_id: Option<String>,
    /// Kind of the event, such as `default` or `outOfOffice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// URL of the event in the web application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// Event with all details.
///
/// # Examples
/// ```
/// use tools_connectors::calendar::EventDetails;
///
/// let event = EventDetails::default();
/// assert!(event.attendees.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EventDetails {
    /// Fields of the list.
    #[serde(flatten)]
    pub event: EventSummary,
    /// Description as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Attendees.
    pub attendees: Vec<Attendee>,
    /// Whether the service omitted attendees.
    pub attendees_omitted: bool,
    /// Video or phone conference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conference: Option<Conference>,
    /// Recurrence rules.
    pub recurrence: Vec<String>,
    /// Original start of a moved event of a series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_start: Option<String>,
    /// Reminders, as returned by the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reminders: Option<Value>,
    /// Attached files.
    pub attachments: Vec<AttachedFile>,
    /// Visibility, such as `private`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    /// `transparent` if the event does not block time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparency: Option<String>,
    /// Creator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// Time of creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// Time of the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<String>,
}

/// Attendee of an event.
#[expect(clippy::struct_excessive_bools, reason = "fields of the service")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Attendee {
    /// Email address.
    pub email: String,
    /// Name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `accepted`, `declined`, `tentative` or `needsAction`.
    pub response: String,
    /// Whether the attendance is optional.
    pub optional: bool,
    /// Whether the attendee is the organizer.
    pub organizer: bool,
    /// Whether the attendee is the user.
    #[serde(rename = "self")]
    pub is_self: bool,
    /// Whether the attendee is a room or another resource.
    pub resource: bool,
    /// Comment of the attendee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// Conference of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Conference {
    /// Service, such as `Google Meet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Links and phone numbers.
    pub links: Vec<ConferenceLink>,
}

/// Way into a conference.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ConferenceLink {
    /// `video`, `phone`, `sip` or `more`.
    pub kind: String,
    /// URL.
    pub uri: String,
    /// Label, such as a phone number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// PIN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
    /// Pass code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passcode: Option<String>,
}

/// File attached to an event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AttachedFile {
    /// Title.
    pub title: String,
    /// URL.
    pub url: String,
}
