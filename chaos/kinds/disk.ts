import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChaosBench } from '../chaos-bench.ts';
import { nextRound, payMany } from '../rounds.ts';
import { countStrike, type Kind } from './kind.ts';

/** Space for a new cluster and some segments of its log. */
const SIZE = '300m';
const PIECE = Buffer.alloc(1024 * 1024, 'x');
const SEGMENTS_TO_SWITCH = 12;
const LOAD = 150;

export type SmallDisk = { readonly folder: string; unmount(): Promise<void> };

/** A file system of its own in memory, or the reason why there can be none. */
export async function mountSmallDisk(): Promise<SmallDisk | string> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-small-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=711`, 'tmpfs', folder]);
  if (mounted.status !== 0) {
    await rm(folder, { recursive: true });
    return `no file system can be mounted (${String(mounted.stderr ?? mounted.error).trim()})`;
  }
  await chmod(folder, 0o711);
  return {
    folder,
    unmount: async () => {
      spawnSync('umount', [folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Takes what is left of the disk, down to the last bytes. */
async function fill(file: string): Promise<void> {
  const handle = await open(file, 'w');
  for (let piece = PIECE; piece.length > 0; ) {
    const written = await handle.write(piece).catch(() => null);
    if (written === null) piece = piece.subarray(0, Math.floor(piece.length / 2));
  }
  await handle.close();
}

/** The log of PostgreSQL keeps segments for later: they are used up, so that the next one finds no space. */
async function useUpSegments(bench: ChaosBench): Promise<void> {
  const client = await bench.connect().catch(() => null);
  if (client === null) return;
  try {
    for (let count = 0; count < SEGMENTS_TO_SWITCH; count += 1) {
      await client.query("select pg_logical_emit_message(true, 'faults', 'x'), pg_switch_wal()");
    }
  } catch {
    // The server has come to a stop: that is what was wanted.
  }
  await client.end().catch(() => {});
}

export const FULL_DISKS: Kind = {
  name: 'disk',
  about: 'the disk of PostgreSQL full, for its tables or for its log, and free again',
  share: 0.5,
  needsSmallDisk: true,
  async run(scene, times, tally) {
    const { bench, chance } = scene;
    for (let round = 1; round <= times; round += 1) {
      const name = `${scene.name}.${round}`;
      const { victim, witness, batch } = await nextRound(scene, name);
      // Pages with free space: a full disk stops a table where it grows, and some payments still pass.
      const pay = () => (scene.operations.length === 0 ? Promise.resolve() : payMany(scene, name, LOAD));
      await pay();
      const filler = join(bench.databaseFolder, 'filler');
      const isForLog = chance.isIn(0.5);
      const sending = Promise.all([batch.send(victim, witness), pay()]);
      await fill(filler);
      if (isForLog) await useUpSegments(bench);
      await sending;
      await rm(filler);
      // A server that found no space while it recovered has ended; an operator starts it again.
      if (bench.hasServerEnded()) await bench.restartServer();
      await bench.query('select 1');
      const what = isForLog ? 'no room for the log' : 'no room for tables';
      countStrike(tally, what);
      scene.note(`${name} ${what}`);
    }
  },
};
