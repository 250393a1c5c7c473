//! Tools of a set over the tools of the engines.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tool_core::approval::Preview;
use tool_core::{
    Arguments, CallPlan, Hints, RiskLevel, ToolContext, ToolData, ToolDefinition, ToolError,
    ToolInput, TypedTool,
};

use super::names::Names;

/// Parameters of a tool of a set, and all that a model sees of it besides them. The tool `E` of an engine does the work.
pub(super) trait Wording<E: TypedTool>: ToolInput + Sync + 'static {
    /// Parameters of the engine with another name in the set, or without one.
    const NAMES: Names = Names::of(&[]);
    /// Other names of parameters, and the names that they stand for.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// Returns the arguments of the engine. Called once per call.
    fn request(&self) -> Result<E::Input, ToolError>;

    /// Returns an error in the wording of the set.
    fn reworded(&self, error: ToolError, _engine: &E) -> ToolError {
        error
    }

    /// Returns the text for the model, and adds the set's notes and warnings about the output.
    fn text(&self, _cx: &ToolContext, output: &E::Output) -> Result<String, ToolError> {
        Ok(E::render(output))
    }
}

/// The tool of an engine with the wording `I`.
pub(super) struct Worded<I, E> {
    engine: Arc<E>,
    wording: PhantomData<fn() -> I>,
}

impl<I, E> Worded<I, E> {
    pub(super) fn new(engine: Arc<E>) -> Self {
        let wording = PhantomData;
        Self { engine, wording }
    }
}

/// Parameters of a set, with the arguments of the engine.
#[derive(Debug)]
pub(super) struct WordedInput<I, R> {
    input: I,
    // Shared by the plan and the run, so that a command is evaluated once.
    request: OnceLock<R>,
}

impl<I: ToolInput, R: Send> ToolInput for WordedInput<I, R> {
    fn tool_definition(name: &str, description: &str) -> ToolDefinition {
        I::tool_definition(name, description)
    }

    fn from_arguments(arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        Ok(Self {
            input: I::from_arguments(arguments)?,
            request: OnceLock::new(),
        })
    }
}

impl<I, R> WordedInput<I, R> {
    fn request<E>(&self) -> Result<&R, ToolError>
    where
        E: TypedTool<Input = R>,
        I: Wording<E>,
    {
        if let Some(request) = self.request.get() {
            return Ok(request);
        }
        let request = self.input.request()?;
        Ok(self.request.get_or_init(|| request))
    }
}

impl<I: Wording<E>, E: TypedTool> TypedTool for Worded<I, E> {
    type Input = WordedInput<I, E::Input>;
    type Output = Shown<E::Output>;

    const RISK: RiskLevel = E::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = I::ALIASES;

    fn hints(&self) -> Hints {
        self.engine.hints()
    }

    fn timeout(&self) -> Option<Duration> {
        self.engine.timeout()
    }

    fn plan(&self, cx: &ToolContext, arguments: &Self::Input) -> Result<CallPlan, ToolError> {
        let request = arguments.request::<E>();
        let plan = request.and_then(|request| self.engine.plan(cx, request));
        let plan = I::NAMES.plan(plan);
        plan.map_err(|error| arguments.input.reworded(error, &self.engine))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        arguments: &Self::Input,
    ) -> Result<Option<Preview>, ToolError> {
        let preview = self.engine.inspect(cx, arguments.request::<E>()?).await;
        let preview = preview.map_err(|error| I::NAMES.error(error));
        preview.map_err(|error| arguments.input.reworded(error, &self.engine))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        arguments: Self::Input,
    ) -> Result<Self::Output, ToolError> {
        let WordedInput { input, request } = arguments;
        let request = request.into_inner().map_or_else(|| input.request(), Ok)?;
        let output = I::NAMES.run(cx, self.engine.run(cx, request)).await;
        let data = output.map_err(|error| input.reworded(error, &self.engine))?;
        let text = input.text(cx, &data)?;
        Ok(Shown { data, text })
    }

    fn render(output: &Self::Output) -> String {
        output.text.clone()
    }
}

/// Data of an engine with the text for the model. The data and their schema are those of the engine.
#[derive(Debug)]
pub(super) struct Shown<T> {
    data: T,
    text: String,
}

impl<T: ToolData> ToolData for Shown<T> {
    fn output_schema() -> Value {
        T::output_schema()
    }

    fn to_data(&self) -> serde_json::Result<Value> {
        self.data.to_data()
    }
}
