//! Which system calls fail for a program.

mod rules;
mod table;

use std::env::consts::ARCH;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, sock_filter};

use crate::shell::sandbox::{Sandbox, SandboxUnavailable};

// Instructions and offsets of the kernel's `linux/bpf_common.h` and `linux/seccomp.h`.
const LOAD_WORD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;
const NUMBER_OFFSET: u32 = 0;
const RETURN_ERROR: u32 = 0x0005_0000;

/// From here on, numbers mean the calls of another interface (x32), which may be there as well.
const OTHER_INTERFACE: u32 = 0x4000_0000;

/// The filter that `sandbox` asks for. Calls that match fail with `EPERM`; nobody is killed, so that programs can say
/// what they lack.
pub(super) fn filter(sandbox: &Sandbox) -> Result<BpfProgram, SandboxUnavailable> {
    let refused = SandboxUnavailable::refused;
    let architecture = TargetArch::try_from(ARCH).map_err(refused)?;
    let filter = SeccompFilter::new(
        rules::of(sandbox).map_err(refused)?,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        architecture,
    )
    .map_err(refused)?;
    let mut program = unknown_calls();
    program.extend(BpfProgram::try_from(filter).map_err(refused)?);
    Ok(program)
}

/// Calls that look as if the kernel had none of them: programs then fall back to what can be judged.
fn unknown_calls() -> BpfProgram {
    let clone3 = u32::try_from(libc::SYS_clone3).unwrap_or(OTHER_INTERFACE);
    vec![
        instruction(LOAD_WORD, 0, 0, NUMBER_OFFSET),
        instruction(JUMP_IF_AT_LEAST, 1, 0, OTHER_INTERFACE),
        // Its flags lie in memory, where no filter can read them.
        instruction(JUMP_IF_EQUAL, 0, 1, clone3),
        instruction(RETURN, 0, 0, RETURN_ERROR | libc::ENOSYS.unsigned_abs()),
    ]
}

fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}
