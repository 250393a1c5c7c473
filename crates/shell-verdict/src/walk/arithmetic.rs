//! Detection of arithmetic that cannot fail.

use super::super::state::State;

/// Binary operators, longest first, without division.
const SIGNS: [&str; 19] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "&", "|", "^", ",",
    "?", ":",
];
const ASSIGNING: [&str; 4] = ["=", "+=", "-=", "*="];
/// Operators that fail for a zero or negative operand.
const DIVIDING: [&str; 3] = ["**", "/", "%"];
/// Variables to which the shell assigns a number.
const NUMBERS: [&str; 9] = [
    "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "COLUMNS", "LINES",
];

pub(super) fn is_sure(text: &str, state: &State) -> bool {
    let mut reader = Reader {
        rest: text.trim(),
        state,
        depth: 0,
        choices: 0,
        begins: true,
    };
    reader.rest.is_empty() || reader.reads_all()
}

struct Reader<'text> {
    rest: &'text str,
    state: &'text State,
    depth: usize,
    /// Number of `?` without a `:`.
    choices: usize,
    /// Whether the next operand may be assigned to.
    begins: bool,
}

#[derive(PartialEq)]
enum Operand {
    Number,
    Name,
}

impl<'text> Reader<'text> {
    fn reads_all(&mut self) -> bool {
        while let Some(mut operand) = self.operand() {
            loop {
                self.rest = self.rest.trim_start();
                if self.rest.is_empty() {
                    return self.depth == 0 && self.choices == 0;
                }
                if self.counts(&operand) || self.closes() || self.divides() {
                    operand = Operand::Number;
                    continue;
                }
                break;
            }
            if !self.assigns(&operand) && !self.sign() {
                return false;
            }
        }
        false
    }

    fn operand(&mut self) -> Option<Operand> {
        loop {
            self.rest = self.rest.trim_start();
            if self.take("(") {
                self.depth += 1;
                self.begins = true;
            } else if self.rest.starts_with("++") || self.rest.starts_with("--") {
                return None;
            } else if ["+", "-", "!", "~"].iter().any(|sign| self.take(sign)) {
                self.begins = false;
            } else {
                break;
            }
        }
        let word = self.word();
        if is_number(word) {
            return Some(Operand::Number);
        }
        let is_name = !word.is_empty() && !word.starts_with(|first: char| first.is_ascii_digit());
        (is_name && holds_number(self.state, word)).then_some(Operand::Name)
    }

    fn word(&mut self) -> &'text str {
        let is_end = |letter: char| letter != '_' && !letter.is_ascii_alphanumeric();
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or_default();
        self.rest = rest;
        word
    }

    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        rest.inspect(|rest| self.rest = rest).is_some()
    }

    fn counts(&mut self, operand: &Operand) -> bool {
        *operand == Operand::Name && (self.take("++") || self.take("--"))
    }

    fn closes(&mut self) -> bool {
        let closes = self.depth > 0 && self.take(")");
        self.depth -= usize::from(closes);
        self.begins &= !closes;
        closes
    }

    fn divides(&mut self) -> bool {
        let before = self.rest;
        let Some(sign) = DIVIDING.into_iter().find(|sign| self.take(sign)) else {
            return false;
        };
        self.rest = self.rest.trim_start();
        let number = self.word();
        let is_sure = is_number(number) && (sign == "**" || number != "0");
        if !is_sure {
            self.rest = before;
        }
        self.begins &= !is_sure;
        is_sure
    }

    fn assigns(&mut self, operand: &Operand) -> bool {
        if *operand != Operand::Name || !self.begins || self.rest.starts_with("==") {
            return false;
        }
        ASSIGNING.into_iter().any(|sign| self.take(sign))
    }

    fn sign(&mut self) -> bool {
        if ["**", "++", "--"]
            .iter()
            .any(|sign| self.rest.starts_with(sign))
        {
            return false;
        }
        let Some(sign) = SIGNS.into_iter().find(|sign| self.take(sign)) else {
            return false;
        };
        self.begins = sign == ",";
        match sign {
            "," => self.choices == 0,
            "?" | ":" if self.depth > 0 => false,
            "?" => {
                self.choices += 1;
                true
            }
            ":" => {
                let is_open = self.choices > 0;
                self.choices -= usize::from(is_open);
                is_open
            }
            _ => !self.rest.starts_with('='),
        }
    }
}

fn is_number(text: &str) -> bool {
    let is_decimal = text.bytes().all(|digit| digit.is_ascii_digit());
    !text.is_empty() && is_decimal && (text == "0" || !text.starts_with('0'))
}

fn holds_number(state: &State, name: &str) -> bool {
    if state.is_read_only(name) {
        return false;
    }
    if let Some(value) = state.value(name) {
        let value = value.trim();
        return value.is_empty() || is_number(value);
    }
    // Environment variables are uppercase or name a proxy.
    let is_own = name.contains(|letter: char| letter.is_ascii_lowercase());
    NUMBERS.contains(&name) || is_own && !name.ends_with("_proxy")
}

#[cfg(test)]
mod tests {
    use super::super::super::state::{Fixed, State};
    use super::is_sure;

    fn state() -> State {
        let mut state = State::in_directory(None);
        for (name, value) in [
            ("n", "3"),
            ("e", ""),
            ("t", "1/0"),
            ("m", "-4"),
            ("o", "08"),
            ("p", "4"),
        ] {
            state.assign(name, value.to_owned());
        }
        state.fix("r", Fixed::ReadOnly);
        state
    }

    #[test]
    fn accepts_arithmetic_that_cannot_fail() {
        let state = state();
        for text in [
            "",
            "0",
            "1 + 2",
            "-n * (p - 1)",
            "n++",
            "n-- + 1",
            "i += n",
            "i = j = 2",
            "n / 2",
            "n % 10 + 1",
            "2 ** 3",
            "n > 1 && !e || ~p",
            "n ? 1 : 2",
            "n << 2",
            "RANDOM % 5",
            "(n + 1) / 2",
            "i = 1, i + 1",
            "((1))",
            "n == 3",
            "n != 3",
            "a*b",
            "n/2/3",
        ] {
            assert!(is_sure(text, &state), "{text:?}");
        }
    }

    #[test]
    fn rejects_arithmetic_that_may_fail() {
        let state = state();
        for text in [
            "1/0",
            "1 / n",
            "1 % i",
            "1 / (2 - 2)",
            "2 ** -1",
            "2 ** n",
            "08",
            "o",
            "t",
            "m",
            "1 +",
            "+",
            "1 2",
            "(1",
            "1)",
            "()",
            "1 = 2",
            "1 + n = 2",
            "r",
            "r = 1",
            "n /= 0",
            "n[1/0]",
            "HOME",
            "_",
            "http_proxy",
            "1.5",
            "2#3",
            "\u{5}",
            "\u{1}",
            "'1'",
            "1 ? 2",
            "1 : 2",
            "(1 ? 2) : 3",
            "5 ++3",
            "5 --n",
            "n--1",
            "n ==",
            "n +* 2",
            "n 'a",
            "1 ? 2, 3 : 4",
            "n << = 3",
            "n <<= 3",
            "(n) = 3",
            "n++ = 3",
            "1 / 2 = 3",
            "n / 2 = 3",
            "- n = 3",
            "n * = 3",
            "1 * * 2",
            "#",
        ] {
            assert!(!is_sure(text, &state), "{text:?}");
        }
    }
}
