import { hash } from 'node:crypto';
import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { FAILURES, type failureOfHold } from '../../platform/http/failures.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { CommitUnknown } from '../../platform/postgres/database-errors.ts';
import { watchWrites } from '../../platform/postgres/write-watch.ts';
import type { Action, Asked, Form, Visit } from '../parts/screen.ts';
import type { ConsoleTools } from '../screens.ts';
import { UNKNOWN_OUTCOME } from './ask-endpoint.ts';
import { findEarlierForm, startForm } from './console-actions.sql.ts';
import type { EarlierForm, SentForm } from './sent-form.ts';

export type StartTools = { readonly database: Database; readonly audit: Audit };

const sha256 = (text: string) => hash('sha256', text, 'buffer');

export const hashOfPath = sha256;

/** Leaves out `mark`, which differs in each session. */
export function sentForm({ user, path }: Pick<Visit, 'user' | 'path'>, form: Form): SentForm {
  const { once = '', mark: _, ...fields } = form;
  const said = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    onceKey: once.toLowerCase(),
    userId: user.userId,
    pathHash: hashOfPath(path),
    fieldsHash: sha256(JSON.stringify(said)),
  };
}

/** The key and the audit entry are in one commit. Null if the key is new. */
export async function startAction(
  { database, audit }: StartTools,
  sent: SentForm,
  event: AuditEvent,
  merchantId: string,
): Promise<EarlierForm | null> {
  const isNew = await audit.transaction(
    async (tx) => {
      const isStarted = await startForm(tx, sent);
      if (isStarted) tx.record(event);
      return isStarted;
    },
    { merchantId },
  );
  if (isNew) return null;
  return (await findEarlierForm(database, sent.onceKey)) ?? { ...sent, outcome: null, refusal: null };
}

export type TryTools = {
  readonly log: Log;
  readonly whyHeld: () => ReturnType<typeof failureOfHold>;
  readonly consoleTools: ConsoleTools;
};

/** An error after a write does not prove that nothing was done. */
export async function tryAction(
  { consoleTools, whyHeld, log }: TryTools,
  action: Action<ConsoleTools>,
  visit: Visit,
  form: Form,
): Promise<Asked<unknown>> {
  if ('contract' in action) return visit.ask(action.contract, action.asks(visit, form));
  const { language } = visit.wording;
  const held = action.isForHeld === true ? null : whyHeld();
  if (held !== null) {
    const { status, tag, sentence } = FAILURES[held];
    return { ok: false, status, errors: [{ tag, description: sentence[language] }] };
  }
  const watch = { mayHaveWritten: false };
  try {
    return await watchWrites(watch, () => action.perform(visit, form, consoleTools));
  } catch (error) {
    if (!watch.mayHaveWritten && !(error instanceof CommitUnknown)) throw error;
    log.error({ operation: action.operation, ...errorFields(error) }, 'it is not known what was done');
    return { ok: false, status: 504, errors: [{ tag: '', description: UNKNOWN_OUTCOME[language] }] };
  }
}
