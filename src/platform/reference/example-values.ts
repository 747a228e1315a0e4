import type { Contract } from '../http/endpoint.ts';

const OF_HOMOLOGATION: Readonly<Record<string, string>> = { accountNumber: '1000001' };

/**
 * The example of a parameter, taken from the example answer: `planId` stands there by its name, as the `id`
 * of a plan, or as the whole answer.
 */
export function exampleOfParameter(
  place: 'path' | 'query',
  name: string,
  answers: Contract['answers'],
): { readonly example?: string } {
  const answer = answers[200]?.example;
  const ofPath =
    place === 'path' ? (typeof answer === 'string' ? answer : findNamed(answer, 'id')) : undefined;
  const example = findNamed(answer, name) ?? OF_HOMOLOGATION[name] ?? ofPath;
  return typeof example === 'string' ? { example } : {};
}

/** The value under a name at any depth of an example; undefined: there is none. */
export function findNamed(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined;
  const own = (value as Record<string, unknown>)[name];
  if (own !== undefined) return own;
  return Object.values(value)
    .map((part) => findNamed(part, name))
    .find((part) => part !== undefined);
}
