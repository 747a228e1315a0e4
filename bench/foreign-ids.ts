import { type ForeignPlace, foreignPlaces } from '../test/hostile/foreign/foreign-places.ts';
import { type HostileService, openHostileService } from '../test/hostile/hostile-service.ts';
import { startOwnServer } from '../test/hostile/own-server.ts';
import { hangUp, send } from '../test/hostile/wire.ts';

/** Of each kind and place. */
const SAMPLES = Number(process.env.SAMPLES ?? 500);
const WARM_UP = 30;
/** Beyond this the two differ by more than chance does once in a thousand times. */
const STRIKING_Z = 3.29;

/**
 * Whether time reveals what the answer does not: for every place in which something of another merchant's
 * can be named, the time of a foreign and of an unknown one, in turns, with medians and the rank test of
 * Mann and Whitney.
 */
export async function benchForeignIds(): Promise<void> {
  const stopServer = await startOwnServer();
  const bench = await openHostileService();
  try {
    console.log(`${SAMPLES} samples of each; |z| over ${STRIKING_Z} is marked`);
    for (const place of foreignPlaces()) {
      if (place.kind.is === 'names') await measure(bench, place);
    }
  } finally {
    hangUp();
    await bench.close();
    await stopServer();
  }
}

async function measure(bench: HostileService, place: ForeignPlace): Promise<void> {
  const theirs = await place.kind.live(bench.bob, place.endpoint);
  const foreign: number[] = [];
  const unknown: number[] = [];
  for (let round = -WARM_UP; round < SAMPLES; round += 1) {
    // Which of the two comes first changes at random: what the first leaves warm would help the second.
    const isForeignFirst = Math.random() < 0.5;
    for (const isForeign of [isForeignFirst, !isForeignFirst]) {
      const milliseconds = await timeOf(
        bench,
        place,
        isForeign ? theirs : await place.kind.unowned(bench.alice),
      );
      if (round >= 0) (isForeign ? foreign : unknown).push(milliseconds);
    }
  }
  const z = rankTest(foreign, unknown);
  const mark = Math.abs(z) > STRIKING_Z ? '  <-- differs' : '';
  const shown = [foreign, unknown].map((times) => median(times).toFixed(3));
  console.log(`foreign ${shown[0]} ms, unknown ${shown[1]} ms, z ${z.toFixed(2)}  ${place.name}${mark}`);
}

async function timeOf(bench: HostileService, place: ForeignPlace, value: string): Promise<number> {
  const request = await place.request(bench.alice, value);
  const startedAt = performance.now();
  await send(bench.gatewayUrl, request);
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * Mann and Whitney's U of the first against the second, as a standard normal: positive when the
 * first is slower.
 */
function rankTest(first: readonly number[], second: readonly number[]): number {
  const all = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false })),
  ].sort((one, other) => one.value - other.value);
  let ranks = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (all[end]?.value === all[start]?.value) end += 1;
    // Equal values share the mean of their ranks.
    const rank = (start + 1 + end) / 2;
    ranks += rank * all.slice(start, end).filter(({ isFirst }) => isFirst).length;
    start = end;
  }
  const u = ranks - (first.length * (first.length + 1)) / 2;
  const product = first.length * second.length;
  return (u - product / 2) / Math.sqrt((product * (all.length + 1)) / 12);
}
