import { inputRows } from '../../../platform/postgres/input-rows.ts';
import type { NetworkReference } from '../../../providers/acquirers/network-reference.ts';
import type { Cents } from '../../../values/cents.ts';
import type { Instant } from '../../../values/instant.ts';
import type { Share } from '../../split.ts';
import type { TRANSACTION_MOVES } from '../../transaction.ts';

/**
 * The state that the transaction must have, and its new one: after the acquirer's answer to a charge, after a
 * billing's approval that is kept, after a capture.
 */
type OutcomeMove =
  | {
      readonly expected: 'charging';
      readonly state: (typeof TRANSACTION_MOVES)['charging']['approve' | 'decline' | 'lose'];
    }
  | { readonly expected: 'unresolved'; readonly state: (typeof TRANSACTION_MOVES)['unresolved']['keep'] }
  | { readonly expected: 'capturing'; readonly state: (typeof TRANSACTION_MOVES)['capturing']['capture'] };

/** The fence proves that this process is charging or resolving the transaction. */
export type OutcomeRow = OutcomeMove & {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly fence: number;
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  readonly networkReference: NetworkReference;
  readonly tid: string | null;
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  readonly unknownReason: string | null;
  /** Empty without an approval. */
  readonly installments: readonly Cents[];
  /** Empty without a split. */
  readonly shares: readonly Share[];
  /** Business time. */
  readonly moment: Instant;
  /** True: nobody asked for a callback, and no stored card is marked. Absent: it is not known. */
  readonly isPlain?: boolean;
};

export type Part = { readonly transactionId: string; readonly number: number; readonly amount: Cents };

export type PlacedShare = Share & { readonly transactionId: string };

/** Installments: the first parameters of both statements of outcomes. */
export const PARTS = inputRows<Part>(
  {
    transaction_id: ['uuid', (part) => part.transactionId],
    installment_number: ['smallint', (part) => part.number],
    amount: ['bigint', (part) => part.amount],
  },
  { as: 'p' },
);

export const SHARES = inputRows<PlacedShare>(
  {
    transaction_id: ['uuid', (share) => share.transactionId],
    installment_number: ['smallint', (share) => share.installmentNumber],
    position: ['smallint', (share) => share.position],
    beneficiary: ['text', (share) => share.beneficiary],
    amount: ['bigint', (share) => share.amount],
  },
  { as: 's', after: PARTS },
);

export function partsOf(rows: readonly OutcomeRow[]): Part[] {
  return rows.flatMap(({ transactionId, installments }) =>
    installments.map((amount, index) => ({ transactionId, number: index + 1, amount })),
  );
}

export function sharesOf(rows: readonly OutcomeRow[]): PlacedShare[] {
  return rows.flatMap(({ transactionId, shares }) => shares.map((share) => ({ ...share, transactionId })));
}
