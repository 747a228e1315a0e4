import { logIn } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import type { Auditor } from '../kit/service.ts';
import { openCaller, type Reported } from './caller.ts';
import { enqueueAlertsOf, enrol } from './enrolment.ts';
import { typeIntoEveryText } from './every-text.ts';
import type { Marks } from './marks.ts';
import { makeEveryMistake } from './mistakes.ts';
import { needlesOf, needlesOfProof } from './needles.ts';
import { countTokens, emptyCounts, filesOf, type Hit, openScanner, type TokenCounts } from './scanner.ts';
import {
  askAntiFraud,
  cancelInParts,
  catchUp,
  lookThroughDeliveries,
  manageBillings,
  offerPlans,
  payEncrypted,
  payInEveryWay,
  payThroughTrouble,
  registerWebhook,
  type Shop,
  useVault,
} from './scenario.ts';
import type { Sighting } from './watch-sinks.ts';
import { openWatchedService, type WatchedService } from './watched-service.ts';

/** In the proof two runs at once, with other numbers and codes: each is the control of the other. */
export const RUNS = sliceOf(2, 1);

/** Where something could have leaked to. */
export const SINKS = ['answers', 'streams', 'metrics', 'tables', 'files'] as const;
export type Sink = (typeof SINKS)[number];

/** What one column of one row says. */
export type Cell = {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly text: string;
};

/** All that is left of a run. */
export type Evidence = {
  readonly marks: Marks;
  readonly answers: readonly Reported[];
  readonly exercised: ReadonlySet<string>;
  readonly cells: readonly Cell[];
  readonly sightings: readonly Sighting[];
  /** Marked numbers and proofs that were found, and those that were typed into free texts. */
  readonly hits: Readonly<Record<Sink, readonly Hit[]>>;
  readonly typed: Readonly<Record<Sink, readonly Hit[]>>;
  readonly counts: Readonly<Record<Sink, TokenCounts>>;
  readonly scannedBytes: number;
};

/**
 * Runs everything that can be done with cards on a service of its own, and gathers what was said
 * and kept.
 */
export async function gatherEvidence(marks: Marks): Promise<Evidence> {
  const service = await openWatchedService(marks);
  try {
    const caller = openCaller();
    const metrics = await runScenario(service, caller);
    const auditor = await service.openAuditor();
    const cells = await readEveryCell(auditor);
    // What still stands in memory goes to disk, where the files are looked at.
    await auditor.query('checkpoint');
    await auditor.close();
    await service.stop();
    const records = openRecords(marks);
    for (const { asked, text } of caller.answers) records.add('answers', asked, Buffer.from(text));
    records.add('streams', 'log and messages', Buffer.from(service.streams()));
    for (const text of metrics) records.add('metrics', '/metrics', Buffer.from(text));
    for (const { table, column, text } of cells)
      records.add('tables', `${table}.${column}`, Buffer.from(text));
    for (const folder of new Set([service.folder, await service.databaseFolder()]))
      for await (const { place, bytes } of filesOf(folder)) records.add('files', place, bytes);
    const { answers, exercised } = caller;
    return { marks, answers, exercised, cells, sightings: await service.sightings(), ...records.all() };
  } finally {
    await service.stop();
    await service.remove();
  }
}

/** Gives the texts of /metrics: one of each process, since the first is killed on the way. */
async function runScenario(
  service: WatchedService,
  caller: ReturnType<typeof openCaller>,
): Promise<string[]> {
  const demo = await service.demo();
  const token = await logIn(service.gatewayUrl, demo.gateway);
  const integrationToken = await logIn(service.integrationUrl, demo.integration, '/api/authentication/login');
  const recurrenceToken = await logIn(service.gatewayUrl, demo.recurrence);
  // Before the wrong logins, which lock their credential.
  const tokenToEnd = await logIn(service.gatewayUrl, demo.gateway);
  const shop: Shop = { service, caller, token, recurrenceToken, merchantId: demo.merchantId };
  const readMetrics = async () => (await fetch(service.metricsUrl)).text();
  await payInEveryWay(shop);
  await payEncrypted(shop);
  await askAntiFraud(shop);
  await cancelInParts(shop);
  await catchUp(shop, integrationToken, demo.accountNumber);
  await useVault(shop);
  await manageBillings(shop, await logIn(service.gatewayUrl, demo.recurrence));
  await enrol(shop);
  await registerWebhook(shop, integrationToken);
  await offerPlans(shop, await logIn(service.gatewayUrl, demo.recurrence));
  await enqueueAlertsOf(shop, await logIn(service.gatewayUrl, demo.recurrence));
  await lookThroughDeliveries(shop, integrationToken);
  await typeIntoEveryText(shop, demo, integrationToken);
  await makeEveryMistake(shop, { integrationToken, tokenToEnd });
  const metrics = [await readMetrics()];
  await payThroughTrouble(shop);
  return [...metrics, await readMetrics()];
}

const TABLES = `
  select c.oid::regclass::text as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as type
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where c.relkind in ('r', 'p', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and a.attnum > 0 and not a.attisdropped`;

/** Every column of every row of every table of ours, as text; bytes as they are, one character each. */
async function readEveryCell(auditor: Auditor): Promise<Cell[]> {
  const columns = (await auditor.query(TABLES)) as { table: string; column: string; type: string }[];
  const cells: Cell[] = [];
  for (const { table, column, type } of columns) {
    const rows = await auditor.query(
      `select "${column}"::text as text from ${table} where "${column}" is not null`,
    );
    for (const { text } of rows as { text: string }[]) {
      cells.push({ table, column, type, text });
      if (type === 'bytea')
        cells.push({ table, column, type, text: Buffer.from(text.slice(2), 'hex').toString('latin1') });
    }
  }
  const sessions = await auditor.query(`select query as text from pg_stat_activity where query <> ''`);
  for (const { text } of sessions as { text: string }[])
    cells.push({ table: 'pg_stat_activity', column: 'query', type: 'text', text });
  return cells;
}

function openRecords(marks: Marks) {
  const scan = openScanner([
    ...[...Object.values(marks.numbers), marks.typedNumber].flatMap(needlesOf),
    ...needlesOfProof(marks.cavv),
  ]);
  const bySink = <T>(make: () => T) =>
    Object.fromEntries(SINKS.map((sink) => [sink, make()])) as Record<Sink, T>;
  const hits = bySink<Hit[]>(() => []);
  const typed = bySink<Hit[]>(() => []);
  const counts = bySink(emptyCounts);
  let scannedBytes = 0;
  return {
    add(sink: Sink, place: string, bytes: Buffer) {
      for (const hit of scan(bytes, place)) (hit.number === marks.typedNumber ? typed : hits)[sink].push(hit);
      // Counted to be compared.
      if (RUNS === 2) countTokens(bytes, counts[sink]);
      scannedBytes += bytes.length;
    },
    all: () => ({ hits, typed, counts, scannedBytes }),
  };
}
