import { readBasicAuth } from '../../values/basic-auth.ts';
import { documentKind } from '../../values/document-number.ts';
import { isDay, parseOffsetText, parseSaoPauloText } from '../../values/instant.ts';
import { isWebOrigin } from '../../values/web-origin.ts';
import type { Sentence } from '../http/sentence.ts';

/** A printed pattern, enforced as it is: linear, without look-ahead and Unicode classes. */
export type Format = {
  readonly pattern: string;
  /** The pattern before the text is normalized (`reads` of a schema), if it differs. */
  readonly sentPattern?: string;
  /** JSON Schema's own name for it. */
  readonly standard?: 'date' | 'date-time' | 'email' | 'uri' | 'uuid';
  /** Pattern of what the standard name allows and Parcela refuses. */
  readonly never?: string;
  /** A rule beyond the patterns. The example is for tools that make up values; a standard name needs none. */
  readonly also?: { readonly test: (text: string) => boolean; readonly example?: string };
  readonly sentence: Sentence;
};

/** Also for an empty text, where "at least 1 characters" would not help. */
export const EMPTY: Sentence = { pt: 'Não pode ficar em branco.', en: 'Must not be blank.' };

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** Blanks that are no control characters. */
const BLANK = '\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
/** Mask characters of a CPF, CNPJ or CEP. */
const MASK = '[\\s./-]*';
const DAY = '\\d{4}-\\d\\d-\\d\\d';
const BEFORE_1920 = '0|1[0-8]|19[01]';
const TIME = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?';
const EMAIL = `[^\\s@${CONTROL}]+@[^\\s@.${CONTROL}]+(\\.[^\\s@.${CONTROL}]+)+`;
const GUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';
const BASE64_OF_20 = '[A-Za-z0-9+/]{27}=';
const DESCRIPTOR = '[ .*-]*[A-Za-z0-9][A-Za-z0-9 .*-]*';

export const NO_WEB_ORIGIN: Sentence = {
  pt: 'Deve ser só esquema, nome e porta, em minúsculas, como https://www.exemplo.com.br.',
  en: 'Must be scheme, name and port alone, in small letters, such as https://www.example.com.',
};

/** Modules add no others, so that one page lists them all. */
export const FORMATS: Readonly<Record<string, Format>> = {
  guid: {
    pattern: `^${GUID}$`,
    standard: 'uuid',
    sentence: { pt: 'Deve ser um GUID.', en: 'Must be a GUID.' },
  },
  month: {
    pattern: '^(0[1-9]|1[0-2])$',
    sentence: {
      pt: 'Deve ser um mês com dois dígitos, de 01 a 12.',
      en: 'Must be a month of two digits, 01 to 12.',
    },
  },
  day: {
    pattern: `^${DAY}$`,
    standard: 'date',
    never: `^(${BEFORE_1920})`,
    also: { test: isDay },
    sentence: {
      pt: 'Deve ser um dia, AAAA-MM-DD, a partir de 1920.',
      en: 'Must be a day, YYYY-MM-DD, from 1920 on.',
    },
  },
  moment: {
    pattern: `^${DAY}T${TIME}(Z|[+-]\\d\\d:[0-5]\\d)$`,
    standard: 'date-time',
    // Refuses a first or last day that another offset moves out of the span, and offsets that no clock has.
    never: `^(${BEFORE_1920}|1920-01-01|9999-12-31)|[tz]|:60|\\.\\d{10}|[+-](1[5-9]|2\\d):`,
    also: { test: (text) => parseOffsetText(text) !== null },
    sentence: {
      pt: 'Deve ser data e hora com fuso, AAAA-MM-DDThh:mm:ss-03:00, de 1920-01-02 a 9999-12-30.',
      en: 'Must be date and time with the offset, YYYY-MM-DDThh:mm:ss-03:00, 1920-01-02 to 9999-12-30.',
    },
  },
  twoDigits: {
    pattern: '^\\d\\d$',
    sentence: { pt: 'Deve ter dois dígitos.', en: 'Must have two digits.' },
  },
  digits: {
    pattern: '^\\d*$',
    sentence: { pt: 'Deve conter apenas dígitos.', en: 'Must have digits only.' },
  },
  securityCode: {
    pattern: '^\\d{3,4}$',
    sentence: { pt: 'Deve ter 3 ou 4 dígitos.', en: 'Must have 3 or 4 digits.' },
  },
  eci: {
    pattern: '^0?[0124567]$',
    sentence: {
      pt: 'Deve ser um ECI: 00, 01, 02, 04, 05, 06 ou 07.',
      en: 'Must be an ECI: 00, 01, 02, 04, 05, 06 or 07.',
    },
  },
  base64Of20Bytes: {
    pattern: `^${BASE64_OF_20}$`,
    sentence: {
      pt: 'Deve ter 28 caracteres: 20 bytes em base64.',
      en: 'Must have 28 characters: 20 bytes in base64.',
    },
  },
  xidOrGuid: {
    pattern: `^(${BASE64_OF_20}|${GUID})$`,
    sentence: {
      pt: 'Deve ser um GUID, ou 20 bytes em base64 (28 caracteres).',
      en: 'Must be a GUID, or 20 bytes in base64 (28 characters).',
    },
  },
  threeDSVersion: {
    pattern: '^2(\\.[0-3](\\.\\d)?)?$',
    sentence: {
      pt: 'Deve ser uma versão 2 do 3-D Secure, como 2.2.0. A versão 1 foi encerrada.',
      en: 'Must be a version 2 of 3-D Secure, such as 2.2.0. Version 1 has ended.',
    },
  },
  softDescriptor: {
    pattern: `^${DESCRIPTOR}$`,
    sentence: {
      pt: 'Deve ter até 13 letras sem acento, dígitos, espaços e .-*, e não pode ficar em branco.',
      en: 'Must have up to 13 letters without accents, digits, blanks and .-*, and not be blank.',
    },
  },
  softDescriptorOrNone: {
    pattern: `^(\\.|${DESCRIPTOR})$`,
    sentence: {
      pt: 'Deve ter até 13 letras sem acento, dígitos, espaços e .-*, e não só sinais; um ponto sozinho é nenhum.',
      en: 'Must have up to 13 letters without accents, digits, blanks and .-*, and not signs alone; one point alone is none.',
    },
  },
  cpfOrCnpj: {
    pattern: '^(\\d{11}|[0-9A-Z]{12}\\d{2})$',
    sentPattern: `^${MASK}((\\d${MASK}){11}|([0-9A-Z]${MASK}){12}(\\d${MASK}){2})$`,
    also: { test: (text) => documentKind(text) !== null, example: '529.982.247-25' },
    sentence: {
      pt: 'Deve ser um CPF ou CNPJ válido, com máscara ou sem.',
      en: 'Must be a valid CPF or CNPJ, with its mask or without.',
    },
  },
  bareCpfOrCnpj: {
    pattern: '^(\\d{11}|[0-9A-Z]{12}\\d{2})$',
    also: { test: (text) => documentKind(text) !== null, example: '52998224725' },
    sentence: {
      pt: 'Deve ser um CPF ou CNPJ válido, sem máscara.',
      en: 'Must be a valid CPF or CNPJ, without mask.',
    },
  },
  postalCode: {
    pattern: '^\\d{8}$',
    sentPattern: `^${MASK}(\\d${MASK}){8}$`,
    sentence: {
      pt: 'Deve ser um CEP de 8 dígitos, com hífen ou sem.',
      en: 'Must be a CEP of 8 digits, with its hyphen or without.',
    },
  },
  emailAddress: {
    pattern: `^${EMAIL}$`,
    sentPattern: `^\\s*${EMAIL}\\s*$`,
    sentence: { pt: 'Deve ser um endereço de e-mail.', en: 'Must be an e-mail address.' },
  },
  telephone: {
    pattern: '^\\+?[ ().-]*(\\d[ ().-]*){8,15}$',
    sentence: {
      pt: 'Deve ser um telefone de 8 a 15 dígitos, com código do país ou sem.',
      en: 'Must be a telephone number of 8 to 15 digits, with the country code or without.',
    },
  },
  webAddress: {
    pattern: `^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\@/?#${CONTROL}]+([/?#][^\\s\\\\${CONTROL}]*)?$`,
    standard: 'uri',
    also: { test: isWebAddress, example: 'https://loja.com.br/notificacoes' },
    sentence: {
      pt: 'Deve ser um endereço http ou https, sem usuário e senha.',
      en: 'Must be an http or https URL without user and password.',
    },
  },
  webOrigin: {
    pattern: '^https?://[a-z0-9_][a-z0-9_.-]*(:[1-9][0-9]{0,4})?$',
    also: { test: isWebOrigin, example: 'https://loja.com.br' },
    sentence: NO_WEB_ORIGIN,
  },
  saoPauloTime: {
    pattern: `^(19[2-9]|[2-9]\\d{2})\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T${TIME}$`,
    also: { test: (text) => parseSaoPauloText(text) !== null, example: '2027-03-01T09:00:00' },
    sentence: {
      pt: 'Deve ser data e hora de Brasília sem fuso, como 2027-03-01T09:00:00.',
      en: 'Must be a local date and time without zone, such as 2027-03-01T09:00:00.',
    },
  },
  basicAuth: {
    pattern: '^([Bb][Aa][Ss][Ii][Cc] +)?[A-Za-z0-9+/]+={0,2}$',
    also: { test: (text) => readBasicAuth(text) !== null, example: 'bG9qYTpzZW5oYQ==' },
    sentence: {
      pt: 'Deve ser o base64 de usuário:senha em UTF-8, sem caracteres de controle.',
      en: 'Must be the base64 of user:password in UTF-8, without control characters.',
    },
  },
  /** For names and descriptions. */
  filledText: { pattern: '\\S', sentence: EMPTY },
  /** Acquirers refuse names with line breaks or control characters. */
  visibleText: {
    pattern: `^[${BLANK}]*[^\\s${CONTROL}][^${CONTROL}]*$`,
    sentence: {
      pt: 'Não pode ficar em branco nem ter caracteres de controle.',
      en: 'Must not be blank, nor have control characters.',
    },
  },
};

export function isOfFormat(name: string): (text: string) => boolean {
  const { pattern, never, also } = FORMATS[name] as Format;
  const shape = new RegExp(pattern, 'u');
  const refused = never === undefined ? null : new RegExp(never, 'u');
  return (text) => shape.test(text) && refused?.test(text) !== true && also?.test(text) !== false;
}

/** URL.parse repairs much (line breaks, missing slashes); the pattern has refused such texts before. */
function isWebAddress(text: string): boolean {
  return text.length <= 2_048 && URL.canParse(text);
}
