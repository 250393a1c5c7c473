//! Names of parts and relationship targets.

/// Normalizes a part name for comparison: lowercase, without a leading slash.
pub(super) fn key(name: &str) -> String {
    // The format compares names without case, and some archives have backslashes.
    name.trim_start_matches(['/', '\\'])
        .replace('\\', "/")
        .to_ascii_lowercase()
}

/// Resolves the target of a relationship of `source`.
pub(super) fn resolve(source: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let folder = match source.rfind('/') {
        Some(end) if !target.starts_with('/') => source.get(..end).unwrap_or_default(),
        _ => "",
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(target.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    segments.join("/")
}

/// Returns the name of the part with the relationships of `source`. An empty `source` is the
/// archive.
pub(super) fn relationships_of(source: &str) -> String {
    match source.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/_rels/{name}.rels"),
        None => format!("_rels/{source}.rels"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_targets_relative_to_source() {
        for (source, target, expected) in [
            ("", "word/document.xml", "word/document.xml"),
            ("", "/word/document.xml", "word/document.xml"),
            ("word/document.xml", "styles.xml", "word/styles.xml"),
            ("ppt/slides/slide1.xml", "../notes/n.xml", "ppt/notes/n.xml"),
            ("word/document.xml", "/odd/styles.xml", "odd/styles.xml"),
            ("word/document.xml", "../../../../x.xml", "x.xml"),
            ("document.xml", "./a.xml#b", "a.xml"),
        ] {
            assert_eq!(resolve(source, target), expected, "{source} {target}");
        }
    }

    #[test]
    fn names_relationship_parts() {
        for (source, expected) in [
            ("", "_rels/.rels"),
            ("document.xml", "_rels/document.xml.rels"),
            ("word/document.xml", "word/_rels/document.xml.rels"),
        ] {
            assert_eq!(relationships_of(source), expected);
        }
    }
}
