import type { ChannelFiles } from '../platform/channels/channel-files.ts';
import { channelUrlFault } from '../platform/channels/channel-url.ts';
import type { CardBrand } from '../values/card-number.ts';
import type { Cents } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';

/** From the mildest to the strictest. `review`: charged and flagged. `reject`: never reaches the acquirer. */
export const VERDICTS = ['accept', 'review', 'reject'] as const;
export type Verdict = (typeof VERDICTS)[number];

/**
 * The fingerprints of one text, one under each key that recent velocity events used, the current key first.
 * Empty: no text.
 */
export type Fingerprints = readonly Buffer[];

/** As the merchant sent them; null: not sent. */
export type Buyer = Readonly<
  Record<
    | 'documentType'
    | 'documentNumber'
    | 'firstName'
    | 'lastName'
    | 'email'
    | 'phoneNumber'
    | 'mobilePhoneNumber'
    | 'address'
    | 'complement'
    | 'city'
    | 'state'
    | 'zipCode'
    | 'country'
    | 'ipAddress',
    string | null
  >
>;

/** What deciders may see of a card: never the number. */
export type CardOfSale = {
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  /** Keyed per merchant: equal cards have equal fingerprints at one merchant. */
  readonly fingerprints: Fingerprints;
};

export type Sale = {
  readonly merchantId: string;
  /** The transaction's id if the sale is accepted; nothing is recorded under it yet. */
  readonly transactionId: string;
  readonly referenceTransaction: string | null;
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly card: CardOfSale;
  readonly isCardStored: boolean;
  readonly buyer: Buyer;
  readonly antiFraudCode: string;
  /** From the page that requested the code. */
  readonly session: CodeFingerprints;
  /** The beneficiaries' portions, in hundredths of a percent; null: the whole sale is the merchant's. */
  readonly split: {
    readonly kind: 'gross' | 'net';
    readonly entries: readonly { readonly beneficiary: string; readonly portion: number }[];
  } | null;
  /** Real time. */
  readonly moment: Instant;
};

/** From the page's request for a code to the payment that uses it. Buyers need minutes at a checkout. */
export const CODE_LIFETIME_MILLISECONDS = 60 * 60 * 1_000;

/**
 * The buyer's fingerprints from the page that requested the code, under the keys of the last 25 hours at that
 * time. A code issued before a key rotation does not see what later codes of the same device did; they see
 * what it did. This lasts at most an hour.
 */
export type CodeFingerprints = {
  readonly addressFingerprints: Fingerprints;
  readonly deviceFingerprints: Fingerprints;
};

export const NO_FINGERPRINTS: CodeFingerprints = { addressFingerprints: [], deviceFingerprints: [] };

/** `reasons`: names for the merchant's staff, such as `card/hour/attempts`, without data of the buyer. */
export type Decision = { readonly verdict: Verdict; readonly reasons: readonly string[] };

/** A try to pay, as the velocity rules count it. null: the sale did not have the text. */
export type VelocityEvent = {
  readonly cardFingerprint: Buffer;
  readonly documentFingerprint: Buffer | null;
  readonly addressFingerprint: Buffer | null;
  readonly deviceFingerprint: Buffer | null;
  readonly isCardStored: boolean;
};

export type Decider = {
  readonly name: string;
  readonly timeoutMilliseconds: number;
  /** The reason that is recorded if the decider fails or does not answer in time. */
  readonly silentReason: string;
  /** May be slow and may fail: at a deadline the caller aborts `signal` and uses the verdict for silence. */
  decide(sale: Sale, signal: AbortSignal): Promise<Decision>;
  /** False: accepts this sale without being asked. Absent: is always asked. */
  isConcerned?(sale: Sale): boolean;
  /** The name of the provider that is asked about the sale; null: none is. */
  providerOf?(sale: Sale): string | null;
};

export type AskedDecision = Decision & { readonly provider: string | null };

const TRIGGER_REASON = 'trigger';

/**
 * What a transaction's row holds of them. Rules of an operator may give more; the first reasons are enough.
 */
const MOST_REASON_CHARACTERS = 500;

/** As stored: whole names separated by commas, as many as fit. */
export function reasonsText(reasons: readonly string[]): string {
  let text = '';
  for (const reason of reasons) {
    const longer = text === '' ? reason : `${text},${reason}`;
    if (longer.length > MOST_REASON_CHARACTERS) break;
    text = longer;
  }
  return text;
}

export function readReasons(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

/** In homologation these buyer addresses decide by themselves, so that a merchant can try every answer. */
export const TRIGGERS: Readonly<Record<string, Verdict>> = {
  'accept@test.com': 'accept',
  'review@test.com': 'review',
  'reject@test.com': 'reject',
};

/** null: any other address. */
export function triggeredDecision(email: string | null): Decision | null {
  const wanted = email?.trim().toLowerCase() ?? '';
  const verdict = Object.hasOwn(TRIGGERS, wanted) ? TRIGGERS[wanted] : undefined;
  return verdict === undefined ? null : { verdict, reasons: [TRIGGER_REASON] };
}

/** `accept` without verdicts. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? 'accept';
}

/** The strictest verdict, with the reasons of all decisions in their order. */
export function joinDecisions(decisions: readonly Decision[]): Decision {
  return {
    verdict: strictest(decisions.map(({ verdict }) => verdict)),
    reasons: [...new Set(decisions.flatMap(({ reasons }) => reasons))],
  };
}

/** No verdict is stricter than a reject, so the remaining deciders need not be asked. */
export function endsChain({ verdict }: Decision): boolean {
  return verdict === 'reject';
}

export type ProviderSettings = {
  readonly url: string;
  readonly channel: ChannelFiles;
  readonly timeoutMilliseconds: number;
};

type SettingText = (name: string) => string;

/** null: no provider is set. Adds faults of the settings to `faults`. */
export function providerSettings(
  text: SettingText,
  channel: ChannelFiles,
  timeoutMilliseconds: number,
  faults: string[],
): ProviderSettings | null {
  const url = text('PARCELA_ANTIFRAUD_URL');
  if (url === '') return null;
  const fault = channelUrlFault('PARCELA_ANTIFRAUD_URL', url, 'names and documents of buyers');
  if (fault !== null) {
    faults.push(fault);
    return null;
  }
  return { url: url.replace(/\/+$/, ''), channel, timeoutMilliseconds };
}
