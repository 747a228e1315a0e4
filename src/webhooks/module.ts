import packageJson from '../../package.json' with { type: 'json' };
import type { Audit } from '../audit/audit-event.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { serve } from '../platform/http/endpoint.ts';
import { type RateLimit, rateLimit } from '../platform/http/rate-limit.ts';
import type { Module, ModuleContext, Published } from '../platform/module.ts';
import { forgetInBatches } from '../platform/work/forgetting.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import type { AddressBlock } from '../values/ip-address.ts';
import { type Deliveries, openDeliveries } from './deliveries/module.ts';
import type { SendTools } from './deliveries/send-delivery.ts';
import { REGISTRATION_REFUSALS } from './endpoints/refusals.ts';
import { REGISTRATION_ENDPOINTS } from './endpoints/registration-endpoints.ts';
import { rememberCallbackEndpoint } from './endpoints/remember-callback-endpoint.ts';
import {
  callbackEndpointsWrite,
  registrationsWrite,
  removalsWrite,
} from './endpoints/webhook-endpoints.sql.ts';
import { removedEndpointsWork } from './endpoints/work.ts';
import { PERIOD_FAULTS } from './history/contract.ts';
import { DELIVERY_HISTORY_ENDPOINTS } from './history/endpoints.ts';
import { openHistory } from './history/module.ts';
import { RESEND_REFUSALS } from './history/refusals.ts';
import { gatedPost } from './posting/gated-post.ts';
import { openCarefulPost } from './posting/open-careful-post.ts';
import { openResolver } from './posting/open-resolver.ts';
import { signMessage } from './posting/sign-message.ts';
import type { UrlRules } from './posting/url-rules.ts';
import { SECRET_ENDPOINTS } from './secrets/endpoints.ts';
import { openEndpointSecrets } from './secrets/open-endpoint-secrets.ts';
import { forgetPreviousSecrets, secretsWrite } from './secrets/secrets.sql.ts';
import TEXTS from './texts.json' with { type: 'json' };

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
    { title: 'Webhooks', text: 'Why an address is not registered.', refusals: REGISTRATION_REFUSALS },
  ],
};

/** A payment has 15 s in all: one that cannot write the row of its callback in these is refused. */
const CALLBACK_ENDPOINT_MILLISECONDS = 5_000;
/** A merchant may register all of a minute at once. */
const REGISTRATION_BURST_SECONDS = 60;

type WebhooksContext = ModuleContext & {
  readonly configuration: {
    readonly webhookNetworks: readonly AddressBlock[];
    readonly takesWebhooksOnLoopback: boolean;
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
    /** Of a merchant, whatever it registers. */
    readonly registrationLimit: RateLimit;
    /**
     * Makes sure that the server behind a callback address has its row, before a payment enqueues a
     * delivery.
     */
    readonly rememberCallbackEndpoint: (merchantId: string, url: string) => Promise<void>;
  };

export function openWebhooks(context: WebhooksContext): Webhooks {
  const { database, lookUp, batched, keyring, audit } = context;
  const urlRules = urlRulesOf(context.configuration);
  const { registrationsPerMinute } = context.configuration.webhooks;
  const registrationLimit = rateLimit(registrationsPerMinute / 60, REGISTRATION_BURST_SECONDS);
  const send = openSending(context, urlRules);
  const deliveries = openDeliveries(context, send);
  const notify = () => deliveries.deliverer.notify();
  const history = openHistory(context, send, notify);
  const removed = createWakeSignal();
  const callbacks = {
    writeCallbackEndpoint: batched(callbackEndpointsWrite(database)),
    knownCallbackEndpoints: new Set<string>(),
  };
  return {
    urlRules,
    registrationLimit,
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
      ...serve(REGISTRATION_ENDPOINTS, {
        database,
        lookUp,
        keyring,
        urlRules,
        registrationLimit,
        writeRegistration: batched(registrationsWrite(audit)),
        removeRegistration: batched(removalsWrite(audit)),
        notify,
        notifyRemoved: removed.notify,
      }),
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

function urlRulesOf(configuration: WebhooksContext['configuration']): UrlRules {
  return {
    openedNetworks: configuration.webhookNetworks,
    takesLoopback: configuration.takesWebhooksOnLoopback,
    takesHttp: configuration.environment === 'homologation',
    resolver: openResolver(),
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
