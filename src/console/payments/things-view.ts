import { GET_PAYMENT } from '../../payments/status/contract.ts';
import { LIST_SUBSCRIPTIONS } from '../../recurrence/subscriptions/contract.ts';
import { GET_BOLETO } from '../../transactions/methods/boleto/contract.ts';
import { type Boleto, boletoTable } from '../boletos/boleto-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html } from '../parts/html.ts';
import { section } from '../parts/page-parts.ts';
import type { Visit } from '../parts/screen.ts';
import type { ListedSubscription } from '../recurrence/condition.ts';
import { subscriptionTable } from '../recurrence/subscription-screens.ts';
import { withBuyers } from './buyers-view.ts';
import { paymentTable } from './payment-list-view.ts';
import { MOST_FOUND } from './payment-story.ts';
import type { ShownPayment } from './shown-payment.ts';

export type Things = {
  readonly payments: readonly ShownPayment[];
  readonly subscriptions: readonly ListedSubscription[];
  readonly boletos: readonly Boleto[];
};

export async function readPayments(
  ids: readonly string[],
  visit: Visit,
  tools: MerchantPageTools,
): Promise<ShownPayment[]> {
  const found: ShownPayment[] = [];
  for (const paymentId of ids) {
    const asked = await visit.ask(GET_PAYMENT, { parameters: { paymentId } });
    if (asked.ok) found.push(asked.body);
  }
  return withBuyers(found, visit, tools);
}

export async function readBoletos(ids: readonly string[], { ask }: Visit): Promise<Boleto[]> {
  const found: Boleto[] = [];
  for (const boletoId of ids) {
    const asked = await ask(GET_BOLETO, { parameters: { boletoId } });
    if (asked.ok) found.push(asked.body);
  }
  return found;
}

export async function readSubscriptions(
  query: { readonly documentNumber: string } | { readonly email: string } | { readonly orderNumber: string },
  { ask }: Visit,
): Promise<readonly ListedSubscription[]> {
  const asked = await ask(LIST_SUBSCRIPTIONS, { query: { ...query, limit: String(MOST_FOUND) } });
  return asked.ok ? asked.body.items : [];
}

/** The newest purchases of these CPF or CNPJ. */
export async function thingsOfDocuments(
  documents: readonly string[],
  visit: Visit,
  tools: MerchantPageTools,
): Promise<Things & { readonly vaultIds: readonly string[] }> {
  const { merchantId } = visit;
  const paid = documents.length === 0 ? [] : await tools.findCustomerPayments(merchantId, documents);
  const subscriptions: ListedSubscription[] = [];
  for (const documentNumber of documents)
    subscriptions.push(...(await readSubscriptions({ documentNumber }, visit)));
  const boletoIds = await tools.findBoletos(merchantId, { kind: 'document', texts: documents });
  const vaultIds = [...paid, ...subscriptions].flatMap(({ vaultId }) => vaultId ?? []);
  return {
    payments: await readPayments(
      paid.map(({ paymentId }) => paymentId),
      visit,
      tools,
    ),
    subscriptions: subscriptions.slice(0, MOST_FOUND),
    boletos: await readBoletos(boletoIds, visit),
    vaultIds: [...new Set(vaultIds)].slice(0, MOST_FOUND),
  };
}

export function thingSections({ payments, subscriptions, boletos }: Things, visit: Visit): Html {
  const { say } = visit.wording;
  return html`
${payments.length > 0 && section(say('Payments'), paymentTable(payments, visit))}
${subscriptions.length > 0 && section(say('Subscriptions'), subscriptionTable(subscriptions, visit))}
${boletos.length > 0 && section(say('Boletos'), boletoTable(boletos, visit))}`;
}

export function together(...found: readonly Things[]): Things {
  const once = <One>(all: readonly One[], idOf: (one: One) => string) => [
    ...new Map(all.map((one) => [idOf(one), one])).values(),
  ];
  return {
    payments: once(
      found.flatMap(({ payments }) => payments),
      ({ paymentId }) => paymentId,
    ),
    subscriptions: once(
      found.flatMap(({ subscriptions }) => subscriptions),
      ({ id }) => id,
    ),
    boletos: once(
      found.flatMap(({ boletos }) => boletos),
      ({ id }) => id,
    ),
  };
}
