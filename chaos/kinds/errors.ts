import type { Chance } from '../chance.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import { drain, nextRound, payMany } from '../rounds.ts';
import { countStrike, type Kind } from './kind.ts';

/**
 * No space on the disk, no memory, a constraint, a configured limit: what a commit may fail by, and
 * the connection stays.
 */
const CODES = ['53100', '53200', '23514', '53400'] as const;
const FUNCTION = `create or replace function faults_raise() returns trigger language plpgsql as $$
  begin
    if random() < tg_argv[1]::float8 then
      raise exception 'raised by the faults' using errcode = tg_argv[0];
    end if;
    return new;
  end $$`;

const EVENTS = ['insert', 'update', 'insert or update'] as const;

export type BrokenCommits = { readonly what: string; mend(): Promise<void> };

/** From now on writes of one of these tables fail, by an error that says nothing of a lost connection. */
export async function breakCommits(
  bench: ChaosBench,
  chance: Chance,
  tables: readonly string[],
  share = 1,
): Promise<BrokenCommits> {
  const table = chance.pick(tables);
  const code = chance.pick(CODES);
  const event = chance.pick(EVENTS);
  await bench.query(FUNCTION);
  // A lock that somebody holds is waited for; the name is new each time, should an earlier answer
  // have been lost.
  await bench.query(`create or replace trigger faults_error before ${event} on ${table}
    for each row execute function faults_raise('${code}', '${share}')`);
  return {
    what: `${code} at ${event} of ${table}`,
    mend: async () => void (await bench.query(`drop trigger if exists faults_error on ${table}`)),
  };
}

const SHARES = [0.1, 0.5, 1] as const;
const LOAD = 20;
const SHORTEST_MILLISECONDS = 300;
const LONGEST_MILLISECONDS = 2_500;

/** `load`: operations beside each batch, where there are any. */
export function commitErrors(load = LOAD): Kind {
  return {
    name: 'errors',
    about: 'writes that PostgreSQL refuses (no room, no memory, a constraint), on a connection that stays',
    share: 4,
    async run(scene, times, tally) {
      const { bench, chance, reach } = scene;
      for (let round = 1; round <= times; round += 1) {
        const name = `${scene.name}.${round}`;
        const { victim, witness, batch } = await nextRound(scene, name);
        const broken = await breakCommits(bench, chance, reach.tables, chance.pick(SHARES));
        const sending = Promise.all([
          batch.send(victim, witness),
          load > 0 ? payMany(scene, name, load) : Promise.resolve(),
        ]);
        await new Promise((wake) =>
          setTimeout(wake, chance.whole(SHORTEST_MILLISECONDS, LONGEST_MILLISECONDS)),
        );
        await broken.mend();
        await sending;
        countStrike(tally, broken.what);
        scene.note(`${name} ${broken.what}`);
      }
      await drain(scene);
    },
  };
}
