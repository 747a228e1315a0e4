import { digitableLine, formatDigitableLine } from '../../../../values/bar-code.ts';
import { qrCodeRows } from '../../../../values/qr-code.ts';
import { dayText, reaisShown } from '../../../payers/page-of-payer.ts';
import {
  type BoletoToPrint,
  bankOf,
  beneficiaryLine,
  instructionsOf,
  type NumbersOnPaper,
  noticeOf,
  numbersOnPaper,
  payableBarCode,
  payerLines,
} from './boleto-to-print.ts';
import { fittedText, widthOfText, wrapped } from './text-widths.ts';

type Cell = {
  readonly label: string;
  readonly text: string;
  /** A line below, in small letters. */
  readonly second?: string | null;
  /** Millimetres from the left edge and the first row of the form. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isBold?: boolean;
  readonly isAmount?: boolean;
};

const LEFT = 10;
const WIDTH = 190;
/** Where the column of due day and amounts begins in the form. */
const AMOUNTS = 145;
const ROW = 7;
const TOP_OF_RECEIPT = 14;
const TOP_OF_SLIP = 180;
/** FEBRABAN's size, in millimetres. */
const BAR_CODE = { width: 103, height: 13 };
/**
 * Place and side of the Pix code in millimetres: beside the notice, above the line where the receipt is cut
 * off.
 */
const PIX = { x: 156, y: 118, side: 44 };

/** Receipt above, the bank's slip at the lower edge. A boleto that cannot be paid has no slip. */
export function boletoDrawing(boleto: BoletoToPrint): Drawing {
  const barCode = payableBarCode(boleto);
  const notice = noticeOf(boleto);
  const marks = [...receipt(boleto, TOP_OF_RECEIPT)];
  if (notice !== null) marks.push(textMark(notice, LEFT, 110, 12, true));
  if (barCode === null) return marks;
  return [
    ...marks,
    ...rule(LEFT, TOP_OF_SLIP - 6, WIDTH, 0, { isDashed: true }),
    textMark('Corte na linha pontilhada', LEFT + WIDTH, TOP_OF_SLIP - 7, 6, false, 'right'),
    ...slip(boleto, TOP_OF_SLIP),
    {
      kind: 'bars',
      bars: interleavedBars(barCode),
      x: LEFT + 2,
      y: TOP_OF_SLIP + 88.5,
      ...BAR_CODE,
    },
    ...pixMarks(boleto.registered?.pixEmv ?? null),
  ];
}

/** A QR code, drawn as rows of bars, one above the other. */
function pixMarks(pixEmv: string | null): Mark[] {
  if (pixEmv === null) return [];
  const rows = qrCodeRows(pixEmv);
  const height = PIX.side / rows.length;
  const codeRows = rows.map((row, index): Mark => {
    const bars = { bars: row.map(({ x: from, width }) => ({ from, width })), width: rows.length };
    return { kind: 'bars', bars, x: PIX.x, y: PIX.y + index * height, width: PIX.side, height };
  });
  return [textMark('Pague com Pix', LEFT + WIDTH, PIX.y - 1, 9, true, 'right'), ...codeRows];
}

function receipt(boleto: BoletoToPrint, top: number): Mark[] {
  const { ourNumber, referenceTransaction, dueOn, amount } = boleto;
  const rows = top + 9;
  const cells: Cell[] = [
    {
      ...place(0, 0, 120),
      label: 'Beneficiário',
      text: beneficiaryLine(boleto),
    },
    { ...place(120, 0, 35), label: 'Nosso número', text: numbersOf(boleto)?.bankNumber ?? ourNumber },
    { ...place(155, 0, 35), label: 'Vencimento', text: dayText(dueOn), isBold: true, isAmount: true },
    { ...place(0, 1, 120), label: 'Número do documento', text: referenceTransaction ?? '' },
    { ...place(120, 1, 35), label: 'Data do documento', text: dayText(boleto.issuedOn) },
    {
      ...place(155, 1, 35),
      label: 'Valor do documento',
      text: reaisShown(amount),
      isBold: true,
      isAmount: true,
    },
    { ...place(0, 2, 155), label: 'Pagador', text: payerLines(boleto)[0] },
    { ...place(155, 2, 35), label: 'Valor pago', text: paidText(boleto), isAmount: true },
  ];
  const { address } = boleto.beneficiary;
  const lines = [...(address === null ? [] : [address]), ...instructionsOf(boleto)];
  const marks = [...head(boleto, top, 'Recibo do pagador'), ...cells.flatMap((cell) => drawCell(cell, rows))];
  const below = rows + 3 * ROW + 5;
  return [
    ...marks,
    textMark('Informações do beneficiário', LEFT + 1, below, 6, false),
    ...lines
      .flatMap((line) => wrapped(line, WIDTH - 2, 8))
      .map((line, index) => fittedMark(line, LEFT + 1, below + 4.5 + index * 4, WIDTH - 2, 8)),
    textMark('Autenticação mecânica', LEFT + WIDTH, below, 6, false, 'right'),
  ];
}

function numbersOf(boleto: BoletoToPrint): NumbersOnPaper | null {
  const barCode = payableBarCode(boleto);
  return barCode === null ? null : numbersOnPaper(barCode, boleto.ourNumber);
}

function slip(boleto: BoletoToPrint, top: number): Mark[] {
  const { ourNumber, referenceTransaction, dueOn, amount, issuedOn, payableUntil } = boleto;
  const rows = top + 9;
  const amounts = WIDTH - AMOUNTS;
  const numbers = numbersOf(boleto);
  const cells: Cell[] = [
    {
      ...place(0, 0, AMOUNTS),
      label: 'Local de pagamento',
      text: `Pagável em qualquer banco até ${dayText(payableUntil)}`,
    },
    {
      ...place(AMOUNTS, 0, amounts),
      label: 'Vencimento',
      text: dayText(dueOn),
      isBold: true,
      isAmount: true,
    },
    {
      ...place(0, 1, AMOUNTS),
      label: 'Beneficiário',
      text: beneficiaryLine(boleto),
      second: boleto.beneficiary.address,
    },
    {
      ...place(AMOUNTS, 1, amounts),
      label: 'Agência/Código do beneficiário',
      text: numbers?.branchAndCode ?? '',
    },
    { ...place(0, 2, 26), label: 'Data do documento', text: dayText(issuedOn) },
    { ...place(26, 2, 55), label: 'Número do documento', text: referenceTransaction ?? '' },
    { ...place(81, 2, 18), label: 'Espécie doc.', text: '' },
    { ...place(99, 2, 14), label: 'Aceite', text: '' },
    { ...place(113, 2, 32), label: 'Data do processamento', text: dayText(issuedOn) },
    {
      ...place(AMOUNTS, 2, amounts),
      label: 'Nosso número',
      text: numbers?.bankNumber ?? ourNumber,
      isAmount: true,
    },
    { ...place(0, 3, 26), label: 'Uso do banco', text: '' },
    { ...place(26, 3, 25), label: 'Carteira', text: numbers?.portfolio ?? '' },
    { ...place(51, 3, 20), label: 'Espécie moeda', text: 'R$' },
    { ...place(71, 3, 37), label: 'Quantidade', text: '' },
    { ...place(108, 3, 37), label: '(x) Valor', text: '' },
    {
      ...place(AMOUNTS, 3, amounts),
      label: '(=) Valor do documento',
      text: reaisShown(amount),
      isBold: true,
      isAmount: true,
    },
    {
      ...place(0, 4, AMOUNTS),
      height: 5 * ROW,
      label: 'Instruções (texto de responsabilidade do beneficiário)',
      text: '',
    },
    ...[
      '(-) Desconto/Abatimento',
      '(-) Outras deduções',
      '(+) Mora/Multa',
      '(+) Outros acréscimos',
      '(=) Valor cobrado',
    ].map((label, index) => ({ ...place(AMOUNTS, 4 + index, amounts), label, text: '' })),
    { ...place(0, 9, WIDTH), height: 14, label: 'Pagador', text: '' },
  ];
  return [
    ...head(boleto, top, null),
    ...cells.flatMap((cell) => drawCell(cell, rows)),
    ...slipTexts(boleto, rows),
  ];
}

/** The texts in the large cells of the slip. */
function slipTexts(boleto: BoletoToPrint, rows: number): Mark[] {
  const [payer, ...places] = payerLines(boleto);
  const address = places.flatMap((line) => wrapped(line, WIDTH - 4, 8)).slice(0, 2);
  return [
    ...instructionsOf(boleto).map((line, index) =>
      fittedMark(line, LEFT + 1.5, rows + 4 * ROW + 6 + index * 3.8, AMOUNTS - 4, 8),
    ),
    fittedMark(payer, LEFT + 1.5, rows + 9 * ROW + 5.2, WIDTH - 4, 8),
    ...address.map((line, index) =>
      fittedMark(
        line,
        LEFT + 1.5,
        rows + 9 * ROW + 8.4 + index * 2.6,
        WIDTH - 4,
        address.length > 1 ? 6.5 : 8,
      ),
    ),
    textMark('Sacador/Avalista', LEFT + 1, rows + 9 * ROW + 13, 6, false),
    textMark(
      'Autenticação mecânica - Ficha de compensação',
      LEFT + WIDTH,
      rows + 9 * ROW + 17,
      6,
      true,
      'right',
    ),
  ];
}

/** Bank, its code and the digitable line; without a payable bar code, `title`. */
function head(boleto: BoletoToPrint, top: number, title: string | null): Mark[] {
  const barCode = payableBarCode(boleto);
  const base = top + 6.5;
  if (barCode === null) return [textMark(title ?? '', LEFT + WIDTH, base, 10, true, 'right')];
  const bank = bankOf(barCode);
  const line = formatDigitableLine(digitableLine(barCode));
  return [
    fittedMark(bank.name, LEFT, base, 38, 12, true),
    ...rule(LEFT + 40, top + 1, 0, 8, { thickness: 0.5 }),
    textMark(bank.code, LEFT + 42.5, base, 14, true),
    ...rule(LEFT + 60, top + 1, 0, 8, { thickness: 0.5 }),
    title === null
      ? textMark(line, LEFT + WIDTH, base, 11.5, true, 'right')
      : textMark(title, LEFT + WIDTH, base, 10, true, 'right'),
    ...(title === null ? [] : [textMark(line, LEFT + 62, base, 8.5, false)]),
  ];
}

function paidText({ payment }: BoletoToPrint): string {
  return payment === null ? '' : reaisShown(payment.amount);
}

function place(x: number, row: number, width: number): Pick<Cell, 'x' | 'y' | 'width' | 'height'> {
  return { x, y: row * ROW, width, height: ROW };
}

/** The label is in the upper left corner. Rules are drawn above and left of the cell. */
function drawCell(
  { label, text, second = null, x, y, width, height, isBold = false, isAmount = false }: Cell,
  top: number,
): Mark[] {
  const [left, upper] = [LEFT + x, top + y];
  const size = second === null ? (isBold ? 9.5 : 8.5) : 7;
  const base = upper + (second === null ? 6 : 4.6);
  return [
    ...rule(left, upper, width, 0),
    ...rule(left, upper + height, width, 0),
    ...(x === 0 ? [] : rule(left, upper, 0, height)),
    textMark(label, left + 1, upper + 2.3, 5.5, false),
    ...(text === ''
      ? []
      : [
          isAmount
            ? fittedMark(text, left + width - 1, base, width - 2.5, size, isBold, 'right')
            : fittedMark(text, left + 1.5, base, width - 2.5, size, isBold),
        ]),
    ...(second === null ? [] : [fittedMark(second, left + 1.5, upper + 6.7, width - 2.5, 6)]),
  ];
}

/** Smaller than this nothing can be read on paper. */
const SMALLEST = 5.5;

/** A text in smaller letters where it is too wide, and cut where that is not enough. */
function fittedMark(
  text: string,
  x: number,
  y: number,
  width: number,
  size: number,
  isBold = false,
  end: 'left' | 'right' = 'left',
): Mark {
  const fit = Math.floor((10 * size * width) / Math.max(widthOfText(text, size, isBold), width)) / 10;
  const chosen = Math.max(fit, Math.min(SMALLEST, size));
  return textMark(fittedText(text, width, chosen, isBold), x, y, chosen, isBold, end);
}

function textMark(
  text: string,
  x: number,
  y: number,
  size: number,
  isBold: boolean,
  end: 'left' | 'right' = 'left',
): Mark {
  return { kind: 'text', text, x, y, size, isBold, end };
}

function rule(
  x: number,
  y: number,
  width: number,
  height: number,
  { thickness = 0.2, isDashed = false } = {},
): Mark[] {
  return [{ kind: 'rule', x, y, width, height, thickness, isDashed }];
}

/** Millimetres from the upper left corner of an A4 sheet. `y` of a text is its base line. */
export type Mark =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly x: number;
      readonly y: number;
      /** Points. */
      readonly size: number;
      readonly isBold: boolean;
      /** The end of the text that is at `x`. */
      readonly end: 'left' | 'right';
    }
  | {
      readonly kind: 'rule';
      readonly x: number;
      readonly y: number;
      /** `width` or `height` is 0. */
      readonly width: number;
      readonly height: number;
      readonly thickness: number;
      readonly isDashed: boolean;
    }
  | {
      readonly kind: 'bars';
      readonly bars: Bars;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    };

export type Drawing = readonly Mark[];

export const SHEET = { width: 210, height: 297 };
/** In widths of the narrowest bar, from the left end. */
export type Bar = { readonly from: number; readonly width: number };

type Bars = { readonly bars: readonly Bar[]; readonly width: number };

/** Interleaved 2 of 5: which two of a digit's five elements are wide. */
const WIDE_ELEMENTS = [
  '00110',
  '10001',
  '01001',
  '11000',
  '00101',
  '10100',
  '01100',
  '00011',
  '10010',
  '01010',
];
const WIDE = 3;
const START = [1, 1, 1, 1];
const STOP = [WIDE, 1, 1];

/** Of each pair of digits the first is drawn with bars, the second with the gaps between them. */
function interleavedBars(digits: string): Bars {
  if (digits.length % 2 !== 0 || !/^\d+$/.test(digits)) throw new RangeError(`no pairs of digits: ${digits}`);
  const pairs = digits.match(/../g) ?? [];
  const elements = [...START, ...pairs.flatMap(elementsOfPair), ...STOP];
  const bars: Bar[] = [];
  let from = 0;
  for (const [index, width] of elements.entries()) {
    if (index % 2 === 0) bars.push({ from, width });
    from += width;
  }
  return { bars, width: from };
}

function elementsOfPair(pair: string): number[] {
  const [inBars = '', inGaps = ''] = [...pair].map((digit) => WIDE_ELEMENTS[Number(digit)]);
  return [...inBars].flatMap((isWide, index) => [widthOf(isWide), widthOf(inGaps[index])]);
}

function widthOf(isWide: string | undefined): number {
  return isWide === '1' ? WIDE : 1;
}
