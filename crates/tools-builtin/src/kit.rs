//! The engines of one workspace, made once and shown by as many contracts as one likes.

use std::sync::Arc;

use tool_core::output_store::OutputStore;

#[cfg(feature = "checks")]
use crate::checks::{OutputTypes, ValidateOutput};
use crate::files::{
    AppendFile, CreateDirectory, FileSearch, ListDir, ListDirs, ListFiles, ReadFile, ReplaceString,
    WriteFile,
};
use crate::repository::RepositorySource;
#[cfg(feature = "search")]
use crate::search::SearchCode;
#[cfg(feature = "shell")]
use crate::shell::{
    BackgroundCommands, Bash, LastCommand, ListBackground, ReadBackground, RunCommand,
    StopBackground, TerminalHistory,
};
#[cfg(feature = "sandbox")]
use crate::shell::{Confinement, Sandbox};
#[cfg(feature = "todo")]
use crate::todo::{TodoManager, TodoStore};
#[cfg(feature = "web")]
use crate::web::{SearchProvider, WebFetch, WebSearch};
use crate::workspace::Workspace;

/// The engines of one workspace and one session.
///
/// # Examples
/// See [`contracts::standard`](crate::contracts::standard).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Kit {
    workspace: Workspace,
    repository: Option<Arc<dyn RepositorySource>>,
    /// Lists files.
    pub list_files: Arc<ListFiles>,
    /// Lists one folder.
    pub list_dir: Arc<ListDir>,
    /// Lists folders, some levels deep.
    pub list_dirs: Arc<ListDirs>,
    /// Finds files by their names.
    pub file_search: Arc<FileSearch>,
    /// Reads files.
    pub read_file: Arc<ReadFile>,
    /// Writes and creates files.
    pub write_file: Arc<WriteFile>,
    /// Writes behind the end of files.
    pub append_file: Arc<AppendFile>,
    /// Makes folders.
    pub create_directory: Arc<CreateDirectory>,
    /// Replaces text in files.
    pub replace_string: Arc<ReplaceString>,
    /// Searches the text of files.
    #[cfg(feature = "search")]
    pub search_code: Arc<SearchCode>,
    /// Runs programs.
    #[cfg(feature = "shell")]
    pub run_command: Arc<RunCommand>,
    /// Runs command lines in a shell.
    #[cfg(feature = "shell")]
    pub bash: Arc<Bash>,
    /// Tells the last command.
    #[cfg(feature = "shell")]
    pub last_command: Arc<LastCommand>,
    /// Lists the commands in the background.
    #[cfg(feature = "shell")]
    pub list_background: Arc<ListBackground>,
    /// Reads what they write.
    #[cfg(feature = "shell")]
    pub read_background: Arc<ReadBackground>,
    /// Ends them.
    #[cfg(feature = "shell")]
    pub stop_background: Arc<StopBackground>,
    #[cfg(feature = "shell")]
    terminal_history: TerminalHistory,
    #[cfg(feature = "shell")]
    background_commands: BackgroundCommands,
    /// Keeps the plan.
    #[cfg(feature = "todo")]
    pub todo_manager: Arc<TodoManager>,
    #[cfg(feature = "todo")]
    todo_store: TodoStore,
    /// Fetches pages.
    #[cfg(feature = "web")]
    pub web_fetch: Arc<WebFetch>,
    /// Holds the model's outputs against types.
    #[cfg(feature = "checks")]
    pub validate_output: Arc<ValidateOutput>,
    /// Searches the web, where there is a provider of searches.
    #[cfg(feature = "web")]
    pub web_search: Option<Arc<WebSearch>>,
    /// Where large outputs are kept, for the tool that reads on in them.
    pub output_store: Option<Arc<dyn OutputStore>>,
}

impl Kit {
    /// Creates the engines over one workspace, with an empty plan.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        #[cfg(feature = "todo")]
        let todo_store = TodoStore::default();
        #[cfg(feature = "shell")]
        let terminal_history = TerminalHistory::default();
        #[cfg(feature = "shell")]
        let run_command = RunCommand::new(workspace.clone()).with_history(terminal_history.clone());
        #[cfg(feature = "shell")]
        let background_commands = BackgroundCommands::default();
        #[cfg(feature = "shell")]
        let bash = Bash::new(workspace.clone())
            .with_history(terminal_history.clone())
            .with_background(background_commands.clone());
        Self {
            list_files: Arc::new(ListFiles::new(workspace.clone())),
            list_dir: Arc::new(ListDir::new(workspace.clone())),
            list_dirs: Arc::new(ListDirs::new(workspace.clone())),
            file_search: Arc::new(FileSearch::new(workspace.clone())),
            append_file: Arc::new(AppendFile::new(workspace.clone())),
            create_directory: Arc::new(CreateDirectory::new(workspace.clone())),
            read_file: Arc::new(ReadFile::new(workspace.clone())),
            write_file: Arc::new(WriteFile::new(workspace.clone())),
            #[cfg(feature = "search")]
            search_code: Arc::new(SearchCode::new(workspace.clone())),
            #[cfg(feature = "shell")]
            run_command: Arc::new(run_command),
            #[cfg(feature = "shell")]
            bash: Arc::new(bash),
            #[cfg(feature = "shell")]
            last_command: Arc::new(LastCommand::new(terminal_history.clone())),
            #[cfg(feature = "shell")]
            list_background: Arc::new(ListBackground::new(background_commands.clone())),
            #[cfg(feature = "shell")]
            read_background: Arc::new(ReadBackground::new(background_commands.clone())),
            #[cfg(feature = "shell")]
            stop_background: Arc::new(StopBackground::new(background_commands.clone())),
            #[cfg(feature = "shell")]
            terminal_history,
            #[cfg(feature = "shell")]
            background_commands,
            #[cfg(feature = "todo")]
            todo_manager: Arc::new(TodoManager::new(todo_store.clone())),
            #[cfg(feature = "todo")]
            todo_store,
            #[cfg(feature = "web")]
            web_fetch: Arc::new(WebFetch::new()),
            #[cfg(feature = "checks")]
            validate_output: Arc::default(),
            #[cfg(feature = "web")]
            web_search: None,
            output_store: None,
            repository: None,
            replace_string: Arc::new(ReplaceString::new(workspace.clone())),
            workspace,
        }
    }

    /// The workspace that the engines work in.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Lets the tools that explore a repository read from this one, in place of the workspace.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use serde_json::json;
    /// use tool_core::Registry;
    /// use tool_test::Scratch;
    /// use tools_builtin::repository::NotConnected;
    /// use tools_builtin::{Kit, Workspace, contracts};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scratch = Scratch::new();
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_repository(Arc::new(NotConnected));
    /// let registry = Registry::builder().contract(&contracts::repo_explorer(&kit)?)?.build();
    ///
    /// let result = registry.execute("list_files", json!({})).await;
    /// assert_eq!(result.text(), r#"{ "error": "No active GitHub connection found" }"#);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_repository(mut self, repository: Arc<dyn RepositorySource>) -> Self {
        self.repository = Some(repository);
        self
    }

    /// The repository that is read from in place of the workspace.
    #[must_use]
    pub fn repository(&self) -> Option<&Arc<dyn RepositorySource>> {
        self.repository.as_ref()
    }

    /// Adds the store that the registry keeps large outputs in, so that the model has a tool to read on in them.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::Registry;
    /// use tool_core::output_store::MemoryStore;
    /// use tool_test::Scratch;
    /// use tools_builtin::{Kit, Workspace, contracts};
    ///
    /// let scratch = Scratch::new();
    /// let store = Arc::new(MemoryStore::default());
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_output_store(store.clone());
    /// let registry = Registry::builder().output_store(store).contract(&contracts::standard(&kit)?)?.build();
    /// assert!(registry.get("read_stored_output").is_some());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_output_store(mut self, store: Arc<dyn OutputStore>) -> Self {
        self.output_store = Some(store);
        self
    }

    /// Fetches pages with this engine, in place of one that reaches the public Internet alone.
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
    #[cfg(feature = "web")]
    #[must_use]
    pub fn with_web(mut self, web_fetch: WebFetch) -> Self {
        self.web_fetch = Arc::new(web_fetch);
        self
    }

    /// Holds the model's outputs against these types, in place of the ones that ship.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::Registry;
    /// use tool_test::Scratch;
    /// use tools_builtin::checks::{OutputType, OutputTypes};
    /// use tools_builtin::{Kit, Workspace, contracts};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let title = OutputType::named("title").schema(json!({"type": "string", "maxLength": 60}))?;
    /// let scratch = Scratch::new();
    /// let kit = Kit::new(Workspace::open(scratch.path())?)
    ///     .with_output_types(OutputTypes::empty().with(title));
    /// let registry = Registry::builder().contract(&contracts::standard(&kit)?)?.build();
    ///
    /// let arguments = json!({"output_type": "title", "data": "On foxes"});
    /// let result = registry.execute("validate_output", arguments).await;
    /// assert_eq!(result.text(), "Valid.");
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "checks")]
    #[must_use]
    pub fn with_output_types(mut self, types: OutputTypes) -> Self {
        self.validate_output = Arc::new(ValidateOutput::new(types));
        self
    }

    /// Lets the model search the web with this provider; without one there is no tool for it.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::{Registry, Secret};
    /// use tool_test::Scratch;
    /// use tools_builtin::web::BraveSearch;
    /// use tools_builtin::{Kit, Workspace, contracts};
    ///
    /// let scratch = Scratch::new();
    /// let brave = BraveSearch::new(&Secret::new("a key of yours".to_owned()))?;
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_search(Arc::new(brave));
    /// let registry = Registry::builder().contract(&contracts::standard(&kit)?)?.build();
    /// assert!(registry.get("web_search").is_some());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "web")]
    #[must_use]
    pub fn with_search(mut self, provider: Arc<dyn SearchProvider>) -> Self {
        self.web_search = Some(Arc::new(WebSearch::new(provider)));
        self
    }

    /// Runs all programs of the kit in this sandbox, with the workspace as the place they may write.
    ///
    /// The engines of the kit share what is put back behind them. Engines that are made apart over one workspace know nothing of
    /// each other, and when their calls overlap one may put back what another had changed.
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
    #[cfg(feature = "sandbox")]
    #[must_use]
    pub fn with_sandbox(mut self, sandbox: Sandbox) -> Self {
        let confinement = Confinement::new(self.workspace.clone(), sandbox);
        let run_command = RunCommand::clone(&self.run_command).confined(confinement.clone());
        let bash = Bash::clone(&self.bash).confined(confinement);
        self.run_command = Arc::new(run_command);
        self.bash = Arc::new(bash);
        self
    }

    /// The last command that `run_command` or `bash` ran, for a host that shows it.
    #[cfg(feature = "shell")]
    #[must_use]
    pub fn terminal_history(&self) -> &TerminalHistory {
        &self.terminal_history
    }

    /// The commands that `bash` left running, for a host that shows or ends them.
    ///
    /// They end when the kit and every registry of it are dropped.
    #[cfg(feature = "shell")]
    #[must_use]
    pub fn background_commands(&self) -> &BackgroundCommands {
        &self.background_commands
    }

    /// The plan that `todo_manager` keeps, for a host that draws it.
    #[cfg(feature = "todo")]
    #[must_use]
    pub fn todo_store(&self) -> &TodoStore {
        &self.todo_store
    }
}

#[cfg(test)]
#[cfg(all(
    feature = "checks",
    feature = "shell",
    feature = "todo",
    feature = "search"
))]
mod tests;
