import type { Exchange } from '../http-client.ts';
import { expect, expectAnswer, fieldOf, orAbsent, skipUnless } from '../point.ts';
import { type AcquirerPoint, type Bench, CODE, LINK } from './bench.ts';
import { authorize, find } from './requests.ts';

const NO_VERIFICATIONS = 'the bridge has no POST /verifications (404 unknownPath)';

async function verify(bench: Bench, reference: string, changed: object = {}): Promise<Exchange> {
  const { bridge, merchantId, card } = bench;
  const answer = await bridge.post('/verifications', { reference, merchantId, card, ...changed });
  skipUnless(answer.status !== 404 || fieldOf(answer, 'error') !== 'unknownPath', NO_VERIFICATIONS);
  return answer;
}

export const VERIFICATION_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.10',
    sentence: 'a check of a card takes no money, and is told again',
    async run(bench) {
      const reference = bench.newReference();
      const answer = await verify(bench, reference);
      const names = { networkTransactionId: CODE, transactionLinkId: orAbsent(LINK) };
      expectAnswer(answer, 200, { reference, outcome: 'approved', amount: 0, ...names });
      const again = await verify(bench, reference);
      expect(JSON.stringify(again.body) === JSON.stringify(answer.body), 'the same answer again', again);
      expectAnswer(await find(bench, reference), 404, { error: 'notFound' });
    },
  },
  {
    paragraph: '1.10',
    sentence: 'another card under a used reference of a check is refused',
    async run(bench) {
      const reference = bench.newReference();
      expectAnswer(await verify(bench, reference), 200, { outcome: 'approved' });
      const answer = await verify(bench, reference, { card: bench.otherCard });
      expectAnswer(answer, 409, { error: 'referenceReused' });
    },
  },
  {
    paragraph: '1.10',
    sentence: 'references of checks are a series of their own beside those of charges',
    async run(bench) {
      const reference = bench.newReference();
      expectAnswer(await verify(bench, reference), 200, { outcome: 'approved' });
      expectAnswer(await authorize(bench, reference), 200, { outcome: 'approved' });
    },
  },
];
