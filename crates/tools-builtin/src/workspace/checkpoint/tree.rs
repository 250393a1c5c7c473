//! What a scan has found: a tree of entries with stamps and digests.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tool_json::text::hexadecimal;

use super::git::Tracked;
pub(super) use super::stamp::Stamp;
use crate::workspace::rules::Rules;

/// SHA-256 digest of a file's content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Digest(pub(super) [u8; 32]);

impl Digest {
    pub(super) fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// Returns the digest as [`digest_of`](crate::workspace::digest_of) writes it.
    pub(super) fn to_hexadecimal(self) -> String {
        hexadecimal(&self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hexadecimal())
    }
}

/// Directory with its entries, sorted by the bytes of their names.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) stamp: Stamp,
    pub(super) nodes: Vec<Node>,
    pub(super) rules: Option<Arc<Rules>>,
    pub(super) tracked: Option<Arc<Tracked>>,
    pub(super) is_ignored: bool,
    pub(super) is_output: bool,
}

impl Directory {
    pub(super) fn get(&self, name: &OsStr) -> Option<&Node> {
        let place = self.nodes.binary_search_by(|node| (*node.name).cmp(name));
        self.nodes.get(place.ok()?)
    }
}

/// Entry of a directory.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: OsString,
    pub(super) stamp: Stamp,
    /// Whether an equal stamp proves equal content.
    pub(super) settled: bool,
    pub(super) item: Item,
    /// Entries of a directory that is kept.
    pub(super) below: Option<Directory>,
}

impl Node {
    /// Returns the state for comparison and for a record.
    fn state(&self) -> State {
        State::of(self.item.clone(), &self.stamp)
    }

    fn nodes(&self) -> &[Node] {
        self.below.as_ref().map_or(&[], |below| &below.nodes)
    }
}

/// State of a path at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) item: Item,
    /// Permission bits; 0 for a symlink.
    pub(super) mode: u32,
}

/// Kind and content of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Item {
    Directory,
    /// Directory that is kept as a name only.
    Opaque,
    /// File whose content is kept.
    File(Digest),
    /// File whose content is not kept. It is recognized by what a change usually moves.
    Unkept {
        inode: u64,
        size: u64,
        modified: (i64, u32),
    },
    Link(OsString),
    /// FIFO, socket or device, with its mode.
    Other(u32),
}

impl Item {
    pub(super) fn unkept(stamp: &Stamp) -> Self {
        Self::Unkept {
            inode: stamp.inode,
            size: stamp.size,
            modified: stamp.modified,
        }
    }
}

impl State {
    pub(super) fn of(item: Item, stamp: &Stamp) -> Self {
        let mode = match item {
            // The mode of a symlink has no meaning.
            Item::Link(_) => 0,
            _ => stamp.permissions(),
        };
        Self { item, mode }
    }

    pub(super) fn is_directory(&self) -> bool {
        matches!(self.item, Item::Directory | Item::Opaque)
    }

    pub(super) fn digest(&self) -> Option<Digest> {
        match self.item {
            Item::File(digest) => Some(digest),
            _ => None,
        }
    }

    /// Returns whether the path can be made again, a directory that is kept as a name without what
    /// was in it.
    pub(super) fn is_restorable(&self) -> bool {
        !matches!(self.item, Item::Unkept { .. } | Item::Other(_))
    }

    /// Returns whether all of it is kept.
    pub(super) fn is_kept(&self) -> bool {
        self.is_restorable() && self.item != Item::Opaque
    }

    /// Returns whether both are the same. A directory counts as its name and mode, however much of
    /// it is kept.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self == other || self.is_directory() && other.is_directory() && self.mode == other.mode
    }
}

/// Difference between two states of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Change {
    /// The number of the root.
    pub(super) root: usize,
    /// Path beneath the root, as on disk.
    pub(super) path: OsString,
    /// State before the call; `None` if there was nothing.
    pub(super) before: Option<State>,
    /// State that the call left.
    pub(super) after: Option<State>,
}

impl Change {
    pub(super) fn path(&self) -> &Path {
        Path::new(&self.path)
    }
}

/// Adds the differences between two directories of `root`. A directory comes before its entries.
pub(super) fn compare(
    root: usize,
    path: &Path,
    before: &[Node],
    after: &[Node],
    changes: &mut Vec<Change>,
) {
    for (old, new) in pairs(before, after) {
        let Some(name) = old.or(new).map(|node| &node.name) else {
            return;
        };
        let below = path.join(name);
        let states = [old, new].map(|node| node.map(Node::state));
        let is_same = matches!(&states, [Some(old), Some(new)] if old.is_same(new));
        let [before, after] = states;
        if !is_same {
            changes.push(Change {
                root,
                path: below.clone().into_os_string(),
                before,
                after,
            });
        }
        // What such a directory holds is unknown on one side, so nothing can be said about it.
        let is_opaque = |node: &Node| node.item == Item::Opaque;
        if !old.is_some_and(is_opaque) && !new.is_some_and(is_opaque) {
            let [left, right] = [old, new].map(|node| node.map_or(&[][..], Node::nodes));
            compare(root, &below, left, right, changes);
        }
    }
}

/// Returns the entries of both directories by name.
fn pairs<'n>(
    before: &'n [Node],
    after: &'n [Node],
) -> impl Iterator<Item = (Option<&'n Node>, Option<&'n Node>)> {
    let (mut before, mut after) = (before.iter().peekable(), after.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (before.peek(), after.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.name.cmp(&new.name),
        };
        Some(match order {
            Ordering::Less => (before.next(), None),
            Ordering::Equal => (before.next(), after.next()),
            Ordering::Greater => (None, after.next()),
        })
    })
}
