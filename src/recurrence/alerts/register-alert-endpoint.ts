import type { MerchantActor } from '../../audit/audit-event.ts';
import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';

import type { SentRequest } from '../../idempotency/idempotency-key.ts';

import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId } from '../../platform/chance.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import type { Once } from '../../platform/http/refusal.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { callbackEndpoint } from '../../webhooks/deliveries/delivery.ts';
import {
  checkUrl,
  type UrlFault,
  type UrlFormFault,
  type UrlRules,
} from '../../webhooks/posting/url-rules.ts';
import { vetUrl } from '../../webhooks/posting/vet-url.ts';
import type { AlertEvent } from './alert.ts';
import { type AlertEndpoint, eventsOf } from './alert-endpoint.ts';
import type { NewAlertEndpoint, RegisterResult } from './alert-endpoints.sql.ts';
import type { AlertEndpointRefusal } from './refusals.ts';

export type RegisterAlertEndpointTools = FindRequestTools & {
  readonly clock: BusinessClock;
  /** Which addresses are taken. */
  readonly urlRules: UrlRules;
  /** Of a merchant, with its webhooks. */
  readonly registrationLimit: RateLimit;
  /**
   * Sees that the server behind the address is known: deliveries to one that is not would wait for
   * ever.
   */
  readonly rememberCallbackEndpoint: (merchantId: string, url: string) => Promise<void>;
  readonly writeAlertEndpoint: BatchedWrite<NewAlertEndpoint, RegisterResult>;
  /** An endpoint may have to be notified of cards at once. */
  readonly notifyAlerts: () => void;
};

export type AlertEndpointToRegister = Pick<AlertEndpoint, 'name' | 'description' | 'callbackUrl'> & {
  readonly events?: readonly AlertEvent[];
};

export type RegisterAlertEndpointResult =
  | { readonly kind: 'registered'; readonly alertEndpointId: string }
  | { readonly kind: 'tooMany'; readonly secondsToWait: number }
  | { readonly kind: 'refused'; readonly refusal: UrlFault | AlertEndpointRefusal };

/**
 * Registers an active alert endpoint. Asked for again with its key, gives the same id. `deadlineAt`
 * in monotonic milliseconds.
 */
export function registerAlertEndpoint(
  tools: RegisterAlertEndpointTools,
  registrar: MerchantActor,
  wanted: AlertEndpointToRegister,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<RegisterAlertEndpointResult>> {
  const { merchantId } = registrar;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce<RegisterAlertEndpointResult>(tools, merchantId, request, {
    async make(isFirst) {
      // Before the address is looked at: that may take seconds.
      if (!(await isFirst)) return 'keyUsed';
      const secondsToWait = tools.registrationLimit.secondsToWait(merchantId, performance.now());
      if (secondsToWait > 0) return { kind: 'tooMany', secondsToWait };
      const vetted = await vetUrl(tools.urlRules, wanted.callbackUrl, merchantId);
      if (!vetted.ok) return { kind: 'refused', refusal: vetted.reason };
      const row = newAlertEndpoint(tools, registrar, { ...wanted, callbackUrl: vetted.url.href });
      await tools.rememberCallbackEndpoint(merchantId, vetted.url.href);
      const result = await tools.writeAlertEndpoint({ ...row, request }, deadlineAt);
      if (result === 'keyUsed') return result;
      if (result === 'tooManyActive') return { kind: 'refused', refusal: result };
      tools.notifyAlerts();
      return { kind: 'registered', alertEndpointId: row.notifier.alertEndpointId };
    },
    isRefused: ({ kind }) => kind !== 'registered',
    repeatAnswer: async (alertEndpointId) => ({ kind: 'registered', alertEndpointId }),
  });
}

function newAlertEndpoint(
  { clock }: RegisterAlertEndpointTools,
  registrar: MerchantActor,
  wanted: AlertEndpointToRegister,
): Omit<NewAlertEndpoint, 'request'> {
  const { merchantId, userName } = registrar;
  const { name, description, callbackUrl } = wanted;
  const created = { by: userName, at: clock.now(merchantId) };
  const about = { name, description, callbackUrl, events: eventsOf(wanted.events) };
  const notifier = { merchantId, alertEndpointId: newId(), ...about, created };
  return { notifier, registrar, endpoint: callbackEndpoint(callbackUrl) };
}

/**
 * What is wrong with the address of an endpoint whose request is malformed elsewhere: its text
 * alone, for a look-up takes seconds.
 */
export function checkAlertEndpoint(
  { urlRules }: { readonly urlRules: UrlRules },
  { callbackUrl }: { readonly callbackUrl?: string },
): UrlFormFault | null {
  if (callbackUrl === undefined) return null;
  const checked = checkUrl(urlRules, callbackUrl);
  return checked.ok ? null : checked.reason;
}
