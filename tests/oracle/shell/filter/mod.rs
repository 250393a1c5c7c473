//! What the parser stands on, under the names it has there, and its outline of a text.

#[path = "../../../../crates/tools-builtin/src/shell/filter/limits.rs"]
#[expect(dead_code, reason = "only the limits of the parser are needed")]
mod limits;
#[path = "../../../../crates/tools-builtin/src/shell/filter/parse/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "texts of `printf` are decoded by the filter alone"
)]
mod parse;
#[path = "../../../../crates/tools-builtin/src/shell/filter/syntax.rs"]
#[expect(dead_code, reason = "what the filter asks of a tree is not asked here")]
mod syntax;
#[path = "../../../../crates/tools-builtin/src/shell/filter/value.rs"]
#[expect(dead_code, reason = "only the mark for unknown text is needed")]
mod value;

mod reading;

pub(crate) use reading::outline;
