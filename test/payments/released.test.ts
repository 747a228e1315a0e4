import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { Deadline } from '../../src/platform/postgres/deadline.ts';
import { createWakeSignal } from '../../src/platform/work/wake-signal.ts';
import { NO_NETWORK_REFERENCE } from '../../src/providers/acquirers/network-reference.ts';
import { expireSome } from '../../src/transactions/methods/card/module.ts';
import {
  expirePreauthorizations,
  preauthorizationsWrite,
} from '../../src/transactions/methods/card/preauthorizations.sql.ts';
import type { Instant } from '../../src/values/instant.ts';
import { createTestDatabase } from '../kit/database.ts';
import { call } from '../kit/merchant.ts';
import { openAuditor, until } from '../kit/service.ts';
import { captureOf, ledgerOf, preauthorize } from './preauthorized.ts';
import { openResolvingService, type ResolvingService } from './resolving-service.ts';

let service: ResolvingService;
let database: Database;

before(async () => {
  service = await openResolvingService(1_500);
  database = openDatabase(service.database.address, () => {});
});
beforeEach(() => service.bridge.spoil(null));
after(async () => {
  await database.close();
  await service.close();
});

const rowOf = async (paymentId: string) =>
  (await service.auditor.query('select * from transactions where transaction_id = $1', [paymentId]))[0] ?? {};

function untilShown(paymentId: string, status: string): Promise<unknown> {
  const isShown = async () => (await service.read(paymentId)).statusDescription === status;
  return until(`the payment is ${status}`, isShown, 90_000);
}

/** As if its days were over, and it were as old as that. */
async function endDays(paymentId: string): Promise<void> {
  await service.auditor.query(
    "update transactions set created_at = now() - interval '7 days' where transaction_id = $1",
    [paymentId],
  );
  await service.auditor.query(
    'update preauthorizations set capture_until = now(), expires_at = now() where transaction_id = $1',
    [paymentId],
  );
}

/** The write of the acquirer's approval, as it is repeated when its own answer was lost. */
async function isFoundRecorded(paymentId: string): Promise<boolean | undefined> {
  const moment = Date.now() as Instant;
  const { merchantId } = service;
  const approval = {
    authorizationCode: 'AGAIN1',
    nsu: '1',
    networkReference: NO_NETWORK_REFERENCE,
    tid: null,
  };
  const row = { merchantId, transactionId: paymentId, fence: 0, ...approval, moment, captureUntil: moment };
  const { write } = preauthorizationsWrite(database, { notify: () => {} });
  const result = (await write([row], [new Deadline(performance.now() + 5_000)])).get(paymentId);
  return typeof result === 'object' && 'isRecorded' in result ? result.isRecorded : undefined;
}

test('what still has days is not let go', async () => {
  const { paymentId } = await preauthorize(service, 10_000);
  await expirePreauthorizations(database, null, 100);
  await expirePreauthorizations(database, service.merchantId, 100);
  assert.equal((await rowOf(paymentId)).state, 'preauthorized');
});

test('an approval whose write is repeated counts as recorded also once it is being captured', async () => {
  const { paymentId } = await preauthorize(service, 10_000);
  assert.equal(await isFoundRecorded(paymentId), true);
  service.bridge.spoil(({ kind }) => (kind === 'capture' || kind === 'findCapture' ? 'unavailable' : null));
  assert.equal((await captureOf(service, paymentId)).status, 500);
  assert.equal((await rowOf(paymentId)).state, 'capturing');
  assert.equal(await isFoundRecorded(paymentId), true);
  service.bridge.spoil(null);
  await untilShown(paymentId, 'Autorizada');
  assert.equal(await isFoundRecorded(paymentId), true);
  assert.notEqual((await rowOf(paymentId)).authorization_code, 'AGAIN1');
  const other = await preauthorize(service, 10_000);
  await call(service.gatewayUrl, `/v1/payments/${other.paymentId}/cancel`, {
    token: service.token,
    body: {},
  });
  assert.equal(await isFoundRecorded(other.paymentId), false, 'one that was let go is not live');
});

/** A pre-authorization that the acquirer has captured, off record, and whose days are over. */
async function captureOffRecord(): Promise<string> {
  const { paymentId } = await preauthorize(service, 10_000);
  const capture = { captureReference: crypto.randomUUID(), reference: paymentId, amount: 10_000 };
  const answer = await fetch(`${service.simulatorUrl}/captures`, {
    method: 'POST',
    body: JSON.stringify({ ...capture, merchantId: service.merchantId }),
  });
  assert.equal(answer.status, 200, await answer.text());
  await endDays(paymentId);
  await until('it was asked for', async () => ((await rowOf(paymentId)).resolve_tries as number) > 1, 30_000);
  return paymentId;
}

test('what the acquirer has captured is not voided when its days are over, and a person is warned', async () => {
  const paymentId = await captureOffRecord();
  const { state, unknown_reason: reason } = await rowOf(paymentId);
  assert.deepEqual(
    [state, reason],
    ['unresolved', 'the acquirer has captured it, which is not on record here'],
  );
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 10_000, status: 'approved' });
  const lines = service.log.filter((line) => line.includes(paymentId) && line.includes('has captured it'));
  assert.ok(lines.length > 0, 'it is warned of at once');
  const listed = async (age: string) =>
    (await service.parcela('resolve', 'list', '--older-than', age, '--json')).printed.includes(paymentId);
  assert.deepEqual([await listed('0'), await listed('60')], [true, false], 'its age is since it was let go');
  const decide = ['resolve', 'decide', paymentId, '--as', 'voided', '--reason', 'refunded by the desk'];
  assert.equal((await service.parcela(...decide)).exitCode, 0);
  assert.equal((await service.read(paymentId)).statusDescription, 'Desfeita');
  await untilToldAsCaptured(paymentId);
});

test('what was captured, and decided as voided while the acquirer was away, is not voided: somebody is told', async () => {
  const paymentId = await captureOffRecord();
  service.bridge.spoil(({ kind }) => (kind === 'find' ? 'unavailable' : null));
  const decide = ['resolve', 'decide', paymentId, '--as', 'voided', '--reason', 'not seen at the desk'];
  assert.equal((await service.parcela(...decide)).exitCode, 0);
  service.bridge.spoil(null);
  await untilToldAsCaptured(paymentId);
  // The desk gives it back: nothing is left to tell of.
  const { simulatorUrl, merchantId, auditor } = service;
  const cancel = {
    cancellationReference: crypto.randomUUID(),
    reference: paymentId,
    merchantId,
    amount: 10_000,
  };
  await fetch(`${simulatorUrl}/cancellations`, { method: 'POST', body: JSON.stringify(cancel) });
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 10_000, status: 'canceled' });
  await until('it is watched no more', async () => {
    await auditor.query(
      'update watched_charges set due_at = now(), watched_until = now() where transaction_id = $1',
      [paymentId],
    );
    return (
      (await auditor.query('select from watched_charges where transaction_id = $1', [paymentId])).length === 0
    );
  });
});

/** The watch looks at it in half a minute, or later. */
async function untilToldAsCaptured(paymentId: string): Promise<void> {
  await until('it is told that it is live', async () => {
    await service.auditor.query('update watched_charges set due_at = now() where transaction_id = $1', [
      paymentId,
    ]);
    return service.log.some((line) => line.includes(paymentId) && line.includes('was found to be gone'));
  });
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 10_000, status: 'approved' });
}

test('the card token of what was let go is used: an approval took it', async () => {
  const { paymentId } = await preauthorize(service, 10_000);
  await endDays(paymentId);
  await untilShown(paymentId, 'Desfeita');
  const sql = 'select 1 from card_source_locks where transaction_id = $1';
  assert.equal((await service.auditor.query(sql, [paymentId])).length, 1);
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 10_000, status: 'undone' });
});

const PLANT = `insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
    reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at,
    decided_at, due_at, authorization_code, nsu)
  select 'LOJA', gen_random_uuid(), '1', 'payment', $1, 100, 1, n::text, 'visa', '411111', '1111', '\\x00', 'system',
    now(), case $1 when 'preauthorized' then now() end, case $1 when 'unresolved' then now() end, 'A', n::text
  from generate_series(1, $2) n`;

test('of very many that are over at once a round lets go a hundred, and none while others wait', async () => {
  const planted = await createTestDatabase({ migrated: true });
  const auditor = openAuditor(planted.address);
  const own = openDatabase(planted.address, () => {});
  try {
    await auditor.query(PLANT, ['preauthorized', 150]);
    await auditor.query(
      `insert into preauthorizations (merchant_id, transaction_id, authorized_amount, authorized_at, capture_until, expires_at)
       select merchant_id, transaction_id, amount, now(), now(), now() from transactions`,
    );
    const counts: number[] = [];
    const round = () =>
      expireSome(
        { database: own, wakeSignal: createWakeSignal(), observeExpired: (count) => counts.push(count) },
        new AbortController().signal,
      );
    await round();
    assert.deepEqual(counts, [100]);
    await auditor.query(PLANT, ['unresolved', 201]);
    await round();
    assert.deepEqual(counts, [100], '301 charges are to be resolved first');
    await auditor.query("delete from transactions where state = 'unresolved' and unknown_reason is null");
    await round();
    assert.deepEqual(counts, [100, 50]);
  } finally {
    await own.close();
    await auditor.close();
    await planted.drop();
  }
});
