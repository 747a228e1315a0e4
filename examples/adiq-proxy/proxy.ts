import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The dialect of the acquirer Adiq before Parcela: its login, its paths, its wrappers. Nothing is kept, logged or sent
 * twice; what is not named here goes on as it came.
 */

export type ProxyOptions = {
  /** The Gateway API. */
  readonly parcela: string;
  readonly port: number;
  readonly patienceMilliseconds?: number;
};

type Json = Readonly<Record<string, unknown>>;
type Asked = {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Heads;
};
type Heads = Record<string, string>;
type Reply = { readonly status: number; readonly headers: Heads; readonly text: string };
type Ask = (method: string, path: string, body?: Buffer | object, headers?: Heads) => Promise<Reply>;
type Handler = (asked: Asked, ask: Ask, parts: readonly string[]) => Promise<Reply>;

const LOGIN = '/api/auth/token';
const LARGEST_BODY = 64 * 1024;
/** Longer than Parcela takes: it answers first. */
const PATIENCE_MILLISECONDS = 60_000;
const SENT_ON = ['authorization', 'content-type', 'idempotency-key', 'accept-language'];
const BROUGHT_BACK = [
  ...['content-type', 'retry-after', 'www-authenticate'],
  ...['x-payment-id', 'x-request-id', 'idempotent-replayed'],
];
const PRODUCTS: Heads = { parcelado_loja: 'lojista' };
/** Charged or authorized; of what was given back too it is certain that the buyer owed it. */
const STANDS = ['Autorizada', 'Paga', 'Pré-autorizada', 'Bloqueada'];
const CHARGED = [...STANDS, 'Cancelada'];
/** Of several payments under one order, which is shown. */
const SHOWN_FIRST = [STANDS, ['Processando'], ['Cancelada']];

const ROUTES: readonly { readonly method: string; readonly path: RegExp; readonly handle: Handler }[] = [
  { method: 'POST', path: /^\/auth\/oauth2\/v1\/token$/, handle: logIn },
  { method: 'POST', path: /^\/v1\/tokens\/cards$/, handle: tokenize },
  { method: 'POST', path: /^\/v1\/vaults\/cards$/, handle: storeCard },
  { method: 'POST', path: /^\/v[12]\/payments$/, handle: pay },
  { method: 'PUT', path: /^\/v[12]\/payments\/([^/]+)\/capture$/, handle: capture },
  { method: 'PUT', path: /^\/v[12]\/payments\/([^/]+)\/cancel$/, handle: cancel },
  { method: 'GET', path: /^\/v[12]\/payments\/([^/]+)$/, handle: read },
  { method: 'GET', path: /^\/v[12]\/payments\/([^/]+)\/(\d{4})(\d\d)(\d\d)$/, handle: readByOrder },
];

/** The clientId is the userName of a credential, the secret its password. */
async function logIn({ headers }: Asked, ask: Ask): Promise<Reply> {
  const [scheme = '', given = ''] = (headers.authorization ?? '').split(' ');
  const [, userName = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(given, 'base64').toString('utf8')) ?? [];
  if (scheme.toLowerCase() !== 'basic' || userName === '')
    return refusedLogin(401, {}, 'Basic é obrigatório.');
  const reply = await ask('POST', LOGIN, { userName, password }, { authorization: '' });
  const { accessToken, created, expiration, message } = objectOf(reply) ?? {};
  if (reply.status !== 200) return refusedLogin(reply.status, reply.headers, message);
  const expiresIn = Math.floor((Date.parse(`${expiration}`) - Date.parse(`${created}`)) / 1_000);
  return answer(reply, { accessToken, tokenType: 'Bearer', expiresIn, scope: '' });
}

const refusedLogin = (status: number, headers: Heads, message: unknown): Reply =>
  answer({ status, headers, text: '' }, { error: 'invalid_client', errorDescription: message, message });

async function tokenize({ body }: Asked, ask: Ask): Promise<Reply> {
  const reply = await ask('POST', '/v1/cards/tokenization', body);
  return reply.status === 200 ? answer(reply, certain((JSON.parse(reply.text) as Json[])[0])) : reply;
}

async function storeCard({ body }: Asked, ask: Ask): Promise<Reply> {
  const wanted = readWanted(body);
  const stored = await ask(
    'POST',
    '/v1/vaults/cards',
    wanted === null ? body : levelCard(smallNames(wanted)),
  );
  if (stored.status !== 200) return stored;
  const { vaultId } = certain(objectOf(stored), 'vaultId');
  const shown = objectOf(await ask('GET', `/v1/vaults/cards/${vaultId}`)) ?? {};
  return answer(stored, { vaultId, brand: shown.brand, last4: shown.lastFourDigits, status: 'ACTIVE' });
}

async function pay({ body }: Asked, ask: Ask): Promise<Reply> {
  const wanted = readWanted(body);
  if (wanted === null) return ask('POST', '/v1/payments', body);
  const { orderNumber, ...seller } = objectAt(wanted, 'sellerInfo');
  const terms = objectAt(wanted, 'payment');
  const level = {
    ...without(wanted, 'payment', 'cardInfo', 'sellerInfo'),
    payment: {
      ...terms,
      ...('transactionType' in terms && { transactionType: lower(terms.transactionType) }),
      ...('productType' in terms && {
        productType: PRODUCTS[`${terms.productType}`] ?? lower(terms.productType),
      }),
    },
    cardInfo: levelCard(objectAt(wanted, 'cardInfo')),
    ...(orderNumber !== undefined && { referenceTransaction: orderNumber }),
  };
  let { codeAntiFraud } = seller;
  if (codeAntiFraud === undefined || codeAntiFraud === '') {
    // With the caller's key, if there is one: a repetition brings the same code.
    const { ipAddress } = objectAt(wanted, 'customer');
    const session = await ask('POST', '/v1/antifraud/sessions', { ipAddress });
    if (session.status !== 200) return session;
    ({ codeAntiFraud } = certain(objectOf(session), 'codeAntiFraud'));
  }
  const reply = await ask('POST', '/v1/payments', { ...level, sellerInfo: { ...seller, codeAntiFraud } });
  if (reply.status === 200) {
    const paid = certain(objectOf(reply)?.paymentAuthorization);
    return answer(reply, { paymentAuthorization: { ...paid, orderNumber } });
  }
  return {
    ...reply,
    text: reply.text.replaceAll('"tag":"referenceTransaction"', '"tag":"sellerInfo.orderNumber"'),
  };
}

/** Their bodies go on byte by byte: Parcela refuses what does not say clearly how much is meant. */
async function capture({ body }: Asked, ask: Ask, [id]: readonly string[]): Promise<Reply> {
  const reply = await ask('PUT', `/v1/payments/${id}/capture`, body);
  if (reply.status === 200) certain(objectOf(reply)?.captureAuthorization);
  return reply;
}

async function cancel({ body }: Asked, ask: Ask, [id]: readonly string[]): Promise<Reply> {
  const reply = await ask('POST', `/v1/payments/${id}/cancel`, body);
  // 202: the acquirer decides later, and its returnCode says so.
  const isTaken = reply.status === 200 || reply.status === 202;
  return isTaken ? answer(reply, { cancelAuthorization: certain(objectOf(reply), 'returnCode') }) : reply;
}

async function read(_: Asked, ask: Ask, [id]: readonly string[]): Promise<Reply> {
  const reply = await ask('GET', `/v1/payments/${id}`);
  return reply.status === 200 ? answer(reply, shownPayment(certain(objectOf(reply), 'paymentId'))) : reply;
}

/**
 * Of several under one order the one that stands, else the one under way, else the one given back, else the last. A
 * client's day may be that of UTC: a charge that it does not find it makes again, so the days beside it are looked at too.
 * That there is none is certain only 16 seconds after the payment was sent: one under way may still be booked.
 */
async function readByOrder(asked: Asked, ask: Ask, parts: readonly string[]): Promise<Reply> {
  const [given = '', year, month, day] = parts;
  const order = decoded(given);
  if (order === null) {
    const malformed = { tag: 'orderNumber', description: 'Número de pedido inválido.' };
    return answer({ status: 400, headers: {}, text: '' }, [malformed]);
  }
  const beside = (days: number) =>
    new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) + days)).toISOString().slice(0, 10);
  const range = `dateRangeStartDate=${beside(-1)}&dateRangeEndDate=${beside(1)}&method=card&limit=100`;
  const reply = await ask('GET', `/v1/payments?referenceTransaction=${encodeURIComponent(order)}&${range}`);
  if (reply.status !== 200) return reply;
  const { items } = certain(objectOf(reply), 'items') as { readonly items: readonly Json[] };
  const ofState = (words: readonly string[]) =>
    items.find(({ statusDescription }) => words.includes(`${statusDescription}`));
  const found = SHOWN_FIRST.map(ofState).find((one) => one !== undefined) ?? items[0];
  if (found !== undefined) return read(asked, ask, [`${found.paymentId}`]);
  const none = { tag: '__general__', description: 'Pagamento não encontrado.' };
  return answer({ ...reply, status: 404 }, [none]);
}

function shownPayment(payment: Json): Json {
  const { statusDescription, referenceTransaction: orderNumber, value: amount } = payment;
  // Neither of what is under way nor of what was undone may a caller read that it is paid.
  const returnCode = CHARGED.includes(`${statusDescription}`) ? '0' : (payment.returnCode ?? null);
  return { ...payment, paymentAuthorization: { ...payment, orderNumber, amount, returnCode } };
}

function levelCard(card: Json): Json {
  const { brand, securityCode: code } = card;
  return {
    ...card,
    ...(brand !== undefined && { brand: lower(brand) }),
    ...(typeof code === 'number' && { securityCode: `${code}`.padStart(3, '0') }),
  };
}

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

/** Names may begin with a capital letter, as Parcela takes them too. */
const small = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

function objectAt(whole: Json, name: string): Json {
  const value = Object.entries(whole).find(([key]) => small(key) === name)?.[1];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return smallNames(value as Json);
}

const smallNames = (value: Json): Json =>
  Object.fromEntries(Object.entries(value).map(([key, inside]) => [small(key), inside]));

function hasTwins(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(value).map(small);
  return new Set(names).size < names.length || Object.values(value).some(hasTwins);
}

const without = (whole: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => !names.includes(small(key))));

/** Null: it goes on as it came. A name that stands twice, or in both spellings, is Parcela's to refuse. */
function readWanted(body: Buffer): Json | null {
  const wanted = readObject(body);
  if (wanted === null || hasTwins(wanted)) return null;
  const strings = body.toString('utf8').match(/"(?:[^"\\]|\\.)*"(?:\s*:)?/gs) ?? [];
  return strings.filter((one) => one.endsWith(':')).length === countNames(wanted) ? wanted : null;
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, inside) => sum + countNames(inside), own);
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

function readObject(body: Buffer): Json | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

/** A page of something between, with the status of a success, is no answer. */
function certain(value: unknown, name?: string): Json {
  if (typeof value !== 'object' || value === null) throw new Error('no answer of the API');
  if (name !== undefined && !(name in value)) throw new Error('no answer of the API');
  return value as Json;
}

const objectOf = ({ text }: Reply): Json | null => readObject(Buffer.from(text));

const answer = ({ status, headers }: Reply, body: object): Reply => ({
  ...{ status, headers: { ...headers, 'content-type': 'application/json' }, text: JSON.stringify(body) },
});

function picked(names: readonly string[], headers: { get(name: string): string | null | undefined }): Heads {
  return Object.fromEntries(
    names.flatMap((name) => (headers.get(name) ? [[name, `${headers.get(name)}`]] : [])),
  );
}

async function handle(
  request: IncomingMessage,
  { parcela, patienceMilliseconds }: ProxyOptions,
): Promise<Reply> {
  const method = request.method ?? 'GET';
  const url = request.url ?? '/';
  const sent = picked(SENT_ON, { get: (name) => request.headers[name]?.toString() });
  const body = await readBody(request);
  if (body === null)
    return answer({ status: 413, headers: {}, text: '' }, [{ tag: '', description: '64 KiB' }]);
  const signal = AbortSignal.timeout(patienceMilliseconds ?? PATIENCE_MILLISECONDS);
  const send: Ask = async (way, path, given, own = {}) => {
    const isBytes = Buffer.isBuffer(given);
    const content = isBytes || given === undefined ? given : JSON.stringify(given);
    const headers: Heads = { ...sent, ...(isBytes ? {} : { 'content-type': 'application/json' }), ...own };
    if (headers.authorization === '') delete headers.authorization;
    const hasBody = content !== undefined && content.length > 0;
    const wanted = {
      method: way,
      headers,
      signal,
      redirect: 'error',
      ...(hasBody && { body: content }),
    } as const;
    const answered = await fetch(`${parcela}${path}`, wanted);
    const { status } = answered;
    const text = await answered.text();
    // Errors of the API are lists. A page or JSON of something between says nothing of what was done.
    const isRefused = status >= 400 && status !== 401 && path !== LOGIN;
    if (isRefused && !text.startsWith('[')) throw new Error('no answer of the API');
    return { status, headers: picked(BROUGHT_BACK, answered.headers), text };
  };
  const ask: Ask = async (...asked) => {
    const reply = await send(...asked);
    if (reply.status < 300 && !/^\s*[[{]/.test(reply.text)) throw new Error('no answer of the API');
    return reply;
  };
  const path = (url.split('?')[0] as string).replace(/\/$/, '');
  const asked = { method, path, body, headers: sent };
  for (const route of ROUTES) {
    const parts = route.method === method ? route.path.exec(path) : null;
    if (parts !== null) return route.handle(asked, ask, parts.slice(1));
  }
  return send(method, url.replace(/^\/v1\/recurrence\//, '/v1/recurrences/'), body);
}

/** Null: it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length <= LARGEST_BODY) parts.push(part);
  }
  return length > LARGEST_BODY ? null : Buffer.concat(parts);
}

function respond(response: ServerResponse, { status, headers, text }: Reply): void {
  response.writeHead(status, headers).end(text);
}

export async function openProxy(
  options: ProxyOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    handle(request, options).then(
      (reply) => respond(response, reply),
      // What became of it is not known here. An error of ours would say that nothing was done.
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (import.meta.main) {
  const { PARCELA_URL = 'http://127.0.0.1:8080', PORT = '8090' } = process.env;
  const proxy = await openProxy({ parcela: PARCELA_URL, port: Number(PORT) });
  process.stdout.write(`${proxy.url} speaks for ${PARCELA_URL}\n`);
}
