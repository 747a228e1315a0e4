import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../src/platform/home.ts';
import { cleanEnvironment } from '../../test/kit/service.ts';
import { chanceFrom } from '../chance.ts';
import { addressSettings, type ChaosBench, openChaosBench } from '../chaos-bench.ts';
import { fleetOf, payAtPace } from '../failover/run-failover.ts';
import { type Gateway, startGateway } from '../gateways.ts';
import type { LedgerPlace } from '../judge/ledger-view.ts';
import { callGateway, Till } from '../merchant-client.ts';
import { wait } from '../operations/operation.ts';
import { chargingSuite } from '../recurrence/charging-suite.ts';
import { again } from '../recurrence/patience.ts';
import { nextChargingRound } from '../recurrence/rounds.ts';
import { addResult, emptyResult, type KindResult, WHOLE_RUN } from '../results.ts';
import { drain, leaveUnderWay, PAYMENT_REACH, prepareBatch, type Scene } from '../rounds.ts';
import { PAYMENT_SUITE } from '../suite.ts';
import { notifiedSuite } from '../webhooks/notified-suite.ts';
import { errorFindings, trendFindings } from './judge.ts';
import { SOAK_OPERATIONS } from './operations.ts';
import { readWindow, type Window } from './readings.ts';

export type SoakOptions = {
  readonly minutes: number;
  /** Payments a second; cancels, changes, deliveries, billings and reads come beside them. */
  readonly perSecond: number;
  readonly seed: number;
  /** Whether what grows is judged: a short run says nothing of it. */
  readonly judgesTrends: boolean;
  readonly say: (line: string) => void;
};

export type SoakReport = {
  readonly windows: readonly Window[];
  /** Of payments and of deliveries. */
  readonly counts: KindResult;
  readonly charges: KindResult;
  readonly violations: readonly string[];
};

const COLLECTOR = fileURLToPath(new URL('collect-garbage.ts', import.meta.url));
const PROGRAM = programOf('src/cli/parcela.ts');
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Times as production has them: an acquirer that is slow on a busy machine is no error. */
const SETTINGS = {
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '8000',
  PARCELA_REQUEST_DEADLINE_MILLISECONDS: '15000',
  PARCELA_BILLING_ACQUIRER_TIMEOUT_MILLISECONDS: '30000',
  NODE_OPTIONS: `--import=${COLLECTOR}`,
};
/** Books are compared, and what was compared is forgotten: the run itself must not grow either. */
const LONGEST_PART_MINUTES = 4;
const WINDOW_MILLISECONDS = 60_000;
const READ_MILLISECONDS = 250;
const VERIFY_MILLISECONDS = 300_000;
/** Subscriptions of each new merchant, and how far its clock is moved. */
const ROUND = { subscriptions: 8, days: 31, isOneNight: false, spoiled: 0 };

type Stage = {
  readonly options: SoakOptions;
  readonly bench: ChaosBench;
  readonly gateways: readonly [Gateway, Gateway];
  readonly till: Till;
  readonly suites: { readonly notified: typeof PAYMENT_SUITE; readonly charging: typeof PAYMENT_SUITE };
  readonly counts: KindResult;
  readonly charges: KindResult;
  readonly place: LedgerPlace;
  readonly startedAt: number;
};

/** Does for hours what a day does, breaks nothing, and looks what grows, errs or differs. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const gateways: Gateway[] = [];
  let bench: ChaosBench | null = null;
  const close = async () => {
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await bench?.close();
  };
  const stop = () => void close().finally(() => process.exit(130));
  for (const signal of STOPS) process.once(signal, stop);
  try {
    bench = await openChaosBench(options.seed, { hasSystems: true });
    const one = await startGateway(bench, { settings: SETTINGS });
    gateways.push(one);
    const other = await startGateway(bench, { settings: SETTINGS });
    gateways.push(other);
    return await soak({
      ...{ options, bench, gateways: [one, other], till: new Till(bench) },
      suites: { notified: notifiedSuite(), charging: chargingSuite({ billings: 0 }) },
      counts: emptyResult(WHOLE_RUN, ''),
      charges: emptyResult(WHOLE_RUN, ''),
      place: { after: 0 },
      startedAt: performance.now(),
    });
  } finally {
    for (const signal of STOPS) process.off(signal, stop);
    await close();
  }
}

async function soak(stage: Stage): Promise<SoakReport> {
  const { options, suites, bench, gateways, counts, charges } = stage;
  const windows: Window[] = [];
  const violations: string[] = [];
  const first = sceneOf(stage, 'first');
  await PAYMENT_SUITE.prepare(first);
  await again(() => suites.notified.prepare(first));
  await again(() => suites.charging.prepare(first));
  const parts = Math.max(1, Math.ceil(options.minutes / LONGEST_PART_MINUTES));
  for (let part = 1; part <= parts; part += 1) {
    const scene = sceneOf(stage, `part-${part}`);
    await soakPart(stage, scene, (options.minutes * 60_000) / parts, windows);
    await drain(scene);
    violations.push(...(await compare(stage, scene)));
    options.say(`part ${part} of ${parts}: ${counts.payments} payments, ${violations.length} violations`);
  }
  for (const suite of [PAYMENT_SUITE, suites.notified]) {
    for (const { invariant, reference, text } of await suite.checkDatabase(bench))
      violations.push(`${invariant}: ${reference}: ${text}`);
  }
  const last = emptyResult('', '');
  await suites.charging.resolveAndCheck({ ...first, name: '' }, last, '', { after: 0 });
  addResult(charges, last);
  violations.push(...last.violations);
  windows.push(await readWindow(bench, gateways, minuteOf(stage)));
  violations.push(
    ...(await verify(bench)),
    ...errorFindings(
      windows,
      gateways.map(({ log }) => log),
    ),
  );
  if (options.judgesTrends) violations.push(...trendFindings(windows));
  return { windows, counts, charges, violations };
}

const minuteOf = ({ startedAt }: Stage) => (performance.now() - startedAt) / 60_000;

/** Payments at their pace, reads beside them, and each minute a merchant whose billings fall due. */
async function soakPart(stage: Stage, scene: Scene, milliseconds: number, windows: Window[]): Promise<void> {
  const { options, bench, gateways } = stage;
  let isOver = false;
  const paying = payAtPace(scene, scene.name, options.perSecond, () => isOver);
  const reading = readOn(stage, scene, () => isOver);
  const endsAt = performance.now() + milliseconds;
  try {
    for (let round = 1; performance.now() < endsAt; round += 1) {
      const { batch, victim, witness } = await nextChargingRound(scene, `${scene.name}.${round}`, ROUND);
      leaveUnderWay(scene, batch.send(victim, witness));
      await wait(Math.max(0, Math.min(WINDOW_MILLISECONDS, endsAt - performance.now())));
      windows.push(await readWindow(bench, gateways, minuteOf(stage)));
    }
  } finally {
    isOver = true;
    await Promise.all([paying, reading]);
  }
}

/** As a desk reads: a search by reference. What is answered 5xx the services count themselves. */
async function readOn({ till }: Stage, scene: Scene, isOver: () => boolean): Promise<void> {
  const { bench, chance, fleet } = scene;
  while (!isOver()) {
    const shop = chance.pick(bench.shops);
    const gateway = await fleet.any(chance);
    const path = `/v1/payments?referenceTransaction=${scene.name}`;
    // A login that is refused for now is asked for again.
    const token = await till.login(shop, gateway).catch(() => null);
    if (token !== null) await callGateway(gateway.url, path, { token });
    await wait(READ_MILLISECONDS);
  }
}

function sceneOf({ bench, till, gateways, options }: Stage, name: string): Scene {
  return {
    ...{ bench, till, name, prepareBatch },
    fleet: fleetOf(gateways),
    operations: SOAK_OPERATIONS,
    chance: chanceFrom(options.seed).fork(name),
    note: () => {},
    underWay: new Set(),
    load: { isHeld: false },
    memory: new Map(),
    faultsOfKind: 0,
    reach: PAYMENT_REACH,
  };
}

/** All that the judges of payments, of deliveries and of billings see, and forget then. */
async function compare({ suites, till, bench, counts, charges, place }: Stage, scene: Scene) {
  const part = scene.name;
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

/** Books, movements, feed and ledger of every merchant, as `reconcile verify` compares them. */
async function verify(bench: ChaosBench): Promise<string[]> {
  const env = cleanEnvironment({
    ...bench.settings,
    ...addressSettings(bench.address),
    PARCELA_DATA_DIR: bench.folder,
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '8000',
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: '15000',
  });
  const words = [...PROGRAM, 'reconcile', 'verify'];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      words,
      { env, timeout: VERIFY_MILLISECONDS, maxBuffer: 1e8 },
      (error, printed, errors) =>
        resolve(error === null ? [] : [`nothing differs: reconcile verify:\n${printed}${errors}`]),
    );
  });
}
