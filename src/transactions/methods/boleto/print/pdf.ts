import { type Drawing, type Mark, SHEET } from './boleto-drawing.ts';
import { MILLIMETRES_PER_POINT, widthOfText } from './text-widths.ts';

const POINTS_PER_MILLIMETRE = 1 / MILLIMETRES_PER_POINT;

/** A PDF in ASCII, with two fonts that every reader has. Other characters are octal escapes of Latin-1. */
export function pdfOf(drawing: Drawing, title: string): string {
  const content = drawing.map((mark) => operatorsOf(mark)).join('\n');
  const size = `${decimal(SHEET.width * POINTS_PER_MILLIMETRE)} ${decimal(SHEET.height * POINTS_PER_MILLIMETRE)}`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (pt-BR) /ViewerPreferences << /DisplayDocTitle true >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size}] /Contents 6 0 R\n` +
      '/Resources << /Font << /F1 4 0 R /F2 5 0 R >> >> >>',
    fontObject('Helvetica'),
    fontObject('Helvetica-Bold'),
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Title ${textString(title)} /Producer (Parcela) >>`,
  ];
  return assembled(objects);
}

function fontObject(name: string): string {
  return `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
}

function assembled(objects: readonly string[]): string {
  let file = '%PDF-1.4\n';
  const places: number[] = [];
  for (const [index, object] of objects.entries()) {
    places.push(file.length);
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`);
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>`;
  return `${file}${table}${trailer}\nstartxref\n${file.length}\n%%EOF\n`;
}

/** PDF counts from the lower left corner, in points. */
function operatorsOf(mark: Mark): string {
  switch (mark.kind) {
    case 'text': {
      const { text, x, y, size, isBold, end } = mark;
      const left = end === 'left' ? x : x - widthOfText(text, size, isBold);
      return `BT /${isBold ? 'F2' : 'F1'} ${size} Tf ${point(left, y)} Td ${textString(text)} Tj ET`;
    }
    case 'rule': {
      const { x, y, width, height, thickness, isDashed } = mark;
      const dashes = isDashed ? '[2 2] 0 d' : '[] 0 d';
      const line = `${point(x, y)} m ${point(x + width, y + height)} l S`;
      return `${dashes} ${decimal(thickness * POINTS_PER_MILLIMETRE)} w ${line}`;
    }
    case 'bars': {
      const { bars, x, y, width, height } = mark;
      const scaleX = fine((width * POINTS_PER_MILLIMETRE) / bars.width);
      const matrix = `${scaleX} 0 0 ${fine(height * POINTS_PER_MILLIMETRE)} ${point(x, y + height)} cm`;
      const boxes = bars.bars.map((bar) => `${bar.from} 0 ${bar.width} 1 re`);
      return `q ${matrix}\n${boxes.join('\n')}\nf Q`;
    }
  }
}

function point(x: number, y: number): string {
  return `${decimal(x * POINTS_PER_MILLIMETRE)} ${decimal((SHEET.height - y) * POINTS_PER_MILLIMETRE)}`;
}

function decimal(value: number): string {
  return String(Number(value.toFixed(2)));
}

function fine(value: number): string {
  return String(Number(value.toFixed(5)));
}

/** What is written for signs that Latin-1 lacks, and for letters that are no other letter with an accent. */
const PLAIN_SIGNS: Readonly<Record<string, string>> = {
  '–': '-',
  '—': '-',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '…': '...',
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Ħ: 'H',
  ħ: 'h',
  Ŧ: 'T',
  ŧ: 't',
  ı: 'i',
  Œ: 'OE',
  œ: 'oe',
};

/** A character that Latin-1 lacks is written without its accent, or as a question mark. */
function textString(text: string): string {
  const codes = [...text.normalize('NFC')].flatMap((character) => [...latin1Of(character)]);
  return `(${codes.map((character) => escapedInPdf(character)).join('')})`;
}

function latin1Of(character: string): string {
  if (isLatin1(character)) return character;
  const plain = PLAIN_SIGNS[character] ?? character.normalize('NFD').replace(/\p{M}/gu, '');
  return plain !== '' && [...plain].every(isLatin1) ? plain : '?';
}

function isLatin1(character: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]$/.test(character);
}

function escapedInPdf(character: string): string {
  if ('()\\'.includes(character)) return `\\${character}`;
  const code = character.charCodeAt(0);
  return code < 0x7f ? character : `\\${code.toString(8)}`;
}
