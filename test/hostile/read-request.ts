import { type Caller, type Contract, SCOPES } from '../../src/platform/http/endpoint.ts';
import type { Language } from '../../src/platform/http/sentence.ts';
import { parseQuery, type RequestReader, requestReader } from '../../src/platform/requests/request-reader.ts';
import { readExactJson } from '../../src/values/exact-json.ts';
import type { Reply } from '../kit/merchant.ts';
import { type FieldSchema, sampleOf } from './cases/fields.ts';
import { treeOf } from './cases/json-tree.ts';
import { languageFaults, refusalComplaints } from './judge.ts';
import { bytesOf, pathOf, type WireRequest } from './wire.ts';

/**
 * What a service says of a request's shape follows from its contract alone: here the readers that stand
 * behind every endpoint judge it without a service.
 */

/** The merchant of the examples. */
const CALLER: Caller = {
  merchantId: '01700555550000',
  credentialId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  userName: '01700555550000-ab12cd',
  accountNumber: '1000001',
  scopes: SCOPES,
  softDescriptor: null,
  tokenId: 'token',
};

/** Filters that a request cannot have beside the others. */
const NOT_BESIDE: Readonly<Record<string, readonly string[]>> = {
  listPayments: ['format', 'method', 'isPartlyReturned'],
  listBoletos: ['limit'],
};

/** The published example, with a sample of every parameter of the query. */
export function exampleRequest(endpoint: Contract): WireRequest {
  const { properties = {} } = (endpoint.query ?? {}) as FieldSchema;
  const filters = Object.entries(properties).filter(
    ([name]) => NOT_BESIDE[endpoint.id]?.includes(name) !== true,
  );
  return {
    endpoint,
    parameters: {},
    query: filters.map(([name, schema]) => [name, encodeURIComponent(String(sampleOf(schema)))] as const),
    ...(endpoint.body === undefined ? {} : { body: treeOf(endpoint.bodyExample) }),
    token: null,
    headers: {},
  };
}

const readers = new WeakMap<Contract, RequestReader>();

/** What would be answered: 200 stands for whatever the operation says. */
export function readReply(request: WireRequest, language: Language = 'pt'): Reply {
  const { endpoint } = request;
  const read = readers.getOrInsertComputed(endpoint, requestReader);
  const [, query = ''] = pathOf(request).split('?');
  const caller = endpoint.scope === null ? null : CALLER;
  const reading = read(bytesOf(request) ?? undefined, parseQuery(query), caller, readExactJson);
  if (reading.ok) return { status: 200, headers: new Headers(), text: '', body: undefined };
  const errors = reading.faults.map(({ tag, sentence }) => ({ tag, description: sentence[language] }));
  const [first = { tag: '', description: '' }] = errors;
  const body = endpoint.errorBody === undefined ? errors : endpoint.errorBody(first);
  return { status: 400, headers: new Headers(), text: JSON.stringify(body), body };
}

/** What is wrong with a refusal whatever was asked: its words, its language, and what it repeats. */
export function readingComplaints(request: WireRequest, reply: Reply): string[] {
  if (reply.status === 200) return [];
  return [...refusalComplaints(request, reply), ...languageFaults(request, reply, readReply(request, 'en'))];
}

/** So many sentences are read by nobody. */
const MOST_COMPLAINTS = 40;

/** Throws with the first of them. */
export function assertNoComplaints(complaints: readonly string[]): void {
  if (complaints.length === 0) return;
  throw new Error(`${complaints.length} complaints:\n${complaints.slice(0, MOST_COMPLAINTS).join('\n')}`);
}
