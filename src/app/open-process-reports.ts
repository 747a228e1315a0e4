import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import type { Metrics, Sample } from '../platform/metrics.ts';
import {
  callsOf,
  type Peer,
  type PeerReport,
  type ReportBody,
  type SeenPeer,
  seenAgain,
  unseenPeer,
} from '../platform/process-reports/process-report.ts';
import { deleteReport, writeReport } from '../platform/process-reports/process-reports.sql.ts';
import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../platform/work/every-so-often.ts';
import type { AppContext } from './context.ts';

const REPORT_MILLISECONDS = 10_000;

type PeerMetrics = { readonly calls: string; readonly away: string | null; readonly feedAge: string | null };

/** What is counted of them anyway says how they answer. */
const METRICS: Readonly<Record<Peer, PeerMetrics>> = {
  acquirer: {
    calls: 'parcela_acquirer_call_duration_seconds',
    away: 'parcela_acquirer_away',
    feedAge: 'parcela_acquirer_changes_age_seconds',
  },
  bank: {
    calls: 'parcela_bank_call_duration_seconds',
    away: 'parcela_bank_away',
    feedAge: 'parcela_bank_changes_age_seconds',
  },
  antifraud: { calls: 'parcela_anti_fraud_provider_call_duration_seconds', away: null, feedAge: null },
};

/** Writes down for all processes what this one knows of itself and of those that it asks. */
export function openProcessReports({
  configuration,
  database,
  metrics,
  gate,
  bank,
  closings,
}: AppContext): readonly Work[] {
  const processId = randomUUID();
  const { cell, roles, antiFraud } = configuration;
  const about = { host: hostname(), pid: process.pid, version: packageJson.version, cell, roles };
  const asked: readonly Peer[] = [
    'acquirer',
    ...(bank === null ? [] : (['bank'] as const)),
    ...(antiFraud.provider === null ? [] : (['antifraud'] as const)),
  ];
  const seen = new Map<Peer, SeenPeer>(asked.map((peer) => [peer, unseenPeer(Date.now())]));
  const readsFeeds = roles.includes('resolving');

  async function reportOf(peer: Peer, before: SeenPeer): Promise<PeerReport> {
    const { calls, away, feedAge } = METRICS[peer];
    const found = seenAgain(before, callsOf(await metrics.read(calls)), Date.now());
    seen.set(peer, found);
    const open = away === null ? [] : (await metrics.read(away)).filter(({ value }) => value > 0);
    const ages = feedAge === null || !readsFeeds ? [] : await metrics.read(feedAge);
    const { state, since, answeredAt } = found;
    return {
      ...{ peer, state, since, answeredAt },
      awayFor: open.map(({ labels }) => String(labels.kind ?? 'boleto')),
      feedAgeSeconds: ages[0]?.value ?? null,
    };
  }

  async function report(): Promise<ReportBody> {
    const peers: PeerReport[] = [];
    for (const [peer, before] of seen) peers.push(await reportOf(peer, before));
    const faults = await metrics.read('parcela_audit_fault');
    return {
      ...about,
      heldBecause: gate.reason(),
      connections: await connectionsOf(metrics),
      isAuditBroken: sumOf(faults) > 0,
      peers,
    };
  }

  closings.push({
    name: 'report of this process',
    // Pinged first: a database that is gone answers at once.
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
