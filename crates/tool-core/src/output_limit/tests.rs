mod limit {
    use super::super::*;

    #[test]
    fn cuts_at_lines_unless_most_would_be_lost() {
        let limit = OutputLimit::bytes(0);
        for (text, capacity, head, tail) in [
            ("one\ntwo\nthree\nfour", 9, "one\ntwo\n", "four"),
            ("a\nbbbbbbbbbbbbbbbb\nc", 8, "a\nbbbbbb", "bbbbbb\nc"),
            ("äöü", 3, "ä", "ü"),
            ("abc", 0, "", ""),
            ("abc", 3, "abc", "abc"),
        ] {
            assert_eq!(
                (limit.head(text, capacity), limit.tail(text, capacity)),
                (head, tail),
                "{text}"
            );
        }
    }

    #[test]
    fn cuts_by_estimated_tokens() {
        let limit = OutputLimit::tokens(2);

        assert_eq!(limit.head("日本語の文", limit.capacity()), "日本");
        assert_eq!(limit.tail("abcdefghijkl", limit.capacity()), "efghijkl");
        assert!(limit.fits_bytes(4) && !limit.fits_bytes(5));
        assert!(limit.fits(["abcd", "abcd"]) && !limit.fits(["abcd", "abcd", "a"]));
    }
}

mod estimate {
    use super::super::*;

    #[test]
    fn estimates_prose_code_and_other_scripts() {
        for (text, least, most) in [
            ("", 0, 0),
            ("The quick brown fox jumps over the lazy dog.", 9, 13),
            ("fn main() {\n    println!(\"{}\", 1 + 2);\n}\n", 12, 24),
            ("{\"path\":\"src/main.rs\",\"line\":120}", 10, 18),
            ("Быстрая лиса прыгает через собаку.", 9, 20),
            ("今天天气很好，我们去公园散步吧。", 10, 20),
            ("東京は日本の首都です。", 7, 14),
            ("🦀🦀🦀", 3, 9),
        ] {
            let tokens = estimate_tokens(text);

            assert!((least..=most).contains(&tokens), "{tokens} {text}");
        }
    }

    #[test]
    fn prose_has_four_characters_per_token_and_code_three() {
        let prose = include_str!("../../README.md")
            .split_once("A running tool")
            .unwrap()
            .1;
        let prose = prose.split_once("\n\n").unwrap().0;
        let code = include_str!("tests.rs");
        for (text, least, most) in [(prose, 3.6, 4.6), (code, 2.5, 3.6)] {
            let characters = u32::try_from(text.chars().count()).unwrap();
            let tokens = u32::try_from(estimate_tokens(text)).unwrap();
            let ratio = f64::from(characters) / f64::from(tokens);

            assert!((least..=most).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn weight_is_bounded_by_character_length() {
        for character in ['a', ' ', '9', 'é', 'я', '日', '🦀', char::MAX] {
            assert!(
                weight(character) <= MAX_PARTS_PER_BYTE * character.len_utf8(),
                "{character}"
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
