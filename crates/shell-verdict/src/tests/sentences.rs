//! Sentences that a person reads before a decision.

use super::filter;

const SENTENCES: &str = include_str!("commands/sentences.txt");

#[test]
fn commands_have_readable_sentences() {
    assert!(SENTENCES.lines().count() >= 60);
    for row in SENTENCES.lines() {
        let (command, sentence) = row.split_once('\t').unwrap();

        let judgement = filter().judge(command);

        assert_eq!(
            judgement.worst().unwrap().explanation(),
            sentence,
            "{command} {:?}",
            judgement.findings()
        );
    }
}

#[test]
fn no_sentence_blames_unknown_options() {
    for row in SENTENCES.lines() {
        let (_, sentence) = row.split_once('\t').unwrap();

        assert!(!sentence.contains("option"), "{sentence}");
    }
}
