//! Classification of paths by their text.

mod known;
mod path;
mod protected;

use known::{
    BUILD_ENDINGS, BUILD_OUTPUTS, HARMLESS_DEVICES, MEMORY, SECRET_IN_HOME, SECRET_IN_SYSTEM,
    STARTUP_FILES, SYSTEM, SYSTEM_STARTUP_FILES,
};
pub(super) use path::Path;
use path::{Part, is_text};
pub(super) use protected::ProtectedName;

use super::value::{Segment, Value, may_match};
use super::verdict::CommandRule as Rule;

#[derive(Debug, Clone)]
pub(super) struct PathClassifier {
    pub(super) roots: Vec<String>,
    pub(super) home: String,
    pub(super) protected: Vec<ProtectedName>,
}

impl PathClassifier {
    /// Returns the normalized absolute path, or `None` if `path` is relative to an unknown one.
    pub(super) fn resolve(path: &str, directory: Option<&str>) -> Option<String> {
        Path::of(&Value::known(path), directory).literal()
    }

    pub(super) fn is_in_root(&self, path: &str) -> bool {
        self.roots
            .iter()
            .any(|root| path == root || is_below(path, root))
    }

    /// Returns the number of components of the root that contains `path`.
    fn root_depth(&self, path: &Path) -> Option<usize> {
        let within = |root: &&String| {
            let mut parts = path.parts.iter();
            components(root).all(|name| parts.next().is_some_and(|part| is_text(part, name)))
        };
        self.roots
            .iter()
            .filter(within)
            .map(|root| components(root).count())
            .max()
    }

    /// Returns the number of components of the home directory that contains `path`.
    fn home_depth(&self, path: &Path) -> Option<usize> {
        let mut parts = path.parts.iter();
        let own = components(&self.home);
        let depth = own.clone().count();
        if path.parts.len() >= depth
            && own
                .clone()
                .all(|name| parts.next().is_some_and(|part| may_match(part, name)))
        {
            return Some(depth);
        }
        match path.parts.as_slice() {
            [first, ..] if may_match(first, "root") => Some(1),
            [first, _, ..] if may_match(first, "home") || may_match(first, "Users") => Some(2),
            _ => None,
        }
    }

    pub(super) fn is_secret(&self, path: &Path) -> bool {
        let reaches = |skip: usize, secrets: &str| {
            secrets
                .split(' ')
                .any(|secret| path.may_reach(skip, secret))
        };
        let in_process = path.parts.len() > 2
            && path
                .parts
                .first()
                .is_some_and(|part| may_match(part, "proc"))
            && (may_match(path.last(), "environ") || may_match(path.last(), "mem"));
        let found = in_process
            || reaches(0, SECRET_IN_SYSTEM)
            || path.parts.len() <= 2 && reaches(0, MEMORY)
            || self
                .home_below(path)
                .is_some_and(|skip| reaches(skip, SECRET_IN_HOME));
        found && !is_public_key(path)
    }

    /// Like `home_depth`, but `None` inside a root below the home directory.
    fn home_below(&self, path: &Path) -> Option<usize> {
        let depth = self.home_depth(path)?;
        self.root_depth(path)
            .is_none_or(|root| root <= depth)
            .then_some(depth)
    }

    pub(super) fn is_startup_file(&self, path: &Path) -> bool {
        SYSTEM_STARTUP_FILES
            .split(' ')
            .any(|file| path.may_reach(0, file))
            || self.home_depth(path).is_some_and(|skip| {
                STARTUP_FILES
                    .split(' ')
                    .any(|file| path.may_reach(skip, file))
            })
    }

    /// Returns the rule that a read of `path` violates.
    pub(super) fn read_rule(&self, path: &Path) -> Option<Rule> {
        match device(path) {
            Some(Device::Harmless) => None,
            Some(Device::Network) => Some(Rule::ReverseShell),
            Some(Device::Raw) => Some(Rule::Disk),
            None if self.is_secret(path) => Some(Rule::Secret),
            None if self.root_depth(path).is_some() && !path.open => None,
            None => Some(Rule::ReadOutside),
        }
    }

    /// Returns the rule for a write to `path`, or into it if `tree`.
    pub(super) fn write_rule(&self, path: &Path, tree: bool) -> Option<Rule> {
        match device(path) {
            Some(Device::Harmless) => return None,
            Some(Device::Network) => return Some(Rule::ReverseShell),
            Some(Device::Raw) => return Some(Rule::Disk),
            None => {}
        }
        if self.is_startup_file(path) {
            return Some(Rule::Persistence);
        }
        if path
            .parts
            .first()
            .is_some_and(|part| is_text(part, "proc") || is_text(part, "sys"))
        {
            return Some(Rule::SystemControl);
        }
        let Some(depth) = self.root_depth(path) else {
            return Some(if path.open {
                Rule::WriteUnknown
            } else {
                Rule::WriteOutside
            });
        };
        if self.is_protected(path, depth, tree) {
            return Some(Rule::Protected);
        }
        Some(if path.open || path.has_patterns() {
            Rule::WriteUnknown
        } else {
            Rule::Write
        })
    }

    /// Returns the rule for a deletion or move of `path`.
    pub(super) fn delete_rule(&self, path: Path, recursive: bool) -> Option<Rule> {
        match device(&path) {
            Some(Device::Harmless) => return None,
            Some(_) => return Some(Rule::Disk),
            None => {}
        }
        let is_pattern = path.has_patterns();
        let builds = path.parts.last().is_some_and(|part| is_build_file(part));
        let path = path.without_trailing_patterns();
        if self.is_system(&path) || self.holds_all(&path) && !path.open {
            return Some(Rule::DeleteSystem);
        }
        if self.is_startup_file(&path) {
            return Some(Rule::Persistence);
        }
        let Some(depth) = self.root_depth(&path) else {
            return Some(if path.open {
                Rule::Delete
            } else {
                Rule::WriteOutside
            });
        };
        if self.is_protected(&path, depth, recursive && path.parts.len() > depth) {
            return Some(Rule::Protected);
        }
        let output = |part: &Part| BUILD_OUTPUTS.split(' ').any(|name| is_text(part, name));
        if !path.open && (path.parts.iter().skip(depth).any(output) || builds && !recursive) {
            return Some(Rule::Write);
        }
        let many = recursive || is_pattern || path.open || path.parts.len() == depth;
        Some(if many { Rule::Delete } else { Rule::Write })
    }

    /// Returns the rule for a permission change of `path`.
    pub(super) fn permitting(&self, path: &Path) -> Option<Rule> {
        match self.write_rule(path, true) {
            Some(Rule::WriteOutside) if self.holds_all(path) || self.is_system(path) => {
                Some(Rule::Permission)
            }
            Some(Rule::Persistence | Rule::Disk | Rule::SystemControl) => Some(Rule::Permission),
            Some(Rule::WriteUnknown) => Some(Rule::Write),
            other => other,
        }
    }

    /// Returns `true` if `path` is a root.
    pub(super) fn is_root(&self, path: &Path) -> bool {
        self.root_depth(path) == Some(path.parts.len())
    }

    pub(super) fn is_outside(&self, path: &Path) -> bool {
        !path.open && self.root_depth(path).is_none()
    }

    /// Returns `true` for `/`, home directories and directories that contain a root.
    fn holds_all(&self, path: &Path) -> bool {
        let is_above = |place: &str| {
            let names: Vec<&str> = components(place).collect();
            path.parts.len() < names.len()
                && path
                    .parts
                    .iter()
                    .zip(names)
                    .all(|(part, name)| may_match(part, name))
        };
        self.roots.iter().any(|root| is_above(root))
            || is_above(&self.home)
            || self.root_depth(path).is_none() && self.home_depth(path) == Some(path.parts.len())
    }

    fn is_system(&self, path: &Path) -> bool {
        let mut parts = path.parts.iter();
        let Some(first) = parts.next() else {
            return false;
        };
        let temporary = parts.next().is_some_and(|second| is_text(second, "tmp"));
        let below = SYSTEM.split(' ').any(|name| may_match(first, name))
            || path.parts.len() == 1 && may_match(first, "home");
        below && !temporary && self.root_depth(path).is_none()
    }

    fn is_protected(&self, path: &Path, depth: usize, tree: bool) -> bool {
        let parts = path.parts.get(depth..).unwrap_or_default();
        ProtectedName::repository().protects(parts, tree)
            || path.parts.last().is_some_and(|part| is_text(part, "HEAD"))
            || self.protected.iter().any(|name| name.protects(parts, tree))
    }
}

fn components(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split('/').filter(|part| !part.is_empty())
}

fn is_build_file(part: &[Segment]) -> bool {
    matches!(part, [.., Segment::Text(end)] if BUILD_ENDINGS.split(' ').any(|ending| end == ending || end.ends_with(ending)))
}

/// Returns `true` for names of build outputs, such as `node_modules` and `*.pyc`.
pub(super) fn is_build_output(name: &str) -> bool {
    BUILD_OUTPUTS.split(' ').any(|known| known == name)
        || name
            .strip_prefix('*')
            .is_some_and(|ending| BUILD_ENDINGS.split(' ').any(|known| known == ending))
}

pub(super) fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.starts_with('/') || directory == "/")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Device {
    Harmless,
    Network,
    Raw,
}

fn device(path: &Path) -> Option<Device> {
    let [first, second, ..] = path.parts.as_slice() else {
        return None;
    };
    if !may_match(first, "dev") || is_text(second, "shm") {
        return None;
    }
    if may_match(second, "tcp") || may_match(second, "udp") {
        return Some(Device::Network);
    }
    let harmless = |text: &String| {
        HARMLESS_DEVICES.split(' ').any(|known| known == text) || text.starts_with("/dev/fd/")
    };
    Some(if path.literal().as_ref().is_some_and(harmless) {
        Device::Harmless
    } else {
        Device::Raw
    })
}

fn is_public_key(path: &Path) -> bool {
    let ends =
        |ending: &str| matches!(path.last(), [Segment::Text(text)] if text.ends_with(ending));
    !path.open && (ends(".pub") || ends("known_hosts"))
}
