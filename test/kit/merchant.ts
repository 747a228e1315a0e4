import assert from 'node:assert/strict';
import { randomUUID, webcrypto } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Ajv, type ValidateFunction } from 'ajv';
import type { DemoLogin } from '../../homologation/create-demo-merchant.ts';
import { FAMILY } from '../../src/app/family.ts';
import { printOpenApi } from '../../tools/print.ts';
import { patiently } from './patience.ts';

/** As `Retry-After` says, and how often. */
const BUSY_MILLISECONDS = 1_000;
const BUSY_TRIES = 10;

type ApiDocument = {
  webhooks: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: { $ref: string } } } } } }
  >;
  components: { schemas: Record<string, { properties: object }> };
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        responses: Record<string, { content?: Record<string, { schema: object }> }>;
      }
    >
  >;
};

const document = JSON.parse(printOpenApi()) as ApiDocument;
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ ...document, $id: 'openapi.json' }, 'openapi.json');

/**
 * Compiled once for each answer: a run of a hundred thousand calls must not compile a hundred
 * thousand times.
 */
const validators = new Map<string, ValidateFunction>();

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: it takes values of every shape.
  readonly body: any;
};

export type CallOptions = {
  readonly method?: string;
  readonly token?: string | null;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMilliseconds?: number;
};

/**
 * One call over HTTP. Whatever is answered must be in the published description, in the shape that
 * it says.
 */
export async function call(baseUrl: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const method = options.method ?? (options.body === undefined && options.raw === undefined ? 'GET' : 'POST');
  const headers: Record<string, string> = { ...options.headers };
  if (options.token !== null && options.token !== undefined)
    headers.authorization = `Bearer ${options.token}`;
  const payload = options.raw ?? (options.body === undefined ? null : JSON.stringify(options.body));
  if (payload !== null) headers['content-type'] ??= 'application/json';
  const response = await fetch(baseUrl + path, {
    method,
    headers,
    body: payload,
    redirect: 'manual',
    signal: AbortSignal.timeout(patiently(options.timeoutMilliseconds ?? 30_000)),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const reply = {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
  assertDescribed(method, path, reply);
  return reply;
}

const patterns = new Map<string, RegExp>();

function isPathOf(pattern: string, path: string): boolean {
  const known = patterns.getOrInsertComputed(
    pattern,
    () => new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]*')}$`, 'i'),
  );
  return known.test(path);
}

/** A path can only be one of as many parts: the others are not tried, for this is asked at every call. */
const partsOf = (path: string): number => path.split('/').length;
const PATHS = Map.groupBy(Object.keys(document.paths), partsOf);
const SYNONYMS = Map.groupBy(
  FAMILY.flatMap(({ operation, doors = [] }) => doors.map((door) => ({ ...door, operation }))),
  ({ path }) => partsOf(path),
);
const DESCRIBED = new Map(
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([verb, { operationId }]) => [operationId, { method: verb.toUpperCase(), path }] as const,
    ),
  ),
);

/** Where the description has what is asked: a synonym is answered as the operation that it stands for. */
function describedDoor(method: string, path: string): { readonly method: string; readonly path: string } {
  const doors = SYNONYMS.get(partsOf(path)) ?? [];
  const meant = doors.find((door) => door.method === method && isPathOf(door.path, path));
  return (meant && DESCRIBED.get(meant.operation)) ?? { method, path };
}

/** Throws unless the answer is in the published description, in the shape that it says. */
export function assertDescribed(sentMethod: string, path: string, reply: Reply): void {
  const [sentPath = ''] = path.split('?');
  const { method, path: bare } = describedDoor(sentMethod, sentPath);
  const matching = (PATHS.get(partsOf(bare)) ?? []).filter((pattern) => isPathOf(pattern, bare));
  // A path of words is meant before one with names in it.
  const described = matching.find((pattern) => !pattern.includes('{')) ?? matching[0];
  const isHead = method === 'HEAD';
  const verb = isHead ? 'get' : method.toLowerCase();
  const operation = described === undefined ? undefined : document.paths[described]?.[verb];
  if (described === undefined || operation === undefined) {
    assert.ok(
      [400, 401, 404, 405, 429, 503].includes(reply.status),
      `${method} ${path} answered ${reply.status} undescribed`,
    );
    return;
  }
  const answer = operation.responses[reply.status];
  assert.ok(
    answer !== undefined,
    `${method} ${described} answered ${reply.status}, which is not described: ${reply.text}`,
  );
  const [type = ''] = (reply.headers.get('content-type') ?? '').split(';');
  const isOther = type !== 'application/json' && answer.content?.[type] !== undefined;
  const schema = isOther ? undefined : answer.content?.['application/json']?.schema;
  // An answer to HEAD is that to GET without its body.
  if (schema === undefined || isHead) return;
  const pointer = `/paths/${pointerPart(described)}/${method.toLowerCase()}/responses/${reply.status}/content/application~1json/schema`;
  const validate = validators.getOrInsertComputed(pointer, () =>
    ajv.compile({ $ref: `openapi.json#${pointer}` }),
  );
  assert.ok(
    validate(reply.body),
    `${method} ${described} ${reply.status}: ${ajv.errorsText(validate.errors)}\n${reply.text}`,
  );
}

type MessageId =
  | 'movementNotification'
  | 'paymentCallback'
  | 'boletoCallback'
  | 'failedChargeNotice'
  | 'paidChargeNotice'
  | 'subscriptionNotice'
  | 'upcomingChargeNotice'
  | 'cardExpiringNotice'
  | 'reconciliationException';

/** Throws unless what the service sends is in the published description: exactly the fields that it names. */
export function assertMessageDescribed(id: MessageId, body: Record<string, unknown>): void {
  const pointer = `/webhooks/${id}/post/requestBody/content/application~1json/schema`;
  const validate = validators.getOrInsertComputed(pointer, () =>
    ajv.compile({ $ref: `openapi.json#${pointer}` }),
  );
  const { $ref = '' } = document.webhooks[id]?.post.requestBody.content['application/json'].schema ?? {};
  const fields = document.components.schemas[$ref.replace('#/components/schemas/', '')]?.properties ?? {};
  assert.deepEqual(Object.keys(body), Object.keys(fields), id);
  assert.ok(validate(body), `${id}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`);
}

function pointerPart(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
}

/** Makes a test ready: where a busy machine has no time (503) nothing was done, and it is asked again. */
async function served(ask: () => Promise<Reply>): Promise<Reply> {
  let reply = await ask();
  for (let tries = 1; reply.status === 503 && tries < BUSY_TRIES; tries += 1) {
    await pause(BUSY_MILLISECONDS);
    reply = await ask();
  }
  return reply;
}

export async function logIn(baseUrl: string, login: DemoLogin, path = '/api/auth/token'): Promise<string> {
  const reply = await served(() => call(baseUrl, path, { body: login }));
  assert.equal(reply.status, 200, reply.text);
  return reply.body.accessToken as string;
}

export const TEST_CARD = '5155901222280001';

export async function tokenize(baseUrl: string, token: string, cardNumber = TEST_CARD): Promise<string> {
  const reply = await served(() => call(baseUrl, '/v1/cards/tokenization', { token, body: { cardNumber } }));
  assert.equal(reply.status, 200, reply.text);
  return reply.body[0].numberToken as string;
}

/** A payment request of the usual kind; `change` replaces parts of it. */
export function paymentRequest(numberToken: string, amount: number, change: Record<string, unknown> = {}) {
  return {
    payment: { transactionType: 'credit', amount, productType: 'avista', installments: 1 },
    referenceTransaction: `PEDIDO-${randomUUID().slice(0, 8)}`,
    sellerInfo: { codeAntiFraud: randomUUID() },
    cardInfo: {
      numberToken,
      cardholderName: 'ANA SOUZA',
      securityCode: '123',
      brand: 'mastercard',
      expirationMonth: '12',
      expirationYear: '39',
    },
    ...change,
  };
}

/** Tokenizes and pays in one go. */
export async function pay(
  baseUrl: string,
  token: string,
  amount: number,
  change: Record<string, unknown> = {},
) {
  const request = paymentRequest(await tokenize(baseUrl, token), amount, change);
  return { request, reply: await call(baseUrl, '/v1/payments', { token, body: request }) };
}

/** Encrypts a card as a merchant's page does, with WebCrypto. */
export async function encryptCard(publicKey: string, card: Record<string, string>): Promise<string> {
  const spki = Buffer.from(publicKey, 'base64');
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('spki', spki, algorithm, false, ['encrypt']);
  const plain = new TextEncoder().encode(JSON.stringify(card));
  return Buffer.from(await webcrypto.subtle.encrypt({ name: 'RSA-OAEP' }, key, plain)).toString('base64');
}

/** The CPF that begins with this number. */
export function cpfOf(index: number): string {
  const digits = String(100_000_000 + index);
  const check = (text: string) => {
    const sum = [...text].reduce((total, digit, at) => total + Number(digit) * (text.length + 1 - at), 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = check(digits);
  return `${digits}${first}${check(`${digits}${first}`)}`;
}
