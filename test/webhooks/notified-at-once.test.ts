import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { NO_DEADLINE } from '../../src/platform/postgres/deadline.ts';
import { NO_NETWORK_REFERENCE } from '../../src/providers/acquirers/network-reference.ts';
import { intentsWrite } from '../../src/transactions/methods/card/intents.sql.ts';
import { type OutcomeRow, outcomesWrite } from '../../src/transactions/methods/card/outcomes.sql.ts';
import { cents, splitIntoInstallments } from '../../src/values/cents.ts';
import { instant } from '../../src/values/instant.ts';
import type { Deliverer, DeliveryToSend } from '../../src/webhooks/deliveries/delivery.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../kit/database.ts';
import { until } from '../kit/service.ts';

const MERCHANT = '01700555550000';
const ACCOUNT = '1000001';
const CALLBACK = 'https://loja.example/retorno';
const LEASE_MILLISECONDS = 30_000;

let place: TestDatabase;
let database: Database;

before(async () => {
  place = await createTestDatabase({ migrated: true });
  database = openDatabase(place.runtime, () => {});
  await runSql(
    place.address,
    `insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses)
     values ('${MERCHANT}', '11222333000181', 'Loja', 'Ana', 'ana@loja.example', '1140000000', '{}');
     insert into webhook_endpoints (merchant_id, endpoint, url, created_by)
     values ('${MERCHANT}', 'account:${ACCOUNT}', 'https://loja.example/avisos', 'test'),
       ('${MERCHANT}', 'origin:https://loja.example', null, 'test')`,
  );
});
after(async () => {
  await database.close();
  await place.drop();
});
beforeEach(() =>
  runSql(
    place.address,
    `delete from deliveries; update webhook_endpoints set state = 'active', opened_until = null`,
  ),
);

/** Is notified as a sending process would be, and sends nothing. */
function receiving(lease: number) {
  const received: { readonly sent: DeliveryToSend[]; wakes: number } = { sent: [], wakes: 0 };
  const deliverer: Deliverer = {
    leaseForNow: () => lease,
    sendNow: (deliveries) => received.sent.push(...deliveries),
    notify: () => {
      received.wakes += 1;
    },
  };
  return { deliverer, received };
}

/** The outcome of a charge that was begun: an approval of so many installments, or a decline. */
async function begun(installmentCount: number, isApproved = true): Promise<OutcomeRow> {
  const transactionId = randomUUID();
  const amount = cents(100 * installmentCount);
  const moment = instant(Date.now());
  await intentsWrite(database).write(
    [
      {
        merchantId: MERCHANT,
        transactionId,
        accountNumber: ACCOUNT,
        acquirer: 'default',
        origin: 'payment',
        antiFraudProvider: null,
        amount,
        installmentCount,
        referenceTransaction: null,
        trace: {
          brand: 'visa',
          firstSix: '411111',
          lastFour: '1111',
          fingerprint: randomBytes(32),
        },
        cardSource: null,
        stored: null,
        initiator: 'cardholder',
        antiFraudCode: transactionId,
        codeToClaim: null,
        verdict: 'accept',
        verdictReasons: '',
        attempt: null,
        callbackUrl: CALLBACK,
        customer: null,
        softDescriptor: null,
        authentication: null,
        storedCardReason: null,
        buyer: null,
        split: null,
        createdBy: 'test',
        soldAt: moment,
        request: null,
        leaseMilliseconds: 600_000,
      },
    ],
    [NO_DEADLINE],
  );
  return {
    merchantId: MERCHANT,
    transactionId,
    fence: 0,
    expected: 'charging',
    state: isApproved ? 'approved' : 'declined',
    authorizationCode: isApproved ? 'A1B2C3' : null,
    nsu: isApproved ? '1000000042' : null,
    networkReference: NO_NETWORK_REFERENCE,
    tid: null,
    responseCode: isApproved ? null : '51',
    adviceCode: null,
    unknownReason: null,
    installments: isApproved ? splitIntoInstallments(amount, installmentCount) : [],
    shares: [],
    moment,
  };
}

const deliveries = () =>
  database.query(
    {
      name: 'test.deliveries',
      text: `select transaction_id, delivery_number, kind, endpoint, body, fence, created_at,
        lease_expires_at between now() + interval '1 second' and now() + interval '30 seconds' as is_leased
        from deliveries where merchant_id = $1 order by delivery_number`,
    },
    [MERCHANT],
  );

test('with free slots, what an outcome notifies of is leased and handed over once it is committed', async () => {
  const { deliverer, received } = receiving(LEASE_MILLISECONDS);
  const rows = [await begun(2), await begun(1, false)];
  const results = await outcomesWrite(database, deliverer).write(rows, []);
  assert.deepEqual(
    rows.map(({ transactionId }) => results.get(transactionId)),
    [{ isRecorded: true }, { isRecorded: true }],
  );
  assert.equal(received.sent.length, 0, 'nobody waits for the sending');
  await until('they are handed over', async () => received.sent.length === 4);
  const written = await deliveries();
  assert.deepEqual(
    written.map(({ kind, fence, is_leased }) => [kind, fence, is_leased]),
    [...['movement', 'movement', 'callback', 'callback']].map((kind) => [kind, 1, true]),
  );
  const byNumber = received.sent.toSorted((one, other) => one.deliveryNumber - other.deliveryNumber);
  assert.deepEqual(
    byNumber,
    written.map(({ transaction_id, delivery_number, kind, endpoint, body, created_at }) => ({
      merchantId: MERCHANT,
      aboutId: transaction_id,
      deliveryNumber: delivery_number,
      kind,
      endpoint,
      registration: 0,
      accountNumber: ACCOUNT,
      url: kind === 'callback' ? CALLBACK : 'https://loja.example/avisos',
      body,
      basicAuth: null,
      secrets: [],
      tries: 0,
      triesBefore: 0,
      fence: 1,
      createdAt: created_at,
      isFailing: false,
    })),
  );
  assert.equal(received.wakes, 0);
});

test('an outcome that is written again after a lost connection notifies of nothing twice', async () => {
  const { deliverer, received } = receiving(LEASE_MILLISECONDS);
  const rows = [await begun(3)];
  await outcomesWrite(database, deliverer).write(rows, []);
  const once = await deliveries();
  assert.equal(once.length, 4);
  const results = await outcomesWrite(database, deliverer).write(rows, []);
  assert.deepEqual([...results.values()], [{ isRecorded: true }]);
  assert.deepEqual(await deliveries(), once);
  await until('they are handed over', async () => received.sent.length > 0);
  assert.equal(received.sent.length, 4);
});

for (const [what, change] of [
  ['is held', "state = 'disabled'"],
  ['has an open breaker', "opened_until = now() + interval '1 day'"],
] as const) {
  test(`what is for a target that ${what} is left to the work`, async () => {
    await runSql(place.address, `update webhook_endpoints set ${change} where endpoint like 'account:%'`);
    const { deliverer, received } = receiving(LEASE_MILLISECONDS);
    await outcomesWrite(database, deliverer).write([await begun(1)], []);
    assert.deepEqual(
      (await deliveries()).map(({ kind, fence, is_leased }) => [kind, fence, is_leased]),
      [
        ['movement', 0, null],
        ['callback', 1, true],
      ],
    );
    await until('the work is called', async () => received.wakes === 1);
    assert.deepEqual(
      received.sent.map(({ kind }) => kind),
      ['callback'],
    );
  });
}

test('a process without free slots leaves everything to the work', async () => {
  const { deliverer, received } = receiving(0);
  await outcomesWrite(database, deliverer).write([await begun(2)], []);
  assert.deepEqual(
    (await deliveries()).map(({ fence, is_leased }) => [fence, is_leased]),
    [
      [0, null],
      [0, null],
      [0, null],
    ],
  );
  await until('the work is called', async () => received.wakes === 1);
  assert.deepEqual(received.sent, []);
});

test('of many at once only as many are leased as can be sent soon', async () => {
  const { deliverer, received } = receiving(LEASE_MILLISECONDS);
  await outcomesWrite(database, deliverer).write([await begun(40), await begun(40)], []);
  await until('both ways are taken', async () => received.wakes === 1 && received.sent.length > 0);
  assert.equal(received.sent.length, 41);
  assert.equal((await deliveries()).length, 82);
});
