"use strict";
const token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
sessionStorage.setItem("token", token);
history.replaceState(null, "", "/");

const byId = (id) => document.getElementById(id);
const authorized = { Authorization: `Bearer ${token}` };
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const MAX_TRIES = 6;
let current = null;

// Content of models and tools is only ever text, and shows what would be invisible or would turn the line around.
const visible = (text) => String(text).replace(/[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu,
  (letter) => "\n\t".includes(letter) ? letter : `\\u{${letter.codePointAt(0).toString(16)}}`);

function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.map((child) => typeof child === "string" ? visible(child) : child));
  return node;
}

async function send(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { ...authorized, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

function setStatus(state, text) {
  byId("status").dataset.state = state;
  byId("status").textContent = text;
}

const openCards = () => document.querySelectorAll("li[data-state=waiting]");

// Buttons work only while the server would receive a click.
function setRunning(isRunning) {
  byId("run").disabled = isRunning;
  byId("stop").disabled = !isRunning;
  for (const control of document.querySelectorAll("#events button, #events input")) control.disabled = !isRunning;
  if (!isRunning) return;
  if (openCards().length > 0) setStatus("waiting", "waiting for your decision");
  else setStatus("running", "running");
}

function setState(card, state, words) {
  card.dataset.state = state;
  card.querySelector(".state").textContent = words;
}

function addCard(id, title, state, words) {
  const card = element("li", "", element("div", "title", element("b", "", title), element("span", "state")));
  card.id = id;
  byId("events").append(card);
  setState(card, state, words);
  return card;
}

const asText = (value) => typeof value === "string" ? value : JSON.stringify(value);
const named = (value) => value && typeof value === "object"
  ? Object.entries(value).map(([name, member]) => `${name}: ${asText(member)}`).join("\n") : asText(value);
const textOf = (blocks) => blocks.map((block) => block.text || `[${block.type}]`).join("\n");

// Returns the card of a call, which shows its arguments, a request for approval, and the result.
function cardOf(id, name, values) {
  const known = byId(`call-${id}`);
  if (known) return known;
  const card = addCard(`call-${id}`, name, "running", "running");
  if (named(values)) card.append(element("pre", "", named(values)));
  return card;
}

function diff(text) {
  const kinds = { "+": "add", "-": "del", "@": "hunk" };
  return element("pre", "diff", ...text.trimEnd().split("\n").map((line) => element("span", kinds[line[0]] || "", line || " ")));
}

function ask(run, request) {
  const card = cardOf(request.call_id, request.tool, {});
  // What would run, which may have been repaired.
  card.querySelector("pre")?.remove();
  card.append(element("pre", "", named(request.arguments)));
  card.dataset.request = request.id;
  setState(card, "waiting", "waiting");
  const parts = [];
  if (request.grants?.length) parts.push(element("p", "grants", `Approval gives: ${request.grants.join("; ")}`));
  for (const finding of request.findings || []) parts.push(element("p", "note", `${finding.name}: ${finding.reason}`));
  if (request.reason) parts.push(element("p", "note", `Reason: ${request.reason}`));
  if (request.files_affected.length) parts.push(element("p", "note", `Writes: ${request.files_affected.join(", ")}`));
  if (request.preview) parts.push(request.preview.kind === "diff" ? diff(request.preview.text) : element("pre", "", request.preview.text));
  const reason = element("input");
  reason.placeholder = "Reason, for the model";
  reason.setAttribute("aria-label", "Reason for a denial");
  const approve = element("button", "main", "Approve");
  const deny = element("button", "", "Deny");
  const decide = (isApproved) => {
    for (const control of [approve, deny, reason]) control.disabled = true;
    const decision = { request: request.id, approve: isApproved, reason: isApproved ? null : reason.value || null };
    send(`/runs/${run}/decisions`, decision).catch((error) => setStatus("lost", error.message));
  };
  approve.addEventListener("click", () => decide(true));
  deny.addEventListener("click", () => decide(false));
  card.append(element("div", "request", ...parts, element("p", "note", `Run ${request.tool} (${request.risk})?`), element("div", "answers", approve, deny, reason)));
  setRunning(true);
  // The card, not its button: a key that was meant for the task must not approve.
  card.tabIndex = -1;
  if (document.activeElement !== byId("task")) card.focus();
}

function decided({ request, answer }) {
  const card = document.querySelector(`li[data-request="${request}"]`);
  card.querySelector(".answers").remove();
  const isApproved = answer.answer === "approve";
  const words = isApproved ? "You approved this call." : `You denied this call${answer.reason ? `: ${answer.reason}` : "."}`;
  card.append(element("p", "note", words));
  setState(card, isApproved ? "running" : "failed", isApproved ? "running" : "denied");
  setRunning(true);
}

// A call that waited when its run ended.
function undecided(card) {
  card.querySelector(".answers").remove();
  card.append(element("p", "note", "Nobody decided before the run ended."));
  setState(card, "failed", "not run");
}

function finished(result) {
  const card = cardOf(result.id, result.name, "");
  if (card.dataset.state === "waiting") undecided(card);
  if (card.dataset.state !== "failed") setState(card, result.success ? "done" : "failed", result.success ? "✓ done" : "✗ failed");
  card.append(element("pre", "", textOf(result.content)));
}

function ended({ status, answer, error }) {
  openCards().forEach(undecided);
  const state = status === "completed" ? "done" : "failed";
  addCard("", "Answer", state, status).append(element("pre", "", answer || error || "There is no answer."));
  setRunning(false);
  setStatus(state, status);
}

// Shows one event. Returns whether it is the last one.
function receive(run, event) {
  if (event.event === "call_started") cardOf(event.call.id, event.call.name, event.call.arguments);
  else if (event.event === "call_finished") finished(event.result);
  else if (event.event === "model_retried") setStatus("running", `the model is tried again: ${event.error}`);
  else if (event.event === "approval_requested") ask(run, event.request);
  else if (event.event === "approval_decided") decided(event);
  else if (event.event === "ended") ended(event);
  return event.event === "ended";
}

// Reads the events of a run. Returns whether the last one arrived.
async function read(run, state) {
  const headers = { ...authorized };
  if (state.last !== null) headers["Last-Event-ID"] = state.last;
  const response = await fetch(`/runs/${run}/events`, { headers });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { isFinal: true });
  if (state.tries > 0) setRunning(true);
  state.tries = 0;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return false;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      const field = (name) => lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2)).join("\n");
      if (!field("data")) continue;
      state.last = field("id");
      if (receive(run, JSON.parse(field("data")))) return true;
    }
  }
}

// Shows a run to its end. A lost connection goes on after the last event.
async function follow(run) {
  current = run;
  byId("events").replaceChildren();
  setRunning(true);
  const state = { last: null, tries: 0 };
  for (;;) {
    try {
      if (await read(run, state)) return;
    } catch (error) {
      if (error.isFinal || state.tries === MAX_TRIES) return over(error.isFinal ? error.message : "The server has ended.");
    }
    state.tries += 1;
    setRunning(false);
    byId("run").disabled = true;
    setStatus("lost", "connection lost, trying again");
    await wait(250 * state.tries);
  }
}

function over(message) {
  sessionStorage.removeItem("run");
  setRunning(false);
  setStatus("lost", message);
}

byId("start").addEventListener("submit", async (submitted) => {
  submitted.preventDefault();
  byId("run").disabled = true;
  try {
    const task = byId("task").value;
    const { run } = await send("/runs", { task });
    sessionStorage.setItem("run", run);
    sessionStorage.setItem("task", task);
    await follow(run);
  } catch (error) {
    over(error.message);
  }
});

byId("stop").addEventListener("click", () => {
  byId("stop").disabled = true;
  send(`/runs/${current}/stop`, {}).catch((error) => setStatus("lost", error.message));
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !byId("stop").disabled) byId("stop").click();
  if (event.key === "Enter" && event.ctrlKey && !byId("run").disabled) byId("start").requestSubmit();
});

// A reload finds its run again.
if (sessionStorage.getItem("run")) {
  byId("task").value = sessionStorage.getItem("task") || "";
  follow(sessionStorage.getItem("run"));
}
