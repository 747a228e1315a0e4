import type { AnswerShape, Contract } from '../http/endpoint.ts';

type Json = Record<string, unknown>;

/**
 * The values of an answer that follow-up operations ask for, as links for tools. Unpublished operations are
 * left out.
 */
export function printLinks({ links = {} }: AnswerShape, endpoints: readonly Contract[]): Json {
  const printed = Object.entries(links).flatMap(([operationId, fields]) => {
    const target = endpoints.find(({ id }) => id === operationId);
    return target === undefined ? [] : [[operationId, { operationId, ...printFields(fields, target) }]];
  });
  return printed.length === 0 ? {} : { links: Object.fromEntries(printed) };
}

function printFields(fields: Readonly<Record<string, string>>, { parameters, query }: Contract): Json {
  const asked = { ...parameters?.properties, ...query?.properties };
  const expressions = Object.entries(fields).map(([name, pointer]) => [name, expressionOf(pointer)] as const);
  const ofParameters = expressions.filter(([name]) => Object.hasOwn(asked, name));
  const ofBody = expressions.filter(([name]) => !Object.hasOwn(asked, name));
  return {
    ...(ofParameters.length === 0 ? {} : { parameters: Object.fromEntries(ofParameters) }),
    ...(ofBody.length === 0 ? {} : { requestBody: Object.fromEntries(ofBody) }),
  };
}

/** OpenAPI's expression. An answer that is a bare text has no pointer. */
const expressionOf = (pointer: string) => `$response.body${pointer === '' ? '' : `#${pointer}`}`;
