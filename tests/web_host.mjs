// Drives the example `web_host` in headless Chromium. Arguments: the address that it printed, its workspace, its process id,
// and optionally a directory for pictures.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import { chromium } from "playwright-core";

const [address, workspace, server, pictures] = process.argv.slice(2);
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
  const status = (text) => page.locator("#status", { hasText: text }).waitFor();
  const steps = () => page.locator("#events li .title").allTextContents();
  const button = (name) => page.getByRole("button", { name, exact: true });

  // The lowest contrast of a text with its background, in light and dark.
  const contrasts = async () => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const [ratio, text] = await page.evaluate(() => {
        const channels = (color) => color.match(/[\d.]+/g).map(Number);
        const luminance = (color) => channels(color).slice(0, 3).map((c) => c / 255)
          .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const backOf = (node) => {
          const color = getComputedStyle(node).backgroundColor;
          return (channels(color)[3] ?? 1) > 0 || !node.parentElement ? color : backOf(node.parentElement);
        };
        const texts = [...document.querySelectorAll("body *")].filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()));
        const ratios = texts.map((node) => {
          const [one, other] = [getComputedStyle(node).color, backOf(node)].map(luminance);
          return [(Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05), `${node.tagName}.${node.className} ${node.textContent}`];
        });
        return ratios.sort(([a], [b]) => a - b)[0];
      });
      assert.ok(ratio >= 4.5, `contrast ${ratio.toFixed(2)} in ${colorScheme}: ${text}`);
    }
  };
  const picture = async (name) => {
    await contrasts();
    for (const [width, height] of pictures ? [[1280, 900], [390, 800]] : []) {
      await page.setViewportSize({ width, height });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${name} at ${width} is ${overflow} px too wide`);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png` });
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  };

  await page.goto(address);
  assert.equal(page.url(), `${origin}/`, "the token leaves the address bar");
  await picture("ready");
  await run("list");
  await status("completed");
  assert.deepEqual(await steps(), ["list✓ done", "Answercompleted"]);
  assert.ok((await page.locator("#events").textContent()).includes("garden.html"));
  assert.ok(await button("Stop").isDisabled(), "nothing runs");

  await run("read garden.html");
  await status("completed");
  assert.ok((await page.locator("#events").textContent()).includes("<script>window.injected"), "content is shown as text");
  assert.equal(await page.evaluate("window.injected"), undefined);
  assert.equal(await page.locator("#events img").count(), 0);
  await page.reload();
  await status("completed");
  assert.deepEqual(await steps(), ["read✓ done", "Answercompleted"], "a reload finds its run again");

  await run("write new.txt Tulips.");
  await status("waiting for your decision");
  const card = page.locator("li[data-state=waiting]");
  assert.ok((await card.textContent()).includes("Run write (safe_write)?"));
  assert.deepEqual(await card.locator(".diff .add").allTextContents(), ["+++ b/new.txt", "+Tulips."]);
  assert.ok((await card.textContent()).includes("Writes: new.txt"));
  assert.ok(!existsSync(`${workspace}/new.txt`), "the call waits");
  await picture("waiting");
  await page.emulateMedia({ colorScheme: "light" });
  if (pictures) await card.screenshot({ path: `${pictures}/approval.png` });
  // By the keyboard alone: the card has the focus, and its button is next.
  await page.keyboard.press("Enter");
  assert.ok(!existsSync(`${workspace}/new.txt`), "a key does not approve by accident");
  await card.focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await status("completed");
  assert.equal(readFileSync(`${workspace}/new.txt`, "utf8"), "Tulips.\n");
  assert.ok((await page.locator("#events").textContent()).includes("You approved this call."));
  await picture("done");

  // The first connection is lost after the first event.
  let connections = 0;
  const resumed = [];
  await page.route("**/events", async (route) => {
    connections += 1;
    resumed.push(route.request().headers()["last-event-id"]);
    if (connections > 1) return route.continue();
    const body = 'id: 0\ndata: {"event":"turn_started"}\n\n';
    return route.fulfill({ contentType: "text/event-stream", body });
  });
  await page.getByLabel("Task").fill("write other.txt Roses.");
  await page.keyboard.press("Control+Enter");
  await button("Deny").waitFor();
  assert.deepEqual(resumed, [undefined, "0"], "goes on after the last event");
  await page.unroute("**/events");
  await page.getByLabel("Reason for a denial").fill("No roses.");
  await button("Deny").click();
  await status("completed");
  assert.ok((await steps()).includes("writedenied"));
  assert.ok((await page.locator("#events").textContent()).includes("You denied this call: No roses."));
  assert.ok(!existsSync(`${workspace}/other.txt`), "a denied call does not run");
  await picture("denied");

  await run("write other.txt Roses.");
  await button("Approve").waitFor();
  await page.reload();
  await button("Approve").waitFor();
  await page.keyboard.press("Escape");
  await status("cancelled");
  assert.equal(await button("Approve").count(), 0);
  assert.ok((await steps()).includes("writenot run"));
  assert.ok(!existsSync(`${workspace}/other.txt`), "a stopped call does not run");

  const decision = JSON.stringify({ request: "unknown", approve: true });
  assert.equal((await send("POST", "/runs/run_1/decisions", authorized, decision)).statusCode, 409, "unknown request");
  assert.deepEqual(problems, []);

  await run("write other.txt Roses.");
  await button("Approve").waitFor();
  process.kill(Number(server));
  await status("connection lost, trying again");
  for (const name of ["Approve", "Deny", "Stop"]) assert.ok(await button(name).isDisabled(), `${name} without a server`);
  await picture("lost");
  await status("The server has ended.");
  assert.ok(requests.every((url) => url.startsWith(origin)), "the page loads nothing else");
} finally {
  await browser.close();
}
console.log("web_host: 7 runs, 1 approved, 1 denied, 1 stopped, 1 lost; 12 rejected requests; no console message");
