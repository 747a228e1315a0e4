import { type Conditions, openFleet } from '../gateways.ts';
import { drain, nextRound, type Scene } from '../rounds.ts';
import { countStrike, type Kind, type Tally } from './kind.ts';
import { strikeAt } from './steps.ts';

/** Of a batch, roughly. */
const MOST_STEPS = 250;
const SHARE_UNDISTURBED = 0.3;
const SHARE_OF_KILLS = 0.6;

/** Kills, cuts and nothing at all, in turn, of services that something is about. */
async function strikeUnder(
  scene: Scene,
  times: number,
  tally: Tally,
  conditions: Conditions,
  size: number,
): Promise<void> {
  const { bench, chance } = scene;
  // PostgreSQL has not connections enough for both fleets.
  await scene.fleet.clear();
  const fleet = openFleet(bench, bench.address, size, conditions);
  const given = { ...scene, fleet };
  try {
    for (let round = 1; tally.faults < times && round <= 3 * times + 10; round += 1) {
      const name = `${scene.name}.${round}`;
      if (chance.isIn(SHARE_UNDISTURBED)) {
        const { victim, witness, batch } = await nextRound(given, name);
        await batch.send(victim, witness);
        countStrike(tally, 'batches');
        continue;
      }
      const action = chance.isIn(SHARE_OF_KILLS) ? 'kill' : 'cut';
      const { struck } = await strikeAt(given, name, action, chance.whole(1, MOST_STEPS));
      if (struck !== null) countStrike(tally, `${action} at ${struck}`);
    }
    await drain(scene);
  } finally {
    await fleet.close();
  }
}

/** A batch through two services: the third is on its way up when one dies. */
const FLEET = 3;

export const FRONTS: Kind = {
  name: 'fronts',
  about: 'a TLS proxy before each service, which answers 502 where the service gives no answer',
  share: 2,
  isAlone: true,
  run: (scene, times, tally) => strikeUnder(scene, times, tally, { isFronted: true }, FLEET),
};

const MINUTE_MILLISECONDS = 60_000;
/** As far as a machine goes whose clock nobody sets. */
const MOST_MINUTES = 4;

export const CLOCKS: Kind = {
  name: 'clocks',
  about: "services whose wall clocks are minutes off PostgreSQL's, and each other's",
  share: 2,
  isAlone: true,
  run: (scene, times, tally) => {
    const drawClock = () => scene.chance.whole(-MOST_MINUTES, MOST_MINUTES) * MINUTE_MILLISECONDS;
    return strikeUnder(scene, times, tally, { drawClock }, FLEET);
  },
};
