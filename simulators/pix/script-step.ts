import type { ProblemType } from './answers.ts';

/**
 * Ways to spoil an answer. The first row is answered without doing anything, `notFound` also where it is
 * there; the others do it first.
 */
export const FAULTS = [
  ...(['silent', 'unavailable', 'unauthorized', 'tooManyRequests', 'notFound', 'conflict'] as const),
  'booksButSilent',
  'booksButUnavailable',
  'booksButConflict',
  'late',
  'garbage',
  'reset',
  'wrongAmount',
  'wrongTxid',
  'wrongCheckSum',
  'wrongCodeAddress',
  'wrongCodeAmount',
  'withoutCode',
  'withoutPix',
  'repeatedItems',
  'withoutNewest',
] as const;
export type Fault = (typeof FAULTS)[number];

/** What becomes of a refund: it is settled at once, fails, or waits until it is told. */
export const REFUND_PLANS = ['settles', 'fails', 'waits'] as const;
export type RefundPlan = (typeof REFUND_PLANS)[number];

/** What a test asks of one request. */
export type Step = {
  readonly fault: Fault | null;
  /** Answered instead of doing anything. */
  readonly problem: ProblemType | null;
  readonly delayMilliseconds: number;
  readonly refund: RefundPlan | null;
};

/** Ways to spoil a webhook. */
export const WEBHOOK_FAULTS = ['lost', 'repeated', 'late', 'garbage', 'wrongAmount', 'unknownPix'] as const;
export type WebhookFault = (typeof WEBHOOK_FAULTS)[number];
