"""Documented rules for tools that the types do not express."""

import re

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

ONE = {
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties",
}
LISTS = {"anyOf", "oneOf", "allOf", "prefixItems"}
NAMED = {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}

ROOT_UNIONS = {"oneOf", "anyOf", "allOf"}
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
OPENAI_STRICT = {
    "type", "enum", "const", "anyOf", "items", "properties", "required", "description", "title", "pattern", "format",
    "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "minLength",
    "maxLength", "additionalProperties", "$defs", "$ref",
}
FEWEST = {
    "type", "enum", "const", "anyOf", "items", "properties", "required", "description", "additionalProperties", "$defs", "$ref",
}
ANTHROPIC_STRICT = {
    "type", "enum", "const", "anyOf", "items", "properties", "required", "description", "title", "pattern", "format",
    "minItems", "additionalProperties", "$defs", "$ref", "default", "$schema",
}
GEMINI_OPENAPI = {
    "type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties",
    "required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "minimum", "maximum", "anyOf",
    "propertyOrdering", "default", "example",
}
GEMINI_JSON = {
    "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems",
    "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
    "propertyOrdering",
}
OLLAMA_ROOT = {"type", "$defs", "items", "required", "properties"}
OLLAMA = {"anyOf", "type", "items", "description", "enum", "properties", "required"}


def children(schema):
    for keyword, value in schema.items():
        if keyword in ONE and not isinstance(value, list):
            yield f"/{keyword}", value
        elif keyword in LISTS or (keyword in ONE and isinstance(value, list)):
            yield from ((f"/{keyword}/{at}", item) for at, item in enumerate(value))
        elif keyword in NAMED and isinstance(value, dict):
            yield from ((f"/{keyword}/{name}", item) for name, item in value.items())


def walk(schema, place=""):
    """Yields every nested schema with its location, outer schemas first."""
    yield place, schema
    if isinstance(schema, dict):
        for step, child in children(schema):
            yield from walk(child, place + step)


def kinds(schema):
    kind = schema.get("type", [])
    return kind if isinstance(kind, list) else [kind]


def resolve(root, reference):
    if not reference.startswith("#"):
        return None
    if reference[1:] and not reference.startswith("#/"):
        anchors = [inner for _, inner in walk(root) if isinstance(inner, dict) and inner.get("$anchor") == reference[1:]]
        return anchors[0] if anchors else None
    found = root
    for part in [part for part in reference[1:].split("/") if part]:
        part = re.sub("%([0-9A-Fa-f]{2})", lambda code: chr(int(code[1], 16)), part)
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(part)] if part.isdigit() and int(part) < len(found) else None
        else:
            found = found.get(part) if isinstance(found, dict) else None
    return found


def common(schema, elsewhere=False):
    """Yields violations of the rules of every provider: a valid object schema whose references resolve.

    With `elsewhere`, references may be external, for protocols that forward schemas verbatim."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f"{error.json_path}: {error.message}"
    if schema.get("type") != "object":
        yield "the root is not an object"
    for place, inner in walk(schema):
        if not isinstance(inner, dict):
            continue
        target = inner.get("$ref")
        is_here = target is not None and (target.startswith("#") or not elsewhere)
        if is_here and resolve(schema, target) is None:
            yield f"{place}/$ref: cannot be resolved: {target}"
        if inner.get("enum") == [] or inner.get("anyOf") == []:
            yield f"{place}: no value is valid"
        if any("\0" in key for key in inner):
            yield f"{place}: a marker remains"


def foreign(schema, known):
    for place, inner in walk(schema):
        for keyword in inner if isinstance(inner, dict) else []:
            if keyword not in known:
                yield f"{place}/{keyword}: unknown keyword"


def lookaround(pattern):
    return bool(re.search(r"\(\?(=|!|<=|<!)", pattern))


def backreference(pattern):
    # Remove escaped backslashes first, so that `\\1` is not treated as a reference.
    return bool(re.search(r"\\[1-9k]|\(\?P=", pattern.replace("\\\\", "")))


def depth(schema):
    if not isinstance(schema, dict):
        return 0
    return ("properties" in schema) + max([depth(child) for _, child in children(schema)], default=0)


def circles(schema):
    """Returns the references of each definition through which it refers to itself."""
    graph = {
        f"#/$defs/{name}": {inner["$ref"] for _, inner in walk(body) if isinstance(inner, dict) and "$ref" in inner}
        for name, body in schema.get("$defs", {}).items()
    }
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    graph["#"] = {inner["$ref"] for _, inner in walk(rest) if isinstance(inner, dict) and "$ref" in inner}

    def reached(start):
        seen, waiting = set(), list(graph.get(start, []))
        while waiting:
            if (target := waiting.pop()) not in seen:
                seen.add(target)
                waiting.extend(graph.get(target, []))
        return seen

    return {name for name in graph if name in reached(name)}


def openai_root(schema):
    for keyword in sorted((ROOT_UNIONS | {"enum", "const", "not"}) & schema.keys()):
        yield f"/{keyword}: not at the root"
    if not isinstance(schema.get("properties"), dict):
        yield "the root has no properties"
    for place, inner in walk(schema):
        if isinstance(inner, dict) and "array" in kinds(inner) and not isinstance(inner.get("items"), dict):
            yield f"{place}: an array without items"


def closed(place, schema):
    if "object" in kinds(schema) or "properties" in schema:
        if schema.get("properties") and schema.keys() & {"anyOf", "$ref"}:
            yield f"{place}: alternatives of a closed object"
        if schema.get("additionalProperties") is not False:
            yield f"{place}: an open object"


def openai_strict(schema):
    yield from foreign(schema, OPENAI_STRICT)
    for place, inner in walk(schema):
        if inner is False and place.endswith("/additionalProperties"):
            continue
        if not isinstance(inner, dict):
            yield f"{place}: a boolean schema"
            continue
        yield from closed(place, inner)
        if sorted(inner.get("required", [])) != sorted(inner.get("properties", {})):
            yield f"{place}: not every property is required"
        if "type" not in inner and "anyOf" not in inner and "$ref" not in inner:
            yield f"{place}: no type"
        if "$ref" in inner and len(inner) > 1:
            yield f"{place}/$ref: has siblings"
        if "$ref" in inner and not re.fullmatch(r"#(/\$defs/[^/]+)?", inner["$ref"]):
            yield f"{place}/$ref: refers to a part of a definition"
        if inner.get("format", "date") not in FORMATS:
            yield f"{place}/format: {inner['format']}"
        if lookaround(inner.get("pattern", "")):
            yield f"{place}/pattern: has look-around"
    yield from openai_limits(schema)


def openai_limits(schema):
    inner = [one for _, one in walk(schema) if isinstance(one, dict)]
    names = [name for one in inner for name in [*one.get("properties", {}), *one.get("$defs", {})]]
    enums = [one["enum"] for one in inner if "enum" in one]
    texts = names + [value for enum in enums for value in enum if isinstance(value, str)]
    texts += [one["const"] for one in inner if isinstance(one.get("const"), str)]
    for count, most, what in [
        (sum(len(one.get("properties", {})) for one in inner), 5000, "properties"),
        (depth(schema), 10, "levels"),
        (sum(map(len, enums)), 1000, "values"),
        (sum(map(len, texts)), 120000, "characters"),
    ]:
        if count > most:
            yield f"{count} {what}"
    for enum in enums:
        if len(enum) > 250 and sum(len(value) for value in enum if isinstance(value, str)) > 15000:
            yield "a long enum"


def anthropic(schema):
    for keyword in sorted(ROOT_UNIONS & schema.keys()):
        yield f"/{keyword}: not at the root"
    for key in schema.get("properties", {}):
        if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", key):
            yield f"/properties/{key}: invalid key"


def anthropic_strict(schema):
    yield from foreign(schema, ANTHROPIC_STRICT)
    if circles(schema):
        yield "is recursive"
    for place, inner in walk(schema):
        if not isinstance(inner, dict):
            continue
        yield from closed(place, inner)
        if inner.get("format", "uri") not in FORMATS | {"uri"}:
            yield f"{place}/format: {inner['format']}"
        if inner.get("minItems", 0) > 1:
            yield f"{place}/minItems: above 1"
        if lookaround(inner.get("pattern", "")) or backreference(inner.get("pattern", "")):
            yield f"{place}/pattern: not simple"
        if any(isinstance(value, (dict, list)) for value in [*inner.get("enum", []), inner.get("const")]):
            yield f"{place}: a value that is not a scalar"


def gemini_openapi(schema):
    yield from foreign(schema, GEMINI_OPENAPI)
    if not schema.get("properties"):
        yield "the root has no properties"
    for place, inner in walk(schema):
        if not isinstance(inner, dict):
            yield f"{place}: a boolean schema"
            continue
        yield from gemini_openapi_place(place, inner)


def gemini_openapi_place(place, schema):
    kind = schema.get("type")
    formats = {"string": {"date-time"}, "integer": {"int32", "int64"}, "number": {"float", "double"}}
    if kind is not None and kind not in ("object", "array", "string", "integer", "number", "boolean"):
        yield f"{place}/type: {kind}"
    if kind is None and "anyOf" not in schema:
        yield f"{place}: no type"
    if "enum" in schema and (kind != "string" or not all(isinstance(value, str) for value in schema["enum"])):
        yield f"{place}/enum: not of texts"
    if "enum" in schema and "" in schema["enum"]:
        yield f"{place}/enum: an empty text"
    if "format" in schema and schema["format"] not in formats.get(kind, set()):
        yield f"{place}/format: {schema['format']}"
    if "anyOf" in schema and schema.keys() - {"anyOf", "description", "nullable"}:
        yield f"{place}/anyOf: has neighbours {sorted(schema)}"
    if "anyOf" in schema and not schema["anyOf"]:
        yield f"{place}/anyOf: empty"
    if kind == "array" and "items" not in schema:
        yield f"{place}: an array without items"
    if set(schema.get("required", [])) - schema.get("properties", {}).keys():
        yield f"{place}/required: unknown names"


def gemini_json(schema):
    yield from foreign(schema, GEMINI_JSON)
    endless = circles(schema)
    for place, inner in walk(schema):
        if not isinstance(inner, dict):
            continue
        values = inner.get("enum", [])
        if any(isinstance(value, bool) or not isinstance(value, (str, int, float)) for value in values):
            yield f"{place}/enum: neither texts nor numbers"
        if "$ref" in inner and any(not key.startswith("$") for key in inner):
            yield f"{place}/$ref: has siblings"
        yield from required_circles(place, inner, endless)


def required_circles(place, schema, endless):
    owner = "#" if not place.startswith("/$defs/") else "/".join(["#", *place.split("/")[1:3]])
    for name in schema.get("required", []):
        property = schema.get("properties", {}).get(name, {})
        targets = {inner.get("$ref") for _, inner in walk(property) if isinstance(inner, dict)}
        if owner in endless and targets & endless:
            yield f"{place}/required: {name} goes on inside itself"


def ollama(schema):
    for keyword in schema.keys() - OLLAMA_ROOT:
        yield f"/{keyword}: vanishes at the root"
    if not isinstance(schema.get("properties"), dict):
        yield "the root has no properties"
    for place, inner in walk(schema):
        if isinstance(inner, dict) and place:
            for keyword in inner.keys() - OLLAMA:
                yield f"{place}/{keyword}: vanishes"


def protocol(schema):
    if schema.get("type") != "object":
        yield "the root is not of type object"


def fewer_keywords(schema):
    for place, inner in walk(schema):
        for keyword in inner.keys() - FEWEST if isinstance(inner, dict) else ():
            yield f"{place}/{keyword}: not taken"


def no_references(schema):
    for place, inner in walk(schema):
        if isinstance(inner, dict) and "$ref" in inner:
            yield f"{place}: a reference"


def name_faults(provider, names):
    pattern = {
        "ollama": r"(?s).+", "mcp": r"[A-Za-z0-9._-]{1,128}",
        "gemini": r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}", "gemini_openapi": r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}",
    }.get(provider, r"[a-zA-Z0-9_-]{1,64}")
    for name in names:
        if not re.fullmatch(pattern, name):
            yield f"the name {name!r}"
    if len(set(names)) != len(names):
        yield "two tools have one name"


def schema_faults(provider, schema, strict):
    yield from common(schema, elsewhere=provider == "mcp") if provider != "gemini_openapi" else []
    rules = {
        "anthropic": [anthropic] + [anthropic_strict] * strict,
        "bedrock": [anthropic] + [anthropic_strict] * strict,
        "azure": [openai_root] + [openai_strict, fewer_keywords] * strict,
        "deepseek": [openai_root] + [openai_strict, fewer_keywords, no_references] * strict,
        "mcp": [protocol],
        "gemini": [gemini_json],
        "gemini_openapi": [gemini_openapi],
        "ollama": [ollama],
    }.get(provider, [openai_root] + [openai_strict] * strict)
    for rule in rules:
        yield from rule(schema)
