//! Grants for writes outside the workspace: the file alone, or the directory that must change.

use crate::CommandFilter;

fn grants(text: &str) -> Vec<String> {
    let filter = CommandFilter::standard(["/srv/app"]).with_home("/home/user");
    let judgement = filter.judge(text);
    judgement.grants().iter().map(ToString::to_string).collect()
}

fn assert_grants(text: &str, expected: &[&str]) {
    let expected: Vec<String> = expected
        .iter()
        .map(|path| format!("write:{path}"))
        .collect();
    assert_eq!(grants(text), expected, "{text}");
}

#[test]
fn write_in_place_needs_the_file_alone() {
    for text in [
        "echo x > /opt/d/f",
        "echo x >> /opt/d/f",
        "make &> /opt/d/f",
        "cat <> /opt/d/f",
        "make | tee -a /opt/d/f",
        "touch /opt/d/f",
        "cp a /opt/d/f",
        "cp -fv a /opt/d/f",
        "sort a -o /opt/d/f",
        "git log --output=/opt/d/f",
        "find . -fprint /opt/d/f",
        "cd /opt/d && echo x > f",
    ] {
        assert_grants(text, &["/opt/d/f"]);
    }
}

#[test]
fn create_replace_and_remove_need_the_directory() {
    for text in [
        "mkdir /opt/d/f",
        "mkdir -p /opt/d/f",
        "ln -s a /opt/d/f",
        "mv a /opt/d/f",
        "rm /opt/d/f",
        "sed -i s/a/b/ /opt/d/f",
        "sed --in-place=.bak s/a/b/ /opt/d/f",
        "install a /opt/d/f",
        "rsync a /opt/d/f",
        "mkfifo /opt/d/f",
        "zip /opt/d/f a",
        "cp -r a /opt/d/f",
        "cp -n a /opt/d/f",
        "cp --backup a /opt/d/f",
        "cp --odd a /opt/d/f",
        "git init /opt/d/f",
        "git worktree add /opt/d/f",
        // As a directory.
        "cp a b /opt/d",
        "cp a /opt/d/",
        "cp -t /opt/d a",
        "mv a b /opt/d",
        "mv a /opt/d/",
        "ln -s a b /opt/d",
        "git -C /opt/d status",
        "cd /opt/d && make",
    ] {
        assert_grants(text, &["/opt/d/"]);
    }
    assert_grants("mkdir /opt", &["/"]);
    assert_grants("mv /opt/a /var/tmp/b", &["/opt/", "/var/tmp/"]);
}

#[test]
fn clone_and_download_need_network_too() {
    for (text, path) in [
        ("git clone https://a.example/b /opt/d/f", "/opt/d/"),
        (
            "git clone -b main --depth 1 https://a.example/b /opt/d/f",
            "/opt/d/",
        ),
        ("cd /opt/d && git clone https://a.example/b", "/opt/d/"),
        ("curl -o /opt/d/f https://a.example", "/opt/d/f"),
        ("wget -O /opt/d/f https://a.example", "/opt/d/f"),
    ] {
        assert_eq!(
            grants(text),
            ["network".to_owned(), format!("write:{path}")],
            "{text}"
        );
    }
}

#[test]
fn recovery_confines_losses_that_a_checkpoint_holds() {
    let plain = CommandFilter::standard(["/srv/app"]).with_home("/home/user");
    let recovering = plain.clone().with_recovery(true);
    for (text, after) in [
        ("rm -rf src", "confine"),
        ("rm *.log", "confine"),
        ("git clean -fd", "confine"),
        ("git checkout -- .", "confine"),
        ("git reset --hard", "confine"),
        ("git restore src", "confine"),
        ("truncate -s 0 a", "confine"),
        // Not in a checkpoint.
        ("rm .env", "ask"),
        ("rm -rf .git", "ask"),
        ("rm -rf \"$x\"", "ask"),
        ("rm -rf /opt/x", "ask"),
        ("git clean -fdx", "ask"),
        ("git gc --prune=now", "ask"),
        ("git reflog expire --all", "ask"),
        ("git push --force", "ask"),
    ] {
        assert_eq!(plain.judge(text).verdict().as_str(), "ask", "{text}");
        assert_eq!(recovering.judge(text).verdict().as_str(), after, "{text}");
    }
    let host = recovering.with_verdict(crate::CommandRule::Delete, crate::CommandVerdict::Forbid);
    assert_eq!(host.judge("rm -rf src").verdict().as_str(), "forbid");
}
