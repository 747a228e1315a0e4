import type { Chance } from '../chance.ts';
import { EVENT_TYPES, type EventType } from '../log.ts';
import { drawCancelable } from './cancels.ts';
import { type Operation, wantPayment } from './operation.ts';

const MOST_INSTALLMENTS = 4;
const SHARE_OF_CHARGEBACKS = 0.5;

type Change = {
  readonly type: EventType;
  readonly installmentNumber: number;
  /** Cents of a chargeback of a part. */
  readonly amount: number | null;
  /** A cancel at the same moment, of all or of a part. */
  readonly cancel: { readonly amount: number | null } | null;
};

/**
 * What only time and card holders do, some of it where it is not possible, and now and then while
 * money is given back.
 */
function drawChanges(chance: Chance, amount: number, installments: number): Change[] {
  const usual = Math.floor(amount / installments);
  return Array.from({ length: chance.whole(1, 3) }, () => {
    const type = chance.isIn(SHARE_OF_CHARGEBACKS) ? 'chargeback' : chance.pick(EVENT_TYPES);
    const isPart = type === 'chargeback' && usual > 1 && chance.isIn(0.6);
    const cancel = chance.isIn(0.25)
      ? { amount: chance.isIn(0.5) ? null : chance.whole(1, Math.max(1, usual)) }
      : null;
    return {
      type,
      installmentNumber: chance.whole(1, installments),
      amount: isPart ? chance.whole(1, usual) : null,
      cancel,
    };
  });
}

export const CHANGES: readonly Operation[] = [
  {
    name: 'beTakenBack',
    weight: 3,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawCancelable(chance);
      const installments = chance.whole(1, MOST_INSTALLMENTS);
      const changes = drawChanges(chance, amount, installments);
      const wanted = await wantPayment(preparation, 'beTakenBack', { amount });
      return async ({ to }) => {
        const entry = await till.pay(to(), { ...wanted, installments });
        if (entry.status !== 200) return;
        for (const { type, installmentNumber, amount: part, cancel } of changes) {
          const happening = till.force(to(), entry, type, installmentNumber, part);
          if (cancel !== null) await till.cancel(to(), entry, 'beTakenBack', cancel.amount);
          await happening;
        }
      };
    },
  },
];
