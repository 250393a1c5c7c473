//! JSON pointers that are formatted only when reported.

use std::fmt;

/// Position in the arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pointer<'p> {
    Root,
    Member(&'p Pointer<'p>, &'p str),
    Item(&'p Pointer<'p>, usize),
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(parent, name) => {
                write!(f, "{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
            }
            Self::Item(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_json_pointer() {
        let items = Pointer::Member(&Pointer::Root, "a/b");
        let item = Pointer::Item(&items, 2);

        assert_eq!(Pointer::Member(&item, "~x").to_string(), "/a~1b/2/~0x");
    }
}
