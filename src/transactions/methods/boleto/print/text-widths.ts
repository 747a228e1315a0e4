export const MILLIMETRES_PER_POINT = 25.4 / 72;

/** Helvetica in thousandths of the font size, from space to `~`, as its maker publishes them. */
const WIDTHS = {
  plain: `278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556
    278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611
    722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556
    556 556 333 500 278 556 500 722 500 500 500 334 260 334 584`,
  bold: `278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556
    333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611
    722 667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611
    611 611 389 556 333 611 556 778 556 556 500 389 280 389 584`,
};
const [PLAIN_WIDTHS, BOLD_WIDTHS] = [WIDTHS.plain, WIDTHS.bold].map((row) => row.split(/\s+/).map(Number));
const WIDTH_OF_OTHERS = 600;

/** In millimetres. Letters with accents are as wide as those without. */
export function widthOfText(text: string, size: number, isBold: boolean): number {
  const widths = (isBold ? BOLD_WIDTHS : PLAIN_WIDTHS) ?? [];
  let thousandths = 0;
  for (const character of text.normalize('NFD').replace(/\p{M}/gu, '')) {
    thousandths += widths[(character.codePointAt(0) ?? 0) - 32] ?? WIDTH_OF_OTHERS;
  }
  return (thousandths / 1_000) * size * MILLIMETRES_PER_POINT;
}

/** A text that is too wide is cut, but keeps a CPF or CNPJ at its end. */
export function fittedText(text: string, width: number, size: number, isBold: boolean): string {
  if (widthOfText(text, size, isBold) <= width) return text;
  const kept = / - (?:CPF\/)?CNPJ \S+$/.exec(text)?.[0] ?? '';
  let length = text.length - kept.length;
  while (length > 0 && widthOfText(`${text.slice(0, length)}...${kept}`, size, isBold) > width) length -= 1;
  return `${text.slice(0, length).trimEnd()}...${kept}`;
}

/** In two lines at most, which may still be too wide. */
export function wrapped(text: string, width: number, size: number): string[] {
  if (widthOfText(text, size, false) <= width) return [text];
  // The two lines are as even as words allow, so that their letters shrink least.
  const breaks = [...text.matchAll(/ /g)].map(({ index }) => index);
  const middle = text.length / 2;
  const at = breaks.toSorted((one, other) => Math.abs(one - middle) - Math.abs(other - middle))[0];
  return at === undefined ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
