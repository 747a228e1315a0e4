import { utcText } from '../../../values/instant.ts';
import { type Decision, type Sale, VERDICTS } from '../../anti-fraud.ts';

export type ProviderAnswer = { readonly status: number; readonly body: unknown };

/** Begins a provider's own reasons, so that none can pass for a rule's. */
const PREFIX = 'provider/';
export const PROVIDER_SILENT_REASON = `${PREFIX}silent`;

const MOST_REASONS = 10;
const LONGEST_REASON = 40;
/** Merchants read reasons, so none may contain data of the buyer. */
const REASON = /^[a-z][a-z0-9]*([._-][a-z0-9]+)*$/;
const MANY_DIGITS = /\d{5}/;
const HIGHEST_SCORE = 1_000;

/** The body of docs/antifraud-protocol.md: of the card only six and four digits and keyed fingerprints. */
export function writeQuestion(sale: Sale): string {
  return JSON.stringify({
    transactionId: sale.transactionId,
    merchantId: sale.merchantId,
    merchantReference: sale.referenceTransaction,
    askedAt: utcText(sale.moment),
    amount: sale.amount,
    installments: sale.installmentCount,
    antiFraudCode: sale.antiFraudCode,
    card: {
      brand: sale.card.brand,
      firstSix: sale.card.firstSix,
      lastFour: sale.card.lastFour,
      isStored: sale.isCardStored,
      fingerprints: textsOf(sale.card.fingerprints),
    },
    customer: sale.buyer,
    session: {
      addressFingerprints: textsOf(sale.session.addressFingerprints),
      deviceFingerprints: textsOf(sale.session.deviceFingerprints),
    },
    split: sale.split && {
      kind: sale.split.kind,
      entries: sale.split.entries.map(({ beneficiary, portion }) => ({ beneficiary, portion })),
    },
  });
}

/** A text is the fault of the answer; it never repeats the answer's content. */
export function readDecision({ status, body }: ProviderAnswer, transactionId: string): Decision | string {
  if (status === 401 || status === 403) return `the provider refuses our token (${status})`;
  if (status !== 200) return `the provider answered ${status}`;
  if (typeof body !== 'object' || body === null) return 'the answer was no object';
  const { transactionId: ofTransaction, verdict: word, score = null, reasons = [] } = body as Answer;
  if (ofTransaction !== transactionId) return 'the answer was for another transaction';
  const verdict = VERDICTS.find((known) => known === word);
  if (verdict === undefined) return 'the answer had no verdict';
  if (!isScore(score)) return `the score was no whole number from 0 to ${HIGHEST_SCORE}`;
  if (!areReasons(reasons)) return 'the reasons were not of the protocol';
  if (verdict === 'accept') return { verdict, reasons: [] };
  const scored = score === null ? [] : [`${PREFIX}score-${score}`];
  return { verdict, reasons: [...reasons.map((reason) => PREFIX + reason), ...scored] };
}

type Answer = Readonly<Record<'transactionId' | 'verdict' | 'score' | 'reasons', unknown>>;

function isScore(score: unknown): score is number | null {
  return (
    score === null || (Number.isSafeInteger(score) && Number(score) >= 0 && Number(score) <= HIGHEST_SCORE)
  );
}

function areReasons(reasons: unknown): reasons is string[] {
  return Array.isArray(reasons) && reasons.length <= MOST_REASONS && reasons.every(isReason);
}

function isReason(reason: unknown): boolean {
  return (
    typeof reason === 'string' &&
    reason.length <= LONGEST_REASON &&
    REASON.test(reason) &&
    !MANY_DIGITS.test(reason)
  );
}

function textsOf(prints: readonly Buffer[]): string[] {
  return prints.map((print) => print.toString('base64url'));
}
