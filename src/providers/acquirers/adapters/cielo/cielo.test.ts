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

/** `said` to what is sent. */
function cieloThatShows(payments: readonly { readonly PaymentId: string }[], said: object) {
  const MerchantOrderId = shortReference(REFERENCE);
  const sent: string[] = [];
  const acquirer = cieloAcquirer(
    {
      async ask(_line, _wanted, { method, path, template }): Promise<Asked> {
        const answer = (body: object): Asked => ({ kind: 'answer', status: 200, body });
        if (template === '/sales') return answer({ Payments: payments });
        if (method === 'PUT') return answer(sent.push(path) > 0 ? said : {});
        return answer({
          MerchantOrderId,
          Payment: payments.find(({ PaymentId }) => path.includes(PaymentId)),
        });
      },
      close: async () => undefined,
    },
    { take: async () => true },
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
