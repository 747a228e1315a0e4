import { Type } from 'typebox';
import type { AnswerShape, WireError } from '../platform/http/endpoint.ts';
import type { RefusalShape } from '../platform/http/refusal.ts';
import type { Language } from '../platform/http/sentence.ts';
import { type Instant, saoPauloOffsetText } from '../values/instant.ts';
import { type Decline, mayRetryAt, readDecline } from './issuer-code.ts';

const EXAMPLE = readDecline('mastercard', '51', '24');

/** What is shown of a decline, when it is answered and wherever the charge is shown later. */
export const DECLINE_FIELDS = {
  description: Type.String(),
  returnCode: Type.String(),
  merchantAdviceCode: Type.Union([Type.String(), Type.Null()]),
  retryable: Type.Boolean(),
  mayRetryAt: Type.Union([Type.String(), Type.Null()]),
  buyerMessage: Type.String(),
  merchantMessage: Type.String(),
};

/** A decline as every endpoint that asks the acquirer answers it. */
export const DECLINE_ANSWER: AnswerShape = {
  description: 'Declined: no charge was made. The tag is the code of the issuer.',
  schema: Type.Array(Type.Object({ tag: Type.String(), brand: Type.String(), ...DECLINE_FIELDS })),
  example: [
    {
      tag: '51',
      brand: 'mastercard',
      description: EXAMPLE.sentence.pt,
      returnCode: '51',
      merchantAdviceCode: '24',
      retryable: true,
      mayRetryAt: '2026-11-21T11:00:00.123-03:00',
      buyerMessage: EXAMPLE.help.buyer.pt,
      merchantMessage: EXAMPLE.help.merchant.pt,
    },
  ],
};

type DeclineToWrite = {
  readonly responseCode: string;
  readonly adviceCode: string | null;
  readonly read: Decline;
  /** Business time. */
  readonly soldAt: Instant;
};

export function writeDecline(
  decline: DeclineToWrite & { readonly brand: string },
  language: Language,
): readonly WireError[] {
  const { description, ...others } = writeDeclineFields(decline, language);
  const error = { tag: decline.responseCode, description, brand: decline.brand, ...others };
  return [error];
}

export function writeDeclineFields(
  { responseCode, adviceCode, read, soldAt }: DeclineToWrite,
  language: Language,
) {
  return {
    description: read.sentence[language],
    returnCode: responseCode,
    merchantAdviceCode: adviceCode,
    retryable: read.isRetryable,
    mayRetryAt: offsetTextOrNull(mayRetryAt(read, soldAt)),
    buyerMessage: read.help.buyer[language],
    merchantMessage: read.help.merchant[language],
  };
}

/** A try that a limit of the network refuses; the acquirer was not asked. */
export const RETRY_LIMIT_ANSWER = Type.Array(
  Type.Object({
    tag: Type.Enum(['retryLimit']),
    description: Type.String(),
    mayRetryAt: Type.Union([Type.String(), Type.Null()], {
      description: 'From when on this card may be tried again for this amount; null: another card is needed.',
    }),
  }),
);

/** `retryAt`: business time. */
export function writeRetryLimit(
  { tag, sentence }: RefusalShape,
  retryAt: Instant | null,
  language: Language,
): readonly WireError[] {
  const error = {
    tag,
    description: sentence[language],
    mayRetryAt: offsetTextOrNull(retryAt),
  };
  return [error];
}

function offsetTextOrNull(moment: Instant | null): string | null {
  return moment === null ? null : saoPauloOffsetText(moment);
}
