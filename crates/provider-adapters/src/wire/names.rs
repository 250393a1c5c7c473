//! Names as a provider allows them, each of which leads back to one tool.

/// The most characters of a name or id for most providers.
pub(crate) const MAX_LENGTH: usize = 64;

/// The fewest characters to which a name or id may be cut, so that a hash and some words fit.
pub(crate) const MIN_LENGTH: usize = 16;

/// Which names a provider allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// Letters, digits, `_` and `-`, at most 64.
    Portable,
    /// The same and dots, a letter or `_` first.
    LeadingLetter,
    /// Letters, digits, `_`, `-` and dots, at most 128.
    Protocol,
    /// Any text.
    Free,
}

impl NameRule {
    fn allows(self, letter: char) -> bool {
        letter.is_ascii_alphanumeric()
            || matches!(letter, '_' | '-')
            || (matches!(self, Self::LeadingLetter | Self::Protocol) && letter == '.')
    }

    /// `name` as this rule allows it. The same name always gives the same text.
    #[cfg(test)]
    pub(crate) fn wire_name(self, name: &str) -> String {
        self.wire_name_within(None, name)
    }

    /// The same with another limit on its characters.
    pub(crate) fn wire_name_within(self, most: Option<usize>, name: &str) -> String {
        let most = most.map(|most| most.max(MIN_LENGTH));
        if self == Self::Free {
            return shorten(name, name, most.unwrap_or(usize::MAX));
        }
        let mut wire: String = name
            .chars()
            .map(|letter| if self.allows(letter) { letter } else { '_' })
            .collect();
        let leads = wire.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if self == Self::LeadingLetter && !leads {
            wire.insert(0, '_');
        }
        let usual = match self {
            Self::Protocol => 2 * MAX_LENGTH,
            _ => MAX_LENGTH,
        };
        shorten(&wire, name, most.unwrap_or(usual))
    }
}

/// `wire` cut to `most` characters with a hash of `full` at its end where it is longer.
pub(crate) fn shorten(wire: &str, full: &str, most: usize) -> String {
    if wire.chars().count() <= most {
        return wire.to_owned();
    }
    let hash = format!("_{:08x}", fingerprint(full));
    let kept: String = wire.chars().take(most.saturating_sub(hash.len())).collect();
    kept + &hash
}

/// A short hash that is the same on every machine (FNV-1a, folded to 32 bits).
pub(crate) fn fingerprint(text: &str) -> u32 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let folded = (hash >> 32) ^ (hash & u64::from(u32::MAX));
    u32::try_from(folded).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_becomes_one_that_the_rule_allows() {
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
    fn long_names_that_begin_alike_stay_apart() {
        let long = "x".repeat(70);

        let first = NameRule::Portable.wire_name(&format!("{long}a"));
        let second = NameRule::Portable.wire_name(&format!("{long}b"));

        assert_eq!((first.len(), second.len()), (64, 64));
        assert_ne!(first, second);
        assert_eq!(NameRule::Protocol.wire_name(&long), long);
    }

    proptest! {
        #[test]
        fn every_name_fits_the_pattern(name in "\\PC{1,100}") {
            let portable = NameRule::Portable.wire_name(&name);
            let leading = NameRule::LeadingLetter.wire_name(&name);

            prop_assert!((1..=64).contains(&portable.len()));
            prop_assert!(portable.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)));
            prop_assert!((1..=64).contains(&leading.len()));
            prop_assert!(leading.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
            prop_assert!(leading.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)));
        }
    }
}
