"use strict";
const run = JSON.parse(document.getElementById("run").textContent);

// Creates an element. Content of the run is only ever text.
function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
const number = (value) => (value || 0).toLocaleString("en");
const pretty = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
const money = (value) => value.toFixed(value < 0.01 ? 4 : 2);

// Collects the entries of each turn. What the user asked belongs to the turn that follows.
function turnsOf(entries) {
  const turns = new Map();
  let asked = [];
  for (const entry of entries) {
    if (entry.event === "run_started") {
      asked = askedIn(entry.transcript);
      continue;
    }
    const key = `${entry.run} ${entry.turn}`;
    if (!turns.has(key)) {
      turns.set(key, { asked, notes: [], calls: [] });
      asked = [];
    }
    const turn = turns.get(key);
    if (entry.event === "model_replied") Object.assign(turn, { reply: entry.reply, usage: entry.usage, cost: entry.cost, elapsed: entry.elapsed_ms || 0, end: entry.time_ms });
    else if (entry.event === "call_finished") turn.calls.push(entry.result);
    else if (entry.event === "model_retried") turn.notes.push(`Attempt ${entry.attempts} failed: ${entry.error}`);
    else if (entry.event === "model_changed") turn.notes.push(`Changed to the next model: ${entry.error}`);
    else if (entry.event === "compacted") turn.notes.push(`Shortened the conversation from ${entry.before} to ${entry.after} messages.`);
    else if (entry.event === "answer_refused") turn.notes.push(entry.reason);
    else if (entry.event === "message_added") turn.notes.push(`Message of the host: ${textOf(entry.message)}`);
  }
  return [...turns.values()].filter((turn) => turn.reply || turn.calls.length || turn.notes.length);
}

function textOf(message) {
  const content = message && message.content;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((block) => block.text || `[${block.type}]`).join("\n") : "";
}

// Messages of the user after the last reply.
function askedIn(transcript) {
  const last = transcript.findLastIndex((message) => message.role === "assistant");
  return transcript.slice(last + 1).filter((message) => message.role === "user").map(textOf);
}

function timesOf(result) {
  const data = result.metadata;
  const [start, end] = [Date.parse(data.start_time), Date.parse(data.end_time)];
  const queue = data.queue_time_ms || 0;
  return { start, end, queue, approval: Math.max(0, end - start - data.total_time_ms), running: data.execution_time_ms || 0 };
}

// Lines that a call removed and added, if the tool recorded them.
function changesOf(result) {
  const diff = result.data && result.data.diff;
  if (!diff) return null;
  const names = { "-": "removed", "+": "added" };
  return element("pre", "", ...diff.split("\n").map((line) => element("span", names[line[0]], `${line}\n`)));
}

// A rule decides alone, or has a person asked.
function decisionOf(approval) {
  if (!approval) return "";
  const isAsked = ["approved", "edited", "denied", "pending"].includes(approval.outcome);
  const reason = isAsked ? "; asked because of" : " by";
  return approval.rule ? `${approval.outcome}${reason} ${approval.rule}` : approval.outcome;
}

function part(title, content) {
  if (content === null || content === undefined || content === "") return [];
  const body = content instanceof Node ? content : element("pre", "", content);
  return [element("h3", "", title), body];
}

// Shows named durations one after the other on the time axis of the run.
function bar(start, pieces, first, last) {
  const all = Math.max(1, last - first);
  const box = element("span", "bar");
  let at = start - first;
  for (const [name, time] of pieces) {
    if (time > 0) {
      const piece = element("i", name);
      piece.style.left = `${Math.max(0, Math.min(99, (100 * at) / all))}%`;
      piece.style.width = `${(100 * time) / all}%`;
      box.append(piece);
    }
    at += time;
  }
  box.title = pieces.map(([name, time]) => `${name} ${seconds(time)}`).join(", ");
  return box;
}

const piecesOf = (times) => ["queue", "approval", "running"].map((name) => [name, times[name]]);

function callView(result, id, first, last) {
  const times = timesOf(result);
  const output = result.content.map((block) => block.text || `[${block.type}]`).join("\n");
  const gist = JSON.stringify(result.metadata.parameters || {});
  const head = element("summary", "",
    element("span", result.success ? "good" : "bad", result.success ? "✓" : "✗"),
    element("span", "name", result.name), element("span", "gist", gist),
    bar(times.start, piecesOf(times), first, last), element("span", "meta time", seconds(times.queue + times.approval + times.running)));
  const view = element("details", "", head, element("div", "body",
    ...part("Arguments", pretty(result.metadata.parameters)),
    ...part("Changes to the arguments", result.metadata.changes.length ? pretty(result.metadata.changes) : ""),
    ...part("Decision", decisionOf(result.metadata.approval)),
    ...part("Warnings", result.warnings.join("\n")),
    ...part(result.success ? "Output" : "Error", output),
    ...part("Files", result.files_affected.join("\n")),
    ...part("Changed lines", changesOf(result)),
    ...part("Time", `queue ${seconds(times.queue)}, approval ${seconds(times.approval)}, running ${seconds(times.running)}, attempts ${result.metadata.attempts}`)));
  view.id = id;
  view.call = { result, text: `${result.name} ${gist} ${output}`.toLowerCase() };
  return view;
}

function turnView(turn, at, first, last) {
  const usage = turn.usage;
  const facts = [];
  if (usage) facts.push(`${number(usage.input_tokens)} tokens in, ${number(usage.output_tokens)} out`);
  const price = usage && run.prices ? costOf(usage) : turn.cost;
  if (price !== undefined) facts.push(`cost ${money(price)}`);
  const head = element("h2", "", element("span", "", `Turn ${at + 1}`), element("span", "meta", facts.join(" · ")));
  if (turn.reply) {
    head.append(bar(turn.end - turn.elapsed, [["model", turn.elapsed]], first, last), element("span", "meta time", seconds(turn.elapsed)));
  }
  const view = element("article", "turn", head);
  for (const text of turn.asked) view.append(element("pre", "asked", text));
  for (const note of turn.notes) view.append(element("p", "meta", note));
  if (turn.reply && turn.reply.text) view.append(element("pre", "", turn.reply.text));
  turn.calls.forEach((result, call) => view.append(callView(result, `call-${at + 1}-${call}`, first, last)));
  view.text = [...turn.asked, turn.reply ? turn.reply.text : ""].join(" ").toLowerCase();
  return view;
}

// Cost at the prices of the report.
function costOf(usage) {
  const cached = Math.min(usage.cached_tokens || 0, usage.input_tokens || 0);
  const prices = run.prices;
  const other = usage.input_tokens - cached;
  const written = Math.min(usage.cache_write_tokens || 0, other);
  return ((other - written) * prices.input + cached * prices.cached_input + written * prices.cache_write + usage.output_tokens * prices.output) / 1e6;
}

const turns = turnsOf(run.entries);
const calls = turns.flatMap((turn) => turn.calls);
const started = run.entries.find((entry) => entry.event === "run_started");
const ends = run.entries.filter((entry) => entry.event === "finished");
const runs = [...new Set(run.entries.map((entry) => entry.run))];
const times = run.entries.map((entry) => entry.time_ms);
const [first, last] = [times[0] || 0, times[times.length - 1] || 0];
const failed = calls.filter((call) => !call.success);
const task = started && askedIn(started.transcript).join("\n");
const status = ends.length === runs.length && ends.length ? ends[ends.length - 1].status : "incomplete";

document.title = `Run report: ${task || runs[0]}`;
document.getElementById("task").textContent = task || runs[0];
document.getElementById("summary").append(element("span", `status ${status}`, status.replaceAll("_", " ")),
  ` · ${runs.length > 1 ? `${runs.length} runs` : runs[0]} · ${new Date(first).toLocaleString()}`);
const total = (name) => ends.reduce((sum, end) => sum + ((end.usage || {})[name] || 0), 0);
const usage = Object.fromEntries(["turns", "input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens"].map((name) => [name, total(name)]));
const figures = [["Turns", number(usage.turns)], ["Calls", number(calls.length)], ["Failed calls", number(failed.length)],
  ["Duration", seconds(last - first)], ["Tokens in", number(usage.input_tokens)], ["Tokens out", number(usage.output_tokens)]];
// Without own prices, the report shows the cost that the runs counted.
const isPriced = run.prices || ends.some((end) => end.usage && end.usage.cost !== undefined);
if (isPriced) figures.push(["Cost", money(run.prices ? costOf(usage) : total("cost"))]);
for (const [name, value] of figures) {
  document.getElementById("figures").append(element("div", "", element("dt", "", name), element("dd", "", value)));
}
turns.forEach((turn, at) => document.getElementById("turns").append(turnView(turn, at, first, last)));
const views = [...document.querySelectorAll("details")];
const errors = document.getElementById("errors");
for (const end of ends.filter((end) => end.error)) {
  errors.querySelector("ol").append(element("li", "bad", `The run failed: ${end.error}`));
  errors.hidden = false;
}
for (const view of views.filter((view) => !view.call.result.success)) {
  const text = view.call.result.error ? view.call.result.error.message : "failed";
  const link = element("a", "", `${view.call.result.name}: ${text}`);
  link.href = `#${view.id}`;
  link.addEventListener("click", () => { view.open = true; });
  errors.querySelector("ol").append(element("li", "", link));
  errors.hidden = false;
}
const answer = [...turns].reverse().map((turn) => turn.reply).find((reply) => reply && !reply.calls.length);
if (answer && answer.text) {
  document.querySelector("#answer pre").textContent = answer.text;
  document.getElementById("answer").hidden = false;
}

const filters = {
  All: () => true,
  Errors: (result) => !result.success,
  Files: (result) => result.files_affected.length > 0,
  Approvals: (result) => result.metadata.approval && ["approved", "edited", "denied", "pending"].includes(result.metadata.approval.outcome),
};
let filter = "All";
const search = document.getElementById("search");
function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text) => words.every((word) => text.includes(word));
  for (const view of views) view.hidden = !filters[filter](view.call.result) || !has(view.call.text);
  for (const turn of document.querySelectorAll(".turn")) {
    const isPlain = filter === "All" && has(turn.text);
    turn.hidden = !isPlain && ![...turn.querySelectorAll("details")].some((view) => !view.hidden);
  }
  const count = views.filter((view) => !view.hidden).length;
  document.getElementById("shown").textContent = `${count} of ${views.length} calls`;
  for (const button of document.querySelectorAll("#filters button")) button.setAttribute("aria-pressed", String(button.textContent === filter));
}
for (const name of Object.keys(filters)) {
  const button = element("button", "", name);
  button.type = "button";
  button.addEventListener("click", () => { filter = name; show(); });
  document.getElementById("filters").append(button);
}
search.addEventListener("input", show);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === search) {
    if (event.key === "Escape") { search.value = ""; search.blur(); show(); }
  } else if (event.key === "/") {
    event.preventDefault();
    search.focus();
  } else if (event.key === "j" || event.key === "k") {
    const heads = views.filter((view) => !view.hidden).map((view) => view.querySelector("summary"));
    const at = heads.indexOf(document.activeElement) + (event.key === "j" ? 1 : -1);
    const next = heads[Math.max(0, Math.min(heads.length - 1, at))];
    if (next) next.focus();
  }
});
show();
