import type { Entry } from '../log.ts';
import type { Till } from '../merchant-client.ts';
import { drawInstallments } from './cancels.ts';
import { type Calls, drawPlainAmount, type Operation, type Preparation, wantPayment } from './operation.ts';

/** One that waits for its capture; null: it does not. */
async function authorize(preparation: Preparation, operation: string, amount: number) {
  const { till, chance } = preparation;
  const installments = drawInstallments(chance);
  const wanted = await wantPayment(preparation, operation, { amount });
  return async (calls: Calls): Promise<Entry | null> => {
    const entry = await till.pay(calls.to(), { ...wanted, installments, isCapturedLater: true });
    return entry.status === 200 ? entry : null;
  };
}

/** What is in doubt is sent once more when it is certain: the same capture, or the same cancel. */
async function surely(calls: Calls, till: Till, entry: Entry, operation: string, amount: number | null) {
  const captured = await till.capture(calls.to(), entry, operation, amount);
  const isDoubtful = captured.status === null || captured.status === 500;
  if (isDoubtful)
    calls.later(async () => void (await till.capture(await calls.again(), entry, operation, amount)));
}

/** Sales that are authorized now and captured later. */
export const CAPTURES: readonly Operation[] = [
  {
    name: 'captureLater',
    weight: 3,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawPlainAmount(chance);
      const captured = chance.isIn(0.4) ? null : chance.whole(100, amount);
      const begin = await authorize(preparation, 'captureLater', amount);
      return async (calls) => {
        const entry = await begin(calls);
        if (entry !== null) await surely(calls, till, entry, 'captureLater', captured);
      };
    },
  },
  {
    name: 'captureTwiceAtOnce',
    weight: 2,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawPlainAmount(chance);
      const amounts = [chance.whole(100, amount), chance.isIn(0.5) ? null : chance.whole(100, amount)];
      const begin = await authorize(preparation, 'captureTwiceAtOnce', amount);
      return async (calls) => {
        const entry = await begin(calls);
        if (entry === null) return;
        await Promise.all(amounts.map((one) => till.capture(calls.to(), entry, 'captureTwiceAtOnce', one)));
      };
    },
  },
  {
    name: 'captureOrCancel',
    weight: 2,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawPlainAmount(chance);
      const begin = await authorize(preparation, 'captureOrCancel', amount);
      const isCaptured = chance.isIn(0.7);
      return async (calls) => {
        const entry = await begin(calls);
        if (entry === null) return;
        const capture = () => till.capture(calls.to(), entry, 'captureOrCancel', null);
        const cancel = () => till.cancel(calls.to(), entry, 'captureOrCancel', null);
        await Promise.all(isCaptured ? [capture(), cancel()] : [cancel()]);
      };
    },
  },
];
