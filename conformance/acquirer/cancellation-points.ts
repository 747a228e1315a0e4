import { expect, expectAnswer, fieldOf, skipUnless } from '../point.ts';
import type { AcquirerPoint } from './bench.ts';
import { NO_DECLINE } from './charge-points.ts';
import { AMOUNT, approve, authorize, cancel, find, voiding } from './requests.ts';

const AT_ONCE = 10;
const NO_PENDING = 'nothing is known here that is accepted and decided later (--pending-amount)';

export const CANCELLATION_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.7',
    sentence: 'a charge is canceled in parts, each once, until nothing is left',
    async run(bench) {
      const reference = await approve(bench);
      const part = bench.newReference();
      const reported = {
        cancellationReference: part,
        outcome: 'canceled',
        amount: 1_000,
        canceledAmount: 1_000,
      };
      expectAnswer(await cancel(bench, part, reference, 1_000), 200, reported);
      expectAnswer(await find(bench, reference), 200, { status: 'approved', canceledAmount: 1_000 });
      const rest = await cancel(bench, bench.newReference(), reference, AMOUNT - 1_000);
      expectAnswer(rest, 200, { outcome: 'canceled', canceledAmount: AMOUNT });
      expectAnswer(await find(bench, reference), 200, { status: 'canceled', canceledAmount: AMOUNT });
      expectAnswer(await cancel(bench, part, reference, 1_000), 200, reported);
      expectAnswer(await find(bench, reference), 200, { status: 'canceled', canceledAmount: AMOUNT });
    },
  },
  {
    paragraph: '1.7',
    sentence: 'more than is left is refused, and stays refused',
    async run(bench) {
      const reference = await approve(bench);
      const tooMuch = bench.newReference();
      const refused = {
        cancellationReference: tooMuch,
        outcome: 'refused',
        reason: 'exceedsRemaining',
      };
      expectAnswer(await cancel(bench, tooMuch, reference, AMOUNT + 1), 200, refused);
      expectAnswer(await cancel(bench, tooMuch, reference, AMOUNT + 1), 200, refused);
      expectAnswer(await find(bench, reference), 200, { status: 'approved', canceledAmount: 0 });
      const whole = await cancel(bench, bench.newReference(), reference, AMOUNT);
      expectAnswer(whole, 200, { outcome: 'canceled' });
      const more = await cancel(bench, bench.newReference(), reference, 1);
      expectAnswer(more, 200, { outcome: 'refused', reason: 'exceedsRemaining' });
    },
  },
  {
    paragraph: '1.7',
    sentence: 'another charge or amount under a used cancellation reference is refused',
    async run(bench) {
      const [reference, other] = [await approve(bench), await approve(bench)];
      const part = bench.newReference();
      expectAnswer(await cancel(bench, part, reference, 1_000), 200, { outcome: 'canceled' });
      expectAnswer(await cancel(bench, part, reference, 999), 409, { error: 'referenceReused' });
      expectAnswer(await cancel(bench, part, other, 1_000), 409, { error: 'referenceReused' });
      expectAnswer(await find(bench, other), 200, { canceledAmount: 0 });
    },
  },
  {
    paragraph: '1.7',
    sentence: 'what was not approved cannot be canceled, and a refusal is not done later',
    async run(bench) {
      const reference = bench.newReference();
      const early = bench.newReference();
      const refused = { outcome: 'refused', reason: 'unknownCharge' };
      expectAnswer(await cancel(bench, early, reference, 1), 200, refused);
      expectAnswer(await authorize(bench, reference), 200, { outcome: 'approved' });
      expectAnswer(await cancel(bench, early, reference, 1), 200, refused);
      expectAnswer(await find(bench, reference), 200, { canceledAmount: 0 });
      expectAnswer(await voiding(bench, reference), 200, { status: 'undone' });
      const late = await cancel(bench, bench.newReference(), reference, 1);
      expectAnswer(late, 200, { outcome: 'refused', reason: 'notApproved' });
    },
  },
  {
    paragraph: '1.7',
    sentence: 'a declined charge cannot be canceled',
    async run(bench) {
      skipUnless(bench.decline !== null, NO_DECLINE);
      const reference = bench.newReference();
      expectAnswer(await authorize(bench, reference, bench.decline), 200, { outcome: 'declined' });
      const answer = await cancel(bench, bench.newReference(), reference, 1);
      expectAnswer(answer, 200, { outcome: 'refused', reason: 'notApproved' });
    },
  },
  {
    paragraph: '1.7',
    sentence: 'cancellations that come at once give back no more than there is',
    async run(bench) {
      const reference = await approve(bench);
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () => cancel(bench, bench.newReference(), reference, 1_000)),
      );
      const done = answers.filter((answer) => fieldOf(answer, 'outcome') === 'canceled');
      for (const answer of answers)
        if (!done.includes(answer)) expectAnswer(answer, 200, { reason: 'exceedsRemaining' });
      const found = await find(bench, reference);
      expectAnswer(found, 200, { status: 'approved', canceledAmount: 2_000 });
      expect(done.length === 2, 'two of ten cancellations of 1000 of 2500 done', found);
    },
  },
  {
    paragraph: '1.7',
    sentence: 'one cancellation that comes many times at once is done once',
    async run(bench) {
      const reference = await approve(bench);
      const part = bench.newReference();
      const send = () => cancel(bench, part, reference, 100);
      for (const answer of await Promise.all(Array.from({ length: AT_ONCE }, send)))
        expectAnswer(answer, 200, { outcome: 'canceled', amount: 100, canceledAmount: 100 });
      expectAnswer(await find(bench, reference), 200, { canceledAmount: 100 });
    },
  },
  {
    paragraph: '1.7',
    sentence: 'a cancellation that is pending holds its amount, gives nothing back yet, and is told again',
    async run(bench) {
      const { pendingAmount: amount } = bench;
      skipUnless(amount !== null, NO_PENDING);
      const reference = await approve(bench, { amount: amount + 1 });
      const accepted = bench.newReference();
      const pending = { cancellationReference: accepted, outcome: 'pending', amount, canceledAmount: 0 };
      for (let time = 1; time <= 2; time += 1)
        expectAnswer(await cancel(bench, accepted, reference, amount), 200, pending);
      expectAnswer(await find(bench, reference), 200, { status: 'approved', canceledAmount: 0 });
      const beyond = await cancel(bench, bench.newReference(), reference, 2);
      expectAnswer(beyond, 200, { outcome: 'refused', reason: 'exceedsRemaining' });
      expectAnswer(await voiding(bench, reference), 409, { error: 'canceled' });
    },
  },
];
