import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';

/** Modules around a QR code that stay white, as the standard asks. */
const QUIET_ZONE = 4;
/** Of a PNG: a code of 61 modules is 552 pixels wide with its quiet zone. */
const PIXELS_PER_MODULE = 8;
/** The largest version holds so many bytes at level M. */
export const LONGEST_QR_CODE_BYTES = 2_331;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Rows of modules, quiet zone included; true is dark. */
type Modules = readonly (readonly boolean[])[];

/** An SVG without a size of its own. Throws RangeError for a longer text than a QR code holds. */
export function qrCodeSvg(text: string): string {
  const modules = modulesOf(text);
  const side = modules.length;
  const path = modules.flatMap((row, y) =>
    barsOf(row).map(({ x, width }) => `M${x} ${y}h${width}v1h-${width}z`),
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path d="M0 0h${side}v${side}h-${side}z" fill="#fff"/><path d="${path.join('')}"/></svg>`
  );
}

/**
 * The dark bars of each row, from above, in modules. Throws RangeError for a longer text than a QR code
 * holds.
 */
export function qrCodeRows(
  text: string,
): readonly (readonly { readonly x: number; readonly width: number }[])[] {
  return modulesOf(text).map(barsOf);
}

/** A PNG, black on white, one bit a pixel. Throws RangeError for a longer text than a QR code holds. */
export function qrCodePng(text: string): Buffer {
  const modules = modulesOf(text);
  const side = modules.length * PIXELS_PER_MODULE;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // One bit of grey a pixel; the only defined compression and filter method; no interlacing.
  header.set([1, 0, 0, 0, 0], 8);
  // A module is eight pixels wide: a byte. Each line begins with its filter: none.
  const lines = modules.flatMap((row) => {
    const line = Buffer.from([0, ...row.map((isDark) => (isDark ? 0x00 : 0xff))]);
    return Array.from({ length: PIXELS_PER_MODULE }, () => line);
  });
  const data = deflateSync(Buffer.concat(lines));
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function modulesOf(text: string): Modules {
  if (Buffer.byteLength(text) > LONGEST_QR_CODE_BYTES) throw new RangeError('too long for a QR code');
  return encode(text, { ecc: 'M', border: QUIET_ZONE }).data;
}

/** Adjacent dark modules make one bar. */
function barsOf(row: readonly boolean[]): { readonly x: number; readonly width: number }[] {
  const bars: { x: number; width: number }[] = [];
  for (const [x, isDark] of row.entries()) {
    const last = bars.at(-1);
    if (!isDark) continue;
    if (last !== undefined && last.x + last.width === x) last.width += 1;
    else bars.push({ x, width: 1 });
  }
  return bars;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
