//! Conversion of schemas to the formats of providers, as a sequence of small passes.
//!
//! The `tools.rs` of each provider selects its passes. A pass receives the marked schema of
//! `prepared`, or one object of it, and records the losses.

mod all_of;
mod alternatives;
mod bounds;
mod describe;
mod keys;
mod limits;
mod losses;
mod measure;
mod merge;
mod modernize;
mod nulls;
mod one_of;
mod origin;
mod patterns;
mod refs;
mod root;
mod strict;
mod subset;
mod tuples;
mod types;
mod validate;
mod values;
mod walk;

pub(crate) use all_of::merge_all_of;
pub(crate) use alternatives::merge_alternatives;
pub(crate) use bounds::drop_large_bounds;
pub(crate) use describe::{append, describe};
pub(crate) use keys::rename_keys;
pub(crate) use limits::{StrictLimits, check_strict_limits};
pub(crate) use losses::Losses;
pub(crate) use measure::measure;
pub(crate) use nulls::strip_added_nulls;
pub(crate) use one_of::weaken_one_of;
pub(crate) use origin::unmark;
pub(crate) use patterns::{
    ANTHROPIC_FORMATS, OPENAI_FORMATS, describe_format, describe_hard_pattern, include_bounds,
};
pub(crate) use refs::{
    drop_dangling, drop_dangling_local, hoist, inline, is_recursive, relax_recursion,
};
pub(crate) use root::{drop_from_root, root_object};
pub(crate) use strict::{close, isolate_reference, require_all, require_rules};
pub(crate) use subset::{drop_conditions, drop_impossible, keep_only, order_known, require_known};
pub(crate) use tuples::{bound_tuple, flatten_tuple, require_items};
pub(crate) use types::{
    clear_beside_any_of, infer_type, null_branch_to_nullable, null_to_nullable, single_type,
    type_into_branches, type_of_contents,
};
pub(crate) use validate::validated;
pub(crate) use values::{const_to_enum, describe_values, null_value_to_branch, type_of_values};
pub(crate) use walk::{for_each_child_mut, inner_first, outer_first, visit_all};

use serde_json::Value;

use crate::Object;

/// Returns the schema with the origin of each object and without legacy keywords.
pub(crate) fn modernized(given: &Value) -> Value {
    let mut schema = origin::mark(given);
    modernize::modernize(&mut schema);
    schema
}

/// Removes conditions and impossible alternatives, and expresses `oneOf` and tuples with keywords that most providers
/// support.
pub(crate) fn simplify(object: &mut Object, losses: &mut Losses) {
    drop_conditions(object, losses);
    drop_impossible(object, losses);
    weaken_one_of(object, losses);
    flatten_tuple(object, losses);
    bound_tuple(object);
}
