import type { Contract } from '../http/endpoint.ts';
import type { Failure } from '../http/failures.ts';

type CommonAnswer = {
  readonly name: string;
  readonly description: string;
  /** The refusal that stands in the body; null: the body is empty. */
  readonly failure: Failure | null;
};

export const COMMON_ANSWERS = {
  401: {
    name: 'Unauthorized',
    description: 'No token, or one that is not good: the body is empty.',
    failure: null,
  },
  403: {
    name: 'Forbidden',
    description: 'The credential does not have the scope of this operation, which the tag names.',
    failure: 'forbiddenScope',
  },
  404: {
    name: 'NotFound',
    description: 'It does not exist, or belongs to another merchant: alike.',
    failure: 'unknownPath',
  },
  409: {
    name: 'KeyInFlight',
    description: 'The first request with this Idempotency-Key has no outcome yet.',
    failure: 'keyInFlight',
  },
  413: { name: 'TooLarge', description: 'The body is larger than 64 KiB.', failure: 'tooLarge' },
  415: { name: 'WrongContentType', description: 'The body is not JSON.', failure: 'wrongContentType' },
  422: {
    name: 'KeyOfOtherBody',
    description: 'This Idempotency-Key was used with another body or card.',
    failure: 'keyOfOtherBody',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests of this credential, merchant or address.',
    failure: 'tooManyRequests',
  },
  500: { name: 'UnknownFailure', description: 'An unknown failure.', failure: 'unknownFailure' },
  503: {
    name: 'Unavailable',
    description: 'Overloaded, or the database is away: said at once.',
    failure: 'overloaded',
  },
} as const satisfies Record<number, CommonAnswer>;

export type SharedStatus = keyof typeof COMMON_ANSWERS;
export type CommonStatus = 400 | SharedStatus;

export const INVALID_DESCRIPTION = 'The request is malformed: all faults at once.';

/**
 * The statuses that an endpoint shares with others, by its body, token, path parameters and account. 400 is
 * printed with the endpoint's own fields.
 */
export function commonStatuses(endpoint: Contract): CommonStatus[] {
  const { method, query, parameters, scope, isRepeatable, needsNoPlace } = endpoint;
  // The body of a GET is not read. Elsewhere an unexpected body is refused.
  const readsBody = method !== 'GET';
  // An account in the query is looked up like a resource in the path.
  const namesAccount = query !== undefined && 'accountNumber' in query.properties;
  const statuses: (CommonStatus | null)[] = [
    // For a malformed URL, or a parameter name that is always refused.
    400,
    scope === null ? null : 401,
    scope === null || scope === 'any' ? null : 403,
    parameters === undefined && !namesAccount ? null : 404,
    isRepeatable ? 409 : null,
    readsBody ? 413 : null,
    readsBody ? 415 : null,
    isRepeatable ? 422 : null,
    // Calls without a token are counted too, except at health.
    needsNoPlace === true ? null : 429,
    500,
    503,
  ];
  return statuses.filter((status) => status !== null);
}

export function commonDescription(status: CommonStatus): string {
  return status === 400 ? INVALID_DESCRIPTION : COMMON_ANSWERS[status].description;
}
