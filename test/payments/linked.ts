import assert from 'node:assert/strict';
import { type CallOptions, call, encryptCard, TEST_CARD } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';

export type Link = { readonly id: string; readonly page: string };

/** As a script of a page encrypts it, with what the page was given. */
export async function cardTypedAt(url: string, page: string): Promise<string> {
  const { text } = await call(url, page);
  const given = JSON.parse(
    /<script type="application\/json" id="given">(.*?)<\/script>/.exec(text)?.[1] ?? '',
  );
  return encryptCard(given.key, {
    cardNumber: TEST_CARD,
    cardholderName: 'ANA SOUZA',
    expirationMonth: '12',
    expirationYear: '39',
    securityCode: '123',
    merchantId: given.merchantId,
    createdAt: given.now,
  });
}

/** Links of a shop, and what buyers do at their pages. `token`: of the Gateway API. */
export function linksOf(shop: { readonly url: string; readonly token: string }) {
  const api = (path: string, options: CallOptions = {}) =>
    call(shop.url, `/v1/paymentlink/${path}`, { token: shop.token, ...options });
  const read = async ({ id }: Link) => (await api(`information?id=${id}`)).body;
  const show = async ({ page }: Link) => (await call(shop.url, page)).text;
  const post = (link: Link, way: string, body?: object) =>
    call(shop.url, `${link.page}/${way}`, { method: 'POST', ...(body && { body }) });
  return {
    api,
    read,
    show,
    post,
    async newLink(change: object = {}): Promise<Link> {
      const body = { description: 'Um livro', value: 149.9, referenceTransaction: 'PEDIDO-1001', ...change };
      const reply = await api('new', { body });
      assert.equal(reply.status, 200, reply.text);
      return { id: reply.body.id, page: new URL(reply.body.url).pathname };
    },
    async byCard(link: Link) {
      return post(link, 'card', { encryptedCard: await cardTypedAt(shop.url, link.page), installments: 1 });
    },
    untilLink: (link: Link, status: string) =>
      until(`the link is ${status}`, async () => {
        const found = await read(link);
        return found.status === status ? found : null;
      }),
  };
}
