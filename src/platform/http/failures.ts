import type { HoldReason } from '../gate.ts';
import { type Answer, type Call, CUT_CONNECTION, GENERAL_TAG } from './endpoint.ts';
import { type RefusalShape, refusal, refusalAnswer } from './refusal.ts';
import type { Language, Sentence } from './sentence.ts';

/** The server's own refusals, for any endpoint. Printed into docs/errors.md. */
export const FAILURES = {
  malformedJson: refusal(400, '', { pt: 'O corpo não é um JSON válido.', en: 'The body is not valid JSON.' }),
  malformedUrl: refusal(400, '', {
    pt: 'O endereço da chamada é inválido.',
    en: 'The URL of the request is malformed.',
  }),
  malformedHttp: refusal(400, '', {
    pt: 'A requisição HTTP é malformada.',
    en: 'The HTTP request is malformed.',
  }),
  malformedIdempotencyKey: refusal(400, 'idempotencyKey', {
    pt: 'Idempotency-Key deve vir uma só vez, com 1 a 255 caracteres ASCII visíveis.',
    en: 'Idempotency-Key must come once, with 1 to 255 visible ASCII characters.',
  }),
  cardNumberInIdempotencyKey: refusal(400, 'idempotencyKey', {
    pt: 'Idempotency-Key não pode conter um número de cartão.',
    en: 'Idempotency-Key must not hold a card number.',
  }),
  missingBody: refusal(400, '', {
    pt: 'O corpo da requisição é obrigatório.',
    en: 'The request needs a body.',
  }),
  forbiddenScope: refusal(403, '{scope}', {
    pt: 'A credencial não tem o escopo {scope}, que esta operação exige.',
    en: 'The credential does not have the scope {scope}, which this operation needs.',
  }),
  noSuchPath: refusal(404, GENERAL_TAG, {
    pt: 'Não existe este caminho na API; confira o endereço da chamada.',
    en: 'There is no such path in this API; check the URL of the request.',
  }),
  /** For a resource named by path or query; for a path without an endpoint see `noSuchPath`. */
  unknownPath: refusal(404, GENERAL_TAG, { pt: 'Recurso não encontrado.', en: 'Not found.' }),
  wrongMethod: refusal(405, GENERAL_TAG, {
    pt: 'Método não permitido para este recurso.',
    en: 'This method is not allowed here.',
  }),
  /** The first request lives 15 s at most by default, and most end long before: a second is worth waiting. */
  keyInFlight: {
    ...refusal(409, 'idempotencyKey', {
      pt: 'A primeira requisição com este Idempotency-Key ainda está em andamento; repita em instantes.',
      en: 'The first request with this Idempotency-Key is still under way; repeat it shortly.',
    }),
    retryAfterSeconds: 1,
  },
  /** Answered only behind a first byte: an answer to nothing would be taken for that of the next request. */
  slowRequest: refusal(408, '', {
    pt: 'A requisição não chegou inteira a tempo: nada foi feito.',
    en: 'The request did not come in time: nothing was done.',
  }),
  tooLarge: refusal(413, '', {
    pt: 'O corpo da requisição passa de 64 KiB.',
    en: 'The body is larger than 64 KiB.',
  }),
  wrongContentType: refusal(415, '', {
    pt: 'O corpo deve ser enviado como application/json, em UTF-8 e sem compressão.',
    en: 'The body must be sent as application/json, in UTF-8 and not compressed.',
  }),
  notThroughProxy: refusal(421, GENERAL_TAG, {
    pt: 'Este servidor só atende por seus proxies com TLS; confira o endereço da chamada.',
    en: 'This server is only reached through its TLS proxies; check the URL of the request.',
  }),
  keyOfOtherBody: refusal(422, 'idempotencyKey', {
    pt: 'Esta Idempotency-Key já foi usada com outro corpo ou outro cartão.',
    en: 'This Idempotency-Key was used with another body or card already.',
  }),
  tooManyRequests: refusal(429, GENERAL_TAG, {
    pt: 'Muitas requisições; tente de novo em instantes.',
    en: 'Too many requests; try again shortly.',
  }),
  unknownFailure: refusal(500, '', {
    pt: 'Não foi possível executar o comando devido a um erro desconhecido.',
    en: 'The command could not be executed because of an unknown error.',
  }),
  held: refusal(503, GENERAL_TAG, {
    pt: 'Nada foi feito: o serviço confere o seu banco de dados e por enquanto só responde a consultas. Tente de novo em instantes.',
    en: 'Nothing was done: the service is checking its database and answers only reads for now. Try again shortly.',
  }),
  unwritable: refusal(503, GENERAL_TAG, {
    pt: 'Nada foi feito: o banco de dados do serviço não aceita gravações agora, e só consultas são respondidas. Tente de novo em instantes.',
    en: 'Nothing was done: the database of the service takes no writes now, and only reads are answered. Try again shortly.',
  }),
  acquirerAway: refusal(503, GENERAL_TAG, {
    pt: 'A adquirente não pôde ser contatada: nada foi feito. Tente de novo em instantes.',
    en: 'The acquirer could not be reached: nothing was done. Try again shortly.',
  }),
  overloaded: refusal(503, GENERAL_TAG, {
    pt: 'Serviço temporariamente indisponível; tente de novo em instantes.',
    en: 'The service is temporarily unavailable; try again shortly.',
  }),
} as const satisfies Record<string, RefusalShape>;

export type Failure = keyof typeof FAILURES;

export const RETRY_AFTER_SECONDS = '2';

export function forbiddenScope(scope: string): RefusalShape {
  const { status, tag, sentence } = FAILURES.forbiddenScope;
  const named = (text: string) => text.replaceAll('{scope}', scope);
  return refusal(status, named(tag), { pt: named(sentence.pt), en: named(sentence.en) });
}

/** Where a body stops being JSON, in an editor's line and column. Shows none of its content. */
export function malformedJsonAt({ line, column }: { line: number; column: number }): Sentence {
  const { pt, en } = FAILURES.malformedJson.sentence;
  return {
    pt: `${pt.slice(0, -1)}: linha ${line}, coluna ${column}.`,
    en: `${en.slice(0, -1)}: line ${line}, column ${column}.`,
  };
}

/** Why only reads are answered; null: all requests are. */
export function failureOfHold(reason: HoldReason | null): Extract<Failure, 'held' | 'unwritable'> | null {
  if (reason === null) return null;
  return reason === 'unwritable' ? 'unwritable' : 'held';
}

/** 503: nothing was written; the request may be repeated shortly. */
export function unavailableAnswer(
  failure: Extract<Failure, 'overloaded' | 'acquirerAway'>,
  language: Language,
): Answer {
  return refusalAnswer(FAILURES[failure], language, { 'retry-after': RETRY_AFTER_SECONDS });
}

export function tooManyAnswer(secondsToWait: number, language: Language): Answer {
  return refusalAnswer(FAILURES.tooManyRequests, language, { 'retry-after': String(secondsToWait) });
}

/**
 * `first`: done now, or refused without a record. `again`: the outcome of the first request with this key.
 * `inFlight`: the first has no outcome yet. `otherBody`: the first had another body or card.
 */
export type Once<Result> =
  | { readonly kind: 'first' | 'again'; readonly result: Result }
  | { readonly kind: 'inFlight' | 'otherBody' };

/** The header of each answer that repeats an earlier outcome. */
const REPLAYED = { 'idempotent-replayed': 'true' };

export function isReplayed({ headers }: Answer): boolean {
  return headers?.['idempotent-replayed'] === 'true';
}

export function writeOnce<Result>(
  { language }: Pick<Call<unknown, unknown, unknown>, 'language'>,
  once: Once<Result>,
  write: (result: Result) => Answer | typeof CUT_CONNECTION,
): Answer | typeof CUT_CONNECTION {
  switch (once.kind) {
    case 'first':
      return write(once.result);
    case 'again': {
      const answer = write(once.result);
      return answer === CUT_CONNECTION ? answer : { ...answer, headers: { ...answer.headers, ...REPLAYED } };
    }
    case 'inFlight':
      return refusalAnswer(FAILURES.keyInFlight, language);
    case 'otherBody':
      return refusalAnswer(FAILURES.keyOfOtherBody, language);
  }
}
