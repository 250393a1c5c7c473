"""Client of the Python SDK: prints the revision, the tools and the results of calls as JSON.

Usage: client_sdk.py TARGET MODE CALLS. TARGET is an address, or a command as a JSON list.
"""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters

target, mode, calls = sys.argv[1:]


def server():
    if not target.startswith("["):
        return target
    command, *arguments = json.loads(target)
    return StdioServerParameters(command=command, args=arguments)


async def main():
    async with Client(server(), mode=mode) as client:
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
        results = []
        for name, arguments in json.loads(calls):
            result = await client.call_tool(name, arguments)
            content = [block.model_dump(by_alias=True, exclude_none=True) for block in result.content]
            results.append({"isError": bool(result.is_error), "content": content})
        print(json.dumps({"protocol": client.protocol_version, "tools": tools, "results": results}))


asyncio.run(main())
