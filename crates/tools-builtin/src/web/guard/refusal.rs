//! Why an address may not be reached.

use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $reason:literal;)*) => {
        /// Why a URL is refused. The text of [`UrlRule::id`] is stable.
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
            /// The name of the rule for logs and policies.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// What is wrong, to go on after "the URL".
            #[must_use]
            pub fn reason(self) -> &'static str {
                match self { $(Self::$name => $reason,)* }
            }
        }
    };
}

rules! {
    /// The text is no URL, or one of more than 16 KB.
    Invalid = "invalid_url", "is not a valid URL";
    /// Programs differ in what they read: backslashes, control characters.
    Ambiguous = "ambiguous_url", "holds a backslash or a control character, which programs read differently";
    /// Neither `http` nor `https`.
    Scheme = "scheme", "does not start with http:// or https://";
    /// A user name or a password stands before the host.
    Credentials = "credentials", "holds a user name or a password";
    /// The port belongs to another protocol.
    Port = "port", "has a port that belongs to another protocol";
    /// The name has no dot, so that only a local network knows it.
    SingleLabel = "single_label_name", "names a host without a dot, as only local networks have";
    /// The name ends as names of local networks do, or as no public name does.
    SpecialName = "special_use_name", "names a host under a suffix that the public Internet does not have";
    /// The name is none that could be looked up.
    InvalidName = "invalid_name", "names a host that cannot be looked up";
    /// This computer.
    Loopback = "loopback_address", "leads to a loopback address";
    /// An address of a private network.
    Private = "private_address", "leads to an address of a private network";
    /// An address of one link.
    LinkLocal = "link_local_address", "leads to a link-local address";
    /// An address that a provider shares among its customers.
    Shared = "shared_address", "leads to an address that providers share among customers";
    /// An address for documentation.
    Documentation = "documentation_address", "leads to an address for documentation";
    /// An address for benchmarks.
    Benchmark = "benchmark_address", "leads to an address for benchmarks";
    /// A group of computers.
    Multicast = "multicast_address", "leads to a multicast address";
    /// Every computer.
    Broadcast = "broadcast_address", "leads to a broadcast address";
    /// No address, which systems take for this computer.
    Unspecified = "unspecified_address", "leads to the unspecified address";
    /// An address that nobody has been given.
    Reserved = "reserved_address", "leads to a reserved address";
    /// A service that tells a cloud's virtual machines who they are, keys included.
    Metadata = "metadata_address", "leads to a metadata service of a cloud";
}

/// Why a URL may not be fetched.
///
/// # Examples
/// ```
/// use tools_builtin::web::{AddressGuard, UrlRule};
///
/// let refusal = AddressGuard::new().judge("http://0x7f.1/").unwrap_err();
/// assert_eq!(refusal.rule(), UrlRule::Loopback);
/// assert_eq!(refusal.to_string(), "the URL leads to a loopback address (loopback_address)");
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

    pub(super) fn by_name(self) -> Self {
        Self {
            by_name: true,
            ..self
        }
    }

    /// The rule that refuses it.
    #[must_use]
    pub fn rule(&self) -> UrlRule {
        self.rule
    }

    /// Whether not the URL itself shows it, but what its name was resolved to. What a private name leads to is not told to a
    /// model.
    #[must_use]
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
