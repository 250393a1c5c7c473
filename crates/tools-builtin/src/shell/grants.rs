//! Permissions that a call requests beyond the sandbox.

use std::path::Path;
use std::{fs, io};

use shell_verdict::Grant;
use tool_core::{CallPlan, RiskLevel, ToolError};

use super::environment::Environment;
use crate::workspace::plain;

/// Maximum number of permissions in one call.
const MAX_NEEDS: usize = 16;

/// Maximum characters of `reason` that an approval request repeats in its first line.
const MAX_REASON_CHARS: usize = 300;

/// Permissions that a call requests with `needs` and `reason`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'i> {
    pub(crate) needs: Option<&'i [String]>,
    pub(crate) reason: Option<&'i str>,
}

impl Request<'_> {
    /// Parses `needs`.
    ///
    /// # Errors
    /// Returns an error that names the first invalid item.
    pub(crate) fn grants(&self) -> Result<Vec<Grant>, ToolError> {
        let needs = self.needs.unwrap_or_default();
        if needs.len() > MAX_NEEDS {
            let sentence = format!("has {} items; at most {MAX_NEEDS} are allowed", needs.len());
            return Err(ToolError::invalid_arguments("needs", sentence)
                .suggest("Request a common parent directory."));
        }
        needs.iter().map(|need| parsed(need)).collect()
    }

    /// Returns the risk of a call. Permissions beyond the sandbox make every command dangerous.
    pub(crate) fn risk(&self, of_command: impl FnOnce() -> RiskLevel) -> RiskLevel {
        if self.needs.is_none_or(<[String]>::is_empty) {
            of_command()
        } else {
            RiskLevel::Dangerous
        }
    }

    /// Requires approval for the requested permissions, in addition to the findings about the
    /// command.
    pub(crate) fn raise(&self, plan: CallPlan) -> Result<CallPlan, ToolError> {
        let grants = self.grants()?;
        let Some(first) = grants.first() else {
            return Ok(plan);
        };
        let found = plan.findings.reason().map(str::to_owned);
        let rule = plan.findings.rule();
        let rule = rule.map_or(finding(first).to_owned(), str::to_owned);
        let plan = grants.iter().map(finding).fold(plan, CallPlan::finding);
        let sentences = [Some(self.sentence(&grants)), found];
        let sentences: Vec<String> = sentences.into_iter().flatten().collect();
        Ok(plan.asking(rule, sentences.join("; ")))
    }

    fn sentence(&self, grants: &[Grant]) -> String {
        let requested: Vec<String> = grants.iter().map(described).collect();
        let requested = requested.join(", ");
        let reason = self.reason.map(str::trim);
        match reason.filter(|reason| !reason.is_empty()) {
            Some(reason) => {
                let reason: String = reason.chars().take(MAX_REASON_CHARS).collect();
                format!("requests {requested} ({reason})")
            }
            None => format!("requests {requested}"),
        }
    }
}

/// Returns what approval of a call gives: the permissions requested in `needs`, and those found in the
/// command.
///
/// Paths become absolute: `~` is the home directory, and other relative paths are in `directory`. Those
/// of directories end with `/`, so that a prompt shows whether a file or a tree is given. The result
/// depends only on the call and on the named paths, so that a run gives what the prompt has shown.
///
/// # Errors
/// If the call runs in a sandbox, returns an error for a path with a symlink, which could lead
/// elsewhere later, and for a requested path that is missing.
pub(crate) fn given(
    requested: Vec<Grant>,
    found: Vec<Grant>,
    directory: &Path,
    environment: &Environment,
    is_confined: bool,
) -> Result<Vec<Grant>, ToolError> {
    let absolute = |grant| match grant {
        Grant::Write(path) => Grant::Write(absolute(&path, directory, environment)),
        other => other,
    };
    // Outside the sandbox, nothing limits the paths.
    let is_open = requested.contains(&Grant::Unconfined) || found.contains(&Grant::Unconfined);
    let is_confined = is_confined && !is_open;
    let requested = requested.into_iter().map(absolute);
    let found = found.into_iter().map(absolute);
    let mut grants: Vec<Grant> = if is_confined {
        let requested = requested.map(existing);
        let found = found.map(|grant| creatable(grant, environment));
        requested.chain(found).collect::<Result<_, _>>()?
    } else {
        requested.chain(found).collect()
    };
    grants.sort();
    grants.dedup();
    if is_confined {
        omit_files_to_create(&mut grants);
    }
    Ok(grants)
}

/// Returns a grant as a prompt shows it, with `~` for the home directory. `needs` accepts the same.
pub(crate) fn shown(grant: &Grant, environment: &Environment) -> String {
    let home = environment.value("HOME").and_then(|home| home.to_str());
    let home = home.map(|home| home.trim_end_matches('/'));
    let below = |path: &str| Some(path.strip_prefix(home?)?.strip_prefix('/')?.to_owned());
    match grant {
        Grant::Write(path) if home != Some("") => match below(path) {
            Some(rest) => Grant::Write(format!("~/{rest}")).to_string(),
            None => grant.to_string(),
        },
        other => other.to_string(),
    }
}

/// Returns the grant for a requested path, which must exist.
fn existing(grant: Grant) -> Result<Grant, ToolError> {
    let Grant::Write(path) = grant else {
        return Ok(grant);
    };
    let place = without_slash(&path);
    // A missing path has no exact grant: `needs` doesn't say whether the command creates a file or a directory.
    if has_link(place) || Entry::at(place) == Entry::Missing {
        let sentence = "has a path that is missing or contains a symlink";
        return Err(ToolError::invalid_arguments("needs", sentence)
            .suggest("Pass the path of an existing file or directory, without symlinks."));
    }
    Ok(write_grant(place, Entry::at(place) == Entry::Directory))
}

/// Returns the grant for a path that the command writes. A directory that does not exist is created
/// in the nearest one that does.
fn creatable(grant: Grant, environment: &Environment) -> Result<Grant, ToolError> {
    let Grant::Write(path) = &grant else {
        return Ok(grant);
    };
    let mut place = without_slash(path);
    if has_link(place) {
        let grant = shown(&grant, environment);
        let sentence = format!("needs `{grant}`, which contains a symlink");
        return Err(ToolError::invalid_arguments("command", sentence)
            .suggest("Use the path that the symlink names."));
    }
    let is_tree = path.ends_with('/');
    while is_tree
        && Entry::at(place) == Entry::Missing
        && let Some(parent) = place.parent()
    {
        place = parent;
    }
    let is_directory = is_tree || Entry::at(place) == Entry::Directory;
    Ok(write_grant(place, is_directory))
}

/// Omits missing files below a granted directory. The command can create them itself, and an empty file
/// under such a name could be in its way.
fn omit_files_to_create(grants: &mut Vec<Grant>) {
    let trees: Vec<String> = grants
        .iter()
        .filter_map(|grant| match grant {
            Grant::Write(path) if path.ends_with('/') => Some(path.clone()),
            _ => None,
        })
        .collect();
    grants.retain(|grant| match grant {
        Grant::Write(path) => {
            let is_below = trees.iter().any(|tree| path.starts_with(tree));
            path.ends_with('/') || !is_below || Entry::at(Path::new(path)) != Entry::Missing
        }
        _ => true,
    });
}

/// Type of the entry at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Missing,
    Directory,
    Link,
    /// A file, or an entry that cannot be examined.
    Other,
}

impl Entry {
    #[expect(
        clippy::disallowed_methods,
        reason = "the grant names a path outside the workspace"
    )]
    fn at(path: &Path) -> Self {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => Self::Link,
            Ok(found) if found.is_dir() => Self::Directory,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Other,
        }
    }
}

/// Returns the path of a directory without its final `/`, with which the system follows a symlink.
fn without_slash(path: &str) -> &Path {
    Path::new(path).components().as_path()
}

fn has_link(path: &Path) -> bool {
    path.ancestors()
        .any(|above| Entry::at(above) == Entry::Link)
}

/// Returns the grant for a path. Those of directories end with `/`.
fn write_grant(path: &Path, is_directory: bool) -> Grant {
    let text = path.to_string_lossy();
    let text = text.trim_end_matches('/');
    Grant::Write(if is_directory {
        format!("{text}/")
    } else {
        text.to_owned()
    })
}

/// Returns the name of a request for `grant`, for rules.
fn finding(grant: &Grant) -> &'static str {
    match grant {
        Grant::Network => "needs:network",
        Grant::Services => "needs:services",
        Grant::Write(_) => "needs:write",
        Grant::Unconfined => "needs:unconfined",
    }
}

fn parsed(need: &str) -> Result<Grant, ToolError> {
    need.trim().parse().map_err(|error| {
        let shown: String = need.chars().take(80).collect();
        ToolError::invalid_arguments("needs", format!("has an unknown item: `{shown}`"))
            .suggest("Use `network`, `services`, `write:<path>` or `unconfined`.")
            .caused_by(error)
    })
}

fn described(grant: &Grant) -> String {
    match grant {
        Grant::Network => "network access".to_owned(),
        Grant::Services => {
            "local services, which may control Docker, D-Bus, tmux and agents of this machine"
                .to_owned()
        }
        Grant::Write(path) => format!("write access to `{path}`"),
        Grant::Unconfined => "to run outside the sandbox".to_owned(),
    }
}

fn absolute(path: &str, directory: &Path, environment: &Environment) -> String {
    let home = environment.value("HOME").map(Path::new);
    let path = match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => directory.join(path),
    };
    // Resolving `..` as text is safe here, because the run opens the resolved text too, without following symlinks.
    let plain = plain(&path);
    let plain = plain.to_string_lossy();
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") && !plain.ends_with('/') {
        format!("{plain}/")
    } else {
        plain.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request<'i>(needs: &'i [String], reason: Option<&'i str>) -> Request<'i> {
        Request {
            needs: Some(needs),
            reason,
        }
    }

    #[test]
    fn invalid_needs_are_rejected_by_name() {
        for (needs, message) in [
            (
                vec!["internet".to_owned()],
                "`needs` has an unknown item: `internet`.",
            ),
            (
                vec!["network".to_owned(); 17],
                "`needs` has 17 items; at most 16 are allowed.",
            ),
        ] {
            let error = request(&needs, None).grants().unwrap_err();

            assert_eq!(error.message(), message);
        }
    }

    #[test]
    fn needs_require_approval_with_reason() {
        let needs = ["network".to_owned(), "write:/srv/cache".to_owned()];
        let plain = CallPlan::of(RiskLevel::Dangerous);
        let found = plain
            .clone()
            .asking("command_filter:git", "discards changes");

        let request = request(&needs, Some(" to fetch crates "));
        let raised = [plain, found].map(|plan| request.raise(plan).unwrap().findings);

        let sentence =
            "requests network access, write access to `/srv/cache` (to fetch crates)".to_owned();
        assert_eq!(raised[0].rule(), Some("needs:network"));
        assert_eq!(raised[0].reason(), Some(sentence.as_str()));
        assert_eq!(raised[0].findings(), ["needs:network", "needs:write"]);
        assert_eq!(raised[1].rule(), Some("command_filter:git"));
        let combined = format!("{sentence}; discards changes");
        assert_eq!(raised[1].reason(), Some(combined.as_str()));
    }

    #[test]
    fn omitted_needs_change_nothing() {
        let none = Request {
            needs: None,
            reason: Some("unused"),
        };

        let plan = CallPlan::of(RiskLevel::Dangerous);

        assert_eq!(none.raise(plan.clone()).unwrap(), plan);
    }

    #[cfg(unix)]
    #[test]
    fn granted_paths_become_absolute() {
        let environment = Environment::of([]).with("HOME", "/home/user");
        let write = |path: &str| Grant::Write(path.to_owned());
        for (path, absolute) in [
            ("/srv/a/../b/./c", "/srv/b/c"),
            ("~/.cargo", "/home/user/.cargo"),
            ("~/.cargo/", "/home/user/.cargo/"),
            ("~", "/home/user"),
            ("~other/x", "/ws/~other/x"),
            ("../x", "/x"),
        ] {
            let directory = Path::new("/ws");

            let granted = given(vec![write(path)], vec![], directory, &environment, false);

            assert_eq!(granted.unwrap(), [write(absolute)], "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn grants_name_what_exists() {
        let scratch = tool_test::Scratch::new()
            .file("file", "")
            .link("link", "file")
            .folder("directory");
        let top = scratch.path().canonicalize().unwrap();
        let write = |path: &str| Grant::Write(format!("{}/{path}", top.display()));
        let environment = Environment::of([]);
        let give = |requested, found| given(requested, found, &top, &environment, true);
        for (found, expected) in [
            (vec!["missing"], vec!["missing"]),
            (vec!["file"], vec!["file"]),
            (vec!["directory"], vec!["directory/"]),
            (vec!["missing/"], vec![""]),
            (vec!["missing/deeper/"], vec![""]),
            (vec!["missing/file"], vec!["missing/file"]),
            (vec!["missing/", "new/file", "file"], vec!["", "file"]),
        ] {
            let found = found.into_iter().map(write).collect();
            let expected: Vec<Grant> = expected.into_iter().map(write).collect();

            assert_eq!(give(vec![], found).unwrap(), expected);
        }

        for (requested, found, parameter) in [
            (vec![write("missing")], vec![], "needs"),
            (vec![write("link")], vec![], "needs"),
            (vec![], vec![write("link")], "command"),
            (vec![], vec![write("link/")], "command"),
        ] {
            let error = give(requested, found).unwrap_err();

            assert_eq!(error.parameter(), Some(parameter), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn grants_below_home_are_shown_with_tilde() {
        for (home, path, expected) in [
            ("/home/user", "/home/user/.newrc", "write:~/.newrc"),
            ("/home/user/", "/home/user/", "write:~/"),
            ("/home/user", "/home/username", "write:/home/username"),
            ("/", "/srv/x", "write:/srv/x"),
        ] {
            let environment = Environment::of([]).with("HOME", home);

            let shown = shown(&Grant::Write(path.to_owned()), &environment);

            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn requested_and_found_grants_are_joined_once() {
        let requested = vec![Grant::Unconfined, Grant::Network];
        let found = vec![Grant::Network];

        let grants = given(requested, found, Path::new("/"), &Environment::of([]), true);

        assert_eq!(grants.unwrap(), [Grant::Network, Grant::Unconfined]);
    }
}
