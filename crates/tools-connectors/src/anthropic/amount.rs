//! Exact amounts of money.

use std::fmt;

use serde_json::{Map, Value};

/// Units of one dollar. Amounts are cents with at most 10 decimals.
const DOLLAR: u128 = 1_000_000_000_000;

/// Amount in units of 10 to the power of -12 dollars.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount(i128);

impl Amount {
    /// Parses a plain decimal number of cents.
    fn of_cents(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        let is_number =
            |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(digits) || !is_number(decimals) || decimals.len() > 10 {
            return None;
        }
        let units = format!("{whole}{decimals:0<10}").parse();
        units.ok().map(Self)
    }
}

/// Shows dollars with at least two decimals.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let units = self.0.unsigned_abs();
        let decimals = format!("{:012}", units % DOLLAR);
        let decimals = decimals.trim_end_matches('0');
        write!(f, "{sign}{}.{decimals:0<2}", units / DOLLAR)
    }
}

/// Sum of the amounts of a report.
#[derive(Debug, Default)]
pub(super) struct Sum {
    /// Total, or `None` without amounts.
    pub(super) total: Option<Amount>,
    /// Number of amounts that are unchanged because they are not plain US dollars.
    pub(super) unchanged: usize,
}

impl Sum {
    /// Replaces each `amount` in cents by `amount_usd`, and adds it.
    pub(super) fn convert(&mut self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.convert(item)),
            Value::Object(members) => {
                if members.contains_key("amount") && !self.replace(members) {
                    self.unchanged += 1;
                }
                members.values_mut().for_each(|member| self.convert(member));
            }
            _ => {}
        }
    }

    /// Replaces the amount of an object, unless it is not plain US dollars.
    fn replace(&mut self, members: &mut Map<String, Value>) -> bool {
        let is_dollars = match members.get("currency") {
            Some(Value::String(name)) => name.eq_ignore_ascii_case("usd"),
            currency => currency.is_none(),
        };
        let amount = match members.get("amount") {
            Some(Value::String(text)) => Amount::of_cents(text),
            Some(Value::Number(number)) => Amount::of_cents(&number.to_string()),
            _ => None,
        };
        let total = self.total.unwrap_or_default();
        let Some(amount) = amount.filter(|_| is_dollars) else {
            return false;
        };
        let Some(sum) = total.0.checked_add(amount.0) else {
            return false;
        };
        self.total = Some(Amount(sum));
        members.shift_remove("amount");
        members.insert("amount_usd".to_owned(), amount.to_string().into());
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn dollars(cents: &str) -> Option<String> {
        Amount::of_cents(cents).map(|amount| amount.to_string())
    }

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
            ("0.0000000001", "0.000000000001"),
            ("0.00000000001", ""),
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
        assert_eq!(sum.total, None);

        sum.convert(&mut json!(vec![json!({"amount": "0.1"}); 10_000]));
        assert_eq!(sum.total.unwrap().to_string(), "10.00");

        sum.convert(&mut json!({"amount": "-1000.001"}));
        assert_eq!(sum.total.unwrap().to_string(), "-0.00001");
    }

    #[test]
    fn converts_in_place() {
        let mut sum = Sum::default();
        let mut data = json!([{"results": [
            {"amount": "250.5", "currency": "USD", "model": "m"},
            {"currency": "EUR", "amount": "1"},
            {"amount": "1e2"},
            {"estimated_cost": {"amount": 186, "currency": "USD"}},
        ]}]);

        sum.convert(&mut data);

        assert_eq!(
            data.to_string(),
            r#"[{"results":[{"currency":"USD","model":"m","amount_usd":"2.505"},{"currency":"EUR","amount":"1"},{"amount":"1e2"},{"estimated_cost":{"currency":"USD","amount_usd":"1.86"}}]}]"#
        );
        assert_eq!(
            (sum.unchanged, sum.total.unwrap().to_string()),
            (2, "4.365".to_owned())
        );
    }

    proptest! {
        #[test]
        fn sum_equals_integer_sum(cents in proptest::collection::vec(-100_000_i64..100_000, 1..50)) {
            let mut sum = Sum::default();
            for cents in &cents {
                sum.convert(&mut json!({"amount": cents}));
            }
            let expected: i64 = cents.iter().sum();
            prop_assert_eq!(sum.total.map(|total| total.to_string()), dollars(&expected.to_string()));
        }
    }
}
