export type PeerState = 'notAsked' | 'answers' | 'silent';

/** How a peer answers, as one process knows it. In milliseconds by its clock. */
export type PeerReport = {
  /** The name in all modules: all processes of a database ask the same peers. */
  readonly peer: string;
  readonly state: PeerState;
  /** Since when it is in this state; with an open circuit, without a clear answer. */
  readonly since: number;
  readonly answeredAt: number | null;
  /** Kinds of query whose circuit is open. */
  readonly awayFor: readonly string[];
  /** Whose circuit is open, by the names of providers. */
  readonly awayProviders: readonly string[];
  /** Why it gave no answer the last time. Null while it answers. */
  readonly reason: string | null;
  /** Seconds since its changes were read; null: it has no feed. */
  readonly feedAgeSeconds: number | null;
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
  /** Whether the part of the audit log that it read was altered. */
  readonly isAuditBroken: boolean;
  readonly peers: readonly PeerReport[];
  /** Of the database's clock, before that of its machine; negative: behind. */
  readonly clockAheadSeconds: number;
};

export type ProcessReport = ReportBody & {
  readonly processId: string;
  /** Milliseconds, by the database's clock. */
  readonly startedAt: number;
  readonly reportedAt: number;
  readonly ageSeconds: number;
};

/** A process silent this long has ended, or does not reach the database. */
const QUIET_SECONDS = 60;

export function isCurrent({ ageSeconds }: Pick<ProcessReport, 'ageSeconds'>): boolean {
  return ageSeconds < QUIET_SECONDS;
}

/** Kinds without an answer. For the others nothing was asked. */
const SILENCES = ['unknown', 'notConnected', 'noAnswer', 'silent'];
const UNASKED = ['full', 'held', 'notSent'];

export const isSilence = (kind: string): boolean => SILENCES.includes(kind);
export const isAnswer = (kind: string): boolean => !isSilence(kind) && !UNASKED.includes(kind);

/** A call that got no answer among others that did is no silence. */
const DOUBT_MILLISECONDS = 3_000;

/** When the calls to a peer were made and answered, in milliseconds. */
export type PeerTimes = {
  readonly answersSince: number | null;
  readonly answeredAt: number | null;
  /** When the first call of those that nothing was answered after was made. */
  readonly silentSince: number | null;
};

export const NEVER_ASKED: PeerTimes = { answersSince: null, answeredAt: null, silentSince: null };

export type EndedCall = {
  readonly isAnswered: boolean;
  readonly begunAt: number;
  readonly endedAt: number;
};

export function timesAfter(before: PeerTimes, { isAnswered, begunAt, endedAt }: EndedCall): PeerTimes {
  if (!isAnswered)
    return { ...before, silentSince: before.silentSince ?? Math.max(begunAt, before.answeredAt ?? 0) };
  const isNew = before.answersSince === null || isSilentAt(before, endedAt);
  return {
    answersSince: isNew ? endedAt : before.answersSince,
    answeredAt: endedAt,
    silentSince: null,
  };
}

function isSilentAt({ silentSince, answeredAt }: PeerTimes, now: number): boolean {
  return silentSince !== null && now - (answeredAt ?? 0) >= DOUBT_MILLISECONDS;
}

/** `openedAt`: since when it could be asked. */
export function stateAt(
  times: PeerTimes,
  now: number,
  openedAt: number,
): Pick<PeerReport, 'state' | 'since' | 'answeredAt'> {
  const { answersSince, answeredAt, silentSince } = times;
  if (isSilentAt(times, now)) return { state: 'silent', since: silentSince ?? now, answeredAt };
  if (answersSince !== null) return { state: 'answers', since: answersSince, answeredAt };
  return { state: 'notAsked', since: openedAt, answeredAt };
}

/** Over all processes; `some`: only some are answered; `inPart`: all are, and a circuit is open. */
export type PeerHealth = Omit<PeerReport, 'state'> & { readonly state: PeerState | 'some' | 'inPart' };

/** From current reports; null: no process has this peer. */
export function peerHealth(reports: readonly ProcessReport[], peer: string): PeerHealth | null {
  const seen = reports
    .filter(isCurrent)
    .flatMap(({ peers }) => peers)
    .filter((one) => one.peer === peer);
  if (seen.length === 0) return null;
  const asked = seen.filter(({ state }) => state !== 'notAsked');
  const silent = asked.filter(({ state }) => state === 'silent');
  const open = asked.filter(({ awayFor }) => awayFor.length > 0);
  const state = stateOf({ asked, silent, open });
  const shown = [silent, open, asked, seen].find(({ length }) => length > 0) ?? seen;
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
  };
}

function stateOf(
  of: Readonly<Record<'asked' | 'silent' | 'open', readonly PeerReport[]>>,
): PeerHealth['state'] {
  if (of.asked.length === 0) return 'notAsked';
  if (of.silent.length === of.asked.length) return 'silent';
  if (of.silent.length > 0) return 'some';
  return of.open.length > 0 ? 'inPart' : 'answers';
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
  clockAheadSeconds: 0,
};

/** A report of another version may lack a field, or have one more. */
export function parseReport(text: string): ReportBody {
  const read: unknown = JSON.parse(text);
  if (typeof read !== 'object' || read === null) return NOTHING;
  return { ...NOTHING, ...(read as Partial<ReportBody>) };
}
