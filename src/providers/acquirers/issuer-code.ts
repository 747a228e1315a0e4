import type { CardBrand } from '../../values/card-number.ts';
import { type Instant, instant } from '../../values/instant.ts';
import issuerCodeTable from './issuer-codes.json' with { type: 'json' };

/**
 * The meaning of a decline for the merchant. `funds`: may be there another day. `blocked`: the card
 * is canceled. `technical`: issuer or acquirer out of order. `invalid`: our or the merchant's
 * set-up, format or amount. `denied`: every other decline.
 */
export type DeclineClass = 'funds' | 'blocked' | 'technical' | 'invalid' | 'denied';

type Meaning = { readonly pt: string; readonly en: string };

/**
 * What to do about a decline. `buyer`: for the page of the shop; it reveals no loss, theft or suspicion.
 * `merchant`: for the desk of the shop, with whether the charge may be tried again.
 */
export type DeclineHelp = { readonly buyer: Meaning; readonly merchant: Meaning };

export type Decline = {
  readonly declineClass: DeclineClass;
  /** Whether the merchant may try this card again at all. */
  readonly isRetryable: boolean;
  /**
   * The issuer's requested pause before that; null when it requests none or forbids another try.
   */
  readonly mayRetryAfterHours: number | null;
  readonly sentence: Meaning;
  readonly help: DeclineHelp;
};

export type IssuerCode = {
  readonly brand: CardBrand;
  readonly code: string;
  readonly declineClass: DeclineClass;
  readonly isReversible: boolean;
  /** Mastercard's 79, 82 and 83: another try is welcome when the advice names a time for it. */
  readonly isDecidedByAdvice: boolean;
  readonly meaning: Meaning;
  /** What to do about it, without a word on another try. */
  readonly remedy: DeclineHelp;
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
  readonly version: string;
  /** A code in no list is denied. */
  readonly classes: Readonly<Record<Exclude<DeclineClass, 'denied'>, CodesByNetwork>>;
  /** One code may stand for several meanings; the first listed gives the sentence. */
  /** What to do, by the kind of trouble. */
  readonly help: Readonly<Record<string, DeclineHelp>>;
  /** What to do when the advice forbids what the code alone would permit. */
  readonly final: DeclineHelp;
  /** Whether to try again, for the merchant. */
  readonly retry: Readonly<Record<'now' | 'later' | 'notAsItIs' | 'never', Meaning>>;
  readonly meanings: readonly (Meaning & {
    readonly key: string;
    /** Names an entry of `help`. */
    readonly help: string;
    readonly adviceDecides?: boolean;
    readonly reversible?: CodesByNetwork;
    readonly irreversible?: CodesByNetwork;
  })[];
  readonly adviceCodes: readonly AdviceCode[];
};

const TABLE: IssuerCodeTable = issuerCodeTable;
/** The month up to which announcements of the networks are in the table. */
export const ISSUER_CODES_VERSION = TABLE.version;
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
  isDecidedByAdvice: false,
  meaning: { pt: 'Transação não autorizada: código desconhecido', en: 'Declined with an unknown code' },
  remedy: helpNamed('contactIssuer'),
} as const;

/**
 * The meaning of an issuer's decline, looked up by brand and code because the same number differs
 * between brands. A code that is not in the table is never tried again: networks punish repeating a
 * final decline, and it may be one. Advice codes are Mastercard's; one that comes with another
 * brand is respected too.
 */
export function readDecline(brand: CardBrand, responseCode: string, adviceCode: string | null): Decline {
  const known = ISSUER_CODES[brand].get(responseCode) ?? UNKNOWN_CODE;
  const advice = adviceCode === null ? undefined : ADVICE_CODES.get(adviceCode);
  const isWelcome = known.isDecidedByAdvice ? (advice?.delayHours ?? null) !== null : known.isReversible;
  const isRetryable = isWelcome && advice?.isNeverAgain !== true;
  const mayRetryAfterHours = isRetryable ? (advice?.delayHours ?? null) : null;
  const declineClass = advice?.isCardBlocked ? 'blocked' : known.declineClass;
  const isForbiddenByAdvice = advice?.isNeverAgain === true && known.declineClass !== 'blocked';
  const remedy = isForbiddenByAdvice ? TABLE.final : known.remedy;
  return {
    declineClass,
    isRetryable,
    mayRetryAfterHours,
    sentence: known.meaning,
    help: withRetry(remedy, retrySentence({ declineClass, isRetryable, mayRetryAfterHours })),
  };
}

const HOUR_MILLISECONDS = 3_600_000;

/** From when on the issuer takes another try of a sale at `soldAt`; null: at once, or never. */
export function mayRetryAt({ mayRetryAfterHours }: Decline, soldAt: Instant): Instant | null {
  return mayRetryAfterHours === null ? null : instant(soldAt + mayRetryAfterHours * HOUR_MILLISECONDS);
}

function retrySentence({
  declineClass,
  isRetryable,
  mayRetryAfterHours,
}: Pick<Decline, 'declineClass' | 'isRetryable' | 'mayRetryAfterHours'>): Meaning {
  const { now, later, notAsItIs, never } = TABLE.retry;
  if (isRetryable) return mayRetryAfterHours === null ? now : later;
  return declineClass === 'blocked' ? never : notAsItIs;
}

function withRetry({ buyer, merchant }: DeclineHelp, retry: Meaning): DeclineHelp {
  return {
    buyer,
    merchant: { pt: `${merchant.pt} ${retry.pt}`, en: `${merchant.en} ${retry.en}` },
  };
}

function helpNamed(name: string): DeclineHelp {
  const help = TABLE.help[name];
  if (help === undefined) throw new Error(`no help is called ${name}`);
  return help;
}

/** A code of the table, or one word for all that are not in it: a bounded set, for counting. */
export function countedCode(brand: CardBrand, responseCode: string): string {
  return ISSUER_CODES[brand].has(responseCode) ? responseCode : 'other';
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
    for (const { pt, en, help, adviceDecides, [type]: codesByNetwork } of TABLE.meanings) {
      for (const code of codesByNetwork?.[network] ?? []) {
        if (codes.has(code)) continue;
        const declineClass = classOf(network, code);
        codes.set(code, {
          brand,
          code,
          declineClass,
          isReversible: type === 'reversible',
          isDecidedByAdvice: adviceDecides === true,
          meaning: { pt, en },
          remedy: helpNamed(help),
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
