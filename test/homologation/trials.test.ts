import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRIALS } from '../../homologation/trials.ts';
import amounts from '../../simulators/kit/cards/trigger-amounts.json' with { type: 'json' };
import triggerCards from '../../simulators/kit/cards/trigger-cards.json' with { type: 'json' };
import { TRIGGERS, triggeredDecision } from '../../src/antifraud/anti-fraud.ts';
import { isTrialCard, NETWORK_LIMITS } from '../../src/transactions/methods/card/network-limits.ts';
import { isCardNumber } from '../../src/values/card-number.ts';

const english = (cell: string | { en: string }) => (typeof cell === 'string' ? cell : cell.en);
const rowOf = (text: string) =>
  TRIALS.flatMap(({ rows }) => rows.map((row) => row.map(english).join(' | '))).find((row) =>
    row.includes(`\`${text}\``),
  );

test('the reference of homologation names every card of the simulator, with what it does', () => {
  for (const { number, declines, times, responseCode, adviceCode } of triggerCards) {
    const row = rowOf(number);
    assert.ok(row !== undefined, number);
    assert.ok(row.includes(`\`${responseCode}\``), row);
    if (adviceCode !== null) assert.ok(row.includes(`\`${adviceCode}\``), row);
    const often = times === 1 ? 'once' : `${times} times`;
    const words = {
      always: 'always',
      first: `declines ${often}`,
      afterApprovals: 'approves once|one approval',
    };
    assert.match(row, new RegExp(words[declines as keyof typeof words]), number);
  }
  const known = triggerCards.map(({ number }) => number);
  for (const [, number = ''] of JSON.stringify(TRIALS).matchAll(/`(\d{15,16})`/g)) {
    assert.ok(isCardNumber(number), number);
    assert.ok(known.includes(number) || isTrialCard(number), `${number} is nothing special`);
  }
});

test('the reference of homologation names every amount that the simulator reacts to', () => {
  for (const [digits, fault] of Object.entries(amounts.faults)) {
    assert.match(rowOf(digits) ?? '', fault === 'silent' ? /books nothing/ : /it books the charge/);
  }
  const range = `10xx\`, xx from ${amounts.declines.first - 1_000} to ${amounts.declines.last - 1_000}`;
  assert.ok(JSON.stringify(TRIALS).includes(range.replace('from 5', 'from 05')), range);
});

test('the reference of homologation names the limits of the networks as they are enforced', () => {
  const first = rowOf('5200059000000003') ?? '';
  const [limit] = NETWORK_LIMITS.mastercard.limits;
  assert.ok(first.includes(`${limit?.declines} declines of any amounts`), first);
  assert.match(first, /until a day passed/);
  assert.match(rowOf('4000059000000008') ?? '', /20 declines of one amount.*until 30 days passed/);
});

test('the reference of homologation names the e-mails that decide, and what they decide', () => {
  assert.equal(triggeredDecision('reject@test.com')?.verdict, 'reject');
  assert.equal(triggeredDecision('review@test.com')?.verdict, 'review');
  assert.match(rowOf('reject@test.com') ?? '', /402/);
  assert.match(rowOf('review@test.com') ?? '', /charged/);
  for (const email of Object.keys(TRIGGERS)) assert.ok(rowOf(email) !== undefined, email);
});
