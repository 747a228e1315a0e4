import type { Static, TObject, TSchema } from 'typebox';
import type { Language, Sentence } from './sentence.ts';

/** What a credential may do (contract of the two APIs; a credential may carry several). */
export type Scope = 'gateway' | 'recurrence' | 'integration';
export const SCOPES: readonly Scope[] = ['gateway', 'recurrence', 'integration'];

/**
 * The two APIs; a token of one is not taken by the other. `either` takes both (homologation's tools),
 * `operations` asks for none: health and documents.
 */
export type Api = 'gateway' | 'integration' | 'either' | 'operations';

/** Who calls: what the access token stands for. */
export type Caller = {
  readonly merchantId: string;
  readonly credentialId: string;
  readonly userName: string;
  /** The account stamped on what this caller makes. */
  readonly accountNumber: string;
  readonly scopes: readonly Scope[];
};

/** One fault or refusal as the wire shows it. `tag` is the path of the field, a code, `__general__` or ''. */
export type WireError = { readonly tag: string; readonly description: string };

/** A fault of the request's shape, before it is put into the caller's language. */
export type Fault = {
  readonly tag: string;
  readonly sentence: Sentence;
  /** Other fields that it puts in doubt, of a rule between fields: nothing more is said of them. */
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
  /** Headers of its own, by the names under which the published description explains them. */
  readonly headers?: readonly string[];
};

type Check = (body: unknown, caller: Caller | null) => Fault[];

/** An endpoint as the wire sees it. */
export type Contract<
  Body extends TSchema | undefined = TSchema | undefined,
  Query extends TObject | undefined = TObject | undefined,
  Parameters extends TObject | undefined = TObject | undefined,
> = {
  /** Unique, in camelCase: the operationId of the published description. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With parameters in braces: `/v1/payments/{paymentId}`. */
  readonly path: string;
  readonly api: Api;
  /** Null where no token is asked for (logins, health, documents). */
  readonly scope: Scope | 'any' | null;
  readonly group: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: Body;
  /** No body at all is taken for an empty object. */
  readonly isBodyOptional?: boolean;
  /** Takes the header Idempotency-Key: a repetition with the same key has no second effect. */
  readonly isRepeatable?: boolean;
  /**
   * What it writes counts for nobody while its answer is not there: it answers errors where others cut the
   * connection, because the fate of a commit is unknown.
   */
  readonly makesNothingUnanswered?: boolean;
  /** It is answered however many requests are under way: it takes no place. */
  readonly needsNoPlace?: boolean;
  readonly bodyExample?: unknown;
  readonly query?: Query;
  readonly parameters?: Parameters;
  /**
   * By status. The errors that every endpoint of its kind can give (400, 401, 403, 404, 413 …) are added by
   * the printer.
   */
  readonly answers: Readonly<Record<number, AnswerShape>>;
  /**
   * Faults that a schema cannot say (one field against another, or against who calls). Runs beside the
   * schema, so that all faults come at once: the body may be malformed in any way, only unknown names were
   * dropped. The caller is null at endpoints without a token.
   */
  readonly check?: Check;
  /** Logins answer their errors in the shape of a login, not as an array. */
  readonly errorBody?: (error: WireError) => unknown;
  /** Only in homologation. */
  readonly homologationOnly?: boolean;
};

/** Declares what an endpoint takes and answers, and keeps the types of its schemas for its answer. */
export function contract<
  const Body extends TSchema | undefined = undefined,
  const Query extends TObject | undefined = undefined,
  const Parameters extends TObject | undefined = undefined,
>(declared: Contract<Body, Query, Parameters>): Contract<Body, Query, Parameters> {
  return declared;
}

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export type Call<Body, Query, Parameters> = {
  readonly body: Body;
  readonly query: Query;
  readonly parameters: Parameters;
  /**
   * The header Idempotency-Key with the method and path that it belongs to, parameters in small letters. Null
   * without one, and where the endpoint does not take it.
   */
  readonly idempotency: { readonly key: string; readonly target: string } | null;
  /** Null at endpoints without a token. */
  readonly caller: Caller | null;
  readonly language: Language;
  readonly requestId: string;
  /** The address of the caller, behind trusted proxies the one they vouch for. */
  readonly address: string;
  /** Until when an answer must be given: monotonic milliseconds (`performance.now()`). */
  readonly deadlineAt: number;
};

export type Answer = {
  readonly status: number;
  readonly body?: unknown;
  /** A body that is already text (the documents): with its content type. */
  readonly text?: { readonly content: string; readonly type: string };
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * The truth cannot be had before the deadline: the connection is cut without an answer, for any answer could
 * be a lie.
 */
export const CUT_CONNECTION = Symbol('cut the connection');

/**
 * What is left of a body when every field is taken out that is faulty: what is there is as its schema says.
 */
export type Sound<Body> = Body extends readonly unknown[]
  ? Body
  : Body extends object
    ? { readonly [Name in keyof Body]?: Sound<Body[Name]> }
    : Body;

/**
 * Of a request that is refused as malformed: what its operation would find wrong with the sound fields, so
 * that all faults come at once. Only looks; nothing is used up. A key that was used before is not looked at:
 * another body is refused anyway.
 */
export type LookBeside<Body> = (body: Sound<Body>, caller: Caller) => Promise<readonly Fault[]>;

/**
 * One endpoint: its contract, and how a call is answered with the tools that its operation names. Made
 * without any, so that what is published is printed from the same value.
 */
export type Endpoint<Tools> = {
  readonly contract: Contract;
  readonly answer: (tools: Tools, call: Call<unknown, unknown, unknown>) => Promise<Answered>;
  readonly lookBeside?: (tools: Tools, body: unknown, caller: Caller) => Promise<readonly Fault[]>;
  /** Rules of the contract that the operator's settings decide; they replace its own `check`. */
  readonly checkWith?: (tools: Tools) => Check;
  /** How long this one may take; absent: as long as any request. */
  readonly deadlineMilliseconds?: (tools: Tools) => number;
};

type Answered = Answer | typeof CUT_CONNECTION;

/** What an endpoint may have beside its contract and its answer. */
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

/** An endpoint that has its tools. */
export type ServedEndpoint = {
  readonly contract: Contract;
  readonly serve: (call: Call<unknown, unknown, unknown>) => Promise<Answered>;
  readonly lookBeside?: LookBeside<unknown>;
  readonly deadlineMilliseconds?: number;
};

/** Gives endpoints the tools of their operations. */
export function serve<Tools>(endpoints: readonly Endpoint<Tools>[], tools: Tools): ServedEndpoint[] {
  return endpoints.map(({ contract: declared, answer, lookBeside, checkWith, deadlineMilliseconds }) => ({
    contract: checkWith === undefined ? declared : { ...declared, check: checkWith(tools) },
    serve: (call) => answer(tools, call),
    ...(lookBeside && { lookBeside: (body, caller) => lookBeside(tools, body, caller) }),
    ...(deadlineMilliseconds && { deadlineMilliseconds: deadlineMilliseconds(tools) }),
  }));
}

/** The caller of an endpoint that needs a token; the server has refused every other request before. */
export function callerOf(call: { readonly caller: Caller | null }): Caller {
  if (call.caller === null) throw new Error('an endpoint without a token has no caller');
  return call.caller;
}
