import type { MerchantActor } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { callbackEndpoint } from '../../webhooks/deliveries/delivery.ts';
import {
  checkUrl,
  type UrlFault,
  type UrlFormFault,
  type UrlRules,
} from '../../webhooks/posting/url-rules.ts';
import { vetUrl } from '../../webhooks/posting/vet-url.ts';
import { findExceptionNotifier, type NotifierChange } from './exception-notifiers.sql.ts';

export type ChangeNotifierTools = {
  readonly lookUp: LookUp;
  readonly clock: BusinessClock;
  readonly urlRules: UrlRules;
  /** Of a merchant, with its webhooks. */
  readonly registrationLimit: RateLimit;
  /** Sees that the server behind the address is known: deliveries to one that is not would wait for ever. */
  readonly rememberCallbackEndpoint: (merchantId: string, url: string) => Promise<void>;
  readonly writeNotifierChange: BatchedWrite<NotifierChange, 'done'>;
};

export type RegisterNotifierResult =
  | { readonly kind: 'registered'; readonly callbackUrl: string }
  | { readonly kind: 'accountUnknown' }
  | { readonly kind: 'tooMany'; readonly secondsToWait: number }
  | { readonly kind: 'refused'; readonly fault: UrlFault };

/**
 * Registers where an account is notified of exceptions, or puts another address in its place.
 * `deadlineAt` in monotonic milliseconds.
 */
export async function registerExceptionNotifier(
  tools: ChangeNotifierTools,
  actor: MerchantActor,
  { accountNumber, url }: { readonly accountNumber: string; readonly url: string },
  deadlineAt: number,
): Promise<RegisterNotifierResult> {
  const { merchantId } = actor;
  // Before the address is looked at: that may take seconds.
  const found = await tools.lookUp(merchantId, (database) =>
    findExceptionNotifier(database, merchantId, accountNumber),
  );
  if (found === null) return { kind: 'accountUnknown' };
  const secondsToWait = tools.registrationLimit.secondsToWait(merchantId, performance.now());
  if (secondsToWait > 0) return { kind: 'tooMany', secondsToWait };
  const vetted = await vetUrl(tools.urlRules, url, merchantId);
  if (!vetted.ok) return { kind: 'refused', fault: vetted.reason };
  const callbackUrl = vetted.url.href;
  await tools.rememberCallbackEndpoint(merchantId, callbackUrl);
  const target = { callbackUrl, endpoint: callbackEndpoint(callbackUrl), at: tools.clock.now(merchantId) };
  await tools.writeNotifierChange({ actor, accountNumber, target }, deadlineAt);
  return { kind: 'registered', callbackUrl };
}

/** What is wrong with an address by its text alone: a look-up takes seconds. */
export function checkExceptionNotifier(
  { urlRules }: Pick<ChangeNotifierTools, 'urlRules'>,
  { callbackUrl }: { readonly callbackUrl?: string },
): UrlFormFault | null {
  if (callbackUrl === undefined) return null;
  const checked = checkUrl(urlRules, callbackUrl);
  return checked.ok ? null : checked.reason;
}
