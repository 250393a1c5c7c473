//! Ids of calls as a provider allows them, each used once in a conversation.

use std::collections::HashSet;

use crate::names::shorten;

/// Which ids a provider allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdRule {
    /// Any text of at most 64 characters.
    Short,
    /// Letters, digits, `_` and `-`, at most 64.
    Portable,
    /// Any text.
    Free,
}

/// The ids given out so far.
#[derive(Debug, Default)]
pub(super) struct Ids {
    used: HashSet<String>,
    repeats: usize,
}

impl Ids {
    /// A legal id that no call before bears.
    pub(super) fn assign(&mut self, rule: IdRule, given: &str) -> String {
        let legal = rule.legal(given);
        if self.used.insert(legal.clone()) {
            return legal;
        }
        loop {
            self.repeats += 1;
            let id = rule.legal(&format!("{legal}_{}", self.repeats));
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

impl IdRule {
    fn legal(self, given: &str) -> String {
        if given.trim().is_empty() {
            return "call".to_owned();
        }
        match self {
            Self::Free => return given.to_owned(),
            Self::Short => return shorten(given, given),
            Self::Portable => {}
        }
        let legal: String = given
            .chars()
            .map(|letter| match letter {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => letter,
                _ => '_',
            })
            .collect();
        shorten(&legal, given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_becomes_legal_and_stays_the_only_one() {
        let mut ids = Ids::default();

        let assigned = ["a:b", "a_b", "a_b", ""].map(|id| ids.assign(IdRule::Portable, id));

        assert_eq!(assigned, ["a_b", "a_b_1", "a_b_2", "call"]);
    }

    #[test]
    fn a_long_id_is_cut_to_64_letters() {
        let id = Ids::default().assign(IdRule::Portable, &"x".repeat(200));

        assert_eq!(id.len(), 64);
    }
}
