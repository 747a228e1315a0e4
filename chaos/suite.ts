import { chanceFrom } from './chance.ts';
import { awaitChanges } from './changes-home.ts';
import { type ChaosBench, openChaosBench } from './chaos-bench.ts';
import { openFleet } from './gateways.ts';
import { askForTheLost } from './judge/ask-for-the-lost.ts';
import type { Finding } from './judge/finding.ts';
import { changesSince, type Fingerprints, fingerprintsOf } from './judge/fingerprints.ts';
import { checkBooks } from './judge/judge.ts';
import { type LedgerPlace, readBooks, threeViews } from './judge/ledger-view.ts';
import { compareTakenBack } from './judge/of-changes.ts';
import { checkDatabase } from './judge/of-database.ts';
import { mountSmallDisk, type SmallDisk } from './kinds/disk.ts';
import type { Kind } from './kinds/kind.ts';
import { Till } from './merchant-client.ts';
import type { Operation } from './operations/operation.ts';
import { OPERATIONS } from './operations/operations.ts';
import { addResult, countAnswers, emptyResult, type KindResult, lineOf, WHOLE_RUN } from './results.ts';
import { awaitResolved, drain, load, PAYMENT_REACH, prepareBatch, type Reach, type Scene } from './rounds.ts';

/** What is done and what is compared; benches, fleets and kinds of fault are the same for all. */
export type Suite = {
  /** What merchants do; the first is the plainest. */
  readonly operations: readonly Operation[];
  /** The merchants have systems that are notified. */
  readonly hasSystems: boolean;
  /** The services have a bank. */
  readonly hasBank?: boolean;
  /** The services have a bank of Pix. */
  readonly hasPixBank?: boolean;
  /** There are Rede and Cielo. */
  readonly hasAcquirers?: boolean;
  /** Called once in each bench, when services are up. */
  prepare(stage: Stage): Promise<void>;
  /**
   * Waits until nothing of these rounds is under way, compares, and writes counts and findings into
   * the result.
   */
  resolveAndCheck(scene: Scene, result: KindResult, rounds: string, place: LedgerPlace): Promise<void>;
  /** What the database alone shows, over everything. */
  checkDatabase(bench: ChaosBench): Promise<Finding[]>;
  /** Where its rounds are not batches of its operations. */
  readonly prepareBatch?: Scene['prepareBatch'];
  /** Where the faults of the database strike elsewhere than under payments. */
  readonly reach?: Reach;
  /** It looks at everything once more itself in the end: no fingerprints are kept. */
  readonly hasOwnLastLook?: boolean;
  /** What the columns of its table are called, where they count something else. */
  readonly head?: readonly string[];
};

export type SuiteOptions = {
  readonly suite: Suite;
  readonly kinds: readonly Kind[];
  /**
   * Shared among the kinds that kill; the others strike beside them in proportion, or so often when
   * nothing kills.
   */
  readonly kills: number;
  readonly seed: number;
  /** Payments in all; what the faults themselves do not make is paid between them. */
  readonly payments: number;
  readonly say: (line: string) => void;
  /** Every round is said. */
  readonly isVerbose: boolean;
  /**
   * When the books are compared: after each kind, every few faults until something is found, or
   * once at the end.
   */
  readonly looks: 'eachKind' | 'untilCaught' | 'atEnd';
  /** Services on the one database. */
  readonly processes?: number;
};

const MOST_VIOLATIONS_SHOWN = 10;
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the kinds one after another, and compares the three books after each and at the end. */
export async function runSuite(options: SuiteOptions): Promise<KindResult[]> {
  const { kinds, say, seed } = options;
  say(`seed ${seed}, ${options.kills} kills, ${kinds.map((kind) => kind.name).join(' ')}`);
  const results = await runOnBench(
    options,
    kinds.filter((kind) => !kind.needsSmallDisk),
    null,
  );
  for (const kind of kinds.filter((candidate) => candidate.needsSmallDisk)) {
    if (options.looks === 'untilCaught' && results.some((result) => result.violations.length > 0)) break;
    const disk = await mountSmallDisk();
    if (typeof disk === 'string') {
      results.push({ ...emptyResult(kind.name, kind.about), refusal: disk });
      continue;
    }
    results.push(...(await runOnBench(options, [kind], disk)));
  }
  return results;
}

async function runOnBench(
  options: SuiteOptions,
  kinds: readonly Kind[],
  disk: SmallDisk | null,
): Promise<KindResult[]> {
  if (kinds.length === 0) return [];
  const { suite, seed, processes } = options;
  const databaseFolder = disk?.folder ?? null;
  const bench = await openChaosBench(seed, {
    ...{ databaseFolder, hasSystems: suite.hasSystems, hasBank: suite.hasBank ?? false },
    ...{ hasPixBank: suite.hasPixBank ?? false, hasAcquirers: suite.hasAcquirers ?? false },
  });
  const till = new Till(bench);
  const fleet = openFleet(bench, bench.address, processes);
  const close = async () => {
    await fleet.close();
    await bench.close();
    await disk?.unmount();
  };
  // Gateways and PostgreSQL are processes of their own: they must not outlive a run that a person stops.
  const stop = () => void close().finally(() => process.exit(130));
  for (const signal of STOPS) process.once(signal, stop);
  try {
    await suite.prepare({ bench, till, fleet });
    return await runParts(options, kinds, { bench, till, fleet });
  } finally {
    for (const signal of STOPS) process.off(signal, stop);
    await close();
  }
}

export type Stage = Pick<Scene, 'bench' | 'till' | 'fleet'>;

/** What was compared and forgotten: how it was, and where in the ledger the rest begins. */
type Compared = { readonly prints: Fingerprints; readonly place: LedgerPlace };

async function runParts(options: SuiteOptions, kinds: readonly Kind[], stage: Stage): Promise<KindResult[]> {
  const results = new Map<string, KindResult>();
  const compared: Compared = { prints: new Map(), place: { after: 0 } };
  const memory = new Map<string, number>();
  for (const part of partsOf(options, kinds)) {
    const scene = sceneOf(options, stage, part, memory);
    const result = await runPart(options, scene, part, compared);
    const { name, about } = part.kind;
    addResult(
      results.getOrInsertComputed(name, () => emptyResult(name, about)),
      result,
    );
    options.say(lineOf(result));
    // At once, not only at the end of hours.
    for (const violation of result.violations)
      options.say(`VIOLATION (seed ${options.seed}) ${result.name}: ${violation}`);
    if (options.looks === 'untilCaught' && result.violations.length > 0) break;
  }
  const parts = [...results.values()];
  return [...parts, await checkWhole(options, stage, parts, compared)];
}

/** A kind, or some of its faults and payments; looked at by itself. */
type Part = {
  readonly name: string;
  readonly kind: Kind;
  readonly times: number;
  readonly payments: number;
  readonly faultsOfKind: number;
};

const FAULTS_BETWEEN_LOOKS = 8;
const FEW_PAYMENTS = 30;
/** What is held in memory until the books are compared. */
const PAYMENTS_BETWEEN_LOOKS = 10_000;

function partsOf(options: SuiteOptions, kinds: readonly Kind[]): Part[] {
  const sharesOf = (some: readonly Kind[]) => some.reduce((sum, { share }) => sum + share, 0);
  const killing = options.kinds.filter((kind) => kind.isKilling);
  const shares = sharesOf(killing.length > 0 ? killing : options.kinds);
  return kinds.flatMap((kind) => {
    const times = Math.max(1, Math.round((options.kills * kind.share) / shares));
    const payments = (options.payments * kind.share) / sharesOf(options.kinds);
    const count = {
      untilCaught: Math.ceil(times / FAULTS_BETWEEN_LOOKS),
      eachKind: Math.max(1, Math.ceil(payments / PAYMENTS_BETWEEN_LOOKS)),
      atEnd: 1,
    }[options.looks];
    return Array.from({ length: count }, (_, index) => ({
      name: count === 1 ? kind.name : `${kind.name}-${index + 1}`,
      kind,
      times: Math.ceil(times / count),
      payments: payments / count,
      faultsOfKind: times,
    }));
  });
}

function sceneOf(options: SuiteOptions, stage: Stage, part: Part, memory: Map<string, number>): Scene {
  return {
    ...stage,
    operations: options.suite.operations,
    chance: chanceFrom(options.seed).fork(part.name),
    name: part.name,
    note: options.isVerbose ? options.say : () => {},
    underWay: new Set(),
    load: { isHeld: false },
    memory,
    faultsOfKind: part.faultsOfKind,
    prepareBatch: options.suite.prepareBatch ?? prepareBatch,
    reach: options.suite.reach ?? PAYMENT_REACH,
  };
}

async function runPart(
  options: SuiteOptions,
  scene: Scene,
  part: Part,
  compared: Compared,
): Promise<KindResult> {
  const { till, name } = scene;
  const startedAt = performance.now();
  const result = emptyResult(name, part.kind.about);
  const first = till.count;
  let isStriking = true;
  // Beside the faults and in step with them, so that a process that comes up is not all that
  // happens; what is left at the
  // end is paid then.
  const due = () => {
    const share = isStriking ? Math.min(1, (result.faults + 1) / part.times) : 1;
    return part.payments * share - (till.count - first);
  };
  scene.load.isHeld = part.kind.isAlone ?? false;
  const paying = load(scene, `${name}.load`, due, () => !isStriking);
  try {
    await part.kind.run(scene, part.times, result);
  } finally {
    isStriking = false;
    scene.load.isHeld = false;
    await paying;
  }
  await drain(scene);
  if (options.looks === 'atEnd') countAnswers(await readBooks(scene.bench, till, `${name}.`), result);
  else await compareAndForget(options.suite, scene, result, `${name}.`, compared);
  result.seconds = (performance.now() - startedAt) / 1_000;
  return result;
}

async function compareAndForget(
  suite: Suite,
  scene: Scene,
  result: KindResult,
  rounds: string,
  { prints, place }: Compared,
): Promise<void> {
  const { after } = place;
  await suite.resolveAndCheck(scene, result, rounds, place);
  if (!suite.hasOwnLastLook) {
    for (const [round, print] of await fingerprintsOf(scene.bench, rounds, after)) prints.set(round, print);
  }
  scene.till.release();
  scene.bench.cancelSpoiler.forget();
}

/** A service that never approves breaks no promise, and proves nothing. */
export function neverApproved({ payments, approved }: KindResult, rounds: string): Finding[] {
  if (payments < FEW_PAYMENTS || approved > 0) return [];
  return [{ invariant: 'some payments are approved', reference: rounds, text: 'not one was' }];
}

async function resolveAndCheck(
  scene: Scene,
  result: KindResult,
  rounds: string,
  place: LedgerPlace,
): Promise<void> {
  const { bench, till, fleet } = scene;
  // Somebody must be there to settle.
  await fleet.pair();
  await awaitResolved(bench, rounds);
  const lost = till.events.filter(({ status }) => status === null || status >= 500);
  await awaitChanges(bench, new Set(lost.map(({ merchantId }) => merchantId)));
  await awaitResolved(bench, rounds);
  const books = await readBooks(bench, till, rounds, place);
  const findings = [...checkBooks(books), ...(await checkDatabase(bench, rounds))];
  findings.push(...(await askForTheLost(scene, books, result)));
  findings.push(...(await compareTakenBack(scene, books)));
  countAnswers(books, result);
  findings.push(...neverApproved(result, rounds));
  await report(findings, result, (reference) => threeViews(bench, books, reference));
}

export const PAYMENT_SUITE: Suite = {
  operations: OPERATIONS,
  hasSystems: false,
  prepare: async () => {},
  resolveAndCheck,
  checkDatabase: (bench) => checkDatabase(bench, ''),
};

/** Once more over everything: what a later fault did to an earlier payment. */
async function checkWhole(
  options: SuiteOptions,
  stage: Stage,
  parts: readonly KindResult[],
  { prints, place }: Compared,
): Promise<KindResult> {
  const result = emptyResult(WHOLE_RUN, 'all books once more at the end');
  const part = { name: '', kind: options.kinds[0] as Kind, times: 0, payments: 0, faultsOfKind: 0 };
  const scene = sceneOf(options, stage, part, new Map());
  if (options.looks === 'atEnd') await options.suite.resolveAndCheck(scene, result, '', place);
  for (const { name: _, violations: __, ...counts } of options.looks === 'atEnd' ? [] : parts)
    addResult(result, { ...counts, name: '', violations: [] });
  if (options.looks === 'atEnd') for (const { faults } of parts) result.faults += faults;
  else {
    const findings = await options.suite.checkDatabase(stage.bench);
    if (!options.suite.hasOwnLastLook)
      findings.push(...changesSince(prints, await fingerprintsOf(stage.bench, '', 0)));
    for (const { invariant, reference, text } of findings)
      result.violations.push(`${invariant}: ${reference}: ${text}`);
  }
  return result;
}

/** The first findings with what everybody knows of them; empty: nothing. */
export async function report(
  findings: readonly Finding[],
  result: KindResult,
  viewsOf: (reference: string) => string | Promise<string> = () => '',
): Promise<void> {
  for (const [index, { invariant, reference, text }] of findings.entries()) {
    const views = index < MOST_VIOLATIONS_SHOWN ? await viewsOf(reference) : '';
    result.violations.push(`${invariant}: ${reference}: ${text}${views === '' ? '' : `\n${views}`}`);
  }
}
