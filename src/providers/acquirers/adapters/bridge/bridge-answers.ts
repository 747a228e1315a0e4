import type { Asked, ChannelAnswer } from '../../../../platform/channels/ask-once.ts';
import { cents } from '../../../../values/cents.ts';
import {
  type AuthorizationAnswer,
  type AuthorizationRequest,
  CANCEL_REFUSAL_REASONS,
  type CancelAnswer,
  type CancelRequest,
  type FoundCharge,
  type NotConnected,
  type NotMade,
  type NotSent,
  REFERENCE_OF_ANOTHER,
  type Unknown,
  type VerificationAnswer,
  type VoidAnswer,
} from '../../acquirer.ts';
import { isCode, unknown } from '../../direct-acquirer.ts';
import { readNetworkReference } from '../../network-reference.ts';

type Fields = Record<string, unknown>;

const NOTHING = cents(0);

/** An answer with another reference or amount is unknown, and will be resolved. */
export function readAuthorization(
  answer: Asked,
  asked: Pick<AuthorizationRequest, 'reference' | 'amount' | 'capture'>,
): Exclude<AuthorizationAnswer, NotMade> {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  if (answer.status === 409 && body?.error === 'referenceReused') return unknown(REFERENCE_OF_ANOTHER);
  if (answer.status !== 200 || body === null) return unknown(`the acquirer answered ${answer.status}`);
  if (body.reference !== asked.reference) return unknown('the answer was for another reference');
  if (body.amount !== asked.amount) return unknown('the answer was for another amount');
  if (asked.capture === 'atOnce') return readOutcome(body, body.outcome);
  // "approved" would say that the card was charged, which was not requested.
  if (body.outcome === 'approved') return unknown('the answer was not for a pre-authorization');
  const read = readOutcome(body, body.outcome === 'preauthorized' ? 'approved' : body.outcome);
  return read.kind === 'approved' ? { ...read, kind: 'preauthorized' } : read;
}

/** Read like the authorization of a zero amount. */
export function readVerification(answer: Asked, reference: string): VerificationAnswer {
  const read = readAuthorization(answer, { reference, amount: NOTHING, capture: 'atOnce' });
  return read.kind === 'preauthorized' ? unknown('the answer was for a pre-authorization') : read;
}

export function readFoundCharge(answer: ChannelAnswer | Unknown | NotSent, reference: string): FoundCharge {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  if (answer.status === 404 && body?.error === 'notFound') return { kind: 'notFound' };
  if (answer.status !== 200 || body === null) return unknown(`the acquirer answered ${answer.status}`);
  if (body.reference !== reference) return unknown('the answer was for another reference');
  if (body.status === 'undone') return { kind: 'voided' };
  if (body.status === 'preauthorized') return { kind: 'preauthorized' };
  const found = readOutcome(body, body.status);
  // The bridge answers about this charge, so it is not away.
  if (found.kind === 'unknown')
    return { ...found, cause: 'unusable', ...(body.status === 'canceled' ? { isGivenBack: true } : {}) };
  if (found.kind !== 'approved') return found;
  return { ...found, amount: Number.isSafeInteger(body.amount) ? (body.amount as number) : null };
}

export function readVoid(answer: ChannelAnswer | Unknown | NotSent, reference: string): VoidAnswer {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  if (answer.status === 409 && body?.error === 'canceled')
    return { kind: 'canceled', reason: 'the acquirer has cancels of it, and voids it no more' };
  if (answer.status !== 200 || body === null) return unknown(`the acquirer answered ${answer.status}`);
  if (body.reference !== reference) return unknown('the answer was for another reference');
  if (body.status === 'undone') return { kind: 'voided' };
  if (body.status === 'declined') return { kind: 'declined' };
  return unknown('the acquirer did not acknowledge the void');
}

/** An answer with another reference or amount is unknown. */
export function readCancel(
  answer: Asked,
  asked: Pick<CancelRequest, 'cancellationReference' | 'amount'>,
): CancelAnswer {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  if (answer.status !== 200 || body === null) return unknown(`the acquirer answered ${answer.status}`);
  if (body.cancellationReference !== asked.cancellationReference) {
    return unknown('the answer was for another cancellation');
  }
  if (body.outcome === 'canceled') {
    return body.amount === asked.amount ? { kind: 'canceled' } : unknown('the answer was for another amount');
  }
  if (body.outcome === 'pending') {
    return body.amount === asked.amount ? { kind: 'pending' } : unknown('the answer was for another amount');
  }
  const reason = CANCEL_REFUSAL_REASONS.find((known) => known === body.reason);
  if (body.outcome === 'refused' && reason !== undefined) return { kind: 'refused', reason };
  return unknown('the answer was neither a yes nor a no');
}

function readOutcome(body: Fields, outcome: unknown): Exclude<VerificationAnswer, NotConnected | NotSent> {
  if (outcome === 'approved') {
    const { authorizationCode, nsu, networkTransactionId, transactionLinkId, tid } = body;
    if (!isShortText(authorizationCode) || !isShortText(nsu)) return unknown('the approval was incomplete');
    return {
      kind: 'approved',
      authorizationCode,
      nsu,
      networkReference: readNetworkReference(networkTransactionId, transactionLinkId),
      tid: isTid(tid) ? tid : null,
    };
  }
  if (outcome === 'declined') {
    const { responseCode, adviceCode } = body;
    if (!isCode(responseCode)) return unknown('the decline had no code');
    return { kind: 'declined', responseCode, adviceCode: isCode(adviceCode) ? adviceCode : null };
  }
  return unknown('the answer was neither a yes nor a no');
}

/** Voids, look-ups and changes treat a missing connection as unknown: they are repeated either way. */
export function connectedOrUnknown(answer: Asked): ChannelAnswer | Unknown | NotSent {
  return answer.kind === 'notConnected' ? { ...answer, kind: 'unknown' } : answer;
}

/** Null for what is no object. */
export function fieldsOf(body: unknown): Fields | null {
  return typeof body === 'object' && body !== null ? (body as Fields) : null;
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,40}$/.test(value);
}

/** Stored as the acquirer writes it, because its files are searched for the same text. */
function isTid(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,32}$/.test(value) && value.trim() !== '';
}
