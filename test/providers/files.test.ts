import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { DAY } from '../kit/clock.ts';
import { until } from '../kit/service.ts';
import { idOf, openAcquirerService } from './acquirer-service.ts';

/** Rede and Cielo report nothing by themselves: what became of a charge later comes with their files. */

/** Of today and of those that follow, as their files are named. */
const DAYS = [0, 1, 2].map((days) => saoPauloDay(instant(Date.now() + days * DAY)));

test("the files of Cielo pay what it charged, and take back what the card's holder disputes", async (t) => {
  const cielo = await openAcquirerService('cielo', { simulator: ['--last-digit', '0'] });
  t.after(cielo.close);
  const became = { settled: 'Paga', chargeback: 'Cancelada' };
  const paymentIds: string[] = [];
  for (const [change, status] of Object.entries(became)) {
    const paymentId = idOf(await cielo.pay(12_321));
    const [sale] = await cielo.booked(paymentId);
    await cielo.desk('changes', { id: sale?.id, change, installmentNumber: 1 });
    assert.notEqual((await cielo.read(paymentId)).statusDescription, status);
    paymentIds.push(paymentId);
  }
  for (const _day of DAYS) await cielo.nextDay();
  await cielo.takeFiles(['cielo04'], DAYS);
  for (const [index, status] of Object.values(became).entries())
    await until(`it is ${status}`, async () => {
      const { statusDescription } = await cielo.read(String(paymentIds[index]));
      return statusDescription === status;
    });
  const changes = await cielo.service.auditor.query(
    'select event, source from acquirer_changes where reference = any($1) order by event',
    [paymentIds],
  );
  assert.deepEqual(
    changes.map(({ event, source }) => [event, source]),
    [
      ['chargeback', 'file'],
      ['settle', 'file'],
    ],
  );
});
