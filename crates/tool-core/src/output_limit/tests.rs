mod limit {
    use super::super::*;

    #[test]
    fn cuts_at_lines_unless_most_would_be_lost() {
        for (text, capacity, begin, end) in [
            ("one\ntwo\nthree\nfour", 9, "one\ntwo\n", "four"),
            ("a\nbbbbbbbbbbbbbbbb\nc", 8, "a\nbbbbbb", "bbbbbb\nc"),
            ("äöü", 3, "ä", "ü"),
            ("abc", 0, "", ""),
            ("abc", 3, "abc", "abc"),
        ] {
            assert_eq!(
                (head(text, capacity), tail(text, capacity)),
                (begin, end),
                "{text}"
            );
        }
    }
}

mod share {
    use proptest::prelude::*;

    use super::super::*;

    #[test]
    fn small_stay_complete_and_large_share_rest() {
        for (sizes, capacity, expected) in [
            (vec![], 10, vec![]),
            (vec![1000, 10, 1000], 110, vec![50, 10, 50]),
            (vec![10, 20, 30], 100, vec![10, 20, 30]),
            (vec![50, 50, 50], 100, vec![33, 33, 34]),
            (vec![5, 5], 0, vec![0, 0]),
        ] {
            assert_eq!(
                shares(sizes.clone().into_iter(), capacity),
                expected,
                "{sizes:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn shares_use_all_room(
            sizes in prop::collection::vec(0_usize..1000, 0..20),
            capacity in 0_usize..5000,
        ) {
            let shares = shares(sizes.iter().copied(), capacity);

            let (needed, given) = (sizes.iter().sum::<usize>(), shares.iter().sum::<usize>());
            prop_assert_eq!(given, needed.min(capacity));
            prop_assert!(shares.iter().zip(&sizes).all(|(share, size)| share <= size));
            let cut = shares.iter().zip(&sizes).filter(|(share, size)| share < size);
            let least = cut.map(|(share, _)| *share).min().unwrap_or(usize::MAX);
            prop_assert!(shares.iter().all(|share| *share <= least.saturating_add(1)));
        }
    }
}
