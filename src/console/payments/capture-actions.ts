import { CAPTURE_PAYMENT } from '../../payments/captures/endpoints.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import type { Shown } from '../parts/html.ts';
import {
  actionForm,
  amountFault,
  amountField,
  centsOf,
  typedAmount,
  typedReais,
} from '../parts/page-parts.ts';
import { paymentPath } from '../parts/paths.ts';
import type { Action, Form, Visit } from '../parts/screen.ts';
import { MAY_GIVE_BACK } from './give-back-screens.ts';
import { type AnyPayment, CANCEL_PATH, CAPTURE_PATH, isHeldOnly } from './giving-back.ts';

export function captureForm(payment: AnyPayment, visit: Visit, typed?: Form): Shown {
  if (payment.method !== 'card' || !isHeldOnly(payment)) return '';
  const { say, money, moment } = visit.wording;
  const { authorizedAmount = payment.value, captureUntil } = payment;
  const until =
    captureUntil === undefined ? '' : ` ${say('Until {until}.', { until: moment(captureUntil) })}`;
  return actionForm(visit, CAPTURE, {
    typed,
    values: { paymentId: payment.paymentId },
    about: `${say('Charges up to {most}, once: what you leave is let go.', { most: money(authorizedAmount) })}${until}`,
    fields: [amountField(visit, { value: typedReais(authorizedAmount) })],
  });
}

const CAPTURE: Action = {
  ...MAY_GIVE_BACK,
  path: CAPTURE_PATH,
  title: 'Capture it',
  rivals: [CANCEL_PATH],
  contract: CAPTURE_PAYMENT,
  asks: ({ parameters: { paymentId = '' } }, { amount }) => ({
    parameters: { paymentId },
    body: amount === undefined ? {} : { amount: centsOf(amount) },
  }),
  faultOf: (form) => amountFault(form),
  amountOf: (form) => typedAmount(form),
  async again(visit, typed) {
    const { paymentId = '' } = visit.parameters;
    const asked = await visit.ask(GET_PAYMENT, { parameters: { paymentId } });
    return asked.ok && captureForm(asked.body, visit, typed);
  },
  done: 'The amount is charged.',
  next: ({ merchantId, parameters: { paymentId = '' } }) => paymentPath(merchantId, paymentId),
};

export const CAPTURE_ACTIONS: readonly Action[] = [CAPTURE];
