import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cents, splitIntoInstallments } from '../../values/cents.ts';
import { beneficiaryShares, sharesByInstallment } from '../split.ts';
import { canceledParts, type InstallmentRest } from './partial-cancel.ts';

const rest = (number: number, amount: number, ...shares: number[]): InstallmentRest => ({
  number,
  rest: cents(amount),
  shares: shares.map(cents),
});

test('a partial cancel comes off the last installments first', () => {
  const rests = [rest(1, 3_334), rest(2, 3_333), rest(3, 3_333)];
  assert.deepEqual(canceledParts(rests, cents(4_000)), [
    { number: 3, amount: 3_333, shares: [] },
    { number: 2, amount: 667, shares: [] },
  ]);
});

test('beneficiaries give back in proportion', () => {
  assert.deepEqual(canceledParts([rest(1, 1_000, 500, 300)], cents(100)), [
    { number: 1, amount: 100, shares: [50, 30] },
  ]);
  assert.deepEqual(canceledParts([rest(1, 1_000, 500, 300)], cents(1_000)), [
    { number: 1, amount: 1_000, shares: [500, 300] },
  ]);
});

test('more than is left cannot be canceled', () => {
  assert.equal(canceledParts([rest(1, 10), rest(2, 10)], cents(21)), null);
  assert.equal(canceledParts([], cents(1)), null);
});

test('whatever the order of cancels, nothing is lost, invented or below nothing', () => {
  const amounts = fc.integer({ min: 99, max: 100_000 });
  const portions = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 3 });
  const cuts = fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 12 });
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 99 }), portions, cuts, (amount, count, wanted, asked) => {
      const entries = wanted.map((portion, index) => ({ beneficiary: String(index), portion }));
      const shares = beneficiaryShares(cents(amount), { kind: 'gross', entries }, 0);
      const installments = splitIntoInstallments(cents(amount), count);
      const spread = sharesByInstallment(shares, installments);
      let rests = installments.map((part, index) => rest(index + 1, part, ...(spread[index] ?? [])));
      let left = amount;
      for (const cut of [...asked, left]) {
        const parts = canceledParts(rests, cents(cut));
        if (cut > left) {
          assert.equal(parts, null);
          continue;
        }
        left -= cut;
        rests = rests.map((before) => {
          const part = parts?.find(({ number }) => number === before.number);
          if (part === undefined) return before;
          const kept = before.shares.map((share, index) => share - (part.shares[index] as number));
          return rest(before.number, before.rest - part.amount, ...kept);
        });
        for (const { rest: held, shares: parted } of rests)
          assert.ok(parted.reduce((sum, share) => sum + share, 0) <= held);
        assert.equal(
          rests.reduce((sum, { rest: held }) => sum + held, 0),
          left,
        );
      }
    }),
  );
});
