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

/** The acquirer's final no. */
type Refused = { readonly kind: 'refused'; readonly reason: string };
type NotFound = { readonly kind: 'notFound' };
/** `isLook`: the acquirer was only asked by a look-up, behind which nothing was sent. */
type OfLook = { readonly isLook?: boolean };

export type AskOnceSent<Answer> = {
  readonly database: Database;
  readonly requests: SentRequests;
  readonly request: SentBefore;
  /**
   * How long after its mark the acquirer may book a request; null: it knows each request by its reference.
   */
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
  // The horizon begins when the request's connection ends, which is at most the time-out after the mark.
  return { horizon: lateBooking.horizon + timeout, apart: lateBooking.apart };
}

/**
 * Asks with `ask`, and decides whether a no is final. It is final at once if this was the first request,
 * unless the no is doubtful, or what the request came to could not be looked up. Otherwise an earlier request
 * may yet be booked. Then the no is noted, nothing is sent any more, and the no becomes final when two
 * look-ups apart, the last of them behind the acquirer's horizon, show nothing. If that horizon was over
 * before the refused request was sent, no earlier request has to be waited for. The exception is a no that an
 * earlier request would explain (`unlessEarlier`): that request may have been booked unseen, so the whole
 * horizon is waited for again.
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
  // The compiler does not see the assignment in the closure.
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
  // Noted with the denial, so that a process that goes on after this one waits for no earlier request either.
  const taken = isFirst ? (asking.late?.horizon ?? 0) : isAlone ? sinceLastSend : null;
  const since = isSure ? taken : null;
  const noted = await committed(requests.noteDenial(database, request, answer, isUnseen === false, since));
  if (noted !== true) return unusable(noted === false ? reason : `the no could not be kept: ${noted}`);
  if (isSure && isFirst) return { kind: 'refused', reason: refusal ?? reason };
  const said = { denial: reason, deniedAs: refusal };
  return refusedInTime(asking, { ...said, sinceLastSend: since ?? 0, sinceAbsent: 0 });
}

/** A string: why the commit failed, or is in doubt. */
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
