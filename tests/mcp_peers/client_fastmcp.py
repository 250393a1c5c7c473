"""Client of fastmcp: prints the revision, the tools and the results of calls as JSON.

Usage: client_fastmcp.py TARGET MODE CALLS. TARGET is an address, or a command as a JSON list.
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

target, mode, calls = sys.argv[1:]


def server():
    if not target.startswith("["):
        return target
    command, *arguments = json.loads(target)
    return StdioTransport(command=command, args=arguments, keep_alive=False)


async def main():
    async with Client(server(), mode=mode) as client:
        tools = [tool.name for tool in await client.list_tools()]
        results = []
        for name, arguments in json.loads(calls):
            result = await client.call_tool(name, arguments, raise_on_error=False)
            content = [block.model_dump(by_alias=True, exclude_none=True) for block in result.content]
            results.append({"isError": bool(result.is_error), "content": content})
        print(json.dumps({"protocol": client.protocol_version, "tools": tools, "results": results}))


asyncio.run(main())
