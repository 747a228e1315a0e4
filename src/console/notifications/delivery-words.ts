import type { AnswerOf } from '../../platform/http/endpoint.ts';
import type { AlertEvent } from '../../recurrence/alerts/alert.ts';
import type { TryFailure } from '../../webhooks/deliveries/delivery-outcome.ts';
import type { GET_DELIVERY } from '../../webhooks/history/contract.ts';
import type { Shown } from '../parts/html.ts';
import { quotation } from '../parts/page-parts.ts';
import type { Wording } from '../parts/wording.ts';

export const KIND_WORDS = {
  Movement: 'Of a movement',
  Callback: 'Callback',
  Test: 'Test',
  Notice: 'Notice',
} as const satisfies Record<AnswerOf<typeof GET_DELIVERY>['kind'], string>;

/** The events that alert endpoints may ask for. */
export const EVENT_WORDS = {
  failed: 'A charge failed',
  paid: 'A billing was paid',
  canceled: 'Canceled',
  blocked: 'Blocked',
  reactivated: 'Activated again',
  completed: 'Completed',
  cardExpiring: 'The card expires soon',
  upcoming: 'A charge lies ahead',
} as const satisfies Record<AlertEvent, string>;

const FAILURE_WORDS: Readonly<Record<TryFailure, string>> = {
  forbiddenUrl: 'Such an address is not called',
  dns: 'Its name is not found',
  forbiddenAddress: 'Its name leads to an address that is not called',
  connect: 'No connection',
  connectTimeout: 'No connection in time',
  tls: 'No TLS',
  certificate: 'Its certificate is not good',
  timeout: 'No answer in time',
  reset: 'The connection broke',
  headersTooLarge: 'The headers of its answer are too large',
  malformed: 'Its answer is no HTTP',
  notSent: 'Not sent: this process had no connection free',
  gone: 'It says that it is gone for good',
  tooManyRequests: 'It asks for fewer at once',
  serverError: 'Its server fails',
  redirect: 'It leads elsewhere, which is not followed',
  refused: 'It did not want it',
  secretNotOpened: 'Not sent: its secret could not be opened',
};

const isKnown = (failure: string): failure is TryFailure => Object.hasOwn(FAILURE_WORDS, failure);

/** `failure` null: the try did not fail. A failure that only another version knows is shown as it is. */
export function failureText(failure: string | null, { say }: Wording): Shown {
  if (failure === null) return '–';
  return isKnown(failure) ? say(FAILURE_WORDS[failure]) : quotation(failure);
}
