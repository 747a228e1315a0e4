/**
 * What must become of a hostile request. `refused`: one answer, 400 or 431, and the connection ends;
 * nothing behind it is ever looked at. `brokenBody`: its head is fine. A server that reads the body refuses
 * it so; one that had answered before sends nothing more. One answer, and the connection ends. `handled`:
 * it is legitimate, or harmless: one answer of its own, and the request behind it is answered too. `cut`:
 * its head is a request of its own and gets its answer; what follows it is no HTTP, and gets none. `ended`:
 * the connection ends, with a refusal or without a word.
 */
export type FramingVerdict = 'refused' | 'brokenBody' | 'handled' | 'cut' | 'ended';

/** An honest request, to be spoiled. */
export type HonestRequest = {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  /** Whole lines: Host, Authorization where there is a token, Content-Type. */
  readonly headers: string;
};

export type FramingCase = {
  readonly name: string;
  readonly verdict: FramingVerdict;
  readonly bytes: (request: HonestRequest) => string;
  /** The next request waits for the answer: Node leaves out what comes in one packet with an upgrade. */
  readonly isPatient?: boolean;
};

/**
 * What an attacker hides in a body: no other request has this, so that the log shows whether it was
 * ever served.
 */
export const SMUGGLED_METHOD = 'DELETE';
export const SMUGGLED_PATH = '/docs';
const SMUGGLED = `${SMUGGLED_METHOD} ${SMUGGLED_PATH} HTTP/1.1\r\nHost: smuggled\r\n\r\n`;
const ONE_CHUNK = '2\r\n{}\r\n0\r\n\r\n';

/** The honest head, then these lines and body. */
function tail(name: string, verdict: FramingVerdict, rest: string): FramingCase {
  return {
    name,
    verdict,
    bytes: ({ method, path, headers }) => `${method} ${path} HTTP/1.1\r\n${headers}${rest}`,
  };
}

function patient(framing: FramingCase): FramingCase {
  return { ...framing, isPatient: true };
}

/** The request line as given by method and path, then honest headers and no body. */
function firstLine(name: string, verdict: FramingVerdict, line: (request: HonestRequest) => string) {
  const bytes = (request: HonestRequest) => `${line(request)}\r\n${request.headers}\r\n`;
  return { name, verdict, bytes } satisfies FramingCase;
}

const BOTH = `Content-Length: ${SMUGGLED.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`;
const HUGE = '9'.repeat(30);

const LENGTHS: readonly FramingCase[] = [
  tail('Content-Length and Transfer-Encoding', 'refused', BOTH),
  tail(
    'Transfer-Encoding and Content-Length',
    'refused',
    `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ),
  tail(
    'Content-Length 0 and Transfer-Encoding',
    'refused',
    `Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n${ONE_CHUNK}`,
  ),
  tail(
    'two different Content-Lengths',
    'refused',
    `Content-Length: 2\r\nContent-Length: ${SMUGGLED.length + 2}\r\n\r\n{}${SMUGGLED}`,
  ),
  tail('two equal Content-Lengths', 'refused', 'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}'),
  tail('a folded Content-Length', 'refused', `Content-Length: 2\r\n 0\r\n\r\n{}${SMUGGLED}`),
  tail('a NUL behind Content-Length', 'refused', 'Content-Length: 2\0\r\n\r\n{}'),
  tail('a space before the colon of Content-Length', 'refused', 'Content-Length : 2\r\n\r\n{}'),
  tail('a tab before the colon of Content-Length', 'refused', 'Content-Length\t: 2\r\n\r\n{}'),
  tail('spaces around the value of Content-Length', 'handled', 'Content-Length: \t 2 \t\r\n\r\n{}'),
  ...[
    '2, 2',
    '2,3',
    '-1',
    '-0',
    '+2',
    '0x2',
    '2a',
    'a',
    '1e1',
    '2.0',
    '2 2',
    '2;x=1',
    '"2"',
    '',
    '\xb2',
    '\x0b2',
    HUGE,
    '18446744073709551618',
  ].map((value) =>
    tail(
      `Content-Length ${JSON.stringify(value)}`,
      'refused',
      `Content-Length: ${value}\r\n\r\n{}${SMUGGLED}`,
    ),
  ),
];

const ENCODINGS: readonly FramingCase[] = [
  ...['chunked', 'CHUNKED', 'Chunked', '\tchunked', '  chunked '].map((value) =>
    tail(
      `Transfer-Encoding ${JSON.stringify(value)}`,
      'handled',
      `Transfer-Encoding:${value}\r\n\r\n${ONE_CHUNK}`,
    ),
  ),
  ...[
    'xchunked',
    'chunkedx',
    'chunked, identity',
    'identity',
    'identity, chunked',
    'chunked, chunked',
    'gzip, chunked',
    'chunked;q=1',
    '"chunked"',
    'chunk',
    'cow',
    '',
    ',',
    ', chunked',
    'chunked,',
    '\x0bchunked',
    'chunked\x0b',
    '\0chunked',
    'chunked\0',
    '\xa0chunked',
    'chunked\x7f',
    'chun ked',
    'chunked \t',
  ].map((value) =>
    tail(
      `Transfer-Encoding ${JSON.stringify(value)}`,
      'refused',
      `Transfer-Encoding: ${value}\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    ),
  ),
  tail(
    'Transfer-Encoding twice',
    'refused',
    `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${ONE_CHUNK}`,
  ),
  tail(
    'Transfer-Encoding chunked, then identity',
    'refused',
    `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${ONE_CHUNK}`,
  ),
  tail(
    'Transfer-Encoding identity, then chunked',
    'refused',
    `Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n${ONE_CHUNK}`,
  ),
  tail(
    'a space before the colon of Transfer-Encoding',
    'refused',
    `Transfer-Encoding : chunked\r\n\r\n${ONE_CHUNK}`,
  ),
  tail(
    'a tab before the colon of Transfer-Encoding',
    'refused',
    `Transfer-Encoding\t: chunked\r\n\r\n${ONE_CHUNK}`,
  ),
  tail('a folded Transfer-Encoding', 'refused', `Transfer-Encoding:\r\n chunked\r\n\r\n${ONE_CHUNK}`),
  tail('a name folded before its colon', 'refused', `Transfer-Encoding\r\n : chunked\r\n\r\n${ONE_CHUNK}`),
  tail(
    'Transfer-Encoding behind a bare line feed',
    'refused',
    `X: x\nTransfer-Encoding: chunked\r\n\r\n${ONE_CHUNK}`,
  ),
  tail(
    'Transfer-Encoding behind a bare carriage return',
    'refused',
    `X: x\rTransfer-Encoding: chunked\r\n\r\n${ONE_CHUNK}`,
  ),
  tail('Transfer_Encoding', 'cut', `Transfer_Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`),
  tail('Content_Length', 'cut', `Content_Length: 2\r\n\r\n{}${SMUGGLED}`),
];

/** The body of a chunked request. */
function chunks(name: string, verdict: FramingVerdict, body: string): FramingCase {
  return tail(name, verdict, `Transfer-Encoding: chunked\r\n\r\n${body}`);
}

const CHUNKS: readonly FramingCase[] = [
  chunks('chunk sizes with leading zeros', 'handled', '0002\r\n{}\r\n000\r\n\r\n'),
  chunks('an empty chunked body', 'handled', '0\r\n\r\n'),
  chunks('a chunk extension', 'handled', '2;name=value\r\n{}\r\n0\r\n\r\n'),
  chunks('a trailer', 'handled', '2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n'),
  chunks(
    'a trailer that would frame',
    'brokenBody',
    `2\r\n{}\r\n0\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  ),
  chunks('an endless chunk extension', 'brokenBody', `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
  chunks('a bare line feed in a chunk extension', 'brokenBody', `2;x\n{}\r\n0\r\n\r\n${SMUGGLED}`),
  chunks('a carriage return in a chunk extension', 'brokenBody', `2;x\rx\r\n{}\r\n0\r\n\r\n`),
  chunks('a chunk longer than its size', 'brokenBody', `2\r\n{}}\r\n0\r\n\r\n${SMUGGLED}`),
  chunks('a chunk shorter than its size', 'brokenBody', `3\r\n{}\r\n0\r\n\r\n${SMUGGLED}`),
  chunks('a chunk size ended by a bare line feed', 'brokenBody', `2\n{}\r\n0\r\n\r\n${SMUGGLED}`),
  chunks('a chunk ended by a bare line feed', 'brokenBody', `2\r\n{}\n0\r\n\r\n${SMUGGLED}`),
  chunks('a last chunk ended by a bare line feed', 'brokenBody', `2\r\n{}\r\n0\n\r\n${SMUGGLED}`),
  chunks('a body ended by a bare line feed', 'brokenBody', `2\r\n{}\r\n0\r\n\n${SMUGGLED}`),
  ...[
    '-1',
    '+2',
    '0x2',
    ' 2',
    '2 ',
    '2\t',
    'g',
    '',
    '2_0',
    '10000000000000002',
    'FFFFFFFFFFFFFFFFF',
    '\0',
  ].map((size) =>
    chunks(`chunk size ${JSON.stringify(size)}`, 'brokenBody', `${size}\r\n{}\r\n0\r\n\r\n${SMUGGLED}`),
  ),
];

const HEADERS: readonly FramingCase[] = [
  tail('NUL in a header', 'refused', 'X: a\0b\r\n\r\n'),
  tail('NUL in the name of a header', 'refused', 'X\0Y: a\r\n\r\n'),
  tail('a control character in a header', 'refused', 'X: a\x01b\r\n\r\n'),
  tail('a carriage return in a header', 'refused', 'X: a\rb\r\n\r\n'),
  tail('a line feed in a header', 'refused', 'X: a\nb\r\n\r\n'),
  tail('headers ended by bare line feeds', 'refused', `X: a\n\n${SMUGGLED}`),
  tail('a space in the name of a header', 'refused', 'X Y: a\r\n\r\n'),
  tail('a header without a name', 'refused', ': a\r\n\r\n'),
  tail('a line without a colon', 'refused', 'X\r\n\r\n'),
  tail('a name outside of ASCII', 'refused', 'X\xe9: a\r\n\r\n'),
  tail('a folded header', 'refused', 'X: a\r\n b\r\n\r\n'),
  tail('a header line that starts with a space', 'refused', ' X: a\r\n\r\n'),
  tail('a header that nobody knows, with bytes outside of ASCII', 'handled', 'X: \xe9\xff\r\n\r\n'),
  tail('two Hosts', 'refused', 'Host: other\r\n\r\n'),
  tail('one header too large', 'refused', `X: ${'x'.repeat(20_000)}\r\n\r\n`),
  tail('headers too large together', 'refused', `${`X: ${'x'.repeat(500)}\r\n`.repeat(40)}\r\n`),
  tail('more headers than anybody sends', 'refused', `${'X: y\r\n'.repeat(110)}\r\n`),
  tail('more headers than Node keeps', 'refused', `${'X: y\r\n'.repeat(3_000)}\r\n`),
  tail('Expect 100-continue', 'handled', 'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}'),
  tail('another expectation', 'handled', 'Expect: a-miracle\r\n\r\n'),
  patient(tail('an upgrade to a web socket', 'handled', 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n')),
  patient(
    tail(
      'an upgrade to h2c with a body',
      'handled',
      'Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}',
    ),
  ),
];

const LINES: readonly FramingCase[] = [
  firstLine(
    'a method in lower case',
    'refused',
    ({ method, path }) => `${method.toLowerCase()} ${path} HTTP/1.1`,
  ),
  firstLine('an unknown method', 'refused', ({ path }) => `STEAL ${path} HTTP/1.1`),
  firstLine('two spaces behind the method', 'handled', ({ method, path }) => `${method}  ${path} HTTP/1.1`),
  firstLine('two spaces before the version', 'handled', ({ method, path }) => `${method} ${path}  HTTP/1.1`),
  firstLine('a tab behind the method', 'refused', ({ method, path }) => `${method}\t${path} HTTP/1.1`),
  firstLine('a space behind the version', 'refused', ({ method, path }) => `${method} ${path} HTTP/1.1 `),
  firstLine('a space before the method', 'refused', ({ method, path }) => ` ${method} ${path} HTTP/1.1`),
  firstLine('HTTP/0.9 by name', 'refused', ({ method, path }) => `${method} ${path} HTTP/0.9`),
  firstLine('HTTP/0.9 by leaving the version out', 'refused', ({ method, path }) => `${method} ${path}`),
  firstLine('HTTP/1.2', 'refused', ({ method, path }) => `${method} ${path} HTTP/1.2`),
  firstLine('HTTP/2.0', 'refused', ({ method, path }) => `${method} ${path} HTTP/2.0`),
  firstLine('HTTP/1.1 with more digits', 'refused', ({ method, path }) => `${method} ${path} HTTP/1.10`),
  firstLine('another protocol', 'refused', ({ method, path }) => `${method} ${path} ICY/1.1`),
  firstLine('a space in the target', 'refused', ({ method, path }) => `${method} ${path} x HTTP/1.1`),
  firstLine('NUL in the target', 'refused', ({ method, path }) => `${method} ${path}\0 HTTP/1.1`),
  firstLine(
    'a target without a slash',
    'refused',
    ({ method, path }) => `${method} ${path.slice(1)} HTTP/1.1`,
  ),
  firstLine(
    'a request line too long',
    'refused',
    ({ method, path }) => `${method} ${path}?${'x'.repeat(20_000)} HTTP/1.1`,
  ),
  firstLine(
    'a target in absolute form',
    'handled',
    ({ method, path }) => `${method} http://other${path} HTTP/1.1`,
  ),
  firstLine('an asterisk as target', 'handled', () => 'OPTIONS * HTTP/1.1'),
  firstLine('a fragment in the target', 'handled', ({ method, path }) => `${method} ${path}#x HTTP/1.1`),
  firstLine('TRACE', 'handled', ({ path }) => `TRACE ${path} HTTP/1.1`),
  firstLine(
    'an empty line before the request',
    'handled',
    ({ method, path }) => `\r\n${method} ${path} HTTP/1.1`,
  ),
  firstLine('CONNECT', 'ended', ({ host }) => `CONNECT ${host} HTTP/1.1`),
  {
    name: 'the preface of HTTP/2',
    verdict: 'refused',
    bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  },
  { name: 'no Host', verdict: 'refused', bytes: ({ method, path }) => `${method} ${path} HTTP/1.1\r\n\r\n` },
  {
    name: 'the hello of TLS',
    verdict: 'refused',
    bytes: () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  },
  { name: 'no HTTP at all', verdict: 'refused', bytes: () => 'EHLO example.com\r\n' },
];

const OLD: readonly FramingCase[] = [
  {
    name: 'HTTP/1.0, which ends the connection behind its answer',
    verdict: 'ended',
    bytes: ({ method, path, headers }) => `${method} ${path} HTTP/1.0\r\n${headers}\r\n`,
  },
  {
    name: 'HTTP/1.0 with Transfer-Encoding',
    verdict: 'refused',
    bytes: ({ method, path, headers }) =>
      `${method} ${path} HTTP/1.0\r\n${headers}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  },
];

export const FRAMING_CASES: readonly FramingCase[] = [
  ...LENGTHS,
  ...ENCODINGS,
  ...CHUNKS,
  ...HEADERS,
  ...LINES,
  ...OLD,
];
