import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { readBasicAuth } from '../../values/basic-auth.ts';
import type { WebhookToRegister } from './register-webhook.ts';

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

export function readRegistration(
  accountNumber: string,
  { url, basicAuth }: RegistrationBody,
): WebhookToRegister {
  return { accountNumber, url, basicAuth: basicAuth === undefined ? null : readBasicAuth(basicAuth) };
}
