import types from './problem-types.json' with { type: 'json' };

/** `body` null: none. */
export type Answer = {
  readonly status: number;
  readonly body: object | null;
  readonly headers?: Readonly<Record<string, string>>;
};

export type ProblemType = keyof typeof types;
export const PROBLEM_TYPES = Object.keys(types) as [ProblemType, ...ProblemType[]];

export type Violation = { readonly razao: string; readonly propriedade: string };

const TYPE_PREFIX = 'https://pix.bcb.gov.br/api/v2/error/';

export const ABOUT: Answer = {
  status: 200,
  body: { name: 'parcela-pix-simulator', simulator: true, specification: '2.9.0' },
};
/** Of the simulator's own paths, in their own form. */
export const UNKNOWN_PATH: Answer = { status: 404, body: { error: 'unknownPath' } };
export const TOO_MANY: Answer = { status: 409, body: { error: 'tooMany' } };
export const NOT_FOUND: Answer = { status: 404, body: { error: 'notFound' } };
/** Not of the standard, which says nothing of tokens (RFC 6750). */
export const INVALID_TOKEN: Answer = {
  status: 401,
  body: { type: 'about:blank', title: 'Não autorizado.', status: 401, detail: 'O token falta ou expirou.' },
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
};
export const TOO_LARGE: Answer = problem('RequisicaoInvalida', { status: 413 });

export function ok(body: object | null): Answer {
  return { status: 200, body };
}

export function created(body: object): Answer {
  return { status: 201, body };
}

/** Of the simulator's own paths. */
export function malformed(field: string): Answer {
  return { status: 400, body: { error: 'malformed', field } };
}

/** RFC 7807, by a type of the specification. */
export function problem(
  type: ProblemType,
  given: {
    readonly status?: number;
    readonly detail?: string;
    readonly violacoes?: readonly Violation[];
  } = {},
): Answer {
  const { status, title } = types[type];
  const body = { type: `${TYPE_PREFIX}${type}`, title, status, ...given };
  return { status: body.status, body, headers: { 'content-type': 'application/problem+json' } };
}

export function violated(type: ProblemType, ...violacoes: Violation[]): Answer {
  return problem(type, { violacoes });
}

/** The first fault that a reader found, as the specification speaks of a field or an object of the entity. */
export function schemaViolation(entity: string, fault: string): Violation {
  const [first = ''] = fault.replace(/\[.*/, '').split('.');
  const isObject = WHOLE_OBJECTS.includes(first);
  // The body itself is no object.
  const propriedade = fault === '' ? entity : `${entity}.${isObject ? first : fault}`;
  return { razao: `O ${isObject ? 'objeto' : 'campo'} ${propriedade} não respeita o schema.`, propriedade };
}

const WHOLE_OBJECTS = ['devedor', 'infoAdicionais', 'vinculo', 'destinatario', 'recebedor'];
