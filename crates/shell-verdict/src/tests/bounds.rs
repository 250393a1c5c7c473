//! A harmless beginning of any length never hides what follows: a script is at least as strict as
//! its end alone, and needs at least the same grants. An end beyond a limit is at least `ask`.

use proptest::prelude::*;

use super::super::{CommandVerdict, Grant};
use super::{filter, repeat};

/// Script of harmless parts and a harmful end.
#[derive(Debug)]
struct Family {
    /// Text before the parts, and after the end.
    around: (&'static str, &'static str),
    separator: &'static str,
    /// Harmless parts. `§` is the number of the part.
    parts: &'static [&'static str],
    ends: &'static [&'static str],
}

impl Family {
    fn script(&self, parts: &[usize], end: &str) -> String {
        let numbered = parts.iter().enumerate().map(|(number, at)| {
            let part = self.parts[at % self.parts.len()];
            part.replace('§', &number.to_string()) + self.separator
        });
        let (before, after) = self.around;
        format!("{before}{}{end}{after}", numbered.collect::<String>())
    }
}

const KEY: &str = "/home/dev/.ssh/id_rsa";

/// Families whose scripts of 200 parts are within all limits.
const FAMILIES: &[Family] = &[
    Family {
        around: ("sed -i s/a/b/ ", ""),
        separator: " ",
        parts: &["a§", "b/c§"],
        ends: &["/home/dev/.bashrc", "/opt/x", ".git/config"],
    },
    Family {
        around: ("awk '{print $1}' ", ""),
        separator: " ",
        parts: &["a§", "x§=1"],
        ends: &[KEY],
    },
    Family {
        around: ("find . ", ""),
        separator: " ",
        parts: &[
            "-name a§",
            "! -path b§",
            "-o -size §",
            "\\( -type f \\)",
            "-fprint out§",
            "-exec ls {} \\;",
            "-exec grep a§ {} +",
            "-exec sh -c 'ls a§' \\;",
        ],
        ends: &[
            "-delete",
            "-fprint /home/dev/.bashrc",
            "-fprintf /opt/x a",
            "-exec sudo id \\;",
            "-exec rm -rf /home/dev \\;",
            "-exec sh -c 'rm -rf ~' \\;",
            "-execdir cat /home/dev/.ssh/id_rsa +",
        ],
    },
    Family {
        around: ("find ", ""),
        separator: " ",
        parts: &["a§"],
        ends: &["/home/dev/.ssh", "/ -delete", "b -exec sudo id \\;"],
    },
    Family {
        around: ("ls | xargs env ", ""),
        separator: " ",
        parts: &["A§=1"],
        ends: &["sudo id", "rm -rf /home/dev", "curl x"],
    },
    Family {
        around: ("foo ", ""),
        separator: ",",
        parts: &["a§/b", "/a§", "~/a", "--x=/a§"],
        ends: &["~/.ssh/id_rsa", KEY],
    },
    Family {
        around: ("cat ", ""),
        separator: " ",
        parts: &["a§", "{a,b}§", "a{a..c}", "*.rs", "$x§"],
        ends: &[KEY, "< /home/dev/.ssh/id_rsa", "> /opt/x", "| sudo id"],
    },
    Family {
        around: ("grep ", " f"),
        separator: " ",
        parts: &["-e a§", "--include=a§", "-n"],
        ends: &["-f /home/dev/.ssh/id_rsa"],
    },
    Family {
        around: ("ls", ""),
        separator: "",
        parts: &[" | cat a§", " | sort"],
        ends: &[" | sudo id", " | tee /opt/x", " | xargs rm -rf /home/dev"],
    },
    Family {
        around: ("", ""),
        separator: "",
        parts: &[
            "ls a§; ",
            "ls a§ && ",
            "ls a§ | wc; ",
            "wget h§; ",
            "touch /opt/§; ",
            "(ls); ",
            "if ls a§; then cat b; fi; ",
            "while ls a§; do cat b; done; ",
            "x=$(ls a§); ",
            "export B§=1; ",
            "cd /home/dev/project/a§; ",
        ],
        ends: &[
            "sudo id",
            "rm -rf /",
            "cat ~/.ssh/id_rsa",
            "git push",
            "cp a /opt/x",
            "git stash drop",
            "pkill x",
        ],
    },
    Family {
        around: ("", ""),
        separator: "; ",
        parts: &["f§() { ls; }"],
        ends: &["g() { rm -rf ~; }; g", "g() { sudo id; }"],
    },
];

/// Families with work that grows faster than the number of parts, with the number of parts that is
/// within all limits. Beyond a limit, the verdict is at least `ask`.
const STEEP: &[(usize, Family)] = &[
    (
        30,
        Family {
            around: ("nice ", ""),
            separator: " ",
            parts: &["--a§ 1"],
            ends: &["sudo id"],
        },
    ),
    (
        30,
        Family {
            around: ("", ""),
            separator: " ",
            parts: &["env", "nohup", "command"],
            ends: &["sudo id"],
        },
    ),
    (
        20,
        Family {
            around: ("", ""),
            separator: " ",
            parts: &["cd a§;", "pushd b;", "cd ../project/a;"],
            ends: &["cat ~/.ssh/id_rsa"],
        },
    ),
    (
        5,
        Family {
            around: ("", "if ls; then cd /home/dev; fi; cat .ssh/id_rsa"),
            separator: " ",
            parts: &["if ls; then cd /home/dev/project/a§; fi;"],
            ends: &[""],
        },
    ),
    (
        60,
        Family {
            around: ("cat ", ""),
            separator: "",
            parts: &["{"],
            ends: &["a; sudo id"],
        },
    ),
    (
        3,
        Family {
            around: ("cat ", ""),
            separator: "",
            parts: &["{a,b,c}"],
            ends: &["; sudo id"],
        },
    ),
];

/// Compares a script with its end alone. A script `beyond` a limit must ask at least.
fn milder(family: &Family, parts: &[usize], end: &str, beyond: bool) -> Option<String> {
    let (script, alone) = (family.script(parts, end), family.script(&[], end));
    let (found, expected) = (filter().judge(&script), filter().judge(&alone));
    let least = if beyond {
        expected.verdict().min(CommandVerdict::Ask)
    } else {
        expected.verdict()
    };
    let grants = found.grants();
    let lacks = |grant: &Grant| !beyond && !grants.contains(grant);
    let lost: Vec<Grant> = expected.grants().into_iter().filter(lacks).collect();
    (found.verdict() < least || !lost.is_empty()).then(|| {
        let part = family.parts[parts.first().copied().unwrap_or_default() % family.parts.len()];
        format!(
            "{:?} {} x {part:?}, then {end:?}: {} instead of {}, without {lost:?}",
            family.around.0,
            parts.len(),
            found.verdict().as_str(),
            expected.verdict().as_str()
        )
    })
}

/// Numbers around former limits.
const COUNTS: [usize; 6] = [1, 4, 8, 17, 65, 200];

fn all_milder(family: &Family, strict: usize) -> Vec<String> {
    let mut found = Vec::new();
    for end in family.ends {
        for part in 0..family.parts.len() {
            for count in COUNTS {
                found.extend(milder(family, &vec![part; count], end, count > strict));
            }
        }
    }
    found
}

#[test]
fn ends_of_families_are_harmful() {
    for family in FAMILIES
        .iter()
        .chain(STEEP.iter().map(|(_, family)| family))
    {
        for end in family.ends {
            let alone = family.script(&[], end);

            assert!(
                filter().judge(&alone).verdict() >= CommandVerdict::Ask,
                "{alone}"
            );
        }
    }
}

#[test]
fn repeated_part_hides_nothing() {
    let found: Vec<String> = FAMILIES
        .iter()
        .flat_map(|family| all_milder(family, 200))
        .collect();

    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn part_beyond_limit_asks() {
    let found: Vec<String> = STEEP
        .iter()
        .flat_map(|(strict, family)| all_milder(family, *strict))
        .collect();

    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn former_bounds_are_gone() {
    for (text, least) in [
        (
            format!("sed '{}e rm -rf ~'", repeat("r a\n", 16)),
            CommandVerdict::Confine,
        ),
        ("sed ':a e rm -rf ~'".to_owned(), CommandVerdict::Confine),
        (
            "foo a/b/c/d/e/f/g/h/i/j,~/.ssh/id_rsa".to_owned(),
            CommandVerdict::Forbid,
        ),
        (
            format!("foo {}~/.ssh/id_rsa", repeat("/a§,", 8)),
            CommandVerdict::Forbid,
        ),
        (
            format!("echo {}sudo | xargs -n1 env", repeat("a§ ", 16)),
            CommandVerdict::Ask,
        ),
        (
            format!("frobnicate {}rm -rf /home/dev", repeat("sh a§ ", 4)),
            CommandVerdict::Confine,
        ),
        (
            "nice --a 1 --b 2 --c 3 chmod u+s x".to_owned(),
            CommandVerdict::Forbid,
        ),
        (
            format!("cat {{{}{KEY}}}", repeat("a§,", 64)),
            CommandVerdict::Confine,
        ),
        (
            format!("for i in {}{KEY}; do cat $i; done", repeat("a§ ", 64)),
            CommandVerdict::Confine,
        ),
        (
            format!("{}g() {{ sudo id; }}; g", repeat("f§() { ls; };", 64)),
            CommandVerdict::Forbid,
        ),
        (
            format!("{}sudo id", repeat("ls a§;", 1001)),
            CommandVerdict::Forbid,
        ),
        (
            "for i in $(seq 3); do cd ..; done; rm -rf home".to_owned(),
            CommandVerdict::Ask,
        ),
    ] {
        let verdict = filter().judge(&text).verdict();

        assert!(verdict >= least, "{text:.60} {}", verdict.as_str());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_parts_hide_nothing(
        family in prop::sample::select(FAMILIES.iter().collect::<Vec<_>>()),
        parts in prop::collection::vec(0..100_usize, 0..=200),
        end in 0..100_usize,
    ) {
        let end = family.ends[end % family.ends.len()];

        prop_assert_eq!(milder(family, &parts, end, false), None);
    }
}
