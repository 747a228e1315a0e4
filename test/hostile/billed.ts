import assert from 'node:assert/strict';
import { addDays, type Day, isDay } from '../../src/values/instant.ts';
import { call } from '../kit/merchant.ts';
import type { Shop } from './hostile-service.ts';

/** By the shop's clock, which some of what is tried moves. */
async function todayOf({ url, tokens }: Shop): Promise<Day> {
  const { body } = await call(url, '/homologation/clock', { token: tokens.gateway });
  // It is São Paulo's time, without an offset.
  const today = body.now.slice(0, 10);
  assert.ok(isDay(today), today);
  return today;
}

/** A range of due days with those of all these boletos. */
async function dueDays(shop: Shop): Promise<{ readonly startDate: string; readonly endDate: string }> {
  const today = await todayOf(shop);
  return { startDate: today, endDate: addDays(today, 60) };
}

export const PAYER_OF_BOLETO = {
  name: 'Ana Souza',
  documentNumber: '52998224725',
  email: 'ana@cliente.example',
  address: {
    street: 'Rua das Flores',
    number: '100',
    complement: 'Sala 2',
    district: 'Centro',
    city: 'São Paulo',
    state: 'SP',
    zipCode: '01001000',
  },
};

async function boletoToIssue(shop: Shop): Promise<Record<string, unknown>> {
  const { listenerUrl } = shop;
  const dueDate = addDays(await todayOf(shop), 30);
  return {
    value: 149.9,
    dueDate,
    payer: PAYER_OF_BOLETO,
    referenceTransaction: 'PEDIDO-1001',
    instructions: ['Não receber depois do prazo.'],
    fine: { percent: 2 },
    interest: { percentPerMonth: 1 },
    discount: { value: 5, until: addDays(dueDate, -1) },
    daysToExpire: 30,
    urlCallBack: `${listenerUrl}/retorno`,
  };
}

export async function newBoleto(shop: Shop): Promise<string> {
  return (await issued(shop)).id;
}

async function issued(shop: Shop): Promise<{ readonly id: string; readonly url: string }> {
  const path = `/api/billissuer/new?accountNumber=${shop.accountNumber}`;
  const reply = await call(shop.url, path, {
    token: shop.tokens.integration,
    body: await boletoToIssue(shop),
  });
  if (reply.status !== 200) throw new Error(`the boleto was answered ${reply.status}: ${reply.text}`);
  return reply.body as { id: string; url: string };
}

/** Of a boleto that was paid twice. */
export async function unexpectedPayment(shop: Shop): Promise<string> {
  const id = await newBoleto(shop);
  const options = { token: shop.tokens.integration };
  for (let times = 0; times < 2; times += 1) {
    const body = { type: 'paid' };
    await call(shop.url, `/homologation/boletos/${id}/events`, { ...options, body });
  }
  const { payments } = (await call(shop.url, `/api/billissuer/${id}`, options)).body;
  return payments.at(-1).exceptionId;
}

export const knownBoleto = (shop: Shop): Promise<string> => shop.once('boleto', () => newBoleto(shop));

/** Under which a payer sees it. */
const knownPageKey = (shop: Shop): Promise<string> =>
  shop.once('boletoPage', async () => (await issued(shop)).url.slice(-32));

/** Valid requests of the endpoints of boletos, as `RECIPES` has those of all. */
export const BOLETO_RECIPES = {
  issueBoleto: [
    async (shop: Shop) => ({ query: { accountNumber: shop.accountNumber }, body: await boletoToIssue(shop) }),
  ],
  getBoleto: [async (shop: Shop) => ({ parameters: { boletoId: await knownBoleto(shop) } })],
  // Its own: some of what is tried cancels it.
  changeBoletoDueDate: [
    async (shop: Shop) => ({
      parameters: { boletoId: await newBoleto(shop) },
      body: { dueDate: addDays(await todayOf(shop), 40) },
    }),
  ],
  cancelBoleto: [async (shop: Shop) => ({ parameters: { boletoId: await newBoleto(shop) } })],
  listBoletos: [
    async (shop: Shop) => {
      await knownBoleto(shop);
      // A limit goes only with a page, which is left out too.
      const page = { statusBill: '1', page: '1' };
      return { query: { accountNumber: shop.accountNumber, ...(await dueDays(shop)), ...page } };
    },
  ],
  showBoletoPage: [async (shop: Shop) => ({ parameters: { pageKey: await knownPageKey(shop) } })],
  showBoletoPdf: [async (shop: Shop) => ({ parameters: { pageKey: await knownPageKey(shop) } })],
  // Its own: what happens to it happens once.
  forceBoletoEvent: [
    async (shop: Shop) => ({
      parameters: { boletoId: await newBoleto(shop) },
      body: { type: 'paid', amount: 14_990, paidOn: await todayOf(shop) },
    }),
  ],
};
