import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { type Contract, contract } from '../http/endpoint.ts';
import { schemaCheck } from '../http/schema-faults.ts';
import { FORMATS, isOfFormat } from '../requests/formats.ts';
import { printSchema } from './json-schema.ts';
import { invalidExample, openApiDocument, ROOT_URLS } from './openapi.ts';

const INFO = { title: 'Test', version: '1.2.3', description: { pt: 'Para testes.', en: 'For tests.' } };

type Operation = {
  operationId: string;
  tags: string[];
  description?: string;
  servers?: { url: string }[];
  security: unknown[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object; example: unknown }> };
  responses: Record<
    string,
    { $ref?: string; description?: string; headers?: object; content?: Record<string, Content> }
  >;
  'x-homologation-only'?: boolean;
};
type Content = { schema: object; example?: unknown };
type Printed = {
  servers: { url: string; description: string }[];
  tags: { name: string }[];
  security: unknown[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    parameters: Record<string, { description?: string }>;
    responses: Record<string, { content?: Record<string, Content> }>;
  };
};

function print(endpoints: readonly unknown[], ...rest: [{ gateway: string; integration: string }?]): Printed {
  const [serverUrls = ROOT_URLS] = rest;
  return openApiDocument({
    endpoints: endpoints as Contract[],
    messages: [],
    info: INFO,
    groups: { Things: 'What there is.', Operations: 'For operators.' },
    serverUrls,
  }) as Printed;
}

function operationOf(declared: unknown): Operation {
  const { path, method } = declared as Contract;
  const operation = print([declared]).paths[path]?.[method.toLowerCase()];
  assert.ok(operation);
  return operation;
}

const READ = contract({
  id: 'readThing',
  method: 'GET',
  path: '/v1/things/{thingId}',
  api: 'gateway',
  scope: 'gateway',
  group: 'Things',
  summary: 'Read a thing',
  parameters: Type.Object({ thingId: Type.String({ maxLength: 36, description: 'Which.' }) }),
  answers: { 200: { description: 'The thing.', schema: Type.String(), example: 'x' } },
});

const LIST = contract({
  id: 'listThings',
  method: 'GET',
  path: '/v1/things',
  api: 'integration',
  scope: 'any',
  group: 'Things',
  summary: 'List things',
  homologationOnly: true,
  query: Type.Object({ page: Type.Integer({ minimum: 1, maximum: 9 }), name: Type.Optional(Type.String()) }),
  answers: { 200: { description: 'Things.', schema: Type.Array(Type.String()), example: ['x'] } },
});

const MAKE = contract({
  id: 'makeThing',
  method: 'POST',
  path: '/v1/things',
  api: 'integration',
  scope: 'integration',
  group: 'Things',
  summary: 'Make a thing',
  description: 'It is made.',
  body: Type.Object({ name: Type.String({ maxLength: 10 }) }),
  bodyExample: { name: 'x' },
  answers: {
    200: { description: 'Made.', schema: Type.Object({ id: Type.String() }), example: { id: 'x' } },
    402: { description: 'Declined.', schema: Type.Array(Type.Object({})), example: [] },
    503: {
      description: 'Closed.',
      schema: Type.Object({ closed: Type.Boolean() }),
      example: { closed: true },
    },
  },
});

const LOG_IN = contract({
  id: 'logIn',
  method: 'POST',
  path: '/login',
  api: 'gateway',
  scope: null,
  group: 'Login',
  summary: 'Log in',
  body: Type.Object({ name: Type.String() }),
  bodyExample: { name: 'x' },
  errorBody: ({ description }) => ({ message: description }),
  answers: {
    200: { description: 'In.', schema: Type.Object({ message: Type.String() }), example: { message: 'x' } },
    400: { description: 'Bad.', schema: Type.Object({ message: Type.String() }), example: { message: 'x' } },
    401: { description: 'No.', schema: Type.Object({ message: Type.String() }), example: { message: 'x' } },
  },
});

const LOOK = contract({
  id: 'look',
  method: 'GET',
  path: '/look',
  api: 'operations',
  scope: null,
  group: 'Operations',
  summary: 'Look',
  answers: { 200: { description: 'A page.', contentType: 'text/html' } },
});

test('an endpoint gets the errors of its kind and no others', () => {
  const statuses = (declared: unknown) => Object.keys(operationOf(declared).responses).map(Number);
  assert.deepEqual(statuses(READ), [200, 400, 401, 403, 404, 429, 500, 503]);
  assert.deepEqual(statuses(LIST), [200, 400, 401, 429, 500, 503]);
  assert.deepEqual(statuses(MAKE), [200, 400, 401, 402, 403, 413, 415, 429, 500, 503]);
  assert.deepEqual(statuses(LOOK), [200, 400, 429, 500, 503]);
});

test('paths, groups and operations are those of the endpoints', () => {
  const { paths, tags } = print([READ, LIST, MAKE, LOOK]);
  assert.deepEqual(Object.keys(paths), ['/v1/things/{thingId}', '/v1/things', '/look']);
  assert.equal(paths['/v1/things']?.get?.operationId, 'listThings');
  assert.equal(paths['/v1/things']?.post?.operationId, 'makeThing');
  assert.deepEqual(tags, [
    { name: 'Things', description: 'What there is.' },
    { name: 'Operations', description: 'For operators.' },
  ]);
});

test('two endpoints at one place are a mistake', () => {
  assert.throws(() => print([READ, { ...READ, id: 'other' }]), /declared twice/);
});

test('parameters report their place, their need and their limits', () => {
  assert.deepEqual(operationOf(READ).parameters, [
    {
      name: 'thingId',
      in: 'path',
      required: true,
      description: 'Which.',
      example: 'x',
      schema: { type: 'string', maxLength: 36 },
    },
  ]);
  assert.deepEqual(operationOf(LIST).parameters, [
    { name: 'page', in: 'query', required: true, schema: { type: 'integer', minimum: 1, maximum: 9 } },
    { name: 'name', in: 'query', schema: { pattern: '\\S', type: 'string' } },
  ]);
});

test('a body is required and has its example', () => {
  const { requestBody } = operationOf(MAKE);
  assert.equal(requestBody?.required, true);
  assert.deepEqual(requestBody?.content['application/json']?.example, { name: 'x' });
});

test('malformed requests are shown with what the endpoint really answers', () => {
  assert.deepEqual(invalidExample(MAKE), [{ tag: 'name', description: 'Campo obrigatório.' }]);
  assert.deepEqual(invalidExample(LIST), [{ tag: 'page', description: 'Campo informado mais de uma vez.' }]);
  assert.deepEqual(operationOf(MAKE).responses[400], { $ref: '#/components/responses/Invalid' });
  assert.deepEqual(operationOf(LOOK).responses[400], { $ref: '#/components/responses/MalformedAddress' });
});

test('what several operations have alike stands once, and what differs has another name', () => {
  const description = 'Which of all the things that there are, as it is named in what made it.';
  const reading = (id: string, path: string, words: string) => ({
    ...READ,
    id,
    path,
    parameters: Type.Object({ thingId: Type.String({ description: words }) }),
    answers: { 402: { description, schema: Type.String(), example: `${description} ${words}` } },
  });
  const { paths, components } = print([
    reading('readOne', '/one/{thingId}', description),
    reading('readOther', '/other/{thingId}', description),
    reading('readThird', '/third/{thingId}', `${description} Of the third kind.`),
    reading('readFourth', '/fourth/{thingId}', `${description} Of the third kind.`),
    reading('readLast', '/last/{thingId}', 'Which.'),
  ]);
  const [one, other, third, fourth, last] = Object.values(paths).map((methods) => methods.get as Operation);
  assert.deepEqual(one?.parameters, [{ $ref: '#/components/parameters/thingId' }]);
  assert.deepEqual(other?.parameters, one?.parameters);
  assert.deepEqual(third?.parameters, [{ $ref: '#/components/parameters/readThird.thingId' }]);
  assert.deepEqual(fourth?.parameters, third?.parameters);
  assert.equal(last?.parameters?.[0]?.name, 'thingId');
  assert.equal(components.parameters.thingId?.description, description);
  assert.equal(components.parameters['readThird.thingId']?.description, `${description} Of the third kind.`);
  assert.deepEqual(one?.responses[402], { $ref: '#/components/responses/readOne402' });
  assert.deepEqual(other?.responses[402], one?.responses[402]);
  assert.deepEqual(components.responses.readOne402?.content?.['application/json'], {
    schema: { type: 'string' },
    example: `${description} ${description}`,
  });
});

test('an answer of its own whose status the server gives too may have either body', () => {
  const { description, content, headers } = operationOf(MAKE).responses[503] ?? {};
  assert.match(description ?? '', /^Closed\. Or: /);
  assert.deepEqual(Object.keys(headers ?? {}), ['X-Request-Id', 'Retry-After']);
  const { anyOf } = (content?.['application/json']?.schema ?? {}) as { anyOf?: unknown[] };
  assert.deepEqual(anyOf?.[1], { $ref: '#/components/schemas/Problems' });
});

test('a login has errors in its own shape', () => {
  const { responses, security } = operationOf(LOG_IN);
  assert.deepEqual(security, []);
  for (const status of ['400', '401']) {
    const schema = responses[status]?.content?.['application/json']?.schema as { type?: string } | undefined;
    assert.equal(schema?.type, 'object');
  }
});

test('a token is asked for by scope', () => {
  assert.deepEqual(operationOf(READ).security, [{ bearer: ['gateway'] }]);
  assert.deepEqual(operationOf(LIST).security, [{ bearer: [] }]);
  assert.deepEqual(operationOf(LOOK).security, []);
});

test('what exists only in homologation says so', () => {
  assert.equal(operationOf(LIST)['x-homologation-only'], true);
  assert.match(operationOf(LIST).description ?? '', /homologation/);
  assert.equal(operationOf(MAKE)['x-homologation-only'], undefined);
});

test('an answer that is no JSON reports its type', () => {
  assert.deepEqual(operationOf(LOOK).responses[200]?.content, {
    'text/html': { schema: { type: 'string' } },
  });
});

test('APIs at one address are one server; apart, every operation says where it is', () => {
  assert.deepEqual(
    print([READ, LIST]).servers.map(({ url }) => url),
    ['/'],
  );
  const apart = print([READ, LIST, LOOK], { gateway: '/gateway', integration: '/other' });
  assert.deepEqual(
    apart.servers.map(({ url }) => url),
    ['/gateway', '/other'],
  );
  const serversAt = (path: string) => apart.paths[path]?.get?.servers?.map(({ url }) => url);
  assert.deepEqual(serversAt('/v1/things/{thingId}'), ['/gateway']);
  assert.deepEqual(serversAt('/v1/things'), ['/other']);
  assert.deepEqual(serversAt('/look'), ['/']);
});

test('schemas are printed in words that any reader knows', () => {
  assert.deepEqual(printSchema(Type.Enum(['a', 'b'])), { type: 'string', enum: ['a', 'b'] });
  assert.deepEqual(printSchema(Type.Union([Type.String(), Type.Null()])), { type: ['string', 'null'] });
  assert.deepEqual(printSchema(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])), {
    type: ['string', 'null'],
    maxLength: 3,
  });
  assert.deepEqual(printSchema(Type.String({ description: 'Which.', format: 'guid' })), {
    type: 'string',
    format: 'uuid',
    description: 'Which. Must be a GUID.',
  });
  assert.deepEqual(
    printSchema(Type.Unsafe({ exactDecimal: { integerDigits: 12, decimals: 6 }, description: 'Price.' })),
    {
      type: 'number',
      minimum: 0,
      exclusiveMaximum: 1_000_000_000_000,
      multipleOf: 0.000001,
      description: 'Price. Up to 12 integer digits and 6 decimals, kept digit for digit.',
    },
  );
  assert.deepEqual(
    printSchema(Type.Object({ list: Type.Optional(Type.Array(Type.Integer(), { maxItems: 2 })) })),
    {
      type: 'object',
      properties: { list: { type: 'array', maxItems: 2, items: { type: 'integer', format: 'int64' } } },
    },
  );
});

test('each rule of a format is printed, and what no pattern can say has an example', () => {
  for (const [name, { pattern, sentPattern, standard, never, also }] of Object.entries(FORMATS)) {
    const printed = printSchema(Type.String({ format: name })) as Record<string, unknown>;
    const isTyped = standard !== undefined && standard !== 'uri';
    assert.equal(printed.pattern, isTyped ? undefined : pattern);
    assert.deepEqual(printed.not, never === undefined ? undefined : { type: 'string', pattern: never });
    const read = printSchema(Type.String({ format: name, reads: 'document' })) as Record<string, unknown>;
    if (sentPattern !== undefined) assert.equal(read.pattern, sentPattern);
    // The meaning of a typed format is known; agree.test.ts refuses rules beyond it.
    if (also === undefined || isTyped) continue;
    const { example = '' } = also;
    assert.deepEqual(printed.examples, [example]);
    assert.match(example, new RegExp(String(read.pattern), 'u'));
    assert.ok(isOfFormat(name)(example.replaceAll(name === 'cpfOrCnpj' ? /[.-]/g : /^$/g, '')));
  }
});

test('what generators make typed values of says how large it is, and has no length', () => {
  const integer = (maximum: number) => printSchema(Type.Integer({ maximum })).format;
  assert.deepEqual([integer(2_147_483_647), integer(2_147_483_648)], [undefined, 'int64']);
  for (const format of ['guid', 'day'])
    assert.deepEqual(
      Object.keys(printSchema(Type.String({ format, minLength: 1, maxLength: 36 }))).filter((word) =>
        /Length|pattern/.test(word),
      ),
      [],
    );
  assert.equal(printSchema(Type.String({ format: 'webAddress', maxLength: 36 })).maxLength, 36);
});

test('a number of so many digits has its greatest value, and is a multiple', () => {
  const percent = { exactDecimal: { integerDigits: 3, decimals: 2, maximum: 100 } };
  assert.deepEqual(printSchema(Type.Unsafe(percent)), {
    type: 'number',
    minimum: 0,
    maximum: 100,
    multipleOf: 0.01,
    description: '0 to 100, up to 2 decimals.',
  });
  const findFaults = schemaCheck(Type.Object({ percent: Type.Unsafe(percent) }));
  for (const good of [0, 99.99, 100]) assert.deepEqual(findFaults({ percent: good }), []);
  for (const bad of [100.01, 101, 0.001, -1]) assert.equal(findFaults({ percent: bad }).length, 1);
});

test('where null stands for what is absent, the type says so; where it does not, it does not', () => {
  const schema = Type.Object({
    name: Type.String(),
    amount: Type.Optional(Type.Integer()),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
    inside: Type.Optional(Type.Object({ note: Type.Optional(Type.String()) })),
  });
  const printed = (sent: 'lenient' | 'exact') =>
    JSON.parse(JSON.stringify(printSchema(schema, undefined, [], sent)));
  const { name, amount, kind, inside } = printed('lenient').properties;
  assert.equal(name.type, 'string');
  assert.deepEqual(amount.type, ['integer', 'null']);
  assert.deepEqual(
    [kind.type, kind.enum],
    [
      ['string', 'null'],
      ['a', 'b', null],
    ],
  );
  assert.deepEqual(
    [inside.type, inside.properties.note.type],
    [
      ['object', 'null'],
      ['string', 'null'],
    ],
  );
  assert.equal(printed('lenient').additionalProperties, undefined);
  const exact = printed('exact');
  assert.equal(exact.properties.amount.type, 'integer');
  assert.deepEqual(
    [exact.additionalProperties, exact.properties.inside.additionalProperties],
    [false, false],
    'no field is dropped unread',
  );
});

test('a field called like a keyword stays a field', () => {
  const schema = Type.Object({ format: Type.String(), enum: Type.String(), description: Type.String() });
  assert.deepEqual(Object.keys(printSchema(schema).properties as object), ['format', 'enum', 'description']);
});
