//! Names of files and directories that commands must not change without approval.

/// Name of one or several components, in which `*` and `?` are patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProtectedName {
    parts: Vec<String>,
}

impl ProtectedName {
    /// Returns `None` for a name without components.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let parts = name.split('/').filter(|part| !matches!(*part, "" | "."));
        let parts: Vec<_> = parts.map(str::to_lowercase).collect();
        (!parts.is_empty()).then_some(Self { parts })
    }

    /// Directory of a repository's settings and hooks.
    pub(super) fn repository() -> Self {
        Self {
            parts: vec![".git".to_owned()],
        }
    }

    /// Returns `true` if `path`, in lowercase, is this name or below it. If `tree`, files are written below `path`, so
    /// that an ancestor of the name is enough.
    pub(super) fn protects(&self, path: &[String], tree: bool) -> bool {
        (0..path.len()).any(|start| {
            let below = path.get(start..).unwrap_or_default();
            let mut pairs = below.iter().zip(&self.parts);
            (tree || below.len() >= self.parts.len())
                && pairs.all(|(part, name)| matches(name, part))
        })
    }
}

/// Returns `true` if `pattern` matches all of `name`.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once(['*', '?']) {
        None => return pattern == name,
        Some((literal, _)) if !name.starts_with(literal) => return false,
        Some(_) => {}
    }
    // Ends of the possible matches of the letters so far, so that stars take no exponential time.
    let letters: Vec<char> = name.chars().collect();
    let mut ends = vec![0];
    for wanted in pattern.chars() {
        ends = match (wanted, ends.first()) {
            (_, None) => return false,
            ('*', Some(first)) => (*first..=letters.len()).collect(),
            (wanted, _) => {
                let found = |at: &usize| {
                    let letter = letters.get(*at);
                    letter.is_some_and(|letter| wanted == '?' || wanted == *letter)
                };
                ends.into_iter().filter(found).map(|at| at + 1).collect()
            }
        };
    }
    ends.contains(&letters.len())
}
