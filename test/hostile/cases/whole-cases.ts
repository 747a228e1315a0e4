import type { Contract } from '../../../src/platform/http/endpoint.ts';
import { bytesOf, type WireRequest } from '../wire.ts';
import type { HostileCase, Verdict } from './field-cases.ts';
import { fieldsOf, tagOf } from './fields.ts';
import {
  capitalized,
  type JsonTree,
  type Member,
  objectsOf,
  textOf,
  treeOf,
  Written,
  withMembers,
} from './json-tree.ts';

const LARGEST_BODY_BYTES = 64 * 1024;
const ACCEPTED: Verdict = { kind: 'accepted' };
const status = (...statuses: number[]): Verdict => ({ kind: 'status', statuses });
const REFUSED = status(400);

/** What a whole request of an endpoint is tried with, whatever its fields: `valid` shows the objects. */
export function wholeCases(endpoint: Contract, valid: WireRequest): HostileCase[] {
  return [...frontCases(valid), ...readingCases(endpoint, valid)];
}

/** Of these the front of the server says what comes of them, before anybody reads query and body. */
function frontCases({ body }: WireRequest): HostileCase[] {
  return [...headerCases(), ...(body === undefined ? [] : [...bodySizeCases(), ...contentTypeCases()])];
}

/** Of these whoever reads query and body says it. */
export function readingCases(endpoint: Contract, { body }: WireRequest): HostileCase[] {
  return [
    ...(endpoint.query === undefined ? [] : queryNameCases()),
    ...(body === undefined ? [] : [...bodyTextCases(endpoint), ...nameCases(endpoint, body)]),
  ];
}

function headerCases(): HostileCase[] {
  const cases: [string, Record<string, string>, Verdict][] = [
    ['an unknown language', { 'accept-language': 'tlh;q=1, *;q=0' }, ACCEPTED],
    ['a language of nonsense', { 'accept-language': `${';q=,'.repeat(500)}\u00ff` }, ACCEPTED],
    ['a method in a header', { 'x-http-method-override': 'DELETE', 'x-method-override': 'PUT' }, ACCEPTED],
    ['a number of its own', { 'x-request-id': 'Zq7xKv-mine' }, ACCEPTED],
    ['an address that is none', { 'x-forwarded-host': 'evil.example', forwarded: 'for="_x"' }, ACCEPTED],
    ['cookies', { cookie: `a=${'b'.repeat(2_000)}` }, ACCEPTED],
    ['more headers than any reader takes', { 'x-long': 'a'.repeat(20_000) }, status(400, 431)],
  ];
  return cases.map(([name, headers, verdict]) => ({
    name: `with ${name}`,
    make: (valid) => ({ ...valid, headers: { ...valid.headers, ...headers } }),
    verdict,
  }));
}

function queryNameCases(): HostileCase[] {
  const add = (name: string, query: WireRequest['query'], verdict: Verdict): HostileCase => ({
    name,
    make: (valid) => ({ ...valid, query: [...valid.query, ...query] }),
    verdict,
  });
  const forbidden = (encoded: string, tag: string) =>
    add(`${encoded} in the query`, [[encoded, 'x']], { kind: 'names', tag });
  return [
    forbidden('__proto__', '__proto__'),
    forbidden('constructor', 'constructor'),
    forbidden('prototype', 'prototype'),
    forbidden('%5F_proto__', '__proto__'),
    add(
      'unknown names in the query',
      [
        ['unknown', 'x'],
        ['other', '1'],
        ['unknown', 'y'],
      ],
      ACCEPTED,
    ),
    add(
      'a name in brackets in the query',
      [
        ['a[__proto__][isAdmin]', 'true'],
        ['b[]', '1'],
      ],
      ACCEPTED,
    ),
    add(
      'a thousand names in the query',
      Array.from({ length: 1_000 }, (_, at) => [`n${at}`, '']),
      ACCEPTED,
    ),
    add(
      'an empty name in the query',
      [
        ['', ''],
        ['', 'x'],
      ],
      ACCEPTED,
    ),
  ];
}

type BodyChange = readonly [name: string, change: (text: string) => string | Buffer, verdict: Verdict];

const changedBody = ([name, change, verdict]: BodyChange): HostileCase => ({
  name: `the body is ${name}`,
  make: (valid) => ({ ...valid, raw: Buffer.from(change(textOf(valid.body as JsonTree)) as string) }),
  verdict,
});

function bodySizeCases(): HostileCase[] {
  const cases: BodyChange[] = [
    [
      'as large as allowed',
      (text) => text.padEnd(LARGEST_BODY_BYTES - (Buffer.byteLength(text) - text.length)),
      ACCEPTED,
    ],
    ['one byte larger than allowed', (text) => text.padEnd(LARGEST_BODY_BYTES + 1), status(413)],
    ['four times as large as allowed', (text) => text.padEnd(4 * LARGEST_BODY_BYTES), status(413)],
  ];
  return cases.map(changedBody);
}

function bodyTextCases({ isBodyOptional }: Contract): HostileCase[] {
  const cases: BodyChange[] = [
    [
      'an empty list',
      () => '[]',
      { kind: 'asWithout', twin: (valid) => ({ ...valid, raw: Buffer.from('{}') }) },
    ],
    ['a list of itself', (text) => `[${text}]`, REFUSED],
    ['a text', () => '"hello"', REFUSED],
    ['itself in a text', (text) => JSON.stringify(text), REFUSED],
    ['a number', () => '1e400', REFUSED],
    ['null', () => 'null', REFUSED],
    ['true', () => 'true', REFUSED],
    ['nothing', () => '', REFUSED],
    ['blanks', () => ' \r\n\t ', REFUSED],
    ['a byte order mark before it', (text) => `\ufeff${text}`, ACCEPTED],
    ['two byte order marks before it', (text) => `\ufeff\ufeff${text}`, REFUSED],
    ['UTF-16', (text) => Buffer.from(text, 'utf16le'), REFUSED],
    ['a form', () => 'a=b&c=d', REFUSED],
    ['something behind it', (text) => `${text}{}`, REFUSED],
    ['a comment in it', (text) => `/* */${text}`, REFUSED],
    ['a comma too many', (text) => text.replace(/\}$/, ',}'), REFUSED],
    ['single quotes', (text) => text.replaceAll('"', "'"), REFUSED],
    ['half of it', (text) => text.slice(0, text.length / 2), REFUSED],
    ['all but its end', (text) => text.slice(0, -1), REFUSED],
    ['a thousand lists in each other', () => '['.repeat(1_000) + ']'.repeat(1_000), REFUSED],
    ['thirty thousand lists without end', () => '['.repeat(30_000), REFUSED],
    ['blanks around it', (text) => ` \r\n\t${text}\n `, ACCEPTED],
  ];
  // Where a body may be left out, nothing is no fault, and would hide the faults that other cases
  // put into the body.
  const faulty = isBodyOptional === true ? cases.filter(([name]) => name !== 'nothing') : cases;
  return faulty.map(changedBody);
}

function contentTypeCases(): HostileCase[] {
  const cases: [string, Record<string, string>, Verdict][] = [
    ['text/plain', {}, status(415)],
    ['application/xml', {}, status(415)],
    ['application/x-www-form-urlencoded', {}, status(415)],
    ['multipart/form-data; boundary=x', {}, status(415)],
    ['application/jsonp', {}, status(415)],
    ['application/json; charset=latin1', {}, status(415)],
    ['application/json; charset=utf-16', {}, status(415)],
    ['nonsense', {}, status(415)],
    ['', {}, status(415)],
    ['application/json', { 'content-encoding': 'gzip' }, status(415)],
    ['application/json', { 'content-encoding': 'identity' }, ACCEPTED],
    ['application/json; charset=utf-8', {}, ACCEPTED],
    ['Application/JSON;charset="UTF-8"', {}, ACCEPTED],
    ['application/json', { 'transfer-encoding': 'chunked' }, ACCEPTED],
  ];
  return cases.map(([type, more, verdict]) => ({
    name: `the content type is ${type}${Object.values(more).map((value) => `, ${value}`)}`,
    make: (valid) => ({
      ...valid,
      raw: bytesOf(valid) as Buffer,
      headers: { ...valid.headers, 'content-type': type, ...more },
    }),
    verdict,
  }));
}

/** No caller may set these, and some of them every object has already. */
const FOREIGN_NAMES: readonly Member[] = [
  ['id', 'Zq7xKv-id'],
  ['status', 'Paga'],
  ['createdBy', 'Zq7xKv-other'],
  ['createdDate', '1999-01-01T00:00:00'],
  ['modifiedBy', null],
  ['merchant_id', 'Zq7xKv-other'],
  ['attemptsMade', new Written('-1e400')],
  ['constructor', treeOf({ prototype: { isAdmin: true } })],
  ['prototype', treeOf({ isAdmin: true })],
  ['toString', 1],
  ['toJSON', 'x'],
  ['hasOwnProperty', true],
  ['then', 'x'],
  ['length', 1e9],
  ['', treeOf([[], {}, ''])],
  ['a.b', 1],
  ['$ref', '#'],
  ['\u202e\r\nx', '\u202e\r\nx'],
];

function nameCases(endpoint: Contract, body: JsonTree): HostileCase[] {
  const asked = new Set(fieldsOf(endpoint).map(({ steps }) => tagOf(steps)));
  const changed = (name: string, change: (body: JsonTree) => JsonTree, verdict: Verdict): HostileCase => ({
    name,
    make: (valid) => ({ ...valid, body: change(valid.body as JsonTree) }),
    verdict,
  });
  const atObjects = objectsOf(body).flatMap((steps) => {
    const here = tagOf(steps) || 'the body';
    const add = (list: readonly Member[]) => (tree: JsonTree) =>
      withMembers(tree, steps, (known) => [
        // Items of a list are asked for as its first is.
        ...list.filter(([name]) => !asked.has(tagOf([...steps, name]).replaceAll(/\[\d+\]/g, '[0]'))),
        ...known,
      ]);
    const proto = new Written('{"__proto__":{"isAdmin":true}}');
    return [
      changed(
        `names that nobody asked for stand in ${here}`,
        add(FOREIGN_NAMES),
        endpoint.isExact === true ? { kind: 'names', tag: tagOf([...steps, 'createdBy']) } : ACCEPTED,
      ),
      changed(`a field that others charge by stands in ${here}`, add([['currencyCode', 'usd']]), {
        kind: 'names',
        tag: tagOf([...steps, 'currencyCode']),
      }),
      changed(
        `a field that others charge by stands in an unknown one of ${here}`,
        add([['unknown', treeOf({ inside: [{ Sellers: [1] }] })]]),
        {
          kind: 'names',
          tag: tagOf([...steps, 'unknown', ...(endpoint.isExact === true ? [] : ['inside', 0, 'Sellers'])]),
          orInside: true,
        },
      ),
      changed(`__proto__ stands in ${here}`, add([['__proto__', treeOf({ isAdmin: true })]]), {
        kind: 'names',
        tag: tagOf([...steps, '__proto__']),
      }),
      changed(`__proto__ stands in an unknown field of ${here}`, add([['unknown', proto]]), {
        kind: 'names',
        tag: tagOf([...steps, 'unknown', '__proto__']),
        orInside: true,
      }),
      changed(
        `an unknown name stands twice in ${here}`,
        add([
          ['unknown', 1],
          ['unknown', 2],
        ]),
        {
          kind: 'names',
          tag: tagOf([...steps, 'unknown']),
        },
      ),
    ];
  });
  return [...atObjects, changed('every name has a capital first letter', capitalized, ACCEPTED)];
}
