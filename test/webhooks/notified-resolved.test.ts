import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { call, paymentRequest, tokenize } from '../kit/merchant.ts';
import {
  newOrder,
  openResolvingService,
  type ResolvingService,
  untilState,
} from '../payments/resolving-service.ts';

let service: ResolvingService;

before(async () => {
  service = await openResolvingService(2_000);
});
afterEach(() => service.bridge.spoil(null));
after(() => service.close());

/**
 * Pays while the answer of the acquirer is lost; what is asked afterwards is spoiled too where
 * nobody should find out.
 */
async function payUnheard(amount: number, isFoundOut: boolean): Promise<{ order: string; id: string }> {
  const order = newOrder();
  service.bridge.spoil(({ kind }) => {
    if (kind === 'authorization') return 'garbage';
    return isFoundOut ? null : 'unavailable';
  });
  const { gatewayUrl } = service;
  const numberToken = await tokenize(gatewayUrl, service.token);
  const change = { referenceTransaction: order, urlCallBack: 'https://loja.example/retorno' };
  const body = paymentRequest(numberToken, amount, change);
  const reply = await call(gatewayUrl, '/v1/payments', {
    token: service.token,
    body,
    timeoutMilliseconds: 120_000,
  });
  assert.equal(reply.status, 500, reply.text);
  return { order, id: (await service.transaction(order)).transaction_id as string };
}

async function statusesOf(id: string): Promise<unknown[]> {
  const rows = await service.auditor.query(
    // Written to be sent now; that server does not exist, so that a first try may have put it off since.
    `select body, installment_number, endpoint, due_at <= now() or fence > 0 as is_due from deliveries where transaction_id = $1
     order by delivery_number`,
    [id],
  );
  return rows.map(({ body, installment_number, endpoint, is_due }) => {
    assert.deepEqual([installment_number, endpoint, is_due], [0, 'origin:https://loja.example', true]);
    const { Status, AuthorizationCode, ResultId } = JSON.parse(body as string);
    assert.deepEqual([AuthorizationCode, ResultId], [null, id]);
    return Status;
  });
}

test('a decline that is only found out later is called back with its code', async () => {
  const { order, id } = await payUnheard(1_051, true);
  await untilState(service, order, 'declined');
  assert.deepEqual(await statusesOf(id), ['51']);
});

test('a charge that is found approved too late is voided and called back as voided', async () => {
  const { order, id } = await payUnheard(5_000, true);
  await untilState(service, order, 'voided');
  assert.deepEqual(await statusesOf(id), ['DESFEITA']);
});

for (const [decision, status] of [
  ['voided', 'DESFEITA'],
  ['declined', 'NONE'],
] as const) {
  test(`what a person decides to be ${decision} is called back`, async () => {
    const { order, id } = await payUnheard(5_000, false);
    assert.deepEqual(await statusesOf(id), []);
    const { exitCode, errors } = await service.parcela(
      'resolve',
      'decide',
      id,
      '--as',
      decision,
      '--reason',
      'ligação',
    );
    assert.equal(exitCode, 0, errors);
    assert.equal((await service.transaction(order)).state, decision);
    assert.deepEqual(await statusesOf(id), [status]);
  });
}
