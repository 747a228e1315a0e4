import { readLastBeat } from '../../platform/database-watch/server-stamp.sql.ts';
import type { Database } from '../../platform/postgres/database.ts';
import {
  isCurrent,
  type PeerHealth,
  type ProcessReport,
  peerHealth,
} from '../../platform/process-reports/process-report.ts';
import { listReports } from '../../platform/process-reports/process-reports.sql.ts';
import { instant, utcText } from '../../values/instant.ts';
import { type Diagnosis, fault, fine, warning } from './diagnosis.ts';

const MOST_PROCESSES = 200;

const ofWhom = (providers: readonly string[]) => (providers.length === 0 ? '' : ` (${providers.join(', ')})`);
const ADVICE =
  'look at it, and at the way to it; parcela resolve list shows what waits, which goes on by itself when it is back (docs/runbook.md)';
const why = (reason: string | null) => (reason === null ? '' : `; the last time: ${reason}`);

/** Whether any process lives, and which peers it does not reach. `isDown`: the database was down. */
export async function checkProcesses(database: Database, isDown: boolean): Promise<Diagnosis[]> {
  const listed = await listReports(database, MOST_PROCESSES);
  const reports = listed.filter(isCurrent);
  const life = await checkLife(database, listed[0], isDown);
  if (isDown) return [life];
  // A dead process's last report about peers says nothing of now.
  return [life, ...heldOf(reports), ...(life.state === 'ok' ? awayOf(reports) : [])];
}

/**
 * A process beats each second and reports every ten. One that wrote neither for so long is dead, or cannot
 * write.
 */
const LIFELESS_SECONDS = { beat: 15, report: 25 } as const;

/** A process that lived through a restore writes reports, but no beat until the database is accepted. */
async function checkLife(
  database: Database,
  report: ProcessReport | undefined,
  isDown: boolean,
): Promise<Diagnosis> {
  const beat = await readLastBeat(database);
  const isAlive =
    (beat !== null && beat.ageSeconds < LIFELESS_SECONDS.beat) ||
    (report !== undefined && report.ageSeconds < LIFELESS_SECONDS.report);
  if (isAlive && !isDown) return fine('processes.alive', 'processes of the service give signs of life');
  if (beat === null && report === undefined)
    return fine('processes.none', 'no process has run on this database yet');
  const last = Math.max(beat?.beatenAt ?? 0, report?.reportedAt ?? 0);
  const beside = isDown ? '; its own PostgreSQL was down too, and runs for this look alone' : '';
  const says = `no process of the service gives a sign of life since ${timeText(last)}${beside}`;
  return warning(
    'processes.lifeless',
    says,
    'it was stopped, has died (the last lines of its log say why) or cannot write to its database: docs/runbook.md',
  );
}

/** Why processes do nothing, by their reports: the doctor writes nothing, so it meets no full disk. */
function heldOf(reports: readonly ProcessReport[]): Diagnosis[] {
  const reasons = new Set(reports.flatMap(({ heldBecause }) => heldBecause ?? []));
  return [...reasons].map((reason) => {
    const count = reports.filter(({ heldBecause }) => heldBecause === reason).length;
    const says = `${count} of ${reports.length} processes hold all work, and refuse what writes: ${reason}${HELD_WORDS[reason] ?? ''}`;
    // `unchecked` lasts a moment: at a start, and when another server answers.
    const judged = reason === 'unchecked' ? warning : fault;
    return judged('processes.held', says, 'docs/runbook.md says what this reason asks of you');
  });
}

const HELD_WORDS: Readonly<Record<string, string>> = {
  unchecked: ' (they compare the database, which takes a moment: look again)',
  unwritable: ' (the disk of the database is full, or it is read-only)',
};

function awayOf(reports: readonly ProcessReport[]): Diagnosis[] {
  const peers = new Set(reports.flatMap((report) => report.peers.map(({ peer }) => peer)));
  return [...peers].sort().flatMap((peer) => {
    const health = peerHealth(reports, peer);
    if (health === null) return [];
    const { state, since, answeredAt, reason } = health;
    if (state === 'answers' || state === 'notAsked') return [];
    const last = state !== 'silent' ? '' : lastText(answeredAt);
    const says = `${peer}: ${SHORT_WORDS[state]} since ${timeText(since)}${last}${why(reason)}${salesText(reports, health)}`;
    return [warning('providers.away', says, ADVICE)];
  });
}

const SHORT_WORDS = {
  silent: 'no clear answer',
  some: 'some processes get no clear answer',
  inPart: 'some calls get no clear answer',
} as const;

const timeText = (milliseconds: number) => utcText(instant(milliseconds));

function lastText(answeredAt: number | null): string {
  return answeredAt === null
    ? ', and none since the process began'
    : `, the last one was at ${timeText(answeredAt)}`;
}

/** The effect of the peer's open circuits on sales. */
function salesText(reports: readonly ProcessReport[], { peer, awayFor, awayProviders }: PeerHealth): string {
  const isOpen = (kind: string) => (report: ProcessReport) =>
    report.peers.some((one) => one.peer === peer && one.awayFor.includes(kind));
  const unknown = awayFor.filter((kind) => kind !== 'payment');
  const asked =
    unknown.length === 0
      ? ''
      : `; what is unknown (${unknown.join(', ')}) is asked about now and then; new sales are sent to it all the same`;
  const elsewhere = awayFor.includes('payment')
    ? `; ${reports.filter(isOpen('payment')).length} of ${reports.length} processes send new payments to another acquirer where a rule names one`
    : '';
  return `${asked}${elsewhere}${ofWhom(awayProviders)}`;
}
