import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const MOST_COLOURS = 256;

type Pixels = { readonly width: number; readonly height: number; readonly colours: Uint32Array };

/** A screenshot with its 256 most frequent colours; others are drawn as the nearest of them. */
export function smallPicture(screenshot: Uint8Array): Buffer {
  const { width, height, colours } = readPixels(Buffer.from(screenshot));
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  const palette = byCount.slice(0, MOST_COLOURS);
  const places = new Map(byCount.map((colour, place) => [colour, nearest(palette, colour, place)]));
  const lines = Buffer.alloc(height * (width + 1));
  for (const [at, colour] of colours.entries())
    lines[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = places.get(colour) ?? 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits, of a palette.
  head.set([8, 3], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => partsOf(colour)))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const partsOf = (colour: number): [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
];

function nearest(palette: readonly number[], colour: number, place: number): number {
  if (place < palette.length) return place;
  const wanted = partsOf(colour);
  let [found, least] = [0, Number.POSITIVE_INFINITY];
  for (const [at, one] of palette.entries()) {
    const distance = partsOf(one).reduce((sum, part, index) => sum + (part - (wanted[index] ?? 0)) ** 2, 0);
    if (distance < least) [found, least] = [at, distance];
  }
  return found;
}

function chunk(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** As Chromium writes pictures: eight bits a colour, three colours a pixel. */
function readPixels(picture: Buffer): Pixels {
  const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)];
  if (!picture.subarray(24, 29).equals(Buffer.from([8, 2, 0, 0, 0])))
    throw new Error('no picture of Chromium');
  const pieces: Buffer[] = [];
  for (let at = SIGNATURE.length; at < picture.length; at += 12 + picture.readUInt32BE(at)) {
    const content = picture.subarray(at + 8, at + 8 + picture.readUInt32BE(at));
    if (picture.toString('latin1', at + 4, at + 8) === 'IDAT') pieces.push(content);
  }
  const bytes = inflateSync(Buffer.concat(pieces));
  const line = width * 3;
  const colours = new Uint32Array(width * height);
  let above = new Uint8Array(line);
  for (let row = 0; row < height; row += 1) {
    const start = row * (line + 1);
    const own = unfiltered(bytes[start] ?? 0, bytes.subarray(start + 1, start + 1 + line), above);
    for (let at = 0; at < width; at += 1) {
      const [red = 0, green = 0, blue = 0] = own.subarray(at * 3, at * 3 + 3);
      colours[row * width + at] = (red << 16) | (green << 8) | blue;
    }
    above = own;
  }
  return { width, height, colours };
}

/** The filters of PNG (ISO 15948, 9.2). */
function unfiltered(filter: number, line: Uint8Array, above: Uint8Array): Uint8Array<ArrayBuffer> {
  const own = new Uint8Array(line.length);
  for (const [at, value] of line.entries()) {
    const left = own[at - 3] ?? 0;
    const up = above[at] ?? 0;
    const corner = at < 3 ? 0 : (above[at - 3] ?? 0);
    own[at] = value + ([0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0);
  }
  return own;
}

function paeth(left: number, up: number, corner: number): number {
  const [ofLeft, ofUp, ofCorner] = [left, up, corner].map((one) => Math.abs(left + up - corner - one));
  if ((ofLeft ?? 0) <= (ofUp ?? 0) && (ofLeft ?? 0) <= (ofCorner ?? 0)) return left;
  return (ofUp ?? 0) <= (ofCorner ?? 0) ? up : corner;
}
