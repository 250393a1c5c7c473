use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn delays_double_up_to_maximum() {
    let backoff = Backoff::new(SECOND, 5 * SECOND);
    for (attempt, longest) in [(0, 1), (1, 1), (2, 2), (3, 4), (4, 5), (u32::MAX, 5)] {
        let wait = backoff.wait_after(attempt, None).unwrap();

        let longest = longest * SECOND;
        assert!(wait >= longest / 2 && wait <= longest, "{attempt} {wait:?}");
    }
}

#[test]
fn requested_delay_applies_up_to_maximum() {
    let backoff = Backoff::new(SECOND, 8 * SECOND);
    for (asked, wait) in [(5, Some(5)), (8, Some(8)), (9, None)] {
        let waited = backoff.wait_after(1, Some(asked * SECOND));

        assert_eq!(waited, wait.map(|wait: u32| wait * SECOND));
    }
}

proptest! {
    #[test]
    fn delays_never_exceed_maximum(attempt: u32, first: u64, longest: u64) {
        let longest = Duration::from_nanos(longest);

        let wait = Backoff::new(Duration::from_nanos(first), longest).wait_after(attempt, None);

        prop_assert!(wait.is_some_and(|wait| wait <= longest), "{wait:?}");
    }
}

#[test]
fn equal_attempts_have_different_delays() {
    let delays = [0; 8].map(|_| spread(SECOND));

    assert!(
        delays.windows(2).any(|pair| pair[0] != pair[1]),
        "{delays:?}"
    );
}
