import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SETTINGS } from '../../src/app/settings.ts';
import { runParcela } from '../../test/installing/run-parcela.ts';
import { createTestDatabase, type TestDatabase } from '../../test/kit/database.ts';
import { keyFileIn } from '../../test/kit/keys.ts';
import { patiently } from '../../test/kit/patience.ts';
import { databaseSettings, databaseUrl, until } from '../../test/kit/service.ts';
import { type Chance, chanceFrom } from '../chance.ts';
import { type BenchServer, type ChaosBench, openChaosBench } from '../chaos-bench.ts';
import { type Fleet, type Gateway, startGateway } from '../gateways.ts';
import { type Calls, wait } from '../operations/operation.ts';
import { drawOperation } from '../operations/operations.ts';
import { chargingSuite } from '../recurrence/charging-suite.ts';
import { nextChargingRound, usualSettings } from '../recurrence/rounds.ts';
import { emptyResult, type KindResult } from '../results.ts';
import { drain, leaveUnderWay, PAYMENT_REACH, prepareBatch, type Scene } from '../rounds.ts';
import { PAYMENT_SUITE } from '../suite.ts';
import { notifiedSuite } from '../webhooks/notified-suite.ts';
import { TOLD_OPERATIONS } from '../webhooks/operations.ts';
import { type Release, unpackRelease } from './last-release.ts';
import { PatientTill } from './patient-till.ts';
import { shopsOfRelease } from './shops-of-release.ts';
import { unexplainedFailures } from './unexplained-failures.ts';

export type UpgradeOptions = {
  /** The version that is upgraded from. */
  readonly commit: string;
  readonly perSecond: number;
  /** How long each pair of versions, and each version alone, serves. */
  readonly phaseSeconds: number;
  readonly seed: number;
  readonly say: (line: string) => void;
};

export type UpgradeReport = {
  readonly paid: KindResult;
  readonly notified: KindResult;
  readonly charged: KindResult;
  /** Migrations of this version that the other one does not have. */
  readonly migrations: readonly string[];
  readonly migrateSeconds: number;
  /** Payments and cancels without an answer or with a 5xx that the acquirer does not explain. */
  readonly failures: readonly string[];
  /** How often a merchant was asked to come again: 503 with `Retry-After`, before anything is done. */
  readonly putOff: number;
  /** What the processes warned of. */
  readonly warnings: readonly string[];
  readonly violations: readonly string[];
};

type Version = 'old' | 'new';
/** Nothing breaks here: what fails must not be the machine's slowness while a process starts. */
const UNHURRIED = {
  PARCELA_LOG_LEVEL: 'warn',
  PARCELA_DRAIN_SECONDS: '3',
  PARCELA_REQUEST_DEADLINE_MILLISECONDS: String(Math.min(120_000, patiently(10_000))),
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: String(Math.min(60_000, patiently(3_000))),
};

/** What stands while versions come and go. */
type Stage = {
  readonly options: UpgradeOptions;
  readonly bench: ChaosBench;
  readonly database: TestDatabase;
  readonly release: Release;
  readonly live: Map<Version, Gateway>;
  readonly till: PatientTill;
  readonly chance: Chance;
  readonly started: Gateway[];
  /** What kept merchants from paying: a card that was not stored, a login that was refused. */
  readonly unprepared: string[];
};

/**
 * A database that the other version has made, under load: that version, this one's migrations, both
 * versions, this one, both, the other one again, and this one at last. Books are compared in the end.
 */
export async function runUpgrade(given: UpgradeOptions): Promise<UpgradeReport> {
  const startedAt = performance.now();
  const say = (line: string) =>
    given.say(`${Math.round((performance.now() - startedAt) / 1_000)} s: ${line}`);
  const options = { ...given, say };
  const closings: (() => Promise<unknown>)[] = [];
  try {
    const release = await unpackRelease(options.commit);
    closings.push(release.remove);
    const database = await createTestDatabase({ migrated: false });
    const bench = await openBench(options, release, database, closings);
    const live = new Map<Version, Gateway>();
    closings.push(() => Promise.all([...live.values()].map((gateway) => gateway.kill())));
    const chance = chanceFrom(options.seed);
    return await upgrade({
      options,
      bench,
      database,
      release,
      live,
      till: new PatientTill(bench, () => chance.pick([...live.values()])),
      chance,
      unprepared: [],
      started: [],
    });
  } finally {
    for (const close of closings.toReversed()) await close();
  }
}

async function openBench(
  { commit, seed, say }: UpgradeOptions,
  release: Release,
  database: TestDatabase,
  closings: (() => Promise<unknown>)[],
): Promise<ChaosBench> {
  const bench = await openChaosBench(seed, {
    hasSystems: true,
    openServer: async () => serverOf(database),
    openShops: ({ address, folder }) => {
      const settings = { ...databaseSettings(database), PARCELA_DATA_DIR: folder };
      return shopsOfRelease(release.folder, settings, {
        database: address.database,
        keyFile: keyFileIn(folder),
      });
    },
  });
  closings.push(bench.close);
  say(`${commit.slice(0, 12)} has made its database, seed ${seed}`);
  // Both versions are started with the same settings: those that the other one has too.
  const known = (await import(pathToFileURL(join(release.folder, 'src/app/settings.ts')).href)) as {
    SETTINGS: typeof SETTINGS;
  };
  const names = new Set(known.SETTINGS.map(({ name }) => name));
  const shared = Object.entries(bench.settings).filter(([name]) => names.has(name));
  return { ...bench, settings: Object.fromEntries(shared) };
}

/** The server of the test run, which nobody ends here. */
function serverOf(database: TestDatabase): BenchServer {
  const server = {
    connection: database.address,
    processId: 0,
    place: '',
    stop: database.drop,
    exited: new Promise<string>(() => {}),
  };
  return { address: database.address, current: () => server, hasEnded: () => false, restart: async () => {} };
}

/** As the role of a service, which owns nothing: only `parcela migrate` may migrate. */
async function start(
  { bench, database, release, live, started, options }: Stage,
  version: Version,
): Promise<Gateway> {
  const gateway = await startGateway(bench, {
    settings: { ...UNHURRIED, DATABASE_URL: databaseUrl(database.runtime) },
    ...(version === 'old' ? { main: join(release.folder, 'src/main.ts') } : {}),
  });
  live.set(version, gateway);
  started.push(gateway);
  options.say(`${version} serves`);
  return gateway;
}

/** SIGTERM, as its proxy sees it: nobody begins anything there any more. */
async function stop({ live, options }: Stage, version: Version): Promise<void> {
  const gateway = live.get(version);
  live.delete(version);
  gateway?.signal('SIGTERM');
  await gateway?.ended;
  options.say(`${version} has ended`);
}

async function migrateAsOwner({ bench, database, options }: Stage) {
  const startedAt = performance.now();
  const settings = { ...bench.settings, ...databaseSettings(database), PARCELA_DATA_DIR: bench.folder };
  const { code, printed, said } = await runParcela(['migrate', '--json'], settings);
  if (code !== 0) throw new Error(`parcela migrate ended with ${code}: ${said}`);
  const { applied } = JSON.parse(printed) as { applied: string[] };
  const seconds = (performance.now() - startedAt) / 1_000;
  options.say(`migrated in ${seconds.toFixed(1)} s: ${applied.join(', ') || 'nothing was pending'}`);
  return { applied, seconds };
}

async function upgrade(stage: Stage): Promise<UpgradeReport> {
  const { live, till, options, bench } = stage;
  const suites = { notified: notifiedSuite(), charging: chargingSuite({ billings: 0 }) };
  const scene = sceneOf(stage);
  await start(stage, 'old');
  await suites.notified.prepare(scene);
  let isOver = false;
  const paying = payAtPace(stage, scene, () => isOver);
  const serve = async (name: string) => {
    const before = answeredWell(till);
    if (CHARGED.has(name)) await chargeRound(scene, name);
    await wait(options.phaseSeconds * 1_000);
    // However slow the machine is, those that serve have sold something and given something back.
    await until(
      `${name}: payments are approved`,
      async () => answeredWell(till).paid > before.paid,
      PHASE_MILLISECONDS,
    );
    const isLast = name === 'again';
    if (isLast)
      await until(
        'something was given back',
        async () => answeredWell(till).givenBack > 0,
        PHASE_MILLISECONDS,
      );
    options.say(`${name}: ${till.count} payments so far, served by ${[...live.keys()].join(' and ')}`);
  };
  let migrated: Awaited<ReturnType<typeof migrateAsOwner>>;
  try {
    await serve('before');
    migrated = await migrateAsOwner(stage);
    // It opens the keys as this version does, which makes those that its migrations allow.
    await suites.charging.prepare(scene);
    await start(stage, 'new');
    await serve('together');
    await stop(stage, 'old');
    await serve('forward');
    await start(stage, 'old');
    await stop(stage, 'new');
    await serve('back');
    await start(stage, 'new');
    await stop(stage, 'old');
    await serve('again');
  } finally {
    isOver = true;
    await paying;
  }
  await drain(scene);
  const failures = [...stage.unprepared, ...unexplainedFailures(till)];
  const [paid, notified, charged] = ['payments', 'deliveries', 'charges'].map((name) =>
    emptyResult(name, ''),
  ) as [KindResult, KindResult, KindResult];
  const place = { after: 0 };
  await PAYMENT_SUITE.resolveAndCheck(scene, paid, PART, place);
  await suites.notified.resolveAndCheck(scene, notified, PART, place);
  await suites.charging.resolveAndCheck({ ...scene, name: '' }, charged, '', place);
  const violations = [...paid.violations, ...notified.violations, ...charged.violations];
  for (const suite of [PAYMENT_SUITE, suites.notified])
    for (const { invariant, reference, text } of await suite.checkDatabase(bench))
      violations.push(`${invariant}: ${reference}: ${text}`);
  const { applied: migrations, seconds: migrateSeconds } = migrated;
  const warnings = stage.started.flatMap(({ name, log }) => log.map((line) => `${name}: ${line}`));
  const { putOff } = till;
  return { paid, notified, charged, migrations, migrateSeconds, failures, putOff, warnings, violations };
}

function answeredWell({ payments, cancels }: PatientTill) {
  const count = (asked: readonly { readonly status: number | null }[]) =>
    asked.filter(({ status }) => status === 200).length;
  return { paid: count(payments), givenBack: count(cancels) };
}

const PHASE_MILLISECONDS = 60_000;
const PART = 'upgrade';
/** Where billings fall due: with the old version, with both, and with the old one on the new schema. */
const CHARGED = new Set(['together', 'back']);

function sceneOf({ bench, till, chance, live }: Stage): Scene {
  return {
    ...{ bench, till, name: PART, operations: TOLD_OPERATIONS, chance: chance.fork(PART) },
    fleet: fleetOf(live),
    note: () => {},
    underWay: new Set(),
    load: { isHeld: false },
    memory: new Map(),
    faultsOfKind: 0,
    prepareBatch,
    reach: PAYMENT_REACH,
  };
}

function fleetOf(live: ReadonlyMap<Version, Gateway>): Fleet {
  const all = () => [...live.values()];
  return {
    pair: async () => [all()[0] as Gateway, all().at(-1) as Gateway],
    all,
    any: async (chance) => chance.pick(all()),
    start: async () => false,
    clear: async () => {},
    close: async () => {},
  };
}

/** A merchant whose billings fall due; its clock arrives before any process is stopped. */
async function chargeRound(scene: Scene, name: string): Promise<void> {
  const chance = scene.chance.fork(name);
  const round = `${PART}.${name}`;
  const { batch, victim, witness } = await nextChargingRound(scene, round, {
    ...usualSettings(chance),
    ...{ days: 31, spoiled: 0 },
  });
  await batch.send(victim, witness);
}

const LOOK_MILLISECONDS = 20;
/** On a slow machine fewer come: what fails must not be the crowd. */
const MOST_UNDER_WAY = 12;

/** As buyers come; each call goes to a process that serves at that moment, as a proxy sends it. */
async function payAtPace(
  { options, live, till, unprepared }: Stage,
  scene: Scene,
  isOver: () => boolean,
): Promise<void> {
  const { perSecond } = options;
  const startedAt = performance.now();
  let underWay = 0;
  for (let begun = 0; !isOver(); ) {
    for (; begun < ((performance.now() - startedAt) * perSecond) / 1_000; begun += 1) {
      if (underWay >= MOST_UNDER_WAY) continue;
      underWay += 1;
      const chance = scene.chance.fork(`${PART}.${begun}`);
      const to = () => chance.pick([...live.values()]);
      const calls: Calls = { to, again: async () => to(), later: (after) => leaveUnderWay(scene, after()) };
      const operation = drawOperation(scene.operations, chance);
      const paying = async () => {
        const send = await operation.prepare({ till, gateway: to(), round: PART, chance });
        await send(calls);
      };
      leaveUnderWay(
        scene,
        paying()
          .catch((error) => void unprepared.push(String(error)))
          .finally(() => {
            underWay -= 1;
          }),
      );
    }
    await wait(LOOK_MILLISECONDS);
  }
}
