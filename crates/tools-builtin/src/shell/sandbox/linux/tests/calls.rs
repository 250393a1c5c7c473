//! Rejected system calls, with arguments that have no effect and compared with an unconfined call.

use super::*;

/// Makes the call in a Perl process and returns the `errno`.
async fn errors(tool: &Bash, call: i64, arguments: &str) -> String {
    let code = format!("my $r = syscall({call}, {arguments}); print $r == -1 ? $! + 0 : 0");
    let input = json!({"command": format!("perl -e '{code}'")});
    let input = serde_json::from_value(input).unwrap();
    let output = tool.run(&ToolContext::test(), input).await.unwrap();
    assert_eq!(output.exit_code, Some(0), "{call}: {output:?}");
    output.stdout
}

/// Asserts that the call is rejected in a sandbox and not rejected without one.
async fn assert_call_rejected(name: &str, call: i64, arguments: &str) {
    let scratch = fixture();
    let bound = errors(&confined(&scratch), call, arguments).await;
    assert_eq!(bound, libc::EPERM.to_string(), "{name} is not rejected");
    // Without root, privileged calls fail with the same error.
    if rustix::process::geteuid().is_root() {
        let free = errors(&tool(&scratch), call, arguments).await;
        assert_ne!(free, bound, "{name} is rejected unconfined");
    }
}

#[tokio::test]
async fn rejects_access_to_other_processes() {
    assert_call_rejected("ptrace", libc::SYS_ptrace, "16, 0, 0, 0").await;
    assert_call_rejected(
        "process_vm_readv",
        libc::SYS_process_vm_readv,
        "0, 0, 0, 0, 0, 0",
    )
    .await;
    assert_call_rejected(
        "process_vm_writev",
        libc::SYS_process_vm_writev,
        "0, 0, 0, 0, 0, 0",
    )
    .await;
    assert_call_rejected("pidfd_getfd", libc::SYS_pidfd_getfd, "-1, 0, 0").await;
    assert_call_rejected(
        "perf_event_open",
        libc::SYS_perf_event_open,
        "0, 0, 0, -1, 0",
    )
    .await;
    assert_call_rejected("kcmp", libc::SYS_kcmp, "0, 0, 0, 0, 0").await;
}

#[tokio::test]
async fn rejects_filter_bypasses() {
    assert_call_rejected("io_uring_setup", libc::SYS_io_uring_setup, "0, 0").await;
    assert_call_rejected(
        "io_uring_enter",
        libc::SYS_io_uring_enter,
        "-1, 0, 0, 0, 0, 0",
    )
    .await;
    assert_call_rejected("bpf", libc::SYS_bpf, "-1, 0, 0").await;
    assert_call_rejected("userfaultfd", libc::SYS_userfaultfd, "-1").await;
    assert_call_rejected("setns", libc::SYS_setns, "-1, 0").await;
    assert_call_rejected("open_by_handle_at", libc::SYS_open_by_handle_at, "-1, 0, 0").await;
}

#[tokio::test]
async fn rejects_keyrings() {
    assert_call_rejected("keyctl", libc::SYS_keyctl, "-1, 0, 0, 0, 0").await;
    assert_call_rejected("add_key", libc::SYS_add_key, "0, 0, 0, 0, 0").await;
    assert_call_rejected("request_key", libc::SYS_request_key, "0, 0, 0, 0").await;
}

#[tokio::test]
async fn rejects_mount_changes() {
    assert_call_rejected("mount", libc::SYS_mount, "0, 0, 0, 0, 0").await;
    assert_call_rejected("umount2", libc::SYS_umount2, "0, 0").await;
    assert_call_rejected("pivot_root", libc::SYS_pivot_root, "0, 0").await;
    assert_call_rejected("chroot", libc::SYS_chroot, "0").await;
    assert_call_rejected("open_tree", libc::SYS_open_tree, "-1, 0, 0").await;
    assert_call_rejected("fsopen", libc::SYS_fsopen, "0, 0").await;
    assert_call_rejected("move_mount", libc::SYS_move_mount, "-1, 0, -1, 0, 0").await;
}

#[tokio::test]
async fn rejects_system_administration() {
    // `reboot` requires a magic number as its first argument, and no module is named.
    assert_call_rejected("reboot", libc::SYS_reboot, "0, 0, 0, 0").await;
    assert_call_rejected("init_module", libc::SYS_init_module, "0, 0, 0").await;
    assert_call_rejected("finit_module", libc::SYS_finit_module, "-1, 0, 0").await;
    assert_call_rejected("delete_module", libc::SYS_delete_module, "0, 0").await;
    assert_call_rejected("kexec_load", libc::SYS_kexec_load, "0, 999, 0, -1").await;
    assert_call_rejected("swapon", libc::SYS_swapon, "0, 0").await;
    assert_call_rejected("settimeofday", libc::SYS_settimeofday, "1, 0").await;
}

#[tokio::test]
async fn rejects_namespaces_and_hides_clone3() {
    let scratch = fixture();
    let clone = errors(
        &confined(&scratch),
        libc::SYS_clone,
        "0x10000000, 0, 0, 0, 0",
    )
    .await;
    let clone3 = errors(&confined(&scratch), libc::SYS_clone3, "0, 0").await;

    assert_eq!((clone.as_str(), clone3), ("1", libc::ENOSYS.to_string()));
    assert_call_rejected("unshare", libc::SYS_unshare, "0x10000000 | 0x100").await;
}

#[tokio::test]
async fn hides_x32_calls() {
    let scratch = fixture();

    let errors = errors(&confined(&scratch), 0x4000_0000 + libc::SYS_getpid, "0").await;

    assert_eq!(errors, libc::ENOSYS.to_string());
}

#[tokio::test]
async fn rejects_terminal_input_and_file_flag_requests() {
    assert_call_rejected("TIOCSTI", libc::SYS_ioctl, "0, 0x5412, 0").await;
    assert_call_rejected("TIOCLINUX", libc::SYS_ioctl, "0, 0x541C, 0").await;
    assert_call_rejected("FS_IOC_SETFLAGS", libc::SYS_ioctl, "0, 0x40086602, 0").await;
    assert_call_rejected("FS_IOC_FSSETXATTR", libc::SYS_ioctl, "0, 0x401C5820, 0").await;
}

#[tokio::test]
async fn extended_attributes_look_unsupported() {
    let scratch = fixture();
    for (name, call) in [
        ("setxattr", libc::SYS_setxattr),
        ("lsetxattr", libc::SYS_lsetxattr),
        ("fsetxattr", libc::SYS_fsetxattr),
        ("removexattr", libc::SYS_removexattr),
        ("setxattrat", 463),
        ("removexattrat", 466),
    ] {
        let bound = errors(&confined(&scratch), call, "-1, 0, 0, 0, 0").await;
        let free = errors(&tool(&scratch), call, "-1, 0, 0, 0, 0").await;

        assert_eq!(bound, libc::EOPNOTSUPP.to_string(), "{name}");
        assert_ne!(free, bound, "{name}");
    }
}
