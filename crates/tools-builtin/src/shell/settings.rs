//! Settings of the tools that run commands.

/// Implements the settings for a tool with a `launcher`.
macro_rules! launcher_settings {
    ($tool:ident) => {
        impl $tool {
            /// Sets the environment of the programs.
            #[must_use]
            pub fn with_environment(mut self, environment: $crate::shell::Environment) -> Self {
                self.launcher.set_environment(environment);
                self
            }

            /// Sets the filter for commands. The default is the
            /// [filter for the workspace](crate::shell::workspace_filter()). `~` is expanded to
            /// `HOME` of the environment.
            #[must_use]
            pub fn with_filter(mut self, filter: shell_verdict::CommandFilter) -> Self {
                self.launcher
                    .set_guard($crate::shell::guard::Guard::with(filter));
                self
            }

            /// Disables the command filter, so that every command that the policy allows is run.
            /// Use it only if programs are confined by other means.
            #[must_use]
            pub fn without_filter(mut self) -> Self {
                self.launcher
                    .set_guard($crate::shell::guard::Guard::disabled());
                self
            }

            /// Records each command in `history`.
            #[must_use]
            pub fn with_history(mut self, history: $crate::shell::TerminalHistory) -> Self {
                self.launcher.history = Some(history);
                self
            }

            /// Limits the address space of each process of a command. Supported only on Linux;
            /// other systems report a warning.
            ///
            /// The effective limit is reported in the metadata as `memory_limit_bytes`, rounded
            /// down to whole kilobytes. A second shell sets the limit before the command starts,
            /// which makes each call slightly slower.
            #[must_use]
            pub fn with_memory_limit(mut self, bytes: u64) -> Self {
                self.launcher.memory_limit = Some(bytes);
                self
            }

            /// Sets the maximum bytes returned of each stream. The default is 65,536; half is from
            /// the beginning of the stream and half from its end. A truncated stream causes a
            /// warning.
            #[must_use]
            pub fn with_max_output_bytes(mut self, bytes: usize) -> Self {
                self.launcher.output.max_bytes = bytes;
                self
            }

            /// Stores outputs that are truncated in `store`, up to 8 MB of each stream. The metadata
            /// contains the handle as `stored_output`.
            #[must_use]
            pub fn with_output_store(
                mut self,
                store: std::sync::Arc<dyn tool_core::output_store::OutputStore>,
            ) -> Self {
                self.launcher.output.store = Some(store);
                self
            }

            /// Sets the allowed timeouts in seconds. If the maximum exceeds the default range, the
            /// input of the tool that a model sees must also allow it.
            #[must_use]
            pub fn with_timeout_seconds(mut self, seconds: std::ops::RangeInclusive<u64>) -> Self {
                self.launcher.timeouts = $crate::timeout_range::TimeoutRange::new(seconds);
                self
            }

            /// Returns whether a sandbox confines the programs.
            #[must_use]
            pub fn is_confined(&self) -> bool {
                self.launcher.is_confined()
            }

            /// Runs the programs without a sandbox.
            #[must_use]
            pub fn unconfined(mut self) -> Self {
                self.launcher.confinement = None;
                self
            }

            /// Runs the programs in `sandbox`, with write access to the tool's workspace.
            #[must_use]
            pub fn with_sandbox(self, sandbox: $crate::shell::Sandbox) -> Self {
                let workspace = self.launcher.workspace.clone();
                self.confined($crate::shell::Confinement::new(workspace, sandbox))
            }

            pub(crate) fn confined(mut self, confinement: $crate::shell::Confinement) -> Self {
                self.launcher.confinement = Some(confinement);
                self
            }
        }
    };
}

pub(crate) use launcher_settings;
