import type { Edit } from '../../tools/mutations/edit.ts';

/** A mistake that somebody could make, and the kinds of fault that should show it. */
export type Plant = {
  readonly name: string;
  /** Which suite is to find it: payments, unless said. */
  readonly suite?: 'webhooks' | 'recurrence' | 'boletos' | 'pix' | 'acquirers' | 'crowd';
  readonly edits: readonly Edit[];
  /** The file of `npm test` that finds it; null: none can, because of this. */
  readonly fast: string | null;
  readonly slowBecause?: string;
  /** As for `--only`: kinds of faults, or attacks. */
  readonly kinds: string;
  /** Of attacks: the part of their size from which on the mistake is felt; a fifth, unless said. */
  readonly size?: number;
  /** How many faults it may take. */
  readonly kills: number;
};
