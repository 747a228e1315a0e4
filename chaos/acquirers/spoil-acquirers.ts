import type { Chance } from '../chance.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { ChaosAcquirer } from '../chaos-simulators.ts';
import { ESTABLISHMENT } from './sales-books.ts';

/** What an acquirer may do of its own to a request of each kind. */
const OPERATIONS = ['authorize', 'authorize', 'check', 'capture', 'refund', 'find', 'token'] as const;
type Operation = (typeof OPERATIONS)[number];
/** Before anything was done, and after it. */
const FAULTS = [
  ...['silent', 'closed', 'unavailable', 'unauthorized', 'booksButSilent', 'booksButClosed'],
  ...['booksButUnavailable', 'booksButCut', 'late', 'garbage'],
];
/**
 * Codes that each acquirer answers without doing anything, and those that it answers although it did it. The
 * second prove nothing; among the first are some that prove that nothing was done. None of them is what the
 * simulator itself says to a refund of more than is left.
 */
const CODES: Readonly<
  Record<
    ChaosAcquirer['name'],
    Partial<Record<Operation, { undone: readonly string[]; done: readonly string[] }>>
  >
> = {
  rede: {
    authorize: { undone: ['898', '25', '1018', '150', '42', '74'], done: ['150', '56', '899'] },
    capture: { undone: ['150', '899', '49', '171', '173', '355'], done: ['150', '899', '49', '171', '173'] },
    refund: { undone: ['150', '351', '354', '371', '373', '899'], done: ['150', '899'] },
    find: { undone: ['78', '150'], done: [] },
  },
  cielo: {
    authorize: { undone: ['101', '129', '0', '302'], done: ['0', '302'] },
    // Its look-ups lag: a code that they contradict alone is looked up twice.
    capture: {
      undone: ['307', '308', '842', '843', '98', '999', '0'],
      done: ['98', '307', '841', '999', '0'],
    },
    refund: {
      undone: ['42', '56', '57', '98', '99', '102', '312', '476'],
      done: ['10', '57', '98'],
    },
  },
};
/** As they are read. */
export const SCRIPTED_NOS: ReadonlySet<string> = new Set(
  (['rede', 'cielo'] as const).flatMap((name) => {
    const who = name === 'rede' ? 'Rede' : 'Cielo';
    return (CODES[name].refund?.undone ?? []).map((code) => `${who} answered ${code}`);
  }),
);
const STEPS = 24;
/** With what comes before it less than the services are told that a lost request may take. */
const LONGEST_COPY_MILLISECONDS = 600;
const SHARE_OF_EXPIRED_TOKENS = 0.3;

/** A script for the next requests of both; `share` of its steps do something. */
export async function spoilAcquirers(bench: ChaosBench, chance: Chance, share: number): Promise<void> {
  for (const acquirer of bench.acquirers) {
    const steps = Array.from({ length: STEPS }, () => {
      const on = chance.pick(OPERATIONS);
      return chance.isIn(share) ? { on, ...drawStep(chance, acquirer, on) } : { on };
    });
    await writeScript(acquirer, share === 0 ? [] : steps);
    if (acquirer.name === 'rede' && share > 0 && chance.isIn(SHARE_OF_EXPIRED_TOKENS))
      await tell(acquirer, 'tokens/expire', { merchantId: ESTABLISHMENT });
  }
}

/** It refuses every authorization by a code that proves that nothing was charged. */
export async function refuseAll(acquirer: ChaosAcquirer): Promise<void> {
  const returnCode = CODES[acquirer.name].authorize?.undone[0];
  const steps = Array.from({ length: MOST_REFUSALS }, () => ({ on: 'authorize', returnCode }));
  await writeScript(acquirer, steps);
}

const MOST_REFUSALS = 400;

export async function clearScripts(bench: ChaosBench): Promise<void> {
  for (const acquirer of bench.acquirers) await writeScript(acquirer, []).catch(() => {});
}

function writeScript(acquirer: ChaosAcquirer, steps: readonly object[]): Promise<void> {
  return tell(acquirer, 'script', { merchantId: ESTABLISHMENT, steps });
}

/** Tells the desk of a simulator something; it may be on its way up. */
export async function tell({ url, name }: ChaosAcquirer, what: string, told: object): Promise<void> {
  const answer = await fetch(`${url}/simulator/${what}`, { method: 'POST', body: JSON.stringify(told) });
  await answer.text();
  if (answer.status !== 200) throw new Error(`${what} of ${name} was answered ${answer.status}`);
}

/**
 * A request whose answer is heard arrives once: whoever repeats it on its way has had no answer. A twin
 * behind a clear answer is seen in the acquirer's file alone.
 */
function drawStep(chance: Chance, { name }: ChaosAcquirer, on: Operation): object {
  const step: Record<string, unknown> = {};
  const codes = CODES[name][on];
  if (chance.isIn(0.3)) step.delayMilliseconds = chance.whole(1, 900);
  if (codes !== undefined && chance.isIn(0.3)) {
    const books = codes.done.length > 0 && chance.isIn(0.5);
    return { ...step, returnCode: chance.pick(books ? codes.done : codes.undone), books };
  }
  if (on === 'find' && chance.isIn(0.2)) return { ...step, fault: 'notFound' };
  if (on === 'authorize' && name === 'cielo' && chance.isIn(0.2)) return { ...step, ...drawDoubt(chance) };
  if (on === 'refund' && chance.isIn(0.3)) {
    // Cielo tells of none that fails: such a one is for a person.
    const fails = name === 'rede' && chance.isIn(0.5);
    step.pending = { afterMilliseconds: chance.whole(1, 1_500), fails };
    if (chance.isIn(0.5)) return step;
  }
  if (on === 'authorize' && chance.isIn(0.2)) return { ...step, outcome: 'declined' };
  step.fault = chance.pick(FAULTS);
  const isHeard = step.fault === 'late';
  return on === 'authorize' && !isHeard && chance.isIn(0.4) ? { ...step, ...drawCopies(chance) } : step;
}

function drawCopies(chance: Chance): object {
  return {
    copies: chance.whole(1, 2),
    copiesAfterMilliseconds: chance.whole(1, LONGEST_COPY_MILLISECONDS),
  };
}

/** Status 0 or 12, and what comes of it. */
function drawDoubt(chance: Chance): object {
  const doubt = {
    ...{ status: chance.pick(['0', '12']), becomes: chance.pick(['confirmed', 'denied', 'voided']) },
    afterMilliseconds: chance.whole(1, 1_500),
  };
  return chance.isIn(0.5) ? { doubt, ...drawCopies(chance) } : { doubt };
}
