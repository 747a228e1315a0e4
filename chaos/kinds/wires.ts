import { until } from '../../test/kit/service.ts';
import { type CuttingProxy, openCuttingProxy } from '../../test/kit/wire-cutter.ts';
import type { Chance } from '../chance.ts';
import { openFleet } from '../gateways.ts';
import { drain, leaveUnderWay, nextRound, type Scene } from '../rounds.ts';
import { countStrike, type Kind } from './kind.ts';
import { holdTable } from './locks.ts';
import { COMMITS, statementNames, wordOf } from './statements.ts';

const MODES = ['before it arrives', 'exactly at its commit', 'silence after it', 'while it waits'] as const;
/** No message has this text: it takes the place of a fault that did not strike. */
const NOBODY = 'no message has this text';
/** Long enough for the service to look or to try again before the lost statement goes on. */
const HELD_MILLISECONDS = 300;
/** A statement of the settling comes after the answers. */
const WATCH_MILLISECONDS = 2_500;
/** In every batch: of these it is certain that a silence has struck, which nobody sees. */
const ALWAYS = ['transactions.commit_intents', 'transactions.commit_outcomes'] as const;

export const WIRES: Kind = {
  name: 'wires',
  about: 'the connection to the database cut before a statement, exactly at its commit, or while it waits',
  share: 4,
  isAlone: true,
  async run(scene, times, tally) {
    const { bench, chance, reach } = scene;
    // PostgreSQL has not connections enough for both fleets.
    await scene.fleet.clear();
    const proxy = await openCuttingProxy(bench.address);
    const fleet = openFleet(bench, proxy.address);
    const names = statementNames(reach.rooms);
    const ofMoney = [...names.filter((name) => reach.ofMoney.test(name)), ...COMMITS];
    try {
      for (let round = 1; tally.faults < times && round <= 3 * times + 20; round += 1) {
        const { victim, witness, batch } = await nextRound({ ...scene, fleet }, `${scene.name}.${round}`);
        const mode = chance.pick(MODES);
        const wanted = chance.pick(chance.isIn(0.7) ? ofMoney : names);
        const name = mode === 'silence after it' ? chance.pick(ALWAYS) : wanted;
        const isStruck = await strike(scene, proxy, mode, name, chance, () => {
          const sending = batch.send(victim, witness);
          leaveUnderWay(scene, sending);
          return sending;
        });
        if (isStruck) countStrike(tally, mode === 'while it waits' ? mode : `${mode}: ${wordOf(name)}`);
        scene.note(`${batch.round} ${mode} ${wordOf(name)}: ${isStruck ? 'cut' : 'did not occur'}`);
        proxy.cutBefore(NOBODY);
      }
      await drain(scene);
    } finally {
      await fleet.close();
      await proxy.close();
    }
  },
};

async function strike(
  { bench, reach }: Scene,
  proxy: CuttingProxy,
  mode: (typeof MODES)[number],
  name: string,
  chance: Chance,
  send: () => Promise<void>,
): Promise<boolean> {
  if (mode === 'while it waits') {
    const held = await holdTable(bench, chance.pick(reach.tables));
    const sending = send();
    const waiting = await held.waiting();
    await proxy.goAway();
    await proxy.comeBack();
    await wait(HELD_MILLISECONDS);
    await held.release();
    await Promise.race([sending, wait(WATCH_MILLISECONDS)]);
    return waiting.length > 0;
  }
  const { cuts } = proxy;
  if (mode === 'before it arrives') proxy.cutBefore(name);
  else if (mode === 'exactly at its commit') proxy.cutAfter(name);
  else proxy.silenceAfter(name);
  const sending = send();
  // A silence is not visible: the first of these statements is met at once.
  if (mode === 'silence after it') {
    await Promise.race([sending, wait(WATCH_MILLISECONDS / 2)]);
    return true;
  }
  return until('the connection is cut', async () => proxy.cuts > cuts, WATCH_MILLISECONDS).catch(() => false);
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds));
}
