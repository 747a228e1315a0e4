import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../values/instant.ts';
import { CHARGE_OUTCOMES, type ChargeRule } from './charge-result.ts';
import { RULE_WORDS, sentenceOfCharge } from './contract.ts';

const DAY = '2026-12-03' as Day;
const CHARGE_RULES = Object.keys(RULE_WORDS) as ChargeRule[];

test('each rule is reported in words of its own, in both languages, with the day of the next charge where there is one', () => {
  for (const language of ['pt', 'en'] as const) {
    const texts = CHARGE_RULES.map(
      (rule) => sentenceOfCharge({ outcome: 'denied', rule, nextChargeOn: DAY })[language],
    );
    assert.equal(new Set(texts).size, CHARGE_RULES.length);
    for (const text of texts) assert.match(text, /^[A-Z][^{}]+\.$/);
    const withDay = CHARGE_RULES.filter((_, index) => texts[index]?.includes(DAY));
    assert.deepEqual(withDay, ['retry', 'retryAsAdvised']);
  }
});

test('what has no outcome yet is under way; what was voided without a rule was charged by hand, and nothing follows', () => {
  for (const outcome of [null, ...CHARGE_OUTCOMES]) {
    const { en } = sentenceOfCharge({ outcome, rule: null, nextChargeOn: null });
    assert.match(en, outcome === 'voided' ? /stays what it was/ : /Under way/);
  }
});
