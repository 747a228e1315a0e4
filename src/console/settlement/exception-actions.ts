import type { ResolveExceptionResult } from '../../reconciliation/exceptions/resolve-exception.ts';
import { isUuid } from '../../values/ids.ts';
import { OPERATION_DONE, operationRefused } from '../parts/operation-refused.ts';
import { EXCEPTION, exceptionPath } from '../parts/paths.ts';
import type { Action, Visit } from '../parts/screen.ts';

export type ExceptionActionTools = {
  readonly resolveException: (visit: Visit, id: string, reason: string) => Promise<ResolveExceptionResult>;
};

export const RESOLVE: Action<ExceptionActionTools> = {
  path: `${EXCEPTION}/resolve`,
  roles: ['finance', 'operator', 'admin'],
  of: 'operator',
  title: 'Resolve',
  operation: 'reconciliation.resolve',
  async perform(visit, { reason = '' }, { resolveException }) {
    const { say } = visit.wording;
    const { id = '' } = visit.parameters;
    const result = isUuid(id)
      ? await resolveException(visit, id.toLowerCase(), reason)
      : ({ kind: 'unknownId' } as const);
    if (result.kind === 'unknownId') return operationRefused(404, say('There is no such exception.'));
    if (result.kind === 'ended') return operationRefused(409, say('It has ended already.'));
    return OPERATION_DONE;
  },
  done: 'It is resolved. A later file that says otherwise opens it again.',
  next: ({ parameters: { id = '' } }) => exceptionPath(id),
};

export const EXCEPTION_ACTIONS: readonly Action<ExceptionActionTools>[] = [RESOLVE];
