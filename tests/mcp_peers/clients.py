#!/usr/bin/env python3
"""Runs clients of others against `toolbox serve`, over stdio and HTTP.

Usage: clients.py DIRECTORY TOOLBOX. DIRECTORY holds the packages that .ci/mcp-peers installs.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

packages, toolbox = pathlib.Path(sys.argv[1]), sys.argv[2]
here = pathlib.Path(__file__).resolve().parent
npm = packages / "npm/node_modules"
environment = {**os.environ, "PATH": f"{npm / 'node/bin'}:{os.environ['PATH']}"}
work = pathlib.Path(tempfile.mkdtemp())

# Tool, arguments, whether it fails, and part of its content.
CALLS = [
    ("read", {"path": "note.txt"}, False, "two"),
    ("read", {"path": "none.txt"}, True, "does not exist"),
    ("read", {}, True, "path"),
    ("write", {"path": "new.txt", "content": "x"}, False, "1 byte"),
    ("bash", {"command": "curl https://example.com"}, True, "approv"),
]

OLD, NEW = "2025-11-25", "2026-07-28"

# Client, command before the target, mode, and the expected revision.
CLIENTS = [
    ("TypeScript SDK", ["node", str(here / "client.mjs"), str(packages / "npm")], "legacy", OLD),
    ("Python SDK", [str(packages / "sdk/bin/python"), str(here / "client_sdk.py")], "legacy", OLD),
    ("Python SDK", [str(packages / "sdk/bin/python"), str(here / "client_sdk.py")], "auto", NEW),
    ("fastmcp", [str(packages / "fastmcp/bin/python"), str(here / "client_fastmcp.py")], "legacy", OLD),
    ("fastmcp", [str(packages / "fastmcp/bin/python"), str(here / "client_fastmcp.py")], "auto", NEW),
]


def run(command):
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, cwd=work)


def document(text):
    """Returns the JSON after other lines, such as notices of the inspector."""
    return json.loads(text[text.index("{") :])


def program(command, target, mode):
    """Returns the revision, the tools and the results of the calls."""
    calls = json.dumps([call[:2] for call in CALLS])
    target = target if isinstance(target, str) else json.dumps(target)
    ran = run([*command, target, mode, calls])
    if ran.returncode != 0:
        return None, [], [], ran.stderr[-1000:]
    output = document(ran.stdout)
    return output["protocol"], output["tools"], output["results"], ""


def inspector(target):
    """Like `program`, but with the command line of the inspector, which does not print the revision."""
    cli = [str(npm / ".bin/mcp-inspector"), "--cli"]
    cli += [target, "--transport", "http"] if isinstance(target, str) else target
    listed = run([*cli, "--method", "tools/list"])
    if listed.returncode != 0:
        return None, [], [], listed.stderr[-1000:]
    tools = [tool["name"] for tool in document(listed.stdout)["tools"]]
    results = []
    for name, arguments, _, _ in CALLS:
        given = [f"{key}={value}" for key, value in arguments.items()]
        options = ["--tool-arg", *given] if given else []
        called = run([*cli, "--method", "tools/call", "--tool-name", name, *options])
        text = called.stdout if "{" in called.stdout else called.stderr
        results.append(document(text) if "{" in text else {"isError": True, "content": text})
    return "-", tools, results, ""


def check(label, expected, outcome, revision):
    """Prints one line. Returns the differences."""
    protocol, tools, results, error = outcome
    faults = [error] if error else []
    if sorted(tools) != expected:
        faults.append(f"other tools: {sorted(set(tools) ^ set(expected))}")
    if revision is not None and protocol != revision:
        faults.append(f"revision {protocol} instead of {revision}")
    for (name, arguments, fails, part), result in zip(CALLS, results):
        text = json.dumps(result.get("content"))
        if bool(result.get("isError")) != fails or part not in text:
            faults.append(f"{name} {json.dumps(arguments)}: {json.dumps(result)[:500]}")
    state = "as expected" if not faults and len(results) == len(CALLS) else "FAILED"
    print(f"{label}: {protocol}, {len(tools)} tools, {len(results)} calls {state}")
    return [f"{label}: {fault}" for fault in faults]


def main():
    (work / "note.txt").write_text("one\ntwo\n")
    options = ["--workspace", str(work), "--approve", "none"]
    expected = sorted(tool["name"] for tool in json.loads(run([toolbox, "list", "--workspace", str(work)]).stdout))
    server = subprocess.Popen(
        [toolbox, "serve", "--http", "127.0.0.1:0", "--no-token", *options], stderr=subprocess.PIPE, text=True, cwd=work
    )
    try:
        address = server.stderr.readline().split()[-1]
        targets = {"stdio": [toolbox, "serve", "--stdio", *options], "HTTP": address}
        faults = []
        for transport, target in targets.items():
            faults += check(f"inspector over {transport}", expected, inspector(target), None)
            for name, command, mode, revision in CLIENTS:
                outcome = program(command, target, mode)
                faults += check(f"{name} ({mode}) over {transport}", expected, outcome, revision)
    finally:
        server.terminate()
        server.wait()
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(targets) * (len(CLIENTS) + 1)} clients and {len(CALLS)} calls each as expected")


try:
    main()
finally:
    shutil.rmtree(work, ignore_errors=True)
