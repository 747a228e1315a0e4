import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { LIST_PAYMENTS } from '../../payments/status/list-contract.ts';
import { GET_BILLING } from '../../recurrence/billings/contract.ts';
import { GET_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import { isCnpj, isCpf } from '../../values/document-number.ts';
import { isUuid } from '../../values/ids.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { html } from '../parts/html.ts';
import { emptyState } from '../parts/page-parts.ts';
import {
  ALL_ROLES,
  OF_MERCHANT,
  pathOf,
  type Screen,
  screen,
  type Visit,
  withQuery,
} from '../parts/screen.ts';
import { billingPath, subscriptionPath } from '../recurrence/recurrence-paths.ts';
import { type ListedPayment, paymentPath } from './payment-screens.ts';
import { paymentTable } from './payment-view.ts';

/** Of the last four digits: as many days as one search takes. */
const DAYS_OF_LAST_FOUR = 93;
const MOST_FOUND = 20;

/** In which fields of a search a text may stand. */
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
  ];
}

/** A billing or a subscription by its id, and the subscriptions of a document. */
async function elsewhere(text: string, { ask, merchantId }: Visit): Promise<string | null> {
  const documentNumber = text.replaceAll(/[.\-/]/g, '');
  if (isCpf(documentNumber) || isCnpj(documentNumber))
    return withQuery(pathOf(`${OF_MERCHANT}/subscriptions`, { merchantId }), { documentNumber });
  if (!isUuid(text)) return null;
  const billing = await ask(GET_BILLING, { parameters: { billingId: text } });
  if (billing.ok) return billingPath(merchantId, billing.body.id);
  const subscription = await ask(GET_SUBSCRIPTION, { parameters: { subscriptionId: text } });
  return subscription.ok ? subscriptionPath(merchantId, subscription.body.id) : null;
}

/** One box for all that names a payment: an id leads to it, everything else to what fits. */
export const SEARCH_SCREENS: readonly Screen<unknown>[] = [
  screen<unknown, readonly ListedPayment[]>({
    path: `${OF_MERCHANT}/search`,
    roles: ALL_ROLES,
    of: 'merchant',
    title: 'Search',
    async read(visit) {
      const text = visit.query.q ?? '';
      if (text === '' || text.length > 50) return [];
      if (isUuid(text)) {
        const asked = await visit.ask(GET_PAYMENT, { parameters: { paymentId: text } });
        if (asked.ok) return { leadsTo: paymentPath(visit.merchantId, asked.body.paymentId) };
      }
      const leadsTo = await elsewhere(text, visit);
      if (leadsTo !== null) return { leadsTo };
      const found = new Map<string, ListedPayment>();
      for (const query of questionsOf(text, visit)) {
        const asked = await visit.ask(LIST_PAYMENTS, { query: { ...query, limit: String(MOST_FOUND) } });
        for (const one of asked.ok ? asked.body.items : []) found.set(one.paymentId, one);
      }
      const [only] = found.values();
      if (found.size === 1 && only !== undefined)
        return { leadsTo: paymentPath(visit.merchantId, only.paymentId) };
      return [...found.values()];
    },
    view(found, visit) {
      const { say } = visit.wording;
      const searched = html`<p>${say('Searched for {text}', { text: visit.query.q ?? '' })}</p>`;
      if (found.length > 0) return html`${searched}${paymentTable(found, visit)}`;
      return html`${searched}${emptyState(
        say('Nothing was found.'),
        say('Search by payment id, reference, NSU, authorization code, or the last four digits of a card.'),
      )}`;
    },
  }),
];
