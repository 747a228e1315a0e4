import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommandHere } from '../../test/kit/command.ts';
import { keyFileIn } from '../../test/kit/keys.ts';
import { patiently } from '../../test/kit/patience.ts';
import { until } from '../../test/kit/service.ts';
import { addressSettings, type ChaosBench } from '../chaos-bench.ts';
import { askForTheLost } from '../judge/ask-for-the-lost.ts';
import { checkBooks } from '../judge/judge.ts';
import { type Books, booksWith } from '../judge/ledger-view.ts';
import { checkDatabase } from '../judge/of-database.ts';
import type { Operation } from '../operations/operation.ts';
import { OPERATIONS } from '../operations/operations.ts';
import { again } from '../recurrence/patience.ts';
import { countAnswers, type KindResult } from '../results.ts';
import { awaitResolved, PAYMENT_REACH, prepareBatch, type Scene } from '../rounds.ts';
import { neverApproved, report, type Stage, type Suite } from '../suite.ts';
import { checkRefunds, checkSales, unwantedPayments } from './check-sales.ts';
import { type Enrolments, openEnrolments } from './enrolments.ts';
import { type BookedSale, chargesOf, ESTABLISHMENT, readSales } from './sales-books.ts';
import { clearScripts, SCRIPTED_NOS, spoilAcquirers, tell } from './spoil-acquirers.ts';

/** Changes are forced at the bridge's simulator: Rede and Cielo tell of them in files alone. */
const ACQUIRER_OPERATIONS: readonly Operation[] = OPERATIONS.filter(({ name }) => name !== 'beTakenBack');

const SHARE_OF_SPOILED_BATCHES = 0.4;
const QUIET_MILLISECONDS = 120_000;
const KEY = 'KEY-OF-A-TEST-0123456789-0123456789-0123';
/** Seconds for what real ones take minutes for; each is longer than the simulated one takes. */
const TIMES = { horizonSeconds: 4, apartSeconds: 1, silenceSeconds: 5 };
/** What one surely did not make goes on to the first of the others. */
const ROUTES = ['share=40 rede', 'share=65 cielo', 'default'];

/** Payments and billings at simulated Rede, Cielo and bridge, and routed between them, while things break. */
export function acquirerSuite(): Suite {
  const enrolments = openEnrolments();
  return {
    operations: [...ACQUIRER_OPERATIONS, enrolments.operation],
    hasSystems: false,
    hasAcquirers: true,
    hasOwnLastLook: true,
    reach: PAYMENT_REACH,
    prepare: addAcquirers,
    prepareBatch: async (scene, round, gateway) => {
      const { bench, chance } = scene;
      await spoilAcquirers(bench, chance, chance.isIn(SHARE_OF_SPOILED_BATCHES) ? 0.6 : 0);
      return prepareBatch(scene, round, gateway);
    },
    resolveAndCheck: (scene, result, rounds) => resolveAndCheck(enrolments, scene, result, rounds),
    checkDatabase: async (bench) => {
      await awaitEnd(bench, enrolments, '');
      return [...(await checkDatabase(bench, '')), ...checkSales(await salesAtLast(bench))];
    },
  };
}

async function addAcquirers({ bench, till, fleet }: Stage): Promise<void> {
  const keyFile = join(bench.folder, 'establishment.key');
  await writeFile(keyFile, `${KEY}\n`);
  const times = Object.entries(TIMES).flatMap(([name, value]) => ['--setting', `${name}=${value}`]);
  for (const { name, url } of bench.acquirers) {
    const named = ['--kind', 'acquirer', '--name', name, '--adapter', name, '--url', url];
    const access = ['--establishment', ESTABLISHMENT, '--establishment-key-file', keyFile];
    await parcela(bench, ['provider', 'add', ...named, ...access, ...times]);
  }
  const rules = ROUTES.flatMap((rule) => ['--rule', rule]);
  await parcela(bench, ['provider', 'route', '--kind', 'acquirer', ...rules]);
  const [gateway] = await fleet.pair();
  const [shop] = bench.shops;
  if (shop === undefined) throw new Error('there is no merchant');
  // A service follows the table within seconds; those that are started later have read it.
  for (const one of [gateway, ...fleet.all()]) {
    let tries = 0;
    await until(`${one.name} routes to the acquirers`, async () => {
      tries += 1;
      const text = await till.cardToken(shop, one);
      const round = `first.${one.name}.${tries}`;
      const wanted = { round, operation: 'first', shop, amount: 12_300, installments: 1 };
      const { reference } = await till.pay(one, { ...wanted, cardSource: { kind: 'token', text } });
      const asked = 'select acquirer from transactions where reference_transaction = $1';
      const [row] = await bench.query(asked, [reference]);
      return row !== undefined && row.acquirer !== 'default';
    });
  }
  till.release();
}

async function parcela(bench: ChaosBench, words: readonly string[]): Promise<void> {
  const { code, said } = await runCommandHere(words, {
    ...addressSettings(bench.address),
    PARCELA_DATA_DIR: bench.folder,
    PARCELA_KEY_FILE: keyFileIn(bench.folder),
  });
  if (code !== 0) throw new Error(`parcela ${words.join(' ')} ended with ${code}: ${said}`);
}

/** Longer than any lease: what is due later only waits for its next try. */
const HASTEN = ['transactions', 'cancels', 'captures'].map(
  (table) => `update ${table} set due_at = now() where due_at > now() + interval '20 seconds'`,
);
const LOOK_AT = 'update watched_charges set due_at = now() where transaction_id = any ($1::uuid[])';

const DAY_MILLISECONDS = 86_400_000;

/** Rede gives parts of the same day's sale back the day after. */
async function passDay({ acquirers }: ChaosBench): Promise<void> {
  for (const acquirer of acquirers.filter(({ name }) => name === 'rede'))
    await again(() => tell(acquirer, 'clock', { forwardMilliseconds: DAY_MILLISECONDS }));
}

/** Pauses of minutes are not waited for. */
async function awaitEnd(bench: ChaosBench, enrolments: Enrolments, rounds: string): Promise<void> {
  const endsAt = performance.now() + patiently(QUIET_MILLISECONDS);
  await passDay(bench);
  while (performance.now() < endsAt) {
    for (const text of HASTEN) await bench.query(text);
    // What an acquirer did not make is due again.
    await enrolments.holdDue(bench);
    if ((await awaitResolved(bench, rounds, 3_000)) && (await enrolments.areResolved(bench))) return;
  }
}

const LOOKS = 40;
const BETWEEN_LOOKS_MILLISECONDS = 500;

/** The ledgers when the half hour has passed after which the service looks at what is live in them. */
async function salesAtLast(bench: ChaosBench): Promise<BookedSale[]> {
  for (let look = 1; ; look += 1) {
    const sales = await readSales(bench);
    const unwanted = unwantedPayments(sales);
    if (unwanted.length === 0 || look === LOOKS) return sales;
    await bench.query(LOOK_AT, [unwanted]);
    await new Promise((wake) => setTimeout(wake, BETWEEN_LOOKS_MILLISECONDS));
  }
}

async function resolveAndCheck(
  enrolments: Enrolments,
  scene: Scene,
  result: KindResult,
  rounds: string,
): Promise<void> {
  const { bench, till, fleet } = scene;
  // Somebody must be there to ask the acquirers.
  await fleet.pair();
  await clearScripts(bench);
  await awaitEnd(bench, enrolments, rounds);
  let sales = await salesAtLast(bench);
  let ofBillings = await enrolments.check(bench, sales);
  if (ofBillings.length > 0) {
    // One may have been charged between the ledgers and the billings.
    await awaitEnd(bench, enrolments, rounds);
    sales = await salesAtLast(bench);
    ofBillings = await enrolments.check(bench, sales);
  }
  const books = await booksWith(bench, till, rounds, chargesOf(sales, rounds), SCRIPTED_NOS);
  const findings = [...checkBooks(books), ...(await checkDatabase(bench, rounds)), ...checkSales(sales)];
  findings.push(...checkRefunds(books, sales), ...ofBillings);
  findings.push(...(await askForTheLost(scene, books, result)));
  countAnswers(books, result);
  findings.push(...neverApproved(result, rounds));
  enrolments.release();
  scene.note(`${rounds} ${await enrolments.countPaid(bench)} billings are paid so far`);
  await report(findings, result, (reference) => viewsOf(books, sales, reference));
}

/** What client, database and ledgers have of a payment. */
function viewsOf(books: Books, sales: readonly BookedSale[], reference: string): string {
  const isOf = (one: { readonly reference: string }) => one.reference === reference;
  const asked = [...books.entries, ...books.cancelEntries, ...books.captureEntries].filter(isOf);
  const rows = [...books.transactions, ...books.cancels, ...books.captures].filter(isOf);
  const booked = sales.filter(({ payment }) => payment?.reference === reference);
  return [
    `    client   ${JSON.stringify(asked)}`,
    `    database ${JSON.stringify(rows)}`,
    `    ledgers  ${JSON.stringify(booked)}`,
  ].join('\n');
}
