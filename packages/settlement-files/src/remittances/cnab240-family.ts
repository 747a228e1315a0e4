import type { Agreement, Remittance, RemittanceOrder } from './remittance.ts';
import {
  dayAfter,
  digits,
  documentOf,
  interestOfDay,
  longDay,
  text,
  type WrittenField,
  writeRecord,
} from './write-record.ts';

const LENGTH = 240;

/** Where the banks' files of FEBRABAN's CNAB 240 differ. */
export type Dialect240 = {
  readonly code: string;
  readonly bankName: string;
  readonly version: { readonly file: string; readonly lot: string };
  /** Positions 17 to 72 of the header of the file. */
  readonly company: (agreement: Agreement) => readonly WrittenField[];
  /** Positions 34 to 73 of the header of the lot. */
  readonly companyOfLot: (agreement: Agreement) => readonly WrittenField[];
  /** Positions 18 to 62 of segment P: account, number and how it is collected. */
  readonly title: (order: RemittanceOrder, agreement: Agreement) => readonly WrittenField[];
  /** Positions 107 and 108: the kind of the claim. */
  readonly species: string;
  /** Digits of the document's number, 63 to 77; blanks follow. */
  readonly documentLength: number;
  /** Positions 224 to 227: the bank writes it off so many days after the due day. */
  readonly writeOff: (days: number) => string;
  /** In 228 to 239: the currency (real), and zeros if the bank wants them. */
  readonly currency: '00' | '090000000000' | '000000000000';
  /** Positions 101 to 106: the branch that collects, which the bank chooses. */
  readonly collector: '00000 ' | '000000';
  /** Positions 118 and 142: interest and discount are amounts. */
  readonly amounts: '0' | '1';
  /** What follows P where a boleto is not registered, but written off or changed. */
  readonly behindInstructions: '' | 'Q' | 'QR';
  /** Position 221: no protest. */
  readonly noProtest: '0' | '3';
  readonly noInterest: '0' | '3';
  /** Behind position 211 of the header of the file. */
  readonly headerEnd: readonly WrittenField[];
  /** Positions 167 to 171 of the header of the file. */
  readonly density: '00000' | '01600';
  /** Positions 192 to 211 of the header of the file. */
  readonly service: string;
  /** Positions 12 and 13 of the header of the lot. */
  readonly lotFiller: string;
  /** How many kinds of collection the lot's trailer has totals for; `zeros`: four, not read by the bank. */
  readonly totals: 0 | 3 | 4 | 'zeros';
  /** Positions 30 to 35 of the last line. */
  readonly accounts: '' | '000000';
};

/** Up to 999 days; 0 is the due day itself. */
const writtenOff = (days: number) => `1${digits(days, 3)}`;

export const COMMON = {
  // 02: duplicata mercantil.
  species: '02',
  documentLength: 15,
  writeOff: writtenOff,
  currency: '090000000000',
  collector: '00000 ',
  amounts: '1',
  behindInstructions: 'QR',
  headerEnd: [],
  noInterest: '3',
  noProtest: '3',
  density: '00000',
  service: '',
  lotFiller: '  ',
  totals: 4,
  accounts: '000000',
} satisfies Partial<Dialect240>;

/** Branch, account and their check digits as FEBRABAN has them: 20 positions. */
export function accountOf({ branch = '', branchDigit = '', account = '', accountDigit = '' }: Agreement) {
  return `${digits(branch, 5)}${branchDigit}${digits(account, 12)}${accountDigit} `;
}

/** Kind and document of the company as FEBRABAN has them, before the agreement: positions 17 to 32. */
export function documentOfFile({ companyDocument = '' }: Agreement): WrittenField {
  const [kind, fourteen] = documentOf(companyDocument);
  return [17, 32, ` ${kind.slice(1)}${fourteen}`];
}

/** A file with one lot. Throws RangeError for what does not fit. */
export function lines240(dialect: Dialect240, remittance: Remittance): string[] {
  const { code, bankName, version, totals } = dialect;
  const { agreement, number, madeOn, orders } = remittance;
  const name: string = text(agreement.companyName ?? '', 30);
  const [kind, document] = documentOf(agreement.companyDocument ?? '');
  const header = writeRecord(LENGTH, [
    [1, 8, `${code}00000`],
    ...dialect.company(agreement),
    [73, 132, name + text(bankName, 30)],
    // The time of day is left out, so that the same file can be written again.
    [143, 157, `1${longDay(madeOn)}000000`],
    [158, 171, `${digits(number, 6)}${version.file}${dialect.density}`],
    [192, 211, dialect.service.padEnd(20)],
    ...dialect.headerEnd,
  ]);
  const lotHeader = writeRecord(LENGTH, [
    [1, 16, `${code}00011R01${dialect.lotFiller}${version.lot}`],
    [18, 33, `${kind.slice(1)}0${document}`],
    ...dialect.companyOfLot(agreement),
    [74, 103, name],
    [184, 207, `${digits(number, 8)}${longDay(madeOn)}00000000`],
  ]);
  const segments = orders.flatMap((order) => segmentsOf(dialect, order, agreement));
  const details = segments.map((write, index) => write(index + 1));
  const counted = totalsOf(totals, orders);
  const lotTrailer = writeRecord(LENGTH, [
    [1, 8, `${code}00015`],
    [18, 23 + counted.length, digits(details.length + 2, 6) + counted],
  ]);
  const trailer = writeRecord(LENGTH, [
    [1, 8, `${code}99999`],
    [18, 29 + dialect.accounts.length, `000001${digits(details.length + 4, 6)}${dialect.accounts}`],
  ]);
  return [header, lotHeader, ...details, lotTrailer, trailer];
}

function totalsOf(totals: Dialect240['totals'], orders: readonly RemittanceOrder[]): string {
  if (totals === 'zeros') return '0'.repeat(92);
  if (totals === 0) return '';
  const sum = orders.reduce((all, order) => all + order.amount, 0);
  return digits(orders.length, 6) + digits(sum, 17) + '0'.repeat(23 * (totals - 1));
}

/** FEBRABAN's; CNAB 400 has the same. */
export const MOVEMENTS = { register: '01', writeOff: '02', dueDay: '06' } as const;

type Segment = (number: number) => string;

function segmentsOf(dialect: Dialect240, order: RemittanceOrder, agreement: Agreement): Segment[] {
  const movement = MOVEMENTS[order.kind];
  const segment =
    (letter: string, fields: readonly WrittenField[]): Segment =>
    (number) =>
      writeRecord(LENGTH, [
        [1, 17, `${dialect.code}00013${digits(number, 5)}${letter} ${movement}`],
        ...fields,
      ]);
  const behind = order.kind === 'register' ? 'QR' : dialect.behindInstructions;
  const written = [segment('P', terms(dialect, order, agreement))];
  if (behind === '') return written;
  written.push(segment('Q', payer(order)));
  if (behind === 'Q' || order.finePortion === null || order.kind === 'writeOff') return written;
  const fine: readonly WrittenField[] = [
    [18, 65, digits(0, 48)],
    // 2: a percentage, from the day after the due day.
    [66, 89, `2${longDay(dayAfter(order.dueOn))}${digits(order.finePortion, 15)}`],
    [200, 215, digits(0, 16)],
    [217, 228, digits(0, 12)],
    [231, 231, '0'],
  ];
  return [...written, segment('R', fine)];
}

function terms(dialect: Dialect240, order: RemittanceOrder, agreement: Agreement): readonly WrittenField[] {
  const { dueOn, amount, issuedOn, discount, companyUse, daysAfterDue } = order;
  const interest = interestOfDay(amount, order.interestPortion);
  const ofInterest =
    interest === 0
      ? `${dialect.noInterest}${digits(0, 23)}`
      : `${dialect.amounts}${longDay(dayAfter(dueOn))}${digits(interest, 15)}`;
  const ofDiscount =
    discount === null
      ? digits(0, 24)
      : `${dialect.amounts}${longDay(discount.until)}${digits(discount.amount, 15)}`;
  return [
    ...dialect.title(order, agreement),
    [63, 77, digits(companyUse.slice(-dialect.documentLength), dialect.documentLength).padEnd(15)],
    [78, 106, `${longDay(dueOn)}${digits(amount, 15)}${dialect.collector}`],
    [107, 117, `${dialect.species}N${longDay(issuedOn)}`],
    [118, 195, `${ofInterest}${ofDiscount}${digits(0, 30)}`],
    [196, 220, companyUse.padEnd(25)],
    [
      221,
      227 + dialect.currency.length,
      `${dialect.noProtest}00${dialect.writeOff(daysAfterDue)}${dialect.currency}`,
    ],
  ];
}

function payer({ payer }: RemittanceOrder): readonly WrittenField[] {
  const [kind, document] = documentOf(payer.documentNumber);
  return [
    [18, 33, `${kind.slice(1)}0${document}`],
    [34, 73, text(payer.name, 40)],
    [74, 113, text(payer.street, 40)],
    [114, 128, text(payer.district, 15)],
    [129, 136, payer.zipCode],
    [137, 153, text(payer.city, 15) + text(payer.state, 2)],
    [154, 169, digits(0, 16)],
    [210, 212, '000'],
  ];
}
