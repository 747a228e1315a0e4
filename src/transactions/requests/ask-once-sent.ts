import { unusable } from '../../platform/channels/unclear.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { AcquirerTraits, Denied, LateBooking } from '../../providers/acquirers/acquirer.ts';
import { millisecondsUntilGone } from '../transaction.ts';
import type { UnansweredRequest } from './request-queue.sql.ts';
import type { Unclear } from './resolve-requests.ts';
import type { SentRequests } from './sent-requests.sql.ts';

type SentBefore = Pick<
  UnansweredRequest,
  'merchantId' | 'requestId' | 'fence' | 'sinceLastSend' | 'denial' | 'sinceDenied'
>;

export const NEVER_SENT = { sinceLastSend: null, denial: null, sinceDenied: null } as const;

/** By the acquirer's own word. */
type Refused = { readonly kind: 'refused'; readonly reason: string };
type NotFound = { readonly kind: 'notFound' };

export type AskOnceSent<Answer> = {
  readonly database: Database;
  readonly requests: SentRequests;
  readonly request: SentBefore;
  /** Until when the acquirer may book requests of this kind; null: it knows each by its reference. */
  readonly late: Pick<LateBooking, 'horizon' | 'apart'> | null;
  /** Sends nothing before `markSent` has said yes, and only looks where the request has a `denial`. */
  readonly ask: (markSent: () => Promise<boolean>) => Promise<Answer | Refused | Denied | NotFound | Unclear>;
};

export function lateCancels({ lateBooking }: AcquirerTraits): AskOnceSent<never>['late'] {
  return lateBooking === null ? null : { horizon: lateBooking.silence, apart: lateBooking.apart };
}

/**
 * Believes a no at once where nothing else was ever sent. One that was sent before may yet be booked: the no
 * is noted, nothing is sent any more, and it is believed when two look-ups apart, the last of them behind the
 * acquirer's horizon, show nothing.
 */
export async function askOnceSent<Answer extends { readonly kind: string }>(
  asking: AskOnceSent<Answer>,
): Promise<Answer | Refused | Unclear> {
  const { database, requests, request, late } = asking;
  let isSent = false;
  const answer = await asking.ask(async () => {
    isSent = await requests.markSent(database, request);
    return isSent;
  });
  if (isNotFound(answer)) {
    const { denial } = request;
    if (denial === null) return unusable('the acquirer does not show it');
    if (request.sinceDenied === null) await requests.noteAbsence(database, request);
    return refusedInTime(denial, request.sinceLastSend, request.sinceDenied ?? 0, late);
  }
  if (!isNo(answer, isSent)) return answer as Answer | Refused | Unclear;
  const { kind, reason, isUnseen = kind === 'refused' } = answer;
  if (!(await requests.noteDenial(database, request, reason, !isUnseen))) return unusable(reason);
  const isFirst = isSent && request.sinceLastSend === null;
  const isBelieved = isFirst && !(kind === 'denied' && isUnseen);
  return isBelieved ? { kind: 'refused', reason } : refusedInTime(reason, 0, 0, late);
}

function refusedInTime(
  reason: string,
  sinceLastSend: number | null,
  sinceAbsent: number,
  late: AskOnceSent<never>['late'],
): Refused | Unclear {
  // What a process of an older version sent unmarked, it sent before the no.
  const searchedMilliseconds = sinceLastSend ?? sinceAbsent;
  const until = late ?? { horizon: 0, apart: 0 };
  const left = millisecondsUntilGone(until, { searchedMilliseconds, clearMilliseconds: sinceAbsent });
  if (left === 0) return { kind: 'refused', reason };
  return { ...unusable(`the acquirer said no, and may book an earlier request yet: ${reason}`), left };
}

type Asked = { readonly kind: string };

function isNotFound(answer: Asked): answer is NotFound {
  return answer.kind === 'notFound';
}

/** What was refused unsent is refused by what the acquirer shows, and stays so. */
function isNo(answer: Asked, isSent: boolean): answer is Denied | (Refused & { readonly isUnseen?: never }) {
  return answer.kind === 'denied' || (answer.kind === 'refused' && isSent);
}
