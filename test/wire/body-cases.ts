export type BodyCase = { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> };

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const join = (...parts: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));

function utf16(text: string, isBigEndian: boolean): Uint8Array {
  const bytes = Buffer.from(text, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
}

function utf32(text: string): Uint8Array {
  return Buffer.concat([...text].map((letter) => Buffer.from([letter.charCodeAt(0), 0, 0, 0])));
}

const DEPTH = 8_000;

/** Bodies that are no JSON in UTF-8, made of one that is: each of them must be refused with 400. */
export function brokenBodies(json: string, chance: () => number): BodyCase[] {
  const before = json.slice(0, -1);
  const texts: Record<string, string> = {
    'nothing but blanks': ' \r\n\t ',
    'followed by a letter': `${json} x`,
    'followed by another one': `${json}${json}`,
    'followed by a closing brace': `${json}}`,
    'followed by NUL': `${json}\0`,
    'with a comma too many': `${before},}`,
    'with a comment': `${before}/* */}`,
    'with a name without quotes': `${before},x:1}`,
    'in single quotes': json.replaceAll('"', "'"),
    'with NaN': `${before},"x":NaN}`,
    'with Infinity': `${before},"x":-Infinity}`,
    'with a leading zero': `${before},"x":01}`,
    'with a plus': `${before},"x":+1}`,
    'with half a fraction': `${before},"x":1.}`,
    'with half an exponent': `${before},"x":1e}`,
    'in hexadecimal': `${before},"x":0x10}`,
    'with a line break in a text': `${before},"x":"a\nb"}`,
    'with an escape that is none': `${before},"x":"\\x41"}`,
    'with half an escape': `${before},"x":"\\u12"}`,
    'with an escaped NUL': `${before},"x":"\\u0000"}`,
    'with half a surrogate pair': `${before},"x":"\\udc00"}`,
    'with a text without end': `${before},"x":"`,
    'with a name sent twice': `${before},"x":1,"x":1}`,
    'with a name sent twice, once escaped': `${before},"x":1,"\\u0078":1}`,
    'with __proto__': `${before},"__proto__":{}}`,
    'with __proto__ in escapes': `${before},"\\u005f_proto__":{}}`,
    'with a number of ten thousand digits': `${before},"x":${'9'.repeat(10_000)}}`,
    'with lists nested deeply': `${before},"x":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`,
    'with objects nested deeply': `${before},"x":${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}}`,
    'of brackets that nobody closes': '['.repeat(60_000),
    'behind a guard against inclusion': `)]}',\n${json}`,
    'as a text in itself': JSON.stringify(json),
    'as a list': `[${json}]`,
  };
  return [
    ...Object.entries(texts).map(([name, text]) => ({ name, bytes: utf8(text) })),
    { name: 'behind two byte order marks', bytes: join(Buffer.from('\ufeff\ufeff'), json) },
    { name: 'in UTF-16, little end first', bytes: join(utf16(json, false)) },
    { name: 'in UTF-16, big end first', bytes: join(utf16(json, true)) },
    { name: 'in UTF-16 behind its mark', bytes: join(Buffer.from([0xff, 0xfe]), utf16(json, false)) },
    { name: 'in UTF-32', bytes: join(utf32(json)) },
    ...Object.entries(BAD_SEQUENCES).map(([name, sequence]) => ({
      name,
      bytes: join(`${before},"x":"a`, Buffer.from(sequence), 'b"}'),
    })),
    ...Array.from({ length: 12 }, () => {
      const size = 1 + Math.floor(chance() * (json.length - 1));
      return { name: `cut off after ${size} bytes`, bytes: utf8(json.slice(0, size)) };
    }),
  ];
}

const BAD_SEQUENCES: Readonly<Record<string, readonly number[]>> = {
  'with a byte that UTF-8 does not have': [0xff],
  'with a continuation without a start': [0x80],
  'with a start without a continuation': [0xc3],
  'with an overlong quotation mark': [0xc0, 0xa2],
  'with an overlong NUL': [0xc0, 0x80],
  'with a surrogate in UTF-8': [0xed, 0xa0, 0x80],
  'with a letter beyond Unicode': [0xf4, 0x90, 0x80, 0x80],
};

/**
 * One that is JSON, with some bits turned, bytes left out, doubled or put in: anything may come
 * out, but no failure.
 */
export function mangledBodies(json: string, count: number, chance: () => number): BodyCase[] {
  const pick = (below: number) => Math.floor(chance() * below);
  return Array.from({ length: count }, (_, index) => {
    let bytes = Buffer.from(json);
    for (let turn = 0; turn <= pick(4); turn += 1) {
      const at = pick(bytes.length);
      const kind = pick(4);
      if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
      else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + pick(5))]);
      else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(pick(at + 1))]);
      else bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([pick(256)]), bytes.subarray(at)]);
    }
    return { name: `mangled, number ${index}`, bytes: new Uint8Array(bytes) };
  });
}

/** A JSON object of exactly so many bytes, with a name that nobody knows. */
export function bodyOfSize(size: number): string {
  return '{"x":"'.padEnd(size - 2, 'y').concat('"}');
}

/** The same bytes in chunks of at most so many. */
export function inChunks(body: string, most: number): string {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += most) {
    const chunk = body.slice(at, at + most);
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  }
  return `${chunks.join('')}0\r\n\r\n`;
}

export const WRONG_TYPES: readonly string[] = [
  '',
  'json',
  'text/plain',
  'text/json',
  'application/xml',
  'application/jsonp',
  'application/json5',
  'application/jsonx',
  'application/ld+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/json/x',
  'application/json, text/plain',
  '*/*',
  'application/*',
  'xapplication/json',
  'application/json; charset=latin1',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-16',
  'application/json; charset=utf-7',
  'application/json; charset=utf-8x',
  'application/json; charset=',
  'application/json; charset=""',
  "application/json; charset='utf-16'",
  'application/json; charset=utf-8; charset=utf-16',
  'application/json;CHARSET=UTF-16',
  'application/json; charset="utf-8',
  'application/json; charset=utf_8 x',
];

export const RIGHT_TYPES: readonly string[] = [
  'application/json',
  'APPLICATION/JSON',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json ; charset=utf8',
  'application/json; charset=utf-8; x=y',
  'application/json; x=y',
  'application/json;',
];

export const WRONG_ENCODINGS: readonly string[] = [
  'gzip',
  'deflate',
  'br',
  'zstd',
  'x',
  'gzip, identity',
  'identity, gzip',
  '',
];
