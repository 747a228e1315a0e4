import type { Contract } from '../../src/platform/http/endpoint.ts';
import { assertDescribed, type Reply } from '../kit/merchant.ts';
import type { HostileCase } from './cases/field-cases.ts';
import { type FieldSchema, fieldsOf } from './cases/fields.ts';
import { textsOf } from './cases/json-tree.ts';
import { described, methodOf, pathOf, send, type WireRequest } from './wire.ts';

type WireErrors = readonly { readonly tag: string; readonly description: string }[];

/** What the answer says is wrong. A login names the field at the head of its message, and only the first. */
function errorsOf({ body }: Reply): WireErrors {
  if (Array.isArray(body)) return body as WireErrors;
  if (typeof body?.message !== 'string') return [];
  const [, tag = '', description] = /^(?:(\w+): )?(.*)$/s.exec(body.message) ?? [];
  return [{ tag, description: description ?? '' }];
}

/** What was asked for was done. */
export const isDone = (status: number) => status === 200 || status === 201;

/** What the service may answer to anybody who is known and asks for anything at all, slowly enough. */
const ALLOWED = [200, 201, 400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 431];

/** What is wrong with an answer whatever was asked; nothing when all is well. */
export function generalComplaints(request: WireRequest, reply: Reply): string[] {
  const complaints: string[] = [];
  if (!ALLOWED.includes(reply.status) && !isPendingCancel(request.endpoint, reply))
    complaints.push(`status ${reply.status}: ${reply.text.slice(0, 300)}`);
  try {
    if (!isHttpFault(reply) && !isOfNoPath(request, reply))
      assertDescribed(methodOf(request), plainPath(request), reply);
  } catch (error) {
    complaints.push((error as Error).message);
  }
  for (const name of ['cache-control', 'x-content-type-options', 'x-request-id']) {
    if (!reply.headers.get(name)) complaints.push(`the answer has no ${name}`);
  }
  if (reply.status < 400 || methodOf(request) === 'HEAD') return complaints;
  return [...complaints, ...refusalComplaints(request, reply)];
}

/** What is wrong with the words of a refusal; nothing when all is well. */
export function refusalComplaints(request: WireRequest, reply: Reply): string[] {
  return [...errorComplaints(reply), ...reflections(request, reply)];
}

/** A path whose escapes cannot be read is that of no endpoint, whatever stands around them. */
function isOfNoPath(request: WireRequest, { status }: Reply): boolean {
  return /%(?![0-9a-f]{2})/i.test(pathOf(request)) && (status === 401 || status === 404);
}

/** `/%68ealth#x` is another spelling of `/health`: the description knows the plain one. */
function plainPath(request: WireRequest): string {
  const [path = ''] = pathOf(request).split('#');
  return path.replace(/%([46][1-9a-f]|[57][0-9a])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/**
 * What is no HTTP is refused before anybody knows which endpoint was meant; no description of one
 * can name it. The answer to `HEAD` has no body.
 */
function isHttpFault({ status, headers, body, text }: Reply): boolean {
  const isNameless = text === '' || body?.[0]?.tag === '';
  return status === 400 && headers.get('connection') === 'close' && isNameless;
}

function errorComplaints(reply: Reply): string[] {
  if (reply.status === 401 && reply.text === '') return [];
  // What a browser opens says in words that there is no such thing.
  if (reply.status === 404 && reply.headers.get('content-type')?.startsWith('text/html')) return [];
  const errors = errorsOf(reply);
  if (errors.length === 0 || errors.length > 100)
    return [`${errors.length} errors: ${reply.text.slice(0, 200)}`];
  return errors
    .filter(({ description }) => typeof description !== 'string' || description.trim() === '')
    .map(({ tag }) => `the error of "${tag}" has no description`);
}

const SHORTEST_REFLECTION = 6;

/** A refusal may show the names that were sent, in its tags, and nothing else of the request. */
function reflections(request: WireRequest, reply: Reply): string[] {
  const reported = errorsOf(reply).map(({ tag: _, ...rest }) => rest);
  const answered = JSON.stringify(reported) + JSON.stringify([...reply.headers]);
  const ours = ownWords(request);
  const sent = [
    ...(request.body === undefined ? [] : textsOf(request.body)),
    ...request.query.map(([, value]) => value),
    ...Object.values(request.parameters),
  ];
  return sent
    .filter((text) => text.length >= SHORTEST_REFLECTION && !ours.has(text.trim()))
    .filter((text) => answered.includes(JSON.stringify(text).slice(1, -1)))
    .map((text) => `the answer repeats ${JSON.stringify(text.slice(0, 80))}: ${reply.text.slice(0, 300)}`);
}

/** The words that the contract itself has, which an answer may name in either language. */
const ownWords = ({ endpoint }: WireRequest): ReadonlySet<string> =>
  wordsOfEndpoints.getOrInsertComputed(
    endpoint,
    () => new Set(fieldsOf(endpoint).flatMap(({ schema }) => wordsOf(schema))),
  );
const wordsOfEndpoints = new WeakMap<Contract, ReadonlySet<string>>();

const wordsOf = ({ enum: words = [], const: word = '', minimum, maximum, items }: FieldSchema): string[] => [
  ...[...words, word, minimum ?? '', maximum ?? ''].map(String),
  ...(items === undefined ? [] : wordsOf(items)),
];

const ENGLISH = /\b(the|must|is|are|has|was|not|needs?|malformed|allowed)\b/i;
const PORTUGUESE = /[ãõçéêáíóúâ]|\b(deve|ser|um|uma|campo|não|valor)\b/i;

/** Sends a refused request once more, in English: the same faults, in the other language. */
export async function languageComplaints(
  baseUrl: string,
  request: WireRequest,
  reply: Reply,
): Promise<string[]> {
  if (errorsOf(reply).length === 0 || isHttpFault(reply)) return [];
  const headers = { ...request.headers, 'accept-language': 'en-US,en;q=0.9' };
  return languageFaults(request, reply, await send(baseUrl, { ...request, headers }));
}

/** Where the English answer to a request does not say the same in its language as the Portuguese one. */
export function languageFaults(request: WireRequest, reply: Reply, english: Reply): string[] {
  const portuguese = errorsOf(reply);
  const errors = errorsOf(english);
  const isSame =
    english.status === reply.status &&
    errors.map(({ tag }) => tag).join() === portuguese.map(({ tag }) => tag).join();
  if (!isSame) return [`in English another answer: ${english.status} ${english.text.slice(0, 300)}`];
  const ours = [...ownWords(request)].filter((word) => word !== '');
  const rest = (text: string) => ours.reduce((kept, word) => kept.replaceAll(word, ''), text);
  const isWrong =
    errors.some(({ description }) => PORTUGUESE.test(rest(description))) ||
    portuguese.some(({ description }) => ENGLISH.test(rest(description))) ||
    errors.some(({ description }, index) => description === portuguese[index]?.description);
  return isWrong ? [`not in its language: ${reply.text} ${english.text}`.slice(0, 400)] : [];
}

/** What an error says when the shape of a field is wrong by itself. */
const SHAPE =
  /^(Deve (ser|ter|conter) |Campo obrigatório|Campo informado|Não pode ficar em branco|Valor inválido)/;

/** The acquirer decides it later, as another case may have it answer next. */
export const isPendingCancel = ({ id }: Contract, { status }: Pick<Reply, 'status'>): boolean =>
  status === 202 && id === 'cancelPayment';

/** Where the answer is not what the case says that it must be. */
export function verdictComplaints(
  { verdict }: HostileCase,
  { endpoint }: WireRequest,
  reply: Reply,
): string[] {
  const tags = errorsOf(reply).map(({ tag }) => tag);
  // A login answers no paths: what is wrong inside one of its fields, which are all texts, is
  // reported without a name.
  const namesPaths = endpoint.errorBody === undefined;
  const reported = `${reply.status} ${reply.text.slice(0, 300)}`;
  switch (verdict.kind) {
    case 'accepted':
      return isDone(reply.status) || isPendingCancel(endpoint, reply) ? [] : [`not accepted: ${reported}`];
    case 'status':
      return verdict.statuses.includes(reply.status)
        ? []
        : [`not ${verdict.statuses.join(' or ')}: ${reported}`];
    case 'fits': {
      const isBlamed = errorsOf(reply).some(
        ({ tag, description }) => tag === verdict.tag && SHAPE.test(description),
      );
      return reply.status === 400 && isBlamed ? [`${verdict.tag} fits, and is blamed: ${reported}`] : [];
    }
    case 'names': {
      const isWithin = (tag: string) => (namesPaths ? isInside(tag, verdict.tag) : tag === '');
      const isNamed = tags.some((tag) => tag === verdict.tag || (verdict.orInside && isWithin(tag)));
      return reply.status === 400 && isNamed ? [] : [`not a 400 that names ${verdict.tag}: ${reported}`];
    }
    case 'breaksIn': {
      const isNear = tags.some((tag) => tag === verdict.tag || tag === '' || isInside(verdict.tag, tag));
      return reply.status === 400 && isNear ? [] : [`not a 400 at or around "${verdict.tag}": ${reported}`];
    }
    case 'asWithout':
      return [];
  }
}

const isInside = (tag: string, outer: string): boolean =>
  outer === '' || tag.startsWith(`${outer}.`) || tag.startsWith(`${outer}[`);

/** Where two answers differ that must say the same. */
export function differences(one: Reply, other: Reply): string[] {
  const reported = ({ status, text }: Reply) => `${status} ${status < 300 ? '' : text}`;
  return reported(one) === reported(other)
    ? []
    : [`${reported(one)} is not ${reported(other)}`.slice(0, 500)];
}

export const complaintAbout = (name: string, request: WireRequest, complaint: string): string =>
  `${request.endpoint.id}: ${name}: ${complaint}\n    ${described(request)}`;
