import type { Static, TObject, TSchema } from 'typebox';
import type { Language, Sentence } from './sentence.ts';

/** What clients of other gateways send for an operation: it is read as what its contract says. */
export type Synonyms = {
  /** The id of the contract. */
  readonly operation: string;
  readonly doors?: readonly Door[];
  /** Fields of the body may stand in the query, and parameters of the query in the body. */
  readonly isFromEither?: boolean;
  /** By the field's name at the top of the body. */
  readonly flatFields?: Readonly<Record<string, FlatField>>;
};

/** Another method and path under which the operation is served. */
export type Door = Pick<Contract, 'method' | 'path'> & {
  /** The names of query parameters, each with the parameter of the contract's path that it stands for. */
  readonly parameters?: Readonly<Record<string, string>>;
};

/**
 * A field at the top of the body. `pointers`: the fields that it stands for, as JSON pointers; `split`
 * divides its text among several.
 */
export type FlatField = {
  readonly pointers: readonly string[];
  readonly split?: (text: string) => readonly string[];
};

/** What a token may be used for. A credential may have several scopes. */
export type Scope = 'gateway' | 'recurrence' | 'integration';
export const SCOPES: readonly Scope[] = ['gateway', 'recurrence', 'integration'];

/**
 * The two APIs are `gateway` and `integration`; each refuses tokens of the other. `either` takes tokens of
 * both (homologation's tools). `operations` needs no token: health, documents, and printable boletos.
 */
export type Api = 'gateway' | 'integration' | 'either' | 'operations';

export type Caller = {
  readonly merchantId: string;
  readonly credentialId: string;
  readonly userName: string;
  /** The account of everything that this caller creates. */
  readonly accountNumber: string;
  readonly scopes: readonly Scope[];
  /** The text on buyers' statements, unless the request brings another; null: the merchant has none. */
  readonly softDescriptor: string | null;
  /** Identifies the access token among those of its credential. It is not secret. */
  readonly tokenId: string;
};

/** `tag` is the path of the field, an issuer's code, `__general__` or ''. */
export type WireError = { readonly tag: string; readonly description: string };

export type Fault = {
  readonly tag: string;
  readonly sentence: Sentence;
  /** The other fields of a rule between fields: no more faults of them are reported. */
  readonly concerns?: readonly string[];
};

/** For a business rule that belongs to no single field. */
export const GENERAL_TAG = '__general__';

export type AnswerShape = {
  readonly description: string;
  readonly schema?: TSchema;
  readonly example?: unknown;
  readonly contentType?: string;
  /** Set where a caller whose `Accept` prefers CSV gets CSV. */
  readonly csvExample?: string;
  /** Set where a stream of JSON objects, one a line, is offered. */
  readonly ndjsonExample?: string;
  /** Its headers, by the names under which the published description explains them. */
  readonly headers?: readonly string[];
  /** Follow-up operations: for each parameter or body field, the JSON pointer of its value in this answer. */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
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
  /** A request without a body counts as one with an empty object. */
  readonly isBodyOptional?: boolean;
  /** Set where money moves: unknown names and null are faults, because a misspelt amount would mean all. */
  readonly isExact?: boolean;
  /** Takes the header Idempotency-Key: a repetition has no second effect. */
  readonly isRepeatable?: boolean;
  /** Its writes have no effect until it is answered, so it answers errors where others cut the connection. */
  readonly makesNothingUnanswered?: boolean;
  /**
   * A login: its caller returns over the same connection with a token, so the connection is kept as a known
   * one.
   */
  readonly isLogin?: boolean;
  /** Takes no place, so it is answered under any load. */
  readonly needsNoPlace?: boolean;
  readonly bodyExample?: unknown;
  readonly query?: Query;
  readonly parameters?: Parameters;
  /** By status. The printer adds the errors shared by endpoints of its kind (400, 401, 403, 404, 413 …). */
  readonly answers: Readonly<Record<number, AnswerShape>>;
  /**
   * Faults that a schema cannot express. Runs even if the schema finds faults: the body may be malformed in
   * any way, and only unknown names were dropped. The caller is null at endpoints without a token.
   */
  readonly check?: Check;
  /** The values may be malformed in any way. */
  readonly checkQuery?: (query: Readonly<Record<string, unknown>>) => Fault[];
  /** Logins answer an error as one object instead of an array. */
  readonly errorBody?: (error: WireError) => unknown;
  readonly homologationOnly?: boolean;
};

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
   * `key`: the Idempotency-Key. `target`: method and path, parameters in lower case. Null: no key was sent,
   * or the endpoint takes none.
   */
  readonly idempotency: { readonly key: string; readonly target: string } | null;
  readonly caller: Caller | null;
  readonly language: Language;
  readonly wantsCsv: boolean;
  /** Whether a console page asks: totals are then counted only up to `MOST_COUNTED_FOR_PEOPLE`. */
  readonly isForPeople: boolean;
  readonly requestId: string;
  /** The caller's address, or the one that a trusted proxy reports. */
  readonly address: string;
  /** Scheme and host of the request, such as `https://gateway.example`; null: unknown. */
  readonly origin: () => string | null;
  /** Like `origin`, for the pages for payers. */
  readonly pagesOrigin: () => string | null;
  /** Monotonic milliseconds (`performance.now()`). */
  readonly deadlineAt: number;
};

export type Answer = {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: { readonly content: string | Buffer; readonly type: string };
  /** A body of any length, produced while it is read. */
  readonly stream?: AnswerStream<string | Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
};

export type AnswerStream<Piece = string> = {
  readonly type: string;
  readonly pieces: AsyncIterable<Piece>;
  /** Aborted when the body must break off. */
  readonly signal: AbortSignal;
  /** Frees what `pieces` reads from. Called once: the body was read, broken off, or not wanted. */
  readonly close: () => void;
};

/**
 * Instead of an answer: the outcome is not known before the deadline, so the connection is cut, because any
 * answer could be false.
 */
export const CUT_CONNECTION = Symbol('cut the connection');

/** A malformed body without its faulty fields: those that remain satisfy their schemas. */
export type Sound<Body> = Body extends readonly unknown[]
  ? Body
  : Body extends object
    ? { readonly [Name in keyof Body]?: Sound<Body[Name]> }
    : Body;

/** For a malformed request: the faults that its operation would find in the sound fields. Only reads. */
export type LookBeside<Body> = (body: Sound<Body>, caller: Caller) => Promise<readonly Fault[]>;

/** An endpoint is declared without its tools, so that the published and the served value are the same. */
export type Endpoint<Tools> = {
  readonly contract: Contract;
  readonly answer: (tools: Tools, call: Call<unknown, unknown, unknown>) => Promise<Answered>;
  readonly lookBeside?: (tools: Tools, body: unknown, caller: Caller) => Promise<readonly Fault[]>;
  /** Rules that depend on the operator's settings; replace the contract's `check`. */
  readonly checkWith?: (tools: Tools) => Check;
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
  readonly synonyms?: Synonyms;
};

export function serve<Tools>(endpoints: readonly Endpoint<Tools>[], tools: Tools): ServedEndpoint[] {
  return endpoints.map(({ contract: declared, answer, lookBeside, checkWith, deadlineMilliseconds }) => ({
    contract: checkWith === undefined ? declared : { ...declared, check: checkWith(tools) },
    serve: (call) => answer(tools, call),
    ...(lookBeside && { lookBeside: (body, caller) => lookBeside(tools, body, caller) }),
    ...(deadlineMilliseconds && { deadlineMilliseconds: deadlineMilliseconds(tools) }),
  }));
}

export function callerOf(call: { readonly caller: Caller | null }): Caller {
  if (call.caller === null) throw new Error('an endpoint without a token has no caller');
  return call.caller;
}

export function callerAt(call: {
  readonly caller: Caller | null;
  readonly address: string;
}): Caller & { readonly address: string } {
  return { ...callerOf(call), address: call.address };
}
