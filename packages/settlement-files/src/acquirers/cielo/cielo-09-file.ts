import { bareEntry, cieloBrand, unknownUnder } from '../../records/entry-fields.ts';
import type { Findings } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import type { GoodLine } from '../../records/record-lines.ts';
import {
  CIELO_09_HEADER,
  CIELO_09_RECORDS,
  CIELO_ENTRY_TYPES,
  CIELO_PAYMENT_STATUS,
  CIELO_UNIT,
} from './cielo-layout.ts';
import { CieloListFile } from './cielo-list-file.ts';

const CIELO_09_LAYOUT: FormatLayout = {
  title: 'Cielo 09, v15',
  rules: [
    '0, then D, then 9. It is the picture of a day: which receivable units are still to be paid.',
    'Each D is a `notice`; a status or a type that is not known stands in its `description`. Nothing is matched to it, and nothing is booked for it: what is paid comes in the 04.',
  ],
  typeLength: 1,
  longestLine: 1024,
  isTailFree: false,
  records: CIELO_09_RECORDS,
  alike: {},
  leftOut: { E: 'Lançamento' },
};

export const CIELO_09: Format<'cielo09'> = {
  ...CIELO_09_LAYOUT,
  format: 'cielo09',
  pays: false,
  isDaily: false,
  isHeader: (line) => line.startsWith('0') && line.slice(42, 49) === 'CIELO09',
  open: (findings) =>
    new CieloListFile('cielo09', CIELO_09_LAYOUT, [CIELO_09_HEADER, CIELO_UNIT], addUnit, findings),
};

const WORDS = 'UR em aberto';

function addUnit(values: RecordValues<typeof CIELO_UNIT>, line: GoodLine, findings: Findings): void {
  const { establishment, brand, gross, net, unit, paymentDay, dueDay } = values;
  const entry = {
    ...bareEntry(line.lineNumber, 'notice', establishment),
    brand: cieloBrand(brand),
    gross,
    fee: gross - net,
    net,
    bankOn: paymentDay ?? dueDay,
    receivableUnit: unit,
    description: unknownCodeOf(values) ?? WORDS,
  };
  findings.entry(entry, line.masked());
}

type Coded = Pick<RecordValues<typeof CIELO_UNIT>, 'entryType' | 'paymentStatus'>;

function unknownCodeOf({ entryType, paymentStatus }: Coded): string | null {
  if (CIELO_ENTRY_TYPES[entryType] === undefined) return unknownUnder(entryType, WORDS);
  return CIELO_PAYMENT_STATUS[paymentStatus] === undefined ? unknownUnder(paymentStatus, WORDS) : null;
}
