// The script of the frame with card fields on a shop's page, loaded after card-form.js. It speaks over one port with a
// page of an origin that the merchant has named, and hands it what pays (token, encrypted card), never the card number.
const COLOR = /^#[\da-f]{3}(?:[\da-f]{3})?$/i;
const FAMILIES = [
  'sans-serif',
  'serif',
  'monospace',
  'system-ui',
  'Arial',
  'Georgia',
  'Helvetica',
  'Verdana',
];
const between = (least, most) => (value) =>
  /^\d{1,2}px$/.test(value) && Number.parseInt(value, 10) >= least && Number.parseInt(value, 10) <= most;

/** The looks that a page may set, as properties of the style above. None of them can load anything. */
const LOOKS = {
  color: ['--text', (value) => COLOR.test(value)],
  background: ['--paper', (value) => COLOR.test(value)],
  fieldBackground: ['--field', (value) => COLOR.test(value)],
  borderColor: ['--border', (value) => COLOR.test(value)],
  faultColor: ['--fault', (value) => COLOR.test(value)],
  borderRadius: ['--radius', between(0, 24)],
  fontSize: ['--size', between(12, 24)],
  fontFamily: ['--family', (value) => FAMILIES.includes(value)],
};

const root = document.documentElement;
let port = null;
let isMaking = false;

/** Gives the names that are not in the list, or whose values are not allowed. */
function wear(style) {
  return Object.entries(Object(style)).flatMap(([name, value]) => {
    const look = Object.hasOwn(LOOKS, name) ? LOOKS[name] : null;
    if (look === null || typeof value !== 'string' || !look[1](value)) return [name];
    root.style.setProperty(look[0], value);
    return [];
  });
}

async function makeCard(card) {
  const sealed = await encrypted(card).catch(() => null);
  if (sealed === null) return { fault: 'notDone', message: CANNOT_ENCRYPT };
  const notDone = { fault: 'notDone', message: form.dataset.notDone };
  let told;
  try {
    const reply = await fetch(`${location.pathname}/card`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sealed),
      credentials: 'omit',
    });
    told = await reply.json();
    if (reply.status !== 200) return notDone;
  } catch {
    return notDone;
  }
  const { status, message, numberToken, brand, lastFour, codeAntiFraud } = told;
  if (status !== 'made') return { fault: 'declined', message: message ?? form.dataset.notDone };
  const { cardholderName, expirationMonth, expirationYear } = card;
  const { encryptedCard } = sealed;
  return {
    card: {
      ...{ numberToken, encryptedCard, brand, lastFour, codeAntiFraud },
      ...{ cardholderName, expirationMonth, expirationYear },
    },
  };
}

/** One request at a time: a second one is refused meanwhile. */
async function answerPage({ data }) {
  if (data?.kind === 'focus') return at('number').focus();
  if (data?.kind !== 'card') return;
  const { id } = data;
  if (isMaking) return port.postMessage({ kind: 'card', id, fault: 'busy', message: form.dataset.notDone });
  at('answer').textContent = '';
  const card = cardOf();
  if (card === null)
    return port.postMessage({ kind: 'card', id, fault: 'invalid', message: 'Confira os dados do cartão.' });
  isMaking = true;
  for (const field of form.elements) field.disabled = true;
  const made = await makeCard(card).finally(() => {
    isMaking = false;
    for (const field of form.elements) field.disabled = false;
  });
  if (made.fault !== undefined) at('answer').textContent = made.message;
  port.postMessage({ kind: 'card', id, ...made });
}

addEventListener('message', ({ source, origin, data, ports }) => {
  const isOfShop = source === parent && source !== window && given.origins.includes(origin);
  if (!isOfShop || port !== null || data?.parcela !== 'fields' || ports.length !== 1) return;
  [port] = ports;
  port.onmessage = answerPage;
  const ignored = wear(data.style);
  const tellHeight = () => port.postMessage({ kind: 'height', height: document.body.offsetHeight });
  new ResizeObserver(tellHeight).observe(document.body);
  form.addEventListener('keydown', ({ key, target }) => {
    if (key === 'Enter' && target.matches('input')) port.postMessage({ kind: 'submit' });
  });
  let told = null;
  // Not at each key: the page must not learn when keys are pressed.
  at('number').addEventListener('input', () => {
    const brand = brandOf(digitsOf(at('number').value));
    if (brand === told) return;
    told = brand;
    port.postMessage({ kind: 'brand', brand });
  });
  port.postMessage({ kind: 'ready', ignored });
});

root.classList.add('framed');
form.hidden = false;
