import { CANCEL_PAYMENT } from '../../payments/cancels/endpoints.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { resolvePayment } from '../boletos/boleto-screens.ts';
import { amountFault, centsOf } from '../parts/page-parts.ts';
import { PAYMENT, paymentPath } from '../parts/paths.ts';
import type { Action, Asked, Form, Moved, Visit } from '../parts/screen.ts';
import { isPaying } from '../parts/states.ts';

/** Money goes back, so fewer roles may do it than may look. */
export const CANCEL: Action = {
  path: `${PAYMENT}/cancel`,
  roles: ['finance', 'admin'],
  of: 'merchant',
  title: 'Give back',
  contract: CANCEL_PAYMENT,
  asks: ({ parameters: { paymentId = '' } }, { amount, endToEndId }) => ({
    parameters: { paymentId },
    body: {
      ...(amount !== undefined && { amount: centsOf(amount) }),
      ...(endToEndId !== undefined && { endToEndId }),
    },
  }),
  faultOf: amountFault,
  moves: givenBack,
  done: 'The amount was given back, or the acquirer has accepted to give it back.',
  next: ({ merchantId, parameters: { paymentId = '' } }) => paymentPath(merchantId, paymentId),
};

export const RESOLVE_PIX = resolvePayment(PAYMENT, ({ merchantId, parameters: { paymentId = '' } }) =>
  paymentPath(merchantId, paymentId),
);

/** All refunds of a payment count together. Nothing moves where nobody has paid. */
async function givenBack(
  { ask, parameters: { paymentId = '' } }: Visit,
  { amount, endToEndId }: Form,
): Promise<Asked<Moved | null>> {
  const asked = await ask(GET_PAYMENT, { parameters: { paymentId } });
  if (!asked.ok) return asked;
  const { canceledAmount, cancelingAmount, statusDescription } = asked.body;
  const before = canceledAmount + cancelingAmount;
  const { most, left } = toGiveBack(asked.body, endToEndId);
  const wanted = amount === undefined ? left : centsOf(amount);
  // More than is left now may be left later, so it waits too. The endpoint refuses every other fault.
  if (typeof wanted === 'string' || wanted <= 0 || wanted > most)
    return { ok: true, status: 200, body: null };
  const fields = {
    amount: `${Math.floor(wanted / 100)},${String(wanted % 100).padStart(2, '0')}`,
    ...(endToEndId !== undefined && { endToEndId }),
  };
  const standing = `${statusDescription} ${most} ${canceledAmount} ${cancelingAmount}`;
  return { ok: true, status: 200, body: { amount: wanted, counted: before + wanted, standing, fields } };
}

/** Cents that came, and what is left of them. Of a Pix: of what `endToEndId` names, else of what paid it. */
function toGiveBack(
  payment: AnswerOf<typeof GET_PAYMENT>,
  endToEndId: string | undefined,
): { readonly most: number; readonly left: number } {
  const { canceledAmount, cancelingAmount } = payment;
  if (payment.method === 'card')
    return { most: payment.value, left: payment.value - canceledAmount - cancelingAmount };
  if (payment.method === 'boleto') return { most: 0, left: 0 };
  const one = payment.payments.find((paid) =>
    endToEndId === undefined ? isPaying(paid) : paid.endToEndId === endToEndId,
  );
  return one === undefined
    ? { most: 0, left: 0 }
    : { most: one.amount, left: one.amount - one.canceledAmount };
}

export const PAYMENT_ACTIONS: readonly Action[] = [CANCEL, RESOLVE_PIX];
