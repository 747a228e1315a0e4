import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import jsQR from 'jsqr';
import { LONGEST_QR_CODE_BYTES, qrCodePng, qrCodeSvg } from './qr-code.ts';

const BR_CODE =
  '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441520400005303986' +
  '5802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc' +
  '04c15b0bb7fa35319489063047741';
const PIXELS_OF_A_MODULE = 4;

/** Rows of pixels; true is dark. */
type Picture = readonly (readonly boolean[])[];

/** Reads it as a camera's program does. */
function scanned(picture: Picture): string | null {
  const pixels = picture.flatMap((row) => row.flatMap((isDark) => [...Array(3).fill(isDark ? 0 : 255), 255]));
  return jsQR.default(Uint8ClampedArray.from(pixels), picture.length, picture.length)?.data ?? null;
}

/** The SVG has one path of dark bars, each one row high. */
function pictureOfSvg(svg: string): Picture {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const rows = Array.from({ length: side }, () => Array<boolean>(side).fill(false));
  const dark = svg.split('<path').at(-1) ?? '';
  for (const [, x, y, width] of dark.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    rows[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
  const wide = rows.map((row) => row.flatMap((isDark) => Array<boolean>(PIXELS_OF_A_MODULE).fill(isDark)));
  return wide.flatMap((row) => Array<boolean[]>(PIXELS_OF_A_MODULE).fill(row));
}

/** One bit of grey a pixel, without filters; every checksum is checked. */
function pictureOfPng(png: Buffer): Picture {
  const parts = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    assert.equal(png.readUInt32BE(end), crc32(png.subarray(at + 4, end)));
    parts.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end));
    at = end + 4;
  }
  assert.deepEqual([...parts.keys()], ['IHDR', 'IDAT', 'IEND']);
  const side = parts.get('IHDR')?.readUInt32BE(0) ?? 0;
  const bytes = inflateSync(parts.get('IDAT') ?? Buffer.alloc(0));
  const stride = 1 + Math.ceil(side / 8);
  assert.equal(bytes.length, side * stride);
  return Array.from({ length: side }, (_, y) =>
    Array.from({ length: side }, (_, x) => {
      const byte = bytes[y * stride + 1 + Math.floor(x / 8)] ?? 0;
      return ((byte >> (7 - (x % 8))) & 1) === 0;
    }),
  );
}

for (const [name, text] of [
  ['of the central bank', BR_CODE],
  ['of one character', 'A'],
  ['of digits', '0123456789'],
  ['with accents', 'PADARIA SÃO JOSÉ, às 8'],
] as const) {
  test(`a text ${name} is read again from both drawings`, () => {
    assert.equal(scanned(pictureOfSvg(qrCodeSvg(text))), text);
    assert.equal(scanned(pictureOfPng(qrCodePng(text))), text);
  });
}

test('the quiet zone is white', () => {
  const picture = pictureOfSvg(qrCodeSvg(BR_CODE));
  const width = 4 * PIXELS_OF_A_MODULE;
  const isInside = (at: number) => at >= width && at < picture.length - width;
  for (const [y, row] of picture.entries())
    for (const [x, isDark] of row.entries()) assert.ok(!isDark || (isInside(x) && isInside(y)));
});

test('the longest text is drawn, and a longer one refused', () => {
  assert.match(qrCodeSvg('é'.repeat(Math.floor(LONGEST_QR_CODE_BYTES / 2))), /^<svg /);
  assert.match(qrCodeSvg('x'.repeat(LONGEST_QR_CODE_BYTES)), /^<svg /);
  assert.throws(() => qrCodePng('x'.repeat(LONGEST_QR_CODE_BYTES + 1)), RangeError);
});
