import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { type Call, type Contract, serve } from '../../src/platform/http/endpoint.ts';
import type { RefusalShape } from '../../src/platform/http/refusal.ts';
import { schemaCheck } from '../../src/platform/http/schema-faults.ts';
import { refusalTable } from '../../src/platform/reference/catalogue.ts';
import { DOCUMENT_ENDPOINTS, printDocuments } from '../../src/platform/reference/documents.ts';
import { openApiDocument } from '../../src/platform/reference/openapi.ts';
import { referencePage } from '../../src/platform/reference/reference-page.ts';
import { wordingIn } from '../../src/platform/reference/wording.ts';
import { requestReader } from '../../src/platform/requests/request-reader.ts';
import { readExactJson } from '../../src/values/exact-json.ts';
import { staleDocuments } from '../../tools/print.ts';
import { ENDPOINTS, REFERENCE } from '../published.ts';

/** What a validating keyword of a request's schema must have: a sentence in `schema-faults.ts`. */
const SENTENCED = [
  'type',
  'required',
  'maxLength',
  'minLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'enum',
  'const',
  'format',
  'exactDecimal',
];
const STRUCTURAL = ['mayHoldCard', 'checked', 'reads', 'properties', 'items', 'description', 'title'];

/** Whatever the files of this name give, in all modules. */
async function exportsOf(name: string): Promise<unknown[]> {
  const folder = fileURLToPath(new URL('../../src', import.meta.url));
  const files = globSync(`**/${name}`, { cwd: folder });
  assert.ok(files.length > 0);
  const modules: object[] = await Promise.all(files.map((file) => import(`${folder}/${file}`)));
  return modules.flatMap((module) => Object.values(module));
}

test('the printed documents are what the code says', () => {
  assert.deepEqual(staleDocuments(), [], 'npm run print');
});

test('every endpoint that a contract declares is in the list, once', async () => {
  const declared = await exportsOf('{contract,*-contract,endpoints,*-endpoints}.ts');
  const ids = declared.filter(isEndpoint).map(({ id }) => id);
  const listed = ENDPOINTS.map(({ id }) => id);
  assert.equal(new Set(listed).size, listed.length);
  // What a function makes cannot be seen from outside: the list may have more than the constants.
  assert.deepEqual(
    ids.filter((id) => !listed.includes(id)),
    [],
  );
});

function isEndpoint(value: unknown): value is Contract {
  return (
    typeof value === 'object' && value !== null && 'id' in value && 'path' in value && 'answers' in value
  );
}

test("every module's refusals are in the catalogue", async () => {
  const declared = await exportsOf('{refusals,endpoints,*-endpoints}.ts');
  const tables = declared.filter(isWireTable);
  const printed = REFERENCE.catalogue().flatMap(({ rows }) => rows.map((row) => JSON.stringify(row)));
  assert.ok(tables.length > 0);
  for (const table of tables) {
    for (const row of refusalTable('', '', table).rows)
      assert.ok(printed.includes(JSON.stringify(row)), JSON.stringify(row));
  }
});

/** Those that people are told at the command line and the console have no tag. */
function isWireTable(value: unknown): value is Readonly<Record<string, RefusalShape>> {
  if (typeof value !== 'object' || value === null) return false;
  const shapes = Object.values(value);
  return (
    shapes.length > 0 &&
    shapes.every((shape) => typeof shape === 'object' && shape !== null && 'tag' in shape)
  );
}

for (const endpoint of ENDPOINTS) {
  const { id, summary, path, parameters, body, bodyExample, answers, method } = endpoint;

  test(`${id} has a summary, and its parameters are those of its path`, () => {
    assert.match(id, /^[a-z][A-Za-z]+$/);
    assert.ok(summary.length > 0 && !summary.endsWith('.'));
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    assert.deepEqual(Object.keys(parameters?.properties ?? {}), inPath);
    assert.ok(body === undefined || method === 'POST' || method === 'PUT');
  });

  test(`${id}: the example of its body is one that it takes`, () => {
    if (body === undefined) return assert.equal(bodyExample, undefined);
    const bytes = Buffer.from(JSON.stringify(bodyExample));
    const { query: _, ...withoutQuery } = endpoint;
    const reading = requestReader(withoutQuery)(bytes, {}, null, readExactJson);
    assert.deepEqual(reading, { ok: true, body: bodyExample, query: {} });
  });

  test(`${id}: every answer has an example that fits it`, () => {
    const statuses = Object.keys(answers);
    assert.ok(statuses.some((status) => status.startsWith('2')));
    for (const [status, { description, schema, example, contentType }] of Object.entries(answers)) {
      assert.ok(description.length > 0);
      if (contentType !== undefined) continue;
      assert.ok(schema !== undefined && example !== undefined, status);
      assert.deepEqual(schemaCheck(schema)(example), [], status);
    }
  });

  test(`${id}: whatever its request may lack has a sentence`, () => {
    for (const schema of [body, endpoint.query, parameters]) {
      if (schema === undefined) continue;
      for (const keyword of keywordsOf(schema)) {
        assert.ok([...SENTENCED, ...STRUCTURAL].includes(keyword), keyword);
      }
    }
  });
}

function keywordsOf(schema: TSchema): string[] {
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  const inside = [...Object.values(properties ?? {}), ...(items === undefined ? [] : [items])];
  return [...Object.keys(schema), ...inside.flatMap(keywordsOf)];
}

type Json = Record<string, unknown>;

const DOCUMENT = JSON.parse(
  JSON.stringify(openApiDocument(REFERENCE, wordingIn('en', REFERENCE.texts))),
) as Json;

/** Every object of a document with its path. */
function* objectsOf(value: unknown, pointer = ''): Generator<[string, Json]> {
  if (value === null || typeof value !== 'object') return;
  yield [pointer, value as Json];
  for (const [name, part] of Object.entries(value)) {
    // Examples are the merchants' data: nothing in them is a word of the description.
    if (name !== 'example') yield* objectsOf(part, `${pointer}/${name.replaceAll('/', '~1')}`);
  }
}

test('the OpenAPI document has what OpenAPI 3.1 asks for', () => {
  const { openapi, info, paths, components } = DOCUMENT as Record<string, Json>;
  assert.match(String(openapi), /^3\.1\.\d$/);
  assert.ok(info?.title && info.version);
  assert.ok(paths !== undefined && components !== undefined);
  const ids: unknown[] = [];
  for (const [path, item] of Object.entries(paths)) {
    assert.ok(path.startsWith('/'));
    for (const operation of Object.values(item as Record<string, Json>)) {
      ids.push(operation.operationId);
      const responses = operation.responses as Record<string, Json>;
      assert.ok(Object.keys(responses).every((status) => /^[1-5]\d\d$/.test(status)));
      for (const response of Object.values(responses)) {
        assert.ok('$ref' in response || typeof response.description === 'string', path);
      }
      for (const requirement of operation.security as Json[]) {
        assert.deepEqual(Object.keys(requirement), ['bearer']);
      }
    }
  }
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids.length, ENDPOINTS.length);
});

test('every reference in the OpenAPI document leads somewhere', () => {
  let count = 0;
  for (const [pointer, { $ref }] of objectsOf(DOCUMENT)) {
    if (typeof $ref !== 'string') continue;
    count += 1;
    const found = $ref
      .replace('#/', '')
      .split('/')
      .reduce<unknown>((value, name) => (value as Json | undefined)?.[name], DOCUMENT);
    assert.ok(found !== undefined, `${pointer}: ${$ref}`);
  }
  assert.ok(count > 0);
});

test('every schema of the OpenAPI document is JSON Schema, and its example fits it', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
  // The document around the schemas has words that are none of JSON Schema's.
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'document', components: DOCUMENT.components });
  let count = 0;
  for (const [pointer, { schema, example }] of objectsOf(DOCUMENT)) {
    if (schema === undefined) continue;
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const validate = ajv.compile(JSON.parse(text));
    if (example === undefined) continue;
    count += 1;
    assert.ok(validate(example), `${pointer}: ${JSON.stringify(validate.errors)}`);
  }
  assert.ok(count > ENDPOINTS.length);
});

test('the reference page shows every endpoint and needs nothing from elsewhere', () => {
  const page = referencePage(REFERENCE);
  for (const { id, path } of ENDPOINTS) {
    assert.ok(page.includes(`<article id="${id}">`));
    assert.ok(page.includes(`href="#${id}"`));
    assert.ok(page.includes(path));
  }
  for (const { title } of REFERENCE.catalogue()) assert.ok(page.includes(`>${title}</h3>`), title);
  assert.doesNotMatch(page, /<script|<link|<img|<iframe|\ssrc=|@import|url\(|\son\w+=|javascript:/i);
  const anchors = [...page.matchAll(/href="#([^"]+)"/g)].map(([, anchor = '']) => anchor);
  for (const anchor of anchors) assert.ok(page.includes(`id="${anchor}"`), anchor);
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, found]) => found);
  assert.equal(new Set(ids).size, ids.length);
});

test('both documents are served as text, and the page forbids everything but its own style', async () => {
  const endpoints = serve(DOCUMENT_ENDPOINTS, printDocuments(REFERENCE));
  const origin = () => null;
  const asked = { query: { lang: 'en' }, language: 'pt', origin } as Call<unknown, unknown, unknown>;
  const served = await Promise.all(endpoints.map((served) => served.serve(asked)));
  const [openApi, page] = served as { text?: { content: Buffer; type: string }; headers?: Json }[];
  assert.deepEqual(JSON.parse(String(openApi?.text?.content)), DOCUMENT);
  assert.equal(String(page?.text?.content), referencePage(REFERENCE));
  assert.equal(
    page?.headers?.['content-security-policy'],
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  );
});
