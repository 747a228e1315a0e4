import { hash } from 'node:crypto';
import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Form, Visit } from '../parts/screen.ts';
import { findEarlierForm, startForm } from './console-actions.sql.ts';
import type { EarlierForm, SentForm } from './sent-form.ts';

export type StartTools = { readonly database: Database; readonly audit: Audit };

const sha256 = (text: string) => hash('sha256', text, 'buffer');

/** Under which it is kept what is sent to a path. */
export const hashOfPath = sha256;

/** `mark` is of the session, and another in each: what was asked for is the rest. */
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

/** Takes the key of a form, in one commit with the entry that says who wants what. Null: it is new. */
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
