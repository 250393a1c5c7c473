//! Declaration of the groups that a `Kit` consists of.

/// Declares a group of tools that need only a workspace, one line per tool.
macro_rules! tool_group {
    ($(#[$doc:meta])* $group:ident { $($(#[$tool_doc:meta])* $field:ident: $tool:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub struct $group {
            $($(#[$tool_doc])* pub $field: std::sync::Arc<$tool>,)*
        }

        impl $group {
            /// Creates the tools of `workspace`.
            #[must_use]
            pub fn new(workspace: &crate::workspace::Workspace) -> Self {
                Self { $($field: std::sync::Arc::new($tool::new(workspace.clone())),)* }
            }
        }
    };
}

pub(crate) use tool_group;
