import { call } from '../kit/merchant.ts';
import { PAYER_OF_BOLETO } from './billed.ts';
import { newSubscription } from './enrolled.ts';
import { type Shop, strangeAddress } from './hostile-service.ts';
import { encryptedCardOf } from './sold.ts';

type Made = { readonly id: string; readonly url: string };

const linkToCreate = ({ listenerUrl }: Shop) => ({
  description: 'Pedido 1001: um livro',
  value: 129.9,
  qttyInstallments: 3,
  expirationDate: new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10),
  urlCallBack: `${listenerUrl}/retorno`,
  urlReturn: `${listenerUrl}/obrigado`,
  referenceTransaction: 'PEDIDO-1001',
});

export async function newLink(shop: Shop): Promise<Made> {
  const body = linkToCreate(shop);
  const reply = await call(shop.url, '/v1/paymentlink/new', { token: shop.tokens.gateway, body });
  if (reply.status !== 200) throw new Error(`the link was answered ${reply.status}: ${reply.text}`);
  return reply.body as Made;
}

const knownLink = (shop: Shop): Promise<Made> => shop.once('link', () => newLink(shop));

async function newLinkWithPix(shop: Shop): Promise<Made> {
  const link = await newLink(shop);
  const headers = { 'x-forwarded-for': strangeAddress() };
  const { body, text } = await call(shop.url, `/pay/${pageKeyOf(link)}/pix`, { method: 'POST', headers });
  if (body.status !== 'waiting') throw new Error(`the Pix of the link was answered ${text}`);
  return link;
}

const pageKeyOf = ({ url }: Pick<Made, 'url'>) => url.slice(-32);

const pagePathOf = (subscriptionId: string) => `/v1/recurrences/subscriptions/${subscriptionId}/page`;

/** Of a subscription of its own: what is tried there may cancel it. */
export async function newSubscriberPage(shop: Shop): Promise<{ readonly id: string; readonly url: string }> {
  const id = await newSubscription(shop);
  const body = { allowCancel: true };
  const reply = await call(shop.url, pagePathOf(id), { method: 'PUT', token: shop.tokens.recurrence, body });
  if (reply.status !== 200) throw new Error(`the page was answered ${reply.status}: ${reply.text}`);
  return { id, url: reply.body.url };
}

export const SUBSCRIBER_PAGE_RECIPES = {
  putSubscriberPage: [
    async (shop: Shop) => ({
      parameters: { subscriptionId: await newSubscription(shop) },
      body: {
        allowCancel: true,
        expirationDate: new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10),
      },
    }),
  ],
  getSubscriberPage: [
    async (shop: Shop) => ({ parameters: { subscriptionId: (await newSubscriberPage(shop)).id } }),
  ],
  removeSubscriberPage: [
    async (shop: Shop) => ({ parameters: { subscriptionId: (await newSubscriberPage(shop)).id } }),
  ],
  showSubscriberPage: [
    async (shop: Shop) => ({ parameters: { pageKey: pageKeyOf(await newSubscriberPage(shop)) } }),
  ],
  changeCardAtSubscriberPage: [
    async (shop: Shop) => ({
      parameters: { pageKey: pageKeyOf(await newSubscriberPage(shop)) },
      body: {
        encryptedCard: await encryptedCardOf(shop, shop.merchantId, { cardholderName: 'ANA SOUZA' }),
        brand: 'mastercard',
      },
      headers: { 'x-forwarded-for': strangeAddress() },
    }),
  ],
  cancelAtSubscriberPage: [
    async (shop: Shop) => ({
      parameters: { pageKey: pageKeyOf(await newSubscriberPage(shop)) },
      headers: { 'x-forwarded-for': strangeAddress() },
    }),
  ],
};

async function putFields(shop: Shop): Promise<string> {
  const body = { origins: ['https://loja.com.br'] };
  const path = '/v1/cards/fields';
  const reply = await call(shop.url, path, { method: 'PUT', token: shop.tokens.gateway, body });
  if (reply.status !== 200) throw new Error(`the fields were answered ${reply.status}: ${reply.text}`);
  return reply.body.key;
}

const keyOfFields = (shop: Shop) => shop.once('card fields', () => putFields(shop));

export const FIELDS_RECIPES = {
  putCardFields: [async () => ({ body: { origins: ['https://loja.com.br'] } })],
  getCardFields: [
    async (shop: Shop) => {
      await keyOfFields(shop);
      return {};
    },
  ],
  showCardFieldsScript: [async () => ({})],
  showCardFields: [async (shop: Shop) => ({ parameters: { pageKey: await keyOfFields(shop) } })],
  takeCardOfFields: [
    async (shop: Shop) => ({
      parameters: { pageKey: await keyOfFields(shop) },
      body: {
        encryptedCard: await encryptedCardOf(shop, shop.merchantId, { cardholderName: 'ANA SOUZA' }),
        brand: 'mastercard',
      },
      headers: { 'x-forwarded-for': strangeAddress() },
    }),
  ],
};

export const LINK_RECIPES = {
  createPaymentLink: [async (shop: Shop) => ({ body: linkToCreate(shop) })],
  getPaymentLink: [async (shop: Shop) => ({ query: { id: (await knownLink(shop)).id } })],
  listPaymentLinks: [
    async (shop: Shop) => {
      await knownLink(shop);
      return { query: { status: 'Aberto', orderBy: 'createdDate desc', page: '1', limit: '20' } };
    },
  ],
  disablePaymentLink: [
    // Its own: what is disabled stays so.
    async (shop: Shop) => ({ query: { id: (await newLink(shop)).id, reason: 'Venda cancelada' } }),
  ],
  showPaymentLinkPage: [
    async (shop: Shop) => ({ parameters: { pageKey: pageKeyOf(await knownLink(shop)) } }),
  ],
  payLinkByPix: [
    async (shop: Shop) => ({
      parameters: { pageKey: pageKeyOf(await newLink(shop)) },
      headers: { 'x-forwarded-for': strangeAddress() },
    }),
  ],
  payLinkByBoleto: [
    async (shop: Shop) => ({
      parameters: { pageKey: pageKeyOf(await newLink(shop)) },
      body: PAYER_OF_BOLETO,
      headers: { 'x-forwarded-for': strangeAddress() },
    }),
  ],
  takeLinkBillAway: [
    async (shop: Shop) => ({
      parameters: { pageKey: pageKeyOf(await newLinkWithPix(shop)) },
      headers: { 'x-forwarded-for': strangeAddress() },
    }),
  ],
  payLinkByCard: [
    async (shop: Shop) => ({
      parameters: { pageKey: pageKeyOf(await newLink(shop)) },
      body: {
        // The page puts the name inside too: without it no try begins.
        encryptedCard: await encryptedCardOf(shop, shop.merchantId, { cardholderName: 'ANA SOUZA' }),
        installments: 1,
        brand: 'mastercard',
      },
      // Each try is somebody else's: an address may make a few.
      headers: { 'x-forwarded-for': strangeAddress() },
    }),
  ],
};
