import type { MerchantActor } from '../../audit/audit-event.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Overloaded } from '../../platform/work/overloaded.ts';
import { accountEndpoint, callbackEndpoint } from '../deliveries/delivery.ts';
import type { UrlFault, UrlRules } from '../posting/url-rules.ts';
import { vetUrl } from '../posting/vet-url.ts';
import { basicAuthRecord } from './webhook-endpoint.ts';
import {
  type CallbackEndpoint,
  findRegistration,
  type RegisterResult,
  type Registration,
} from './webhook-endpoints.sql.ts';

export type RegisterWebhookTools = {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly urlRules: UrlRules;
  /** Of a merchant: each registration looks a name up, and is audited. */
  readonly registrationLimit: RateLimit;
  readonly writeRegistration: BatchedWrite<Registration, RegisterResult>;
  /** Something may be due at once: wakes the sending. */
  readonly notify: () => void;
};

export type WebhookToRegister = {
  readonly accountNumber: string;
  readonly url: string;
  /** `user:password`; null: without. */
  readonly basicAuth: string | null;
};

export type RegisterWebhookResult =
  | { readonly kind: 'registered'; readonly url: string }
  | { readonly kind: 'accountUnknown' }
  | { readonly kind: 'tooMany'; readonly secondsToWait: number }
  | { readonly kind: 'refused'; readonly fault: UrlFault };

/** A key is retired by hand and seldom: three times in one request is no rotation but a mistake. */
const MOST_SEALINGS = 3;

/**
 * Registers the address that is notified of an account, or puts another in its place, login
 * included. What waits is sent there at once, also when the earlier one was disabled. `deadlineAt`
 * is the end of the request, in monotonic milliseconds.
 */
export async function registerWebhook(
  tools: RegisterWebhookTools,
  registrant: MerchantActor,
  { accountNumber, url: text, basicAuth }: WebhookToRegister,
  deadlineAt: number,
): Promise<RegisterWebhookResult> {
  const { database, urlRules } = tools;
  // Before the address is looked up: that may take seconds, and would show that the account is
  // another merchant's.
  if ((await findRegistration(database, registrant.merchantId, accountNumber)) === null)
    return { kind: 'accountUnknown' };
  const secondsToWait = tools.registrationLimit.secondsToWait(registrant.merchantId, performance.now());
  if (secondsToWait > 0) return { kind: 'tooMany', secondsToWait };
  const vetted = await vetUrl(urlRules, text, registrant.merchantId);
  if (!vetted.ok) return { kind: 'refused', fault: vetted.reason };
  const { href: url } = vetted.url;
  await writeSealed(
    tools,
    { merchantId: registrant.merchantId, accountNumber, url, registrant },
    basicAuth,
    deadlineAt,
  );
  tools.notify();
  return { kind: 'registered', url };
}

/**
 * Seals and commits; a key that was retired between the two has a successor, under which it is
 * sealed again.
 */
async function writeSealed(
  { keyring, writeRegistration }: RegisterWebhookTools,
  registration: Omit<Registration, 'basicAuth'>,
  login: string | null,
  deadlineAt: number,
): Promise<void> {
  const { merchantId, accountNumber } = registration;
  const record = basicAuthRecord(merchantId, accountEndpoint(accountNumber));
  for (let sealing = 1; sealing <= MOST_SEALINGS; sealing += 1) {
    const basicAuth = login === null ? null : keyring.seal('secret', record, Buffer.from(login, 'utf8'));
    const result = await writeRegistration({ ...registration, basicAuth }, deadlineAt);
    if (result === 'registered') return;
    await keyring.reload();
  }
  throw new Overloaded('the data key was retired again and again');
}

export type CallbackEndpointTools = {
  readonly writeCallbackEndpoint: BatchedWrite<CallbackEndpoint, true>;
  /** Endpoints of this process that certainly have a row: such a row is never deleted. */
  readonly knownCallbackEndpoints: Set<string>;
};

/** A merchant's callbacks go to one server or two. */
const MOST_REMEMBERED = 20_000;

/**
 * Makes sure that the server behind the callback address of a payment has its row, without which
 * nothing would be delivered there. Usually needs no query. `deadlineAt` in monotonic milliseconds.
 */
export async function rememberCallbackEndpoint(
  { writeCallbackEndpoint, knownCallbackEndpoints: known }: CallbackEndpointTools,
  merchantId: string,
  url: string,
  deadlineAt: number,
): Promise<void> {
  const endpoint = callbackEndpoint(url);
  const name = `${merchantId}|${endpoint}`;
  if (known.has(name)) return;
  await writeCallbackEndpoint({ merchantId, endpoint }, deadlineAt);
  if (known.size >= MOST_REMEMBERED) known.delete(known.values().next().value as string);
  known.add(name);
}
