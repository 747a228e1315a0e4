import { digitableLine, formatDigitableLine } from '../../../../values/bar-code.ts';
import { escapedMarkup } from '../../../../values/markup.ts';
import { copyable, dayText, htmlPage, pageHeaders, reaisShown } from '../../../payers/page-of-payer.ts';
import { boletoDrawing, type Drawing, type Mark, SHEET } from './boleto-drawing.ts';
import { type BoletoToPrint, noticeOf, payableBarCode } from './boleto-to-print.ts';
import { MILLIMETRES_PER_POINT, widthOfText } from './text-widths.ts';

const STYLE = `
body { margin: 0; background: #eef0f3; color: #111; font: 16px/1.5 Helvetica, Arial, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; margin: 0.5rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.5rem 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
.copy { font-family: ui-monospace, Menlo, Consolas, monospace; user-select: all; }
.notice { font-weight: bold; }
a { color: #0b4fa8; }
svg.sheet { display: block; width: 100%; height: auto; margin-top: 1rem; background: #fff; }
@page { size: A4; margin: 0; }
@media print {
  body { background: #fff; }
  main { max-width: none; padding: 0; }
  .screen { display: none; }
  svg.sheet { width: 210mm; height: 296.5mm; margin: 0; }
}
`;

/** Browsers check the style against this hash. A test computes it again. */
const STYLE_HASH = 'sha256-G5hNbRspBAfXkXdMWq1ETRqElCNb5rz3QQqk309/A08=';

export const PAGE_HEADERS = pageHeaders(STYLE_HASH);

/** `pdfAddress` is relative to the page. */
export function boletoPage(boleto: BoletoToPrint, pdfAddress: string): string {
  const barCode = payableBarCode(boleto);
  const { amount, dueOn, registered } = boleto;
  const notice = noticeOf(boleto);
  const facts: [string, string][] = [
    ['Beneficiário', escapedMarkup(boleto.beneficiary.name)],
    ['Valor', reaisShown(amount)],
    ['Vencimento', dayText(dueOn)],
  ];
  if (barCode !== null) {
    facts.push(['Linha digitável', copyable(formatDigitableLine(digitableLine(barCode)))]);
    const pixEmv = registered?.pixEmv ?? null;
    if (pixEmv !== null) facts.push(['Pix copia e cola', copyable(pixEmv)]);
  }
  return boletoHtml(
    'Boleto',
    `<div class="screen">
<h1>Boleto</h1>
${notice === null ? '' : `<p class="notice">${escapedMarkup(notice)}</p>`}
<dl>
${facts.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('\n')}
</dl>
<p><a href="${escapedMarkup(pdfAddress)}">Baixar em PDF</a></p>
</div>
${svgOf(boletoDrawing(boleto))}`,
  );
}

export const NO_BOLETO_PAGE = htmlPage({
  title: 'Boleto não encontrado',
  style: STYLE,
  content:
    '<h1>Boleto não encontrado</h1>\n<p>Confira o endereço, ou peça-o de novo a quem emitiu o boleto.</p>',
});

const boletoHtml = (title: string, content: string) => htmlPage({ title, style: STYLE, content });

function svgOf(drawing: Drawing): string {
  const { width, height } = SHEET;
  return `<svg class="sheet" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"
 font-family="Helvetica, Arial, sans-serif" role="img" aria-label="Boleto para imprimir">
${drawing.map((mark) => elementOf(mark)).join('\n')}
</svg>`;
}

function elementOf(mark: Mark): string {
  switch (mark.kind) {
    case 'text': {
      const { text, x, y, size, isBold, end } = mark;
      const height = decimal(size * MILLIMETRES_PER_POINT);
      const weight = isBold ? ' font-weight="bold"' : '';
      const anchor = end === 'right' ? ' text-anchor="end"' : '';
      // The text is as wide as it is planned, whatever font the browser has.
      const length = decimal(widthOfText(text, size, isBold));
      const place = `x="${decimal(x)}" y="${decimal(y)}" font-size="${height}" textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
      return `<text ${place}${weight}${anchor}>${escapedMarkup(text)}</text>`;
    }
    case 'rule': {
      const { x, y, width, height, thickness, isDashed } = mark;
      const dashes = isDashed ? ' stroke-dasharray="1 1"' : '';
      const path = `M${decimal(x)} ${decimal(y)}l${decimal(width)} ${decimal(height)}`;
      return `<path d="${path}" stroke="#000" stroke-width="${thickness}"${dashes}/>`;
    }
    case 'bars': {
      const { bars, x, y, width, height } = mark;
      const path = bars.bars.map((bar) => `M${bar.from} 0h${bar.width}v1h-${bar.width}z`).join('');
      const box = `x="${x}" y="${y}" width="${width}" height="${height}"`;
      return `<svg ${box} viewBox="0 0 ${bars.width} 1" preserveAspectRatio="none"><path d="${path}"/></svg>`;
    }
  }
}

function decimal(value: number): string {
  return String(Number(value.toFixed(3)));
}
