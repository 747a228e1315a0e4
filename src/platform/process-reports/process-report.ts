import type { Sample } from '../metrics.ts';

export type PeerState = 'notAsked' | 'answers' | 'silent';

/** How somebody answers, as one process knows it. Milliseconds, by its clock. */
export type PeerReport = {
  /** As the modules that ask it call it: all processes of a database ask the same. */
  readonly peer: string;
  readonly state: PeerState;
  /** Since when it does so. */
  readonly since: number;
  /** Null: no answer has come yet. */
  readonly answeredAt: number | null;
  /** For what the circuit is open: after several silences it is asked now and then only. */
  readonly awayFor: readonly string[];
  /** Since its changes were read; null: it is not asked for any. */
  readonly feedAgeSeconds: number | null;
};

/** What a process says of itself. */
export type ReportBody = {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly cell: string | null;
  readonly roles: readonly string[];
  /** As its gate says it; null: it acts. */
  readonly heldBecause: string | null;
  /** To the database; `waiting`: statements and commits without one. */
  readonly connections: { readonly used: number; readonly most: number; readonly waiting: number };
  /** Whether what it read of the audit log was altered. */
  readonly isAuditBroken: boolean;
  readonly peers: readonly PeerReport[];
};

export type ProcessReport = ReportBody & {
  readonly processId: string;
  /** Milliseconds, by the database's clock. */
  readonly startedAt: number;
  readonly reportedAt: number;
  readonly ageSeconds: number;
};

/** One that has not reported for so long has ended, or does not reach the database. */
const QUIET_SECONDS = 60;

export function isCurrent({ ageSeconds }: Pick<ProcessReport, 'ageSeconds'>): boolean {
  return ageSeconds < QUIET_SECONDS;
}

/** Questions so far, by whether they were answered. */
export type Calls = { readonly answered: number; readonly silent: number };

/** What came instead of an answer; of `full` and `held` nobody was asked. */
const SILENCES = ['unknown', 'notConnected', 'notSent', 'noAnswer', 'silent'];
const UNASKED = ['full', 'held'];

/** From the counts of a process's calls by their result. */
export function callsOf(samples: readonly Sample[]): Calls {
  const sum = (fits: (result: string) => boolean) =>
    samples.reduce((all, { labels, value }) => (fits(String(labels.result)) ? all + value : all), 0);
  const isSilence = (result: string) => SILENCES.includes(result);
  return {
    answered: sum((result) => !isSilence(result) && !UNASKED.includes(result)),
    silent: sum(isSilence),
  };
}

export type SeenPeer = Pick<PeerReport, 'state' | 'since' | 'answeredAt'> & { readonly calls: Calls };

export function unseenPeer(now: number): SeenPeer {
  return { state: 'notAsked', since: now, answeredAt: null, calls: { answered: 0, silent: 0 } };
}

/** What a look finds after the one before: one answer among silences is an answer. */
export function seenAgain(before: SeenPeer, calls: Calls, now: number): SeenPeer {
  const isAnswered = calls.answered > before.calls.answered;
  const isAsked = isAnswered || calls.silent > before.calls.silent;
  const state = isAnswered ? 'answers' : isAsked ? 'silent' : before.state;
  return {
    calls,
    state,
    since: state === before.state ? before.since : now,
    answeredAt: isAnswered ? now : before.answeredAt,
  };
}

/** How somebody answers, as all processes together know it; `some`: not all of them are answered. */
export type PeerHealth = Omit<PeerReport, 'state'> & { readonly state: PeerState | 'some' };

/** Of the current reports; null: no process has such a peer. */
export function peerHealth(reports: readonly ProcessReport[], peer: string): PeerHealth | null {
  const seen = reports
    .filter(isCurrent)
    .flatMap(({ peers }) => peers)
    .filter((one) => one.peer === peer);
  if (seen.length === 0) return null;
  const asked = seen.filter(({ state }) => state !== 'notAsked');
  const silent = asked.filter(({ state }) => state === 'silent');
  const state = asked.length === 0 ? 'notAsked' : silent.length === 0 ? 'answers' : 'some';
  const all = asked.length > 0 && silent.length === asked.length;
  const shown = state === 'some' ? silent : asked.length === 0 ? seen : asked;
  const answers = seen.flatMap(({ answeredAt }) => answeredAt ?? []);
  const ages = seen.flatMap(({ feedAgeSeconds }) => feedAgeSeconds ?? []);
  return {
    peer,
    state: all ? 'silent' : state,
    since: Math.min(...shown.map(({ since }) => since)),
    answeredAt: answers.length === 0 ? null : Math.max(...answers),
    awayFor: [...new Set(seen.flatMap(({ awayFor }) => awayFor))].sort(),
    feedAgeSeconds: ages.length === 0 ? null : Math.min(...ages),
  };
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
};

/** One of another version may lack a part, or have one more. */
export function parseReport(text: string): ReportBody {
  const read: unknown = JSON.parse(text);
  if (typeof read !== 'object' || read === null) return NOTHING;
  return { ...NOTHING, ...(read as Partial<ReportBody>) };
}
