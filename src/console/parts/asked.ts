import type { AnswerOf, Contract, WireError } from '../../platform/http/endpoint.ts';

/** What an endpoint answered to a page. */
export type Asked<Body> =
  | { readonly ok: true; readonly status: number; readonly body: Body }
  | { readonly ok: false; readonly status: number; readonly errors: readonly WireError[] };

/** What a request brings, as texts of a page; the reader of the endpoint checks them as it does the API's. */
export type Given = {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
};

/** Asks an endpoint in the name of the user, for the merchant of the page. */
export type Ask = <Declared extends Contract>(
  contract: Declared,
  given: Given,
) => Promise<Asked<AnswerOf<Declared>>>;
