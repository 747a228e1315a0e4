import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { until } from '../kit/service.ts';
import { openResolvingProcess, type ResolvingProcess } from '../payments/resolving-service.ts';
import { type ChangesTools, withChanges } from './changes-service.ts';

let service: ResolvingProcess & ChangesTools;

before(async () => {
  service = await withChanges(await openResolvingProcess(4_000));
});
after(() => service.close());

const PAYMENTS = 12;
const TYPES = ['settled', 'blocked', 'unblocked', 'blocked', 'chargeback'];

async function untilNoneWaits(): Promise<void> {
  await until(
    'no change waits',
    async () => {
      const rows = await service.auditor.query(`select 1 from acquirer_changes where state = 'waiting'`);
      return rows.length === 0;
    },
    90_000,
  );
}

test('two processes apply each change once, and those of an installment in their order', async () => {
  const beside = await service.ownProcess();
  const paymentIds: string[] = [];
  for (let index = 0; index < PAYMENTS; index += 1) paymentIds.push(await service.sell(9_000, 2, [30]));
  const last: string[] = [];
  for (const type of TYPES) {
    for (const paymentId of paymentIds) {
      last.push(await service.bookAtAcquirer(paymentId, type, 1));
      if (type === 'blocked') await service.bookAtAcquirer(paymentId, type, 2).catch(() => null);
    }
  }
  for (const changeId of last) await service.untilChange(changeId, 'applied');
  await untilNoneWaits();
  for (const paymentId of paymentIds) {
    const moves = (await service.movements(paymentId))
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
    assert.deepEqual(await service.statuses(paymentId), ['Cancelada', 'Bloqueada']);
    assert.equal((await service.read(paymentId)).canceledAmount, 4_500);
  }
  await beside.stop();
});

test('a process that is killed between keeping a change and applying it loses nothing', async () => {
  const paymentId = await service.sell(6_000, 2);
  const { address } = service.database;
  const holder = new pg.Client(address);
  await holder.connect();
  // Applying a change takes this lock first.
  await holder.query('begin');
  await holder.query('select from transactions where transaction_id = $1 for update', [paymentId]);
  const changeId = await service.bookAtAcquirer(paymentId, 'settled', 2);
  await service.untilChange(changeId, 'waiting');
  await service.kill();
  await holder.query('rollback');
  await holder.end();
  await service.untilChange(changeId, 'waiting');
  const beside = await service.ownProcess();
  await service.untilChange(changeId, 'applied');
  assert.deepEqual((await service.movements(paymentId)).at(-1), [2, 'Pagamento', 'authorized', 'paid']);
  await beside.stop();
});
