import { type Answered, type CancelEntry, type Entry, isAboutKey } from '../log.ts';
import type { CardSource, WantedPayment } from '../merchant-client.ts';
import { drawCancelable, drawInstallments } from './cancels.ts';
import { type Calls, type Operation, type Preparation, wait, wantPayment } from './operation.ts';

/**
 * With the header `Idempotency-Key`: a client without an answer asks again, and must get the first
 * outcome.
 */
export const KEYS: readonly Operation[] = [
  {
    name: 'payWithKey',
    weight: 2,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const installments = drawInstallments(chance);
      const wanted = { ...(await wantWithKey(preparation, 'payWithKey')), installments };
      return async (calls) => {
        const entry = till.note(calls.to(), wanted);
        entry.tries.push(await till.send(calls.to(), entry, wanted.shop, wanted.cardSource));
        Object.assign(entry, entry.tries.at(-1));
        calls.later(() => repeat(entry, () => sendAgain(preparation, wanted, entry, calls)));
      };
    },
  },
  {
    // At once, to all gateways, each with a card token of its own.
    name: 'payManyWithOneKey',
    weight: 1,
    async prepare(preparation) {
      const { till, chance, gateway } = preparation;
      const count = chance.whole(2, 6);
      const wanted = await wantWithKey(preparation, 'payManyWithOneKey');
      const others = Array.from({ length: count - 1 }, () => till.cardToken(wanted.shop, gateway));
      const carriers = [wanted.cardSource.text, ...(await Promise.all(others))];
      return async (calls) => {
        const entry = till.note(calls.to(), wanted);
        const sending = carriers.map((text) =>
          till.send(calls.to(), entry, wanted.shop, { kind: 'token', text }).then((answered) => {
            entry.tries.push(answered);
          }),
        );
        await Promise.all(sending);
        const reported = entry.tries.find((answered) => !isToRepeat(answered)) ?? entry.tries.at(-1);
        Object.assign(entry, reported);
        calls.later(() => repeat(entry, () => sendAgain(preparation, wanted, entry, calls)));
      };
    },
  },
  {
    name: 'cancelWithKey',
    weight: 1,
    async prepare(preparation) {
      const { till, chance } = preparation;
      const amount = drawCancelable(chance);
      const installments = drawInstallments(chance);
      const part = chance.isIn(0.4) ? null : chance.whole(1, amount);
      const key = drawKey(preparation);
      const isTwiceAtOnce = chance.isIn(0.4);
      const wanted = await wantPayment(preparation, 'cancelWithKey', { amount });
      return async (calls) => {
        const payment = await till.pay(calls.to(), { ...wanted, installments });
        if (payment.status !== 200) return;
        const entry = till.noteCancel(payment, 'cancelWithKey', part, key);
        const send = async () => {
          entry.tries.push(await till.sendCancel(calls.to(), entry));
        };
        await Promise.all(isTwiceAtOnce ? [send(), send()] : [send()]);
        Object.assign(entry, entry.tries.find((answered) => !isToRepeat(answered)) ?? entry.tries.at(-1));
        calls.later(() => repeat(entry, async () => till.sendCancel(await calls.again(), entry)));
      };
    },
  },
];

async function wantWithKey(
  preparation: Preparation,
  operation: string,
): Promise<WantedPayment & { key: string }> {
  const key = drawKey(preparation);
  return { ...(await wantPayment(preparation, operation)), key };
}

/** Long ones and odd ones too: up to 255 visible characters. */
function drawKey({ till, chance, round }: Preparation): string {
  const key = `${round}/${till.newMark()}`;
  return chance.isIn(0.1) ? key.padEnd(255, '~!"#') : key;
}

async function sendAgain(
  { till }: Preparation,
  wanted: WantedPayment,
  entry: Entry,
  calls: Calls,
): Promise<Answered> {
  const gateway = await calls.again();
  const cardSource: CardSource = { kind: 'token', text: await till.cardToken(wanted.shop, gateway) };
  return till.send(gateway, entry, wanted.shop, cardSource);
}

/**
 * Nothing is known yet: no answer came, the first request is under way, or the service was not able
 * to look.
 */
export function isToRepeat(answered: Answered): boolean {
  const { status } = answered;
  return status === null || status === 503 || isAboutKey(answered);
}

/**
 * A merchant asks again for longer than anything is ever under way: the pauses of a settling that
 * is answered badly grow.
 */
const MOST_REPETITIONS = 2_400;
const PAUSE_MILLISECONDS = 150;

/**
 * The same request with the same key, until an answer comes with the outcome; then once more, for the
 * repetition must be the same. A 500 is repeated too: it is the answer of a charge that is being undone.
 */
async function repeat(entry: Entry | CancelEntry, send: () => Promise<Answered>): Promise<void> {
  let reported = entry.tries.filter((answered) => !isToRepeat(answered)).length > 0 ? 1 : 0;
  for (let count = 0; count < MOST_REPETITIONS && reported < 2; count += 1) {
    const answered = await send().catch((): Answered | null => null);
    if (answered !== null) {
      entry.tries.push(answered);
      if (!isToRepeat(answered)) {
        reported += 1;
        Object.assign(entry, answered);
      }
    }
    if (reported < 2) await wait(PAUSE_MILLISECONDS);
  }
}
