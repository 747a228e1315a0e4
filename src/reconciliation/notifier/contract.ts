import { Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import type { MessageContract } from '../../platform/reference/message.ts';
import type { Day } from '../../values/instant.ts';
import { EXCEPTION_FIELDS } from '../exceptions/contract.ts';
import { EXCEPTION_EVENTS } from '../exceptions/exception.ts';
import { exceptionMessage } from '../exceptions/exception-message.ts';

const URL_ANSWER = {
  schema: Type.Object({ callbackUrl: Type.String() }),
  example: { callbackUrl: 'https://loja.example/conciliacao' },
};

const NOTIFIER = {
  path: '/api/reconciliation/notifier',
  api: 'integration',
  scope: 'integration',
  group: 'Reconciliation',
  query: Type.Object({
    accountNumber: Type.String({
      minLength: 1,
      maxLength: 20,
      description: 'An account of your merchant.',
    }),
  }),
} as const;

export const REGISTER_EXCEPTION_NOTIFIER = contract({
  ...NOTIFIER,
  id: 'registerExceptionNotifier',
  method: 'POST',
  summary: 'Be notified where files of the acquirer differ',
  description:
    'One address for each account; another takes its place. Each exception that is found or heals is posted to it, signed with ' +
    'the secret of the account like every webhook. Registering the same again is harmless.',
  body: Type.Object({
    callbackUrl: Type.String({
      maxLength: 500,
      format: 'webAddress',
      description: 'Where exceptions are sent.',
    }),
  }),
  bodyExample: { callbackUrl: 'https://loja.example/conciliacao' },
  answers: { 200: { description: 'Registered, with the address as it was read.', ...URL_ANSWER } },
});

export const GET_EXCEPTION_NOTIFIER = contract({
  ...NOTIFIER,
  id: 'getExceptionNotifier',
  method: 'GET',
  summary: 'Read where an account is notified of exceptions',
  description: '404 when nothing is registered.',
  answers: { 200: { description: 'The registered address.', ...URL_ANSWER } },
});

export const DELETE_EXCEPTION_NOTIFIER = contract({
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
    body: Type.Object({
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
