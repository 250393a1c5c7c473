// Checks reports in headless Chromium. Arguments: the program `toolbox`, a directory, and an optional screenshot.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [toolbox, scratch, screenshot] = process.argv.slice(2);
const CALLS = 200;
const hostile = "</script><script>window.injected = true</script><img src=x onerror='window.injected = true'>";

// A run that failed in its second turn, with the cost that the loop counted.
function failedRun() {
  const entry = (turn, event, members) => JSON.stringify({ time_ms: 0, event, run: "run_2", turn, ...members });
  const usage = { turns: 1, calls: 0, input_tokens: 1000, output_tokens: 100, cost: 0.25 };
  return [
    '{"format":"toolwright-run","version":1}',
    entry(0, "run_started", { transcript: [
      { role: "user", content: "Begin." }, { role: "assistant", content: "Begun." }, { role: "user", content: "Fail." },
    ] }),
    entry(1, "model_replied", { reply: { text: "Hm.", calls: [] }, usage, cost: 0.25, elapsed_ms: 20 }),
    entry(2, "model_retried", { attempts: 1, error: "the response is incomplete; try again", wait_ms: 1 }),
    entry(1, "finished", { status: "failed", usage, error: `the provider rejected ${hostile}` }),
  ].join("\n") + "\n";
}

// A run of 50 turns with 4 calls each: every tenth call failed, every fourth changed a file.
function recordedRun() {
  const start = Date.UTC(2026, 0, 1);
  const entry = (at, turn, event, members) => JSON.stringify({ time_ms: start + at, event, run: "run_1", turn, ...members });
  const lines = ['{"format":"toolwright-run","version":1}', entry(0, 0, "run_started", { transcript: [{ role: "user", content: hostile }] })];
  for (let call = 0; call < CALLS; call++) {
    const turn = Math.floor(call / 4) + 1;
    const at = call * 100;
    const text = `result ${call} ${hostile} ${"long ".repeat(4000)}`;
    const failed = call % 10 === 9;
    if (call % 4 === 0) {
      const usage = { input_tokens: 1000, output_tokens: 100, cached_tokens: 0 };
      lines.push(entry(at, turn, "model_replied", { reply: { text: hostile, calls: [{}], usage }, usage, elapsed_ms: 20 }));
    }
    lines.push(entry(at + 90, turn, "call_finished", { result: {
      id: `call_${call}`, name: `tool_${call % 3}`, success: !failed, content: [{ type: "text", text }], data: { diff: `-before\n+${hostile}\n`, text },
      error: failed ? { code: "failed", message: `broken ${call}` } : null, warnings: [],
      files_affected: call % 4 === 1 ? [`file_${call}.txt`] : [],
      metadata: {
        tool_name: `tool_${call % 3}`, parameters: { old_string: "before", new_string: hostile }, changes: [],
        start_time: new Date(start + at).toISOString(), end_time: new Date(start + at + 90).toISOString(),
        queue_time_ms: 10, execution_time_ms: 40, total_time_ms: 60, attempts: 1, side_effects: "unknown",
        approval: { outcome: call % 5 === 0 ? "approved" : "allowed", rule: "test" },
      },
    } }));
  }
  const usage = { turns: 50, calls: CALLS, input_tokens: 50_000, output_tokens: 5000, cached_tokens: 0 };
  lines.push(entry(CALLS * 100, 50, "finished", { status: "completed", usage }));
  return lines.join("\n") + "\n";
}

writeFileSync(`${scratch}/large.jsonl`, recordedRun());
const html = execFileSync(toolbox, ["report", `${scratch}/large.jsonl`, "--input-price", "3", "--output-price", "15"], { maxBuffer: 1 << 24 });
writeFileSync(`${scratch}/large.html`, html);
writeFileSync(`${scratch}/failed.jsonl`, failedRun());
writeFileSync(`${scratch}/failed.html`, execFileSync(toolbox, ["report", `${scratch}/failed.jsonl`]));
assert.ok(statSync(`${scratch}/large.html`).size < 1_000_000, "a report of 200 calls has under 1 MB");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// Returns the lowest contrast of a text to its background.
function lowestContrast() {
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const backgroundOf = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const hasText = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  const texts = [...document.body.querySelectorAll("*")].filter((node) => hasText(node) && node.offsetParent);
  return Math.min(...texts.map((node) => {
    const [one, other] = [channels(getComputedStyle(node).color), backgroundOf(node)].map(light);
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  }));
}

async function open(file, colorScheme) {
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 }, colorScheme });
  const problems = [];
  const requests = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) problems.push(message.text()); });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`file://${scratch}/${file}`);
  return { page, problems, requests };
}

try {
  const { page, problems, requests } = await open("large.html", "light");
  const visible = () => page.locator("details:visible").count();
  const press = (name) => page.getByRole("button", { name, exact: true }).click();
  assert.equal(await page.locator("#shown").textContent(), "200 of 200 calls");
  assert.equal(await page.locator(".turn").count(), 50);
  assert.equal(await page.locator("#errors li").count(), 20);
  const figures = await page.locator("dd").allTextContents();
  assert.deepEqual(figures, ["50", "200", "20", "20.0 s", "50,000", "5,000", "0.23"]);
  assert.match(await page.locator(".turn h2").first().textContent(), /1,000 tokens in, 100 out · cost 0\.0045.*20 ms/);
  assert.equal(await page.locator(".turn h2 .bar").first().getAttribute("title"), "model 20 ms");
  assert.match(await page.locator("summary .bar").first().getAttribute("title"), /queue 10 ms, approval 30 ms, running 40 ms/);
  for (const [name, count] of [["Errors", 20], ["Files", 50], ["Approvals", 40], ["All", 200]]) {
    await press(name);
    assert.equal(await visible(), count, name);
  }
  await page.keyboard.press("/");
  await page.keyboard.type("result 42 tool_0");
  assert.equal(await page.locator("#shown").textContent(), "1 of 200 calls");
  await page.keyboard.press("Escape");
  assert.equal(await visible(), 200);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  assert.ok(await page.locator("#call-1-1[open]").isVisible(), "the keys open the second call");
  assert.equal(await page.locator("#call-1-1 .added").count(), 1);
  assert.ok((await page.locator("#call-1-1").textContent()).includes("<script>"), "content is shown as text");
  assert.match(await page.locator("#call-1-0").textContent(), /approved; asked because of test/);
  await page.locator("#errors a").first().click();
  assert.ok(await page.locator("#call-3-1[open]").isVisible(), "a link of an error opens its call");
  assert.equal(await page.evaluate("window.injected"), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(problems, []);
  assert.equal(requests.length, 1, "the page loads nothing");

  const failed = await open("failed.html", "light");
  assert.match(await failed.page.locator("#errors li").first().textContent(), /^The run failed: the provider rejected <\/script>/);
  assert.deepEqual(await failed.page.locator("dd").last().textContent(), "0.25");
  // The run continues a conversation, whose earlier messages are not its task.
  assert.equal(await failed.page.title(), "Run report: Fail.");
  assert.deepEqual(await failed.page.locator(".turn pre").allTextContents(), ["Fail.", "Hm."]);
  assert.match(await failed.page.locator(".turn h2").first().textContent(), /cost 0\.25/);
  assert.equal(await failed.page.evaluate("window.injected"), undefined);
  assert.deepEqual(failed.problems, []);

  const plain = await open("default.html", "light");
  assert.match(await plain.page.locator(".status").textContent(), /completed/);
  assert.equal(await plain.page.evaluate("window.injected"), undefined);
  assert.deepEqual(plain.problems, []);
  if (screenshot) {
    await plain.page.locator("details").nth(3).locator("summary").click();
    await plain.page.screenshot({ path: screenshot });
  }
  const dark = await open("default.html", "dark");
  const back = await dark.page.evaluate("getComputedStyle(document.body).backgroundColor");
  assert.equal(back, "rgb(22, 24, 28)");
  // Normal text has a contrast of at least 4.5 in both themes, which WCAG AA requires.
  for (const { page } of [plain, dark]) {
    assert.ok((await page.evaluate(lowestContrast)) >= 4.5, "text is readable");
  }
} finally {
  await browser.close();
}
console.log(`reports: ${CALLS} calls, 20 errors, no console message, no injected script, ${readFileSync(`${scratch}/large.html`).length} bytes`);
