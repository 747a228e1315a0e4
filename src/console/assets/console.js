// The one script of the console: passkeys, and pages that are read again while somebody looks at them.
const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const utf8 = (text) => new TextEncoder().encode(text);

/** The answer of an authenticator as the service reads it. */
function written({ id, type, response }) {
  const names = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const answer = {};
  for (const name of names) if (response[name]) answer[name] = textOf(response[name]);
  if (response.getTransports) answer.transports = response.getTransports();
  return JSON.stringify({ id, rawId: id, type, response: answer, clientExtensionResults: {} });
}

function askFor({ passkey, challenge, party, user, name }) {
  const asked = { challenge: utf8(challenge), timeout: 120_000 };
  if (passkey === 'get') {
    return navigator.credentials.get({
      publicKey: { ...asked, rpId: party, userVerification: 'required' },
    });
  }
  return navigator.credentials.create({
    publicKey: {
      ...asked,
      rp: { id: party, name: 'Parcela' },
      user: { id: utf8(user), name, displayName: name },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    },
  });
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.addEventListener('submit', async (event) => {
    const field = form.elements.namedItem('passkey');
    if (field.value !== '') return;
    event.preventDefault();
    const fault = form.querySelector('[data-fault]');
    fault.hidden = true;
    try {
      field.value = written(await askFor(form.dataset));
      form.requestSubmit();
    } catch {
      fault.hidden = false;
    }
  });
}

/** Puts the content of a page that was read again in place of what is shown, unless somebody is at it. */
async function readAgain(main) {
  const isUsed = main.querySelector('details[open]') !== null || main.contains(document.activeElement);
  if (document.hidden || (isUsed && document.activeElement !== main)) return;
  const answer = await fetch(location.href, { headers: { 'x-parcela-live': '1' }, redirect: 'manual' });
  if (!answer.ok) {
    // Signed out, or away: the page stays, and says no more than it did.
    if (answer.type === 'opaqueredirect') location.reload();
    return;
  }
  const read = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main');
  if (read !== null) main.replaceChildren(...read.childNodes);
}

const live = document.querySelector('main[data-refresh]');
if (live !== null) {
  setInterval(() => readAgain(live).catch(() => {}), Number(live.dataset.refresh) * 1_000);
}
