//! What systems other than Linux have instead of cgroups, adoption and the search in `/proc`: the
//! process group on Unix, and the program itself on Windows.

pub(crate) mod adoption {
    use std::io;

    pub(crate) fn enable() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn is_enabled() -> bool {
        false
    }

    /// Leader of a tree.
    #[derive(Debug)]
    pub(crate) struct Leader;

    impl Leader {
        pub(crate) fn new(_id: u32) -> Self {
            Self
        }

        pub(crate) fn orphans(&self) -> Vec<u32> {
            let Self = self;
            Vec::new()
        }

        pub(crate) fn release(&self) -> bool {
            self.orphans().is_empty()
        }
    }
}

pub(crate) mod cgroup {
    use std::io;
    use std::sync::Arc;

    /// Parent of cgroups; never constructed on these systems.
    #[derive(Debug)]
    pub(crate) enum CgroupParent {}

    impl CgroupParent {
        pub(crate) fn create(_id: &str) -> Option<Self> {
            None
        }

        pub(crate) fn lease(self: &Arc<Self>) -> io::Result<Lease> {
            match **self {}
        }
    }

    /// Cgroup of one program; never constructed on these systems.
    #[derive(Debug)]
    pub(crate) enum Lease {}

    impl Lease {
        pub(crate) fn add(&self, _process: u32) -> io::Result<()> {
            match *self {}
        }

        pub(crate) fn is_populated(&self) -> bool {
            match *self {}
        }

        pub(crate) fn processes(&self) -> Vec<u32> {
            match *self {}
        }

        pub(crate) fn kill(&self) {
            match *self {}
        }
    }
}

pub(crate) mod child {
    use std::io;
    use std::path::Path;
    use std::process::{Command, ExitStatus};

    use tokio::process;

    use super::pipe::Pipe;
    use crate::marks::Streams;

    /// Started program.
    #[derive(Debug)]
    pub(crate) struct Child(process::Child);

    impl Child {
        /// Starts the program in the first usable directory of `directories`.
        pub(crate) fn spawn(
            command: Command,
            directories: &[&Path],
        ) -> io::Result<(Self, Streams)> {
            let mut command = process::Command::from(command);
            let mut started = Err(io::ErrorKind::InvalidInput.into());
            for directory in directories {
                started = command.current_dir(directory).spawn();
                if started.is_ok() {
                    break;
                }
            }
            let mut child = started?;
            let streams = Streams {
                stdin: child.stdin.take().map(Ok),
                stdout: child.stdout.take().map(Pipe::new),
                stderr: child.stderr.take().map(Pipe::new),
            };
            Ok((Self(child), streams))
        }

        pub(crate) fn id(&self) -> u32 {
            self.0.id().unwrap_or_default()
        }

        /// Returns the exit status, if the program has exited.
        pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
            self.0.try_wait()
        }

        /// Waits until the program exits. Cancel safe.
        pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
            self.0.wait().await
        }

        #[cfg(not(unix))]
        pub(crate) fn start_kill(&mut self) -> io::Result<()> {
            self.0.start_kill()
        }
    }
}

pub(crate) mod pipe {
    use std::io;

    use tokio::io::{AsyncRead, AsyncReadExt};

    /// Output pipe of a program.
    ///
    /// # Examples
    /// ```
    /// use std::process::{Command, Stdio};
    /// use process_tree::ProcessTrees;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
    /// let mut command = Command::new("echo");
    /// command.arg("text").stdout(Stdio::piped());
    /// let started = ProcessTrees::prepare().start(command, &["/".as_ref()])?;
    /// let mut stdout = started.stdout.ok_or(std::io::ErrorKind::NotFound)?;
    ///
    /// let mut buffer = [0; 64];
    /// let count = stdout.read(&mut buffer).await?;
    /// assert_eq!(buffer.get(..count), Some(&b"text\n"[..]));
    /// # Ok(()) }
    /// ```
    pub struct Pipe(Box<dyn AsyncRead + Send + Sync + Unpin>);

    impl Pipe {
        pub(crate) fn new(pipe: impl AsyncRead + Send + Sync + Unpin + 'static) -> Self {
            Self(Box::new(pipe))
        }

        /// Reads available bytes, or waits for them. Cancel safe.
        ///
        /// # Errors
        /// Returns the error of the system.
        pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer).await
        }
    }

    impl std::fmt::Debug for Pipe {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Pipe")
        }
    }
}

pub(crate) mod descendants {
    use std::time::Instant;

    use crate::marks::Marks;

    /// Process of a tree; never constructed on these systems.
    #[derive(Debug, Clone, Copy)]
    pub(crate) enum Descendant {}

    impl Descendant {
        pub(crate) fn id(self) -> u32 {
            match self {}
        }

        pub(crate) fn terminate(self) {
            match self {}
        }

        pub(crate) fn kill(self) {
            match self {}
        }

        /// Returns `true` if the process is still running.
        #[cfg(unix)]
        pub(crate) fn runs(self) -> bool {
            match self {}
        }
    }

    pub(crate) fn started(_id: u32) -> Option<u64> {
        None
    }

    pub(crate) fn stop(_id: u32) {}

    pub(crate) fn resume(_id: u32) {}

    pub(crate) fn is_youngest(_id: u32) -> bool {
        false
    }

    pub(crate) fn contain_family(_leader: u32, _contain: impl Fn(u32) -> bool) -> bool {
        false
    }

    pub(crate) fn find(
        _marks: &Marks,
        _leader: u32,
        _since: Option<u64>,
        _known: &[u32],
    ) -> Vec<Descendant> {
        Vec::new()
    }

    pub(crate) fn are_excluded(_marks: &Marks, _leader: u32, _started: Instant) -> bool {
        false
    }
}

pub(crate) mod watcher {
    use std::io;
    use std::path::Path;

    /// Watcher that does nothing.
    #[derive(Debug)]
    pub(crate) struct Watcher;

    impl Watcher {
        pub(crate) fn start(_home: Option<&Path>) -> Self {
            Self
        }

        pub(crate) fn restart_if_ended(&self, _home: Option<&Path>) {
            let Self = self;
        }

        pub(crate) fn add(&self, _script: &Path) -> io::Result<()> {
            let Self = self;
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(crate) fn forget(&self, _script: &Path) {
            let Self = self;
        }
    }
}
