import type { Contract } from '../../src/platform/http/endpoint.ts';
import { turnOf } from '../kit/patience.ts';
import { ENDPOINTS } from '../published.ts';
import type { Shop } from './scenario.ts';

/**
 * What people and programs do wrong with cards, at every endpoint there is: a new one is covered by
 * standing in the list. In the proof every mistake at every endpoint; in `npm test` each endpoint takes its
 * turn of each kind of mistake.
 */
export async function makeEveryMistake(shop: Shop, tokens: OtherTokens): Promise<void> {
  for (const [turn, endpoint] of ENDPOINTS.entries()) {
    const token = tokenFor(endpoint, shop, tokens);
    const mistaken = { ...shop, token, endpoint, turn };
    await putInPathsAndQueries(mistaken);
    await putInHeaders(mistaken);
    await sayItToStrangers(mistaken);
    if (endpoint.body === undefined) continue;
    await putInEveryField(mistaken);
    await sendBrokenBodies(mistaken);
  }
  await speakNoHttp(shop);
}

type OtherTokens = { readonly integrationToken: string; readonly tokenToEnd: string };

function tokenFor(
  { id, scope, api }: Contract,
  shop: Shop,
  { integrationToken, tokenToEnd }: OtherTokens,
): string | null {
  if (scope === null) return null;
  // Its own: the first call ends it, and the others are those of a caller that is not known any more.
  if (id === 'logOut') return tokenToEnd;
  if (scope === 'recurrence') return shop.recurrenceToken;
  return api === 'integration' ? integrationToken : shop.token;
}

type Mistaken = Omit<Shop, 'token'> & {
  readonly token: string | null;
  readonly endpoint: Contract;
  readonly turn: number;
};

/** Of so many mistakes of a kind one is made at an endpoint in `npm test`. */
const TURNS = 6;

const UNKNOWN_ID = '01a1fda5-9d1d-70d6-9279-f5283287e1fa';

const pathOf = ({ path }: Contract) => path.replaceAll(/\{\w+\}/g, UNKNOWN_ID);
const urlOf = ({ service }: Mistaken) => service.gatewayUrl;

async function putInPathsAndQueries(mistaken: Mistaken): Promise<void> {
  const { service, caller, endpoint, token, turn } = mistaken;
  const number = service.marks.numbers.wrongPlace;
  const query = Object.keys((endpoint.query as { properties?: object } | undefined)?.properties ?? {});
  const names = [...query, 'card', number];
  const paths = [
    endpoint.path.replaceAll(/\{\w+\}/g, number),
    `${pathOf(endpoint)}/${number}`,
    `${pathOf(endpoint)}?${names.map((name) => `${name}=${number}`).join('&')}`,
    `${pathOf(endpoint)}?card=${number}&card=${number}`,
    `${pathOf(endpoint)}?card=${number}%zz`,
    `/${number}`,
    `/%zz${number}`,
  ];
  const requests = [
    ...paths.map((path) => ({ method: endpoint.method, path })),
    { method: 'PUT', path: `${pathOf(endpoint)}?card=${number}` },
  ];
  for (const request of turnOf(requests, turn, TURNS))
    await caller.ask(urlOf(mistaken), { ...request, token });
}

const HEADERS = [
  'x-request-id',
  'user-agent',
  'referer',
  'accept-language',
  'x-forwarded-for',
  'x-card',
  'cookie',
  'idempotency-key',
  'traceparent',
  'content-encoding',
];

async function putInHeaders(mistaken: Mistaken): Promise<void> {
  const { service, caller, endpoint, token, turn } = mistaken;
  const number = service.marks.numbers.wrongPlace;
  const base = {
    method: endpoint.method,
    path: pathOf(endpoint),
    ...(endpoint.body === undefined ? {} : { raw: '{}' }),
  };
  const requests = [
    ...HEADERS.map((name) => ({ token, headers: { [name]: number } })),
    { token: number },
    { headers: { authorization: `Basic ${btoa(`card:${number}`)}` } },
  ];
  for (const request of turnOf(requests, turn, TURNS))
    await caller.ask(urlOf(mistaken), { ...base, ...request });
}

/** Without a token nothing of the body may matter. */
async function sayItToStrangers({ service, caller, endpoint }: Mistaken): Promise<void> {
  const raw = JSON.stringify({
    cardNumber: service.marks.numbers.malformed,
    securityCode: service.marks.codes[0],
  });
  const body = endpoint.body === undefined ? {} : { raw };
  await caller.ask(service.gatewayUrl, {
    method: endpoint.method,
    path: pathOf(endpoint),
    ...body,
  });
}

type Properties = Record<string, { properties?: Properties }>;

/** The paths of all fields of a body: `cardInfo.brand` as its names. */
function fieldsOf(schema: unknown, above: readonly string[] = []): string[][] {
  const { properties } = schema as { properties?: Properties };
  return Object.entries(properties ?? {}).flatMap(([name, field]) => [
    [...above, name],
    ...fieldsOf(field, [...above, name]),
  ]);
}

function withField(body: unknown, [name = '', ...below]: readonly string[], value: unknown): object {
  const fields = { ...(typeof body === 'object' ? body : {}) } as Record<string, unknown>;
  fields[name] = below.length === 0 ? value : withField(fields[name] ?? {}, below, value);
  return fields;
}

/**
 * Three digits as an amount are an amount, whatever they meant, and are kept and shown as one; so
 * with the names of things.
 */
const KEPT_NUMBERS = ['amount', 'trialDays', 'installments', 'expiresInSeconds'];
const KEPT_TEXTS = [
  'orderNumber',
  'name',
  'description',
  'softDescriptor',
  'sellerInfo,softDescriptor',
  'customer,name',
  'payer,name',
  'referenceTransaction',
];

/**
 * Number and code in the place of every field, as text and as a number, and in fields that nobody knows.
 * The rest is the example of the reference, whose token is nobody's: what is kept of it would have been
 * kept before it was refused.
 */
async function putInEveryField(mistaken: Mistaken): Promise<void> {
  const { service, caller, endpoint, token, turn } = mistaken;
  const number = service.marks.numbers.wrongField;
  const [code = ''] = service.marks.codes;
  // Months of the test clock take minutes: a day proves as much.
  const example =
    endpoint.path === '/homologation/clock' ? { advanceDays: 1 } : (endpoint.bodyExample as object);
  const ask = (body: unknown) =>
    caller.ask(urlOf(mistaken), { method: endpoint.method, path: pathOf(endpoint), token, body });
  for (const [index, field] of fieldsOf(endpoint.body).entries()) {
    const codeAsNumber = KEPT_NUMBERS.includes(field.join()) ? [] : [Number(code)];
    const codeAsText = KEPT_TEXTS.includes(field.join()) ? [] : [code];
    const values = [
      number,
      `ANA ${number.replaceAll(/(\d{4})(?=\d)/g, '$1_')}`,
      Number(number),
      [number],
      { cardNumber: number },
      ...codeAsText,
      ...codeAsNumber,
    ];
    for (const value of turnOf(values, turn + index, TURNS)) await ask(withField(example, field, value));
  }
  const unknown = { cardNumber: number, pan: number, cvv: code, card: { number, cvv: code }, [number]: code };
  await ask({ ...example, ...unknown });
  await ask([number, code]);
  await ask(number);
}

async function sendBrokenBodies(mistaken: Mistaken): Promise<void> {
  const { service, caller, endpoint, token, turn } = mistaken;
  const number = service.marks.numbers.malformed;
  const [code = ''] = service.marks.codes;
  const card = `"cardNumber":"${number}","securityCode":"${code}"`;
  const ask = (
    raw: string | Uint8Array<ArrayBuffer>,
    type = 'application/json',
    more: Record<string, string> = {},
  ) =>
    caller.ask(urlOf(mistaken), {
      method: endpoint.method,
      path: pathOf(endpoint),
      token,
      raw,
      headers: { 'content-type': type, ...more },
    });
  const notUtf8 = Buffer.concat([Buffer.from(`{${card},"x":"`), Buffer.from([0xff]), Buffer.from('"}')]);
  const bodies: Parameters<typeof ask>[] = [
    [`{${card}`],
    [`{${card}}x`],
    [`{${card},${card}}`],
    [`{"${number}":1,"${number}":2}`],
    [`{"a":{"${number}":{"b":1,"b":2}}}`],
    [`{${number}:1}`],
    [`{"x":"${number}\\u0000"}`],
    [`{"${number}\\u0000":1}`],
    [`{"__proto__":"${number}"}`],
    [`{"${number}":"\\ud800"}`],
    [number],
    [`"${number}`],
    [`[${number}`],
    [`${number}.${number}e${code}`],
    [`{${card},"x":"${'y'.repeat(70_000)}"}`],
    [`cardNumber=${number}&securityCode=${code}`, 'application/x-www-form-urlencoded'],
    [`<card>${number}</card>`, 'application/xml'],
    [`{${card}}`, `application/json; charset=${number}`],
    [`{${card}}`, 'application/json', { 'content-encoding': 'gzip' }],
    [new Uint8Array(notUtf8)],
  ];
  for (const body of turnOf(bodies, turn, TURNS)) await ask(...body);
}

async function speakNoHttp({ service, caller, token }: Shop): Promise<void> {
  const url = service.gatewayUrl;
  const number = service.marks.numbers.malformed;
  const [code = ''] = service.marks.codes;
  const card = `{"cardNumber":"${number}","securityCode":"${code}"}`;
  const head = (rest: string) =>
    `POST /v1/cards/tokenization HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${rest}`;
  for (const bytes of [
    `${number} ${card}\r\n\r\n`,
    `GET /${number} HTTP/1.1\r\nHost: x\r\nX ${number}: y\r\n\r\n`,
    head(`Content-Length: ${card.length}\r\nTransfer-Encoding: chunked\r\n\r\n${card}`),
    head(`Content-Length: ${card.length + 10}\r\n\r\n${card}`),
    head(`Transfer-Encoding: chunked\r\n\r\n${card.length.toString(16)}\r\n${card}x`),
    head(`Content-Length: 2\r\n\r\n{}${card}`),
  ])
    await caller.askRaw(url, bytes);
}
