// What pages have beyond plain HTML: copying, and the slash that leads to the search box. A page
// without this script can do everything else.

class CopyText extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    const from = document.getElementById(this.getAttribute("from"));
    if (!button || !from || !navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(from.textContent.trim());
      const label = button.textContent;
      button.textContent = this.getAttribute("done");
      setTimeout(() => { button.textContent = label; }, 2000);
    });
  }
}
customElements.define("copy-text", CopyText);

document.addEventListener("keydown", (e) => {
  const at = document.activeElement;
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || (at && /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName))) return;
  const box = document.querySelector("main input[type=search], input[type=search]");
  if (box) { e.preventDefault(); box.focus(); }
});

// Suggestions below a search box, as links that the arrow keys walk through.
for (const box of document.querySelectorAll('.searchbox[action="/search"]')) {
  const input = box.querySelector("input[type=search]");
  const list = document.createElement("div");
  list.className = "suggested";
  list.hidden = true;
  input.autocomplete = "off";
  box.append(list);
  let waits = 0, asked = "";
  const close = () => { list.hidden = true; };
  input.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(async () => {
      const text = asked = input.value.trim();
      if (text.length < 3) return close();
      const answer = await fetch("/search/suggest?q=" + encodeURIComponent(text)).catch(() => null);
      if (!answer || !answer.ok || text !== asked) return;
      list.innerHTML = await answer.text();
      list.hidden = text !== asked || !list.querySelector("a");
    }, 150);
  });
  box.addEventListener("keydown", (e) => {
    const stops = list.hidden ? [] : [input, ...list.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (e.key === "Escape" && stops.length) { close(); input.focus(); e.preventDefault(); }
    if (!step || !stops.length) return;
    e.preventDefault();
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  });
  box.addEventListener("focusout", (e) => { if (!box.contains(e.relatedTarget)) close(); });
}

// A link that leads to the page with all of a list chosen chooses it in place.
for (const link of document.querySelectorAll("a[data-check]")) {
  link.addEventListener("click", (e) => {
    e.preventDefault();
    const boxes = [...document.querySelectorAll(`input[type=checkbox][name="${link.dataset.check}"]`)], on = boxes.some((b) => !b.checked);
    for (const b of boxes) b.checked = on;
  });
}
