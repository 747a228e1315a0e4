import type { FieldReader } from '../kit/field-reader.ts';
import { type Answer, ok, type ProblemType, schemaViolation, violated } from './answers.ts';
import { instantOf } from './shapes.ts';

const USUAL_ITEMS = 100;
const NUMBER = /^-?\d{1,9}$/;

/** What every list is asked for. */
export type ListQuery = {
  readonly from: number;
  readonly to: number;
  readonly page: number;
  readonly size: number;
};

/** Reads what every list is asked for, or gives the answer why not. */
export function readListQuery(
  query: FieldReader,
  {
    type,
    entity,
    most,
    isBounded = true,
  }: { type: ProblemType; entity: string; most: number; isBounded?: boolean },
): ListQuery | Answer {
  const [inicio, fim] = isBounded
    ? [query.instant('inicio'), query.instant('fim')]
    : [query.instantOrNull('inicio') ?? 0, query.instantOrNull('fim') ?? Number.MAX_SAFE_INTEGER];
  const page = readNumber(query, 'paginacao.paginaAtual', 0);
  const size = readNumber(query, 'paginacao.itensPorPagina', USUAL_ITEMS);
  const isTwoPeople = query.textOrNull('cpf', /./) !== null && query.textOrNull('cnpj', /./) !== null;
  if (query.fault !== null) return violated(type, schemaViolation(entity, query.fault));
  const say = (propriedade: string, razao: string) => violated(type, { razao, propriedade });
  if (fim < inicio) return say('fim', 'O timestamp representado pelo parâmetro fim é anterior ao inicio.');
  if (isTwoPeople) return say('cpf', 'Ambos os parâmetros cpf e cnpj estão preenchidos.');
  if (page < 0) return say('paginacao.paginaAtual', 'O parâmetro paginacao.paginaAtual é negativo.');
  if (size < 1) return say('paginacao.itensPorPagina', 'O parâmetro paginacao.itensPorPagina é negativo.');
  return { from: inicio, to: fim, page, size: Math.min(size, most) };
}

/** One page: `filters` are repeated as they were given. */
export function pageAnswer<T>(
  { from, to, page, size }: ListQuery,
  {
    name,
    items,
    shape,
    filters,
  }: {
    readonly name: string;
    readonly items: readonly T[];
    readonly shape: (item: T) => object;
    readonly filters: object;
  },
): Answer {
  const paginacao = {
    ...{ paginaAtual: page, itensPorPagina: size },
    quantidadeDePaginas: Math.max(Math.ceil(items.length / size), 1),
    quantidadeTotalDeItens: items.length,
  };
  const bounds = to === Number.MAX_SAFE_INTEGER ? {} : { inicio: instantOf(from), fim: instantOf(to) };
  const onPage = items.slice(page * size, (page + 1) * size).map(shape);
  return ok({ parametros: { ...bounds, ...filters, paginacao }, [name]: onPage });
}

/** A truth in an address is a text. */
export function readFlag(query: FieldReader, name: string): boolean | null {
  const word = query.wordOrNull(name, ['true', 'false']);
  return word === null ? null : word === 'true';
}

function readNumber(query: FieldReader, name: string, otherwise: number): number {
  const text = query.textOrNull(name, NUMBER);
  return text === null ? otherwise : Number(text);
}
