import { spawn } from 'node:child_process';
import { programOf } from '../../src/platform/home.ts';
import { cleanEnvironment, until } from '../../test/kit/service.ts';
import { addressSettings, type ChaosBench } from '../chaos-bench.ts';
import { countStrike, type Kind } from '../kinds/kind.ts';
import { drain, leaveUnderWay, type Scene } from '../rounds.ts';
import { activateBlocked, chargeOneByHand, listed } from './merchant.ts';
import { awaitQuiet, nextChargingRound, type RoundSettings, shopOf, writeSteps } from './rounds.ts';

const SUBSCRIPTIONS = 10;
/** More than a merchant's charges of a round, those that are made again too. */
const SCRIPTED = 400;
/** Over what a checkout waits for the acquirer here, and under what a billing does. */
const SHORTEST_DELAY_MILLISECONDS = 600;
const LONGEST_DELAY_MILLISECONDS = 1_600;

/**
 * It answers everything, and takes its time to charge: every charge of the round, from the first to
 * the last.
 */
export const SLOW_ACQUIRER: Kind = {
  name: 'slow',
  about:
    'an acquirer that takes longer over a charge than a checkout waits, and answers everything else at once',
  share: 3,
  async run(scene, times, tally) {
    const { chance, bench } = scene;
    for (let round = 1; round <= times; round += 1) {
      const name = `${scene.name}.${round}`;
      const settings: RoundSettings = {
        ...{ subscriptions: SUBSCRIPTIONS, days: 0, isOneNight: false, spoiled: 0, things: 0 },
        // By real time: in a jump of a clock nobody has the patience of a night.
        ...{ isPlain: true, isDueNow: true, isAcquirerWell: true },
      };
      const { victim, witness, batch } = await nextChargingRound(scene, name, settings);
      const delayMilliseconds = chance.whole(SHORTEST_DELAY_MILLISECONDS, LONGEST_DELAY_MILLISECONDS);
      const steps = Array.from({ length: SCRIPTED }, () => ({ delayMilliseconds }));
      await writeSteps(bench, shopOf(scene, name), steps);
      const sending = batch.send(victim, witness);
      leaveUnderWay(scene, sending);
      countStrike(tally, 'rounds');
      scene.note(`${name} ${delayMilliseconds} ms a charge`);
    }
    await drain(scene);
  },
};

const MAIN = programOf('src/cli/parcela.ts');
const QUIET_MILLISECONDS = 60_000;
/** Fingerprints of a retired key are kept for 90 days. */
const AGE = `update data_keys set retired_at = retired_at - interval '91 days'
  where purpose = 'fingerprint' and retired_at is not null`;
const RETIRED = `select 1 from data_keys where purpose = 'fingerprint' and retired_at is not null`;

/** The key of fingerprints is rotated as an operator does, and 90 days go by for the one that was in use. */
export const KEY_ROTATIONS: Kind = {
  name: 'rotations',
  about: 'the key of fingerprints rotated and its 90 days gone by, behind cards that said never again',
  share: 0.5,
  async run(scene, times, tally) {
    const { chance, bench, fleet } = scene;
    for (let round = 1; round <= times; round += 1) {
      const name = `${scene.name}.${round}`;
      const settings: RoundSettings = {
        ...{ subscriptions: SUBSCRIPTIONS, days: chance.whole(13, 34), isOneNight: false, spoiled: 0 },
        ...{ things: 0, hasFinalNoes: true },
      };
      const { victim, witness, batch } = await nextChargingRound(scene, name, settings);
      const shop = shopOf(scene, name);
      const done = Promise.withResolvers<void>();
      shop.sleepers.push(done.promise);
      await batch.send(victim, witness);
      await awaitQuiet(scene, shop, QUIET_MILLISECONDS);
      await rotate(bench);
      await bench.query(AGE);
      // The next ones find it overdue as they come up, and the others follow within a second.
      await fleet.clear();
      await fleet.pair();
      const isGone = async () => (await bench.query(RETIRED)).length === 0;
      await until('the retired key is gone', isGone, QUIET_MILLISECONDS);
      await askAgain(scene, shop);
      done.resolve();
      countStrike(tally, 'rotated');
      scene.note(`${name} rotated`);
    }
    await drain(scene);
  },
};

/**
 * What was denied is asked for by hand, and who was blocked goes on, mostly with the card that was
 * canceled.
 */
async function askAgain(scene: Scene, shop: ReturnType<typeof shopOf>): Promise<void> {
  const { chance, fleet } = scene;
  const [gateway] = await fleet.pair();
  const ids = await listed(shop, gateway, 'billing?status=Denied').catch(() => []);
  for (const id of ids) await chargeOneByHand(shop, gateway, id);
  await activateBlocked(shop, gateway, chance);
}

function rotate(bench: ChaosBench): Promise<void> {
  const { PARCELA_KEY_FILE = '' } = bench.settings;
  const env = cleanEnvironment({ ...addressSettings(bench.address), PARCELA_KEY_FILE });
  const child = spawn(process.execPath, [...MAIN, 'key', 'rotate', '--kind', 'fingerprint'], {
    env: { ...env, PARCELA_DATA_DIR: bench.folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`the rotation ended with ${code}: ${said}`)),
    );
  });
}
