"""Validation of tools, messages and responses against the vendors' types."""

import functools
from collections.abc import Iterator, Mapping

import anthropic.types
import botocore.session
import botocore.validate
import cohere
import google.genai.types
import groq.types.chat
import mcp.types
import mistralai.client.models
import ollama
import openai.types.chat
import openai.types.responses
import openai.types.responses.response_create_params
import openai.types.shared_params
from pydantic import TypeAdapter, ValidationError

MAX_ERRORS = 3


def plain(value):
    """Replaces pydantic's lazy iterators and models by plain values."""
    if hasattr(value, "model_dump"):
        return value.model_dump(by_alias=True, exclude_unset=True)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, Iterator)) or "ValidatorIterator" in type(value).__name__:
        return [plain(item) for item in value]
    return value


adapter_of = functools.cache(TypeAdapter)


def against(kind, value, exact=True):
    """Returns the errors of the value; with `exact`, also keys that are unknown to the type."""
    # Keep a reference to the adapter: lazily validated values fail after it is freed.
    adapter = adapter_of(kind)
    try:
        read = plain(adapter.validate_python(value))
    except ValidationError as error:
        listed = error.errors(include_url=False, include_input=False)[:MAX_ERRORS]
        return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in listed]
    except AttributeError as error:
        # google-genai raises this error for a list, without a location.
        return [f"the type cannot be validated: {error}"]
    return list(unknown(value, read, "")) if exact else []


def unknown(sent, read, place):
    if isinstance(sent, dict) and isinstance(read, dict):
        for key, value in sent.items():
            if key not in read:
                yield f"{place}/{key}: the type has no such key"
            else:
                yield from unknown(value, read[key], f"{place}/{key}")
    elif isinstance(sent, list) and isinstance(read, list):
        for index, (left, right) in enumerate(zip(sent, read)):
            yield from unknown(left, right, f"{place}/{index}")


# Providers whose documentation refers to OpenAI's Chat Completions; they use its types.
CHAT = ("azure", "copilot", "deepseek", "openrouter", "xai")

TOOL = {
    **dict.fromkeys(CHAT, openai.types.chat.ChatCompletionFunctionToolParam),
    "groq": groq.types.chat.ChatCompletionToolParam,
    "openai_responses": openai.types.responses.FunctionToolParam,
    "openai_flat": openai.types.shared_params.FunctionDefinition,
    "mistral": mistralai.client.models.Tool,
    "cohere": cohere.ToolV2,
    "mcp": mcp.types.Tool,
    "openai": openai.types.chat.ChatCompletionFunctionToolParam,
    "anthropic": anthropic.types.ToolParam,
    "gemini": google.genai.types.Tool,
    "gemini_openapi": google.genai.types.Tool,
    "ollama": ollama.Tool,
}

# Tools with which a model searches among deferred ones.
SEARCH = {
    "openai_responses": openai.types.responses.ToolSearchToolParam,
    "anthropic": anthropic.types.ToolSearchToolBm25_20251119Param,
}

MESSAGE = {
    **dict.fromkeys((*CHAT, "openai_flat"), openai.types.chat.ChatCompletionMessageParam),
    "groq": groq.types.chat.ChatCompletionMessageParam,
    "openai_responses": openai.types.responses.ResponseInputItemParam,
    "mistral": mistralai.client.models.ChatCompletionRequestMessage,
    "cohere": cohere.ChatMessageV2,
    "mcp": mcp.types.SamplingMessage,
    "openai": openai.types.chat.ChatCompletionMessageParam,
    "anthropic": anthropic.types.MessageParam,
    "gemini": google.genai.types.Content,
    "gemini_openapi": google.genai.types.Content,
    "ollama": ollama.Message,
}

RESPONSE = {
    **dict.fromkeys((*CHAT, "openai_flat"), openai.types.chat.ChatCompletion),
    "groq": groq.types.chat.ChatCompletion,
    "openai_responses": openai.types.responses.Response,
    "mistral": mistralai.client.models.ChatCompletionResponse,
    "cohere": cohere.V2ChatResponse,
    "openai": openai.types.chat.ChatCompletion,
    "anthropic": anthropic.types.Message,
    "gemini": google.genai.types.GenerateContentResponse,
    "gemini_openapi": google.genai.types.GenerateContentResponse,
    "ollama": ollama.ChatResponse,
}

# Members of a complete response in addition to the members in a fixture.
COMPLETION = {"id": "r", "object": "chat.completion", "created": 0, "model": "m"}
ENVELOPE = {
    **dict.fromkeys((*CHAT, "groq", "openai_flat"), COMPLETION),
    "mistral": {**COMPLETION, "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}},
    "bedrock": {},
    "openai": {"id": "r", "object": "chat.completion", "created": 0, "model": "m"},
    "anthropic": {
        "id": "r", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
}

CHOICE = {
    **dict.fromkeys((*CHAT, "openai_flat"), openai.types.chat.ChatCompletionToolChoiceOptionParam),
    "groq": groq.types.chat.ChatCompletionToolChoiceOptionParam,
    "openai_responses": openai.types.responses.response_create_params.ToolChoice,
    "mistral": mistralai.client.models.ToolChoice | mistralai.client.models.ToolChoiceEnum,
    "mcp": mcp.types.ToolChoice,
    "openai": openai.types.chat.ChatCompletionToolChoiceOptionParam,
    "anthropic": anthropic.types.ToolChoiceParam,
    "gemini": google.genai.types.ToolConfig,
    "gemini_openapi": google.genai.types.ToolConfig,
}


@functools.cache
def bedrock_model():
    return botocore.session.get_session().get_service_model("bedrock-runtime")


def against_shape(name, value):
    """Returns the errors of the value by a shape of Bedrock's service model, including unknown keys."""
    report = botocore.validate.ParamValidator().validate(value, bedrock_model().shape_for(name))
    return [report.generate_report()] if report.has_errors() else []


def is_search(tool):
    return tool.get("type", "").startswith("tool_search")


def tool_faults(provider, tool):
    if is_search(tool):
        return against(SEARCH[provider], tool)
    if provider == "bedrock":
        return against_shape("Tool", tool)
    # The Python client drops property keys that the server keeps, so do not compare keys.
    return against(TOOL[provider], tool, exact=provider in ("openai", "openai_responses", "mcp"))


def message_faults(provider, message):
    if provider == "bedrock":
        return against_shape("Message", message)
    if provider == "ollama" and "images" in message:
        # The client wraps the text.
        message = {**message, "images": [{"value": image} for image in message["images"]]}
    if provider == "openai":
        # Other servers with this format send it, and reject a conversation without it.
        message = {key: value for key, value in message.items() if key != "reasoning_content"}
    return against(MESSAGE[provider], message, exact=provider in ("openai", "anthropic", "mcp"))


def choice_faults(provider, choice):
    if provider == "bedrock":
        return against_shape("ToolConfiguration", choice)
    if provider == "cohere":
        return [] if choice in ("NONE", "REQUIRED") else [f"the choice {choice!r}"]
    return against(CHOICE[provider], choice) if provider in CHOICE else ["there is no choice"]


def response_faults(provider, response):
    if provider == "bedrock":
        return against_shape("ConverseResponse", response)
    if provider == "mcp":
        response = response.get("params", response.get("result", response))
        kind = mcp.types.CallToolRequestParams if "name" in response else mcp.types.CreateMessageResultWithTools
        return against(kind, response)
    return against(RESPONSE[provider], {**ENVELOPE.get(provider, {}), **response}, exact=False)
