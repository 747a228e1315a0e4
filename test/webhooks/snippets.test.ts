import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { signMessage } from '../../src/webhooks/posting/sign-message.ts';
import { call } from '../kit/merchant.ts';
import { patiently } from '../kit/patience.ts';
import { until } from '../kit/service.ts';
import { type NotifiedService, openNotifiedService } from './notified-service.ts';
import {
  interpreterOf,
  SNIPPETS,
  SNIPPETS_FOLDER,
  type Snippet,
  type SnippetEndpoint,
  startSnippet,
  verdictsOf,
} from './snippet-endpoints.ts';
import { secretText, snippetVectors, VECTORS_FILE, vectorsText } from './snippet-vectors.ts';

const textOf = (file: string): string => readFileSync(join(SNIPPETS_FOLDER, file), 'utf8');
const PROVEN = 'proven.json';

test('the page on webhooks leads to each endpoint', () => {
  const page = readFileSync(join(SNIPPETS_FOLDER, '../webhooks.md'), 'utf8');
  for (const file of SNIPPETS_ON_PAGE) assert.ok(page.includes(`(webhook-snippets/${file})`), file);
});

const SNIPPETS_ON_PAGE = ['receive-webhook.ts', 'receive-webhook.php', 'receive_webhook.py'];

test('no file of the endpoints is left out of the tests', () => {
  const known = [...SNIPPETS_ON_PAGE, PROVEN, 'vectors.json'];
  assert.deepEqual(readdirSync(SNIPPETS_FOLDER).sort(), known.sort());
});

test('the vectors are what our own signing makes, and the public library judges them as they say', () => {
  assert.equal(readFileSync(VECTORS_FILE, 'utf8'), vectorsText(), 'node test/webhooks/snippet-vectors.ts');
  const { now, vectors } = snippetVectors();
  mock.timers.enable({ apis: ['Date'], now: now * 1_000 });
  try {
    for (const { name, secret, headers, body, isGenuine } of vectors) {
      // The library reads as much of a time as is a number; an endpoint of ours is stricter.
      if (name === 'the time is no number') continue;
      const verify = () => new Webhook(secret).verify(body, { ...headers });
      if (isGenuine) assert.deepEqual(verify(), JSON.parse(body), name);
      else assert.throws(verify, name);
    }
  } finally {
    mock.timers.reset();
  }
});

/**
 * A machine need not have Python and PHP. So it is written down which text of each endpoint these tests
 * have run, and on what: one that was changed since cannot pass unnoticed where its interpreter is missing.
 */
test('each endpoint is the very text that these tests have run', () => {
  const proven = JSON.parse(textOf(PROVEN)) as Record<string, { sha256: string; on: string }>;
  for (const { file, language } of SNIPPETS) {
    const sha256 = createHash('sha256').update(textOf(file)).digest('hex');
    assert.equal(
      proven[file]?.sha256,
      sha256,
      `run these tests where ${language} is, then write this into ${PROVEN}`,
    );
    assert.ok((proven[file]?.on ?? '').length > 0);
  }
});

const NOTIFICATION = {
  movementId: 1,
  nsu: '1000000042',
  codAuth: 'A1B2C3',
  installmentNumber: 1,
  moment: '2026-11-21T10:00:00.123-03:00',
  type: 'Autorizacao',
  oldValue: '',
  newValue: 'Autorizada',
};

type Message = { readonly headers: Record<string, string>; readonly body: string };

/** As the service would send it; `change` replaces parts of it. */
function message(
  secrets: readonly Buffer[],
  change: Partial<typeof NOTIFICATION>,
  { id = `id-${change.movementId}`, secondsAgo = 0 } = {},
): Message {
  const body = JSON.stringify({ ...NOTIFICATION, ...change });
  return { headers: signMessage(secrets, id, Date.now() / 1_000 - secondsAgo, body), body };
}

async function post({ url }: SnippetEndpoint, { headers, body }: Message): Promise<number> {
  const sent = { ...headers, 'content-type': 'application/json; charset=utf-8' };
  const response = await fetch(url, {
    method: 'POST',
    headers: sent,
    body,
    signal: AbortSignal.timeout(patiently(30_000)),
  });
  await response.arrayBuffer();
  return response.status;
}

let service: NotifiedService;
let folder: string;
before(async () => {
  service = await openNotifiedService();
  folder = await mkdtemp(join(tmpdir(), 'parcela-snippets-'));
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const found = await Promise.all(
  SNIPPETS.map(async (snippet) => ({ snippet, interpreter: await interpreterOf(snippet) })),
);
for (const { snippet, interpreter } of found) {
  if (interpreter !== null)
    describe(`the endpoint in ${snippet.language}, on ${interpreter},`, () => proveSnippet(snippet));
}

test('the endpoint in TypeScript is run wherever these tests are', () => {
  assert.equal(found[0]?.snippet.language, 'TypeScript');
  assert.ok(found[0].interpreter !== null);
});

function proveSnippet(snippet: Snippet): void {
  const [secret, former, other] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
  let endpoint: SnippetEndpoint;
  before(async () => {
    endpoint = await startSnippet(snippet, secretText(secret), folder);
  });
  after(() => endpoint.stop());

  test('says of every vector what it should', async () => {
    assert.deepEqual(
      await verdictsOf(snippet),
      snippetVectors().vectors.map(({ isGenuine }) => isGenuine),
    );
  });

  test('takes what is signed with its secret, also beside another one, and four minutes late', async () => {
    const nsu = 'taken';
    assert.equal(await post(endpoint, message([secret], { nsu, movementId: 11 })), 200);
    const beside = message([other, secret], { nsu, movementId: 12, installmentNumber: 2 });
    assert.equal(await post(endpoint, beside), 200);
    const late = message([secret], { nsu, movementId: 13, installmentNumber: 3 }, { secondsAgo: 240 });
    assert.equal(await post(endpoint, late), 200);
    assert.deepEqual(
      endpoint.installments(nsu).map(({ number, status }) => [number, status]),
      [1, 2, 3].map((number) => [number, 'Autorizada']),
    );
  });

  test('refuses another signature, an old time and a changed body, and does nothing about them', async () => {
    const nsu = 'refused';
    const before = endpoint.movementCount();
    const good = message([secret], { nsu, movementId: 21 });
    const { 'webhook-signature': _, ...unsigned } = good.headers;
    const wrong: Message[] = [
      message([other, former], { nsu, movementId: 22 }),
      message([], { nsu, movementId: 23 }),
      message([secret], { nsu, movementId: 24 }, { secondsAgo: 330 }),
      message([secret], { nsu, movementId: 25 }, { secondsAgo: -330 }),
      { ...good, body: good.body.replace('Autorizada', 'Cancelada') },
      { ...good, headers: { ...good.headers, 'webhook-id': 'id-99' } },
      { ...good, headers: unsigned },
      { ...good, body: '' },
    ];
    for (const one of wrong) assert.equal(await post(endpoint, one), 400, JSON.stringify(one).slice(0, 500));
    // Too long to be ours: an endpoint may answer before it has read it, and break the connection.
    const long = message([secret], { nsu, movementId: 26, codAuth: 'x'.repeat(70_000) });
    assert.equal(await post(endpoint, long).catch(() => 400), 400);
    assert.deepEqual(endpoint.installments(nsu), []);
    assert.equal(endpoint.movementCount(), before);
    assert.equal(await post(endpoint, good), 200);
  });

  test('acts once on a movement, however often and under whatever id it comes', async () => {
    const nsu = 'repeated';
    const first = message([secret], { nsu, movementId: 31 });
    assert.equal(await post(endpoint, first), 200);
    const again = [first, first, message([secret], { nsu, movementId: 31 }, { id: 'another' })];
    assert.deepEqual(await Promise.all(again.map((one) => post(endpoint, one))), [200, 200, 200]);
    const known = { nsu, number: 1, status: 'Autorizada', movement_id: 31, changes: 1 };
    assert.deepEqual(endpoint.installments(nsu), [known]);
  });

  test('is not put back by an older movement that was sent again late', async () => {
    const nsu = 'late';
    const paid = { type: 'Pagamento', oldValue: 'Autorizada', newValue: 'Paga' };
    assert.equal(await post(endpoint, message([secret], { nsu, movementId: 42, ...paid })), 200);
    assert.equal(await post(endpoint, message([secret], { nsu, movementId: 41 })), 200);
    assert.equal(endpoint.installments(nsu)[0]?.status, 'Paga');
  });

  test('takes a test without doing anything, and refuses what is no notification', async () => {
    const before = endpoint.movementCount();
    const trial = {
      movementId: 51,
      nsu: '0',
      codAuth: '',
      installmentNumber: 0,
      type: 'Teste',
      newValue: '',
    };
    assert.equal(await post(endpoint, message([secret], trial)), 200);
    const body = JSON.stringify({
      Value: 1.5,
      ResultId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
      Status: '0',
    });
    const headers = signMessage([secret], 'id-52', Date.now() / 1_000, body);
    assert.equal(await post(endpoint, { headers, body }), 400);
    assert.equal(endpoint.movementCount(), before);
  });

  test('learns from the service of a payment and of its cancel, with a new secret and through the next one', () =>
    notifiedService(snippet));
}

/**
 * As the page describes it: make a secret, start the endpoint, register it, try it, sell, and
 * change the secret.
 */
async function notifiedService(snippet: Snippet): Promise<void> {
  const { accountNumber, integrationUrl, integrationToken: token } = service;
  const ask = async (path: string, body?: object) => {
    const options = { token, method: 'POST', ...(body && { body }) };
    const reply = await call(integrationUrl, `/api/webhooks/${path}?accountNumber=${accountNumber}`, options);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const { secret } = await ask('secret');
  const endpoint = await startSnippet(snippet, secret, folder);
  try {
    await ask('subscriptions', { url: endpoint.url });
    assert.partialDeepStrictEqual(await ask('subscriptions/test'), { delivered: true, status: 200 });
    const { reply, paymentId } = await service.sell(10_000, 2);
    const { nsu } = reply.body.paymentAuthorization;
    const states = () => endpoint.installments(nsu).map(({ status, changes }) => `${status} ${changes}`);
    const received = async (...wanted: string[]) => {
      await until(`it heard ${wanted}`, async () => `${states()}` === `${wanted}`);
    };
    await received('Autorizada 1', 'Autorizada 1');
    await ask('secret');
    await service.cancel(paymentId);
    await received('Cancelada 2', 'Cancelada 2');
    await ask('secret');
    assert.partialDeepStrictEqual(await ask('subscriptions/test'), { delivered: false, status: 400 });
  } finally {
    await endpoint.stop();
  }
}
