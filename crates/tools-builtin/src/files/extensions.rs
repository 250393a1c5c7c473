//! Allow list of file extensions and names.

use tool_core::ToolError;

/// Maximum number of names in an error; lists for all kinds of text are shorter.
const MAX_LISTED: usize = 200;

/// Allowed file extensions and full names, in lowercase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Extensions(Vec<String>);

impl Extensions {
    pub(super) fn new<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Self {
        let folded = names
            .into_iter()
            .map(|name| name.as_ref().trim_start_matches('.').to_lowercase());
        Self(folded.collect())
    }

    /// Returns an error for `parameter` if neither the extension nor the name of `path` is allowed.
    pub(super) fn check(&self, parameter: &str, path: &str) -> Result<(), ToolError> {
        let path = path.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or_default();
        let name = name.trim_start_matches('.').to_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let is_listed = |known: &String| *known == name || Some(known.as_str()) == extension;
        if self.0.iter().any(is_listed) {
            return Ok(());
        }
        let sentence = match extension {
            Some(extension) => format!("has the extension `.{extension}`, which is not allowed"),
            None => "has neither an extension nor a name that is allowed".to_owned(),
        };
        Err(ToolError::invalid_arguments(parameter, sentence).suggest(self.suggestion()))
    }

    fn suggestion(&self) -> String {
        let listed: Vec<&str> = self.0.iter().take(MAX_LISTED).map(String::as_str).collect();
        let more = match self.0.len().saturating_sub(listed.len()) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        match listed.as_slice() {
            [] => "No files may be read.".to_owned(),
            _ => format!(
                "Use a file with one of these extensions or names: {}{more}.",
                listed.join(", ")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_extension_or_full_name() {
        let extensions = Extensions::new(["rs", ".MD", "Makefile", "gitignore", "tar.gz"]);
        for (path, passes) in [
            ("src/main.rs", true),
            ("README.md", true),
            ("A.RS", true),
            ("sub/Makefile", true),
            (".gitignore", true),
            ("rs", true),
            ("main.rs.key", false),
            ("main.rsx", false),
            ("src.rs/key", false),
            ("key", false),
            ("..", false),
            ("", false),
        ] {
            assert_eq!(extensions.check("path", path).is_ok(), passes, "{path}");
        }
    }

    #[test]
    fn error_lists_allowed_extensions() {
        let error = Extensions::new(["rs", "md"])
            .check("path", "a.pem")
            .unwrap_err();
        let none: [&str; 0] = [];

        assert_eq!(
            error.to_string(),
            "`path` has the extension `.pem`, which is not allowed. Use a file with one of these extensions or names: rs, md."
        );
        assert!(
            Extensions::new(none)
                .check("path", "a")
                .unwrap_err()
                .to_string()
                .ends_with("No files may be read.")
        );
    }
}
