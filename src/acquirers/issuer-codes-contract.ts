import { type Static, Type } from 'typebox';
import { contract } from '../platform/http/endpoint.ts';
import { CARD_BRANDS } from '../values/card-number.ts';
import {
  type AdviceCode,
  adviceCodes,
  ISSUER_CODES_VERSION,
  type IssuerCode,
  issuerCodes,
  readDecline,
} from './issuer-code.ts';

const IN_BOTH_LANGUAGES = Type.Object({ pt: Type.String(), en: Type.String() });

const QUERY = Type.Object({
  brand: Type.Optional(Type.Enum([...CARD_BRANDS])),
  code: Type.Optional(Type.String({ maxLength: 3 })),
});

export const LIST_ISSUER_CODES = contract({
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
      schema: Type.Object({
        version: Type.String(),
        items: Type.Array(
          Type.Object({
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
          Type.Object({
            code: Type.String(),
            meaning: IN_BOTH_LANGUAGES,
            retryAfterHours: Type.Union([Type.Integer(), Type.Null()]),
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

/** The codes that a query asks for, and all advice codes. */
export function writeIssuerCodes({ brand, code }: Static<typeof QUERY>): WrittenCodes {
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

/** One code and one advice code stand for all of them. */
function issuerCodesExample(): object {
  const { version, items, adviceCodes: advices } = writeIssuerCodes({ brand: 'mastercard', code: '51' });
  return { version, items, adviceCodes: advices.slice(0, 1) };
}
