import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { bankText, ReturnFileRefused } from '#settlement-files';
import type { Lines } from '../platform/lines.ts';
import { doubtSentence } from '../reconciliation/bank-files/doubt.ts';
import {
  type DoubtfulAnswer,
  namedNumbers,
  type ProcessedReturnFile,
  processReturnFile,
  TooManyMovements,
} from '../reconciliation/bank-files/process-return-file.ts';
import { keptName } from '../reconciliation/imports/settlement-file.ts';
import { shownFileNumber } from '../transactions/methods/boleto/changes/bank-change.ts';
import type { ToldByFile } from '../transactions/methods/boleto/changes/filed-changes.sql.ts';
import { type Command, reaisOf, refused, visible } from './command.ts';

/** See docs/return-files.md. */
export const BOLETO_COMMANDS: readonly Command[] = [
  {
    words: ['boletos', 'import'],
    summary: 'take a return file of the bank (CNAB 240 or 400), whole or not at all',
    operand: { name: 'FILE', description: 'the file as the bank gave it' },
    opens: 'audited',
    async run(given, { database, audit, operator }) {
      const path = given.one('FILE') ?? '';
      const name = keptName(basename(path));
      try {
        const taken = await processReturnFile({ database, audit }, { name, bytes: bytesOf(path) }, operator);
        return { lines: linesOf(taken), json: jsonOf(taken) };
      } catch (error) {
        const message = faultText(error);
        if (message === null) throw error;
        return refused(message);
      }
    },
  },
];

/** The file is opened when it is read, so that whoever reads it hears of its faults. */
async function* bytesOf(path: string): AsyncIterable<Uint8Array> {
  yield* createReadStream(path);
}

function linesOf(read: ProcessedReturnFile): Lines {
  const {
    head,
    isOfAnother,
    lineCount,
    entries,
    foreign,
    ours,
    taken,
    unfit,
    known,
    again,
    told,
    doubtful,
    others,
    unknown,
  } = read;
  const foreigners = foreign + entries.length - ours;
  return [
    `Taken: bank ${bankText(head.bank)}, made on ${head.madeOn}, number ${shownFileNumber(head.sequence)}, ${lineCount} lines.`,
    ...(isOfAnother ? [OF_ANOTHER] : []),
    `changes of our boletos   ${ours}, of which ${taken} are new`,
    `boletos of others        ${foreigners}`,
    unfit.length > 0 &&
      `of them with our numbers, but of another bank, value or due day, or of a day to come: ${namedNumbers(unfit)}`,
    known.length > 0 && `reported before by file: ${namedNumbers(known)}`,
    again.length > 0 &&
      `paid in this file and in another one, see parcela resolve changes: ${namedNumbers(again)}`,
    ...toldLines(told),
    ...doubtfulLines(doubtful),
    ...Object.entries(others).map(
      ([movement, count]) => `movement ${movement}              ${count}, changes nothing`,
    ),
    ...unknown.map(
      ({ lineNumber, movement, meaning, ourNumber, paid }) =>
        `line ${lineNumber}: ${meaning === null ? 'unknown' : 'unclear'} code ${visible(movement)}${meaning === null ? '' : ` (${meaning})`} of boleto ${ourNumber}, ${reaisOf(paid)}: see parcela reconcile list --class unknownCode`,
    ),
    taken > 0 && 'A running service applies them within seconds.',
  ];
}

const OF_ANOTHER =
  'it is of another company than our providers of this bank (o arquivo é de outro beneficiário, e não dos nossos provedores deste banco): was it meant for this service?';

/** In both languages, like the refusal of a file: whoever brings the bank's files reads it. */
function toldLines(told: readonly ToldByFile[]): string[] {
  const days = Map.groupBy(told, ({ madeOn }) => madeOn);
  return [...days].flatMap(([day, ofDay]) =>
    [...Map.groupBy(ofDay, ({ fileNumber }) => fileNumber)].map(([fileNumber, some]) => {
      const number = shownFileNumber(fileNumber);
      const diaMesAno = day.split('-').toReversed().join('/');
      const numbers = namedNumbers(some.map(({ ourNumber }) => ourNumber));
      return `already told by file ${number} of ${day} (já informado pelo arquivo ${number} de ${diaMesAno}): ${numbers}`;
    }),
  );
}

function doubtfulLines(doubtful: readonly DoubtfulAnswer[]): string[] {
  return [...Map.groupBy(doubtful, ({ takenFor }) => takenFor)].map(([takenFor, some]) => {
    const { en, pt } = doubtSentence(takenFor);
    const numbers = namedNumbers([...new Set(some.map(({ ourNumber }) => ourNumber))]);
    return `${en} (${pt}), see parcela reconcile list --class unknownCode: ${numbers}`;
  });
}

function jsonOf(read: ProcessedReturnFile): object {
  const {
    head,
    isOfAnother,
    lineCount,
    entries,
    foreign,
    ours,
    taken,
    unfit,
    known,
    again,
    told,
    doubtful,
    others,
    unknown,
  } = read;
  return {
    ...head,
    isOfAnother,
    lines: lineCount,
    ours,
    taken,
    foreign: foreign + entries.length - ours,
    unfit,
    known,
    again,
    told,
    doubtful,
    others,
    unknown: unknown.map(({ lineNumber, movement, ourNumber, paid }) => ({
      lineNumber,
      movement,
      ourNumber,
      paid,
    })),
  };
}

function faultText(error: unknown): string | null {
  if (error instanceof ReturnFileRefused) {
    const { lineNumber, sentence } = error;
    return `nothing was taken: line ${lineNumber}: ${sentence.en}\nnada foi aceito: linha ${lineNumber}: ${sentence.pt}`;
  }
  if (error instanceof TooManyMovements) return 'nothing was taken: more movements than a file may have';
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'nothing was taken: there is no such file';
  if (code === 'EISDIR') return 'nothing was taken: that is a folder';
  return code === 'EACCES' ? 'nothing was taken: the file may not be read' : null;
}
