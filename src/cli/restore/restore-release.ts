import type { AuditEvent } from '../../audit/audit-event.ts';
import { releaseRestoredStep } from '../../merchants/merchants.sql.ts';
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

async function runRelease(given: GivenOptions, tools: AuditedCommandTools): Promise<CommandOutcome> {
  const named = given.many('merchant');
  if (named.length > 0 === given.has('all'))
    return { ok: false, option: '--merchant', message: 'name merchants, or say --all' };
  const reason = given.one('reason') ?? '';
  const released: string[] = [];
  for (const merchantId of given.has('all') ? [null] : named) {
    const eventOf = (count: number): AuditEvent => ({
      ...tools.operator,
      action: 'billing.release',
      outcome: 'success',
      resource: merchantId === null ? 'merchants' : `merchants/${merchantId}`,
      detail: { ofRestore: count, reason },
    });
    const [rows = []] = await tools.audit.commit([releaseRestoredStep(merchantId)], ([gone = []]) =>
      gone.length === 0 ? [] : [eventOf(gone.length)],
    );
    if (rows.length === 0 && merchantId !== null)
      return { ok: false, option: '--merchant', message: `the restore does not hold ${merchantId}` };
    released.push(...rows.map((row) => row.merchant_id as string));
  }
  return {
    ok: true,
    lines: [
      `Billings of ${released.length} merchants are no longer held: what is due is charged, the oldest first.`,
    ],
    json: { released: released.length },
  };
}
