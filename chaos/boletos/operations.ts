import { randomUUID } from 'node:crypto';
import type { Chance } from '../chance.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import type { Answered } from '../log.ts';
import { type Calls, type Operation, type Preparation, wait } from '../operations/operation.ts';
import { orderAtBank } from './bank-books.ts';
import { type BoletoDesk, type BoletoEntry, boletoIdOf, deskOf, inDays } from './client.ts';

/** Of every boleto here. */
const DUE_IN_DAYS = 10;
/** To which it is changed, one after the other. */
const OTHER_DUE_DAYS = [20, 5] as const;
const LONGEST_WAIT_MILLISECONDS = 300;
const MOST_TRIES = 80;
const PAUSE_MILLISECONDS = 250;

/** Of its own for nearly every boleto, and clear of the values with which the bank does something. */
function drawValue(chance: Chance): number {
  return chance.whole(1, 900) * 10_000 + chance.whole(3_000, 9_900);
}

async function wantBoleto(
  { till, gateway, round, chance }: Preparation,
  operation: string,
  key: string | null = null,
): Promise<{ desk: BoletoDesk; entry: BoletoEntry }> {
  const desk = deskOf(till.bench);
  const shop = chance.pick(till.bench.shops);
  await desk.login(gateway, shop);
  const known = { round, operation, shop, key, dueOn: inDays(DUE_IN_DAYS) };
  return { desk, entry: desk.note({ ...known, amount: drawValue(chance) }) };
}

/** With its key the request is sent again until it is answered in a way that ends it. */
async function issueUntilAnswered(desk: BoletoDesk, entry: BoletoEntry, { again }: Calls): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { status } = await desk.issue(await again(), entry);
    if (status === 200 || status === 402) return;
    await wait(PAUSE_MILLISECONDS);
  }
}

const NUMBER = 'select our_number from boletos where reference_transaction = $1';

/** What payers do: they pay what they were given, whatever the merchant was answered. */
async function payAtBank(
  { bench }: BoletoDesk,
  { shop, reference, amount }: BoletoEntry,
  chance: Chance,
): Promise<void> {
  const { merchantId } = shop;
  // In part, or with the fine of one who is late: the bank takes both.
  const paid = chance.isIn(0.2) ? chance.whole(1, amount) : Math.round(amount * 1.02);
  const payment = {
    ...{ merchantId, event: 'paid' },
    ...(chance.isIn(0.4) ? { amount: paid } : {}),
  };
  const times = chance.isIn(0.25) ? 2 : 1;
  for (let time = 0; time < times; time += 1) await orderPayment(bench, reference, payment);
}

/** Paid when the bank has it; what the bank never had cannot be. */
async function orderPayment(bench: ChaosBench, reference: string, payment: object): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES / 4; tries += 1) {
    const [row] = await bench.query(NUMBER, [reference]);
    if (row !== undefined) {
      const at = new Date().toISOString();
      const order = { ...payment, ourNumber: row.our_number, at };
      const status = await orderAtBank(bench, '/changes', order).catch(() => null);
      // A lost answer may have been booked: a payer does not pay again for that.
      if (status !== 404) return;
    }
    await wait(PAUSE_MILLISECONDS);
  }
}

/** Asked about a boleto that is known, and again while the answer is in doubt. Gives the first status. */
async function askOfKnown(
  entry: BoletoEntry,
  calls: Calls,
  ask: (gateway: Gateway, boletoId: string) => Promise<Answered>,
): Promise<number | null> {
  const id = boletoIdOf(entry);
  if (id === null) return null;
  const { status } = await ask(calls.to(), id);
  if (status !== null && status < 500) return status;
  calls.later(async () => {
    for (let tries = 0; tries < MOST_TRIES / 4; tries += 1) {
      const answered = await ask(await calls.again(), id);
      if (answered.status !== null && answered.status < 500) return;
      await wait(PAUSE_MILLISECONDS);
    }
  });
  return status;
}

function cancelKnown(desk: BoletoDesk, entry: BoletoEntry, calls: Calls): Promise<unknown> {
  return askOfKnown(entry, calls, (gateway, id) => desk.cancel(gateway, entry, id));
}

/** To one day, and to the next once that is done. */
async function changeKnown(
  desk: BoletoDesk,
  entry: BoletoEntry,
  calls: Calls,
  days: readonly string[],
): Promise<void> {
  for (const day of days) {
    const status = await askOfKnown(entry, calls, (gateway, id) => desk.changeDay(gateway, entry, id, day));
    if (status !== 200) return;
  }
}

export const BOLETO_OPERATIONS: readonly Operation[] = [
  {
    name: 'issueBoleto',
    weight: 3,
    async prepare(preparation) {
      const { desk, entry } = await wantBoleto(preparation, 'issueBoleto');
      return async ({ to }) => void (await desk.issue(to(), entry));
    },
  },
  {
    name: 'issueWithKey',
    weight: 3,
    async prepare(preparation) {
      const { desk, entry } = await wantBoleto(preparation, 'issueWithKey', randomUUID());
      const isTwice = preparation.chance.isIn(0.4);
      return async (calls) => {
        const first = desk.issue(calls.to(), entry);
        await (isTwice ? Promise.all([first, desk.issue(calls.to(), entry)]) : first);
        calls.later(() => issueUntilAnswered(desk, entry, calls));
      };
    },
  },
  {
    name: 'issueAndPay',
    weight: 3,
    async prepare(preparation) {
      const { chance } = preparation;
      const key = chance.isIn(0.5) ? randomUUID() : null;
      const { desk, entry } = await wantBoleto(preparation, 'issueAndPay', key);
      return async (calls) => {
        await desk.issue(calls.to(), entry);
        if (key !== null) calls.later(() => issueUntilAnswered(desk, entry, calls));
        calls.later(() => payAtBank(desk, entry, chance));
      };
    },
  },
  {
    name: 'issueAndCancel',
    weight: 2,
    async prepare(preparation) {
      const { desk, entry } = await wantBoleto(preparation, 'issueAndCancel');
      const isPaidAfterwards = preparation.chance.isIn(0.3);
      return async (calls) => {
        await desk.issue(calls.to(), entry);
        await cancelKnown(desk, entry, calls);
        if (isPaidAfterwards) calls.later(() => payAtBank(desk, entry, preparation.chance));
      };
    },
  },
  {
    name: 'payAndCancelAtOnce',
    weight: 3,
    async prepare(preparation) {
      const { chance } = preparation;
      const { desk, entry } = await wantBoleto(preparation, 'payAndCancelAtOnce');
      return async (calls) => {
        await desk.issue(calls.to(), entry);
        const cancelLater = async () => {
          await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
          await cancelKnown(desk, entry, calls);
        };
        calls.later(() => payAtBank(desk, entry, chance));
        await Promise.all([cancelLater(), ...(chance.isIn(0.3) ? [cancelLater()] : [])]);
      };
    },
  },
  {
    name: 'issueAndChangeDay',
    weight: 3,
    async prepare(preparation) {
      const { chance } = preparation;
      const { desk, entry } = await wantBoleto(preparation, 'issueAndChangeDay');
      const days = [...OTHER_DUE_DAYS].map(inDays).slice(0, chance.whole(1, OTHER_DUE_DAYS.length));
      const [isCanceled, isPaid] = [chance.isIn(0.4), chance.isIn(0.4)];
      return async (calls) => {
        await desk.issue(calls.to(), entry);
        const cancelLater = async () => {
          await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
          await cancelKnown(desk, entry, calls);
        };
        if (isPaid) calls.later(() => payAtBank(desk, entry, chance));
        await Promise.all([changeKnown(desk, entry, calls, days), ...(isCanceled ? [cancelLater()] : [])]);
      };
    },
  },
];

const FAULTS = ['silent', 'booksButSilent', 'late', 'garbage', 'reset', 'unavailable', 'notFound'] as const;
const FALSE_ANSWERS = ['wrongCheckDigit', 'wrongAmount', 'wrongDueDay', 'wrongNumber'] as const;
const REFUSALS = ['payerRefused', 'termsRefused', 'amountRefused'] as const;
const STEPS = 8;
/** Of the spoiled cancels and changes: the bank leaves the boleto as it is. */
const SHARE_OF_KEPT = 0.25;

/** What the bank does of its own to the next registrations, and cancels and changes, of each merchant. */
export async function spoilBank(bench: ChaosBench, chance: Chance, share: number): Promise<void> {
  for (const { merchantId } of bench.shops) {
    const steps = Array.from({ length: STEPS }, () => (chance.isIn(share) ? drawStep(chance) : {}));
    const cancels = Array.from({ length: chance.isIn(share) ? 3 : 0 }, () =>
      chance.isIn(SHARE_OF_KEPT) ? { refusal: 'notAllowed' } : { fault: chance.pick(FAULTS) },
    );
    const status = await orderAtBank(bench, '/script', { merchantId, steps, cancels }).catch(() => null);
    if (status !== null && status !== 200) throw new Error(`the bank's script was answered ${status}`);
  }
}

function drawStep(chance: Chance): object {
  if (chance.isIn(0.1)) return { refusal: chance.pick(REFUSALS) };
  const fault = chance.pick(chance.isIn(0.8) ? FAULTS : FALSE_ANSWERS);
  return {
    fault,
    ...(chance.isIn(0.3) ? { delayMilliseconds: chance.whole(1, 700) } : {}),
    ...(chance.isIn(0.3) ? { notFoundTimes: chance.whole(1, 2) } : {}),
    ...(chance.isIn(0.3) ? { isReportedTwice: true } : {}),
  };
}
