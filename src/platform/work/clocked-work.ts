import type { Instant } from '../../values/instant.ts';

/**
 * The kinds of work that a jump of a merchant's clock runs, in this order where they fall due at
 * one instant: what the acquirer
 * brings, and what merchants are to be notified of, is sent then.
 */
export const CLOCKED_KINDS = [
  'changes',
  'preauthorizations',
  'boletos',
  'billings',
  'notices',
  'deliveries',
] as const;
export type ClockedKind = (typeof CLOCKED_KINDS)[number];

/** Work of one merchant that falls due by business time, as a jump takes it along. */
export type ClockedWork = {
  readonly name: ClockedKind;
  /**
   * The earliest instant, not after `until`, at which something of the merchant falls due; past
   * ones count. Changes nothing.
   */
  earliestDue(merchantId: string, until: Instant): Promise<Instant | null>;
  /**
   * Runs what is due by the merchant's business time, and gives how many that were; 0: nothing more
   * can be run now. Stops
   * early when the signal is aborted.
   */
  runDue(merchantId: string, signal: AbortSignal): Promise<number>;
};
