import { Type } from 'typebox';
import type { AnswerShape, WireError } from '../platform/http/endpoint.ts';
import type { RefusalShape } from '../platform/http/refusal.ts';
import type { Language } from '../platform/http/sentence.ts';
import { type Instant, saoPauloOffsetText } from '../values/instant.ts';
import type { Decline } from './issuer-code.ts';

/** A decline as every endpoint that asks the acquirer answers it. */
export const DECLINE_ANSWER: AnswerShape = {
  description: 'Declined: no charge was made. The tag is the code of the issuer.',
  schema: Type.Array(
    Type.Object({
      tag: Type.String(),
      description: Type.String(),
      returnCode: Type.String(),
      brand: Type.String(),
      merchantAdviceCode: Type.Union([Type.String(), Type.Null()]),
      retryable: Type.Boolean(),
    }),
  ),
  example: [
    {
      tag: '51',
      description: 'Saldo ou limite insuficiente',
      returnCode: '51',
      brand: 'mastercard',
      merchantAdviceCode: '24',
      retryable: true,
    },
  ],
};

export function writeDecline(
  decline: { brand: string; responseCode: string; adviceCode: string | null; read: Decline },
  language: Language,
): readonly WireError[] {
  const error = {
    tag: decline.responseCode,
    description: decline.read.sentence[language],
    returnCode: decline.responseCode,
    brand: decline.brand,
    merchantAdviceCode: decline.adviceCode,
    retryable: decline.read.isRetryable,
  };
  return [error];
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

/** `mayRetryAt`: business time. */
export function writeRetryLimit(
  { tag, sentence }: RefusalShape,
  mayRetryAt: Instant | null,
  language: Language,
): readonly WireError[] {
  const error = {
    tag,
    description: sentence[language],
    mayRetryAt: mayRetryAt === null ? null : saoPauloOffsetText(mayRetryAt),
  };
  return [error];
}
