// The form of an item saves itself: what was changed goes to the API by PATCH with If-Match, two seconds after the
// last key and when the window is left. What another window saved meanwhile is never overwritten: saving
// stops, and the page shows both. Without this script the button of the form saves.

const form = document.getElementById("edit");
const said = document.getElementById("saved");
const words = said.dataset;
let tag = form.elements.tag.value;
const plainer = JSON.parse(words.refusals), fields = JSON.parse(words.wrong); // the refusals of the API in the language of the page
let doc = null; // as it is stored
let timer = 0, busy = Promise.resolve(), stopped = false;

const lines = (text) => text.split("\n").map((l) => l.trim()).filter(Boolean);
const input = (e) => e.querySelector("input:not([name=theirs]), textarea, select");
const chosen = (e) => [...e.querySelectorAll("input:checked:not([name=theirs])")].map((i) => i.value);

function written(row) {
  const one = {};
  for (const e of row.querySelectorAll("[data-part]")) one[e.dataset.part] = e.type === "checkbox" ? e.checked : e.dataset.part === "was" ? e.value : e.value.trim();
  return one;
}

const rows = (box) => [...box.querySelectorAll(".row")].map(written).sort((a, b) => a.place - b.place);

// author is one as the API takes it: by the id, as long as it is the person that was stored.
function author(a) {
  if (a.id && a.was === says(a) && !a.sure) return { id: Number(a.id) };
  if (a.kind === "organisation") return { name: a.name, kind: a.kind, ror_id: a.orcid_id };
  const affiliations = lines(a.affiliations).map((l) => /^(.+) (https?:\/\/ror\.org\/\w+)$/.exec(l) || [l, l]).map(([, name, ror_id]) => (ror_id ? { name, ror_id } : { name }));
  const kept = a.sure === false && a.was.startsWith(a.name + "\n") && a.was.includes("\ngiven " + a.given), name = kept ? { name: [a.given, a.name, a.suffix].filter(Boolean).join(" ") } : a.given || a.suffix ? { given_name: a.given, family_name: a.name, name_suffix: a.suffix } : { name: a.name };
  return { ...name, kind: "person", orcid_id: a.orcid_id, affiliations };
}

// says is everything that a row says, in the form of the server.
const says = (a) => [a.name, a.orcid_id, ...Object.entries({ kind: a.kind === "person" ? "" : a.kind, given: a.given, suffix: a.suffix, affiliations: a.affiliations }).filter(([, v]) => v).map((p) => p.join(" "))].join("\n");
const given = (a) => a.name || a.orcid_id || (a.given && !a.id);

function dated(parts) {
  const one = {};
  for (const e of parts) {
    const key = e.dataset.key, list = e.querySelector("fieldset");
    one[key] = !list ? input(e).value : key === "embargo_type" ? chosen(e)[0] || "" : chosen(e).map((id) => ({ id: Number(id) }));
  }
  return one;
}

// kinds read what stands in a part of the form, as the API takes it.
const kinds = {
  text: (e) => (e.querySelector("fieldset") ? chosen(e)[0] : input(e).value),
  lines: (e) => lines(input(e).value),
  titles: (e) => lines(input(e).value).map((title) => ({ title })),
  number: (e) => Number(e.querySelector("fieldset") ? chosen(e)[0] : input(e).value),
  numbers: () => [...form.querySelectorAll("input[name=categories]:checked")].map((i) => Number(i.value)),
  flag: (e) => input(e).checked,
  authors: (e) => rows(e).filter(given).map(author),
  related: (e) => rows(e).filter((r) => r.identifier || r.title).map(({ place, ...r }) => r),
  parts: (e) => dated(e.querySelectorAll("[data-as=part]")),
};

function read() {
  const all = {}, custom = [];
  for (const e of form.querySelectorAll("[data-key]")) {
    const { key, as } = e.dataset;
    if (as === "part") continue;
    if (as === "named" || as === "named-lines") {
      const many = e.querySelector("fieldset") ? chosen(e) : as === "named-lines" ? lines(input(e).value) : null;
      custom.push({ name: key, value: many || input(e).value });
    } else all[key] = kinds[as](e);
  }
  if (custom.length) all.custom_fields_list = custom;
  return all;
}

let stored = read(); // what the form says of what is stored

function changed() {
  const is = read(), out = {};
  for (const key in is) if (JSON.stringify(is[key]) !== JSON.stringify(stored[key])) out[key] = is[key];
  return [out, is];
}

const writing = () => form.querySelector("#authors :focus"); // a name that is not written to its end is nobody

function tell(text, button) {
  said.textContent = text;
  said.classList.toggle("alarm", Boolean(button));
  if (!button) return;
  const b = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: button });
  b.addEventListener("click", () => HTMLFormElement.prototype.submit.call(form));
  said.append(" ", b);
}

function stop() {
  stopped = true;
  clearTimeout(timer);
  tell(words.elsewhere, words.again);
}

const send = (method, at, body, match = tag) => fetch(words.api + at, {
  method, credentials: "same-origin", keepalive: true, headers: body ? { "Content-Type": "application/json", "If-Match": match } : {}, body: body && JSON.stringify(body),
});

// tagOf is the entity tag of a part of the item that has an address of its own, "" once the item is not as it was here.
async function tagOf(at) {
  const one = await send("GET", at), whole = await send("GET", "");
  return one.ok && whole.headers.get("ETag") === tag ? one.headers.get("ETag") : "";
}

async function refused(answer) {
  const { message = String(answer.status), data = {} } = await answer.json().catch(() => ({}));
  const key = String(data.field || "").split(/[.[]/)[0], at = key && form.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (at) { at.classList.add("bad"); input(at)?.setAttribute("aria-invalid", "true"); }
  tell(words.refused.replace("%s", () => plainer[message] || fields[key] || message));
}

const embargoed = /^(is_|confidential|embargo|modified_date|citation)/;

// check reads what is stored after a write of ours, and stops where it is not that: somebody else wrote, too.
async function check(expected) {
  const answer = await send("GET", "");
  if (!answer.ok) return refused(answer);
  const now = await answer.json(), is = answer.headers.get("ETag");
  const others = (d) => JSON.stringify(d, (k, v) => (embargoed.test(k) || !expected && k === "authors" ? undefined : v));
  if (expected ? is !== expected : doc && others(doc) !== others(now)) return stop();
  doc = now;
  form.elements.tag.value = tag = is;
}

// custom are the values of custom fields, those that were not changed as they are stored.
function custom(list) {
  const had = [...(doc ? doc.custom_fields : [])];
  return list.map((f, i) => {
    const at = had.findIndex((h) => h.name === f.name), was = at < 0 ? null : had.splice(at, 1)[0].value;
    return JSON.stringify(f) === JSON.stringify(stored.custom_fields_list[i]) ? { name: f.name, value: was } : f;
  }).filter((f) => f.value !== null);
}

async function write(leaving) {
  const [change, is] = changed(), filled = authorRows();
  if (stopped) return;
  if (!leaving && writing() && change.authors) {
    delete change.authors; // it is saved with the next change, or when the name is left
    if (Object.keys(change).length === 0) return tell(words.unsaved);
  }
  if (Object.keys(change).length === 0) return said.textContent && settled(); // what was written is what is stored
  tell(words.saving);
  const { embargo, ...body } = change;
  if (body.custom_fields_list) body.custom_fields_list = custom(body.custom_fields_list);
  const steps = [];
  if (body.authors?.length > 10) { steps.push(["PUT", "/authors", { authors: body.authors }, ["authors"]]); delete body.authors; }
  if (Object.keys(body).length) steps.push(["PATCH", "", body, Object.keys(body)]);
  if (embargo) steps.push(["PUT", "/embargo", held(embargo), ["embargo"]]);
  for (const [method, at, sent, keys] of steps) {
    const match = at ? await tagOf(at) : tag;
    if (!match) return stop();
    const answer = await send(method, at, sent, match);
    if (answer.status === 412) return stop();
    if (!answer.ok) return refused(answer);
    await check(answer.headers.get("ETag"));
    if (stopped) return;
    for (const key of keys) stored[key] = is[key];
    if (keys.includes("authors")) stored.authors = named(is.authors, filled);
  }
  if (Object.keys(changed()[0]).length) tell(words.unsaved);
  else settled();
}

function settled() {
  for (const e of form.querySelectorAll(".bad:not(:has(.theirs))")) { e.classList.remove("bad"); input(e)?.removeAttribute("aria-invalid"); }
  tell(words.at.replace("%s", new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" })));
}

function held({ embargo_type, embargo_date, ...rest }) {
  return embargo_type ? { is_embargoed: true, embargo_type, embargo_date: embargo_date || "0", ...rest, embargo_options: embargo_type === "file" ? rest.embargo_options : [] } : { is_embargoed: false };
}

const authorRows = () => [...form.querySelectorAll("#authors .row")].filter((r) => given(written(r))).sort((a, b) => part(a, "place").value - part(b, "place").value);

// named gives the rows of authors that were sent the ids that these have now, so that nobody is stored twice, and says
// what the form has for those that are stored. A row that was written on meanwhile stays one that is to be saved.
function named(sent, filled) {
  return sent.map((one, i) => {
    const row = filled[i], a = doc.authors[i];
    if (!a || JSON.stringify(author(written(row))) !== JSON.stringify(one)) return one;
    part(row, "id").value = a.id;
    if (part(row, "sure")) part(row, "sure").checked = false;
    part(row, "was").value = says(written(row));
    return { id: Number(a.id) };
  });
}

const part = (row, name) => row.querySelector(`[data-part=${name}]`);

function save(leaving = false) {
  clearTimeout(timer);
  busy = busy.then(() => write(leaving)).catch((e) => tell(words.refused.replace("%s", e.message)));
  return busy;
}

form.addEventListener("input", (e) => {
  if (stopped || !e.target.closest("[data-key]")) return;
  if (said.textContent !== words.unsaved) tell(words.unsaved);
  clearTimeout(timer);
  timer = setTimeout(save, 2000);
});
form.querySelector("#authors").addEventListener("focusout", (e) => {
  if (!e.currentTarget.contains(e.relatedTarget)) { clearTimeout(timer); timer = setTimeout(save, 500); }
});
document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") save(true); });

// A link is followed once everything is saved: a page that is read before is older than what this one still sends, and
// would take it for another window's. What is written meanwhile is saved, too. Where saving is refused the page stays and
// says why.
document.addEventListener("click", async (e) => {
  const a = e.target.closest("a[href]");
  if (!a || a.target || a.origin !== location.origin || (a.pathname === location.pathname && a.hash)) return;
  if (e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || stopped || ![words.unsaved, words.saving].includes(said.textContent)) return;
  e.preventDefault();
  for (let left = 5; left && !stopped; left--) {
    await save(true);
    if (said.textContent !== words.unsaved) break;
  }
  if (said.textContent !== words.unsaved && !stopped && Object.keys(changed()[0]).length === 0) location.href = a.href;
});
form.addEventListener("submit", async (e) => {
  if (e.submitter?.name || stopped || form.querySelector(".theirs")) return;
  e.preventDefault();
  await save(true);
  const [left] = changed();
  if (stopped) return;
  if (Object.keys(left).length) HTMLFormElement.prototype.submit.call(form); // the page says what is wrong
  else location.href = form.action + "?saved=1";
});

// A page that the browser kept may be older than what is stored.
busy = busy.then(async () => {
  const answer = await send("GET", "");
  if (!answer.ok) return;
  doc = await answer.json();
  if (answer.headers.get("ETag") !== tag && !form.querySelector(".theirs")) stop();
}).catch(() => {});

// Rows can be added, taken out and moved, which needs no button of the server.
form.querySelector("[name=do][value=rows]").parentElement.hidden = true;
for (const box of form.querySelectorAll(".rows")) {
  box.classList.add("live");
  const renumber = () => {
    let n = 0;
    for (const row of box.children) {
      part(row, "place").value = ++n;
      row.querySelector("legend").textContent = row.querySelector("legend").textContent.replace(/\d+$/, n);
      named(row);
    }
    form.dispatchEvent(new Event("input"));
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };
  /** The buttons of a row say which row they act on. */
  const named = (row) => { for (const b of row.querySelectorAll("p > button")) b.setAttribute("aria-label", b.textContent + ": " + row.querySelector("legend").textContent); };
  const button = (text, act) => {
    const b = Object.assign(document.createElement("button"), { type: "button", className: "button second", textContent: text });
    b.addEventListener("click", act);
    return b;
  };
  const tools = (row) => {
    const p = document.createElement("p");
    p.append(button(words.up, () => { if (row.previousElementSibling) { row.previousElementSibling.before(row); renumber(); } }), " ",
      button(words.remove, () => { row.remove(); renumber(); add.focus(); }));
    row.append(p);
    named(row);
  };
  const one = box.lastElementChild.cloneNode(true);
  let next = box.children.length;
  const add = button(words.add, () => {
    const row = one.cloneNode(true);
    for (const e of row.querySelectorAll("[name]")) e.name = e.name.replace(/\d+/, next);
    next++;
    box.append(row);
    tools(row);
    renumber();
    row.querySelector("label input").focus();
  });
  for (const row of box.children) tools(row);
  add.setAttribute("aria-label", words.add + ": " + box.parentElement.querySelector("h2, h3").textContent);
  box.after(add);
}

// People of the repository are offered while a name is written.
const list = Object.assign(document.createElement("datalist"), { id: "people" });
form.append(list);
let people = new Map(), asks = 0;
form.querySelector("#authors").addEventListener("input", (e) => {
  if (e.target.dataset.part !== "name") return;
  const row = e.target.closest(".row"), name = e.target.value.trim(), known = people.get(name);
  e.target.setAttribute("list", "people");
  if (known) {
    for (const [name, value] of Object.entries({ id: known.id, kind: known.kind, given: "", suffix: "", affiliations: "", orcid_id: known.ror_id || known.orcid_id || "" })) part(row, name).value = value;
    part(row, "was").value = says(written(row));
    return;
  }
  clearTimeout(asks);
  if (name.length < 3) return;
  asks = setTimeout(async () => {
    const answer = await fetch("/v2/account/authors/search", { method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ search_for: name, page_size: 10 }) }).catch(() => null);
    if (!answer?.ok) return;
    people = new Map((await answer.json()).map((p) => [p.full_name, p]));
    list.replaceChildren(...[...people.values()].map((p) => Object.assign(document.createElement("option"), { value: p.full_name, label: p.orcid_id || "" })));
  }, 300);
});

// All categories as a tree, and the words in them.
const find = form.querySelector(".find");
if (find) {
  const tree = document.createElement("details"), summary = document.createElement("summary");
  tree.className = "tree";
  summary.textContent = find.dataset.add;
  tree.append(summary);
  find.after(tree);
  find.hidden = true;
  const label = (k) => {
    const l = document.createElement("label"), box = Object.assign(document.createElement("input"), { type: "checkbox", checked: Boolean(form.querySelector(`input[name=categories][value="${k.id}"]:checked`)) });
    box.addEventListener("change", () => choose(k, box.checked));
    l.className = "choice";
    l.append(box, " " + k.title);
    return l;
  };
  const choose = (k, on) => {
    const at = form.querySelector(`input[name=categories][value="${k.id}"]`);
    if (at) at.checked = on;
    else if (on) {
      const l = document.createElement("label");
      l.className = "choice";
      l.append(Object.assign(document.createElement("input"), { type: "checkbox", name: "categories", value: k.id, checked: true }), " " + k.title);
      form.querySelector("#categories").append(l);
    }
    form.querySelector("#categories").dispatchEvent(new Event("input", { bubbles: true }));
  };
  tree.addEventListener("toggle", async () => {
    if (!tree.open || tree.querySelector("ul")) return;
    const all = await (await fetch("/v2/categories")).json();
    const below = Map.groupBy(all, (k) => k.parent_id || 0);
    const branch = (list) => {
      const ul = document.createElement("ul");
      for (const k of list) {
        const li = document.createElement("li");
        li.append(label(k));
        const more = below.get(k.id);
        if (more) {
          const d = document.createElement("details"), s = document.createElement("summary");
          s.textContent = `${k.title} (${more.length})`;
          d.append(s);
          d.addEventListener("toggle", () => { if (d.open && !d.querySelector("ul")) d.append(branch(more)); });
          li.append(d);
        }
        ul.append(li);
      }
      return ul;
    };
    const filter = Object.assign(document.createElement("input"), { type: "search", id: "tree-filter", autocomplete: "off" }), name = document.createElement("label");
    name.append(find.dataset.filter, filter);
    const shown = document.createElement("div");
    shown.append(branch(below.get(0)));
    filter.addEventListener("keydown", (e) => { if (e.key === "Enter") e.preventDefault(); }); // it would save the form
    filter.addEventListener("input", (e) => {
      e.stopPropagation();
      const parts = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      shown.replaceChildren(branchOf(parts));
    });
    const branchOf = (parts) => {
      if (!parts.length) return branch(below.get(0));
      const ul = document.createElement("ul");
      for (const k of all.filter((k) => parts.every((p) => k.title.toLowerCase().includes(p))).slice(0, 60)) {
        const li = document.createElement("li");
        li.append(label(k));
        ul.append(li);
      }
      return ul;
    };
    tree.append(name, shown);
  });
}
