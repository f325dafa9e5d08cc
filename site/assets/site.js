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
