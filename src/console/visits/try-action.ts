import { FAILURES } from '../../platform/http/failures.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import { CommitUnknown } from '../../platform/postgres/database-errors.ts';
import { watchWrites } from '../../platform/postgres/write-watch.ts';
import type { Asked } from '../parts/asked.ts';
import type { Action, Form, Visit } from '../parts/screen.ts';
import type { ConsoleTools } from '../screens.ts';
import { UNKNOWN_OUTCOME } from './ask-endpoint.ts';

export type TryTools = {
  readonly log: Log;
  /** Whether nothing may act. */
  readonly isHeld: () => boolean;
  readonly consoleTools: ConsoleTools;
};

/** An error behind a write does not say that nothing was done, of an operation as of an endpoint. */
export async function tryAction(
  { consoleTools, isHeld, log }: TryTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form,
): Promise<Asked<unknown>> {
  if ('contract' in action) return visit.ask(action.contract, action.asks(visit, form));
  const { language } = visit.wording;
  const { status, tag, sentence } = FAILURES.held;
  if (isHeld() && action.isForHeld !== true)
    return { ok: false, status, errors: [{ tag, description: sentence[language] }] };
  const watch = { mayHaveWritten: false };
  try {
    return await watchWrites(watch, () => action.perform(visit, form, consoleTools));
  } catch (error) {
    if (!watch.mayHaveWritten && !(error instanceof CommitUnknown)) throw error;
    log.error({ operation: action.operation, ...errorFields(error) }, 'it is not known what was done');
    return { ok: false, status: 504, errors: [{ tag: '', description: UNKNOWN_OUTCOME[language] }] };
  }
}
