//! Paths within a repository.

use tool_core::ToolError;

const MAX_PATH: usize = 4096;

/// Returns the components of a path. `.` is dropped and `..` is resolved.
pub(super) fn components(path: &str) -> Result<Vec<String>, ToolError> {
    if path.len() > MAX_PATH || path.contains(char::is_control) {
        return Err(ToolError::invalid_arguments("path", "is not a valid path")
            .suggest("Use a path relative to the repository root."));
    }
    if path.starts_with('/') {
        return Err(ToolError::path_outside_workspace("path"));
    }
    join(Vec::new(), path)
}

/// Returns the components of a relative path below `base`.
pub(super) fn join(mut base: Vec<String>, path: &str) -> Result<Vec<String>, ToolError> {
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                if base.pop().is_none() {
                    return Err(ToolError::path_outside_workspace("path"));
                }
            }
            name => base.push(name.to_owned()),
        }
    }
    Ok(base)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn resolves_lexically() {
        for (path, joined) in [
            (".", ""),
            ("", ""),
            ("a//b/./c/", "a/b/c"),
            ("a/../b", "b"),
            ("a\\b", "a\\b"),
        ] {
            assert_eq!(components(path).unwrap().join("/"), joined);
        }
        for (path, code) in [
            ("..", "path_outside_workspace"),
            ("a/../../b", "path_outside_workspace"),
            ("/etc/passwd", "path_outside_workspace"),
            ("a\0b", "invalid_arguments"),
            (&"a".repeat(4097), "invalid_arguments"),
        ] {
            assert_eq!(components(path).unwrap_err().code().as_str(), code);
        }
    }

    proptest! {
        #[test]
        fn result_has_no_dots(path in "[a./]{0,40}") {
            if let Ok(found) = components(&path) {
                prop_assert!(found.iter().all(|name| !name.is_empty() && name != "." && name != ".."));
            }
        }
    }
}
