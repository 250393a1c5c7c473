//! Enforced restrictions, for the metadata of a result.

use landlock::ABI;
use serde_json::{Value, json};

use super::kernel::Kernel;
use crate::shell::sandbox::{Attributes, Sandbox};

/// Returns the restrictions for programs in `sandbox` on `kernel`.
pub(super) fn enforced(sandbox: &Sandbox, kernel: Kernel) -> Value {
    let abi = kernel.abi().unwrap_or(ABI::Unsupported);
    let refused = |refused: bool| if refused { "refused" } else { "open" };
    json!({
        "enforced": true,
        "landlock_abi": abi as i32,
        "reads": if sandbox.readable.is_some() { "listed" } else { "everything" },
        "writes": if sandbox.granted.is_empty() { "workspace" } else { "workspace_and_granted" },
        "private_tmp": true,
        "network": refused(!sandbox.network),
        "local_services": refused(!sandbox.network && !sandbox.local_services),
        "signals": refused(abi >= ABI::V6),
        "devices": refused(abi >= ABI::V5),
        "attributes": match sandbox.attributes {
            Attributes::Guarded => "guarded",
            Attributes::Frozen => "frozen",
            Attributes::Free => "free",
        },
        "protected": if sandbox.strict { "enforced" } else { "restored" },
        "new_privileges": "refused",
    })
}
