//! Arithmetic that is certain to have a result.

use super::super::state::State;

/// Signs between two operands, the longer ones first. What divides stands apart.
const SIGNS: [&str; 19] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "&", "|", "^", ",",
    "?", ":",
];
/// Signs that assign to the name in front.
const ASSIGNING: [&str; 4] = ["=", "+=", "-=", "*="];
/// Signs that need a number behind them: not zero, or not less.
const DIVIDING: [&str; 3] = ["**", "/", "%"];
/// Variables that the shell itself gives a number.
const NUMBERS: [&str; 9] = [
    "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "COLUMNS", "LINES",
];

/// Whether `text` is arithmetic that cannot fail.
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

/// Reads arithmetic from front to back.
struct Reader<'text> {
    rest: &'text str,
    state: &'text State,
    /// Parentheses that are open.
    depth: usize,
    /// Questions without their second answer.
    choices: usize,
    /// What comes next may be assigned to.
    begins: bool,
}

/// What an operand was.
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

    /// `++` or `--` behind a name.
    fn counts(&mut self, operand: &Operand) -> bool {
        *operand == Operand::Name && (self.take("++") || self.take("--"))
    }

    fn closes(&mut self) -> bool {
        let closes = self.depth > 0 && self.take(")");
        self.depth -= usize::from(closes);
        self.begins &= !closes;
        closes
    }

    /// A division by a number that is told.
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

/// Whether this is a number to the base of ten.
fn is_number(text: &str) -> bool {
    let is_decimal = text.bytes().all(|digit| digit.is_ascii_digit());
    !text.is_empty() && is_decimal && (text == "0" || !text.starts_with('0'))
}

/// Whether a variable holds a number or nothing, and may be assigned.
fn holds_number(state: &State, name: &str) -> bool {
    if state.is_read_only(name) {
        return false;
    }
    if let Some(value) = state.value(name) {
        let value = value.trim();
        return value.is_empty() || is_number(value);
    }
    // Those of the environment are written in capitals, or tell of a proxy.
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
    fn arithmetic_that_cannot_fail_is_known() {
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
    fn arithmetic_that_may_fail_is_known() {
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
