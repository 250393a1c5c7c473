//! What a plan says about files and other resources.

use super::CallPlan;
use crate::touches::{Touched, normalized};

impl CallPlan {
    /// Adds a file or directory that the call reads. A directory covers what is below it.
    pub fn reads(self, path: impl Into<String>) -> Self {
        self.touching(|touched| touched.reads.push(normalized(path.into())))
    }

    /// Adds a file or directory that the call writes. A directory covers what is below it.
    pub fn writes(self, path: impl Into<String>) -> Self {
        self.touching(|touched| touched.writes.push(normalized(path.into())))
    }

    /// Adds a directory in which the call may write anything, such as the root for a command. Writes and other such calls
    /// wait for it; reads do not, because a build that takes minutes must not keep the model from reading.
    pub fn may_write(self, directory: impl Into<String>) -> Self {
        self.touching(|touched| touched.may_write.push(normalized(directory.into())))
    }

    /// Adds a resource other than a file, such as `mailbox`, which only one call uses at a time.
    pub fn uses(self, resource: impl Into<String>) -> Self {
        self.touching(|touched| touched.uses.push(resource.into()))
    }

    /// Requires that no other call of the registry runs at the same time.
    pub fn exclusive(self) -> Self {
        self.touching(|touched| touched.exclusive = true)
    }

    fn touching(mut self, add: impl FnOnce(&mut Touched)) -> Self {
        add(self.touches.touched());
        self
    }
}
