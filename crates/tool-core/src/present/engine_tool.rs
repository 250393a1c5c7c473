//! An engine as a tool, still under the names of its own fields.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;

use super::apply::Mapping;
use super::presentation::Presentation;
use super::wording::Wording;
use crate::approval::{Assessment, Preview};
use crate::typed::{definition_of, output_of};
use crate::{
    Arguments, Engine, RiskLevel, TextLimit, Tool, ToolContext, ToolDefinition, ToolError,
    ToolInput, ToolOutput,
};

/// An engine as a tool. `S` is the shape of the arguments, often the engine's own input.
pub(super) struct EngineTool<E: Engine, S> {
    engine: Arc<E>,
    definition: ToolDefinition,
    limits: TextLimit,
    wording: Wording<E::Output>,
    /// Under which names the engine's advice is shown.
    mapping: Mapping,
    shape: PhantomData<fn(S)>,
}

impl<E, S> EngineTool<E, S>
where
    E: Engine,
    S: ToolInput + TryInto<E::Input, Error: Into<ToolError>>,
{
    pub(super) fn new(
        engine: &Arc<E>,
        presentation: &Presentation<E::Output>,
        source: String,
    ) -> Self {
        let definition =
            definition_of::<S, E::Output>(&presentation.name, &presentation.description)
                .with_risk(E::RISK)
                .with_hints(engine.hints())
                .with_concurrency(engine.concurrency())
                .with_source(source);
        let definition = match engine.timeout() {
            Some(timeout) => definition.with_timeout(timeout),
            None => definition,
        };
        Self {
            engine: Arc::clone(engine),
            definition,
            limits: presentation.limits,
            wording: presentation.wording.clone(),
            mapping: Mapping::default(),
            shape: PhantomData,
        }
    }

    /// Gives advice under the names of a face.
    pub(super) fn advising(self, mapping: &Mapping) -> Self {
        Self {
            mapping: mapping.clone(),
            ..self
        }
    }

    fn read(arguments: &Arguments<'_>) -> Result<Shaped<S, E::Input>, ToolError> {
        let shape: S = arguments.deserialize()?;
        let input = shape.try_into().map_err(Into::into)?;
        Ok(Shaped {
            input,
            shape: PhantomData,
        })
    }
}

/// An input that came in the shape `S`: another shape may make another input of the same arguments.
struct Shaped<S, I> {
    input: I,
    shape: PhantomData<fn(S)>,
}

#[async_trait]
impl<E, S> Tool for EngineTool<E, S>
where
    E: Engine,
    S: ToolInput + TryInto<E::Input, Error: Into<ToolError>> + 'static,
{
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, _cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        arguments.look_at(Self::read, |read| self.engine.check(&read.input))?
    }

    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        arguments
            .look_at(Self::read, |read| self.engine.risk_of(&read.input))
            .unwrap_or(RiskLevel::Dangerous)
    }

    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        arguments.look_at(Self::read, |read| self.engine.assess(&read.input))?
    }

    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        arguments
            .look_at(Self::read, |read| self.engine.key_of(&read.input))
            .ok()?
    }

    async fn preview(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Option<Preview> {
        let input = arguments.input(Self::read).ok()?.input;
        self.engine.preview(cx, input).await
    }

    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let input = arguments.input(Self::read)?.input;
        let earlier = cx.warning_count();
        let output = self.engine.run(cx, input, &self.limits).await?;
        let rendered = match self.wording.render {
            // It is rendered in other words.
            Some(_) => String::new(),
            None => E::render(&output),
        };
        let mut shown = output_of(&output, Some(rendered))?;
        self.mapping.say_in(cx, earlier, &mut shown);
        self.wording.apply(&output, arguments, cx, shown)
    }
}

impl<E: Engine, S> fmt::Debug for EngineTool<E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineTool")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}
