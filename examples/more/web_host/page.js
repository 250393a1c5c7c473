"use strict";
const token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
sessionStorage.setItem("token", token);
history.replaceState(null, "", "/");

const byId = (id) => document.getElementById(id);
const authorized = { Authorization: `Bearer ${token}` };
let current = null;

// Creates an element. Content of models and tools is only ever text.
function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
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

function show(className, title, text) {
  const item = element("li", className, element("strong", "", title));
  if (text) item.append(element("pre", "", text));
  byId("events").append(item);
  return item;
}

const textOf = (blocks) => blocks.map((block) => block.text || `[${block.type}]`).join("\n");

function ask(run, { request, details }) {
  const item = show("waiting", `Approve ${request.tool} (${request.risk})?`, details);
  item.id = `request-${request.id}`;
  for (const [name, approve] of [["Approve", true], ["Deny", false]]) {
    const button = element("button", "", name);
    button.addEventListener("click", () => {
      item.querySelectorAll("button").forEach((other) => { other.disabled = true; });
      send(`/runs/${run}/decisions`, { request: request.id, approve }).catch((error) => { byId("status").textContent = error.message; });
    });
    item.append(button, " ");
  }
}

function decided(event) {
  const item = byId(`request-${event.request}`);
  item.classList.remove("waiting");
  item.querySelectorAll("button").forEach((button) => button.remove());
  item.append(element("em", "", typeof event.answer === "string" ? event.answer : Object.keys(event.answer)[0] || ""));
}

// Shows one event. Returns whether it is the last one.
function receive(run, event) {
  if (event.event === "call_started") show("", `→ ${event.call.name}`, JSON.stringify(event.call.arguments));
  else if (event.event === "call_finished") {
    const good = event.result.success;
    show(good ? "good" : "bad", `${good ? "✓" : "✗"} ${event.result.name}`, textOf(event.result.content));
  } else if (event.event === "model_retried") show("bad", "The model failed and is tried again", event.error);
  else if (event.event === "approval_requested") ask(run, event);
  else if (event.event === "approval_decided") decided(event);
  else if (event.event === "ended") {
    show(event.error ? "bad" : "good", `Run ${event.status}`, event.answer || event.error);
    return true;
  }
  return false;
}

// Reads the events of a run. Returns whether the last one arrived.
async function read(run, state) {
  const headers = { ...authorized };
  if (state.last !== null) headers["Last-Event-ID"] = state.last;
  const response = await fetch(`/runs/${run}/events`, { headers });
  if (!response.ok) throw new Error(await response.text());
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

byId("start").addEventListener("submit", async (submitted) => {
  submitted.preventDefault();
  byId("run").disabled = true;
  byId("events").replaceChildren();
  byId("status").textContent = "running";
  try {
    const { run } = await send("/runs", { task: byId("task").value });
    current = run;
    byId("stop").disabled = false;
    const state = { last: null };
    // A lost connection continues after the last event.
    while (!(await read(run, state))) await new Promise((resolve) => setTimeout(resolve, 500));
    byId("status").textContent = "";
  } catch (error) {
    byId("status").textContent = error.message;
  }
  byId("stop").disabled = true;
  byId("run").disabled = false;
});

byId("stop").addEventListener("click", () => {
  send(`/runs/${current}/stop`, {}).catch((error) => { byId("status").textContent = error.message; });
});
