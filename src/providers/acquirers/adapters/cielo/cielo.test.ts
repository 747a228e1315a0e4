import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Asked } from '../../../../platform/channels/ask-once.ts';
import { cents } from '../../../../values/cents.ts';
import { instant } from '../../../../values/instant.ts';
import { directSettings } from '../../direct-acquirer.ts';
import { shortReference } from '../../short-reference.ts';
import { cieloAcquirer } from './cielo.ts';

const REFERENCE = '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a';
const PAYMENT = { PaymentId: '24bc8366-fc31-4d6c-8555-17049a836a07', Amount: 15_700, Tid: '0305020554239' };
const CAPTURE = {
  ...{ merchantId: 'LOJA', reference: REFERENCE, captureReference: 'C1', tid: PAYMENT.Tid },
  ...{ amount: cents(700), capturedAt: instant(1) },
  markSent: async () => true,
};

const HISTORY = { tid: PAYMENT.Tid, givenBack: cents(0), sinceLastSend: null, isAccepted: false };
const CANCEL = {
  ...{ merchantId: 'LOJA', reference: REFERENCE, cancellationReference: 'C1', amount: cents(700) },
  ...{ requestedAt: instant(1), history: { ...HISTORY, refundId: null, isDenied: false } },
  markSent: async () => true,
};

/** `said` to what is sent. `onLook`: at each look-up. */
function cieloThatShows(
  payments: readonly { readonly PaymentId: string }[],
  said: object,
  { onLook = () => {}, take = async (_id: string, _most: number) => true } = {},
) {
  const MerchantOrderId = shortReference(REFERENCE);
  const sent: string[] = [];
  const acquirer = cieloAcquirer(
    {
      async ask(_line, _wanted, { method, path, template }): Promise<Asked> {
        const answer = (body: object): Asked => ({ kind: 'answer', status: 200, body });
        if (method === 'GET') onLook();
        if (template === '/sales') return answer({ Payments: payments });
        if (method === 'PUT') return answer(sent.push(path) > 0 ? said : {});
        return answer({
          MerchantOrderId,
          Payment: payments.find(({ PaymentId }) => path.includes(PaymentId)),
        });
      },
      close: async () => undefined,
    },
    { take },
    directSettings({}, { horizonSeconds: 1, apartSeconds: 1, silenceSeconds: 1, isTwoSteps: true }),
  );
  return { acquirer, sent };
}

test('a capture is sent only where its payment is shown as held', async () => {
  for (const [shown, isSent] of [
    [{ Status: 1 }, true],
    [{ Status: 0 }, false],
    [{ Status: 12 }, false],
    [{ Status: 2, CapturedAmount: 800 }, false],
  ] as const) {
    const { acquirer, sent } = cieloThatShows([{ ...PAYMENT, ...shown }], {});
    assert.equal((await acquirer.capture(CAPTURE, 1_000)).kind, 'unknown', JSON.stringify(shown));
    assert.equal(sent.length, isSent ? 1 : 0, JSON.stringify(shown));
  }
});

test('a charge that Cielo does not know is no silence of Cielo to its capture', async () => {
  const { acquirer, sent } = cieloThatShows([{ ...PAYMENT, Status: 1 } as typeof PAYMENT], {});
  const other = { ...CAPTURE, tid: 'another' };
  const said = { cause: 'unusable', reason: 'Cielo does not know the charge' };
  assert.deepEqual(await acquirer.capture(other, 1_000), { kind: 'unknown', ...said });
  assert.deepEqual(await acquirer.findCapture(other, 1_000), { kind: 'unknown', ...said });
  assert.deepEqual(sent, []);
});

test('a void is refused as a whole only where Cielo has decided all others, and of a hold where none is a sale', async () => {
  const held = { ...PAYMENT, Status: 1 };
  const other = { ...PAYMENT, PaymentId: '34bc8366-fc31-4d6c-8555-17049a836a08', Tid: '0305020554240' };
  const refused = { ReturnCode: '106' };
  for (const [Status, ofHold] of [
    [12, 'unclear'],
    [10, 'refused'],
    [2, undefined],
  ] as const) {
    const { acquirer, sent } = cieloThatShows([held, { ...other, Status } as typeof PAYMENT], refused);
    const answer = await acquirer.voidCharge('LOJA', REFERENCE, 1_000);
    assert.equal(answer.kind === 'unknown' && answer.ofHold, ofHold, JSON.stringify(answer));
    assert.equal(sent.length, Status === 2 ? 2 : 1);
  }
});

test('a cancel or capture is marked and sent only with the time for its own answer, behind its turn', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const kept: (string | number)[] = [];
  for (const [took, says] of [
    [2_000, 'unknown'],
    [3_100, 'notSent'],
  ] as const) {
    const { acquirer, sent } = cieloThatShows(
      [{ ...PAYMENT, Status: 2, CapturedAmount: 15_700 } as typeof PAYMENT],
      {},
      {
        onLook: () => {
          now += took;
        },
        take: async (_id, most) => kept.push('turn', most) > 0,
      },
    );
    const markSent = async () => kept.push('mark') > 0;
    const answer = await acquirer.cancel({ ...CANCEL, markSent }, 8_000);
    assert.deepEqual([answer.kind, sent.length], [says, says === 'notSent' ? 0 : 1]);
    if (answer.kind === 'notSent') assert.equal(answer.cause, 'notAsked', 'a try all the same');
  }
  assert.deepEqual(kept, ['turn', 2_000, 'mark']);
  const held = cieloThatShows(
    [{ ...PAYMENT, Status: 1 } as typeof PAYMENT],
    {},
    {
      onLook: () => {
        now += 3_100;
      },
    },
  );
  assert.deepEqual([(await held.acquirer.capture(CAPTURE, 8_000)).kind, held.sent], ['notSent', []]);
});

test('a cancel whose mark takes the time of its request is not sent', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { acquirer, sent } = cieloThatShows(
    [{ ...PAYMENT, Status: 2, CapturedAmount: 15_700 } as typeof PAYMENT],
    {},
  );
  const markSent = async () => {
    now += 6_100;
    return true;
  };
  assert.deepEqual([(await acquirer.cancel({ ...CANCEL, markSent }, 8_000)).kind, sent], ['notSent', []]);
});
