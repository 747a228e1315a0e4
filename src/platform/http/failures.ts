import { GENERAL_TAG } from './endpoint.ts';
import type { RefusalShape } from './refusal.ts';
import type { Sentence } from './sentence.ts';

/** The server's own refusals, for any endpoint. Printed into docs/errors.md. */
export const FAILURES = {
  malformedJson: {
    status: 400,
    tag: '',
    sentence: { pt: 'O corpo não é um JSON válido.', en: 'The body is not valid JSON.' },
  },
  malformedUrl: {
    status: 400,
    tag: '',
    sentence: { pt: 'O endereço da chamada é inválido.', en: 'The URL of the request is malformed.' },
  },
  malformedHttp: {
    status: 400,
    tag: '',
    sentence: { pt: 'A requisição HTTP é malformada.', en: 'The HTTP request is malformed.' },
  },
  malformedIdempotencyKey: {
    status: 400,
    tag: 'idempotencyKey',
    sentence: {
      pt: 'Idempotency-Key deve vir uma só vez, com 1 a 255 caracteres ASCII visíveis.',
      en: 'Idempotency-Key must come once, with 1 to 255 visible ASCII characters.',
    },
  },
  cardNumberInIdempotencyKey: {
    status: 400,
    tag: 'idempotencyKey',
    sentence: {
      pt: 'Idempotency-Key não pode conter um número de cartão.',
      en: 'Idempotency-Key must not hold a card number.',
    },
  },
  missingBody: {
    status: 400,
    tag: '',
    sentence: { pt: 'O corpo da requisição é obrigatório.', en: 'The request needs a body.' },
  },
  forbiddenScope: {
    status: 403,
    tag: '{scope}',
    sentence: {
      pt: 'A credencial não tem o escopo {scope}, que esta operação exige.',
      en: 'The credential does not have the scope {scope}, which this operation needs.',
    },
  },
  noSuchPath: {
    status: 404,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Não existe este caminho na API; confira o endereço da chamada.',
      en: 'There is no such path in this API; check the URL of the request.',
    },
  },
  /** For a resource that path or query names; for a path without endpoint see `noSuchPath`. */
  unknownPath: {
    status: 404,
    tag: GENERAL_TAG,
    sentence: { pt: 'Recurso não encontrado.', en: 'Not found.' },
  },
  wrongMethod: {
    status: 405,
    tag: GENERAL_TAG,
    sentence: { pt: 'Método não permitido para este recurso.', en: 'This method is not allowed here.' },
  },
  /** A request lives 15 s at most; most end long before. */
  keyInFlight: {
    status: 409,
    retryAfterSeconds: 1,
    tag: 'idempotencyKey',
    sentence: {
      pt: 'A primeira requisição com este Idempotency-Key ainda está em andamento; repita em instantes.',
      en: 'The first request with this Idempotency-Key is still under way; repeat it shortly.',
    },
  },
  /** Only after its first byte: an answer to nothing would be taken for that of the next request. */
  slowRequest: {
    status: 408,
    tag: '',
    sentence: {
      pt: 'A requisição não chegou inteira a tempo: nada foi feito.',
      en: 'The request did not come in time: nothing was done.',
    },
  },
  tooLarge: {
    status: 413,
    tag: '',
    sentence: { pt: 'O corpo da requisição passa de 64 KiB.', en: 'The body is larger than 64 KiB.' },
  },
  wrongContentType: {
    status: 415,
    tag: '',
    sentence: {
      pt: 'O corpo deve ser enviado como application/json, em UTF-8 e sem compressão.',
      en: 'The body must be sent as application/json, in UTF-8 and not compressed.',
    },
  },
  notThroughProxy: {
    status: 421,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Este servidor só atende por seus proxies com TLS; confira o endereço da chamada.',
      en: 'This server is only reached through its TLS proxies; check the URL of the request.',
    },
  },
  keyOfOtherBody: {
    status: 422,
    tag: 'idempotencyKey',
    sentence: {
      pt: 'Esta Idempotency-Key já foi usada com outro corpo ou outro cartão.',
      en: 'This Idempotency-Key was used with another body or card already.',
    },
  },
  tooManyRequests: {
    status: 429,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Muitas requisições; tente de novo em instantes.',
      en: 'Too many requests; try again shortly.',
    },
  },
  unknownFailure: {
    status: 500,
    tag: '',
    sentence: {
      pt: 'Não foi possível executar o comando devido a um erro desconhecido.',
      en: 'The command could not be executed because of an unknown error.',
    },
  },
  held: {
    status: 503,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Nada foi feito: o serviço confere o seu banco de dados e por enquanto só responde a consultas. Tente de novo em instantes.',
      en: 'Nothing was done: the service is checking its database and answers only reads for now. Try again shortly.',
    },
  },
  acquirerAway: {
    status: 503,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A adquirente não pôde ser contatada: nada foi feito. Tente de novo em instantes.',
      en: 'The acquirer could not be reached: nothing was done. Try again shortly.',
    },
  },
  overloaded: {
    status: 503,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Serviço temporariamente indisponível; tente de novo em instantes.',
      en: 'The service is temporarily unavailable; try again shortly.',
    },
  },
} as const satisfies Record<string, RefusalShape>;

export type Failure = keyof typeof FAILURES;

export const RETRY_AFTER_SECONDS = '2';

/** Tag and sentence name the missing scope. */
export function forbiddenScope(scope: string): RefusalShape {
  const { status, tag, sentence } = FAILURES.forbiddenScope;
  const named = (text: string) => text.replaceAll('{scope}', scope);
  return { status, tag: named(tag), sentence: { pt: named(sentence.pt), en: named(sentence.en) } };
}

/** Where a body stops being JSON, as an editor counts. Shows none of its content. */
export function malformedJsonAt({ line, column }: { line: number; column: number }): Sentence {
  const { pt, en } = FAILURES.malformedJson.sentence;
  return {
    pt: `${pt.slice(0, -1)}: linha ${line}, coluna ${column}.`,
    en: `${en.slice(0, -1)}: line ${line}, column ${column}.`,
  };
}
