import { type Static, Type } from 'typebox';
import type { MerchantActor } from '../../audit/audit-event.ts';
import {
  type Call,
  callerAt,
  callerOf,
  contract,
  type Endpoint,
  endpoint,
} from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { type RefusalShape, refusalAnswer, tooManyAnswer } from '../../platform/http/refusal.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import { readBasicAuth } from '../../values/basic-auth.ts';
import { checkUrl, URL_FAULT_SENTENCES, URL_FAULTS, type UrlFault } from '../posting/url-rules.ts';
import { type RegisterWebhookTools, registerWebhook, type WebhookToRegister } from './register-webhook.ts';
import { findRegistration, type Removal, type RemoveResult } from './webhook-endpoints.sql.ts';

type DeleteWebhookTools = {
  readonly database: Database;
  readonly removeRegistration: BatchedWrite<Removal, RemoveResult>;
  /** Wakes the work that gives up the deliveries beyond one commit. */
  readonly notifyRemoved: () => void;
};

/**
 * Removes the registered address of an account with its login, and gives up its waiting deliveries:
 * the first of them in the same commit, the rest right after. Returns the address; null when none
 * was registered, or there is no such account.
 */
async function deleteWebhook(
  { database, removeRegistration, notifyRemoved }: DeleteWebhookTools,
  registrant: MerchantActor,
  accountNumber: string,
  deadlineAt: number,
): Promise<string | null> {
  const { merchantId } = registrant;
  const url = (await findRegistration(database, merchantId, accountNumber))?.url ?? null;
  if (url === null) return null;
  const result = await removeRegistration({ merchantId, accountNumber, registrant }, deadlineAt);
  notifyRemoved();
  return result === 'removed' ? url : null;
}

export const REGISTRATION_REFUSALS = Object.fromEntries(
  URL_FAULTS.map((fault) => [fault, { status: 400, tag: 'url', sentence: URL_FAULT_SENTENCES[fault] }]),
) as Readonly<Record<UrlFault, RefusalShape>>;

/** An account that is not the caller's is answered like one that does not exist. */
export const ACCOUNT_QUERY = Type.Object({
  accountNumber: Type.String({ minLength: 1, maxLength: 20, description: 'An account of your merchant.' }),
});

const REGISTRATION = Type.Object({
  url: Type.String({ maxLength: 500, format: 'webAddress', description: 'Where notifications are sent.' }),
  basicAuth: Type.Optional(
    Type.String({
      maxLength: 1_024,
      format: 'basicAuth',
      description: 'With or without `Basic ` before it; absent: none is sent.',
    }),
  ),
});
type RegistrationBody = Static<typeof REGISTRATION>;

const URL_ANSWER = {
  schema: Type.Object({ url: Type.String() }),
  example: { url: 'https://loja.example/notificacoes' },
};

const ENDPOINT = {
  path: '/api/webhooks/subscriptions',
  api: 'integration',
  scope: 'integration',
  group: 'Webhooks',
  query: ACCOUNT_QUERY,
} as const;

export const REGISTER_WEBHOOK = contract({
  ...ENDPOINT,
  id: 'registerWebhook',
  method: 'POST',
  summary: 'Register where an account is notified',
  description:
    'One address for each account; another registration takes its place, basicAuth included. What is waiting goes to the new ' +
    'address at once, also when the one before had failed for long. Registering the same again is harmless.',
  body: REGISTRATION,
  bodyExample: { url: 'https://loja.example/notificacoes', basicAuth: 'bG9qYTpzZW5oYS1kYS1sb2ph' },
  answers: { 200: { description: 'Registered, with the address as it was read.', ...URL_ANSWER } },
});

export const GET_WEBHOOK = contract({
  ...ENDPOINT,
  id: 'getWebhook',
  method: 'GET',
  summary: 'Read where an account is notified',
  description: 'Only the address: basicAuth is never given back. 404 when none is registered.',
  answers: { 200: { description: 'The registered address.', ...URL_ANSWER } },
});

const DELETE_WEBHOOK = contract({
  ...ENDPOINT,
  id: 'deleteWebhook',
  method: 'DELETE',
  summary: 'Tell an account no more',
  description:
    'Removes address and basicAuth, and gives up what is waiting (very much of it within a minute or so; a registration that ' +
    'follows sooner takes over the rest). Takes no body. 404 when none is registered.',
  answers: { 200: { description: 'The address that was removed.', ...URL_ANSWER } },
});

function readRegistration(accountNumber: string, { url, basicAuth }: RegistrationBody): WebhookToRegister {
  return { accountNumber, url, basicAuth: basicAuth === undefined ? null : readBasicAuth(basicAuth) };
}

type ReadWebhookTools = { readonly lookUp: LookUp };
export type RegistrationTools = RegisterWebhookTools & DeleteWebhookTools & ReadWebhookTools;

export const REGISTRATION_ENDPOINTS: readonly Endpoint<RegistrationTools>[] = [
  endpoint(
    REGISTER_WEBHOOK,
    async (tools: RegisterWebhookTools, call) => {
      const wanted = readRegistration(call.query.accountNumber, call.body);
      const result = await registerWebhook(tools, callerAt(call), wanted, call.deadlineAt);
      switch (result.kind) {
        case 'registered':
          return { status: 200, body: { url: result.url } };
        case 'accountUnknown':
          return refusalAnswer(FAILURES.unknownPath, call.language);
        case 'tooMany':
          return tooManyAnswer(result.secondsToWait, call.language);
        case 'refused':
          return refusalAnswer(REGISTRATION_REFUSALS[result.fault], call.language);
      }
    },
    // The text alone: a look-up takes seconds.
    {
      lookBeside: async (tools: RegisterWebhookTools, { url }) => {
        const checked = url === undefined ? null : checkUrl(tools.urlRules, url);
        return checked === null || checked.ok ? [] : [REGISTRATION_REFUSALS[checked.reason] as RefusalShape];
      },
    },
  ),
  endpoint(GET_WEBHOOK, async ({ lookUp }: ReadWebhookTools, call) => {
    const { merchantId } = callerOf(call);
    const { accountNumber } = call.query;
    const found = await lookUp(merchantId, (database) =>
      findRegistration(database, merchantId, accountNumber),
    );
    return urlOrNothing(found?.url ?? null, call);
  }),
  endpoint(DELETE_WEBHOOK, async (tools: DeleteWebhookTools, call) => {
    const { accountNumber } = call.query;
    return urlOrNothing(await deleteWebhook(tools, callerAt(call), accountNumber, call.deadlineAt), call);
  }),
];

function urlOrNothing(url: string | null, { language }: Pick<Call<unknown, unknown, unknown>, 'language'>) {
  if (url === null) return refusalAnswer(FAILURES.unknownPath, language);
  return { status: 200, body: { url } };
}
