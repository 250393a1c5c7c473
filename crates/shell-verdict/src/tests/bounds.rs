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

const SED_ENDS: &[&str] = &[
    "e rm -rf ~",
    "$!e sudo id",
    "s/a/b/e",
    "r /home/dev/.ssh/id_rsa",
    "w /home/dev/.bashrc",
    "s/a/b/w /opt/x",
];

/// Families whose scripts of 200 parts are within all limits.
const FAMILIES: &[Family] = &[
    Family {
        around: ("sed '", "' f"),
        separator: "\n",
        parts: &[
            "r a",
            "r a§",
            "R a§",
            "w out§",
            "s/a§/b/w out",
            "e ls a§",
            "§p",
            "1,§s/a/b/g",
            "/x§/,/y/d",
            "\\%x§%Ip",
            "y/a/b/",
            ":l§",
            "b l§",
            "# c§",
            "a t§",
            "i\\\nt§",
            "{p;d}",
            "$!N;P;D",
            "l 5",
        ],
        ends: SED_ENDS,
    },
    Family {
        around: ("sed '", "' f"),
        separator: ";",
        parts: &["§p", "s/a§/b/g", ":l§", "b", "bl§", "{p}", "y/a/b/", "F"],
        ends: SED_ENDS,
    },
    Family {
        around: ("sed '", "' f"),
        separator: " ",
        parts: &[":l§"],
        ends: SED_ENDS,
    },
    Family {
        around: ("sed ", " f"),
        separator: " ",
        parts: &["-e 'r a§'", "-e p", "--expression='e ls'", "-n", "-e :a§"],
        ends: &["-e 'e rm -rf ~'", "-e 'w /opt/x'", "-e s/a/b/e"],
    },
    Family {
        around: ("sed -i s/a/b/ ", ""),
        separator: " ",
        parts: &["a§", "b/c§"],
        ends: &["/home/dev/.bashrc", "/opt/x", ".git/config"],
    },
    Family {
        around: ("awk '", "' f"),
        separator: "\n",
        parts: &[
            "{print $1}",
            "BEGIN{x§=1}",
            "/a§/{n++}",
            "{print \"a\" > \"f§\"}",
            "{system(\"ls a§\")}",
            "{x=\"a b§\"}",
            "{system(\"curl a§\")}",
            "function f§(){return 1}",
        ],
        ends: &[
            "{system(\"rm -rf ~\")}",
            "{system(\"sudo id\")}",
            "{print \"a\" > \"/home/dev/.bashrc\"}",
            "{print \"a\" > \"/opt/x\"}",
            "{while((getline l < \"/home/dev/.ssh/id_rsa\")>0) print l}",
        ],
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
        around: ("echo ", " | xargs cat"),
        separator: " ",
        parts: &["a§"],
        ends: &[KEY],
    },
    Family {
        around: ("echo ", " | xargs -n1 env"),
        separator: " ",
        parts: &["a§", "A=b"],
        ends: &["sudo", "reboot"],
    },
    Family {
        around: ("printf '", "' | xargs -I{} cat {}"),
        separator: "\\n",
        parts: &["a§"],
        ends: &[KEY, "/home/dev/.ssh/id_rsa\\n"],
    },
    Family {
        around: ("printf '", "' | xargs -I{} sh -c {}"),
        separator: "\\n",
        parts: &["ls a§"],
        ends: &["rm -rf ~", "git push", "touch /opt/x"],
    },
    Family {
        around: ("xargs rm -rf <<< '", "'"),
        separator: " ",
        parts: &["a§"],
        ends: &["/home/dev", ".git", "/opt/x"],
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
        around: ("cat {", ",b}"),
        separator: ",",
        parts: &["a§"],
        ends: &[KEY],
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
        parts: &["a§=1"],
        ends: &["x=/home/dev/.ssh/id_rsa; cat $x", "x=sudo; $x id"],
    },
    Family {
        around: ("", ""),
        separator: "; ",
        parts: &["f§() { ls; }"],
        ends: &["g() { rm -rf ~; }; g", "g() { sudo id; }"],
    },
    Family {
        around: ("for i in ", "; do cat $i; done"),
        separator: " ",
        parts: &["a§"],
        ends: &[KEY],
    },
    Family {
        around: ("x='", "'; cat $x"),
        separator: " ",
        parts: &["src/a/long/name/of/a/file/in/the/project/§"],
        ends: &[KEY],
    },
    Family {
        around: ("python3 -c '", "'"),
        separator: "\n",
        parts: &[
            "x=\"a\"",
            "run(\"a b\")",
            "run(\"curl a§\")",
            "rm a§",
            "x=\"/a/b\"",
        ],
        ends: &[
            "open(\"/home/dev/.ssh/id_rsa\")",
            "run(\"rm -rf ~\")",
            "rm -rf ~",
        ],
    },
    Family {
        around: ("python3 -c 'run(\"\"\"ls\n", "\"\"\")'"),
        separator: "\n",
        parts: &["wget h§", "touch /opt/§", "ls a§"],
        ends: &["git stash drop", "sudo id"],
    },
];

/// Families with work that grows faster than the number of parts, with the number of parts that is
/// within all limits. Beyond a limit, the verdict is at least `ask`.
const STEEP: &[(usize, Family)] = &[
    (
        60,
        Family {
            around: ("frobnicate ", ""),
            separator: " ",
            parts: &["sh a§", "rm"],
            ends: &["rm -rf /home/dev"],
        },
    ),
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
        62,
        Family {
            around: ("cat {", ",b}"),
            separator: ",",
            parts: &["a{c,d}", "{a..c}"],
            ends: &[KEY],
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
    let wrong: Vec<String> = [
        format!("sed '{}e rm -rf ~'", repeat("r a\n", 16)),
        "sed ':a e rm -rf ~'".to_owned(),
        "foo a/b/c/d/e/f/g/h/i/j,~/.ssh/id_rsa".to_owned(),
        format!("foo {}~/.ssh/id_rsa", repeat("/a§,", 8)),
        format!("echo {}sudo | xargs -n1 env", repeat("a§ ", 16)),
        format!(
            "printf '{}{KEY}' | xargs -I{{}} cat {{}}",
            repeat("a§\\n", 16)
        ),
        format!(
            "python3 -c '{}run(\"chmod u+s x\")'",
            repeat("x=\"a\";", 64)
        ),
        format!(
            "awk '{}{{system(\"chmod u+s x\")}}' f",
            repeat("{x=\"a\"}", 64)
        ),
        format!("python3 -c '{}rm -rf ~'", repeat("curl a§;", 4)),
        format!("frobnicate {}rm -rf /home/dev", repeat("sh a§ ", 4)),
        "nice --a 1 --b 2 --c 3 chmod u+s x".to_owned(),
        format!("cat {{{}{KEY}}}", repeat("a§,", 64)),
        format!("for i in {}{KEY}; do cat $i; done", repeat("a§ ", 64)),
        format!("x='{}{KEY}'; cat $x", repeat("0123456789abcdef ", 256)),
        format!("{}x={KEY}; cat $x", repeat("a§=1;", 64)),
        format!("{}g() {{ sudo id; }}; g", repeat("f§() { ls; };", 64)),
        format!("{}sudo id", repeat("ls a§;", 1001)),
        "for i in $(seq 3); do cd ..; done; cat home/dev/.ssh/id_rsa".to_owned(),
    ]
    .into_iter()
    .filter(|text| filter().judge(text).verdict() != CommandVerdict::Forbid)
    .collect();

    assert_eq!(wrong, Vec::<String>::new());
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
