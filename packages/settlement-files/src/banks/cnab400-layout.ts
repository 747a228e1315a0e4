import { type FieldKind, type RecordLayout, recordLayout } from '../records/fixed-width.ts';
import type { Movements } from './bank.ts';
import type { BoletoNumber } from './boleto-number.ts';

/**
 * CNAB 400, return file of collection: a header, a line for each movement, a trailer. Positions differ by
 * bank.
 */

export const CNAB400_LENGTH = 400;

type Place = readonly [from: number, to: number, kind?: FieldKind];

const DETAIL_KINDS = {
  companyUse: ['text?', 'What the company wrote when it registered it: our number'],
  bankNumber: ['text?', "The bank's number of the boleto"],
  movement: ['code movement', 'What became of it: see the movements'],
  happenedOn: ['day DDMMYY?', 'Day of the movement: of a payment the day on which it was paid'],
  documentNumber: ['text?', "The merchant's number of it"],
  dueOn: ['day DDMMYY?', 'Due day'],
  value: ['cents?', 'Its value'],
  fee: ['cents?', 'What the bank keeps for it'],
  rebate: ['cents?', 'Rebate'],
  discount: ['cents?', 'Discount'],
  paid: ['cents?', 'What the payer paid'],
  interest: ['cents?', 'Interest'],
  creditedOn: ['day DDMMYY?', 'When the money is in the account'],
  credited: ['cents?', 'What is credited'],
  reasons: ['text?', 'Why an instruction is refused: codes of two digits, or a text'],
} as const satisfies Readonly<Record<string, readonly [FieldKind, string]>>;

type DetailName = keyof typeof DETAIL_KINDS;
type KindOf<N extends DetailName> = (typeof DETAIL_KINDS)[N][0];

/** Positions by field; a field that a bank lacks is absent or null. */
export type DetailPlaces = Readonly<Partial<Record<DetailName, Place | null>>> & {
  readonly movement: Place;
  readonly paid: Place;
};

/** The positions of most banks, as Itaú has them. */
export const FAMILY = {
  companyUse: [38, 62],
  bankNumber: [63, 70],
  movement: [109, 110],
  happenedOn: [111, 116],
  documentNumber: [117, 126],
  dueOn: [147, 152],
  value: [153, 165],
  fee: [176, 188],
  rebate: [228, 240],
  discount: [241, 253],
  paid: [254, 266],
  interest: [267, 279],
  creditedOn: [296, 301],
} as const satisfies DetailPlaces;

export type DetailLayout = RecordLayout<
  readonly { readonly [N in DetailName]: readonly [N, number, number, KindOf<N>, string] }[DetailName][]
>;

export function detailLayout(places: DetailPlaces): DetailLayout {
  const fields = Object.entries(places)
    .flatMap(([name, place]) => {
      const [kind, meaning] = DETAIL_KINDS[name as DetailName];
      return place === null ? [] : [[name, place[0], place[1], place[2] ?? kind, meaning] as const];
    })
    .sort((one, other) => one[1] - other[1]);
  const whole: [string, number, number, FieldKind, string][] = [];
  let next = 1;
  for (const field of [
    ...fields,
    ['lineNumber', 395, CNAB400_LENGTH, 'count', 'Number of the line'] as const,
  ]) {
    if (field[1] > next) whole.push([`rest${next}`, next, field[1] - 1, 'any', 'Not read']);
    whole.push([...field]);
    next = field[2] + 1;
  }
  return recordLayout('1', 'Movement', 'A boleto, and what became of it.', whole) as unknown as DetailLayout;
}

export const CNAB400_HEADER = recordLayout('0', 'Header of the file', 'The first line.', [
  ['recordType', 1, 1, '= 0', 'Record'],
  ['direction', 2, 2, '= 2', '2: a return file; 1 would be one that is sent to the bank'],
  ['title', 3, 26, 'any', '`RETORNO`, and the name of the service'],
  ['company', 27, 76, 'document?', 'The company: its branch, account and name'],
  ['bank', 77, 79, 'text', 'Code of the bank'],
  ['bankName', 80, 94, 'any', 'Name of the bank'],
  ['madeOn', 95, 100, 'day DDMMYY', 'Day on which it was made'],
  ['sequence', 101, 107, 'count?', "The bank's number of the file"],
  ['rest', 108, 394, 'any', "The bank's own"],
  ['lineNumber', 395, CNAB400_LENGTH, 'count', 'Number of the line'],
]);

export function headerLayout({ madeOn, sequence }: Pick<Cnab400Dialect, 'madeOn' | 'sequence'>) {
  const places: Readonly<Record<string, Place | null | undefined>> = { madeOn, sequence };
  const fields = CNAB400_HEADER.fields.flatMap(([name, from, to, kind, meaning]) => {
    const place = places[name];
    if (name === 'sequence' && place === null) return [];
    return [[name, place?.[0] ?? from, place?.[1] ?? to, place?.[2] ?? kind, meaning] as const];
  });
  return { ...CNAB400_HEADER, fields } as unknown as typeof CNAB400_HEADER;
}

export type Cnab400Dialect = {
  readonly madeOn?: Place;
  readonly sequence: Place | null;
  /** By the first position of the line; other lines are counted, not read. */
  readonly details: Readonly<Record<string, DetailLayout>>;
  readonly number: BoletoNumber;
  readonly movements: Movements;
  /** `paid` is the credited amount, less the fee. */
  readonly isPaidLessFee?: boolean;
};
