import assert from 'node:assert/strict';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readFileOf } from '../../acquirer/file-reader.ts';
import { bankDayFrom } from '../bank-days.ts';
import { dayAfter, saoPauloDayOf } from '../days.ts';
import { CIELO } from '../files/file-cielo.ts';
import { REDE_EEFI } from '../files/file-rede-eefi.ts';
import { REDE_EEVC } from '../files/file-rede-eevc.ts';
import { Ledger } from '../ledger.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { deskAnswer } from './desk.ts';
import { cardOnPaper, SalesHouse } from './house.ts';
import { Keys } from './keys.ts';
import { Sales } from './sales.ts';
import { Scripts } from './scripts.ts';

const DAY_MILLISECONDS = 86_400_000;
const MERCHANT = '12345678';
const FORMATS = { redeEevc: REDE_EEVC, redeEefi: REDE_EEFI, cielo04: CIELO };

/** The books in the test's own process, at a time that the test moves. */
function openedHouse(t: TestContext) {
  const at = { now: Date.parse('2026-02-26T15:00:00Z') };
  const ledger = new Ledger(openSync(join(temporaryFolder(t), 'ledger'), 'a'), false, (error) => {
    throw error;
  });
  const house = new SalesHouse(new Sales(), ledger, new Scripts(), () => at.now);
  const desk = { name: 'test', house, keys: new Keys(), formats: FORMATS };
  const sell = (reference: string, amount: number, installments = 1) =>
    house.sell({
      ...{ id: (nsu) => `s${nsu}`, merchantId: MERCHANT, reference, amount, installments, isCaptured: true },
      card: cardOnPaper({ number: '4111111111111111', brand: 'visa', expiration: '12/2030', holder: 'ANA' }),
      ...{ decline: null, doubt: null, feePortion: 250, notes: {} },
    });
  const entries = (format: keyof typeof FORMATS, day: string) => {
    house.advance();
    const query = new URLSearchParams({ format, merchantId: MERCHANT, day });
    const answer = deskAnswer(desk, {
      method: 'GET',
      path: '/simulator/files',
      query,
      headers: {},
      body: '',
    });
    assert.ok(answer?.file, `${format} of ${day}`);
    return readFileOf(format, [...answer.file.lines], day).map(
      ({ kind, order, installment, gross, net }) => ({
        ...{ kind, order, installment, gross, net },
      }),
    );
  };
  return { at, house, sell, entries };
}

test('sales, payouts, refunds and chargebacks stand in the files of their days', (t) => {
  const { at, house, sell, entries } = openedHouse(t);
  const soldOn = saoPauloDayOf(at.now);
  const sale = sell('sale1', 10_000, 2);
  const contested = sell('sale2', 4_000);
  house.refund(sell('sale3', 5_000), 5_000, null);
  at.now += 2 * DAY_MILLISECONDS;
  house.refund(sale, 1_000, null);
  const refundedOn = saoPauloDayOf(at.now);
  at.now += DAY_MILLISECONDS;
  assert.deepEqual(
    entries('redeEevc', soldOn).map(({ kind, order, gross }) => ({ kind, order, gross })),
    [
      { kind: 'sale', order: 'sale1', gross: 10_000 },
      { kind: 'sale', order: 'sale2', gross: 4_000 },
    ],
  );
  assert.deepEqual(entries('cielo04', soldOn), []);
  assert.deepEqual(entries('cielo04', refundedOn), [
    { kind: 'cancel', order: 'sale1', installment: 2, gross: 1_000, net: 1_000 },
  ]);
  assert.equal(entries('redeEefi', refundedOn)[0]?.kind, 'cancel');
  const paidOn = bankDayFrom(dayAfter(soldOn, 30));
  at.now += 40 * DAY_MILLISECONDS;
  const payouts = entries('cielo04', paidOn);
  assert.deepEqual(
    payouts.map(({ kind, order, gross, net }) => ({ kind, order, gross, net })),
    [
      { kind: 'payout', order: 'sale1', gross: 5_000, net: 4_875 },
      { kind: 'payout', order: 'sale2', gross: 4_000, net: 3_900 },
    ],
  );
  const chargeback = {
    change: 'chargeback',
    installmentNumber: 1,
    amount: null,
    anticipationFee: null,
  } as const;
  assert.ok(house.change(contested, chargeback));
  assert.equal(house.change(contested, chargeback), false);
  const contestedOn = saoPauloDayOf(at.now);
  at.now += DAY_MILLISECONDS;
  assert.deepEqual(entries('cielo04', contestedOn), [
    { kind: 'chargeback', order: 'sale2', installment: 1, gross: 4_000, net: 4_000 },
  ]);
});

test('a day that is not over has no file', (t) => {
  const { at, entries } = openedHouse(t);
  assert.throws(() => entries('cielo04', saoPauloDayOf(at.now)), /cielo04 of/);
});
