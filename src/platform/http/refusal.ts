import type { Answer, WireError } from './endpoint.ts';
import type { Language, Sentence } from './sentence.ts';

/** How the wire says one refusal of a room. A room's `refusals.ts` is a total table of these. */
export type RefusalShape = { readonly status: number; readonly tag: string; readonly sentence: Sentence };

/** The answer for a refusal: an array with one `{ tag, description }`. */
export function refusalAnswer(
  shape: RefusalShape,
  language: Language,
  headers?: Record<string, string>,
): Answer {
  const body: WireError[] = [{ tag: shape.tag, description: shape.sentence[language] }];
  return headers === undefined ? { status: shape.status, body } : { status: shape.status, body, headers };
}

/** The answer for several refusals of one request, all of one status. */
export function refusalsAnswer(shapes: readonly RefusalShape[], language: Language): Answer {
  const body = shapes.map(({ tag, sentence }) => ({ tag, description: sentence[language] }));
  return { status: shapes[0]?.status ?? 400, body };
}
