import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { DAY } from '../kit/clock.ts';
import { until } from '../kit/service.ts';
import { idOf, openAcquirerService } from './acquirer-service.ts';

/** Rede and Cielo report nothing by themselves: what became of a charge later comes with their files. */

/** Of today and of those that follow, as their files are named. */
const DAYS = [0, 1, 2].map((days) => saoPauloDay(instant(Date.now() + days * DAY)));

const FILES = {
  cielo: { formats: ['cielo04'], simulator: ['--last-digit', '0'] },
  rede: { formats: ['redeEevc', 'redeEefi'], simulator: [] },
} as const;

for (const [program, { formats, simulator }] of Object.entries(FILES))
  test(`the files of ${program} pay what it charged, and take back what the card's holder disputes`, async (t) => {
    const acquirer = await openAcquirerService(program as keyof typeof FILES, { simulator });
    t.after(acquirer.close);
    const paid = idOf(await acquirer.pay(12_321));
    const disputed = idOf(await acquirer.pay(12_321));
    const [sale] = await acquirer.booked(disputed);
    // A batch is paid whole.
    for (const { id } of await acquirer.booked(null))
      await acquirer.desk('changes', { id, change: 'settled', installmentNumber: 1 });
    assert.notEqual((await acquirer.read(paid)).statusDescription, 'Paga');
    await acquirer.nextDay();
    await acquirer.desk('changes', { id: sale?.id, change: 'chargeback', installmentNumber: 1 });
    for (const _day of DAYS) await acquirer.nextDay();
    await until('the sales are expected', async () => {
      const expected = 'select 1 from receivables where transaction_id = any($1)';
      return (await acquirer.service.auditor.query(expected, [[paid, disputed]])).length === 2;
    });
    for (const format of formats) await acquirer.takeFiles([format], DAYS);
    for (const [paymentId, status] of [
      [paid, 'Paga'],
      [disputed, 'Cancelada'],
    ] as const)
      await until(`it is ${status}`, async () => {
        const { statusDescription } = await acquirer.read(paymentId);
        return statusDescription === status;
      });
    const changes = await acquirer.service.auditor.query(
      'select event, source from acquirer_changes where reference = any($1) order by event',
      [[paid, disputed]],
    );
    assert.deepEqual(
      changes.map(({ event, source }) => [event, source]),
      [
        ['chargeback', 'file'],
        ['settle', 'file'],
        ['settle', 'file'],
      ],
    );
  });
