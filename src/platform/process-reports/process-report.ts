import type { Sample } from '../metrics.ts';

/** `inPart`: some calls get no answer, or a circuit is open. */
export type PeerState = 'notAsked' | 'answers' | 'inPart' | 'silent';

/** How a peer answers, as one process knows it. Times are milliseconds by the clock of the process. */
export type PeerReport = {
  /** The same name in all modules: all processes of a database ask the same peers. */
  readonly peer: string;
  readonly state: PeerState;
  readonly since: number;
  readonly answeredAt: number | null;
  /** Kinds of query whose circuit is open. */
  readonly awayFor: readonly string[];
  /** Providers whose circuit is open. */
  readonly awayProviders: readonly string[];
  /** Why its last call got no answer. Null while it answers. */
  readonly reason: string | null;
  /** Seconds since its changes were read; null: it has no feed. */
  readonly feedAgeSeconds: number | null;
  /** The slowest of the providers that were waited for lately; a report of the version before lacks it. */
  readonly answersIn?: readonly AnswerTime[];
  /** The providers that are slow or silent; a report of the version before lacks it. */
  readonly delays?: readonly Delay[];
  /** When each provider answered somebody who waits; a report of the version before lacks it. */
  readonly lastAnswers?: readonly { readonly provider: string; readonly at: number }[];
};

/** How long a provider takes to answer: half of its awaited calls took at least as long. */
export type AnswerTime = { readonly provider: string; readonly milliseconds: number };

/** An answer that takes so long is slow: a buyer who waits for it at a shop leaves. */
export const SLOW_MILLISECONDS = 3_000;

/**
 * A provider that keeps callers waiting. `silentSince`: since when it gave no answer; null: it gives some.
 */
export type Delay = {
  readonly provider: string;
  readonly since: number;
  readonly silentSince: number | null;
};

/** Charges of a brand that were to be made at an acquirer, since the process began. */
export type ChargeCount = {
  readonly provider: string;
  readonly brand: string;
  readonly approved: number;
  readonly declined: number;
  /** No yes or no of an issuer: no clear answer, no connection, or the request itself was refused. */
  readonly unanswered: number;
};

export type ReportBody = {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly cell: string | null;
  readonly roles: readonly string[];
  /** The gate's reason; null: the process acts. */
  readonly heldBecause: string | null;
  /** Database connections; `waiting`: statements and commits without one. */
  readonly connections: { readonly used: number; readonly most: number; readonly waiting: number };
  /** Whether the part of the audit log that the process read was altered. */
  readonly isAuditBroken: boolean;
  readonly peers: readonly PeerReport[];
  readonly charges: readonly ChargeCount[];
  /** How far the database's clock is ahead of the machine's; negative: behind. */
  readonly clockAheadSeconds: number;
};

export type ProcessReport = ReportBody & {
  readonly processId: string;
  /** Milliseconds, by the database's clock. */
  readonly startedAt: number;
  readonly reportedAt: number;
  readonly ageSeconds: number;
};

/** A process silent for this time has ended, or does not reach the database. */
const QUIET_SECONDS = 60;

export function isCurrent({ ageSeconds }: Pick<ProcessReport, 'ageSeconds'>): boolean {
  return ageSeconds < QUIET_SECONDS;
}

/** Kinds of result without an answer. For those of `UNASKED` nothing was asked. */
const SILENCES = ['unknown', 'notConnected', 'noAnswer', 'silent'];
const UNASKED = ['full', 'held', 'notSent'];

export const isSilence = (kind: string): boolean => SILENCES.includes(kind);
export const isAnswer = (kind: string): boolean => !isSilence(kind) && !UNASKED.includes(kind);

/** How a peer answers, over all processes. `some`: only some processes get answers. */
export type PeerHealth = Omit<PeerReport, 'state'> & { readonly state: PeerState | 'some' };

const APPROVALS = ['approved', 'preauthorized'];
const DECLINES = ['declined'];
/** The most counts that fit into a report. */
const MOST_COUNTS = 40;

const totalOf = ({ approved, declined, unanswered }: ChargeCount) => approved + declined + unanswered;

/**
 * The charges of a process by provider and brand, summed up from counts by outcome; only the largest, if
 * there are many.
 */
export function chargesOf(samples: readonly Sample[]): ChargeCount[] {
  const counts = summed(
    samples
      .filter(({ labels }) => !UNASKED.includes(String(labels.outcome)))
      .map(({ labels: { provider, brand, outcome }, value }) => {
        const isOf = (outcomes: readonly string[]) => outcomes.includes(String(outcome));
        const [approved, declined] = [isOf(APPROVALS) ? value : 0, isOf(DECLINES) ? value : 0];
        const unanswered = value - approved - declined;
        return { provider: String(provider), brand: String(brand), approved, declined, unanswered };
      }),
  );
  return counts.sort((one, other) => totalOf(other) - totalOf(one)).slice(0, MOST_COUNTS);
}

/** The charges of all processes, including those killed within a day. */
export function chargesOfAll(reports: readonly ProcessReport[]): ChargeCount[] {
  return summed(reports.flatMap(({ charges }) => charges));
}

function summed(counts: readonly ChargeCount[]): ChargeCount[] {
  const alike = Map.groupBy(counts, ({ provider, brand }) => `${provider} ${brand}`);
  return [...alike.values()].map((all) => {
    const sumOf = (of: (one: ChargeCount) => number) => all.reduce((sum, one) => sum + of(one), 0);
    const { provider, brand } = all[0] as ChargeCount;
    return {
      provider,
      brand,
      approved: sumOf(({ approved }) => approved),
      declined: sumOf(({ declined }) => declined),
      unanswered: sumOf(({ unanswered }) => unanswered),
    };
  });
}

/** From current reports; null: no process has this peer. */
export function peerHealth(reports: readonly ProcessReport[], peer: string): PeerHealth | null {
  const seen = reports
    .filter(isCurrent)
    .flatMap(({ peers }) => peers)
    .filter((one) => one.peer === peer);
  if (seen.length === 0) return null;
  const asked = seen.filter(({ state }) => state !== 'notAsked');
  const silent = asked.filter(({ state }) => state === 'silent');
  // A report of the version before has no state `inPart`.
  const inPart = asked.filter((one) => one.state === 'inPart' || one.awayFor.length > 0);
  const state = stateOf({ asked, silent, inPart });
  const shown = [silent, inPart, asked, seen].find(({ length }) => length > 0) ?? seen;
  const answers = seen.flatMap(({ answeredAt }) => answeredAt ?? []);
  const ages = seen.flatMap(({ feedAgeSeconds }) => feedAgeSeconds ?? []);
  return {
    peer,
    state,
    since: Math.min(...shown.map(({ since }) => since)),
    answeredAt: answers.length === 0 ? null : Math.max(...answers),
    awayFor: [...new Set(seen.flatMap(({ awayFor }) => awayFor))].sort(),
    awayProviders: [...new Set(seen.flatMap(({ awayProviders = [] }) => awayProviders))].sort(),
    reason: shown.find(({ reason = null }) => reason !== null)?.reason ?? null,
    feedAgeSeconds: ages.length === 0 ? null : Math.min(...ages),
    answersIn: longest(seen.flatMap(({ answersIn = [] }) => answersIn)),
    delays: delaysOfAll(seen),
  };
}

/** For each provider, the time of the process that waits longest for it. */
function longest(times: readonly AnswerTime[]): AnswerTime[] {
  return [...Map.groupBy(times, ({ provider }) => provider)].map(([provider, all]) => ({
    provider,
    milliseconds: Math.max(...all.map(({ milliseconds }) => milliseconds)),
  }));
}

/**
 * For each provider, since when the first process has had to wait. The provider is silent only if no process
 * was answered after its silence began, and a delay is over if another process was answered in time after it.
 */
function delaysOfAll(seen: readonly PeerReport[]): Delay[] {
  const delays = seen.flatMap((one) => one.delays ?? []);
  const isInTime = ({ answersIn = [] }: PeerReport, name: string) =>
    answersIn.some(({ provider, milliseconds }) => provider === name && milliseconds < SLOW_MILLISECONDS);
  return [...Map.groupBy(delays, ({ provider }) => provider)].flatMap(([provider, all]): Delay[] => {
    const inTimeAt = newestAnswer(
      seen.filter((one) => isInTime(one, provider)),
      provider,
    );
    const lasting = all.filter(({ since, silentSince }) => (silentSince ?? since) >= inTimeAt);
    if (lasting.length === 0) return [];
    const answeredAt = newestAnswer(seen, provider);
    const silent = lasting.flatMap(({ silentSince }) => silentSince ?? []).filter((at) => at >= answeredAt);
    const since = Math.min(...lasting.map((one) => one.since));
    return [{ provider, since, silentSince: silent.length === 0 ? null : Math.min(...silent) }];
  });
}

function newestAnswer(seen: readonly PeerReport[], name: string): number {
  const ofProvider = seen
    .flatMap(({ lastAnswers = [] }) => lastAnswers)
    .filter(({ provider }) => provider === name);
  return Math.max(Number.NEGATIVE_INFINITY, ...ofProvider.map(({ at }) => at));
}

function stateOf(
  of: Readonly<Record<'asked' | 'silent' | 'inPart', readonly PeerReport[]>>,
): PeerHealth['state'] {
  if (of.asked.length === 0) return 'notAsked';
  if (of.silent.length === of.asked.length) return 'silent';
  if (of.silent.length > 0) return 'some';
  return of.inPart.length > 0 ? 'inPart' : 'answers';
}

/** The most characters of a report, as its row allows. */
const MOST_CHARACTERS = 10_000;
/**
 * How many items of a list and characters of a text a report keeps. The next row is tried while it does not
 * fit.
 */
const FITS = [
  { items: 20, reason: 1_000 },
  { items: 8, reason: 500 },
  { items: 2, reason: 200 },
] as const;

/**
 * The text of a report, shortened where there are too many providers: a process without a report counts as
 * ended.
 */
export function reportText(report: ReportBody): string {
  let text = JSON.stringify(report);
  for (const { items, reason } of FITS) {
    if (text.length <= MOST_CHARACTERS) break;
    text = JSON.stringify(report, (key, value: unknown) => {
      if (typeof value === 'string') return value.slice(0, reason);
      return Array.isArray(value) && key !== 'peers' ? value.slice(0, items) : value;
    });
  }
  return text;
}

const NOTHING: ReportBody = {
  host: '',
  pid: 0,
  version: '',
  cell: null,
  roles: [],
  heldBecause: null,
  connections: { used: 0, most: 0, waiting: 0 },
  isAuditBroken: false,
  peers: [],
  charges: [],
  clockAheadSeconds: 0,
};

/** A report of another version may lack a field or have one more. */
export function parseReport(text: string): ReportBody {
  const read: unknown = JSON.parse(text);
  if (typeof read !== 'object' || read === null) return NOTHING;
  return { ...NOTHING, ...(read as Partial<ReportBody>) };
}
