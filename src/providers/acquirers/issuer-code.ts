import type { CardBrand } from '../../values/card-number.ts';
import { type Instant, instant } from '../../values/instant.ts';
import issuerCodeTable from './issuer-codes.json' with { type: 'json' };

/**
 * `funds`: may be there another day. `blocked`: the card is canceled. `technical`: issuer or acquirer is
 * down. `invalid`: faulty set-up, format or amount, ours or the merchant's. `denied`: every other decline.
 */
export type DeclineClass = 'funds' | 'blocked' | 'technical' | 'invalid' | 'denied';

type Meaning = { readonly pt: string; readonly en: string };

/** `buyer`: for the shop's page; reveals no loss, theft or suspicion. `merchant`: for the shop's staff. */
export type DeclineHelp = { readonly buyer: Meaning; readonly merchant: Meaning };

export type Decline = {
  readonly declineClass: DeclineClass;
  /** Whether the merchant may try this card again at all. */
  readonly isRetryable: boolean;
  /** The pause that the issuer requests; null if it requests none or forbids another try. */
  readonly mayRetryAfterHours: number | null;
  readonly sentence: Meaning;
  readonly help: DeclineHelp;
};

export type IssuerCode = {
  readonly brand: CardBrand;
  readonly code: string;
  readonly declineClass: DeclineClass;
  readonly isReversible: boolean;
  /** Mastercard's 79, 82 and 83: another try is allowed if the advice code names a time for it. */
  readonly isDecidedByAdvice: boolean;
  readonly meaning: Meaning;
  /** What to do about it, apart from whether to try again. */
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
  /** A code in no list is `denied`. */
  readonly classes: Readonly<Record<Exclude<DeclineClass, 'denied'>, CodesByNetwork>>;
  /** By the `help` name of a meaning. */
  readonly help: Readonly<Record<string, DeclineHelp>>;
  /** Used if the advice code forbids what the issuer code alone would permit. */
  readonly final: DeclineHelp;
  /** For the merchant: whether to try again. */
  readonly retry: Readonly<Record<'now' | 'later' | 'notAsItIs' | 'never', Meaning>>;
  readonly meanings: readonly (Meaning & {
    readonly key: string;
    /** A key of `help`. */
    readonly help: string;
    readonly adviceDecides?: boolean;
    readonly reversible?: CodesByNetwork;
    readonly irreversible?: CodesByNetwork;
  })[];
  readonly adviceCodes: readonly AdviceCode[];
};

const TABLE: IssuerCodeTable = issuerCodeTable;
/** The month of the networks' latest announcements in the table. */
export const ISSUER_CODES_VERSION = TABLE.version;
const CLASSES = ['funds', 'blocked', 'technical', 'invalid'] as const;

/** Hipercard's issuers answer with Mastercard's codes. */
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
 * Looks up a decline by brand and code, because the same code has different meanings at different brands. An
 * unknown code is never tried again: it may be a final decline, and networks fine repeating one. Advice codes
 * are Mastercard's, but are also respected with other brands.
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

/** The earliest time of another try for a sale at `soldAt`; null if at once, or never. */
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

/** Limits the values of a metric's label: codes outside the table are counted as `other`. */
export function countedCode(brand: CardBrand, responseCode: string): string {
  return ISSUER_CODES[brand].has(responseCode) ? responseCode : 'other';
}

export function issuerCodes(): readonly IssuerCode[] {
  return Object.values(ISSUER_CODES).flatMap((codes) => [...codes.values()]);
}

export function adviceCodes(): readonly AdviceCode[] {
  return TABLE.adviceCodes;
}

/** A code's first meaning counts. Irreversible ones come first: what may be final is treated as final. */
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
