import { bareEntry, keptText, negative, unknownUnder } from '../../records/entry-fields.ts';
import type { Findings } from '../../records/findings.ts';
import type { CodeTable, RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import type { GoodLine } from '../../records/record-lines.ts';
import {
  CIELO_16_HEADER,
  CIELO_16_RECORDS,
  CIELO_PIX_DETAIL,
  PIX_ORIGINS,
  PIX_STATUS,
  PIX_TYPES,
} from './cielo-16-layout.ts';
import { CieloListFile } from './cielo-list-file.ts';

const CIELO_16_LAYOUT: FormatLayout = {
  title: 'Cielo 16, v15',
  rules: [
    '0, then 8, then 9. It says which Pix Cielo received, what it kept of each and where the money is.',
    'Nothing is matched to a `notice`, and nothing is booked for it: Pix of this service are compared with their bank, and the Pix (8) in a 04 are left out there.',
  ],
  typeLength: 1,
  longestLine: 1024,
  isTailFree: false,
  records: CIELO_16_RECORDS,
  alike: {},
  leftOut: {},
};

export const CIELO_16: Format<'cielo16'> = {
  ...CIELO_16_LAYOUT,
  format: 'cielo16',
  pays: false,
  isDaily: false,
  isHeader: (line) => line.startsWith('0') && line.slice(42, 49) === 'CIELO16',
  open: (findings) =>
    new CieloListFile('cielo16', CIELO_16_LAYOUT, [CIELO_16_HEADER, CIELO_PIX_DETAIL], addPix, findings),
};

type Pix = RecordValues<typeof CIELO_PIX_DETAIL>;

function addPix(values: Pix, line: GoodLine, findings: Findings): void {
  const entry = {
    ...bareEntry(line.lineNumber, 'notice', values.establishment),
    orderReference: keptText(values.txid),
    tid: keptText(values.endToEndId),
    nsu: values.nsu,
    soldOn: values.soldOn,
    gross: values.gross,
    fee: negative(values.fee),
    net: values.net,
    bankOn: values.paymentDay,
    description: unknownCodeOf(values) ?? wordsOf(values),
  };
  findings.entry(entry, line.masked());
}

const NONE = /^0*$/;

function unknownCodeOf({ pixType, origin, transferStatus }: Pix): string | null {
  const codes: readonly (readonly [code: string, table: CodeTable])[] = [
    [pixType, PIX_TYPES],
    ...(NONE.test(origin) ? [] : [[origin, PIX_ORIGINS] as const]),
    [transferStatus, PIX_STATUS],
  ];
  const unknown = codes.find(([code, table]) => table[code] === undefined);
  return unknown === undefined ? null : unknownUnder(unknown[0], 'Pix');
}

function wordsOf({ pixType, origin, transferStatus }: Pix): string {
  const words = [PIX_TYPES[pixType], PIX_ORIGINS[origin], PIX_STATUS[transferStatus]];
  return words.filter((text) => text !== undefined).join(', ');
}
