import type { Chance } from '../chance.ts';
import { isToRepeat } from '../operations/keys.ts';
import { drawAmount, type Operation, wait, wantPayment } from '../operations/operation.ts';
import { CALLBACK_PATH, TOLD_OPERATIONS } from '../webhooks/operations.ts';

/** Longer than the longest failover and what waited for it. */
const PATIENCE_MILLISECONDS = 180_000;
/** Where the answer does not say when to come again. */
const PAUSE_MILLISECONDS = 500;

/**
 * As the documents ask of merchants: with a key, and again when `Retry-After` is over, until there is an
 * outcome. Its card is stored: nothing of it has to be asked for while the database is away.
 */
export const payUntilAnswered = (draw: (chance: Chance) => number): Operation => ({
  name: 'payUntilAnswered',
  weight: 4,
  async prepare(preparation) {
    const { till, chance, round } = preparation;
    const key = `${round}/${till.newMark()}`;
    const amount = draw(chance);
    const wanted = await wantPayment(preparation, 'payUntilAnswered', { kind: 'vault', amount });
    const system = chance.pick(till.bench.systems);
    const callback = `${system.url}${CALLBACK_PATH}${wanted.shop.merchantId}`;
    return async (calls) => {
      const entry = till.note(calls.to(), { ...wanted, key, callback });
      const endsAt = performance.now() + PATIENCE_MILLISECONDS;
      do {
        const gateway = entry.tries.length === 0 ? calls.to() : await calls.again();
        const answered = await till.send(gateway, entry, wanted.shop, wanted.cardSource);
        entry.tries.push(answered);
        Object.assign(entry, answered);
        if (!isToRepeat(answered)) return;
        await wait((answered.retryAfterSeconds ?? 0) * 1_000 + chance.next() * PAUSE_MILLISECONDS);
      } while (performance.now() < endsAt);
    };
  },
});

/** The first is the plainest, and half of all. */
export const FAILOVER_OPERATIONS: readonly Operation[] = [payUntilAnswered(drawAmount), ...TOLD_OPERATIONS];
