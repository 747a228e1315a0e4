import { randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { patiently } from '../kit/patience.ts';

type Parameter = { readonly key: string; readonly value: string; readonly disabled?: boolean };

/** As much of a collection of Postman 2.1 as a run of it needs. */
export type Collection = {
  readonly item: readonly {
    readonly name: string;
    readonly item: readonly CollectionRequest[];
  }[];
  readonly variable: readonly { readonly key: string; readonly value: string }[];
};

export type CollectionRequest = {
  readonly name: string;
  readonly event: readonly {
    readonly listen: string;
    readonly script: { readonly exec: readonly string[] };
  }[];
  readonly request: {
    readonly method: string;
    readonly auth: { readonly type: string; readonly bearer?: readonly Parameter[] };
    readonly header: readonly Parameter[];
    readonly body?: { readonly raw: string };
    readonly url: { readonly raw: string };
  };
};

/** A request as it was sent, and what its script said of the answer. */
export type Ran = {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
};

const REQUEST_MILLISECONDS = 90_000;

/**
 * Runs every request in its order, as a runner of Postman or Bruno does, with these values of its
 * variables.
 */
export async function runCollection(
  { item, variable }: Collection,
  given: Readonly<Record<string, string>>,
): Promise<Ran[]> {
  const variables = new Map(variable.map(({ key, value }) => [key, value]));
  for (const [key, value] of Object.entries(given)) {
    if (!variables.has(key)) throw new Error(`the collection has no variable ${key}`);
    variables.set(key, value);
  }
  const ran: Ran[] = [];
  for (const request of item.flatMap((folder) => folder.item)) ran.push(await runRequest(request, variables));
  return ran;
}

async function runRequest(
  { name, event, request }: CollectionRequest,
  variables: Map<string, string>,
): Promise<Ran> {
  const filled = (text: string) =>
    text.replaceAll(/\{\{([$\w]+)\}\}/g, (_, key) => variableIn(name, key, variables));
  const headers = new Headers(
    request.header
      .filter(({ disabled }) => disabled !== true)
      .map(({ key, value }): [string, string] => [key, filled(value)]),
  );
  const [token] = request.auth.bearer ?? [];
  if (token !== undefined) headers.set('authorization', `Bearer ${filled(token.value)}`);
  const url = filled(request.url.raw);
  const response = await fetch(url, {
    method: request.method,
    headers,
    body: request.body === undefined ? null : filled(request.body.raw),
    signal: AbortSignal.timeout(patiently(REQUEST_MILLISECONDS)),
  });
  const text = await response.text();
  const said = runScripts(event, response.status, text, variables);
  return { name, method: request.method, url, status: response.status, text, ...said };
}

function variableIn(request: string, key: string, variables: ReadonlyMap<string, string>): string {
  if (key === '$guid') return randomUUID();
  const value = variables.get(key);
  if (value === undefined || value === '')
    throw new Error(`${request} uses {{${key}}}, which nothing has set`);
  return value;
}

/** The part of `pm` that the scripts may use: what both Postman and Bruno know. */
function runScripts(
  events: CollectionRequest['event'],
  status: number,
  text: string,
  variables: Map<string, string>,
): Pick<Ran, 'passed' | 'failed'> {
  const [passed, failed]: string[][] = [[], []];
  const pm = {
    test(name: string, check: () => void) {
      try {
        check();
        passed?.push(name);
      } catch {
        failed?.push(name);
      }
    },
    response: {
      json: () => JSON.parse(text),
      to: {
        have: {
          status(wanted: number) {
            if (status !== wanted) throw new Error(`${status} instead of ${wanted}`);
          },
        },
      },
    },
    collectionVariables: { set: (key: string, value: unknown) => variables.set(key, String(value)) },
  };
  try {
    for (const { script } of events) runInNewContext(script.exec.join('\n'), { pm });
  } catch (error) {
    failed?.push(String(error));
  }
  return { passed: passed ?? [], failed: failed ?? [] };
}
