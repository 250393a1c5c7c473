//! Rules, and rejections of URLs.

use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $reason:literal;)*) => {
        /// Rule that rejects a URL. The value of [`UrlRule::id`] is stable.
        ///
        /// # Examples
        /// ```
        /// use tools_builtin::web::UrlRule;
        ///
        /// assert_eq!(UrlRule::Loopback.id(), "loopback_address");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum UrlRule { $($(#[$doc])* $name,)* }

        impl UrlRule {
            /// Returns the identifier of the rule for logs and policies.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// Returns the reason as the predicate of a sentence about the URL.
            pub fn reason(self) -> &'static str {
                match self { $(Self::$name => $reason,)* }
            }
        }
    };
}

rules! {
    /// The URL is invalid or longer than 16 KB.
    Invalid = "invalid_url", "is not a valid URL";
    /// The URL contains backslashes or control characters, which programs interpret differently.
    Ambiguous = "ambiguous_url", "contains a backslash or a control character, which programs interpret differently";
    /// The scheme is neither `http` nor `https`.
    Scheme = "scheme", "does not start with http:// or https://";
    /// The URL contains a user name or a password.
    Credentials = "credentials", "contains a user name or a password";
    /// The port belongs to another protocol.
    Port = "port", "has a port that belongs to another protocol";
    /// The host name has no dot and is known only in a local network.
    SingleLabel = "single_label_name", "has a host name without a dot, which only local networks use";
    /// The host name has a suffix of local networks or one that is not public.
    SpecialName = "special_use_name", "has a host name with a suffix that does not exist on the public Internet";
    /// The host name is invalid.
    InvalidName = "invalid_name", "has an invalid host name";
    /// Loopback address of this computer.
    Loopback = "loopback_address", "refers to a loopback address";
    /// Address of a private network.
    Private = "private_address", "refers to an address of a private network";
    /// Link-local address.
    LinkLocal = "link_local_address", "refers to a link-local address";
    /// Address that a provider shares among its customers.
    Shared = "shared_address", "refers to an address that providers share among customers";
    /// Address for documentation.
    Documentation = "documentation_address", "refers to an address for documentation";
    /// Address for benchmarks.
    Benchmark = "benchmark_address", "refers to an address for benchmarks";
    /// Multicast address.
    Multicast = "multicast_address", "refers to a multicast address";
    /// Broadcast address.
    Broadcast = "broadcast_address", "refers to a broadcast address";
    /// Unspecified address, which systems treat as loopback.
    Unspecified = "unspecified_address", "refers to the unspecified address";
    /// Address that is not allocated.
    Reserved = "reserved_address", "refers to a reserved address";
    /// Metadata service of a cloud, which provides virtual machines with their identity and keys.
    Metadata = "metadata_address", "refers to a metadata service of a cloud";
}

/// Rejection of a URL.
///
/// # Examples
/// ```
/// use tools_builtin::web::{AddressGuard, UrlRule};
///
/// let refusal = AddressGuard::new().check("http://0x7f.1/").unwrap_err();
/// assert_eq!(refusal.rule(), UrlRule::Loopback);
/// assert_eq!(refusal.to_string(), "the URL refers to a loopback address (loopback_address)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlRefusal {
    rule: UrlRule,
    by_name: bool,
}

impl UrlRefusal {
    pub(super) fn new(rule: UrlRule) -> Self {
        Self {
            rule,
            by_name: false,
        }
    }

    pub(super) fn by_name(mut self) -> Self {
        self.by_name = true;
        self
    }

    /// Returns the rule that rejects the URL.
    pub fn rule(&self) -> UrlRule {
        self.rule
    }

    /// Returns whether a resolved address was rejected, not the URL itself. Do not reveal the
    /// resolved address to a model.
    pub fn is_by_name(&self) -> bool {
        self.by_name
    }
}

impl fmt::Display for UrlRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.rule;
        write!(f, "the URL {} ({})", rule.reason(), rule.id())
    }
}

impl std::error::Error for UrlRefusal {}
