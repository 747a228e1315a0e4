import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { call, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { ledgerOf, preauthorize } from './preauthorized.ts';
import {
  newOrder,
  openResolvingService,
  payUnknown,
  type ResolvingService,
  untilState,
} from './resolving-service.ts';

/** So long that a silent question is under way for all of a test. */
const ACQUIRER_TIMEOUT = 60_000;

const service: ResolvingService = await openResolvingService(ACQUIRER_TIMEOUT);
beforeEach(() => {
  service.bridge.spoil(null);
  service.bridge.release();
});
after(() => service.close());

const AWAY = 'parcela_acquirer_away{kind="charge",provider="default"}';

test('a charge on which the acquirer stays silent delays none of the others', async () => {
  const silent = newOrder();
  service.bridge.spoil(({ kind, order }) => (kind === 'find' && order === silent ? 'hold' : null));
  await payUnknown(service, silent);
  await until('the silent one is being asked', async () => service.bridge.held() === 1);
  const others = Array.from({ length: 6 }, newOrder);
  for (const order of others) {
    await payUnknown(service, order);
    await untilState(service, order, 'voided');
  }
  assert.equal(service.bridge.held(), 1);
  const { state, resolve_tries } = await service.transaction(silent);
  assert.deepEqual([state, resolve_tries], ['unresolved', 1], 'all the while its first try was under way');
  service.bridge.spoil(null);
  service.bridge.release();
  await untilState(service, silent, 'voided');
});

test('a merchant is asked about at half of the connections at most, and each that ends frees one', async () => {
  const order = newOrder();
  service.bridge.spoil(({ kind }) => (kind === 'find' ? 'hold' : null));
  const id = await payUnknown(service, order);
  await until('the first is being asked', async () => service.bridge.held() === 1);
  await copyUnresolved(id, 80);
  await until('its share of the connections is taken', async () => service.bridge.held() === SHARE);
  assert.equal(await countOf('resolve_tries > 0'), SHARE, 'no other takes a slot');
  service.bridge.spoil(null);
  service.bridge.release();
  await untilNoneUnresolved();
});

/** Of a process's 32 connections for resolving, of one merchant. */
const SHARE = 16;

async function countOf(condition: string): Promise<number> {
  const [row] = await service.auditor.query(
    `select count(*)::int as count from transactions where state = 'unresolved' and ${condition}`,
  );
  return row?.count as number;
}

test('what finds no free connection has not been tried', async () => {
  const waiting = await Promise.all(Array.from({ length: SHARE }, () => preauthorize(service, 1_000)));
  service.bridge.spoil(({ kind }) => (kind === 'undo' ? 'hold' : null));
  const releases = waiting.map(({ paymentId }) =>
    call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, {
      token: service.token,
      body: {},
      timeoutMilliseconds: 60_000,
    }),
  );
  await until('its share of the connections is taken', async () => service.bridge.held() === SHARE);
  const order = newOrder();
  await payUnknown(service, order);
  await until(
    'it was not sent',
    async () => (await countOf("resolve_tries = 0 and unknown_reason = 'no connection was free'")) === 1,
  );
  assert.equal(await service.metric(AWAY), 0, 'that says nothing of the acquirer');
  service.bridge.spoil(null);
  service.bridge.release();
  await Promise.all(releases);
  const { resolve_tries } = await untilState(service, order, 'voided');
  assert.equal(resolve_tries, 1);
});

test('while the acquirer answers nothing few are asked, and all are settled after its return', async () => {
  const order = newOrder();
  service.bridge.spoil(({ kind }) => (kind === 'find' || kind === 'undo' ? 'reset' : null));
  const id = await payUnknown(service, order);
  await until('the outage is noticed', async () => (await service.metric(AWAY)) === 1, 60_000);
  await copyUnresolved(id, 300);
  const since = service.bridge.asked.length;
  await until('three more tries were made', async () => service.bridge.asked.length >= since + 6);
  const [row] = await service.auditor.query(
    `select count(*)::int as count from transactions where state = 'unresolved' and resolve_tries > 0`,
  );
  assert.ok((row?.count as number) < 20, `${row?.count} were asked`);
  service.bridge.spoil(null);
  await untilNoneUnresolved();
  assert.equal(await service.metric(AWAY), 0);
});

test('what waits for long is pulled forward when the acquirer is back', async () => {
  service.bridge.spoil(({ kind }) => (kind === 'find' || kind === 'undo' ? 'reset' : null));
  const waiting = [newOrder(), newOrder()];
  for (const order of waiting) await payUnknown(service, order);
  const asked = newOrder();
  await payUnknown(service, asked);
  await until('the outage is noticed', async () => (await service.metric(AWAY)) === 1, 60_000);
  // As if they had been tried for hours; no process holds them when they have just been released.
  await until('two wait for an hour', async () => {
    const held = await service.auditor.query(
      `update transactions set due_at = now() + interval '1 hour', resolve_tries = 40
       where reference_transaction = any ($1) and due_at < now() + interval '16 seconds' returning 1`,
      [waiting],
    );
    const [row] = await service.auditor.query(
      `select count(*)::int as count from transactions where reference_transaction = any ($1)
       and due_at > now() + interval '59 minutes'`,
      [waiting],
    );
    return held.length === 0 && row?.count === 2;
  });
  service.bridge.spoil(null);
  for (const order of [...waiting, asked]) await untilState(service, order, 'voided');
});

test('a decline that only the void reports is final, and its card token is free again', async () => {
  const order = newOrder();
  service.bridge.spoil((question) => {
    if (question.order !== order) return null;
    if (question.kind === 'authorization') return 'garbage';
    return question.kind === 'find' ? 'unavailable' : null;
  });
  const numberToken = await tokenize(service.gatewayUrl, service.token);
  assert.equal((await service.pay(order, 1_051, numberToken)).status, 500);
  const row = await untilState(service, order, 'declined');
  assert.equal(row.response_code, 'NONE');
  assert.equal((await service.read(row.transaction_id as string)).statusDescription, 'Negada');
  assert.equal((await service.pay(newOrder(), 2_000, numberToken)).status, 200);
});

test('a decline whose code is reported after some tries keeps its code', async () => {
  const order = newOrder();
  let finds = 0;
  service.bridge.spoil((question) => {
    if (question.order !== order) return null;
    if (question.kind === 'authorization') return 'garbage';
    if (question.kind !== 'find') return null;
    finds += 1;
    return finds <= 2 ? 'unavailable' : null;
  });
  assert.equal((await service.pay(order, 1_051)).status, 500);
  const row = await untilState(service, order, 'declined');
  assert.equal(row.response_code, '51');
});

test('a charge whose void is refused for a while is shown by the metrics until it is voided', async () => {
  const script = {
    merchantId: service.merchantId,
    steps: [{ fault: 'reset', undoRefusals: 4, notFoundTimes: 1 }],
  };
  await fetch(`${service.simulatorUrl}/script`, { method: 'POST', body: JSON.stringify(script) });
  const order = newOrder();
  assert.equal((await service.pay(order, 2_500)).status, 500);
  await until('it is counted', async () => {
    const [count, age, tries] = await Promise.all([
      service.metric('parcela_unresolved{kind="charge"}'),
      service.metric('parcela_unresolved_oldest_age_seconds{kind="charge",provider="default"}'),
      service.metric('parcela_unresolved_most_tries{kind="charge"}'),
    ]);
    return count === 1 && age > 0 && tries > 0;
  });
  const { transaction_id: id } = await untilState(service, order, 'voided');
  assert.deepEqual(await ledgerOf(service, id as string), { amount: 2_500, status: 'undone' });
  await until(
    'none is counted',
    async () => (await service.metric('parcela_unresolved{kind="charge"}')) === 0,
  );
  assert.equal(
    await service.metric('parcela_unresolved_oldest_age_seconds{kind="charge",provider="default"}'),
    0,
  );
});

test('a service that is asked to stop finishes the try under way, and takes no other', async () => {
  const beside = await service.ownProcess();
  const order = newOrder();
  service.bridge.spoil(({ kind }) => (kind === 'find' ? 'holdAnswer' : null));
  const id = await payUnknown(service, order);
  await until('one is being asked', async () => service.bridge.held() === 1);
  await copyUnresolved(id, 40);
  await until('both processes ask', async () => service.bridge.held() === 2 * SHARE);
  const stopping = beside.stop();
  service.bridge.spoil(null);
  service.bridge.release();
  assert.equal(await stopping, 0);
  await untilNoneUnresolved();
  assert.deepEqual(
    beside.log.filter((line) => line.includes('background work failed')),
    [],
  );
});

test('what a person decides stands against whoever is settling at the same moment', async () => {
  const order = newOrder();
  service.bridge.spoil((asked) => (asked.kind === 'undo' && asked.order === order ? 'holdAnswer' : null));
  const id = await payUnknown(service, order);
  await until('the undo is under way', async () => service.bridge.held() === 1);
  const takenOver = 'parcela_resolutions_total{kind="charge",outcome="takenOver"}';
  const before = await service.metric(takenOver);
  const decided = await service.parcela(
    'resolve',
    'decide',
    id,
    '--as',
    'declined',
    '--reason',
    'said the desk',
  );
  assert.equal(decided.exitCode, 0, decided.errors);
  assert.equal(service.bridge.held(), 1, 'the answer to the undo is still to come');
  service.bridge.release();
  await until('the answer came too late', async () => (await service.metric(takenOver)) === before + 1);
  const row = await service.transaction(order);
  assert.deepEqual([row.state, row.response_code, row.due_at], ['declined', 'NONE', null]);
  assert.equal((await service.read(id)).statusDescription, 'Negada');
});

test('a charge whose first answer is still awaited is neither listed nor decided', async () => {
  const order = newOrder();
  service.bridge.spoil((asked) => (asked.kind === 'authorization' ? 'holdAnswer' : null));
  const paying = service.pay(order, 2_000);
  const id = (await service.transaction(order)).transaction_id as string;
  const refused = await service.parcela(
    'resolve',
    'decide',
    id,
    '--as',
    'voided',
    '--reason',
    'said the desk',
  );
  assert.equal(refused.exitCode, 1);
  assert.match(refused.errors, /Its first answer comes within seconds/);
  assert.match((await service.parcela('resolve', 'list')).printed, /^Nothing is unknown\.$/);
  assert.match(
    (await service.parcela('resolve', 'show', id)).printed,
    /charging \(its first answer is still awaited\)/,
  );
  service.bridge.spoil(null);
  service.bridge.release();
  assert.equal((await paying).status, 200);
});

/** More unknown charges like this one, due at once, which the acquirer has never heard of. */
async function copyUnresolved(id: string, count: number): Promise<void> {
  await service.auditor.query(
    `insert into transactions select (jsonb_populate_record(t, jsonb_build_object('transaction_id', gen_random_uuid(),
       'state', 'unresolved', 'due_at', now(), 'resolve_tries', 0, 'source_hash', null, 'decided_at', null))).*
     from transactions t, generate_series(1, $2) where t.transaction_id = $1`,
    [id, count],
  );
}

function untilNoneUnresolved(): Promise<unknown> {
  return until(
    'nothing is unknown any more',
    async () => {
      const rows = await service.auditor.query(
        `select 1 from transactions where state = 'unresolved' limit 1`,
      );
      return rows.length === 0;
    },
    90_000,
  );
}
