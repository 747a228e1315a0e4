import { FORMATS } from '../packages/settlement-files/src/formats.ts';
import type {
  CodeTable,
  Field,
  FieldKind,
  RecordLayout,
} from '../packages/settlement-files/src/records/fixed-width.ts';
import type { Format, FormatLayout } from '../packages/settlement-files/src/records/format.ts';

/** docs/settlement-files.md: every position of every record that the readers read. */
export function settlementPage(note: string): string {
  const formats = FORMATS.map(formatSection);
  const records = FORMATS.flatMap((format) => [...format.records]);
  return `# Settlement files\n\n${note}\n\n${INTRODUCTION}\n\n${kindsSection(records)}\n\n${formats.join('\n\n')}\n`;
}

const INTRODUCTION = `The files of the acquirers that reconciliation reads, position by position (read by
[packages/settlement-files](../packages/settlement-files/README.md)). Positions count from 1. Bytes are ISO-8859-1, one byte a position; a line that is valid UTF-8 beyond ASCII
is read as UTF-8, with or without a mark at the start. A line ends with LF, CR LF or CR, the last one may end with the file; blank lines and \`0x1A\` are nothing. gzip is opened, and a zip of one file (stored or deflated; folders and what desktops leave, as \`__MACOSX/\` and \`Thumbs.db\`, aside), up to three in one another.
Refused by name: a zip of more files, with a password, a comment or over a thousand entries, in Zip64, stored with its size behind it, or damaged; a PDF, a spreadsheet and UTF-16; control characters (bytes 0 to 31 and 127); an empty line before the trailer. Reserved blanks at the end of a line may be
missing; what the text of its format allows behind it is not read.

A file is taken whole or not at all: a fault refuses it, with line, field, reason and what stands there, in English and in Portuguese. Entries by another establishment than the
header's are taken and counted: they are of branches, or the header is somebody else's. The format is known by the first line:
\`A0\` (Adiq), \`0\` with \`CIELO\` in 43 to 47 (Cielo), \`002\` with a version that ends in \`EEVC\`, \`00,\` or \`000,\` with one that ends in \`EEVD\` and \`030\` with one that ends in \`EEFI\` (Rede), \`0\` with \`CEADM100\` in 24 to 31 (Getnet). 
Rede EESA, and files of Stone, PagBank and banks are refused by name.

Money is in cents, without separators. NSU, establishment and batch are kept without zeros before them. Order numbers and TIDs stand at the left of their field.`;

const KIND_ROWS: readonly (readonly [kind: string, meaning: string, isOfIt: RegExp])[] = [
  ['`= X`', 'exactly X', /^= /],
  ['`digits`', 'digits, zeros before them: a name. Not all zeros', /^digits/],
  ['`count`', 'digits, zeros before them: a number, which may be 0', /^count/],
  ['`cents`', 'digits, zeros before them: an amount without sign', /^cents/],
  ['`sign cents`', '`+` or `-`, then digits with zeros before them', /^sign cents/],
  [
    '`day FORM`',
    'a day that the calendar has, in digits of that form; `hhmmss` behind it is a time',
    /^day /,
  ],
  ['`time`', 'hhmmss', /^time/],
  ['`text`', 'text, blanks around it', /^text/],
  [
    '`code X`',
    'one of the codes of the table X. Unless its meaning says otherwise, any other is money of nothing, and an exception `unknownCode`; of a `notice` only its words have it',
    /^code /,
  ],
  ['`hint X`', 'one of the codes of the table X; any other is taken: nothing hangs on it', /^hint /],
  ['`later text`', 'text that came with a later version: a line may end before it', /^later text/],
  [
    '`card?`',
    "a card's number, of which the first six and last four digits are kept; the others may be hidden; or none",
    /^card/,
  ],
  ['`document?`', 'a CPF, a CNPJ or a bank account: anything, and nothing of it is kept', /^document/],
  ['`any`', 'not read; write what the meaning says', /^any$/],
  [
    'with `?`',
    'or none: blanks, and zeros as well for `digits`, `text` and `day`. `cents?` and `sign cents?` in blanks are 0',
    /\?$/,
  ],
];

/** Those that stand in the records. */
export function kindsSection(records: readonly RecordLayout[]): string {
  const kinds = records.flatMap(({ fields }) => fields.map(([, , , kind]) => kind));
  const rows = KIND_ROWS.filter(([, , isOfIt]) => kinds.some((kind) => isOfIt.test(kind)));
  return `## Kinds of fields\n\n${table(
    ['Kind', 'What stands there'],
    rows.map(([kind, meaning]) => [kind, meaning]),
  )}`;
}

function formatSection(layout: Format): string {
  const { format, title, rules, records, alike, leftOut } = layout;
  const parts = [
    `## ${title}`,
    `Known to the program as \`${format}\`.`,
    ...rules,
    overview(layout),
    ...(Object.keys(alike).length === 0 ? [] : [alikeTable(alike)]),
    ...(Object.keys(leftOut).length === 0 ? [] : [leftOutTable(leftOut)]),
    ...records.map((record) => recordSection(title, record)),
  ];
  return parts.join('\n\n');
}

export function overview({ records }: Pick<FormatLayout, 'records'>): string {
  const rows = records.map(({ type, title, length, isSeparated, fields, use }) => [
    ...[`\`${type}\``, title, isSeparated ? `${fields.length} columns` : String(length), use],
  ]);
  return table(['Record', 'What it is', 'Length', 'What is made of it'], rows);
}

function alikeTable(alike: FormatLayout['alike']): string {
  const rows = Object.entries(alike).map(([type, { as, title }]) => [`\`${type}\``, title, `\`${as}\``]);
  return `Records with the positions, and the use, of another; only their number differs:\n\n${table(['Record', 'What it is', 'As'], rows)}`;
}

function leftOutTable(leftOut: CodeTable): string {
  const rows = Object.entries(leftOut).map(([type, what]) => [`\`${type}\``, what]);
  return `Taken, counted among the lines, and left out whatever stands in them:\n\n${table(['Record', 'What it is'], rows)}`;
}

export function recordSection(format: string, record: RecordLayout): string {
  const rows = record.fields.map((field, index) => fieldRow(field, record.isSeparated ? index + 1 : null));
  const tables = codeTablesOf(record).map(
    ([name, codes]) =>
      `\`${name}\` of \`${record.type}\`: ${Object.entries(codes)
        .map(([code, meaning]) => `\`${code}\` ${meaning}`)
        .join('; ')}.`,
  );
  return [
    `### ${format}: \`${record.type}\``,
    `${record.title}. ${record.use}`,
    table(
      [...(record.isSeparated ? ['Column', 'At most'] : ['From', 'To']), 'Field', 'Kind', 'Meaning'],
      rows,
    ),
    ...tables,
  ].join('\n\n');
}

function fieldRow([name, from, to, kind, meaning]: Field, column: number | null): string[] {
  const place = column === null ? [from, to] : [column, to - from + 1];
  return [...place.map(String), `\`${name}\``, `\`${kind}\``, meaning];
}

function codeTablesOf({ fields, codes }: RecordLayout): [string, CodeTable][] {
  const used = new Set(fields.flatMap(([name, , , kind]) => [name, codeOf(kind)]));
  return Object.entries(codes).filter(([name]) => used.has(name));
}

function codeOf(kind: FieldKind): string {
  return /^(?:code|hint) (\w+)/.exec(kind)?.[1] ?? '';
}

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
