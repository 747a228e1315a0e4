import { Type } from 'typebox';
import { has, lacks, when } from '../platform/http/checked.ts';
import { callerOf, contract, type Endpoint, endpoint, type Fault } from '../platform/http/endpoint.ts';
import { named } from '../platform/http/named.ts';
import { type RefusalShape, refusal, refusalsAnswer } from '../platform/http/refusal.ts';
import { isCardNumber } from '../values/card-number.ts';
import { CARD_REFUSALS } from './refusals.ts';
import { type TokenizeTools, tokenizeCard } from './tokens/tokenize-card.ts';

const GET_PUBLIC_KEY = contract({
  id: 'getCardPublicKey',
  method: 'GET',
  path: '/v1/cards/public-key',
  api: 'gateway',
  scope: 'gateway',
  group: 'Cards',
  summary: 'Read the public key for encryptedCard',
  description:
    'RSA of 3,072 bits as SPKI in base64, without PEM lines. Encrypt with RSA-OAEP and SHA-256 (also for MGF1) the UTF-8 ' +
    'JSON `{ "cardNumber", "merchantId", "createdAt", "securityCode", "expirationMonth", "expirationYear", ' +
    '"cardholderName" }`: strings, the first three required, an empty one is absent. Put in the createdAt and merchantId of ' +
    'this answer: the encrypted card is taken for 24 hours from that createdAt, whatever clock the page has (one that is up to 24 hours ' +
    'ahead is taken too). Send the result as base64 in one line (`base64 -w0`). Why one does not open is said in homologation only.',
  answers: {
    200: {
      description: 'The key in use.',
      schema: named('CardPublicKey', {
        key: Type.String(),
        keyId: Type.String(),
        createdAt: Type.String({ description: 'Now, for createdAt inside encryptedCard.' }),
        merchantId: Type.String({ description: 'Yours, for merchantId inside encryptedCard.' }),
      }),
      example: {
        key: 'MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEA…',
        keyId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
        createdAt: '2026-11-21T13:00:00.123Z',
        merchantId: '01700555550000',
      },
    },
  },
});

/** `now`: real time, in milliseconds. */
function writePublicKey(
  { key, keyId }: { readonly key: string; readonly keyId: string },
  merchantId: string,
  now: number,
): object {
  return { key, keyId, createdAt: new Date(now).toISOString(), merchantId };
}

export const TOKENIZATION_FAULTS = {
  numberInvalid: refusal(400, 'cardNumber', {
    pt: 'Número de cartão inválido.',
    en: 'Not a valid card number.',
  }),
  oneCardSource: refusal(400, 'cardNumber', {
    pt: 'Informe exatamente um entre cardNumber e encryptedCard.',
    en: 'Give exactly one of cardNumber and encryptedCard.',
  }),
} as const satisfies Record<string, RefusalShape>;

function checkTokenization(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const { cardNumber, encryptedCard } = body as { cardNumber?: unknown; encryptedCard?: unknown };
  if ((cardNumber === undefined) === (encryptedCard === undefined)) {
    return [TOKENIZATION_FAULTS.oneCardSource];
  }
  if (typeof cardNumber === 'string' && !isCardNumber(cardNumber)) {
    return [TOKENIZATION_FAULTS.numberInvalid];
  }
  return [];
}

export const TOKENIZE_CARD = contract({
  id: 'tokenizeCard',
  method: 'POST',
  path: '/v1/cards/tokenization',
  api: 'gateway',
  scope: 'gateway',
  group: 'Cards',
  summary: 'Make a card token',
  description: 'A token lives 10 minutes and pays once; a declined payment gives it back.',
  body: named(
    'TokenizationRequest',
    {
      cardNumber: Type.Optional(
        Type.String({
          maxLength: 19,
          mayHoldCard: true,
          // The last digit is a check digit.
          checked: { pattern: '^(\\d{13,19}|\\s*)$', examples: ['5155901222280001'] },
        }),
      ),
      encryptedCard: Type.Optional(Type.String({ maxLength: 2_048, mayHoldCard: true })),
    },
    { checked: when(has('cardNumber'), lacks('encryptedCard'), has('encryptedCard')) },
  ),
  bodyExample: { cardNumber: '5155901222280001' },
  check: checkTokenization,
  answers: {
    200: {
      description: 'A list with one token.',
      schema: Type.Array(named('CardToken', { numberToken: Type.String({ format: 'guid' }) })),
      example: [{ numberToken: 'f0b1c7de-2f0e-4d35-9a57-6d1f2c3b4a59' }],
    },
  },
});

export const CARD_ENDPOINTS: readonly Endpoint<TokenizeTools>[] = [
  endpoint(GET_PUBLIC_KEY, async ({ cardKeys }: Pick<TokenizeTools, 'cardKeys'>, call) => ({
    status: 200,
    body: writePublicKey(cardKeys.publicKey(), callerOf(call).merchantId, Date.now()),
  })),
  endpoint(TOKENIZE_CARD, async (tools: TokenizeTools, call) => {
    const { cardNumber, encryptedCard } = call.body;
    const given = cardNumber === undefined ? { encryptedCard: encryptedCard ?? '' } : { number: cardNumber };
    const made = await tokenizeCard(tools, callerOf(call).merchantId, given, call.deadlineAt);
    if (!('numberToken' in made)) {
      return refusalsAnswer(
        made.map((refusal) => CARD_REFUSALS[refusal]),
        call.language,
      );
    }
    return { status: 200, body: [made] };
  }),
];
