import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LEFT_OUT } from '../../tools/collection-steps.ts';
import { printCollection } from '../../tools/print.ts';
import { startListener } from '../kit/listener.ts';
import { assertDescribed } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { ENDPOINTS } from '../published.ts';
import { type Collection, type Ran, runCollection } from './collection-run.ts';

let service: TestService;
before(async () => {
  service = await openTestService();
});
after(() => service.close());

function read(language: 'pt' | 'en'): Collection {
  return JSON.parse(printCollection(language)) as Collection;
}

/** What a person copies from demo.json. */
async function given(): Promise<Record<string, string>> {
  const { gatewayUrl, integrationUrl, merchantId, accountNumber, ...logins } = await service.demo();
  const named = Object.entries(logins).flatMap(([scope, { userName, password }]) => [
    [`${scope}UserName`, userName],
    [`${scope}Password`, password],
  ]);
  return { gatewayUrl, integrationUrl, merchantId, accountNumber, ...Object.fromEntries(named) };
}

/** Every request came to its documented success, and every answer is as the contract describes it. */
function assertAllSucceeded(ran: readonly Ran[]): void {
  for (const { name, method, url, status, text, passed, failed } of ran) {
    assert.deepEqual(failed, [], `${name}: ${method} ${url} answered ${status}: ${text.slice(0, 1_000)}`);
    assert.equal(passed.length, 1, name);
    const { pathname } = new URL(url);
    const isJson = text.startsWith('{') || text.startsWith('[') || text.startsWith('"');
    const body = isJson ? JSON.parse(text) : undefined;
    assertDescribed(method, pathname, { status, text, body, headers: new Headers() });
  }
}

test('the collection runs from beginning to end against a fresh service, where nothing listens', async () => {
  const ran = await runCollection(read('pt'), { ...(await given()), webhookUrl: 'http://127.0.0.1:1999/' });
  assertAllSucceeded(ran);
});

test('it runs again on the same service, and a system that listens is notified', async () => {
  const listener = await startListener(200);
  try {
    const ran = await runCollection(read('en'), { ...(await given()), webhookUrl: `${listener.url}/` });
    assertAllSucceeded(ran);
    assert.ok(listener.received.some(({ body }) => body.includes('"newValue":"Autorizada"')));
  } finally {
    await listener.close();
  }
});

test('every operation is in the collection, or is left out for a reason', () => {
  const requests = read('pt').item.flatMap(({ item }) => item);
  const sent = requests.map(({ request: { method, url } }) => {
    const path = url.raw.replace(/^\{\{\w+\}\}/, '').replace(/\?.*/, '');
    return `${method} ${path.replaceAll(/\{\{(\w+)\}\}/g, '{$1}')}`;
  });
  const missing = ENDPOINTS.filter(
    ({ id, method, path }) => !sent.includes(`${method} ${path}`) && !Object.hasOwn(LEFT_OUT, id),
  );
  assert.deepEqual(
    missing.map(({ id }) => id),
    [],
  );
});

test('the collections of both languages differ in texts alone', () => {
  const texts = ['name', 'description'];
  const bare = (language: 'pt' | 'en') =>
    JSON.stringify(read(language), (key, value) => (texts.includes(key) ? undefined : value));
  assert.equal(bare('pt'), bare('en'));
  assert.notDeepEqual(read('pt'), read('en'));
});
