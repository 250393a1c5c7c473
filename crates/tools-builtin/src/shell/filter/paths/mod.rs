//! Which place a path means, told by its text alone.

mod known;

use known::{
    FOLDERS_OF_SYSTEM, HARMLESS_DEVICES, MEMORY, PROTECTED, RUNS_LATER, RUNS_LATER_IN_SYSTEM,
    SECRET_IN_HOME, SECRET_IN_SYSTEM,
};

use super::value::{self, DEEP, GLOB, UNKNOWN};
use super::verdict::Rule;

/// The roots and the home folder.
#[derive(Debug, Clone)]
pub(super) struct Places {
    pub(super) roots: Vec<String>,
    pub(super) home: String,
    /// Names that the host protects, each as its components.
    pub(super) protected: Vec<Vec<String>>,
}

impl Places {
    /// The absolute path without `.` and `..`; `None` if it may be anywhere.
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

    /// Whether a path is a root or below one.
    pub(super) fn is_at_work(&self, path: &str) -> bool {
        self.is_inside(path) || self.roots.iter().any(|root| root == path)
    }

    /// The root that a folder is, or lies below.
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

    /// What speaks against reading `path`; `recursive` if everything below is read too.
    pub(super) fn reading(&self, path: &str, recursive: bool) -> Option<Rule> {
        if path.starts_with("/dev/")
            && device(path) == Some(Rule::Disk)
            && !is_below(path, "/dev/shm")
        {
            return Some(Rule::Disk);
        }
        let is_ours = self.is_inside(path) && !self.roots.contains(&self.home);
        if !is_ours && self.is_secret(path, recursive) && !is_public_key(path) {
            return Some(Rule::Secret);
        }
        is_where_a_process_works(path).then_some(Rule::Opaque)
    }

    /// Whether credentials, or the memory of a process, are at `path`.
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

    /// What speaks against writing to `path`.
    pub(super) fn writing(&self, path: &str) -> Option<Rule> {
        if path.starts_with("/dev/") && !is_below(path, "/dev/shm") {
            return device(path);
        }
        if self.runs_later(path) {
            return Some(Rule::Persistence);
        }
        if self.is_inside(path) {
            if path.ends_with(UNKNOWN) {
                return Some(Rule::Opaque);
            }
            return self.is_protected(path).then_some(Rule::Protected);
        }
        if self.roots.iter().any(|root| root == path) {
            return None;
        }
        if is_temporary(path) {
            return Some(Rule::Temporary);
        }
        Some(Rule::WriteOutside)
    }

    /// What speaks against deleting or moving away `path`.
    pub(super) fn deleting(&self, path: &str) -> Option<Rule> {
        let path = without_trailing_patterns(path);
        if path.ends_with(UNKNOWN) || self.holds_a_root(path) {
            return Some(Rule::Delete);
        }
        if self.is_inside(path) {
            let is_repository = path.ends_with("/.git") || self.is_protected(path);
            return is_repository.then_some(Rule::Protected);
        }
        let below_temporary = ["/tmp/", "/var/tmp/", "/dev/shm/"]
            .iter()
            .any(|folder| path.starts_with(folder));
        Some(if below_temporary {
            Rule::Temporary
        } else {
            Rule::Delete
        })
    }

    /// What speaks against deleting `path` on another machine, of which only the folders of the system are known.
    pub(super) fn deleting_elsewhere(&self, path: &str) -> Option<Rule> {
        let path = without_trailing_patterns(path);
        let is_known = path == self.home || FOLDERS_OF_SYSTEM.contains(&path);
        is_known.then_some(Rule::Delete)
    }

    /// What speaks against changing the rights of `path`.
    pub(super) fn permitting(&self, path: &str) -> Option<Rule> {
        match self.writing(path) {
            Some(Rule::WriteOutside | Rule::Persistence | Rule::Disk) => Some(Rule::Permission),
            other => other,
        }
    }

    /// Whether the host, or the repository itself, wants the path to stay as it is.
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

    /// The part of `path` below anybody's home folder.
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
            // What is above the folder of a process is not what is in front of it.
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

/// Whether this is `/proc/<process>/<name>`, or the same of one of its threads.
fn is_link_of_process(parts: &[&str], name: &str) -> bool {
    let ([process, _, last] | [process, _, "task", _, last]) = parts else {
        return false;
    };
    value::may_match(process, "proc") && value::may_match(last, name)
}

/// Whether this is the memory or the environment of a process.
fn tells_of_a_process(path: &str) -> bool {
    let (folder, file) = path.rsplit_once('/').unwrap_or_default();
    folder.starts_with("/proc/")
        && ["environ", "mem"]
            .iter()
            .any(|name| value::may_match(file, name))
}

/// Whether `path` goes through the folder in which some process works.
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

/// A pattern that matches everything stands for the folder itself, and so does "anything below".
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

fn device(path: &str) -> Option<Rule> {
    if HARMLESS_DEVICES.contains(&path) || path.starts_with("/dev/fd/") {
        return None;
    }
    let is_network = path.starts_with("/dev/tcp") || path.starts_with("/dev/udp");
    Some(if is_network {
        Rule::ReverseShell
    } else {
        Rule::Disk
    })
}

fn is_public_key(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "pub")
        || path.ends_with("/.ssh/known_hosts")
        || path.ends_with("/.ssh/config")
}

/// Whether `path` may lie at or below `target`, or above it if `recursive`.
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
