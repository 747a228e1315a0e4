import type { ChannelFiles } from '../platform/channels/channel-files.ts';
import { channelUrlFault } from '../platform/channels/channel-url.ts';
import type { CardBrand } from '../values/card-number.ts';
import type { Cents } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';

/**
 * From the mildest to the strictest. `review`: charged and flagged. `reject`: never reaches the
 * acquirer.
 */
export const VERDICTS = ['accept', 'review', 'reject'] as const;
export type Verdict = (typeof VERDICTS)[number];

/**
 * The fingerprints of one text under every key that velocity events were written under, the key in
 * use first. Empty: the text was absent.
 */
export type Fingerprints = readonly Buffer[];

/** The buyer of a sale, each field as the merchant sent it; null where it sent none. */
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

/** The fields of a card that deciders may see: the number itself is never among them. */
export type CardOfSale = {
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  /** Keyed: equal cards have equal fingerprints at this merchant. */
  readonly fingerprints: Fingerprints;
};

export type Sale = {
  readonly merchantId: string;
  /** The future transaction, once the sale was accepted; nothing is on record under it yet. */
  readonly transactionId: string;
  /** The merchant's own reference of the sale. */
  readonly referenceTransaction: string | null;
  readonly amount: Cents;
  readonly installmentCount: number;
  readonly card: CardOfSale;
  readonly isCardStored: boolean;
  readonly buyer: Buyer;
  /** Names the buyer's visit. */
  readonly antiFraudCode: string;
  /** What the page sent when it requested the code. */
  readonly session: CodeFingerprints;
  /**
   * The beneficiaries' portions, in hundredths of a percent; null: the whole sale is the
   * merchant's.
   */
  readonly split: {
    readonly kind: 'gross' | 'net';
    readonly entries: readonly { readonly beneficiary: string; readonly portion: number }[];
  } | null;
  /** Real time. */
  readonly moment: Instant;
};

/**
 * From the page's request for a code to the payment that uses it: a buyer at a checkout needs
 * minutes.
 */
export const CODE_LIFETIME_MILLISECONDS = 60 * 60 * 1_000;

/**
 * The buyer's fingerprints from a code's page, under the keys of the last 25 hours when the code
 * was issued. A code that is older than a rotation of keys does not see what younger codes of the
 * same device did, for the rest of its hour; they see what it did.
 */
export type CodeFingerprints = {
  readonly addressFingerprints: Fingerprints;
  readonly deviceFingerprints: Fingerprints;
};

export const NO_FINGERPRINTS: CodeFingerprints = { addressFingerprints: [], deviceFingerprints: [] };

/**
 * `reasons`: names for the merchant's people, such as `card/hour/attempts`; never anything of the
 * buyer.
 */
export type Decision = { readonly verdict: Verdict; readonly reasons: readonly string[] };

/**
 * A try to pay as it is counted for later sales: fingerprints only, which reveal nothing without
 * the key and differ from merchant to merchant. Null where the text was absent.
 */
export type VelocityEvent = {
  readonly cardFingerprint: Buffer;
  readonly documentFingerprint: Buffer | null;
  readonly addressFingerprint: Buffer | null;
  readonly deviceFingerprint: Buffer | null;
  readonly isCardStored: boolean;
};

/** A decider of sales: the rules of velocity, or a provider of the operator's. */
export type Decider = {
  /** For logs and metrics. */
  readonly name: string;
  readonly timeoutMilliseconds: number;
  /** The recorded reason where it made no decision. */
  readonly silentReason: string;
  /**
   * May be slow and may fail: its caller has a deadline, aborts `signal` then, and has a verdict
   * for silence.
   */
  decide(sale: Sale, signal: AbortSignal): Promise<Decision>;
  /** The provider that is asked about a sale; null: none is. Absent: of a decider that asks nobody. */
  providerOf?(sale: Sale): string | null;
};

/** The provider that was asked, if any was. */
export type AskedDecision = Decision & { readonly provider: string | null };

const TRIGGER_REASON = 'trigger';

/**
 * The limit of a transaction's row; an operator may have rules beyond it, and the first ones are
 * enough.
 */
const MOST_REASON_CHARACTERS = 500;

/**
 * The reasons as they are kept: whole names, as many as fit, separated by commas; empty when there
 * are none.
 */
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

/**
 * In homologation these addresses of a buyer decide by themselves, so that a merchant can try every
 * answer.
 */
export const TRIGGERS: Readonly<Record<string, Verdict>> = {
  'accept@test.com': 'accept',
  'review@test.com': 'review',
  'reject@test.com': 'reject',
};

/** Null for every other address. */
export function triggeredDecision(email: string | null): Decision | null {
  const wanted = email?.trim().toLowerCase() ?? '';
  const verdict = Object.hasOwn(TRIGGERS, wanted) ? TRIGGERS[wanted] : undefined;
  return verdict === undefined ? null : { verdict, reasons: [TRIGGER_REASON] };
}

/** `accept` when there are none. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? 'accept';
}

/**
 * The joint decision of several deciders: the strictest verdict, and the reasons of all of them in
 * their order.
 */
export function joinDecisions(decisions: readonly Decision[]): Decision {
  return {
    verdict: strictest(decisions.map(({ verdict }) => verdict)),
    reasons: [...new Set(decisions.flatMap(({ reasons }) => reasons))],
  };
}

/** Whether the remaining deciders need not be asked: no verdict is stricter. */
export function endsChain({ verdict }: Decision): boolean {
  return verdict === 'reject';
}

export type ProviderSettings = {
  readonly url: string;
  readonly channel: ChannelFiles;
  readonly timeoutMilliseconds: number;
};

type SettingText = (name: string) => string;

/** Null: there is none. Faults of the settings are added to `faults`. */
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
