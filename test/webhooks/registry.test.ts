import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, type Reply } from '../kit/merchant.ts';
import {
  type EndpointsService,
  openEndpointsService,
  readRegistration,
  register,
  remove,
  URL_OF_SHOP,
} from './endpoints-service.ts';

/** All kinds of addresses stand in one registry: what one of them is changes nothing of another. */

const CALLBACK_URL = 'http://127.0.0.1:49152/conciliacao?chave=1';

let service: EndpointsService;
before(async () => {
  service = await openEndpointsService();
});
after(() => service.close());

function askNotifier(method?: 'DELETE', callbackUrl?: string): Promise<Reply> {
  const { integrationUrl, token, accountNumber } = service;
  const path = `/api/reconciliation/notifier?accountNumber=${accountNumber}`;
  const body = callbackUrl === undefined ? {} : { body: { callbackUrl } };
  return call(integrationUrl, path, { token, ...(method && { method }), ...body });
}

test('an account has a webhook and a notifier of exceptions, each removed and registered again by itself', async () => {
  assert.equal((await askNotifier()).status, 404);
  assert.equal((await askNotifier('DELETE')).status, 404);
  const registered = await askNotifier(undefined, CALLBACK_URL);
  assert.deepEqual([registered.status, registered.body], [200, { callbackUrl: CALLBACK_URL }]);
  assert.equal((await register(service)).status, 200);
  assert.deepEqual((await askNotifier('DELETE')).body, { callbackUrl: CALLBACK_URL });
  assert.equal((await askNotifier()).status, 404);
  assert.deepEqual((await readRegistration(service)).body, { url: URL_OF_SHOP });
  const other = 'http://127.0.0.1:49153/outra';
  assert.equal((await askNotifier(undefined, other)).status, 200);
  assert.equal((await remove(service)).status, 200);
  assert.deepEqual((await askNotifier()).body, { callbackUrl: other });
  const changes = await service.auditor.query(
    `select action, detail from audit_entries where resource like '%/exception-notifier' order by entry_number`,
  );
  assert.deepEqual(
    changes.map(({ action, detail }) => [action, JSON.parse(String(detail))]),
    [
      ['exceptionNotifier.register', { 'server.old': 'none', 'server.new': 'http://127.0.0.1:49152' }],
      ['exceptionNotifier.remove', { 'server.old': 'http://127.0.0.1:49152', 'server.new': 'none' }],
      ['exceptionNotifier.register', { 'server.old': 'none', 'server.new': 'http://127.0.0.1:49153' }],
    ],
  );
});

test('the server behind an address has its row in the same commit: what is sent there does not wait for ever', async () => {
  const rows = await service.auditor.query(
    `select e.server, o.kind, o.created_by from webhook_endpoints e
     join webhook_endpoints o on o.merchant_id = e.merchant_id and o.endpoint = e.server where e.kind = 'exceptions'`,
  );
  assert.deepEqual(rows, [
    { server: 'origin:http://127.0.0.1:49153', kind: 'callback', created_by: 'system' },
  ]);
});

test('an address to which nothing may be sent is refused under the name of its own field', async () => {
  for (const callbackUrl of ['ftp://loja.example/', 'http://10.0.0.1/', 7]) {
    const reply = await askNotifier(undefined, callbackUrl as string);
    assert.deepEqual([reply.status, reply.body[0].tag], [400, 'callbackUrl'], String(callbackUrl));
  }
});
