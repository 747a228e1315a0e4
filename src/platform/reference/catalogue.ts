import type { Contract, Synonyms } from '../http/endpoint.ts';
import { FAILURES } from '../http/failures.ts';
import type { RefusalShape } from '../http/refusal.ts';
import { REQUIRED } from '../http/schema-faults.ts';
import type { Sentence } from '../http/sentence.ts';
import { NULL, unknownName } from '../requests/body-shape.ts';
import { CARD_NUMBER_IN_TEXT } from '../requests/card-numbers.ts';
import { FOREIGN_FIELD_SENTENCES, FOREIGN_FIELDS } from '../requests/foreign-fields.ts';
import { FORMATS } from '../requests/formats.ts';
import { EMPTY_PARAMETER, JSON_FAULTS } from '../requests/request-reader.ts';

/** A table of docs/errors.md and of the reference page. Codes stand in backticks. */
export type CatalogueTable = {
  readonly title: string;
  readonly text: string;
  readonly columns: readonly string[];
  /** A cell in both languages is shown in the page's language. */
  readonly rows: readonly (readonly (string | Sentence)[])[];
};

/** For callers that get no response, or one that Parcela did not make. */
export const NO_ANSWER_TEXT: Sentence = {
  pt:
    'Sem resposta. Quando a verdade não pode ser conhecida a tempo, a conexão é cortada, pois qualquer resposta poderia ser mentira; um proxy ' +
    'TLS na frente faz disso um 502, e da própria impaciência um 504. Por isso 502, 504, uma conexão encerrada e toda resposta sem um corpo ' +
    'como os descritos aqui (uma página em HTML, um corpo vazio que não é 401) não são resposta: o que foi pedido foi feito uma vez, ou não ' +
    'foi feito. Envie a mesma requisição de novo com a sua `Idempotency-Key`, ou procure o pagamento por `referenceTransaction`; nunca tome ' +
    'isso por um não.',
  en:
    'No answer. Where the truth cannot be had in time the connection is cut, since any answer could be a lie; a TLS proxy in front makes ' +
    '502 of that, and 504 of its own impatience. So 502, 504, an ended connection and every answer without a body as described here (a ' +
    'page in HTML, an empty one that is no 401) are no answer: what was asked was done once, or not at all. Send the same ' +
    'request again with its `Idempotency-Key`, or look the payment up by `referenceTransaction`; never take it for a no.',
};

const SENTENCES = ['Portuguese', 'English'] as const;

export function failureTable(): CatalogueTable {
  return {
    ...refusalTable('Any request', 'What every endpoint may answer.', FAILURES),
    columns: ['Status', 'Tag', ...SENTENCES],
  };
}

/** The faults of one field; the tag is its path as it was sent. */
export function fieldTable(): CatalogueTable {
  const { syntax: _, ...jsonFaults } = JSON_FAULTS;
  const formats = Object.values(FORMATS).map((format) => format.sentence);
  const ofNames = [...FOREIGN_FIELD_SENTENCES, unknownName(['amount']), NULL];
  const sentences = [
    REQUIRED,
    EMPTY_PARAMETER,
    CARD_NUMBER_IN_TEXT,
    ...ofNames,
    ...Object.values(jsonFaults),
    ...formats,
  ];
  return {
    title: 'Fields',
    text:
      'Status 400. The tag is the path of the field as you sent it, such as `payment.amount` or `configSplit[0].percent`. ' +
      'What says nothing is absent, at every depth and inside encryptedCard: null, an optional text that is empty or ' +
      'blank, and an optional list that is empty; an empty list stands for an empty object. CPF, CNPJ and CEP may carry their masks (not ' +
      'documentNumberBeneficiary). ' +
      'In a query an empty choice or number (`status=`, `page=`) is absent, and an empty identifier, date or text ' +
      '(`vaultId=`) is refused. Unknown fields are ignored, but for those of other gateways; where the schema has ' +
      '`additionalProperties: false`, an unknown field or parameter and null are refused.',
    columns: [...SENTENCES],
    rows: sentences.map(({ pt, en }) => [pt, en]),
  };
}

export function foreignFieldTable(): CatalogueTable {
  return {
    title: 'Fields of other gateways',
    text:
      'They decide elsewhere what is charged, of whom or for whom. Each is refused wherever it stands, unless it says ' +
      'nothing. Capital letters, blanks, dots, `_` and `-` in a name make no difference.',
    columns: ['Field', 'Says nothing'],
    rows: FOREIGN_FIELDS.map(({ name, harmless }) => {
      const values = harmless.map((value) => `\`${value}\``).join(', ');
      return [`\`${name}\``, { pt: `\`null\`, vazio, ${values}`, en: `\`null\`, empty, ${values}` }];
    }),
  };
}

/** Names and doors that are read as if sent as the contracts say. */
export function synonymTable(
  synonyms: readonly Synonyms[],
  contracts: readonly Pick<Contract, 'id' | 'method' | 'path'>[],
): CatalogueTable {
  const rows = synonyms.flatMap(({ operation, doors = [], isFromEither, flatFields = {} }) => {
    const own = contracts.find(({ id }) => id === operation);
    if (own === undefined) throw new Error(`${operation}, which has synonyms, is no operation`);
    const at = `\`${own.method} ${own.path}\``;
    const either = {
      pt: `${at}; campos no corpo ou na consulta`,
      en: `${at}; fields in the body or in the query`,
    };
    const paths = doors.map(({ method, path, parameters = {} }) => {
      const query = Object.entries(parameters).map(([name, parameter]) => `${name}={${parameter}}`);
      return [`\`${[`${method} ${path}`, ...query].join('?')}\``, isFromEither === true ? either : at];
    });
    const fields = Object.entries(flatFields).map(([name, { pointers }]) => [
      `\`${name}\``,
      `${pointers.map((pointer) => `\`${pointer.slice(1).replaceAll('/', '.')}\``).join(', ')} (${at})`,
    ]);
    return [...paths, ...fields];
  });
  return {
    title: 'Other names that are taken',
    text:
      'Clients of this family of gateways send some requests otherwise. They are read as what stands beside them, and answered alike. ' +
      'Paths are taken in capital or small letters.',
    columns: ['Sent', 'Read as'],
    rows,
  };
}

export function refusalTable(
  title: string,
  text: string,
  refusals: Readonly<Record<string, RefusalShape>>,
): CatalogueTable {
  const rows = Object.values(refusals)
    .toSorted((one, other) => one.status - other.status)
    .map(({ status, tag, sentence, retryAfterSeconds }) => [
      retryAfterSeconds === undefined ? String(status) : `${status}, \`Retry-After\``,
      `\`${tag === '' ? '""' : tag}\``,
      sentence.pt,
      sentence.en,
    ]);
  return { title, text, columns: ['Status', 'Tag', ...SENTENCES], rows };
}

export const PUBLISHED_HEADERS = {
  'X-Request-Id': {
    description: 'The number of this request in our log. Name it when you ask about one.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Payment-Id': {
    description: 'The paymentId, on every answer to a payment that there is: approved, declined or failed.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Total-Count': {
    description: 'How many there are on all pages.',
    schema: { type: 'integer' },
  },
  'WWW-Authenticate': {
    description: '`Bearer`: what is missing is a token, or what it is asked for with.',
    schema: { type: 'string', enum: ['Bearer'] },
  },
  'Retry-After': { description: 'How many seconds to wait.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description:
      '`true`: an earlier request with the same Idempotency-Key made this; its outcome is answered again.',
    schema: { type: 'string', enum: ['true'] },
  },
};

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names this request, of yours to this path: sent again with the same body and the same card (encrypted anew, or by ' +
    'another token, it is the same card; the security code may differ) it has no second effect, and is answered with the ' +
    'outcome of the first. What was refused before anything was done is not kept. Thirty days; payments, captures and ' +
    'cancels longer.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
} as const;
