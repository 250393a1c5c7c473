//! Ids of calls as a provider allows them, each used once in a conversation.

use std::collections::HashSet;

use super::names::{MAX_LENGTH, MIN_LENGTH, fingerprint, shorten};

/// Which ids a provider allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdRule {
    /// Any text of at most 64 characters.
    Short,
    /// Any text of at most 40 characters.
    Shorter,
    /// Letters, digits, `_` and `-`, at most 64.
    Portable,
    /// The same with dots and colons.
    Dotted,
    /// Nine letters or digits.
    Nine,
    /// Any text.
    Free,
}

/// The ids given out so far.
#[derive(Debug)]
pub(crate) struct Ids {
    rule: IdRule,
    /// The most characters, where these are not the rule's own.
    most: Option<usize>,
    used: HashSet<String>,
    repeats: usize,
}

impl Ids {
    pub(crate) fn new(rule: IdRule, most: Option<usize>) -> Self {
        Self {
            rule,
            most: most.map(|most| most.max(MIN_LENGTH)),
            used: HashSet::new(),
            repeats: 0,
        }
    }

    /// A legal id that no call before bears.
    pub(crate) fn assign(&mut self, given: &str) -> String {
        let legal = self.rule.legal(given, self.most);
        if self.used.insert(legal.clone()) {
            return legal;
        }
        loop {
            self.repeats += 1;
            let id = format!("{legal}_{}", self.repeats);
            let id = self.rule.legal(&id, self.most);
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

impl IdRule {
    fn legal(self, given: &str, most: Option<usize>) -> String {
        let given = if given.trim().is_empty() {
            "call"
        } else {
            given
        };
        let also = match self {
            Self::Free => return shorten(given, given, most.unwrap_or(usize::MAX)),
            Self::Short => return shorten(given, given, most.unwrap_or(MAX_LENGTH)),
            Self::Shorter => return shorten(given, given, most.unwrap_or(40)),
            Self::Nine => return nine(given),
            Self::Portable => "_-",
            Self::Dotted => "_-.:",
        };
        let legal = |letter: char| letter.is_ascii_alphanumeric() || also.contains(letter);
        let legal: String = given
            .chars()
            .map(|letter| if legal(letter) { letter } else { '_' })
            .collect();
        shorten(&legal, given, most.unwrap_or(MAX_LENGTH))
    }
}

/// The id itself where it is nine letters or digits, else a hash of it that is.
fn nine(given: &str) -> String {
    let fits = given.len() == 9 && given.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if fits {
        given.to_owned()
    } else {
        format!("c{:08x}", fingerprint(given))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_becomes_legal_and_stays_the_only_one() {
        let mut ids = Ids::new(IdRule::Portable, None);

        let assigned = ["a:b", "a_b", "a_b", ""].map(|id| ids.assign(id));

        assert_eq!(assigned, ["a_b", "a_b_1", "a_b_2", "call"]);
    }

    #[test]
    fn an_id_has_the_shape_that_the_provider_asks_for() {
        for (rule, given, legal) in [
            (IdRule::Dotted, "functions.f:0/1", "functions.f:0_1"),
            (IdRule::Nine, "D681PevKs", "D681PevKs"),
            (IdRule::Free, "functions.f:0/1", "functions.f:0/1"),
        ] {
            assert_eq!(Ids::new(rule, None).assign(given), legal);
        }
        assert_eq!(IdRule::Shorter.legal(&"x".repeat(50), None).len(), 40);
    }

    #[test]
    fn hashes_that_meet_are_told_apart() {
        let mut ids = Ids::new(IdRule::Nine, None);

        let assigned = ["call_1", "call_1", ""].map(|id| ids.assign(id));

        assert!(assigned.iter().all(|id| id.len() == 9));
        assert_eq!(assigned.iter().collect::<HashSet<_>>().len(), 3);
    }

    #[test]
    fn a_long_id_is_cut_to_64_letters() {
        let id = Ids::new(IdRule::Portable, None).assign(&"x".repeat(200));

        assert_eq!(id.len(), 64);
    }
}
