import { patiently } from '../test/kit/patience.ts';
import type { Chance } from './chance.ts';
import type { ChaosBench } from './chaos-bench.ts';
import type { Fleet, Gateway } from './gateways.ts';
import type { Till } from './merchant-client.ts';
import type { Calls, Operation } from './operations/operation.ts';
import { drawOperation } from './operations/operations.ts';

/** Everything that a kind of fault works with. */
export type Scene = {
  readonly bench: ChaosBench;
  readonly fleet: Fleet;
  readonly till: Till;
  readonly chance: Chance;
  /** What merchants do; the first is the plainest. */
  readonly operations: readonly Operation[];
  /** Begins the names of the rounds, and with them the references of the payments: `steps`. */
  readonly name: string;
  /** Says what happened in a round, for whoever reads the log of a run. */
  readonly note: (line: string) => void;
  /** Batches that still wait for their slow answers, and operations that ask or repeat. */
  readonly underWay: Set<Promise<void>>;
  /** Held: nobody pays beside the batches for a while. */
  readonly load: { isHeld: boolean };
  /** What a kind remembers from one of its parts to the next. */
  readonly memory: Map<string, number>;
  /** How many faults the kind strikes in all its parts. */
  readonly faultsOfKind: number;
  /** Makes a round's work ready; `gateway` is undisturbed. */
  readonly prepareBatch: (scene: Scene, round: string, gateway: Gateway) => Promise<Batch>;
  /** What the faults of the database strike. */
  readonly reach: Reach;
};

/** The tables and statements that stand on the way of what a suite does. */
export type Reach = {
  /** Tables that its commits write. */
  readonly tables: readonly string[];
  /** Modules of `src` whose statements it uses, and which of these write what must be true together. */
  readonly rooms: readonly string[];
  readonly ofMoney: RegExp;
  /** Statements that are to be struck in every run, however short. */
  readonly mostWanted?: readonly string[];
  /** Rounds in which merchants do more of everything that writes, where the usual ones do it rarely. */
  readonly busyBatch?: Scene['prepareBatch'];
};

/** Of payments, cancels and their notifications. */
export const PAYMENT_REACH: Reach = {
  tables: [
    'transactions',
    'card_source_locks',
    'installments',
    'movements',
    'shares',
    'cancels',
    'vault_cards',
    'idempotency_keys',
    'deliveries',
    'delivery_tries',
  ],
  rooms: ['transactions', 'cards', 'idempotency', 'antifraud', 'webhooks', 'payments', 'merchants'],
  ofMoney: /^(transactions|cancels)\./,
};

/** Waits until everything that was sent has its answer, and every operation its end. */
export async function drain({ underWay }: Scene): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay);
}

/** Not waited for here, but before the books are compared. */
export function leaveUnderWay({ underWay }: Scene, work: Promise<void>): void {
  const known = work.finally(() => underWay.delete(known));
  // What waits for it sees how it ends. Where a run has failed nothing waits, and its reason must be printed.
  known.catch(() => {});
  underWay.add(known);
}

/** Payments in flight at a fault. */
const BATCH = 8;
/** How much of a batch goes to the gateway that the fault strikes; the rest to the witness. */
const SHARE_OF_VICTIM = 0.7;
/**
 * A charge left by the dead is free after its lease of eight seconds; one left while settling after
 * eleven.
 */
const SETTLED_MILLISECONDS = 120_000;

export type Batch = {
  readonly round: string;
  /** Resolves when everything was answered, save what asks and repeats afterwards. */
  send(victim: Gateway, witness: Gateway): Promise<void>;
};

/**
 * Draws operations and makes everything ready, so that nothing but the payments is under way when
 * the fault strikes.
 */
export async function prepareBatch(scene: Scene, round: string, gateway: Gateway): Promise<Batch> {
  const { till, chance, operations } = scene;
  // Each operation stands in some of the batches, whatever the draw; the others are drawn by weight.
  const always = chance.pick(operations);
  const drawn = [always, ...Array.from({ length: BATCH - 1 }, () => drawOperation(operations, chance))];
  // Each draws from a series of its own, for they are made ready at the same time.
  const preparing = drawn.map((operation, index) =>
    operation.prepare({ till, gateway, round, chance: chance.fork(`${round}.${index}`) }),
  );
  const spoiling = spoilAnswers(scene);
  const prepared = await Promise.all(preparing);
  await spoiling;
  return {
    round,
    send: async (victim, witness) => {
      const to = () => (chance.isIn(SHARE_OF_VICTIM) ? victim : witness);
      await Promise.all(prepared.map((send) => send(callsOf(scene, to))));
    },
  };
}

function callsOf(scene: Scene, to: () => Gateway): Calls {
  return {
    to,
    again: () => scene.fleet.any(scene.chance),
    later: (after) => leaveUnderWay(scene, after()),
  };
}

export type Round = { readonly victim: Gateway; readonly witness: Gateway; readonly batch: Batch };

/** A minute: a service rests up to 32 s behind a database that took no writes several times. */
const MOST_PREPARATIONS = 240;
const PAUSE_MILLISECONDS = 250;

/** Two gateways and a batch that is ready. What an earlier fault still keeps from answering is waited for. */
export async function nextRound(scene: Scene, round: string): Promise<Round> {
  let reason: unknown;
  for (let tries = 0; tries < MOST_PREPARATIONS; tries += 1) {
    const [victim, witness] = await scene.fleet.pair();
    try {
      return { victim, witness, batch: await scene.prepareBatch(scene, round, witness) };
    } catch (error) {
      reason = error;
      await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
    }
  }
  throw new Error(`${round} could not be prepared`, { cause: reason });
}

const FAULTS = [
  'silent',
  'booksButSilent',
  'late',
  'garbage',
  'reset',
  'wrongAmount',
  'wrongReference',
  'duplicate',
];
const SHARE_OF_SPOILED_BATCHES = 0.3;
/** Of the cancels of such a batch; a tenth of it in all others. */
const SPOILED_CANCELS = 0.6;

/** Now and then the acquirer does something of its own to each charge of the batch: faults come together. */
async function spoilAnswers({ bench, chance }: Scene): Promise<void> {
  const isSpoiled = chance.isIn(SHARE_OF_SPOILED_BATCHES);
  bench.cancelSpoiler.spoil(isSpoiled ? SPOILED_CANCELS : SPOILED_CANCELS / 10);
  if (isSpoiled) await writeScripts(bench, chance, 0.5);
}

/** A script for the next charges of each shop; `share` of its steps do something. */
export async function writeScripts(bench: ChaosBench, chance: Chance, share: number): Promise<void> {
  for (const { merchantId } of bench.shops) {
    const steps = Array.from({ length: BATCH }, () => (chance.isIn(share) ? drawStep(chance) : {}));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ merchantId, steps, cancellations: drawPending(chance, share) });
    const answer = await fetch(`${bench.simulatorUrl}/script`, { method: 'POST', headers, body });
    if (answer.status !== 200) throw new Error(`the script was answered ${answer.status}`);
  }
}

/** Cancels that are accepted and decided within moments, half of them by a no. */
function drawPending(chance: Chance, share: number): object[] {
  return Array.from({ length: chance.isIn(share) ? chance.whole(1, 3) : 0 }, () => ({
    outcome: 'pending',
    fails: chance.isIn(0.5),
    decidedAfterMilliseconds: chance.whole(0, 1_500),
  }));
}

export function drawStep(chance: Chance): object {
  const step: Record<string, unknown> = {};
  if (chance.isIn(0.6)) step.fault = chance.pick(FAULTS);
  else if (chance.isIn(0.3)) step.outcome = 'declined';
  if (chance.isIn(0.3)) step.delayMilliseconds = chance.whole(1, 700);
  if (chance.isIn(0.3)) step.undoRefusals = chance.whole(1, 2);
  if (chance.isIn(0.3)) step.notFoundTimes = chance.whole(1, 2);
  return step;
}

/** By way of the two small indexes of what falls due, however many sales there are. */
const UNDER_WAY = `select exists (
    select from transactions where due_at is not null and starts_with(reference_transaction, $1)
  ) or exists (
    select from cancels c join transactions t using (merchant_id, transaction_id)
    where c.due_at is not null and starts_with(t.reference_transaction, $1)
  ) or exists (
    select from captures c join transactions t using (merchant_id, transaction_id)
    where c.due_at is not null and starts_with(t.reference_transaction, $1)
  ) or exists (
    select from acquirer_changes a join transactions t
      on t.merchant_id = a.merchant_id and t.transaction_id::text = a.reference
    where a.state = 'waiting' and starts_with(t.reference_transaction, $1)
  ) or exists (
    select from boletos where due_at is not null and starts_with(reference_transaction, $1)
  ) or exists (
    select from pix_charges where due_at is not null and starts_with(reference_transaction, $1)
  ) or exists (
    select from pix_refunds f join pix_charges p using (merchant_id, pix_id)
    where f.due_at is not null and f.state = 'refunding' and f.refused_at is null and starts_with(p.reference_transaction, $1)
  ) as is_there`;
const LOOK_MILLISECONDS = 40;

/**
 * Waits until no charge and no cancel of the rounds that begin so is under way; false when it takes
 * too long.
 */
export async function awaitResolved(
  { query }: ChaosBench,
  rounds: string,
  deadlineMilliseconds = SETTLED_MILLISECONDS,
): Promise<boolean> {
  const endsAt = performance.now() + patiently(deadlineMilliseconds);
  while (performance.now() < endsAt) {
    const [found] = await query(UNDER_WAY, [rounds]);
    if (found?.is_there === false) return true;
    await new Promise((wake) => setTimeout(wake, LOOK_MILLISECONDS));
  }
  return false;
}

/**
 * One payment after another by many callers, as long as there are any due. Gateways that a fault is
 * about to strike are spared.
 */
export async function load(
  scene: Scene,
  round: string,
  due: () => number,
  isOver: () => boolean,
): Promise<void> {
  const { memory } = scene;
  const caller = async () => {
    for (;;) {
      if (scene.load.isHeld || due() <= 0) {
        if (isOver()) return;
        await new Promise((wake) => setTimeout(wake, LOOK_MILLISECONDS));
        continue;
      }
      const sequence = (memory.get('paid') ?? 0) + 1;
      memory.set('paid', sequence);
      const chance = scene.chance.fork(`${round}.${sequence}`);
      // A gateway that falls under load loses its callers their cards, not their money.
      await payOne(scene, round, chance).catch(
        () => new Promise((wake) => setTimeout(wake, LOOK_MILLISECONDS)),
      );
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

export async function payOne(scene: Scene, round: string, chance: Chance): Promise<void> {
  const { till, fleet, operations } = scene;
  const gateway = await fleet.any(chance);
  const other = await fleet.any(chance);
  const operation = chance.isIn(SHARE_OF_PLAIN_PAYMENTS)
    ? (operations[0] as Operation)
    : drawOperation(operations, chance);
  const send = await operation.prepare({ till, gateway, round, chance });
  await send(callsOf(scene, () => chance.pick([gateway, other])));
}

/** So many operations, many at a time. */
export async function payMany(scene: Scene, round: string, operations: number): Promise<void> {
  let left = operations;
  await load(
    scene,
    round,
    () => left--,
    () => true,
  );
}

const CALLERS = 16;
/** Of what is paid beside the batches: it is there to be much. */
const SHARE_OF_PLAIN_PAYMENTS = 0.5;
