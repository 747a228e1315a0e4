import { LIST_PAYMENTS } from '../../payments/list/contract.ts';
import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { GET_BILLING } from '../../recurrence/billings/contract.ts';
import { GET_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import { parseBarCode, parseDigitableLine } from '../../values/bar-code.ts';
import { isCnpj, isCpf } from '../../values/document-number.ts';
import { isUuid } from '../../values/ids.ts';
import {
  addDays,
  type Day,
  type Instant,
  instant,
  reachedFrom,
  saoPauloDay,
  startOfSaoPauloDay,
} from '../../values/instant.ts';
import type { Boleto } from '../boletos/boleto-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html } from '../parts/html.ts';
import { emptyState } from '../parts/page-parts.ts';
import { billingPath, boletoPath, SEARCH, subscriptionPath } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import type { ListedSubscription } from '../recurrence/condition.ts';
import { withBuyers } from './buyers-view.ts';
import { pathOfPayment } from './payment-list-view.ts';
import { MOST_FOUND } from './payment-story.ts';
import type { ShownPayment } from './shown-payment.ts';
import { MOST_BUYERS, readSought, type Sought } from './sought.ts';
import {
  readBoletos,
  readPayments,
  readSubscriptions,
  type Things,
  thingSections,
  thingsOfDocuments,
  together,
} from './things-view.ts';

/** A search by last four digits covers as many days as the API allows. */
const DAYS_OF_LAST_FOUR = 93;
const LONGEST_TEXT = 64;

const NOTHING: Things = { payments: [], subscriptions: [], boletos: [] };
const NOTHING_FOUND = { ...NOTHING, readFrom: null, areManyNamed: false, isNameCut: false };

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

async function paymentsOf(text: string, visit: Visit, tools: MerchantPageTools): Promise<ShownPayment[]> {
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

/** Boletos by bar code or digitable line, by which the list of payments cannot search. */
async function boletosOf(text: string, visit: Visit, { findBoletos }: MerchantPageTools): Promise<Boleto[]> {
  const ids = await findBoletos(visit.merchantId, { kind: 'barCode', texts: barCodesIn(text, visit) });
  return readBoletos(ids, visit);
}

function onlyPage({ payments, subscriptions, boletos }: Things, { merchantId }: Visit): string | null {
  if (payments.length + subscriptions.length + boletos.length !== 1) return null;
  const [[payment], [subscription], [boleto]] = [payments, subscriptions, boletos];
  if (payment !== undefined) return pathOfPayment(merchantId, payment);
  if (subscription !== undefined) return subscriptionPath(merchantId, subscription.id);
  return boleto === undefined ? null : boletoPath(merchantId, boleto.id);
}

type Found = Things & {
  /**
   * How far back a search by amount looked: earlier sales may fit too. Null: it looked at all days, or no
   * amount was given.
   */
  readonly readFrom: Instant | null;
  /** At least as many customers as are shown have this name. */
  readonly areManyNamed: boolean;
  /** More customers have this name than were looked at. */
  readonly isNameCut: boolean;
};

async function find(text: string, visit: Visit, tools: MerchantPageTools): Promise<Found> {
  const { merchantId } = visit;
  const document = documentIn(text);
  const { buyers: named, isCut: isNameCut } =
    document === null ? await tools.findNamedBuyers(merchantId, text) : { buyers: [document], isCut: false };
  const ofPersons = await thingsOfDocuments(
    named.filter((one) => !isUuid(one)),
    visit,
    tools,
  );
  const ofSale = await thingsOfSale(readSought(text, todayOf(visit)), visit, tools);
  const found = together(ofPersons, await thingsOfIds(named.filter(isUuid), visit, tools), ofSale, {
    payments: await paymentsOf(text, visit, tools),
    subscriptions: await readSubscriptions(
      text.includes('@') ? { email: text } : { orderNumber: text },
      visit,
    ),
    boletos: await boletosOf(text, visit, tools),
  });
  return { ...found, readFrom: ofSale.readFrom, areManyNamed: named.length >= MOST_BUYERS, isNameCut };
}

function todayOf({ now }: Visit): Day {
  return saoPauloDay(instant(now));
}

async function thingsOfIds(ids: readonly string[], visit: Visit, tools: MerchantPageTools): Promise<Things> {
  const payments = await readPayments(ids, visit, tools);
  const subscriptions: ListedSubscription[] = [];
  for (const id of ids.filter((one) => !payments.some(({ paymentId }) => paymentId === one))) {
    const asked = await visit.ask(GET_SUBSCRIPTION, { parameters: { subscriptionId: id } });
    if (asked.ok) subscriptions.push(asked.body);
  }
  return { payments, subscriptions, boletos: [] };
}

/** Searches by amount, by day, and by last four digits together with one of them. */
async function thingsOfSale(
  sought: Sought | null,
  visit: Visit,
  tools: MerchantPageTools,
): Promise<Pick<Found, keyof Things | 'readFrom'>> {
  if (sought === null) return { ...NOTHING, readFrom: null };
  const { amount, day, lastFour } = sought;
  const today = todayOf(visit);
  const [from, to] = day === null ? [addDays(today, 1 - DAYS_OF_LAST_FOUR), today] : [day, day];
  if (amount === null) {
    const query = { dateRangeStartDate: from, dateRangeEndDate: to, lastFour: lastFour ?? undefined };
    const asked = await visit.ask(LIST_PAYMENTS, { query: { ...query, limit: String(MOST_FOUND) } });
    const payments = asked.ok ? await withBuyers(asked.body.items, visit, tools) : [];
    return { ...NOTHING, payments, readFrom: null };
  }
  const { ids, readFrom } = await tools.findOfAmount(visit.merchantId, {
    amount,
    lastFour,
    soldFrom: startOfSaoPauloDay(from),
    soldBefore: startOfSaoPauloDay(reachedFrom(to, 1)),
  });
  return { ...NOTHING, payments: await readPayments(ids, visit, tools), readFrom };
}

export const SEARCH_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, Found>({
    path: SEARCH,
    ...OF_MERCHANT,
    title: 'Search',
    takesForm: true,
    async read(visit, tools) {
      const text = visit.form.q ?? '';
      if (text === '' || text.length > LONGEST_TEXT) return NOTHING_FOUND;
      if (isUuid(text)) {
        const leadsTo = await pageOfId(text, visit);
        if (leadsTo !== null) return { leadsTo };
      }
      const found = await find(text, visit, tools);
      // If not all customers of the name were looked at, what was found may not be the only thing.
      const leadsTo = found.isNameCut ? null : onlyPage(found, visit);
      return leadsTo === null ? found : { leadsTo };
    },
    view: searchPage,
  }),
];

function searchPage(found: Found, visit: Visit): Html {
  const { say, count, moment } = visit.wording;
  const text = visit.form.q;
  const advice = say(
    'Search by name (three letters of it or more), e-mail, CPF or CNPJ of the customer, amount (259,90), day (28/11), last four digits of the card, reference or order number, NSU, authorization code, number or line of a boleto, txid or endToEndId of a Pix, or an id.',
  );
  if (text === undefined) return emptyState(say('Nothing was searched for yet.'), advice);
  const searched = html`<p>${say('Searched for {text}', { text })}</p>
${found.readFrom !== null && html`<p class="note">${say('By amount the newest sales were looked at, back to {at}. With a day, those of the day are.', { at: moment(found.readFrom) })}</p>`}
${found.isNameCut && html`<p class="note">${say('More customers have this name than were looked at. Add another name of theirs, or search by e-mail, CPF or CNPJ.')}</p>`}
${found.areManyNamed && !found.isNameCut && html`<p class="note">${say('Many customers have this name: those {count} are here who bought last. Add another name of theirs.', { count: count(MOST_BUYERS) })}</p>`}`;
  if (found.payments.length + found.subscriptions.length + found.boletos.length === 0)
    return html`${searched}${emptyState(found.isNameCut ? say('None of those that were looked at fits.') : say('Nothing was found.'), advice)}`;
  return html`${searched}
<p class="note">${say('Each way of searching shows at most the newest {count}.', { count: count(MOST_FOUND) })}</p>
${thingSections(found, visit)}`;
}
