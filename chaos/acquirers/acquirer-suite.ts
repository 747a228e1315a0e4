import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommandHere } from '../../test/kit/command.ts';
import { keyFileIn } from '../../test/kit/keys.ts';
import { until } from '../../test/kit/service.ts';
import { addressSettings, type ChaosBench } from '../chaos-bench.ts';
import { askForTheLost } from '../judge/ask-for-the-lost.ts';
import { checkBooks } from '../judge/judge.ts';
import { booksWith } from '../judge/ledger-view.ts';
import { checkDatabase } from '../judge/of-database.ts';
import type { Operation } from '../operations/operation.ts';
import { OPERATIONS } from '../operations/operations.ts';
import { countAnswers, type KindResult } from '../results.ts';
import { awaitResolved, PAYMENT_REACH, prepareBatch, type Scene } from '../rounds.ts';
import { neverApproved, type Stage, type Suite } from '../suite.ts';
import { chargesOf, checkSales, ESTABLISHMENT, readSales } from './sales-books.ts';
import { clearScripts, spoilAcquirers } from './spoil-acquirers.ts';

/** Changes are forced at the other simulator: these acquirers tell of them in files alone. */
const ACQUIRER_OPERATIONS: readonly Operation[] = OPERATIONS.filter(({ name }) => name !== 'beTakenBack');

const SHARE_OF_SPOILED_BATCHES = 0.4;
const QUIET_MILLISECONDS = 120_000;
const KEY = 'KEY-OF-A-TEST-0123456789-0123456789-0123';
/** Seconds for what real ones take minutes for; each is longer than the simulated one takes. */
const TIMES = { horizonSeconds: 3, apartSeconds: 1, silenceSeconds: 4 };
/** Half goes to each, and what the one surely did not make goes on to the other. */
const ROUTES = ['share=50 rede', 'cielo'];

/** Payments at simulated Rede and simulated Cielo, and routed between them, while things break. */
export function acquirerSuite(): Suite {
  return {
    operations: ACQUIRER_OPERATIONS,
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
    resolveAndCheck,
    checkDatabase: async (bench) => [
      ...(await checkDatabase(bench, '')),
      ...checkSales(await readSales(bench)),
    ],
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

const DAY_MILLISECONDS = 86_400_000;

/** Rede gives parts of the same day's sale back the day after. */
async function passDay({ acquirers }: ChaosBench): Promise<void> {
  for (const { name, url } of acquirers.filter((one) => one.name === 'rede')) {
    const body = JSON.stringify({ forwardMilliseconds: DAY_MILLISECONDS });
    const answer = await fetch(`${url}/simulator/clock`, { method: 'POST', body });
    await answer.text();
    if (answer.status !== 200) throw new Error(`the clock of ${name} was answered ${answer.status}`);
  }
}

/** Pauses of minutes are not waited for. */
async function awaitEnd(bench: ChaosBench, rounds: string): Promise<void> {
  const endsAt = performance.now() + QUIET_MILLISECONDS;
  await passDay(bench);
  while (performance.now() < endsAt) {
    for (const text of HASTEN) await bench.query(text);
    if (await awaitResolved(bench, rounds, 3_000)) return;
  }
}

async function resolveAndCheck(scene: Scene, result: KindResult, rounds: string): Promise<void> {
  const { bench, till, fleet } = scene;
  // Somebody must be there to ask the acquirers.
  await fleet.pair();
  await clearScripts(bench);
  await awaitEnd(bench, rounds);
  const sales = await readSales(bench);
  const books = await booksWith(bench, till, rounds, chargesOf(sales, rounds));
  const findings = [...checkBooks(books), ...(await checkDatabase(bench, rounds)), ...checkSales(sales)];
  findings.push(...(await askForTheLost(scene, books, result)));
  countAnswers(books, result);
  findings.push(...neverApproved(result, rounds));
  const seen = JSON.stringify;
  for (const { invariant, reference, text } of findings) {
    const booked = sales.filter(({ payment }) => payment?.reference === reference);
    const asked = [...books.entries, ...books.cancelEntries, ...books.captureEntries];
    const answered = asked.filter((entry) => entry.reference === reference);
    const shown =
      result.violations.length < 10 ? `\n    client ${seen(answered)}\n    ledgers ${seen(booked)}` : '';
    result.violations.push(`${invariant}: ${reference}: ${text}${shown}`);
  }
}
