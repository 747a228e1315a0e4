import assert from 'node:assert/strict';
import { test } from 'node:test';
import triggerCards from '../../simulators/acquirer/trigger-cards.json' with { type: 'json' };
import { triggeredDecision } from '../../src/antifraud/anti-fraud.ts';
import { TRIALS } from '../../src/homologation/trials.ts';
import { isTrialCard } from '../../src/transactions/card/network-limits.ts';
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
    const word =
      declines === 'always' ? 'always' : declines === 'first' ? `declines ${times} time` : 'one|once';
    assert.match(row, new RegExp(word), number);
  }
  const known = triggerCards.map(({ number }) => number);
  for (const [, number = ''] of JSON.stringify(TRIALS).matchAll(/`(\d{15,16})`/g)) {
    assert.ok(isCardNumber(number), number);
    assert.ok(known.includes(number) || isTrialCard(number), `${number} is nothing special`);
  }
});

test('the reference of homologation names the e-mails that decide, and what they decide', () => {
  assert.equal(triggeredDecision('reject@test.com')?.verdict, 'reject');
  assert.equal(triggeredDecision('review@test.com')?.verdict, 'review');
  assert.match(rowOf('reject@test.com') ?? '', /402/);
  assert.match(rowOf('review@test.com') ?? '', /charged/);
});
