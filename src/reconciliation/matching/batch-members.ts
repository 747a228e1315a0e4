import type { Day } from '../../values/instant.ts';

/** A sale of a batch, by the installment that the batch is paid for. */
export type BatchMember = {
  readonly gross: number;
  readonly canceled: number;
  /** What was left of it when it was paid, or is left now. */
  readonly due: number;
  readonly isBlocked: boolean;
  /** When the acquirer's changes say that it was paid at the bank; null: they have not, or do not say. */
  readonly reportedOn: Day | null;
  /** Whether an earlier line has paid it. */
  readonly isPaid: boolean;
};

/** `isExact`: what they are sold for, or what is left of them, is what the line pays. */
export type PaidMembers<M extends BatchMember> = {
  readonly members: readonly M[];
  readonly isExact: boolean;
};

/**
 * The sales that a payout of their batch pays: those that the acquirer's changes report for its day,
 * those that are left, or these without those whose money is held back, whichever adds up. Where
 * nothing does, those that are reported, else those that can be paid: each shows a difference then.
 */
export function paidMembers<M extends BatchMember>(
  { amount, bankOn }: { readonly amount: number; readonly bankOn: Day | null },
  members: readonly M[],
): PaidMembers<M> {
  const unpaid = members.filter(({ isPaid }) => !isPaid);
  const reported = unpaid.filter(({ reportedOn }) => reportedOn !== null && reportedOn === bankOn);
  const left = unpaid.filter(({ due }) => due > 0);
  const free = left.filter(({ isBlocked }) => !isBlocked);
  const sums = (those: readonly M[]) => [
    those.reduce((sum, { gross }) => sum + gross, 0),
    those.reduce((sum, { due }) => sum + due, 0),
    those.reduce((sum, { gross, canceled }) => sum + gross - canceled, 0),
  ];
  for (const those of [reported, free, left, left.filter(({ isBlocked }) => isBlocked)])
    if (those.length > 0 && sums(those).includes(amount)) return { members: those, isExact: true };
  return { members: [reported, free].find((those) => those.length > 0) ?? left, isExact: false };
}
