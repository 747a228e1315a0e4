import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, logIn, paymentRequest, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

let service: TestService;
let token: string;
/** Neither the acquirer nor a load of ours. */
const UNWRITABLE = /o banco de dados do serviço não aceita gravações agora/;

before(async () => {
  service = await openTestService();
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  await service.auditor.query(`create function lack_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
});

after(() => service.close());

/** As on a full disk: whatever is to be written there fails. */
const fill = (table: string) =>
  service.auditor.query(
    `create trigger lack_disk before insert or update on ${table} for each row execute function lack_disk()`,
  );
const free = (table: string) => service.auditor.query(`drop trigger lack_disk on ${table}`);

async function readiness(): Promise<string> {
  const answer = await fetch(new URL('/health/ready', service.gatewayUrl));
  const { reason } = (await answer.json()) as { reason?: string };
  return reason ?? String(answer.status);
}

test('a database that takes no writes is reported by readiness, and requests that write are refused before anything is done', async () => {
  assert.equal(await readiness(), '200');
  const numberToken = await tokenize(service.gatewayUrl, token);
  await fill('service_beats');
  await until('it is not ready', async () => (await readiness()) === 'unwritable');
  const body = paymentRequest(numberToken, 1_000);
  const refused = await call(service.gatewayUrl, '/v1/payments', { token, body });
  assert.equal(refused.status, 503, refused.text);
  assert.match(refused.text, UNWRITABLE);
  assert.notEqual(refused.headers.get('retry-after'), null);
  await free('service_beats');
  await until('it is ready', async () => (await readiness()) === '200');
  const paid = await call(service.gatewayUrl, '/v1/payments', { token, body });
  assert.equal(paid.status, 200, paid.text);
});

test('a write that fails for want of disk answers 503 where the acquirer was not asked', async () => {
  const numberToken = await tokenize(service.gatewayUrl, token);
  const body = paymentRequest(numberToken, 1_000);
  for (const [table, path, sent] of [
    ['card_tokens', '/v1/cards/tokenization', { cardNumber: '5155901222280001' }],
    ['transactions', '/v1/payments', body],
  ] as const) {
    await fill(table);
    const refused = await call(service.gatewayUrl, path, { token, body: sent });
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.text, UNWRITABLE);
    assert.notEqual(refused.headers.get('retry-after'), null);
    assert.equal(await readiness(), 'unwritable');
    await free(table);
    await until('it is ready', async () => (await readiness()) === '200');
  }
  const paid = await call(service.gatewayUrl, '/v1/payments', { token, body });
  assert.equal(paid.status, 200, paid.text);
});
