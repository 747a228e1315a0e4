import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TObject } from 'typebox';
import { openApiDocument } from '../../src/platform/reference/openapi.ts';
import { wordingIn } from '../../src/platform/reference/wording.ts';
import { REFERENCE } from '../published.ts';

/** Of a generated class, and of a method, which is called like its operation. */
const LONGEST_NAME = 40;
const MOST_BYTES = 387_370;

type Json = Record<string, unknown>;
type Found = { readonly place: string; readonly schema: Json };

const DOCUMENT = openApiDocument(REFERENCE) as {
  readonly paths: Record<
    string,
    Record<string, { readonly operationId: string; readonly description?: string }>
  >;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: { readonly schemas: Record<string, Json> };
};
const { schemas } = DOCUMENT.components;

/** Everything in the document but its examples. */
function* partsOf(value: unknown, place: string): Generator<Found> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { place, schema: value as Json };
  for (const [name, own] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') yield* partsOf(own, `${place}/${name}`);
}

const isObject = ({ schema: { type } }: Found) => type === 'object' || [type].flat().includes('object');

test('every object has a name, under which it stands once', () => {
  const bare = [...partsOf(DOCUMENT, '')]
    .filter(isObject)
    .map(({ place }) => place)
    .filter((place) => !/^\/components\/schemas\/[^/]+$/.test(place))
    // A rule between fields is about objects that have their names elsewhere.
    .filter((place) => !/\/(if|then|else)\//.test(place));
  assert.deepEqual(bare, [], 'make it with named() in its contract');
  const alike = Map.groupBy(Object.keys(schemas), (name) => name.toLowerCase());
  assert.deepEqual(
    [...alike.values()].filter((names) => names.length > 1),
    [],
  );
});

test('a choice between several has a name too', () => {
  const isBare = ({ schema: { anyOf = [] } }: Found) =>
    (anyOf as Json[]).filter(({ type }) => type !== 'null').length > 1;
  const bare = [...partsOf(DOCUMENT, '')].filter(isBare).map(({ place }) => place);
  assert.ok(bare.length > 0);
  assert.deepEqual(
    bare.filter((place) => !/^\/components\/schemas\/[^/]+$/.test(place)),
    [],
    'make it with namedUnion() in its contract',
  );
});

test('every name is short enough for a class', () => {
  const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path));
  const names = [...Object.keys(schemas), ...operations.map(({ operationId }) => operationId)];
  assert.deepEqual(
    names.filter((name) => name.length > LONGEST_NAME),
    [],
  );
});

test('no field is only null: its type is what it is elsewhere', () => {
  const fields = Object.entries(schemas).flatMap(([object, { properties }]) =>
    Object.entries((properties ?? {}) as Record<string, Json>).map(([name, field]) => ({
      place: `${object}.${name}`,
      field,
    })),
  );
  assert.ok(fields.length > 500);
  assert.deepEqual(
    fields.filter(({ field }) => field.type === 'null').map(({ place }) => place),
    [],
  );
});

test('the document is no larger than it was', () => {
  for (const language of ['pt', 'en'] as const) {
    const printed = openApiDocument(REFERENCE, wordingIn(language, REFERENCE.texts));
    const bytes = Buffer.byteLength(JSON.stringify(printed));
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes in ${language}`);
  }
});

test('every group says what it is about, and every operation what it does', () => {
  const { tags } = DOCUMENT;
  assert.deepEqual(
    tags.filter(({ name, description }) => name === description).map(({ name }) => name),
    [],
    'GROUPS in src/app/reference.ts',
  );
  const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path));
  assert.deepEqual(
    operations.filter(({ description }) => !description).map(({ operationId }) => operationId),
    [],
  );
});

test('every link leads to an operation that asks for what it brings, and its answer has that', () => {
  let count = 0;
  for (const { id, answers } of REFERENCE.endpoints) {
    for (const { links = {}, example } of Object.values(answers)) {
      for (const [operationId, fields] of Object.entries(links)) {
        const target = REFERENCE.endpoints.find((endpoint) => endpoint.id === operationId);
        const { parameters, query, body } = target ?? {};
        const asked = {
          ...parameters?.properties,
          ...query?.properties,
          ...(body as Partial<TObject>)?.properties,
        };
        for (const [name, pointer] of Object.entries(fields)) {
          count += 1;
          assert.ok(Object.hasOwn(asked, name), `${id}: ${operationId} asks for no ${name}`);
          const found = pointer
            .split('/')
            .slice(1)
            .reduce<unknown>((value, part) => (value as Json | undefined)?.[part], example);
          assert.equal(typeof found, 'string', `${id} has no ${pointer}`);
        }
      }
    }
  }
  assert.ok(count > 25);
});
