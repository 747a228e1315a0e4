import { releaseRestored } from '../../merchants/release-restored.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  type GivenOptions,
  reasonOption,
} from '../command.ts';

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
  const done = await releaseRestored(tools, given.has('all') ? null : named, given.one('reason') ?? '');
  if ('unheld' in done) {
    const message = `the restore does not hold ${done.unheld.join(', ')}; nothing was released`;
    return { ok: false, option: '--merchant', message };
  }
  const { released } = done;
  return {
    ok: true,
    lines: [
      `Billings of ${released} merchants are no longer held: what is due is charged, the oldest first.`,
    ],
    json: { released },
  };
}
