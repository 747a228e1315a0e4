import packageJson from '../../package.json' with { type: 'json' };
import type { Audit } from '../audit/audit-event.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { serve } from '../platform/http/endpoint.ts';
import { rateLimit } from '../platform/http/rate-limit.ts';
import type { Module, ModuleContext, Published } from '../platform/module.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { forgetInBatches } from '../platform/work/every-so-often.ts';
import { createWakeSignal, type WakeSignal } from '../platform/work/wake-signal.ts';
import { type Deliveries, openDeliveries } from './deliveries/module.ts';
import type { SendTools } from './deliveries/send-delivery.ts';
import { REGISTRATION_ENDPOINTS, WEBHOOK_REFUSALS } from './endpoints/endpoints.ts';
import { type EndpointRegistry, rememberCallbackEndpoint } from './endpoints/register-endpoint.ts';
import { endpointChangesWrite } from './endpoints/registrations.sql.ts';
import {
  callbackEndpointsWrite,
  findRemovedEndpoints,
  giveUpDeliveries,
} from './endpoints/webhook-endpoints.sql.ts';
import { PERIOD_FAULTS } from './history/contract.ts';
import { DELIVERY_HISTORY_ENDPOINTS, RESEND_REFUSALS } from './history/endpoints.ts';
import { openHistory } from './history/module.ts';
import { gatedPost, openCarefulPost } from './posting/open-careful-post.ts';
import { openUrlRules, type UrlSettings } from './posting/open-url-rules.ts';
import { signMessage } from './posting/sign-message.ts';
import { type UrlRules, urlRefusals } from './posting/url-rules.ts';
import { openEndpointSecrets } from './secrets/create-secret.ts';
import { SECRET_ENDPOINTS } from './secrets/endpoints.ts';
import { forgetPreviousSecrets, secretsWrite } from './secrets/secrets.sql.ts';
import TEXTS from './texts.json' with { type: 'json' };

const FOLLOW_MILLISECONDS = 1_000;
const PAUSE_MILLISECONDS = 30_000;

/** Runs at a wake signal, and now and then, because payments may write deliveries after the removal. */
function removedEndpointsWork(database: Database, wakeSignal: WakeSignal): Work {
  let nextAt = 0;
  let wakesSeen = wakeSignal.count();
  return {
    name: 'giveUpRemovedEndpoints',
    wakeSignal,
    async runDue(signal) {
      if (performance.now() < nextAt && wakeSignal.count() === wakesSeen) return 0;
      wakesSeen = wakeSignal.count();
      const { givenUp, isAnyLeft } = await giveUpRemoved(database, signal);
      nextAt = performance.now() + (isAnyLeft ? FOLLOW_MILLISECONDS : PAUSE_MILLISECONDS);
      if (givenUp > 0) nextAt = 0;
      return givenUp;
    },
    millisecondsUntilDue: () => Math.max(0, nextAt - performance.now()),
  };
}

const ENDPOINTS = 20;
const ROWS_PER_COMMIT = 1_000;
/** After these commits the other endpoints have their turn. */
const COMMITS_PER_ENDPOINT = 20;

/**
 * Gives up what the commit of a removal left, and what payments wrote that had not seen the removal.
 * `isAnyLeft`: there may be more.
 */
async function giveUpRemoved(
  database: Database,
  signal: AbortSignal,
): Promise<{ readonly givenUp: number; readonly isAnyLeft: boolean }> {
  const endpoints = await findRemovedEndpoints(database, ENDPOINTS);
  let givenUp = 0;
  for (const endpoint of endpoints) {
    let from: number | null = null;
    for (let commits = 0; commits < COMMITS_PER_ENDPOINT && !signal.aborted; commits += 1) {
      // Continues after the last batch, because index entries of given-up rows stay for a while.
      const { count, last } = await giveUpDeliveries(database, endpoint, from, ROWS_PER_COMMIT);
      givenUp += count;
      from = last;
      if (count < ROWS_PER_COMMIT) break;
    }
  }
  return { givenUp, isAnyLeft: endpoints.length > 0 };
}

export const WEBHOOKS: Published = {
  texts: TEXTS,
  endpoints: [...DELIVERY_HISTORY_ENDPOINTS, ...REGISTRATION_ENDPOINTS, ...SECRET_ENDPOINTS],
  refusals: [
    {
      title: 'Periods of deliveries',
      text: 'Why the period of a list or of a repetition of webhook deliveries is no period.',
      refusals: PERIOD_FAULTS,
    },
    {
      title: 'Deliveries to be sent again',
      text: 'Why a webhook delivery is not sent again.',
      refusals: RESEND_REFUSALS,
    },
    {
      title: 'Webhooks',
      text: 'Why an address is not registered.',
      refusals: { ...urlRefusals('url'), ...WEBHOOK_REFUSALS },
    },
  ],
};

/** If writing the row of a callback's server takes longer, the payment is refused: it has 15 s in all. */
const CALLBACK_ENDPOINT_MILLISECONDS = 5_000;
/** A merchant may use all registrations of a minute at once. */
const REGISTRATION_BURST_SECONDS = 60;

type WebhooksContext = ModuleContext & {
  readonly configuration: UrlSettings & {
    readonly webhooks: {
      readonly retentionDays: number;
      readonly testsPerMinute: number;
      readonly registrationsPerMinute: number;
    };
  };
  readonly keyring: Keyring;
  readonly audit: Audit;
};

export type Webhooks = Module &
  Pick<Deliveries, 'deliverer'> & {
    readonly urlRules: UrlRules;
    readonly registry: EndpointRegistry;
    readonly rememberCallbackEndpoint: (merchantId: string, url: string) => Promise<void>;
  };

export function openWebhooks(context: WebhooksContext): Webhooks {
  const { database, lookUp, batched, clock, keyring, audit } = context;
  const urlRules = openUrlRules(context.configuration);
  const send = openSending(context, urlRules);
  const deliveries = openDeliveries(context, send);
  const notify = () => deliveries.deliverer.notify();
  const history = openHistory(context, send, notify);
  const removed = createWakeSignal();
  const { registrationsPerMinute } = context.configuration.webhooks;
  const registry: EndpointRegistry = {
    lookUp,
    keyring,
    clock,
    urlRules,
    registrationLimit: rateLimit(registrationsPerMinute / 60, REGISTRATION_BURST_SECONDS),
    changeEndpoint: batched(endpointChangesWrite(audit)),
    notify,
    notifyRemoved: removed.notify,
  };
  const callbacks = {
    writeCallbackEndpoint: batched(callbackEndpointsWrite(database)),
    knownCallbackEndpoints: new Set<string>(),
  };
  return {
    urlRules,
    registry,
    deliverer: deliveries.deliverer,
    rememberCallbackEndpoint: (merchantId, url) =>
      rememberCallbackEndpoint(
        callbacks,
        merchantId,
        url,
        performance.now() + CALLBACK_ENDPOINT_MILLISECONDS,
      ),
    endpoints: [
      ...history.endpoints,
      ...serve(REGISTRATION_ENDPOINTS, registry),
      ...serve(SECRET_ENDPOINTS, { database, keyring, writeSecret: batched(secretsWrite(database, audit)) }),
    ],
    works: [
      removedEndpointsWork(database, removed),
      forgetInBatches('forgetPreviousSecrets', (limit) => forgetPreviousSecrets(database, limit)),
      ...deliveries.works,
      ...history.works,
    ],
    clockedWork: deliveries.clockedWork,
  };
}

/** The only sender of requests to merchants. */
function openSending({ closings, gate, keyring, clock }: WebhooksContext, urlRules: UrlRules): SendTools {
  const carefulPost = openCarefulPost(urlRules, urlRules.resolver);
  closings.push({ name: 'connections to merchants', close: carefulPost.close });
  return {
    post: gatedPost(carefulPost, gate),
    sign: signMessage,
    clock,
    openSecrets: (delivery) => openEndpointSecrets(keyring, delivery),
    userAgent: `Parcela/${packageJson.version}`,
  };
}
