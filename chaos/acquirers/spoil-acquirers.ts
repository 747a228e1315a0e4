import type { Chance } from '../chance.ts';
import type { ChaosAcquirer, ChaosBench } from '../chaos-bench.ts';
import { ESTABLISHMENT } from './sales-books.ts';

/** What an acquirer may do of its own to a request of each kind. */
const OPERATIONS = ['authorize', 'authorize', 'capture', 'refund', 'find', 'token'] as const;
const FAULTS = [
  ...['silent', 'closed', 'unavailable', 'unauthorized', 'booksButSilent', 'booksButClosed'],
  ...['booksButUnavailable', 'late', 'garbage'],
];
const STEPS = 24;
/** Less than what the services are told that a lost request may take. */
const LONGEST_COPY_MILLISECONDS = 1_500;

/** A script for the next requests of both; `share` of its steps do something. */
export async function spoilAcquirers(bench: ChaosBench, chance: Chance, share: number): Promise<void> {
  for (const acquirer of bench.acquirers) {
    const steps = Array.from({ length: STEPS }, () => {
      const on = chance.pick(OPERATIONS);
      return chance.isIn(share) ? { on, ...drawStep(chance, on) } : { on };
    });
    await writeScript(acquirer, share === 0 ? [] : steps);
  }
}

export async function clearScripts(bench: ChaosBench): Promise<void> {
  for (const acquirer of bench.acquirers) await writeScript(acquirer, []).catch(() => {});
}

async function writeScript({ url, name }: ChaosAcquirer, steps: readonly object[]): Promise<void> {
  const body = JSON.stringify({ merchantId: ESTABLISHMENT, steps });
  const answer = await fetch(`${url}/simulator/script`, { method: 'POST', body });
  await answer.text();
  if (answer.status !== 200) throw new Error(`the script of ${name} was answered ${answer.status}`);
}

function drawStep(chance: Chance, on: (typeof OPERATIONS)[number]): object {
  const step: Record<string, unknown> = {};
  if (chance.isIn(0.7)) step.fault = chance.pick(FAULTS);
  else if (on === 'authorize' && chance.isIn(0.3)) step.outcome = 'declined';
  if (chance.isIn(0.3)) step.delayMilliseconds = chance.whole(1, 900);
  if (on === 'authorize' && chance.isIn(0.3)) {
    step.copies = chance.whole(1, 2);
    step.copiesAfterMilliseconds = chance.whole(1, LONGEST_COPY_MILLISECONDS);
  }
  if (on === 'authorize' && chance.isIn(0.15))
    step.doubt = {
      ...{ status: chance.pick(['0', '12']), becomes: chance.pick(['confirmed', 'declined']) },
      afterMilliseconds: chance.whole(1, LONGEST_COPY_MILLISECONDS),
    };
  if (on === 'refund' && chance.isIn(0.3))
    step.pending = { afterMilliseconds: chance.whole(1, 1_500), fails: chance.isIn(0.5) };
  return step;
}
