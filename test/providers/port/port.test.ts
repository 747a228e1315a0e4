import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AuthorizationAnswer } from '../../../src/providers/acquirers/acquirer.ts';
import { sliceOf } from '../../kit/patience.ts';
import {
  AskedCancel,
  billing,
  capturing,
  newReference,
  PATIENT_MILLISECONDS,
  SHORT_MILLISECONDS,
  sale,
  verification,
} from './asks.ts';
import { MERCHANT, openPortBenches, type PortBench } from './port-bench.ts';

/** What the service relies on of every acquirer: each adapter against its simulated acquirer's books. */

const AMOUNT = 12_345;
const PART = 2_345;

let benches: readonly PortBench[] = [];
before(async () => {
  benches = await openPortBenches();
});
after(() => Promise.all(benches.map((bench) => bench.close())));

/** Of all adapters at once: a case waits for silence. */
function ofEach(sentence: string, run: (bench: PortBench) => Promise<void>): void {
  test(sentence, async () => {
    const named = (bench: PortBench) =>
      run(bench).catch((error: Error) => {
        error.message = `${bench.name}: ${error.message}`;
        throw error;
      });
    const ended = await Promise.allSettled(benches.map(named));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  });
}

type Approved = Extract<AuthorizationAnswer, { kind: 'approved' | 'preauthorized' }>;

async function approved(
  { acquirer }: PortBench,
  reference: string,
  capture: 'atOnce' | 'later' = 'atOnce',
): Promise<Approved> {
  const answer = await acquirer.authorize(sale(reference, AMOUNT, capture), PATIENT_MILLISECONDS);
  assert.equal(answer.kind, capture === 'later' ? 'preauthorized' : 'approved', JSON.stringify(answer));
  return answer as Approved;
}

const find = ({ acquirer }: PortBench, reference: string) =>
  acquirer.find(MERCHANT, reference, PATIENT_MILLISECONDS);
const voidCharge = ({ acquirer }: PortBench, reference: string) =>
  acquirer.voidCharge(MERCHANT, reference, PATIENT_MILLISECONDS);
const liveOf = async (bench: PortBench, reference: string) => (await bench.booked(reference)).live;

ofEach('a void that is refused is one of a hold only where its own look-up shows a hold', async (bench) => {
  const { no, late } = bench.codes;
  if (no === null) return;
  const refused = async (capture: 'atOnce' | 'later', returnCode: string) => {
    const reference = newReference();
    await approved(bench, reference, capture);
    await bench.spoil('refund', { returnCode });
    const answer = await voidCharge(bench, reference);
    return [answer.kind, Reflect.get(answer, 'ofHold') ?? null];
  };
  assert.deepEqual(await refused('later', no), ['unknown', 'refused']);
  assert.deepEqual(await refused('atOnce', no), ['unknown', null]);
  assert.deepEqual(await refused('later', late), ['unknown', 'late']);
  assert.deepEqual(await refused('atOnce', late), ['unknown', null]);
});

ofEach('an approval is one charge of that amount, and is found as it was answered', async (bench) => {
  const reference = newReference();
  const { authorizationCode, nsu, tid } = await approved(bench, reference);
  assert.deepEqual(await bench.booked(reference), { sales: 1, live: AMOUNT, captured: AMOUNT, refunds: 0 });
  const found = await find(bench, reference);
  assert.equal(found.kind, 'approved', JSON.stringify(found));
  const { amount, ...rest } = found as Approved & { amount: number };
  assert.deepEqual(
    [rest.authorizationCode, rest.nsu, rest.tid, amount],
    [authorizationCode, nsu, tid, AMOUNT],
  );
});

ofEach("a decline has the issuer's code, is found so, and charges nothing", async (bench) => {
  const reference = newReference();
  const answer = await bench.acquirer.authorize(sale(reference, 1_051), PATIENT_MILLISECONDS);
  assert.equal(answer.kind, 'declined', JSON.stringify(answer));
  const found = await find(bench, reference);
  assert.deepEqual(
    [answer, found].map((one) => one.kind === 'declined' && one.responseCode),
    ['51', '51'],
  );
  assert.equal(await liveOf(bench, reference), 0);
});

ofEach(
  'a reference that is used again is charged once, unless the traits say that it may be',
  async (bench) => {
    const reference = newReference();
    await approved(bench, reference);
    const again = await bench.acquirer.authorize(sale(reference, AMOUNT), PATIENT_MILLISECONDS);
    const { lateBooking } = bench.acquirer.traits;
    const { sales } = await bench.booked(reference);
    if (lateBooking?.booksTwice === true) assert.equal(sales, 2);
    else assert.equal(sales, 1, JSON.stringify(again));
    assert.notEqual(again.kind, 'declined');
    // Whatever there is, one void ends it all.
    const voided = await voidCharge(bench, reference);
    assert.equal(voided.kind, 'voided', JSON.stringify(voided));
    assert.equal(await liveOf(bench, reference), 0);
  },
);

ofEach('of twins the one to keep is kept, and all others are voided', async (bench) => {
  if (bench.acquirer.traits.lateBooking?.booksTwice !== true) return;
  const reference = newReference();
  const { tid } = await approved(bench, reference);
  await approved(bench, reference);
  const found = await find(bench, reference);
  assert.equal(found.kind === 'approved' && found.hasTwins, true, JSON.stringify(found));
  const voided = await bench.acquirer.voidTwins(MERCHANT, reference, tid ?? '', PATIENT_MILLISECONDS);
  assert.deepEqual(voided, { kind: 'voided', charges: 1 });
  const kept = await find(bench, reference);
  assert.deepEqual([kept.kind, 'tid' in kept && kept.tid], ['approved', tid]);
  assert.equal(await liveOf(bench, reference), AMOUNT);
});

ofEach('a void ends a charge and a hold, and may be repeated', async (bench) => {
  for (const capture of ['atOnce', 'later'] as const) {
    const reference = newReference();
    await approved(bench, reference, capture);
    for (const _ of [1, 2]) {
      const voided = await voidCharge(bench, reference);
      assert.equal(voided.kind, 'voided', JSON.stringify(voided));
      assert.equal(await liveOf(bench, reference), 0);
    }
    assert.equal((await find(bench, reference)).kind, 'voided');
  }
});

ofEach('a void of what was never seen is a tombstone, or says that it found nothing', async (bench) => {
  const reference = newReference();
  const isLate = bench.acquirer.traits.lateBooking !== null;
  assert.equal((await voidCharge(bench, reference)).kind, isLate ? 'notFound' : 'voided');
  assert.equal((await find(bench, reference)).kind, isLate ? 'notFound' : 'voided');
  if (isLate) return;
  const answer = await bench.acquirer.authorize(sale(reference, AMOUNT), PATIENT_MILLISECONDS);
  assert.notEqual(answer.kind, 'approved');
  assert.equal(await liveOf(bench, reference), 0);
});

ofEach('a hold is captured in part, once, however often it is asked for', async (bench) => {
  const reference = newReference();
  const { tid } = await approved(bench, reference, 'later');
  assert.equal((await find(bench, reference)).kind, 'preauthorized');
  const request = capturing(reference, PART, tid);
  assert.equal((await bench.acquirer.findCapture(request, PATIENT_MILLISECONDS)).kind, 'notFound');
  for (const _ of [1, 2]) {
    const answer = await bench.acquirer.capture(request, PATIENT_MILLISECONDS);
    assert.equal(answer.kind, 'captured', JSON.stringify(answer));
  }
  assert.equal((await bench.acquirer.findCapture(request, PATIENT_MILLISECONDS)).kind, 'captured');
  const { captured, live } = await bench.booked(reference);
  assert.deepEqual([captured, live], [PART, PART]);
});

ofEach(
  'a billing of a subscription is charged once; at Rede nothing of it waits for a capture',
  async (bench) => {
    const isAtRede = bench.name.startsWith('rede');
    // A capture that were asked for would leave it in doubt.
    if (isAtRede) await bench.spoil('capture', { fault: 'unavailable' });
    const reference = newReference();
    const answer = await bench.acquirer.authorize(billing(reference, AMOUNT), PATIENT_MILLISECONDS);
    assert.equal(answer.kind, 'approved', JSON.stringify(answer));
    assert.deepEqual(await bench.booked(reference), { sales: 1, live: AMOUNT, captured: AMOUNT, refunds: 0 });
    if (!isAtRede) return;
    const held = newReference();
    const { tid } = await approved(bench, held, 'later');
    const spoiled = await bench.acquirer.capture(capturing(held, PART, tid), PATIENT_MILLISECONDS);
    assert.equal(spoiled.kind, 'unknown', 'the spoiled capture was still to come');
  },
);

ofEach('a hold that was let go is not captured', async (bench) => {
  const reference = newReference();
  const { tid } = await approved(bench, reference, 'later');
  await voidCharge(bench, reference);
  const answer = await bench.acquirer.capture(capturing(reference, PART, tid), PATIENT_MILLISECONDS);
  assert.equal(answer.kind, 'refused', JSON.stringify(answer));
  assert.equal((await bench.booked(reference)).captured, 0);
});

ofEach('a cancel gives back its amount once, however often it is asked for', async (bench) => {
  const reference = newReference();
  const { tid } = await approved(bench, reference);
  const cancel = new AskedCancel(reference, PART);
  const first = await bench.acquirer.cancel(cancel.request({ tid }), PATIENT_MILLISECONDS);
  assert.match(first.kind, /^(canceled|pending)$/, JSON.stringify(first));
  await bench.nextDay();
  const isAccepted = first.kind === 'pending';
  const asked = cancel.request({ tid, sinceLastSend: 1, isAccepted });
  assert.deepEqual(await bench.acquirer.cancel(asked, PATIENT_MILLISECONDS), { kind: 'canceled' });
  const { live, refunds } = await bench.booked(reference);
  assert.deepEqual([live, refunds], [AMOUNT - PART, 1]);
  if (!bench.acquirer.traits.knowsCancels) assert.equal(cancel.marks, 1);
});

ofEach('a cancel that was accepted without an answer, and fails, is refused', async (bench) => {
  const reference = newReference();
  const { tid } = await approved(bench, reference);
  const pending = { afterMilliseconds: 3_600_000, fails: true };
  if (!(await bench.spoil('refund', { fault: 'booksButSilent', pending }))) return;
  const cancel = new AskedCancel(reference, AMOUNT);
  await bench.acquirer.cancel(cancel.request({ tid }), SHORT_MILLISECONDS);
  const asked = await bench.acquirer.cancel(cancel.request({ tid, sinceLastSend: 1 }), PATIENT_MILLISECONDS);
  // Cielo shows none that is under way, and takes the same request again.
  if (asked.kind !== 'pending') return;
  await bench.nextDay();
  const { refundId = null } = asked;
  const accepted = cancel.request({ tid, sinceLastSend: 1, isAccepted: true, refundId });
  const ended = await bench.acquirer.cancel(accepted, PATIENT_MILLISECONDS);
  assert.deepEqual(ended, { kind: 'refused', reason: 'failed' });
  assert.equal(await liveOf(bench, reference), AMOUNT);
});

ofEach('a cancel that another process may have is not sent', async (bench) => {
  if (bench.acquirer.traits.knowsCancels) return;
  const reference = newReference();
  const { tid } = await approved(bench, reference);
  const cancel = new AskedCancel(reference, AMOUNT);
  const answer = await bench.acquirer.cancel(cancel.request({ tid }, false), PATIENT_MILLISECONDS);
  assert.equal(answer.kind, 'notSent', JSON.stringify(answer));
  assert.equal(await liveOf(bench, reference), AMOUNT);
});

ofEach('a verification moves no money', async (bench) => {
  const reference = newReference();
  const answer = await bench.acquirer.verify(verification(reference), PATIENT_MILLISECONDS);
  assert.equal(answer.kind, 'approved', JSON.stringify(answer));
  assert.equal(await liveOf(bench, reference), 0);
});

ofEach('where nobody listens nothing was sent, and nothing is told as done', async ({ absent }) => {
  const reference = newReference();
  const charged = await absent.authorize(sale(reference, AMOUNT), PATIENT_MILLISECONDS);
  assert.equal(charged.kind, 'notConnected', JSON.stringify(charged));
  const cancel = new AskedCancel(reference, AMOUNT).request({ tid: 'T1' });
  const answers = await Promise.all([
    absent.find(MERCHANT, reference, PATIENT_MILLISECONDS),
    absent.voidCharge(MERCHANT, reference, PATIENT_MILLISECONDS),
    absent.cancel(cancel, PATIENT_MILLISECONDS),
    absent.capture(capturing(reference, AMOUNT, null), PATIENT_MILLISECONDS),
  ]);
  for (const { kind } of answers) assert.match(kind, /^(unknown|notConnected|notSent)$/);
});

/** Before anything was done, and after it. The first ones are tried with every change. */
const UNDONE = [
  { fault: 'silent' },
  { fault: 'unauthorized' },
  { fault: 'closed' },
  { fault: 'unavailable' },
];
const DONE = [
  ...[{ fault: 'booksButSilent' }, { fault: 'garbage' }, { fault: 'booksButCut' }],
  ...[{ fault: 'booksButClosed' }, { fault: 'booksButUnavailable' }, { fault: 'late' }],
];
const FEW = 2;
const some = (steps: readonly object[]) => steps.slice(0, sliceOf(steps.length, FEW));

/** Answers that say that nothing was charged. */
const NOTHING = ['declined', 'notConnected', 'notMade', 'notSent'];

ofEach('whatever becomes of a charge, its answer is true or unknown, and a void ends it', async (bench) => {
  const undone = bench.codes.undone.map((returnCode) => ({ returnCode }));
  const done = bench.codes.done.map((returnCode) => ({ returnCode, books: true }));
  for (const step of [...some(UNDONE), ...some(DONE), ...some(undone), ...some(done)]) {
    for (const capture of (['atOnce', 'later'] as const).slice(0, sliceOf(2, 1))) {
      const reference = newReference();
      if (!(await bench.spoil('authorize', step))) continue;
      const answer = await bench.acquirer.authorize(sale(reference, AMOUNT, capture), SHORT_MILLISECONDS);
      const told = `${JSON.stringify(step)}: ${JSON.stringify(answer)}`;
      const { live, sales } = await bench.booked(reference);
      if (answer.kind === 'approved' || answer.kind === 'preauthorized') assert.equal(live, AMOUNT, told);
      if (NOTHING.includes(answer.kind)) assert.equal(sales, 0, told);
      const found = await find(bench, reference);
      const isLive = found.kind === 'approved' || found.kind === 'preauthorized';
      assert.equal(isLive, live > 0, `${told}, found ${JSON.stringify(found)}`);
      const voided = await voidCharge(bench, reference);
      assert.match(voided.kind, /^(voided|notFound|declined)$/, `${told}, ${JSON.stringify(voided)}`);
      assert.equal(await liveOf(bench, reference), 0, told);
    }
  }
});

ofEach(
  'whatever becomes of a capture, it is found as it is, and done once when it is asked again',
  async (bench) => {
    for (const step of [...some(UNDONE), ...some(DONE)]) {
      const reference = newReference();
      const { tid } = await approved(bench, reference, 'later');
      if (!(await bench.spoil('capture', step))) continue;
      const request = capturing(reference, PART, tid);
      const answer = await bench.acquirer.capture(request, SHORT_MILLISECONDS);
      const told = `${JSON.stringify(step)}: ${JSON.stringify(answer)}`;
      const before = await bench.booked(reference);
      if (answer.kind === 'captured') assert.equal(before.captured, PART, told);
      assert.notEqual(answer.kind, 'refused', told);
      const found = await bench.acquirer.findCapture(request, PATIENT_MILLISECONDS);
      assert.equal(found.kind, before.captured > 0 ? 'captured' : 'notFound', told);
      assert.equal((await bench.acquirer.capture(request, PATIENT_MILLISECONDS)).kind, 'captured', told);
      const { captured, live } = await bench.booked(reference);
      assert.deepEqual([captured, live], [PART, PART], told);
    }
  },
);

/** Longer than any adapter's silence. */
const LONG_AGO = 10 * 86_400_000;

ofEach('whatever becomes of a cancel, it is told by the sums and given back once', async (bench) => {
  for (const step of [...some(DONE), ...some(UNDONE)]) {
    const reference = newReference();
    const { tid } = await approved(bench, reference);
    if (!(await bench.spoil('refund', step))) continue;
    const cancel = new AskedCancel(reference, AMOUNT);
    const answer = await bench.acquirer.cancel(cancel.request({ tid }), SHORT_MILLISECONDS);
    const told = `${JSON.stringify(step)}: ${JSON.stringify(answer)}`;
    const isDone = (await liveOf(bench, reference)) === 0;
    if (answer.kind === 'canceled') assert.ok(isDone, told);
    assert.ok(answer.kind !== 'refused' && answer.kind !== 'denied', told);
    // Sent a moment ago it is not sent again, whether it was done or not.
    const { marks } = cancel;
    const asked = await bench.acquirer.cancel(
      cancel.request({ tid, sinceLastSend: 1 }),
      PATIENT_MILLISECONDS,
    );
    assert.deepEqual([asked.kind === 'canceled', cancel.marks], [isDone, marks], told);
    const later = cancel.request({ tid, sinceLastSend: LONG_AGO });
    assert.deepEqual(await bench.acquirer.cancel(later, PATIENT_MILLISECONDS), { kind: 'canceled' }, told);
    const { live, refunds } = await bench.booked(reference);
    assert.deepEqual([live, refunds], [0, 1], told);
  }
});
