import { constants } from 'node:fs';
import { access, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  findUnwrittenRemittances,
  type LeftOut,
  listRefused,
  listRemittances,
  markRemittanceWritten,
} from '../providers/banks/remittances/remittances.sql.ts';
import {
  createRemittance,
  type RemittanceResult,
  rewriteRemittance,
} from '../transactions/methods/boleto/remittances/create-remittance.ts';
import { instant, saoPauloDay } from '../values/instant.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  type GivenOptions,
  matching,
  required,
  table,
  visible,
} from './command.ts';

const BANK = required('--bank NAME', 'the provider whose adapter is remessa');
const FOLDER = required(
  '--folder FOLDER',
  'where the file is written; nobody else should read there: it names payers',
);

const MOST_LISTED = 200;

/** See docs/remessa.md. */
export const REMITTANCE_COMMANDS: readonly Command[] = [
  {
    words: ['remessa', 'make'],
    summary: 'write the next file to a bank (CNAB 240 or 400), with all that it is to be told of boletos',
    options: [BANK, FOLDER],
    opens: 'audited',
    async run(given, tools) {
      const bank = given.one('bank') ?? '';
      // Checked first: a file that was made has its number, and must be written.
      const unusable = await folderFault(given.one('folder') ?? '');
      if (unusable !== null) return { option: '--folder', message: unusable };
      const today = saoPauloDay(instant(Date.now()));
      const made = await createRemittance(tools, bank, today, tools.operator);
      const shown = await written(given, tools, made);
      const number = made.kind === 'written' ? made.remittance.number : 0;
      const unwritten = await findUnwrittenRemittances(tools.database, bank, number, MOST_LISTED);
      if ('message' in shown || unwritten.length === 0) return shown;
      const warnings = unwritten.map(
        (one) =>
          `File ${one} may have reached no folder: parcela remessa show --number ${one} --folder writes it again`,
      );
      return {
        ...shown,
        lines: [...shown.lines, ...warnings],
        json: { ...(shown.json as object), unwritten },
      };
    },
  },
  {
    words: ['remessa', 'list'],
    summary: 'show the files that were made for banks, and what the banks answered',
    options: [{ ...BANK, isRequired: false }],
    opens: 'database',
    async run(given, { database }) {
      const found = await listRemittances(database, { bank: given.one('bank'), number: null }, MOST_LISTED);
      const items = found.map(({ contentHash: _hash, ...one }) => one);
      const rows = items.map(({ bank, number, madeOn, instructions, accepted, refused, isWritten }) => {
        const open = instructions - accepted - refused;
        return [bank, number, madeOn, isWritten ? 'yes' : 'no', instructions, accepted, refused, open].map(
          String,
        );
      });
      const head = ['BANK', 'NUMBER', 'MADE ON', 'WRITTEN', 'INSTRUCTIONS', 'ACCEPTED', 'REFUSED', 'OPEN'];
      return { lines: table(head, rows), json: { items } };
    },
  },
  {
    words: ['remessa', 'show'],
    summary: 'write a file that was made before again, the same bytes, and show what of it was refused',
    options: [
      BANK,
      required('--number NUMBER', 'its number', {
        check: matching(/^[1-9]\d{0,6}$/, 'must be the number of a file'),
      }),
      { ...FOLDER, isRequired: false, description: 'where it is written again; default: nowhere' },
    ],
    opens: 'audited',
    async run(given, tools) {
      const [bank, number] = [given.one('bank') ?? '', Number(given.one('number'))];
      const shown = await written(given, tools, await rewriteRemittance(tools, bank, number, tools.operator));
      if ('message' in shown) return shown;
      const refused = await listRefused(tools.database, bank, number);
      return {
        lines: [
          ...shown.lines,
          ...refused.map(
            ({ kind, ourNumber, reason }) =>
              `refused: ${KIND_WORDS[kind]} of ${ourNumber}: ${visible(reason ?? 'sem motivo')}`,
          ),
        ],
        json: { ...(shown.json as object), refused },
      };
    },
  },
];

async function folderFault(folder: string): Promise<string | null> {
  try {
    if (!(await stat(folder)).isDirectory())
      return `--folder: ${visible(folder)} is a file; name the folder that the file goes into`;
    await access(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? `--folder: ${visible(folder)} is not there; make it, or name another one`
      : `--folder: ${visible(folder)} cannot be written into (${code}); let this account write there, or name another one`;
  }
}

const KIND_WORDS = { register: 'registration', writeOff: 'write-off', dueDay: 'change of due day' } as const;

const SENTENCES = {
  unknownBank: ['--bank', 'no bank of this name has the adapter remessa: parcela provider list'],
  unknownNumber: ['--number', 'this bank has no file of this number: parcela remessa list'],
  changedSince: [
    '--number',
    'the settings of the bank have changed since, or payers were erased: it cannot be written again as it was',
  ],
} as const satisfies Record<string, readonly [option: string, message: string]>;

async function written(
  given: GivenOptions,
  { database }: AuditedCommandTools,
  result: RemittanceResult,
): Promise<CommandOutcome> {
  switch (result.kind) {
    case 'nothingWaits': {
      const { leftOut } = result;
      const lines = ['Nothing waits for a file to this bank.'];
      const isBad = leftOut.length > 0;
      return { isBad, lines: isBad ? leftOutLines(leftOut) : lines, json: { number: null, leftOut } };
    }
    case 'agreementFault':
      return { option: '--bank', message: `--bank: ${visible(result.fault)}` };
    case 'written':
      break;
    default: {
      const [option, message] = SENTENCES[result.kind];
      return { option, message: `${option}: ${message}` };
    }
  }
  const { number, madeOn, instructions, bytes } = result.remittance;
  const folder = given.one('folder');
  const path =
    folder === null ? null : join(folder, `${given.one('bank')}-${String(number).padStart(6, '0')}.rem`);
  const fault = path === null ? null : await writeWhole(path, bytes);
  const what = `File ${number} of ${madeOn}: ${instructions} instructions`;
  if (fault !== null)
    return {
      option: '--folder',
      message: `${what}. It could not be written (${fault}): parcela remessa show --number ${number} --folder writes it again`,
    };
  if (path !== null) await markRemittanceWritten(database, given.one('bank') ?? '', number);
  const place = path !== null && `Written to ${visible(path)}. Send it to the bank once.`;
  const { leftOut } = result;
  return {
    isBad: leftOut.length > 0,
    lines: [`${what}.`, place, ...leftOutLines(leftOut)],
    json: { number, madeOn, instructions, path, leftOut },
  };
}

function leftOutLines(leftOut: readonly LeftOut[]): string[] {
  const named = leftOut
    .slice(0, MOST_LISTED)
    .map(
      ({ kind, ourNumber, reason }) =>
        `Left out, and it waits: ${KIND_WORDS[kind]} of ${ourNumber}: ${reason}`,
    );
  const more = leftOut.length - named.length;
  return more > 0 ? [...named, `and ${more} more`] : named;
}

/** Watchers of the folder see whole files only. Returns the fault, or null. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<string | null> {
  try {
    const file = await open(`${path}.part`, 'w', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.part`, path);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
