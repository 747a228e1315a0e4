import { type TSchema, Type } from 'typebox';
import { named } from '../../platform/http/named.ts';
import { type Answer, type AnswerShape, GENERAL_TAG, type WireError } from './endpoint.ts';
import type { Language, Sentence } from './sentence.ts';

/** A refusal as the wire shows it. A module's `refusals.ts` maps each of its reasons to one. */
export type RefusalShape = {
  readonly status: number;
  readonly tag: string;
  readonly sentence: Sentence;
  /** Set if the cause passes by itself. A 409 without it is final. */
  readonly retryAfterSeconds?: number;
};

export function refusal(status: number, tag: string, sentence: Sentence): RefusalShape {
  return { status, tag, sentence };
}

/** `tag`: the field of the period's end. */
export function endsBeforeItBegins(tag: string): RefusalShape {
  return refusal(400, tag, {
    pt: 'O fim do período vem antes do começo.',
    en: 'The period ends before its beginning.',
  });
}

export function hasMoreDays(tag: string, most: number): RefusalShape {
  return refusal(400, tag, {
    pt: `O período tem mais de ${most.toLocaleString('pt-BR')} dias.`,
    en: `The period has more than ${most.toLocaleString('en')} days.`,
  });
}

/** A final 409 that belongs to no single field. */
export function conflict(sentence: Sentence): RefusalShape {
  return refusal(409, GENERAL_TAG, sentence);
}

/** A 409 that belongs to no single field and passes by itself. */
export function passingConflict(retryAfterSeconds: number, sentence: Sentence): RefusalShape {
  return { ...conflict(sentence), retryAfterSeconds };
}

/**
 * Why an operation refused, for a person at the command line (in English) or at the console. `{value}` is
 * what was given, `{most}` a limit.
 */
export type SpokenRefusal = {
  readonly status: 400 | 404 | 409;
  readonly text: string;
  readonly most?: number;
};

export function refusalAnswer(
  shape: RefusalShape,
  language: Language,
  headers?: Record<string, string>,
): Answer {
  const { status, tag, sentence, retryAfterSeconds } = shape;
  const body: WireError[] = [{ tag, description: sentence[language] }];
  const passing = retryAfterSeconds === undefined ? headers : { 'retry-after': String(retryAfterSeconds) };
  const all = headers === undefined ? passing : { ...passing, ...headers };
  return all === undefined ? { status, body } : { status, body, headers: all };
}

const PROBLEM = named('Problem', {
  tag: Type.String({
    description:
      "The path of the field as you sent it, the issuer's code of a decline, `__general__` for a business rule, or empty.",
  }),
  description: Type.String({ description: 'Brazilian Portuguese; `Accept-Language: en` gives English.' }),
});

/** The body of every error except those of logins. */
export const PROBLEMS = Type.Array(PROBLEM, {
  title: 'Problems',
  description: 'All faults of a request at once, or the one reason for which it was refused.',
  minItems: 1,
  maxItems: 100,
});

export function refusedAnswer(
  description: string,
  { tag, sentence }: { readonly tag: string; readonly sentence: Pick<Sentence, 'pt'> },
): AnswerShape & { readonly schema: TSchema } {
  return { description, schema: PROBLEMS, example: [{ tag, description: sentence.pt }] };
}

/** All shapes must have the same status. */
export function refusalsAnswer(shapes: readonly RefusalShape[], language: Language): Answer {
  const body = shapes.map(({ tag, sentence }) => ({ tag, description: sentence[language] }));
  return { status: shapes[0]?.status ?? 400, body };
}
