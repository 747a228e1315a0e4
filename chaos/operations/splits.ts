import type { Chance } from '../chance.ts';
import type { WantedSplit } from '../log.ts';
import { drawCancelable, drawInstallments, drawParts } from './cancels.ts';
import { type Operation, wantPayment } from './operation.ts';

export const SPLITS: readonly Operation[] = [
  {
    name: 'payWithSplit',
    weight: 3,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawCancelable(chance);
      const installments = drawInstallments(chance);
      const split = drawSplit(chance);
      const steps = chance.isIn(0.5) ? drawParts(chance, amount) : [];
      const wanted = await wantPayment(preparation, 'payWithSplit', { amount });
      return async ({ to }) => {
        const entry = await till.pay(to(), { ...wanted, installments, split });
        if (entry.status !== 200) return;
        for (const parts of steps) {
          await Promise.all(parts.map((part) => till.cancel(to(), entry, 'payWithSplit', part)));
        }
      };
    },
  },
];

const BENEFICIARIES = ['11222333000181', '12ABC34501DE35', '52998224725', '11144477735'];
const WHOLE = 10_000;

/**
 * Odd percents, so that cents are left over; now and then the beneficiaries get all of it, or one
 * of them nothing.
 */
function drawSplit(chance: Chance): WantedSplit {
  const count = chance.whole(1, BENEFICIARIES.length);
  const isAll = chance.isIn(0.2);
  let left = WHOLE;
  const entries = BENEFICIARIES.slice(0, count).map((beneficiary, index) => {
    const portion = isAll && index === count - 1 ? left : chance.whole(0, Math.floor(left / (count - index)));
    left -= portion;
    return { beneficiary, portion };
  });
  return { type: chance.isIn(0.4) ? 'liquido' : 'bruto', entries };
}
