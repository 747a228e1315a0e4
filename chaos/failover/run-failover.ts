import { chanceFrom } from '../chance.ts';
import { type ChaosBench, openChaosBench } from '../chaos-bench.ts';
import { type Fleet, type Gateway, startGateway } from '../gateways.ts';
import type { LedgerPlace } from '../judge/ledger-view.ts';
import { wait } from '../operations/operation.ts';
import { chargingSuite } from '../recurrence/charging-suite.ts';
import { again } from '../recurrence/patience.ts';
import { nextChargingRound, usualSettings } from '../recurrence/rounds.ts';
import { addResult, emptyResult, type KindResult, WHOLE_RUN } from '../results.ts';
import { drain, leaveUnderWay, PAYMENT_REACH, payOne, prepareBatch, type Scene } from '../rounds.ts';
import { PAYMENT_SUITE } from '../suite.ts';
import { notifiedSuite } from '../webhooks/notified-suite.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { findingsOf, type StrikeResult } from './findings.ts';
import { FAILOVER_OPERATIONS } from './operations.ts';
import type { Strike } from './strikes.ts';
import { TimedTill } from './timed-till.ts';

export type FailoverOptions = {
  readonly strikes: readonly Strike[];
  /** Strikes in all, in turns. */
  readonly times: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly say: (line: string) => void;
};

export type FailoverReport = {
  readonly results: readonly StrikeResult[];
  /** Of payments and of deliveries. */
  readonly counts: KindResult;
  readonly charges: KindResult;
  readonly violations: readonly string[];
};

const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Paid before a strike, so that there is something under way, and behind it. */
const CALM_MILLISECONDS = 4_000;
const BACK_MILLISECONDS = 120_000;
const LOOK_MILLISECONDS = 20;
/** Books are compared, and what was compared is forgotten. */
const STRIKES_BETWEEN_LOOKS = 4;
/** What waits for the end of a failover; where a machine is slower than its buyers no more is begun. */
const MOST_SECONDS_UNDER_WAY = 40;

type Stage = {
  readonly options: FailoverOptions;
  readonly bench: ChaosBench;
  readonly cluster: Cluster;
  readonly gateways: readonly [Gateway, Gateway];
  readonly till: TimedTill;
  readonly suites: { readonly notified: Suite; readonly charging: Suite };
  readonly counts: KindResult;
  readonly charges: KindResult;
  /** Where in the ledger begins what was not compared yet. */
  readonly place: LedgerPlace;
};
type Suite = typeof PAYMENT_SUITE;

/** What must be ended, however far it came. */
type Opened = {
  readonly gateways: Gateway[];
  closeCluster: () => Promise<void>;
  cluster?: Cluster;
  bench?: ChaosBench;
};

/** Strikes the primary again and again while merchants pay, billings fall due and systems are notified. */
export async function runFailover(options: FailoverOptions): Promise<FailoverReport> {
  const { seed, say } = options;
  const opened: Opened = { gateways: [], closeCluster: async () => {} };
  const close = async () => {
    await Promise.all(opened.gateways.map((gateway) => gateway.kill()));
    await opened.bench?.close();
    await opened.closeCluster();
  };
  // What was begun are processes of their own: they must not outlive a run that a person stops.
  const stop = () => void close().finally(() => process.exit(130));
  for (const signal of STOPS) process.once(signal, stop);
  try {
    const bench = await openChaosBench(seed, {
      hasSystems: true,
      openServer: async (root) => {
        opened.cluster = await openCluster(root, (closeCluster) => {
          opened.closeCluster = closeCluster;
        });
        return serverOf(opened.cluster);
      },
    });
    opened.bench = bench;
    const cluster = opened.cluster as Cluster;
    say(`a cluster of ${cluster.nodes.length}, seed ${seed}`);
    const byProxy = await startGateway(bench, { settings: cluster.settings.byProxy });
    opened.gateways.push(byProxy);
    const byHosts = await startGateway(bench, { settings: cluster.settings.byHosts });
    opened.gateways.push(byHosts);
    return await strikeOn({
      ...{ options, bench, cluster, gateways: [byProxy, byHosts] },
      till: new TimedTill(bench),
      suites: { notified: notifiedSuite(), charging: chargingSuite({ billings: 0 }) },
      counts: emptyResult(WHOLE_RUN, ''),
      charges: emptyResult(WHOLE_RUN, ''),
      place: { after: 0 },
    });
  } finally {
    for (const signal of STOPS) process.off(signal, stop);
    await close();
  }
}

/** The server of the bench, which is never asked for by itself. */
function serverOf(cluster: Cluster) {
  const stop = () => cluster.close();
  const server = {
    connection: cluster.address,
    processId: 0,
    place: '',
    stop,
    exited: new Promise<string>(() => {}),
  };
  return { address: cluster.address, current: () => server, hasEnded: () => false, restart: async () => {} };
}

async function strikeOn(stage: Stage): Promise<FailoverReport> {
  const { options, suites, counts, charges } = stage;
  const results: StrikeResult[] = [];
  const violations: string[] = [];
  const first = sceneOf(stage, 'first');
  await PAYMENT_SUITE.prepare(first);
  // Services that have just come up on a busy machine cut what takes too long.
  await again(() => suites.notified.prepare(first));
  await again(() => suites.charging.prepare(first));
  for (let struck = 0; struck < options.times; ) {
    const part = `part-${results.length / STRIKES_BETWEEN_LOOKS + 1}`;
    const scene = sceneOf(stage, part);
    let isOver = false;
    const paying = payAtPace(scene, part, options.perSecond, () => isOver);
    try {
      for (let look = 0; look < STRIKES_BETWEEN_LOOKS && struck < options.times; look += 1, struck += 1) {
        const strike = options.strikes[struck % options.strikes.length] as Strike;
        const result = await strikeOnce(stage, scene, strike, `${part}.${struck + 1}`);
        results.push(result);
        violations.push(...findingsOf(result));
      }
      await wait(CALM_MILLISECONDS);
    } finally {
      isOver = true;
      await paying;
    }
    await drain(scene);
    violations.push(...(await compare(stage, scene, part)));
  }
  for (const suite of [PAYMENT_SUITE, suites.notified]) {
    for (const { invariant, reference, text } of await suite.checkDatabase(stage.bench))
      violations.push(`${invariant}: ${reference}: ${text}`);
  }
  const last = emptyResult('', '');
  await suites.charging.resolveAndCheck({ ...first, name: '' }, last, '', { after: 0 });
  addResult(charges, last);
  violations.push(...last.violations);
  return { results, counts, charges, violations };
}

function sceneOf({ bench, till, gateways, options }: Stage, name: string): Scene {
  const chance = chanceFrom(options.seed).fork(name);
  return {
    bench,
    till,
    fleet: fleetOf(gateways),
    operations: FAILOVER_OPERATIONS,
    chance,
    name,
    note: () => {},
    underWay: new Set(),
    load: { isHeld: false },
    memory: new Map(),
    faultsOfKind: 0,
    prepareBatch,
    reach: PAYMENT_REACH,
  };
}

/** Both live through all of it. */
export function fleetOf(gateways: readonly [Gateway, Gateway]): Fleet {
  return {
    pair: async () => [...gateways],
    all: () => gateways,
    any: async (chance) => chance.pick(gateways),
    start: async () => false,
    clear: async () => {},
    close: async () => {},
  };
}

/** As buyers come, who know nothing of each other: whether answers come or not. */
export async function payAtPace(
  scene: Scene,
  round: string,
  perSecond: number,
  isOver: () => boolean,
): Promise<void> {
  const startedAt = performance.now();
  for (let begun = 0; !isOver(); ) {
    for (; begun < ((performance.now() - startedAt) * perSecond) / 1_000; begun += 1) {
      if (scene.underWay.size >= perSecond * MOST_SECONDS_UNDER_WAY) continue;
      const chance = scene.chance.fork(`${round}.${begun}`);
      // What cannot be made ready now, as a card token while the database is away, is not paid.
      leaveUnderWay(
        scene,
        payOne(scene, round, chance).catch(() => {}),
      );
    }
    await wait(LOOK_MILLISECONDS / 4);
  }
}

async function strikeOnce(stage: Stage, scene: Scene, strike: Strike, name: string): Promise<StrikeResult> {
  const { cluster, till, gateways, options } = stage;
  const { primary, standby } = await cluster.untilWhole();
  const due = usualSettings(scene.chance.fork(name));
  const { batch, victim, witness } = await nextChargingRound(scene, name, { ...due, days: due.days || 31 });
  await wait(CALM_MILLISECONDS);
  till.begin();
  leaveUnderWay(scene, batch.send(victim, witness));
  const struckAt = performance.now();
  await strike.strike(cluster, primary, standby);
  await untilBack(stage, struckAt);
  strike.mend(primary);
  const { primary: successor } = await cluster.untilWhole();
  const wholeMilliseconds = performance.now() - struckAt;
  // What a former primary breaks when it wakes is the strike's too.
  await wait(CALM_MILLISECONDS);
  await untilAcknowledged(stage);
  const away = gateways.map(({ name: gateway }) => till.longestPauseOf(gateway)) as [number, number];
  const result = { strike, away, wholeMilliseconds, struck: primary.name, successor: successor.name };
  options.say(`${name} ${strike.name} of ${primary.name}: ${textOf(result)}`);
  return result;
}

/** Until both services have acknowledged something behind the strike, and go on doing so. */
async function untilBack({ gateways, till }: Stage, struckAt: number): Promise<void> {
  const endsAt = struckAt + BACK_MILLISECONDS;
  // What was under way at the strike may still be acknowledged: the pause comes behind it.
  for (;;) {
    await wait(LOOK_MILLISECONDS);
    const now = performance.now();
    if (now > endsAt) return;
    const paused = gateways.every(({ name }) => till.longestPauseOf(name) > SHORTEST_PAUSE_MILLISECONDS);
    if (areBack(gateways, till, now) && (paused || now - struckAt > LONGEST_UNNOTICED_MILLISECONDS)) return;
  }
}

/** Until both services acknowledge; a pause that does not end counts as long as it was waited for. */
async function untilAcknowledged({ gateways, till }: Stage): Promise<void> {
  const endsAt = performance.now() + BACK_MILLISECONDS;
  for (let now = performance.now(); now < endsAt && !areBack(gateways, till, now); ) {
    await wait(LOOK_MILLISECONDS);
    now = performance.now();
  }
}

const areBack = (gateways: readonly Gateway[], till: TimedTill, now: number) =>
  gateways.every(({ name }) => now - (till.lastOf(name) ?? 0) < SHORTEST_PAUSE_MILLISECONDS);

/** Without a strike no service is silent for so long at fifty payments a second. */
const SHORTEST_PAUSE_MILLISECONDS = 1_000;
/** A strike that nobody noticed by then is over. */
const LONGEST_UNNOTICED_MILLISECONDS = 45_000;

function textOf({ away, wholeMilliseconds }: StrikeResult): string {
  const [byProxy, byHosts] = away.map((milliseconds) => (milliseconds / 1_000).toFixed(1));
  return `writes away ${byProxy} s by HAProxy, ${byHosts} s by several hosts, whole after ${Math.round(wholeMilliseconds / 1_000)} s`;
}

/** All that the judges of payments, of deliveries and of billings see, and forget then. */
async function compare({ suites, till, bench, counts, charges, place }: Stage, scene: Scene, part: string) {
  const [paid, notified, charged] = [emptyResult(part, ''), emptyResult(part, ''), emptyResult(part, '')];
  await PAYMENT_SUITE.resolveAndCheck(scene, paid, part, place);
  await suites.notified.resolveAndCheck(scene, notified, part, place);
  await suites.charging.resolveAndCheck(scene, charged, part, place);
  addResult(counts, { ...paid, deliveries: notified.deliveries, repeated: notified.repeated });
  addResult(charges, charged);
  till.release();
  bench.cancelSpoiler.forget();
  return [...paid.violations, ...notified.violations, ...charged.violations];
}
