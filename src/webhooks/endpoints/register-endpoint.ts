import type { MerchantActor } from '../../audit/audit-event.ts';
import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import { callbackEndpoint } from '../deliveries/delivery.ts';
import type { UrlFault, UrlRules } from '../posting/url-rules.ts';
import { vetUrl } from '../posting/vet-url.ts';
import type { EndpointChange, EndpointChangeResult } from './registrations.sql.ts';
import {
  basicAuthRecord,
  type EndpointDescription,
  type EndpointKind,
  endpointOf,
} from './webhook-endpoint.ts';
import { type CallbackEndpoint, findOfAccount } from './webhook-endpoints.sql.ts';

/** What registers and removes endpoints of every kind. */
export type EndpointRegistry = Pick<ModuleContext, 'lookUp' | 'clock'> & {
  readonly keyring: Keyring;
  readonly urlRules: UrlRules;
  /** Per merchant, because each registration looks a name up and writes to the audit log. */
  readonly registrationLimit: Pick<RateLimit, 'secondsToWait'>;
  readonly changeEndpoint: BatchedWrite<EndpointChange, EndpointChangeResult>;
  /** Wakes the sending of deliveries: after a registration some may be due at once. */
  readonly notify: () => void;
  /** After a removal: wakes the work that gives up the deliveries which the commit of the removal left. */
  readonly notifyRemoved: () => void;
};

export type EndpointToRegister = {
  readonly kind: EndpointKind;
  /** The account number, or a new id for kinds with several endpoints. */
  readonly of: string;
  readonly url: string;
  /** `user:password`; absent or null: no login. */
  readonly basicAuth?: string | null;
  readonly description?: EndpointDescription | null;
  readonly request?: KeyedRequest | null;
};

export type RegisterEndpointResult =
  | { readonly kind: 'registered'; readonly url: string }
  | { readonly kind: 'tooMany'; readonly secondsToWait: number }
  | { readonly kind: 'refused'; readonly fault: UrlFault }
  | { readonly kind: 'tooManyActive' }
  | { readonly kind: 'keyUsed' };

export type MoveEndpointResult = 'done' | 'notFound' | 'tooManyActive';

/** Data keys are retired seldom, and by hand: three times during one request would be a mistake. */
const MOST_SEALINGS = 3;

/** Waiting deliveries go to the new URL at once. `deadlineAt`: monotonic milliseconds. */
export async function registerEndpoint(
  tools: Omit<EndpointRegistry, 'lookUp' | 'notifyRemoved'>,
  registrant: MerchantActor,
  wanted: EndpointToRegister,
  deadlineAt: number,
): Promise<RegisterEndpointResult> {
  const { merchantId } = registrant;
  const secondsToWait = tools.registrationLimit.secondsToWait(merchantId, performance.now());
  if (secondsToWait > 0) return { kind: 'tooMany', secondsToWait };
  const vetted = await vetUrl(tools.urlRules, wanted.url, merchantId);
  if (!vetted.ok) return { kind: 'refused', fault: vetted.reason };
  const { href: url } = vetted.url;
  const result = await writeSealed(tools, registrant, { ...wanted, url }, deadlineAt);
  if (result !== 'done') return { kind: result };
  tools.notify();
  return { kind: 'registered', url };
}

export async function registerOfAccount(
  tools: EndpointRegistry,
  registrant: MerchantActor,
  wanted: EndpointToRegister,
  deadlineAt: number,
): Promise<RegisterEndpointResult | { readonly kind: 'accountUnknown' }> {
  // Asked before the DNS look-up, which takes seconds: an account that is not the merchant's is refused at
  // once.
  const found = await tools.lookUp(registrant.merchantId, (database) =>
    findOfAccount(database, registrant.merchantId, wanted.kind, wanted.of),
  );
  if (found === null) return { kind: 'accountUnknown' };
  return registerEndpoint(tools, registrant, wanted, deadlineAt);
}

/** If the data key of the login is retired before the commit, seals again under its successor. */
async function writeSealed(
  { keyring, clock, changeEndpoint }: Pick<EndpointRegistry, 'keyring' | 'clock' | 'changeEndpoint'>,
  actor: MerchantActor,
  { kind, of, url, basicAuth: login = null, description = null, request = null }: EndpointToRegister,
  deadlineAt: number,
): Promise<'done' | 'tooManyActive' | 'keyUsed'> {
  const { merchantId } = actor;
  const record = basicAuthRecord(merchantId, endpointOf(kind, of));
  for (let sealing = 1; sealing <= MOST_SEALINGS; sealing += 1) {
    const basicAuth = login === null ? null : keyring.seal('secret', record, Buffer.from(login, 'utf8'));
    const at = clock.now(merchantId);
    const wanted = { event: 'register', url, basicAuth, description, request } as const;
    const result = await changeEndpoint({ kind, of, actor, at, wanted }, deadlineAt);
    if (result === 'tooManyActive' || result === 'keyUsed') return result;
    if (result !== 'keyRetired') return 'done';
    await keyring.reload();
  }
  throw new Overloaded('the data key was retired again and again');
}

/** A removal gives up the waiting deliveries: the first ones in the same commit, the rest right after. */
export async function moveEndpoint(
  { clock, changeEndpoint, notifyRemoved }: EndpointRegistry,
  actor: MerchantActor,
  { kind, of }: Pick<EndpointToRegister, 'kind' | 'of'>,
  event: 'remove' | 'restore',
  deadlineAt: number,
): Promise<MoveEndpointResult> {
  const at = clock.now(actor.merchantId);
  const result = await changeEndpoint({ kind, of, actor, at, wanted: { event } }, deadlineAt);
  if (event === 'remove') notifyRemoved();
  return result === 'notFound' || result === 'tooManyActive' ? result : 'done';
}

export type CallbackEndpointTools = {
  readonly writeCallbackEndpoint: BatchedWrite<CallbackEndpoint, true>;
  /** Endpoints that have a row, as far as this process knows. Such a row is never deleted. */
  readonly knownCallbackEndpoints: Set<string>;
};

const MOST_REMEMBERED = 20_000;

/**
 * Makes sure that the server of a callback has its row: without one nothing is delivered there. Usually needs
 * no query. `deadlineAt`: monotonic milliseconds.
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
