import { CANCEL_PAYMENT } from '../../payments/cancels/endpoints.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { amountFault, centsOf } from '../parts/page-parts.ts';
import { PAYMENT, paymentPath } from '../parts/paths.ts';
import type { Action, Asked, Form, Moved, Visit } from '../parts/screen.ts';

/** Money goes back: not for everybody who may look. */
export const CANCEL: Action = {
  path: `${PAYMENT}/cancel`,
  roles: ['finance', 'admin'],
  of: 'merchant',
  title: 'Give back',
  contract: CANCEL_PAYMENT,
  asks: ({ parameters: { paymentId = '' } }, { amount }) => ({
    parameters: { paymentId },
    body: amount === undefined ? {} : { amount: centsOf(amount) },
  }),
  faultOf: amountFault,
  moves: givenBack,
  done: 'The amount was given back, or the acquirer has accepted to give it back.',
  next: ({ merchantId, parameters: { paymentId = '' } }) => paymentPath(merchantId, paymentId),
};

/** Of a payment what goes back in parts counts together. */
async function givenBack(
  { ask, parameters: { paymentId = '' } }: Visit,
  { amount }: Form,
): Promise<Asked<Moved | null>> {
  const asked = await ask(GET_PAYMENT, { parameters: { paymentId } });
  if (!asked.ok) return asked;
  const { value, canceledAmount, cancelingAmount, statusDescription } = asked.body;
  const before = canceledAmount + cancelingAmount;
  const wanted = amount === undefined ? value - before : centsOf(amount);
  // The endpoint refuses what is no amount, what has nothing left, and what is more than was ever paid;
  // what is more than is left now may be left later, and waits like the rest.
  if (typeof wanted === 'string' || wanted <= 0 || wanted > value)
    return { ok: true, status: 200, body: null };
  const fields = { amount: `${Math.floor(wanted / 100)},${String(wanted % 100).padStart(2, '0')}` };
  const standing = `${statusDescription} ${value} ${canceledAmount} ${cancelingAmount}`;
  return { ok: true, status: 200, body: { amount: wanted, counted: before + wanted, standing, fields } };
}

export const PAYMENT_ACTIONS: readonly Action[] = [CANCEL];
