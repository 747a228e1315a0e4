import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import {
  type VelocityTools,
  velocityDecider,
} from '../../src/antifraud/adapters/velocity/velocity-decider.ts';
import {
  type Decider,
  type Decision,
  NO_FINGERPRINTS,
  type Sale,
  type Verdict,
} from '../../src/antifraud/anti-fraud.ts';
import { type DecidedSale, type DecideTools, decideSale } from '../../src/antifraud/decide-sale.ts';
import { cardFingerprints, codeFingerprints } from '../../src/antifraud/fingerprints.ts';
import { forgetAntiFraud } from '../../src/antifraud/module.ts';
import {
  countsMerchantsCards,
  readVelocityRules,
  type Subject,
  type VelocityRule,
} from '../../src/antifraud/velocity.ts';
import { countsRead } from '../../src/antifraud/velocity-events.sql.ts';
import { newId } from '../../src/platform/chance.ts';
import { batchReads } from '../../src/platform/postgres/batched-reads.ts';
import { batchWrites } from '../../src/platform/postgres/batched-writes.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { Overloaded } from '../../src/platform/work/fair-line.ts';
import { cents } from '../../src/values/cents.ts';
import { instant } from '../../src/values/instant.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { cpfOf, TEST_CARD } from '../kit/merchant.ts';
import { type Auditor, openAuditor, until } from '../kit/service.ts';
import { NO_BUYER } from './no-buyer.ts';
import { endAll, testKeyring, type WalkIntent, walkIntents } from './walk.ts';

const DEADLINE_MILLISECONDS = 30_000;
const KEYRING = testKeyring();

let testDatabase: TestDatabase;
let auditor: Auditor;
let database: Database;
let commit: (row: WalkIntent) => Promise<unknown>;
/** How many prints each statement of counting had. */
const looks: number[] = [];
let findCounts: Parameters<typeof velocityDecider>[0]['findCounts'];
let findFewerCounts: typeof findCounts;

const deadline = () => performance.now() + DEADLINE_MILLISECONDS;

before(async () => {
  testDatabase = await createTestDatabase({ migrated: true });
  auditor = openAuditor(testDatabase.address);
  database = openDatabase(testDatabase.address, () => {});
  const write = batchWrites(walkIntents(database));
  commit = (row) => write(row, deadline());
  const watched: Database['query'] = (statement, values) => {
    looks.push((values[0] as unknown[]).length);
    return database.query(statement, values);
  };
  findCounts = batchReads(countsRead({ ...database, query: watched }, true));
  findFewerCounts = batchReads(countsRead({ ...database, query: watched }, false));
});
after(async () => {
  await auditor.close();
  await database.close();
  await testDatabase.drop();
});

const ACCEPTED: Decision = { verdict: 'accept', reasons: [] };

/** A decider that is asked once and waited for shortly. */
const SILENT = { name: 'test', timeoutMilliseconds: 50, silentReason: 'silent' };

function deciderThatSays(decision: Decision, asked: Sale[] = []): Decider {
  const decide = async (sale: Sale) => {
    asked.push(sale);
    return decision;
  };
  return { ...SILENT, timeoutMilliseconds: DEADLINE_MILLISECONDS, decide };
}

function toolsOf(
  decider: Decider & Partial<Pick<DecideTools, 'velocityEventOf'>>,
  change: Partial<DecideTools> = {},
): DecideTools {
  return {
    deciders: [decider],
    velocityEventOf: decider.velocityEventOf ?? (() => null),
    takesTriggers: false,
    verdictWhenSilent: 'review',
    observeDecision: () => {},
    warnOfSilence: (decider, error) => assert.fail(`${decider}: ${error}`),
    ...change,
  };
}

function toolsWith(rulesText: string, change: Partial<DecideTools> = {}): DecideTools {
  const read = readVelocityRules(rulesText);
  assert.ok('rules' in read);
  const counted = countsMerchantsCards(read.rules) ? findCounts : findFewerCounts;
  return toolsOf(velocityOf({ keyring: KEYRING, findCounts: counted }, read.rules), change);
}

function velocityOf(...[tools, rules]: [VelocityTools, readonly VelocityRule[]]) {
  return velocityDecider(tools, rules, DEADLINE_MILLISECONDS);
}

/** What a test says of a sale; the buyer in the words of the rules. */
type Reported = Partial<Pick<Sale, 'session'>> & {
  readonly cardFingerprints?: readonly Buffer[];
  readonly document?: string;
  readonly email?: string;
  readonly ipAddress?: string;
};

/** Each test has a merchant of its own: no other sales are counted. */
function saleOf(merchantId: string, reported: Reported = {}): Sale {
  const { document = null, email = null, ipAddress = null, session = NO_FINGERPRINTS } = reported;
  return {
    merchantId,
    transactionId: newId(),
    referenceTransaction: null,
    amount: cents(1_000),
    installmentCount: 1,
    card: {
      brand: 'visa',
      firstSix: '411111',
      lastFour: '1111',
      fingerprints: reported.cardFingerprints ?? [randomBytes(32)],
    },
    isCardStored: false,
    buyer: { ...NO_BUYER, documentNumber: document, email, ipAddress },
    antiFraudCode: randomUUID(),
    session,
    split: null,
    moment: instant(Date.now()),
  };
}

async function countsOf(merchantId: string, subject: Subject, print: Buffer | null) {
  const { value } = await findCounts({ merchantId, prints: [{ subject, print }] });
  return value?.[subject];
}

const newMerchant = () => `LOJA${randomBytes(4).toString('hex')}`;

/** What the payment walk does with a decision: nothing for a reject, else the intent. */
async function recordSale(sale: Sale, decided: DecidedSale): Promise<WalkIntent | null> {
  if (decided.verdict === 'reject') return null;
  const row: WalkIntent = {
    merchantId: sale.merchantId,
    transactionId: newId(),
    sourceHash: randomBytes(32),
    // The one that the transaction keeps is not the one that is counted.
    cardFingerprint: randomBytes(32),
    codeToClaim: null,
    attempt: decided.attempt,
    verdict: decided.verdict,
    reasons: decided.reasons.join(','),
  };
  assert.equal(await commit(row), 'committed');
  return row;
}

async function sell(tools: DecideTools, sale: Sale): Promise<DecidedSale & { row: WalkIntent | null }> {
  const decided = await decideSale(tools, sale, deadline());
  return { ...decided, row: await recordSale(sale, decided) };
}

async function verdictsOf(tools: DecideTools, sales: readonly Sale[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const sale of sales) verdicts.push((await sell(tools, sale)).verdict);
  return verdicts;
}

const timesThree = (sale: Sale): Sale[] => [sale, sale, sale];

async function moveBack(merchantId: string, interval: string): Promise<void> {
  await auditor.query(
    'update velocity_events set attempted_at = attempted_at - $2::interval where merchant_id = $1',
    [merchantId, interval],
  );
}

test('a shop where many different cards are tried is looked at, where the operator asks for it', async () => {
  const tools = toolsWith('merchant/hour/cards/3=review');
  const merchantId = newMerchant();
  const verdicts = await verdictsOf(
    tools,
    Array.from({ length: 4 }, () => saleOf(merchantId)),
  );
  assert.deepEqual(verdicts, ['accept', 'accept', 'accept', 'review']);
});

test('a card that is tried too often is rejected, until the window has moved on', async () => {
  const tools = toolsWith('card/hour/attempts/3=reject card/day/attempts/4=review');
  const sale = saleOf(newMerchant());
  assert.deepEqual(await verdictsOf(tools, timesThree(sale)), ['accept', 'accept', 'accept']);
  const fourth = await sell(tools, sale);
  assert.equal(fourth.verdict, 'reject');
  assert.deepEqual(fourth.reasons, ['card/hour/attempts']);
  assert.equal(fourth.attempt, null, 'a reject is not counted');
  assert.equal((await sell(tools, saleOf(sale.merchantId))).verdict, 'accept', 'another card');
  await moveBack(sale.merchantId, '59 minutes');
  assert.equal((await sell(tools, sale)).verdict, 'reject');
  await moveBack(sale.merchantId, '1 minute');
  assert.equal((await sell(tools, sale)).verdict, 'accept');
  assert.equal((await sell(tools, sale)).verdict, 'review', 'four in a day');
  await moveBack(sale.merchantId, '24 hours');
  assert.equal((await sell(tools, sale)).verdict, 'accept');
});

test('many cards from one buyer, one address or one device are what a card tester does', async () => {
  for (const [subject, reported] of [
    ['document', { document: '529.982.247-25' }],
    ['address', { ipAddress: '203.0.113.7' }],
    ['device', 'session'],
  ] as const) {
    const tools = toolsWith(`${subject}/hour/cards/3=reject`);
    const merchantId = newMerchant();
    const session = codeFingerprints(KEYRING, merchantId, { ipAddress: null, deviceId: 'aparelho-1' });
    const known = reported === 'session' ? { session } : reported;
    const cardFingerprint = randomBytes(32);
    const withOne = () => saleOf(merchantId, { ...known, cardFingerprints: [cardFingerprint] });
    assert.deepEqual(await verdictsOf(tools, timesThree(withOne())), ['accept', 'accept', 'accept'], subject);
    const withOther = () => saleOf(merchantId, known);
    assert.deepEqual(await verdictsOf(tools, [withOther(), withOther()]), ['accept', 'accept'], subject);
    assert.equal((await sell(tools, withOther())).verdict, 'reject', subject);
    assert.equal(
      (await sell(tools, saleOf(merchantId))).verdict,
      'accept',
      'a buyer of whom nothing is told',
    );
    const elsewhere = newMerchant();
    const there = codeFingerprints(KEYRING, elsewhere, { ipAddress: null, deviceId: 'aparelho-1' });
    const same = reported === 'session' ? { session: there } : reported;
    assert.equal((await sell(tools, saleOf(elsewhere, same))).verdict, 'accept', 'at another merchant');
  }
});

test('what was counted before a rotation of keys is counted after it, by code and by payment', async () => {
  const merchantId = newMerchant();
  const keyring = testKeyring();
  const reported = { ipAddress: '203.0.113.7', deviceId: 'aparelho-1' };
  const early = codeFingerprints(keyring, merchantId, reported);
  const read = readVelocityRules('device/hour/attempts/2=review address/hour/declines/2=reject');
  assert.ok('rules' in read);
  const tools = toolsOf(velocityOf({ keyring, findCounts }, read.rules));
  const { row } = await sell(tools, saleOf(merchantId, { session: early }));
  keyring.rotate();
  const late = await sell(
    tools,
    saleOf(merchantId, { session: codeFingerprints(keyring, merchantId, reported) }),
  );
  assert.equal(late.verdict, 'accept');
  keyring.rotate();
  const session = codeFingerprints(keyring, merchantId, reported);
  const third = await decideSale(tools, saleOf(merchantId, { session }), deadline());
  assert.deepEqual([third.verdict, third.reasons], ['review', ['device/hour/attempts']]);
  await endAll(database, [row, late.row] as WalkIntent[], 'declined');
  const fourth = await decideSale(tools, saleOf(merchantId, { ipAddress: '203.0.113.7' }), deadline());
  assert.deepEqual([fourth.verdict, fourth.reasons], ['reject', ['address/hour/declines']]);
});

test('one document with and without its mask is one buyer, and a network of IPv6 is one address', async () => {
  for (const [rules, reportings] of [
    ['document/hour/attempts/1=reject', [{ document: '529.982.247-25' }, { document: '52998224725' }]],
    ['document/hour/attempts/1=reject', [{ document: '12.abc.345/01de-35' }, { document: '12ABC34501DE35' }]],
    ['address/hour/attempts/1=reject', [{ ipAddress: '2001:db8::1' }, { ipAddress: '2001:db8:0:0:9::2' }]],
    ['address/hour/attempts/1=reject', [{ ipAddress: '192.0.2.1' }, { ipAddress: ' ::ffff:192.0.2.1 ' }]],
  ] as const) {
    const merchantId = newMerchant();
    const sales = reportings.map((reported) => saleOf(merchantId, reported));
    assert.deepEqual(await verdictsOf(toolsWith(rules), sales), ['accept', 'reject']);
  }
});

test('an address that only the page reported is counted too, and what the payment reports comes before it', async () => {
  const tools = toolsWith('address/hour/attempts/1=reject');
  const merchantId = newMerchant();
  const session = codeFingerprints(KEYRING, merchantId, { ipAddress: '203.0.113.7', deviceId: null });
  const reported = [
    { ipAddress: '203.0.113.7' },
    { session },
    { session, ipAddress: '203.0.113.8' },
    { session, ipAddress: 'unknown' },
  ];
  const sales = reported.map((known) => saleOf(merchantId, known));
  assert.deepEqual(await verdictsOf(tools, sales), ['accept', 'reject', 'accept', 'reject']);
});

test('what is no address is nobody: buyers are not thrown together for it', async () => {
  const tools = toolsWith('address/hour/attempts/1=reject');
  const merchantId = newMerchant();
  const sales = ['unknown', '', '999.1.1.1', 'unknown'].map((ipAddress) => saleOf(merchantId, { ipAddress }));
  assert.deepEqual(await verdictsOf(tools, sales), ['accept', 'accept', 'accept', 'accept']);
});

test('what is no CPF and no CNPJ is nobody: a word in its place does not make all buyers one', async () => {
  const tools = toolsWith('document/hour/attempts/1=reject');
  for (const document of ['00000000000', '11111111111', 'N/A', '52998224724', '00000000000000', '']) {
    const merchantId = newMerchant();
    const sales = timesThree(saleOf(merchantId, { document }));
    assert.deepEqual(await verdictsOf(tools, sales), ['accept', 'accept', 'accept'], document);
  }
});

test('only under keys of the last 25 hours is anything looked up, for older attempts nobody keeps', async () => {
  const keyring = testKeyring();
  const reported = { ipAddress: '203.0.113.7', deviceId: 'aparelho-1' };
  for (const hoursAgo of [400, 300, 26, 24, 1]) keyring.rotate(hoursAgo);
  const read = readVelocityRules('device/hour/attempts/2=review document/hour/cards/2=review');
  assert.ok('rules' in read);
  const tools = toolsOf(velocityOf({ keyring, findCounts }, read.rules));
  const merchantId = newMerchant();
  const session = codeFingerprints(keyring, merchantId, reported);
  const card = cardFingerprints(keyring, merchantId, TEST_CARD);
  assert.deepEqual(
    [session.addressFingerprints.length, session.deviceFingerprints.length, card.length],
    [3, 3, 3],
  );
  looks.length = 0;
  await decideSale(tools, saleOf(merchantId, { session, document: '52998224725' }), deadline());
  assert.deepEqual(looks, [6]);
});

test('declines count from the moment that the issuer has said no', async () => {
  const tools = toolsWith('card/day/declines/2=reject merchant/minute/declines/2=review');
  const sale = saleOf(newMerchant());
  const rows: WalkIntent[] = [];
  for (const each of timesThree(sale)) rows.push((await sell(tools, each)).row as WalkIntent);
  assert.equal((await sell(tools, sale)).verdict, 'accept');
  await endAll(database, rows.slice(0, 1), 'declined');
  await endAll(database, rows.slice(1, 2), 'voided');
  assert.equal((await sell(tools, sale)).verdict, 'accept', 'one was declined, one had no answer');
  await endAll(database, rows.slice(2), 'declined');
  const next = await sell(tools, sale);
  assert.equal(next.verdict, 'reject');
  assert.deepEqual(next.reasons, ['card/day/declines', 'merchant/minute/declines']);
  const other = await sell(tools, saleOf(sale.merchantId));
  assert.deepEqual([other.verdict, other.reasons], ['review', ['merchant/minute/declines']]);
});

test('a sale under review is charged, and its transaction says why', async () => {
  const tools = toolsWith('card/hour/attempts/1=review');
  const sale = saleOf(newMerchant());
  await sell(tools, sale);
  const { row } = await sell(tools, sale);
  const [found] = await auditor.query(
    'select anti_fraud_verdict, anti_fraud_reasons from transactions where transaction_id = $1',
    [row?.transactionId],
  );
  assert.deepEqual(found, { anti_fraud_verdict: 'review', anti_fraud_reasons: 'card/hour/attempts' });
});

test('all subjects of many sales that ask at once are counted in few statements, equal ones once', async () => {
  const tools = toolsWith(
    'card/hour/attempts/9=review document/hour/cards/9=review address/hour/cards/9=review merchant/hour/declines/9=review',
  );
  const merchantId = newMerchant();
  const sales = Array.from({ length: 30 }, (_, index) =>
    saleOf(merchantId, { document: cpfOf(index), ipAddress: '203.0.113.7' }),
  );
  looks.length = 0;
  await Promise.all(sales.map((sale) => decideSale(tools, sale, deadline())));
  assert.deepEqual(looks, [62], '30 cards, 30 documents, one address, one merchant');
});

test('a burst exceeds a limit by those that were decided at once, and the next sale meets all of them', async () => {
  const tools = toolsWith('card/minute/attempts/5=reject');
  const sale = saleOf(newMerchant());
  const burst = await Promise.all(Array.from({ length: 20 }, () => sell(tools, sale)));
  assert.ok(burst.filter(({ verdict }) => verdict === 'accept').length >= 5);
  assert.equal((await sell(tools, sale)).verdict, 'reject');
  const later = await Promise.all(Array.from({ length: 20 }, () => sell(tools, sale)));
  assert.ok(later.every(({ verdict }) => verdict === 'reject'));
});

test('a burst of sales, each with every subject and several keys, is counted and not waved through', async () => {
  const keyring = testKeyring();
  for (let rotations = 0; rotations < 3; rotations += 1) keyring.rotate();
  const read = readVelocityRules(
    'card/hour/attempts/9=reject document/hour/cards/9=reject address/hour/cards/9=reject device/hour/cards/9=reject',
  );
  assert.ok('rules' in read);
  const tools = toolsOf(velocityOf({ keyring, findCounts }, read.rules));
  const merchantId = newMerchant();
  const sales = Array.from({ length: 1_500 }, (_, index) => {
    const ipAddress = `10.1.${index >> 8}.${index & 255}`;
    const session = codeFingerprints(keyring, merchantId, { ipAddress, deviceId: `aparelho-${index}` });
    const number = String(5_155_901_222_280_000 + index);
    return saleOf(merchantId, {
      session,
      document: cpfOf(index),
      cardFingerprints: cardFingerprints(keyring, merchantId, number),
    });
  });
  const decided = await Promise.all(sales.map((sale) => decideSale(tools, sale, deadline())));
  assert.ok(decided.every(({ verdict }) => verdict === 'accept'));
});

test('too many sales at once are asked to come again: that is no silence of the decider', async () => {
  const full: Decider = {
    ...SILENT,
    decide: () => Promise.reject(new Overloaded('too many wait to be counted')),
  };
  for (const verdictWhenSilent of ['accept', 'review', 'reject'] as const) {
    const tools = toolsOf(full, { verdictWhenSilent });
    await assert.rejects(decideSale(tools, saleOf(newMerchant()), deadline()), Overloaded);
  }
});

test('sales of one merchant, all at once and under every rule, are all counted', async () => {
  const tools = toolsWith('merchant/hour/attempts/500=review card/hour/attempts/500=review');
  const merchantId = newMerchant();
  const cardFingerprint = randomBytes(32);
  await Promise.all(
    Array.from({ length: 400 }, () =>
      sell(tools, saleOf(merchantId, { cardFingerprints: [cardFingerprint] })),
    ),
  );
  const card = await countsOf(merchantId, 'card', cardFingerprint);
  assert.equal(card?.minute.attempts, 400);
  const merchant = await countsOf(merchantId, 'merchant', null);
  assert.deepEqual(merchant?.day, { attempts: 400, declines: 0, cards: 1 });
});

test('the newest 500 tries of a subject are looked at, so that no sale pays for an endless past', async () => {
  const merchantId = newMerchant();
  await auditor.query(
    `insert into velocity_events (merchant_id, transaction_id, attempted_at, card_fingerprint, is_declined)
     select $1, gen_random_uuid(), now() - n * interval '1 second', sha256(n::text::bytea), n > 500
     from generate_series(1, 900) n`,
    [merchantId],
  );
  const counts = await countsOf(merchantId, 'merchant', null);
  assert.deepEqual(counts?.hour, { attempts: 500, declines: 0, cards: 500 });
});

test('the counts are those of the tries within each window, whatever the tries', async () => {
  const kinds = { minute: 60, hour: 3_600, day: 86_400 };
  const attempt = fc.record({
    // Never within three seconds of an edge: the test cannot stop the clock.
    secondsAgo: fc.oneof(
      fc.integer({ min: 0, max: 57 }),
      fc.integer({ min: 63, max: 3_597 }),
      fc.integer({ min: 3_603, max: 86_397 }),
      fc.integer({ min: 86_403, max: 99_999 }),
    ),
    card: fc.integer({ min: 1, max: 4 }),
    isDeclined: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { maxLength: 40 }), async (attempts) => {
      const merchantId = newMerchant();
      const print = randomBytes(32);
      await auditor.query(
        `insert into velocity_events (merchant_id, transaction_id, attempted_at, card_fingerprint, device_fingerprint, is_declined)
         select $1, gen_random_uuid(), now() - s * interval '1 second', sha256(c::text::bytea), $2, d
         from unnest($3::integer[], $4::integer[], $5::boolean[]) as i (s, c, d)`,
        [
          merchantId,
          print,
          attempts.map(({ secondsAgo }) => secondsAgo),
          attempts.map(({ card }) => card),
          attempts.map(({ isDeclined }) => isDeclined),
        ],
      );
      const counts = await countsOf(merchantId, 'device', print);
      for (const [window, seconds] of Object.entries(kinds)) {
        const within = attempts.filter(({ secondsAgo }) => secondsAgo < seconds);
        assert.deepEqual(counts?.[window as keyof typeof kinds], {
          attempts: within.length,
          declines: within.filter(({ isDeclined }) => isDeclined).length,
          cards: new Set(within.map(({ card }) => card)).size,
        });
      }
    }),
    { numRuns: 40 },
  );
});

test('nothing of the buyer stands in the table in clear, and a print is worth nothing at another merchant', async () => {
  const tools = toolsWith('card/hour/attempts/9=review');
  const reported = { document: '52998224725', ipAddress: '203.0.113.7', email: 'ana@example.com' };
  const [one, other] = [newMerchant(), newMerchant()];
  for (const merchantId of [one, other]) {
    await sell(
      tools,
      saleOf(merchantId, { ...reported, cardFingerprints: cardFingerprints(KEYRING, merchantId, TEST_CARD) }),
    );
  }
  const rows = await auditor.query(
    'select a::text as text, * from velocity_events a where merchant_id in ($1, $2)',
    [one, other],
  );
  assert.equal(rows.length, 2);
  for (const { text } of rows) {
    for (const clear of ['52998224725', '203.0.113.7', 'ana@example.com', TEST_CARD]) {
      const hex = Buffer.from(clear).toString('hex');
      assert.ok(!String(text).includes(clear) && !String(text).includes(hex));
    }
  }
  for (const column of ['card_fingerprint', 'document_fingerprint', 'address_fingerprint'] as const) {
    const [print, otherPrint] = rows.map((row) => (row[column] as Buffer).toString('hex'));
    assert.notEqual(print, otherPrint);
  }
});

test('without rules nothing is asked, nothing is counted and everything is accepted', async () => {
  const tools = toolsWith('');
  const sale = saleOf(newMerchant());
  looks.length = 0;
  assert.deepEqual(await verdictsOf(tools, timesThree(sale)), ['accept', 'accept', 'accept']);
  assert.deepEqual(looks, []);
  const rows = await auditor.query('select 1 from velocity_events where merchant_id = $1', [sale.merchantId]);
  assert.equal(rows.length, 0);
});

test('in homologation three buyers decide by themselves, in production they are buyers', async () => {
  const rules = 'card/hour/attempts/1=reject';
  const homologation = toolsWith(rules, { takesTriggers: true });
  const production = toolsWith(rules);
  for (const wanted of ['accept', 'review', 'reject'] as const) {
    const sale = saleOf(newMerchant(), { email: `${wanted}@test.com` });
    assert.deepEqual(await verdictsOf(homologation, timesThree(sale)), [wanted, wanted, wanted]);
    const fresh = saleOf(newMerchant(), { email: `${wanted}@test.com` });
    assert.deepEqual(await verdictsOf(production, [fresh, fresh]), ['accept', 'reject']);
  }
});

test('a decider that fails, or is silent until the deadline, leaves the verdict that the operator set', async () => {
  let wasStopped = false;
  const silent: Decider = {
    ...SILENT,
    decide: (_, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          wasStopped = true;
          resolve(ACCEPTED);
        }),
      ),
  };
  const failing: Decider = { ...silent, decide: () => Promise.reject(new Error('out of order')) };
  const throwing: Decider = {
    ...silent,
    decide: () => {
      throw new Error('out of order');
    },
  };
  const sale = saleOf(newMerchant());
  const warnings: unknown[] = [];
  for (const verdict of ['accept', 'review', 'reject'] as const) {
    for (const decider of [silent, failing, throwing]) {
      const tools = toolsOf(decider, {
        verdictWhenSilent: verdict,
        warnOfSilence: (_, error) => warnings.push(error),
      });
      const { reasons, ...decided } = await decideSale(tools, sale, deadline());
      assert.deepEqual([decided.verdict, reasons], [verdict, ['silent']]);
    }
  }
  assert.equal(warnings.length, 9);
  assert.ok(wasStopped, 'and it is told that nobody waits any more');
});

test('deciders are asked in their order, the strictest decides, and a reject spares those behind it', async () => {
  const reviewed: Decision = { verdict: 'review', reasons: ['card/hour/attempts'] };
  const rejected: Decision = { verdict: 'reject', reasons: ['provider/stolen'] };
  for (const [said, wanted, wantedAsked] of [
    [[ACCEPTED, ACCEPTED], ACCEPTED, 2],
    [[reviewed, ACCEPTED], reviewed, 2],
    [[ACCEPTED, reviewed], reviewed, 2],
    [[reviewed, rejected], { verdict: 'reject', reasons: ['card/hour/attempts', 'provider/stolen'] }, 2],
    [[rejected, reviewed], rejected, 1],
  ] as const) {
    const asked: Sale[] = [];
    const deciders = said.map((decision) => deciderThatSays(decision, asked));
    const tools = toolsOf(deciderThatSays(ACCEPTED), { deciders });
    const { attempt: _, ...decided } = await decideSale(tools, saleOf(newMerchant()), deadline());
    assert.deepEqual(decided, { ...wanted, provider: null });
    assert.equal(asked.length, wantedAsked);
  }
});

test('a decider that is silent does not keep the one behind it from rejecting', async () => {
  const failing: Decider = { ...SILENT, decide: () => Promise.reject(new Error('out of order')) };
  const rejecting = deciderThatSays({ verdict: 'reject', reasons: ['provider/stolen'] });
  const silences: string[] = [];
  const tools = toolsOf(failing, {
    deciders: [failing, rejecting],
    verdictWhenSilent: 'accept',
    warnOfSilence: (decider) => silences.push(decider),
  });
  const { verdict, reasons } = await decideSale(tools, saleOf(newMerchant()), deadline());
  assert.deepEqual([verdict, reasons], ['reject', ['silent', 'provider/stolen']]);
  assert.deepEqual(silences, ['test']);
});

test('when the attempts cannot be counted, that is silence too', async () => {
  const away = openDatabase(
    { ...testDatabase.address, database: `gone_${randomUUID().slice(0, 8)}` },
    () => {},
  );
  const read = readVelocityRules('card/hour/attempts/1=reject');
  assert.ok('rules' in read);
  const tools = { keyring: KEYRING, findCounts: batchReads(countsRead(away, true)) };
  const decided = await decideSale(
    toolsOf(velocityOf(tools, read.rules), { warnOfSilence: () => {} }),
    saleOf(newMerchant()),
    deadline(),
  );
  await away.close();
  assert.equal(decided.verdict, 'review');
  assert.notEqual(decided.attempt, null, 'it is counted all the same');
});

test('an attempt is kept longer than the longest window, and not much longer', async () => {
  const tools = toolsWith('card/hour/attempts/9=review');
  const sale = saleOf(newMerchant());
  await sell(tools, sale);
  const [row] = await auditor.query(
    'select extract(epoch from expires_at - attempted_at)::float8 / 3600 as hours from velocity_events where merchant_id = $1',
    [sale.merchantId],
  );
  assert.equal(row?.hours, 25);
});

test('attempts that no window reaches are forgotten in bounded batches', async () => {
  const merchantId = newMerchant();
  await auditor.query(
    `insert into velocity_events (merchant_id, transaction_id, expires_at, card_fingerprint)
     select $1, gen_random_uuid(), now() + (case when n <= 3 then '1 minute' else '-1 second' end)::interval, '\\x00'
     from generate_series(1, 1203) n`,
    [merchantId],
  );
  const work = forgetAntiFraud(database);
  const { signal } = new AbortController();
  const left = async () =>
    (await auditor.query('select 1 from velocity_events where merchant_id = $1', [merchantId])).length;
  await work.runDue(signal);
  assert.ok((await left()) >= 203, 'a thousand at once');
  await until('the others are gone', async () => {
    await work.runDue(signal);
    return (await left()) === 3;
  });
});
