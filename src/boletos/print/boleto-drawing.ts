import { digitableLine, formatDigitableLine } from '../../values/bar-code.ts';
import { documentText } from '../../values/document-number.ts';
import {
  type BoletoToPrint,
  bankOf,
  dayText,
  instructionsOf,
  noticeOf,
  payableBarCode,
  payerLines,
  reais,
} from './boleto-to-print.ts';
import { type Drawing, fittedText, type Mark } from './drawing.ts';
import { interleavedBars } from './interleaved-bars.ts';

type Cell = {
  readonly label: string;
  readonly text: string;
  /** Millimetres, from the left edge of the form and from its first row. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isBold?: boolean;
  readonly isAmount?: boolean;
};

const LEFT = 10;
const WIDTH = 190;
/** Where the column of day and amounts begins, in the form. */
const AMOUNTS = 145;
const ROW = 7;
const TOP_OF_RECEIPT = 14;
const TOP_OF_SLIP = 180;
/** As wide and high as the FEBRABAN has it. */
const BAR_CODE = { width: 103, height: 13 };

/**
 * The sheet: the payer's receipt above, and below the slip that a bank takes, on its lower edge. What
 * cannot be paid has no slip.
 */
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
  ];
}

function receipt(boleto: BoletoToPrint, top: number): Mark[] {
  const { beneficiary, ourNumber, referenceTransaction, dueOn, amount } = boleto;
  const rows = top + 9;
  const cells: Cell[] = [
    {
      ...place(0, 0, 120),
      label: 'Beneficiário',
      text: `${beneficiary.name} - CNPJ ${documentText(beneficiary.documentNumber)}`,
    },
    { ...place(120, 0, 35), label: 'Nosso número', text: ourNumber },
    { ...place(155, 0, 35), label: 'Vencimento', text: dayText(dueOn), isBold: true, isAmount: true },
    { ...place(0, 1, 120), label: 'Número do documento', text: referenceTransaction ?? '' },
    { ...place(120, 1, 35), label: 'Data do documento', text: dayText(boleto.issuedOn) },
    { ...place(155, 1, 35), label: 'Valor do documento', text: reais(amount), isBold: true, isAmount: true },
    { ...place(0, 2, 155), label: 'Pagador', text: payerLines(boleto)[0] },
    { ...place(155, 2, 35), label: 'Valor pago', text: paidText(boleto), isAmount: true },
  ];
  const lines = instructionsOf(boleto);
  const marks = [...head(boleto, top, 'Recibo do pagador'), ...cells.flatMap((cell) => drawCell(cell, rows))];
  const below = rows + 3 * ROW + 5;
  return [
    ...marks,
    textMark('Informações do beneficiário', LEFT + 1, below, 6, false),
    ...lines.map((line, index) =>
      textMark(fitted(line, WIDTH - 2, 8), LEFT + 1, below + 4.5 + index * 4, 8, false),
    ),
    textMark('Autenticação mecânica', LEFT + WIDTH, below, 6, false, 'right'),
  ];
}

function slip(boleto: BoletoToPrint, top: number): Mark[] {
  const { beneficiary, ourNumber, referenceTransaction, dueOn, amount, issuedOn, payableUntil } = boleto;
  const rows = top + 9;
  const amounts = WIDTH - AMOUNTS;
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
      text: `${beneficiary.name} - CNPJ ${documentText(beneficiary.documentNumber)}`,
    },
    { ...place(AMOUNTS, 1, amounts), label: 'Agência/Código do beneficiário', text: '' },
    { ...place(0, 2, 26), label: 'Data do documento', text: dayText(issuedOn) },
    { ...place(26, 2, 55), label: 'Número do documento', text: referenceTransaction ?? '' },
    { ...place(81, 2, 18), label: 'Espécie doc.', text: '' },
    { ...place(99, 2, 14), label: 'Aceite', text: '' },
    { ...place(113, 2, 32), label: 'Data do processamento', text: dayText(issuedOn) },
    { ...place(AMOUNTS, 2, amounts), label: 'Nosso número', text: ourNumber, isAmount: true },
    { ...place(0, 3, 26), label: 'Uso do banco', text: '' },
    { ...place(26, 3, 25), label: 'Carteira', text: '' },
    { ...place(51, 3, 20), label: 'Espécie moeda', text: 'R$' },
    { ...place(71, 3, 37), label: 'Quantidade', text: '' },
    { ...place(108, 3, 37), label: '(x) Valor', text: '' },
    {
      ...place(AMOUNTS, 3, amounts),
      label: '(=) Valor do documento',
      text: reais(amount),
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
    ...instructionsOf(boleto).map((line, index) =>
      textMark(fitted(line, AMOUNTS - 4, 8), LEFT + 1.5, rows + 4 * ROW + 6 + index * 3.8, 8, false),
    ),
    ...payerLines(boleto).map((line, index) =>
      textMark(fitted(line, WIDTH - 4, 8), LEFT + 1.5, rows + 9 * ROW + 6 + index * 3.6, 8, false),
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

/** Bank, its code and the digitable line, or what this part of the sheet is. */
function head(boleto: BoletoToPrint, top: number, title: string | null): Mark[] {
  const barCode = payableBarCode(boleto);
  const base = top + 6.5;
  if (barCode === null) return [textMark(title ?? '', LEFT + WIDTH, base, 10, true, 'right')];
  const bank = bankOf(barCode);
  const line = formatDigitableLine(digitableLine(barCode));
  return [
    textMark(fitted(bank.name, 38, 12, true), LEFT, base, 12, true),
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
  return payment === null ? '' : reais(payment.amount);
}

function place(x: number, row: number, width: number): Pick<Cell, 'x' | 'y' | 'width' | 'height'> {
  return { x, y: row * ROW, width, height: ROW };
}

/** A cell with its label in the upper left corner, and rules above and left of it. */
function drawCell(
  { label, text, x, y, width, height, isBold = false, isAmount = false }: Cell,
  top: number,
): Mark[] {
  const [left, upper] = [LEFT + x, top + y];
  const size = isBold ? 9.5 : 8.5;
  const shown = fitted(text, width - 2.5, size, isBold);
  const base = upper + 6;
  return [
    ...rule(left, upper, width, 0),
    ...rule(left, upper + height, width, 0),
    ...(x === 0 ? [] : rule(left, upper, 0, height)),
    textMark(label, left + 1, upper + 2.3, 5.5, false),
    ...(shown === ''
      ? []
      : [
          isAmount
            ? textMark(shown, left + width - 1, base, size, isBold, 'right')
            : textMark(shown, left + 1.5, base, size, isBold),
        ]),
  ];
}

function fitted(text: string, width: number, size: number, isBold = false): string {
  return fittedText(text, width, size, isBold);
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
