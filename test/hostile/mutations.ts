import type { Contract } from '../../src/platform/http/endpoint.ts';
import { ENDPOINTS } from '../published.ts';
import { fieldCases, type HostileCase, type Verdict } from './cases/field-cases.ts';
import { type JsonTree, Members } from './cases/json-tree.ts';
import { wholeCases } from './cases/whole-cases.ts';
import type { Shop } from './hostile-service.ts';
import { endsItsToken, tokenFor } from './recipes.ts';
import { bytesOf, type WireRequest } from './wire.ts';

/** Whole numbers from 0 up to, and without, the limit. The same seed gives the same numbers. */
export type Chance = (limit: number) => number;

/** mulberry32: small, quick, and good enough to choose by. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

export const chosen = <T>(chance: Chance, list: readonly T[]): T => list[chance(list.length)] as T;

/**
 * A change whose outcome the contract defines (`verdict`), or one of which only the general rules
 * are known (null).
 */
export type Mutation = {
  readonly name: string;
  readonly make: (valid: WireRequest) => WireRequest;
  readonly verdict: Verdict | null;
};

const MOST_MUTATIONS = 3;

/** One to three changes of one request. */
export function mutationsFor(endpoint: Contract, valid: WireRequest, shop: Shop, chance: Chance): Mutation[] {
  const cases = casesOf(endpoint, valid);
  return Array.from({ length: 1 + chance(MOST_MUTATIONS) }, (): Mutation => {
    const kind = chance(100);
    if (kind < 60 && cases.length > 0) return chosen(chance, cases);
    if (kind < 75 && bytesOf(valid) !== null) return bytesMutation(chance);
    if (kind < 90) return headerMutation(chance);
    if (kind < 95) return addressMutation(endpoint, chance);
    return callerMutation(endpoint, shop, chance);
  });
}

const known = new Map<string, readonly HostileCase[]>();

/**
 * Made once for each endpoint and set of fields: they do not depend on what is in a field, only on
 * which there are.
 */
function casesOf(endpoint: Contract, valid: WireRequest): readonly HostileCase[] {
  return known.getOrInsertComputed(`${endpoint.id} ${fieldsOf(valid)}`, () => [
    ...fieldCases(endpoint),
    ...wholeCases(endpoint, valid),
  ]);
}

/** Which fields a request has, without what stands in them. */
function fieldsOf({ body }: WireRequest): string {
  const names = (tree: JsonTree | undefined): string =>
    tree instanceof Members ? `{${tree.list.map(([name, inner]) => name + names(inner)).join()}}` : '';
  return names(body);
}

const SOME_BYTES = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  '\\u0000',
  '\\ud83d',
  '1',
  '-',
  '.',
  'e',
  'null',
  '\0',
  ' ',
];

/** The body's bytes, somewhere in it: one changed, a piece lost, doubled or put in, or the rest cut off. */
function bytesMutation(chance: Chance): Mutation {
  const [kind, at, length, byte, bit] = [chance(6), chance(1e9), 1 + chance(16), chance(256), chance(8)];
  const piece = Buffer.from(chosen(chance, SOME_BYTES));
  const change = (bytes: Buffer): Buffer => {
    const here = bytes.length === 0 ? 0 : at % bytes.length;
    const before = bytes.subarray(0, here);
    const behind = bytes.subarray(here + length);
    const within = bytes.subarray(here, here + length);
    switch (kind) {
      case 0:
        return Buffer.concat([
          before,
          Buffer.from([(bytes[here] ?? 0) ^ (1 << bit)]),
          bytes.subarray(here + 1),
        ]);
      case 1:
        return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(here + 1)]);
      case 2:
        return Buffer.concat([before, behind]);
      case 3:
        return Buffer.concat([before, within, within, behind]);
      case 4:
        return Buffer.concat([before, piece, bytes.subarray(here)]);
      default:
        return Buffer.from(before);
    }
  };
  return {
    name: `bytes changed (${kind} at ${at})`,
    make: (valid) => ({ ...valid, raw: change(bytesOf(valid) ?? Buffer.alloc(0)) }),
    verdict: null,
  };
}

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'content-type',
    ['text/plain', 'application/json; charset=utf-16', 'application/json;', 'APPLICATION/JSON', '*/*', ';'],
  ],
  ['content-encoding', ['gzip', 'identity', 'br, gzip', 'IDENTITY', '']],
  ['transfer-encoding', ['chunked']],
  ['accept', ['text/html', 'application/xml', '*/*;q=0', ';;;']],
  ['accept-encoding', ['gzip', 'identity;q=0', '*;q=0']],
  ['accept-language', ['en', 'EN-gb;q=1', 'pt;q=NaN', 'x'.repeat(2_000), 'en;q=1e400', ',,,', 'constructor']],
  ['idempotency-key', ['', 'a', 'x'.repeat(256), '"quoted"', '\u00e9']],
  [
    'x-forwarded-for',
    ['unknown', '1.2.3.4, 5.6.7.8', '::ffff:10.1.2.3', '999.1.1.1', '"', 'a'.repeat(500), ',', ''],
  ],
  ['x-forwarded-proto', ['javascript', 'https,http']],
  ['forwarded', ['for=1.2.3.4;by=_x']],
  ['host', ['evil.example', 'localhost:1', '', '[::1']],
  ['origin', ['null', 'https://evil.example']],
  ['cookie', ['a=b; a=c', '=', 'x'.repeat(4_000)]],
  ['range', ['bytes=0-1']],
  ['if-none-match', ['*']],
  ['expect', ['100-continue']],
  ['connection', ['close', 'upgrade', 'keep-alive, x-forwarded-for']],
  ['upgrade', ['websocket', 'h2c']],
  ['te', ['trailers']],
  ['x-http-method-override', ['DELETE']],
  ['x-request-id', ['Zq7xKv-\u00ff', 'a'.repeat(1_000)]],
  ['constructor', ['x']],
];

function headerMutation(chance: Chance): Mutation {
  const [header, values] = chosen(chance, HEADERS);
  const value = chosen(chance, values);
  return {
    name: `${header}: ${value.slice(0, 40)}`,
    make: (valid) => ({ ...valid, headers: { ...valid.headers, [header]: value } }),
    verdict: null,
  };
}

const PATH_CHANGES: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => `${path};x=1`,
  (path) => `${path}%00`,
  (path) => `${path}%`,
  (path) => `${path}/..`,
  (path) => `/./${path}`,
  (path) => path.replace(/\/\w/, (letter) => `/%${letter.charCodeAt(1).toString(16)}`),
  (path) => `${path}${'/x'.repeat(2_000)}`,
  (path) => `${path}#x`,
  (path) => `${path}?${'&'.repeat(500)}`,
  (path) => `${path}?__proto__=1&__proto__=2&a[b]=1&=&%=%&%00=%00`,
  () => '*',
  () => '/',
  () => '//evil.example/v1/payments',
];

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'PURGE',
];

function addressMutation({ path: served }: Contract, chance: Chance): Mutation {
  if (chance(2) === 0) {
    // A method that another endpoint serves there would do what that endpoint does, and it has
    // cases of its own.
    const known = ENDPOINTS.filter(({ path }) => path === served).map(({ method }) => String(method));
    const others = METHODS.filter((name) => !known.includes(name));
    const method = chosen(chance, others);
    return { name: `by ${method}`, make: (valid) => ({ ...valid, method }), verdict: null };
  }
  const at = chance(PATH_CHANGES.length);
  return {
    name: `another path (${at})`,
    make: ({ endpoint, ...valid }) => ({
      ...valid,
      endpoint: { ...endpoint, path: PATH_CHANGES[at]?.(endpoint.path) ?? endpoint.path },
    }),
    verdict: null,
  };
}

function callerMutation(endpoint: Contract, shop: Shop, chance: Chance): Mutation {
  const right = tokenFor(endpoint, shop) ?? '';
  const tokens = [null, ...(endsItsToken(endpoint) ? [] : Object.values(shop.tokens)), '', 'x', `${right}A`];
  const token = chosen(chance, tokens);
  if (chance(4) > 0)
    return { name: 'with another token', make: (valid) => ({ ...valid, token }), verdict: null };
  const both = [`Bearer ${right}`, `Bearer ${right}`];
  return {
    name: 'with two tokens',
    make: (valid) => ({ ...valid, token: null, headers: { ...valid.headers, authorization: both } }),
    verdict: null,
  };
}
