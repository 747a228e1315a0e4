import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type Day } from '../../values/instant.ts';
import { cardMonths, expiryAlert, failureAlert } from './alert.ts';

test('a notice of a failure has its eight fields in their order, and nothing else of what it is made of', () => {
  const failure = {
    status: 'Denied',
    nextAttemptOn: null,
    description: 'Cartão "perdido"',
    returnCode: null,
    attemptNumber: null,
    installment: 3,
    billingId: 'b',
    subscriptionId: 's',
    amount: 4_990,
  } as const;
  assert.equal(
    failureAlert(failure),
    '{"subscriptionId":"s","billingId":"b","installment":3,"attempt":null,"returnCode":null,' +
      '"description":"Cartão \\"perdido\\"","nextAttemptOn":null,"status":"Denied"}',
  );
});

test('a notice of a card can be distinguished from that of a failure by cardExpiresOn', () => {
  const card = {
    subscriptionId: 's',
    vaultId: 'v',
    lastDay: '2027-02-28' as Day,
    brand: 'visa',
    lastFour: '0001',
  } as const;
  assert.equal(
    expiryAlert(card),
    '{"type":"CardExpiring","subscriptionId":"s","vaultId":"v","cardExpiresOn":"2027-02-28","brand":"visa","lastFour":"0001"}',
  );
});

test('notices of cards begin on the 30th day before the last day of their month', () => {
  const months = (from: string, to = from) =>
    cardMonths(from as Day, to as Day).map(({ lastDay }) => lastDay);
  assert.deepEqual(months('2026-12-01'), ['2026-12-31']);
  assert.deepEqual(months('2026-12-31'), ['2026-12-31']);
  // February is so short that its cards are alerted with those of January.
  assert.deepEqual(months('2027-01-28'), ['2027-01-31']);
  assert.deepEqual(months('2027-01-29'), ['2027-01-31', '2027-02-28']);
  assert.deepEqual(months('2028-01-30'), ['2028-01-31', '2028-02-29']);
  assert.deepEqual(months('2027-01-29', '2027-03-01'), ['2027-01-31', '2027-02-28', '2027-03-31']);
  assert.deepEqual(months('2099-12-15'), ['2099-12-31']);
  assert.deepEqual(months('2100-01-01', '2101-01-01'), []);
});

test('the months of a day are exactly those whose last day is that day or up to 30 days later', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 26_000 }), fc.integer({ min: 0, max: 800 }), (since, ahead) => {
      const from = addDays('2026-01-01' as Day, since);
      const to = addDays(from, ahead);
      const wanted: { lastDay: Day; alertedFrom: Day }[] = [];
      for (let day = from; day <= addDays(to, 30); day = addDays(day, 1)) {
        if (addDays(day, 1).endsWith('-01')) wanted.push({ lastDay: day, alertedFrom: addDays(day, -30) });
      }
      const found = cardMonths(from, to);
      assert.deepEqual(
        found.map(({ lastDay, alertedFrom }) => ({ lastDay, alertedFrom })),
        wanted,
      );
      for (const { year, month, lastDay } of found) assert.equal(`20${year}-${month}`, lastDay.slice(0, 7));
    }),
    { numRuns: 200 },
  );
});
