import type { Database } from '../../platform/postgres/database.ts';
import {
  chargesOfAll,
  isCurrent,
  type PeerReport,
  peerHealth,
} from '../../platform/process-reports/process-report.ts';
import { listReports } from '../../platform/process-reports/process-reports.sql.ts';
import { countExceptions } from '../../reconciliation/exceptions/exception-writes.sql.ts';
import { countUnanswered } from '../../recurrence/automatic/unanswered.sql.ts';
import { countUnresolvedBoletos } from '../../transactions/methods/boleto/unresolved/unresolved-boletos.sql.ts';
import { countUnresolvedPix } from '../../transactions/methods/pix/unresolved/unresolved-pix.sql.ts';
import { countUnresolved } from '../../transactions/unresolved/unresolved.sql.ts';
import { countDeliveries } from '../../webhooks/deliveries/endpoint-changes.sql.ts';
import { isHealthSampled, writeHealthSamples } from './health-samples.sql.ts';

const MOST_PROCESSES = 100;

/** Unless a process has, in these five minutes. */
export async function storeHealth(database: Database): Promise<void> {
  if (await isHealthSampled(database)) return;
  const waiting = await countWaiting(database);
  await writeHealthSamples(database, [...waiting, ...(await readProviders(database))]);
}

type Samples = (readonly [subject: string, value: number])[];

/** Each count has a bound. */
async function countWaiting(database: Database): Promise<Samples> {
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
    ['waiting:unresolved', sumOf(unresolved)],
    ['waiting:notifications', (await countDeliveries(database)).waiting],
    ['waiting:exceptions', sumOf(exceptions.open)],
  ];
}

async function readProviders(database: Database): Promise<Samples> {
  const reports = await listReports(database, MOST_PROCESSES);
  const peers = new Set(
    reports.filter(isCurrent).flatMap((one) => one.peers.map(({ peer }: PeerReport) => peer)),
  );
  const takes = [...peers].flatMap((peer) =>
    (peerHealth(reports, peer)?.answersIn ?? []).map(
      ({ provider, milliseconds }) => [`takes:${peer}:${provider}`, milliseconds] as const,
    ),
  );
  const byProvider = Map.groupBy(chargesOfAll(reports), ({ provider }) => provider);
  const charges = [...byProvider].flatMap(([provider, all]): Samples => {
    const sumOf = (of: 'approved' | 'declined') => all.reduce((sum, one) => sum + one[of], 0);
    return [
      [`approved:${provider}`, sumOf('approved')],
      [`declined:${provider}`, sumOf('declined')],
    ];
  });
  return [...takes, ...charges];
}
