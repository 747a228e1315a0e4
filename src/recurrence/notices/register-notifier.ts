import { answerOnce } from '../../idempotency/answer-once.ts';
import type { FindRequestTools } from '../../idempotency/find-earlier-request.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import { identifyRequest } from '../../idempotency/identify-request.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId } from '../../platform/chance.ts';
import type { Once } from '../../platform/http/refusal.ts';
import type { GatheredWrite } from '../../platform/postgres/gathered-writes.ts';
import { callbackTarget } from '../../webhooks/deliveries/delivery.ts';
import {
  checkUrl,
  type UrlFault,
  type UrlFormFault,
  type UrlRules,
} from '../../webhooks/posting/url-rules.ts';
import { vetUrl } from '../../webhooks/posting/vet-url.ts';
import type { Notifier, Registrar } from './notifier.ts';
import type { NewNotifier, RegisterResult } from './notifiers.sql.ts';
import type { NotifierRefusal } from './refusals.ts';

export type RegisterNotifierTools = FindRequestTools & {
  readonly clock: BusinessClock;
  /** Which addresses are taken. */
  readonly urlRules: UrlRules;
  /** Sees that the server behind the address is known: deliveries to one that is not would wait for ever. */
  readonly rememberCallbackTarget: (merchantId: string, url: string) => Promise<void>;
  readonly writeNotifier: GatheredWrite<NewNotifier, RegisterResult>;
  /** Somebody may have to be told of cards at once. */
  readonly ringNotifiers: () => void;
};

export type NotifierToRegister = Pick<Notifier, 'name' | 'description' | 'callbackUrl'>;

export type RegisterNotifierResult =
  | { readonly kind: 'registered'; readonly notifierId: string }
  | { readonly kind: 'refused'; readonly refusal: UrlFault | NotifierRefusal };

/** Registers an active notifier. Asked for again with its key, gives the same id. `deadlineAt` in monotonic milliseconds. */
export function registerNotifier(
  tools: RegisterNotifierTools,
  registrar: Registrar,
  wanted: NotifierToRegister,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<RegisterNotifierResult>> {
  const { merchantId } = registrar;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce<RegisterNotifierResult>(tools, merchantId, request, {
    async make(isFirst) {
      // Before the address is looked at: that may take seconds.
      if (!(await isFirst)) return 'keyUsed';
      const vetted = await vetUrl(tools.urlRules, wanted.callbackUrl);
      if (!vetted.ok) return { kind: 'refused', refusal: vetted.reason };
      const row = newNotifier(tools, registrar, { ...wanted, callbackUrl: vetted.url.href });
      await tools.rememberCallbackTarget(merchantId, vetted.url.href);
      const result = await tools.writeNotifier({ ...row, request }, deadlineAt);
      if (result === 'keyUsed') return result;
      if (result === 'tooManyActive') return { kind: 'refused', refusal: result };
      tools.ringNotifiers();
      return { kind: 'registered', notifierId: row.notifier.notifierId };
    },
    isRefused: ({ kind }) => kind === 'refused',
    tellAgain: async (notifierId) => ({ kind: 'registered', notifierId }),
  });
}

function newNotifier(
  { clock }: RegisterNotifierTools,
  { merchantId, userName }: Registrar,
  wanted: NotifierToRegister,
): Omit<NewNotifier, 'request'> {
  const { name, description, callbackUrl } = wanted;
  const created = { by: userName, at: clock.now(merchantId) };
  const notifier = { merchantId, notifierId: newId(), name, description, callbackUrl, created };
  return { notifier, target: callbackTarget(callbackUrl) };
}

/** What is wrong with the address of a notifier that is malformed elsewhere: its text alone, for a look-up takes seconds. */
export function checkNotifier(
  { urlRules }: { readonly urlRules: UrlRules },
  { callbackUrl }: { readonly callbackUrl?: string },
): UrlFormFault | null {
  if (callbackUrl === undefined) return null;
  const checked = checkUrl(urlRules, callbackUrl);
  return checked.ok ? null : checked.reason;
}
