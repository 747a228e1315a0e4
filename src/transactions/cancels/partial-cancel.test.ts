import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cents, splitIntoInstallments } from '../../values/cents.ts';
import { beneficiaryShares, sharesByInstallment } from '../split.ts';
import { type CanceledPart, canceledParts, type InstallmentRest } from './partial-cancel.ts';

const reduced = (amount: number, canceled = 0) => ({
  amount: cents(amount),
  canceledAmount: cents(canceled),
});
const sold = (number: number, amount: number, ...shares: number[]): InstallmentRest => ({
  number,
  ...reduced(amount),
  shares: shares.map((share) => reduced(share)),
});
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const leftOf = (rests: readonly InstallmentRest[]) =>
  sum(rests.map(({ amount, canceledAmount }) => amount - canceledAmount));

/** The installments as they stand after a cancel. */
function after(rests: readonly InstallmentRest[], parts: readonly CanceledPart[]): InstallmentRest[] {
  return rests.map((before) => {
    const part = parts.find(({ number }) => number === before.number);
    if (part === undefined) return before;
    const shares = before.shares.map(({ amount, canceledAmount }, index) =>
      reduced(amount, canceledAmount + (part.shares[index] as number)),
    );
    return { ...before, ...reduced(before.amount, before.canceledAmount + part.amount), shares };
  });
}

/**
 * Cancels one amount after another, and gives what stands after each. Amounts over the rest are
 * refused and left out.
 */
function* cancelAll(sale: InstallmentRest[], amounts: readonly number[]): Generator<InstallmentRest[]> {
  let rests = sale;
  for (const amount of amounts) {
    const left = leftOf(rests);
    const parts = canceledParts(rests, cents(amount));
    assert.equal(parts === null, amount > left);
    if (parts === null) continue;
    assert.equal(sum(parts.map((part) => part.amount)), amount);
    rests = after(rests, parts);
    assert.equal(leftOf(rests), left - amount);
    for (const part of parts) assertWhole(rests, part);
    yield rests;
  }
}

/**
 * No party, the merchant included, gives back less than nothing, or has given back more than the
 * share.
 */
function assertWhole(rests: readonly InstallmentRest[], part: CanceledPart): void {
  const rest = rests.find(({ number }) => number === part.number) as InstallmentRest;
  for (const share of part.shares) assert.ok(share >= 0);
  assert.ok(sum(part.shares) <= part.amount, 'the merchant gives back nothing negative');
  for (const { amount, canceledAmount } of rest.shares) assert.ok(canceledAmount <= amount);
  const merchants = rest.amount - sum(rest.shares.map(({ amount }) => amount));
  assert.ok(rest.canceledAmount - sum(rest.shares.map((share) => share.canceledAmount)) <= merchants);
}

/**
 * Everybody, the merchant included, is less than a cent away from the exact proportion of what was
 * canceled so far.
 */
function assertInProportion({ amount, canceledAmount, shares }: InstallmentRest): void {
  const merchants = reduced(
    amount - sum(shares.map((share) => share.amount)),
    canceledAmount - sum(shares.map((share) => share.canceledAmount)),
  );
  for (const share of [...shares, merchants]) {
    const distance =
      BigInt(share.amount) * BigInt(canceledAmount) - BigInt(share.canceledAmount) * BigInt(amount);
    assert.ok(
      distance < BigInt(amount) && -distance < BigInt(amount),
      JSON.stringify({ amount, canceledAmount, share }),
    );
  }
}

const amountsSold = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 99, max: 9_999_999_999 }));

/**
 * An installment of any division: shares of anything, of which some are nothing and the merchant
 * may have nothing.
 */
const installment = fc
  .tuple(
    amountsSold,
    fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 12 }),
    fc.integer({ min: 0, max: 300 }),
  )
  .map(([amount, weights, merchants]) => {
    const all = sum(weights) + merchants;
    const shares = weights.map((weight) => (all === 0 ? 0 : Math.floor((amount * weight) / all)));
    if (merchants === 0 && shares.length > 0) shares[0] = amount - sum(shares.slice(1));
    return sold(1, amount, ...shares);
  });

/** Cancels as portions of the whole, so that they fit large sales and small ones. */
const cutsOf = (amount: number) =>
  fc.oneof(
    fc.array(fc.integer({ min: 1, max: Math.max(1, Math.floor(amount / 5)) }), { maxLength: 15 }),
    fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 300 }),
  );
const cuts = (amounts: fc.Arbitrary<InstallmentRest>) =>
  amounts.chain((rest) => fc.tuple(fc.constant(rest), cutsOf(rest.amount)));

test('a partial cancel comes off the last installments first', () => {
  assert.deepEqual(canceledParts([sold(1, 3_334), sold(2, 3_333), sold(3, 3_333)], cents(4_000)), [
    { number: 3, amount: 3_333, shares: [] },
    { number: 2, amount: 667, shares: [] },
  ]);
});

test('beneficiaries give back in proportion', () => {
  assert.deepEqual(canceledParts([sold(1, 1_000, 500, 300)], cents(100)), [
    { number: 1, amount: 100, shares: [50, 30] },
  ]);
  assert.deepEqual(canceledParts([sold(1, 1_000, 500, 300)], cents(1_000)), [
    { number: 1, amount: 1_000, shares: [500, 300] },
  ]);
});

test('more than is left cannot be canceled', () => {
  assert.equal(canceledParts([sold(1, 10), sold(2, 10)], cents(21)), null);
  assert.equal(canceledParts([], cents(1)), null);
});

test('seven thousand cancels of a cent take no more from a beneficiary than one of seventy', () => {
  const sale = [sold(1, 10_000, 8_500)];
  let last = sale;
  for (const rests of cancelAll(sale, Array(7_000).fill(1))) last = rests;
  assert.equal(last[0]?.shares[0]?.canceledAmount, 5_950);
  assert.deepEqual(canceledParts(sale, cents(7_000))?.[0]?.shares, [5_950]);
});

test('after any cancels everybody has given back the exact proportion to less than a cent', () => {
  fc.assert(
    fc.property(cuts(installment), ([rest, amounts]) => {
      for (const rests of cancelAll([rest], amounts)) rests.forEach(assertInProportion);
    }),
    { numRuns: 500 },
  );
});

test('cancels of a cent, of all small sales there are, keep to the proportion up to the last cent', () => {
  const small = fc
    .array(fc.integer({ min: 0, max: 40 }), { minLength: 2, maxLength: 8 })
    .filter((shares) => sum(shares) > 0)
    .map((shares) => sold(1, sum(shares), ...shares.slice(1)));
  fc.assert(
    fc.property(small, (rest) => {
      for (const rests of cancelAll([rest], Array(rest.amount).fill(1))) rests.forEach(assertInProportion);
    }),
    { numRuns: 300 },
  );
});

test('a cent that is not due yet goes where it is due next, so that no later cancel lacks one', () => {
  // Of these, the largest fractions would give away cents that small shares lack a little later.
  for (const sale of [sold(1, 16, 1, 1, 1, 4, 1, 4), sold(1, 54, 3, 3, 1, 3, 1, 42)]) {
    for (const rests of cancelAll([sale], Array(sale.amount).fill(1))) rests.forEach(assertInProportion);
  }
});

test('over installments too nothing is lost or invented, and a complete cancel gives everything back', () => {
  const portions = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 3 });
  const asked = fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 12 });
  const amounts = fc.integer({ min: 99, max: 100_000 });
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 99 }), portions, asked, (amount, count, wanted, some) => {
      const entries = wanted.map((portion, index) => ({ beneficiary: String(index), portion }));
      const shares = beneficiaryShares(cents(amount), { kind: 'gross', entries }, 0);
      const installments = splitIntoInstallments(cents(amount), count);
      const spread = sharesByInstallment(shares, installments);
      let rests = installments.map((part, index) => sold(index + 1, part, ...(spread[index] ?? [])));
      for (const next of cancelAll(rests, some)) {
        rests = next;
        rests.forEach(assertInProportion);
      }
      const left = leftOf(rests);
      if (left > 0) for (const next of cancelAll(rests, [left])) rests = next;
      for (const rest of rests) {
        for (const share of rest.shares) assert.equal(share.canceledAmount, share.amount);
      }
    }),
  );
});
