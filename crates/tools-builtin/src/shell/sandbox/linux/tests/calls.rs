//! System calls that fail. Each is made with arguments that do nothing, and tried unconfined as well.

use super::*;

/// Makes the call with `arguments` and prints the number of the error, in a process of its own.
async fn errors(engine: &RunCommand, call: i64, arguments: &str) -> String {
    let code = format!("my $r = syscall({call}, {arguments}); print $r == -1 ? $! + 0 : 0");
    let input = json!({"command": "perl", "arguments": ["-e", code]});
    let input = serde_json::from_value(input).unwrap();
    let output = engine
        .run(&ToolContext::test(), input, &Limits::default())
        .await
        .unwrap();
    assert_eq!(output.exit_code, Some(0), "{call}: {output:?}");
    output.stdout
}

/// Whether the call is refused in a sandbox, and reached without one.
async fn is_refused(name: &str, call: i64, arguments: &str) {
    let scratch = place();
    let bound = errors(&confined(&scratch), call, arguments).await;
    assert_eq!(bound, libc::EPERM.to_string(), "{name} is not refused");
    // What only root may try fails in the same way without a sandbox for others.
    if rustix::process::geteuid().is_root() {
        let free = errors(&engine(&scratch), call, arguments).await;
        assert_ne!(free, bound, "{name} is refused anyway");
    }
}

#[tokio::test]
async fn other_processes_are_not_looked_into() {
    is_refused("ptrace", libc::SYS_ptrace, "16, 0, 0, 0").await;
    is_refused(
        "process_vm_readv",
        libc::SYS_process_vm_readv,
        "0, 0, 0, 0, 0, 0",
    )
    .await;
    is_refused(
        "process_vm_writev",
        libc::SYS_process_vm_writev,
        "0, 0, 0, 0, 0, 0",
    )
    .await;
    is_refused("pidfd_getfd", libc::SYS_pidfd_getfd, "-1, 0, 0").await;
    is_refused(
        "perf_event_open",
        libc::SYS_perf_event_open,
        "0, 0, 0, -1, 0",
    )
    .await;
    is_refused("kcmp", libc::SYS_kcmp, "0, 0, 0, 0, 0").await;
}

#[tokio::test]
async fn nothing_goes_around_the_filter() {
    is_refused("io_uring_setup", libc::SYS_io_uring_setup, "0, 0").await;
    is_refused(
        "io_uring_enter",
        libc::SYS_io_uring_enter,
        "-1, 0, 0, 0, 0, 0",
    )
    .await;
    is_refused("bpf", libc::SYS_bpf, "-1, 0, 0").await;
    is_refused("userfaultfd", libc::SYS_userfaultfd, "-1").await;
    is_refused("setns", libc::SYS_setns, "-1, 0").await;
    is_refused("open_by_handle_at", libc::SYS_open_by_handle_at, "-1, 0, 0").await;
}

#[tokio::test]
async fn keys_are_out_of_reach() {
    is_refused("keyctl", libc::SYS_keyctl, "-1, 0, 0, 0, 0").await;
    is_refused("add_key", libc::SYS_add_key, "0, 0, 0, 0, 0").await;
    is_refused("request_key", libc::SYS_request_key, "0, 0, 0, 0").await;
}

#[tokio::test]
async fn mounts_stay_as_they_are() {
    is_refused("mount", libc::SYS_mount, "0, 0, 0, 0, 0").await;
    is_refused("umount2", libc::SYS_umount2, "0, 0").await;
    is_refused("pivot_root", libc::SYS_pivot_root, "0, 0").await;
    is_refused("chroot", libc::SYS_chroot, "0").await;
    is_refused("open_tree", libc::SYS_open_tree, "-1, 0, 0").await;
    is_refused("fsopen", libc::SYS_fsopen, "0, 0").await;
    is_refused("move_mount", libc::SYS_move_mount, "-1, 0, -1, 0, 0").await;
}

#[tokio::test]
async fn the_system_as_a_whole_is_left_alone() {
    // The first argument of reboot is not its magic number, and no module is named.
    is_refused("reboot", libc::SYS_reboot, "0, 0, 0, 0").await;
    is_refused("init_module", libc::SYS_init_module, "0, 0, 0").await;
    is_refused("finit_module", libc::SYS_finit_module, "-1, 0, 0").await;
    is_refused("delete_module", libc::SYS_delete_module, "0, 0").await;
    is_refused("kexec_load", libc::SYS_kexec_load, "0, 999, 0, -1").await;
    is_refused("swapon", libc::SYS_swapon, "0, 0").await;
    is_refused("settimeofday", libc::SYS_settimeofday, "1, 0").await;
}

#[tokio::test]
async fn namespaces_are_refused_and_the_call_that_hides_its_flags_seems_missing() {
    let scratch = place();
    let clone = errors(
        &confined(&scratch),
        libc::SYS_clone,
        "0x10000000, 0, 0, 0, 0",
    )
    .await;
    let clone3 = errors(&confined(&scratch), libc::SYS_clone3, "0, 0").await;

    assert_eq!((clone.as_str(), clone3), ("1", libc::ENOSYS.to_string()));
    is_refused("unshare", libc::SYS_unshare, "0x10000000 | 0x100").await;
}

#[tokio::test]
async fn calls_of_another_interface_seem_missing() {
    let scratch = place();

    let errors = errors(&confined(&scratch), 0x4000_0000 + libc::SYS_getpid, "0").await;

    assert_eq!(errors, libc::ENOSYS.to_string());
}

#[tokio::test]
async fn text_is_not_typed_into_a_terminal_and_files_are_not_made_unchangeable() {
    is_refused("TIOCSTI", libc::SYS_ioctl, "0, 0x5412, 0").await;
    is_refused("TIOCLINUX", libc::SYS_ioctl, "0, 0x541C, 0").await;
    is_refused("FS_IOC_SETFLAGS", libc::SYS_ioctl, "0, 0x40086602, 0").await;
    is_refused("FS_IOC_FSSETXATTR", libc::SYS_ioctl, "0, 0x401C5820, 0").await;
}
