// Card fields on a page of your own: they stand in a frame of Parcela, which your page cannot read. Load it from Parcela
// (`/fields.js`), not from a copy: its address says where the frame is. It needs no package.

const FRAME = new URL('fields/', import.meta.url);
const READY_MILLISECONDS = 20_000;
const CARD_MILLISECONDS = 60_000;
const HIGHEST = 2_000;
const NOT_HERE =
  'Os campos do cartão não abriram. Confira se a origem desta página está registrada na Parcela.';
const NO_ANSWER = 'Não foi possível ler o cartão agora. Tente de novo em instantes.';

/** `kind`: `invalid`, `declined`, `notDone`, `busy`, `notHere` or `noAnswer`; `message` is for the buyer. */
class FieldsError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Puts the fields into `element` (or its selector). `key`: of `GET /v1/cards/fields`. `style`: `color`, `background`,
 * `fieldBackground`, `borderColor`, `faultColor` (`#rrggbb`), `borderRadius`, `fontSize` (`16px`), `fontFamily` (a usual name).
 * `onBrand` is told the brand once the number says it, `onSubmit` that Enter was pressed. Resolves once the buyer can type.
 * `card()` resolves to what pays, anew at each call:
 * `{ numberToken, encryptedCard, brand, lastFour, codeAntiFraud, cardholderName, expirationMonth, expirationYear }`.
 */
export async function mountFields(
  element,
  { key, style = {}, title = 'Dados do cartão', onBrand = () => {}, onSubmit = () => {} },
) {
  const place = typeof element === 'string' ? document.querySelector(element) : element;
  if (!(place instanceof Element)) throw new TypeError('mountFields: there is no such element');
  const frame = document.createElement('iframe');
  const waiting = new Map();
  let port = null;
  let asked = 0;

  /** Rejects what has no answer when its time is over. */
  const expect = (id, milliseconds, late) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(id, late), milliseconds);
      waiting.set(id, { resolve, reject, timer });
    });

  function settle(id, { fault, message, value }) {
    const one = waiting.get(id);
    waiting.delete(id);
    clearTimeout(one?.timer);
    if (fault === undefined) one?.resolve(value);
    else one?.reject(new FieldsError(fault, message));
  }

  function hear({ data }) {
    if (data.kind === 'height')
      frame.style.height = `${Math.min(HIGHEST, Math.max(0, Number(data.height) || 0))}px`;
    if (data.kind === 'brand') onBrand(data.brand);
    if (data.kind === 'submit') onSubmit();
    if (data.kind === 'card') settle(data.id, { ...data, value: data.card });
    if (data.kind === 'ready') settle('ready', { value: data.ignored });
  }

  /** The port reaches a page of Parcela's origin and no other, whatever stands in the frame. */
  frame.addEventListener('load', () => {
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = hear;
    frame.contentWindow.postMessage({ parcela: 'fields', style }, FRAME.origin, [channel.port2]);
  });
  frame.title = title;
  frame.src = new URL(encodeURIComponent(key), FRAME).href;
  Object.assign(frame.style, { display: 'block', width: '100%', border: '0' });
  const ready = expect('ready', READY_MILLISECONDS, { fault: 'notHere', message: NOT_HERE });
  place.append(frame);
  const ignoredStyle = await ready.catch((error) => {
    frame.remove();
    throw error;
  });

  return {
    /** Names of `style` that are not taken, or whose values are not. */
    ignoredStyle,
    card() {
      asked += 1;
      port.postMessage({ kind: 'card', id: asked });
      return expect(asked, CARD_MILLISECONDS, { fault: 'noAnswer', message: NO_ANSWER });
    },
    focus: () => port.postMessage({ kind: 'focus' }),
    /** What was asked and not answered is answered `notDone`. */
    unmount() {
      for (const id of [...waiting.keys()]) settle(id, { fault: 'notDone', message: NO_ANSWER });
      port.close();
      frame.remove();
    },
  };
}
