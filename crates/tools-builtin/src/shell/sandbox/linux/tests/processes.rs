//! Privileges and access to other processes.

use super::*;
use crate::shell::environment::Environment;
use crate::shell::program::{Invocation, Program};
use crate::shell::sandbox::linux::thread::{own_entry, wait_until_gone};
use crate::shell::sandbox::linux::{State, start};
use crate::shell::sandbox::{ConfinedCall, Effects};

#[test]
fn waits_until_a_thread_is_gone() {
    let (sender, entry) = std::sync::mpsc::channel();
    let start = std::time::Instant::now();
    let alive = std::time::Duration::from_millis(200);
    let thread = std::thread::spawn(move || {
        sender.send(own_entry()).unwrap();
        std::thread::sleep(alive);
    });
    let entry = entry.recv().unwrap().unwrap();
    assert!(entry.exists());

    wait_until_gone(Some(&entry)).unwrap();

    assert!(start.elapsed() >= alive && !entry.exists());
    thread.join().unwrap();
}

#[test]
fn every_confined_program_is_held() {
    let scratch = fixture();
    let workspace = Workspace::open(scratch.path().join("root")).unwrap();
    let (sandbox, state) = (Sandbox::standard(), State::default());
    for in_background in [false, true] {
        for effects in [Effects::None, Effects::GitSettings, Effects::Any] {
            let confined = ConfinedCall {
                sandbox: &sandbox,
                workspace: &workspace,
                has_grants: false,
                effects,
            };
            let program = Program {
                invocation: Invocation::Line("true".to_owned()),
                directory: scratch.path().join("root"),
                environment: Environment::of_host(),
                memory_limit: None,
                in_background,
                is_held: false,
                containment: process_tree::ProcessTrees::prepare(),
            };
            let (sender, held) = std::sync::mpsc::channel();

            let started = start(confined, &state, program, move |program| {
                sender.send(program.is_held).unwrap();
                Err(ToolError::failed("Not started"))
            });

            assert!(started.is_err());
            assert!(held.recv().unwrap(), "{effects:?}");
        }
    }
}

#[tokio::test]
async fn sets_no_new_privs_and_seccomp() {
    let stdout = assert_allowed("grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status").await;

    assert_eq!(stdout, "NoNewPrivs:\t1\nSeccomp:\t2\n");
}

#[tokio::test]
async fn root_keeps_only_file_capabilities() {
    let stdout =
        assert_allowed("grep -E '^Cap(Inh|Prm|Eff|Amb):' /proc/self/status | cut -f2").await;

    let sets: Vec<u64> = stdout
        .lines()
        .map(|set| u64::from_str_radix(set, 16).unwrap())
        .collect();
    assert_eq!(sets.len(), 4);
    assert!(sets.iter().all(|set| set & !0b110 == 0), "{stdout}");
}

#[tokio::test]
async fn rejects_signals_to_host() {
    let mut sleeper = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    let scratch = fixture();

    for script in [
        format!("kill -9 {}", sleeper.id()),
        format!("kill -TERM {}", std::process::id()),
        "kill -9 $PPID".to_owned(),
    ] {
        let output = run(&confined(&scratch), &script).await.unwrap();
        assert_ne!(output.exit_code, Some(0), "{script}");
    }
    assert_eq!(sleeper.try_wait().unwrap(), None);

    let output = run(&tool(&scratch), &format!("kill -9 {}", sleeper.id()))
        .await
        .unwrap();
    assert_eq!(output.exit_code, Some(0));
    sleeper.wait().unwrap();
}

#[tokio::test]
async fn allows_signals_within_call() {
    assert_allowed("sleep 60 & kill $!; wait $!; [ $? = 143 ]").await;
}

#[tokio::test]
async fn rejects_access_to_host_memory() {
    assert_rejected("head -c 0 /proc/$PPID/mem").await;
    assert_rejected("exec 3<>/proc/$PPID/mem").await;
}

#[tokio::test]
async fn rejects_reading_host_environ_and_descriptors() {
    assert_rejected("cat /proc/$PPID/environ > /dev/null").await;
    assert_rejected("readlink /proc/$PPID/fd/0").await;
    assert_rejected("readlink /proc/$PPID/cwd").await;
}

#[tokio::test]
async fn rejects_changing_host_limits() {
    assert_rejected("prlimit --pid $PPID --core=0:0").await;
    assert_allowed("ulimit -n 100; [ $(ulimit -n) = 100 ]").await;
}

#[tokio::test]
async fn rejects_unshare() {
    assert_rejected("unshare --user true").await;
    if rustix::process::geteuid().is_root() {
        for kind in ["mount", "net", "pid", "uts", "ipc", "cgroup", "time"] {
            assert_rejected(&format!("unshare --{kind} true")).await;
        }
    }
}

#[tokio::test]
async fn rejects_mounting() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    assert_rejected("mkdir m && unshare --mount sh -c 'mount -t tmpfs none m'").await;
    let scratch = fixture();
    let output = run(&confined(&scratch), "mkdir m && mount -t tmpfs none m")
        .await
        .unwrap();
    assert_ne!(output.exit_code, Some(0));
}

#[tokio::test]
async fn new_session_stays_confined() {
    assert_rejected("setsid -w sh -c 'echo evil > ../outside/b.txt'").await;
    assert_rejected(
        "(setsid sh -c 'echo evil > ../outside/b.txt' &); sleep 0.2; grep -q evil ../outside/b.txt",
    )
    .await;
}

#[tokio::test]
async fn allows_nested_restrictions() {
    assert_allowed("setpriv --no-new-privs true").await;
}
