import { LIST_PAYMENTS } from '../../payments/list/contract.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  actionForm,
  amountField,
  cardText,
  centsOf,
  errorsOf,
  type Field,
  facts,
  link,
  moment,
  NO_AMOUNT,
  reasonFault,
  section,
  table,
  typedReais,
} from '../parts/page-parts.ts';
import { boletoPath, GIVE_BACK, paymentPath } from '../parts/paths.ts';
import type { Form, Screen, Visit } from '../parts/screen.ts';
import { CANCEL_STATES, DEVOLUTION_STATES, paymentBadges, stateBadge } from '../parts/states.ts';
import {
  type AnyPayment,
  firstToGiveBack,
  isHeldOnly,
  mayGiveBack,
  standingOf,
  toGiveBack,
  twinsOf,
} from './giving-back.ts';
import { pathOfPayment } from './payment-list-view.ts';
import type { ShownPayment } from './shown-payment.ts';

/** Money goes back, so fewer roles may do this than may look. */
export const MAY_GIVE_BACK = {
  roles: ['finance', 'admin'],
  of: 'merchant',
} as const satisfies Partial<Screen<unknown>>;

const DAYS_AROUND = 1;
const MOST_TWINS_READ = '50';

type Reviewed = { readonly payment: AnyPayment; readonly twins: readonly ShownPayment[] };

/**
 * The first of two steps: the amount is entered, and its effect is shown. Only the form with the effect asks
 * an endpoint.
 */
export const GIVE_BACK_SCREEN: Screen<{ readonly secondPersonOver: number | null }> = {
  ...MAY_GIVE_BACK,
  path: GIVE_BACK,
  title: 'Give back or let go',
  takesForm: true,
  async show(visit, { secondPersonOver }) {
    const { paymentId = '' } = visit.parameters;
    const asked = await visit.ask(GET_PAYMENT, { parameters: { paymentId } });
    if (!asked.ok) return 'notFound';
    const payment = asked.body;
    if (payment.method === 'boleto') return { leadsTo: boletoPath(visit.merchantId, paymentId) };
    if (!mayGiveBack(payment)) return { leadsTo: paymentPath(visit.merchantId, paymentId) };
    if (Object.keys(visit.form).length === 0) return html`${giveBackForm(payment, visit, {})}`;
    const reason = reasonFault(visit.form.reason ?? '');
    const fault = amountFaultOf(payment, visit) ?? (reason && visit.wording.say(reason));
    if (fault !== null)
      return html`${errorsOf([{ tag: '', description: fault }])}${giveBackForm(payment, visit, visit.form)}`;
    const twins = await findTwins(payment, visit);
    return review({ payment, twins }, visit, secondPersonOver);
  },
};

function amountFaultOf(payment: AnyPayment, { form, wording }: Visit): string | null {
  const { say, money } = wording;
  const { left } = toGiveBack(payment, form.endToEndId);
  const wanted = form.amount === undefined ? left : centsOf(form.amount);
  if (typeof wanted === 'string') return say(NO_AMOUNT);
  if (wanted <= 0) return say('There must be an amount.');
  return wanted > left ? say('{left} are left, and no more goes back.', { left: money(left) }) : null;
}

async function findTwins(payment: AnyPayment, { ask }: Visit): Promise<readonly ShownPayment[]> {
  const day = saoPauloDay(instant(Date.parse(payment.transactionMoment)));
  const days = {
    dateRangeStartDate: addDays(day, -DAYS_AROUND),
    dateRangeEndDate: addDays(day, DAYS_AROUND),
    limit: MOST_TWINS_READ,
  };
  const { referenceTransaction } = payment;
  const ways = [
    ...(payment.method === 'card' ? [{ lastFour: payment.card.lastFour }] : []),
    ...(referenceTransaction === null ? [] : [{ referenceTransaction }]),
  ];
  const found = new Map<string, ShownPayment>();
  for (const way of ways) {
    const asked = await ask(LIST_PAYMENTS, { query: { ...days, ...way } });
    const items = asked.ok ? asked.body.items : [];
    for (const one of twinsOf(payment, items)) found.set(one.paymentId, one);
  }
  return [...found.values()];
}

const stepOf = (payment: AnyPayment) => ({
  ...MAY_GIVE_BACK,
  path: GIVE_BACK,
  title: payment.method === 'pix' ? 'Return' : isHeldOnly(payment) ? 'Let it go' : 'Give back',
});

/**
 * The form that leads to the page with the effect; it does nothing itself. `typed`: the form is open and has
 * these values.
 */
export function giveBackForm(payment: AnyPayment, visit: Visit, typed?: Form): Shown {
  if (!mayGiveBack(payment)) return '';
  const { say, money } = visit.wording;
  const { left } = toGiveBack(payment, typed?.endToEndId ?? firstToGiveBack(payment));
  const about =
    payment.method === 'pix'
      ? say('Up to {left} go back to who paid, for 90 days after the payment.', { left: money(left) })
      : isHeldOnly(payment)
        ? say('All of it is let go: nothing is charged to the card.')
        : say('Up to {left} go back to the card. A part comes off the last installments first.', {
            left: money(left),
          });
  const amount = amountField(visit, { value: typedReais(left) });
  return actionForm(visit, stepOf(payment), {
    values: { paymentId: payment.paymentId },
    about,
    fields: [...(isHeldOnly(payment) ? [] : [amount]), ...paymentsToChoose(payment, visit)],
    typed: typed && { amount: typedReais(left), ...typed },
    button: say('See what it does'),
  });
}

function paymentsToChoose(payment: AnyPayment, { wording: { say, money } }: Visit): readonly Field[] {
  if (payment.method !== 'pix') return [];
  const { payments, paidAmount } = payment;
  if (payments.length < 2 && paidAmount !== null) return [];
  return [
    {
      name: 'endToEndId',
      label: say('Of which payment'),
      choices: payments.map(({ endToEndId, amount }) => [endToEndId, `${money(amount)} · ${endToEndId}`]),
    },
  ];
}

function review({ payment, twins }: Reviewed, visit: Visit, secondPersonOver: number | null): Html {
  const { wording, form, formMark, merchantId } = visit;
  const { say, money } = wording;
  const of = toGiveBack(payment, form.endToEndId);
  const wanted = form.amount === undefined || isHeldOnly(payment) ? of.left : Number(centsOf(form.amount));
  const before = payment.canceledAmount + payment.cancelingAmount;
  const title = `${say(stepOf(payment).title)} ${money(wanted)}`;
  const sent = {
    mark: formMark,
    once: form.once ?? visit.onceKey,
    amount: typedReais(wanted),
    ...(payment.method === 'pix' && of.endToEndId !== null && { endToEndId: of.endToEndId }),
    standing: standingOf(payment, of),
    reason: form.reason ?? '',
  };
  const isForTwo = secondPersonOver !== null && before + wanted > secondPersonOver;
  return html`<p class="headline"><strong>${money(wanted)}</strong> ${paymentBadges(payment, wording)}</p>
${twins.length > 0 && twinsNote(payment, twins, visit)}
${facts([
  [say('Goes to'), receiverOf(payment)],
  [
    say('Of the sale'),
    say('{amount}, sold {when}', { amount: money(of.most), when: wording.moment(payment.transactionMoment) }),
  ],
  [say('Goes back now'), money(wanted)],
  ...(payment.canceledAmount > 0
    ? ([[say('Went back before'), money(payment.canceledAmount)]] as const)
    : []),
  ...(payment.cancelingAmount > 0
    ? ([[say('Being given back'), money(payment.cancelingAmount)]] as const)
    : []),
  [say('Stays with you'), money(of.left - wanted)],
  [say('Reference'), payment.referenceTransaction ?? '–'],
  [say('Reason'), form.reason ?? '–'],
])}
${isForTwo && html`<p class="message">${say('This is more than one person may move alone: a second person will be asked.')}</p>`}
${before > 0 && earlier(payment, visit)}
<form class="decide" method="post" action="${`${paymentPath(merchantId, payment.paymentId)}/cancel`}">
${Object.entries(sent).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="buttons"><button type="submit" class="grave">${title}</button> ${link(paymentPath(merchantId, payment.paymentId), say('Leave it'))}</div>
</form>
${section(say('Something else?'), giveBackForm(payment, visit, form))}`;
}

function receiverOf(payment: AnyPayment): string {
  if (payment.method === 'card') return cardText(payment.card);
  return payment.payer?.name ?? '–';
}

function twinsNote(payment: AnyPayment, twins: readonly ShownPayment[], visit: Visit): Html {
  const { say, money } = visit.wording;
  const { wording, merchantId } = visit;
  return html`<div class="message" role="note"><p>${isHeldOnly(payment) ? say('It may be the same sale twice: make sure that you let the right one go.') : say('It may have been charged twice: make sure that you give back the right one.')}</p></div>
${table(say('Alike, within a day'), twins, [
  {
    title: say('Sold at'),
    cell: (one) => link(pathOfPayment(merchantId, one), wording.moment(one.transactionMoment)),
  },
  { title: say('Reference'), cell: (one) => one.referenceTransaction ?? '–' },
  { title: say('Amount'), isNumber: true, cell: (one) => money(one.value) },
  { title: say('Given back'), isNumber: true, cell: (one) => money(one.canceledAmount) },
  { title: say('Status'), cell: (one) => paymentBadges(one, wording) },
])}`;
}

function earlier(payment: AnyPayment, { wording }: Visit): Shown {
  const { say, money } = wording;
  if (payment.method === 'boleto') return '';
  const states = payment.method === 'pix' ? DEVOLUTION_STATES : CANCEL_STATES;
  return table(say('Went back before'), payment.cancels ?? [], [
    { title: say('Asked for'), cell: (one) => moment(wording, one.createdAt) },
    { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Status'), cell: (one) => stateBadge(states, one.status, wording) },
  ]);
}
