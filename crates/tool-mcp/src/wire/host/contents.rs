//! Prompts and resources.

use rmcp::model::{
    CacheScope, CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, PromptMessage, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Reference, Role as WireRole, ServerCapabilities,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value, json};
use tool_core::CallArguments;

use super::call::input_of;
use super::client::{identity_of, is_current};
use super::convert::{wire_block, wire_contents, wire_prompt, wire_resource, wire_template};
use super::rounds::{Origin, Round, missing_capability};
use super::{Host, LIST_TTL};
use crate::server::{
    Asked, ClientContext, ContentError, InputError, McpServer, Prompt, PromptOutput, Prompts, Role,
};

/// Maximum number of listed prompts, resources or templates.
const MAX_LISTED: usize = 1_000;

/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 100;

/// Adds a time to live, which only the current revision has, to a result of any type.
macro_rules! cached {
    ($result:expr, $context:expr, $ttl:expr) => {
        if is_current($context) {
            let result = $result.with_ttl_ms($ttl);
            result.with_cache_scope(CacheScope::Private)
        } else {
            $result
        }
    };
}

/// Declares the prompts and resources of a server.
pub(super) fn declare(server: &McpServer, capabilities: &mut ServerCapabilities) {
    if server.prompts.is_some() {
        let prompts = capabilities.prompts.get_or_insert_default();
        prompts.list_changed = Some(true);
    }
    if server.resources.is_some() {
        let resources = capabilities.resources.get_or_insert_default();
        resources.list_changed = Some(true);
        resources.subscribe = Some(true);
    }
    if server.prompts.is_some() || server.resources.is_some() {
        capabilities.completions = Some(Map::new());
    }
}

impl Host {
    pub(super) async fn prompts(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.served_prompts()?;
        let prompts = prompts.list(&identity_of(context)).await;
        let prompts = prompts.into_iter().take(MAX_LISTED).map(wire_prompt);
        let list = ListPromptsResult::with_all_items(prompts.collect());
        Ok(cached!(list, context, LIST_TTL))
    }

    pub(super) async fn prompt(
        &self,
        request: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompts = self.served_prompts()?;
        let arguments = request.arguments.unwrap_or_default();
        let identity = identity_of(context);
        let known = prompts.list(&identity).await;
        let prompt = known.iter().find(|prompt| prompt.name == request.name);
        let prompt = prompt.ok_or_else(|| unknown_prompt(&request.name, &known))?;
        require_arguments(prompt, &arguments)?;
        let subject = identity.subject.clone();
        let values = CallArguments::Value(Value::Object(arguments.clone()));
        let origin = Origin {
            subject: &subject,
            method: "prompts/get",
            name: &request.name,
            arguments: &values,
        };
        let sealed = request.request_state.as_deref();
        let round = Round::open(&self.0.seals, origin, sealed, request.input_responses)?;
        let cx = ClientContext::new(identity, input_of(context, &round));
        let output = prompts.get(&request.name, &arguments, &cx).await;
        match self.settled(output, cx.input.take_asked(), round, context)? {
            Settled::Done(output) => Ok(GetPromptResponse::Complete(wire_output(output))),
            Settled::Missing => Err(unknown_prompt(&request.name, &known)),
            Settled::Required(required) => Ok(GetPromptResponse::InputRequired(*required)),
        }
    }

    pub(super) async fn resources(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = match &self.0.server.resources {
            Some(resources) => resources.list(&identity_of(context)).await,
            None => Vec::new(),
        };
        let resources = resources.into_iter().take(MAX_LISTED).map(wire_resource);
        let list = ListResourcesResult::with_all_items(resources.collect());
        Ok(cached!(list, context, LIST_TTL))
    }

    pub(super) async fn templates(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = match &self.0.server.resources {
            Some(resources) => resources.templates(&identity_of(context)).await,
            None => Vec::new(),
        };
        let templates = templates.into_iter().take(MAX_LISTED).map(wire_template);
        let list = ListResourceTemplatesResult::with_all_items(templates.collect());
        Ok(cached!(list, context, LIST_TTL))
    }

    pub(super) async fn resource(
        &self,
        request: ReadResourceRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let identity = identity_of(context);
        let subject = identity.subject.clone();
        let origin = Origin {
            subject: &subject,
            method: "resources/read",
            name: &uri,
            arguments: &CallArguments::Value(Value::Null),
        };
        let sealed = request.request_state.as_deref();
        let round = Round::open(&self.0.seals, origin, sealed, request.input_responses)?;
        let cx = ClientContext::new(identity, input_of(context, &round));
        let output = match &self.0.server.resources {
            Some(resources) => resources.read(&uri, &cx).await,
            None => Err(ContentError::NotFound),
        };
        match self.settled(output, cx.input.take_asked(), round, context)? {
            Settled::Done(output) => {
                let contents = wire_contents(uri.clone(), output.media_type, output.contents);
                let result = ReadResourceResult::new(vec![contents]);
                Ok(ReadResourceResponse::Complete(cached!(result, context, 0)))
            }
            Settled::Missing => {
                let details = Some(json!({"uri": uri}));
                Err(ErrorData::resource_not_found(
                    "the resource does not exist",
                    details,
                ))
            }
            Settled::Required(required) => Ok(ReadResourceResponse::InputRequired(*required)),
        }
    }

    pub(super) async fn completion(
        &self,
        request: CompleteRequestParams,
    ) -> Result<CompleteResult, ErrorData> {
        let (name, value) = (&request.argument.name, &request.argument.value);
        let server = &self.0.server;
        let mut values = match (&request.r#ref, &server.prompts, &server.resources) {
            (Reference::Prompt(prompt), Some(prompts), _) => {
                prompts.complete(&prompt.name, name, value).await
            }
            (Reference::Resource(resource), _, Some(resources)) => {
                resources.complete(&resource.uri, name, value).await
            }
            _ => Vec::new(),
        };
        values.truncate(MAX_SUGGESTIONS);
        let values = CompletionInfo::new(values);
        let values = values.map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(values))
    }

    fn served_prompts(&self) -> Result<&dyn Prompts, ErrorData> {
        let prompts = self.0.server.prompts.as_deref();
        prompts.ok_or_else(|| {
            ErrorData::new(
                rmcp::model::ErrorCode::METHOD_NOT_FOUND,
                "the server has no prompts",
                None,
            )
        })
    }

    fn settled<T>(
        &self,
        output: Result<T, ContentError>,
        asked: Asked,
        round: Round<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Settled<T>, ErrorData> {
        let error = match output {
            Ok(output) => return Ok(Settled::Done(output)),
            Err(ContentError::NotFound) => return Ok(Settled::Missing),
            Err(error) => error,
        };
        match error {
            ContentError::Input(InputError::Pending) if is_current(context) => {
                let required = round.required(&self.0.seals, asked)?;
                Ok(Settled::Required(Box::new(required)))
            }
            ContentError::Input(InputError::Unsupported(method)) => Err(missing_capability(method)),
            ContentError::Failed(source) => {
                tracing::warn!(%source, "the content could not be read");
                Err(ErrorData::internal_error(
                    "the content cannot be read",
                    None,
                ))
            }
            error => Err(ErrorData::invalid_params(error.to_string(), None)),
        }
    }
}

/// Result of a prompt or a resource.
enum Settled<T> {
    Done(T),
    Missing,
    Required(Box<rmcp::model::InputRequiredResult>),
}

fn unknown_prompt(name: &str, known: &[Prompt]) -> ErrorData {
    let names: Vec<&str> = known.iter().take(20).map(|prompt| &*prompt.name).collect();
    let reason = format!(
        "there is no prompt `{name}`; the prompts are: {}",
        names.join(", ")
    );
    ErrorData::invalid_params(reason, None)
}

fn require_arguments(prompt: &Prompt, arguments: &Map<String, Value>) -> Result<(), ErrorData> {
    let missing = prompt
        .arguments
        .iter()
        .find(|argument| argument.is_required && !arguments.contains_key(&argument.name));
    match missing {
        Some(argument) => {
            let reason = format!("the argument `{}` is required", argument.name);
            Err(ErrorData::invalid_params(reason, None))
        }
        None => Ok(()),
    }
}

fn wire_output(output: PromptOutput) -> GetPromptResult {
    let messages = output.messages.into_iter().filter_map(|(role, content)| {
        let role = match role {
            Role::User => WireRole::User,
            Role::Assistant => WireRole::Assistant,
        };
        Some(PromptMessage::new(role, wire_block(content)?))
    });
    let mut result = GetPromptResult::new(messages.collect());
    result.description = output.description;
    result
}
