//! Tools of one workspace, shared by its toolsets.

#[cfg(test)]
#[cfg(feature = "shell")]
mod tests;

use std::sync::Arc;

use tool_core::output_store::OutputStore;

use crate::checks::{OutputTypes, ValidateOutput};
use crate::files::FileTools;
use crate::questions::Respondent;
use crate::repository::RepositorySource;
use crate::search::SearchCode;
#[cfg(feature = "shell")]
use crate::shell::{BackgroundCommands, Environment, Sandbox, ShellTools};
use crate::todo::{TodoManager, TodoStore};
#[cfg(feature = "web")]
use crate::web::{SearchProvider, WebFetch, WebSearch, WebTools};
use crate::workspace::Workspace;

/// Tools of one workspace and one session, from which toolsets are made.
///
/// Clones share the session: its plan, its command history and its background commands. Create one
/// kit per session, and use it for all toolsets of that session.
///
/// # Examples
/// See [`toolsets::standard`](crate::toolsets::standard).
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct Kit {
    workspace: Workspace,
    repository: Option<Arc<dyn RepositorySource>>,
    /// Whether toolsets may not read the repository around the workspace.
    #[cfg(feature = "document-sets")]
    pub(crate) keeps_to_roots: bool,
    /// File tools.
    pub(crate) files: FileTools,
    /// Tool that searches the content of files.
    pub(crate) search_code: Arc<SearchCode>,
    /// Shell tools.
    #[cfg(feature = "shell")]
    pub shell: ShellTools,
    /// Tool that keeps the plan.
    pub(crate) todo_manager: Arc<TodoManager>,
    /// Web tools.
    #[cfg(feature = "web")]
    pub(crate) web: WebTools,
    /// Tool that validates the model's outputs.
    pub(crate) validate_output: Arc<ValidateOutput>,
    /// Who answers the model's questions.
    pub(crate) respondent: Option<Arc<dyn Respondent>>,
    /// Store for large outputs. It enables the tool that reads them.
    pub output_store: Option<Arc<dyn OutputStore>>,
}

impl Kit {
    /// Creates the tools of `workspace`, with an empty plan.
    ///
    /// Commands run in [`Sandbox::workspace`](crate::shell::Sandbox::workspace) if this system can
    /// enforce it, and without a sandbox otherwise. The metadata of each result and the descriptions
    /// in the standard toolset say which. If commands must not run unconfined, use `with_sandbox`:
    /// they fail then.
    pub fn new(workspace: Workspace) -> Self {
        let kit = Self::without_sandbox(workspace);
        #[cfg(feature = "shell")]
        let kit = {
            let mut kit = kit;
            kit.shell.confine_if_enforceable(&kit.workspace);
            kit
        };
        kit
    }

    fn without_sandbox(workspace: Workspace) -> Self {
        Self {
            files: FileTools::new(&workspace),
            search_code: Arc::new(SearchCode::new(workspace.clone())),
            #[cfg(feature = "shell")]
            shell: ShellTools::new(&workspace),
            todo_manager: Arc::default(),
            #[cfg(feature = "web")]
            web: WebTools::default(),
            validate_output: Arc::default(),
            output_store: None,
            respondent: None,
            repository: None,
            #[cfg(feature = "document-sets")]
            keeps_to_roots: false,
            workspace,
        }
    }

    /// Returns the workspace of the tools.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Sets the repository that the repository tools read instead of the workspace.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use serde_json::json;
    /// use tool_core::Registry;
    /// use tool_test::Scratch;
    /// use tools_builtin::repository::NotConnected;
    /// use tools_builtin::{Kit, Workspace, toolsets};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scratch = Scratch::new();
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_repository(Arc::new(NotConnected));
    /// let registry = Registry::builder().toolset(&toolsets::repo_explorer(&kit)?)?.build();
    ///
    /// let result = registry.execute("list_files", json!({})).await;
    /// assert_eq!(result.text(), r#"{ "error": "No active GitHub connection found" }"#);
    /// # Ok(()) }
    /// ```
    pub fn with_repository(mut self, repository: Arc<dyn RepositorySource>) -> Self {
        self.repository = Some(repository);
        self
    }

    /// Returns the repository that is read instead of the workspace.
    pub fn repository(&self) -> Option<&Arc<dyn RepositorySource>> {
        self.repository.as_ref()
    }

    /// Restricts `read_file` of the toolset `assistant` to the roots of the workspace. By default it
    /// also reads the repository around the first root.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::Registry;
    /// use tool_test::Scratch;
    /// use tools_builtin::{Kit, Workspace, toolsets};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scratch = Scratch::new().folder(".git").file("notes.md", "above").folder("app");
    /// let kit = Kit::new(Workspace::open(scratch.path().join("app"))?);
    /// for (kit, is_read) in [(kit.clone(), true), (kit.without_repository_root(), false)] {
    ///     let registry = Registry::builder().toolset(&toolsets::assistant(&kit)?)?.build();
    ///     let result = registry.execute("read_file", json!({"path": "notes.md"})).await;
    ///     assert_eq!(result.success, is_read);
    /// }
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "document-sets")]
    pub fn without_repository_root(mut self) -> Self {
        self.keeps_to_roots = true;
        self
    }

    /// Sets the store in which the registry and the commands keep large outputs. `read` of the standard toolset then accepts
    /// their handles.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::Registry;
    /// use tool_core::output_store::{MemoryStore, OutputStore};
    /// use tool_test::Scratch;
    /// use tools_builtin::{Kit, Workspace, toolsets};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scratch = Scratch::new();
    /// let store = Arc::new(MemoryStore::default());
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_output_store(store.clone());
    /// let registry = Registry::builder().output_store(store.clone()).toolset(&toolsets::standard(&kit)?)?.build();
    ///
    /// let handle = store.put("a long output".into()).await?;
    /// let read = registry.execute("read", serde_json::json!({"path": handle.to_string()})).await;
    /// assert!(read.text().contains("a long output"));
    /// # Ok(()) }
    /// ```
    pub fn with_output_store(mut self, store: Arc<dyn OutputStore>) -> Self {
        #[cfg(feature = "shell")]
        self.shell.set_output_store(&store);
        Arc::make_mut(&mut self.files.read).read_outputs(Arc::clone(&store));
        Arc::make_mut(&mut self.files.edit).edit_outputs(Arc::clone(&store));
        self.output_store = Some(store);
        self
    }

    /// Lets `read` of the standard toolset return the text of PDF documents, by pages: `start_line` and `limit` count pages
    /// then.
    ///
    /// `program` runs once per call, with `arguments` and two more, and must call
    /// [`pdf_text_program`](crate::files::pdf_text_program) with those. It may be the application itself, or a program next to
    /// it. It confines itself: 1 GB of memory, 10 seconds of CPU time, no files, no network and no processes (Linux; on other
    /// systems, `read` says that it can't). After 30 seconds it is killed, and the pages that it has read are returned.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let kit = Kit::new(Workspace::open(scratch.path())?)
    ///     .with_pdf_program(std::env::current_exe()?, ["pdf-text"]);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "pdf")]
    pub fn with_pdf_program<A: Into<String>>(
        mut self,
        program: impl Into<std::path::PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        let program = crate::files::PdfProgram::new(program.into(), arguments);
        Arc::make_mut(&mut self.files.read).read_pdf(program);
        self
    }

    /// Sets who answers the model's questions. Without one, toolsets have no tool that asks.
    ///
    /// # Examples
    /// See [`Respondent`].
    pub fn with_respondent(mut self, respondent: Arc<dyn Respondent>) -> Self {
        self.respondent = Some(respondent);
        self
    }

    /// Replaces the built-in output types.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::Registry;
    /// use tool_test::Scratch;
    /// use tools_builtin::checks::{OutputType, OutputTypes};
    /// use tools_builtin::toolsets::{self, ToolGroup};
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let title = OutputType::named("title").schema(json!({"type": "string", "maxLength": 60}))?;
    /// let scratch = Scratch::new();
    /// let kit = Kit::new(Workspace::open(scratch.path())?)
    ///     .with_output_types(OutputTypes::empty().with(title));
    /// let toolset = ToolGroup::ValidateOutput.add_to(toolsets::standard(&kit)?, &kit)?;
    /// let registry = Registry::builder().toolset(&toolset)?.build();
    ///
    /// let arguments = json!({"output_type": "title", "data": "On foxes"});
    /// let result = registry.execute("validate_output", arguments).await;
    /// assert_eq!(result.text(), "Valid.");
    /// # Ok(()) }
    /// ```
    pub fn with_output_types(mut self, types: OutputTypes) -> Self {
        self.validate_output = Arc::new(ValidateOutput::new(types));
        self
    }

    /// Returns the store of the plan that the model replaces.
    pub fn todo_store(&self) -> &TodoStore {
        self.todo_manager.store()
    }
}

#[cfg(feature = "shell")]
impl Kit {
    /// Runs all commands of the kit in `sandbox`, which allows writes to the workspace.
    ///
    /// The tools of a kit coordinate the restoration of protected files. Tools of different kits do
    /// not: if their calls overlap in one workspace, one call may revert changes of another.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::shell::Sandbox;
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_sandbox(Sandbox::standard());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_sandbox(mut self, sandbox: Sandbox) -> Self {
        self.shell.confine(&self.workspace, sandbox);
        self
    }

    /// Sets the environment of all commands. The default is [`Environment::of_host`].
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::shell::Environment;
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let environment = Environment::of_host().inherit("SSH_AUTH_SOCK");
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_environment(environment);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.shell.set_environment(environment);
        self
    }

    /// Runs all commands of the kit without a sandbox. Use it only if programs are confined by other
    /// means, or if a person approves each command.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let kit = Kit::new(Workspace::open(scratch.path())?).unconfined();
    /// assert!(!kit.shell.bash.is_confined());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn unconfined(mut self) -> Self {
        self.shell.unconfine();
        self
    }

    /// Returns the last command that ran.
    #[cfg(test)]
    pub(crate) fn terminal_history(&self) -> &crate::shell::TerminalHistory {
        &self.shell.history
    }

    /// Returns the background commands that `bash` started.
    ///
    /// They are killed when the kit and all its registries are dropped.
    pub fn background_commands(&self) -> &BackgroundCommands {
        &self.shell.commands
    }
}

#[cfg(feature = "web")]
impl Kit {
    /// Sets the page fetcher. The default reaches only the public Internet.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::web::{AddressGuard, WebFetch};
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let guard = AddressGuard::new().allow_host("wiki.internal")?;
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_web(WebFetch::new().with_guard(guard));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_web(mut self, web_fetch: WebFetch) -> Self {
        self.web.web_fetch = Arc::new(web_fetch);
        self
    }

    /// Sets the provider for web searches. Without one, toolsets have no search tool.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::{Registry, Secret};
    /// use tool_test::Scratch;
    /// use tools_builtin::toolsets::{self, ToolGroup};
    /// use tools_builtin::web::BraveSearch;
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let brave = BraveSearch::new(&Secret::new("a key of yours".to_owned()))?;
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_search(Arc::new(brave));
    /// let toolset = ToolGroup::Web.add_to(toolsets::standard(&kit)?, &kit)?;
    /// let registry = Registry::builder().toolset(&toolset)?.build();
    /// assert!(registry.get("web_search").is_some());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_search(mut self, provider: Arc<dyn SearchProvider>) -> Self {
        self.web.web_search = Some(Arc::new(WebSearch::new(provider)));
        self
    }
}
