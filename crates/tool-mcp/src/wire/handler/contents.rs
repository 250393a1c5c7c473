//! Prompts and resources, which the host returns in the form of the protocol.

use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ErrorCode, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, Prompt, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Reference, ResultType, ServerCapabilities,
};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tool_core::CallArguments;

use super::call::input_of;
use super::client::{identity_of, is_current};
use super::rounds::{Origin, Round, missing_capability};
use super::{Context, RegistryHandler, Reply};
use crate::McpServer;
use crate::server::{ClientContext, ContentError, InputError, Prompts};

/// Maximum number of listed prompts, resources or templates.
const MAX_LISTED: usize = 1_000;

/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 100;

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

impl RegistryHandler {
    pub(super) async fn prompts(&self, context: &Context) -> Reply<ListPromptsResult> {
        let prompts = self.served_prompts()?;
        let prompts = valid(prompts.list(&identity_of(context)).await);
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    pub(super) async fn prompt(
        &self,
        request: GetPromptRequestParams,
        context: &Context,
    ) -> Reply<GetPromptResponse> {
        let prompts = self.served_prompts()?;
        let arguments = request.arguments.unwrap_or_default();
        let identity = identity_of(context);
        let known: Vec<Prompt> = valid(prompts.list(&identity).await);
        let missing = || {
            let reason = format!("there is no prompt `{}`", request.name);
            ErrorData::invalid_params(reason, None)
        };
        let prompt = known.iter().find(|prompt| prompt.name == request.name);
        require_arguments(prompt.ok_or_else(missing)?, &arguments)?;
        let called = CallArguments::Value(Value::Object(arguments.clone()));
        let origin = Origin {
            subject: &identity.subject,
            method: "prompts/get",
            name: &request.name,
            arguments: &called,
        };
        let sealed = request.request_state.as_deref();
        let round = Round::open(&self.0.seals, origin, sealed, request.input_responses)?;
        let cx = ClientContext {
            identity: identity.clone(),
            input: input_of(context, &round),
        };
        match prompts.get(&request.name, &arguments, &cx).await {
            Ok(output) => {
                let mut result: GetPromptResult = parsed(output)?;
                result.result_type.get_or_insert(ResultType::COMPLETE);
                Ok(result.into())
            }
            Err(ContentError::NotFound) => Err(missing()),
            Err(ContentError::Input(InputError::Pending)) if is_current(context) => {
                Ok(round.required(cx.input.take_asked())?.into())
            }
            Err(ContentError::Input(InputError::Unsupported(method))) => {
                Err(missing_capability(method))
            }
            Err(error) => Err(failed(error)),
        }
    }

    pub(super) async fn resources(&self, context: &Context) -> Reply<ListResourcesResult> {
        let resources = match &self.0.server.resources {
            Some(resources) => resources.list(&identity_of(context)).await,
            None => Vec::new(),
        };
        Ok(ListResourcesResult::with_all_items(valid(resources)))
    }

    pub(super) async fn templates(&self, context: &Context) -> Reply<ListResourceTemplatesResult> {
        let templates = match &self.0.server.resources {
            Some(resources) => resources.templates(&identity_of(context)).await,
            None => Vec::new(),
        };
        Ok(ListResourceTemplatesResult::with_all_items(valid(
            templates,
        )))
    }

    pub(super) async fn resource(
        &self,
        request: ReadResourceRequestParams,
        context: &Context,
    ) -> Reply<ReadResourceResponse> {
        let uri = request.uri;
        let output = match &self.0.server.resources {
            Some(resources) => resources.read(&uri, &identity_of(context)).await,
            None => Err(ContentError::NotFound),
        };
        match output {
            Ok(contents) => Ok(ReadResourceResult::new(vec![parsed(contents)?]).into()),
            Err(ContentError::NotFound) => {
                let reason = "the resource does not exist";
                let details = Some(json!({"uri": uri}));
                Err(ErrorData::resource_not_found(reason, details))
            }
            Err(error) => Err(failed(error)),
        }
    }

    pub(super) async fn completion(&self, request: CompleteRequestParams) -> Reply<CompleteResult> {
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

    fn served_prompts(&self) -> Reply<&dyn Prompts> {
        let reason = "the server has no prompts";
        let missing = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, reason, None);
        self.0.server.prompts.as_deref().ok_or_else(missing)
    }
}

fn failed(error: ContentError) -> ErrorData {
    match error {
        ContentError::Failed(source) => unreadable(&*source),
        error => ErrorData::invalid_params(error.to_string(), None),
    }
}

/// Returns the valid items of a list. The others are logged.
fn valid<T: DeserializeOwned>(items: Vec<Value>) -> Vec<T> {
    let items = items.into_iter().take(MAX_LISTED);
    items.filter_map(|item| parsed(item).ok()).collect()
}

fn parsed<T: DeserializeOwned>(value: Value) -> Reply<T> {
    serde_json::from_value(value).map_err(|error| unreadable(&error))
}

/// Logs the reason, which may show details of the host, and returns an error without it.
fn unreadable(source: &dyn std::error::Error) -> ErrorData {
    tracing::warn!(%source, "the content could not be read");
    ErrorData::internal_error("the content cannot be read", None)
}

fn require_arguments(prompt: &Prompt, arguments: &Map<String, Value>) -> Reply<()> {
    let mut declared = prompt.arguments.iter().flatten();
    let missing = declared.find(|argument| {
        argument.required == Some(true) && !arguments.contains_key(&argument.name)
    });
    missing.map_or(Ok(()), |argument| {
        let reason = format!("the argument `{}` is required", argument.name);
        Err(ErrorData::invalid_params(reason, None))
    })
}
