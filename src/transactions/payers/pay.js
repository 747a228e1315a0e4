// The script of pages that pay or keep a card, behind card-form.js.
function showWaiting(isWaiting) {
  for (const button of document.querySelectorAll('button')) button.disabled = isWaiting;
  at('working').hidden = !isWaiting;
}

function tell(text) {
  at('answer').textContent = text;
  at('answer').focus();
}

/** Sends a request, and loads the page again: the service alone knows what became of the request. */
async function send(path, { body, notDone, sayFaults }) {
  showWaiting(true);
  tell('');
  let reply;
  try {
    reply = await fetch(`${location.pathname}/${path}`, {
      method: 'POST',
      headers: { 'accept-language': 'pt-BR', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const told = await reply.json();
    // Only the service itself can say that nothing was done: a proxy does not know.
    if ((reply.status === 429 || reply.status === 503) && Array.isArray(told)) {
      showWaiting(false);
      tell(notDone);
      return;
    }
    if (reply.status === 400 && Array.isArray(told) && sayFaults) {
      showWaiting(false);
      sayFaults(told);
      return;
    }
    const { message } = told;
    // The answer of a proxy, or of a fault of ours, says nothing certain: then the page is loaded again.
    if (reply.status === 200 && typeof message === 'string') {
      showWaiting(false);
      tell(message);
      return;
    }
  } catch {
    // No answer came: the page, loaded again, says what became of the request.
  }
  location.reload();
}

// The paper of a boleto names its payer, and others may have the address of this page. So only a secret of
// this browser leads to the paper. It is kept before it is sent, so that the paper is found when the answer
// is lost.
const PAPERS = `boleto ${location.pathname}`;
const MOST_PAPERS = 5;
/** How long a secret is kept without its paper: by then its try is on the page, or there is none. */
const SENDING_MILLISECONDS = 200_000;

function keptPapers() {
  try {
    const kept = JSON.parse(localStorage.getItem(PAPERS));
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

function keepPapers(papers) {
  try {
    if (papers.length === 0) localStorage.removeItem(PAPERS);
    else localStorage.setItem(PAPERS, JSON.stringify(papers));
  } catch {
    // A browser that keeps nothing shows the digits of the boleto alone, and no paper.
  }
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

async function digest(text) {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

/** Letters alone: digits might look like the number of a card, which no text may have. */
function newPaperSecret() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const secret = Array.from(bytes, (byte) => String.fromCharCode(97 + (byte % 16))).join('');
  keepPapers([...keptPapers().slice(1 - MOST_PAPERS), { secret, at: Date.now() }]);
  return secret;
}

/** Shows the paper of the boleto on this page, if this browser had it made, and forgets all others. */
async function showPaper(place) {
  let own = null;
  for (const { secret } of place === null || !isSecureContext ? [] : keptPapers()) {
    const key = (await digest(`${place.dataset.try}:${secret}`)).slice(0, 32);
    if ((await digest(key)) !== place.dataset.paper) continue;
    own = secret;
    for (const link of place.querySelectorAll('a')) link.href = place.dataset.pages + key + link.dataset.part;
    place.hidden = false;
  }
  const isKept = ({ secret, at }) => secret === own || Date.now() - at < SENDING_MILLISECONDS;
  keepPapers(keptPapers().filter(isKept));
}

showPaper(at('paper')).catch(() => {});

if (form !== null) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (at('pay').disabled) return;
    const card = cardOf();
    if (card === null) return;
    showWaiting(true);
    const sealed = await encrypted(card).catch(() => null);
    if (sealed === null) {
      showWaiting(false);
      tell(CANNOT_ENCRYPT);
      return;
    }
    const installments = at('installments');
    await send('card', {
      body: { ...sealed, ...(installments && { installments: Number(installments.value) }) },
      notDone: form.dataset.notDone,
    });
  });
}

const boleto = at('boleto');
const fieldsOfBoleto = boleto === null ? [] : [...boleto.querySelectorAll('input, select')];
boleto?.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (at('make-boleto').disabled) return;
  const body = { address: {} };
  for (const { id, value } of fieldsOfBoleto) {
    say(id, '');
    const [name, inner] = id.slice('payer-'.length).split('.');
    if (value.trim() === '') continue;
    if (inner === undefined) body[name] = value.trim();
    else body[name][inner] = value.trim();
  }
  body.paperSecret = newPaperSecret();
  await send('boleto', { body, notDone: boleto.dataset.notDone, sayFaults: sayFaultsOfPayer });
});

/** Shows faults beside their fields, in the words of the service. */
function sayFaultsOfPayer(faults) {
  for (const { tag, description } of faults) {
    const field = fieldsOfBoleto.find(({ id }) => id === `payer-${tag}`);
    if (field === undefined) tell(description);
    else say(field.id, description);
  }
  boleto.querySelector('[aria-invalid]')?.focus();
}

for (const button of document.querySelectorAll('[data-send]')) {
  const { send: path, sure, notDone } = button.dataset;
  button.addEventListener('click', async () => {
    if (sure === undefined || confirm(sure)) await send(path, { notDone });
  });
}
at('copy')?.addEventListener('click', async () => {
  const code = document.querySelector('.copy');
  const isCopied = await navigator.clipboard.writeText(code.textContent).then(
    () => true,
    () => false,
  );
  if (!isCopied) getSelection().selectAllChildren(code);
  at('copy').textContent = isCopied ? 'Copiado' : 'Copie o texto selecionado';
});
for (const part of document.querySelectorAll('.scripted')) part.hidden = false;

// The page is not loaded again while something is sent, or while the code is selected to be copied.
if (given.refreshSeconds !== null)
  setInterval(() => {
    if (at('working').hidden && getSelection().isCollapsed) location.reload();
  }, given.refreshSeconds * 1_000);

// A page that the browser kept in memory shows what was, not what is.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
