import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type ReturnFileFault, ReturnFileRefused } from '#settlement-files';
import {
  namedNumbers,
  type ProcessedReturnFile,
  processReturnFile,
} from '../reconciliation/bank-files/process-return-file.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  type GivenOptions,
  reaisOf,
  visible,
} from './command.ts';

/** See docs/return-files.md. */
export const BOLETO_COMMANDS: readonly Command[] = [
  {
    words: ['boletos', 'import'],
    summary: 'take a return file of the bank (CNAB 240), whole or not at all',
    operand: { name: 'FILE', description: 'the file as the bank gave it' },
    options: [],
    opens: 'audited',
    run: runImport,
  },
];

async function runImport(
  given: GivenOptions,
  { database, audit, operator }: AuditedCommandTools,
): Promise<CommandOutcome> {
  const path = given.one('FILE') ?? '';
  const name = visible(basename(path)).slice(0, 200);
  try {
    const taken = await processReturnFile(
      { database, audit },
      { name, bytes: createReadStream(path) },
      operator,
    );
    return { ok: true, lines: linesOf(taken), json: jsonOf(taken) };
  } catch (error) {
    const message = faultText(error);
    if (message === null) throw error;
    return { ok: false, option: null, message };
  }
}

function linesOf(read: ProcessedReturnFile): string[] {
  const { head, lineCount, entries, foreign, ours, taken, unfit, known, again, others, unknown } = read;
  const foreigners = foreign + entries.length - ours;
  return [
    `Taken: bank ${head.bank}, made on ${head.madeOn}, number ${head.sequence ?? 'none'}, ${lineCount} lines.`,
    `changes of our boletos   ${ours}, of which ${taken} are new`,
    `boletos of others        ${foreigners}`,
    ...(unfit.length > 0
      ? [
          `of them with our numbers, but of another bank, value or due day, or of a day to come: ${namedNumbers(unfit)}`,
        ]
      : []),
    ...(known.length > 0 ? [`reported before by file: ${namedNumbers(known)}`] : []),
    ...(again.length > 0
      ? [`paid in this file and in another one, see parcela resolve changes: ${namedNumbers(again)}`]
      : []),
    ...Object.entries(others).map(
      ([movement, count]) => `movement ${movement}              ${count}, changes nothing`,
    ),
    ...unknown.map(
      ({ lineNumber, movement, ourNumber, paid }) =>
        `line ${lineNumber}: unknown code ${visible(movement)} of boleto ${ourNumber}, ${reaisOf(paid)}: see parcela reconcile list --class unknownCode`,
    ),
    ...(taken > 0 ? ['A running service applies them within seconds.'] : []),
  ];
}

function jsonOf(read: ProcessedReturnFile): object {
  const { head, lineCount, entries, foreign, ours, taken, unfit, known, again, others, unknown } = read;
  return {
    ...head,
    lines: lineCount,
    ours,
    taken,
    foreign: foreign + entries.length - ours,
    unfit,
    known,
    again,
    others,
    unknown: unknown.map(({ lineNumber, movement, ourNumber, paid }) => ({
      lineNumber,
      movement,
      ourNumber,
      paid,
    })),
  };
}

const FAULT_SENTENCES: Readonly<Record<ReturnFileFault, string>> = {
  emptyFile: 'the file is empty',
  tooManyPairs: 'more pairs of segments than a file may have',
  lineLength: 'the line has not 240 positions',
  field: 'is not as the layout has it',
  unexpectedRecord: 'this record must not stand here',
  anotherBank: 'the line is of another bank than the header',
  lotNumber: 'the number of the lot is not the next one, or not that of its lot',
  recordNumber: 'the number of the record in its lot is not the next one',
  lotCount: 'the lot has another number of records',
  fileCount: 'the file has other numbers of lots and records',
  unpaired: 'a segment T without its U, or a U without its T',
  movementDiffers: 'the movement is not that of its segment T',
  changeWithoutDay: 'a payment or write-off without its day',
  paymentWithoutAmount: 'a payment without an amount',
  noTrailer: 'the file ends without its trailer',
  behindTrailer: 'there is a line behind the trailer',
};

function faultText(error: unknown): string | null {
  if (error instanceof ReturnFileRefused) {
    const { lineNumber, fault, field } = error;
    const what = field === null ? '' : `field ${field.field} (positions ${field.from} to ${field.to}) `;
    return `nothing was taken: line ${lineNumber}: ${what}${FAULT_SENTENCES[fault]}`;
  }
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'nothing was taken: there is no such file';
  if (code === 'EISDIR') return 'nothing was taken: that is a folder';
  return code === 'EACCES' ? 'nothing was taken: the file may not be read' : null;
}
