//! Classification of paths by their text.

mod known;

use known::{
    FOLDERS_OF_SYSTEM, HARMLESS_DEVICES, MEMORY, PROTECTED, RUNS_LATER, RUNS_LATER_IN_SYSTEM,
    SECRET_IN_HOME, SECRET_IN_SYSTEM,
};

use super::value::{self, DEEP, GLOB, UNKNOWN};
use super::verdict::CommandRule;

#[derive(Debug, Clone)]
pub(super) struct Places {
    pub(super) roots: Vec<String>,
    pub(super) home: String,
    /// Protected names, split into components.
    pub(super) protected: Vec<Vec<String>>,
}

impl Places {
    /// Returns the normalized absolute path, or `None` if it is unknown.
    pub(super) fn resolve(path: &str, directory: Option<&str>) -> Option<String> {
        if value::is_open(path) {
            let prefix = value::known_prefix(path);
            let folder = prefix.get(..=prefix.rfind('/')?)?;
            let known = Self::resolve(folder, directory)?;
            return (known != "/").then(|| format!("{known}/{UNKNOWN}"));
        }
        if let (Some(rest), Some(directory)) = (path.strip_prefix("/proc/self/cwd"), directory)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Some(normalized(&format!("{directory}{rest}")));
        }
        let mut absolute = String::new();
        if !path.starts_with('/') {
            absolute.push_str(directory?);
            absolute.push('/');
        }
        absolute.push_str(path);
        Some(normalized(&absolute))
    }

    fn is_inside(&self, path: &str) -> bool {
        self.roots.iter().any(|root| is_below(path, root))
    }

    pub(super) fn is_at_work(&self, path: &str) -> bool {
        self.is_inside(path) || self.roots.iter().any(|root| root == path)
    }

    pub(super) fn root_of(&self, folder: &str) -> Option<&str> {
        let holds = |root: &&String| *root == folder || is_below(folder, root);
        self.roots.iter().find(holds).map(String::as_str)
    }

    fn holds_a_root(&self, path: &str) -> bool {
        path == "/"
            || self
                .roots
                .iter()
                .any(|root| path == root || is_below(root, path))
    }

    /// Returns the rule that a read of `path` violates. `recursive` includes everything below it.
    pub(super) fn reading(&self, path: &str, recursive: bool) -> Option<CommandRule> {
        if path.starts_with("/dev/")
            && device(path) == Some(CommandRule::Disk)
            && !is_below(path, "/dev/shm")
        {
            return Some(CommandRule::Disk);
        }
        let is_ours = self.is_inside(path) && !self.roots.contains(&self.home);
        if !is_ours && self.is_secret(path, recursive) && !is_public_key(path) {
            return Some(CommandRule::Secret);
        }
        is_where_a_process_works(path).then_some(CommandRule::Opaque)
    }

    fn is_secret(&self, path: &str, recursive: bool) -> bool {
        let depth = path.matches('/').count();
        let mut of_system = SECRET_IN_SYSTEM
            .iter()
            .chain(MEMORY.iter().filter(|_| depth <= 2));
        let is_in_home = |rest: &str| {
            let mut all = SECRET_IN_HOME.iter();
            all.any(|secret| may_reach(rest, secret, recursive))
        };
        of_system.any(|secret| may_reach(path, secret, recursive))
            || self.below_home(path).is_some_and(is_in_home)
            || recursive && (path == self.home || is_below(&self.home, path))
            || tells_of_a_process(path)
    }

    /// Returns the rule that a write to `path` violates.
    pub(super) fn writing(&self, path: &str) -> Option<CommandRule> {
        if path.starts_with("/dev/") && !is_below(path, "/dev/shm") {
            return device(path);
        }
        if self.runs_later(path) {
            return Some(CommandRule::Persistence);
        }
        if self.is_inside(path) {
            if path.ends_with(UNKNOWN) {
                return Some(CommandRule::Opaque);
            }
            return self.is_protected(path).then_some(CommandRule::Protected);
        }
        if self.roots.iter().any(|root| root == path) {
            return None;
        }
        if is_temporary(path) {
            return Some(CommandRule::Temporary);
        }
        Some(CommandRule::WriteOutside)
    }

    /// Returns the rule that deleting or moving `path` violates.
    pub(super) fn deleting(&self, path: &str) -> Option<CommandRule> {
        let path = without_trailing_patterns(path);
        if path.ends_with(UNKNOWN) || self.holds_a_root(path) {
            return Some(CommandRule::Delete);
        }
        if self.is_inside(path) {
            let is_repository = path.ends_with("/.git") || self.is_protected(path);
            return is_repository.then_some(CommandRule::Protected);
        }
        let below_temporary = ["/tmp/", "/var/tmp/", "/dev/shm/"]
            .iter()
            .any(|folder| path.starts_with(folder));
        Some(if below_temporary {
            CommandRule::Temporary
        } else {
            CommandRule::Delete
        })
    }

    /// Like [`Self::deleting`], but for another machine, of which only the system directories are
    /// known.
    pub(super) fn deleting_elsewhere(&self, path: &str) -> Option<CommandRule> {
        let path = without_trailing_patterns(path);
        let is_known = path == self.home || FOLDERS_OF_SYSTEM.contains(&path);
        is_known.then_some(CommandRule::Delete)
    }

    /// Returns the rule that a permission change of `path` violates.
    pub(super) fn permitting(&self, path: &str) -> Option<CommandRule> {
        match self.writing(path) {
            Some(CommandRule::WriteOutside | CommandRule::Persistence | CommandRule::Disk) => {
                Some(CommandRule::Permission)
            }
            other => other,
        }
    }

    fn is_protected(&self, path: &str) -> bool {
        if steers_a_repository(path) {
            return true;
        }
        let parts: Vec<&str> = path.split('/').collect();
        self.protected.iter().any(|name| {
            parts.windows(name.len()).any(|window| {
                let mut pairs = window.iter().zip(name);
                pairs.all(|(part, name)| {
                    value::may_match(part, name) || value::may_match(name, part)
                })
            })
        })
    }

    fn runs_later(&self, path: &str) -> bool {
        let at_home = self
            .below_home(path)
            .is_some_and(|rest| RUNS_LATER.iter().any(|file| may_reach(rest, file, false)));
        at_home
            || RUNS_LATER_IN_SYSTEM
                .iter()
                .any(|file| may_reach(path, file, false))
    }

    /// Returns the part of `path` below any user's home directory.
    fn below_home<'path>(&self, path: &'path str) -> Option<&'path str> {
        for home in [self.home.as_str(), "/root"] {
            if let Some(rest) = path
                .strip_prefix(home)
                .and_then(|rest| rest.strip_prefix('/'))
            {
                return Some(rest);
            }
        }
        let rest = path
            .strip_prefix("/home/")
            .or_else(|| path.strip_prefix("/Users/"))?;
        rest.split_once('/').map(|(_, rest)| rest)
    }
}

fn normalized(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            // `..` of the link target is not the parent of the link.
            ".." if is_link_of_process(&parts, "cwd") => {}
            ".." => {
                parts.pop();
            }
            other => {
                parts.push(other);
                if is_link_of_process(&parts, "root") {
                    parts.clear();
                }
            }
        }
    }
    format!("/{}", parts.join("/"))
}

/// Matches `/proc/<process>/<name>` and the same path of a thread.
fn is_link_of_process(parts: &[&str], name: &str) -> bool {
    let ([process, _, last] | [process, _, "task", _, last]) = parts else {
        return false;
    };
    value::may_match(process, "proc") && value::may_match(last, name)
}

fn tells_of_a_process(path: &str) -> bool {
    let (folder, file) = path.rsplit_once('/').unwrap_or_default();
    folder.starts_with("/proc/")
        && ["environ", "mem"]
            .iter()
            .any(|name| value::may_match(file, name))
}

fn is_where_a_process_works(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    [3, 5]
        .iter()
        .filter_map(|end| parts.get(..*end))
        .any(|parts| is_link_of_process(parts, "cwd"))
}

pub(super) fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/') || folder == "/")
}

/// A trailing pattern that matches everything means the directory itself.
fn without_trailing_patterns(mut path: &str) -> &str {
    while let Some((folder, last)) = path.rsplit_once('/') {
        let name = last.strip_prefix('.').unwrap_or(last);
        if name.is_empty() || !name.chars().all(|letter| letter == GLOB || letter == DEEP) {
            break;
        }
        path = if folder.is_empty() { "/" } else { folder };
        if path == "/" {
            break;
        }
    }
    path
}

fn is_temporary(path: &str) -> bool {
    ["/tmp", "/var/tmp", "/dev/shm"]
        .iter()
        .any(|folder| path == *folder || is_below(path, folder))
}

fn steers_a_repository(path: &str) -> bool {
    let mut parts = path
        .split('/')
        .skip_while(|part| !value::may_match(part, ".git"));
    parts.next().is_some()
        && parts
            .next()
            .is_some_and(|part| PROTECTED.iter().any(|name| value::may_match(part, name)))
}

fn device(path: &str) -> Option<CommandRule> {
    if HARMLESS_DEVICES.contains(&path) || path.starts_with("/dev/fd/") {
        return None;
    }
    let is_network = path.starts_with("/dev/tcp") || path.starts_with("/dev/udp");
    Some(if is_network {
        CommandRule::ReverseShell
    } else {
        CommandRule::Disk
    })
}

fn is_public_key(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "pub")
        || path.ends_with("/.ssh/known_hosts")
        || path.ends_with("/.ssh/config")
}

/// Returns `true` if `path` may be at or below `target`, or above it if `recursive`.
fn may_reach(path: &str, target: &str, recursive: bool) -> bool {
    let mut parts = path.trim_start_matches('/').split('/');
    for name in target.split('/') {
        match parts.next() {
            None | Some("") => return recursive,
            Some(part) if part.contains([DEEP, UNKNOWN]) && part.chars().count() == 1 => {
                return true;
            }
            Some(part) if value::may_match(part, name) => {}
            Some(_) => return false,
        }
    }
    true
}
