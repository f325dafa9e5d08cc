// Tries a call of the API as the person who is signed in: the line for a shell follows what is filled in, and
// the answer is shown as it came.

const page = document.getElementById("try");
const form = document.getElementById("calling");
const curl = document.getElementById("curl");
const said = page.dataset;
const most = 200_000; // characters of an answer that are shown

const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
const fields = (where) => [...form.querySelectorAll(`[data-in=${where}]`)];
const body = () => form.querySelector("#body")?.value.trim() || "";

function address() {
  let path = said.path;
  for (const e of fields("path")) if (e.value) path = path.replace(new RegExp(`:${e.dataset.name}(?=/|$)`), () => encodeURIComponent(e.value));
  const query = new URLSearchParams();
  for (const e of fields("query")) if (e.value) query.append(e.dataset.name, e.value);
  return path + (query.size ? "?" + query : "");
}

function line() {
  const parts = ["curl"];
  if (said.method !== "GET") parts.push("-X", said.method);
  parts.push('-H "Authorization: token $TOKEN"');
  if (form.querySelector("#body")) {
    if (body()) parts.push("-H 'Content-Type: application/json'", "-d " + quoted(body()));
  } else if (curl.textContent.includes("--data-binary")) parts.push("--data-binary @FILE");
  return [...parts, quoted(new URL(said.base).origin + address().replace(/:(\w+)/g, "{$1}"))].join(" ");
}

async function show(reply, began) {
  const kind = reply.headers.get("Content-Type") || "";
  document.getElementById("status").textContent = `${reply.status} ${reply.statusText} · ${Math.round(performance.now() - began)} ms`;
  document.getElementById("headers").textContent = [...reply.headers].map(([k, v]) => `${k}: ${v}`).join("\n");
  const out = document.getElementById("body-of-answer");
  if (!/json|text/.test(kind)) {
    await reply.body?.cancel();
    out.textContent = kind ? said.bytes.replace("%s", kind) : "";
    return;
  }
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "", done = false;
  while (!done && text.length < most) {
    const piece = await reader.read();
    done = piece.done;
    text += piece.value || "";
  }
  if (!done) await reader.cancel();
  if (done && kind.includes("json")) {
    try {
      text = JSON.stringify(JSON.parse(text), null, 2);
    } catch {} // it is shown as it came
  }
  out.textContent = text.slice(0, most) + (done ? "" : "\n…");
}

form.addEventListener("input", () => (curl.textContent = line()));

const send = document.getElementById("send");
if (send) send.hidden = false;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const empty = fields("path").find((e) => !e.value);
  for (const e of fields("path")) e.setAttribute("aria-invalid", String(!e.value));
  const status = document.getElementById("status");
  document.getElementById("answer").hidden = false;
  document.getElementById("headers").textContent = document.getElementById("body-of-answer").textContent = "";
  if (empty) {
    status.textContent = said.missing.replace("%s", empty.dataset.name);
    empty.focus();
    return;
  }
  status.textContent = said.waiting;
  send.disabled = true;
  const began = performance.now();
  try {
    const ask = { method: said.method, headers: { Accept: "application/json" } };
    if (body()) {
      ask.body = body();
      ask.headers["Content-Type"] = "application/json";
    }
    await show(await fetch(address(), ask), began);
  } catch {
    status.textContent = said.failed;
  }
  send.disabled = false;
});
