import type { BusinessClock } from '../../platform/business-clock.ts';
import { callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { pageFor, writePage } from '../../platform/pages.ts';
import { saoPauloDay } from '../../values/instant.ts';
import {
  EXCEPTION_PERIOD_FAULTS,
  LIST_EXCEPTIONS,
  RESOLVE_EXCEPTION,
  RESOLVE_REFUSALS,
  readExceptionSearch,
  writeException,
} from './contract.ts';
import { type ListExceptionsTools, listExceptions } from './list-exceptions.ts';
import { type ResolveTools, resolveUnexpectedPayment } from './resolve-unexpected-payment.ts';

export type ExceptionTools = ListExceptionsTools & ResolveTools & { readonly clock: BusinessClock };

export const EXCEPTION_ENDPOINTS: readonly Endpoint<ExceptionTools>[] = [
  endpoint(LIST_EXCEPTIONS, async (tools: ExceptionTools, call) => {
    const { merchantId } = callerOf(call);
    const search = readExceptionSearch(call.query);
    if (typeof search === 'string') return refusalAnswer(EXCEPTION_PERIOD_FAULTS[search], call.language);
    const wanted = pageFor(call, search.wanted);
    const found = await listExceptions(tools, merchantId, search.filter, wanted);
    if (found === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    const today = saoPauloDay(tools.clock.now(merchantId));
    return {
      status: 200,
      body: writePage(wanted, found, (exception) => writeException(exception, today)),
    };
  }),
  endpoint(RESOLVE_EXCEPTION, async (tools: ExceptionTools, call) => {
    const { merchantId } = callerOf(call);
    const wanted = { ...call.parameters, ...call.body };
    const result = await resolveUnexpectedPayment(tools, callerAt(call), wanted, call.deadlineAt);
    if (result === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    if (result === 'ofFile') return refusalAnswer(RESOLVE_REFUSALS.ofFile, call.language);
    return { status: 200, body: writeException(result, saoPauloDay(tools.clock.now(merchantId))) };
  }),
];
