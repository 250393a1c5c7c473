//! Call ids in the format of a provider, unique within a conversation.

use std::collections::HashSet;

use super::names::{MAX_LENGTH, MIN_LENGTH, fingerprint, shorten};

/// Format of call ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdRule {
    /// Any string of at most 64 characters.
    Short,
    /// Any string of at most 40 characters.
    Shorter,
    /// ASCII letters, digits, `_` and `-`, at most 64.
    Portable,
    /// Like [`Portable`](Self::Portable), but with dots and colons.
    Dotted,
    /// Nine ASCII letters or digits.
    Nine,
    /// Any string.
    Free,
}

/// Assigned ids.
#[derive(Debug)]
pub(crate) struct Ids {
    rule: IdRule,
    /// Maximum number of characters. `None` for the limit of the rule.
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

    /// Returns a valid id that no earlier call has.
    pub(crate) fn assign(&mut self, given: &str) -> String {
        let valid = self.rule.valid(given, self.most);
        if self.used.insert(valid.clone()) {
            return valid;
        }
        loop {
            self.repeats += 1;
            let id = format!("{valid}_{}", self.repeats);
            // Appending a number may exceed the limit again.
            let id = self.rule.valid(&id, self.most);
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

impl IdRule {
    fn valid(self, given: &str, most: Option<usize>) -> String {
        let given = if given.trim().is_empty() {
            "call"
        } else {
            given
        };
        let also = match self {
            Self::Free => return shorten(given, given, most.unwrap_or(usize::MAX)),
            Self::Short => return shorten(given, given, most.unwrap_or(MAX_LENGTH)),
            Self::Shorter => return shorten(given, given, most.unwrap_or(40)),
            Self::Nine => return nine_characters(given),
            Self::Portable => "_-",
            Self::Dotted => "_-.:",
        };
        let valid = |letter: char| letter.is_ascii_alphanumeric() || also.contains(letter);
        let valid: String = given
            .chars()
            .map(|letter| if valid(letter) { letter } else { '_' })
            .collect();
        shorten(&valid, given, most.unwrap_or(MAX_LENGTH))
    }
}

/// Returns the id unchanged if it has nine letters or digits, otherwise a hash in that format.
fn nine_characters(given: &str) -> String {
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
    fn assigns_valid_unique_ids() {
        let mut ids = Ids::new(IdRule::Portable, None);

        let assigned = ["a:b", "a_b", "a_b", ""].map(|id| ids.assign(id));

        assert_eq!(assigned, ["a_b", "a_b_1", "a_b_2", "call"]);
    }

    #[test]
    fn converts_ids_to_format_of_provider() {
        for (rule, given, valid) in [
            (IdRule::Dotted, "functions.f:0/1", "functions.f:0_1"),
            (IdRule::Nine, "D681PevKs", "D681PevKs"),
            (IdRule::Free, "functions.f:0/1", "functions.f:0/1"),
        ] {
            assert_eq!(Ids::new(rule, None).assign(given), valid);
        }
        assert_eq!(IdRule::Shorter.valid(&"x".repeat(50), None).len(), 40);
    }

    #[test]
    fn resolves_hash_collisions() {
        let mut ids = Ids::new(IdRule::Nine, None);

        let assigned = ["call_1", "call_1", ""].map(|id| ids.assign(id));

        assert!(assigned.iter().all(|id| id.len() == 9));
        assert_eq!(assigned.iter().collect::<HashSet<_>>().len(), 3);
    }

    #[test]
    fn truncates_long_ids_to_64_characters() {
        let id = Ids::new(IdRule::Portable, None).assign(&"x".repeat(200));

        assert_eq!(id.len(), 64);
    }
}
