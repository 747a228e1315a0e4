import type { CardBrand } from '../values/card-number.ts';
import issuerCodeTable from './issuer-codes.json' with { type: 'json' };

/**
 * The meaning of a decline for the merchant. `funds`: may be there another day. `blocked`: the card
 * is canceled. `technical`: issuer or acquirer out of order. `invalid`: our or the merchant's
 * set-up, format or amount. `denied`: every other decline.
 */
export type DeclineClass = 'funds' | 'blocked' | 'technical' | 'invalid' | 'denied';

type Meaning = { readonly pt: string; readonly en: string };

export type Decline = {
  readonly declineClass: DeclineClass;
  /** Whether the merchant may try this card again at all. */
  readonly isRetryable: boolean;
  /**
   * The issuer's requested pause before that; null when it requests none or forbids another try.
   */
  readonly mayRetryAfterHours: number | null;
  readonly sentence: Meaning;
};

export type IssuerCode = {
  readonly brand: CardBrand;
  readonly code: string;
  readonly declineClass: DeclineClass;
  readonly isReversible: boolean;
  readonly meaning: Meaning;
};

export type AdviceCode = Meaning & {
  readonly code: string;
  readonly delayHours: number | null;
  readonly isNeverAgain: boolean;
  readonly isCardBlocked: boolean;
};

type Network = 'elo' | 'visa' | 'mastercard' | 'amex';
type CodesByNetwork = { readonly [network in Network]?: readonly string[] };

type IssuerCodeTable = {
  /** A code in no list is denied. */
  readonly classes: Readonly<Record<Exclude<DeclineClass, 'denied'>, CodesByNetwork>>;
  /** One code may stand for several meanings; the first listed gives the sentence. */
  readonly meanings: readonly (Meaning & {
    readonly key: string;
    readonly reversible?: CodesByNetwork;
    readonly irreversible?: CodesByNetwork;
  })[];
  readonly adviceCodes: readonly AdviceCode[];
};

const TABLE: IssuerCodeTable = issuerCodeTable;
const CLASSES = ['funds', 'blocked', 'technical', 'invalid'] as const;

/** Hipercard's issuers answer in Mastercard's codes. */
const NETWORK: Record<CardBrand, Network> = {
  visa: 'visa',
  mastercard: 'mastercard',
  amex: 'amex',
  elo: 'elo',
  hipercard: 'mastercard',
};

const ISSUER_CODES: Readonly<Record<CardBrand, ReadonlyMap<string, IssuerCode>>> = {
  visa: codesOf('visa'),
  mastercard: codesOf('mastercard'),
  amex: codesOf('amex'),
  elo: codesOf('elo'),
  hipercard: codesOf('hipercard'),
};

const ADVICE_CODES: ReadonlyMap<string, AdviceCode> = new Map(
  TABLE.adviceCodes.map((advice) => [advice.code, advice]),
);

const UNKNOWN_CODE = {
  declineClass: 'denied',
  isReversible: false,
  meaning: { pt: 'Transação não autorizada: código desconhecido', en: 'Declined with an unknown code' },
} as const;

/**
 * The meaning of an issuer's decline, looked up by brand and code because the same number differs
 * between brands. A code that is not in the table is never tried again: networks punish repeating a
 * final decline, and it may be one. Advice codes are Mastercard's; one that comes with another
 * brand is respected too.
 */
export function readDecline(brand: CardBrand, responseCode: string, adviceCode: string | null): Decline {
  const { declineClass, isReversible, meaning } = ISSUER_CODES[brand].get(responseCode) ?? UNKNOWN_CODE;
  const advice = adviceCode === null ? undefined : ADVICE_CODES.get(adviceCode);
  const isRetryable = isReversible && advice?.isNeverAgain !== true;
  return {
    declineClass: advice?.isCardBlocked ? 'blocked' : declineClass,
    isRetryable,
    mayRetryAfterHours: isRetryable ? (advice?.delayHours ?? null) : null,
    sentence: meaning,
  };
}

/** Every known code of every brand, for printing. */
export function issuerCodes(): readonly IssuerCode[] {
  return Object.values(ISSUER_CODES).flatMap((codes) => [...codes.values()]);
}

/** Every known merchant advice code, for printing. */
export function adviceCodes(): readonly AdviceCode[] {
  return TABLE.adviceCodes;
}

/**
 * Irreversible meanings come first and the first one stays: a code that may be a final decline is
 * taken for one, and its sentence says so.
 */
function codesOf(brand: CardBrand): ReadonlyMap<string, IssuerCode> {
  const network = NETWORK[brand];
  const codes = new Map<string, IssuerCode>();
  for (const type of ['irreversible', 'reversible'] as const) {
    for (const { pt, en, [type]: codesByNetwork } of TABLE.meanings) {
      for (const code of codesByNetwork?.[network] ?? []) {
        if (codes.has(code)) continue;
        const declineClass = classOf(network, code);
        codes.set(code, {
          brand,
          code,
          declineClass,
          isReversible: type === 'reversible',
          meaning: { pt, en },
        });
      }
    }
  }
  return codes;
}

function classOf(network: Network, code: string): DeclineClass {
  const [declineClass = 'denied', ...others] = CLASSES.filter((name) =>
    TABLE.classes[name][network]?.includes(code),
  );
  if (others.length > 0) throw new Error(`issuer code ${code} of ${network} has more than one class`);
  return declineClass;
}
