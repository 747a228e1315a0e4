import assert from 'node:assert/strict';
import { call, pay, type Reply } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  openResolvingService,
  type ResolvingProcess,
  type ResolvingService,
} from '../payments/resolving-service.ts';

export type ChangesService = ResolvingService & ChangesTools;

export type ChangesTools = {
  /**
   * Sells for so much in so many installments, divided when beneficiaries are named; gives the
   * payment's id.
   */
  sell(amount: number, installments: number, percents?: readonly number[]): Promise<string>;
  /** Makes something happen to an installment, as a merchant tries out; of a chargeback so many cents. */
  force(paymentId: string, type: string, installmentNumber: number, amount?: number): Promise<Reply>;
  cancel(paymentId: string, amount?: number): Promise<Reply>;
  /** Has the acquirer book a change without telling anybody; gives its id. */
  bookAtAcquirer(
    paymentId: string,
    type: string,
    installmentNumber: number,
    amount?: number,
  ): Promise<string>;
  /** What each installment is, as the merchant reads it. */
  statuses(paymentId: string): Promise<string[]>;
  /** The movements of a payment, oldest first: number, type, old and new state. */
  movements(paymentId: string): Promise<unknown[][]>;
  /** The change's row, once it is in the state. */
  untilChange(changeId: string, state: string): Promise<Record<string, unknown>>;
};

const BENEFICIARIES = ['52998224725', '11222333000181'];

export async function openChangesService(): Promise<ChangesService> {
  return withChanges(await openResolvingService(4_000));
}

export async function withChanges<S extends ResolvingService | ResolvingProcess>(
  service: S,
): Promise<S & ChangesTools> {
  const url = service.gatewayUrl;
  return {
    ...service,
    async sell(amount, installments, percents = []) {
      const productType = installments === 1 ? 'avista' : 'lojista';
      const configSplit = percents.map((percent, index) => ({
        documentNumberBeneficiary: BENEFICIARIES[index],
        percent,
      }));
      const payment = { transactionType: 'credit', amount, productType, installments };
      const change = percents.length === 0 ? { payment } : { payment, configSplit };
      const { reply } = await pay(url, service.token, amount, change);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.paymentAuthorization.paymentId as string;
    },
    force: (paymentId, type, installmentNumber, amount) =>
      call(url, `/homologation/transactions/${paymentId}/events`, {
        token: service.token,
        body: { type, installmentNumber, amount },
      }),
    cancel: (paymentId, amount) =>
      call(url, `/v1/payments/${paymentId}/cancel`, {
        token: service.token,
        body: amount === undefined ? {} : { amount },
        timeoutMilliseconds: 60_000,
      }),
    async bookAtAcquirer(reference, type, installmentNumber, amount) {
      const at = new Date().toISOString();
      const body = { merchantId: service.merchantId, reference, installmentNumber, type, amount, at };
      const response = await fetch(`${service.simulatorUrl}/changes`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return (JSON.parse(text) as { changeId: string }).changeId;
    },
    async statuses(paymentId) {
      const { installments } = await service.read(paymentId);
      return installments.map(({ status }: { status: string }) => status);
    },
    async movements(paymentId) {
      const rows = await service.auditor.query(
        `select installment_number, type, old_state, new_state from movements
         where transaction_id = $1 order by movement_id`,
        [paymentId],
      );
      return rows.map((row) => [row.installment_number, row.type, row.old_state, row.new_state]);
    },
    untilChange: (changeId, state) =>
      until(
        `change ${changeId} is ${state}`,
        async () => {
          const [row] = await service.auditor.query('select * from acquirer_changes where change_id = $1', [
            changeId,
          ]);
          return row?.state === state && row;
        },
        60_000,
      ),
  };
}
