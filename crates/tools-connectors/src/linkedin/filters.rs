//! Filters of the search for jobs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Value of a filter.
pub(crate) trait Filter: Copy {
    /// Names of all values in arguments.
    const NAMES: &[&str];

    /// Returns the value in the address of a search.
    fn wire(self) -> &'static str;
}

macro_rules! filter {
    ($(#[$doc:meta])* $filter:ident { $($(#[$about:meta])* $value:ident $name:literal $wire:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum $filter {
            $($(#[$about])* #[serde(rename = $name)] $value,)*
        }

        impl Filter for $filter {
            const NAMES: &[&str] = &[$($name),*];

            fn wire(self) -> &'static str {
                match self { $(Self::$value => $wire,)* }
            }
        }
    };
}

filter! {
    /// Age of a posting.
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
    SortOrder {
        /// The most relevant first.
        Relevance "relevance" "R",
        /// The newest first.
        Date "date" "DD",
    }
}
