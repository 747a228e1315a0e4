import type { Exchange } from '../http-client.ts';
import { expect, expectAnswer, fieldOf, skipUnless } from '../point.ts';
import type { AcquirerPoint, Bench } from './bench.ts';
import { AMOUNT, authorization, authorize, cancel, find, voiding } from './requests.ts';

const AT_ONCE = 10;
const NOT_OFFERED = 'the bridge does not capture later (404 unknownPath)';

async function skipUnlessOffered(bench: Bench): Promise<void> {
  const answer = await findCapture(bench, bench.newReference());
  skipUnless(fieldOf(answer, 'error') !== 'unknownPath', NOT_OFFERED);
}

function preauthorize(bench: Bench, reference: string): Promise<Exchange> {
  return bench.bridge.post('/preauthorizations', authorization(bench, reference));
}

/** Holds an amount on a card under a new reference, and gives it. */
async function hold(bench: Bench): Promise<string> {
  await skipUnlessOffered(bench);
  const reference = bench.newReference();
  const sent = authorization(bench, reference);
  const booked = { reference, outcome: 'preauthorized', amount: AMOUNT };
  const first = await bench.bridge.post('/preauthorizations', sent);
  expectAnswer(first, 200, booked);
  const again = await bench.bridge.post('/preauthorizations', sent);
  expectAnswer(again, 200, { ...booked, nsu: fieldOf(first, 'nsu') });
  return reference;
}

function capture(
  { bridge, merchantId }: Bench,
  captureReference: string,
  reference: string,
  amount: number,
): Promise<Exchange> {
  const capturedAt = new Date().toISOString();
  return bridge.post('/captures', { captureReference, reference, merchantId, amount, capturedAt });
}

function findCapture({ bridge, merchantId }: Bench, captureReference: string): Promise<Exchange> {
  return bridge.get(`/captures/${captureReference}?merchantId=${encodeURIComponent(merchantId)}`);
}

export const CAPTURE_POINTS: readonly AcquirerPoint[] = [
  {
    paragraph: '1.11',
    sentence: 'what is pre-authorized is charged by its capture, once, and what is captured is found',
    async run(bench) {
      const reference = await hold(bench);
      expectAnswer(await find(bench, reference), 200, { status: 'preauthorized', amount: AMOUNT });
      const captureReference = bench.newReference();
      expectAnswer(await findCapture(bench, captureReference), 404, { error: 'notFound' });
      const booked = { captureReference, outcome: 'captured', amount: 1_000 };
      expectAnswer(await capture(bench, captureReference, reference, 1_000), 200, booked);
      expectAnswer(await capture(bench, captureReference, reference, 1_000), 200, booked);
      expectAnswer(await findCapture(bench, captureReference), 200, booked);
      expectAnswer(await find(bench, reference), 200, { status: 'approved', amount: 1_000 });
      const more = await capture(bench, bench.newReference(), reference, 1_000);
      expectAnswer(more, 200, { outcome: 'refused', reason: 'notPreauthorized' });
      const back = await cancel(bench, bench.newReference(), reference, 1_001);
      expectAnswer(back, 200, { outcome: 'refused', reason: 'exceedsRemaining' });
    },
  },
  {
    paragraph: '1.11',
    sentence: 'a capture of more is refused, and stays refused; another one may follow',
    async run(bench) {
      const reference = await hold(bench);
      const tooMuch = bench.newReference();
      const refused = { captureReference: tooMuch, outcome: 'refused', reason: 'exceedsAuthorized' };
      for (let time = 1; time <= 2; time += 1)
        expectAnswer(await capture(bench, tooMuch, reference, AMOUNT + 1), 200, refused);
      expectAnswer(await findCapture(bench, tooMuch), 200, refused);
      expectAnswer(await capture(bench, tooMuch, reference, AMOUNT), 409, { error: 'referenceReused' });
      expectAnswer(await find(bench, reference), 200, { status: 'preauthorized' });
      const whole = await capture(bench, bench.newReference(), reference, AMOUNT);
      expectAnswer(whole, 200, { outcome: 'captured', amount: AMOUNT });
    },
  },
  {
    paragraph: '1.11',
    sentence: 'an undo lets it go, and a capture behind it is refused',
    async run(bench) {
      const reference = await hold(bench);
      expectAnswer(await voiding(bench, reference), 200, { reference, status: 'undone' });
      const late = await capture(bench, bench.newReference(), reference, AMOUNT);
      expectAnswer(late, 200, { outcome: 'refused', reason: 'notPreauthorized' });
      expectAnswer(await find(bench, reference), 200, { status: 'undone' });
      expectAnswer(await preauthorize(bench, reference), 409, { error: 'undone' });
    },
  },
  {
    paragraph: '1.11',
    sentence: 'nothing is given back before its capture, and a reference is charged one way only',
    async run(bench) {
      const reference = await hold(bench);
      const early = await cancel(bench, bench.newReference(), reference, 1);
      expectAnswer(early, 200, { outcome: 'refused', reason: 'notApproved' });
      expectAnswer(await authorize(bench, reference), 409, { error: 'referenceReused' });
      expectAnswer(await find(bench, reference), 200, { status: 'preauthorized' });
      const none = await capture(bench, bench.newReference(), bench.newReference(), 1);
      expectAnswer(none, 200, { outcome: 'refused', reason: 'unknownCharge' });
    },
  },
  {
    paragraph: '1.11',
    sentence: 'captures that come at once charge once',
    async run(bench) {
      const reference = await hold(bench);
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) =>
          capture(bench, bench.newReference(), reference, 2_000 + index),
        ),
      );
      const done = answers.filter((answer) => fieldOf(answer, 'outcome') === 'captured');
      const found = await find(bench, reference);
      expect(done.length === 1, 'one of ten captures done', found);
      expectAnswer(found, 200, { status: 'approved', amount: fieldOf(done[0] as Exchange, 'amount') });
    },
  },
];
