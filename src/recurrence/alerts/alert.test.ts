import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type Day } from '../../values/instant.ts';
import { cardMonths, chargeAlert, expiryAlert, subscriptionAlert, upcomingAlert } from './alert.ts';

test('a notice of a charge has its fields in their order, the first eight as ever, and nothing else', () => {
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
    paymentId: null,
  } as const;
  assert.equal(
    chargeAlert(failure).body,
    '{"subscriptionId":"s","billingId":"b","installment":3,"attempt":null,"returnCode":null,' +
      '"description":"Cartão \\"perdido\\"","nextAttemptOn":null,"status":"Denied","event":"failed","paymentId":null}',
  );
  const paid = chargeAlert({ ...failure, status: 'Paid', paymentId: 'p' });
  assert.deepEqual(
    [paid.event, JSON.parse(paid.body).event, JSON.parse(paid.body).paymentId],
    ['paid', 'paid', 'p'],
  );
});

test('the notices of subscriptions and of due days have the same fields, null where they do not apply', () => {
  const moved = subscriptionAlert({
    event: 'blocked',
    subscriptionId: 's',
    billingId: 'b',
    paymentId: 'p',
    reason: 'CardCanceled',
    description: 'Bloqueada.',
    status: 'Blocked',
  });
  assert.equal(moved.event, 'blocked');
  assert.equal(
    moved.body,
    '{"subscriptionId":"s","billingId":"b","installment":null,"attempt":null,"returnCode":null,' +
      '"description":"Bloqueada.","nextAttemptOn":null,"status":"Blocked","event":"blocked","paymentId":"p",' +
      '"reason":"CardCanceled"}',
  );
  const upcoming = { subscriptionId: 's', billingId: 'b', installment: 2, dueOn: '2027-01-03' as Day };
  assert.equal(
    upcomingAlert(upcoming),
    '{"subscriptionId":"s","billingId":"b","installment":2,"attempt":null,"returnCode":null,' +
      '"description":"Cobrança prevista para 2027-01-03","nextAttemptOn":"2027-01-03","status":"Opened",' +
      '"event":"upcoming","paymentId":null}',
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
    '{"type":"CardExpiring","subscriptionId":"s","vaultId":"v","cardExpiresOn":"2027-02-28","brand":"visa","lastFour":"0001","event":"cardExpiring","paymentId":null}',
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
