//! File access inside and outside the workspace.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

#[tokio::test]
async fn rejects_writing_outside_file() {
    assert_rejected("echo evil > ../outside/b.txt").await;
}

#[tokio::test]
async fn rejects_appending_to_outside_file() {
    assert_rejected("echo evil >> ../outside/b.txt").await;
}

#[tokio::test]
async fn rejects_truncating_outside_file() {
    assert_rejected("truncate -s 0 ../outside/b.txt").await;
}

#[tokio::test]
async fn rejects_truncating_read_only_open() {
    assert_rejected(
        "perl -e 'use Fcntl; sysopen(F, q(../outside/b.txt), O_RDONLY | O_TRUNC) or exit 1'",
    )
    .await;
}

#[tokio::test]
async fn rejects_creating_outside_file() {
    assert_rejected("touch ../outside/new.txt").await;
}

#[tokio::test]
async fn rejects_creating_outside_directory() {
    assert_rejected("mkdir ../outside/new").await;
}

#[tokio::test]
async fn rejects_removing_outside_file() {
    assert_rejected("rm -f ../outside/b.txt && [ ! -e ../outside/b.txt ]").await;
}

#[tokio::test]
async fn rejects_removing_outside_directory() {
    assert_rejected("rm -rf ../outside").await;
}

#[tokio::test]
async fn rejects_moving_file_out() {
    assert_rejected("mv a.txt ../outside/a.txt").await;
}

#[tokio::test]
async fn rejects_moving_file_in() {
    assert_rejected("mv ../outside/b.txt b.txt").await;
}

#[tokio::test]
async fn rejects_moving_workspace() {
    assert_rejected("mv ../root ../elsewhere").await;
}

#[tokio::test]
async fn rejects_hard_link_to_outside_file() {
    assert_rejected("ln ../outside/b.txt b.txt && echo evil >> b.txt").await;
}

#[tokio::test]
async fn rejects_writing_through_symlink() {
    assert_rejected("ln -s ../outside/b.txt link && echo evil > link").await;
}

#[tokio::test]
async fn rejects_writing_through_directory_symlink() {
    assert_rejected("mkdir d && rmdir d && ln -s ../outside d && echo evil > d/b.txt").await;
}

#[tokio::test]
async fn rejects_writing_through_proc_cwd() {
    assert_rejected("cd / && echo evil > /proc/$$/cwd/$OLDPWD/../outside/b.txt").await;
}

#[tokio::test]
async fn rejects_device_nodes() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    assert_rejected("mknod disk b 7 99").await;
    assert_rejected("mknod zero c 1 5").await;
}

#[tokio::test]
async fn allows_common_file_operations() {
    let stdout = assert_allowed(
        "set -e
        echo more >> a.txt; cat a.txt
        mkdir -p sub/deep; mv a.txt sub/deep/b.txt; ln -s sub link; ln link/deep/b.txt hard
        mkfifo pipe; rm pipe; chmod 755 hard; touch -d 2020-01-01 hard; truncate -s 2 hard
        cat hard; rm -r sub link hard; ls -A | wc -l",
    )
    .await;

    assert_eq!(stdout, "one\nmore\non0\n");
}

#[tokio::test]
async fn allows_reading_host_files() {
    assert_eq!(assert_allowed("cat ../outside/b.txt").await, "two\n");
}

#[tokio::test]
async fn allows_basic_program_features() {
    let stdout = assert_allowed(
        "set -e
        echo gone > /dev/null; head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c
        echo reported > /dev/stderr; cat < <(echo piped); cat <<< here
        (echo background &) | cat; sleep 0 & wait; timeout 5 echo timed; seq 3 | sort -r | head -1",
    )
    .await;

    assert_eq!(stdout, "3\n3\npiped\nhere\nbackground\ntimed\n3\n");
}

#[tokio::test]
async fn private_tmpdir_is_removed_after_call() {
    let stdout = assert_allowed(
        "[ \"$TMPDIR\" = \"$TMP\" ] && [ \"$TMP\" = \"$TEMP\" ] && mktemp >&2 && mkdir -p $TMPDIR/a/b && \
        echo x > $TMPDIR/a/b/c && stat -c %a $TMPDIR && echo $TMPDIR",
    )
    .await;

    let (mode, folder) = stdout.trim_end().split_once('\n').unwrap();
    assert_eq!(mode, "700");
    assert!(!fs::exists(folder).unwrap(), "{folder}");
}

#[tokio::test]
async fn each_call_has_separate_tmpdir() {
    let scratch = fixture();
    let tool = confined(&scratch);

    let (first, second) = tokio::join!(run(&tool, "echo $TMPDIR"), run(&tool, "echo $TMPDIR"));

    assert_ne!(first.unwrap().stdout, second.unwrap().stdout);
}

#[tokio::test]
async fn rejects_writing_host_tmpdir() {
    assert_rejected("f=$(dirname $(dirname $PWD))/toolwright-test-$$; touch $f && rm $f").await;
}

#[tokio::test]
async fn rejects_unsafe_modes() {
    for mode in ["777", "666", "0", "4755", "2755", "o+w", "u-r", "u+s"] {
        assert_rejected(&format!("chmod {mode} ../outside/b.txt")).await;
        assert_rejected(&format!(
            "perl -e 'open F, q(<), q(../outside/b.txt); exit !chmod({}, *F)'",
            if mode.starts_with(|first: char| first.is_ascii_digit()) {
                format!("0{mode}")
            } else {
                "04777".to_owned()
            }
        ))
        .await;
    }
}

#[tokio::test]
async fn allows_modes_used_by_builds() {
    for mode in ["644", "600", "755", "700", "444", "555", "775", "+x"] {
        assert_allowed(&format!("chmod {mode} a.txt")).await;
    }
}

#[tokio::test]
async fn frozen_attributes_cannot_be_changed() {
    let scratch = fixture();
    let sandbox = Sandbox::standard().with_attributes(crate::shell::Attributes::Frozen);
    let tool = tool(&scratch).with_sandbox(sandbox);
    let before = fs::metadata(scratch.path().join("outside/b.txt")).unwrap();

    for script in [
        "chmod 600 ../outside/b.txt",
        "chmod 600 a.txt",
        "touch -d 2020-01-01 ../outside/b.txt",
        "chown $(id -u) ../outside/b.txt",
    ] {
        let output = run(&tool, script).await.unwrap();
        assert_ne!(output.exit_code, Some(0), "{script}");
    }
    let after = fs::metadata(scratch.path().join("outside/b.txt")).unwrap();
    assert_eq!(after.permissions().mode(), before.permissions().mode());
    assert_eq!(after.modified().unwrap(), before.modified().unwrap());
}

#[tokio::test]
async fn free_attributes_allow_set_user_id() {
    let scratch = fixture();
    let sandbox = Sandbox::standard().with_attributes(crate::shell::Attributes::Free);

    let output = run(&tool(&scratch).with_sandbox(sandbox), "chmod 4777 a.txt")
        .await
        .unwrap();

    assert_eq!(output.exit_code, Some(0));
}

#[tokio::test]
async fn host_process_is_not_confined() {
    let scratch = fixture();
    run(&confined(&scratch), "true").await.unwrap();

    fs::write(scratch.path().join("outside/b.txt"), "free").unwrap();
    let output = run(&tool(&scratch), "echo more >> ../outside/b.txt")
        .await
        .unwrap();

    assert_eq!(output.exit_code, Some(0));
    assert_eq!(scratch.read("outside/b.txt"), "freemore\n");
}
