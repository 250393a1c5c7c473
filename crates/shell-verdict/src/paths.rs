//! Classification of paths by their text.

mod known;
mod protected;

use known::{
    BUILD_ENDINGS, BUILD_OUTPUTS, HARMLESS_DEVICES, MEMORY, SECRET_IN_HOME, SECRET_IN_SYSTEM,
    STARTUP_FILES, SYSTEM, SYSTEM_STARTUP_FILES,
};
pub(super) use protected::{ProtectedName, matches};

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
        let mut text = value.prefix();
        let mut rest = value.source();
        if rest.is_some() {
            let known = text.rfind('/').map_or(0, |at| at + 1);
            text = text.get(..known).unwrap_or_default();
            // A later `..` leaves the known directory again.
            if value.shown().split('/').any(|part| part == "..") {
                rest = Some(Source::Expansion);
            }
        }
        let mut path = Self {
            parts: Vec::new(),
            rest,
        };
        if !text.starts_with('/') && text.split('/').next() != Some(TEMPORARY) {
            match directory {
                Some(directory) => path.enter(directory),
                None => path.rest = Some(Source::Expansion),
            }
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
        }
    }

    /// Returns the text of a path that is known completely.
    pub(super) fn literal(&self) -> Option<String> {
        let is_known = self.rest.is_none();
        is_known.then(|| format!("/{}", self.parts.join("/")))
    }

    fn is_temporary(&self) -> bool {
        self.parts.first().is_some_and(|first| first == TEMPORARY)
    }

    /// Every sandbox shares this directory, so it is writable, but not part of the workspace.
    fn is_shared_memory(&self) -> bool {
        self.reaches(0, "dev/shm") && self.parts.len() > 2 && self.rest.is_none()
    }

    /// Returns `true` if nothing tells where the path is.
    fn is_unknown(&self) -> bool {
        self.rest == Some(Source::Expansion) && self.parts.is_empty()
    }

    fn last(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// Returns `true` if the path is `target` or below it, after the first `skip` components.
    fn reaches(&self, skip: usize, target: &str) -> bool {
        let mut parts = self.parts.iter().skip(skip);
        let mut names = target.split('/').filter(|name| !name.is_empty());
        names.all(|name| {
            let part = parts.next();
            part.is_some_and(|part| part.eq_ignore_ascii_case(name))
        })
    }

    fn reaches_one(&self, skip: usize, targets: &str) -> bool {
        targets.split(' ').any(|target| self.reaches(skip, target))
    }

    /// Returns `true` if `place` is below the path.
    fn is_above(&self, place: &str) -> bool {
        let names: Vec<&str> = components(place).collect();
        let mut pairs = self.parts.iter().zip(&names);
        names.len() > self.parts.len() && pairs.all(|(part, name)| part == name)
    }
}

#[derive(Debug, Clone, Default)]
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
        self.root_depth(&Path::of(&Value::known(path), None))
            .is_some()
    }

    /// Returns the number of components of the writable directory that contains `path`.
    fn root_depth(&self, path: &Path) -> Option<usize> {
        let roots = self.roots.iter().map(String::as_str).chain([TEMPORARY]);
        let within = roots
            .filter(|root| components(root).eq(path.parts.iter().take(components(root).count())));
        within.map(|root| components(root).count()).max()
    }

    /// Returns the number of components of the home directory that contains `path`.
    fn home_depth(&self, path: &Path) -> Option<usize> {
        let depth = components(&self.home).count();
        match path.parts.as_slice() {
            parts if components(&self.home).eq(parts.iter().take(depth)) => Some(depth),
            [first, ..] if first == "root" => Some(1),
            [first, _, ..] if first == "home" || first == "Users" => Some(2),
            _ => None,
        }
    }

    fn is_secret(&self, path: &Path) -> bool {
        let in_process = path.reaches(0, "proc")
            && path.parts.len() > 2
            && matches!(path.last(), "environ" | "mem");
        // A workspace below the home directory may have files of the same name.
        let home = self.home_depth(path);
        let home = home.filter(|home| self.root_depth(path).is_none_or(|root| root <= *home));
        let mut public = [".pub", "known_hosts"].into_iter();
        let is_public = public.any(|ending| path.last().ends_with(ending));
        !(is_public && path.rest.is_none())
            && (in_process
                || (0..path.parts.len()).any(|skip| path.reaches_one(skip, known::TOKENS))
                || path.reaches_one(0, SECRET_IN_SYSTEM)
                || path.parts.len() <= 2 && path.reaches_one(0, MEMORY)
                || home.is_some_and(|home| path.reaches_one(home, SECRET_IN_HOME)))
    }

    pub(super) fn is_startup_file(&self, path: &Path) -> bool {
        let home = self.home_depth(path);
        path.reaches_one(0, SYSTEM_STARTUP_FILES)
            || home.is_some_and(|home| path.reaches_one(home, STARTUP_FILES))
    }

    /// Returns the rule that a read of `path` violates.
    pub(super) fn read_rule(&self, path: &Path) -> Option<Rule> {
        match device(path) {
            Some(written) => written.err().filter(|rule| *rule != Rule::Construct),
            None if self.is_secret(path) => Some(Rule::Secret),
            None if path.is_unknown() || path.is_temporary() => Some(Rule::Dynamic),
            None if self.root_depth(path).is_some() => None,
            None => Some(Rule::ReadOutside),
        }
    }

    /// Returns the rule for any change at `path`, or the depth of the root that contains it.
    fn change_rule(&self, path: &Path) -> Result<usize, Option<Rule>> {
        match device(path) {
            Some(written) => Err(written.err()),
            None if self.is_startup_file(path) => Err(Some(Rule::Persistence)),
            None if path.is_shared_memory() => Err(Some(Rule::ReadOutside)),
            None if path.is_unknown() => Err(Some(Rule::WriteUnknown)),
            None => self.root_depth(path).ok_or(Some(Rule::WriteOutside)),
        }
    }

    /// Returns the rule for a write to `path`, or into it if `tree`.
    pub(super) fn write_rule(&self, path: &Path, tree: bool) -> Option<Rule> {
        if path.reaches_one(0, "proc sys") {
            return Some(Rule::SystemControl);
        }
        match self.change_rule(path) {
            Err(rule) => rule,
            Ok(depth) if self.is_protected(path, depth, tree || path.rest.is_some()) => {
                Some(Rule::Protected)
            }
            Ok(_) if matches!(path.rest, Some(Source::Pattern | Source::Expansion)) => {
                Some(Rule::WriteUnknown)
            }
            Ok(_) => Some(Rule::Write),
        }
    }

    /// Returns the rule for a deletion of the entry `value` at `path`.
    pub(super) fn delete_rule(&self, value: &Value, path: &Path, recursive: bool) -> Option<Rule> {
        let name = value.shown().rsplit('/').next().unwrap_or_default();
        // `/*` matches all of `/`; `/$x` may be `/` itself.
        let is_pattern = name.chars().all(|letter| "*?.{},".contains(letter));
        let is_all = path.rest.is_none()
            || is_pattern && !path.is_unknown()
            || value.prefix().starts_with('/') && path.parts.is_empty();
        if self.is_system(path) || is_all && self.holds_all(path) {
            return Some(Rule::DeleteSystem);
        }
        let depth = match self.change_rule(path) {
            Ok(depth) => depth,
            Err(Some(Rule::WriteUnknown)) => return Some(Rule::Delete),
            Err(Some(Rule::ReadOutside)) if recursive => return Some(Rule::WriteOutside),
            Err(rule) => return rule,
        };
        let below = path.parts.get(depth..).unwrap_or_default();
        if self.is_protected(path, depth, recursive && !below.is_empty()) {
            return Some(Rule::Protected);
        }
        let is_output = below.iter().any(|part| is_build_output(part));
        let is_temporary = path.rest == Some(Source::Name) && name == "?"
            || path.is_temporary() && path.rest.is_none();
        let is_object = path.rest == Some(Source::Pattern) && is_build_output(name);
        if is_output && path.rest != Some(Source::Expansion) || is_temporary || is_object {
            return Some(Rule::Write);
        }
        // Nothing else has the content of such a file.
        let is_unique = path.last().starts_with(".env");
        let many = recursive || is_unique || path.rest.is_some() || below.is_empty();
        Some(if many { Rule::Delete } else { Rule::Write })
    }

    /// Returns `true` if a checkpoint of the workspace restores what is lost at `path`.
    pub(super) fn is_covered(&self, path: &Path) -> bool {
        let depth = self.root_depth(path).filter(|_| !path.is_temporary());
        let below = depth.and_then(|depth| path.parts.get(depth..));
        let is_kept = |part: &String| part != ".git" && !part.starts_with(".env");
        // A dynamic word may name the repository.
        path.rest != Some(Source::Expansion)
            && below.is_some_and(|below| {
                below.iter().all(is_kept) && (!below.is_empty() || path.rest.is_some())
            })
    }

    /// Returns `true` if `path` is a root.
    pub(super) fn is_root(&self, path: &Path) -> bool {
        self.root_depth(path) == Some(path.parts.len()) && path.rest.is_none()
    }

    /// Returns `true` for `/`, home directories and directories that contain a root.
    fn holds_all(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.is_above(root))
            || path.is_above(&self.home)
            || self.root_depth(path).is_none() && self.home_depth(path) == Some(path.parts.len())
    }

    fn is_system(&self, path: &Path) -> bool {
        let is_system = path.reaches_one(0, SYSTEM) && !path.reaches(1, "tmp");
        let is_homes = path.reaches(0, "home") && path.parts.len() == 1;
        let is_free = path.is_shared_memory() || device(path) == Some(Ok(()));
        (is_system || is_homes) && !is_free && self.root_depth(path).is_none()
    }

    fn is_protected(&self, path: &Path, depth: usize, tree: bool) -> bool {
        let parts = path.parts.iter().skip(depth);
        let parts: Vec<String> = parts.map(|part| part.to_lowercase()).collect();
        ProtectedName::repository().protects(&parts, tree && path.rest.is_none())
            || path.last() == "HEAD"
            || self
                .protected
                .iter()
                .any(|name| name.protects(&parts, tree))
    }
}

fn components(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split('/').filter(|part| !part.is_empty())
}

/// Returns `true` for names of build outputs, such as `node_modules` and `*.pyc`.
fn is_build_output(name: &str) -> bool {
    let ending = name.strip_prefix('*');
    BUILD_OUTPUTS.split(' ').any(|known| known == name)
        || ending.is_some_and(|ending| BUILD_ENDINGS.split(' ').any(|known| known == ending))
}

/// Returns the rule that a write to a device violates; only that for a terminal doesn't apply to reads.
fn device(path: &Path) -> Option<Result<(), Rule>> {
    let second = path.parts.get(1).map_or("", String::as_str);
    let is_directory = path.parts.len() == 1 && path.rest.is_none();
    if !path.reaches(0, "dev") || is_directory || second == "shm" {
        return None;
    }
    let text = path.literal().unwrap_or_default();
    let is_harmless = HARMLESS_DEVICES.split(' ').any(|known| known == text);
    Some(match second {
        _ if is_harmless || text.starts_with("/dev/fd/") => Ok(()),
        "tcp" | "udp" => Err(Rule::ReverseShell),
        // A string can change what the person at the terminal sees, or answer for them.
        "console" | "pts" | "vcs" => Err(Rule::Construct),
        _ if second.starts_with("tty") => Err(Rule::Construct),
        _ => Err(Rule::Disk),
    })
}
