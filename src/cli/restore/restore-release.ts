import type { AuditEvent } from '../../audit/audit-event.ts';
import { releaseRestoredStep } from '../../merchants/merchants.sql.ts';
import type { Row } from '../../platform/postgres/database.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  type GivenOptions,
  reasonOption,
} from '../command.ts';

/** Ends the hold that `restore accept` began; one by hand (`billing hold`) stays. */
export const RESTORE_RELEASE: Command = {
  words: ['restore', 'release'],
  summary: 'go on charging due billings after a restore, once what was canceled in the lost time is canceled',
  switches: [{ name: 'all', description: 'of all merchants that the restore holds' }],
  options: [
    { name: 'merchant', value: 'ID', description: 'of this merchant', isRepeatable: true },
    reasonOption('who said that nothing canceled is charged, for the audit log'),
  ],
  opens: 'audited',
  run: runRelease,
};

class NotHeld extends Error {}

async function runRelease(given: GivenOptions, tools: AuditedCommandTools): Promise<CommandOutcome> {
  const named = given.many('merchant');
  if (named.length > 0 === given.has('all'))
    return { ok: false, option: '--merchant', message: 'name merchants, or say --all' };
  const merchantIds = given.has('all') ? [null] : [...new Set(named)].toSorted();
  const reason = given.one('reason') ?? '';
  let unheld: string[] = [];
  const eventsOf = (rows: readonly Row[][]): AuditEvent[] => {
    unheld = merchantIds.filter(
      (merchantId, at) => merchantId !== null && rows[at]?.length === 0,
    ) as string[];
    // All of them or none: a name that is wrong says that the list was not looked at.
    if (unheld.length > 0) throw new NotHeld();
    return merchantIds.flatMap((merchantId, at) => {
      const ofRestore = rows[at]?.length ?? 0;
      const resource = merchantId === null ? 'merchants' : `merchants/${merchantId}`;
      const shared = { ...tools.operator, action: 'billing.release', outcome: 'success' } as const;
      return ofRestore === 0 ? [] : [{ ...shared, resource, detail: { ofRestore, reason } }];
    });
  };
  const released = await tools.audit
    .commit(merchantIds.map(releaseRestoredStep), eventsOf)
    .catch((error: unknown) => {
      if (error instanceof NotHeld) return null;
      throw error;
    });
  if (released === null) {
    const message = `the restore does not hold ${unheld.join(', ')}; nothing was released`;
    return { ok: false, option: '--merchant', message };
  }
  const count = released.flat().length;
  return {
    ok: true,
    lines: [`Billings of ${count} merchants are no longer held: what is due is charged, the oldest first.`],
    json: { released: count },
  };
}
