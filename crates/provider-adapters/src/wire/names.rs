//! Tool names and call ids in the format of a provider. Each name maps back to one tool, and each id is unique within a
//! conversation.

use std::collections::HashSet;

/// Maximum number of characters in a name or id for most providers.
pub(crate) const MAX_LENGTH: usize = 64;

/// Format of tool names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// ASCII letters, digits, `_` and `-`, at most 64.
    Portable,
    /// Like [`Portable`](Self::Portable), but with dots. Starts with a letter or `_`.
    LeadingLetter,
    /// ASCII letters, digits, `_`, `-` and dots, at most 128.
    Protocol,
    /// Any string.
    Free,
}

impl NameRule {
    fn allows(self, letter: char) -> bool {
        letter.is_ascii_alphanumeric()
            || matches!(letter, '_' | '-')
            || (matches!(self, Self::LeadingLetter | Self::Protocol) && letter == '.')
    }

    /// Returns `name` in this format. Equal names have equal results.
    pub(crate) fn wire_name(self, name: &str) -> String {
        if self == Self::Free {
            return name.to_owned();
        }
        let mut wire: String = name
            .chars()
            .map(|letter| if self.allows(letter) { letter } else { '_' })
            .collect();
        let leads = wire.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if self == Self::LeadingLetter && !leads {
            wire.insert(0, '_');
        }
        let most = match self {
            Self::Protocol => 2 * MAX_LENGTH,
            _ => MAX_LENGTH,
        };
        shorten(&wire, name, most)
    }
}

/// Truncates `wire` to `most` characters if it is longer, with a hash of `full` as the suffix.
pub(crate) fn shorten(wire: &str, full: &str, most: usize) -> String {
    if wire.chars().count() <= most {
        return wire.to_owned();
    }
    let hash = format!("_{:08x}", fingerprint(full));
    let kept: String = wire.chars().take(most.saturating_sub(hash.len())).collect();
    kept + &hash
}

/// Returns a short hash that is equal on all platforms (FNV-1a, folded to 32 bits).
fn fingerprint(text: &str) -> u32 {
    // The hasher of std may change with a release of Rust, and stored conversations contain these names.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let folded = (hash >> 32) ^ (hash & u64::from(u32::MAX));
    u32::try_from(folded).unwrap_or_default()
}

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
    used: HashSet<String>,
    repeats: usize,
}

impl Ids {
    pub(crate) fn new(rule: IdRule) -> Self {
        Self {
            rule,
            used: HashSet::new(),
            repeats: 0,
        }
    }

    /// Returns a valid id that no earlier call has.
    pub(crate) fn assign(&mut self, given: &str) -> String {
        let valid = self.rule.valid(given);
        if self.used.insert(valid.clone()) {
            return valid;
        }
        loop {
            self.repeats += 1;
            let id = format!("{valid}_{}", self.repeats);
            // Appending a number may exceed the limit again.
            let id = self.rule.valid(&id);
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

impl IdRule {
    fn valid(self, given: &str) -> String {
        let given = if given.trim().is_empty() {
            "call"
        } else {
            given
        };
        let also = match self {
            Self::Free => return given.to_owned(),
            Self::Short => return shorten(given, given, MAX_LENGTH),
            Self::Shorter => return shorten(given, given, 40),
            Self::Nine => return nine_characters(given),
            Self::Portable => "_-",
            Self::Dotted => "_-.:",
        };
        let valid = |letter: char| letter.is_ascii_alphanumeric() || also.contains(letter);
        let valid: String = given
            .chars()
            .map(|letter| if valid(letter) { letter } else { '_' })
            .collect();
        shorten(&valid, given, MAX_LENGTH)
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn converts_names_to_format_of_rule() {
        for (rule, name, wire) in [
            (NameRule::Portable, "read_file", "read_file"),
            (NameRule::Portable, "fs.read/file", "fs_read_file"),
            (NameRule::LeadingLetter, "fs.read/file", "fs.read_file"),
            (NameRule::LeadingLetter, "2fa", "_2fa"),
            (NameRule::Portable, "für", "f_r"),
            (NameRule::Protocol, "2.fs/read", "2.fs_read"),
            (NameRule::Free, "für", "für"),
        ] {
            assert_eq!(rule.wire_name(name), wire, "{name}");
        }
    }

    #[test]
    fn keeps_truncated_names_distinct() {
        let long = "x".repeat(70);

        let first = NameRule::Portable.wire_name(&format!("{long}a"));
        let second = NameRule::Portable.wire_name(&format!("{long}b"));

        assert_eq!((first.len(), second.len()), (64, 64));
        assert_ne!(first, second);
        assert_eq!(NameRule::Protocol.wire_name(&long), long);
    }

    proptest! {
        #[test]
        fn every_name_matches_pattern(name in "\\PC{1,100}") {
            let portable = NameRule::Portable.wire_name(&name);
            let leading = NameRule::LeadingLetter.wire_name(&name);

            prop_assert!((1..=64).contains(&portable.len()));
            prop_assert!(portable.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)));
            prop_assert!((1..=64).contains(&leading.len()));
            prop_assert!(leading.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
            prop_assert!(leading.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)));
        }
    }

    #[test]
    fn assigns_valid_unique_ids() {
        let mut ids = Ids::new(IdRule::Portable);

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
            assert_eq!(Ids::new(rule).assign(given), valid);
        }
        assert_eq!(IdRule::Shorter.valid(&"x".repeat(50)).len(), 40);
    }

    #[test]
    fn resolves_hash_collisions() {
        let mut ids = Ids::new(IdRule::Nine);

        let assigned = ["call_1", "call_1", ""].map(|id| ids.assign(id));

        assert!(assigned.iter().all(|id| id.len() == 9));
        assert_eq!(assigned.iter().collect::<HashSet<_>>().len(), 3);
    }

    #[test]
    fn truncates_long_ids_to_64_characters() {
        let id = Ids::new(IdRule::Portable).assign(&"x".repeat(200));

        assert_eq!(id.len(), 64);
    }
}
