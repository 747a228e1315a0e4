import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, logIn } from '../kit/merchant.ts';
import {
  openTestProcess,
  openTestService,
  type RunningService,
  type TestProcess,
  type TestService,
} from '../kit/service.ts';

const PATH = '/.well-known/security.txt';
let named: TestProcess;
let unnamed: TestService;

before(async () => {
  named = await openTestProcess({
    PARCELA_SECURITY_CONTACT: 'https://shop.example/hole, mailto:hole@shop.example',
    PARCELA_SECURITY_EXPIRES: '2001-01-31',
  });
  unnamed = await openTestService({ PARCELA_SECURITY_CONTACT: '', PARCELA_SECURITY_EXPIRES: '' });
});
after(() => Promise.all([named?.close(), unnamed?.close()]));

test('the contact is served to everybody as text, and a day that is past is named at the start', async () => {
  const reply = await fetch(named.gatewayUrl + PATH);
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.deepEqual((await reply.text()).split('\r\n'), [
    'Contact: https://shop.example/hole',
    'Contact: mailto:hole@shop.example',
    'Expires: 2001-01-31T23:59:59Z',
    'Preferred-Languages: pt, en',
    '',
  ]);
  const integration = await fetch(new URL(named.integrationUrl).origin + PATH);
  assert.equal(integration.status, 200);
  assert.ok(named.said.some((line) => line.includes('PARCELA_SECURITY_EXPIRES: 2001-01-31 is past')));
});

test('where nobody is named it is a path like any that does not exist, and is not described', async () => {
  assert.equal((await fetch(unnamed.gatewayUrl + PATH)).status, 401);
  const token = await logIn(unnamed.gatewayUrl, (await unnamed.demo()).gateway);
  const headers = { authorization: `Bearer ${token}` };
  const [asked, unknown] = await Promise.all(
    [PATH, '/.well-known/other.txt'].map((path) => fetch(unnamed.gatewayUrl + path, { headers })),
  );
  assert.equal(asked?.status, 404);
  assert.equal(await asked?.text(), await unknown?.text());
  const described = async ({ gatewayUrl }: RunningService) =>
    Object.keys(((await call(gatewayUrl, '/openapi.json')).body as { paths: object }).paths);
  assert.ok((await described(named)).includes(PATH));
  assert.ok(!(await described(unnamed)).includes(PATH));
});
