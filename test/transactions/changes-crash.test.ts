import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { until } from '../running-service.ts';
import { type ChangesHouse, openChangesHouse } from './changes-house.ts';

let house: ChangesHouse;

before(async () => {
  house = await openChangesHouse();
});
after(() => house.close());

const TIMEOUT = { timeout: 240_000 };
const PAYMENTS = 12;
const TYPES = ['settled', 'blocked', 'unblocked', 'blocked', 'chargeback'];

async function untilNoneWaits(): Promise<void> {
  await until(
    'no change waits',
    async () => {
      const rows = await house.auditor.query(`select 1 from acquirer_changes where state = 'waiting'`);
      return rows.length === 0;
    },
    90_000,
  );
}

test(
  'two processes apply each change once, and those of an installment in their order',
  TIMEOUT,
  async () => {
    const beside = await house.startBeside();
    const paymentIds: string[] = [];
    for (let index = 0; index < PAYMENTS; index += 1) paymentIds.push(await house.sell(9_000, 2, [30]));
    const last: string[] = [];
    for (const type of TYPES) {
      for (const paymentId of paymentIds) {
        last.push(await house.bookAtAcquirer(paymentId, type, 1));
        if (type === 'blocked') await house.bookAtAcquirer(paymentId, type, 2).catch(() => null);
      }
    }
    for (const changeId of last) await house.untilChange(changeId, 'applied');
    await untilNoneWaits();
    for (const paymentId of paymentIds) {
      const moves = (await house.movements(paymentId))
        .filter(([number]) => number === 1)
        .map(([, type]) => type);
      assert.deepEqual(moves, [
        'Autorizacao',
        'Pagamento',
        'Bloqueio',
        'Desbloqueio',
        'Bloqueio',
        'Cancelamento',
      ]);
      assert.deepEqual(await house.statuses(paymentId), ['Cancelada', 'Bloqueada']);
      assert.equal((await house.read(paymentId)).canceledAmount, 4_500);
    }
    await beside.stop();
  },
);

test(
  'a process that is killed between hearing of a change and applying it loses nothing',
  TIMEOUT,
  async () => {
    const paymentId = await house.sell(6_000, 2);
    const { address } = house.database;
    const holder = new pg.Client(address);
    await holder.connect();
    // Who applies a change takes this lock first.
    await holder.query('begin');
    await holder.query('select from transactions where transaction_id = $1 for update', [paymentId]);
    const changeId = await house.bookAtAcquirer(paymentId, 'settled', 2);
    await house.untilChange(changeId, 'waiting');
    await house.service.kill();
    await holder.query('rollback');
    await holder.end();
    await house.untilChange(changeId, 'waiting');
    const beside = await house.startBeside();
    await house.untilChange(changeId, 'applied');
    assert.deepEqual((await house.movements(paymentId)).at(-1), [2, 'Pagamento', 'authorized', 'paid']);
    await beside.stop();
  },
);
