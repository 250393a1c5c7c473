//! Classification of paths by their text.

mod known;
mod protected;

use known::{
    BUILD_ENDINGS, BUILD_OUTPUTS, HARMLESS_DEVICES, MEMORY, SECRET_IN_HOME, SECRET_IN_SYSTEM,
    STARTUP_FILES, SYSTEM, SYSTEM_STARTUP_FILES,
};
pub(super) use protected::ProtectedName;

use super::value::{Source, Value};
use super::verdict::CommandRule as Rule;

/// Beginning of paths in the private temporary directory of a command. The launcher chooses its
/// real name when the command starts.
pub(super) const TEMPORARY: &str = "$TMPDIR";

/// Normalized absolute path.
#[derive(Debug, Clone)]
pub(super) struct Path {
    parts: Vec<String>,
    /// What follows the known components.
    rest: Option<Source>,
}

impl Path {
    /// Resolves `value` in `directory`, which is `None` if it is unknown. Of a dynamic word, only the
    /// components before the unknown one count.
    pub(super) fn of(value: &Value, directory: Option<&str>) -> Self {
        let (text, rest) = match value {
            Value::Literal(text) => (text.as_str(), None),
            Value::Dynamic(word) => {
                let prefix = value.prefix();
                let text = prefix.get(..prefix.rfind('/').map_or(0, |at| at + 1));
                // A later `..` leads out of the known directory again.
                let leaves = value.shown().contains("..");
                let source = if leaves {
                    Source::Expansion
                } else {
                    word.source
                };
                (text.unwrap_or_default(), Some(source))
            }
        };
        let mut path = Self {
            parts: Vec::new(),
            rest,
        };
        let is_absolute = text.starts_with('/') || text.split('/').next() == Some(TEMPORARY);
        match directory.filter(|_| !is_absolute) {
            Some(directory) => path.enter(directory),
            None if !is_absolute => path.rest = Some(Source::Expansion),
            None => {}
        }
        path.enter(text);
        path
    }

    fn enter(&mut self, text: &str) {
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(self.parts.pop()),
                name => self.parts.push(name.to_owned()),
            }
            if self.parts.len() >= 3 && self.parts.first().is_some_and(|first| first == "proc") {
                match self.last() {
                    "root" => self.parts.clear(),
                    "cwd" => self.rest = Some(Source::Expansion),
                    _ => {}
                }
            }
        }
    }

    /// Returns the text of a path that is known completely.
    pub(super) fn literal(&self) -> Option<String> {
        self.rest
            .is_none()
            .then(|| format!("/{}", self.parts.join("/")))
    }

    pub(super) fn is_temporary(&self) -> bool {
        self.parts.first().is_some_and(|first| first == TEMPORARY)
    }

    fn is_shared_memory(&self) -> bool {
        matches!(self.parts.as_slice(), [dev, shm, _, ..] if dev == "dev" && shm == "shm")
    }

    /// Returns `true` if nothing tells where the path is.
    fn is_open(&self) -> bool {
        self.rest == Some(Source::Expansion)
    }

    fn last(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// Returns `true` if the path is `target` or below it, after the first `skip` components.
    fn reaches(&self, skip: usize, target: &str) -> bool {
        let mut parts = self.parts.iter().skip(skip);
        let mut names = target.split('/');
        names.all(|name| {
            parts
                .next()
                .is_some_and(|part| part.eq_ignore_ascii_case(name))
        })
    }

    fn reaches_one(&self, skip: usize, targets: &str) -> bool {
        targets.split(' ').any(|target| self.reaches(skip, target))
    }

    fn is_in(&self, directory: &str) -> bool {
        let mut parts = self.parts.iter();
        components(directory).all(|name| parts.next().is_some_and(|part| part == name))
    }
}

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
        let mut roots = self.roots.iter();
        roots.any(|root| path == root || is_below(path, root))
            || path == temporary_root()
            || is_below(path, temporary_root())
    }

    /// Returns the number of components of the writable directory that contains `path`.
    fn root_depth(&self, path: &Path) -> Option<usize> {
        let roots = self
            .roots
            .iter()
            .map(String::as_str)
            .chain([temporary_root()]);
        let within = roots.filter(|root| path.is_in(root));
        within.map(|root| components(root).count()).max()
    }

    /// Returns the number of components of the home directory that contains `path`.
    fn home_depth(&self, path: &Path) -> Option<usize> {
        if path.is_in(&self.home) {
            return Some(components(&self.home).count());
        }
        match path.parts.as_slice() {
            [first, ..] if first == "root" => Some(1),
            [first, _, ..] if first == "home" || first == "Users" => Some(2),
            _ => None,
        }
    }

    pub(super) fn is_secret(&self, path: &Path) -> bool {
        let in_process = path.parts.len() > 2
            && path.reaches(0, "proc")
            && matches!(path.last(), "environ" | "mem");
        let skip = self.home_depth(path);
        // A workspace below the home directory may have files of the same name.
        let skip = skip.filter(|depth| self.root_depth(path).is_none_or(|root| root <= *depth));
        let found = in_process
            || path.reaches_one(0, SECRET_IN_SYSTEM)
            || path.parts.len() <= 2 && path.reaches_one(0, MEMORY)
            || skip.is_some_and(|skip| path.reaches_one(skip, SECRET_IN_HOME));
        let mut public = [".pub", "known_hosts"].into_iter();
        let is_public = public.any(|ending| path.last().ends_with(ending));
        found && !(is_public && path.rest.is_none())
    }

    pub(super) fn is_startup_file(&self, path: &Path) -> bool {
        let home = self.home_depth(path);
        path.reaches_one(0, SYSTEM_STARTUP_FILES)
            || home.is_some_and(|skip| path.reaches_one(skip, STARTUP_FILES))
    }

    /// Returns the rule that a read of `path` violates.
    pub(super) fn read_rule(&self, path: &Path) -> Option<Rule> {
        match device(path) {
            Some(Device::Harmless | Device::Terminal) => None,
            Some(Device::Network) => Some(Rule::ReverseShell),
            Some(Device::Raw) => Some(Rule::Disk),
            None if self.is_secret(path) => Some(Rule::Secret),
            None if path.is_open() && path.parts.is_empty() => Some(Rule::Dynamic),
            None if path.is_temporary() => Some(Rule::Dynamic),
            None if self.root_depth(path).is_some() => None,
            None => Some(Rule::ReadOutside),
        }
    }

    /// Returns the rule for a write to `path`, or into it if `tree`.
    pub(super) fn write_rule(&self, path: &Path, tree: bool) -> Option<Rule> {
        match device(path) {
            Some(Device::Harmless) => return None,
            // A text can change what the person at the terminal sees, or answer for them.
            Some(Device::Terminal) => return Some(Rule::Construct),
            Some(Device::Network) => return Some(Rule::ReverseShell),
            Some(Device::Raw) => return Some(Rule::Disk),
            None => {}
        }
        if self.is_startup_file(path) {
            return Some(Rule::Persistence);
        }
        if path.reaches_one(0, "proc sys") {
            return Some(Rule::SystemControl);
        }
        // Every sandbox shares this directory, so it is writable, but not part of the workspace.
        if path.is_shared_memory() && path.rest.is_none() {
            return Some(Rule::ReadOutside);
        }
        match self.root_depth(path) {
            None if path.is_open() && path.parts.is_empty() => Some(Rule::WriteUnknown),
            None => Some(Rule::WriteOutside),
            Some(depth) if self.is_protected(path, depth, tree || path.rest.is_some()) => {
                Some(Rule::Protected)
            }
            Some(_) if matches!(path.rest, Some(Source::Pattern | Source::Expansion)) => {
                Some(Rule::WriteUnknown)
            }
            Some(_) => Some(Rule::Write),
        }
    }

    /// Returns the rule for a deletion of the entry `value` at `path`.
    pub(super) fn delete_rule(&self, value: &Value, path: &Path, recursive: bool) -> Option<Rule> {
        match device(path) {
            Some(Device::Harmless | Device::Terminal) => return None,
            Some(_) => return Some(Rule::Disk),
            None => {}
        }
        let known = value.prefix();
        let name = value.shown().rsplit('/').next().unwrap_or_default();
        let matches_all = name.chars().all(|letter| "*?.{},".contains(letter));
        // `/*` matches all of `/`; `/$x` may be `/` itself.
        let is_all = path.rest.is_none()
            || matches_all && known.ends_with('/')
            || path.parts.is_empty() && known.starts_with('/');
        let in_known =
            value.literal().is_none() && known.is_empty() && matches_all && !path.is_open();
        if self.is_system(path) || (is_all || in_known) && self.holds_all(path) {
            return Some(Rule::DeleteSystem);
        }
        if self.is_startup_file(path) {
            return Some(Rule::Persistence);
        }
        if path.is_shared_memory() && path.rest.is_none() && !recursive {
            return Some(Rule::ReadOutside);
        }
        let Some(depth) = self.root_depth(path) else {
            return Some(if path.is_open() && path.parts.is_empty() {
                Rule::Delete
            } else {
                Rule::WriteOutside
            });
        };
        if self.is_protected(path, depth, recursive && path.parts.len() > depth) {
            return Some(Rule::Protected);
        }
        let is_output = path
            .parts
            .iter()
            .skip(depth)
            .any(|part| is_build_output(part));
        let is_temporary = path.rest == Some(Source::Temporary) && value.shown().ends_with('?')
            || path.is_temporary() && path.rest.is_none();
        let is_object = path.rest == Some(Source::Pattern) && !recursive && is_build_output(name);
        if is_output && !path.is_open() || is_temporary || is_object {
            return Some(Rule::Write);
        }
        // Nothing else has the content of such a file.
        let is_unique = path.last().starts_with(".env");
        let many = recursive || is_unique || path.rest.is_some() || path.parts.len() == depth;
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

    /// Returns `true` if a checkpoint of the workspace restores what is lost at `path`.
    pub(super) fn is_covered(&self, path: &Path) -> bool {
        let depth = self.root_depth(path);
        let is_kept = |part: &String| part != ".git" && !part.starts_with(".env");
        // A dynamic word may name the repository.
        path.rest != Some(Source::Expansion)
            && !path.is_temporary()
            && depth.is_some_and(|depth| {
                path.parts.iter().skip(depth).all(is_kept)
                    && (path.parts.len() > depth || path.rest.is_some())
            })
    }

    /// Returns `true` if `path` is a root.
    pub(super) fn is_root(&self, path: &Path) -> bool {
        self.root_depth(path) == Some(path.parts.len()) && path.rest.is_none()
    }

    pub(super) fn is_outside(&self, path: &Path) -> bool {
        !(path.is_open() && path.parts.is_empty()) && self.root_depth(path).is_none()
    }

    /// Returns `true` for `/`, home directories and directories that contain a root.
    fn holds_all(&self, path: &Path) -> bool {
        let is_above = |place: &str| {
            let mut names = components(place);
            let above = path
                .parts
                .iter()
                .all(|part| names.next() == Some(part.as_str()));
            above && names.next().is_some()
        };
        self.roots.iter().any(|root| is_above(root))
            || is_above(&self.home)
            || self.root_depth(path).is_none() && self.home_depth(path) == Some(path.parts.len())
    }

    fn is_system(&self, path: &Path) -> bool {
        let [first, rest @ ..] = path.parts.as_slice() else {
            return false;
        };
        let temporary = rest.first().is_some_and(|second| second == "tmp");
        let below = SYSTEM
            .split(' ')
            .any(|name| name.eq_ignore_ascii_case(first))
            || rest.is_empty() && first == "home";
        below && !temporary && !path.is_shared_memory() && self.root_depth(path).is_none()
    }

    fn is_protected(&self, path: &Path, depth: usize, tree: bool) -> bool {
        let parts = path.parts.get(depth..).unwrap_or_default();
        ProtectedName::repository().protects(parts, tree && path.rest.is_none())
            || path.last() == "HEAD"
            || self.protected.iter().any(|name| name.protects(parts, tree))
    }
}

fn temporary_root() -> &'static str {
    "/$TMPDIR"
}

fn components(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split('/').filter(|part| !part.is_empty())
}

/// Returns `true` for names of build outputs, such as `node_modules` and `*.pyc`.
pub(super) fn is_build_output(name: &str) -> bool {
    let ending = |ending: &str| BUILD_ENDINGS.split(' ').any(|known| known == ending);
    BUILD_OUTPUTS.split(' ').any(|known| known == name)
        || name.strip_prefix('*').is_some_and(ending)
}

pub(super) fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.starts_with('/') || directory == "/")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Device {
    Harmless,
    Terminal,
    Network,
    Raw,
}

fn device(path: &Path) -> Option<Device> {
    let (first, second) = match path.parts.as_slice() {
        [first, second, ..] => (first, second.as_str()),
        [first] if path.rest.is_some() => (first, ""),
        _ => return None,
    };
    if !first.eq_ignore_ascii_case("dev") || second == "shm" {
        return None;
    }
    if matches!(second, "tcp" | "udp") {
        return Some(Device::Network);
    }
    let text = path.literal().unwrap_or_default();
    let is_harmless = HARMLESS_DEVICES.split(' ').any(|known| known == text);
    Some(if is_harmless || text.starts_with("/dev/fd/") {
        Device::Harmless
    } else if second.starts_with("tty") || matches!(second, "console" | "pts" | "vcs") {
        Device::Terminal
    } else {
        Device::Raw
    })
}
