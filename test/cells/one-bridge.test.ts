import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  openProductionService,
  openUnnamedBridge,
  type ProductionService,
} from '../antifraud/production-service.ts';
import { call, paymentRequest, TEST_CARD } from '../kit/merchant.ts';
import { openSimulator, type Simulator, until } from '../kit/service.ts';

const A = '01700555550001';
const B = '01700555550002';

let folder: string;
let acquirer: Simulator;
let bridge: { readonly url: string; close(): Promise<void> };
let asked: URLSearchParams[] = [];
let first: ProductionService;
let second: ProductionService;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-bridge-'));
  acquirer = await openSimulator(folder);
  bridge = await openUnnamedBridge(acquirer.url, (path) => {
    if (path.startsWith('/changes?')) asked.push(new URL(path, 'http://bridge').searchParams);
  });
  const shared = { PARCELA_ACQUIRER_URL: bridge.url, PARCELA_ACQUIRER_CHANGES_SECONDS: '1' };
  // The first was there, and read the changes of all, before it was a cell.
  first = await openProductionService(shared, A);
  await until('the changes of all are read', async () => asked.length > 0);
  second = await openProductionService({ ...shared, PARCELA_CELL: 'b1' }, B);
});
after(async () => {
  await first?.close();
  await second?.close();
  await bridge?.close();
  await acquirer.stop();
  await rm(folder, { recursive: true, force: true });
});

async function pay({ service, token }: ProductionService, url = service.gatewayUrl): Promise<string> {
  const stored = await call(url, '/v1/cards/tokenization', { token, body: { cardNumber: TEST_CARD } });
  const [{ numberToken }] = stored.body as [{ numberToken: string }];
  const code = await call(url, '/v1/antifraud/sessions', { method: 'POST', token });
  const sellerInfo = { codeAntiFraud: code.body.codeAntiFraud as string };
  const paid = await call(url, '/v1/payments', {
    token,
    body: paymentRequest(numberToken, 12_990, { sellerInfo }),
  });
  assert.equal(paid.status, 200, paid.text);
  return paid.body.paymentAuthorization.paymentId as string;
}

/** Has the acquirer hold the money of a payment back. */
async function block(merchantId: string, reference: string): Promise<void> {
  const at = new Date().toISOString();
  const change = { merchantId, reference, installmentNumber: 1, type: 'blocked', at };
  const answer = await fetch(`${acquirer.url}/changes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
  assert.equal(answer.status, 200, await answer.text());
}

function untilBlocked({ keys }: ProductionService, paymentId: string): Promise<boolean> {
  return until('it is blocked', async () => {
    const [row] = await keys.auditor.query('select state from installments where transaction_id = $1', [
      paymentId,
    ]);
    return row?.state === 'blocked';
  });
}

const merchantsOf = async ({ keys }: ProductionService) => {
  const rows = await keys.auditor.query('select distinct merchant_id from acquirer_changes');
  return rows.map(({ merchant_id: id }) => id);
};

test('two cells that share a bridge each read the changes of their own merchants, and lose none', async () => {
  const earlier = await pay(first);
  await block(A, earlier);
  await untilBlocked(first, earlier);
  assert.ok(asked.some((parameters) => parameters.get('merchantId') === null));
  await first.service.stop();
  const paidThere = await pay(second);
  await block(B, paidThere);
  await untilBlocked(second, paidThere);
  asked = [];
  const cell = await first.keys.openService({ ...first.settings, PARCELA_CELL: 'a1' });
  const later = await pay(first, cell.gatewayUrl);
  await block(A, later);
  await untilBlocked(first, later);
  const of = new Set(asked.map((parameters) => parameters.get('merchantId')));
  assert.deepEqual([...of].sort(), [A, B]);
  assert.deepEqual(await merchantsOf(first), [A]);
  assert.deepEqual(await merchantsOf(second), [B]);
  const unreadable = await Promise.all(
    [first, second].map(({ keys }) => keys.auditor.query('select * from unreadable_changes')),
  );
  assert.deepEqual(unreadable, [[], []]);
});
