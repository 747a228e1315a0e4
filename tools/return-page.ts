import type { Bank, Movements } from '../packages/settlement-files/src/banks/bank.ts';
import { BANKS } from '../packages/settlement-files/src/banks/banks.ts';
import type { BoletoNumber } from '../packages/settlement-files/src/banks/boleto-number.ts';
import { CNAB240_RECORDS } from '../packages/settlement-files/src/banks/cnab240-layout.ts';
import {
  CNAB400_HEADER,
  type DetailLayout,
  detailLayout,
  FAMILY,
} from '../packages/settlement-files/src/banks/cnab400-layout.ts';
import { TIME_IS_OVER } from '../packages/settlement-files/src/banks/tables/febraban.ts';
import { kindsSection, overview, recordSection, table } from './settlement-page.ts';

const CNAB400_RECORDS = [CNAB400_HEADER, detailLayout(FAMILY)] as const;

/** docs/return-files.md: every position of the bank's return file that the reader reads. */
export function returnPage(note: string): string {
  const parts = [
    '# Return files of the bank',
    note,
    INTRODUCTION,
    WHOLE,
    banksSection(),
    TRIED,
    '## CNAB 240',
    OF_240,
    overview({ records: CNAB240_RECORDS }),
    ...CNAB240_RECORDS.map((record) => recordSection('CNAB 240', record)),
    '## CNAB 400',
    OF_400,
    ...CNAB400_RECORDS.map((record) => recordSection('CNAB 400', record)),
    differencesSection(),
    kindsSection([...CNAB240_RECORDS, ...CNAB400_RECORDS]),
    MOVEMENTS,
    ...BANKS.map(movementsSection),
  ];
  return `${parts.join('\n\n')}\n`;
}

const INTRODUCTION = `The return files (arquivos de retorno) of collection, position by position, as
\`parcela boletos import FILE\` takes them: what a bank reports of [boletos](boletos.md) by file, beside or instead of its feed (read by
[packages/settlement-files](../packages/settlement-files/README.md)).

A file is taken whole or not at all: the first fault refuses it, with its line, in English and in Portuguese. What it says waits among the changes of the bank's feed and is
applied within seconds. A change is known by bank, boleto, day and amount (and, of equal ones in one file, by its number among them), so the same one in a second file is one: the
command names those boletos and the first file (\`already told by file\`), and so does the page of the exception. An equal payment of one day that another file reports (made on
another day, or of another number) is recorded as \`filedAgain\`, moves nothing, and stands in \`parcela resolve changes\` for a person. A payment that the feed reports
too, with the same amount and day, is recorded once.

A boleto is known by our number: eleven digits, the company's own number (\`companyUse\`) or the bank's without its check digit (zeros before it; a shorter one names none, nor one
with a wrong digit); at Sicredi, whose lines have its own number alone, by that number and what [remessa](remessa.md) says. Value, due day and bar code, where given,
must be those of the boleto; else the command names the number. A movement with none of our numbers is counted, and changes nothing. A file whose header (CNAB 240) or lines (CNAB 400 of most
banks) name another company, by the root of its CNPJ, than the providers by file of that bank have in their settings is told as such by the command, and taken. Branch and account, and the payer's name and
document, are not kept.`;

const WHOLE = `## What surrounds the records

Positions count from 1. Lines end with LF, CR LF or CR; a file without ends of lines is cut after 240 or 400 positions. Bytes are ISO-8859-1; a line that is valid
UTF-8 beyond ASCII is read as UTF-8, with or without a mark at the start; one of 240 or 400 bytes has a byte for each position. gzip is opened, and a zip of one file (stored or deflated; folders and what desktops leave, as \`__MACOSX/\` and \`Thumbs.db\`, aside), up to three in one another. Blank lines and
\`0x1A\` are nothing. Blanks at the end of lines of CNAB 240 may be cut, or be too many; a pair longer than the header is refused. Refused by name: a tab and other control
characters, a zip of more files, with a password, a comment or over a thousand entries, in Zip64, stored with its size behind it, or damaged, a PDF, a spreadsheet, UTF-16, a file to the bank (remessa), a file of an acquirer, and one of collected bills (FEBRABAN 150).`;

const BANKS_READ = `The bank stands in the header. A file of another bank, or in a layout that is not read of it, is refused by name. Of those that are read: where the boleto's own number
stands (in T of CNAB 240), and its check digit, or whether it is compared: a line that lacks what its digit is made of names no boleto then. Not sure: an agreement of no fixed length begins the number, or a digit may
end it, or no paper says; there the company's own number alone names a boleto.`;

function banksSection(): string {
  const rows = BANKS.map(({ code, name, cnab240, cnab400 }) => [
    code,
    name,
    numberText(cnab240),
    numberText(cnab400),
  ]);
  return `## Banks\n\n${BANKS_READ}\n\n${table(['Code', 'Bank', 'CNAB 240', 'CNAB 400'], rows)}`;
}

/** Where the number of a boleto stands. */
function numberText(dialect: { readonly number: BoletoNumber } | undefined): string {
  if (dialect === undefined) return '';
  const { number } = dialect;
  if (number === 'unsure') return 'not sure';
  const digit = number.digit === null ? '' : `, digit ${number.digit.at}`;
  return `${number.from} to ${number.to}${digit}${number.digit?.of === undefined ? '' : ', compared'}`;
}

const TRIED = `Positions and movements are those of public manuals and of what public programs read. Tried on the return files of
eduardokum/laravel-boleto, kivanio/brcobranca, BoletoNet/boletonet, BoletoNet/BoletoNetCore, Brunomm/br_boleto, umbrellaTech/ya-retorno-boleto, andersondanilo/CnabPHP, openboleto/OpenCnabPHP, OCA/l10n-brazil,
TimeShareSolucoes/boletobr, marcodpt/cnab, naylonkessler/smart-cnab and fabiojr933/retorno_sicoob_php-2.0: 102 different files, 77 of which are whole return files of a bank (five are FEBRABAN 150, three go to a bank
or report on what went there, 17 were edited, or are of no bank). 75 of the 77 are read; the two others are of Credisis (097), whose lines have no movement. A line of each bank and layout with a public line is held
against values read by hand. There is none of Safra and Rendimento, nor of the CNAB 240 of Bradesco and Banrisul; of Itaú's CNAB 240 and of Unicred there are lines without a file, and those of C6, Cresol, HSBC,
Ourinvest and Caixa's CNAB 400 were made by a program's author. Of 1,457 files of a hundred further repositories 1,003 are read, 952 of them of Banco do Brasil's CNAB 240; the others are remittances, payment lots
and statements, were edited or torn, or are of banks that are not read (Credisis, Citibank, Inter's CNAB 240).`;

const OF_240 = `A lot is its header, pairs of T and U, and its trailer; other segments behind a pair are counted, and not read. Lots count from 1 (Santander, BTG and Ailos number
them in ways of their own), and so do the records of a lot. All records name the bank of the header. The trailers count what is there: Santander's lot its T and U alone, BTG's what
was paid. Amounts of portfolios are not compared. Of Caixa take the night's files alone, not those of the same day (retorno on-line): they have fees, days of credit and the answers
to what you asked for, and a payment that both report waits for a person (\`filedAgain\`). Sicredi never gives back what the company wrote: its \`companyUse\` is
\`documentNumber\` once more, ten digits and an installment.`;

const OF_400 = `A header, a line for each movement, a trailer \`9\`. The number at the end of each line is compared: it finds what is cut, swapped or doubled. Totals of the trailer are
not. Lines of other types than the movement's are counted, and not read. Below stand the positions of most banks, then those that differ at a bank.`;

function differencesSection(): string {
  const usual = placesOf(detailLayout(FAMILY));
  const rows = BANKS.flatMap(({ name, cnab400 }) =>
    Object.entries(cnab400?.details ?? {}).map(([type, layout]) => [
      `${name}${type === '1' ? '' : `, type \`${type}\``}`,
      differencesOf(usual, placesOf(layout)) || 'none',
      ...[cnab400?.isPaidLessFee === true ? '`paid` is what is credited; the fee is added to it' : ''],
    ]),
  );
  return `### CNAB 400: where banks differ\n\n${table(['Bank', 'Positions', ''], rows)}`;
}

function placesOf({ fields }: DetailLayout): Map<string, string> {
  return new Map(
    fields.flatMap(([name, from, to]) =>
      name.startsWith('rest') ? [] : [[name, `${from} to ${to}`] as const],
    ),
  );
}

function differencesOf(usual: Map<string, string>, own: Map<string, string>): string {
  const others = [...own].filter(([name, place]) => usual.get(name) !== place);
  const missing = [...usual.keys()].filter((name) => !own.has(name));
  return [
    ...others.map(([name, place]) => `\`${name}\` ${place}`),
    ...missing.map((name) => `no \`${name}\``),
  ].join('; ');
}

const USES = {
  paid: 'it is paid',
  writtenOff: 'it is canceled, or expired',
  unclear: 'nothing; a person looks at it',
  registered: 'nothing; it answers a registration',
  notRegistered: 'nothing; it refuses a registration',
  notWrittenOff: 'nothing; it refuses a write-off',
  dueDayChanged: 'nothing; it answers a change of the due day',
  dueDayKept: 'nothing; it refuses a change of the due day',
  laterRefused: 'nothing; it refuses a write-off or a change of the due day',
  notDone: 'nothing; it refuses what was asked last',
  none: 'nothing',
} as const;

const MOVEMENTS = `## Movements

By bank, in the words of its manual. What is unclear may be money: a cheque, a protest, a reversal. It changes nothing, and neither does a movement that is not in the table, nor a payment without
amount or day: of a boleto of ours each is an exception \`unknownCode\` with the movement, the number and what was paid. Written off with one of the reasons ${TIME_IS_OVER.join(' and ')}
(of T in CNAB 240) a boleto has expired; with any other it is canceled.`;

function movementsSection({ name, cnab240, cnab400 }: Bank): string {
  const tables = [
    ...(cnab240 === undefined ? [] : [movementsTable('CNAB 240', cnab240.movements)]),
    ...(cnab400 === undefined || cnab400.movements === cnab240?.movements
      ? []
      : [movementsTable('CNAB 400', cnab400.movements)]),
  ];
  return [`### ${name}`, ...tables].join('\n\n');
}

function movementsTable(format: string, movements: Movements): string {
  const uses = Object.keys(USES) as (keyof typeof USES)[];
  const lines = uses.flatMap((use) => {
    const codes = Object.entries(movements)
      .filter(([, movement]) => movement.use === use)
      .sort(([one], [other]) => one.localeCompare(other));
    const texts = codes.map(([code, { meaning }]) => `\`${code}\` ${meaning}`);
    return codes.length === 0 ? [] : [`- ${USES[use]}: ${texts.join('; ')}`];
  });
  return `${format}:\n\n${lines.join('\n')}`;
}
