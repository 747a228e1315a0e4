import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Ledger } from '../ledger.ts';
import { ledgerItem } from './desk.ts';
import { entryOfLine } from './entries.ts';
import { cardOnPaper, SalesHouse } from './house.ts';
import { liveAmountOf, restOf, type Sale } from './sale.ts';
import { Sales } from './sales.ts';
import { Scripts } from './scripts.ts';

const HOUR_MILLISECONDS = 3_600_000;

/** `which` picks a sale, `portion` an amount of it in thousandths. */
const SALE = fc.record({
  kind: fc.constant('sell' as const),
  amount: fc.integer({ min: 1, max: 100_000 }),
  installments: fc.integer({ min: 1, max: 4 }),
  isCaptured: fc.boolean(),
  becomes: fc.constantFrom(null, 'confirmed' as const, 'voided' as const),
});
const ACT = fc.record({
  kind: fc.constantFrom('capture' as const, 'refund' as const, 'refundLater' as const, 'chargeback' as const),
  which: fc.nat(4),
  portion: fc.integer({ min: 1, max: 1_000 }),
  fails: fc.boolean(),
});
const WAIT = fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(1, 30, 800) });
const STEP = fc.oneof({ weight: 2, arbitrary: SALE }, { weight: 5, arbitrary: ACT }, WAIT);
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** The books at a time that the test moves, and the lines of their ledger. */
function play(steps: readonly Step[]): { sales: Sales; lines: string[] } {
  const [sales, lines] = [new Sales(), [] as string[]];
  const ledger = {
    append: (line: string) => void lines.push(line),
    afterDurable: (act: () => void) => act(),
  };
  let now = Date.parse('2026-02-26T15:00:00Z');
  const house = new SalesHouse(sales, ledger as unknown as Ledger, new Scripts(), () => now);
  for (const step of steps) {
    house.advance();
    if (step.kind === 'wait') now += step.hours * HOUR_MILLISECONDS;
    else if (step.kind === 'sell') sell(house, step);
    else act(house, step);
  }
  house.advance();
  return { sales, lines };
}

function sell(
  house: SalesHouse,
  { amount, installments, isCaptured, becomes }: Step & { kind: 'sell' },
): void {
  const doubt =
    becomes === null ? null : { status: 0 as const, becomes, afterMilliseconds: HOUR_MILLISECONDS };
  const card = { number: '4111111111111111', brand: 'visa', expiration: '12/2030', holder: 'ANA' } as const;
  const named = { merchantId: 'M1', reference: `r${amount % 5}`, notes: { softDescriptor: 'LOJA' } };
  const order = { ...named, amount, installments, isCaptured, card: cardOnPaper(card), decline: null };
  house.sell({ id: (nsu) => `s${nsu}`, ...order, doubt, feePortion: 300 });
}

function act(house: SalesHouse, step: Exclude<Step, { kind: 'sell' | 'wait' }>): void {
  const sale = house.sales.inOrder[step.which % Math.max(1, house.sales.inOrder.length)];
  if (sale === undefined) return;
  const amount = Math.ceil((sale.amount * step.portion) / 1_000);
  if (step.kind === 'capture') {
    if (sale.state === 'authorized') house.capture(sale, amount);
  } else if (step.kind === 'chargeback') {
    house.change(sale, { change: 'chargeback', installmentNumber: 1, amount: null, anticipationFee: null });
  } else if (sale.state === 'authorized') house.refund(sale, sale.amount, null);
  else if (amount <= restOf(sale)) {
    const later = { afterMilliseconds: 24 * HOUR_MILLISECONDS, fails: step.fails };
    house.refund(sale, amount, step.kind === 'refundLater' ? later : null);
  }
}

function booksOf(sales: Sales): object[] {
  return sales.inOrder.map((sale: Sale) => ({ ...ledgerItem(sale), views: sale.views }));
}

test('no more is given back than was charged, and a ledger read back is the same books', () => {
  fc.assert(
    fc.property(fc.array(STEP, { minLength: 20, maxLength: 60, size: 'max' }), (steps) => {
      const { sales, lines } = play(steps);
      for (const sale of sales.inOrder) {
        const live = liveAmountOf(sale);
        assert.ok(live >= 0 && live <= sale.amount, `${live} of ${sale.amount}`);
        if (sale.state !== 'captured') continue;
        assert.equal(
          sale.parts?.reduce((sum, { rest }) => sum + rest, 0),
          live,
        );
      }
      const again = new Sales();
      for (const line of lines) {
        const entry = entryOfLine(line);
        assert.ok(entry, line);
        again.apply(entry);
      }
      assert.deepEqual(booksOf(again), booksOf(sales));
    }),
    { numRuns: 150 },
  );
});
