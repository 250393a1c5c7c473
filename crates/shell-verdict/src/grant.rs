//! Permissions that a command needs in addition to the sandbox's own.

use std::fmt;
use std::str::FromStr;

/// Permission that a command needs beyond a sandbox around the workspace.
///
/// # Examples
/// ```
/// use shell_verdict::Grant;
///
/// let grant: Grant = "write:/srv/cache".parse()?;
/// assert_eq!(grant, Grant::Write("/srv/cache".to_owned()));
/// assert_eq!(grant.to_string(), "write:/srv/cache");
/// # Ok::<_, shell_verdict::ParseGrantError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grant {
    /// Network access through IPv4 and IPv6.
    Network,
    /// Connections to local services through Unix sockets, such as Docker, D-Bus, tmux and agents.
    Services,
    /// Write access to a file, or to a directory and everything below it. A path that ends with `/` is a
    /// directory.
    ///
    /// A command that writes to a file in place (`>`, `cp`, `tee`, `touch`) needs the file alone. One that
    /// creates, replaces or removes it (`mkdir`, `ln`, `mv`, `sed -i`) needs its directory.
    Write(String),
    /// Execution outside the sandbox.
    Unconfined,
}

impl fmt::Display for Grant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network => formatter.write_str("network"),
            Self::Services => formatter.write_str("services"),
            Self::Write(path) => write!(formatter, "write:{path}"),
            Self::Unconfined => formatter.write_str("unconfined"),
        }
    }
}

impl FromStr for Grant {
    type Err = ParseGrantError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "network" => Ok(Self::Network),
            "services" => Ok(Self::Services),
            "unconfined" => Ok(Self::Unconfined),
            _ => match text.strip_prefix("write:") {
                Some(path) if !path.is_empty() => Ok(Self::Write(path.to_owned())),
                _ => Err(ParseGrantError),
            },
        }
    }
}

/// Error for a string that is not a [`Grant`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseGrantError;

impl fmt::Display for ParseGrantError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .write_str("invalid grant; use `network`, `services`, `write:<path>` or `unconfined`")
    }
}

impl std::error::Error for ParseGrantError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_through_display() {
        for text in ["network", "services", "write:/srv/a b", "unconfined"] {
            assert_eq!(text.parse::<Grant>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn rejects_unknown_grants() {
        for text in ["", "write", "write:", "Network", "read:/etc"] {
            assert_eq!(text.parse::<Grant>(), Err(ParseGrantError), "{text}");
        }
    }
}
