import { Type } from 'typebox';
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
import type { MessageContract } from '../../platform/reference/messages.ts';
import type { Day } from '../../values/instant.ts';
import { URL_FAULT_SENTENCES, URL_FAULTS, type UrlFault } from '../../webhooks/posting/url-rules.ts';
import { EXCEPTION_FIELDS } from '../exceptions/endpoints.ts';
import { EXCEPTION_EVENTS, exceptionMessage } from '../exceptions/exception.ts';
import { findExceptionNotifier } from './exception-notifiers.sql.ts';
import {
  type ChangeNotifierTools,
  checkExceptionNotifier,
  registerExceptionNotifier,
} from './register-exception-notifier.ts';

/**
 * Ends the notifications of an account; what waits is still sent. Gives the address, or null when there
 * was none.
 */
async function deleteExceptionNotifier(
  { lookUp, writeNotifierChange }: Pick<ChangeNotifierTools, 'lookUp' | 'writeNotifierChange'>,
  actor: MerchantActor,
  accountNumber: string,
  deadlineAt: number,
): Promise<string | null> {
  const { merchantId } = actor;
  const found = await lookUp(merchantId, (database) =>
    findExceptionNotifier(database, merchantId, accountNumber),
  );
  if (found === null || found === 'none') return null;
  await writeNotifierChange({ actor, accountNumber, target: null }, deadlineAt);
  return found.callbackUrl;
}

export const EXCEPTION_NOTIFIER_REFUSALS = Object.fromEntries(
  URL_FAULTS.map((fault) => [
    fault,
    { status: 400, tag: 'callbackUrl', sentence: URL_FAULT_SENTENCES[fault] },
  ]),
) as Readonly<Record<UrlFault, RefusalShape>>;

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

const REGISTER_EXCEPTION_NOTIFIER = contract({
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

export const EXCEPTION_NOTIFIER_ENDPOINTS: readonly Endpoint<ChangeNotifierTools>[] = [
  endpoint(
    REGISTER_EXCEPTION_NOTIFIER,
    async (tools: ChangeNotifierTools, call) => {
      const { accountNumber } = call.query;
      const wanted = { accountNumber, url: call.body.callbackUrl };
      const result = await registerExceptionNotifier(tools, callerAt(call), wanted, call.deadlineAt);
      switch (result.kind) {
        case 'registered':
          return { status: 200, body: { callbackUrl: result.callbackUrl } };
        case 'accountUnknown':
          return refusalAnswer(FAILURES.unknownPath, call.language);
        case 'tooMany':
          return tooManyAnswer(result.secondsToWait, call.language);
        case 'refused':
          return refusalAnswer(EXCEPTION_NOTIFIER_REFUSALS[result.fault], call.language);
      }
    },
    {
      lookBeside: async (tools: ChangeNotifierTools, body) => {
        const fault = checkExceptionNotifier(tools, body);
        return fault === null ? [] : [EXCEPTION_NOTIFIER_REFUSALS[fault]];
      },
    },
  ),
  endpoint(GET_EXCEPTION_NOTIFIER, async ({ lookUp }: ChangeNotifierTools, call) => {
    const { merchantId } = callerOf(call);
    const { accountNumber } = call.query;
    const found = await lookUp(merchantId, (database) =>
      findExceptionNotifier(database, merchantId, accountNumber),
    );
    return urlOrNothing(found === null || found === 'none' ? null : found.callbackUrl, call);
  }),
  endpoint(DELETE_EXCEPTION_NOTIFIER, async (tools: ChangeNotifierTools, call) => {
    const { accountNumber } = call.query;
    return urlOrNothing(
      await deleteExceptionNotifier(tools, callerAt(call), accountNumber, call.deadlineAt),
      call,
    );
  }),
];

function urlOrNothing(
  callbackUrl: string | null,
  { language }: Pick<Call<unknown, unknown, unknown>, 'language'>,
) {
  if (callbackUrl === null) return refusalAnswer(FAILURES.unknownPath, language);
  return { status: 200, body: { callbackUrl } };
}
