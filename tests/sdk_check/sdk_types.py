"""What the vendors' own types say about tools, messages and responses."""

import functools
from collections.abc import Iterator, Mapping

import anthropic.types
import google.genai.types
import ollama
import openai.types.chat
from pydantic import TypeAdapter, ValidationError

MAX_ERRORS = 3


def plain(value):
    """The value without pydantic's lazy iterators and models."""
    if hasattr(value, "model_dump"):
        return value.model_dump(by_alias=True, exclude_unset=True)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, Iterator)) or "ValidatorIterator" in type(value).__name__:
        return [plain(item) for item in value]
    return value


adapter_of = functools.cache(TypeAdapter)


def against(kind, value, exact=True):
    """Faults of the value; with `exact` also each key that the type does not know."""
    # The adapter has a name, because what it reads lazily fails once it is gone.
    adapter = adapter_of(kind)
    try:
        read = plain(adapter.validate_python(value))
    except ValidationError as error:
        listed = error.errors(include_url=False, include_input=False)[:MAX_ERRORS]
        return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in listed]
    except AttributeError as error:
        # google-genai's own reading of a type fails on a list without saying where.
        return [f"the type cannot read it: {error}"]
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


TOOL = {
    "openai": openai.types.chat.ChatCompletionFunctionToolParam,
    "anthropic": anthropic.types.ToolParam,
    "gemini": google.genai.types.Tool,
    "gemini_openapi": google.genai.types.Tool,
    "ollama": ollama.Tool,
}

MESSAGE = {
    "openai": openai.types.chat.ChatCompletionMessageParam,
    "anthropic": anthropic.types.MessageParam,
    "gemini": google.genai.types.Content,
    "gemini_openapi": google.genai.types.Content,
    "ollama": ollama.Message,
}

RESPONSE = {
    "openai": openai.types.chat.ChatCompletion,
    "anthropic": anthropic.types.Message,
    "gemini": google.genai.types.GenerateContentResponse,
    "gemini_openapi": google.genai.types.GenerateContentResponse,
    "ollama": ollama.ChatResponse,
}

# What a whole response has around the part that a fixture is about.
ENVELOPE = {
    "openai": {"id": "r", "object": "chat.completion", "created": 0, "model": "m"},
    "anthropic": {
        "id": "r", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
}

CHOICE = {
    "openai": openai.types.chat.ChatCompletionToolChoiceOptionParam,
    "anthropic": anthropic.types.ToolChoiceParam,
    "gemini": google.genai.types.ToolConfig,
    "gemini_openapi": google.genai.types.ToolConfig,
}


def tool_faults(provider, tool):
    # The Python client reads less of a property than the server keeps, so keys are not compared.
    return against(TOOL[provider], tool, exact=provider == "openai")


def message_faults(provider, message):
    if provider == "ollama" and "images" in message:
        # The client wraps the text that it sends.
        message = {**message, "images": [{"value": image} for image in message["images"]]}
    return against(MESSAGE[provider], message, exact=provider in ("openai", "anthropic"))


def choice_faults(provider, choice):
    return against(CHOICE[provider], choice) if provider in CHOICE else ["there is no choice"]


def response_faults(provider, response):
    return against(RESPONSE[provider], {**ENVELOPE.get(provider, {}), **response}, exact=False)
