import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Day } from '../../values/instant.ts';
import { referenceTail } from '../settlement-entry.ts';
import { type Candidate, type MatchableEntry, matchEntry } from './entry-match.ts';
import { divideEntry, paidMembers } from './entry-parts.ts';

const SALE: Candidate = {
  merchantId: 'LOJA',
  transactionId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  installmentNumber: 1,
  installmentCount: 1,
  soldOn: '2026-11-03' as Day,
  nsu: '778812',
  authorizationCode: 'AB12CD',
  tid: '10069930690864A81ABA',
  gross: 1_000,
  saleGross: 1_000,
  isListed: false,
};
const OTHER: Candidate = {
  ...SALE,
  transactionId: '0199c1f2-6a2b-7c11-8a3e-5d1f0c7b2a99',
  nsu: '5',
  authorizationCode: 'ZZ9999',
  tid: 'OTHER',
};
const NOTHING: MatchableEntry = {
  orderReference: null,
  tid: null,
  nsu: null,
  authorizationCode: null,
  soldOn: null,
  installmentNumber: 1,
  installmentCount: 1,
  gross: 1_000,
};
const ENTRY: MatchableEntry = {
  orderReference: '6a2b7c119a3e5d1f0c7b2a44',
  tid: SALE.tid,
  nsu: '000000778812',
  authorizationCode: 'ab12cd',
  soldOn: SALE.soldOn,
  installmentNumber: 1,
  installmentCount: 1,
  gross: 1_000,
};

const ruleOf = (entry: MatchableEntry, candidates: readonly Candidate[]) => {
  const result = matchEntry(entry, candidates);
  return result.kind === 'matched' ? result.rule : result.reason;
};

test('the rules are asked in their order, and each finds alone', () => {
  assert.equal(ruleOf(ENTRY, [SALE, OTHER]), 'reference');
  assert.equal(ruleOf({ ...ENTRY, orderReference: 'PEDIDO 7' }, [SALE, OTHER]), 'tid');
  assert.equal(ruleOf({ ...ENTRY, orderReference: null, tid: null }, [SALE, OTHER]), 'nsu');
  assert.equal(ruleOf({ ...ENTRY, orderReference: null, tid: null, nsu: '9' }, [SALE]), 'authorization');
  assert.equal(ruleOf(NOTHING, [SALE, OTHER]), 'notFound');
  assert.equal(ruleOf(NOTHING, [{ ...SALE, isListed: true }]), 'batch');
});

test('a reference counts with its last sixteen digits, and with no fewer', () => {
  const digits = SALE.transactionId.replaceAll('-', '');
  for (const length of [32, 30, 20, 16])
    assert.equal(ruleOf({ ...NOTHING, orderReference: digits.slice(-length) }, [SALE, OTHER]), 'reference');
  assert.equal(ruleOf({ ...NOTHING, orderReference: SALE.transactionId }, [SALE]), 'reference');
  assert.equal(ruleOf({ ...NOTHING, orderReference: digits.slice(-15) }, [SALE]), 'notFound');
  assert.equal(referenceTail('0000000000000000'), 0n);
  assert.equal(referenceTail('9a3e5d1f0c7b2a44'), BigInt.asIntN(64, 0x9a3e5d1f0c7b2a44n));
  assert.equal(referenceTail('pedido-000000000042'), null);
});

test('the authorization code alone needs the amount, and a day at most between', () => {
  const alone = { ...NOTHING, authorizationCode: 'AB12CD', soldOn: '2026-11-04' as Day };
  assert.equal(ruleOf(alone, [SALE]), 'authorization');
  assert.equal(ruleOf({ ...alone, soldOn: '2026-11-02' as Day }, [SALE]), 'authorization');
  assert.equal(ruleOf({ ...alone, soldOn: '2026-11-05' as Day }, [SALE]), 'notFound');
  assert.equal(ruleOf({ ...alone, gross: 1_001 }, [SALE]), 'notFound');
  assert.equal(ruleOf({ ...alone, soldOn: null }, [SALE]), 'notFound');
});

test('what two sales fit is never guessed, and no later rule decides it', () => {
  const twin = { ...OTHER, tid: SALE.tid };
  assert.equal(ruleOf({ ...ENTRY, orderReference: null }, [SALE, twin]), 'ambiguous');
});

test("a line whose reference names one sale and whose TID another is nobody's", () => {
  const named = { ...ENTRY, tid: OTHER.tid };
  assert.equal(ruleOf(named, [SALE, OTHER]), 'ambiguous');
  assert.equal(ruleOf(named, [SALE]), 'reference', 'nothing of ours has that TID');
  assert.equal(ruleOf(named, [{ ...SALE, tid: null }, OTHER]), 'reference', 'ours had none');
});

test('an installment that two lists have is one, and gets the line once', () => {
  const listed = { ...SALE, isListed: true };
  const match = matchEntry(NOTHING, [
    { ...listed, list: 1 },
    { ...listed, list: 2 },
  ]);
  assert.ok(match.kind === 'matched');
  assert.deepEqual(match.installments, [{ ...listed, list: 1 }]);
});

test('a line about a sale is about each installment, one about an installment only about that', () => {
  const sale = [1, 2, 3].map((installmentNumber) => ({
    ...SALE,
    installmentNumber,
    installmentCount: 3,
    saleGross: 3_000,
  }));
  const whole = matchEntry({ ...ENTRY, installmentNumber: null, gross: 3_000 }, sale);
  assert.deepEqual(
    whole.kind === 'matched' && whole.installments.map(({ installmentNumber }) => installmentNumber),
    [1, 2, 3],
  );
  const second = matchEntry({ ...ENTRY, installmentNumber: 2 }, sale);
  assert.deepEqual(second.kind === 'matched' && second.installments.length, 1);
  assert.equal(ruleOf({ ...ENTRY, installmentNumber: 4 }, sale), 'noSuchInstallment');
});

const MONEY = fc.integer({ min: 0, max: 9_999_999_999 });
const WEIGHTS = fc.array(
  MONEY.chain((gross) =>
    fc.record({
      gross: fc.constant(gross),
      canceled: fc.integer({ min: 0, max: gross }),
      due: fc.integer({ min: 0, max: gross }),
      unnamed: fc.integer({ min: 0, max: gross }),
      isPaid: fc.boolean(),
    }),
  ),
  { minLength: 1, maxLength: 40 },
);
const SIGNED = fc.integer({ min: -9_999_999_999, max: 9_999_999_999 });
const ENTRIES = fc.record({
  gross: SIGNED,
  fee: fc.option(MONEY),
  net: fc.option(SIGNED),
  anticipationFee: fc.option(MONEY),
});

test('the parts of a line add up to it to the cent, of each kind of money', () => {
  fc.assert(
    fc.property(ENTRIES, WEIGHTS, (entry, weights) => {
      const parts = divideEntry(entry, weights);
      for (const kind of ['gross', 'fee', 'net', 'anticipationFee'] as const) {
        const total = entry[kind];
        if (total === null) assert.ok(parts.every((part) => part[kind] === null));
        else
          assert.equal(
            parts.reduce((sum, part) => sum + (part[kind] ?? 0), 0),
            total,
          );
      }
    }),
  );
});

test('a batch paid in full pays each sale what it was sold for, and nets fit', () => {
  fc.assert(
    fc.property(WEIGHTS, fc.integer({ min: 0, max: 1_000 }), (weights, portion) => {
      const gross = weights.reduce((sum, each) => sum + each.gross, 0);
      const fee = Math.floor((gross * portion) / 10_000);
      const parts = divideEntry({ gross, fee, net: gross - fee, anticipationFee: null }, weights);
      parts.forEach((part, index) => {
        assert.equal(part.gross, weights[index]?.gross);
        assert.equal(part.net, part.gross - (part.fee ?? 0));
      });
    }),
  );
});

test('a cancel that the books have goes where the books have it', () => {
  const weight = (unnamed: number, isPaid = true) => {
    return { gross: 500, canceled: 500, due: 0, unnamed, isPaid };
  };
  const taken = (amount: number, weights: ReturnType<typeof weight>[]) =>
    divideEntry({ gross: -amount, fee: 0, net: -amount, anticipationFee: null }, weights).map(
      ({ gross, net }) => {
        assert.equal(gross, net);
        return 0 - gross;
      },
    );
  assert.deepEqual(taken(520, [weight(500), weight(20)]), [500, 20]);
  // Taken from the last paid installment first; lines of their own name the unpaid ones.
  assert.deepEqual(taken(120, [weight(300), weight(100), weight(200, false)]), [20, 100, 0]);
  assert.deepEqual(taken(300, [weight(300), weight(100), weight(200)]), [300, 0, 0]);
  // Beyond what the books have: in proportion.
  assert.deepEqual(taken(140, [weight(100), weight(0)]), [120, 20]);
});

test('a payout of a batch pays those whose money adds up, held ones by a line of their own', () => {
  const member = (gross: number, more: object = {}) => ({
    gross,
    canceled: 0,
    isBlocked: false,
    due: gross,
    isPaid: false,
    reportedOn: null,
    ...more,
  });
  const [plain, held, paid, less] = [
    member(100),
    member(70, { isBlocked: true }),
    member(50, { isPaid: true }),
    member(30, { canceled: 10, due: 20 }),
  ];
  const paidBy = (amount: number, members: (typeof plain)[]) => {
    const paying = paidMembers({ amount, bankOn: '2027-01-04' as Day }, members);
    return [paying.members, paying.isExact];
  };
  const all = [plain, held, paid, less];
  assert.deepEqual(paidBy(120, all), [[plain, less], true]);
  assert.deepEqual(paidBy(190, all), [[plain, held, less], true]);
  assert.deepEqual(paidBy(70, [held, paid]), [[held], true]);
  assert.deepEqual(paidBy(121, all), [[plain, less], false]);
  assert.deepEqual(paidBy(50, [paid]), [[], false]);
  const reported = member(40, { canceled: 40, reportedOn: '2027-01-04' });
  assert.deepEqual(paidBy(40, [plain, reported]), [[reported], true], 'charged back since');
  assert.deepEqual(paidBy(41, [plain, reported]), [[reported], false]);
});
