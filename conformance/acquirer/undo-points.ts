import { expectAnswer, skipUnless } from '../point.ts';
import type { AcquirerPoint } from './bench.ts';
import { NO_DECLINE } from './charge-points.ts';
import { AMOUNT, approve, authorize, cancel, find, voiding } from './requests.ts';

const RACES = 40;

export const UNDO_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.6',
    sentence: 'an undo undoes what was approved, and is acknowledged again',
    async run(bench) {
      const reference = await approve(bench);
      for (let time = 1; time <= 2; time += 1)
        expectAnswer(await voiding(bench, reference), 200, { reference, status: 'undone' });
      expectAnswer(await find(bench, reference), 200, { reference, status: 'undone' });
    },
  },
  {
    paragraph: '1.6',
    sentence: 'nothing is charged under a reference that was undone, whatever else the request says',
    async run(bench) {
      const reference = await approve(bench);
      expectAnswer(await voiding(bench, reference), 200, { status: 'undone' });
      for (const changed of [{}, { amount: AMOUNT + 1 }, { card: bench.otherCard }])
        expectAnswer(await authorize(bench, reference, changed), 409, { error: 'undone' });
      expectAnswer(await find(bench, reference), 200, { status: 'undone' });
    },
  },
  {
    paragraph: '1.2.2',
    sentence: 'an undo of a reference that was never seen makes a later authorization fail',
    async run(bench) {
      const reference = bench.newReference();
      for (let time = 1; time <= 2; time += 1)
        expectAnswer(await voiding(bench, reference), 200, { reference, status: 'undone' });
      const nothing = { amount: null, nsu: null, authorizationCode: null, authorizedAt: null };
      expectAnswer(await find(bench, reference), 200, { status: 'undone', ...nothing });
      expectAnswer(await authorize(bench, reference), 409, { error: 'undone' });
      expectAnswer(await find(bench, reference), 200, { status: 'undone', ...nothing });
    },
  },
  {
    paragraph: '1.2.4',
    sentence: 'an undo that races its authorization leaves no charge, and no approval behind it',
    async run(bench) {
      const race = async (isUndoneFirst: boolean) => {
        const reference = bench.newReference();
        const sold = { soldAt: new Date().toISOString() };
        const authorizing = () => authorize(bench, reference, sold);
        const undoing = () => voiding(bench, reference);
        const [one, other] = isUndoneFirst ? [undoing(), authorizing()] : [authorizing(), undoing()];
        const answers = await Promise.all([one, other]);
        expectAnswer(answers[isUndoneFirst ? 0 : 1], 200, { status: 'undone' });
        expectAnswer(await authorizing(), 409, { error: 'undone' });
        expectAnswer(await find(bench, reference), 200, { status: 'undone' });
      };
      await Promise.all(Array.from({ length: RACES }, (_, index) => race(index % 2 === 0)));
    },
  },
  {
    paragraph: '1.6',
    sentence: 'a declined charge stays declined when it is undone',
    async run(bench) {
      skipUnless(bench.decline !== null, NO_DECLINE);
      const reference = bench.newReference();
      expectAnswer(await authorize(bench, reference, bench.decline), 200, { outcome: 'declined' });
      expectAnswer(await voiding(bench, reference), 200, { reference, status: 'declined' });
      expectAnswer(await find(bench, reference), 200, { status: 'declined' });
    },
  },
  {
    paragraph: '1.6',
    sentence: 'a charge with cancellations is not undone',
    async run(bench) {
      const reference = await approve(bench);
      expectAnswer(await cancel(bench, bench.newReference(), reference, 100), 200, { outcome: 'canceled' });
      expectAnswer(await voiding(bench, reference), 409, { error: 'canceled' });
      expectAnswer(await find(bench, reference), 200, { status: 'approved', canceledAmount: 100 });
      const rest = await cancel(bench, bench.newReference(), reference, AMOUNT - 100);
      expectAnswer(rest, 200, { outcome: 'canceled' });
      expectAnswer(await voiding(bench, reference), 409, { error: 'canceled' });
      expectAnswer(await find(bench, reference), 200, { status: 'canceled', canceledAmount: AMOUNT });
    },
  },
];
