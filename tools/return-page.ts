import {
  CNAB_MOVEMENTS,
  CNAB_RECORDS,
  CNAB_TIME_IS_OVER,
  FEBRABAN_BANKS,
  FEBRABAN_MOVEMENTS,
} from '../packages/settlement-files/src/banks/cnab240-layout.ts';
import { kindsSection, overview, recordSection, table } from './settlement-page.ts';

/** docs/return-files.md: every position of the bank's return file that the reader reads. */
export function returnPage(note: string): string {
  const records = CNAB_RECORDS.map((record) => recordSection('CNAB 240', record));
  const parts = [
    '# Return files of the bank',
    note,
    INTRODUCTION,
    overview({ records: CNAB_RECORDS }),
    MOVEMENTS,
  ];
  return `${[...parts, kindsSection(CNAB_RECORDS), ...records].join('\n\n')}\n`;
}

const INTRODUCTION = `The return file (arquivo de retorno) of collection in CNAB 240 of the FEBRABAN, position by position, as
\`parcela boletos import FILE\` takes it: what a bank reports of [boletos](boletos.md) by file, beside or instead of its feed.

A line has 240 positions, each one byte of ISO-8859-1, and ends with LF or with CR LF. Positions count from 1. A lot is its header, pairs of T and U, and
its trailer; other segments may stand behind a pair, are counted, and not read. Lots count from 1, and so do the records of a lot. All records name the
bank of the header. The trailers count what is there. Totals of portfolios are not compared: banks fill them in ways of their own.

A file is taken whole or not at all: the first fault refuses it, with its line. What it says waits among the changes of the bank's feed and is
applied as they are, within seconds, by the service. The same change in a second file is the same change: it is known by bank, boleto, day and amount (and,
of equal ones in one file, by its number among them), not by the file. The command names the
boletos of such repetitions. An equal payment of one day that another file reports (one made on another day, or of another number) may be a second one or the first once more:
it is recorded as \`filedAgain\`, moves nothing, and stands in \`parcela resolve changes\` for a person to look at. A payment that the feed reports too, with the same amount and day, is recorded once.

A boleto is known by our number: eleven digits, which the bridge gives the bank as the company's own number (positions 106 to 130 of T), or as the bank's number
(38 to 57, zeros before it). Value and due day of T, where they are given, must be those of the boleto, and its bar code of this bank; where one is
not, the command names the number. A pair without such a number, or with one that is none of ours, belongs to a boleto that was issued elsewhere under the same
agreement, or at another bank: it is counted, and changes nothing. Branch and account, and the payer's name and document, are not kept.`;

const USES = { paid: 'it is paid', writtenOff: 'it is canceled, or expired', none: 'nothing' } as const;

const MOVEMENTS = `## Movements

Positions 16 and 17 of both segments. The first four movements say the same at every bank. The others are those of the FEBRABAN, and are known at the banks that follow it:
${FEBRABAN_BANKS.join(', ')}. A movement that is not known at the bank of the file changes nothing, whatever another bank means by it (17 refuses a change at Itaú): of a boleto of ours it is an
exception \`unknownCode\` with the movement, the number and what was paid. Written off with one of the reasons ${CNAB_TIME_IS_OVER.join(' and ')}
(positions 214 to 223 of T) a boleto has expired; with any other it is canceled.

${table(
  ['Movement', 'What it says of the boleto', 'What becomes of it'],
  [...Object.entries(CNAB_MOVEMENTS), ...Object.entries(FEBRABAN_MOVEMENTS)].map(
    ([code, { meaning, use }]) => [`\`${code}\``, meaning, USES[use]],
  ),
)}`;
