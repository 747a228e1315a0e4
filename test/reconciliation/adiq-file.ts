import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A line of a file of Adiq, by the positions of docs/settlement-files.md. */
export type AdiqLine =
  | {
      readonly type: 'CV';
      /** 0 promised, 1 settled, 2 settled ahead of its day; 7 means nothing. */
      readonly entryType: 0 | 1 | 2 | 7;
      readonly reference?: string;
      readonly nsu?: string;
      readonly authorizationCode?: string;
      readonly soldOn: string;
      readonly bankOn: string;
      readonly installmentNumber: number;
      readonly installmentCount: number;
      readonly gross: number;
      readonly fee: number;
      readonly anticipationFee?: number;
    }
  | {
      readonly type: 'CC';
      readonly reference?: string;
      readonly nsu?: string;
      readonly soldOn: string;
      readonly canceledOn: string;
      readonly installmentNumber: number;
      readonly gross: number;
    }
  | {
      readonly type: 'AJ';
      readonly direction: 1 | 2;
      readonly description: string;
      readonly day: string;
      readonly amount: number;
      readonly reference?: string;
      readonly nsu?: string;
      readonly soldOn?: string;
      readonly installmentNumber?: number;
    };

export type AdiqFile = {
  readonly day: string;
  readonly sequence: number;
  readonly isRepetition?: boolean;
  readonly establishment?: string;
  readonly lines: readonly AdiqLine[];
  /** A trailer that counts otherwise than the file. */
  readonly isTrailerBroken?: boolean;
};

const digits = (value: number | string, width: number) => String(value).padStart(width, '0');
const text = (value: string, width: number) => value.padEnd(width).slice(0, width);
const plainDay = (day: string) => day.replaceAll('-', '');

/** Puts fields at their first positions into a line of blanks. */
function lineOf(length: number, fields: readonly (readonly [from: number, value: string])[]): string {
  const characters = Array.from({ length }, () => ' ');
  for (const [from, value] of fields)
    for (const [index, character] of [...value].entries()) characters[from - 1 + index] = character;
  return characters.join('');
}

function cvLine(line: Extract<AdiqLine, { type: 'CV' }>, establishment: string, number: number): string {
  const net = line.gross - line.fee;
  const money = [digits(line.gross, 11), digits(line.fee, 11), digits(net, 11)].join('');
  return lineOf(506, [
    [1, 'CV'],
    [3, digits(establishment, 15)],
    [18, digits(line.nsu ?? '987654321', 12)],
    [30, `${plainDay(line.soldOn)}101500`],
    [44, String(line.entryType)],
    [45, plainDay(line.bankOn)],
    [53, 'C5'],
    [55, money],
    [88, '000411111******1111'],
    [107, digits(line.installmentCount === 1 ? 0 : line.installmentNumber, 2)],
    [109, digits(line.installmentCount, 2)],
    [123, money],
    [176, text(line.authorizationCode ?? '', 12)],
    ...(line.anticipationFee === undefined
      ? []
      : ([
          [249, digits(line.anticipationFee, 11)],
          [260, digits(net - line.anticipationFee, 11)],
        ] as const)),
    [273, text(line.reference ?? '', 30)],
    [501, digits(number, 6)],
  ]);
}

function ccLine(line: Extract<AdiqLine, { type: 'CC' }>, establishment: string, number: number): string {
  return lineOf(361, [
    [1, 'CC'],
    [3, digits(establishment, 15)],
    [18, digits(line.nsu ?? '987654321', 12)],
    [30, plainDay(line.soldOn)],
    [38, digits(line.installmentNumber, 2)],
    [52, `${plainDay(line.canceledOn)}101500`],
    [66, '5'],
    [91, text(line.reference ?? '', 30)],
    [224, digits(line.gross, 12)],
    [236, digits(line.gross, 12)],
    [248, digits(0, 12)],
    [260, digits(line.gross, 12)],
    [308, '0000'],
    [356, digits(number, 6)],
  ]);
}

function ajLine(line: Extract<AdiqLine, { type: 'AJ' }>, establishment: string, number: number): string {
  return lineOf(424, [
    [1, 'AJ'],
    [3, digits(establishment, 15)],
    ...AJ_FIELDS(line),
    [419, digits(number, 6)],
  ]);
}

/** Of a debit or credit; see the table of AJ. */
const AJ_FIELDS = (
  line: Extract<AdiqLine, { type: 'AJ' }>,
): readonly (readonly [from: number, value: string])[] => [
  [18, digits(line.nsu ?? '0', 12)],
  ...(line.soldOn === undefined ? [] : ([[30, plainDay(line.soldOn)]] as const)),
  [38, digits(line.installmentNumber ?? 0, 2)],
  [52, `${plainDay(line.day)}101500`],
  [66, '1'],
  [67, plainDay(line.day)],
  [75, '5'],
  [76, String(line.direction)],
  [80, text(line.description, 30)],
  [110, digits(line.amount, 11)],
  [121, digits(0, 11)],
  [132, digits(line.amount, 11)],
  [254, text(line.reference ?? '', 30)],
];

/** The bytes of a file, with the counts and sums that its reader checks. */
export function adiqText({
  day,
  sequence,
  isRepetition = false,
  establishment = '123456789',
  lines,
  isTrailerBroken = false,
}: AdiqFile): string {
  const header = lineOf(78, [
    [1, 'A0'],
    [3, '0003.1'],
    [9, `${plainDay(day)}060000`],
    [23, digits(sequence, 6)],
    [29, text('ADIQ', 30)],
    [63, digits(establishment, 9)],
    [72, isRepetition ? 'R' : 'N'],
    [73, digits(1, 6)],
  ]);
  const lot = lineOf(18, [
    [1, 'L0'],
    [3, plainDay(day)],
    [11, 'RE'],
    [13, digits(2, 6)],
  ]);
  const body = lines.map((line, index) => {
    const number = (index + 3) % 1_000_000;
    if (line.type === 'CV') return cvLine(line, establishment, number);
    return line.type === 'CC' ? ccLine(line, establishment, number) : ajLine(line, establishment, number);
  });
  const net = lines.reduce((sum, line) => {
    if (line.type === 'CV') return sum + line.gross - line.fee;
    return line.type === 'AJ' && line.direction === 1 ? sum + line.amount : sum;
  }, 0);
  const count = body.length;
  const end = lineOf(28, [
    [1, 'L9'],
    [3, digits((count + (isTrailerBroken ? 7 : 0)) % 1_000_000, 6)],
    [9, digits(net, 14)],
    [23, digits((count + 3) % 1_000_000, 6)],
  ]);
  const trailer = lineOf(14, [
    [1, 'A9'],
    [3, digits((count + 4) % 1_000_000, 6)],
    [9, digits((count + 4) % 1_000_000, 6)],
  ]);
  return `${[header, lot, ...body, end, trailer].join('\n')}\n`;
}

export async function writeAdiqFile(folder: string, name: string, file: AdiqFile): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, adiqText(file), 'latin1');
  return path;
}
