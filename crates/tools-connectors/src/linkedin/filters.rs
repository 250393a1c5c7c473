//! Filters of the search for jobs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One value or a list of values.
///
/// # Examples
/// ```
/// use tools_connectors::linkedin::{JobType, Several};
///
/// let one: Several<JobType> = serde_json::from_str(r#""full_time""#)?;
/// assert_eq!(one.values(), [JobType::FullTime]);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Several<T> {
    /// One value.
    One(T),
    /// List of values.
    Many(Vec<T>),
}

impl<T> Several<T> {
    /// Returns the values.
    #[must_use]
    pub fn values(&self) -> &[T] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

impl<T> Default for Several<T> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

/// Value of a filter.
pub(crate) trait Filter: Copy + PartialEq {
    /// Names of all values.
    const NAMES: &[&str];

    /// Returns the value in the address of a search.
    fn wire(self) -> &'static str;

    /// Returns the name of the value in arguments.
    fn name(self) -> &'static str;
}

macro_rules! filter {
    ($(#[$doc:meta])* $filter:ident { $($(#[$about:meta])* $value:ident $name:literal $wire:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum $filter {
            $($(#[$about])* #[serde(rename = $name)] $value,)*
        }

        impl Filter for $filter {
            const NAMES: &[&str] = &[$($name),*];

            fn wire(self) -> &'static str {
                match self { $(Self::$value => $wire,)* }
            }

            fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)* }
            }
        }
    };
}

filter! {
    /// Age of a posting.
    ///
    /// # Examples
    /// ```
    /// use tools_connectors::linkedin::DatePosted;
    ///
    /// assert_eq!(serde_json::to_value(DatePosted::PastWeek)?, "past_week");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    DatePosted {
        /// At most one hour.
        PastHour "past_hour" "r3600",
        /// At most one day.
        PastDay "past_24_hours" "r86400",
        /// At most 7 days.
        PastWeek "past_week" "r604800",
        /// At most 30 days.
        PastMonth "past_month" "r2592000",
    }
}

filter! {
    /// Type of employment.
    ///
    /// # Examples
    /// See [`Several`].
    JobType {
        /// Full time.
        FullTime "full_time" "F",
        /// Part time.
        PartTime "part_time" "P",
        /// Contract.
        Contract "contract" "C",
        /// Temporary.
        Temporary "temporary" "T",
        /// Internship.
        Internship "internship" "I",
        /// Volunteer.
        Volunteer "volunteer" "V",
        /// Other.
        Other "other" "O",
    }
}

filter! {
    /// Place of work.
    ///
    /// # Examples
    /// ```
    /// use tools_connectors::linkedin::Workplace;
    ///
    /// assert_eq!(serde_json::to_value(Workplace::OnSite)?, "on_site");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    Workplace {
        /// At the company.
        OnSite "on_site" "1",
        /// Elsewhere.
        Remote "remote" "2",
        /// Partly at the company.
        Hybrid "hybrid" "3",
    }
}

filter! {
    /// Required experience.
    ///
    /// # Examples
    /// ```
    /// use tools_connectors::linkedin::ExperienceLevel;
    ///
    /// assert_eq!(serde_json::to_value(ExperienceLevel::MidSenior)?, "mid_senior");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    ExperienceLevel {
        /// Internship.
        Internship "internship" "1",
        /// Entry level.
        Entry "entry" "2",
        /// Associate.
        Associate "associate" "3",
        /// Mid-senior level.
        MidSenior "mid_senior" "4",
        /// Director.
        Director "director" "5",
        /// Executive.
        Executive "executive" "6",
    }
}

filter! {
    /// Order of the results.
    ///
    /// # Examples
    /// ```
    /// use tools_connectors::linkedin::SortOrder;
    ///
    /// assert_eq!(serde_json::to_value(SortOrder::Date)?, "date");
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    SortOrder {
        /// The most relevant first.
        Relevance "relevance" "R",
        /// The newest first.
        Date "date" "DD",
    }
}

impl DatePosted {
    /// Returns the maximum age in days.
    pub(super) fn days(self) -> i64 {
        match self {
            Self::PastHour | Self::PastDay => 1,
            Self::PastWeek => 7,
            Self::PastMonth => 30,
        }
    }
}

impl JobType {
    /// Returns the type with this label on a posting.
    pub(super) fn of_label(label: &str) -> Option<Self> {
        Some(match label.to_lowercase().as_str() {
            "full-time" => Self::FullTime,
            "part-time" => Self::PartTime,
            "contract" => Self::Contract,
            "temporary" => Self::Temporary,
            "internship" => Self::Internship,
            "volunteer" => Self::Volunteer,
            "other" => Self::Other,
            _ => return None,
        })
    }
}

impl ExperienceLevel {
    /// Returns the level with this label on a posting, or `None` for labels such as `Not Applicable`.
    pub(super) fn of_label(label: &str) -> Option<Self> {
        Some(match label.to_lowercase().as_str() {
            "internship" => Self::Internship,
            "entry level" => Self::Entry,
            "associate" => Self::Associate,
            "mid-senior level" => Self::MidSenior,
            "director" => Self::Director,
            "executive" => Self::Executive,
            _ => return None,
        })
    }
}

impl Workplace {
    const ALL: [Self; 3] = [Self::OnSite, Self::Remote, Self::Hybrid];

    /// Returns the places that are mentioned in `text`.
    pub(super) fn mentioned_in(text: &str) -> Vec<Self> {
        let text = text.to_lowercase();
        let is_mentioned = |place: &Self| {
            let words: &[&str] = match place {
                Self::OnSite => &["on-site", "onsite", "on site"],
                Self::Remote => &["remote"],
                Self::Hybrid => &["hybrid"],
            };
            words.iter().any(|word| text.contains(word))
        };
        Self::ALL.into_iter().filter(is_mentioned).collect()
    }
}

/// Joins the values for the address of a search.
pub(super) fn joined<F: Filter>(values: &[F]) -> Option<String> {
    let wire: Vec<&str> = values.iter().map(|value| value.wire()).collect();
    (!wire.is_empty()).then(|| wire.join(","))
}

/// Returns the names of the values.
pub(super) fn names<F: Filter>(values: &[F]) -> Vec<String> {
    values.iter().map(|value| value.name().to_owned()).collect()
}
