import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Decision, endsChain, joinDecisions, VERDICTS } from './anti-fraud.ts';

const reason = fc.constantFrom('card/hour/attempts', 'silent', 'provider/stolen', 'provider/silent');
const decision: fc.Arbitrary<Decision> = fc.record({
  verdict: fc.constantFrom(...VERDICTS),
  reasons: fc.array(reason, { maxLength: 3 }),
});
const decisions = fc.array(decision, { maxLength: 5 });
const severity = ({ verdict }: Decision) => VERDICTS.indexOf(verdict);

test('the strictest of several deciders decides, and without any the sale is accepted', () => {
  assert.deepEqual(joinDecisions([]), { verdict: 'accept', reasons: [] });
  fc.assert(
    fc.property(decisions, (all) => {
      assert.equal(severity(joinDecisions(all)), Math.max(0, ...all.map(severity)));
    }),
  );
});

test('one more decider never makes a verdict milder, and takes no reason away', () => {
  fc.assert(
    fc.property(decisions, decision, (all, another) => {
      const [before, after] = [joinDecisions(all), joinDecisions([...all, another])];
      assert.ok(severity(after) >= severity(before));
      assert.deepEqual(after.reasons.slice(0, before.reasons.length), before.reasons);
    }),
  );
});

test('every reason stands once, in the order in which the deciders were asked', () => {
  const review = (...reasons: string[]): Decision => ({ verdict: 'review', reasons });
  assert.deepEqual(joinDecisions([review('b', 'a'), review('a', 'c')]).reasons, ['b', 'a', 'c']);
});

test('only a reject ends the chain: behind every other verdict there may be a stricter one', () => {
  assert.deepEqual(
    VERDICTS.filter((verdict) => endsChain({ verdict, reasons: [] })),
    ['reject'],
  );
});
