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

test('a capture is sent only where its payment is shown as held', async () => {
  for (const [shown, isSent] of [
    [{ Status: 1 }, true],
    [{ Status: 0 }, false],
    [{ Status: 12 }, false],
    [{ Status: 2, CapturedAmount: 800 }, false],
  ] as const) {
    let sent = 0;
    const MerchantOrderId = shortReference(REFERENCE);
    const acquirer = cieloAcquirer(
      {
        async ask(_line, _wanted, { method, template }): Promise<Asked> {
          if (method === 'PUT') sent += 1;
          const isList = template === '/sales';
          const body = isList
            ? { Payments: [PAYMENT] }
            : { MerchantOrderId, Payment: { ...PAYMENT, ...shown } };
          return { kind: 'answer', status: 200, body };
        },
        close: async () => undefined,
      },
      { take: async () => true },
      directSettings({}, { horizonSeconds: 1, apartSeconds: 1, silenceSeconds: 1, isTwoSteps: true }),
    );
    assert.equal((await acquirer.capture(CAPTURE, 1_000)).kind, 'unknown', JSON.stringify(shown));
    assert.equal(sent, isSent ? 1 : 0, JSON.stringify(shown));
  }
});
