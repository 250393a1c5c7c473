#!/usr/bin/env python3
"""Recall of `toolbox search` among the first five tools, on two public collections that are not part of this repository.

    benches/tool_search.py DIRECTORY [TOOLBOX]

DIRECTORY has checkouts of `icip-cas/LiveMCPBench` and `ShishirPatil/gorilla`, in directories of these names.
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


for title, (hits, total) in [("LiveMCPBench", live_mcp()), ("BFCL", bfcl())]:
    print(f"{title}: {hits} of {total} wanted tools among the first five: {hits / total:.3f}")
