import { hash } from 'node:crypto';
import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { FAILURES, type failureOfHold } from '../../platform/http/failures.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { CommitUnknown } from '../../platform/postgres/database-errors.ts';
import { watchWrites } from '../../platform/postgres/write-watch.ts';
import { plainPath } from '../parts/paths.ts';
import type { Action, Asked, Form, Visit } from '../parts/screen.ts';
import type { ConsoleTools } from '../screens.ts';
import { UNKNOWN_OUTCOME } from './ask-endpoint.ts';
import { findEarlierForm, holdPlaces, isUnderWay, type Places, startForm } from './console-actions.sql.ts';
import type { EarlierForm, SentForm } from './sent-form.ts';

export type StartTools = { readonly database: Database; readonly audit: Audit };

const sha256 = (text: string) => hash('sha256', text, 'buffer');

/** Of an action and of those that act on the same thing. */
export function placesOf(
  { path, parameters }: Pick<Visit, 'path' | 'parameters'>,
  { rivals = [] }: Pick<Action<never>, 'rivals'>,
  key: string,
): Places {
  const paths = [path, ...rivals.map((rival) => plainPath(rival, parameters))];
  return { paths, pathHashes: paths.map(sha256), key };
}

/** Leaves out `mark`, which differs in each session. */
export function sentForm({ user, path }: Pick<Visit, 'user' | 'path'>, form: Form): SentForm {
  const { once = '', mark: _, ...fields } = form;
  const said = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    onceKey: once.toLowerCase(),
    userId: user.userId,
    pathHash: sha256(path),
    fieldsHash: sha256(JSON.stringify(said)),
  };
}

type Started = { readonly earlier: EarlierForm | null; readonly isBehindAnother: boolean };

/** The key and the audit entry are in one commit. `earlier` null: the key is new. */
export async function startAction(
  { database, audit }: StartTools,
  { sent, places }: { readonly sent: SentForm; readonly places: Places | null },
  event: AuditEvent,
  merchantId: string,
): Promise<Started> {
  const started = await audit.transaction(
    async (tx) => {
      if (places !== null) await holdPlaces(tx, places);
      const isNew = await startForm(tx, sent);
      if (isNew) tx.record(event);
      return { isNew, isBehindAnother: places !== null && (await isUnderWay(tx, places)) };
    },
    { merchantId },
  );
  const { isNew, isBehindAnother } = started;
  if (isNew) return { earlier: null, isBehindAnother };
  const found = await findEarlierForm(database, sent.onceKey);
  return { earlier: found ?? { ...sent, outcome: null, refusal: null }, isBehindAnother };
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
