import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Day } from '../../values/instant.ts';
import { instant } from '../../values/instant.ts';
import { isSilent, isWithinLookUp, type QuestionBudget, salesToAsk, shareOf } from './question-budget.ts';

const DAY = '2026-12-02' as Day;
const BUDGET: QuestionBudget = {
  questions: 200,
  merchants: 1,
  asked: 0,
  endedMerchants: 0,
  endedAsked: 0,
  unanswered: [],
};

test('questions to the acquirer are bounded, those that differ come first, and in some nights all are asked', () => {
  const sales = Array.from({ length: 100 }, (_, index) => `sale ${index}`);
  const ask = (differing: string[], asked: number, change: Partial<QuestionBudget> = {}) =>
    salesToAsk(DAY, sales, differing, asked, { ...BUDGET, ...change });
  assert.deepEqual(salesToAsk(DAY, sales.slice(0, 3), [], 0, BUDGET), ['sale 0', 'sale 1', 'sale 2']);
  const nights = ['2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04', '2026-12-05'];
  const asked = nights.flatMap((night) => salesToAsk(night as Day, sales, [], 0, BUDGET));
  assert.equal(new Set(asked).size, sales.length);
  const differing = sales.slice(90);
  assert.deepEqual(ask(differing, 0).slice(0, 10), differing);
  assert.deepEqual(ask(differing, 196), differing.slice(0, 4));
  assert.deepEqual(
    ask(differing, 0, { asked: 197 }),
    differing.slice(0, 3),
    'what others have taken is gone',
  );
  assert.deepEqual(ask(differing, 0, { merchants: 50 }), differing.slice(0, 4), 'the share of one of fifty');
  assert.equal(ask([], 0, { merchants: 50 }).length, 2, 'the half of a share is for what differs');
  assert.deepEqual(ask(differing, 200), []);
  assert.equal(ask(differing, 0).length, 20 + 10 - 2);
});

test('of several acquirers each has its part of the questions, and one that is silent is left out alone', () => {
  const unanswered = ['rede', 'cielo', 'rede', 'rede'];
  assert.deepEqual(
    ['rede', 'cielo', 'default'].map((name) => isSilent({ unanswered }, name)),
    [true, false, false],
  );
  const differing = Array.from({ length: 500 }, (_, index) => `sale ${index}`);
  const part = (asked: number, parts: number) =>
    salesToAsk(DAY, differing, differing, asked, { ...BUDGET, asked }, parts).length;
  assert.deepEqual([part(0, 3), part(66, 2), part(133, 1)], [66, 67, 67]);
  assert.equal(part(20, 1), 180, 'what the first did not need is left to the last');
  assert.equal(part(199, 3), 1, 'the last question is somebody’s');
  assert.equal(part(200, 3), 0);
});

/** All merchants ask a batch each in turn, until none asks any more. */
function night(questions: number, wishes: readonly number[]): number[] {
  const asked = wishes.map(() => 0);
  let budget = { ...BUDGET, questions, merchants: wishes.length };
  const waiting = new Set(wishes.keys());
  for (let round = 0; waiting.size > 0 && round < 1_000; round += 1) {
    for (const index of [...waiting]) {
      const before = asked[index] as number;
      const left = (wishes[index] as number) - before;
      const differing = Array.from({ length: Math.min(7, left) }, (_, at) => `${index} ${round} ${at}`);
      const put = salesToAsk(DAY, differing, differing, before, budget).length;
      asked[index] = before + put;
      budget = { ...budget, asked: budget.asked + put };
      if (differing.length > 0 && put > 0) continue;
      waiting.delete(index);
      budget = {
        ...budget,
        endedMerchants: budget.endedMerchants + 1,
        endedAsked: budget.endedAsked + before + put,
      };
    }
  }
  return asked;
}

test('what all merchants ask stays within the budget, and nobody who differs has less than a share', () => {
  const merchants = fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 120 }), merchants, (questions, wishes) => {
      const asked = night(questions, wishes);
      const sum = asked.reduce((all, one) => all + one, 0);
      assert.ok(sum <= questions, `${sum} of ${questions}`);
      const share = Math.floor(questions / wishes.length);
      for (const [index, wish] of wishes.entries())
        assert.ok((asked[index] as number) >= Math.min(wish, share), `${asked} of ${wishes}`);
    }),
  );
  assert.deepEqual(night(40, [50, 0, 3, 50]), [18, 0, 3, 19], 'what others leave over is shared');
});

test('a share has no end below 0 and no division by 0', () => {
  assert.equal(shareOf({ ...BUDGET, merchants: 0 }), 200);
  assert.equal(shareOf({ ...BUDGET, merchants: 3, endedMerchants: 5, endedAsked: 500 }), 0);
});

test('a charge is found for so many days from the sale', () => {
  const soldAt = instant(Date.parse('2026-11-02T02:59:00Z'));
  assert.ok(isWithinLookUp(soldAt, DAY, null));
  assert.ok(isWithinLookUp(soldAt, DAY, 32));
  assert.ok(!isWithinLookUp(soldAt, DAY, 31), 'sold on the first of November in São Paulo, 31 days ago');
  assert.ok(isWithinLookUp(soldAt, '2026-11-01' as Day, 1));
});
