#!/usr/bin/env python3
"""Compares the tools that `toolbox mcp` and the official inspector list, and runs calls.

Usage: servers.py DIRECTORY TOOLBOX. DIRECTORY holds the packages that .ci/mcp-peers installs.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

packages, toolbox = pathlib.Path(sys.argv[1]), sys.argv[2]
npm = packages / "npm/node_modules/.bin"
python = packages / "python/bin"
fastmcp = packages / "fastmcp/bin/python"
own_server = str(pathlib.Path(__file__).with_name("server.py"))
node = packages / "npm/node_modules/node/bin"
environment = {**os.environ, "PATH": f"{node}:{os.environ['PATH']}"}
work = pathlib.Path(tempfile.mkdtemp())
(work / "note.txt").write_text("one\n")
subprocess.run(["git", "init", "--quiet", str(work / "repository")], check=True)


def port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


ports = {"everything_http": port(), "sums_http": port()}
local = {
    "everything": [str(npm / "mcp-server-everything")],
    "filesystem": [str(npm / "mcp-server-filesystem"), str(work)],
    "memory": [str(npm / "mcp-server-memory")],
    "thinking": [str(npm / "mcp-server-sequential-thinking")],
    "fetch": [str(python / "mcp-server-fetch")],
    "git": [str(python / "mcp-server-git"), "--repository", str(work / "repository")],
    "playwright": [str(npm / "playwright-mcp"), "--headless"],
    "time": [str(python / "mcp-server-time"), "--local-timezone", "UTC"],
    "sums": [str(fastmcp), own_server],
}
remote = {name: f"http://127.0.0.1:{number}/mcp" for name, number in ports.items()}
started = [
    subprocess.Popen(
        [str(npm / "mcp-server-everything"), "streamableHttp"],
        env={**environment, "PORT": str(ports["everything_http"])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ),
    subprocess.Popen(
        [str(fastmcp), own_server, str(ports["sums_http"])],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ),
]

# Server, tool, arguments, code of the expected error, part of the expected text.
CALLS = [
    ("everything", "echo", {"message": "hi"}, None, "Echo: hi"),
    ("everything", "echo", {}, "invalid_arguments", "message"),
    ("everything", "get-tiny-image", {}, None, "image"),
    ("everything_http", "echo", {"message": "hi"}, None, "Echo: hi"),
    ("everything_http", "get-sum", {"a": 2, "b": "x"}, "invalid_arguments", "b"),
    ("filesystem", "read_text_file", {"path": str(work / "note.txt")}, None, "one"),
    ("filesystem", "read_text_file", {"path": "/etc/passwd"}, "failed", "denied"),
    ("memory", "create_entities", {"entities": [{"name": "a", "entityType": "b", "observations": []}]}, None, "a"),
    ("memory", "create_entities", {"entities": [{"name": 1}]}, "invalid_arguments", "entities"),
    ("thinking", "sequentialthinking", {"thought": "t", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}, None, "thoughtNumber"),
    ("thinking", "sequentialthinking", {"thought": "t"}, "invalid_arguments", "nextThoughtNeeded"),
    ("fetch", "fetch", {"url": "http://127.0.0.1:1/"}, "failed", ""),
    ("fetch", "fetch", {"uri": "x"}, "invalid_arguments", "url"),
    ("git", "git_status", {"repo_path": str(work / "repository")}, None, "branch"),
    ("git", "git_log", {"repo_path": "/no/such/repository"}, "failed", ""),
    ("time", "convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "UTC"}, None, "12:00"),
    ("time", "get_current_time", {"timezone": "Nowhere/None"}, "failed", ""),
    ("sums", "add", {"a": 2, "b": 40}, None, "42"),
    ("sums", "fail", {"reason": "disk full"}, "failed", "disk full"),
    ("sums_http", "add", {"a": 2, "b": 40}, None, "42"),
    ("sums_http", "add", {"a": 2}, "invalid_arguments", "b"),
]

# Tools that a server offers only to clients with directories; toolbox offers none.
ROOTS_ONLY = {"get-roots-list"}


def run(command, **options):
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, cwd=work, **options
    )


def wait_for(number):
    for _ in range(300):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", number)) == 0:
                return
        time.sleep(0.1)
    sys.exit(f"no server on port {number}")


def inspector(server):
    target = local.get(server) or [remote[server], "--transport", "http"]
    listed = run([str(npm / "mcp-inspector"), "--cli", *target, "--method", "tools/list"])
    text = listed.stdout[listed.stdout.index("{") :] if "{" in listed.stdout else listed.stdout
    names = {tool["name"] for tool in json.loads(text)["tools"]}
    return sorted(names - ROOTS_ONLY)


def main():
    for number in ports.values():
        wait_for(number)
    servers = {name: {"command": command[0], "args": command[1:]} for name, command in local.items()}
    servers |= {name: {"url": url} for name, url in remote.items()}
    for server in servers.values():
        server["startup_timeout"] = 60
    config = work / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}).replace("$", "$$"))
    mcp = [toolbox, "mcp", "--config", str(config)]

    states = json.loads(run([*mcp, "status"]).stdout)
    listed = run([*mcp, "list"])
    ours = {}
    for tool in json.loads(listed.stdout):
        prefix = tool["server"] + "__"
        ours.setdefault(tool["server"], []).append(tool["name"].removeprefix(prefix))
    faults = [] if not listed.stderr else [listed.stderr.strip()]
    for state in states:
        name = state["name"]
        theirs = inspector(name)
        same = sorted(ours.get(name, [])) == theirs
        print(f"{name}: {state['state']}, {state['protocol']}, {len(theirs)} tools, {'same' if same else 'other'} list")
        if not same:
            faults.append(f"{name}: {ours.get(name)} instead of {theirs}")
    for server, tool, arguments, code, part in CALLS:
        one = work / f"{server}.json"
        one.write_text(json.dumps({"mcpServers": {server: servers[server]}}).replace("$", "$$"))
        name = f"{server}__{tool}"
        call = run([toolbox, "mcp", "--config", str(one), "call", name, json.dumps(arguments), "--approve", "all"])
        result = json.loads(call.stdout) if call.stdout else {"error": {"code": call.stderr}}
        found = (result.get("error") or {}).get("code")
        print(f"{name} {json.dumps(arguments)}: {found or 'success'}")
        if found != code or part not in json.dumps(result):
            faults.append(f"{name}: {found} instead of {code}: {json.dumps(result)[:500]}")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(states)} servers and {len(CALLS)} calls as expected")


try:
    main()
finally:
    for process in started:
        process.terminate()
        process.wait()
    shutil.rmtree(work, ignore_errors=True)
