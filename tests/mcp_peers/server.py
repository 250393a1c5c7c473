"""Server of fastmcp: over stdio, or over HTTP on the port in the first argument."""

import sys

from fastmcp import FastMCP

server = FastMCP("sums")


@server.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool
def fail(reason: str) -> str:
    """Fails."""
    raise ValueError(reason)


if len(sys.argv) > 1:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
else:
    server.run(show_banner=False)
