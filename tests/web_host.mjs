// Drives the example `web_host` in headless Chromium. Arguments: the address that it printed, and its workspace.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import { chromium } from "playwright-core";

const [address, workspace] = process.argv.slice(2);
const { origin, host, port } = new URL(address);
const token = new URL(address).hash.slice(1);

// Sends a request whose host may differ from the address.
function send(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, method, path, headers: { host, ...headers } }, (response) => {
      response.resume();
      resolve(response);
    });
    request.on("error", reject);
    request.end(body);
  });
}

const json = { "content-type": "application/json" };
const authorized = { ...json, authorization: `Bearer ${token}` };
const task = JSON.stringify({ task: "list" });
for (const [name, expected, headers, body] of [
  ["no token", 401, json, task],
  ["wrong token", 401, { ...json, authorization: `Bearer ${"0".repeat(32)}` }, task],
  ["short token", 401, { ...json, authorization: "Bearer " }, task],
  ["foreign host", 403, { ...authorized, host: `attacker.example:${port}` }, task],
  ["foreign origin", 403, { ...authorized, origin: "http://attacker.example" }, task],
  ["opaque origin", 403, { ...authorized, origin: "null" }, task],
  ["empty task", 422, authorized, JSON.stringify({ task: " " })],
  ["unknown member", 422, authorized, JSON.stringify({ task: "list", tools: [] })],
  ["no JSON", 400, authorized, "{"],
  ["large task", 413, authorized, JSON.stringify({ task: "x".repeat(70_000) })],
]) {
  assert.equal((await send("POST", "/runs", headers, body)).statusCode, expected, name);
}
assert.equal((await send("GET", "/", { host: `attacker.example:${port}` })).statusCode, 403, "page with a foreign host");
assert.equal((await send("GET", "/runs/run_999/events", authorized)).statusCode, 404, "unknown run");
const page = await send("GET", "/", {});
assert.match(page.headers["content-security-policy"], /default-src 'none'/);
assert.equal(page.headers["x-content-type-options"], "nosniff");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  const page = await browser.newPage();
  const problems = [];
  const requests = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) problems.push(message.text()); });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  const run = async (text) => {
    await page.getByLabel("Task").fill(text);
    await page.getByRole("button", { name: "Run" }).click();
  };
  const ended = (status) => page.getByText(`Run ${status}`).waitFor();
  const steps = () => page.locator("#events li > strong").allTextContents();

  await page.goto(address);
  assert.equal(page.url(), `${origin}/`, "the token leaves the address bar");
  await run("list");
  await ended("completed");
  assert.deepEqual(await steps(), ["→ list", "✓ list", "Run completed"]);
  assert.ok((await page.locator("#events").textContent()).includes("garden.html"));

  await run("read garden.html");
  await ended("completed");
  assert.ok((await page.locator("#events").textContent()).includes("<script>window.injected"), "content is shown as text");
  assert.equal(await page.evaluate("window.injected"), undefined);
  assert.equal(await page.locator("#events img").count(), 0);

  await run("write new.txt Tulips.");
  await page.getByRole("button", { name: "Approve" }).waitFor();
  assert.ok((await page.locator(".waiting").textContent()).includes("Approve write (safe_write)?"));
  assert.ok(!existsSync(`${workspace}/new.txt`), "the call waits");
  await page.getByRole("button", { name: "Approve" }).click();
  await ended("completed");
  assert.equal(readFileSync(`${workspace}/new.txt`, "utf8"), "Tulips.\n");

  await run("write other.txt Roses.");
  await page.getByRole("button", { name: "Deny" }).click();
  await ended("completed");
  assert.ok((await steps()).includes("✗ write"));
  assert.ok(!existsSync(`${workspace}/other.txt`), "a denied call does not run");

  await run("write other.txt Roses.");
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await ended("cancelled");
  assert.ok(!existsSync(`${workspace}/other.txt`), "a stopped call does not run");

  const decision = JSON.stringify({ request: "unknown", approve: true });
  assert.equal((await send("POST", "/runs/run_1/decisions", authorized, decision)).statusCode, 409, "unknown request");
  assert.deepEqual(problems, []);
  assert.ok(requests.every((url) => url.startsWith(origin)), "the page loads nothing else");
} finally {
  await browser.close();
}
console.log("web_host: 5 runs, 1 approved, 1 denied, 1 stopped; 12 rejected requests; no console message");
