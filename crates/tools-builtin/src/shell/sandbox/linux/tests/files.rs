//! Files in the workspace and outside.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

#[tokio::test]
async fn a_file_outside_is_not_written() {
    refused("echo evil > ../outside/b.txt").await;
}

#[tokio::test]
async fn a_file_outside_is_not_appended_to() {
    refused("echo evil >> ../outside/b.txt").await;
}

#[tokio::test]
async fn a_file_outside_is_not_cut_off() {
    refused("truncate -s 0 ../outside/b.txt").await;
}

#[tokio::test]
async fn a_file_outside_that_is_opened_for_reading_is_not_cut_off_either() {
    refused("perl -e 'use Fcntl; sysopen(F, q(../outside/b.txt), O_RDONLY | O_TRUNC) or exit 1'")
        .await;
}

#[tokio::test]
async fn no_file_is_made_outside() {
    refused("touch ../outside/new.txt").await;
}

#[tokio::test]
async fn no_folder_is_made_outside() {
    refused("mkdir ../outside/new").await;
}

#[tokio::test]
async fn no_file_outside_is_removed() {
    refused("rm -f ../outside/b.txt && [ ! -e ../outside/b.txt ]").await;
}

#[tokio::test]
async fn no_folder_outside_is_removed() {
    refused("rm -rf ../outside").await;
}

#[tokio::test]
async fn a_file_is_not_moved_out() {
    refused("mv a.txt ../outside/a.txt").await;
}

#[tokio::test]
async fn a_file_is_not_moved_in() {
    refused("mv ../outside/b.txt b.txt").await;
}

#[tokio::test]
async fn the_workspace_itself_is_not_moved() {
    refused("mv ../root ../elsewhere").await;
}

#[tokio::test]
async fn a_file_outside_gets_no_name_inside() {
    refused("ln ../outside/b.txt b.txt && echo evil >> b.txt").await;
}

#[tokio::test]
async fn a_link_that_leads_out_is_no_way_to_write_there() {
    refused("ln -s ../outside/b.txt link && echo evil > link").await;
}

#[tokio::test]
async fn a_folder_replaced_by_a_link_is_no_way_to_write_there() {
    refused("mkdir d && rmdir d && ln -s ../outside d && echo evil > d/b.txt").await;
}

#[tokio::test]
async fn a_file_outside_is_not_written_through_the_descriptors_of_another_process() {
    refused("cd / && echo evil > /proc/$$/cwd/$OLDPWD/../outside/b.txt").await;
}

#[tokio::test]
async fn no_device_is_made() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    refused("mknod disk b 7 99").await;
    refused("mknod zero c 1 5").await;
}

#[tokio::test]
async fn everything_that_work_in_a_workspace_needs_is_allowed() {
    let stdout = allowed(
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
async fn the_host_outside_may_be_read_and_run() {
    assert_eq!(allowed("cat ../outside/b.txt").await, "two\n");
}

#[tokio::test]
async fn what_no_program_can_do_without_works() {
    let stdout = allowed(
        "set -e
        echo gone > /dev/null; head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c
        echo told > /dev/stderr; cat < <(echo piped); cat <<< here
        (echo background &) | cat; sleep 0 & wait; timeout 5 echo timed; seq 3 | sort -r | head -1",
    )
    .await;

    assert_eq!(stdout, "3\n3\npiped\nhere\nbackground\ntimed\n3\n");
}

#[tokio::test]
async fn temporary_files_have_a_folder_that_is_removed_afterwards() {
    let stdout = allowed(
        "[ \"$TMPDIR\" = \"$TMP\" ] && [ \"$TMP\" = \"$TEMP\" ] && mktemp >&2 && mkdir -p $TMPDIR/a/b && \
        echo x > $TMPDIR/a/b/c && stat -c %a $TMPDIR && echo $TMPDIR",
    )
    .await;

    let (mode, folder) = stdout.trim_end().split_once('\n').unwrap();
    assert_eq!(mode, "700");
    assert!(!fs::exists(folder).unwrap(), "{folder}");
}

#[tokio::test]
async fn each_call_has_a_temporary_folder_of_its_own() {
    let scratch = place();
    let engine = confined(&scratch);

    let (first, second) = tokio::join!(run(&engine, "echo $TMPDIR"), run(&engine, "echo $TMPDIR"));

    assert_ne!(first.unwrap().stdout, second.unwrap().stdout);
}

#[tokio::test]
async fn the_temporary_folder_of_the_host_is_not_written() {
    refused("f=$(dirname $(dirname $PWD))/toolwright-test-$$; touch $f && rm $f").await;
}

#[tokio::test]
async fn a_file_outside_is_not_given_to_everybody_or_taken_from_its_owner() {
    for mode in ["777", "666", "0", "4755", "2755", "o+w", "u-r", "u+s"] {
        refused(&format!("chmod {mode} ../outside/b.txt")).await;
        refused(&format!(
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
async fn modes_that_builds_set_are_set() {
    for mode in ["644", "600", "755", "700", "444", "555", "775", "+x"] {
        allowed(&format!("chmod {mode} a.txt")).await;
    }
}

#[tokio::test]
async fn frozen_attributes_are_not_changed_anywhere() {
    let scratch = place();
    let sandbox = Sandbox::standard().with_attributes(crate::shell::Attributes::Frozen);
    let engine = engine(&scratch).with_sandbox(sandbox);
    let before = fs::metadata(scratch.path().join("outside/b.txt")).unwrap();

    for script in [
        "chmod 600 ../outside/b.txt",
        "chmod 600 a.txt",
        "touch -d 2020-01-01 ../outside/b.txt",
        "chown $(id -u) ../outside/b.txt",
    ] {
        let output = run(&engine, script).await.unwrap();
        assert_ne!(output.exit_code, Some(0), "{script}");
    }
    let after = fs::metadata(scratch.path().join("outside/b.txt")).unwrap();
    assert_eq!(after.permissions().mode(), before.permissions().mode());
    assert_eq!(after.modified().unwrap(), before.modified().unwrap());
}

#[tokio::test]
async fn free_attributes_are_as_free_as_the_user() {
    let scratch = place();
    let sandbox = Sandbox::standard().with_attributes(crate::shell::Attributes::Free);

    let output = run(&engine(&scratch).with_sandbox(sandbox), "chmod 4777 a.txt")
        .await
        .unwrap();

    assert_eq!(output.exit_code, Some(0));
}

#[tokio::test]
async fn the_host_itself_stays_free() {
    let scratch = place();
    run(&confined(&scratch), "true").await.unwrap();

    fs::write(scratch.path().join("outside/b.txt"), "free").unwrap();
    let output = run(&engine(&scratch), "echo more >> ../outside/b.txt")
        .await
        .unwrap();

    assert_eq!(output.exit_code, Some(0));
    assert_eq!(scratch.read("outside/b.txt"), "freemore\n");
}
