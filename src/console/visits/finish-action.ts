import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import type { Database, Step } from '../../platform/postgres/database.ts';
import type { Asked } from '../parts/asked.ts';
import { finishStep, freeStep } from './console-actions.sql.ts';
import { endOf, keptRefusal, type Refusal, type SentForm } from './sent-form.ts';

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
    return write(log, async () => {
      const { statement, values } = finishStep(sent, null);
      await database.query(statement, values);
    });
  const step = refusedStep(sent, asked);
  await audit.commit(step === null ? [] : [step], [refused], merchantId);
}

function refusedStep(sent: SentForm, { status, errors }: Refusal): Step | null {
  const end = endOf({ ok: false, status, errors });
  if (end === null) return null;
  if (end === 'free') return freeStep(sent);
  return finishStep(sent, keptRefusal({ status, errors }));
}

async function write(log: Log, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error(
      errorFields(error),
      'what was done on a page could not be noted: its form says that it is not known',
    );
  }
}
