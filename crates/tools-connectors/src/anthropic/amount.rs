//! Exact amounts of money.

use serde_json::{Map, Value};

/// Maximum number of digits of an amount.
const MAX_DIGITS: usize = 36;
/// Maximum number of decimals of a sum.
const MAX_SCALE: usize = 18;

/// Sum of decimal amounts.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Sum {
    /// Amount in units of 10 to the power of -18.
    units: i128,
    /// Largest number of decimals of an amount.
    scale: usize,
    is_inexact: bool,
    count: usize,
}

/// Returns an amount in cents as dollars, with at least two decimals, or `None` if it is not a plain
/// decimal number.
pub(super) fn dollars(cents: &str) -> Option<String> {
    let (sign, digits) = match cents.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", cents),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(decimals) || digits.len() > MAX_DIGITS {
        return None;
    }
    let decimals = digits.split_once('.').map_or("", |(_, decimals)| decimals);
    let padded = format!("{whole:0>3}");
    let (dollars, cents) = padded.split_at(padded.len() - 2);
    let dollars = dollars.trim_start_matches('0');
    let dollars = if dollars.is_empty() { "0" } else { dollars };
    Some(format!("{sign}{dollars}.{cents}{decimals}"))
}

impl Sum {
    /// Adds an amount in the form that [`dollars`] returns.
    fn add(&mut self, amount: &str) {
        self.count += 1;
        let (whole, decimals) = amount.split_once('.').unwrap_or((amount, ""));
        let units = format!("{whole}{decimals:0<MAX_SCALE$}").parse::<i128>();
        let sum = units.ok().and_then(|units| self.units.checked_add(units));
        match sum.filter(|_| decimals.len() <= MAX_SCALE) {
            Some(sum) => self.units = sum,
            None => self.is_inexact = true,
        }
        self.scale = self.scale.max(decimals.len());
    }

    /// Returns the sum, or `None` without amounts or if the sum is not exact.
    pub(super) fn total(&self) -> Option<String> {
        if self.count == 0 || self.is_inexact {
            return None;
        }
        let digits = format!(
            "{:0>width$}",
            self.units.unsigned_abs(),
            width = MAX_SCALE + 1
        );
        let (whole, decimals) = digits.split_at(digits.len() - MAX_SCALE);
        let sign = if self.units < 0 { "-" } else { "" };
        let shown = decimals.get(..self.scale.max(2)).unwrap_or(decimals);
        Some(format!("{sign}{whole}.{shown}"))
    }
}

/// Replaces each `amount` in cents by `amount_usd`, adds it to `sum`, and returns the number of amounts
/// that are unchanged because they are not plain US dollars. `key` is the name of a member that must
/// contain the amounts, if any.
pub(super) fn convert(value: &mut Value, key: Option<&str>, sum: &mut Sum) -> usize {
    match value {
        Value::Array(items) => items.iter_mut().map(|item| convert(item, key, sum)).sum(),
        Value::Object(members) => {
            let mut unchanged = 0;
            if key.is_none() && members.contains_key("amount") {
                unchanged += replace(members, sum);
            }
            for (name, member) in members.iter_mut() {
                let inner = key.filter(|key| name != key);
                unchanged += convert(member, inner, sum);
            }
            unchanged
        }
        _ => 0,
    }
}

/// Replaces the amount of an object.
fn replace(members: &mut Map<String, Value>, sum: &mut Sum) -> usize {
    let is_dollars = members.get("currency").is_none_or(|currency| {
        currency
            .as_str()
            .is_some_and(|name| name.eq_ignore_ascii_case("usd"))
    });
    let amount = match members.get("amount") {
        Some(Value::String(text)) => dollars(text),
        Some(Value::Number(number)) => dollars(&number.to_string()),
        _ => None,
    };
    let Some(amount) = amount.filter(|_| is_dollars) else {
        return 1;
    };
    sum.add(&amount);
    let mut amount = Some(amount);
    let renamed = std::mem::take(members).into_iter().map(|(name, member)| {
        if name == "amount" {
            (
                "amount_usd".to_owned(),
                Value::String(amount.take().unwrap_or_default()),
            )
        } else {
            (name, member)
        }
    });
    *members = renamed.collect();
    0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn cents_become_dollars() {
        for (cents, usd) in [
            ("5", "0.05"),
            ("50", "0.50"),
            ("100", "1.00"),
            ("0", "0.00"),
            ("-12.5", "-0.125"),
            ("123.78912", "1.2378912"),
            ("1000000", "10000.00"),
            ("0.1", "0.001"),
            ("007", "0.07"),
            ("99999999999999999999.99", "999999999999999999.9999"),
            ("1.", ""),
            (".5", ""),
            ("", ""),
            ("-", ""),
            ("1e3", ""),
            ("NaN", ""),
            ("1,5", ""),
            ("+5", ""),
            (" 5", ""),
            ("--5", ""),
        ] {
            assert_eq!(dollars(cents).unwrap_or_default(), usd, "{cents}");
        }
    }

    #[test]
    fn sum_is_exact() {
        let mut sum = Sum::default();
        for _ in 0..10_000 {
            sum.add("0.1");
        }
        assert_eq!(sum.total().as_deref(), Some("1000.00"));
        sum.add("-1000.001");
        assert_eq!(sum.total().as_deref(), Some("-0.001"));
        sum.add(&format!("0.{}1", "0".repeat(18)));
        assert_eq!((sum.total(), Sum::default().total()), (None, None));
    }

    #[test]
    fn converts_in_place() {
        let mut sum = Sum::default();
        let mut data = json!([{"results": [
            {"amount": "250.5", "currency": "USD", "model": "m"},
            {"currency": "EUR", "amount": "1"},
            {"amount": "1e2"},
        ]}]);

        let unchanged = convert(&mut data, None, &mut sum);

        assert_eq!(
            data.to_string(),
            r#"[{"results":[{"amount_usd":"2.505","currency":"USD","model":"m"},{"currency":"EUR","amount":"1"},{"amount":"1e2"}]}]"#
        );
        assert_eq!((unchanged, sum.total().as_deref()), (2, Some("2.505")));
        let mut nested = json!({"amount": 7, "estimated_cost": {"amount": 186, "currency": "USD"}});
        convert(&mut nested, Some("estimated_cost"), &mut sum);
        assert_eq!(
            nested,
            json!({"amount": 7, "estimated_cost": {"amount_usd": "1.86", "currency": "USD"}})
        );
    }

    proptest! {
        #[test]
        fn sum_equals_integer_sum(cents in proptest::collection::vec(-100_000_i64..100_000, 1..50)) {
            let mut sum = Sum::default();
            for cents in &cents {
                sum.add(&dollars(&cents.to_string()).unwrap());
            }
            let expected: i64 = cents.iter().sum();
            prop_assert_eq!(sum.total(), dollars(&expected.to_string()));
        }
    }
}
