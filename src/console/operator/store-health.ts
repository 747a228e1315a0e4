import type { Database } from '../../platform/postgres/database.ts';
import {
  isCurrent,
  type PeerReport,
  type ProcessReport,
  peerHealth,
} from '../../platform/process-reports/process-report.ts';
import { listReports } from '../../platform/process-reports/process-reports.sql.ts';
import { countExceptions } from '../../reconciliation/exceptions/exception-writes.sql.ts';
import { countUnanswered } from '../../recurrence/automatic/unanswered.sql.ts';
import { countUnresolvedBoletos } from '../../transactions/methods/boleto/unresolved/unresolved-boletos.sql.ts';
import { countUnresolvedPix } from '../../transactions/methods/pix/unresolved/unresolved-pix.sql.ts';
import { countUnresolved } from '../../transactions/unresolved/unresolved.sql.ts';
import { countDeliveries } from '../../webhooks/deliveries/endpoint-changes.sql.ts';
import { type HealthSample, isHealthSampled, writeHealthSamples } from './health-samples.sql.ts';

const MOST_PROCESSES = 100;
/**
 * Reports older than this are of processes that ended. The report of a killed process stays, so its last
 * counts are written once or twice more.
 */
const ENDED_SECONDS = 10 * 60;

/** Writes the samples of these five minutes, unless a process has done so. */
export async function storeHealth(database: Database): Promise<void> {
  if (await isHealthSampled(database)) return;
  const waiting = await countWaiting(database);
  await writeHealthSamples(database, [...waiting, ...(await readProviders(database))]);
}

const ofAll = (subject: string, value: number): HealthSample => ({ subject, processId: '', value });

/** Counts what waits. Each count has a bound, so that it stays cheap. */
async function countWaiting(database: Database): Promise<HealthSample[]> {
  const unresolved = [
    ...(await countUnresolved(database)),
    await countUnresolvedBoletos(database),
    await countUnresolvedPix(database),
    ...(await countUnanswered(database)),
  ];
  const exceptions = await countExceptions(database);
  const sumOf = (counted: readonly { readonly count: number }[]) =>
    counted.reduce((sum, { count }) => sum + count, 0);
  return [
    ofAll('waiting:unresolved', sumOf(unresolved)),
    ofAll('waiting:notifications', (await countDeliveries(database)).waiting),
    ofAll('waiting:exceptions', sumOf(exceptions.open)),
  ];
}

async function readProviders(database: Database): Promise<HealthSample[]> {
  const reports = await listReports(database, MOST_PROCESSES);
  const peers = new Set(
    reports.filter(isCurrent).flatMap((one) => one.peers.map(({ peer }: PeerReport) => peer)),
  );
  const takes = [...peers].flatMap((peer) =>
    (peerHealth(reports, peer)?.answersIn ?? []).map(({ provider, milliseconds }) =>
      ofAll(`takes:${peer}:${provider}`, milliseconds),
    ),
  );
  return [...takes, ...reports.filter(({ ageSeconds }) => ageSeconds < ENDED_SECONDS).flatMap(countCharges)];
}

function countCharges(report: ProcessReport): HealthSample[] {
  const byProvider = Map.groupBy(report.charges, ({ provider }) => provider);
  return [...byProvider].flatMap(([provider, all]) =>
    (['approved', 'declined'] as const).map((of) => ({
      subject: `${of}:${provider}`,
      processId: report.processId,
      value: all.reduce((sum, one) => sum + one[of], 0),
    })),
  );
}
