import { type TObject, type TSchema, Type } from 'typebox';
import type { MerchantActor } from '../../audit/audit-event.ts';
import {
  type Answer,
  type Call,
  type Contract,
  callerAt,
  callerOf,
  contract,
  type Endpoint,
  endpoint,
} from '../../platform/http/endpoint.ts';
import { FAILURES, tooManyAnswer } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import { conflict, type RefusalShape, refusalAnswer, refusedAnswer } from '../../platform/http/refusal.ts';
import type { Sentence } from '../../platform/http/sentence.ts';
import { readBasicAuth } from '../../values/basic-auth.ts';
import { checkUrl, type UrlRules, urlRefusals } from '../posting/url-rules.ts';
import {
  type EndpointRegistry,
  moveEndpoint,
  registerEndpoint,
  registerOfAccount,
} from './register-endpoint.ts';
import { type EndpointKind, WEBHOOK } from './webhook-endpoint.ts';
import { findOfAccount } from './webhook-endpoints.sql.ts';

/** Another merchant's account is answered like one that does not exist. */
export const ACCOUNT_QUERY = Type.Object({
  accountNumber: Type.String({ minLength: 1, maxLength: 20, description: 'An account of your merchant.' }),
});

const REGISTRATION = named('WebhookRequest', {
  url: Type.String({ maxLength: 500, format: 'webAddress', description: 'Where notifications are sent.' }),
  basicAuth: Type.Optional(
    Type.String({
      maxLength: 1_024,
      format: 'basicAuth',
      description: 'With or without `Basic ` before it; absent: none is sent.',
    }),
  ),
});

const URL_ANSWER = {
  schema: named('Webhook', { url: Type.String() }),
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

export const DELETE_WEBHOOK = contract({
  ...ENDPOINT,
  id: 'deleteWebhook',
  method: 'DELETE',
  summary: 'Tell an account no more',
  description:
    'Removes address and basicAuth, and gives up what is waiting (very much of it within a minute or so; a registration that ' +
    'follows sooner takes over the rest). Takes no body. 404 when none is registered.',
  answers: { 200: { description: 'The address that was removed.', ...URL_ANSWER } },
});

export const WEBHOOK_REFUSALS = {
  noWebhook: conflict({
    pt: 'A conta não tem webhook: cadastre-o antes de dar a ele uma credencial.',
    en: 'The account has no webhook: register it before giving it a credential.',
  }),
} as const satisfies Record<string, RefusalShape>;

const SET_WEBHOOK_AUTH = contract({
  id: 'setWebhookAuth',
  method: 'POST',
  path: '/v1/security/webhook-auth',
  api: 'gateway',
  scope: 'gateway',
  group: 'Webhooks',
  summary: 'Give the webhook of your account its credential',
  description:
    'Replaces basicAuth of the webhook that is registered for the account of your credential; the address stays. ' +
    'Registering with basicAuth does both at once.',
  body: named('WebhookAuthRequest', {
    basic: Type.String({
      maxLength: 1_024,
      format: 'basicAuth',
      description: 'With or without `Basic ` before it.',
    }),
  }),
  bodyExample: { basic: 'Basic bG9qYTpzZW5oYS1kYS1sb2ph' },
  answers: {
    201: {
      description: 'Notifications carry it from now on.',
      schema: named('WebhookAuth', { message: Type.String({ description: 'Says so.' }) }),
      example: { message: 'Credencial do webhook atualizada.' },
    },
    409: refusedAnswer('The account has no webhook.', WEBHOOK_REFUSALS.noWebhook),
  },
});

const AUTH_SET: Sentence = {
  pt: 'Credencial do webhook atualizada.',
  en: 'The credential of the webhook was replaced.',
};

type AccountContract<Body extends TSchema | undefined> = Contract<Body, typeof ACCOUNT_QUERY, undefined>;
type RegistrationBody = Readonly<Partial<Record<'url' | 'callbackUrl' | 'basicAuth', string>>>;

/** A kind of address that each account has once, and its contracts to register, read and remove it. */
export type AccountAddress = {
  readonly kind: EndpointKind;
  readonly field: 'url' | 'callbackUrl';
  readonly register: AccountContract<TObject>;
  readonly get: AccountContract<undefined>;
  readonly remove: AccountContract<undefined>;
};

export function accountAddressEndpoints(address: AccountAddress): readonly Endpoint<EndpointRegistry>[] {
  const { kind, field, register, get, remove } = address;
  const refusals = urlRefusals(field);
  const write = (
    url: string | null,
    { language }: Pick<Call<unknown, unknown, unknown>, 'language'>,
  ): Answer =>
    url === null ? refusalAnswer(FAILURES.unknownPath, language) : { status: 200, body: { [field]: url } };
  return [
    endpoint(
      register,
      async (tools: EndpointRegistry, call) => {
        const { [field]: url = '', basicAuth } = call.body as RegistrationBody;
        const login = basicAuth === undefined ? null : readBasicAuth(basicAuth);
        const wanted = { kind, of: call.query.accountNumber, url, basicAuth: login };
        const result = await registerOfAccount(tools, callerAt(call), wanted, call.deadlineAt);
        switch (result.kind) {
          case 'registered':
            return write(result.url, call);
          case 'accountUnknown':
            return write(null, call);
          case 'tooMany':
            return tooManyAnswer(result.secondsToWait, call.language);
          case 'refused':
            return refusalAnswer(refusals[result.fault], call.language);
          case 'tooManyActive':
          case 'keyUsed':
            throw new Error(`an account has one address of a kind, and its requests no key: ${result.kind}`);
        }
      },
      { lookBeside: async ({ urlRules }, body) => lookAtUrl(urlRules, field, body) },
    ),
    endpoint(get, async ({ lookUp }: EndpointRegistry, call) => {
      const { merchantId } = callerOf(call);
      const { accountNumber } = call.query;
      const found = await lookUp(merchantId, (database) =>
        findOfAccount(database, merchantId, kind, accountNumber),
      );
      return write(found?.url ?? null, call);
    }),
    endpoint(remove, async (tools: EndpointRegistry, call) => {
      const { accountNumber } = call.query;
      return write(await deleteOfAccount(tools, callerAt(call), kind, accountNumber, call.deadlineAt), call);
    }),
  ];
}

/** Checks only the text, because a DNS look-up takes seconds. `body` has only the fields of correct shape. */
export async function lookAtUrl(
  rules: UrlRules,
  field: AccountAddress['field'],
  body: unknown,
): Promise<readonly RefusalShape[]> {
  const { [field]: url } = body as RegistrationBody;
  const checked = url === undefined ? null : checkUrl(rules, url);
  return checked === null || checked.ok ? [] : [urlRefusals(field)[checked.reason]];
}

/** Returns the address that was removed; null: none was registered. */
async function deleteOfAccount(
  tools: EndpointRegistry,
  registrant: MerchantActor,
  kind: EndpointKind,
  accountNumber: string,
  deadlineAt: number,
): Promise<string | null> {
  const { merchantId } = registrant;
  const found = await tools.lookUp(merchantId, (database) =>
    findOfAccount(database, merchantId, kind, accountNumber),
  );
  if (found === null || found.url === null) return null;
  const result = await moveEndpoint(tools, registrant, { kind, of: accountNumber }, 'remove', deadlineAt);
  return result === 'done' ? found.url : null;
}

export const REGISTRATION_ENDPOINTS: readonly Endpoint<EndpointRegistry>[] = [
  ...accountAddressEndpoints({
    kind: WEBHOOK,
    field: 'url',
    register: REGISTER_WEBHOOK,
    get: GET_WEBHOOK,
    remove: DELETE_WEBHOOK,
  }),
  endpoint(SET_WEBHOOK_AUTH, async (tools: EndpointRegistry, call) => {
    const { merchantId, accountNumber } = callerOf(call);
    const found = await tools.lookUp(merchantId, (database) =>
      findOfAccount(database, merchantId, WEBHOOK, accountNumber),
    );
    const url = found?.url ?? null;
    if (url === null) return refusalAnswer(WEBHOOK_REFUSALS.noWebhook, call.language);
    const wanted = { kind: WEBHOOK, of: accountNumber, url, basicAuth: readBasicAuth(call.body.basic) };
    const result = await registerEndpoint(tools, callerAt(call), wanted, call.deadlineAt);
    switch (result.kind) {
      case 'registered':
        return { status: 201, body: { message: AUTH_SET[call.language] } };
      case 'tooMany':
        return tooManyAnswer(result.secondsToWait, call.language);
      case 'refused':
        return refusalAnswer(urlRefusals('url')[result.fault], call.language);
      case 'tooManyActive':
      case 'keyUsed':
        throw new Error(`an account has one address of a kind, and its requests no key: ${result.kind}`);
    }
  }),
];
