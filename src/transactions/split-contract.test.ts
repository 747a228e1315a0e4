import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents, splitIntoInstallments } from '../values/cents.ts';
import { beneficiaryShares, recordedShares, type Split } from './split.ts';
import { writeSplit } from './split-contract.ts';

type Shown = { split?: { installments: unknown[] }[]; splitPage?: number; splitPages?: number };

function shown(entries: number, installments: number, page?: number): Shown {
  const split: Split = {
    kind: 'gross',
    entries: Array.from({ length: entries }, (_, index) => ({ beneficiary: `${index}`, portion: 100 })),
  };
  const amount = cents(1_000_000);
  assert.equal(beneficiaryShares(amount, split, 0).length, entries);
  const parts = splitIntoInstallments(amount, installments);
  const shares = recordedShares(amount, { ...split, feePortion: 0 }, parts);
  return writeSplit({ split, shares }, installments, page) as Shown;
}

test('a thousand shares are one answer, which says nothing of pages', () => {
  for (const [entries, installments] of [
    [100, 10],
    [1, 99],
    [10, 99],
  ] as const) {
    const { split, ...pages } = shown(entries, installments);
    assert.equal(split?.length, entries);
    assert.deepEqual(pages, {});
  }
});

test('more are reported in pages of whole entries, none of them twice, and none behind the last', () => {
  const pages = [1, 2, 3].map((page) => shown(91, 11, page));
  assert.deepEqual(
    pages.map(({ split, splitPage, splitPages }) => [split?.length, splitPage, splitPages]),
    [
      [90, 1, 2],
      [1, 2, 2],
      [0, 3, 2],
    ],
  );
  assert.ok(pages.every(({ split }) => split?.every((entry) => entry.installments.length === 11)));
});

test('a page behind the only one is empty, and before its approval a sale has none', () => {
  assert.deepEqual(shown(2, 3, 2), { split: [], splitPage: 2, splitPages: 1 });
  assert.deepEqual(writeSplit({ split: { kind: 'gross', entries: [] }, shares: [] }, 0), {});
  assert.deepEqual(writeSplit(null, 3), {});
});
