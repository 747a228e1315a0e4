import {
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from 'typebox';

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

/** One of several, which generators of clients would name otherwise after the place where it stands. */
export function namedUnion<Branches extends TSchema[]>(
  name: string,
  branches: [...Branches],
): TUnion<Branches> {
  return Type.Union(branches, { title: name });
}

/** Undefined: it has none. */
export function nameOf(schema: object): string | undefined {
  return (schema as { readonly title?: string }).title;
}
