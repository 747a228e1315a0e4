import { certainAfterMilliseconds } from '../chaos-bench.ts';
import { type Entry, paymentIdOf } from '../log.ts';
import type { Till } from '../merchant-client.ts';
import { askUntilAnswered, type Calls, drawAmount, type Operation, wait, wantPayment } from './operation.ts';

export const PAYMENTS: readonly Operation[] = [
  {
    name: 'payByToken',
    weight: 8,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'payByToken');
      return async ({ to }) => void (await preparation.till.pay(to(), wanted));
    },
  },
  {
    name: 'payByEncryptedCard',
    weight: 2,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'payByEncryptedCard', { kind: 'encrypted' });
      return async ({ to }) => void (await preparation.till.pay(to(), wanted));
    },
  },
  {
    name: 'payInInstallments',
    weight: 2,
    async prepare(preparation) {
      const installments = preparation.chance.whole(2, 12);
      const wanted = await wantPayment(preparation, 'payInInstallments');
      return async ({ to }) => void (await preparation.till.pay(to(), { ...wanted, installments }));
    },
  },
  {
    name: 'payAndAsk',
    weight: 1,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'payAndAsk');
      const { till } = preparation;
      return async ({ to }) => {
        const entry = await till.pay(to(), wanted);
        const paymentId = paymentIdOf(entry);
        if (paymentId === null) return;
        const reported = await till.ask(to(), entry.merchantId, paymentId).catch(() => null);
        entry.askedAfter = reported?.statusDescription ?? null;
      };
    },
  },
  {
    // A client that lost the connection asks by the reference of the order, as an ERP would.
    name: 'askByReference',
    weight: 2,
    async prepare(preparation) {
      const wanted = await wantPayment(preparation, 'askByReference');
      const { till } = preparation;
      return async (calls) => {
        const entry = await till.pay(calls.to(), wanted);
        if (entry.status === null) calls.later(() => askWhatBecame(till, entry, calls));
      };
    },
  },
  {
    // The same carrier in two requests at once: at most one of them may charge.
    name: 'payTwiceAtOnce',
    weight: 1,
    async prepare(preparation) {
      const other = drawAmount(preparation.chance);
      const wanted = await wantPayment(preparation, 'payTwiceAtOnce');
      const both = [wanted, { ...wanted, amount: other }];
      return async ({ to }) => void (await Promise.all(both.map((one) => preparation.till.pay(to(), one))));
    },
  },
  {
    // A carrier that has paid, or whose payment was lost, is tried once more.
    name: 'payAgain',
    weight: 1,
    async prepare(preparation) {
      const other = drawAmount(preparation.chance);
      const wanted = await wantPayment(preparation, 'payAgain');
      const { till } = preparation;
      return async ({ to }) => {
        await till.pay(to(), wanted);
        await till.pay(to(), { ...wanted, amount: other });
      };
    },
  },
];

/** What is under way is asked for again: the answer that counts is the final one. */
async function askWhatBecame(till: Till, entry: Entry, calls: Calls): Promise<void> {
  await wait(certainAfterMilliseconds(till.bench));
  entry.askedByReference = await askUntilAnswered(calls, async (gateway) => {
    const reported = await till.askByReference(gateway, entry);
    return reported?.some(({ statusDescription }) => statusDescription === 'Processando') ? null : reported;
  });
}
