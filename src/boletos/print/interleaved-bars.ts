/** A bar, in widths of the narrowest one, from the left end. */
export type Bar = { readonly from: number; readonly width: number };

export type Bars = { readonly bars: readonly Bar[]; readonly width: number };

/** Of interleaved 2 of 5: which two of the five elements of a digit are wide. */
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

/**
 * The bars of an even number of digits: of each pair the first one is drawn with bars and the
 * second with the gaps between them.
 */
export function interleavedBars(digits: string): Bars {
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
