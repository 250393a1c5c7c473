"""Validates converted definitions and fixtures against the vendors' types and documented rules. See README.md."""

import argparse
import functools
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
try:
    import rules
    import sdk_types
except ImportError as missing:
    print(f"skipped: {missing}; install the packages of requirements.txt", file=sys.stderr)
    sys.exit(0)

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CHAT = ["openai", "azure", "copilot", "groq", "deepseek", "xai", "openrouter", "mistral", "cohere"]
PROVIDERS = [
    *CHAT, "openai_responses", "openai_flat", "anthropic", "bedrock", "gemini", "gemini_openapi", "ollama", "mcp",
]
NEVER_STRICT = ["openai_flat", "gemini", "gemini_openapi", "ollama", "mcp"]
TARGETS = [
    *((provider, strict) for provider in PROVIDERS if provider not in NEVER_STRICT for strict in ("auto", "on", "off")),
    *((provider, "auto") for provider in NEVER_STRICT),
]
# Models that search among deferred tools with the tool of their provider. The others get our two tools.
SEARCHING = {"openai_responses": "gpt-5.5", "anthropic": "claude-opus-5"}
# Number of published tools in one request.
GROUP = 250
# Responses that violate the vendor's types and that decoders must accept.
NOT_AS_DOCUMENTED = {
    "response_bad_ids_and_arguments", "response_error_in_a_good_response", "response_arguments_as_text",
    "response_several_choices", "response_call_that_does_not_fit",
    "response_without_index_and_with_sealed_reasoning", "response_that_failed_in_the_middle", "response_error",
    "response_exception", "response_incomplete_for_an_unknown_reason",
}


def declared(provider, tool):
    """Returns the name, schema and strictness of each tool."""
    if provider in (*CHAT, "ollama"):
        function = tool["function"]
        return [(function["name"], function["parameters"], function.get("strict", False))]
    if provider in ("openai_responses", "openai_flat"):
        return [(tool["name"], tool["parameters"], tool.get("strict", False))]
    if provider == "bedrock":
        spec = tool["toolSpec"]
        return [(spec["name"], spec["inputSchema"]["json"], spec.get("strict", False))]
    if provider == "mcp":
        return [(tool["name"], tool["inputSchema"], False)]
    if provider == "anthropic":
        return [(tool["name"], tool["input_schema"], tool.get("strict", False))]
    key = "parameters" if provider == "gemini_openapi" else "parametersJsonSchema"
    return [(one["name"], one.get(key), False) for one in tool["functionDeclarations"]]


def converted_faults(provider, converted):
    """Yields errors in the output of `convert`."""
    tools = converted["tools"]
    for tool in tools:
        yield from sdk_types.tool_faults(provider, tool)
    every = [one for tool in tools if not sdk_types.is_search(tool) for one in declared(provider, tool)]
    yield from rules.name_faults(provider, [name for name, _, _ in every])
    for name, schema, strict in every:
        if schema is not None:
            yield from (f"{name}: {fault}" for fault in rules.schema_faults(provider, schema, strict))
    if "\\u0000" in json.dumps(converted):
        yield "a marker remains in a string"
    yield from request_faults(provider, converted)
    yield from (f"rejected without a reason: {one['tool']}" for one in converted["refused"] if not one["reason"])


def request_faults(provider, converted):
    request = dict(converted["request"])
    if provider == "bedrock":
        if request:
            yield from sdk_types.choice_faults(provider, request["toolConfig"])
        request = request.get("toolConfig", {})
    if request.pop("tools", []) != converted["tools"]:
        yield "the request contains other tools"
    if not converted["tools"] and request:
        yield f"the request without tools contains {sorted(request)}"
    for key in ("tool_choice", "toolChoice", "toolConfig"):
        if key in request and provider != "bedrock":
            yield from sdk_types.choice_faults(provider, request[key])


def messages_of(provider, request):
    if provider == "openai_responses":
        return request["input"]
    return request["contents" if provider.startswith("gemini") else "messages"]


def fixture_cases():
    """Yields each provider with each case, part and value. A key names the providers of a value, or is `all`."""
    for file in sorted((FIXTURES / "cases").glob("*.json")):
        for case, parts in json.loads(file.read_text()).items():
            values = ((part, names, value) for part, groups in parts.items() for names, value in groups.items())
            for part, names, value in values:
                for provider in PROVIDERS if names == "all" else names.split(" "):
                    yield provider, case, part, value


def fixture_faults(provider, case, part, value):
    if part == "converted":
        yield from converted_faults(provider, value)
    elif part in ("request", "returned"):
        for message in messages_of(provider, value):
            yield from sdk_types.message_faults(provider, message)
    elif part == "response" and case not in NOT_AS_DOCUMENTED:
        yield from sdk_types.response_faults(provider, value)


def convert(toolbox, provider, strict, tools, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(tools, file)
        file.flush()
        command = [toolbox, "convert", "--provider", provider, "--strict", strict, "--tools", file.name, *options]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)


def hard_cases(toolbox):
    """Converts each schema separately, and all schemas in one request."""
    schemas = json.loads((FIXTURES / "hard_schemas.json").read_text())
    groups = [(one["name"], [one]) for one in schemas] + [("all_together", schemas)]
    for (provider, strict), (name, tools) in itertools.product(TARGETS, groups):
        yield provider, strict, name, len(tools), convert(toolbox, provider, strict, tools)


def collected(step):
    """Yields every `step`-th tool of the published servers under a unique name."""
    lines = (line for file in sorted((FIXTURES / "definitions").glob("*.jsonl")) for line in file.read_text().splitlines())
    for at, tool in enumerate(map(json.loads, itertools.islice(lines, 0, None, step))):
        yield {**tool, "name": f"{tool['name']}_{at}"}


def collected_cases(toolbox, step):
    """Converts the published tools in groups for every provider in every mode."""
    tools = list(collected(step))
    groups = [tools[at:at + GROUP] for at in range(0, len(tools), GROUP)]
    for (provider, strict), (at, group) in itertools.product(TARGETS, enumerate(groups)):
        yield provider, strict, f"collected {at}", len(group), convert(toolbox, provider, strict, group)


def searched_cases(toolbox):
    """Converts every fiftieth published tool for models that search, all but the first one deferred."""
    tools = list(collected(50))
    for provider in PROVIDERS:
        options = ["--search", tools[0]["name"]]
        if provider in SEARCHING:
            native = convert(toolbox, provider, "auto", tools, *options, "--model", SEARCHING[provider])
            yield provider, "auto", "searched by the provider", len(tools), native
        ours = convert(toolbox, provider, "auto", tools, *options)
        # The first tool, `search_tools` and `call_tool`.
        yield provider, "auto", "searched by us", 3 + len(ours["refused"]), ours


def search_faults(name, converted):
    tools = converted["tools"]
    if name == "searched by the provider" and [sdk_types.is_search(tool) for tool in tools[:2]] != [True, False]:
        yield "the first tool is not the only one that searches"
    deferred = sum("defer_loading" in tool for tool in tools)
    if deferred != (len(tools) - 2 if name == "searched by the provider" else 0):
        yield f"{deferred} of {len(tools)} tools are deferred"


def hard_faults(provider, count, converted):
    yield from converted_faults(provider, converted)
    if len(converted["names"]) + len(converted["refused"]) != count:
        yield "a tool is neither said nor refused"


def report(place, faults):
    faults = list(faults)
    for fault in faults:
        print(f"{place}: {fault}")
    return len(faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--toolbox", help="the built example `toolbox`; with it the hard schemas are converted, too")
    parser.add_argument("--every", type=int, default=1, help="only every so-manieth tool of the published servers")
    options = parser.parse_args()
    if options.toolbox and not Path(options.toolbox).is_file():
        parser.error(f"{options.toolbox} does not exist; build it first")
    faults, parts, conversions, tools, refused = 0, 0, 0, 0, 0
    for provider, case, part, value in fixture_cases():
        faults += report(f"{provider}/{case}/{part}", fixture_faults(provider, case, part, value))
        parts += 1
    cases = [hard_cases, functools.partial(collected_cases, step=options.every), searched_cases] if options.toolbox else []
    for provider, strict, name, count, converted in itertools.chain(*(case(options.toolbox) for case in cases)):
        found = [*hard_faults(provider, count, converted), *search_faults(name, converted)]
        faults += report(f"{provider} {strict} {name}", found)
        conversions += 1
        tools += count
        refused += len(converted["refused"])
    print(f"{parts} parts, {conversions} conversions of {tools} tools ({refused} rejected), {faults} errors")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
