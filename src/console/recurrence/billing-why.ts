import type { AnswerOf } from '../../platform/http/endpoint.ts';
import type { GET_BILLING } from '../../recurrence/billings/contract.ts';
import type { Wording } from '../parts/wording.ts';

export type WholeBilling = AnswerOf<typeof GET_BILLING>;
type Entry = WholeBilling['timeline'][number];
type Charged = Extract<Entry, { type: 'Charged' }>;

/** Why a billing is where it is: its state, what the issuer said last, and what comes next. */
export function billingWhy(billing: WholeBilling, wording: Wording): string {
  const { say } = wording;
  const { status, nsu, nextChargeOn } = billing;
  if (status === 'Paid') return say('Paid, with the NSU {nsu}.', { nsu: nsu ?? '–' });
  const canceled = billing.timeline.findLast((entry) => entry.type === 'Canceled');
  if (status === 'Canceled' && canceled !== undefined) return canceled.description;
  const last = billing.timeline.findLast((entry) => entry.type === 'Charged');
  if (last === undefined)
    return nextChargeOn === undefined
      ? say('It was not charged.')
      : say('It is charged on {day}.', { day: wording.day(nextChargeOn) });
  return chargeText(last, wording);
}

/** What a charge met and what was made of it, in the words of the catalogues. */
export function chargeText({ code, meaning, description }: Charged, { say }: Wording): string {
  if (code === null || meaning === null) return description;
  return `${say('The issuer said {code}, {meaning}.', { code, meaning })} ${description}`;
}
