//! Conversion of schemas to the formats of providers, as a sequence of small passes.
//!
//! Each provider selects its passes. A pass receives the marked schema that [`modernized`] returns, or one object of it,
//! and records the losses.

mod alternatives;
mod describe;
mod keys;
mod limits;
mod losses;
mod merge;
mod modernize;
mod nulls;
mod origin;
mod refs;
mod root;
mod simplify;
mod strict;
mod subset;
mod types;
mod validate;
mod values;
mod walk;

use serde_json::Value;

pub(crate) use describe::{append, describe};
pub(crate) use keys::rename_keys;
pub(crate) use limits::{StrictLimits, check_strict_limits, drop_large_bounds, measure};
pub(crate) use losses::Losses;
pub(crate) use merge::{merge_all_of, one_or_list};
pub(crate) use nulls::strip_added_nulls;
pub(crate) use origin::{mark, unmark};
pub(crate) use refs::{
    drop_dangling, drop_dangling_pointers, hoist, inline, is_recursive, relax_recursion,
};
pub(crate) use root::{drop_from_root, merge_alternatives, root_object};
pub(crate) use simplify::{bound_tuple, flatten_tuple, require_items, simplify, weaken_one_of};
pub(crate) use strict::{close, isolate_reference, require_all, require_rules};
pub(crate) use subset::{drop_conditions, drop_impossible, keep_only, order_known, require_known};
pub(crate) use types::{
    clear_beside_any_of, infer_type, null_branch_to_nullable, null_to_nullable, single_type,
    type_into_branches, type_of_contents,
};
pub(crate) use validate::{ensure_valid, validated};
pub(crate) use values::{
    ANTHROPIC_FORMATS, OPENAI_FORMATS, const_to_enum, describe_format, describe_hard_pattern,
    describe_values, include_bounds, null_value_to_branch, type_of_values,
};
pub(crate) use walk::{for_each_child_mut, inner_first, outer_first, visit_all};

/// Returns the schema with the origin of each object and without legacy keywords.
pub(crate) fn modernized(given: &Value) -> Value {
    let mut schema = origin::mark(given);
    modernize::modernize(&mut schema);
    schema
}
