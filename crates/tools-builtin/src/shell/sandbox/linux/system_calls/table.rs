//! System calls that are always rejected.

use libc::c_long;

/// Access to other processes.
const PROCESSES: [c_long; 6] = [
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
];

/// Calls that bypass the other rules.
// `io_uring` performs other calls inside the kernel, where no filter sees them; handles open files without a path.
const DETOURS: [c_long; 9] = [
    libc::SYS_bpf,
    libc::SYS_fanotify_init,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_setns,
    libc::SYS_userfaultfd,
];

/// User and session keyrings.
const KEYS: [c_long; 3] = [libc::SYS_add_key, libc::SYS_keyctl, libc::SYS_request_key];

/// Changes of the file system layout.
const MOUNTS: [c_long; 12] = [
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_umount2,
    // open_tree_attr, which the libc crate does not define yet.
    467,
];

/// System administration.
const SYSTEM: [c_long; 17] = [
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_vhangup,
];

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE_SPECIFIC: [c_long; 4] = [
    libc::SYS_ioperm,
    libc::SYS_iopl,
    libc::SYS_kexec_file_load,
    libc::SYS_modify_ldt,
];
#[cfg(not(target_arch = "x86_64"))]
const ARCHITECTURE_SPECIFIC: [c_long; 1] = [
    // kexec_file_load
    294,
];

/// Changes of file attributes other than modes; rejected if attributes are frozen.
const ATTRIBUTES: [c_long; 14] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
    libc::SYS_utimensat,
    // setxattrat and removexattrat, which the libc crate does not define yet.
    463,
    466,
];

#[cfg(target_arch = "x86_64")]
const OLD_ATTRIBUTES: [c_long; 6] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_futimesat,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_ATTRIBUTES: [c_long; 0] = [];

/// `file_setattr`, which the libc crate does not define yet.
pub(super) const FILE_SETATTR: c_long = 469;

/// Returns all calls that are always rejected.
pub(super) fn forbidden() -> impl Iterator<Item = c_long> {
    let common = PROCESSES
        .into_iter()
        .chain(DETOURS)
        .chain(KEYS)
        .chain(MOUNTS)
        .chain(SYSTEM);
    common.chain(ARCHITECTURE_SPECIFIC).chain([FILE_SETATTR])
}

/// Returns all calls that change file attributes.
pub(super) fn attributes() -> impl Iterator<Item = c_long> {
    ATTRIBUTES.into_iter().chain(OLD_ATTRIBUTES)
}

/// Returns the calls that change a file mode, with the index of the mode argument.
pub(super) fn modes() -> impl Iterator<Item = (c_long, u8)> {
    [
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, 1),
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (libc::SYS_fchmodat2, 2),
    ]
    .into_iter()
}
