//! Sandboxing of programs by the operating system.

mod confinement;
#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
mod linux;
mod policy;
mod toolchains;
mod unavailable;
#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
mod unsupported;

pub(crate) use confinement::Confinement;
#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
use linux as system;
use policy::ConfinedCall;
pub use policy::{Attributes, Sandbox};
pub use unavailable::SandboxUnavailable;
#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
use unsupported as system;
