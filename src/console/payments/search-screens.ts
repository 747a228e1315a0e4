import { LIST_PAYMENTS } from '../../payments/list/contract.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { GET_BILLING } from '../../recurrence/billings/contract.ts';
import { GET_SUBSCRIPTION, LIST_SUBSCRIPTIONS } from '../../recurrence/subscriptions/contract.ts';
import type { BoletoName } from '../../transactions/methods/boleto/boletos.sql.ts';
import { GET_BOLETO } from '../../transactions/methods/boleto/contract.ts';
import { parseBarCode, parseDigitableLine } from '../../values/bar-code.ts';
import { isCnpj, isCpf } from '../../values/document-number.ts';
import { isUuid } from '../../values/ids.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { type Boleto, boletoTable } from '../boletos/boleto-screens.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState, section } from '../parts/page-parts.ts';
import { billingPath, boletoPath, SEARCH, subscriptionPath } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { type ListedSubscription, subscriptionTable } from '../recurrence/subscription-screens.ts';
import { pathOfPayment, paymentTable } from './payment-list-view.ts';
import type { ShownPayment } from './payment-screens.ts';
import { MOST_FOUND } from './payment-story.ts';

export type SearchTools = {
  /** Ids, by card and by Pix, of each the newest first. */
  readonly findCustomerPayments: (merchantId: string, document: string) => Promise<readonly string[]>;
  readonly findBoletos: (merchantId: string, name: BoletoName) => Promise<readonly string[]>;
};

/** A search by last four digits covers as many days as the API allows. */
const DAYS_OF_LAST_FOUR = 93;
const LONGEST_TEXT = 64;

type Found = {
  readonly payments: readonly ShownPayment[];
  readonly subscriptions: readonly ListedSubscription[];
  readonly boletos: readonly Boleto[];
};
const NOTHING: Found = { payments: [], subscriptions: [], boletos: [] };

function questionsOf(text: string, { now }: Visit): Readonly<Record<string, string>>[] {
  const today = saoPauloDay(instant(now));
  const dateRangeStartDate = addDays(today, 1 - DAYS_OF_LAST_FOUR);
  const isLastFour = /^\d{4}$/.test(text);
  return [
    { referenceTransaction: text },
    { nsu: text },
    { authorizationCode: text },
    ...(isLastFour ? [{ lastFour: text, dateRangeStartDate, dateRangeEndDate: today }] : []),
    ...(isUuid(text) ? [{ billingId: text }] : []),
    ...(/^[A-Za-z0-9]{26,35}$/.test(text) ? [{ txid: text }] : []),
    ...(/^[A-Za-z0-9]{32}$/.test(text) ? [{ endToEndId: text }] : []),
  ];
}

/** The digits of a CPF or CNPJ, or null. */
function documentIn(text: string): string | null {
  const document = text.replaceAll(/[.\-/ ]/g, '').toUpperCase();
  return isCpf(document) || isCnpj(document) ? document : null;
}

async function pageOfId(id: string, { ask, merchantId }: Visit): Promise<string | null> {
  const payment = await ask(GET_PAYMENT, { parameters: { paymentId: id } });
  if (payment.ok) return pathOfPayment(merchantId, payment.body);
  const billing = await ask(GET_BILLING, { parameters: { billingId: id } });
  if (billing.ok) return billingPath(merchantId, billing.body.id);
  const subscription = await ask(GET_SUBSCRIPTION, { parameters: { subscriptionId: id } });
  return subscription.ok ? subscriptionPath(merchantId, subscription.body.id) : null;
}

async function paymentsOf(
  text: string,
  visit: Visit,
  { findCustomerPayments }: SearchTools,
): Promise<ShownPayment[]> {
  const found = new Map<string, ShownPayment>();
  for (const query of questionsOf(text, visit)) {
    const asked = await visit.ask(LIST_PAYMENTS, {
      query: { ...query, limit: String(MOST_FOUND) },
    });
    for (const one of asked.ok ? asked.body.items : []) found.set(one.paymentId, one);
  }
  const document = documentIn(text);
  const ids = document === null ? [] : await findCustomerPayments(visit.merchantId, document);
  for (const paymentId of ids.filter((id) => !found.has(id))) {
    const asked = await visit.ask(GET_PAYMENT, { parameters: { paymentId } });
    if (asked.ok) found.set(paymentId, asked.body);
  }
  return [...found.values()];
}

async function subscriptionsOf(text: string, { ask }: Visit): Promise<readonly ListedSubscription[]> {
  const document = documentIn(text);
  const query =
    document !== null ? { documentNumber: document } : text.includes('@') ? { email: text } : null;
  if (query === null) return [];
  const asked = await ask(LIST_SUBSCRIPTIONS, { query: { ...query, limit: String(MOST_FOUND) } });
  return asked.ok ? asked.body.items : [];
}

function boletoNames(text: string, { now }: Visit): BoletoName[] {
  const today = saoPauloDay(instant(now));
  const [line, code] = [parseDigitableLine(text, today), parseBarCode(text, today)];
  const document = documentIn(text);
  return [
    ...[line, code].flatMap((one) =>
      one.kind === 'barCode' ? [{ kind: 'barCode', text: one.barCode } as const] : [],
    ),
    ...(document === null ? [] : [{ kind: 'document', text: document } as const]),
  ];
}

/** By names that the list of payments does not search by. */
async function boletosOf(text: string, visit: Visit, { findBoletos }: SearchTools): Promise<Boleto[]> {
  const ids = new Set<string>();
  for (const name of boletoNames(text, visit))
    for (const id of await findBoletos(visit.merchantId, name)) ids.add(id);
  const found: Boleto[] = [];
  for (const boletoId of ids) {
    const asked = await visit.ask(GET_BOLETO, { parameters: { boletoId } });
    if (asked.ok) found.push(asked.body);
  }
  return found;
}

function onlyPage({ payments, subscriptions, boletos }: Found, { merchantId }: Visit): string | null {
  if (payments.length + subscriptions.length + boletos.length !== 1) return null;
  const [[payment], [subscription], [boleto]] = [payments, subscriptions, boletos];
  if (payment !== undefined) return pathOfPayment(merchantId, payment);
  if (subscription !== undefined) return subscriptionPath(merchantId, subscription.id);
  return boleto === undefined ? null : boletoPath(merchantId, boleto.id);
}

/** One search box. A single result opens its page; several are listed. */
export const SEARCH_SCREENS: readonly Screen<SearchTools>[] = [
  screen<SearchTools, Found>({
    path: SEARCH,
    roles: ALL_ROLES,
    of: 'merchant',
    title: 'Search',
    takesForm: true,
    async read(visit, tools) {
      const text = visit.form.q ?? '';
      if (text === '' || text.length > LONGEST_TEXT) return NOTHING;
      if (isUuid(text)) {
        const leadsTo = await pageOfId(text, visit);
        if (leadsTo !== null) return { leadsTo };
      }
      const found: Found = {
        payments: await paymentsOf(text, visit, tools),
        subscriptions: await subscriptionsOf(text, visit),
        boletos: await boletosOf(text, visit, tools),
      };
      const leadsTo = onlyPage(found, visit);
      return leadsTo === null ? found : { leadsTo };
    },
    view: searchPage,
  }),
];

function searchPage({ payments, subscriptions, boletos }: Found, visit: Visit): Html {
  const { say, count } = visit.wording;
  const text = visit.form.q;
  const advice = say(
    'Search by payment id, reference, NSU, authorization code, the last four digits of a card, billing, subscription, CPF, CNPJ or e-mail of the customer, txid or endToEndId of a Pix, or number or line of a boleto.',
  );
  if (text === undefined) return emptyState(say('Nothing was searched for yet.'), advice);
  const searched = html`<p>${say('Searched for {text}', { text })}</p>`;
  if (payments.length + subscriptions.length + boletos.length === 0)
    return html`${searched}${emptyState(say('Nothing was found.'), advice)}`;
  return html`${searched}
<p class="note">${say('At most the newest {count} of each.', { count: count(MOST_FOUND) })}</p>
${payments.length > 0 && section(say('Payments'), paymentTable(payments, visit))}
${subscriptions.length > 0 && section(say('Subscriptions'), subscriptionTable(subscriptions, visit))}
${boletos.length > 0 && section(say('Boletos'), boletoTable(boletos, visit))}`;
}
