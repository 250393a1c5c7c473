// Client of the TypeScript SDK: prints the revision, the tools and the results of calls as JSON.
//
// Usage: client.mjs PACKAGES TARGET MODE CALLS. TARGET is an address, or a command as a JSON list.
// The SDK supports only revisions with `initialize`, so MODE is ignored.

import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, target, , calls] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

function transport() {
  if (!target.startsWith("[")) return new StreamableHTTPClientTransport(new URL(target));
  const [command, ...args] = JSON.parse(target);
  return new StdioClientTransport({ command, args, stderr: "ignore" });
}

const connection = transport();
let protocol;
// The client passes the negotiated revision to its transport.
const setProtocolVersion = connection.setProtocolVersion?.bind(connection);
connection.setProtocolVersion = (version) => {
  protocol = version;
  setProtocolVersion?.(version);
};
const client = new Client({ name: "peers", version: "1.0.0" });
await client.connect(connection);
const tools = [];
let cursor;
do {
  const page = await client.listTools(cursor ? { cursor } : undefined);
  tools.push(...page.tools.map((tool) => tool.name));
  cursor = page.nextCursor;
} while (cursor);
const results = [];
for (const [name, args] of JSON.parse(calls)) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  results.push({ isError: isError ?? false, content });
}
await client.close();
console.log(JSON.stringify({ protocol, tools, results }));
