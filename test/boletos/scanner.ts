import assert from 'node:assert/strict';

type Bar = { readonly from: number; readonly width: number };

/** The digits of the bars that a page draws, as a scanner reads them; null where it draws none. */
export function scannedPage(page: string): string | null {
  const path = /preserveAspectRatio="none"><path d="([^"]+)"/.exec(page)?.[1] ?? '';
  return scanned([...path.matchAll(/M(\d+) 0h(\d+)v1h-\2z/g)].map(barOf));
}

/** The same of a PDF. */
export function scannedPdf(file: string): string | null {
  // A QR code is drawn behind it.
  const [first = ''] = file.split('\nf Q');
  return scanned([...first.matchAll(/^(\d+) 0 (\d+) 1 re$/gm)].map(barOf));
}

const barOf = ([, from, width]: RegExpExecArray): Bar => ({ from: Number(from), width: Number(width) });

/** Interleaved 2 of 5, by what is narrow and what is wide. */
function scanned(bars: readonly Bar[]): string | null {
  if (bars.length === 0) return null;
  const elements = bars.flatMap((bar, index) => {
    const next = bars[index + 1];
    return next === undefined ? [bar.width] : [bar.width, next.from - bar.from - bar.width];
  });
  const isWide = elements.map((width) => {
    assert.ok(width === 1 || width === 3, `a width of ${width}`);
    return width === 3;
  });
  assert.deepEqual(isWide.slice(0, 4), [false, false, false, false], 'start');
  assert.deepEqual(isWide.slice(-3), [true, false, false], 'stop');
  const data = isWide.slice(4, -3);
  let digits = '';
  for (let at = 0; at < data.length; at += 10) {
    const pair = data.slice(at, at + 10);
    digits += digitOf(pair.filter((_, index) => index % 2 === 0));
    digits += digitOf(pair.filter((_, index) => index % 2 === 1));
  }
  return digits;
}

/** Weights 1, 2, 4, 7 and parity; the sum 11 is a zero. */
function digitOf(isWide: readonly boolean[]): string {
  assert.equal(isWide.filter(Boolean).length, 2, 'two of five are wide');
  const weights = [1, 2, 4, 7, 0];
  const sum = weights.reduce((total, weight, index) => total + (isWide[index] === true ? weight : 0), 0);
  return String(sum === 11 ? 0 : sum);
}
