//! Typed input, kept from one step of a call to the next.

use std::any::Any;
use std::sync::{Mutex, PoisonError};

/// Last input, of any type.
#[derive(Default)]
pub(super) struct Memo(Mutex<Option<Box<dyn Any + Send>>>);

impl Memo {
    pub(super) fn take<T: Any>(&self) -> Option<Box<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept?.downcast().ok()
    }

    pub(super) fn keep<T: Any + Send>(&self, read: Box<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
    }
}

impl Clone for Memo {
    /// A copy starts empty, because the input may not implement `Clone`.
    fn clone(&self) -> Self {
        Self::default()
    }
}
