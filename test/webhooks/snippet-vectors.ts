// Messages with what a receiver must say of them, for whoever writes one in another language. Run,
// it writes the file of them.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { signMessage } from '../../src/webhooks/posting/sign-message.ts';

export const VECTORS_FILE = fileURLToPath(
  new URL('../../docs/webhook-snippets/vectors.json', import.meta.url),
);

export type Vector = {
  readonly name: string;
  /** The receiver's own. */
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isGenuine: boolean;
};

/** `now`: the receiver's clock in all of them, seconds since 1970. */
export type Vectors = { readonly now: number; readonly vectors: readonly Vector[] };

const NOW = 1_763_730_000;
const ID = '019aa6f8-1b7b-7000-8000-00000000002a';
const CURRENT = Buffer.from('vectors of the page on webhooks!');
const FORMER = Buffer.from('vectors of the page, the former!');
const OTHER = Buffer.from('a secret that signs nothing here');
const BODY = JSON.stringify({
  movementId: 70_041,
  nsu: '1000000042',
  codAuth: 'A1B2C3',
  installmentNumber: 1,
  moment: '2026-11-21T10:00:00.123-03:00',
  type: 'Autorizacao',
  oldValue: '',
  newValue: 'Autorizada',
});

export const secretText = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

export function snippetVectors(): Vectors {
  const signed = signMessage([CURRENT], ID, NOW, BODY);
  const { 'webhook-signature': signature = '', ...unsigned } = signed;
  const both = signMessage([CURRENT, FORMER], ID, NOW, BODY);
  const at = (seconds: number) => signMessage([CURRENT], ID, NOW + seconds, BODY);
  const accented = BODY.replace('A1B2C3', 'ação');
  const vector = (
    name: string,
    isGenuine: boolean,
    headers: Vector['headers'],
    change: Partial<Vector> = {},
  ): Vector => ({ name, secret: secretText(CURRENT), headers, body: BODY, isGenuine, ...change });
  return {
    now: NOW,
    vectors: [
      vector('as it comes', true, signed),
      vector('letters beyond ASCII, signed as UTF-8', true, signMessage([CURRENT], ID, NOW, accented), {
        body: accented,
      }),
      vector('two signatures: the receiver has the new secret', true, both),
      vector('two signatures: the receiver has the former secret', true, both, {
        secret: secretText(FORMER),
      }),
      vector('a signature of a later version beside ours', true, {
        ...signed,
        'webhook-signature': `v2,AAAA ${signature}`,
      }),
      vector('five minutes old', true, at(-300)),
      vector('five minutes ahead', true, at(300)),
      vector('more than five minutes old', false, at(-301)),
      vector('more than five minutes ahead', false, at(301)),
      vector('another secret', false, signed, { secret: secretText(OTHER) }),
      vector('the body was changed', false, signed, { body: BODY.replace('Autorizada', 'Cancelada') }),
      vector('the body was written anew, with blanks', false, signed, {
        body: JSON.stringify(JSON.parse(BODY), null, 1),
      }),
      vector('the id was changed', false, { ...signed, 'webhook-id': `${ID.slice(0, -1)}b` }),
      vector('the time was changed', false, { ...signed, 'webhook-timestamp': String(NOW + 1) }),
      vector('the time is no number', false, { ...signed, 'webhook-timestamp': `${NOW}x` }),
      vector('no signature', false, unsigned),
      vector('an empty signature', false, { ...signed, 'webhook-signature': 'v1,' }),
      vector('half of the signature', false, { ...signed, 'webhook-signature': signature.slice(0, 20) }),
      vector('another version by name', false, {
        ...signed,
        'webhook-signature': signature.replace('v1,', 'v1a,'),
      }),
    ],
  };
}

export const vectorsText = (): string => `${JSON.stringify(snippetVectors(), null, 2)}\n`;

if (import.meta.main) writeFileSync(VECTORS_FILE, vectorsText());
