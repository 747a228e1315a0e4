import assert from 'node:assert/strict';
import { assertMessageDescribed, call, logIn, pay, type Reply } from '../kit/merchant.ts';
import { openTestService, type TestRows, type TestService, until } from '../kit/service.ts';

/**
 * A service whose demo merchant has an account, with tokens of both APIs. The registrations stand
 * in the table.
 */
export type NotifiedService = TestService & {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly token: string;
  readonly integrationToken: string;
  /** Registers the account; `state` as the engine would leave it. */
  register(state?: 'active' | 'disabled' | 'removed'): Promise<void>;
  unregister(): Promise<void>;
  /** Pays in so many installments; `change` replaces parts of the request. */
  sell(amount: number, installments?: number, change?: Record<string, unknown>): Promise<Sold>;
  cancel(paymentId: string, amount?: number): Promise<void>;
  movements(paymentId: string): Promise<TestRows>;
  deliveries(paymentId: string): Promise<TestRows>;
};

export type Sold = { readonly reply: Reply; readonly paymentId: string; readonly reference: string };

export async function openNotifiedService(
  settings: Readonly<Record<string, string>> = {},
): Promise<NotifiedService> {
  const service = await openTestService(settings);
  const { merchantId, accountNumber, gateway, integration } = await service.demo();
  const token = await logIn(service.gatewayUrl, gateway);
  const { auditor, gatewayUrl } = service;
  const endpoint = `account:${accountNumber}`;
  const paymentOf = (reference: string) =>
    until(`there is ${reference}`, async () => {
      const rows = await auditor.query('select * from transactions where reference_transaction = $1', [
        reference,
      ]);
      return rows[0]?.transaction_id as string | undefined;
    });
  return {
    ...service,
    merchantId,
    accountNumber,
    token,
    integrationToken: await logIn(service.integrationUrl, integration, '/api/authentication/login'),
    async register(state = 'active') {
      await auditor.query(
        // Its breaker is open for longer than any test: what is written stays as it was written.
        `insert into webhook_endpoints (merchant_id, endpoint, url, state, opened_until, created_by)
         values ($1, $2, 'https://loja.example/avisos', $3, now() + interval '1 day', 'test')
         on conflict (merchant_id, endpoint) do update set state = excluded.state`,
        [merchantId, endpoint, state],
      );
    },
    async unregister() {
      await auditor.query('delete from webhook_endpoints where merchant_id = $1 and endpoint = $2', [
        merchantId,
        endpoint,
      ]);
    },
    async sell(amount, installments = 1, change = {}) {
      const productType = installments === 1 ? 'avista' : 'lojista';
      const payment = { transactionType: 'credit', amount, productType, installments };
      const { request, reply } = await pay(gatewayUrl, token, amount, { payment, ...change });
      const reference = request.referenceTransaction;
      return { reply, paymentId: await paymentOf(reference), reference };
    },
    async cancel(paymentId, amount) {
      const body = amount === undefined ? {} : { amount };
      const reply = await call(gatewayUrl, `/v1/payments/${paymentId}/cancel`, { token, body });
      assert.equal(reply.status, 200, reply.text);
    },
    movements: (paymentId) =>
      auditor.query(
        `select movement_id::int as id, nsu, authorization_code, installment_number as number, type, new_state, moment
         from movements where transaction_id = $1 order by movement_id`,
        [paymentId],
      ),
    async deliveries(paymentId) {
      const rows = await auditor.query(
        `select delivery_number::int as id, kind, endpoint, url, account_number, installment_number as number, nsu, state, tries,
           fence, lease_expires_at, due_at, scheduled_at, body
         from deliveries where transaction_id = $1 order by delivery_number`,
        [paymentId],
      );
      for (const { kind, body } of rows) {
        const id = kind === 'movement' ? 'movementNotification' : 'paymentCallback';
        assertMessageDescribed(id, JSON.parse(body as string));
      }
      return rows;
    },
  };
}

/** `2026-11-21T10:00:00.123-03:00`: São Paulo has kept this offset since 2019. */
export function momentText(moment: unknown): string {
  const text = new Date((moment as Date).getTime() - 3 * 3_600_000).toISOString();
  return `${text.slice(0, -1)}-03:00`;
}
