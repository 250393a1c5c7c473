//! Privileges, and other processes.

use super::*;

#[tokio::test]
async fn no_privileges_are_gained() {
    let stdout = allowed("grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status").await;

    assert_eq!(stdout, "NoNewPrivs:\t1\nSeccomp:\t2\n");
}

#[tokio::test]
async fn of_the_rights_of_root_only_those_over_files_are_left() {
    let stdout = allowed("grep -E '^Cap(Inh|Prm|Eff|Amb):' /proc/self/status | cut -f2").await;

    let sets: Vec<u64> = stdout
        .lines()
        .map(|set| u64::from_str_radix(set, 16).unwrap())
        .collect();
    assert_eq!(sets.len(), 4);
    assert!(sets.iter().all(|set| set & !0b110 == 0), "{stdout}");
}

#[tokio::test]
async fn the_host_is_not_ended() {
    let mut sleeper = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    let scratch = place();

    for script in [
        format!("kill -9 {}", sleeper.id()),
        format!("kill -TERM {}", std::process::id()),
        "kill -9 $PPID".to_owned(),
    ] {
        let output = run(&confined(&scratch), &script).await.unwrap();
        assert_ne!(output.exit_code, Some(0), "{script}");
    }
    assert_eq!(sleeper.try_wait().unwrap(), None);

    let output = run(&engine(&scratch), &format!("kill -9 {}", sleeper.id()))
        .await
        .unwrap();
    assert_eq!(output.exit_code, Some(0));
    sleeper.wait().unwrap();
}

#[tokio::test]
async fn processes_of_a_call_may_be_ended_by_it() {
    allowed("sleep 60 & kill $!; wait $!; [ $? = 143 ]").await;
}

#[tokio::test]
async fn the_memory_of_the_host_is_not_read_or_written() {
    refused("head -c 0 /proc/$PPID/mem").await;
    refused("exec 3<>/proc/$PPID/mem").await;
}

#[tokio::test]
async fn the_environment_and_the_descriptors_of_the_host_are_not_seen() {
    refused("cat /proc/$PPID/environ > /dev/null").await;
    refused("readlink /proc/$PPID/fd/0").await;
    refused("readlink /proc/$PPID/cwd").await;
}

#[tokio::test]
async fn the_limits_of_the_host_are_not_lowered() {
    refused("prlimit --pid $PPID --core=0:0").await;
    allowed("ulimit -n 100; [ $(ulimit -n) = 100 ]").await;
}

#[tokio::test]
async fn no_namespace_is_made() {
    refused("unshare --user true").await;
    if rustix::process::geteuid().is_root() {
        for kind in ["mount", "net", "pid", "uts", "ipc", "cgroup", "time"] {
            refused(&format!("unshare --{kind} true")).await;
        }
    }
}

#[tokio::test]
async fn nothing_is_mounted() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    refused("mkdir m && unshare --mount sh -c 'mount -t tmpfs none m'").await;
    let scratch = place();
    let output = run(&confined(&scratch), "mkdir m && mount -t tmpfs none m")
        .await
        .unwrap();
    assert_ne!(output.exit_code, Some(0));
}

#[tokio::test]
async fn a_session_of_its_own_is_no_way_out() {
    refused("setsid -w sh -c 'echo evil > ../outside/b.txt'").await;
    refused(
        "(setsid sh -c 'echo evil > ../outside/b.txt' &); sleep 0.2; grep -q evil ../outside/b.txt",
    )
    .await;
}

#[tokio::test]
async fn a_program_may_confine_itself_further() {
    allowed("setpriv --no-new-privs true").await;
}
