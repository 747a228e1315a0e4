import { type Books, readBooks, threeViews } from './books.ts';
import { chanceFrom } from './chance.ts';
import { type FaultHouse, openFaultHouse } from './fault-house.ts';
import { openFleet } from './gateways.ts';
import { checkBooks, DATABASE_INVARIANTS, type Finding } from './invariants.ts';
import { mountSmallDisk, type SmallDisk } from './kinds/disk.ts';
import type { Kind, Tally } from './kinds/kind.ts';
import { awaitSettled, load, type Scene } from './rounds.ts';
import { Till } from './till.ts';

export type SuiteOptions = {
  readonly kinds: readonly Kind[];
  /** Faults in all, shared among the kinds. */
  readonly kills: number;
  readonly seed: number;
  /** Payments in all; what the faults themselves do not make is paid between them. */
  readonly payments: number;
  readonly say: (line: string) => void;
  /** Every round is said. */
  readonly isVerbose: boolean;
  /** When the books are compared: after each kind, every few faults until something is found, or once at the end. */
  readonly looks: 'eachKind' | 'untilCaught' | 'atEnd';
};

/** One line of the table. */
export type KindResult = Tally & {
  readonly name: string;
  readonly about: string;
  payments: number;
  approved: number;
  refused: number;
  failed: number;
  lost: number;
  /** Of the lost: charged all the same, as asking tells. */
  lostButCharged: number;
  seconds: number;
  readonly violations: string[];
};

const MOST_VIOLATIONS_SHOWN = 10;
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the kinds one after another, and compares the three books after each and at the end. */
export async function runSuite(options: SuiteOptions): Promise<KindResult[]> {
  const { kinds, say, seed } = options;
  say(`seed ${seed}, ${options.kills} faults, ${kinds.map((kind) => kind.name).join(' ')}`);
  const results = await runInHouse(
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
    results.push(...(await runInHouse(options, [kind], disk)));
  }
  return results;
}

async function runInHouse(
  options: SuiteOptions,
  kinds: readonly Kind[],
  disk: SmallDisk | null,
): Promise<KindResult[]> {
  if (kinds.length === 0) return [];
  const house = await openFaultHouse(disk?.folder ?? null);
  const till = new Till(house);
  const fleet = openFleet(house);
  const close = async () => {
    await fleet.close();
    await house.close();
    await disk?.unmount();
  };
  // Gateways and PostgreSQL are processes of their own: they must not outlive a run that a person stops.
  const stop = () => void close().finally(() => process.exit(130));
  for (const signal of STOPS) process.once(signal, stop);
  const results: KindResult[] = [];
  try {
    for (const part of partsOf(options, kinds)) {
      const note = options.isVerbose ? options.say : () => {};
      const chance = chanceFrom(options.seed).fork(part.name);
      const result = await runPart(options, { house, fleet, till, chance, name: part.name, note }, part);
      results.push(result);
      options.say(lineOf(result));
      // At once, not only at the end of hours.
      for (const violation of result.violations)
        options.say(`VIOLATION (seed ${options.seed}) ${result.name}: ${violation}`);
      if (options.looks === 'untilCaught' && result.violations.length > 0) break;
    }
    if (results.length > 1 || options.looks === 'atEnd') {
      const note = () => {};
      const chance = chanceFrom(options.seed);
      results.push(await checkWhole({ house, fleet, till, chance, name: '', note }, results));
    }
    return results;
  } finally {
    for (const signal of STOPS) process.off(signal, stop);
    await close();
  }
}

/** A kind with its faults and its payments; looked at by itself. */
type Part = { readonly name: string; readonly kind: Kind; readonly times: number; readonly payments: number };

const FAULTS_BETWEEN_LOOKS = 8;

/** One part a kind; where the first finding ends the run, many small ones. */
function partsOf(options: SuiteOptions, kinds: readonly Kind[]): Part[] {
  const shares = options.kinds.reduce((sum, { share }) => sum + share, 0);
  return kinds.flatMap((kind) => {
    const times = Math.max(1, Math.round((options.kills * kind.share) / shares));
    const payments = (options.payments * kind.share) / shares;
    const count = options.looks === 'untilCaught' ? Math.ceil(times / FAULTS_BETWEEN_LOOKS) : 1;
    return Array.from({ length: count }, (_, index) => ({
      name: count === 1 ? kind.name : `${kind.name}-${index + 1}`,
      kind,
      times: Math.ceil(times / count),
      payments: payments / count,
    }));
  });
}

async function runPart(options: SuiteOptions, scene: Scene, part: Part): Promise<KindResult> {
  const { name, kind, times } = part;
  const startedAt = performance.now();
  const result = emptyResult(name, kind.about);
  let wanted = part.payments;
  const first = scene.till.entries.length;
  const perRound = wanted / times;
  let loads = 0;
  const afterRound = async () => {
    loads += 1;
    const due = Math.round(perRound * loads) - (scene.till.entries.length - first);
    if (due > 0) await load(scene, `${name}.load${loads}`, due);
  };
  await kind.run(scene, times, result, afterRound);
  wanted -= scene.till.entries.length - first;
  if (wanted > 0 && result.refusal === null) await load(scene, `${name}.last`, Math.round(wanted));
  if (options.looks === 'atEnd')
    countAnswers(await readBooks(scene.house, scene.till.entries, `${name}.`), result);
  else await settleAndCheck(scene, result, `${name}.`);
  result.seconds = Math.round((performance.now() - startedAt) / 1_000);
  return result;
}

async function settleAndCheck(scene: Scene, result: KindResult, rounds: string): Promise<void> {
  const { house, till, fleet } = scene;
  // Somebody must be there to settle.
  await fleet.pair();
  await awaitSettled(house, rounds);
  const books = await readBooks(house, till.entries, rounds);
  const findings = [...checkBooks(books), ...(await checkDatabase(house, rounds))];
  findings.push(...(await askForTheLost(scene, books, result)));
  countAnswers(books, result);
  await report(house, books, findings, result);
}

async function checkDatabase(house: FaultHouse, rounds: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, broken } of DATABASE_INVARIANTS) {
    const rows = await house.query(
      `select reference_transaction as reference, told from (${broken}) as broken where starts_with(reference_transaction, $1)`,
      [rounds],
    );
    for (const row of rows)
      findings.push({ invariant: name, reference: row.reference as string, text: row.told as string });
  }
  return findings;
}

const ASKED_AT_ONCE = 16;

/** Who lost the connection asks: what we say must be what the acquirer has. */
async function askForTheLost(scene: Scene, books: Books, result: KindResult): Promise<Finding[]> {
  const findings: Finding[] = [];
  const [gateway] = await scene.fleet.pair();
  const lost = books.entries.filter((entry) => entry.status === null);
  const askOne = async (reference: string) => {
    const row = books.transactionsOf.get(reference)?.[0];
    const isLive = (books.chargesOf.get(reference) ?? []).some((charge) => charge.status === 'approved');
    if (isLive) result.lostButCharged += 1;
    const told = row === undefined ? null : await scene.till.ask(gateway, row.merchantId, row.transactionId);
    if ((told === 'Autorizada') === isLive) return;
    const text = `asked, we say ${told}; ${isLive ? 'a' : 'no'} charge is live`;
    findings.push({ invariant: 'asking tells the truth', reference, text });
  };
  for (let index = 0; index < lost.length; index += ASKED_AT_ONCE) {
    await Promise.all(lost.slice(index, index + ASKED_AT_ONCE).map((entry) => askOne(entry.reference)));
  }
  return findings;
}

/** Once more over everything: what a later fault did to an earlier payment. */
async function checkWhole(scene: Scene, parts: readonly KindResult[]): Promise<KindResult> {
  const result = emptyResult('whole run', 'all books once more at the end');
  for (const { faults, seconds } of parts) {
    result.faults += faults;
    result.seconds += seconds;
  }
  await settleAndCheck(scene, result, '');
  return result;
}

function countAnswers(books: Books, result: KindResult): void {
  for (const { status } of books.entries) {
    result.payments += 1;
    if (status === null) result.lost += 1;
    else if (status === 200) result.approved += 1;
    else if (status < 500) result.refused += 1;
    else result.failed += 1;
  }
}

async function report(
  house: FaultHouse,
  books: Books,
  findings: readonly Finding[],
  result: KindResult,
): Promise<void> {
  for (const [index, { invariant, reference, text }] of findings.entries()) {
    const views = index < MOST_VIOLATIONS_SHOWN ? `\n${await threeViews(house, books, reference)}` : '';
    result.violations.push(`${invariant}: ${reference}: ${text}${views}`);
  }
}

function emptyResult(name: string, about: string): KindResult {
  const counts = { payments: 0, approved: 0, refused: 0, failed: 0, lost: 0, lostButCharged: 0, seconds: 0 };
  return { name, about, faults: 0, struck: new Map(), refusal: null, ...counts, violations: [] };
}

export const TABLE_HEAD = [
  '| kind | faults | payments | 200 | 4xx | 5xx | lost | of these charged | violations | seconds |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];

export function lineOf(result: KindResult): string {
  if (result.refusal !== null) return `| ${result.name} | not possible here: ${result.refusal} |`;
  const { faults, payments, approved, refused, failed, lost, lostButCharged, violations, seconds } = result;
  const cells = [
    faults,
    payments,
    approved,
    refused,
    failed,
    lost,
    lostButCharged,
    violations.length,
    seconds,
  ];
  return `| ${result.name} | ${cells.join(' | ')} |`;
}
