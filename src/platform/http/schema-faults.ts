import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { readBasicAuth } from '../../values/basic-auth.ts';
import { documentKind } from '../../values/document-number.ts';
import { decimalParts, ExactNumber } from '../../values/exact-json.ts';
import { isDay, parseOffsetText, parseSaoPauloText } from '../../values/instant.ts';
import { isSoftDescriptor, NO_SOFT_DESCRIPTOR } from '../../values/soft-descriptor.ts';
import { TEXT_READING_NAMES } from '../requests/text-readings.ts';
import type { Sentence } from './sentence.ts';

/** A fault at a JSON pointer of the body (`/payment/amount`). */
export type PointedFault = { readonly pointer: string; readonly sentence: Sentence };

/** The most faults in one answer. */
export const MOST_FAULTS = 100;

type ExactDecimal = { integerDigits: number; decimals: number; isPositive?: boolean };

/** Of an empty text too: "at least 1 characters" would be no help. */
const EMPTY: Sentence = { pt: 'Não pode ficar em branco.', en: 'Must not be blank.' };

/**
 * The formats that schemas may name, each a linear check with the sentence for its fault. Modules
 * add no others, so that one page lists them all.
 */
export const FORMATS: Record<string, { test: (text: string) => boolean; sentence: Sentence }> = {
  guid: {
    test: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
    sentence: { pt: 'Deve ser um GUID.', en: 'Must be a GUID.' },
  },
  month: {
    test: (text) => /^(0[1-9]|1[0-2])$/.test(text),
    sentence: {
      pt: 'Deve ser um mês com dois dígitos, de 01 a 12.',
      en: 'Must be a month of two digits, 01 to 12.',
    },
  },
  day: {
    test: (text) => isDay(text),
    sentence: { pt: 'Deve ser um dia, AAAA-MM-DD.', en: 'Must be a day, YYYY-MM-DD.' },
  },
  moment: {
    test: (text) => parseOffsetText(text) !== null,
    sentence: {
      pt: 'Deve ser data e hora com fuso, AAAA-MM-DDThh:mm:ss-03:00.',
      en: 'Must be date and time with the offset, YYYY-MM-DDThh:mm:ss-03:00.',
    },
  },
  twoDigits: {
    test: (text) => /^\d\d$/.test(text),
    sentence: { pt: 'Deve ter dois dígitos.', en: 'Must have two digits.' },
  },
  digits: {
    test: (text) => /^\d*$/.test(text),
    sentence: { pt: 'Deve conter apenas dígitos.', en: 'Must have digits only.' },
  },
  securityCode: {
    test: (text) => /^\d{3,4}$/.test(text),
    sentence: { pt: 'Deve ter 3 ou 4 dígitos.', en: 'Must have 3 or 4 digits.' },
  },
  softDescriptor: {
    test: isSoftDescriptor,
    sentence: {
      pt: 'Deve ter até 13 letras sem acento, dígitos, espaços e .-*, e não pode ficar em branco.',
      en: 'Must have up to 13 letters without accents, digits, blanks and .-*, and not be blank.',
    },
  },
  softDescriptorOrNone: {
    test: (text) => text === NO_SOFT_DESCRIPTOR || isSoftDescriptor(text),
    sentence: {
      pt: 'Deve ter até 13 letras sem acento, dígitos, espaços e .-*, e não só sinais; um ponto sozinho é nenhum.',
      en: 'Must have up to 13 letters without accents, digits, blanks and .-*, and not signs alone; one point alone is none.',
    },
  },
  cpfOrCnpj: {
    test: (text) => documentKind(text) !== null,
    sentence: {
      pt: 'Deve ser um CPF ou CNPJ válido, com máscara ou sem.',
      en: 'Must be a valid CPF or CNPJ, with its mask or without.',
    },
  },
  /** The same, where it is not read without its mask. */
  bareCpfOrCnpj: {
    test: (text) => documentKind(text) !== null,
    sentence: {
      pt: 'Deve ser um CPF ou CNPJ válido, sem máscara.',
      en: 'Must be a valid CPF or CNPJ, without mask.',
    },
  },
  postalCode: {
    test: (text) => /^\d{8}$/.test(text),
    sentence: {
      pt: 'Deve ser um CEP de 8 dígitos, com hífen ou sem.',
      en: 'Must be a CEP of 8 digits, with its hyphen or without.',
    },
  },
  emailAddress: {
    test: (text) => /^[^\s@\p{Cc}]+@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u.test(text),
    sentence: { pt: 'Deve ser um endereço de e-mail.', en: 'Must be an e-mail address.' },
  },
  telephone: {
    test: (text) => /^\+?[\d ().-]+$/.test(text) && isTelephoneNumber(text.replace(/\D/g, '')),
    sentence: {
      pt: 'Deve ser um telefone de 8 a 15 dígitos, com código do país ou sem.',
      en: 'Must be a telephone number of 8 to 15 digits, with the country code or without.',
    },
  },
  webAddress: {
    test: isWebAddress,
    sentence: {
      pt: 'Deve ser um endereço http ou https, sem usuário e senha.',
      en: 'Must be an http or https URL without user and password.',
    },
  },
  saoPauloTime: {
    test: (text) => parseSaoPauloText(text) !== null,
    sentence: {
      pt: 'Deve ser data e hora de Brasília sem fuso, como 2027-03-01T09:00:00.',
      en: 'Must be a local date and time without zone, such as 2027-03-01T09:00:00.',
    },
  },
  basicAuth: {
    test: (text) => readBasicAuth(text) !== null,
    sentence: {
      pt: 'Deve ser o base64 de usuário:senha em UTF-8, sem caracteres de controle.',
      en: 'Must be the base64 of user:password in UTF-8, without control characters.',
    },
  },
  /** For names and descriptions: blanks would be none. */
  filledText: { test: (text) => /\S/.test(text), sentence: EMPTY },
  /**
   * Acquirers refuse a name with line breaks or control characters, and their refusal would be an
   * unknown failure of ours.
   */
  visibleText: {
    test: (text) => /\S/.test(text) && !/\p{Cc}/u.test(text),
    sentence: {
      pt: 'Não pode ficar em branco nem ter caracteres de controle.',
      en: 'Must not be blank, nor have control characters.',
    },
  },
};

const isTelephoneNumber = (digits: string): boolean => digits.length >= 8 && digits.length <= 15;

/**
 * URL.parse mends much (line breaks, spaces around, backslashes, missing slashes): an address that
 * it would mend is refused.
 */
function isWebAddress(text: string): boolean {
  if (text.length > 2_048 || !/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || url.protocol === 'http:';
}

function makeAjv(): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    strictRequired: false,
    verbose: true,
    coerceTypes: false,
  });
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, { validate: format.test });
  ajv.addKeyword({
    keyword: 'exactDecimal',
    schemaType: 'object',
    errors: false,
    validate: (limits: ExactDecimal, value: unknown) => isExactDecimal(value, limits),
  });
  // The finder of card numbers reads it; the validator ignores it.
  ajv.addKeyword({ keyword: 'mayHoldCard', schemaType: 'boolean' });
  // The reader of bodies and queries reads it.
  ajv.addKeyword({ keyword: 'reads', schemaType: 'string', metaSchema: { enum: TEXT_READING_NAMES } });
  return ajv;
}

const ajv = makeAjv();

/**
 * A number of at most so many digits before and after the point, never negative (or never zero),
 * compared as it was written.
 */
function isExactDecimal(value: unknown, limits: ExactDecimal): boolean {
  if (typeof value !== 'number' && !(value instanceof ExactNumber)) return false;
  const parts = decimalParts(value);
  if (parts === null || parts.negative) return false;
  if (limits.isPositive === true && parts.integer === '0' && parts.fraction === '') return false;
  return parts.integer.length <= limits.integerDigits && parts.fraction.length <= limits.decimals;
}

export type SchemaCheck = (value: unknown) => PointedFault[];

/** Compiled for the first value: a process that starts does not wait for the hundred that nobody asks for. */
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

/**
 * Every keyword of our schemas has its sentence here; the words of the validator never reach a
 * merchant.
 */
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
      const { integerDigits, decimals, isPositive } = error.schema as ExactDecimal;
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

/**
 * A whole number beyond what JavaScript holds exactly is an integer all the same: its fault is its
 * size.
 */
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
