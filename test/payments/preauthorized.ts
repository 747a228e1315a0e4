import assert from 'node:assert/strict';
import { call, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import { newOrder, type ResolvingService } from './resolving-service.ts';

type Setup = Pick<ResolvingService, 'gatewayUrl' | 'token' | 'simulatorUrl' | 'merchantId' | 'auditor'>;

/** Asks for a payment that is only authorized; its answer may be any. */
export async function askToPreauthorize(
  setup: Setup,
  amount: number,
  {
    installments = 1,
    headers = {},
    ...change
  }: { installments?: number; headers?: Record<string, string>; [field: string]: unknown } = {},
): Promise<{ order: string; reply: Reply }> {
  const order = newOrder();
  const productType = installments === 1 ? 'avista' : 'lojista';
  const payment = { transactionType: 'credit', amount, productType, installments, captureType: 'pa' };
  const numberToken = await tokenize(setup.gatewayUrl, setup.token);
  const body = paymentRequest(numberToken, amount, { payment, referenceTransaction: order, ...change });
  const reply = await call(setup.gatewayUrl, '/v1/payments', {
    token: setup.token,
    body,
    headers,
    timeoutMilliseconds: 60_000,
  });
  return { order, reply };
}

/** A payment that waits for its capture. */
export async function preauthorize(
  setup: Setup,
  amount: number,
  change: Parameters<typeof askToPreauthorize>[2] = {},
): Promise<{ paymentId: string; order: string; reply: Reply }> {
  const { order, reply } = await askToPreauthorize(setup, amount, change);
  assert.equal(reply.status, 200, reply.text);
  return { order, reply, paymentId: reply.body.paymentAuthorization.paymentId as string };
}

export function captureOf(
  { gatewayUrl, token }: Pick<Setup, 'gatewayUrl' | 'token'>,
  paymentId: string,
  amount?: number,
  { method = 'POST', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  return call(gatewayUrl, `/v1/payments/${paymentId}/capture`, {
    method,
    token,
    headers,
    body: amount === undefined ? {} : { amount },
    timeoutMilliseconds: 60_000,
  });
}

/** What the acquirer's own books say. */
export async function ledgerOf(
  { simulatorUrl, merchantId }: Setup,
  paymentId: string,
): Promise<{ amount: number; status: string }> {
  const query = new URLSearchParams({ merchantId, reference: paymentId });
  const { items } = (await (await fetch(`${simulatorUrl}/ledger?${query}`)).json()) as {
    items: { amount: number; status: string }[];
  };
  assert.equal(items.length, 1);
  const [charge] = items as [{ amount: number; status: string }];
  return { amount: charge.amount, status: charge.status };
}

export async function movementsOf({ auditor }: Setup, paymentId: string): Promise<[number, string][]> {
  const rows = await auditor.query(
    'select installment_number, type from movements where transaction_id = $1 order by movement_id',
    [paymentId],
  );
  return rows.map((row) => [row.installment_number as number, row.type as string]);
}
