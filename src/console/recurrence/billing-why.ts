import type { AnswerOf } from '../../platform/http/endpoint.ts';
import type { GET_BILLING } from '../../recurrence/billings/contract.ts';
import type { Wording } from '../parts/wording.ts';

export type WholeBilling = AnswerOf<typeof GET_BILLING>;
type Entry = WholeBilling['timeline'][number];
type Charged = Extract<Entry, { type: 'Charged' }>;

type Explained = Pick<WholeBilling, 'status' | 'nsu' | 'nextChargeOn' | 'timeline'> & {
  readonly subscription: Pick<WholeBilling['subscription'], 'status'>;
};

export function billingWhy(billing: Explained, wording: Wording): string {
  const { say } = wording;
  const { status, timeline } = billing;
  const last = timeline.findLast((entry) => entry.type === 'Charged');
  if (status === 'Paid') return paidText(billing, last, wording);
  if (status === 'Canceled') {
    const canceled = timeline.findLast((entry) => entry.type === 'Canceled');
    return canceled?.description ?? say('It is canceled, and not charged any more.');
  }
  const met = last === undefined ? say('It was not charged.') : chargeText(last, wording);
  if (status === 'Opened') return openedText(billing, last, wording);
  const isBlocked = billing.subscription.status === 'Blocked';
  const advice =
    status === 'PaymentInvalid'
      ? say('Mend what kept it from being charged, then charge it by hand.')
      : isBlocked
        ? say('Give its subscription another card and activate it again, or charge it by hand.')
        : say('It can be charged by hand, once the customer has funds or another card.');
  return `${met} ${advice}`;
}

function paidText({ nsu }: Explained, last: Charged | undefined, { say, day, count }: Wording): string {
  const values = { nsu: nsu ?? '–', day: last === undefined ? '' : day(last.at) };
  if (last?.outcome !== 'Approved') return say('Paid, with the NSU {nsu}.', { nsu: values.nsu });
  if (last.attempt === null) return say('Paid by hand on {day}, with the NSU {nsu}.', values);
  if (last.attempt === 1) return say('Paid at the first try on {day}, with the NSU {nsu}.', values);
  return say('Paid at retry {number} on {day}, with the NSU {nsu}.', {
    ...values,
    number: count(Number(last.attempt) - 1),
  });
}

function openedText({ nextChargeOn }: Explained, last: Charged | undefined, wording: Wording): string {
  const { say, day } = wording;
  const next = nextChargeOn === undefined ? null : say('It is charged on {day}.', { day: day(nextChargeOn) });
  if (last === undefined) return next ?? say('It was not charged.');
  const isSaid = last.nextChargeOn !== null || last.rule === null;
  return isSaid || next === null ? chargeText(last, wording) : `${chargeText(last, wording)} ${next}`;
}

export function chargeText(
  {
    code,
    meaning,
    description,
    nextChargeOn,
  }: Pick<Charged, 'code' | 'meaning' | 'description' | 'nextChargeOn'>,
  { say, day }: Wording,
): string {
  const said =
    nextChargeOn === null ? description : description.replace(`${nextChargeOn}`, day(`${nextChargeOn}`));
  if (code === null || meaning === null) return said;
  return `${say('The issuer said {code}, {meaning}.', { code, meaning })} ${said}`;
}
