import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { declineFor } from '../../simulators/kit/cards/decline-codes.ts';
import { readDecline } from '../../src/providers/acquirers/issuer-code.ts';
import { CARD_BRANDS } from '../../src/values/card-number.ts';
import { call, paymentRequest, tokenize } from '../kit/merchant.ts';
import { openVaultService, type VaultService } from '../vault/vault-service.ts';

let service: VaultService;
before(async () => {
  service = await openVaultService();
});
after(() => service.close());

const HOUR = 60 * 60 * 1_000;

type Help = { readonly pt: string; readonly en: string };
type Listed = {
  readonly brand: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly retryableByAdvice: boolean;
  readonly meaning: Help;
  readonly buyerMessage: Help;
  readonly merchantMessage: Help;
};

const read = (query = '', token: string | null = service.token()) =>
  call(service.gatewayUrl, `/v1/issuer-codes${query}`, { token });

async function pay(amount: number, options: { headers?: Record<string, string>; card?: string } = {}) {
  const numberToken = await tokenize(service.gatewayUrl, service.token(), options.card);
  const { headers = {} } = options;
  const body = paymentRequest(numberToken, amount);
  return call(service.gatewayUrl, '/v1/payments', { token: service.token(), body, headers });
}

/** The next charge is answered so. */
async function script(step: object): Promise<void> {
  const body = JSON.stringify({ merchantId: service.merchantId, steps: [step] });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${service.simulatorUrl}/script`, { method: 'POST', headers, body });
  assert.equal(reply.status, 200, await reply.text());
}

test('every amount that declines in homologation is explained to buyer and merchant, in both languages', async () => {
  const { status, body, headers } = await read();
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'private, max-age=86400');
  let explained = 0;
  for (let code = 5; code <= 99; code += 1) {
    for (const brand of CARD_BRANDS) {
      const decline = declineFor(String(code).padStart(2, '0'), brand);
      if (decline === null) continue;
      const found = (body.items as Listed[]).find(
        (item) => item.brand === brand && item.code === decline.responseCode,
      );
      assert.ok(found !== undefined, `${brand} ${decline.responseCode}`);
      for (const { pt, en } of [found.meaning, found.buyerMessage, found.merchantMessage]) {
        assert.ok(pt !== '' && en !== '' && pt !== en, `${brand} ${code}`);
      }
      explained += 1;
    }
  }
  assert.ok(explained > 100, String(explained));
});

test('one code of one brand can be asked for, and one of none is an empty list', async () => {
  const { body } = await read('?brand=amex&code=116');
  assert.deepEqual(
    (body.items as Listed[]).map(({ brand, code, retryable }) => [brand, code, retryable]),
    [['amex', '116', true]],
  );
  assert.ok(body.adviceCodes.length > 10);
  assert.deepEqual((await read('?brand=visa&code=ZZ')).body.items, []);
  const [policy] = (await read('?brand=mastercard&code=82')).body.items as Listed[];
  assert.deepEqual([policy?.retryable, policy?.retryableByAdvice], [false, true]);
  assert.equal((await read('?brand=diners')).status, 400);
  assert.equal((await read('', null)).status, 401);
});

test('a decline carries the sentences of the table, in the language that is asked for', async () => {
  const [listed] = (await read('?brand=mastercard&code=51')).body.items as Listed[];
  for (const [language, accept] of [
    ['pt', 'pt-BR'],
    ['en', 'en'],
  ] as const) {
    const reply = await pay(1_051, { headers: { 'accept-language': accept } });
    assert.equal(reply.status, 402, reply.text);
    const [decline] = reply.body;
    assert.equal(decline.description, listed?.meaning[language]);
    assert.equal(decline.buyerMessage, listed?.buyerMessage[language]);
    assert.equal(decline.merchantMessage, listed?.merchantMessage[language]);
    assert.equal(decline.mayRetryAt, null, 'at once');
  }
});

test('an advice to wait names the moment from which another try is possible, on a repetition too', async () => {
  const headers = { 'idempotency-key': 'recusa-com-conselho' };
  const numberToken = await tokenize(service.gatewayUrl, service.token());
  const body = paymentRequest(numberToken, 5_000);
  const payments = () => call(service.gatewayUrl, '/v1/payments', { token: service.token(), body, headers });
  await script({ responseCode: '51', adviceCode: '24' });
  const first = await payments();
  assert.equal(first.status, 402, first.text);
  const [row] = await service.auditor.query('select sold_at from transactions where transaction_id = $1', [
    first.body[0].paymentId,
  ]);
  assert.ok(row?.sold_at instanceof Date);
  assert.equal(Date.parse(first.body[0].mayRetryAt), row.sold_at.getTime() + HOUR);
  assert.match(first.body[0].mayRetryAt, /-03:00$/);
  const again = await payments();
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(again.body, first.body);
});

test("Mastercard's 82 with the advice to come later says so on the wire", async () => {
  await script({ responseCode: '82', adviceCode: '02' });
  const [later] = (await pay(5_000)).body;
  assert.deepEqual([later.tag, later.merchantAdviceCode, later.retryable], ['82', '02', true]);
  assert.ok(later.mayRetryAt !== null);
  assert.equal(later.merchantMessage, readDecline('mastercard', '82', '02').help.merchant.pt);
  await script({ responseCode: '82', adviceCode: null });
  const [final] = (await pay(5_000)).body;
  assert.deepEqual([final.retryable, final.mayRetryAt], [false, null]);
});
