//! Command filter of a workspace.

use shell_verdict::CommandFilter;

use crate::workspace::{Root, Workspace};

/// Returns the filter for commands in a workspace: they may write below its writable roots and
/// require approval to change its protected names.
///
/// # Examples
/// ```
/// use shell_verdict::CommandVerdict;
/// use tool_test::Scratch;
/// use tools_builtin::shell::{RunCommand, workspace_filter};
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new();
/// let workspace = Workspace::open(scratch.path())?;
/// let filter = workspace_filter(&workspace).with_allowed_program("terraform");
/// assert_eq!(filter.judge("touch ./a").verdict(), CommandVerdict::Confine);
/// assert_eq!(filter.judge("touch /opt/a").verdict(), CommandVerdict::Ask);
/// let run_command = RunCommand::new(workspace).with_filter(filter);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn workspace_filter(workspace: &Workspace) -> CommandFilter {
    let (read_only, writable): (Vec<_>, Vec<_>) =
        workspace.roots().partition(|root| root.is_read_only());
    let mut filter = CommandFilter::standard(paths(&writable));
    for path in paths(&read_only) {
        filter = filter.with_read_only_root(&path);
    }
    // Commands start in the first root, even if it is read-only.
    if let Some(first) = workspace.roots().next() {
        filter = filter.with_working_directory(&first.real_path().to_string_lossy());
    }
    let names = workspace.protected_names();
    names.fold(filter, CommandFilter::with_protected_name)
}

/// Returns the paths of `roots`, with links resolved and as configured.
fn paths(roots: &[&Root]) -> impl Iterator<Item = String> {
    let combined = |root: &&Root| {
        // A command may name a root by the path that the host passed or by the resolved one.
        [root.real_path(), root.path()].map(|path| path.to_string_lossy().into_owned())
    };
    roots.iter().flat_map(combined)
}
