//! Limits of the process that reads a document: it computes, reads its input and writes its output, and nothing else.

use std::env::consts::ARCH;
use std::error::Error;

use libc::c_long;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};

const MAX_MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
const MAX_CPU_SECONDS: u64 = 10;

/// System calls of a program that has one thread and opens nothing. All others fail: there is no way to open a file or a
/// socket, or to start a process.
const ALLOWED: [c_long; 20] = [
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getrandom,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_read,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_yield,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Confines this process.
///
/// # Errors
/// Fails if the system can't enforce all limits; then nothing may be read.
pub(super) fn confine() -> Result<(), Box<dyn Error>> {
    limit(Resource::As, MAX_MEMORY_BYTES)?;
    limit(Resource::Cpu, MAX_CPU_SECONDS)?;
    limit(Resource::Core, 0)?;
    let rules = ALLOWED.into_iter().map(|call| (call, Vec::new()));
    let filter = SeccompFilter::new(
        rules.collect(),
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        SeccompAction::Allow,
        TargetArch::try_from(ARCH)?,
    )?;
    Ok(apply_filter(&BpfProgram::try_from(filter)?)?)
}

/// Lowers a limit for good.
fn limit(resource: Resource, most: u64) -> rustix::io::Result<()> {
    let inherited = getrlimit(resource);
    let limits = [inherited.current, inherited.maximum].into_iter().flatten();
    let most = Some(limits.fold(most, u64::min));
    setrlimit(
        resource,
        Rlimit {
            current: most,
            maximum: most,
        },
    )
}
