mod backoff {
    use proptest::prelude::*;

    use super::super::*;

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

    #[test]
    fn changed_delays_keep_jitter() {
        let suspend_idle_timeout =
            |backoff: Backoff| [1, 2, 3].map(|attempt| backoff.wait_after(attempt, None));
        let seeded = || Jitter::seeded(3);

        let late = suspend_idle_timeout(
            Backoff::new(SECOND, SECOND)
                .jitter(seeded())
                .delays(SECOND, 9 * SECOND),
        );

        assert_eq!(
            late,
            suspend_idle_timeout(Backoff::new(SECOND, 9 * SECOND).jitter(seeded()))
        );
    }

    proptest! {
        #[test]
        fn delays_never_exceed_maximum(attempt: u32, first: u64, longest: u64) {
            let longest = Duration::from_nanos(longest);

            let wait = Backoff::new(Duration::from_nanos(first), longest).wait_after(attempt, None);

            prop_assert!(wait.is_some_and(|wait| wait <= longest), "{wait:?}");
        }
    }
}

mod jitter {
    use proptest::prelude::*;

    use super::super::*;

    proptest! {
        #[test]
        fn delay_is_between_half_and_maximum(seed: u64, nanoseconds: u64) {
            let longest = Duration::from_nanos(nanoseconds);

            let delay = Jitter::seeded(seed).spread(longest);

            prop_assert!(longest / 2 <= delay && delay <= longest, "{delay:?} of {longest:?}");
        }
    }

    #[test]
    fn equal_seeds_yield_equal_delays() {
        let delays = |jitter: &Jitter| [0; 8].map(|_| jitter.spread(Duration::from_secs(1)));

        let first = delays(&Jitter::seeded(1));

        assert_eq!(first, delays(&Jitter::seeded(1)));
        assert_ne!(first, delays(&Jitter::seeded(2)));
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "{first:?}");
    }
}
