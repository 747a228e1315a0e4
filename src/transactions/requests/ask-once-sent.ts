import { unusable } from '../../platform/channels/unclear.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { AcquirerTraits, Denied } from '../../providers/acquirers/acquirer.ts';
import type { LateBooking } from '../../providers/acquirers/late-booking.ts';
import { millisecondsUntilGone } from '../transaction.ts';
import type { UnansweredRequest } from './request-queue.sql.ts';
import type { Unclear } from './resolve-requests.ts';
import type { SentRequests } from './sent-requests.sql.ts';

type SentBefore = Pick<
  UnansweredRequest,
  'merchantId' | 'requestId' | 'fence' | 'sinceLastSend' | 'denial' | 'deniedAs' | 'sinceDenied'
>;

export const NEVER_SENT = { sinceLastSend: null, denial: null, deniedAs: null, sinceDenied: null } as const;

/** By the acquirer's own word. */
type Refused = { readonly kind: 'refused'; readonly reason: string };
type NotFound = { readonly kind: 'notFound' };
/** Nothing was sent behind the look-up. */
type OfLook = { readonly isLook?: boolean };

export type AskOnceSent<Answer> = {
  readonly database: Database;
  readonly requests: SentRequests;
  readonly request: SentBefore;
  /** From the mark, until when the acquirer may book such a request; null: it knows each by its reference. */
  readonly late: Pick<LateBooking, 'horizon' | 'apart'> | null;
  /**
   * Sends nothing before `markSent` has said yes, and only looks where the request has a `denial`.
   * `notFound`: it was looked for, and nothing was sent.
   */
  readonly ask: (markSent: () => Promise<boolean>) => Promise<Answer | Refused | Denied | NotFound | Unclear>;
};

export function lateCancels({ lateBooking }: AcquirerTraits): AskOnceSent<never>['late'] {
  return lateBooking === null ? null : { horizon: lateBooking.silence, apart: lateBooking.apart };
}

export function lateCaptures({ lateBooking }: AcquirerTraits, timeout: number): AskOnceSent<never>['late'] {
  if (lateBooking === null) return null;
  // Its horizon begins when the request's connection ends.
  return { horizon: lateBooking.horizon + timeout, apart: lateBooking.apart };
}

/**
 * A no is believed at once where nothing else was ever sent, unless it is doubtful or could not be looked up.
 * One that was sent before may yet be booked: the no is noted, nothing is sent any more, and it is believed
 * when two look-ups apart, the last of them behind the acquirer's horizon, show nothing. Where that was over
 * before the request of the no was sent, nothing is left of it to wait for, unless it would explain the no:
 * then it may have been booked unseen, and the whole horizon is waited for again.
 */
export async function askOnceSent<Answer extends { readonly kind: string }>(
  asking: AskOnceSent<Answer>,
): Promise<(Answer | Refused | Unclear) & OfLook> {
  const { database, requests, request } = asking;
  let marked: Committed = false;
  const answer = await asking.ask(async () => {
    marked = await committed(requests.markSent(database, request));
    return marked === true;
  });
  // An assignment in a closure is not seen.
  const mark = marked as Committed;
  const ended = await endOf(asking, answer, mark);
  return asking.late !== null && mark === false ? { ...ended, isLook: true } : ended;
}

async function endOf<Answer extends { readonly kind: string }>(
  asking: AskOnceSent<Answer>,
  answer: Answer | Refused | Denied | NotFound | Unclear,
  mark: Committed,
): Promise<Answer | Refused | Unclear> {
  const { database, requests, request } = asking;
  if (isUnclear(answer)) {
    const isUnsent = typeof mark === 'string' || (mark && answer.kind !== 'unknown');
    if (isUnsent) await committed(requests.takeBack(database, request, request.sinceLastSend));
    if (typeof mark !== 'string') return answer;
    return { ...answer, reason: `it could not be marked as sent: ${mark}` };
  }
  if (isNotFound(answer)) return notFound(asking);
  if (!isDenied(answer)) return answer as Answer | Refused;
  const { reason, refusal, proof, isUnseen } = answer;
  const { sinceLastSend } = request;
  const isFirst = sinceLastSend === null;
  const isSure = proof !== 'doubtful' && isUnseen !== true;
  const isAlone = proof === 'clear' && !isFirst && sinceLastSend >= (asking.late?.horizon ?? 0);
  // Where this process dies now, the next one has nothing earlier to wait for either.
  const taken = isFirst ? (asking.late?.horizon ?? 0) : isAlone ? sinceLastSend : null;
  const since = isSure ? taken : null;
  const noted = await committed(requests.noteDenial(database, request, answer, isUnseen === false, since));
  if (noted !== true) return unusable(noted === false ? reason : `the no could not be kept: ${noted}`);
  if (isSure && isFirst) return { kind: 'refused', reason: refusal ?? reason };
  const said = { denial: reason, deniedAs: refusal };
  return refusedInTime(asking, { ...said, sinceLastSend: since ?? 0, sinceAbsent: 0 });
}

/** A string: why it failed, or is in doubt. */
type Committed = boolean | string;

function committed(commit: Promise<boolean>): Promise<Committed> {
  return commit.catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
}

async function notFound({
  database,
  requests,
  request,
  late,
}: Omit<AskOnceSent<never>, 'ask'>): Promise<Refused | Unclear> {
  const { denial, deniedAs, sinceLastSend, sinceDenied } = request;
  if (denial === null) {
    const left = (late?.horizon ?? 0) - (sinceLastSend ?? 0);
    return { ...unusable('the acquirer may still book it'), left };
  }
  const noted = sinceDenied !== null || (await committed(requests.noteAbsence(database, request)));
  if (typeof noted === 'string') return unusable(`that it is not shown could not be kept: ${noted}`);
  // What a process of an older version sent unmarked, it sent before the no.
  const sinceAbsent = sinceDenied ?? 0;
  return refusedInTime(
    { late },
    { denial, deniedAs, sinceLastSend: sinceLastSend ?? sinceAbsent, sinceAbsent },
  );
}

function refusedInTime(
  { late }: Pick<AskOnceSent<never>, 'late'>,
  said: Pick<SentBefore, 'deniedAs'> & {
    readonly denial: string;
    readonly sinceLastSend: number;
    readonly sinceAbsent: number;
  },
): Refused | Unclear {
  const { denial, deniedAs, sinceLastSend: searchedMilliseconds, sinceAbsent: clearMilliseconds } = said;
  const until = late ?? { horizon: 0, apart: 0 };
  const left = millisecondsUntilGone(until, { searchedMilliseconds, clearMilliseconds });
  if (left === 0) return { kind: 'refused', reason: deniedAs ?? denial };
  return { ...unusable(`the acquirer said no, and may book an earlier request yet: ${denial}`), left };
}

type Asked = { readonly kind: string };

function isUnclear(answer: Asked): answer is Unclear {
  return answer.kind === 'unknown' || answer.kind === 'notSent' || answer.kind === 'notConnected';
}

function isNotFound(answer: Asked): answer is NotFound {
  return answer.kind === 'notFound';
}

function isDenied(answer: Asked): answer is Denied {
  return answer.kind === 'denied';
}
