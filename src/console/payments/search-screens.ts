import { LIST_PAYMENTS } from '../../payments/list/contract.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { GET_BILLING } from '../../recurrence/billings/contract.ts';
import { GET_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import { parseBarCode, parseDigitableLine } from '../../values/bar-code.ts';
import { isCnpj, isCpf } from '../../values/document-number.ts';
import { isUuid } from '../../values/ids.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import type { Boleto } from '../boletos/boleto-screens.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState } from '../parts/page-parts.ts';
import { billingPath, boletoPath, SEARCH, subscriptionPath } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { withBuyers } from './buyers-view.ts';
import { pathOfPayment } from './payment-list-view.ts';
import type { ShownPayment } from './payment-screens.ts';
import { MOST_FOUND } from './payment-story.ts';
import {
  readBoletos,
  readSubscriptions,
  type Things,
  type ThingTools,
  thingSections,
  thingsOfDocument,
  together,
} from './things-view.ts';

/** A search by last four digits covers as many days as the API allows. */
const DAYS_OF_LAST_FOUR = 93;
const LONGEST_TEXT = 64;

const NOTHING: Things = { payments: [], subscriptions: [], boletos: [] };

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

async function paymentsOf(text: string, visit: Visit, tools: ThingTools): Promise<ShownPayment[]> {
  const found = new Map<string, ShownPayment>();
  for (const query of questionsOf(text, visit)) {
    const asked = await visit.ask(LIST_PAYMENTS, {
      query: { ...query, limit: String(MOST_FOUND) },
    });
    for (const one of asked.ok ? asked.body.items : []) found.set(one.paymentId, one);
  }
  return withBuyers([...found.values()], visit, tools);
}

function barCodesIn(text: string, { now }: Visit): string[] {
  const today = saoPauloDay(instant(now));
  const read = [parseDigitableLine(text, today), parseBarCode(text, today)];
  return read.flatMap((one) => (one.kind === 'barCode' ? [one.barCode] : []));
}

/** By names that the list of payments does not search by. */
async function boletosOf(text: string, visit: Visit, { findBoletos }: ThingTools): Promise<Boleto[]> {
  const ids = new Set<string>();
  for (const barCode of barCodesIn(text, visit))
    for (const id of await findBoletos(visit.merchantId, { kind: 'barCode', text: barCode })) ids.add(id);
  return readBoletos([...ids], visit);
}

function onlyPage({ payments, subscriptions, boletos }: Things, { merchantId }: Visit): string | null {
  if (payments.length + subscriptions.length + boletos.length !== 1) return null;
  const [[payment], [subscription], [boleto]] = [payments, subscriptions, boletos];
  if (payment !== undefined) return pathOfPayment(merchantId, payment);
  if (subscription !== undefined) return subscriptionPath(merchantId, subscription.id);
  return boleto === undefined ? null : boletoPath(merchantId, boleto.id);
}

async function find(text: string, visit: Visit, tools: ThingTools): Promise<Things> {
  const document = documentIn(text);
  const ofPerson = document === null ? NOTHING : await thingsOfDocument(document, visit, tools);
  const named: Things = {
    payments: await paymentsOf(text, visit, tools),
    subscriptions: text.includes('@')
      ? await readSubscriptions({ email: text }, visit)
      : await readSubscriptions({ orderNumber: text }, visit),
    boletos: await boletosOf(text, visit, tools),
  };
  return together(ofPerson, named);
}

/** One search box. A single result opens its page; several are listed. */
export const SEARCH_SCREENS: readonly Screen<ThingTools>[] = [
  screen<ThingTools, Things>({
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
      const found = await find(text, visit, tools);
      const leadsTo = onlyPage(found, visit);
      return leadsTo === null ? found : { leadsTo };
    },
    view: searchPage,
  }),
];

function searchPage(found: Things, visit: Visit): Html {
  const { say } = visit.wording;
  const text = visit.form.q;
  const advice = say(
    'Search by payment id, reference, NSU, authorization code, the last four digits of a card, billing, subscription, CPF, CNPJ or e-mail of the customer, txid or endToEndId of a Pix, or number or line of a boleto.',
  );
  if (text === undefined) return emptyState(say('Nothing was searched for yet.'), advice);
  const searched = html`<p>${say('Searched for {text}', { text })}</p>`;
  if (found.payments.length + found.subscriptions.length + found.boletos.length === 0)
    return html`${searched}${emptyState(say('Nothing was found.'), advice)}`;
  return html`${searched}
${thingSections(found, visit)}`;
}
