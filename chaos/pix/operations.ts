import { randomUUID } from 'node:crypto';
import type { Chance } from '../chance.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import {
  askUntilAnswered,
  type Calls,
  type Operation,
  type Preparation,
  wait,
} from '../operations/operation.ts';
import { CALLBACK_PATH } from '../webhooks/operations.ts';
import { orderOfPixBank, reaisIn } from './bank-ledger.ts';
import { deskOf, isFinal, type PixDesk, type PixEntry, paymentIdIn, type WantedBack } from './client.ts';

const LONGEST_WAIT_MILLISECONDS = 300;
const MOST_TRIES = 80;
const PAUSE_MILLISECONDS = 250;

/** Of its own for nearly every Pix, and clear of the amounts with which the bank does something. */
function drawAmount(chance: Chance): number {
  return chance.whole(1, 900) * 10_000 + chance.whole(3_000, 9_900);
}

const keyOrNot = (chance: Chance, share: number) => (chance.isIn(share) ? randomUUID() : null);

async function wantPix(
  { till, gateway, round, chance }: Preparation,
  operation: string,
  key: string | null = null,
): Promise<{ desk: PixDesk; entry: PixEntry }> {
  const shop = chance.pick(till.bench.shops);
  await till.login(shop, gateway);
  const system = chance.pick(till.bench.systems);
  const callback = chance.isIn(0.5) ? `${system.url}${CALLBACK_PATH}${shop.merchantId}` : null;
  const desk = deskOf(till);
  return {
    desk,
    entry: desk.note({ round, operation, shop, key, callback, amount: drawAmount(chance) }),
  };
}

/** With its key the request is sent again until it is answered in a way that ends it. */
async function issueUntilAnswered(desk: PixDesk, entry: PixEntry, { again }: Calls): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const answered = await desk.issue(await again(), entry);
    if (answered.status !== 202 && isFinal(answered)) return;
    await wait(PAUSE_MILLISECONDS);
  }
}

const ROW =
  'select pix_id, txid, state from pix_charges where reference_transaction = $1 order by pix_id desc';

/** What payers do, whatever the merchant was answered. Gives whether the bank took it. */
async function payAtBank(bench: ChaosBench, { reference }: PixEntry, order: object = {}): Promise<boolean> {
  for (let tries = 0; tries < MOST_TRIES / 4; tries += 1) {
    const [row] = await bench.query(ROW, [reference]);
    if (row !== undefined) {
      const paid = await orderOfPixBank(bench, 'payments', { txid: row.txid, ...order }).catch(() => null);
      // A lost answer may have been booked: a payer does not pay again for that.
      if (paid?.status !== 404) return paid?.status === 201;
    }
    await wait(PAUSE_MILLISECONDS);
  }
  return false;
}

/** In time, now and then in another amount; sometimes twice. */
async function payAsPayersDo(bench: ChaosBench, entry: PixEntry, chance: Chance): Promise<boolean> {
  const other = { amount: reaisIn(chance.whole(1, entry.amount)), force: true };
  const isPaid = await payAtBank(bench, entry, chance.isIn(0.15) ? other : {});
  if (isPaid && chance.isIn(0.15)) await payAtBank(bench, entry, { force: true });
  return isPaid;
}

/** Asked for, and then with its key again until the answer ends it; the latter is what is given. */
async function beginCancel(
  desk: PixDesk,
  entry: PixEntry,
  paymentId: string,
  back: WantedBack,
  calls: Calls,
): Promise<() => Promise<void>> {
  let answered = await desk.cancel(calls.to(), entry, paymentId, back);
  return async () => {
    for (let tries = 0; back.key !== null && !isFinal(answered) && tries < MOST_TRIES; tries += 1) {
      await wait(PAUSE_MILLISECONDS);
      answered = await desk.cancel(await calls.again(), entry, paymentId, back);
    }
  };
}

/** The merchant waits until it sees what arrived. */
async function seenPayments(
  desk: PixDesk,
  entry: PixEntry,
  paymentId: string,
  calls: Calls,
  isEnough: number,
) {
  const seen = await askUntilAnswered(calls, async (gateway) => {
    const shown = await desk.read(gateway, entry, paymentId);
    return shown !== null && shown.payments.length >= isEnough ? shown.payments : null;
  });
  return seen ?? [];
}

/** Parts one after the other or at once, or all of it; more than there is, now and then. */
async function giveBack(
  desk: PixDesk,
  entry: PixEntry,
  paymentId: string,
  { chance, calls, endToEndId }: { chance: Chance; calls: Calls; endToEndId: string | null },
): Promise<void> {
  const wish = (amount: number | null) =>
    desk.wantBack(entry, { amount, endToEndId, key: keyOrNot(chance, 0.7) });
  const send = async (back: WantedBack) => (await beginCancel(desk, entry, paymentId, back, calls))();
  if (chance.isIn(0.4)) {
    await send(wish(null));
    return;
  }
  const wishes = Array.from({ length: chance.whole(1, 3) }, () =>
    wish(chance.whole(1, Math.ceil(entry.amount * 0.6))),
  );
  if (chance.isIn(0.3)) wishes.push(wish(null));
  if (chance.isIn(0.4)) await Promise.all(wishes.map(send));
  else for (const back of wishes) await send(back);
}

/** The payer's bank takes a part back by itself, at any moment. */
async function takeBack(bench: ChaosBench, endToEndId: string, amount: number): Promise<void> {
  await orderOfPixBank(bench, 'taken-back', { endToEndId, amount: reaisIn(amount) }).catch(() => null);
}

const END =
  "update pix_charges set acts_at = now() where reference_transaction = $1 and state = 'waiting' returning 1";

export const PIX_OPERATIONS: readonly Operation[] = [
  {
    name: 'issuePix',
    weight: 2,
    async prepare(preparation) {
      const { desk, entry } = await wantPix(preparation, 'issuePix');
      return async ({ to }) => void (await desk.issue(to(), entry));
    },
  },
  {
    name: 'issueWithKey',
    weight: 2,
    async prepare(preparation) {
      const { desk, entry } = await wantPix(preparation, 'issueWithKey', randomUUID());
      const isTwice = preparation.chance.isIn(0.4);
      return async (calls) => {
        const first = desk.issue(calls.to(), entry);
        await (isTwice ? Promise.all([first, desk.issue(calls.to(), entry)]) : first);
        calls.later(() => issueUntilAnswered(desk, entry, calls));
      };
    },
  },
  {
    name: 'payAndGiveBack',
    weight: 5,
    async prepare(preparation) {
      const { chance, till } = preparation;
      const key = keyOrNot(chance, 0.5);
      const { desk, entry } = await wantPix(preparation, 'payAndGiveBack', key);
      return async (calls) => {
        await desk.issue(calls.to(), entry);
        const isPaid = payAsPayersDo(till.bench, entry, chance);
        calls.later(async () => {
          if (key !== null) await issueUntilAnswered(desk, entry, calls);
          const paymentId = paymentIdIn(entry);
          if (!(await isPaid) || paymentId === null || chance.isIn(0.2)) return;
          const [first] = await seenPayments(desk, entry, paymentId, calls, 1);
          if (first === undefined) return;
          const part = chance.whole(1, first.amount);
          const taking = chance.isIn(0.15) ? takeBack(till.bench, first.endToEndId, part) : null;
          await giveBack(desk, entry, paymentId, { chance, calls, endToEndId: null });
          await taking;
        });
      };
    },
  },
  {
    name: 'cancelAndPayLate',
    weight: 2,
    async prepare(preparation) {
      const { chance, till } = preparation;
      const { desk, entry } = await wantPix(preparation, 'cancelAndPayLate');
      const isPaidAfterwards = chance.isIn(0.5);
      const back = { amount: null, endToEndId: null, key: keyOrNot(chance, 0.6) };
      return async (calls) => {
        await desk.issue(calls.to(), entry);
        const paymentId = paymentIdIn(entry);
        if (paymentId === null) return;
        const end = await beginCancel(desk, entry, paymentId, desk.wantBack(entry, back), calls);
        calls.later(async () => {
          await end();
          if (!isPaidAfterwards || !(await payAtBank(till.bench, entry, { force: true }))) return;
          const [late] = await seenPayments(desk, entry, paymentId, calls, 1);
          const endToEndId = late?.endToEndId ?? null;
          if (endToEndId !== null) await giveBack(desk, entry, paymentId, { chance, calls, endToEndId });
        });
      };
    },
  },
  {
    name: 'payAndCancelAtOnce',
    weight: 3,
    async prepare(preparation) {
      const { chance, till } = preparation;
      const { desk, entry } = await wantPix(preparation, 'payAndCancelAtOnce');
      return async (calls) => {
        await desk.issue(calls.to(), entry);
        const paymentId = paymentIdIn(entry);
        const cancelLater = async () => {
          await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
          const back = { amount: null, endToEndId: null, key: keyOrNot(chance, 0.5) };
          if (paymentId === null) return;
          calls.later(await beginCancel(desk, entry, paymentId, desk.wantBack(entry, back), calls));
        };
        calls.later(async () => void (await payAsPayersDo(till.bench, entry, chance)));
        await Promise.all([cancelLater(), ...(chance.isIn(0.3) ? [cancelLater()] : [])]);
      };
    },
  },
  {
    // Its time is over, here before the bank's; or the bank takes it away by itself.
    name: 'endUnpaid',
    weight: 2,
    async prepare(preparation) {
      const { chance, till } = preparation;
      const { bench } = till;
      const { desk, entry } = await wantPix(preparation, 'endUnpaid');
      return async (calls) => {
        await desk.issue(calls.to(), entry);
        calls.later(async () => {
          const paying = chance.isIn(0.5) ? payAsPayersDo(bench, entry, chance) : null;
          await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
          const [row] = await bench.query(ROW, [entry.reference]);
          if (row !== undefined && chance.isIn(0.2))
            await orderOfPixBank(bench, 'removals', { txid: row.txid }).catch(() => null);
          await bench.query(END, [entry.reference]);
          await paying;
          if (chance.isIn(0.3)) await payAtBank(bench, entry, { force: true });
        });
      };
    },
  },
];

const UNDONE = ['silent', 'unavailable', 'unauthorized', 'tooManyRequests', 'conflict'] as const;
const DONE = [
  'booksButSilent',
  'booksButUnavailable',
  'booksButConflict',
  'late',
  'garbage',
  'reset',
] as const;
const OF_CHARGES = ['wrongAmount', 'wrongTxid', 'wrongCheckSum', 'wrongCodeAmount', 'withoutCode'] as const;

/** What the bank does of its own, by its operation. */
const TROUBLE: Readonly<Record<string, readonly string[]>> = {
  'PUT /cob': [...UNDONE, ...DONE, ...OF_CHARGES],
  'GET /cob': [...UNDONE, ...DONE, ...OF_CHARGES, 'notFound'],
  'PATCH /cob': [...UNDONE, ...DONE, ...OF_CHARGES, 'notFound'],
  'PUT /pix/devolucao': [...UNDONE, ...DONE, 'wrongAmount'],
  'GET /pix/devolucao': [...UNDONE, ...DONE, 'notFound'],
  'GET /pix': [...UNDONE, ...DONE, 'repeatedItems', 'withoutNewest'],
  'POST /oauth/token': ['unavailable', 'silent', 'reset', 'garbage'],
};
const OF_NOTICES = ['lost', 'repeated', 'late', 'garbage', 'wrongAmount', 'unknownPix'] as const;
const REFUNDS = ['settles', 'settles', 'fails', 'waits'] as const;
const STEPS = 8;

/** What the bank does of its own to the next requests, and to what it tells. */
export async function spoilPixBank(bench: ChaosBench, chance: Chance, share: number): Promise<void> {
  const orders = Object.entries(TROUBLE).map(([on, faults]) => ({
    on,
    steps: Array.from({ length: STEPS }, () => (chance.isIn(share) ? drawStep(chance, on, faults) : {})),
  }));
  const told = chance.isIn(share)
    ? Array.from({ length: STEPS }, () => ({ fault: chance.pick(OF_NOTICES) }))
    : [];
  for (const body of [...orders, { on: 'webhook', steps: told }]) {
    const written = await orderOfPixBank(bench, 'script', body).catch(() => null);
    if (written !== null && written.status !== 200)
      throw new Error(`the bank's script was answered ${JSON.stringify(written.body)}`);
  }
}

function drawStep(chance: Chance, on: string, faults: readonly string[]): object {
  const isRefund = on === 'PUT /pix/devolucao';
  return {
    ...(isRefund && chance.isIn(0.3) ? { refund: chance.pick(REFUNDS) } : { fault: chance.pick(faults) }),
    ...(chance.isIn(0.3) ? { delayMilliseconds: chance.whole(1, 700) } : {}),
  };
}
