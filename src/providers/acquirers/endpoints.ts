import { type Static, Type } from 'typebox';
import {
  type AnswerShape,
  contract,
  type Endpoint,
  endpoint,
  type WireError,
} from '../../platform/http/endpoint.ts';
import { named, orNull } from '../../platform/http/named.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { type Instant, saoPauloOffsetText } from '../../values/instant.ts';
import {
  type AdviceCode,
  adviceCodes,
  type Decline,
  ISSUER_CODES_VERSION,
  type IssuerCode,
  issuerCodes,
  mayRetryAt,
  readDecline,
} from './issuer-code.ts';

const IN_BOTH_LANGUAGES = named('TextInBothLanguages', { pt: Type.String(), en: Type.String() });

const QUERY = Type.Object({
  brand: Type.Optional(Type.Enum([...CARD_BRANDS])),
  code: Type.Optional(Type.String({ maxLength: 3 })),
});

const LIST_ISSUER_CODES = contract({
  id: 'listIssuerCodes',
  method: 'GET',
  path: '/v1/issuer-codes',
  api: 'gateway',
  scope: 'any',
  group: 'Issuer codes',
  summary: 'Read what declines mean, and what to do',
  description:
    'The table by which declines are answered: for each code of each brand what it means, what to show the buyer and what the ' +
    'merchant can do. The same number differs between brands. A code that is not in it counts as `denied` and is not retryable. It ' +
    'changes with versions of the service only, so keep it for a day (`Cache-Control`).',
  query: QUERY,
  answers: {
    200: {
      description: 'The codes of all brands, or those asked for.',
      schema: named('IssuerCodeList', {
        version: Type.String(),
        items: Type.Array(
          named('IssuerCode', {
            brand: Type.Enum([...CARD_BRANDS]),
            code: Type.String(),
            declineClass: Type.Enum(['funds', 'blocked', 'technical', 'invalid', 'denied']),
            retryable: Type.Boolean(),
            retryableByAdvice: Type.Boolean(),
            meaning: IN_BOTH_LANGUAGES,
            buyerMessage: IN_BOTH_LANGUAGES,
            merchantMessage: IN_BOTH_LANGUAGES,
          }),
        ),
        adviceCodes: Type.Array(
          named('AdviceCode', {
            code: Type.String(),
            meaning: IN_BOTH_LANGUAGES,
            retryAfterHours: orNull(Type.Integer()),
            neverAgain: Type.Boolean(),
            cardBlocked: Type.Boolean(),
          }),
        ),
      }),
      example: issuerCodesExample(),
    },
  },
});

type WrittenCodes = {
  readonly version: string;
  readonly items: readonly object[];
  readonly adviceCodes: readonly object[];
};

function writeIssuerCodes({ brand, code }: Static<typeof QUERY>): WrittenCodes {
  const items = issuerCodes().filter(
    (known) => (brand ?? known.brand) === known.brand && (code ?? known.code) === known.code,
  );
  return {
    version: ISSUER_CODES_VERSION,
    items: items.map(writeIssuerCode),
    adviceCodes: adviceCodes().map(writeAdviceCode),
  };
}

function writeIssuerCode(known: IssuerCode): object {
  const { buyer, merchant } = readDecline(known.brand, known.code, null).help;
  return {
    brand: known.brand,
    code: known.code,
    declineClass: known.declineClass,
    retryable: known.isReversible,
    retryableByAdvice: known.isDecidedByAdvice,
    meaning: known.meaning,
    buyerMessage: buyer,
    merchantMessage: merchant,
  };
}

function writeAdviceCode({ code, pt, en, delayHours, isNeverAgain, isCardBlocked }: AdviceCode): object {
  return {
    code,
    meaning: { pt, en },
    retryAfterHours: delayHours,
    neverAgain: isNeverAgain,
    cardBlocked: isCardBlocked,
  };
}

function issuerCodesExample(): object {
  const { version, items, adviceCodes: advices } = writeIssuerCodes({ brand: 'mastercard', code: '51' });
  return { version, items, adviceCodes: advices.slice(0, 1) };
}

const EXAMPLE = readDecline('mastercard', '51', '24');

/** The fields of a decline, both in the answer and wherever the charge is shown later. */
export const DECLINE_FIELDS = {
  description: Type.String(),
  returnCode: Type.String(),
  merchantAdviceCode: orNull(Type.String()),
  retryable: Type.Boolean(),
  mayRetryAt: orNull(Type.String()),
  buyerMessage: Type.String(),
  merchantMessage: Type.String(),
};

/** A card that was not charged: what the issuer said, or why nobody was asked. */
const DECLINE = named('Decline', {
  ...Type.Partial(Type.Object({ brand: Type.String(), ...DECLINE_FIELDS })).properties,
  tag: Type.String({
    description:
      "The issuer's code of a decline. When nobody was asked: `antifraud` (the sale was rejected, or there were too many tries) " +
      'or `retryLimit` (the card was declined before, and its network would fine or forbid another try).',
  }),
  description: Type.String(),
  mayRetryAt: Type.Optional(
    orNull(
      Type.String(),
      'From when on the card may be tried again for this amount; null: at once when `retryable`, else another card is needed.',
    ),
  ),
  paymentId: Type.Optional(
    Type.String({ description: 'Of the payment that failed, where there is one; also in X-Payment-Id.' }),
  ),
});

/** The decline answer of every endpoint that asks the acquirer. */
export const DECLINE_ANSWER: AnswerShape = {
  description: 'Declined: no charge was made. The tag is the code of the issuer.',
  schema: Type.Array(DECLINE),
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

/** A network limit refuses the try; the acquirer was not asked. `retryAt` is business time. */
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

/** The table changes only with a version of the service. */
const CACHE_HEADERS = { 'cache-control': 'private, max-age=86400' };

export const ISSUER_CODE_ENDPOINTS: readonly Endpoint<object>[] = [
  endpoint(LIST_ISSUER_CODES, async (_tools: object, { query }) => ({
    status: 200,
    body: writeIssuerCodes(query),
    headers: CACHE_HEADERS,
  })),
];
