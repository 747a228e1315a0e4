import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import type { Statement } from '../../src/platform/postgres/database.ts';
import { declinesRead } from '../../src/transactions/methods/card/declines.sql.ts';
import { instant } from '../../src/values/instant.ts';
import { openProductionService } from '../antifraud/production-service.ts';
import { openKeySetup } from '../keys/key-setup.ts';
import { createTestDatabase } from '../kit/database.ts';
import { call, logIn, pay, paymentRequest, type Reply, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { type RunningService, until } from '../kit/service.ts';
import {
  askedOf,
  countOf,
  openVaultService,
  payBy,
  store,
  storedId,
  type VaultService,
} from '../vault/vault-service.ts';

let setup: VaultService;
before(async () => {
  setup = await openVaultService();
});
after(() => setup.close());

const DAY = 24 * 60 * 60 * 1_000;

type Brand = 'visa' | 'mastercard' | 'elo';
const TRIAL_CARDS = { visa: '4000059000000', mastercard: '5200059000000', elo: '6363689000000' } as const;
let nextTrialCard = 0;

/** A trial card that no test has used before. */
function trialCard(brand: Brand): string {
  const digits = TRIAL_CARDS[brand] + String(nextTrialCard++).padStart(2, '0');
  const doubled = [...digits].map((digit, index) => Number(digit) * (index % 2 === 0 ? 2 : 1));
  const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return digits + ((10 - (sum % 10)) % 10);
}

const fields = (brand: string) => ({
  cardholderName: 'ANA SOUZA',
  securityCode: '123',
  brand,
  expirationMonth: '12',
  expirationYear: '39',
});

async function requestFor(brand: Brand, number: string, amount: number, token = setup.token()) {
  const numberToken = await tokenize(setup.gatewayUrl, token, number);
  return paymentRequest(numberToken, amount, { cardInfo: { numberToken, ...fields(brand) } });
}

async function payWith(brand: Brand, number: string, amount: number, token = setup.token()): Promise<Reply> {
  const body = await requestFor(brand, number, amount, token);
  return call(setup.gatewayUrl, '/v1/payments', { token, body });
}

/** 200, or the tag of what stopped it. */
const reported = ({ status, body }: Reply) => (status === 402 ? body[0].tag : status);

async function assertNotified(expected: unknown, reply: Promise<Reply>, why = ''): Promise<Reply> {
  const given = await reply;
  assert.equal(reported(given), expected, `${why} ${given.text}`);
  return given;
}

const authorizations = () => askedOf(setup, '/authorizations').length;

/**
 * Declines once and puts as many more declines of the same kind on record; gives back how the
 * card's rows are found.
 */
async function declineOften(brand: Brand, number: string, amount: number, times: number): Promise<string> {
  const body = await requestFor(brand, number, amount);
  await assertNotified('51', call(setup.gatewayUrl, '/v1/payments', { token: setup.token(), body }));
  const [row] = await setup.auditor.query(
    `insert into transactions
     select (jsonb_populate_record(t, jsonb_build_object('transaction_id', gen_random_uuid()))).*
     from transactions t, generate_series(2, $2) where t.reference_transaction = $1
     returning encode(card_fingerprint, 'hex') as print`,
    [body.referenceTransaction, times],
  );
  return row?.print as string;
}

/** Makes what is on record of a card older. */
async function age(print: string, milliseconds: number): Promise<void> {
  await setup.auditor.query(
    `update transactions set sold_at = sold_at - $2 * interval '1 millisecond'
     where card_fingerprint = decode($1, 'hex')`,
    [print, milliseconds],
  );
}

async function printOf(number: string): Promise<string> {
  const [row] = await setup.auditor.query(
    `select encode(card_fingerprint, 'hex') as print from transactions
     where card_first_six = $1 and card_last_four = $2 and card_fingerprint is not null limit 1`,
    [number.slice(0, 6), number.slice(-4)],
  );
  return row?.print as string;
}

async function countsIn(service: RunningService): Promise<string[]> {
  const text = await (await fetch(service.metricsUrl)).text();
  return text.split('\n').filter((line) => line.startsWith('parcela_tries_beyond_limits_total{'));
}

test('a canceled card is not sent again: for no amount, and only the merchant learns of the try', async () => {
  const number = trialCard('visa');
  await assertNotified('41', payWith('visa', number, 1_041));
  const before = authorizations();
  const refused = await assertNotified('retryLimit', payWith('visa', number, 1_041));
  assert.deepEqual(
    [refused.status, refused.body],
    [
      402,
      [
        {
          tag: 'retryLimit',
          description:
            'O emissor já recusou em definitivo uma cobrança como esta neste cartão, e a bandeira pune quem insiste. ' +
            'Nada foi enviado nem cobrado. Use outro cartão.',
          mayRetryAt: null,
        },
      ],
    ],
  );
  await assertNotified('retryLimit', payWith('visa', number, 3_000), 'an amount that would be approved');
  assert.equal(authorizations(), before, 'the acquirer was not asked');
  await age(await printOf(number), 30 * DAY);
  await assertNotified(200, payWith('visa', number, 3_000), 'thirty days later');
});

test('Mastercard advice never to try again keeps the card back for every amount', async () => {
  const number = trialCard('mastercard');
  const first = await assertNotified('41', payWith('mastercard', number, 1_041));
  assert.equal(first.body[0].merchantAdviceCode, '03');
  await assertNotified('retryLimit', payWith('mastercard', number, 2_000));
});

test('a refusal uses nothing up and leaves no trace: the same token then pays another amount', async () => {
  const number = trialCard('elo');
  await assertNotified('13', payWith('elo', number, 1_013));
  const request = await requestFor('elo', number, 1_013);
  const rows = () =>
    Promise.all(
      ['transactions', 'card_source_locks', 'velocity_events', 'anti_fraud_codes', 'movements'].map((table) =>
        countOf(setup, `select count(*) from ${table}`),
      ),
    );
  const before = await rows();
  const payTo = (body: object) => call(setup.gatewayUrl, '/v1/payments', { token: setup.token(), body });
  await assertNotified('retryLimit', payTo(request), 'an invalid amount stays invalid');
  await assertNotified('retryLimit', payTo(request), 'the second time too');
  assert.deepEqual(await rows(), before);
  await assertNotified(200, payTo({ ...request, payment: { ...request.payment, amount: 2_000 } }));
});

test('a buyer who mistyped the expiry may correct it twice', async () => {
  for (const brand of ['visa', 'mastercard', 'elo'] as const) {
    const number = trialCard(brand);
    for (const time of ['the first', 'the second', 'the third']) {
      await assertNotified('54', payWith(brand, number, 1_054), `${brand}, ${time}`);
    }
    await assertNotified('retryLimit', payWith(brand, number, 1_054), brand);
    await assertNotified(200, payWith(brand, number, 2_000), brand);
  }
});

test('the eighth try of a Mastercard within a day is not sent, whatever its amount, and its answer says when it may be', async () => {
  const number = trialCard('mastercard');
  for (let index = 1; index <= 7; index += 1) {
    await assertNotified('51', payWith('mastercard', number, index * 10_000 + 1_051));
  }
  const before = authorizations();
  const refused = await assertNotified('retryLimit', payWith('mastercard', number, 500));
  assert.equal(authorizations(), before, 'the acquirer was not asked');
  const print = await printOf(number);
  const [oldest] = await setup.auditor.query(
    `select min(sold_at) as sold_at from transactions where card_fingerprint = decode($1, 'hex')`,
    [print],
  );
  assert.ok(oldest?.sold_at instanceof Date);
  assert.equal(Date.parse(refused.body[0].mayRetryAt), oldest.sold_at.getTime() + DAY);
  assert.match(refused.body[0].mayRetryAt, /-03:00$/);
  await age(print, DAY);
  await assertNotified(200, payWith('mastercard', number, 500), 'a day later');
});

test('the thirty-sixth try of a Mastercard within thirty days is not sent', async () => {
  const number = trialCard('mastercard');
  const print = await declineOften('mastercard', number, 1_051, 34);
  await age(print, 10 * DAY);
  await assertNotified('51', payWith('mastercard', number, 21_051), 'the thirty-fifth');
  await assertNotified('retryLimit', payWith('mastercard', number, 500));
  await age(print, 20 * DAY);
  await assertNotified(200, payWith('mastercard', number, 500), 'when the first of them are thirty days old');
});

test('the twenty-first try of a Visa card for one amount is not sent; another amount is', async () => {
  const number = trialCard('visa');
  const print = await declineOften('visa', number, 1_051, 19);
  await age(print, 29 * DAY);
  await assertNotified('51', payWith('visa', number, 1_051), 'the twentieth');
  const refused = await assertNotified('retryLimit', payWith('visa', number, 1_051));
  assert.match(refused.body[0].description, /tantas vezes quantas a bandeira permite/);
  await assertNotified(200, payWith('visa', number, 500));
  await age(print, DAY);
  await assertNotified('51', payWith('visa', number, 1_051), 'thirty days after the first');
});

test('the sixteenth try of an Elo card for one amount is not sent; another amount is', async () => {
  const number = trialCard('elo');
  await declineOften('elo', number, 1_051, 14);
  await assertNotified('51', payWith('elo', number, 1_051), 'the fifteenth');
  await assertNotified('retryLimit', payWith('elo', number, 1_051));
  await assertNotified(200, payWith('elo', number, 500));
});

test('what a card was refused at one merchant holds at no other', async () => {
  const number = trialCard('visa');
  await assertNotified('41', payWith('visa', number, 1_041));
  await assertNotified('retryLimit', payWith('visa', number, 1_000));
  await assertNotified(200, payWith('visa', number, 1_000, setup.foreignToken()));
});

test('a stored card and its number are one card', async () => {
  const number = trialCard('visa');
  const vaultId = await storedId(setup, { brand: 'visa' }, number);
  await assertNotified('41', payBy(setup, { vaultId }, 1_041));
  await assertNotified('retryLimit', payWith('visa', number, 1_000));
  await assertNotified('retryLimit', payBy(setup, { vaultId }, 1_000));
});

test('the verification of a card to be stored is a try: what may not be charged again is not verified', async () => {
  const number = trialCard('visa');
  await assertNotified('41', payWith('visa', number, 1_041));
  await assertNotified('retryLimit', payWith('visa', number, 1_041));
  const stored = await store(setup, { brand: 'visa', verifyCard: true, securityCode: '123' }, number);
  assert.deepEqual([stored.status, stored.body[0].tag], [402, 'retryLimit'], stored.text);
  const unasked = await store(setup, { brand: 'visa' }, number);
  assert.equal(unasked.status, 200, unasked.text);
});

test('in homologation every other card may be declined as often as somebody tries', async () => {
  for (let time = 1; time <= 9; time += 1) {
    const numberToken = await tokenize(setup.gatewayUrl, setup.token());
    const { reply } = await pay(setup.gatewayUrl, setup.token(), 1_041, {
      cardInfo: { numberToken, ...fields('mastercard') },
    });
    assert.equal(reported(reply), '41', reply.text);
  }
});

test('what was spared is counted by brand and cause, and the log records it without the card', async () => {
  const service = setup;
  const number = trialCard('elo');
  const name = 'parcela_tries_beyond_limits_total{outcome="refused",brand="elo",cause="neverAgain"}';
  const countOf = (lines: readonly string[]) => lines.map((line) => Number(line.split(' ').at(-1)));
  const count = async () =>
    countOf((await countsIn(service)).filter((line) => line.startsWith(name)))[0] ?? 0;
  const before = await count();
  await assertNotified('41', payWith('elo', number, 1_041));
  await assertNotified('retryLimit', payWith('elo', number, 1_041));
  assert.equal(await count(), before + 1);
  const counted = countOf(await countsIn(service)).reduce((sum, one) => sum + one, 0);
  const spoken = await until('the log tells of every one', async () => {
    const lines = service.log.filter((line) => line.includes('beyond a limit of its network'));
    return lines.length === counted && lines.at(-1);
  });
  const { merchantId, brand, cause, outcome } = JSON.parse(spoken);
  assert.deepEqual(
    { merchantId, brand, cause, outcome },
    { merchantId: setup.merchantId, brand: 'elo', cause: 'neverAgain', outcome: 'refused' },
  );
  assert.ok(!service.log.join('\n').includes(number.slice(0, 12)));
});

test('an operator may have the limits only observed, or not looked at, and a rotation of keys forgets no decline', async () => {
  const keys = await openKeySetup();
  try {
    const { demo } = await keys.makeDemo();
    const [enforcing, observing, idle] = [
      await keys.openService(),
      await keys.openService({ PARCELA_NETWORK_LIMITS: 'observe' }),
      await keys.openService({ PARCELA_NETWORK_LIMITS: 'off' }),
    ];
    const token = await logIn(enforcing.gatewayUrl, demo.gateway);
    const number = trialCard('visa');
    const payAt = async (
      service: RunningService,
      amount: number,
      cardNumber = number,
      brand: Brand = 'visa',
    ) => {
      const numberToken = await tokenize(service.gatewayUrl, token, cardNumber);
      return (await pay(service.gatewayUrl, token, amount, { cardInfo: { numberToken, ...fields(brand) } }))
        .reply;
    };
    await assertNotified('41', payAt(enforcing, 1_041));
    await assertNotified('retryLimit', payAt(enforcing, 1_041));
    await assertNotified('41', payAt(observing, 1_041), 'only observed');
    await assertNotified(200, payAt(idle, 1_000), 'not looked at');
    const counted = 'brand="visa",cause="neverAgain"} 1';
    const name = 'parcela_tries_beyond_limits_total';
    assert.deepEqual(await countsIn(enforcing), [`${name}{outcome="refused",${counted}`]);
    assert.deepEqual(await countsIn(observing), [`${name}{outcome="observed",${counted}`]);
    assert.deepEqual(await countsIn(idle), []);

    // All with one card: it differs with the key alone.
    const payToSee = async () => {
      await assertNotified(200, payAt(enforcing, 1_000, TEST_CARD, 'mastercard'));
      const [row] = await keys.auditor.query(
        "select encode(card_fingerprint, 'hex') as print from transactions order by created_at desc limit 1",
      );
      return row?.print;
    };
    const printBefore = await payToSee();
    const rotated = await keys.parcela(['key', 'rotate', '--kind', 'fingerprint']);
    assert.equal(rotated.code, 0, rotated.said);
    await until('the service marks cards under the new key', async () => (await payToSee()) !== printBefore);
    await assertNotified('retryLimit', payAt(enforcing, 1_000), 'declined before the rotation');
  } finally {
    await keys.close();
  }
});

test('in production the limits hold for every card, in English too', async () => {
  const production = await openProductionService({ PARCELA_ANTIFRAUD_RULES: 'none' });
  try {
    const { service, token } = production;
    const payOnce = async () => {
      const numberToken = await tokenize(service.gatewayUrl, token, '4111111111111111');
      const request = paymentRequest(numberToken, 1_041, {
        sellerInfo: { codeAntiFraud: await production.newCode() },
        cardInfo: { numberToken, ...fields('visa') },
      });
      const headers = { 'accept-language': 'en' };
      return call(service.gatewayUrl, '/v1/payments', { token, body: request, headers });
    };
    await assertNotified('41', payOnce());
    const refused = await assertNotified('retryLimit', payOnce());
    assert.match(refused.body[0].description, /the network punishes asking again/);
    const [row] = await production.keys.auditor.query(
      'select count(*) from anti_fraud_codes where transaction_id is not null',
    );
    assert.equal(Number(row?.count), 0, 'the code is free');
  } finally {
    await production.close();
  }
});

/** The statement as it is sent. */
async function statementOf(): Promise<Statement> {
  const sent = Promise.withResolvers<Statement>();
  const listening = {
    query: async (statement: Statement) => {
      sent.resolve(statement);
      return [];
    },
  };
  const key = { merchantId: 'M1', print: Buffer.alloc(32), since: instant(Date.now()) };
  await declinesRead(listening as unknown as Parameters<typeof declinesRead>[0]).read([key]);
  return sent.promise;
}

const APPROVALS = 40_000;
const DECLINES = 10_000;
const CARDS = 5;

/**
 * Sales as they come: an intent, then its outcome. Every card has as many declines as the others,
 * at four merchants.
 */
async function sellOften(client: pg.Client, count: number, outcome: string): Promise<void> {
  await client.query(
    `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at, due_at)
     select 'M' || n % 4, gen_random_uuid(), '1', 'payment', 'charging', 1000, 1, 'visa', '400005', '0008',
       decode(md5((n % $2)::text), 'hex'), 'test', now() - n * interval '1 minute', now()
     from generate_series(1, $1::int) n`,
    [count, CARDS],
  );
  await client.query(
    `update transactions set due_at = null, decided_at = now(), ${outcome} where state = 'charging'`,
  );
}

test('the declines of a card are one short look into an index that approvals never touch', async () => {
  const database = await createTestDatabase({ migrated: true });
  const client = new pg.Client(database.address);
  await client.connect();
  try {
    await sellOften(client, APPROVALS, `state = 'approved', authorization_code = 'A', nsu = '1'`);
    const { rows: sizes } = await client.query(
      `select pg_relation_size('transactions_declined_by_card') / current_setting('block_size')::int as blocks`,
    );
    assert.equal(Number(sizes[0].blocks), 1, 'an index has one block before anything is in it');
    await sellOften(client, DECLINES, `state = 'declined', response_code = '51'`);
    await client.query('analyze transactions');
    const { text } = await statementOf();
    await client.query(`prepare declines as ${text}`);
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`);
      const { rows } = await client.query(
        `explain (analyze, format json) execute declines (array['M1'], array[decode(md5('1'), 'hex')],
           array[now() - interval '30 days'], 200)`,
      );
      const { Plan: plan } = rows[0]['QUERY PLAN'][0];
      const scan = scansIn(plan).find(({ 'Index Name': name }) => name !== undefined);
      assert.equal(scan?.['Index Name'], 'transactions_declined_by_card', mode);
      assert.ok((scan?.['Actual Rows'] as number) <= DECLINES / (4 * CARDS), 'of this card alone');
      assert.equal(plan['Actual Rows'], 200, 'and of them the newest are given');
    }
  } finally {
    await client.end();
    await database.drop();
  }
});

type PlanNode = Record<string, unknown> & { readonly Plans?: readonly PlanNode[] };

function scansIn(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(scansIn)];
}
