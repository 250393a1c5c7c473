"""Servers without an SDK, which send what SDKs never would: over stdio, or over HTTP on the port in the first argument.

The server over HTTP forgets its sessions after the first list, and says so with an error without an id.
"""

import http.server
import json
import os
import sys
import time

TEXT = 'see https://example.com/docs {"code":5}'
TOOLS = ["surrogate", "byte", "fails", "cut", "link"]
RESULTS = {
    "surrogate": rb'{"content":[{"type":"text","text":"a\ud83d b"}]}',
    "byte": b'{"content":[{"type":"text","text":"caf\xe9"}]}',
    "cut": b'{"content":[{"type":"text","te',
    "fails": json.dumps({"content": [{"type": "text", "text": TEXT}], "isError": True}).encode(),
    "link": json.dumps({"content": [
        {"type": "resource_link", "uri": "notes://a", "name": "a", "title": "A note", "description": "About tulips.", "size": 9},
        {"type": "text", "text": "for the user", "annotations": {"audience": ["user"]}},
    ]}).encode(),
}


def result(message):
    """Returns the JSON of the result as bytes."""
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        capabilities = {"tools": {}, "resources": {}}
        info = {"name": "raw", "version": "1"}
        return json.dumps({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}).encode()
    if method == "tools/list":
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
        # With a Cyrillic letter.
        return json.dumps({"tools": [*tools, {"name": "l\u0456nk", "inputSchema": {"type": "object"}}]}).encode()
    if method == "tools/call":
        return RESULTS[params["name"]]
    if method == "resources/read":
        return json.dumps({"contents": [{"uri": params["uri"], "text": "tulips"}]}).encode()
    return None


def reply(message):
    found = result(message)
    if found is None:
        found = b'"error":{"code":-32601,"message":"unknown method"}'
    else:
        found = b'"result":' + found
    return b'{"jsonrpc":"2.0","id":%s,%s}' % (json.dumps(message["id"]).encode(), found)


def over_stdio():
    time.sleep(float(os.environ.get("DELAY", "0")))
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message and "method" in message:
            sys.stdout.buffer.write(reply(message) + b"\n")
            sys.stdout.buffer.flush()


class OverHttp(http.server.BaseHTTPRequestHandler):
    sessions = 0
    valid = None

    def respond(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.valid:
            self.send_header("Mcp-Session-Id", self.valid)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = type(self)
        method = message.get("method")
        if method == "initialize":
            kind.sessions += 1
            kind.valid = f"session-{kind.sessions}"
        elif method == "server/discover":
            return self.respond(200, reply(message))
        elif self.headers.get("Mcp-Session-Id") != kind.valid:
            error = {"code": -32000, "message": "Bad Request: No valid session ID provided"}
            return self.respond(400, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())
        if "id" not in message:
            return self.respond(202)
        self.respond(200, reply(message))
        if method == "tools/list" and kind.sessions == 1:
            kind.valid = "none"

    def do_GET(self):
        self.respond(405)

    def do_DELETE(self):
        self.respond(200)

    def log_message(self, *arguments):
        pass


if len(sys.argv) > 1:
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), OverHttp).serve_forever()
else:
    over_stdio()
