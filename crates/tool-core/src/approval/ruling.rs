//! Rulings of policies: verdicts with their origin.

use std::borrow::Cow;

use super::rule::Rule;
use super::verdict::Verdict;
use crate::RiskLevel;

/// A verdict and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ruling {
    pub(crate) verdict: Verdict,
    /// Id of the deciding rule, or the risk level.
    pub(crate) rule: Cow<'static, str>,
    /// Whether a rule decided, not the risk.
    pub(crate) is_by_rule: bool,
}

impl Ruling {
    #[inline]
    pub(crate) fn by_risk(verdict: Verdict, risk: RiskLevel) -> Self {
        Self {
            verdict,
            rule: Cow::Borrowed(risk.as_str()),
            is_by_rule: false,
        }
    }

    pub(super) fn by_rule(rule: &Rule) -> Self {
        Self {
            verdict: rule.effect,
            rule: rule.id.clone().into(),
            is_by_rule: true,
        }
    }
}
