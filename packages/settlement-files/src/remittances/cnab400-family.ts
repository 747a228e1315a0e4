import { MOVEMENTS } from './cnab240-family.ts';
import type { Remittance, RemittanceOrder } from './remittance.ts';
import {
  digits,
  documentOf,
  interestOfDay,
  shortDay,
  text,
  type WrittenField,
  writeRecord,
} from './write-record.ts';

const LENGTH = 400;

const numbered = (number: number): WrittenField => [395, LENGTH, digits(number, 6)];

export function header(
  { madeOn }: Remittance,
  company: string,
  name: string,
  [code, bankName]: readonly [string, string],
  rest: readonly WrittenField[] = [],
): string {
  return writeRecord(LENGTH, [
    [1, 26, `01REMESSA01${text('COBRANCA', 15)}`],
    [27, 46, company],
    [47, 76, text(name, 30)],
    [77, 94, code + text(bankName, 15)],
    [95, 100, shortDay(madeOn)],
    ...rest,
    numbered(1),
  ]);
}

type OwnTerms = {
  /** The bank's own code. */
  readonly code: string;
  readonly title: string;
  readonly collector?: '00000' | '0000 ';
  readonly movements?: Readonly<Record<RemittanceOrder['kind'], string>>;
};

/** Positions 109 to 218, which all banks of this family share. */
export function terms(order: RemittanceOrder, own: OwnTerms) {
  const { discount, amount, interestPortion } = order;
  const { code, title, collector = '00000', movements = MOVEMENTS } = own;
  return (instructions: string): readonly WrittenField[] => [
    [109, 110, movements[order.kind]],
    [111, 120, text(order.companyUse.slice(-10), 10)],
    [121, 126, shortDay(order.dueOn)],
    [127, 139, digits(amount, 13)],
    [140, 147, code + collector],
    [148, 150, `${title}N`],
    [151, 156, shortDay(order.issuedOn)],
    [157, 160, instructions],
    [161, 173, digits(interestOfDay(amount, interestPortion), 13)],
    [174, 179, discount === null ? digits(0, 6) : shortDay(discount.until)],
    [180, 192, digits(discount?.amount ?? 0, 13)],
    [193, 218, digits(0, 26)],
  ];
}

/** Positions 275 to 351, which most banks share. */
export function payerPlace({ payer }: RemittanceOrder): WrittenField[] {
  return [
    [275, 326, text(payer.street, 40) + text(payer.district, 12)],
    [327, 334, payer.zipCode],
    [335, 351, text(payer.city, 15) + text(payer.state, 2)],
  ];
}

/** Positions 219 to 234. */
export function payerDocument({ payer }: RemittanceOrder): WrittenField {
  return [219, 234, documentOf(payer.documentNumber).join('')];
}

export function detail(fields: readonly WrittenField[]): (number: number) => string {
  return (number) => writeRecord(LENGTH, [...fields, numbered(number)]);
}

export function linesOf(
  header: string,
  details: readonly ((number: number) => string)[],
  ofTrailer: readonly WrittenField[] = [[1, 1, '9']],
): string[] {
  const trailer = detail(ofTrailer);
  return [header, ...[...details, trailer].map((write, index) => write(index + 2))];
}
