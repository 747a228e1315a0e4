import { type Call, callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer, tooManyAnswer } from '../../platform/http/refusal.ts';
import {
  DELETE_EXCEPTION_NOTIFIER,
  GET_EXCEPTION_NOTIFIER,
  REGISTER_EXCEPTION_NOTIFIER,
} from './contract.ts';
import { deleteExceptionNotifier } from './delete-exception-notifier.ts';
import { findExceptionNotifier } from './exception-notifiers.sql.ts';
import { EXCEPTION_NOTIFIER_REFUSALS } from './refusals.ts';
import {
  type ChangeNotifierTools,
  checkExceptionNotifier,
  registerExceptionNotifier,
} from './register-exception-notifier.ts';

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
