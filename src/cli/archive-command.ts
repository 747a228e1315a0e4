import { stat } from 'node:fs/promises';
import { type ArchiveResult, archiveAudit, type MadeArchive } from '../audit/archive-audit.ts';
import { faultSentence } from './audit-commands.ts';
import type { AuditedCommandTools, Command, CommandOutcome, GivenOptions } from './command.ts';

/** Three months are to be at hand at once (PCI DSS 10.5.1). */
const FEWEST_DAYS_OF_PRODUCTION = 90;
const MOST_DAYS = 36_500;

export const ARCHIVE_COMMAND: Command = {
  words: ['audit', 'archive'],
  summary: 'write old entries to files, check them, and delete them here',
  options: [
    {
      name: 'days',
      value: 'N',
      description: `entries older than this go; production keeps at least ${FEWEST_DAYS_OF_PRODUCTION}`,
      isRequired: true,
      check: (value) =>
        /^(0|[1-9]\d{0,4})$/.test(value) && Number(value) <= MOST_DAYS
          ? null
          : `must be a whole number up to ${MOST_DAYS}`,
    },
    {
      name: 'folder',
      value: 'PATH',
      description: 'where the files are written; always the same one',
      isRequired: true,
    },
  ],
  opens: 'owner',
  run: runArchive,
};

async function runArchive(given: GivenOptions, tools: AuditedCommandTools): Promise<CommandOutcome> {
  const days = Number(given.one('days'));
  const folder = given.one('folder') ?? '';
  if (tools.environment === 'production' && days < FEWEST_DAYS_OF_PRODUCTION) {
    const message = `must be at least ${FEWEST_DAYS_OF_PRODUCTION} in production`;
    return { ok: false, option: '--days', message };
  }
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return { ok: false, option: '--folder', message: 'is no folder' };
  const { database, keyring, audit, operator } = tools;
  return outcomeOf(await archiveAudit({ database, keyring, audit, operator }, { days, folder }));
}

function outcomeOf(result: ArchiveResult): CommandOutcome {
  switch (result.kind) {
    case 'done':
      return { ok: true, lines: linesOf(result.made), json: { archives: result.made.map(archiveJson) } };
    case 'notOwner':
      return refused(
        'this role of the database may not archive: name the owner in PARCELA_OWNER_DATABASE_URL',
      );
    case 'broken':
      return refused(
        `the audit log is broken, and stays as it is: ${faultSentence(result.fault, result.entryNumber)}`,
      );
    case 'fileMissing':
      return refused(
        `${result.file} is not there or is another file: put it back before its entries are deleted here`,
      );
    case 'fileThere':
      return refused(`${result.file} is there already and holds something else: name another folder`);
  }
}

function refused(message: string): CommandOutcome {
  return { ok: false, option: null, message };
}

function linesOf(made: readonly MadeArchive[]): string[] {
  if (made.length === 0) return ['No entry is old enough: nothing was archived.'];
  return made.flatMap(({ firstNumber, lastNumber, file, deleted, fileSha256, lastSeal }) => [
    `Entries ${firstNumber} to ${lastNumber} are in ${file}; ${deleted} were deleted here.`,
    `Keep elsewhere: sha256 ${fileSha256.toString('hex')}, --number ${lastNumber} --seal ${lastSeal.toString('hex')}`,
  ]);
}

function archiveJson({ firstNumber, lastNumber, file, deleted, fileSha256, lastSeal }: MadeArchive): object {
  return {
    firstNumber,
    lastNumber,
    file,
    deleted,
    fileSha256: fileSha256.toString('hex'),
    lastSeal: lastSeal.toString('hex'),
  };
}
