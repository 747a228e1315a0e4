import {
  EXCEPTION_CLASSES,
  EXCEPTION_STATES,
  type ReconciliationException,
} from '../../reconciliation/exceptions/exception.ts';
import type { ExceptionSums, OperatorFilter } from '../../reconciliation/exceptions/exceptions.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { isDay } from '../../values/instant.ts';
import { EXCEPTION, EXCEPTIONS } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import type { ExceptionFound, FiledLine } from './exception-found.ts';
import { type ExceptionsFound, exceptionList } from './exception-list-view.ts';
import { exceptionPage } from './exception-view.ts';

export type ExceptionTools = {
  /** The largest first, up to a bound. */
  readonly listExceptions: (filter: OperatorFilter) => Promise<readonly ReconciliationException[]>;
  /** By merchant and class, the most money first, up to a bound. */
  readonly sumExceptions: (filter: OperatorFilter) => Promise<ExceptionSums>;
  readonly findException: (id: string) => Promise<ReconciliationException | null>;
  readonly readLine: (fileNumber: number, lineNumber: number) => Promise<FiledLine | null>;
};

function filterOf({ query }: Visit): OperatorFilter {
  const { merchant, day } = query;
  return {
    states: EXCEPTION_STATES.filter((state) => state === (query.state ?? 'open')),
    classes: EXCEPTION_CLASSES.filter((name) => query.class === undefined || name === query.class),
    merchantId: merchant ?? null,
    day: day !== undefined && isDay(day) ? day : null,
    olderThanDays: /^\d{1,4}$/.test(query.olderThan ?? '') ? Number(query.olderThan) : 0,
  };
}

export const EXCEPTION_SCREENS: readonly Screen<ExceptionTools>[] = [
  screen<ExceptionTools, ExceptionsFound>({
    path: EXCEPTIONS,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Exceptions',
    place: 3,
    async read(visit, { listExceptions, sumExceptions }) {
      const filter = filterOf(visit);
      return { sums: await sumExceptions(filter), exceptions: await listExceptions(filter) };
    },
    view: exceptionList,
  }),
  screen<ExceptionTools, ExceptionFound>({
    path: EXCEPTION,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Exception',
    async read({ parameters: { id = '' } }, { findException, readLine }) {
      const exception = isUuid(id) ? await findException(id.toLowerCase()) : null;
      if (exception === null) return 'notFound';
      const { line } = exception;
      return { exception, line: line === null ? null : await readLine(line.fileNumber, line.lineNumber) };
    },
    view: exceptionPage,
  }),
];
