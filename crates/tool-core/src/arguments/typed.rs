//! Arguments renamed by a presentation.

use serde_json::Value;
use tool_json::{Added, Addition};

use super::Arguments;

impl Arguments<'_> {
    /// Returns the members renamed by `name`, without those for which it returns `None`, and with
    /// `added`. All names must be unique.
    pub(crate) fn renamed<'s>(
        &'s self,
        name: impl Fn(&'s str) -> Option<&'s str>,
        added: impl Iterator<Item = (&'s str, &'s Value)>,
    ) -> Arguments<'s> {
        let mut renamed = Arguments::of_tape("", self.tape.renamed(name));
        let additions = added.map(|(key, value)| Addition {
            object: 0,
            key,
            value: Added::Value(value),
        });
        renamed.add(additions.collect());
        renamed
    }
}
