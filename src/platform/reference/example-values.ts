import type { Contract } from '../http/endpoint.ts';

/** Of the merchant that homologation brings along. */
const OF_HOMOLOGATION: Readonly<Record<string, string>> = { accountNumber: '1000001' };

/** As the example of the answer has it, where `planId` is the `id` of a plan or the whole answer. */
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

/** What an example has under a name, at any depth; undefined: it has no such name. */
export function findNamed(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined;
  const own = (value as Record<string, unknown>)[name];
  if (own !== undefined) return own;
  return Object.values(value)
    .map((part) => findNamed(part, name))
    .find((part) => part !== undefined);
}
