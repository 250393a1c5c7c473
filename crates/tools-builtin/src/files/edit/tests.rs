mod damage;

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

pub(super) fn apply(text: &str, edits: &[Edit<'_>]) -> Result<Edited, Vec<Refusal>> {
    super::apply(text, edits, usize::MAX)
}

fn edit<'e>(old: &'e str, new: &'e str) -> Edit<'e> {
    Edit {
        old,
        new,
        all: false,
        near_line: None,
        region: None,
    }
}

fn all<'e>(old: &'e str, new: &'e str) -> Edit<'e> {
    Edit {
        all: true,
        ..edit(old, new)
    }
}

fn near<'e>(old: &'e str, new: &'e str, line: usize) -> Edit<'e> {
    Edit {
        near_line: Some(line),
        ..edit(old, new)
    }
}

pub(super) fn refusal(text: &str, edits: &[Edit<'_>]) -> (Option<usize>, RefusalKind, String) {
    let refusal = apply(text, edits).unwrap_err().remove(0);
    (refusal.edit, refusal.kind, refusal.text)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn one_difference_is_tolerated_in_one_place() {
    for (text, old, new, expected, layer) in [
        ("a b c", "b", "x", "a x c", Layer::Exact),
        ("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", Layer::Exact),
        (
            "a\r\nb\r\nc\r\n",
            "a\nb\n",
            "a\nx\n",
            "a\r\nx\r\nc\r\n",
            Layer::LineEndings,
        ),
        (
            "a\nb\n",
            "a\r\nb\r\n",
            "a\r\nx\r\n",
            "a\nx\n",
            Layer::LineEndings,
        ),
        (
            "if x {  \n    y\t\n}\n",
            "if x {\n    y\n}",
            "if x {\n    z\n}",
            "if x {  \n    z\n}\n",
            Layer::TrailingBlanks,
        ),
        (
            "a \n \nb\n \n",
            "a\n\nb\n",
            "a\n\nc\n",
            "a \n \nc\n \n",
            Layer::TrailingBlanks,
        ),
        (
            "    if x {\n        y\n    }\n",
            "if x {\n    y\n}\n",
            "if x {\n    y\n    z\n}\n",
            "    if x {\n        y\n        z\n    }\n",
            Layer::Indentation,
        ),
        (
            "if x {\n    y\n}\n",
            "    if x {\n        y\n    }",
            "    if x {\n        z\n    }",
            "if x {\n    z\n}\n",
            Layer::Indentation,
        ),
        (
            "if x {\n\ty\n\t\tz\n}\n",
            "    y\n        z\n",
            "    y\n        w\n",
            "if x {\n\ty\n\t\tw\n}\n",
            Layer::Indentation,
        ),
        (
            "a\n  b\n    c\n",
            "\tb\n\t\tc\n",
            "\tb\n\t\td\n",
            "a\n  b\n    d\n",
            Layer::Indentation,
        ),
        (
            "say(“hi”) – now\n",
            "say(\"hi\") - now",
            "say(\"ho\")",
            "say(\"ho\")\n",
            Layer::Typography,
        ),
        (
            "a\u{a0}b…\nc\n",
            "a b...\nc",
            "a b...\nd",
            "a\u{a0}b…\nd\n",
            Layer::Typography,
        ),
        (
            "cafe\u{301} “x”\nb\n",
            "café \"x\"\nb",
            "café \"x\"\nc",
            "cafe\u{301} “x”\nc\n",
            Layer::Typography,
        ),
        (
            "한글 \u{212B} é\n",
            "\u{1112}\u{1161}\u{11ab}글 Å e\u{301}",
            "x",
            "x\n",
            Layer::Typography,
        ),
        (
            "one\ntwo\nthree\n",
            "2: two\n3: three\n",
            "2: two\n3: drei\n",
            "one\ntwo\ndrei\n",
            Layer::LineNumbers,
        ),
        (
            "one\ntwo\nthree\n",
            "   1→one\n   2→two",
            "eins\ntwo",
            "eins\ntwo\nthree\n",
            Layer::LineNumbers,
        ),
    ] {
        let edited = apply(text, &[edit(old, new)]).unwrap();

        assert_eq!(edited.text, expected, "{text:?} {old:?}");
        assert_eq!(edited.places[0].layer, layer, "{text:?} {old:?}");
    }
}

#[test]
fn nothing_is_replaced_by_similarity() {
    for (text, old) in [
        (
            "let a = 1;\nlet b = 2;\nlet c = 3;\n",
            "let a = 1;\nlet c = 3;\n",
        ),
        ("fn one() {\n    x\n}\n", "fn one() {\n  x\n    }\n"),
        ("return total;\n", "return totals;"),
        ("a\n    b\n\tc\n", "b\n    c\n"),
        ("one\ntwo\n", "1: one\n3: two\n"),
        // Half of a character is no place, and an accent is no detail.
        ("caf\u{e9}s…\n", "cafes..."),
        ("caf\u{65}\u{301}s\n", "caf\u{65}s"),
        ("a…\n", "a.."),
        ("\u{1112}\u{1161}\u{11ab}\n", "하"),
        // Brackets at another depth end something else.
        ("a {\n        }\n    }\n} b\n", "    }\n}\n"),
    ] {
        let (_, kind, _) = refusal(text, &[edit(old, "x")]);

        assert_eq!(kind, RefusalKind::Missing, "{old:?}");
    }
}

#[test]
fn several_places_are_listed_with_what_distinguishes_them() {
    let text = "fn a() {\n    run();\n}\nfn b() {\n    run();\n}\n";

    let (index, kind, shown) = refusal(text, &[edit("    run();", "    stop();")]);

    assert_eq!((index, kind), (Some(0), RefusalKind::Ambiguous));
    assert_eq!(
        shown,
        "`old` fits 2 places:\n\
         2:     run();\n    only here: line 1: fn a() {\n\
         5:     run();\n    only here: line 4: fn b() {\n\
         Add a line that only one place has to `old` and `new`, pass `near_line`, or `all: true`."
    );
    // The line beyond another place does not tell this one apart.
    let (_, _, shown) = refusal("one\ntwo\nx\nx\n", &[edit("x", "y")]);
    assert!(
        shown.starts_with("`old` fits 2 places:\n3: x\n    only here: line 2: two\n4: x\nAdd"),
        "{shown}"
    );
    // Tolerance never makes a choice either.
    let (_, kind, _) = refusal("  a\n  b\n\n\ta\n\tb\n", &[edit("a\nb\n", "c\n")]);
    assert_eq!(kind, RefusalKind::Ambiguous);
}

#[test]
fn line_chooses_a_place() {
    let text = "x\nx\nx x\n";

    assert_eq!(
        apply(text, &[near("x", "y", 2)]).unwrap().text,
        "x\ny\nx x\n"
    );
    for line in [3, 9] {
        let (_, kind, shown) = refusal(text, &[near("x", "y", line)]);

        assert_eq!(kind, RefusalKind::Ambiguous);
        assert!(
            shown.contains(&format!("line {line} is in none or several")),
            "{shown}"
        );
    }
}

#[test]
fn lines_are_those_before_the_edits() {
    let text = "a\nrun\nb\nrun\nc\n";
    let insert = edit("a\n", "a\n1\n2\n");

    let edited = apply(text, &[insert.clone(), near("run", "stop", 4)]).unwrap();

    assert_eq!(edited.text, "a\n1\n2\nrun\nb\nstop\nc\n");
    let refused = apply(text, &[insert, edit("run", "stop")]).unwrap_err();
    assert!(refused[0].text.contains("\n2: run\n"), "{refused:?}");
    assert!(refused[0].text.contains("\n4: run\n"), "{refused:?}");
}

#[test]
fn too_large_results_are_rejected_before_they_are_built() {
    let (text, new) = ("a".repeat(1 << 20), "x".repeat(1 << 20));

    let refused = super::apply(&text, &[all("a", &new)], 1 << 21).unwrap_err();

    assert_eq!(refused[0].kind, RefusalKind::TooLarge);
}

#[test]
fn many_matches_of_one_line_are_fast() {
    let text = "x\n".repeat(500_000);
    let start = Instant::now();

    let edited = apply(&text, &[near("x", "y", 3), all("x", "zz")]).unwrap();

    assert_eq!(edited.places.len(), 500_000);
    assert!(apply(&text, &[edit("x", "y")]).is_err());
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn all_replaces_exact_places_and_marks_parts_of_words() {
    let edited = apply("id, idle, id\n", &[all("id", "key")]).unwrap();

    assert_eq!(edited.text, "key, keyle, key\n");
    let parts: Vec<bool> = edited
        .places
        .iter()
        .map(|place| place.is_part_of_word)
        .collect();
    assert_eq!(parts, [false, true, false]);
    let spans: Vec<&str> = edited
        .places
        .iter()
        .map(|place| &edited.text[place.span.clone()])
        .collect();
    assert_eq!(spans, ["key", "key", "key"]);
    let (_, kind, shown) = refusal("a\r\nb\r\n", &[all("a\nb", "c")]);
    assert_eq!(kind, RefusalKind::Missing);
    assert!(shown.contains("`all` replaces exact text only"), "{shown}");
}

#[test]
fn edits_apply_in_order_or_not_at_all() {
    let text = "one\ntwo\nthree\n";

    let edited = apply(
        text,
        &[
            edit("one", "two"),
            near("two", "zwei", 2),
            edit("three", "drei"),
        ],
    )
    .unwrap();

    assert_eq!(edited.text, "two\nzwei\ndrei\n");
    let refused = apply(
        text,
        &[
            edit("one", "eins"),
            edit("four", "vier"),
            edit("one", "uno"),
        ],
    )
    .unwrap_err();
    let refused: Vec<_> = refused
        .iter()
        .map(|refusal| (refusal.edit, refusal.text.as_str()))
        .collect();
    assert_eq!(refused.len(), 2);
    assert_eq!(refused[0].0, Some(1));
    assert_eq!(refused[1].0, Some(2));
    assert!(
        refused[1].1.starts_with("edits[0] changed that text."),
        "{refused:?}"
    );
}

#[test]
fn useless_edits_are_named() {
    let text = "one\ntwo\n";
    for (edits, kind, start) in [
        (vec![edit("", "x")], RefusalKind::Invalid, "`old` is empty."),
        (
            vec![edit("one", "one")],
            RefusalKind::Invalid,
            "`new` equals `old`.",
        ),
        (
            vec![edit("eins", "one")],
            RefusalKind::Applied,
            "This edit is already made: `new` is at line 1",
        ),
        (
            vec![edit("one", "eins"), edit("eins", "one")],
            RefusalKind::Invalid,
            "Together, the edits change nothing.",
        ),
    ] {
        let (_, found, shown) = refusal(text, &edits);

        assert_eq!(found, kind, "{shown}");
        assert!(shown.starts_with(start), "{shown}");
    }
}

#[test]
fn missing_text_shows_the_nearest_with_differences() {
    let text = "fn a() {\n\tlet total = 1;\n}\n";

    let (_, _, shown) = refusal(text, &[edit("  let total = 2; ", "x")]);

    assert_eq!(
        shown,
        "`old` does not occur. The most similar text is at line 2:\n\
         2: →let total = 1;\n    `old`:   let total = 2;·\n\
         Copy the text of the file (→ is a tab, · a blank at an end, ␍ a carriage return)."
    );
    for (text, old, kind) in [
        ("if a < b {}\n", "if a &lt; b {}", "HTML entities"),
        ("say(\"hi\")\n", "say(\\\"hi\\\")", "backslash escapes"),
    ] {
        let (_, _, shown) = refusal(text, &[edit(old, "x")]);

        assert!(
            shown.contains(&format!("at line 1 without {kind}")),
            "{shown}"
        );
    }
    let (_, _, shown) = refusal("abc\n", &[edit("entirely other", "x")]);
    assert!(shown.contains("nothing like it"), "{shown}");
}

#[test]
fn ten_thousand_edits_of_ten_megabytes_are_fast() {
    let lines: Vec<String> = (0..10_000)
        .map(|line| format!("line {line:05} {}\n", "x".repeat(1000)))
        .collect();
    let text = lines.concat();
    let pairs: Vec<(String, String)> = (0..10_000)
        .map(|line| (format!("line {line:05} "), format!("line {line:05} y")))
        .collect();
    let edits: Vec<Edit<'_>> = pairs
        .iter()
        .rev()
        .map(|(old, new)| edit(old, new))
        .collect();
    let start = Instant::now();

    let edited = apply(&text, &edits).unwrap();

    assert_eq!(edited.places.len(), 10_000);
    assert!(edited.text.starts_with("line 00000 yx"));
    // Unoptimized, and other tests run meanwhile.
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

fn lines() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof!["[ab]{0,3}", "  [ab]", "\t[ab] ", "“[ab]”"],
        0..12,
    )
    .prop_flat_map(|lines| (Just(lines), any::<bool>()))
    .prop_map(|(lines, is_windows)| lines.join(if is_windows { "\r\n" } else { "\n" }))
}

proptest! {
    #[test]
    fn edits_can_be_reversed(text in lines(), from in 0usize..20, length in 1usize..20, new in "[xy]{1,4}") {
        let letters: Vec<char> = text.chars().collect();
        let old: String = letters.iter().skip(from).take(length).collect();
        // A model never quotes half of a line ending.
        prop_assume!(!old.is_empty() && !old.starts_with('\n') && !old.ends_with('\r'));
        if let Ok(edited) = apply(&text, &[edit(&old, &new)]) {
            let back = apply(&edited.text, &[edit(&new, &old)]).unwrap();
            prop_assert_eq!(back.text, text);
        }
    }

    #[test]
    fn one_pass_equals_one_after_the_other(text in lines(), pairs in proptest::collection::vec(("[ab]{1,3}", "[abx]{0,4}"), 2..5)) {
        let edits: Vec<Edit<'_>> = pairs.iter().map(|(old, new)| edit(old, new)).collect();
        if let Some(edited) = together::apply(&text, &edits) {
            let mut expected = text.clone();
            for edit in &edits {
                expected = apply(&expected, std::slice::from_ref(edit)).unwrap().text;
            }
            prop_assert_eq!(edited.text, expected);
        }
    }

    #[test]
    fn independent_edits_commute(text in lines(), pairs in proptest::collection::vec(("[ab]{1,3}", "[xy]{0,4}"), 2..5)) {
        let edits: Vec<Edit<'_>> = pairs.iter().map(|(old, new)| edit(old, new)).collect();
        let reversed: Vec<Edit<'_>> = edits.iter().rev().cloned().collect();
        if let (Some(one), Ok(other)) = (together::apply(&text, &edits), apply(&text, &reversed)) {
            prop_assert_eq!(one.text, other.text);
        }
    }

    #[test]
    fn any_edits_keep_the_rest(text in lines(), old in lines(), new in lines()) {
        if let Ok(edited) = apply(&text, &[edit(&old, &new)]) {
            let place = &edited.places[0];
            prop_assert!(text.starts_with(&edited.text[..place.span.start]));
            prop_assert!(text.ends_with(&edited.text[place.span.end..]));
        }
    }
}

#[test]
fn result_over_the_limit_is_refused() {
    let refused = super::apply("a", &[edit("a", "abcdef")], 5)
        .unwrap_err()
        .remove(0);

    assert_eq!(refused.kind, RefusalKind::TooLarge);
    assert!(
        refused.text.contains("more than 5 bytes"),
        "{}",
        refused.text
    );
}

#[test]
fn refusal_of_too_many_edits_names_their_number() {
    let refused = Refusal::too_many(3);

    assert_eq!((refused.edit, refused.kind), (None, RefusalKind::Invalid));
    assert!(
        refused.text.starts_with("More than 3 edits"),
        "{}",
        refused.text
    );
}
