// A shop that sells by Parcela: a book once, at a payment link, and a club by subscription. Its pages stand in pages.js.
import { readFileSync } from 'node:fs';
import { isGenuine } from '#client';
import { clubPage, notificationsPage, orderPage, shelfPage, troublePage } from './pages.js';

const BOOK = { description: 'Memórias Póstumas de Brás Cubas', value: 129.9, qttyInstallments: 3 };
const CLUB = {
  name: 'Clube do Livro da Loja',
  description: 'Um livro por mês',
  amount: 49.9,
  planType: 'Monthly',
  paymentMethod: 'CreditCard',
  attempts: 4,
};
/** Of notifications. A shop of yours keeps them, and its orders, in a database. */
const MOST_KEPT = 100;
/** Where notifications go is asked so seldom, whoever visits. */
const ASKED_ANEW_MILLISECONDS = 15_000;
const CHECK_CARD = 'Confira os dados do cartão.';
const NOT_STORED = 'Este cartão não pode ser guardado outra vez. Use outro cartão.';
const OTHER_CARD = 'O cartão mudou. Confira os dados e envie outra vez.';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const fileAt = (path, type) => ({
  text: readFileSync(new URL(path, import.meta.url), 'utf8'),
  type: `text/${type}; charset=utf-8`,
});
const FILES = {
  '/shop.css': fileAt('browser/shop.css', 'css'),
  '/refresh.js': fileAt('browser/refresh.js', 'javascript'),
  '/club.js': fileAt('browser/club.js', 'javascript'),
};
/** `parcela`: where card fields come from; else empty. */
const policyWith = (parcela) => ({
  'content-security-policy': `default-src 'none'; script-src 'self' ${parcela}; frame-src ${parcela || "'none'"}; style-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
});
const HEADERS = {
  ...policyWith(''),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/**
 * Gives a function from a `Request` to a `Response`. `parcela`: of `openParcela`, with three logins. `publicUrl`: the shop
 * as buyers reach it; `notifyUrl`: its `/notifications` as Parcela reaches it. `secret`: of its notifications, and null at
 * the very first start; `keepSecret` is given the one that is made then. `trial` is what homologation alone has, and else
 * null: `pixPayerUrl`, where somebody pays a Pix, and `consolePayments`, where the console has payments. `report` is given
 * errors.
 */
export function openShop(options) {
  const { parcela, accountNumber, publicUrl, notifyUrl, keepSecret, trial = null, report } = options;
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const shop = { base, trial, book: BOOK, club: CLUB };
  const received = [];
  let { secret } = options;
  let place = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let plan = null;
  let fields = null;

  /** The key is made with the order: the same order makes the same link, however often it is sent. */
  async function buy(form) {
    const order = form.get('order') ?? '';
    if (!UUID.test(order)) return seeOther('/');
    await register();
    const body = { ...BOOK, referenceTransaction: `LIVRO-${order}` };
    const key = { idempotencyKey: `book-${order}` };
    const returning = { ...body, urlReturn: `${publicUrl}/back` };
    const link = await parcela.createPaymentLink({ body: returning }, key).catch((error) => {
      // Nobody is led back to an address of a private network: the buyer goes back by himself.
      if (error.status !== 400 || error.problems[0]?.tag !== 'urlReturn') throw error;
      return parcela.createPaymentLink({ body }, key);
    });
    return seeOther(`/orders/${link.id}`);
  }

  async function showOrder(id, isSigned = null) {
    if (!UUID.test(id)) return missing();
    return page(orderPage(shop, { link: await parcela.getPaymentLink({ id }), isSigned }));
  }

  /** Who comes back brings the result, signed as notifications are. The link says the same, whoever asks. */
  async function comeBack(query) {
    const [linkId, ...rest] = ['linkId', 'status', 'paymentId', 'referenceTransaction'].map(
      (name) => query.get(name) ?? '',
    );
    const headers = {
      'webhook-id': linkId,
      'webhook-timestamp': query.get('timestamp') ?? '',
      'webhook-signature': query.get('signature') ?? '',
    };
    const body = new TextEncoder().encode(rest.join('.'));
    return showOrder(linkId, secret !== null && (await isGenuine({ headers, body, secret })));
  }

  /** Homologation: the Pix that the buyer had made at the link is paid. */
  async function payPix(id) {
    const { referenceTransaction } = await parcela.getPaymentLink({ id });
    const waiting = { method: 'pix', status: 'Aguardando', referenceTransaction, limit: 1 };
    const [found] = (await parcela.listPayments(waiting)).items;
    if (found !== undefined) {
      const { pixEmv: code } = await parcela.getPayment({ paymentId: found.paymentId });
      const headers = { 'content-type': 'application/json' };
      await fetch(`${trial.pixPayerUrl}/simulator/payments`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ code }),
      });
    }
    return seeOther(`/orders/${id}`);
  }

  async function showClub() {
    fields ??= await allowFields();
    const shown = clubPage(shop, crypto.randomUUID(), fields);
    return page(shown, 200, policyWith(new URL(fields.script).origin));
  }

  /** Pages of this shop may hold card fields. Origins that somebody else has named stay. */
  async function allowFields() {
    const { origin } = new URL(publicUrl);
    const found = await parcela.getCardFields().catch(nullAt(404));
    if (found?.origins.includes(origin)) return found;
    return parcela.putCardFields({ body: { origins: [...(found?.origins ?? []), origin] } });
  }

  /** The card comes encrypted and goes into the vault; the shop keeps none. */
  async function subscribe({ order, encryptedCard, brand }) {
    const isWhole = UUID.test(order) && typeof encryptedCard === 'string' && typeof brand === 'string';
    if (!isWhole) return json(400, { message: CHECK_CARD });
    const { vaultId, made, refused } = await storeCard({ encryptedCard, brand }, order);
    if (refused !== undefined) return refused;
    const body = { planId: await clubPlan(), vaultId, orderNumber: orderNumberOf(order) };
    const key = { idempotencyKey: `club-${order}` };
    const subscriptionId = made ?? (await parcela.createSubscription({ body }, key));
    const { url } = await parcela.putSubscriberPage({ subscriptionId, body: { allowCancel: true } });
    return json(200, { url });
  }

  async function storeCard(card, order) {
    try {
      const body = { ...card, verifyCard: true };
      return await parcela.storeVaultCard({ body }, { idempotencyKey: `card-${order}` });
    } catch (error) {
      const { buyerMessage, vaultId } = error.problems?.[0] ?? {};
      if (error.isDecline) return { refused: json(402, { message: buyerMessage }) };
      if (error.status === 400) return { refused: json(402, { message: CHECK_CARD }) };
      // Stored as often as it may be. The copies are no leave to charge it: this code and holder nobody checked.
      if (error.status === 409 && vaultId !== undefined)
        return { refused: json(402, { message: NOT_STORED }) };
      if (error.status !== 422) throw error;
      // The order came with another card before: it may have become a subscription whose answer was lost. If not,
      // the browser makes it anew.
      const { items } = await parcela.listSubscriptions({ orderNumber: orderNumberOf(order) });
      return items.length > 0 ? { made: items[0].id } : { refused: json(409, { message: OTHER_CARD }) };
    }
  }

  /** Made once, and found by its name from then on; by one request while others wait for it. */
  function clubPlan() {
    plan ??= findOrMakePlan().finally(() => {
      plan = null;
    });
    return plan;
  }

  async function findOrMakePlan() {
    const { items } = await parcela.listPlans({ name: CLUB.name, status: 'Active' });
    return items.find(({ name }) => name === CLUB.name)?.id ?? parcela.createPlan({ body: CLUB });
  }

  /** Sees to it that notifications come here. Gives where they go, and null when that could not be asked. */
  function register() {
    if (performance.now() - askedAt < ASKED_ANEW_MILLISECONDS) return place;
    askedAt = performance.now();
    place = registerOnce().catch(report);
    return place;
  }

  /** An address that somebody else registered stays, and one that Parcela does not take gets no secret. */
  async function registerOnce() {
    const registered =
      (await parcela.getWebhook({ accountNumber }).catch(nullAt(404))) ??
      (await parcela.registerWebhook({ accountNumber, body: { url: notifyUrl } }).catch(nullAt(400)));
    if (registered === null) return 'nowhere';
    if (registered.url !== new URL(notifyUrl).href) return 'elsewhere';
    // It is shown once, and each that is made ends the one before the last: a shop of yours has it made by hand.
    if (secret === null) {
      ({ secret } = await parcela.createWebhookSecret({ accountNumber }));
      await keepSecret(secret);
    }
    return 'here';
  }

  /** One may come twice. */
  async function take(request) {
    const body = new Uint8Array(await request.arrayBuffer());
    if (secret === null) await register();
    if (secret === null || !(await isGenuine({ headers: request.headers, body, secret })))
      return json(400, {});
    const told = JSON.parse(new TextDecoder().decode(body));
    if (!received.some(({ movementId }) => movementId === told.movementId))
      received.unshift({ ...told, paymentId: null });
    received.splice(MOST_KEPT);
    return json(200, {});
  }

  /** Notifications name no payment: movements do. */
  async function showNotifications() {
    const where = await register();
    const nameless = received.filter(({ paymentId, type }) => paymentId === null && type !== 'Teste');
    if (nameless.length > 0) {
      const after = Math.min(...nameless.map(({ movementId }) => movementId)) - 1;
      const { items } = await parcela.listMovements({ accountNumber, after, limit: MOST_KEPT });
      for (const one of nameless)
        one.paymentId = items.find(({ movementId }) => movementId === one.movementId)?.paymentId ?? null;
    }
    return page(notificationsPage(shop, { received, where }));
  }

  async function route(request) {
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.slice(base.length) || '/';
    const [, place, id, act] = path.split('/');
    if (request.method === 'POST') {
      if (path === '/orders') return buy(await request.formData().catch(() => new FormData()));
      if (path === '/club') return subscribe((await request.json().catch(() => null)) ?? {});
      if (path === '/notifications') return take(request);
      if (place === 'orders' && UUID.test(id) && act === 'pix' && trial?.pixPayerUrl) return payPix(id);
      return missing();
    }
    if (Object.hasOwn(FILES, path))
      return respond(200, FILES[path].text, { 'content-type': FILES[path].type });
    if (path === '/') return page(shelfPage(shop, crypto.randomUUID()));
    if (path === '/club') return showClub();
    if (path === '/back') return comeBack(searchParams);
    if (path === '/notifications') return showNotifications();
    return place === 'orders' && act === undefined ? showOrder(id ?? '') : missing();
  }

  const missing = () => page(troublePage(shop, 'Esta página não existe.'), 404);
  const seeOther = (path) => respond(303, null, { location: `${base}${path}` });
  return (request) =>
    route(request).catch((error) => {
      if (error.status === 404) return missing();
      report(error);
      // Done or not: the same order asks again with the same key.
      return page(troublePage(shop, 'Não foi possível agora. Tente de novo em um instante.'), 503);
    });
}

const nullAt = (status) => (error) => {
  if (error.status !== status) throw error;
  return null;
};
const orderNumberOf = (order) => order.slice(-10);
const respond = (status, content, headers) =>
  new Response(content, { status, headers: { ...HEADERS, ...headers } });
const page = (content, status = 200, headers = {}) =>
  respond(status, `${content}`, { 'content-type': 'text/html; charset=utf-8', ...headers });
const json = (status, value) =>
  respond(status, JSON.stringify(value), { 'content-type': 'application/json' });
