import { DEADLINE_MILLISECONDS } from '../chaos-bench.ts';
import { openFleet } from '../gateways.ts';
import { openPartitionProxy } from '../partition-proxy.ts';
import { drain, leaveUnderWay, nextRound } from '../rounds.ts';
import { nextTurn } from './coverage.ts';
import { countStrike, type Kind } from './kind.ts';
import { onTheWire, wordOf, writingNames } from './statements.ts';

/** Longer than every deadline of a request, and what is kept back behind it. */
const AWAY_MILLISECONDS = DEADLINE_MILLISECONDS + 1_500;
/** A statement of the settling comes after the answers. */
const WATCH_MILLISECONDS = 2_500;

export const ABSENCES: Kind = {
  name: 'absences',
  about: 'PostgreSQL away or silent for longer than every deadline, from a statement on that writes',
  share: 2,
  isAlone: true,
  async run(scene, times, tally) {
    const { bench, chance, reach } = scene;
    // PostgreSQL has not connections enough for both fleets.
    await scene.fleet.clear();
    const writing = writingNames(reach.rooms).map(onTheWire);
    const proxy = await openPartitionProxy(bench.address, writing);
    const fleet = openFleet(bench, proxy.address, FLEET);
    const given = { ...scene, fleet, ...(reach.busyBatch ? { prepareBatch: reach.busyBatch } : {}) };
    try {
      for (let round = 1; tally.faults < times && round <= 3 * times + 10; round += 1) {
        const { victim, witness, batch } = await nextRound(given, `${scene.name}.${round}`);
        const known = writing.filter((name) => proxy.seen.has(name));
        const first = reach.mostWanted?.map(onTheWire) ?? [];
        const text = nextTurn(scene, 'absences', { known, first }) ?? chance.pick(writing);
        const isSilent = chance.isIn(0.5);
        // What is carried out and never answered is worth more than what never was.
        const isCarriedOut = first.includes(text) || chance.isIn(0.7);
        const parted = proxy.partAt(text, { isSilent, isCarriedOut }).then(() => true);
        const sending = batch.send(victim, witness);
        leaveUnderWay(scene, sending);
        const isStruck = await Promise.race([parted, sending.then(() => false), wait(WATCH_MILLISECONDS)]);
        if (isStruck === true) {
          await wait(AWAY_MILLISECONDS);
          const word = `${isSilent ? 'silent' : 'away'} ${isCarriedOut ? 'behind' : 'before'} ${wordOf(text)}`;
          countStrike(tally, word);
          scene.note(`${batch.round} ${word}`);
        }
        proxy.heal();
        await sending;
      }
      await drain(scene);
    } finally {
      await fleet.close();
      await proxy.close();
    }
  },
};

/** One that is struck and one that bears witness: all of them lose PostgreSQL at once. */
const FLEET = 2;

function wait(milliseconds: number): Promise<null> {
  return new Promise((wake) => setTimeout(() => wake(null), milliseconds));
}
