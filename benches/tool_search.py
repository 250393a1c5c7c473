#!/usr/bin/env python3
"""Recall of `toolbox search` among the first five tools, on two public collections that are not part of this repository.

    benches/tool_search.py DIRECTORY [TOOLBOX]
    benches/tool_search.py --tokens [TOOLBOX]

DIRECTORY has checkouts of `icip-cas/LiveMCPBench` and `ShishirPatil/gorilla`, in directories of these names. With `--tokens`,
prints what 500 definitions of published servers cost instead: a token for every four bytes.
"""
import json, re, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
TOOLBOX = sys.argv[2] if len(sys.argv) > 2 else "target/debug/toolbox"
BFCL = ROOT / "gorilla/berkeley-function-call-leaderboard/bfcl_eval/data"
FILES = ["simple_python", "multiple", "live_simple", "live_multiple"]


def search(tools, queries):
    """The names that each query finds."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(tools, file)
        file.flush()
        command = [TOOLBOX, "search", "--batch", "--limit", "5", "--tools", file.name]
        lines = "\n".join(" ".join(query.split()) for query in queries) + "\n"
        found = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [{tool["name"] for tool in json.loads(line)} for line in found.stdout.splitlines()]


def numbered(text):
    return [re.sub(r"^\s*\d+\.\s*", "", line).strip() for line in text.splitlines() if line.strip()]


def live_mcp():
    servers = json.loads((ROOT / "LiveMCPBench/tools/LiveMCPTool/tools.json").read_text())
    listed = [tool for server in servers for group in server["tools"].values() for tool in group["tools"]]
    tools = [{"name": tool["name"], "description": tool.get("description") or "", "schema": tool.get("inputSchema") or {}} for tool in listed]
    names = {tool["name"] for tool in tools}
    tasks = [task["Annotator Metadata"] for task in json.loads((ROOT / "LiveMCPBench/annotated_data/all_annotations.json").read_text())]
    steps = [numbered(task["Steps"]) for task in tasks]
    found = iter(search(tools, [step for task in steps for step in task]))
    hits = total = 0
    for task, queries in zip(tasks, steps):
        seen = set().union(*[next(found) for _ in queries])
        wanted = [name for name in dict.fromkeys(numbered(task["Tools"])) if name in names]
        total += len(wanted)
        hits += sum(name in seen for name in wanted)
    return hits, total


def bfcl():
    tools, queries, wanted = {}, [], []
    for name in FILES:
        answers = [json.loads(line) for line in (BFCL / f"possible_answer/BFCL_v4_{name}.json").read_text().splitlines()]
        answers = {answer["id"]: {call for calls in answer["ground_truth"] for call in calls} for answer in answers}
        for line in (BFCL / f"BFCL_v4_{name}.json").read_text().splitlines():
            case = json.loads(line)
            for tool in case["function"]:
                tools.setdefault(tool["name"], {"name": tool["name"], "description": tool["description"], "schema": tool["parameters"]})
            queries.append(" ".join(message["content"] for turn in case["question"] for message in turn if message["role"] == "user"))
            wanted.append(answers[case["id"]])
    found = search(list(tools.values()), queries)
    return sum(names <= seen for names, seen in zip(wanted, found)), len(queries)


def definitions(count):
    """Definitions of all published servers in turn, under unique names."""
    files = sorted((Path(__file__).parent.parent / "tests/fixtures/definitions").glob("*.jsonl"))
    lines = [line for file in files for line in file.read_text().splitlines()]
    tools = [json.loads(lines[at * len(lines) // count]) for at in range(count)]
    return [{**tool, "name": f"{tool['name'][:50]}_{at}"} for at, tool in enumerate(tools)]


def convert(tools, provider, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(tools, file)
        file.flush()
        command = [TOOLBOX, "convert", "--provider", provider, "--strict", "off", "--tools", file.name, *options]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["tools"]


def size(value):
    return -(-len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()) // 4)


def tokens():
    tools = definitions(500)
    always = ["--search", tools[0]["name"]]
    deferred = lambda converted: [tool for tool in converted if "defer_loading" in tool]
    shown = lambda converted: [tool for tool in converted if "defer_loading" not in tool]
    print("| 500 definitions | sent without a search | sent | seen at first |\n|---|---:|---:|---:|")
    for title, provider, model, reads in [
        ("OpenAI's search", "openai_responses", "gpt-5.5", lambda tool: [tool["name"], tool["description"]]),
        ("Anthropic's search", "anthropic", "claude-opus-5", None),
    ]:
        converted = convert(tools, provider, *always, "--model", model)
        seen = size(shown(converted)) + size([reads(tool) for tool in deferred(converted)] if reads else [])
        print(f"| {title} | {size(convert(tools, provider)):,} | {size(converted):,} | {seen:,} |")
    ours, every = convert(tools, "openai", *always), size(convert(tools, "openai"))
    for title, local in [("`search_tools` and `call_tool`", ours), ("`search_tools` (`SearchForm::Append`)", ours[:-1])]:
        print(f"| {title} | {every:,} | {size(local):,} | {size(local):,} |")


if sys.argv[1] == "--tokens":
    sys.exit(tokens())
for title, (hits, total) in [("LiveMCPBench", live_mcp()), ("BFCL", bfcl())]:
    print(f"{title}: {hits} of {total} wanted tools among the first five: {hits / total:.3f}")
