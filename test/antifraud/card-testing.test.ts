import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TRIGGER_CARDS } from '../../simulators/kit/cards/trigger-cards.ts';
import { PRODUCTION_RULES } from '../../src/antifraud/velocity.ts';
import { isCardNumber } from '../../src/values/card-number.ts';
import { call, type Reply, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  askedOf,
  BESIDE,
  countOf,
  openVaultService,
  paymentBy,
  store,
  storeBy,
  storedId,
  type VaultService,
} from '../vault/vault-service.ts';

let service: VaultService;
before(async () => {
  service = await openVaultService({ PARCELA_ANTIFRAUD_RULES: PRODUCTION_RULES });
});
after(() => service.close());

const tagsOf = (reply: Reply) => reply.body.map(({ tag }: { tag: string }) => tag);
const verified = { verifyCard: true };
const codeOf = (index: number) => String(index % 1_000).padStart(3, '0');

/** So many different numbers of Mastercard, that no other test uses; `start`: 8 digits. */
function numbersFrom(start: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => numberOf(start + String(index).padStart(7, '0')));
}

function numberOf(digits: string): string {
  return digits + [...'0123456789'].find((last) => isCardNumber(digits + last));
}

async function untilAlarm(words: string): Promise<void> {
  await until(`the log has an error that says "${words}"`, async () =>
    service.log.some((line) => line.includes(words) && line.includes('error')),
  );
}

async function clearEvents(): Promise<void> {
  await service.auditor.query('delete from velocity_events', []);
}

test('of many security codes of one card only a few reach the acquirer, and an alarm is raised', async () => {
  await clearEvents();
  const [number = ''] = numbersFrom('51550001', 1);
  const since = service.bridge.asked.length;
  const statuses: number[] = [];
  for (let code = 0; code < 40; code += 1) {
    const reply = await store(service, { ...verified, securityCode: codeOf(code) }, number);
    statuses.push(reply.status);
    if (reply.status !== 200) {
      assert.equal(reply.status, 402, reply.text);
      assert.deepEqual(tagsOf(reply), ['antifraud']);
    }
  }
  const asked = askedOf(service, '/verifications', since);
  assert.ok(asked.length <= 10, `${asked.length} codes were asked`);
  assert.equal(statuses.filter((status) => status === 200).length, asked.length);
  await until('the alarm is in the audit log', async () => {
    const text = "select count(*) from audit_entries where action = 'card.test'";
    return (await countOf(service, text)) > 0;
  });
  await untilAlarm('guessing its security code');
  const metrics = await (await fetch(service.metricsUrl)).text();
  assert.match(metrics, /parcela_card_testing_tries_total\{kind="codes"\} [1-9]/);
});

test('of codes that come all at once, at two processes, no more reach the acquirer than one after the other', async () => {
  await clearEvents();
  const beside = await service.startBeside();
  try {
    const [number = ''] = numbersFrom('51550002', 1);
    const tokens = await Promise.all(
      Array.from({ length: 40 }, () => tokenize(service.gatewayUrl, service.token(), number)),
    );
    const since = service.bridge.asked.length;
    const replies = await Promise.all(
      tokens.map((numberToken, index) =>
        call(index % 2 === 0 ? service.gatewayUrl : beside.gatewayUrl, '/v1/vaults/cards', {
          token: service.token(),
          body: { numberToken, ...BESIDE, ...verified, securityCode: codeOf(index) },
        }),
      ),
    );
    const asked = askedOf(service, '/verifications', since);
    assert.ok(asked.length <= 10, `${asked.length} codes were asked at once`);
    assert.ok(replies.some(({ status }) => status === 402));
  } finally {
    await beside.stop();
  }
});

test('a verification counts for the payments of its card, and a payment for its verification', async () => {
  await clearEvents();
  const [number = ''] = numbersFrom('51550003', 1);
  for (let index = 0; index < 5; index += 1) {
    assert.equal((await store(service, { ...verified, securityCode: '123' }, number)).status, 200);
    const numberToken = await tokenize(service.gatewayUrl, service.token(), number);
    const body = paymentBy({ numberToken, ...BESIDE });
    const reply = await call(service.gatewayUrl, '/v1/payments', { token: service.token(), body });
    assert.equal(reply.status, 200, reply.text);
  }
  const last = await store(service, { ...verified, securityCode: '123' }, number);
  assert.deepEqual([last.status, ...tagsOf(last)], [402, 'antifraud']);
});

test('what was never sent is no try', async () => {
  await clearEvents();
  const count = 'select count(*) from velocity_events';
  assert.equal((await store(service, {}, numbersFrom('51550004', 1)[0])).status, 200);
  assert.equal(await countOf(service, count), 0, 'a card that is stored without a question');
});

type Planted = { readonly kind?: 'sale' | 'verification' | 'stored'; readonly minutesAgo?: number };

/** Different cards as payments and verifications would have left them. */
async function plantTries(declined: number, approved: number, planted: Planted = {}): Promise<void> {
  const { kind = 'sale', minutesAgo = 5 } = planted;
  await service.auditor.query(
    `insert into velocity_events (merchant_id, transaction_id, card_fingerprint, is_declined, is_card_refused,
       attempted_at, is_verification, is_stored)
     select $1, gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), n <= $2::integer, n <= $2::integer,
       now() - $4 * interval '1 minute', $5, $6
     from generate_series(1, $2::integer + $3::integer) n`,
    [service.merchantId, declined, approved, minutesAgo, kind === 'verification', kind === 'stored'],
  );
}

const isStopped = async (number: string) => {
  const { status } = await store(service, verified, number);
  assert.ok(status === 200 || status === 402);
  return status === 402;
};

test('a merchant at which most of many new cards are declined is stopped for new cards, and not for stored ones', async () => {
  await clearEvents();
  const vaultId = await storedId(service);
  const [one = '', two = ''] = numbersFrom('51550005', 2);
  await plantTries(39, 13);
  assert.equal((await store(service, verified, one)).status, 200, 'not yet');
  await plantTries(1, 0);
  const since = service.bridge.asked.length;
  const refused = await store(service, verified, two);
  assert.deepEqual([refused.status, ...tagsOf(refused)], [402, 'antifraud']);
  const payBy = async (cardInfo: Record<string, unknown>) =>
    call(service.gatewayUrl, '/v1/payments', { token: service.token(), body: paymentBy(cardInfo) });
  const numberToken = await tokenize(service.gatewayUrl, service.token(), two);
  const payment = await payBy({ numberToken, ...BESIDE });
  assert.deepEqual([payment.status, ...tagsOf(payment)], [402, 'antifraud']);
  assert.equal(service.bridge.asked.length, since, 'nobody was asked');
  assert.equal((await payBy({ vaultId })).status, 200);
  await untilAlarm('testing cards there');
  await service.auditor.query("update velocity_events set attempted_at = now() - interval '61 minutes'", []);
  assert.equal((await payBy({ numberToken, ...BESIDE })).status, 200, 'the hour is over');
});

test('neither stored cards nor sales hide a test of cards, nor verifications one in sales', async () => {
  const [one = '', two = '', three = ''] = numbersFrom('51550007', 3);
  await clearEvents();
  await plantTries(45, 15);
  await plantTries(0, 400, { kind: 'stored' });
  assert.ok(await isStopped(one), 'among stored cards');
  await clearEvents();
  await plantTries(21, 7, { kind: 'verification' });
  await plantTries(0, 600, { minutesAgo: 1 });
  assert.ok(await isStopped(two), 'verifications among sales');
  await clearEvents();
  await plantTries(45, 15);
  await plantTries(0, 100, { kind: 'verification' });
  assert.ok(await isStopped(three), 'sales among verifications');
});

test('a few bad verifications stop verifications, and no sales', async () => {
  await clearEvents();
  await plantTries(30, 0, { kind: 'verification' });
  const [one = ''] = numbersFrom('51550011', 1);
  assert.ok(await isStopped(one));
  const pay = async () => {
    const numberToken = await tokenize(service.gatewayUrl, service.token(), one);
    const body = paymentBy({ numberToken, ...BESIDE });
    return call(service.gatewayUrl, '/v1/payments', { token: service.token(), body });
  };
  const paid = await pay();
  assert.equal(paid.status, 200, paid.text);
  await plantTries(10, 0, { kind: 'verification' });
  assert.equal((await pay()).status, 402, 'as many as stop sales');
});

test('a merchant with many sales and ordinary declines is not stopped, and one that has twice as many as usual is', async () => {
  await clearEvents();
  await plantTries(60, 340, { minutesAgo: 90 });
  await plantTries(110, 290);
  for (const number of numbersFrom('51550006', 3)) assert.ok(!(await isStopped(number)));
  await plantTries(75, 25);
  assert.ok(await isStopped(numbersFrom('51550008', 1)[0] as string));
});

test('declines that do not tell of the card stop nobody, and hide none that do', async () => {
  await clearEvents();
  const decline = async (number: string, amount: number) => {
    const numberToken = await tokenize(service.gatewayUrl, service.token(), number);
    const body = paymentBy({ numberToken, ...BESIDE }, amount);
    const reply = await call(service.gatewayUrl, '/v1/payments', { token: service.token(), body });
    return [reply.status, ...tagsOf(reply)];
  };
  const [away = '', invalid = '', refused = '', one = '', two = ''] = numbersFrom('51550010', 5);
  await plantTries(39, 0);
  assert.deepEqual(await decline(away, 1091), [402, '91']);
  assert.deepEqual(await decline(invalid, 1013), [402, '13']);
  assert.ok(!(await isStopped(one)), 'an outage of the issuer, and an amount that is none');
  const counts = 'select is_declined from velocity_events where not is_card_refused and is_declined';
  assert.equal((await service.auditor.query(counts, [])).length, 2, 'for the rules they are declines');
  // Of an attack whose every card is tried in vain first.
  assert.deepEqual(await decline(refused, 1013), [402, '13']);
  assert.deepEqual(await decline(refused, 1005), [402, '05']);
  assert.ok(await isStopped(two), 'the fortieth card');
});

test('payments by a stored card and verifications are on record as such', async () => {
  await clearEvents();
  const vaultId = await storedId(service);
  await service.auditor.query('delete from velocity_events', []);
  const [number = ''] = numbersFrom('51550009', 1);
  assert.equal((await store(service, verified, number)).status, 200);
  const body = paymentBy({ vaultId });
  assert.equal(
    (await call(service.gatewayUrl, '/v1/payments', { token: service.token(), body })).status,
    200,
  );
  const kinds = 'select is_verification, is_stored from velocity_events order by is_stored';
  assert.deepEqual(await service.auditor.query(kinds, []), [
    { is_verification: true, is_stored: false },
    { is_verification: false, is_stored: true },
  ]);
});

/** In homologation the limits of the networks hold for these alone. */
const trialNumber = (index: number): string => numberOf(`52000590000000${index}`);

const ALWAYS_DECLINED = TRIGGER_CARDS.find(({ declines }) => declines === 'always');

test('a declined verification is on record: for the rules and for its network', async () => {
  await clearEvents();
  assert.ok(ALWAYS_DECLINED !== undefined);
  const { number, brand, responseCode } = ALWAYS_DECLINED;
  const reply = await store(service, { ...verified, brand }, number);
  assert.deepEqual([reply.status, ...tagsOf(reply)], [402, responseCode]);
  assert.equal(
    await countOf(service, 'select count(*) from velocity_events where is_declined and is_card_refused'),
    1,
  );
  const [row] = await service.auditor.query(
    'select card_brand, response_code, octet_length(card_fingerprint) as bytes from declined_verifications',
    [],
  );
  assert.deepEqual(row, { card_brand: brand, response_code: responseCode, bytes: 32 });
});

test('a card that was refused for good at its verification is neither verified nor charged again', async () => {
  await clearEvents();
  const number = trialNumber(3);
  const body = async () => {
    const numberToken = await tokenize(service.gatewayUrl, service.token(), number);
    return paymentBy({ numberToken, ...BESIDE });
  };
  const pay = async () =>
    call(service.gatewayUrl, '/v1/payments', { token: service.token(), body: await body() });
  const paid = await pay();
  assert.equal(paid.status, 200, paid.text);
  await service.auditor.query(
    `insert into declined_verifications (merchant_id, verification_id, card_fingerprint, card_brand, response_code,
       asked_at)
     select merchant_id, gen_random_uuid(), card_fingerprint, card_brand, '41', now() from transactions
     where transaction_id = $1`,
    [paid.body.paymentAuthorization.paymentId],
  );
  const since = service.bridge.asked.length;
  const numberToken = await tokenize(service.gatewayUrl, service.token(), number);
  const refused = await storeBy(service, { numberToken, ...BESIDE, ...verified });
  assert.deepEqual(
    [refused.status, ...tagsOf(refused), refused.body[0].mayRetryAt],
    [402, 'retryLimit', null],
  );
  const again = await pay();
  assert.deepEqual([again.status, ...tagsOf(again)], [402, 'retryLimit']);
  assert.equal(service.bridge.asked.length, since, 'nobody was asked');
  assert.equal((await storeBy(service, { numberToken, ...BESIDE })).status, 200, 'its token was given back');
});
