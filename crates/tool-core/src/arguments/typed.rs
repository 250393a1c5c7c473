//! Typed input of a call, and arguments renamed by a presentation.

use std::any::Any;

use serde_json::Value;
use tool_json::{Added, Addition};

use super::Arguments;
use crate::ToolError;

impl Arguments<'_> {
    /// Passes the typed input to `read_input`. The input is read once and kept for the next call of this
    /// method or [`Arguments::input`].
    ///
    /// # Errors
    /// Returns the error of `read`.
    pub(crate) fn with_input<I: Any + Send, R>(
        &self,
        read: impl FnOnce(&Self) -> Result<I, ToolError>,
        read_input: impl FnOnce(&I) -> R,
    ) -> Result<R, ToolError> {
        let input = self.boxed_input(read)?;
        let output = read_input(&input);
        self.memo.keep(input);
        Ok(output)
    }

    fn boxed_input<I: Any>(
        &self,
        read: impl FnOnce(&Self) -> Result<I, ToolError>,
    ) -> Result<Box<I>, ToolError> {
        match self.memo.take() {
            Some(input) => Ok(input),
            None => Ok(Box::new(read(self)?)),
        }
    }

    /// Returns the kept input, or reads it.
    ///
    /// # Errors
    /// Returns the error of `read`.
    pub(crate) fn input<I: Any>(
        &self,
        read: impl FnOnce(&Self) -> Result<I, ToolError>,
    ) -> Result<I, ToolError> {
        self.memo
            .take()
            .map_or_else(|| read(self), |input| Ok(*input))
    }

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
