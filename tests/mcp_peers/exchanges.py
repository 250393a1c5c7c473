#!/usr/bin/env python3
"""Exchanges without an SDK: servers that send broken text, lose sessions or link to resources, and clients that send
broken messages or are web pages.

Usage: exchanges.py TOOLBOX.
"""

import http.client
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

toolbox = sys.argv[1]
raw = [sys.executable, str(pathlib.Path(__file__).with_name("raw_server.py"))]
work = pathlib.Path(tempfile.mkdtemp())
# Calls that wait for a timeout take 60 s.
SOON = 10
TEXT = 'see https://example.com/docs {"code":5}'
PAGE = "https://app.example.com"
faults = []


def check(label, holds, found):
    print(f"{label}: {'as expected' if holds else 'FAILED'}")
    if not holds:
        faults.append(f"{label}: {str(found)[:500]}")


def mcp(servers, *arguments):
    config = work / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    command = [toolbox, "mcp", "--config", str(config), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=90, cwd=work)
    return json.loads(ran.stdout) if ran.stdout else {"stderr": ran.stderr}


def local(**settings):
    return {"command": raw[0], "args": raw[1:], **settings}


def port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def servers():
    """Calls tools of the raw servers."""
    # Tool, code of the error, and part of the result.
    for tool, code, part in [
        ("surrogate", None, "a\ufffd b"),
        ("byte", None, "caf\ufffd"),
        ("cut", "outcome_unknown", "cannot be read"),
        ("fails", "failed", TEXT),
        ("link", None, "notes://a"),
    ]:
        started = time.monotonic()
        result = mcp({"raw": local()}, "call", f"raw__{tool}", "{}", "--approve", "all")
        found = (result.get("error") or {}).get("code")
        text = json.dumps(result, ensure_ascii=False).replace('\\"', '"')
        is_soon = time.monotonic() - started < SOON
        check(f"call of {tool}", found == code and part in text and is_soon, text)
        if tool == "fails":
            message = result["error"]["message"]
            check("text of a failed call is unchanged", message == TEXT, message)
        if tool == "link":
            check("link keeps its title, description and size", all(it in text for it in ("A note", "About tulips.", "9")), text)
            content = json.dumps(result.get("content"))
            check("model gets no block for the user", "for the user" not in content.replace("for the user only", ""), text)
    read = ("call", "raw__read_resource", '{"uri": "notes://a"}', "--approve", "all")
    found = mcp({"raw": local(resources=True)}, *read)
    check("linked resource is read", "tulips" in json.dumps(found), found)
    found = mcp({"raw": local()}, *read)
    check("linked resource is not read by default", "tulips" not in json.dumps(found), found)
    status = json.dumps(mcp({"raw": local()}, "status"), ensure_ascii=False)
    check("look-alike name is reported", 'looks like' in status, status)
    ordered = {"slow": local(env={"DELAY": "1.5"}), "fast": local()}
    names = [tool["server"] for tool in mcp(ordered, "list")]
    check("tools follow the configuration", names == sorted(names, reverse=True) and len(set(names)) == 2, names)


def lost_session():
    number = port()
    # A client may close its connection before it has read the response.
    server = subprocess.Popen([*raw, str(number)], stderr=subprocess.DEVNULL)
    try:
        while socket.socket().connect_ex(("127.0.0.1", number)) != 0:
            time.sleep(0.05)
        started = time.monotonic()
        remote = {"raw": {"url": f"http://127.0.0.1:{number}/mcp"}}
        result = mcp(remote, "call", "raw__link", "{}", "--approve", "all")
        is_soon = time.monotonic() - started < SOON
        check("lost session is renewed", "notes://a" in json.dumps(result) and is_soon, result)
    finally:
        server.terminate()
        server.wait()


def call(arguments):
    return b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":%s}}' % arguments


# Message, code of the error, its id, and part of its text.
INVALID = [
    (b'{"jsonrpc":"2.0","id":7,"method":}', -32700, None, "valid JSON"),
    (call(rb'{"path":"\ud800"}'), -32700, 7, "surrogate"),
    (call(b'{"path":"caf\xe9"}'), -32700, 7, "UTF-8"),
    (call(b'"{}"'), -32602, 7, "arguments"),
    (call(b'{"path":"a","path":"b"}'), -32602, 7, "duplicate key"),
    (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}', -32602, 7, "name"),
]


def is_error(response, code, number, part):
    error = response.get("error") or {}
    return (error.get("code"), response.get("id")) == (code, number) and part in error.get("message", "")


def clients_over_stdio(options):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([toolbox, "serve", "--stdio", *options], cwd=work, **pipes)
    try:
        for message, code, number, part in INVALID:
            server.stdin.write(message + b"\n")
            server.stdin.flush()
            response = json.loads(server.stdout.readline())
            check(f"stdio, {message[-40:]}", is_error(response, code, number, part), response)
    finally:
        server.stdin.close()
        server.wait()


def clients_over_http(options):
    command = [toolbox, "serve", "--http", "127.0.0.1:0", "--no-token", "--allow-origin", PAGE, *options]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=work)

    def send(method, body=None, **headers):
        client = http.client.HTTPConnection(address.split("/")[2], timeout=SOON)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        client.request(method, "/mcp", body, {"Content-Type": "application/json", "Accept": "*/*", **headers})
        response = client.getresponse()
        return response, response.read()

    try:
        address = server.stderr.readline().split()[-1]
        for message, code, number, part in INVALID:
            body = send("POST", message)[1]
            response = json.loads(body) if body.startswith(b"{") else {"body": body}
            check(f"HTTP, {message[-40:]}", is_error(response, code, number, part), response)
        asked = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "mcp-session-id"}
        for origin, is_allowed in [(PAGE, True), ("https://evil.example.com", False)]:
            response, _ = send("OPTIONS", Origin=origin, **asked)
            allowed = response.getheader("Access-Control-Allow-Origin")
            check(f"preflight of {origin}", (allowed == origin) == is_allowed, response.headers)
        response, _ = send("POST", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', Origin=PAGE)
        exposed = response.getheader("Access-Control-Expose-Headers") or ""
        check("session id is exposed to the page", "mcp-session-id" in exposed.lower(), response.headers)
    finally:
        server.terminate()
        server.wait()


try:
    servers()
    lost_session()
    options = ["--workspace", str(work), "--approve", "none"]
    clients_over_stdio(options)
    clients_over_http(options)
finally:
    shutil.rmtree(work, ignore_errors=True)
if faults:
    sys.exit("\n".join(faults))
