import { type Answer, callerOf, type Route, route } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer, writeOnce } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { writePage } from '../../platform/pages.ts';
import { type ChangeNotifierTools, changeNotifier } from './change-notifier.ts';
import {
  CHANGE_NOTIFIER_STATUS,
  LIST_NOTIFIERS,
  REGISTER_NOTIFIER,
  readNotifierSearch,
  readNotifierState,
  writeNotifier,
} from './contract.ts';
import { type ListNotifiersTools, listNotifiers } from './list-notifiers.ts';
import type { MoveResult } from './notifiers.sql.ts';
import { NOTIFIER_REFUSALS } from './refusals.ts';
import {
  checkNotifier,
  type RegisterNotifierResult,
  type RegisterNotifierTools,
  registerNotifier,
} from './register-notifier.ts';

export function notifierRoutes(
  tools: RegisterNotifierTools & ChangeNotifierTools & ListNotifiersTools,
): Route[] {
  return [
    route(
      REGISTER_NOTIFIER,
      async (call) => {
        const once = await registerNotifier(tools, callerOf(call), call.body, call, call.deadlineAt);
        return writeOnce(call, once, (result) => writeRegistered(result, call.language));
      },
      async (body) => {
        const fault = checkNotifier(tools, body);
        return fault === null ? [] : [NOTIFIER_REFUSALS[fault]];
      },
    ),
    route(LIST_NOTIFIERS, async (call) => {
      const { filter, wanted } = readNotifierSearch(call.query);
      const found = await listNotifiers(tools, callerOf(call).merchantId, filter, wanted);
      return { status: 200, body: writePage(wanted, found, writeNotifier) };
    }),
    route(CHANGE_NOTIFIER_STATUS, async (call) => {
      const { notifierId } = call.parameters;
      const state = readNotifierState(call.body.status);
      const result = await changeNotifier(tools, callerOf(call), notifierId, state, call.deadlineAt);
      return writeMoved(result, notifierId, call.language);
    }),
  ];
}

function writeRegistered(result: RegisterNotifierResult, language: Language): Answer {
  if (result.kind === 'registered') return { status: 200, body: result.notifierId };
  return refusalAnswer(NOTIFIER_REFUSALS[result.refusal], language);
}

function writeMoved(result: MoveResult, notifierId: string, language: Language): Answer {
  if (result === 'done') return { status: 200, body: { id: notifierId.toLowerCase() } };
  const shape = result === 'notFound' ? FAILURES.unknownPath : NOTIFIER_REFUSALS[result];
  return refusalAnswer(shape, language);
}
