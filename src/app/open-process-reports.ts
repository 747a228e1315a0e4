import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import { CLOCK_AHEAD } from '../platform/clock-watch.ts';
import type { Metrics, Sample } from '../platform/metrics.ts';
import { PEER_NAMES, type PeerName } from '../platform/outages.ts';
import { declaredPeers, type PeerMetrics } from '../platform/process-reports/peer-metrics.ts';
import { chargesOf, type PeerReport, type ReportBody } from '../platform/process-reports/process-report.ts';
import { deleteReport, writeReport } from '../platform/process-reports/process-reports.sql.ts';
import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../platform/work/every-so-often.ts';
import { AUTHORIZATIONS } from '../transactions/module.ts';
import { AUDIT_FAULT } from './audited-keys.ts';
import type { AppContext } from './context.ts';

const REPORT_MILLISECONDS = 10_000;

export function openProcessReports({
  configuration,
  database,
  metrics,
  gate,
  closings,
  peerCalls,
}: AppContext): readonly Work[] {
  const processId = randomUUID();
  const { cell, roles } = configuration;
  const about = { host: hostname(), pid: process.pid, version: packageJson.version, cell, roles };
  const readsFeeds = roles.includes('resolving');

  async function reportOf(peer: PeerName): Promise<PeerReport> {
    const { away, awayFor, feedAge }: PeerMetrics = declaredPeers().get(peer) ?? {};
    const open = away === undefined ? [] : (await metrics.read(away.name)).filter(({ value }) => value > 0);
    const ages = feedAge === undefined || !readsFeeds ? [] : await metrics.read(feedAge.name);
    return {
      peer,
      ...peerCalls.seen(peer, open.length > 0),
      awayFor: open.map(({ labels }) => String(labels.kind ?? awayFor)),
      awayProviders: open.map(({ labels }) => String(labels.provider)),
      // The age of the oldest provider's page.
      feedAgeSeconds: ages.length === 0 ? null : Math.max(...ages.map(({ value }) => value)),
    };
  }

  async function report(): Promise<ReportBody> {
    const faults = await metrics.read(AUDIT_FAULT.name);
    return {
      ...about,
      heldBecause: gate.reason(),
      connections: await connectionsOf(metrics),
      isAuditBroken: sumOf(faults) > 0,
      peers: await Promise.all(PEER_NAMES.map(reportOf)),
      charges: chargesOf(await metrics.read(AUTHORIZATIONS.name)),
      clockAheadSeconds: sumOf(await metrics.read(CLOCK_AHEAD.name)),
    };
  }

  closings.push({
    name: 'report of this process',
    // Ping first: without a database a write would wait.
    close: () => database.ping().then(() => deleteReport(database, processId)),
  });
  const work = everySoOften('reportProcess', REPORT_MILLISECONDS, async () =>
    writeReport(database, processId, await report()),
  );
  return [alsoWhileHeld(work)];
}

async function connectionsOf(metrics: Metrics): Promise<ReportBody['connections']> {
  const counted = await metrics.read('db_client_connection_count');
  const used = counted.filter(({ labels }) => labels.db_client_connection_state === 'used');
  const most = await metrics.read('db_client_connection_max');
  const waiting = await metrics.read('db_client_connection_pending_requests');
  return { used: sumOf(used), most: sumOf(most), waiting: sumOf(waiting) };
}

function sumOf(samples: readonly Sample[]): number {
  return samples.reduce((sum, { value }) => sum + value, 0);
}
