import { type ArchiveResult, archiveAudit, type MadeArchive } from '../audit/archive-audit.ts';
import type { AuditEntry, ChainFault } from '../audit/audit-chain.ts';
import { AUDIT_ACTIONS } from '../audit/audit-event.ts';
import { listAuditEntries, MOST_LISTED } from '../audit/list-audit-entries.ts';
import { type AuditAnchor, type AuditVerdict, verifyAudit } from '../audit/verify-audit.ts';
import type { Lines } from '../platform/lines.ts';
import { instant, parseUtcText, utcText } from '../values/instant.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  limitOption,
  oneOf,
  option,
  refused,
  required,
  table,
  USUAL_LIMIT,
  visible,
} from './command.ts';
import { isFile, isFolder } from './option-files.ts';

const SEAL_DIGITS = 64;

const isWhole = (value: string) => /^[1-9]\d{0,14}$/.test(value);
const momentCheck = (value: string) =>
  momentOf(value) === null ? 'must be a day in UTC, 2026-11-21, or a time, 2026-11-21T13:00:00Z' : null;

export const AUDIT_COMMANDS: readonly Command[] = [
  {
    words: ['audit', 'list'],
    summary: 'show who did what, oldest first',
    options: [
      option('--from TIME', 'from this time on', { check: momentCheck }),
      option('--to TIME', 'before this time', { check: momentCheck }),
      option('--action ACTION', 'one of login.accept, credential.create, … (docs/audit.md)', {
        check: oneOf(AUDIT_ACTIONS),
      }),
      option('--actor NAME', 'a user name, or an account of the operator’s machine'),
      limitOption(MOST_LISTED),
      option('--after NUMBER', 'only entries after this number, for the next page', {
        check: (value) => (isWhole(value) || value === '0' ? null : 'must be the number of an entry'),
      }),
    ],
    opens: 'audited',
    async run(given, tools) {
      const moment = (name: string) => momentOf(given.one(name) ?? '');
      const after = Number(given.one('after') ?? 0);
      const filter = {
        from: moment('from'),
        to: moment('to'),
        action: given.one('action'),
        actor: given.one('actor'),
      };
      const limit = Number(given.one('limit') ?? USUAL_LIMIT);
      const entries = await listAuditEntries(tools, filter, after, limit);
      const rows = entries.map((entry) =>
        [
          String(entry.entryNumber),
          timeOf(entry),
          entry.actor,
          entry.action,
          entry.outcome,
          entry.origin,
          entry.resource,
          entry.detail,
        ].map(visible),
      );
      const names = ['NUMBER', 'TIME', 'ACTOR', 'ACTION', 'OUTCOME', 'ORIGIN', 'RESOURCE', 'DETAIL'];
      const last = entries.at(-1);
      const more =
        last !== undefined && entries.length === limit
          ? [`More may follow: --after ${last.entryNumber}`]
          : [];
      return { lines: [...table(names, rows), ...more], json: { items: entries.map(entryJson) } };
    },
  },
  {
    words: ['audit', 'verify'],
    summary: 'check that no entry was altered, removed, moved or added',
    options: [
      option('--number NUMBER', 'number of an entry whose seal you kept elsewhere (needs --seal)', {
        check: (value) => (isWhole(value) ? null : 'must be the number of an entry'),
      }),
      option('--seal HEX', 'the seal that was logged with it in the service’s log (needs --number)', {
        check: (value) =>
          /^[0-9a-f]+$/i.test(value) && value.length === SEAL_DIGITS
            ? null
            : `must have ${SEAL_DIGITS} hexadecimal digits`,
      }),
      option(
        '--archive FILE',
        'a file of audit archive: the newest, or several that follow each other up to it',
        { isRepeatable: true },
      ),
    ],
    opens: 'audited',
    async run(given, tools) {
      const number = given.one('number');
      const seal = given.one('seal');
      if ((number === null) !== (seal === null)) {
        const missing = number === null ? '--number' : '--seal';
        return { option: missing, message: `${missing} is needed too: an anchor is a number and its seal` };
      }
      const anchor =
        number === null ? null : { entryNumber: Number(number), seal: Buffer.from(seal ?? '', 'hex') };
      const archives = given.many('archive');
      for (const path of archives) {
        if (!(await isFile(path)))
          return { option: '--archive', message: `${JSON.stringify(path)} is no file` };
      }
      const verdict = await verifyAudit(tools, { anchor, archives });
      const failure = await auditVerdict(tools, verdict);
      if (verdict.isWhole && failure !== null) throw failure;
      return { ...verdictTexts(verdict, anchor), isBad: !verdict.isWhole };
    },
  },
];

/** A day alone means its beginning. */
function momentOf(text: string): number | null {
  return parseUtcText(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
}

/**
 * Records the verdict in the audit log. Returns why that failed, or null: a broken log may take no more
 * entries, and its verdict is shown all the same.
 */
async function auditVerdict(
  { audit, operator }: AuditedCommandTools,
  verdict: AuditVerdict,
): Promise<unknown> {
  try {
    await audit.record({
      ...operator,
      action: 'audit.verify',
      outcome: verdict.isWhole ? 'success' : 'failure',
      resource: 'audit',
      detail: verdict.isWhole
        ? { entries: verdict.entries }
        : { fault: verdict.fault, entryNumber: verdict.entryNumber },
    });
    return null;
  } catch (error) {
    return error;
  }
}

const FAULT_SENTENCES = {
  headMissing: (number) => `the end of the log was removed; the last entry there is has number ${number}`,
  headAltered: (number) =>
    `the end of the log was written by somebody without the key; entry ${number} is the last that fits`,
  entryMissing: (number) => `entry ${number} was removed`,
  entryUnlinked: (number) => `entry ${number} does not follow the one before: it was moved or put in`,
  sealForeign: (number) => `entry ${number} names a key that is not one of the audit log`,
  entryAltered: (number) => `entry ${number} was altered`,
  sealOutdated: (number) =>
    `entry ${number} was sealed with a key of the audit log that had been replaced by then`,
  tailMissing: (number) => `entry ${number} and what followed was removed`,
  entryBeyondHead: (number) => `entry ${number} was put in behind the end of the log`,
  headUnlinked: (number) => `entry ${number}, the last, is not the one that the log ended with`,
  headSealOutdated: (number) =>
    `the end of the log was sealed with another key than entry ${number}, the last`,
  anchorMissing: (number) => `entry ${number} and what followed is gone, up to the one whose seal you kept`,
  anchorDiffers: (number) => `entry ${number} is not the one whose seal you kept`,
  anchorArchived: (number) =>
    `entry ${number} cannot be compared: it is archived, and its file was not named (--archive)`,
  archiveAltered: (number) =>
    `the anchor of the archive that begins with entry ${number} was written by somebody without the key`,
  archiveMissing: (number) => `the anchor of the archive that begins with entry ${number} was removed`,
  archiveDiffers: (number) => `what is archived from entry ${number} on is not what was archived`,
  archiveNotNamed: (number) => `entry ${number} is in an archive whose file was not named (--archive)`,
} as const satisfies Record<ChainFault, (entryNumber: number) => string>;

function faultSentence(fault: ChainFault, entryNumber: number): string {
  return FAULT_SENTENCES[fault](entryNumber);
}

function verdictTexts(verdict: AuditVerdict, anchor: AuditAnchor | null): { lines: Lines; json: unknown } {
  if (!verdict.isWhole) {
    const { fault, entryNumber } = verdict;
    const message = faultSentence(fault, entryNumber);
    return {
      lines: [`The audit log is broken: ${message}.`],
      json: { isWhole: false, fault, entryNumber, message },
    };
  }
  const { entries, archived, readFrom } = verdict;
  const seal = verdict.seal.toString('hex');
  const lines = [
    anchor === null
      ? `The audit log is whole: ${entries} entries.`
      : `The audit log is whole: ${entries} entries, and entry ${anchor.entryNumber} is the one whose seal you kept.`,
    archived > 0 && `Archived: up to entry ${archived}; what was read begins with entry ${readFrom}.`,
    `Keep elsewhere: --number ${entries} --seal ${seal}`,
  ];
  return { lines, json: { isWhole: true, entries, seal, archived, readFrom } };
}

function entryJson(entry: AuditEntry): object {
  const { entryNumber, actor, action, outcome, origin, resource, detail } = entry;
  const seal = entry.seal.toString('hex');
  const shown = detailOf(detail);
  return {
    entryNumber,
    occurredAt: timeOf(entry),
    actor,
    action,
    outcome,
    origin,
    resource,
    detail: shown,
    seal,
  };
}

/** The detail of an altered entry may not be JSON: it is shown as it is. */
export function detailOf(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

function timeOf({ occurredAtSeconds }: AuditEntry): string {
  try {
    return utcText(instant(Math.floor(Number(occurredAtSeconds) * 1_000)));
  } catch {
    return occurredAtSeconds;
  }
}

/** Three months must be at hand (PCI DSS 10.5.1). */
const FEWEST_DAYS_OF_PRODUCTION = 90;
const MOST_DAYS = 36_500;

export const ARCHIVE_COMMAND: Command = {
  words: ['audit', 'archive'],
  summary: 'write old entries to files, check them, and delete them here',
  options: [
    required(
      '--days N',
      `entries older than this go; production keeps at least ${FEWEST_DAYS_OF_PRODUCTION}`,
      {
        check: (value) =>
          /^(0|[1-9]\d{0,4})$/.test(value) && Number(value) <= MOST_DAYS
            ? null
            : `must be a whole number up to ${MOST_DAYS}`,
      },
    ),
    required('--folder PATH', 'where the files are written; always the same one'),
  ],
  opens: 'owner',
  async run(given, tools) {
    const days = Number(given.one('days'));
    const folder = given.one('folder') ?? '';
    if (tools.environment === 'production' && days < FEWEST_DAYS_OF_PRODUCTION) {
      const message = `must be at least ${FEWEST_DAYS_OF_PRODUCTION} in production`;
      return { option: '--days', message };
    }
    if (!(await isFolder(folder))) return { option: '--folder', message: 'is no folder' };
    const { database, keyring, audit, operator } = tools;
    return outcomeOf(await archiveAudit({ database, keyring, audit, operator }, { days, folder }));
  },
};

function outcomeOf(result: ArchiveResult): CommandOutcome {
  switch (result.kind) {
    case 'done':
      return { lines: linesOf(result.made), json: { archives: result.made.map(archiveJson) } };
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
