import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { codesRead, codesWrite } from '../../src/antifraud/codes.sql.ts';
import { createAntiFraudCode } from '../../src/antifraud/endpoints.ts';
import { findAntiFraudCode } from '../../src/antifraud/find-anti-fraud-code.ts';
import { codeFingerprints } from '../../src/antifraud/fingerprints.ts';
import { forgetAntiFraud } from '../../src/antifraud/module.ts';

import { requestsRead } from '../../src/idempotency/idempotency-keys.sql.ts';
import { newId } from '../../src/platform/chance.ts';
import { batchReads } from '../../src/platform/postgres/batched-reads.ts';
import { type BatchedWrite, batchWrites } from '../../src/platform/postgres/batched-writes.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { NO_DEADLINE, withServerTimes } from '../../src/platform/postgres/deadline.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { type Auditor, openAuditor, until } from '../kit/service.ts';
import { approve, endAll, testKeyring, type WalkIntent, type WalkResult, walkIntents } from './walk.ts';

const MERCHANT = 'LOJA1';
const DEADLINE_MILLISECONDS = 30_000;

let testDatabase: TestDatabase;
let auditor: Auditor;
/** Two processes on one database. */
let databases: Database[];
let writers: BatchedWrite<WalkIntent, WalkResult>[];
/** Statements that failed: a batch that was split. */
const errors: unknown[] = [];
let createTools: Parameters<typeof createAntiFraudCode>[0];
let production: Parameters<typeof findAntiFraudCode>[0];

before(async () => {
  testDatabase = await createTestDatabase({ migrated: true });
  auditor = openAuditor(testDatabase.address);
  databases = [1, 2].map(() => openDatabase(testDatabase.address, () => {}));
  writers = databases.map((database) => {
    const options = walkIntents(database);
    const write: typeof options.write = (rows, deadlines) =>
      options.write(rows, deadlines).catch((error) => {
        errors.push(error);
        throw error;
      });
    return batchWrites({ ...options, write });
  });
  const [database] = databases as [Database];
  createTools = {
    keyring: testKeyring(),
    findRequest: batchReads(requestsRead(database)),
    writeCode: batchWrites(codesWrite(database)),
  };
  production = { findCode: batchReads(codesRead(database)), mustCodesBeIssued: true };
});
after(async () => {
  await auditor.close();
  await Promise.all(databases.map((database) => database.close()));
  await testDatabase.drop();
});

const deadline = () => performance.now() + DEADLINE_MILLISECONDS;
const newCode = (merchantId = MERCHANT, reported = NOTHING_REPORTED, tools = createTools) =>
  createAntiFraudCode(tools, merchantId, reported, NO_KEY, deadline()).then((once) => {
    assert.ok('result' in once);
    return once.result;
  });
const NO_KEY = { idempotency: null, body: {} };
const NOTHING_REPORTED: { ipAddress: string | null; deviceId: string | null } = {
  ipAddress: null,
  deviceId: null,
};

function intent(change: Partial<WalkIntent> = {}): WalkIntent {
  return {
    merchantId: MERCHANT,
    transactionId: newId(),
    sourceHash: randomBytes(32) as Buffer | null,
    cardFingerprint: randomBytes(32),
    codeToClaim: null,
    attempt: null,
    verdict: 'accept',
    reasons: '',
    ...change,
  };
}

const commit = (row: WalkIntent, process = 0) =>
  (writers[process] as BatchedWrite<WalkIntent, WalkResult>)(row, deadline());

async function mayUse(code: string, merchantId = MERCHANT): Promise<boolean> {
  return (await findAntiFraudCode(production, merchantId, code)) !== 'codeUnusable';
}

async function claimOf(code: string): Promise<unknown> {
  return (await auditor.query('select transaction_id from anti_fraud_codes where code = $1', [code]))[0]
    ?.transaction_id;
}

test('a code is good for one approval: while it is in use nobody else can use it', async () => {
  const code = await newCode();
  assert.ok(await mayUse(code));
  assert.ok(await mayUse(code.toUpperCase()), 'a GUID may be written in capitals');
  const first = intent({ codeToClaim: code });
  assert.equal(await commit(first), 'committed');
  assert.equal(await claimOf(code), first.transactionId);
  assert.ok(!(await mayUse(code)));
  assert.equal(await commit(intent({ codeToClaim: code })), 'codeUsed');
});

test('an outcome that comes when another process has the charge is not written', async () => {
  const [database] = databases as [Database];
  const late = intent({});
  assert.equal(await commit(late), 'committed');
  const { transactionId } = late;
  await auditor.query('update transactions set fence = fence + 1 where transaction_id = $1', [transactionId]);
  await endAll(database, [late], 'declined');
  const state = 'select state from transactions where transaction_id = $1';
  assert.deepEqual(await auditor.query(state, [transactionId]), [{ state: 'charging' }]);
});

test('of approvals that wait for their row one is written, and none once another process has the charge', async () => {
  const holder = new pg.Client(testDatabase.address);
  await holder.connect();
  try {
    for (const isTaken of [true, false]) {
      const late = intent({});
      assert.equal(await commit(late), 'committed');
      await holder.query('begin');
      await holder.query('update transactions set fence = fence + $2 where transaction_id = $1', [
        late.transactionId,
        Number(isTaken),
      ]);
      const approvals = Promise.all(databases.map((database) => approve(database, late)));
      await until('both wait for the row', async () => {
        const waiting = await auditor.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return waiting.length === 2;
      });
      await holder.query('commit');
      const isRecorded = !isTaken;
      assert.deepEqual(await approvals, [{ isRecorded }, { isRecorded }]);
      const [found] = await auditor.query(
        `select state, (select count(*)::int from installments i where i.transaction_id = t.transaction_id) as parts,
           (select count(*)::int from movements m where m.transaction_id = t.transaction_id) as movements,
           (select count(*)::int from shares s where s.transaction_id = t.transaction_id) as shares
         from transactions t where transaction_id = $1`,
        [late.transactionId],
      );
      const [state, each] = isTaken ? ['charging', 0] : ['approved', 1];
      assert.deepEqual(found, { state, parts: each, movements: each, shares: each });
    }
  } finally {
    await holder.end();
  }
});

test('a declined payment gives the code back, and so does one that was voided', async () => {
  const [database] = databases as [Database];
  for (const state of ['declined', 'voided'] as const) {
    const code = await newCode();
    const first = intent({ codeToClaim: code });
    await commit(first);
    assert.equal(await endAll(database, [first], state), 1);
    assert.ok(await mayUse(code), state);
    const second = intent({ codeToClaim: code });
    assert.equal(await commit(second), 'committed');
    // A late end of the first is not the second's.
    assert.equal(await endAll(database, [first], state), 0);
    assert.equal(await claimOf(code), second.transactionId);
  }
});

test('unknown, expired and foreign codes are refused alike, also when the page asked before they expired', async () => {
  const expired = await newCode();
  const ofAnother = await newCode('LOJA2');
  assert.ok(await mayUse(expired));
  await auditor.query(
    `update anti_fraud_codes set expires_at = now() - interval '1 second' where code = $1`,
    [expired],
  );
  for (const code of [randomUUID(), expired, ofAnother]) {
    assert.equal(await findAntiFraudCode(production, MERCHANT, code), 'codeUnusable');
    assert.equal(await commit(intent({ codeToClaim: code })), 'codeUsed');
  }
  assert.ok(await mayUse(ofAnother, 'LOJA2'));
});

test('a code keeps what its page reported under every key that compares, so that a rotation of keys forgets no device', async () => {
  const keyring = testKeyring();
  const reported = { ipAddress: '203.0.113.7', deviceId: 'aparelho-1' };
  for (const keys of [1, 2, 3]) {
    const code = await newCode(MERCHANT, reported, { ...createTools, keyring });
    const found = await findAntiFraudCode(production, MERCHANT, code);
    assert.ok(found !== 'codeUnusable');
    assert.deepEqual(found.session, codeFingerprints(keyring, MERCHANT, reported));
    assert.equal(found.session.deviceFingerprints.length, keys);
    keyring.rotate();
  }
});

test('a stored card has nothing to claim but its code', async () => {
  const code = await newCode();
  const first = intent({ sourceHash: null, codeToClaim: code });
  assert.equal(await commit(first), 'committed');
  assert.equal(await commit(first, 1), 'committed', 'the same intent again');
  assert.equal(await claimOf(code), first.transactionId);
  assert.equal(await commit(intent({ sourceHash: null, codeToClaim: code })), 'codeUsed');
  assert.equal(await commit(intent({ sourceHash: null })), 'committed');
});

test('homologation takes any GUID, as often as wanted, and claims nothing', async () => {
  const homologation = { ...production, mustCodesBeIssued: false };
  const code = randomUUID();
  for (let time = 0; time < 3; time += 1) {
    const found = await findAntiFraudCode(homologation, MERCHANT, code);
    assert.ok(found !== 'codeUnusable');
    assert.equal(await commit(intent({ codeToClaim: found.codeToClaim })), 'committed');
  }
});

test('a card that is in use leaves the code free, and a code that is in use leaves the card free', async () => {
  const [code, used] = [await newCode(), await newCode()];
  const sourceHash = randomBytes(32);
  assert.equal(await commit(intent({ sourceHash })), 'committed');
  assert.equal(await commit(intent({ sourceHash, codeToClaim: code })), 'sourceUsed');
  assert.equal(await claimOf(code), null);
  assert.equal(await commit(intent({ codeToClaim: used })), 'committed');
  const free = randomBytes(32);
  assert.equal(await commit(intent({ sourceHash: free, codeToClaim: used })), 'codeUsed');
  assert.equal(await commit(intent({ sourceHash: free, codeToClaim: code })), 'committed');
  assert.deepEqual(errors, [], 'a refusal is no error: nobody else in the batch hears of it');
});

test('the same intent written again after a lost connection is the same intent', async () => {
  const [one, other] = [intent({ codeToClaim: await newCode() }), intent({ codeToClaim: await newCode() })];
  assert.equal(await commit(one), 'committed');
  assert.deepEqual(await Promise.all([commit(one, 1), commit(other, 1)]), ['committed', 'committed']);
});

test('an intent that arrives a second time after its decline takes neither card nor code again', async () => {
  const [database] = databases as [Database];
  const code = await newCode();
  const first = intent({ codeToClaim: code });
  await commit(first);
  await endAll(database, [first], 'declined');
  // As a server may run a statement late whose connection broke, long after the caller has sent it again.
  await assert.rejects(walkIntents(database).write([first], [NO_DEADLINE]), { code: '22012' });
  assert.ok(await mayUse(code));
  const again = intent({ codeToClaim: code, sourceHash: first.sourceHash });
  assert.equal(await commit(again), 'committed');
});

test('of many payments at once with the same codes and cards, each code and each card pays once', async () => {
  const codes = await Promise.all(Array.from({ length: 40 }, () => newCode()));
  const carriers = Array.from({ length: 40 }, () => randomBytes(32));
  const pick = <T>(from: readonly T[], position: number): T => from[position % from.length] as T;
  const intents = Array.from({ length: 600 }, (_, index) =>
    intent({
      codeToClaim: pick(codes, index * 7),
      // Every tenth pays by a stored card, which has no claim.
      sourceHash: index % 10 === 0 ? null : pick(carriers, index * 11 + (index >> 4)),
    }),
  );
  const results = await Promise.all(intents.map((row, index) => commit(row, index % 2)));
  assert.deepEqual(errors, [], 'no deadlock, and no batch was split');
  const written = intents.filter((_, index) => results[index] === 'committed');
  assert.ok(written.length >= 20, `${written.length} were written`);
  assert.equal(new Set(written.map(({ codeToClaim }) => codeToClaim)).size, written.length);
  const claimed = written.flatMap(({ sourceHash }) =>
    sourceHash === null ? [] : [sourceHash.toString('hex')],
  );
  assert.equal(new Set(claimed).size, claimed.length);
  const ids = new Set(written.map(({ transactionId }) => transactionId));
  const claims = await auditor.query(
    `select c.code, c.transaction_id, t.anti_fraud_code, k.source_hash is not distinct from t.source_hash as is_same_carrier
     from anti_fraud_codes c join transactions t using (merchant_id, transaction_id)
     left join card_source_locks k using (merchant_id, transaction_id) where c.code = any($1)`,
    [codes],
  );
  assert.equal(
    claims.length,
    written.length,
    'every code in use belongs to a transaction that has its card in use',
  );
  for (const claim of claims) {
    assert.ok(ids.has(claim.transaction_id as string));
    assert.equal(claim.code, claim.anti_fraud_code);
    assert.equal(claim.is_same_carrier, true);
  }
  const stray = await auditor.query(
    `select 1 from card_source_locks k left join transactions t using (merchant_id, transaction_id)
     where t.transaction_id is null
     union all
     select 1 from anti_fraud_codes c left join transactions t using (merchant_id, transaction_id)
     where c.transaction_id is not null and t.transaction_id is null`,
  );
  assert.deepEqual(stray, [], 'no claim without its transaction');
});

test('a payment that comes while another is taking the same code waits for it, and is refused', async () => {
  const code = await newCode();
  const [first, second] = [intent({ codeToClaim: code }), intent({ codeToClaim: code })];
  const slow = new pg.Client(testDatabase.address);
  await slow.connect();
  await slow.query('begin');
  const query: Database['query'] = async ({ text }, values) =>
    (await slow.query(text, [...(await withServerTimes(slow as unknown as pg.PoolClient, values))])).rows;
  await walkIntents({ query }).write([first], [NO_DEADLINE]);
  const answer = commit(second);
  await until('the second waits for the first', async () => {
    const waiting = await auditor.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  await slow.query('commit');
  await slow.end();
  assert.equal(await answer, 'codeUsed');
  assert.equal(await claimOf(code), first.transactionId);
});

test('codes that are over are forgotten in bounded batches, and live ones stay', async () => {
  const live = await newCode();
  await auditor.query(
    `insert into anti_fraud_codes (merchant_id, code, expires_at)
     select 'LOJA3', gen_random_uuid(), now() - interval '2 minutes' from generate_series(1, 1500)`,
  );
  const work = forgetAntiFraud(databases[0] as Database);
  const { signal } = new AbortController();
  const left = async () => {
    const [row] = await auditor.query(
      `select count(*)::integer as count from anti_fraud_codes where merchant_id = 'LOJA3'`,
    );
    return row?.count;
  };
  await work.runDue(signal);
  assert.equal(await left(), 500);
  await until('the others are gone', async () => {
    await work.runDue(signal);
    return (await left()) === 0;
  });
  assert.ok((work.millisecondsUntilDue?.(undefined) ?? 0) > 1_000, 'then it rests');
  assert.ok(await mayUse(live));
});
