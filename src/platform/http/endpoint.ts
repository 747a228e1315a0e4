import type { Static, TObject, TSchema } from 'typebox';
import type { Language, Sentence } from './sentence.ts';

/** What a credential may do (contract of the two APIs; a credential may carry several). */
export type Scope = 'gateway' | 'recurrence' | 'integration';
export const SCOPES: readonly Scope[] = ['gateway', 'recurrence', 'integration'];

/**
 * The two APIs; a token of one is not taken by the other. `either` takes both (homologation's tools), `operations` asks for
 * none: health and documents.
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

export type Endpoint<
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
   * What it writes counts for nobody while its answer is not there: it answers errors where others cut the connection, because
   * the fate of a commit is unknown.
   */
  readonly makesNothingUnanswered?: boolean;
  readonly bodyExample?: unknown;
  readonly query?: Query;
  readonly parameters?: Parameters;
  /** By status. The errors that every endpoint of its kind can give (400, 401, 403, 404, 413 …) are added by the printer. */
  readonly answers: Readonly<Record<number, AnswerShape>>;
  /**
   * Faults that a schema cannot say (one field against another, or against who calls). Runs beside the schema, so that all
   * faults come at once: the body may be malformed in any way, only unknown names were dropped. The caller is null at
   * endpoints without a token.
   */
  readonly check?: (body: unknown, caller: Caller | null) => Fault[];
  /** Logins answer their errors in the shape of a login, not as an array. */
  readonly errorBody?: (error: WireError) => unknown;
  /** Only in homologation. */
  readonly homologationOnly?: boolean;
};

/** Declares an endpoint and keeps the types of its schemas for its handler. */
export function endpoint<
  const Body extends TSchema | undefined = undefined,
  const Query extends TObject | undefined = undefined,
  const Parameters extends TObject | undefined = undefined,
>(declared: Endpoint<Body, Query, Parameters>): Endpoint<Body, Query, Parameters> {
  return declared;
}

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export type Call<Body, Query, Parameters> = {
  readonly body: Body;
  readonly query: Query;
  readonly parameters: Parameters;
  /**
   * The header Idempotency-Key with the method and path that it belongs to, parameters in small letters. Null without one,
   * and where the endpoint does not take it.
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

/** The truth cannot be had before the deadline: the connection is cut without an answer, for any answer could be a lie. */
export const CUT_CONNECTION = Symbol('cut the connection');

/** What is left of a body when every field is taken out that is faulty: what is there is as its schema says. */
export type Sound<Body> = Body extends readonly unknown[]
  ? Body
  : Body extends object
    ? { readonly [Name in keyof Body]?: Sound<Body[Name]> }
    : Body;

/**
 * Of a request that is refused as malformed: what its operation would find wrong with the sound fields, so that all faults come
 * at once. Only looks; nothing is used up. A key that was used before is not looked at: another body is refused anyway.
 */
export type LookBeside<Body> = (body: Sound<Body>, caller: Caller) => Promise<readonly Fault[]>;

/** One endpoint with the function that serves it. */
export type Route = {
  readonly endpoint: Endpoint;
  readonly serve: (call: Call<unknown, unknown, unknown>) => Promise<Answer | typeof CUT_CONNECTION>;
  readonly lookBeside?: LookBeside<unknown>;
  /** How long this one may take; absent: as long as any request. */
  readonly deadlineMilliseconds?: number;
};

export function route<
  Body extends TSchema | undefined,
  Query extends TObject | undefined,
  Parameters extends TObject | undefined,
>(
  served: Endpoint<Body, Query, Parameters>,
  serve: (
    call: Call<StaticOf<Body>, StaticOf<Query>, StaticOf<Parameters>>,
  ) => Promise<Answer | typeof CUT_CONNECTION>,
  lookBeside?: LookBeside<StaticOf<Body>>,
): Route {
  const made = { endpoint: served as Endpoint, serve: serve as Route['serve'] };
  return lookBeside === undefined ? made : { ...made, lookBeside: lookBeside as LookBeside<unknown> };
}

/** The caller of an endpoint that needs a token; the server has refused every other request before. */
export function callerOf(call: { readonly caller: Caller | null }): Caller {
  if (call.caller === null) throw new Error('an endpoint without a token has no caller');
  return call.caller;
}
