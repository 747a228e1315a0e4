import { Type } from 'typebox';
import { changedFields, merchantEvent } from '../../audit/audit-event.ts';
import { contract } from '../../platform/http/endpoint.ts';
import { named } from '../../platform/http/named.ts';
import type { MessageContract } from '../../platform/reference/messages.ts';
import type { Day } from '../../values/instant.ts';
import { ACCOUNT_QUERY, accountAddressEndpoints } from '../../webhooks/endpoints/endpoints.ts';
import type { EndpointKind } from '../../webhooks/endpoints/webhook-endpoint.ts';
import { EXCEPTION_FIELDS } from '../exceptions/endpoints.ts';
import { EXCEPTION_EVENTS, exceptionMessage } from '../exceptions/exception.ts';

/** The audit log gets servers only: path and query of a URL may contain a secret. */
const serverOf = (address: { readonly url: string } | null) =>
  address === null ? 'none' : new URL(address.url).origin;

const EXCEPTIONS: EndpointKind = {
  prefix: 'exceptions',
  mostActive: null,
  isSentToServer: true,
  audited: ({ event, actor, of, before, after }) =>
    merchantEvent(
      event === 'remove' ? 'exceptionNotifier.remove' : 'exceptionNotifier.register',
      actor,
      `accounts/${of}/exception-notifier`,
      changedFields({ server: serverOf(before) }, { server: serverOf(after) }),
    ),
};

const URL_ANSWER = {
  schema: named('ExceptionNotifier', { callbackUrl: Type.String() }),
  example: { callbackUrl: 'https://loja.example/conciliacao' },
};

const NOTIFIER = {
  path: '/api/reconciliation/notifier',
  api: 'integration',
  scope: 'integration',
  group: 'Reconciliation',
  query: ACCOUNT_QUERY,
} as const;

const REGISTER_EXCEPTION_NOTIFIER = contract({
  ...NOTIFIER,
  id: 'registerExceptionNotifier',
  method: 'POST',
  summary: 'Be notified where files of the acquirer differ',
  description:
    'One address for each account; another takes its place. Each exception that is found or heals is posted to it, signed with ' +
    'the secret of the account like every webhook. Registering the same again is harmless.',
  body: named('ExceptionNotifierRequest', {
    callbackUrl: Type.String({
      maxLength: 500,
      format: 'webAddress',
      description: 'Where exceptions are sent.',
    }),
  }),
  bodyExample: { callbackUrl: 'https://loja.example/conciliacao' },
  answers: { 200: { description: 'Registered, with the address as it was read.', ...URL_ANSWER } },
});

const GET_EXCEPTION_NOTIFIER = contract({
  ...NOTIFIER,
  id: 'getExceptionNotifier',
  method: 'GET',
  summary: 'Read where an account is notified of exceptions',
  description: '404 when nothing is registered.',
  answers: { 200: { description: 'The registered address.', ...URL_ANSWER } },
});

const DELETE_EXCEPTION_NOTIFIER = contract({
  ...NOTIFIER,
  id: 'deleteExceptionNotifier',
  method: 'DELETE',
  summary: 'Notify an account of no more exceptions',
  description: 'What waits is still sent. Takes no body. 404 when nothing is registered.',
  answers: { 200: { description: 'The address that was removed.', ...URL_ANSWER } },
});

export const EXCEPTION_MESSAGES: readonly MessageContract[] = [
  {
    id: 'reconciliationException',
    group: 'What is sent to you',
    summary: 'A file of the acquirer differs from your sales, or does no longer',
    description:
      'Goes to the notifier of the account, once when an exception is found, again when a later file contradicts, and when it heals.',
    body: named('ReconciliationExceptionNotice', {
      type: Type.Enum(['ReconciliationException']),
      event: Type.Enum([...EXCEPTION_EVENTS]),
      accountNumber: Type.String(),
      ...EXCEPTION_FIELDS,
    }),
    example: JSON.parse(
      exceptionMessage('opened', {
        exceptionId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a48',
        accountNumber: '12345-6',
        class: 'feeDiffers',
        state: 'open',
        transactionId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
        installmentNumber: 1,
        amount: 100,
        expected: '249',
        found: '349',
        day: '2026-12-14' as Day,
        explanation: null,
      }),
    ),
  },
];

export const EXCEPTION_NOTIFIER_ENDPOINTS = accountAddressEndpoints({
  kind: EXCEPTIONS,
  field: 'callbackUrl',
  register: REGISTER_EXCEPTION_NOTIFIER,
  get: GET_EXCEPTION_NOTIFIER,
  remove: DELETE_EXCEPTION_NOTIFIER,
});
