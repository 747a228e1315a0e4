import { CANCEL_PAYMENT } from '../../payments/cancels/endpoints.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { resolvePayment } from '../boletos/boleto-screens.ts';
import type { Shown } from '../parts/html.ts';
import { amountFault, centsOf, typedAmount, typedReais } from '../parts/page-parts.ts';
import { PAYMENT, paymentPath } from '../parts/paths.ts';
import type { Action, Asked, Form, Moved, Visit } from '../parts/screen.ts';
import { CAPTURE_ACTIONS } from './capture-actions.ts';
import { giveBackForm, MAY_GIVE_BACK } from './give-back-screens.ts';
import { CANCEL_PATH, CAPTURE_PATH, standingOf, toGiveBack } from './giving-back.ts';

export const CANCEL: Action = {
  path: CANCEL_PATH,
  ...MAY_GIVE_BACK,
  title: 'Give back or let go',
  rivals: [CAPTURE_PATH],
  contract: CANCEL_PAYMENT,
  asks: ({ parameters: { paymentId = '' } }, { amount, endToEndId }) => ({
    parameters: { paymentId },
    body: {
      ...(amount !== undefined && { amount: centsOf(amount) }),
      ...(endToEndId !== undefined && { endToEndId }),
    },
  }),
  faultOf: (form) => amountFault(form),
  amountOf: (form) => typedAmount(form),
  moves: givenBack,
  again: formAgain,
  done: 'It was taken: see how the payment stands.',
  next: ({ merchantId, parameters: { paymentId = '' } }) => paymentPath(merchantId, paymentId),
};

export const RESOLVE_PIX = resolvePayment(PAYMENT, ({ merchantId, parameters: { paymentId = '' } }) =>
  paymentPath(merchantId, paymentId),
);

/**
 * What a refund would move. All refunds of a payment together count towards the limit above which a second
 * person is asked. Null: nothing was paid that could be given back, or the endpoint will refuse the amount,
 * so nobody is asked.
 */
async function givenBack(
  { ask, parameters: { paymentId = '' } }: Visit,
  { amount, endToEndId }: Form,
): Promise<Asked<Moved | null>> {
  const asked = await ask(GET_PAYMENT, { parameters: { paymentId } });
  if (!asked.ok) return asked;
  const before = asked.body.canceledAmount + asked.body.cancelingAmount;
  const of = toGiveBack(asked.body, endToEndId);
  const wanted = amount === undefined ? of.left : centsOf(amount);
  // What is left now may grow again, so a request for more than that waits too. The endpoint refuses every
  // other fault.
  if (typeof wanted === 'string' || wanted <= 0 || wanted > of.most)
    return { ok: true, status: 200, body: null };
  const fields = { amount: typedReais(wanted), ...(endToEndId !== undefined && { endToEndId }) };
  const standing = standingOf(asked.body, of);
  return { ok: true, status: 200, body: { amount: wanted, counted: before + wanted, standing, fields } };
}

/**
 * The first of the two steps, where the amount is typed. A charge that waits for its payer has none: its own
 * page removes it.
 */
async function formAgain(visit: Visit, typed: Form): Promise<Shown> {
  const { paymentId = '' } = visit.parameters;
  const asked = await visit.ask(GET_PAYMENT, { parameters: { paymentId } });
  return asked.ok && giveBackForm(asked.body, visit, typed);
}

export const PAYMENT_ACTIONS: readonly Action[] = [CANCEL, RESOLVE_PIX, ...CAPTURE_ACTIONS];
