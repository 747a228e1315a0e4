import { until } from '../test/running-house.ts';
import type { Chance } from './chance.ts';
import type { FaultHouse } from './fault-house.ts';
import type { Fleet, Gateway } from './gateways.ts';
import { drawOperation, OPERATIONS, type Prepared } from './operations.ts';
import type { Till } from './till.ts';

/** Everything that a kind of fault works with. */
export type Scene = {
  readonly house: FaultHouse;
  readonly fleet: Fleet;
  readonly till: Till;
  readonly chance: Chance;
  /** Begins the names of the rounds, and with them the references of the payments: `steps`. */
  readonly name: string;
  /** Says what happened in a round, for whoever reads the log of a run. */
  readonly note: (line: string) => void;
};

/** Payments in flight at a fault. */
const BATCH = 8;
/** How much of a batch goes to the gateway that the fault strikes; the rest to the witness. */
const SHARE_OF_VICTIM = 0.7;
/** A charge left by the dead is free after its lease of eight seconds; one left while settling after eleven. */
const SETTLED_MILLISECONDS = 120_000;

export type Batch = { readonly round: string; send(victim: Gateway, witness: Gateway): Promise<void> };

/** Draws operations and makes everything ready, so that nothing but the payments is under way when the fault strikes. */
export async function prepareBatch(scene: Scene, round: string, gateway: Gateway): Promise<Batch> {
  const { till, chance } = scene;
  const preparation = { till, gateway, round, chance };
  // Each operation stands in some of the batches, whatever the draw; the others are drawn by weight.
  const always = chance.pick(OPERATIONS);
  const drawn = [always, ...Array.from({ length: BATCH - 1 }, () => drawOperation(chance))];
  const prepared: Prepared[] = [];
  for (const operation of drawn) prepared.push(await operation.prepare(preparation));
  await spoilAnswers(scene);
  return {
    round,
    send: async (victim, witness) => {
      const to = () => (chance.isIn(SHARE_OF_VICTIM) ? victim : witness);
      await Promise.all(prepared.map((send) => send(to)));
    },
  };
}

export type Round = { readonly victim: Gateway; readonly witness: Gateway; readonly batch: Batch };

const MOST_PREPARATIONS = 40;
const PAUSE_MILLISECONDS = 250;

/** Two gateways and a batch that is ready. What an earlier fault still keeps from answering is waited for. */
export async function nextRound(scene: Scene, round: string): Promise<Round> {
  let reason: unknown;
  for (let tries = 0; tries < MOST_PREPARATIONS; tries += 1) {
    const [victim, witness] = await scene.fleet.pair();
    try {
      return { victim, witness, batch: await prepareBatch(scene, round, witness) };
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

/** Now and then the acquirer does something of its own to each charge of the batch: faults come together. */
async function spoilAnswers({ house, chance }: Scene): Promise<void> {
  if (!chance.isIn(SHARE_OF_SPOILED_BATCHES)) return;
  await writeScripts(house, chance, 0.5);
}

/** A script for the next charges of each shop; `share` of its steps do something. */
export async function writeScripts(house: FaultHouse, chance: Chance, share: number): Promise<void> {
  for (const { merchantId } of house.shops) {
    const steps = Array.from({ length: BATCH }, () => (chance.isIn(share) ? drawStep(chance) : {}));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ merchantId, steps });
    const answer = await fetch(`${house.simulatorUrl}/script`, { method: 'POST', headers, body });
    if (answer.status !== 200) throw new Error(`the script was answered ${answer.status}`);
  }
}

function drawStep(chance: Chance): object {
  const step: Record<string, unknown> = {};
  if (chance.isIn(0.6)) step.fault = chance.pick(FAULTS);
  else if (chance.isIn(0.3)) step.outcome = 'declined';
  if (chance.isIn(0.3)) step.delayMilliseconds = chance.whole(1, 1_300);
  if (chance.isIn(0.3)) step.undoRefusals = chance.whole(1, 2);
  if (chance.isIn(0.3)) step.notFoundTimes = chance.whole(1, 2);
  return step;
}

/** Waits until no charge of the rounds that begin so is under way; false when it takes too long. */
export async function awaitSettled(
  house: FaultHouse,
  rounds: string,
  deadlineMilliseconds = SETTLED_MILLISECONDS,
): Promise<boolean> {
  const text =
    'select 1 from transactions where decided_at is null and starts_with(reference_transaction, $1) limit 1';
  return until(
    `${rounds} is settled`,
    async () => (await house.query(text, [rounds])).length === 0,
    deadlineMilliseconds,
  ).then(
    () => true,
    () => false,
  );
}

/** Plain payments to two gateways, many at a time, until there are so many. */
export async function load(scene: Scene, round: string, payments: number): Promise<void> {
  const { till, fleet, chance } = scene;
  const pair = await fleet.pair();
  let left = payments;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const gateway = chance.pick(pair);
      // A gateway that falls under load loses its callers their cards, not their money.
      const prepared = await drawOperation(chance)
        .prepare({ till, gateway, round, chance })
        .catch(() => null);
      await prepared?.(() => chance.pick(pair));
    }
  };
  await Promise.all(Array.from({ length: Math.min(CALLERS, payments) }, caller));
}

const CALLERS = 32;
