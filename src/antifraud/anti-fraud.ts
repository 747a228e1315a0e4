import type { Cents } from '../values/cents.ts';
import type { Instant } from '../values/instant.ts';

/** From the mildest to the sternest. `review`: charged and flagged. `reject`: never reaches the acquirer. */
export const VERDICTS = ['accept', 'review', 'reject'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One thing's prints under every key that attempts were written under, the key in use first. Empty: nothing was told. */
export type Fingerprints = readonly Buffer[];

/** A sale that is to be judged before anybody is asked for money. Null means not told. */
export type Sale = {
  readonly merchantId: string;
  readonly amount: Cents;
  /** Keyed: equal cards have equal prints at this merchant. */
  readonly cardFingerprints: Fingerprints;
  readonly cardFirstSix: string;
  /** The buyer's, as the merchant sent them. */
  readonly document: string | null;
  readonly email: string | null;
  readonly ipAddress: string | null;
  /** What the page told when it asked for the code. */
  readonly session: CodeFingerprints;
  /** Real time. */
  readonly moment: Instant;
};

/** From the page's request for a code to the payment that uses it: a buyer at a checkout needs minutes. */
export const CODE_LIFETIME_MILLISECONDS = 60 * 60 * 1_000;

/**
 * What a code's page told of its buyer, under the keys of the last 25 hours when the code was given. A code that is older than a
 * rotation of keys does not see what younger codes of the same device did, for the rest of its hour; they see what it did.
 */
export type CodeFingerprints = {
  readonly addressFingerprints: Fingerprints;
  readonly deviceFingerprints: Fingerprints;
};

export const NO_FINGERPRINTS: CodeFingerprints = { addressFingerprints: [], deviceFingerprints: [] };

/** `reasons`: names for the merchant's people, such as `card/hour/attempts`; never anything of the buyer. */
export type Decision = { readonly verdict: Verdict; readonly reasons: readonly string[] };

/**
 * A try to pay as it is counted for later sales: prints only, which tell nothing without the key and differ from merchant to
 * merchant. Null where nothing was told.
 */
export type VelocityEvent = {
  readonly cardFingerprint: Buffer;
  readonly documentFingerprint: Buffer | null;
  readonly addressFingerprint: Buffer | null;
  readonly deviceFingerprint: Buffer | null;
};

/** Who decides: our velocity rules, or a decider of the operator's. */
export type AntiFraud = {
  /** May take its time and may fail: whoever asks has a deadline, tells it by `signal`, and has an answer for silence. */
  decide(sale: Sale, signal: AbortSignal): Promise<Decision>;
};

/** Words for a decision that no rule made. */
export const SILENT_REASON = 'silent';
const TRIGGER_REASON = 'trigger';

/** What the row of a transaction has room for; an operator may have rules beyond it, and the first ones say enough. */
const MOST_REASON_CHARACTERS = 500;

/** The reasons as they are kept: whole names, as many as there is room for, separated by commas; empty when there are none. */
export function reasonsText(reasons: readonly string[]): string {
  let text = '';
  for (const reason of reasons) {
    const longer = text === '' ? reason : `${text},${reason}`;
    if (longer.length > MOST_REASON_CHARACTERS) break;
    text = longer;
  }
  return text;
}

/** The reasons that were kept as a text. */
export function readReasons(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

/** In homologation these addresses of a buyer decide by themselves, so that a merchant can try every answer. */
const TRIGGERS: Readonly<Record<string, Verdict>> = {
  'accept@test.com': 'accept',
  'review@test.com': 'review',
  'reject@test.com': 'reject',
};

/** The decision that a trigger address asks for; null for every other address. */
export function triggeredDecision(email: string | null): Decision | null {
  const wanted = email?.trim().toLowerCase() ?? '';
  const verdict = Object.hasOwn(TRIGGERS, wanted) ? TRIGGERS[wanted] : undefined;
  return verdict === undefined ? null : { verdict, reasons: [TRIGGER_REASON] };
}

/** The sternest of several verdicts; `accept` when there are none. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? 'accept';
}
