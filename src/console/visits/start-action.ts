import { hash } from 'node:crypto';
import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { FAILURES, type failureOfHold } from '../../platform/http/failures.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import { CommitUnknown } from '../../platform/postgres/database-errors.ts';
import { watchWrites } from '../../platform/postgres/write-watch.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { plainPath } from '../parts/paths.ts';
import type { Action, Asked, Form, Visit } from '../parts/screen.ts';
import { UNKNOWN_OUTCOME } from './ask-endpoint.ts';
import {
  findEarlierForm,
  holdPlaces,
  isUnderWay,
  type Places,
  renewForm,
  startForm,
} from './console-actions.sql.ts';
import { againOf, type EarlierForm, type SentForm, startsAnew } from './sent-form.ts';

export type StartTools = { readonly audit: Audit };

const sha256 = (text: string) => hash('sha256', text, 'buffer');

export function placesOf(
  { path, parameters }: Pick<Visit, 'path' | 'parameters'>,
  { rivals = [] }: Pick<Action<never>, 'rivals'>,
  key: string,
): Places {
  const paths = [path, ...rivals.map((rival) => plainPath(rival, parameters))];
  return { paths, pathHashes: paths.map(sha256), key };
}

/**
 * The key of a sent form, with hashes of its path and fields. The field `mark` is left out: it differs in
 * each session.
 */
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

/**
 * Writes the form's key and the audit entry in one commit. `earlier` null: the key is new. If another form
 * about the thing is under way, no key is written: nothing has begun that others would wait for if this
 * process ended now.
 */
export async function startAction(
  { audit }: StartTools,
  {
    sent,
    places,
    isRepeatable,
  }: { readonly sent: SentForm; readonly places: Places | null; readonly isRepeatable: boolean },
  { begun, behind }: { readonly begun: AuditEvent; readonly behind: AuditEvent },
  merchantId: string,
): Promise<Started> {
  return audit.transaction(
    async (tx) => {
      if (places !== null) await holdPlaces(tx, places);
      const isBehindAnother = places !== null && (await isUnderWay(tx, places));
      if (isBehindAnother && startsAnew(sent, await findEarlierForm(tx, sent.onceKey))) {
        tx.record(begun);
        tx.record(behind);
        return { earlier: null, isBehindAnother };
      }
      if (await startForm(tx, sent)) {
        tx.record(begun);
        return { earlier: null, isBehindAnother };
      }
      const found = await findEarlierForm(tx, sent.onceKey);
      const earlier = found ?? { ...sent, outcome: null, refusal: null };
      if (isRepeatable && againOf(sent, earlier) === 'unknown') {
        tx.record(begun);
        if (!isBehindAnother) await renewForm(tx, sent);
      }
      return { earlier, isBehindAnother };
    },
    { merchantId },
  );
}

export type TryTools = {
  readonly log: Log;
  readonly whyHeld: () => ReturnType<typeof failureOfHold>;
  readonly consoleTools: ConsoleTools;
};

/**
 * Does the action. An error after a write does not prove that nothing was done: the outcome is then unknown.
 */
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
