import { call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { type Shop, WITHOUT_WORK } from './hostile-service.ts';
import { newPayment } from './sold.ts';

function pixToCharge({ listenerUrl }: Shop, change: Readonly<Record<string, unknown>> = {}) {
  return {
    amount: 14_990,
    // Some of what is tried moves the clock by months.
    expiresInSeconds: 31_536_000,
    payer: { name: 'Ana Souza', documentNumber: '52998224725' },
    description: 'Pedido 1001',
    referenceTransaction: 'PEDIDO-1001',
    urlCallBack: `${listenerUrl}/retorno`,
    ...change,
  };
}

type Charged = { readonly paymentId: string; readonly txid: string; readonly url: string };

async function charged(shop: Shop, change: Readonly<Record<string, unknown>> = {}): Promise<Charged> {
  const body = pixToCharge(shop, change);
  const reply = await call(shop.url, '/v1/payments/pix', { token: shop.tokens.gateway, body });
  if (reply.status !== 200) throw new Error(`the Pix was answered ${reply.status}: ${reply.text}`);
  return reply.body as Charged;
}

/** Under which a payer sees it. */
const knownPageKey = (shop: Shop): Promise<string> =>
  shop.once('pixPage', async () => (await charged(shop)).url.slice(-32));

export const knownTxid = (shop: Shop): Promise<string> =>
  shop.once('txid', async () => (await charged(shop)).txid);

/** The simulated bank has an amount with this end paid by itself. */
const PAID_BY_ITSELF = 12_021;

type Paid = { readonly paymentId: string; readonly endToEndId: string };

/** Of each shop one that is paid, for as long as something is left of it. */
const PAID = new WeakMap<Shop, Paid>();

async function paidPix(shop: Shop): Promise<Paid> {
  const known = PAID.get(shop);
  if (known !== undefined && (await restOf(shop, known)) > 1) return known;
  const { paymentId } = await charged(shop, { amount: PAID_BY_ITSELF });
  const endToEndId = await until('the Pix is paid', async () => {
    const { payments } = await read(shop, paymentId);
    return (payments[0]?.endToEndId as string | undefined) ?? null;
  });
  const paid = { paymentId, endToEndId };
  PAID.set(shop, paid);
  return paid;
}

async function read({ url, tokens }: Shop, paymentId: string) {
  return (await call(url, `/v1/payments/${paymentId}`, { token: tokens.gateway })).body;
}

async function restOf(shop: Shop, { paymentId }: Paid): Promise<number> {
  const { value, canceledAmount, cancelingAmount } = await read(shop, paymentId);
  return value - canceledAmount - cancelingAmount;
}

export const knownEndToEndId = async (shop: Shop): Promise<string> => (await paidPix(shop)).endToEndId;

/** A part of a Pix that is paid, or of a card payment where no Pix can be. */
export async function partToGiveBack(shop: Shop) {
  if (WITHOUT_WORK.has(shop)) {
    const { paymentId } = await newPayment(shop);
    return { parameters: { paymentId }, body: { amount: 1 } };
  }
  const { paymentId, endToEndId } = await paidPix(shop);
  return { parameters: { paymentId }, body: { amount: 1, endToEndId } };
}

/** By both names of a Pix, where one can be paid. */
export async function pixSearch(shop: Shop) {
  const paid = WITHOUT_WORK.has(shop) ? {} : { endToEndId: await knownEndToEndId(shop) };
  return { method: 'pix', status: 'Aguardando', txid: await knownTxid(shop), ...paid };
}

/** Valid requests of the endpoints of Pix, as `RECIPES` has those of all. */
export const PIX_RECIPES = {
  issuePix: [async (shop: Shop) => ({ body: pixToCharge(shop) })],
  showPixPage: [async (shop: Shop) => ({ parameters: { pageKey: await knownPageKey(shop) } })],
  showPixSvg: [async (shop: Shop) => ({ parameters: { pageKey: await knownPageKey(shop) } })],
  showPixPng: [async (shop: Shop) => ({ parameters: { pageKey: await knownPageKey(shop) } })],
};
