import type { Schema } from './served-document.ts';
import type { Spoiled } from './spoiled-values.ts';

/** Why the service may refuse what the document allows. Nothing else may be refused. */
export type Reason = {
  readonly why: string;
  readonly status: number;
  /** Of operations, by their ids. */
  readonly of: RegExp;
  readonly tag: RegExp;
};

/** The faulted field has an example: its rule goes beyond what a pattern says (check digits, days, addresses). */
export const BEYOND_PATTERNS = 'no pattern can say it, so the field has an example that is valid';

export const REASONS: readonly Reason[] = [
  {
    why: 'each installment is at least a cent: a division of two fields',
    status: 400,
    of: /^createPayment$/,
    tag: /^payment\.installments$/,
  },
  {
    why: 'sums and comparisons over the whole of a list',
    status: 400,
    of: /^createPayment$/,
    tag: /^configSplit(\[\d+\]\.(type|documentNumberBeneficiary))?$/,
  },
  { why: 'differences of two days', status: 400, of: /^resendWebhookDeliveries$/, tag: /^to$/ },
  { why: 'only what an answer gave as next', status: 400, of: /^resendWebhookDeliveries$/, tag: /^after$/ },
];

/** Why the service may take what the document forbids. */
export const TAKEN: readonly { readonly why: string; holds(spoiled: Spoiled): boolean }[] = [
  {
    why: 'an empty list stands for an empty object, as some languages write it',
    holds: ({ wrong, schema }) => Array.isArray(wrong) && wrong.length === 0 && isOf(schema, 'object'),
  },
  {
    why: 'a blank optional text is absent: printed, it would stand in every choice of generated clients',
    holds: ({ wrong, schema, isRequired }) =>
      !isRequired && typeof wrong === 'string' && wrong.trim() === '' && isOf(schema, 'string'),
  },
];

const isOf = ({ type }: Schema, wanted: string) => [type].flat().includes(wanted);

export function isReasonToTake(spoiled: Spoiled): boolean {
  return TAKEN.some(({ holds }) => holds(spoiled));
}
