// Uploads files and folders to an article over the public API. Files that the article has already are recognised
// by folder, name, size and MD5, so that choosing a folder again goes on where a closed page, a cut network or
// another browser has ended.

const slots = 4; // files in work, and parts on their way, at a time
const weight = 64 << 10; // bytes that a file costs beside its own, to tell how long the rest takes

const path = (/** @type {string} */ folder, /** @type {string} */ name) => folder ? folder + "/" + name : name;
const say = (/** @type {string} */ text, /** @type {any[]} */ ...values) => text.replace(/%[sd]/g, () => values.shift());
const language = document.documentElement.lang;

/** @param {number} n */
function bytes(n) {
  const units = ["", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  let at = 0;
  if (n < 1000) return Math.round(n) + " B";
  for (; n >= 999.5 && at < units.length - 1; at++) n /= 1000;
  return new Intl.NumberFormat(language, { style: "unit", unit: units[at], unitDisplay: "short", maximumFractionDigits: n < 9.95 ? 1 : 0 }).format(n);
}

/** @param {number} seconds */
function duration(seconds) {
  const [n, unit] = seconds < 90 ? [seconds, "second"] : seconds < 5400 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  return new Intl.NumberFormat(language, { style: "unit", unit: String(unit), unitDisplay: "long", maximumFractionDigits: 0 }).format(Math.max(1, Math.round(Number(n))));
}

/** A refusal that is told at the file. */
class Refused extends Error {}
/** The server has something else than was thought: look again. */
class Again extends Error {}

class FileUpload extends HTMLElement {
  connectedCallback() {
    this.words = JSON.parse(this.dataset.words);
    this.api = "/v2/account/articles/" + this.dataset.article + "/files";
    this.part = Number(this.dataset.part);
    this.rows = []; this.byPath = new Map(); this.dirty = new Set(); this.requests = new Set(); this.sleepers = new Set();
    this.queue = []; this.working = 0; this.sending = 0; this.waiting = [];
    this.moved = 0; this.samples = []; this.paused = false; this.trouble = ""; this.said = 0; this.ready = Promise.resolve();
    this.hashers = [];
    this.hidden = false;
    for (const form of document.querySelectorAll(".without-script")) form.remove();

    const folder = this.querySelector("#pick-folder"), files = this.querySelector("#pick-files");
    folder.webkitdirectory = true;
    for (const input of [folder, files]) {
      input.addEventListener("change", () => {
        this.add(Array.from(input.files, (file) => [file, file.webkitRelativePath.split("/").slice(0, -1).join("/")]));
        input.value = "";
      });
    }
    const zone = document.body, box = this.querySelector(".drop");
    zone.addEventListener("dragover", (e) => { if (e.dataTransfer.types.includes("Files")) { e.preventDefault(); box.classList.add("over"); } });
    zone.addEventListener("dragleave", (e) => { if (!e.relatedTarget) box.classList.remove("over"); });
    zone.addEventListener("drop", (e) => {
      box.classList.remove("over");
      if (!e.dataTransfer.types.includes("Files")) return;
      e.preventDefault();
      this.drop(e.dataTransfer);
    });
    this.whole = this.querySelector(".whole"); this.live = this.querySelector("[role=status]"); this.bar = this.querySelector(".all");
    this.safe = this.querySelector(".safe"); this.list = this.querySelector(".sending"); this.button = this.querySelector(".pause");
    this.button.addEventListener("click", () => this.paused ? this.resume() : this.pause());
    addEventListener("online", () => this.wake());
    this.list.addEventListener("click", (e) => { if (e.target.className === "retry") this.retry(e.target.parentNode.row); });
    this.follow();
  }

  /** Folders are read as they were dropped, in as many steps as the browser offers. @param {DataTransfer} data */
  async drop(data) {
    const entries = Array.from(data.items, (i) => i.webkitGetAsEntry && i.webkitGetAsEntry());
    if (!entries.some(Boolean)) return this.add(Array.from(data.files, (file) => [file, ""]));
    const found = [];
    const read = async (entry, folder) => {
      if (!entry) return;
      if (entry.isFile) { found.push([await new Promise((done, failed) => entry.file(done, failed)), folder]); return; }
      const reader = entry.createReader();
      for (;;) {
        const some = await new Promise((done, failed) => reader.readEntries(done, failed));
        if (!some.length) return;
        for (const one of some) await read(one, path(folder, entry.name));
      }
    };
    for (const entry of entries) await read(entry, "").catch((e) => { this.trouble = say(this.words.Unreadable, entry.name, e.message); });
    this.add(found);
  }

  /** @param {[File, string][]} list of files with their folders */
  async add(list) {
    let twice = 0;
    const begun = this.active();
    for (const [file, in_] of list) {
      const folder = in_.normalize("NFC"), name = file.name.normalize("NFC"), key = path(folder, name);
      const old = this.byPath.get(key);
      if (old && old.size === file.size && old.file.lastModified === file.lastModified && old.state !== "failed") { twice++; continue; }
      if (old && old.state === "failed") { old.file = file; old.size = file.size; old.md5 = ""; this.retry(old); continue; }
      const row = { file, folder, name, size: file.size, md5: "", state: "waiting", id: 0, token: "", sent: 0, live: new Map(), note: "", why: "", begun: 0, li: document.createElement("li") };
      this.byPath.set(key, row); this.rows.push(row); this.queue.push(row); this.dirty.add(row);
    }
    if (!this.rows.length) return;
    this.querySelector(".work").hidden = false;
    const drawn = document.createDocumentFragment();
    for (const row of this.rows) if (!row.li.row) { this.draw(row); drawn.append(row.li); }
    this.list.append(drawn);
    if (twice) this.trouble = say(this.words.Twice, twice);
    if (!begun) {
      this.samples = []; this.ready = this.look(); this.ready.catch(() => {});
      clearInterval(this.clock); this.clock = setInterval(() => this.paint(), 500);
    }
    this.paint();
    while (this.working < slots && this.queue.length) { this.working++; this.work().finally(() => { this.working--; }); }
  }

  active() { return this.rows.some((r) => !["stored", "skipped", "failed"].includes(r.state)); }

  /** Reads what the article has: by path, and by content. */
  async look() {
    this.have = new Map(); this.same = new Map();
    for await (const f of this.files("")) this.know(f);
  }

  /** The files of the article that a query asks for, page by page. */
  async *files(query) {
    for (let cursor = ""; ;) {
      const r = await this.ask("GET", this.api + query, null, cursor ? { "X-Cursor": cursor } : {});
      const list = JSON.parse(r.text);
      yield* list;
      cursor = r.header("X-Cursor");
      if (!list.length || !cursor) return;
    }
  }

  know(f) {
    const at = path((f.folder_path || "").normalize("NFC"), f.name.normalize("NFC"));
    if (!this.have.has(at)) this.have.set(at, []);
    this.have.get(at).push(f);
    const md5 = f.computed_md5 || f.supplied_md5;
    if (md5 && f.size && !this.same.has(md5)) this.same.set(md5, at);
  }

  /** That of the files of a row's path that has the row's content. */
  match(row, files) {
    return files.find((f) => f.size === row.size && !f.is_link_only && (f.supplied_md5 === row.md5 || f.computed_md5 === row.md5));
  }

  async work() {
    for (let row; (row = this.queue.shift());) {
      try {
        await this.upload(row);
      } catch (e) {
        row.why = e instanceof Refused ? e.message : say(this.words.Unreadable, row.name, e.message);
        this.become(row, "failed");
      }
    }
  }

  become(row, state) { row.state = state; this.dirty.add(row); if (state === "checking") this.poll(); }

  async upload(row) {
    this.become(row, "reading");
    await this.ready;
    if (!row.md5) row.md5 = await this.sum(row);
    const at = path(row.folder, row.name), here = this.have.get(at) || [];
    let f = this.match(row, here);
    if (f && f.status === "ic_failed") {
      await this.ask("DELETE", this.api + "/" + f.id);
      this.have.set(at, here.filter((one) => one !== f));
      f = null;
    }
    if (!f && here.length) row.note = this.words.SameName;
    else if (!f && this.same.has(row.md5) && row.size) row.note = say(this.words.SameContent, this.same.get(row.md5));
    if (f && f.status !== "created") {
      row.id = f.id;
      return this.become(row, f.status === "available" ? "skipped" : "checking");
    }
    for (let tries = 0; ; tries++) {
      const fresh = !f;
      if (!f) { f = await this.create(row); this.know(f); }
      row.id = f.id; row.token = f.upload_token; row.begun = Date.now();
      this.become(row, "sending");
      try {
        await this.send(row, fresh);
        return this.become(row, "checking");
      } catch (e) {
        if (!(e instanceof Again) || tries > 50) throw e;
        await this.sleep(1000 + 1000 * Math.min(tries, 9));
        f = await this.find(row); // it may have been deleted, or completed by another page
        if (f && f.status !== "created") return this.become(row, "checking");
      }
    }
  }

  /** Announces a file. Whether one that got no answer was made is looked up before it is made again. */
  async create(row) {
    for (;;) {
      const r = await this.ask("POST", this.api, JSON.stringify({ name: row.name, size: row.size, md5: row.md5, folder_path: row.folder }), { "Content-Type": "application/json" }, { once: true });
      if (r) return JSON.parse((await this.ask("GET", this.api + "/" + /\d+$/.exec(r.header("Location"))[0])).text);
      const f = await this.find(row);
      if (f) return f;
    }
  }

  async find(row) {
    const list = [];
    for await (const f of this.files("?name=" + encodeURIComponent(row.name))) if ((f.folder_path || "").normalize("NFC") === row.folder) list.push(f);
    return this.match(row, list);
  }

  /** Sends the parts that are missing, and completes the file. */
  async send(row, fresh) {
    let parts;
    row.live.clear();
    if (fresh) {
      parts = Array.from({ length: Math.ceil(row.size / this.part) }, (_, i) => ({ partNo: i + 1, startOffset: i * this.part, endOffset: Math.min((i + 1) * this.part, row.size) - 1 }));
      row.sent = 0;
    } else {
      const all = JSON.parse((await this.ask("GET", "/upload/" + row.token)).text).parts;
      parts = all.filter((p) => p.status !== "COMPLETE");
      row.sent = row.size - parts.reduce((n, p) => n + p.endOffset + 1 - p.startOffset, 0);
    }
    let failed = null;
    const runner = async () => {
      for (let p; !failed && (p = parts.shift());) {
        await this.slot();
        try { await this.put(row, p); } catch (e) { failed = failed || e; } finally { this.free(); }
      }
    };
    await Promise.all(Array.from({ length: Math.min(slots, parts.length) }, runner));
    if (failed) throw failed;
    await this.ask("POST", this.api + "/" + row.id);
  }

  async put(row, p) {
    const length = p.endOffset + 1 - p.startOffset;
    await this.ask("PUT", "/upload/" + row.token + "/" + p.partNo, row.file.slice(p.startOffset, p.endOffset + 1), {}, {
      file: row.file,
      progress: (n) => {
        this.moved += Math.max(0, n - (row.live.get(p.partNo) || 0));
        row.live.set(p.partNo, n); this.dirty.add(row);
      },
    });
    row.live.delete(p.partNo);
    row.sent += length;
  }

  async slot() { if (this.sending < slots) this.sending++; else await new Promise((go) => this.waiting.push(go)); }
  free() { const next = this.waiting.shift(); if (next) next(); else this.sending--; }

  /** The MD5 of a file, from one of two workers. */
  async sum(row) {
    let h = this.hashers.find((one) => !one.queue.length) || (this.hashers.length < 2 && this.hasher()) || this.hashers[row.size % 2];
    return new Promise((done, failed) => {
      h.queue.push({ row, done, failed });
      if (h.queue.length === 1) h.next();
    });
  }

  hasher() {
    const worker = new Worker(this.dataset.worker), h = { queue: [], next: () => { if (h.queue.length) worker.postMessage({ id: 0, file: h.queue[0].row.file }); } };
    worker.onmessage = ({ data }) => {
      const { row, done, failed } = h.queue[0];
      if (data.done !== undefined) { row.read = data.done; this.dirty.add(row); return; }
      h.queue.shift();
      if (data.md5) done(data.md5); else failed(new Refused(say(this.words.Unreadable, row.name, data.error)));
      h.next();
    };
    this.hashers.push(h);
    return h;
  }

  /** One request, tried again until it is answered: a cut network and a busy server are waited for.
   * With once it is sent once, and null says that nobody knows whether it arrived. */
  async ask(method, url, body = null, headers = {}, { once = false, progress = null, file = null } = {}) {
    for (let tries = 0; ; tries++) {
      while (this.paused) await this.sleep(1e9);
      const r = await this.request(method, url, body, headers, progress);
      if (r.status >= 200 && r.status < 300) { this.trouble = ""; return r; }
      if (r.status === 404 && method === "DELETE") return r;
      if (this.paused && !r.status) { if (once) { while (this.paused) await this.sleep(1e9); return null; } continue; }
      if (file && !r.status) await file.slice(0, 1).arrayBuffer().catch(() => { throw new Refused(this.words.Changed); });
      if (r.status === 401) { this.pause(this.words.SignedOut); continue; }
      const busy = [408, 425, 429, 502, 503, 504].includes(r.status) || r.status === 500 && tries < 5;
      if (r.status && !busy) {
        const said = this.parse(r.text);
        const gone = r.status === 404 && url.startsWith(this.api + "/"), upload = url.startsWith("/upload/") && r.status !== 413 && r.status !== 507;
        if (r.status === 409 || gone || upload || said.data && said.data.missing_parts) throw new Again(said.message || String(r.status));
        throw new Refused(said.message || say(this.words.Answered, r.status));
      }
      const after = r.status && Number(r.header("Retry-After"));
      const seconds = after || Math.min(30, 2 ** tries) * (0.75 + Math.random() / 2);
      this.trouble = say(r.status ? this.words.Busy : this.words.Cut, duration(seconds));
      await this.sleep(seconds * 1000);
      if (once && !(r.status === 429)) return null;
    }
  }

  parse(text) { try { return JSON.parse(text) || {}; } catch { return {}; } }

  /** One try. Status 0 is no answer: the network is cut, nothing moved for a minute, or it was paused. */
  request(method, url, body, headers, progress) {
    return new Promise((done) => {
      const x = new XMLHttpRequest();
      let watch = 0;
      const alive = () => { clearTimeout(watch); watch = setTimeout(() => x.abort(), 60000); };
      x.open(method, url);
      for (const name in headers) x.setRequestHeader(name, headers[name]);
      x.onloadend = () => {
        clearTimeout(watch); this.requests.delete(x);
        if (progress && !(x.status >= 200 && x.status < 300)) progress(0);
        done({ status: x.status, text: x.responseText, header: (name) => x.getResponseHeader(name) });
      };
      if (progress) x.upload.onprogress = (e) => { alive(); progress(e.loaded); };
      this.requests.add(x); alive();
      x.send(body);
    });
  }

  sleep(ms) {
    return new Promise((done) => {
      const end = () => { clearTimeout(timer); this.sleepers.delete(end); done(); };
      const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1));
      this.sleepers.add(end);
    });
  }

  wake() { for (const end of [...this.sleepers]) end(); }

  pause(why = "") {
    this.paused = true; this.trouble = why || this.words.Paused;
    this.querySelector(".signed-out").hidden = why !== this.words.SignedOut;
    for (const x of [...this.requests]) x.abort();
    this.paint();
  }

  resume() {
    this.paused = false; this.trouble = ""; this.samples = [];
    this.querySelector(".signed-out").hidden = true;
    this.wake(); this.paint();
  }

  retry(row) {
    row.why = row.note = ""; row.sent = 0;
    this.become(row, "waiting");
    this.queue.push(row);
    this.ready = this.look(); this.ready.catch(() => {});
    clearInterval(this.clock); this.clock = setInterval(() => this.paint(), 500);
    if (this.working < slots) { this.working++; this.work().finally(() => { this.working--; }); }
  }

  /** Asks how the checks of what was sent went, until all are done. */
  async poll() {
    if (this.polling) return;
    this.polling = true;
    for (let wait = 300; this.rows.some((r) => r.state === "checking"); wait = Math.min(wait * 1.5, 5000)) {
      await this.sleep(wait);
      const asked = this.rows.filter((r) => r.state === "checking");
      const open = new Map();
      try {
        const left = this.queue.length || asked.length < this.rows.filter((r) => !["stored", "skipped", "failed"].includes(r.state)).length;
        if (left) for (const status of ["ic_checking", "moving_to_final", "ic_failed", "created"]) for await (const f of this.files("?status=" + status)) open.set(f.id, f);
        else for await (const f of this.files("")) open.set(f.id, f); // the last look is at all
        for (const row of asked) {
          const f = open.get(row.id);
          if (f ? f.status === "available" : left) this.become(row, "stored");
          else if (!f || f.status === "created" || f.status === "ic_failed") { row.why = f && f.failure_reason || this.words.Incomplete; this.become(row, "failed"); }
        }
      } catch (e) {
        for (const row of asked) { row.why = e.message; this.become(row, "failed"); }
      }
    }
    this.polling = false;
  }

  draw(row) {
    const part = (kind, text) => { const e = document.createElement("span"); e.className = kind; e.textContent = text; row.li.append(e); return e; };
    row.li.row = row;
    part("name", path(row.folder, row.name));
    part("size", bytes(row.size));
    row.says = part("how", "");
  }

  done(row) { let n = row.sent; for (const more of row.live.values()) n += more; return Math.min(n, row.size); }

  /** Brings what has changed to the page. */
  paint() {
    const w = this.words;
    for (const row of this.dirty) {
      const done = this.done(row), seconds = (Date.now() - row.begun) / 1000, moving = row.state === "sending" || row.state === "reading";
      let text = { waiting: w.Waiting, reading: w.Reading, sending: w.Sending, checking: w.Checking, stored: w.Stored, skipped: w.Skipped, failed: say(w.Failed, row.why) }[row.state];
      if (row.state === "sending" && done && row.size > this.part) {
        const speed = done / Math.max(seconds, 0.5);
        text = [Math.floor(100 * done / row.size) + " %", bytes(speed) + "/s", say(w.Left, duration((row.size - done) / speed))].join(" · ");
      }
      row.says.textContent = row.note ? text + " · " + row.note : text;
      row.li.dataset.state = row.state;
      if (moving && row.size > 1e6 && !row.bar) {
        row.bar = document.createElement("progress");
        row.bar.max = row.size; row.bar.setAttribute("aria-label", row.name); row.li.append(row.bar);
      }
      if (row.bar && !moving) { row.bar.remove(); row.bar = null; }
      if (row.bar) row.bar.value = row.state === "reading" ? row.read || 0 : done;
      const again = row.li.querySelector(".retry");
      if (row.state === "failed" && !again) {
        const b = document.createElement("button");
        b.type = "button"; b.className = "retry"; b.textContent = w.Retry; b.setAttribute("aria-label", w.Retry + ": " + row.name);
        row.li.append(b);
        this.list.prepend(row.li); // nobody looks for it among thousands
      } else if (row.state !== "failed" && again) again.remove();
    }
    this.dirty.clear();
    const count = {};
    let all = 0, done = 0, left = 0, size = 0;
    for (const row of this.rows) {
      count[row.state] = (count[row.state] || 0) + 1;
      const over = !["waiting", "reading", "sending"].includes(row.state), n = over ? row.size : this.done(row);
      all += row.size + weight; done += n + (over ? weight : 0);
      if (!over) left++;
      size += row.size;
    }
    const now = Date.now(), active = this.active();
    this.samples.push([now, this.moved, done]);
    while (this.samples.length > 2 && this.samples[0][0] < now - 10000) this.samples.shift();
    const [t, moved, from] = this.samples[0], seconds = (now - t) / 1000;
    const over = (count.stored || 0) + (count.skipped || 0);
    const parts = [say(w.Whole, over, this.rows.length, bytes(size))];
    if (active && left && !this.paused && seconds >= 2 && done > from) parts.push(bytes((this.moved - moved) / seconds) + "/s", say(w.Left, duration((all - done) * seconds / (done - from))));
    if (count.skipped) parts.push(say(w.SkippedMany, count.skipped));
    if (count.failed) parts.push(say(w.FailedMany, count.failed));
    const text = parts.join(" · ");
    this.whole.textContent = this.trouble ? text + " · " + this.trouble : text;
    this.bar.max = all; this.bar.value = done;
    this.safe.textContent = left ? w.KeepOpen : count.failed ? w.SomeFailed : w.MayClose;
    this.button.hidden = !left;
    this.button.textContent = this.paused ? w.Resume : w.Pause;
    if (now - this.said >= 5000 || !active) { this.said = now; if (this.live.textContent !== this.whole.textContent) this.live.textContent = this.whole.textContent; }
    if (!active) { clearInterval(this.clock); this.dataset.state = count.failed ? "failed" : "done"; this.show(location.pathname); } else this.dataset.state = this.paused ? "paused" : "working";
  }

  /** While files are on their way the list changes in its place: leaving the page would end them. */
  follow() {
    const list = document.getElementById("own-files");
    list.addEventListener("submit", (e) => {
      e.preventDefault();
      const form = e.target;
      this.show(form.action, { method: "POST", body: new URLSearchParams(new FormData(form, e.submitter)) }, e.submitter);
    });
    this.drag(list);
    list.addEventListener("click", (e) => {
      const a = e.target.closest(".pager a");
      if (a && this.active()) { e.preventDefault(); this.show(a.href); }
    });
  }

  /** Rows are dragged before another one, or onto the name of a folder; with one that is chosen come all that are. @param {HTMLElement} list */
  drag(list) {
    const kind = "application/x-own-files";
    const target = (e) => e.dataTransfer.types.includes(kind) && e.target.closest("tbody tr, caption");
    const unmark = () => { for (const one of list.querySelectorAll(".target")) one.classList.remove("target"); };
    list.addEventListener("pointerdown", (e) => { const row = e.target.closest("tbody tr"); if (row) row.draggable = !e.target.closest("a, button, input, summary, code"); });
    list.addEventListener("dragstart", (e) => {
      const row = e.target.closest("tbody tr");
      if (!row) return;
      const own = row.querySelector("input[name=file]"), chosen = [...list.querySelectorAll("input[name=file]:checked")];
      e.dataTransfer.setData(kind, (own.checked ? chosen : [own]).map((i) => i.value).join(" "));
      e.dataTransfer.effectAllowed = "move";
    });
    list.addEventListener("dragover", (e) => { const at = target(e); unmark(); if (at) { e.preventDefault(); at.classList.add("target"); } });
    list.addEventListener("dragend", unmark);
    list.addEventListener("drop", (e) => {
      const at = target(e);
      if (!at) return;
      e.preventDefault(); unmark();
      const form = document.getElementById("arrange"), fields = new URLSearchParams({ seen: form.elements.namedItem("seen").value });
      const files = e.dataTransfer.getData(kind).split(" "), row = at.tagName === "TR" && at.id.replace("file-", "");
      if (row && files.includes(row)) return;
      if (row) fields.set("before", row); else fields.set("into", at.closest("table").dataset.folder);
      fields.set("file", files.join(" "));
      this.show(form.action, { method: "POST", body: fields });
    });
  }

  async show(url, how = {}, pressed = null) {
    const turn = this.turn = (this.turn || 0) + 1;
    const r = await fetch(url, { ...how, headers: { Accept: "text/html" } }).catch(() => null);
    if (!r) { this.live.textContent = this.words.NoAnswer; return; }
    const page = new DOMParser().parseFromString(await r.text(), "text/html").getElementById("own-files");
    const list = document.getElementById("own-files");
    if (!page) { location.reload(); return; }
    if (turn !== this.turn && !how.method) return; // the answer to something newer shows more
    const label = (s) => s.getAttribute("aria-label");
    const open = how.method ? [] : [...list.querySelectorAll("details[open] > summary[aria-label]")].map(label);
    list.replaceChildren(...page.childNodes);
    for (const s of list.querySelectorAll("summary[aria-label]")) if (open.includes(label(s))) s.parentElement.open = true;
    const again = pressed && pressed.classList.contains("step") && list.querySelector(`.step[name=${pressed.name}][value="${pressed.value}"]`);
    if (again && !list.querySelector(".wrong")) { again.focus(); this.live.textContent = list.querySelector(".done")?.textContent || ""; return; } // an arrow is pressed several times
    if (how.method) { const said = list.querySelector(".wrong, .done"); if (said) { said.tabIndex = -1; said.focus(); } }
  }
}
customElements.define("file-upload", FileUpload);
