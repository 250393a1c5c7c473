//! One folder of a walk, and which of its entries are given and entered.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::vec;

use cap_std::fs::Dir;

use super::ahead::{Ahead, Node};
use super::options::{MAX_DEPTH, WalkOptions};
use crate::workspace::listing::{Name, Names};
use crate::workspace::path::join;
use crate::workspace::rules::Rules;
use crate::workspace::{Entry, EntryKind, platform};

/// What a walk gives and where it goes, for all its threads.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) options: WalkOptions,
    /// How many bytes of a path stand before the part below the folder that is walked.
    pub(super) prefix: usize,
    pub(super) refuses_hard_links: bool,
}

impl Plan {
    /// The path from the folder that is walked.
    fn below<'p>(&self, path: &'p str) -> &'p str {
        path.get(self.prefix..).unwrap_or_default()
    }

    fn leaves_out(&self, path: &str, name: Name<'_>, rules: Option<&Rules>) -> bool {
        match rules.and_then(|rules| rules.leaves_out(path, name.kind)) {
            Some(left_out) => left_out,
            None => !self.options.hidden && name.text.starts_with('.'),
        }
    }

    fn wants(&self, path: &str, kind: EntryKind) -> bool {
        let pattern = self.options.pattern.as_ref();
        self.options.kinds.contains(&kind)
            && pattern.is_none_or(|pattern| pattern.matches(self.below(path)))
    }

    fn may_hold_more(&self, folder: &str) -> bool {
        let pattern = self.options.pattern.as_ref();
        pattern.is_none_or(|pattern| pattern.may_match_in(self.below(folder)))
    }
}

/// A folder that is to be read.
pub(super) struct Task {
    parent: Arc<Dir>,
    /// Where the name begins in the path.
    name_at: usize,
    raw_name: Option<OsString>,
    path: String,
    depth: usize,
    rules: Option<Arc<Rules>>,
}

impl Task {
    /// Reads at most `limit` names of the folder, and says whether these are all.
    pub(super) fn read(&self, plan: &Plan, limit: usize) -> io::Result<(Folder, bool)> {
        let name = Path::new(self.path.get(self.name_at..).unwrap_or_default());
        let name = self.raw_name.as_ref().map_or(name, Path::new);
        let handle = Arc::new(platform::open_subfolder(&self.parent, name)?);
        // The walk itself opened it, so nobody has read from it.
        let (names, is_whole) = Names::read(&handle, true, limit)?;
        let depth = self.depth + 1;
        let folder = Folder::new(plan, handle, &self.path, names, self.rules.clone(), depth);
        Ok((folder, is_whole))
    }
}

/// A folder whose names are known, on the way through them.
pub(super) struct Folder {
    handle: Arc<Dir>,
    names: Names,
    next: usize,
    rules: Option<Arc<Rules>>,
    depth: usize,
    /// The path of the entry that is looked at, and where its name begins.
    path: String,
    name_at: usize,
}

impl Folder {
    /// `path` is that of the folder, `depth` that of its entries.
    pub(super) fn new(
        plan: &Plan,
        handle: Arc<Dir>,
        path: &str,
        names: Names,
        above: Option<Arc<Rules>>,
        depth: usize,
    ) -> Self {
        let rules = if plan.options.ignored {
            None
        } else {
            Rules::of_folder(above, &handle, path, &names)
        };
        let path = join(path, "");
        Self {
            name_at: path.len(),
            handle,
            names,
            next: 0,
            rules,
            depth,
            path,
        }
    }

    /// How many names there are, looked at or not.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// What is to be done about the next entry; mostly that is one thing or nothing.
    pub(super) fn next(&mut self, plan: &Plan) -> Option<Step> {
        let name = self.names.get(self.next)?;
        self.next += 1;
        self.path.truncate(self.name_at);
        self.path.push_str(name.text);
        if plan.leaves_out(&self.path, name, self.rules.as_deref()) {
            return Some(Step::default());
        }
        let below = if name.kind == EntryKind::Directory && plan.may_hold_more(&self.path) {
            self.below(plan, name)
        } else {
            Below::Nothing
        };
        let entry = plan.wants(&self.path, name.kind).then(|| {
            let (path, hard_links) = (self.path.clone(), plan.refuses_hard_links);
            Entry::new(&self.handle, path, name, self.depth, hard_links)
        });
        Some(Step { entry, below })
    }

    fn below(&self, plan: &Plan, name: Name<'_>) -> Below {
        if self.depth < plan.options.max_depth {
            return Below::Folder(Box::new(Task {
                parent: Arc::clone(&self.handle),
                name_at: self.name_at,
                raw_name: name.raw.cloned(),
                path: self.path.clone(),
                depth: self.depth,
                rules: self.rules.clone(),
            }));
        }
        // A depth that the caller chose is no loss; the bound of every walk is.
        if plan.options.max_depth == MAX_DEPTH {
            Below::TooDeep
        } else {
            Below::Nothing
        }
    }
}

/// What is to be done about one entry.
#[derive(Default)]
pub(super) struct Step {
    /// The entry, where it is to be given.
    pub(super) entry: Option<Entry>,
    /// What is below it is to be given before what comes behind it.
    pub(super) below: Below,
}

impl Step {
    /// Whether there is anything to do.
    pub(super) fn is_something(&self) -> bool {
        self.entry.is_some() || !matches!(self.below, Below::Nothing)
    }
}

/// What is below an entry.
#[derive(Default)]
pub(super) enum Below {
    /// Nothing that is to be given.
    #[default]
    Nothing,
    /// More folders than a walk enters.
    TooDeep,
    /// A folder to enter.
    Folder(Box<Task>),
    /// The same, where any thread may read it.
    Ahead(Arc<Node>),
}

/// One folder on the way from the start to where the walk is.
pub(super) struct Level {
    steps: vec::IntoIter<Step>,
    folder: Option<Folder>,
}

impl Level {
    /// A folder that is gone through from its beginning.
    pub(super) fn of(folder: Folder) -> Self {
        Self {
            steps: Vec::new().into_iter(),
            folder: Some(folder),
        }
    }

    /// A folder that was gone through already.
    pub(super) fn of_steps(steps: Vec<Step>) -> Self {
        Self {
            steps: steps.into_iter(),
            folder: None,
        }
    }

    /// What is to be done about the next entry.
    pub(super) fn next(&mut self, plan: &Plan, ahead: Option<&Ahead>) -> Option<Step> {
        if let Some(step) = self.steps.next() {
            return Some(step);
        }
        match ahead {
            None => self.folder.as_mut()?.next(plan),
            Some(ahead) => {
                self.look_ahead(ahead);
                self.steps.next()
            }
        }
    }

    /// Lets other threads read the next folders of this one.
    pub(super) fn look_ahead(&mut self, ahead: &Ahead) {
        if let (0, Some(folder)) = (self.steps.len(), &mut self.folder) {
            self.steps = ahead.offer(folder).into_iter();
        }
    }
}
