import type { Static } from 'typebox';
import type { WireError } from '../../platform/http/endpoint.ts';
import { RESOLVE_EXCEPTION } from '../../reconciliation/exceptions/endpoints.ts';
import { buyerOf } from '../../transactions/customers/buyer.ts';
import type { BOLETO_ANSWER } from '../../transactions/methods/boleto/boleto-contract.ts';
import {
  CANCEL_BOLETO,
  CHANGE_DUE_DATE,
  GET_BOLETO,
  LIST_BOLETOS,
} from '../../transactions/methods/boleto/contract.ts';
import { SHOW_BOLETO_PDF } from '../../transactions/methods/boleto/print/endpoints.ts';
import { formatDigitableLine } from '../../values/bar-code.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { listScreen } from '../filters/list-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { buyerFacts, buyerLink, linkFacts } from '../parts/buyer-parts.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  accountField,
  accountOf,
  actionForm,
  copyable,
  errorsOf,
  facts,
  link,
  pageAddress,
  section,
  table,
} from '../parts/page-parts.ts';
import { BOLETO, BOLETO_PDF, BOLETOS, boletoPath, pathOf } from '../parts/paths.ts';
import { type Action, type Form, OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import {
  BOLETO_STATES,
  badge,
  RECEIVED_WORDS,
  type StatusBill,
  stateBadge,
  stateChoices,
} from '../parts/states.ts';

export type Boleto = Static<typeof BOLETO_ANSWER>;

function unexpectedMark({ payments }: Boleto, { wording: { say } }: Visit): Shown {
  return payments.some(({ state }) => state === 'open') && badge('bad', say('Unexpected payment'));
}

function stateOfBoleto({ statusBill }: Boleto, { wording }: Visit): Html {
  return stateBadge(BOLETO_STATES, String(statusBill) as StatusBill, wording);
}

export function boletoTable(items: readonly Boleto[], visit: Visit): Html {
  const { say, reais, day } = visit.wording;
  return table(say('Boletos'), items, [
    { title: say('Our number'), cell: (one) => link(boletoPath(visit.merchantId, one.id), one.ourNumber) },
    { title: say('Due'), cell: (one) => day(one.dueDate) },
    { title: say('Payer'), cell: (one) => buyerLink(buyerOf(one.payer), one.id, visit) },
    { title: say('Amount'), isNumber: true, cell: (one) => reais(one.value) },
    { title: say('Status'), cell: (one) => html`${stateOfBoleto(one, visit)} ${unexpectedMark(one, visit)}` },
    { title: say('Reference'), cell: (one) => one.referenceTransaction ?? '–' },
  ]);
}

type Found = { readonly boleto: Boleto } | { readonly errors: readonly WireError[] };

/**
 * The values of `statusBill` with which the bank can still cancel the boleto: being issued, issued, overdue.
 */
const OPEN: readonly number[] = [0, 1, 3];

const USUAL_DAYS = { before: 7, behind: 30 } as const;

function daysOf({ query, now }: Visit): { readonly startDate: string; readonly endDate: string } {
  const today = saoPauloDay(instant(now));
  return {
    startDate: query.startDate ?? addDays(today, -USUAL_DAYS.before),
    endDate: query.endDate ?? addDays(today, USUAL_DAYS.behind),
  };
}

const LIST: Screen<MerchantPageTools> = listScreen<Boleto>({
  path: BOLETOS,
  ...OF_MERCHANT,
  title: 'Boletos',
  list: 'boletos',
  contract: LIST_BOLETOS,
  query: (visit) => ({
    accountNumber: accountOf(visit),
    ...daysOf(visit),
    statusBill: visit.query.statusBill,
  }),
  filters(visit) {
    const { say } = visit.wording;
    const { startDate, endDate } = daysOf(visit);
    return [
      accountField(visit),
      { name: 'startDate', label: say('Due from'), type: 'date', value: startDate },
      { name: 'endDate', label: say('Due to'), type: 'date', value: endDate },
      { name: 'statusBill', label: say('Status'), choices: stateChoices(BOLETO_STATES, visit.wording) },
    ];
  },
  empty: [
    'No boleto is due in these days.',
    'Choose other days or another account. A boleto appears here as soon as it is issued, on the page New charge or by the API.',
  ],
  view: boletoTable,
});

const ONE: Screen<unknown> = screen<unknown, Found>({
  path: BOLETO,
  ...OF_MERCHANT,
  title: 'Boleto',
  refreshSeconds: 10,
  async read({ ask, parameters: { boletoId = '' } }) {
    const asked = await ask(GET_BOLETO, { parameters: { boletoId } });
    if (asked.ok) return { boleto: asked.body };
    // A boleto refused by the bank exists, and its page gives the reason.
    return asked.status === 404 ? 'notFound' : { errors: asked.errors };
  },
  view: (found, visit) => ('errors' in found ? errorsOf(found.errors) : boletoPage(found.boleto, visit)),
});

function boletoPage(boleto: Boleto, visit: Visit): Html {
  const { say, reais, day } = visit.wording;
  const { payer, digitableLine } = boleto;
  return html`<p class="headline"><strong>${reais(boleto.value)}</strong> ${stateOfBoleto(boleto, visit)}</p>
${facts([
  [say('Due'), day(boleto.dueDate)],
  [say('Can be paid until'), day(boleto.payableUntil)],
  [say('Issued on'), day(boleto.issueDate)],
  [say('Paid amount'), boleto.effectivePaymentValue === null ? '–' : reais(boleto.effectivePaymentValue)],
  [say('Paid on'), boleto.effectivePaymentDate === null ? '–' : day(boleto.effectivePaymentDate)],
  ...buyerFacts(say('Payer'), buyerOf(payer), boleto.id, visit),
  [say('Account'), boleto.accountNumber],
  [say('Our number'), boleto.ourNumber],
  [say('Reference'), boleto.referenceTransaction ?? '–'],
  ...linkFacts(boleto.linkId, visit),
  [say('Digitable line'), digitableLine === null ? '–' : copyable(formatDigitableLine(digitableLine))],
  [say('Address of the page'), pageAddress(boleto.url, visit)],
  [say('Boleto id'), html`<code>${boleto.id}</code>`],
])}
${digitableLine !== null && html`<p>${link(pathOf(BOLETO_PDF, { merchantId: visit.merchantId, boletoId: boleto.id }), say('Page to print (PDF)'))}</p>`}
${paymentSection(boleto, visit)}${dueDayForm(boleto, visit)}${cancelForm(boleto, visit)}${visit.happenings?.toBoleto(boleto, visit)}`;
}

function paymentSection({ id, payments }: Boleto, visit: Visit): Shown {
  const { say, money, day } = visit.wording;
  if (payments.length === 0) return '';
  const open = payments.flatMap(({ exceptionId, state }) =>
    exceptionId === null || state !== 'open' ? [] : [exceptionId],
  );
  return html`${section(
    say('Payments received'),
    table(say('Payments received'), payments, [
      { title: say('Paid on'), cell: (one) => day(one.paidOn) },
      { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
      { title: say('Kind'), cell: (one) => say(RECEIVED_WORDS[one.kind]) },
      {
        title: say('State'),
        cell: (one) =>
          one.exceptionId === null
            ? '–'
            : one.state === 'open'
              ? badge('bad', say('To be resolved'))
              : badge('good', say('Resolved by a person')),
      },
    ]),
  )}${open.slice(0, 1).map((exceptionId) =>
    actionForm(visit, RESOLVE_PAYMENT, {
      values: { boletoId: id, exceptionId },
      about: say(
        'Its payer paid what was not expected: give the money back, or agree with him on it, and say here what became of it.',
      ),
    }),
  )}`;
}

function dueDayForm({ id, statusBill, dueDate }: Boleto, visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  if (statusBill === 0 || !OPEN.includes(statusBill)) return '';
  return actionForm(visit, CHANGE_DAY, {
    typed,
    values: { boletoId: id },
    fields: [{ name: 'dueDate', label: say('New due day'), type: 'date', value: dueDate }],
    about: say('The bank is asked. Bar code, fine and interest follow: give the payer the page again.'),
  });
}

function cancelForm({ id, statusBill }: Boleto, visit: Visit): Shown {
  const { say } = visit.wording;
  if (!OPEN.includes(statusBill)) return '';
  return actionForm(visit, CANCEL, {
    values: { boletoId: id },
    about: say('The bank takes it out: it cannot be paid any more.'),
    isGrave: true,
  });
}

/** The boleto's own address may not be reachable from here, so this page serves the PDF. */
const PDF: Screen<unknown> = {
  path: BOLETO_PDF,
  ...OF_MERCHANT,
  title: 'Page to print (PDF)',
  isFile: true,
  async show({ ask, parameters: { boletoId = '' } }) {
    const asked = await ask(GET_BOLETO, { parameters: { boletoId } });
    if (!asked.ok) return 'notFound';
    const pageKey = asked.body.url.split('/').at(-1) ?? '';
    const printed = await ask(SHOW_BOLETO_PDF, { parameters: { pageKey } });
    if (!printed.ok || typeof printed.body !== 'string') return 'notFound';
    const name = `boleto-${asked.body.ourNumber}.pdf`;
    return { name, type: 'application/pdf', content: printed.body };
  },
};

const CANCEL: Action = {
  roles: ['finance', 'admin'],
  of: 'merchant',
  path: `${BOLETO}/cancel`,
  title: 'Cancel the boleto',
  contract: CANCEL_BOLETO,
  asks: ({ parameters: { boletoId = '' } }) => ({ parameters: { boletoId } }),
  done: 'The boleto is canceled, or the bank was asked to cancel it.',
  next: ({ merchantId, parameters: { boletoId = '' } }) => boletoPath(merchantId, boletoId),
};

const CHANGE_DAY: Action = {
  roles: ['finance', 'admin'],
  of: 'merchant',
  path: `${BOLETO}/due-date`,
  title: 'Change the due day',
  contract: CHANGE_DUE_DATE,
  asks: ({ parameters: { boletoId = '' } }, { dueDate = '' }) => ({
    parameters: { boletoId },
    body: { dueDate },
  }),
  async again(visit, typed) {
    const { boletoId = '' } = visit.parameters;
    const asked = await visit.ask(GET_BOLETO, { parameters: { boletoId } });
    return asked.ok && dueDayForm(asked.body, visit, typed);
  },
  done: 'The due day is changed, or the bank was asked to change it.',
  next: ({ merchantId, parameters: { boletoId = '' } }) => boletoPath(merchantId, boletoId),
};

/**
 * The action by which a person resolves an unexpected payment. `path`: the path of the page that shows it.
 */
export function resolvePayment(path: string, next: (visit: Visit) => string): Action {
  return {
    roles: ['finance', 'admin'],
    of: 'merchant',
    path: `${path}/payments/{exceptionId}/resolve`,
    title: 'Resolve the payment',
    contract: RESOLVE_EXCEPTION,
    asks: ({ parameters: { exceptionId = '' } }, { reason = '' }) => ({
      parameters: { exceptionId },
      body: { reason },
    }),
    done: 'It is resolved.',
    next,
  };
}

const RESOLVE_PAYMENT = resolvePayment(BOLETO, ({ merchantId, parameters: { boletoId = '' } }) =>
  boletoPath(merchantId, boletoId),
);

export const BOLETO_SCREENS: readonly Screen<MerchantPageTools>[] = [LIST, ONE, PDF];
export const BOLETO_ACTIONS: readonly Action[] = [CANCEL, CHANGE_DAY, RESOLVE_PAYMENT];
