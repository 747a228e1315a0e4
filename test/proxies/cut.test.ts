import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skipWithout } from '../../tools/test-programs.ts';
import { paymentRequest, TEST_CARD } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { openPairSetup, type PairSetup } from './pair-setup.ts';
import { PROXY_NAMES, startProxy } from './proxies.ts';
import { clientOf, logInThrough } from './rolling.ts';

/** Short, so that a cut comes soon. */
const SHORT = {
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '4000',
  PARCELA_REQUEST_DEADLINE_MILLISECONDS: '6000',
};

let service: PairSetup;
before(async () => {
  service = await openPairSetup(SHORT);
});
after(() => service.close());

async function liveCharges(reference: string): Promise<number> {
  const url = `${service.simulatorUrl}/ledger?merchantId=${service.demo.merchantId}&merchantReference=${reference}`;
  const { items } = (await (await fetch(url)).json()) as { items: { status: string }[] };
  return items.filter(({ status }) => status === 'approved').length;
}

for (const name of PROXY_NAMES) {
  test(`a cut connection is 502 or no answer behind ${name}, and the same request with its key gets the truth`, {
    skip: skipWithout(name),
  }, async () => {
    const proxy = await startProxy(name, service.folder, service.ports);
    try {
      const token = await logInThrough(proxy, service.demo.gateway);
      const send = clientOf(proxy, token);
      const tokens = JSON.parse((await send('/v1/cards/tokenization', { cardNumber: TEST_CARD })).text);
      const request = paymentRequest(tokens[0].numberToken, 12_990);
      const key = { 'idempotency-key': `cut-${name}` };
      // The acquirer says yes, and whether that is recorded nobody learns before the deadline.
      service.wire.loseAfter('transactions.commit_outcomes');
      // A client that was answered before over its connection, and the proxy over its own.
      const paying = send('/v1/payments', request, key).catch(() => null);
      const cut = await paying.finally(() => service.wire.comeBack());
      // No answer of Parcela's, and none that a client library would take for an order to send the
      // payment again.
      if (name === 'nginx') assert.equal(cut?.status, 502, cut?.text ?? 'no answer');
      else assert.ok(cut === null || cut.status === 502, `${cut?.status} ${cut?.text}`);
      assert.doesNotMatch(cut?.text ?? '', /"tag"/, 'the proxy speaks, not Parcela');
      const reported = await until('the repetition is told the outcome', async () => {
        const answer = await send('/v1/payments', request, key).catch(() => null);
        return answer !== null && [200, 500].includes(answer.status) && answer;
      });
      assert.equal(reported.headers['idempotent-replayed'], 'true');
      const live = await liveCharges(request.referenceTransaction);
      assert.equal(
        live,
        reported.status === 200 ? 1 : 0,
        'what the repetition is told is what the acquirer has',
      );
    } finally {
      await proxy.stop();
    }
  });
}
