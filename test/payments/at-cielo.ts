import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before } from 'node:test';
import { shortReference } from '../../src/providers/acquirers/short-reference.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { until } from '../kit/service.ts';
import {
  type AcquirerService,
  ESTABLISHMENT,
  idOf,
  KEY,
  openAcquirerService,
} from '../providers/acquirer-service.ts';

export const AMOUNT = 12_320;
export const PART = 2_320;
const HELD = { transactionType: 'credit', productType: 'avista', installments: 1, captureType: 'pa' };
const AT_CIELO = { merchantid: ESTABLISHMENT, merchantkey: KEY };
export const NO = {
  captures: { on: 'capture', returnCode: '308' },
  cancels: { on: 'refund', returnCode: '40' },
} as const;
export type Table = keyof typeof NO;

/** A service at a simulated Cielo, which knows neither captures nor cancels by a reference. */
export function atCielo({ silenceSeconds = 4 } = {}) {
  let cielo: AcquirerService;
  let listener: Listener;

  before(async () => {
    const settings = ['horizonSeconds=4', `silenceSeconds=${silenceSeconds}`, 'apartSeconds=1'];
    const simulator = ['--last-digit', '0', '--replica-lag-milliseconds', '0'];
    cielo = await openAcquirerService('cielo', { settings, simulator });
    listener = await startListener();
    await cielo.waitForNoon();
  });
  after(async () => {
    await cielo?.close();
    await listener?.close();
  });

  async function paid(table: Table): Promise<string> {
    const held = table === 'captures' ? { payment: { ...HELD, amount: AMOUNT } } : {};
    return idOf(await cielo.pay(AMOUNT, { ...held, urlCallBack: `${listener.url}/${randomUUID()}` }));
  }

  const ask = (table: Table, paymentId: string) =>
    cielo.post(paymentId, table === 'captures' ? 'capture' : 'cancel', { amount: PART });

  /** Cielo takes the next void of a sale after a pause. */
  async function askedAgain(table: Table, paymentId: string): Promise<number> {
    return until('it may be sent', async () => {
      const { status } = await ask(table, paymentId);
      return status !== 503 && status;
    });
  }

  /** The newest. */
  async function rowOf(table: Table, paymentId: string) {
    const sql = `select state, denial, sent_at, denied_at, ends_at, refusal_reason, unknown_reason from ${table} where transaction_id = $1
    order by created_at desc limit 1`;
    return (await cielo.service.auditor.query(sql, [paymentId]))[0];
  }

  function untilRow(table: Table, paymentId: string, column: string, value?: string) {
    return until(`${column} is ${value ?? 'set'}`, async () => {
      const found = (await rowOf(table, paymentId))?.[column] ?? null;
      return value === undefined ? found !== null : found === value;
    });
  }

  const doAtCielo = (table: Table, paymentId: string, amount = PART) => doAt(cielo, table, paymentId, amount);
  const doneAtCielo = (table: Table, paymentId: string) => doneAt(cielo, table, paymentId);

  const wasCalledBack = (status: string, paymentId: string) =>
    until(`${status} comes`, async () =>
      listener.received
        .map(({ body }) => JSON.parse(body) as { Status: string; paymentId: string })
        .some((body) => body.Status === status && body.paymentId === paymentId),
    );

  /** The first request is lost, and not booked; the second is said no to. */
  async function denied(table: Table): Promise<string> {
    const paymentId = await paid(table);
    await cielo.script({ ...NO[table], fault: 'silent' }, NO[table]);
    assert.equal((await ask(table, paymentId)).status, 500);
    await untilRow(table, paymentId, 'denial');
    return paymentId;
  }

  return {
    cielo: () => cielo,
    paid,
    ask,
    askedAgain,
    rowOf,
    untilRow,
    doAtCielo,
    doneAtCielo,
    wasCalledBack,
    denied,
  };
}

/** Behind the service's back, as a lost request that arrives late. */
async function doAt(
  { url }: AcquirerService,
  table: Table,
  paymentId: string,
  amount: number,
): Promise<void> {
  const order = `merchantOrderId=${shortReference(paymentId)}`;
  const listed = await fetch(`${url}/1/sales?${order}`, { headers: AT_CIELO });
  const [{ PaymentId }] = ((await listed.json()) as { Payments: [{ PaymentId: string }] }).Payments;
  const path = `/1/sales/${PaymentId}/${table === 'captures' ? 'capture' : 'void'}?amount=${amount}`;
  assert.equal((await fetch(url + path, { method: 'PUT', headers: AT_CIELO })).status, 200);
}

async function doneAt({ booked }: AcquirerService, table: Table, paymentId: string): Promise<number> {
  const [sale] = await booked(paymentId);
  return table === 'captures' ? sale?.capturedAmount : sale?.refundedAmount;
}
