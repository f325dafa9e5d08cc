// Passkeys: asks the server for options, the browser for a passkey, and sends the answer with the form.

/** @param {string} address @param {FormData} fields */
async function options(address, fields) {
  const reply = await fetch(address, { method: "POST", body: new URLSearchParams(/** @type {any} */ (fields)), headers: { Accept: "application/json" } });
  return reply.ok ? reply.json() : null;
}

const known = window.PublicKeyCredential && "parseCreationOptionsFromJSON" in PublicKeyCredential;

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!(form instanceof HTMLFormElement) || !known) continue;
  form.hidden = false;
  const wrong = form.querySelector("[data-failed]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (wrong instanceof HTMLElement) wrong.hidden = true;
    try {
      const fields = new FormData(form);
      fields.set("do", "options");
      const asked = await options(form.action, fields);
      if (!asked) { // the form itself says why
        form.submit();
        return;
      }
      const made = form.dataset.passkey === "make"
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked.publicKey) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked.publicKey) });
      const answer = form.querySelector("input[name=credential]");
      if (!(answer instanceof HTMLInputElement) || !made) throw new Error("no passkey");
      answer.value = JSON.stringify(made);
      form.submit();
    } catch {
      if (wrong instanceof HTMLElement) wrong.hidden = false; // as when the person has cancelled
    }
  });
}
