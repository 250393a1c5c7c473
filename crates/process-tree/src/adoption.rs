//! Orphaned processes that become children of this process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io, process};

use rustix::process::{Pid, WaitId, WaitIdOptions, getpid, set_child_subreaper, waitid};

use crate::descendants::Entry;

static IS_ENABLED: AtomicBool = AtomicBool::new(false);

/// Leaders of the trees that exist, with their start times in clock ticks since boot, if known.
static LEADERS: Mutex<BTreeMap<u32, Option<u64>>> = Mutex::new(BTreeMap::new());

/// Makes this process the parent of orphaned descendants.
pub(crate) fn enable() -> io::Result<()> {
    // Check this first: a process that can't list its children would adopt orphans and never find them.
    children()?;
    set_child_subreaper(Some(getpid()))?;
    IS_ENABLED.store(true, Ordering::Relaxed);
    Ok(())
}

pub(crate) fn is_enabled() -> bool {
    IS_ENABLED.load(Ordering::Relaxed)
}

/// Tree whose leader is a child of this process, so that it is not treated as an orphan.
#[derive(Debug)]
pub(crate) struct Leader(u32);

impl Leader {
    pub(crate) fn new(id: u32) -> Self {
        // It may have exited already.
        let entry = is_enabled().then(|| Entry::read_any(id)).flatten();
        let started = entry.map(|entry| entry.started);
        leaders().insert(id, started);
        Self(id)
    }

    /// Returns the adopted orphans that only this tree can have started.
    pub(crate) fn orphans(&self) -> Vec<u32> {
        if !is_enabled() {
            return Vec::new();
        }
        let leaders = leaders().clone();
        self.orphans_among(&leaders)
    }

    /// Leaves the orphans that are adopted later to other trees. Returns `false` if an orphan exists
    /// that only this tree can have started.
    pub(crate) fn release(&self) -> bool {
        if !is_enabled() {
            return true;
        }
        // Keep the lock: of two trees that end concurrently, the second one kills the orphans of
        // both.
        let mut leaders = leaders();
        let is_released = self.orphans_among(&leaders).is_empty();
        if is_released {
            leaders.remove(&self.0);
        }
        is_released
    }

    fn orphans_among(&self, leaders: &BTreeMap<u32, Option<u64>>) -> Vec<u32> {
        let Some(Some(own_start)) = leaders.get(&self.0).copied() else {
            return Vec::new();
        };
        // The start time of a tree from before the adoption is unknown.
        let is_ours = |start: u64| {
            let mut others = leaders.iter().filter(|(id, _)| **id != self.0);
            // An orphan doesn't say which tree it comes from. It's certain only if all other trees are younger.
            start >= own_start && others.all(|(_, other)| other.is_some_and(|other| other > start))
        };
        let adopted = adopted(leaders).into_iter();
        let ours = adopted.filter(|(_, entry)| !entry.is_zombie && is_ours(entry.started));
        ours.map(|(id, _)| id).collect()
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        let leaders = {
            let mut leaders = leaders();
            leaders.remove(&self.0);
            leaders.clone()
        };
        if is_enabled() {
            reap(&leaders);
        }
    }
}

/// Reaps adopted orphans that have exited.
fn reap(leaders: &BTreeMap<u32, Option<u64>>) {
    for (id, entry) in adopted(leaders) {
        let id = i32::try_from(id).ok().and_then(Pid::from_raw);
        if let Some(id) = id.filter(|_| entry.is_zombie) {
            // Only this id: waiting for any child would consume the exit status of programs that the host has started.
            let _ = waitid(
                WaitId::Pid(id),
                WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
            );
        }
    }
}

/// Returns the children of this process that it did not start itself: those with another session,
/// or with the group of another process.
fn adopted(leaders: &BTreeMap<u32, Option<u64>>) -> Vec<(u32, Entry)> {
    let Some(own) = Entry::read(process::id()) else {
        return Vec::new();
    };
    let watcher = crate::host::watcher();
    children()
        .unwrap_or_default()
        .into_iter()
        .filter(|id| !leaders.contains_key(id) && Some(*id) != watcher)
        .filter_map(|id| Some((id, Entry::read_any(id)?)))
        .filter(|(id, entry)| {
            entry.session != own.session || (entry.group != own.group && entry.group != *id)
        })
        .collect()
}

/// Returns the children of the main thread, which adopts orphans.
fn children() -> io::Result<Vec<u32>> {
    let id = process::id();
    let path = format!("/proc/{id}/task/{id}/children");
    // Read twice, because a list may lack an entry if another one is removed at the same time.
    let lists = [fs::read_to_string(&path)?, fs::read_to_string(&path)?];
    let ids = lists.iter().flat_map(|list| list.split_ascii_whitespace());
    let mut ids: Vec<u32> = ids.filter_map(|id| id.parse().ok()).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

fn leaders() -> MutexGuard<'static, BTreeMap<u32, Option<u64>>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}
