import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { readReasons, reasonsText, strictest, triggeredDecision, VERDICTS } from './anti-fraud.ts';
import {
  type Counts,
  MEASURES,
  MOST_ATTEMPTS_COUNTED,
  PRODUCTION_RULES,
  readVelocityRules,
  ruleName,
  SUBJECTS,
  type VelocityRule,
  velocityDecision,
  WINDOWS,
} from './velocity.ts';

const count = fc.integer({ min: 0, max: MOST_ATTEMPTS_COUNTED });
const measures = fc.record({ attempts: count, declines: count, cards: count });
const counts: fc.Arbitrary<Counts> = fc.record({ minute: measures, hour: measures, day: measures });
const countsOf = fc.record(
  { card: counts, document: counts, address: counts, device: counts, merchant: counts },
  { requiredKeys: [] },
);
const rule: fc.Arbitrary<VelocityRule> = fc.record(
  {
    subject: fc.constantFrom(...SUBJECTS),
    window: fc.constantFrom(...WINDOWS),
    measure: fc.constantFrom(...MEASURES),
    threshold: fc.integer({ min: 1, max: MOST_ATTEMPTS_COUNTED }),
    verdict: fc.constantFrom('review', 'reject'),
  },
  { noNullPrototype: true },
);
const rules = fc.array(rule, { maxLength: 12 });

function countsWith(change: Partial<Record<keyof Counts, Partial<Counts['hour']>>>): Counts {
  const none = { attempts: 0, declines: 0, cards: 0 };
  const of = (window: keyof Counts) => ({ ...none, ...change[window] });
  return { minute: of('minute'), hour: of('hour'), day: of('day') };
}

const written = ({ threshold, verdict, ...named }: VelocityRule) =>
  `${ruleName({ threshold, verdict, ...named })}/${threshold}=${verdict}`;

function read(text: string): readonly VelocityRule[] {
  const given = readVelocityRules(text);
  assert.ok('rules' in given, JSON.stringify(given));
  return given.rules;
}

test('a sale meets a rule when as many are on record as it says, and not one before', () => {
  const limit = read('card/hour/attempts/10=reject');
  assert.deepEqual(velocityDecision(limit, { card: countsWith({ hour: { attempts: 9 } }) }), {
    verdict: 'accept',
    reasons: [],
  });
  assert.deepEqual(velocityDecision(limit, { card: countsWith({ hour: { attempts: 10 } }) }), {
    verdict: 'reject',
    reasons: ['card/hour/attempts'],
  });
});

test('only the counts of the window, the measure and the subject that a rule names can reach it', () => {
  fc.assert(
    fc.property(rule, countsOf, (one, given) => {
      const { subject, window, measure, threshold, verdict } = one;
      const reached = (given[subject]?.[window][measure] ?? 0) >= threshold;
      assert.deepEqual(velocityDecision([one], given), {
        verdict: reached ? verdict : 'accept',
        reasons: reached ? [ruleName(one)] : [],
      });
    }),
  );
});

test('the strictest of all rules reached decides, whatever their order, and all of them are named', () => {
  fc.assert(
    fc.property(rules, countsOf, (all, given) => {
      const whole = velocityDecision(all, given);
      const backwards = velocityDecision(all.toReversed(), given);
      assert.equal(backwards.verdict, whole.verdict);
      assert.deepEqual(backwards.reasons.toSorted(), whole.reasons.toSorted());
      assert.equal(whole.verdict, strictest(all.map((one) => velocityDecision([one], given).verdict)));
      assert.equal(whole.verdict === 'accept', whole.reasons.length === 0);
    }),
  );
});

test('more tries never make a verdict milder', () => {
  const more = (given: Counts): Counts => {
    const raised = WINDOWS.map((window) => {
      const { attempts, declines, cards } = given[window];
      return [window, { attempts: attempts + 1, declines: declines + 1, cards: cards + 1 }];
    });
    return Object.fromEntries(raised) as Counts;
  };
  fc.assert(
    fc.property(rules, countsOf, (all, given) => {
      const raised = Object.fromEntries(Object.entries(given).map(([subject, of]) => [subject, more(of)]));
      const [before, after] = [velocityDecision(all, given), velocityDecision(all, raised)];
      assert.ok(VERDICTS.indexOf(after.verdict) >= VERDICTS.indexOf(before.verdict));
    }),
  );
});

test('rules are read as they are written', () => {
  fc.assert(fc.property(rules, (all) => assert.deepEqual(read(all.map(written).join('\n ')), all)));
  assert.deepEqual(read('  '), []);
});

test('what is no rule is named', () => {
  const faulty = [
    'card/hour/attempts=reject',
    'card/hour/attempts/0=reject',
    'card/hour/attempts/501=reject',
    'card/hour/attempts/10=accept',
    'card/week/attempts/10=reject',
    'name/hour/attempts/10=reject',
    'card/hour/refunds/10=reject',
    'card/toString/attempts/10=reject',
    'card/hour/attempts/10=reject,card/day/attempts/10=reject',
  ];
  assert.deepEqual(readVelocityRules(['card/hour/attempts/10=reject', ...faulty].join(' ')), { faulty });
});

test("production's rules never reject a whole merchant, and no address for its buyers' many cards", () => {
  const preset = read(PRODUCTION_RULES);
  assert.ok(preset.length > 5);
  assert.deepEqual(
    preset.filter(({ subject, verdict }) => subject === 'merchant' && verdict === 'reject'),
    [],
  );
  const many = countsWith({ hour: { cards: 500, attempts: 500 }, day: { cards: 500, attempts: 500 } });
  assert.equal(velocityDecision(preset, { address: many }).verdict, 'review');
});

test("the rules of docs/antifraud.md are production's", () => {
  const page = readFileSync(new URL('../../docs/antifraud.md', import.meta.url), 'utf8');
  const reported = /```\n(card\/[^`]*)```/.exec(page)?.[1] ?? '';
  assert.deepEqual(read(reported), read(PRODUCTION_RULES));
});

test('the addresses of a buyer that decide by themselves are exactly three', () => {
  assert.deepEqual(triggeredDecision('reject@test.com'), { verdict: 'reject', reasons: ['trigger'] });
  assert.equal(triggeredDecision(' Review@Test.com ')?.verdict, 'review');
  assert.equal(triggeredDecision('accept@test.com')?.verdict, 'accept');
  for (const email of [null, '', 'ana@example.com', 'constructor', 'reject@test.com.br', 'reject@test.co']) {
    assert.equal(triggeredDecision(email), null);
  }
});

test('reasons that are kept are read again as whole names, as many as fit', () => {
  const all = rules.map((given) => given.map(ruleName));
  fc.assert(fc.property(all, (names) => assert.deepEqual(readReasons(reasonsText(names)), names)));
  const many = Array.from({ length: 60 }, (_, index) => `merchant/minute/declines-${index}`);
  const kept = readReasons(reasonsText(many));
  assert.ok(kept.length > 10 && reasonsText(many).length <= 500);
  assert.deepEqual(kept, many.slice(0, kept.length));
});
