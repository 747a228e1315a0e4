import { hash } from 'node:crypto';
import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import type { CommitStep, Database } from '../../platform/postgres/database.ts';
import type { Form, Visit } from '../parts/screen.ts';
import { findEarlierForm, finishStep, startStep } from './console-actions.sql.ts';
import type { EarlierForm, SentForm } from './sent-form.ts';

export type StartTools = { readonly database: Database; readonly audit: Audit };

const sha256 = (text: string) => hash('sha256', text, 'buffer');

/** `mark` is of the session, and another in each: what was asked for is the rest. */
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

/**
 * Takes the key of a form, in one commit with the entry that says who wants what. Null: it is new. `whole`:
 * steps that are all of it, so that it is done with this commit.
 */
export async function startAction(
  { database, audit }: StartTools,
  sent: SentForm,
  event: AuditEvent,
  merchantId: string,
  whole: readonly CommitStep[] = [],
): Promise<EarlierForm | null> {
  const ifNew =
    (step: CommitStep): CommitStep =>
    (rows) =>
      rows[0]?.length !== 1 ? null : typeof step === 'function' ? step(rows) : step;
  const steps = whole.length === 0 ? [] : [...whole, finishStep(sent, null)].map(ifNew);
  const [started] = await audit.commit(
    [startStep(sent), ...steps],
    ([rows]) => (rows?.length === 1 ? [event] : []),
    merchantId,
  );
  if (started?.length === 1) return null;
  return (await findEarlierForm(database, sent.onceKey)) ?? { ...sent, outcome: null, refusal: null };
}
