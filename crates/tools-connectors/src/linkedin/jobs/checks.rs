//! Checks of filters that LinkedIn may ignore.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use super::{Check, JobsInput};
use crate::linkedin::cards::Card;
use crate::linkedin::filters::{DatePosted, ExperienceLevel, Filter, JobType, Workplace};
use crate::linkedin::posting::Posting;

/// Days by which the date of a posting may differ, because of time zones.
const TOLERANCE: i64 = 1;

/// Result of a check, or `None` if the posting contradicts the filter.
type Checked = Option<Check>;

/// Returns whether a search has filters that only the posting can confirm.
pub(super) fn needs_postings(input: &JobsInput) -> bool {
    !input.job_type.values().is_empty()
        || !input.remote.values().is_empty()
        || !input.experience_level.values().is_empty()
}

/// Checks a card and its posting, if that was read. Returns `None` if they contradict a filter.
pub(super) fn check(
    input: &JobsInput,
    card: &Card,
    posting: Option<&Posting>,
) -> Option<BTreeMap<String, Check>> {
    let mut checks = BTreeMap::new();
    let mut add = |name: &str, check: Check| {
        checks.insert(name.to_owned(), check);
    };
    if let Some(age) = input.date_posted {
        add("date_posted", date(age, &card.posted, today())?);
    }
    if !input.job_type.values().is_empty() {
        let label = posting.map_or("", |posting| &posting.employment_type);
        let stated = JobType::of_label(label);
        add("job_type", one_of(input.job_type.values(), stated)?);
    }
    if !input.remote.values().is_empty() {
        add("remote", workplace(input.remote.values(), card, posting)?);
    }
    if !input.experience_level.values().is_empty() {
        let label = posting.map_or("", |posting| &posting.seniority);
        let stated = ExperienceLevel::of_label(label);
        let asked = input.experience_level.values();
        add("experience_level", one_of(asked, stated)?);
    }
    Some(checks)
}

fn today() -> Date {
    Timestamp::now().to_zoned_datetime(TimeZone::UTC).date()
}

fn date(age: DatePosted, posted: &str, today: Date) -> Checked {
    let Ok(posted) = posted.parse::<Date>() else {
        return Some(Check::Unchecked);
    };
    let days = age.days() + TOLERANCE;
    let Ok(oldest) = today.checked_sub(days.days()) else {
        return Some(Check::Unchecked);
    };
    (posted >= oldest).then_some(Check::Confirmed)
}

fn one_of<F: Filter>(asked: &[F], stated: Option<F>) -> Checked {
    match stated {
        None => Some(Check::Unchecked),
        Some(stated) => asked.contains(&stated).then_some(Check::Confirmed),
    }
}

/// Location and title count more than the description, which may mention several places.
fn workplace(asked: &[Workplace], card: &Card, posting: Option<&Posting>) -> Checked {
    let Some(posting) = posting else {
        return Some(Check::Unchecked);
    };
    let head = [
        &card.title,
        &card.location,
        &posting.title,
        &posting.location,
    ];
    for text in head.into_iter().chain([&posting.description]) {
        let mentioned = Workplace::mentioned_in(text);
        if mentioned.iter().any(|place| asked.contains(place)) {
            return Some(Check::Confirmed);
        }
        if !mentioned.is_empty() {
            return None;
        }
    }
    Some(Check::Unchecked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_one_day_of_tolerance() {
        let today = "2026-11-24".parse().unwrap();
        for (age, posted, check) in [
            (DatePosted::PastDay, "2026-11-24", Some(Check::Confirmed)),
            (DatePosted::PastHour, "2026-11-22", Some(Check::Confirmed)),
            (DatePosted::PastDay, "2026-11-21", None),
            (DatePosted::PastWeek, "2026-11-16", Some(Check::Confirmed)),
            (DatePosted::PastWeek, "2026-11-15", None),
            (DatePosted::PastMonth, "2026-10-24", Some(Check::Confirmed)),
            (DatePosted::PastMonth, "2026-10-23", None),
            (DatePosted::PastDay, "", Some(Check::Unchecked)),
            (DatePosted::PastDay, "soon", Some(Check::Unchecked)),
        ] {
            assert_eq!(date(age, posted, today), check, "{age:?} {posted}");
        }
    }

    #[test]
    fn workplace_follows_location_before_description() {
        let card = |location: &str| Card {
            location: location.to_owned(),
            ..Card::default()
        };
        let posting = |description: &str| Posting {
            description: description.to_owned(),
            ..Posting::default()
        };
        let remote = [Workplace::Remote];
        for (location, description, check) in [
            ("Berlin (Remote)", "hybrid", Some(Check::Confirmed)),
            ("Berlin (Hybrid)", "some remote days", None),
            ("Berlin", "Work REMOTE or on-site", Some(Check::Confirmed)),
            ("Berlin", "onsite only", None),
            ("Berlin", "Rust", Some(Check::Unchecked)),
        ] {
            let posting = posting(description);
            let checked = workplace(&remote, &card(location), Some(&posting));

            assert_eq!(checked, check, "{location} {description}");
        }
    }
}
