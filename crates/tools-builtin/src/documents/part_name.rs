//! Names of parts, and how relationships lead from one to another.

/// The name by which a part is looked up: without a slash in front, in small letters, as the names of parts are compared.
pub(super) fn key(name: &str) -> String {
    name.trim_start_matches(['/', '\\'])
        .replace('\\', "/")
        .to_ascii_lowercase()
}

/// Where a relationship of `source` leads.
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

/// The name of the part with the relationships of `source`; the archive's own with an empty `source`.
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
    fn targets_are_relative_to_the_part_that_names_them() {
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
    fn each_part_has_a_part_with_its_relationships() {
        for (source, expected) in [
            ("", "_rels/.rels"),
            ("document.xml", "_rels/document.xml.rels"),
            ("word/document.xml", "word/_rels/document.xml.rels"),
        ] {
            assert_eq!(relationships_of(source), expected);
        }
    }
}
