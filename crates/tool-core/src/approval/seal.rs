//! Sealed requests, which clients cannot change.

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;
use tool_json::text::hexadecimal;

use super::canonical::canonical_json;
use super::request::ApprovalRequest;
use crate::Timestamp;

/// Minimum bytes of a key.
const MIN_KEY: usize = 16;

/// Secret key of the host that seals requests, so that they can be sent to a client and back with its decision. Changed and
/// expired requests are rejected. The seal is an HMAC with SHA-256 (RFC 2104) over the complete request, including its
/// expiry.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::approval::{ApprovalKey, ApprovalRequest, SealError};
/// use tool_core::{RiskLevel, Timestamp, ToolDefinition};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = ApprovalKey::new(b"thirty-two bytes of randomness..")?;
/// let definition = ToolDefinition::new("f", "F", json!({}));
/// let request = ApprovalRequest::new("1", &definition, json!({"n": 1}), RiskLevel::Dangerous);
///
/// let mut sealed = key.seal(request.clone());
/// assert_eq!(key.open(sealed.clone(), Timestamp::now())?, request);
///
/// sealed.request.arguments = json!({"n": 2});
/// assert_eq!(key.open(sealed, Timestamp::now()), Err(SealError::Broken));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ApprovalKey(Hmac<Sha256>);

/// A request with the seal of its host.
///
/// # Examples
/// See [`ApprovalKey`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SealedRequest {
    /// Sealed request.
    pub request: ApprovalRequest,
    /// HMAC of the request, in hexadecimal.
    pub seal: String,
}

/// Reason why a request could not be sealed or opened.
///
/// # Examples
/// ```
/// use tool_core::approval::{ApprovalKey, SealError};
///
/// assert_eq!(ApprovalKey::new(b"short").unwrap_err(), SealError::ShortKey);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The key has fewer than 16 bytes.
    #[error("the key must have at least {MIN_KEY} bytes")]
    ShortKey,
    /// The request was changed, or sealed with another key.
    #[error("the seal of the request is invalid")]
    Broken,
    /// The request is genuine, but has expired.
    #[error("the request has expired")]
    Expired,
}

impl ApprovalKey {
    /// Creates a key from at least 16 random bytes, preferably 32. They must stay secret.
    ///
    /// # Errors
    /// Returns [`SealError::ShortKey`] if there are fewer than 16 bytes.
    pub fn new(bytes: &[u8]) -> Result<Self, SealError> {
        // A short key could be found by trying all of them.
        if bytes.len() < MIN_KEY {
            return Err(SealError::ShortKey);
        }
        let key = Hmac::new_from_slice(bytes);
        key.map(Self).map_err(|_| SealError::ShortKey)
    }

    /// Seals a request.
    pub fn seal(&self, request: ApprovalRequest) -> SealedRequest {
        let seal = self.code(&text_of(&request));
        SealedRequest { request, seal }
    }

    /// Opens a sealed request that has not expired at `now`.
    ///
    /// # Errors
    /// Returns [`SealError::Broken`] if the seal is invalid, and [`SealError::Expired`] if the request has expired.
    pub fn open(
        &self,
        sealed: SealedRequest,
        now: Timestamp,
    ) -> Result<ApprovalRequest, SealError> {
        let expected = self.code(&text_of(&sealed.request));
        // In constant time: the time of an ordinary comparison would tell how many digits are right.
        let is_same = expected.as_bytes().ct_eq(sealed.seal.as_bytes());
        if !bool::from(is_same) {
            return Err(SealError::Broken);
        }
        if sealed.request.is_expired_at(now) {
            return Err(SealError::Expired);
        }
        Ok(sealed.request)
    }

    fn code(&self, text: &[u8]) -> String {
        let mut code = self.0.clone();
        code.update(text);
        hexadecimal(&code.finalize().into_bytes())
    }
}

debug_fields!(ApprovalKey);

fn text_of(request: &ApprovalRequest) -> Vec<u8> {
    // Cannot fail: a request is plain data with string keys.
    let value = serde_json::to_value(request).unwrap_or_default();
    // Canonical, because the client may return the members in another order.
    canonical_json(&value).into_bytes()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::approval::Preview;
    use crate::{CallPlan, RiskLevel, ToolDefinition};

    fn request() -> ApprovalRequest {
        let definition = ToolDefinition::new("f", "F", json!({}));
        let plan = CallPlan::of(RiskLevel::Dangerous)
            .writes("a")
            .with_grant("network");
        ApprovalRequest::new("1", &definition, json!({"n": 1}), plan)
    }

    /// Test cases of RFC 4231, except the fifth, which truncates the code.
    #[test]
    fn code_matches_rfc_4231() {
        let digits: Vec<u8> = (1..=25).collect();
        let long = [0xaa; 131];
        for (key, text, code) in [
            (
                &[0x0b; 20][..],
                &b"Hi There"[..],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 20],
                &[0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
            (
                &digits,
                &[0xcd; 50],
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            ),
            (
                &long,
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
            (
                &long,
                b"This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.",
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            ),
        ] {
            // The first key of the RFC is shorter than `ApprovalKey::new` accepts.
            let key = ApprovalKey(Hmac::new_from_slice(key).unwrap());

            assert_eq!(key.code(text), code);
        }
    }

    #[test]
    fn any_change_breaks_seal() {
        let key = ApprovalKey::new(&[7; 32]).unwrap();
        let sealed = key.seal(request());
        let changes: [fn(&mut SealedRequest); 10] = [
            |sealed| sealed.request.id.push('x'),
            |sealed| sealed.request.tool.push('x'),
            |sealed| sealed.request.arguments = json!({"n": 2}),
            |sealed| sealed.request.files_affected.clear(),
            |sealed| sealed.request.grants.clear(),
            |sealed| sealed.request.risk = RiskLevel::ReadOnly,
            |sealed| sealed.request.preview = Some(Preview::text("nothing")),
            |sealed| sealed.request.expires_at = Some(Timestamp::now().after(Duration::MAX)),
            |sealed| sealed.seal.truncate(62),
            |sealed| sealed.seal.clear(),
        ];

        for (number, change) in changes.iter().enumerate() {
            let mut other = sealed.clone();
            change(&mut other);

            let opened = key.open(other, Timestamp::now());

            assert_eq!(opened, Err(SealError::Broken), "{number}");
        }
        let other = ApprovalKey::new(&[8; 32]).unwrap();
        assert_eq!(other.open(sealed, Timestamp::now()), Err(SealError::Broken));
    }

    #[test]
    fn sealed_request_survives_json_and_expires() {
        let key = ApprovalKey::new(&[7; 32]).unwrap();
        let end = Timestamp::parse("2025-11-10T10:05:00Z").unwrap();
        let mut request = request();
        request.expires_at = Some(end);
        let before = Timestamp::parse("2025-11-10T10:04:59.999Z").unwrap();

        let stored = serde_json::to_string(&key.seal(request.clone())).unwrap();

        let sealed: SealedRequest = serde_json::from_str(&stored).unwrap();
        assert_eq!(key.open(sealed.clone(), before), Ok(request));
        assert_eq!(key.open(sealed, end), Err(SealError::Expired));
    }

    #[test]
    fn debug_hides_key() {
        let key = ApprovalKey::new(b"a very secret key").unwrap();

        assert_eq!(format!("{key:?}"), "ApprovalKey { .. }");
    }
}
