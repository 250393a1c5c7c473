#!/usr/bin/env python3
"""Converts tests/fixtures/<provider>/<case>/<file> to tests/fixtures/cases/*.json: convert_fixtures.py [--delete] [ROOT]

Run in a tree with the old layout (ROOT, default: the working directory). Replaces tests/fixtures/cases, proves that each
old file equals the part that is resolved from the new files, and with --delete removes the old files after that. With
--check BASE only proves that the cases of the tree equal the old files of the Git revision BASE.
"""
import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

# In the order of `Provider::ALL`.
PROVIDERS = (
    "openai openai_responses openai_flat azure copilot groq deepseek xai openrouter mistral cohere anthropic bedrock "
    "gemini gemini_openapi ollama mcp"
).split()
PARTS = "options tools converted response stream decoded transcript request losses".split()
STREAMS = {"bedrock": "events.jsonl", "mcp": "events.jsonl", "ollama": "stream.ndjson"}
WIDTH = 100


def part_of(provider, file, text):
    """Returns the part of an old file and its value."""
    if file == STREAMS.get(provider, "stream.sse"):
        return "stream", text.split("\n")
    part = file.removesuffix(".json")
    assert f"{part}.json" == file and part in PARTS and part != "stream", (provider, file)
    value = json.loads(text)
    assert value is not None, (provider, file)
    return part, value


def old_files(root):
    """Yields the provider, the case, the name and the text of each old file."""
    for provider in PROVIDERS:
        for file in sorted((root / provider).rglob("*")):
            if file.is_file():
                case, name = file.relative_to(root / provider).parts
                yield provider, case, name, file.read_bytes().decode()


def committed_files(base):
    paths = subprocess.run(["git", "ls-tree", "-r", "--name-only", base, "tests/fixtures"], capture_output=True, text=True, check=True)
    for path in paths.stdout.split():
        parts = path.split("/")
        if parts[2] in PROVIDERS:
            shown = subprocess.run(["git", "show", f"{base}:{path}"], capture_output=True, check=True)
            yield parts[2], parts[3], parts[4], shown.stdout.decode()


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def lines(value, indent=0):
    """A value that fits is written in one line."""
    line = compact(value)
    if not isinstance(value, (list, dict)) or indent + len(line.encode()) <= WIDTH:
        return line
    pad = " " * (indent + 2)
    if isinstance(value, list):
        items = [pad + lines(item, indent + 2) for item in value]
    else:
        items = [f"{pad}{compact(key)}: {lines(member, indent + 2)}" for key, member in value.items()]
    opened, closed = "[]" if isinstance(value, list) else "{}"
    return opened + "\n" + ",\n".join(items) + "\n" + " " * indent + closed


def grouped(values):
    """Returns values by provider under keys that name all providers with the same value."""
    groups = {}
    for provider in PROVIDERS:
        if provider in values:
            # Objects are equal in any order of their keys, as in the tests.
            groups.setdefault(json.dumps(values[provider], sort_keys=True), []).append(provider)
    key = lambda names: "all" if names == PROVIDERS else " ".join(names)
    return {key(names): values[names[0]] for names in groups.values()}


def converted(old):
    """Returns the content of each new file by its name."""
    cases = defaultdict(lambda: defaultdict(dict))
    for provider, case, file, text in old:
        part, value = part_of(provider, file, text)
        assert provider not in cases[case][part], (provider, case, part)
        cases[case][part][provider] = value
    files = defaultdict(dict)
    for case in sorted(cases):
        parts = cases[case]
        having = {provider for values in parts.values() for provider in values}
        file = case if len(having) > 1 else having.pop()
        files[file][case] = {part: grouped(parts[part]) for part in PARTS if part in parts}
    return files


def resolved(folder):
    """Returns the value of each part by provider, case and part."""
    found = {}
    for file in sorted(folder.glob("*.json")):
        for case, parts in json.loads(file.read_text()).items():
            for part, groups in parts.items():
                for key, value in groups.items():
                    for provider in PROVIDERS if key == "all" else key.split(" "):
                        assert provider in PROVIDERS and (provider, case, part) not in found, (file, provider, case, part)
                        found[provider, case, part] = value
    return found


def check(folder, old):
    """Proves that the new files have each old value and nothing else."""
    found = resolved(folder)
    kinds = Counter()
    for provider, case, file, text in old:
        part, value = part_of(provider, file, text)
        new = found.pop((provider, case, part))
        # Streams are equal in every byte, other files in their values and (else it is said) the order of keys.
        same = "\n".join(new) == text if part == "stream" else compact(new) == compact(value)
        if not same and new == value:
            print(f"{provider}/{case}/{file} differs in the order of keys")
        assert same or new == value, f"{provider}/{case}/{file} differs"
        kinds[part] += 1
    assert not found, f"new without an old file: {sorted(found)}"
    print(f"{sum(kinds.values())} old files equal the new parts: {dict(kinds)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", default=".", type=Path)
    parser.add_argument("--delete", action="store_true")
    parser.add_argument("--check", metavar="BASE")
    options = parser.parse_args()
    root = options.root / "tests" / "fixtures"
    folder = root / "cases"
    if options.check:
        return check(folder, committed_files(options.check))
    old = list(old_files(root))
    if not old:
        sys.exit("no old fixtures")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file, cases in converted(old).items():
        (folder / f"{file}.json").write_text(lines(cases) + "\n")
    check(folder, old)
    print(f"{len(list(folder.iterdir()))} new files")
    if options.delete:
        for provider in PROVIDERS:
            shutil.rmtree(root / provider)


if __name__ == "__main__":
    main()
