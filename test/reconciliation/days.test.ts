import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { businessDayFrom } from '../../src/values/business-day.ts';
import type { Day } from '../../src/values/instant.ts';
import { arrive } from '../kit/clock.ts';
import {
  daysAfter,
  openReconciledService,
  type ReconciledService,
  type Shown,
} from './reconciled-service.ts';

const DAYS = '/api/reconciliation/days';

let service: ReconciledService;

before(async () => {
  service = await openReconciledService({ PARCELA_FEES: 'any:1-99=3' });
});
after(() => service.close());

async function days(from: string, to: string): Promise<Shown[]> {
  const reply = await service.ask(DAYS, { accountNumber: service.accountNumber, from, to });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test('a day shows what was expected and what came, and by how much they differ', async () => {
  const soldOn = await service.today();
  // The acquirer keeps 3.5 %, and a cent more or less by rounding is no difference.
  await service.chargeFees(350);
  await service.sell(10_000, 2);
  await service.chargeFees(300);
  await service.sell(3_333, 1);
  const [first, second] = [30, 60].map((count) => businessDayFrom(daysAfter(soldOn, count) as Day));
  const nothing = {
    receivedInstallments: 0,
    receivedValue: 0,
    receivedFee: 0,
    receivedWithoutValue: 0,
    unfiledInstallments: 0,
    unfiledValue: 0,
    takenInstallments: 0,
    takenValue: 0,
    differentInstallments: 0,
    difference: 0,
  };
  assert.deepEqual(await days(soldOn, daysAfter(soldOn, 92)), [
    {
      day: first,
      expectedInstallments: 2,
      expectedValue: 80.83,
      expectedFee: 2.5,
      openInstallments: 2,
      openValue: 80.83,
      ...nothing,
    },
    {
      day: second,
      expectedInstallments: 1,
      expectedValue: 48.5,
      expectedFee: 1.5,
      openInstallments: 1,
      openValue: 48.5,
      ...nothing,
    },
  ]);
  await arrive(service.gatewayUrl, service.token, { advanceDays: 34 });
  const later = await days(daysAfter(soldOn, 30), daysAfter(soldOn, 36));
  const total = (name: string) =>
    later.reduce((sum, day) => sum + Math.round((day[name] as number) * 100), 0);
  assert.deepEqual(
    ['expectedValue', 'openValue', 'receivedValue', 'unfiledValue', 'receivedFee', 'difference'].map(total),
    [8_083, 0, 8_058, 8_058, 275, -25],
  );
  assert.deepEqual(
    later.flatMap(({ receivedInstallments, differentInstallments }) =>
      receivedInstallments === 0 ? [] : [[receivedInstallments, differentInstallments]],
    ),
    [[2, 1]],
  );
});

test('days of too long a period, or of another account, are refused', async () => {
  const { accountNumber } = service;
  const refused = async (query: Record<string, string>) => {
    const reply = await service.ask(DAYS, query);
    return [reply.status, reply.body[0].tag];
  };
  const from = '2026-01-01';
  assert.deepEqual(await refused({ accountNumber, from, to: '2026-04-04' }), [400, 'to']);
  assert.deepEqual(await refused({ accountNumber, from, to: '2025-12-31' }), [400, 'to']);
  assert.deepEqual(await refused({ accountNumber, from }), [400, 'to']);
  assert.equal((await refused({ accountNumber: '4711', from, to: from }))[0], 404);
});
