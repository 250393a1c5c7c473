//! Permissions that a call requests beyond the sandbox.

use std::fs;
use std::path::{Component, Path, PathBuf};

use shell_verdict::Grant;
use tool_core::ToolError;
use tool_core::approval::Assessment;

use super::environment::Environment;

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

    /// Requires approval for the requested permissions, in addition to the findings about the
    /// command.
    pub(crate) fn raise(&self, assessment: Assessment) -> Result<Assessment, ToolError> {
        let grants = self.grants()?;
        let Some(first) = grants.first() else {
            return Ok(assessment);
        };
        let found = assessment.reason().map(str::to_owned);
        let rule = assessment.rule();
        let rule = rule.map_or(finding(first).to_owned(), str::to_owned);
        let assessment = grants
            .iter()
            .map(finding)
            .fold(assessment, Assessment::with_finding);
        let sentences = [Some(self.sentence(&grants)), found];
        let sentences: Vec<String> = sentences.into_iter().flatten().collect();
        Ok(assessment.asking(rule, sentences.join("; ")))
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

/// Returns the grants of an approved call: requested in `needs`, and found in the command.
///
/// Paths become absolute: `~` is the home directory, and other relative paths are in `directory`.
/// The kernel can permit writes only below existing paths. A command that creates a file therefore
/// receives a grant for the parent directory.
pub(crate) fn joined(
    requested: Vec<Grant>,
    found: Vec<Grant>,
    directory: &Path,
    environment: &Environment,
) -> Vec<Grant> {
    let absolute = |grant| match grant {
        Grant::Write(path) => Grant::Write(absolute(&path, directory, environment)),
        other => other,
    };
    let found = found.into_iter().map(absolute).map(existing);
    let mut grants: Vec<Grant> = requested.into_iter().map(absolute).chain(found).collect();
    grants.sort();
    grants.dedup();
    grants
}

/// Returns a grant for the parent directory if the path does not exist.
#[expect(
    clippy::disallowed_methods,
    reason = "the grant names a path outside the workspace"
)]
fn existing(grant: Grant) -> Grant {
    if let Grant::Write(path) = &grant
        && fs::symlink_metadata(path).is_err()
        && let Some(parent) = Path::new(path).parent()
    {
        return Grant::Write(parent.to_string_lossy().into_owned());
    }
    grant
}

/// Returns the name of a request for `grant`, for rules.
fn finding(grant: &Grant) -> &'static str {
    match grant {
        Grant::Network => "needs:network",
        Grant::Write(_) => "needs:write",
        Grant::Unconfined => "needs:unconfined",
    }
}

fn parsed(need: &str) -> Result<Grant, ToolError> {
    need.trim().parse().map_err(|error| {
        let shown: String = need.chars().take(80).collect();
        ToolError::invalid_arguments("needs", format!("has an unknown item: `{shown}`"))
            .suggest("Use `network`, `write:<path>` or `unconfined`.")
            .caused_by(error)
    })
}

fn described(grant: &Grant) -> String {
    match grant {
        Grant::Network => "network access".to_owned(),
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
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain.to_string_lossy().into_owned()
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
        let plain = Assessment::default();
        let found = Assessment::default().asking("command_filter:git", "discards changes");

        let request = request(&needs, Some(" to fetch crates "));
        let raised = [plain, found].map(|assessment| request.raise(assessment).unwrap());

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

        assert_eq!(
            none.raise(Assessment::default()).unwrap(),
            Assessment::default()
        );
    }

    #[cfg(unix)]
    #[test]
    fn granted_paths_become_absolute() {
        let environment = Environment::of([]).with("HOME", "/home/user");
        let write = |path: &str| Grant::Write(path.to_owned());
        for (path, absolute) in [
            ("/srv/a/../b/./c", "/srv/b/c"),
            ("~/.cargo", "/home/user/.cargo"),
            ("~", "/home/user"),
            ("~other/x", "/ws/~other/x"),
            ("../x", "/x"),
        ] {
            let granted = joined(vec![write(path)], vec![], Path::new("/ws"), &environment);

            assert_eq!(granted, [write(absolute)], "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn found_grant_for_missing_file_covers_its_directory() {
        let scratch = tool_test::Scratch::new();
        let missing = scratch.path().join("new.txt");
        let found = vec![Grant::Write(missing.to_string_lossy().into_owned())];

        let grants = joined(vec![], found, Path::new("/"), &Environment::of([]));

        let parent = scratch.path().to_string_lossy().into_owned();
        assert_eq!(grants, [Grant::Write(parent)]);
    }

    #[test]
    fn requested_and_found_grants_are_joined_once() {
        let requested = vec![Grant::Unconfined, Grant::Network];

        let grants = joined(
            requested,
            vec![Grant::Network],
            Path::new("/"),
            &Environment::of([]),
        );

        assert_eq!(grants, [Grant::Network, Grant::Unconfined]);
    }
}
