import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { decimalParts, ExactNumber } from '../../values/exact-json.ts';
import { EMPTY, FORMATS, isOfFormat } from '../requests/formats.ts';
import { TEXT_READING_NAMES } from '../requests/text-readings.ts';
import type { Sentence } from './sentence.ts';

/** `pointer`: a JSON pointer into the body (`/payment/amount`). */
export type PointedFault = { readonly pointer: string; readonly sentence: Sentence };

export const MOST_FAULTS = 100;

/**
 * A number, checked digit by digit as it is written. `maximum`: a whole number below what `integerDigits`
 * allow.
 */
export type ExactDecimal = {
  readonly integerDigits: number;
  readonly decimals: number;
  readonly isPositive?: boolean;
  readonly maximum?: number;
};

function makeAjv(): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    strictRequired: false,
    verbose: true,
    coerceTypes: false,
  });
  for (const name of Object.keys(FORMATS)) ajv.addFormat(name, { validate: isOfFormat(name) });
  ajv.addKeyword({
    keyword: 'exactDecimal',
    schemaType: 'object',
    errors: false,
    validate: (limits: ExactDecimal, value: unknown) => isExactDecimal(value, limits),
  });
  // Ajv checks nothing here: the finder of card numbers reads it.
  ajv.addKeyword({ keyword: 'mayHoldCard', schemaType: 'boolean' });
  // The printer of the published description reads it.
  ajv.addKeyword({ keyword: 'checked', schemaType: 'object' });
  // The reader of bodies and queries reads it.
  ajv.addKeyword({ keyword: 'reads', schemaType: 'string', metaSchema: { enum: TEXT_READING_NAMES } });
  return ajv;
}

const ajv = makeAjv();

function isExactDecimal(value: unknown, limits: ExactDecimal): boolean {
  if (typeof value !== 'number' && !(value instanceof ExactNumber)) return false;
  const parts = decimalParts(value);
  if (parts === null || parts.negative) return false;
  if (limits.isPositive === true && parts.integer === '0' && parts.fraction === '') return false;
  if (parts.integer.length > limits.integerDigits || parts.fraction.length > limits.decimals) return false;
  const { maximum = Number.POSITIVE_INFINITY } = limits;
  return Number(parts.integer) < maximum || (Number(parts.integer) === maximum && parts.fraction === '');
}

export type SchemaCheck = (value: unknown) => PointedFault[];

/** Compiled on first use: compiling every schema would delay the start. */
export function schemaCheck(schema: TSchema): SchemaCheck {
  let validate: ValidateFunction | null = null;
  return (value) => {
    validate ??= ajv.compile(schema) as ValidateFunction;
    if (validate(value)) return [];
    return (validate.errors ?? []).slice(0, MOST_FAULTS).map(pointedFault);
  };
}

function pointedFault(error: ErrorObject): PointedFault {
  if (error.keyword === 'required') {
    return { pointer: `${error.instancePath}/${error.params.missingProperty}`, sentence: REQUIRED };
  }
  return { pointer: error.instancePath, sentence: sentenceOf(error) };
}

export const REQUIRED: Sentence = { pt: 'Campo obrigatório.', en: 'This field is required.' };

const TYPES: Record<string, Sentence> = {
  string: { pt: 'Deve ser um texto.', en: 'Must be a string.' },
  integer: { pt: 'Deve ser um número inteiro.', en: 'Must be an integer.' },
  number: { pt: 'Deve ser um número.', en: 'Must be a number.' },
  boolean: { pt: 'Deve ser true ou false.', en: 'Must be true or false.' },
  object: { pt: 'Deve ser um objeto.', en: 'Must be an object.' },
  array: { pt: 'Deve ser uma lista.', en: 'Must be an array.' },
};

const INVALID: Sentence = { pt: 'Valor inválido.', en: 'Invalid value.' };

/** Every keyword of our schemas has a sentence here: the validator's messages never reach a merchant. */
function sentenceOf(error: ErrorObject): Sentence {
  const { keyword, params } = error;
  switch (keyword) {
    case 'type':
      return tooManyDigits(error) ?? TYPES[String(params.type)] ?? INVALID;
    case 'maxLength':
      return {
        pt: `Deve ter no máximo ${params.limit} caracteres.`,
        en: `Must have at most ${params.limit} characters.`,
      };
    case 'minLength':
      if (params.limit === 1) return EMPTY;
      return {
        pt: `Deve ter no mínimo ${params.limit} caracteres.`,
        en: `Must have at least ${params.limit} characters.`,
      };
    case 'minimum':
      return atLeast(params.limit);
    case 'maximum':
      return atMost(params.limit);
    case 'maxItems':
      return {
        pt: `Deve ter no máximo ${params.limit} itens.`,
        en: `Must have at most ${params.limit} items.`,
      };
    case 'minItems':
      return {
        pt: `Deve ter no mínimo ${params.limit} item(ns).`,
        en: `Must have at least ${params.limit} item(s).`,
      };
    case 'enum':
      return {
        pt: `Deve ser um de: ${list(params.allowedValues)}.`,
        en: `Must be one of: ${list(params.allowedValues)}.`,
      };
    case 'const':
      return { pt: `Deve ser ${params.allowedValue}.`, en: `Must be ${params.allowedValue}.` };
    case 'format':
      return FORMATS[String(params.format)]?.sentence ?? INVALID;
    case 'exactDecimal': {
      const { integerDigits, decimals, isPositive, maximum } = error.schema as ExactDecimal;
      if (maximum !== undefined)
        return {
          pt: `Deve ser um número de 0 a ${maximum} com até ${decimals} decimais.`,
          en: `Must be a number from 0 to ${maximum} with up to ${decimals} decimals.`,
        };
      const more = isPositive === true ? { pt: ' maior que zero', en: ' above zero' } : { pt: '', en: '' };
      return {
        pt: `Deve ser um número${more.pt} com até ${integerDigits} dígitos inteiros e ${decimals} decimais.`,
        en: `Must be a number${more.en} of up to ${integerDigits} integer digits and ${decimals} decimals.`,
      };
    }
    default:
      return INVALID;
  }
}

/** An integer beyond JavaScript's exact range is too large, not "no integer". */
function tooManyDigits({ data, params, parentSchema }: ErrorObject): Sentence | null {
  if (params.type !== 'integer' || !(data instanceof ExactNumber)) return null;
  const parts = decimalParts(data);
  if (parts === null || parts.fraction !== '') return null;
  const { minimum, maximum } = (parentSchema ?? {}) as { minimum?: number; maximum?: number };
  if (parts.negative) return minimum === undefined ? null : atLeast(minimum);
  return maximum === undefined ? null : atMost(maximum);
}

function atLeast(limit: number): Sentence {
  return { pt: `Deve ser no mínimo ${limit}.`, en: `Must be at least ${limit}.` };
}

function atMost(limit: number): Sentence {
  return { pt: `Deve ser no máximo ${limit}.`, en: `Must be at most ${limit}.` };
}

function list(values: unknown): string {
  return (values as unknown[]).join(', ');
}
