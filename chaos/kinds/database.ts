import { readFileSync } from 'node:fs';
import type { ChaosBench } from '../chaos-bench.ts';
import { awaitResolved, nextRound, payMany, type Scene } from '../rounds.ts';
import { countStrike, type Kind, type Tally } from './kind.ts';
import { holdTable } from './locks.ts';

/** Payments beside the batch, so that the fault meets many at every stage. */
const LOAD = 40;
const LONGEST_WAIT_MILLISECONDS = 150;
/** Over the service's own limit of a second for a lock. */
const LONG_LOCK_MILLISECONDS = 1_400;

/** Does it, and says what it was. */
export type Strike = (scene: Scene) => Promise<string>;

/** Sends a batch and some load, strikes meanwhile, and waits for the answers. */
async function strikeUnderLoad(scene: Scene, times: number, tally: Tally, strike: Strike): Promise<void> {
  for (let round = 1; round <= times; round += 1) {
    const name = `${scene.name}.${round}`;
    const { victim, witness, batch } = await nextRound(scene, name);
    const sending = Promise.all([batch.send(victim, witness), payMany(scene, name, LOAD)]);
    const what = await strike(scene);
    await sending;
    countStrike(tally, what);
    scene.note(`${name} ${what}`);
    // Now and then to the end, so that the next fault does not always meet the settling of this one.
    if (scene.chance.isIn(0.2)) await awaitResolved(scene.bench, `${name}.`);
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds));
}

const TERMINATE_ALL = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parcela'`;
const TERMINATE_ONE = 'select pg_terminate_backend($1)';

async function backends(bench: ChaosBench): Promise<number[]> {
  const rows = await bench.query(`select pid from pg_stat_activity where application_name = 'parcela'`);
  return rows.map((row) => row.pid as number);
}

export const TERMINATIONS: readonly Strike[] = [
  async ({ bench, chance }) => {
    await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
    await bench.query(TERMINATE_ALL);
    return 'all sessions';
  },
  async ({ bench, chance }) => {
    await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
    const pids = await backends(bench);
    if (pids.length > 0) await bench.query(TERMINATE_ONE, [chance.pick(pids)]);
    return 'one session';
  },
  async ({ bench, chance, reach }) => {
    const table = chance.pick(reach.tables);
    const held = await holdTable(bench, table);
    for (const pid of await held.waiting()) await bench.query(TERMINATE_ONE, [pid]);
    await held.release();
    return `sessions that wait for ${table}`;
  },
  async ({ bench, chance, reach }) => {
    const table = chance.pick(reach.tables);
    const held = await holdTable(bench, table);
    await held.waiting();
    await wait(LONG_LOCK_MILLISECONDS);
    await held.release();
    return `a lock on ${table} for too long`;
  },
  async ({ bench }) => {
    const taken = [];
    try {
      await bench.query(TERMINATE_ALL);
      // Everything that is free, until the server refuses: the service finds no connection left.
      for (let count = 0; count < 100; count += 1) taken.push(await bench.connect());
    } catch {
      await wait(LONG_LOCK_MILLISECONDS / 2);
    }
    await Promise.all(taken.map((client) => client.end()));
    return 'no connection left';
  },
];

export const TERMINATED_SESSIONS: Kind = {
  name: 'sessions',
  about: 'database sessions ended at random or chosen statements, locks held too long, no connection left',
  share: 4,
  run: (scene, times, tally) =>
    strikeUnderLoad(scene, times, tally, (given) => given.chance.pick(TERMINATIONS)(given)),
};

/** A process of ours to kill must be one of our server: its parent says so. */
function isOfServer(bench: ChaosBench, pid: number): boolean {
  try {
    const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(parent) === bench.server().processId;
  } catch {
    // Not Linux, or gone already.
    return process.platform !== 'linux';
  }
}

async function killBackends(bench: ChaosBench, pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    try {
      if (isOfServer(bench, pid)) process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself a moment ago.
    }
  }
}

export const CRASHES: readonly Strike[] = [
  async ({ bench, chance }) => {
    await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
    const pids = await backends(bench);
    if (pids.length > 0) await killBackends(bench, [chance.pick(pids)]);
    return 'a backend killed, the cluster starts again';
  },
  async ({ bench, chance, reach }) => {
    const held = await holdTable(bench, chance.pick(reach.tables));
    await killBackends(bench, (await held.waiting()).slice(0, 1));
    await held.release();
    return 'a backend killed in the middle of a commit';
  },
  async ({ bench, chance }) => {
    await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
    process.kill(bench.server().processId, 'SIGKILL');
    await bench.restartServer();
    return 'PostgreSQL killed and started';
  },
  async ({ bench, chance }) => {
    await wait(chance.next() * LONGEST_WAIT_MILLISECONDS);
    process.kill(bench.server().processId, 'SIGQUIT');
    await bench.restartServer();
    return 'PostgreSQL stopped at once and started';
  },
];

export const SERVER_CRASHES: Kind = {
  name: 'postgres',
  about: 'a backend of PostgreSQL or the whole server killed with -9 and started again',
  share: 3,
  isKilling: true,
  run: (scene, times, tally) =>
    strikeUnderLoad(scene, times, tally, (given) => given.chance.pick(CRASHES)(given)),
};
