import { isBlank } from '../../values/blank-text.ts';

/** Normalizations before the check, for the schema keyword `reads`. Other texts stay as they are. */
const TEXT_READINGS = {
  /** People write CPF and CNPJ with a mask. */
  document: (text) => unmasked(text, /^([\dA-Z]{12}\d\d|\d{11})$/),
  postalCode: (text) => unmasked(text, /^\d{8}$/),
  emailAddress: (text) => text.trim(),
  capitals: (text) => text.trim().toUpperCase(),
  smallLetters: (text) => text.toLowerCase(),
} as const satisfies Record<string, (text: string) => string>;

type TextReading = keyof typeof TEXT_READINGS;
export const TEXT_READING_NAMES = Object.keys(TEXT_READINGS);

function unmasked(text: string, shape: RegExp): string {
  const bare = text.replaceAll(/[\s./-]/g, '');
  return shape.test(bare) ? bare : text;
}

type Parts = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly reads?: TextReading;
};

export function readText(schema: object, value: unknown): unknown {
  const { reads } = schema as Parts;
  return reads === undefined || typeof value !== 'string' ? value : TEXT_READINGS[reads](value);
}

/** Only where the schema is a text does an empty text count as absent. */
function isTextSchema(schema: object): boolean {
  const { type, enum: words, const: word } = schema as Parts;
  return (
    type === 'string' || typeof word === 'string' || (words?.every((one) => typeof one === 'string') ?? false)
  );
}

export function isEmptyText(schema: object, value: unknown): boolean {
  return isBlank(value) && isTextSchema(schema);
}

export function isFreeText(schema: object): boolean {
  const { type, enum: words, const: word } = schema as Parts;
  return type === 'string' && words === undefined && word === undefined;
}
