import { type TObject, type TObjectOptions, type TProperties, Type } from 'typebox';

/**
 * An object of the published description: it stands there once, under this name, and is referred to. Readers
 * of requests see an object like any other.
 */
export function named<Fields extends TProperties>(
  name: string,
  fields: Fields,
  options: TObjectOptions = {},
): TObject<Fields> {
  return Type.Object(fields, { ...options, title: name });
}

/** Undefined: it has none. */
export function nameOf(schema: object): string | undefined {
  return (schema as { readonly title?: string }).title;
}
