import assert from 'node:assert/strict';
import type { Day } from '../../src/values/instant.ts';
import { boletoRequest, inDays } from '../boletos/boleto-service.ts';
import { startListener } from '../kit/listener.ts';
import { call, logIn, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { type TestService, until } from '../kit/service.ts';

/** One of each that the console shows beside payments, by the names in the paths of its pages. */
export type MerchantThings = {
  readonly planId: string;
  readonly subscriptionId: string;
  /** Its issuer lacks funds: it waits for a retry. */
  readonly billingId: string;
  readonly boletoId: string;
  /** Of whoever bought it. */
  readonly boughtId: string;
  readonly linkId: string;
  readonly deliveryId: string;
  /** Of the customer of the subscription. */
  readonly documentNumber: string;
};

const DOCUMENT = '52998224725';

type Called = { readonly url: string; readonly token: string };

async function made(called: Called, path: string, body: object): Promise<string> {
  const reply = await call(called.url, path, { token: called.token, body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as string;
}

/** A subscription whose first charge is declined at once; the amount says by which code. */
export async function subscribe(
  service: Pick<TestService, 'gatewayUrl' | 'demo'>,
  amount: number,
  cardNumber = TEST_CARD,
  name = '<b>Ana</b>',
): Promise<{ readonly planId: string; readonly subscriptionId: string; readonly billingId: string }> {
  const { gatewayUrl: url, demo } = service;
  const { gateway, recurrence } = await demo();
  const [gatewayToken, token] = [await logIn(url, gateway), await logIn(url, recurrence)];
  const card = await call(url, '/v1/vaults/cards', {
    token: gatewayToken,
    body: {
      numberToken: await tokenize(url, gatewayToken, cardNumber),
      brand: 'mastercard',
      cardholderName: 'ANA SOUZA',
      expirationMonth: '12',
      expirationYear: '39',
    },
  });
  assert.equal(card.status, 200, card.text);
  const planId = await made({ url, token }, '/v1/recurrences/plans', {
    name: `Clube de ${amount}`,
    description: 'Um livro por mês',
    amount,
    planType: 'Monthly',
    paymentMethod: 'CreditCard',
    attempts: 4,
  });
  const subscriptionId = await made({ url, token }, '/v1/recurrences/subscriptions', {
    vaultId: card.body.vaultId,
    orderNumber: 'P-1001',
    planId,
    customer: { name, documentNumber: DOCUMENT, email: 'ana@cliente.example' },
  });
  const billingId = await until('its first billing was charged', async () => {
    const { body } = await call(url, `/v1/recurrences/billing?subscriptionId=${subscriptionId}`, { token });
    const id = body.items.at(-1)?.id as string | undefined;
    if (id === undefined) return null;
    const whole = await call(url, `/v1/recurrences/billing/${id}`, { token });
    const last = whole.body.timeline.findLast(({ type }: { type: string }) => type === 'Charged');
    return (last?.outcome ?? null) === null ? null : id;
  });
  return { planId, subscriptionId, billingId };
}

export async function makeThings(
  service: Pick<TestService, 'gatewayUrl' | 'integrationUrl' | 'demo'>,
  /** Of the boleto; absent: by a clock that was never moved. */
  dueDate: Day = inDays(10),
): Promise<MerchantThings> {
  const subscribed = await subscribe(service, 10.51);
  const { gateway, integration, accountNumber } = await service.demo();
  const url = service.integrationUrl;
  const token = await logIn(url, integration, '/api/authentication/login');
  const ofAccount = (path: string) => `${path}?accountNumber=${accountNumber}`;
  const boleto = await call(url, ofAccount('/api/billissuer/new'), {
    token,
    body: boletoRequest({ dueDate }),
  });
  assert.equal(boleto.status, 200, boleto.text);
  const link = await call(service.gatewayUrl, '/v1/paymentlink/new', {
    token: await logIn(service.gatewayUrl, gateway),
    body: { description: 'Um livro', value: 129.9, referenceTransaction: 'P-1001' },
  });
  assert.equal(link.status, 200, link.text);
  const shop = await startListener(200);
  try {
    await call(url, ofAccount('/api/webhooks/subscriptions'), { token, body: { url: shop.url } });
    const sent = await call(url, ofAccount('/api/webhooks/subscriptions/test'), { method: 'POST', token });
    assert.equal(sent.body.delivered, true, sent.text);
    return {
      ...subscribed,
      boletoId: boleto.body.id as string,
      boughtId: boleto.body.id as string,
      linkId: link.body.id as string,
      deliveryId: sent.body.id as string,
      documentNumber: DOCUMENT,
    };
  } finally {
    await shop.close();
  }
}
