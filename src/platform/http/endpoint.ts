import type { Static, TObject, TSchema } from 'typebox';
import type { Language, Sentence } from './sentence.ts';

/** The scopes of a credential (contract of the two APIs; a credential may have several). */
export type Scope = 'gateway' | 'recurrence' | 'integration';
export const SCOPES: readonly Scope[] = ['gateway', 'recurrence', 'integration'];

/**
 * The two APIs; each refuses tokens of the other. `either` takes both (homologation's tools),
 * `operations` needs none: health, documents, and the pages of boletos for their payers.
 */
export type Api = 'gateway' | 'integration' | 'either' | 'operations';

export type Caller = {
  readonly merchantId: string;
  readonly credentialId: string;
  readonly userName: string;
  /** The account of everything that this caller makes. */
  readonly accountNumber: string;
  readonly scopes: readonly Scope[];
  /** What buyers read on their statements, where the request brings nothing else. */
  readonly softDescriptor: string | null;
  /** What names the access token among those of its credential; it opens nothing. */
  readonly tokenId: string;
};

/**
 * One fault or refusal as the wire shows it. `tag` is the path of the field, a code, `__general__`
 * or ''.
 */
export type WireError = { readonly tag: string; readonly description: string };

/** A fault of the request's shape, before it is put into the caller's language. */
export type Fault = {
  readonly tag: string;
  readonly sentence: Sentence;
  /** Other fields of a rule between fields: no more faults of them are reported. */
  readonly concerns?: readonly string[];
};

/** The tag of a business rule that belongs to no one field. */
export const GENERAL_TAG = '__general__';

export type AnswerShape = {
  readonly description: string;
  /** Absent, and no content type: the body is empty. */
  readonly schema?: TSchema;
  readonly example?: unknown;
  /** Absent: JSON. */
  readonly contentType?: string;
  /** Where it is answered as CSV too, to a caller whose `Accept` prefers that: an example. */
  readonly csvExample?: string;
  /** Where it is answered as a stream of JSON objects too, one in a line: an example. */
  readonly ndjsonExample?: string;
  /** Headers of its own, by the names under which the published description explains them. */
  readonly headers?: readonly string[];
};

type Check = (body: unknown, caller: Caller | null) => Fault[];

export type Contract<
  Body extends TSchema | undefined = TSchema | undefined,
  Query extends TObject | undefined = TObject | undefined,
  Parameters extends TObject | undefined = TObject | undefined,
> = {
  /** Unique, in camelCase: the operationId of the published description. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces: `/v1/payments/{paymentId}`. */
  readonly path: string;
  readonly api: Api;
  /** Null where no token is needed (logins, health, documents). */
  readonly scope: Scope | 'any' | null;
  readonly group: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: Body;
  /** No body at all stands for an empty object. */
  readonly isBodyOptional?: boolean;
  /**
   * Gives back or takes money: an unknown field, an unknown query parameter and null are faults, for a
   * misspelt amount would mean all.
   */
  readonly isExact?: boolean;
  /** Takes the header Idempotency-Key: a repetition with the same key has no second effect. */
  readonly isRepeatable?: boolean;
  /**
   * What it writes has no effect until it is answered: it answers errors where others cut the
   * connection, because the fate of a commit is unknown.
   */
  readonly makesNothingUnanswered?: boolean;
  /** Who was answered comes back over the same connection, with a token. */
  readonly isLogin?: boolean;
  /** It is answered however many requests are served: it takes no place. */
  readonly needsNoPlace?: boolean;
  readonly bodyExample?: unknown;
  readonly query?: Query;
  readonly parameters?: Parameters;
  /**
   * By status. The printer adds the errors that every endpoint of its kind can answer (400, 401,
   * 403, 404, 413 …).
   */
  readonly answers: Readonly<Record<number, AnswerShape>>;
  /**
   * Faults that a schema cannot express (one field against another, or against the caller). Runs
   * beside the schema, so that all faults come at once: the body may be malformed in any way, only
   * unknown names were dropped. The caller is null at endpoints without a token.
   */
  readonly check?: Check;
  /** The same of the query, whose texts may be malformed in any way. */
  readonly checkQuery?: (query: Readonly<Record<string, unknown>>) => Fault[];
  /** Logins answer their errors in the shape of a login, not as an array. */
  readonly errorBody?: (error: WireError) => unknown;
  readonly homologationOnly?: boolean;
};

/** Keeps the types of the schemas for the answer, and those of its answers for a reader of them. */
export function contract<
  const Body extends TSchema | undefined = undefined,
  const Query extends TObject | undefined = undefined,
  const Parameters extends TObject | undefined = undefined,
  Answers extends Contract['answers'] = Contract['answers'],
>(
  declared: Contract<Body, Query, Parameters> & { readonly answers: Answers },
): Contract<Body, Query, Parameters> & { readonly answers: Answers } {
  return declared;
}

/** The body of the good answer of an endpoint. */
export type AnswerOf<Declared> = Declared extends {
  readonly answers: { readonly 200: { readonly schema: infer Schema extends TSchema } };
}
  ? Static<Schema>
  : unknown;

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export type Call<Body, Query, Parameters> = {
  readonly body: Body;
  readonly query: Query;
  readonly parameters: Parameters;
  /**
   * The header Idempotency-Key with the method and path that it belongs to, parameters in small
   * letters. Null without one, and where the endpoint does not take it.
   */
  readonly idempotency: { readonly key: string; readonly target: string } | null;
  /** Null at endpoints without a token. */
  readonly caller: Caller | null;
  readonly language: Language;
  /** Whether the caller prefers CSV, of an endpoint that has it. */
  readonly wantsCsv: boolean;
  /** Whether a page for people asks, which shows no total beyond `MOST_COUNTED_FOR_PEOPLE`. */
  readonly isForPeople: boolean;
  readonly requestId: string;
  /** The address of the caller; behind trusted proxies the one that they report. */
  readonly address: string;
  /** Under which scheme and host we were asked, such as `https://gateway.example`; null: not known. */
  readonly origin: () => string | null;
  /** Until when an answer must be given: monotonic milliseconds (`performance.now()`). */
  readonly deadlineAt: number;
};

export type Answer = {
  readonly status: number;
  readonly body?: unknown;
  /** A body that is already text (the documents): with its content type. */
  readonly text?: { readonly content: string | Buffer; readonly type: string };
  /** A body that is made while it is read, of any length. */
  readonly stream?: AnswerStream;
  readonly headers?: Readonly<Record<string, string>>;
};

export type AnswerStream = {
  readonly type: string;
  readonly pieces: AsyncIterable<string>;
  /** Aborted: the body breaks off. */
  readonly signal: AbortSignal;
  /** Called once, when it was read or broke off. */
  readonly close: () => void;
};

/**
 * The outcome is not known before the deadline: the connection is cut without an answer, for any
 * answer could be false.
 */
export const CUT_CONNECTION = Symbol('cut the connection');

/** The rest of a body without its faulty fields: each remaining field is as its schema says. */
export type Sound<Body> = Body extends readonly unknown[]
  ? Body
  : Body extends object
    ? { readonly [Name in keyof Body]?: Sound<Body[Name]> }
    : Body;

/**
 * Of a request that is refused as malformed: the faults that its operation would find in the sound
 * fields, so that all come at once. It only reads; nothing is used up. A key that was used before
 * is not looked up: another body is refused anyway.
 */
export type LookBeside<Body> = (body: Sound<Body>, caller: Caller) => Promise<readonly Fault[]>;

/**
 * One endpoint: its contract, and how a call is answered with the tools that its operation names.
 * Made without the tools, so that the same value is published and served.
 */
export type Endpoint<Tools> = {
  readonly contract: Contract;
  readonly answer: (tools: Tools, call: Call<unknown, unknown, unknown>) => Promise<Answered>;
  readonly lookBeside?: (tools: Tools, body: unknown, caller: Caller) => Promise<readonly Fault[]>;
  /** Rules of the contract that depend on the operator's settings; they replace its own `check`. */
  readonly checkWith?: (tools: Tools) => Check;
  /** Absent: as long as any request. */
  readonly deadlineMilliseconds?: (tools: Tools) => number;
};

type Answered = Answer | typeof CUT_CONNECTION;

type Beside<Tools, Body> = {
  readonly lookBeside?: (tools: Tools, body: Sound<Body>, caller: Caller) => Promise<readonly Fault[]>;
  readonly checkWith?: Endpoint<Tools>['checkWith'];
  readonly deadlineMilliseconds?: Endpoint<Tools>['deadlineMilliseconds'];
};

export function endpoint<
  Tools,
  Body extends TSchema | undefined,
  Query extends TObject | undefined,
  Parameters extends TObject | undefined,
>(
  declared: Contract<Body, Query, Parameters>,
  answer: (
    tools: Tools,
    call: Call<StaticOf<Body>, StaticOf<Query>, StaticOf<Parameters>>,
  ) => Promise<Answered>,
  beside: Beside<Tools, StaticOf<Body>> = {},
): Endpoint<Tools> {
  return { contract: declared, answer, ...beside } as Endpoint<Tools>;
}

export type ServedEndpoint = {
  readonly contract: Contract;
  readonly serve: (call: Call<unknown, unknown, unknown>) => Promise<Answered>;
  readonly lookBeside?: LookBeside<unknown>;
  readonly deadlineMilliseconds?: number;
};

export function serve<Tools>(endpoints: readonly Endpoint<Tools>[], tools: Tools): ServedEndpoint[] {
  return endpoints.map(({ contract: declared, answer, lookBeside, checkWith, deadlineMilliseconds }) => ({
    contract: checkWith === undefined ? declared : { ...declared, check: checkWith(tools) },
    serve: (call) => answer(tools, call),
    ...(lookBeside && { lookBeside: (body, caller) => lookBeside(tools, body, caller) }),
    ...(deadlineMilliseconds && { deadlineMilliseconds: deadlineMilliseconds(tools) }),
  }));
}

/**
 * The caller of an endpoint that needs a token; the server has refused every other request before.
 */
export function callerOf(call: { readonly caller: Caller | null }): Caller {
  if (call.caller === null) throw new Error('an endpoint without a token has no caller');
  return call.caller;
}

/** The same with the address that it calls from. */
export function callerAt(call: {
  readonly caller: Caller | null;
  readonly address: string;
}): Caller & { readonly address: string } {
  return { ...callerOf(call), address: call.address };
}
