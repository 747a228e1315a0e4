import type { FieldReader } from '../kit/field-reader.ts';
import { readDay } from './moments.ts';
import { AMOUNT } from './money.ts';

/** `cob` is to be paid at once, `cobv` has a due day. */
export type ChargeKind = 'cob' | 'cobv';

export type Rate = { readonly modalidade: number; readonly valorPerc: string };
export type Discount = {
  readonly modalidade: number;
  readonly descontoDataFixa?: readonly { readonly data: string; readonly valorPerc: string }[];
  readonly valorPerc?: string;
};

/** What the receiver asked for, as the standard writes it; defaults filled in, unknown fields gone. */
export type ChargeContent = {
  readonly calendario: {
    readonly expiracao?: number;
    readonly dataDeVencimento?: string;
    readonly validadeAposVencimento?: number;
  };
  readonly devedor?: Readonly<Record<string, string>>;
  readonly valor: {
    readonly original: string;
    readonly modalidadeAlteracao?: number;
    readonly multa?: Rate;
    readonly juros?: Rate;
    readonly abatimento?: Rate;
    readonly desconto?: Discount;
  };
  readonly chave: string;
  readonly solicitacaoPagador?: string;
  readonly infoAdicionais?: readonly { readonly nome: string; readonly valor: string }[];
};

const DEFAULT_SECONDS = 86_400;
const LARGEST_INTEGER = 2_147_483_647;
const DEFAULT_VALID_DAYS = 30;
const MOST_VALID_DAYS = 3_650;
const MOST_INFORMATION = 50;
const MOST_DISCOUNTS = 3;
const CPF = /^\d{11}$/;
const CNPJ = /^[0-9A-Z]{12}\d{2}$/;
/** CPF, CNPJ, telephone, e-mail or a random key. */
export const KEY =
  /^(\d{11}|[0-9A-Z]{12}\d{2}|\+\d{8,15}|[^\s@]+@[^\s@]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
export const LONGEST_KEY = 77;

export function readChargeContent(kind: ChargeKind, fields: FieldReader): ChargeContent {
  return withoutNulls({
    calendario: fields.object<object>('calendario', kind === 'cob' ? readExpiry : readDueDay),
    devedor:
      kind === 'cob'
        ? fields.objectOrNull('devedor', (payer) => readPerson(payer, 200))
        : fields.object('devedor', readDebtor),
    valor: fields.object<object>('valor', kind === 'cob' ? readAmount : readDueAmount),
    chave: readKey(fields),
    solicitacaoPagador: fields.textOrNull('solicitacaoPagador', /^.{0,140}$/su),
    infoAdicionais: optionalList(fields, 'infoAdicionais', MOST_INFORMATION, (item) => ({
      nome: item.text('nome', /^.{1,50}$/su),
      valor: item.text('valor', /^.{1,200}$/su),
    })),
  }) as ChargeContent;
}

/** A person by a CPF or a company by a CNPJ, never both. */
export function readPerson(fields: FieldReader, longestName: number): Record<string, string> {
  const cpf = fields.textOrNull('cpf', CPF);
  const cnpj = fields.textOrNull('cnpj', CNPJ);
  if ((cpf === null) === (cnpj === null)) fields.refuse(cpf === null ? 'cpf' : 'cnpj');
  const nome = fields.text('nome', new RegExp(`^.{1,${longestName}}$`, 'su'));
  return withoutNulls({ cpf, cnpj, nome }) as Record<string, string>;
}

function readKey(fields: FieldReader): string {
  const key = fields.text('chave', KEY);
  if (key.length > LONGEST_KEY) fields.refuse('chave');
  return key;
}

export function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

function readExpiry(fields: FieldReader) {
  // Zero and less are refused with a sentence of their own.
  const given = fields.integerOrNull('expiracao', -LARGEST_INTEGER, LARGEST_INTEGER);
  return { expiracao: given ?? DEFAULT_SECONDS };
}

function readDueDay(fields: FieldReader) {
  const given = fields.integerOrNull('validadeAposVencimento', -LARGEST_INTEGER, MOST_VALID_DAYS);
  return {
    dataDeVencimento: readDay(fields, 'dataDeVencimento'),
    validadeAposVencimento: given ?? DEFAULT_VALID_DAYS,
  };
}

function readDebtor(fields: FieldReader) {
  return withoutNulls({
    ...readPerson(fields, 200),
    email: fields.textOrNull('email', /^.{1,200}$/su),
    logradouro: fields.textOrNull('logradouro', /^.{1,200}$/su),
    cidade: fields.textOrNull('cidade', /^.{1,200}$/su),
    uf: fields.textOrNull('uf', /^[A-Z]{2}$/),
    cep: fields.textOrNull('cep', /^\d{8}$/),
  });
}

function readAmount(fields: FieldReader) {
  const original = fields.text('original', AMOUNT);
  const modalidadeAlteracao = fields.integerOrNull('modalidadeAlteracao', 0, 1);
  // Cash at a till is nothing that this bank offers.
  if (fields.objectOrNull('retirada', () => true) !== null) fields.refuse('retirada');
  return withoutNulls({ original, modalidadeAlteracao });
}

function readDueAmount(fields: FieldReader) {
  return withoutNulls({
    original: fields.text('original', AMOUNT),
    multa: fields.objectOrNull('multa', (rate) => readRate(rate, 2)),
    juros: fields.objectOrNull('juros', (rate) => readRate(rate, 8)),
    abatimento: fields.objectOrNull('abatimento', (rate) => readRate(rate, 2)),
    desconto: fields.objectOrNull('desconto', readDiscount),
  });
}

function readRate(fields: FieldReader, most: number): Rate {
  const modalidade = fields.integer('modalidade', 1, most);
  return { modalidade, valorPerc: fields.text('valorPerc', AMOUNT) };
}

function readDiscount(fields: FieldReader): Discount {
  return withoutNulls({
    modalidade: fields.integer('modalidade', 1, 6),
    descontoDataFixa: optionalList(fields, 'descontoDataFixa', MOST_DISCOUNTS, (item) => ({
      data: readDay(item, 'data'),
      valorPerc: item.text('valorPerc', AMOUNT),
    })),
    valorPerc: fields.textOrNull('valorPerc', AMOUNT),
  }) as Discount;
}

/** Null: nothing is listed. */
function optionalList<T>(
  fields: FieldReader,
  name: string,
  most: number,
  read: (item: FieldReader) => T,
): T[] | null {
  const items = fields.listOrEmpty(name, most, read);
  return items.length === 0 ? null : items;
}
