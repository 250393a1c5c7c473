//! Settings of a new repository that run no program and name no other file.

/// Harmless settings by section. A section with a subsection ends with a space.
const HARMLESS: [(&str, &[&str]); 7] = [
    (
        "core",
        &[
            "bare",
            "filemode",
            "ignorecase",
            "logallrefupdates",
            "precomposeunicode",
            "repositoryformatversion",
            "symlinks",
        ],
    ),
    ("branch ", &["merge", "remote"]),
    ("commit", &["gpgsign"]),
    // Without `worktreeConfig`, which makes Git read a second file that isn't checked.
    ("extensions", &["objectformat", "refstorage"]),
    ("init", &["defaultbranch"]),
    ("remote ", &["fetch", "url"]),
    ("user", &["email", "name"]),
];

/// Characters of values and subsections, in addition to letters and digits. Quotes, escapes and
/// comments are not among them, so each line is read as Git reads it.
const PLAIN: &str = " -_./:@+*~%=?&,";

/// Returns the lines of a configuration that are plain and harmless, with their sections.
pub(super) fn harmless(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut allowed: &[&str] = &[];
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        if content.trim_start().starts_with('[') {
            allowed = section(content).unwrap_or_default();
            if !allowed.is_empty() {
                kept.push_str(line);
            }
        } else if is_harmless(content, allowed) {
            kept.push_str(line);
        }
    }
    kept
}

/// Returns the harmless settings of the section that a line starts.
fn section(line: &str) -> Option<&'static [&'static str]> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let name = match inner.split_once(" \"") {
        Some((name, below)) => {
            let below = below.strip_suffix('"')?;
            is_plain(below).then(|| format!("{name} "))?
        }
        None => inner.to_owned(),
    };
    let name = name.to_ascii_lowercase();
    let found = HARMLESS.iter().find(|(section, _)| *section == name);
    found.map(|(_, settings)| *settings)
}

fn is_harmless(line: &str, allowed: &[&str]) -> bool {
    let Some((name, value)) = line.split_once('=') else {
        return false;
    };
    let name = name.trim_matches([' ', '\t']).to_ascii_lowercase();
    let value = value.strip_prefix(' ').unwrap_or(value);
    // A remote such as `ext::sh -c …` runs a program, and one with `-` is read as an option.
    let is_remote_helper = value.contains("::") || value.starts_with('-');
    allowed.contains(&name.as_str()) && is_plain(value) && !is_remote_helper
}

fn is_plain(value: &str) -> bool {
    let mut characters = value.chars();
    characters.all(|character| character.is_alphanumeric() || PLAIN.contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLONE: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
        \tlogallrefupdates = true\n[remote \"origin\"]\n\turl = /srv/a b/x.git\n\
        \tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\
        \tmerge = refs/heads/main\n[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n";

    #[test]
    fn configuration_of_clone_is_harmless() {
        assert_eq!(harmless(CLONE), CLONE);
        assert_eq!(harmless(""), "");
    }

    #[test]
    fn removes_settings_that_run_programs() {
        for line in [
            "\tpager = evil\n",
            "\tfsmonitor = ./evil\n",
            "\thooksPath = ../evil\n",
            "\tsshCommand = evil\n",
            "\teditor = evil\n",
            "\tworktree = /\n",
            "\tbare = false ; \\\n\tpager = evil\n",
            "\tbare = false \\\n",
            "\tbare\n",
            "\tbare = \"false\"\n",
            "bare = false\r\n",
            "\t[core] pager = evil\n",
            "# comment\n",
        ] {
            assert_eq!(
                harmless(&format!("[core]\n\tbare = false\n{line}")),
                "[core]\n\tbare = false\n",
                "{line:?}"
            );
        }
        for text in [
            "[include]\n\tpath = ../evil\n",
            "[includeIf \"gitdir:/\"]\n\tpath = ../evil\n",
            "[alias]\n\tstatus = !evil\n",
            "[filter \"x\"]\n\tclean = evil\n",
            "[diff \"x\"]\n\ttextconv = evil\n",
            "[credential]\n\thelper = evil\n",
            "[gpg]\n\tprogram = evil\n",
            "[core] pager = evil\n",
            "[core.x]\n\tbare = false\n",
            "[core \"x\"]\n\tbare = false\n",
            "[remote \"a\"b\"]\n\turl = x\n",
            "[remote]\n\turl = x\n",
            "\tbare = false\n",
        ] {
            assert_eq!(harmless(text), "", "{text:?}");
        }
    }

    #[test]
    fn removes_remotes_that_run_programs() {
        for url in [
            "ext::sh -c evil",
            "-u evil",
            "a::b",
            "fd::3",
            "x`evil`",
            "$(evil)",
        ] {
            let text = format!("[remote \"origin\"]\n\turl = {url}\n\tuploadpack = evil\n");

            assert_eq!(harmless(&text), "[remote \"origin\"]\n", "{url}");
        }
    }
}
