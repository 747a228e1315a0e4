import type { TObject, TSchema } from 'typebox';
import { readExactJson } from '../../values/exact-json.ts';
import type { Contract } from '../http/endpoint.ts';
import { FAILURES, type Failure, forbiddenScope, malformedJsonAt } from '../http/failures.ts';
import { namedUnion, nameOf } from '../http/named.ts';
import { PROBLEMS } from '../http/refusal.ts';
import { REQUIRED } from '../http/schema-faults.ts';
import type { Sentence } from '../http/sentence.ts';
import { JSON_FAULTS, requestReader } from '../requests/request-reader.ts';
import { IDEMPOTENCY_KEY, PUBLISHED_HEADERS } from './catalogue.ts';
import {
  COMMON_ANSWERS,
  type CommonStatus,
  commonDescription,
  commonStatuses,
  INVALID_DESCRIPTION,
  type SharedStatus,
} from './common-answers.ts';
import { type Printing, printingIn, printObjects, printParameters, printSchema } from './json-schema.ts';
import { printLinks } from './links.ts';
import { type MessageContract, parameterNamed, printMessageHeaders, printMessages } from './messages.ts';
import { type Document, shareParts } from './shared-parts.ts';
import { AS_DECLARED, type Wording } from './wording.ts';

export type ApiInfo = {
  readonly title: string;
  readonly version: string;
  readonly description: Sentence;
};

/** Each API's path on the document's own host (`/`, `/gateway`), or a whole address. */
export type ServerUrls = { readonly gateway: string; readonly integration: string };

export const ROOT_URLS: ServerUrls = { gateway: '/', integration: '/' };

type Json = Record<string, unknown>;

export type Described = {
  readonly info: ApiInfo;
  readonly endpoints: readonly Contract[];
  readonly messages: readonly MessageContract[];
  readonly groups: Readonly<Record<string, string>>;
  readonly serverUrls: ServerUrls;
  /** Precedes the paths of servers: `https://gateway.example`. Absent: relative to the document's address. */
  readonly origin?: string;
};

export function openApiDocument(
  { endpoints, messages, info, groups, serverUrls, origin = '' }: Described,
  wording: Wording = AS_DECLARED,
): object {
  const { say, pick } = wording;
  const printing = printingIn(wording);
  const paths = printPaths({ endpoints, serverUrls, origin }, printing);
  const webhooks = printMessages(messages, printing);
  const responses = Object.fromEntries([
    [MALFORMED_ADDRESS, printInvalid({ example: OF_ADDRESS }, printing)],
    [INVALID, printInvalid({ examples: EXAMPLES_OF_INVALID }, printing)],
    ...Object.values(COMMON_ANSWERS).map(({ name, failure }) => [name, printFailure(failure, printing)]),
  ]);
  const shown = [...new Set([...endpoints, ...messages].map(({ group }) => group))];
  const document = {
    openapi: '3.1.1',
    info: {
      ...info,
      description: pick(info.description),
      contact: { name: say('The operator of this installation') },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: printServers(serverUrls, origin, wording),
    tags: shown.map((name) => ({ name: say(name), description: say(groups[name] ?? name) })),
    security: [{ bearer: [] }],
    paths,
    ...(messages.length === 0 ? {} : { webhooks }),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: say('The accessToken of a login. A token of one API is not taken by the other.'),
        },
      },
      parameters: {
        [IDEMPOTENCY_KEY.name]: { ...IDEMPOTENCY_KEY, description: say(IDEMPOTENCY_KEY.description) },
        ...(messages.length === 0 ? {} : printMessageHeaders(wording)),
      },
      headers: printHeaders(wording),
      responses,
      schemas: printObjects(printing),
    },
  };
  shareParts(document as Document);
  return document;
}

const SERVER_NAMES = {
  both: 'Gateway API and other APIs',
  gateway: 'Gateway API',
  integration: 'Other APIs',
};

function printHeaders({ say }: Wording): Json {
  const headers = Object.entries(PUBLISHED_HEADERS);
  return Object.fromEntries(
    headers.map(([name, header]) => [name, { ...header, description: say(header.description) }]),
  );
}

function printPaths(around: Around, printing: Printing): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of around.endpoints) {
    const { path } = endpoint;
    const method = endpoint.method.toLowerCase();
    paths[path] ??= {};
    if (paths[path][method] !== undefined) throw new Error(`${endpoint.method} ${path} is declared twice`);
    paths[path][method] = printOperation(endpoint, around, printing);
  }
  return paths;
}

type Around = Required<Pick<Described, 'endpoints' | 'serverUrls' | 'origin'>>;

function printOperation(endpoint: Contract, around: Around, printing: Printing): Json {
  const { say } = printing;
  const { id, group, summary, body, bodyExample, scope } = endpoint;
  const parameters = [
    ...printParameters('path', endpoint.parameters, printing, endpoint),
    ...printParameters('query', endpoint.query, printing, endpoint),
    ...(endpoint.isRepeatable ? [parameterNamed(IDEMPOTENCY_KEY.name)] : []),
  ];
  const description = descriptionOf(endpoint, printing);
  return {
    operationId: id,
    tags: [say(group)],
    summary: say(summary),
    ...(description === '' ? {} : { description }),
    ...(endpoint.homologationOnly ? { 'x-homologation-only': true } : {}),
    ...serversOf(endpoint, around, printing),
    security: scope === null ? [] : [{ bearer: scope === 'any' ? [] : [scope] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: endpoint.isBodyOptional !== true,
            content: printContent(
              printSchema(body, printing, [id], endpoint.isExact === true ? 'exact' : 'lenient'),
              bodyExample,
            ),
          },
        }),
    responses: printAnswers(endpoint, around, printing),
  };
}

function printServers({ gateway, integration }: ServerUrls, origin: string, { say }: Wording): Json[] {
  const at = (url: string) => serverAt(url, origin);
  if (gateway === integration) return [{ url: at(gateway), description: say(SERVER_NAMES.both) }];
  return [
    { url: at(gateway), description: say(SERVER_NAMES.gateway) },
    { url: at(integration), description: say(SERVER_NAMES.integration) },
  ];
}

/** Operation paths begin with a slash, so an address ends without one. */
function serverAt(url: string, origin: string): string {
  if (!url.startsWith('/') || origin === '') return url;
  return `${origin}${url}`.replace(/\/$/, '');
}

/**
 * The servers of an operation. Printed only if the APIs are not both at the root, where health and documents
 * always are.
 */
function serversOf({ api }: Contract, { serverUrls, origin }: Around, { say }: Wording): Json {
  const { gateway, integration } = serverUrls;
  const at = (url: string) => serverAt(url, origin);
  if (gateway === ROOT_URLS.gateway && integration === ROOT_URLS.integration) return {};
  const all = {
    gateway: [{ url: at(gateway), description: say(SERVER_NAMES.gateway) }],
    integration: [{ url: at(integration), description: say(SERVER_NAMES.integration) }],
    operations: [{ url: at('/'), description: say('Operations') }],
  };
  return { servers: api === 'either' ? [...all.gateway, ...all.integration] : all[api] };
}

/** The description of an operation, behind the notes of its contract's flags. */
function descriptionOf({ homologationOnly, description }: Contract, { say }: Wording): string {
  const only = homologationOnly ? say('Only in homologation.') : '';
  return [only, description === undefined ? '' : say(description)].filter(Boolean).join(' ');
}

function printAnswers(endpoint: Contract, { endpoints }: Around, printing: Printing): Json {
  const { say } = printing;
  const { id, isRepeatable } = endpoint;
  const answers: Record<number, Json> = {};
  for (const [status, answer] of Object.entries(endpoint.answers)) {
    const { description, schema, example, contentType, headers: own = [] } = answer;
    const content =
      schema === undefined && contentType === undefined
        ? {}
        : {
            content: printContent(
              schema === undefined ? TEXT : printSchema(schema, printing, [id]),
              example,
              contentType,
            ),
          };
    const headers = Object.assign(
      headersOf(Number(status), isRepeatable),
      isRepeatable ? REPLAYED : {},
      ...own.map(headerNamed),
    );
    if (answer.csvExample !== undefined)
      Object.assign(content.content ?? {}, printContent(TEXT, answer.csvExample, 'text/csv'));
    if (answer.ndjsonExample !== undefined)
      Object.assign(content.content ?? {}, printContent(TEXT, answer.ndjsonExample, 'application/x-ndjson'));
    answers[Number(status)] = {
      description: say(description),
      headers,
      ...content,
      ...printLinks(answer, endpoints),
    };
  }
  for (const status of commonStatuses(endpoint)) {
    const declared = answers[status];
    if (declared === undefined) {
      answers[status] =
        status === 400
          ? answerNamed(isOfAddressAlone(endpoint) ? MALFORMED_ADDRESS : INVALID)
          : answerNamed(COMMON_ANSWERS[status].name);
    } else if (endpoint.errorBody === undefined && status !== 401) {
      answers[status] = withProblems(declared, endpoint.answers[status]?.schema, status, printing);
    }
  }
  return answers;
}

const answerNamed = (name: string) => ({ $ref: `#/components/responses/${name}` });
const headerNamed = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });
const REPLAYED = { 'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' } };
const TEXT = { type: 'string' };

/** For a status that both the endpoint and the server use: either body may come. */
function withProblems(
  declared: Json,
  schema: TSchema | undefined,
  status: CommonStatus,
  printing: Printing,
): Json {
  const { say } = printing;
  const description = `${declared.description} ${say('Or:')} ${say(commonDescription(status))}`;
  if (schema === undefined || isOfProblems(schema)) return { ...declared, description };
  const { content } = declared as { content: { 'application/json': { schema: Json; example?: unknown } } };
  const { schema: own, example } = content['application/json'];
  const name = nameOf(schema);
  const either =
    name === undefined
      ? { anyOf: [own, printSchema(PROBLEMS, printing)] }
      : printSchema(namedUnion(`${name}OrProblems`, [schema, PROBLEMS]), printing);
  const merged = { schema: either, example };
  return { ...declared, description, content: { 'application/json': merged } };
}

function isOfProblems(schema: TSchema): boolean {
  const { items } = schema as { readonly items?: TObject };
  const { tag } = (items?.properties ?? {}) as Record<string, { type?: string } | undefined>;
  return (
    tag?.type === 'string' &&
    items?.required?.every((name) => name === 'tag' || name === 'description') === true
  );
}

function printFailure(failure: Failure | null, printing: Printing): Json {
  const status = failure === null ? 401 : (FAILURES[failure].status as SharedStatus);
  const description = printing.say(COMMON_ANSWERS[status].description);
  const headers = headersOf(status, true);
  if (failure === null) return { description, headers };
  const { tag, sentence } = failure === 'forbiddenScope' ? forbiddenScope('gateway') : FAILURES[failure];
  const example = [{ tag, description: sentence.pt }];
  return { description, headers, content: printContent(printSchema(PROBLEMS, printing), example) };
}

function printInvalid(shown: Json, printing: Printing): Json {
  const schema = printSchema(PROBLEMS, printing);
  return {
    description: printing.say(INVALID_DESCRIPTION),
    headers: headersOf(400),
    content: { 'application/json': { schema, ...shown } },
  };
}

const problemOf = (tag: string, { pt }: Sentence) => ({ tag, description: pt });

/** For operations whose only possible fault is a malformed URL. */
const MALFORMED_ADDRESS = 'MalformedAddress';
const { tag, sentence } = FAILURES.malformedUrl;
const OF_ADDRESS = [problemOf(tag, sentence)];

/** For all other operations. Their schemas describe their fields. */
const INVALID = 'Invalid';
const EXAMPLES_OF_INVALID = {
  field: { value: [problemOf('customer.email', REQUIRED)] },
  parameter: { value: [problemOf('page', JSON_FAULTS.duplicateKey)] },
  body: { value: [problemOf('', malformedJsonAt({ line: 1, column: 2 }))] },
};

const isOfAddressAlone = (endpoint: Contract) =>
  JSON.stringify(invalidExample(endpoint)) === JSON.stringify(OF_ADDRESS);

const MOST_EXAMPLE_FAULTS = 3;

/** The real answer to an empty object (or half a one), a repeated query parameter, or a broken URL. */
export function invalidExample(endpoint: Contract): { tag: string; description: string }[] {
  const [firstName] = Object.keys(endpoint.query?.properties ?? {});
  const query = firstName === undefined ? {} : { [firstName]: ['', ''] };
  const reading = requestReader(endpoint)(
    Buffer.from(endpoint.isBodyOptional ? '{' : '{}'),
    query,
    null,
    readExactJson,
  );
  const faults = reading.ok ? [FAILURES.malformedUrl] : reading.faults.slice(0, MOST_EXAMPLE_FAULTS);
  return faults.map(({ tag, sentence }) => ({ tag, description: sentence.pt }));
}

function headersOf(status: number, isRepeatable = false): Json {
  const saysWhen = status === 429 || status === 503 || (status === 409 && isRepeatable);
  return {
    ...headerNamed('X-Request-Id'),
    ...(status === 401 ? headerNamed('WWW-Authenticate') : {}),
    ...(saysWhen ? headerNamed('Retry-After') : {}),
  };
}

function printContent(schema: Json, example: unknown, type = 'application/json'): Json {
  return { [type]: example === undefined ? { schema } : { schema, example } };
}
