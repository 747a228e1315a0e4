import {
  EXCEPTION_CLASSES,
  EXCEPTION_STATES,
  type ReconciliationException,
} from '../../reconciliation/exceptions/exception.ts';
import type { OperatorFilter } from '../../reconciliation/exceptions/exceptions.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { isDay } from '../../values/instant.ts';
import { html } from '../parts/html.ts';
import { filterForm, link } from '../parts/page-parts.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { EXCEPTION_WORDS } from '../reconciliation/exception-words.ts';
import { EXCEPTION, type ExceptionFound, type FiledLine } from './exception-found.ts';
import { exceptionPage, exceptionTable } from './exception-view.ts';

export type ExceptionTools = {
  /** The largest first, up to a bound. */
  readonly listExceptions: (filter: OperatorFilter) => Promise<readonly ReconciliationException[]>;
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
  };
}

export const EXCEPTION_SCREENS: readonly Screen<ExceptionTools>[] = [
  screen<ExceptionTools, readonly ReconciliationException[]>({
    path: '/exceptions',
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Exceptions',
    place: 3,
    read: (visit, { listExceptions }) => listExceptions(filterOf(visit)),
    view(found, visit) {
      const { say } = visit.wording;
      const filters = filterForm(visit, [
        {
          name: 'state',
          label: say('State'),
          choices: EXCEPTION_STATES.map((state) => [state, say(EXCEPTION_WORDS[state])] as const),
        },
        {
          name: 'class',
          label: say('Class'),
          choices: [
            ['', say('Any')],
            ...EXCEPTION_CLASSES.map((name) => [name, say(EXCEPTION_WORDS[name])] as const),
          ],
        },
        { name: 'merchant', label: say('Merchant'), mostCharacters: 20 },
        { name: 'day', label: say('Day'), type: 'date' },
      ]);
      return html`${filters}${exceptionTable(found, visit)}
<p>${link('/console/differences', say('Differences between books, feed, files and ledger'))}</p>`;
    },
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
