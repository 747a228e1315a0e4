import type { Chance } from '../chance.ts';
import { certainAfterMilliseconds } from '../chaos-bench.ts';
import type { CancelEntry, Entry } from '../log.ts';
import type { Till } from '../merchant-client.ts';
import {
  askUntilAnswered,
  type Calls,
  drawAmount,
  drawPlainAmount,
  type Operation,
  wait,
  wantPayment,
} from './operation.ts';

/** A cancel needs a payment that stands: most are of an amount that is approved. */
const SHARE_OF_ANY_AMOUNT = 0.1;

export function drawCancelable(chance: Chance): number {
  return chance.isIn(SHARE_OF_ANY_AMOUNT) ? drawAmount(chance) : drawPlainAmount(chance);
}

export const CANCELS: readonly Operation[] = [
  {
    name: 'cancelWhole',
    weight: 2,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawCancelable(chance);
      const installments = drawInstallments(chance);
      const isTwiceAtOnce = chance.isIn(0.3);
      const wanted = await wantPayment(preparation, 'cancelWhole', { amount });
      return async ({ to }) => {
        const entry = await till.pay(to(), { ...wanted, installments });
        if (entry.status !== 200) return;
        const cancel = () => till.cancel(to(), entry, 'cancelWhole', null);
        await Promise.all(isTwiceAtOnce ? [cancel(), cancel()] : [cancel()]);
      };
    },
  },
  {
    name: 'cancelInParts',
    weight: 3,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawCancelable(chance);
      const installments = drawInstallments(chance);
      const steps = drawParts(chance, amount);
      const wanted = await wantPayment(preparation, 'cancelInParts', { amount });
      return async ({ to }) => {
        const entry = await till.pay(to(), { ...wanted, installments });
        if (entry.status !== 200) return;
        for (const parts of steps) {
          await Promise.all(parts.map((part) => till.cancel(to(), entry, 'cancelInParts', part)));
        }
      };
    },
  },
  {
    // A client that is not sure reads the payment before asking for the rest.
    name: 'cancelAgainAfterDoubt',
    weight: 2,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawCancelable(chance);
      const installments = drawInstallments(chance);
      const part = chance.isIn(0.5) ? null : chance.whole(1, amount - 1);
      const wanted = await wantPayment(preparation, 'cancelAgainAfterDoubt', { amount });
      return async (calls) => {
        const entry = await till.pay(calls.to(), { ...wanted, installments });
        if (entry.status !== 200) return;
        const cancel = await till.cancel(calls.to(), entry, 'cancelAgainAfterDoubt', part);
        if (isDoubtful(cancel)) calls.later(() => cancelTheRest(till, entry, cancel, calls));
      };
    },
  },
];

function isDoubtful({ status }: CancelEntry): boolean {
  return status === null || status === 500;
}

/**
 * Waits until no answer is awaited any more, writes down what was given back, and asks for all that
 * is left.
 */
async function cancelTheRest(till: Till, entry: Entry, cancel: CancelEntry, calls: Calls): Promise<void> {
  if (cancel.status === null) await wait(certainAfterMilliseconds(till.bench));
  const reported = await askUntilAnswered(calls, async (gateway) => {
    const payment = await till.ask(gateway, cancel.merchantId, cancel.paymentId);
    return payment?.cancelingAmount === 0 ? payment : null;
  });
  if (reported === null) return;
  cancel.canceledAfterDoubt = reported.canceledAmount;
  if (reported.canceledAmount === entry.amount) return;
  await till.cancel(await calls.again(), entry, 'cancelAgainAfterDoubt', null);
}

/** Every other payment is in installments: a part then ends some and shortens one. */
export function drawInstallments(chance: Chance): number {
  return chance.isIn(0.5) ? 1 : chance.whole(2, 12);
}

/** Parts that are asked for one after another, some of them two at once; sometimes more than there is. */
export function drawParts(chance: Chance, amount: number): number[][] {
  if (chance.isIn(0.3)) {
    // Each fits, both do not.
    const least = Math.floor(amount / 2) + 1;
    return [[chance.whole(least, amount), chance.whole(least, amount)]];
  }
  const parts = Array.from({ length: chance.whole(2, 4) }, () => chance.whole(1, Math.ceil(amount / 2)));
  return chance.isIn(0.5)
    ? parts.map((part) => [part])
    : [parts.slice(0, 2), ...parts.slice(2).map((part) => [part])];
}
