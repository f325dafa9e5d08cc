// Passkeys: asks the server for options, the browser for a passkey, and sends the answer with the form.

/** @param {string} address @param {FormData} fields */
function ask(address, fields) {
  return fetch(address, { method: "POST", body: new URLSearchParams(/** @type {any} */ (fields)), headers: { Accept: "text/html" } });
}

// A refusal is the page itself, which is shown in place of this one: to send the form again would count a wrong password twice.
/** @param {Response} reply */
async function refused(reply) {
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const [main, there] = [page.querySelector("main"), document.querySelector("main")];
  if (!main || !there) throw new Error("no page");
  there.replaceWith(main);
  document.title = page.title;
  begin();
  const wrong = main.querySelector(".wrong:not([hidden])");
  if (wrong instanceof HTMLElement) {
    wrong.tabIndex = -1;
    wrong.focus();
  }
}

const known = window.PublicKeyCredential && "parseCreationOptionsFromJSON" in PublicKeyCredential;

/** @param {HTMLFormElement} form */
async function send(form) {
  const fields = new FormData(form);
  fields.set("do", "options");
  const reply = await ask(form.action, fields);
  if (!reply.ok) return refused(reply);
  const asked = await reply.json();
  const made = form.dataset.passkey === "make"
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked.publicKey) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked.publicKey) });
  const answer = form.querySelector("input[name=credential]");
  if (!(answer instanceof HTMLInputElement) || !made) throw new Error("no passkey");
  answer.value = JSON.stringify(made);
  form.submit();
}

function begin() {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    if (!(form instanceof HTMLFormElement) || !known) continue;
    form.hidden = false;
    const wrong = form.querySelector("[data-failed]");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (wrong instanceof HTMLElement) wrong.hidden = true;
      try {
        await send(form);
      } catch {
        if (wrong instanceof HTMLElement) wrong.hidden = false; // as when the person has cancelled
      }
    });
  }
}

begin();
