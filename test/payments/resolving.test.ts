import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { tokenize } from '../client.ts';
import { until } from '../running-service.ts';
import {
  newOrder,
  openSettlingHouse,
  payUnknown,
  type SettlingHouse,
  untilState,
} from './resolving-house.ts';

/** So long that a silent question is under way for all of a test. */
const ACQUIRER_TIMEOUT = 60_000;
const TIMEOUT = { timeout: 240_000 };

const house: SettlingHouse = await openSettlingHouse(ACQUIRER_TIMEOUT);
beforeEach(() => {
  house.bridge.spoil(null);
  house.bridge.release();
});
after(() => house.close());

const AWAY = 'parcela_acquirer_away{kind="charge"}';

test('a charge on which the acquirer stays silent delays none of the others', TIMEOUT, async () => {
  const silent = newOrder();
  house.bridge.spoil(({ kind, order }) => (kind === 'find' && order === silent ? 'hold' : null));
  await payUnknown(house, silent);
  await until('the silent one is being asked', async () => house.bridge.held() === 1);
  const others = Array.from({ length: 6 }, newOrder);
  for (const order of others) {
    await payUnknown(house, order);
    await untilState(house, order, 'voided');
  }
  assert.equal(house.bridge.held(), 1);
  const { state, resolve_tries } = await house.transaction(silent);
  assert.deepEqual([state, resolve_tries], ['unresolved', 1], 'all the while its first try was under way');
  house.bridge.spoil(null);
  house.bridge.release();
  await untilState(house, silent, 'voided');
});

test(
  'no more charges are asked at once than there are slots, and each that ends makes room',
  TIMEOUT,
  async () => {
    const order = newOrder();
    house.bridge.spoil(({ kind }) => (kind === 'find' ? 'hold' : null));
    const id = await payUnknown(house, order);
    await until('the first is being asked', async () => house.bridge.held() === 1);
    await copyUnresolved(id, 80);
    await until('all slots are taken', async () => house.bridge.held() === 32);
    const [row] = await house.auditor.query(
      `select count(*)::int as count from transactions where state = 'unresolved' and resolve_tries = 0`,
    );
    assert.equal(row?.count, 49, 'those that have no slot were not claimed either');
    house.bridge.spoil(null);
    house.bridge.release();
    await untilNoneUnresolved();
  },
);

test(
  'while the acquirer answers nothing few are asked, and all are settled after its return',
  TIMEOUT,
  async () => {
    const order = newOrder();
    house.bridge.spoil(({ kind }) => (kind === 'find' || kind === 'undo' ? 'reset' : null));
    const id = await payUnknown(house, order);
    await until('the outage is noticed', async () => (await house.metric(AWAY)) === 1, 60_000);
    await copyUnresolved(id, 300);
    const since = house.bridge.asked.length;
    await until('three more tries were made', async () => house.bridge.asked.length >= since + 6);
    const [row] = await house.auditor.query(
      `select count(*)::int as count from transactions where state = 'unresolved' and resolve_tries > 0`,
    );
    assert.ok((row?.count as number) < 20, `${row?.count} were asked`);
    house.bridge.spoil(null);
    await untilNoneUnresolved();
    assert.equal(await house.metric(AWAY), 0);
  },
);

test('what waits for long is pulled forward when the acquirer is back', TIMEOUT, async () => {
  house.bridge.spoil(({ kind }) => (kind === 'find' || kind === 'undo' ? 'reset' : null));
  const waiting = [newOrder(), newOrder()];
  for (const order of waiting) await payUnknown(house, order);
  const asked = newOrder();
  await payUnknown(house, asked);
  await until('the outage is noticed', async () => (await house.metric(AWAY)) === 1, 60_000);
  // As if they had been tried for hours; nobody holds them when they have just been given back.
  await until('two wait for an hour', async () => {
    const held = await house.auditor.query(
      `update transactions set due_at = now() + interval '1 hour', resolve_tries = 40
       where reference_transaction = any ($1) and due_at < now() + interval '16 seconds' returning 1`,
      [waiting],
    );
    const [row] = await house.auditor.query(
      `select count(*)::int as count from transactions where reference_transaction = any ($1)
       and due_at > now() + interval '59 minutes'`,
      [waiting],
    );
    return held.length === 0 && row?.count === 2;
  });
  house.bridge.spoil(null);
  for (const order of [...waiting, asked]) await untilState(house, order, 'voided');
});

test(
  'a decline that only the undo tells of is final, and its card token is free again',
  TIMEOUT,
  async () => {
    const order = newOrder();
    house.bridge.spoil((question) => {
      if (question.order !== order) return null;
      if (question.kind === 'authorization') return 'garbage';
      return question.kind === 'find' ? 'unavailable' : null;
    });
    const numberToken = await tokenize(house.service.gatewayUrl, house.token);
    assert.equal((await house.pay(order, 1_051, numberToken)).status, 500);
    const row = await untilState(house, order, 'declined');
    assert.equal(row.response_code, 'NONE');
    assert.equal((await house.read(row.transaction_id as string)).statusDescription, 'Negada');
    assert.equal((await house.pay(newOrder(), 2_000, numberToken)).status, 200);
  },
);

test('a decline whose code is told after some tries keeps its code', TIMEOUT, async () => {
  const order = newOrder();
  let finds = 0;
  house.bridge.spoil((question) => {
    if (question.order !== order) return null;
    if (question.kind === 'authorization') return 'garbage';
    if (question.kind !== 'find') return null;
    finds += 1;
    return finds <= 2 ? 'unavailable' : null;
  });
  assert.equal((await house.pay(order, 1_051)).status, 500);
  const row = await untilState(house, order, 'declined');
  assert.equal(row.response_code, '51');
});

test(
  'a charge whose undo is refused for a while is shown by the metrics until it is voided',
  TIMEOUT,
  async () => {
    const script = {
      merchantId: house.merchantId,
      steps: [{ fault: 'reset', undoRefusals: 4, notFoundTimes: 1 }],
    };
    await fetch(`${house.simulatorUrl}/script`, { method: 'POST', body: JSON.stringify(script) });
    const order = newOrder();
    assert.equal((await house.pay(order, 2_500)).status, 500);
    await until('it is counted', async () => {
      const [count, age, tries] = await Promise.all([
        house.metric('parcela_unresolved{kind="charge"}'),
        house.metric('parcela_unresolved_oldest_age_seconds{kind="charge"}'),
        house.metric('parcela_unresolved_most_tries{kind="charge"}'),
      ]);
      return count === 1 && age > 0 && tries > 0;
    });
    await untilState(house, order, 'voided');
    await until(
      'none is counted',
      async () => (await house.metric('parcela_unresolved{kind="charge"}')) === 0,
    );
    assert.equal(await house.metric('parcela_unresolved_oldest_age_seconds{kind="charge"}'), 0);
  },
);

test('a service that is told to stop finishes the try under way, and takes no other', TIMEOUT, async () => {
  const beside = await house.startBeside();
  const order = newOrder();
  house.bridge.spoil(({ kind }) => (kind === 'find' ? 'holdAnswer' : null));
  const id = await payUnknown(house, order);
  await until('one is being asked', async () => house.bridge.held() === 1);
  await copyUnresolved(id, 40);
  await until('both processes ask', async () => house.bridge.held() === 41);
  const stopping = beside.stop();
  house.bridge.spoil(null);
  house.bridge.release();
  assert.equal(await stopping, 0);
  await untilNoneUnresolved();
  assert.deepEqual(
    beside.log.filter((line) => line.includes('background work failed')),
    [],
  );
});

test('what a person decides stands against whoever is settling at the same moment', TIMEOUT, async () => {
  const order = newOrder();
  house.bridge.spoil((asked) => (asked.kind === 'undo' && asked.order === order ? 'holdAnswer' : null));
  const id = await payUnknown(house, order);
  await until('the undo is under way', async () => house.bridge.held() === 1);
  const takenOver = 'parcela_resolutions_total{kind="charge",outcome="takenOver"}';
  const before = await house.metric(takenOver);
  const decided = await house.parcela(
    'resolve',
    'decide',
    id,
    '--as',
    'declined',
    '--reason',
    'said the desk',
  );
  assert.equal(decided.exitCode, 0, decided.errors);
  assert.equal(house.bridge.held(), 1, 'the answer to the undo is still to come');
  house.bridge.release();
  await until('the answer came too late', async () => (await house.metric(takenOver)) === before + 1);
  const row = await house.transaction(order);
  assert.deepEqual([row.state, row.response_code, row.due_at], ['declined', 'NONE', null]);
  assert.equal((await house.read(id)).statusDescription, 'Negada');
});

test('a charge whose first answer is still awaited is neither listed nor decided', TIMEOUT, async () => {
  const order = newOrder();
  house.bridge.spoil((asked) => (asked.kind === 'authorization' ? 'holdAnswer' : null));
  const paying = house.pay(order, 2_000);
  const id = (await house.transaction(order)).transaction_id as string;
  const refused = await house.parcela('resolve', 'decide', id, '--as', 'voided', '--reason', 'said the desk');
  assert.equal(refused.exitCode, 1);
  assert.match(refused.errors, /waits for its first answer/);
  assert.match((await house.parcela('resolve', 'list')).printed, /^Nothing is unknown\.$/);
  assert.match(
    (await house.parcela('resolve', 'show', id)).printed,
    /charging \(its first answer is still awaited\)/,
  );
  house.bridge.spoil(null);
  house.bridge.release();
  assert.equal((await paying).status, 200);
});

/** More unknown charges like this one, due at once, which the acquirer has never heard of. */
async function copyUnresolved(id: string, count: number): Promise<void> {
  await house.auditor.query(
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
      const rows = await house.auditor.query(`select 1 from transactions where state = 'unresolved' limit 1`);
      return rows.length === 0;
    },
    90_000,
  );
}
