import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Asked } from '../parts/asked.ts';
import { finishForm, freeForm } from './console-actions.sql.ts';
import { endOf, keptRefusal, type SentForm } from './sent-form.ts';

export type FinishTools = { readonly database: Database; readonly audit: Audit; readonly log: Log };

/**
 * Writes what became of a form, a refusal with its entry in the audit log. What was done is done, whether
 * this can be written or not: the key then says that it is not known.
 */
export async function finishAction(
  { database, audit, log }: FinishTools,
  sent: SentForm,
  asked: Asked<unknown>,
  refused: AuditEvent,
  merchantId: string,
): Promise<void> {
  if (asked.ok)
    return finishForm(database, sent, null).catch((error) =>
      log.error(
        errorFields(error),
        'what was done on a page could not be noted: its form says that it is not known',
      ),
    );
  const end = endOf(asked);
  await audit.transaction(
    async (tx) => {
      if (end === 'free') await freeForm(tx, sent);
      else if (end !== null) await finishForm(tx, sent, keptRefusal(asked));
      tx.record(refused);
    },
    { merchantId },
  );
}
