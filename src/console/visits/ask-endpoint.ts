import { serveOrCut } from '../../platform/http/answers.ts';
import {
  type Answer,
  type AnswerOf,
  type Caller,
  type Contract,
  CUT_CONNECTION,
  type ServedEndpoint,
} from '../../platform/http/endpoint.ts';
import { FAILURES, type failureOfHold, isReplayed } from '../../platform/http/failures.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { Log } from '../../platform/log.ts';
import { type RequestReader, requestReader } from '../../platform/requests/request-reader.ts';
import { isBlank } from '../../values/blank-text.ts';
import { readExactJson } from '../../values/exact-json.ts';
import type { Asked, Given } from '../parts/screen.ts';

export type AskTools = {
  readonly endpoints: ReadonlyMap<string, ServedEndpoint>;
  readonly readers: Map<string, RequestReader>;
  readonly log: Log;
  readonly requestDeadlineMilliseconds: number;
  /** The origin of pages for payers. Null: unknown; homologation takes the origin of each request. */
  readonly pagesOrigin: string | null;
  readonly isHomologation: boolean;
  readonly whyHeld: () => ReturnType<typeof failureOfHold>;
};

export type Asker = {
  readonly caller: Caller;
  readonly language: Language;
  readonly address: string;
  readonly requestId: string;
  readonly origin: string | null;
  /** The key under which the request acts once, even if it is sent twice. Null: the request only reads. */
  readonly onceKey: string | null;
};

/** What is said if the outcome of a write is unknown: anything else could be wrong. */
export const UNKNOWN_OUTCOME = {
  pt: 'Não se sabe o que foi feito: a resposta não veio a tempo. Consulte antes de pedir de novo.',
  en: 'It is not known what was done: no answer came in time. Look before you ask for it again.',
};

/** Calls an endpoint in this process like a caller of the API, with the same checks and answers. */
export async function askEndpoint<Declared extends Contract>(
  tools: AskTools,
  asker: Asker,
  contract: Declared,
  given: Given,
): Promise<Asked<AnswerOf<Declared>>> {
  const { language, caller, onceKey } = asker;
  const served = tools.endpoints.get(contract.id);
  if (served === undefined) throw new Error(`no endpoint ${contract.id} is served here`);
  const refuse = (status: number, tag: string, description: string) =>
    ({ ok: false, status, errors: [{ tag, description }] }) as const;
  const held = contract.method === 'GET' ? null : tools.whyHeld();
  if (held !== null) {
    const { status, tag, sentence } = FAILURES[held];
    return refuse(status, tag, sentence[language]);
  }
  const read = tools.readers.getOrInsertComputed(contract.id, () => requestReader(served.contract));
  const sent = contract.body === undefined ? undefined : Buffer.from(JSON.stringify(given.body ?? {}));
  // Forms send empty texts for empty fields.
  const query = Object.entries(given.query ?? {}).filter(([, value]) => !isBlank(value));
  const reading = read(sent, Object.fromEntries(query), caller, readExactJson);
  if (!reading.ok) {
    const errors = reading.faults.map(({ tag, sentence }) => ({ tag, description: sentence[language] }));
    return { ok: false, status: 400, errors };
  }
  const answer = await serveOrCut(tools.log, served, {
    body: reading.body,
    query: reading.query,
    parameters: given.parameters ?? {},
    idempotency:
      onceKey === null || contract.isRepeatable !== true
        ? null
        : { key: onceKey, target: `${contract.method} ${targetOf(contract, given)}` },
    caller,
    language,
    wantsCsv: false,
    isForPeople: true,
    requestId: asker.requestId,
    address: asker.address,
    origin: () => asker.origin,
    pagesOrigin: () => tools.pagesOrigin ?? (tools.isHomologation ? asker.origin : null),
    deadlineAt: performance.now() + (served.deadlineMilliseconds ?? tools.requestDeadlineMilliseconds),
  });
  if (answer === CUT_CONNECTION) return refuse(504, '', UNKNOWN_OUTCOME[language]);
  const { status } = answer;
  const body = asSent(answer);
  if (status < 300) return { ok: true, status, body: body as AnswerOf<Declared> };
  return { ok: false, status, errors: Array.isArray(body) ? body : [], isReplayed: isReplayed(answer) };
}

/**
 * The answer's body as a client parses it: exact numbers become plain ones. A PDF or a stream stays as it is.
 */
function asSent({ body, text, stream }: Answer): unknown {
  if (text !== undefined) return text.content;
  if (stream !== undefined) return stream;
  return body === undefined ? undefined : JSON.parse(JSON.stringify(body));
}

function targetOf({ path }: Contract, { parameters = {} }: Given): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name]?.toLowerCase() ?? '');
}
