import { CANCEL_PAYMENT } from '../../payments/cancels/endpoints.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { amountFault, centsOf } from '../parts/page-parts.ts';
import { PAYMENT, paymentPath } from '../parts/paths.ts';
import type { Action, Asked, Form, Moved, Visit } from '../parts/screen.ts';

/** Money goes back, so fewer roles may do it than may look. */
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

/** All refunds of a payment count together. */
async function givenBack(
  { ask, parameters: { paymentId = '' } }: Visit,
  { amount }: Form,
): Promise<Asked<Moved | null>> {
  const asked = await ask(GET_PAYMENT, { parameters: { paymentId } });
  if (!asked.ok) return asked;
  const { value, canceledAmount, cancelingAmount, statusDescription } = asked.body;
  const before = canceledAmount + cancelingAmount;
  const wanted = amount === undefined ? value - before : centsOf(amount);
  // More than is left now may be left later, so it waits too. The endpoint refuses every other fault.
  if (typeof wanted === 'string' || wanted <= 0 || wanted > value)
    return { ok: true, status: 200, body: null };
  const fields = { amount: `${Math.floor(wanted / 100)},${String(wanted % 100).padStart(2, '0')}` };
  const standing = `${statusDescription} ${value} ${canceledAmount} ${cancelingAmount}`;
  return { ok: true, status: 200, body: { amount: wanted, counted: before + wanted, standing, fields } };
}

export const PAYMENT_ACTIONS: readonly Action[] = [CANCEL];
