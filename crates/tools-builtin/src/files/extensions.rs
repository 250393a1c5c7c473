//! Which files may be read, by the ends of their names.

use tool_core::{ErrorCode, ToolError};

/// More than what a set of extensions for all kinds of text has.
const MAX_TOLD: usize = 200;

/// Extensions of files, and whole names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Extensions(Vec<String>);

impl Extensions {
    pub(super) fn new<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Self {
        let folded = names
            .into_iter()
            .map(|name| name.as_ref().trim_start_matches('.').to_lowercase());
        Self(folded.collect())
    }

    /// Refuses a path that ends otherwise; `parameter` gave it.
    pub(super) fn check(&self, parameter: &str, path: &str) -> Result<(), ToolError> {
        let name = path
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let name = name.trim_start_matches('.').to_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let is_listed = |known: &String| *known == name || Some(known.as_str()) == extension;
        if self.0.iter().any(is_listed) {
            return Ok(());
        }
        Err(ToolError::about(
            ErrorCode::InvalidArguments,
            parameter,
            match extension {
                Some(extension) => format!("ends in `.{extension}`, and such files are not read"),
                None => "has no extension, and is none of the names that are read without one"
                    .to_owned(),
            },
        )
        .suggest(self.told()))
    }

    fn told(&self) -> String {
        let listed: Vec<&str> = self.0.iter().take(MAX_TOLD).map(String::as_str).collect();
        let more = match self.0.len().saturating_sub(listed.len()) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        match listed.as_slice() {
            [] => "No file may be read.".to_owned(),
            _ => format!(
                "Read a file that ends in one of these, or is called so: {}{more}.",
                listed.join(", ")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_let_through_by_their_extension_or_whole() {
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
    fn a_refusal_says_what_may_be_read() {
        let error = Extensions::new(["rs", "md"])
            .check("path", "a.pem")
            .unwrap_err();
        let none: [&str; 0] = [];

        assert_eq!(
            error.to_string(),
            "`path` ends in `.pem`, and such files are not read. Read a file that ends in one of these, or is called so: rs, md."
        );
        assert!(
            Extensions::new(none)
                .check("path", "a")
                .unwrap_err()
                .to_string()
                .ends_with("No file may be read.")
        );
    }
}
