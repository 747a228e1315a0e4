import { ATTACKS } from './attacks.ts';
import { Means, type Tally, type Target } from './means.ts';

/** The process of an attacker: does what it is asked to by its parent, reports, and ends with it. */
export type Order = { readonly attack: string; readonly target: Target };

const REPORT_MILLISECONDS = 100;

const stopping = new AbortController();
process.once('disconnect', () => process.exit());
process.on('message', (order: Order | 'stop') => {
  if (order === 'stop') stopping.abort();
  else void attack(order);
});

async function attack({ attack: name, target }: Order): Promise<void> {
  const wanted = ATTACKS.find((one) => one.name === name);
  if (wanted === undefined) throw new Error(`there is no attack ${name}`);
  const means = new Means(target, stopping.signal);
  const report = (tally: Tally) => process.connected && process.send?.(tally);
  const reporting = setInterval(() => report(means.tally), REPORT_MILLISECONDS);
  void wanted.run(means).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
  await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }));
  clearInterval(reporting);
  // Connections and answers that are still awaited end with the process.
  process.send?.(means.tally, () => process.exit());
}
