import {
  type TNull,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from 'typebox';

/**
 * An object that stands once in the published description, under this name. Readers of requests see an
 * ordinary object.
 */
export function named<Fields extends TProperties>(
  name: string,
  fields: Fields,
  options: TObjectOptions = {},
): TObject<Fields> {
  return Type.Object(fields, { ...options, title: name });
}

/** A union with a name of its own; generators of clients would name it after its place. */
export function namedUnion<Branches extends TSchema[]>(
  name: string,
  branches: [...Branches],
): TUnion<Branches> {
  return Type.Union(branches, { title: name });
}

export function orNull<Schema extends TSchema>(
  schema: Schema,
  description?: string,
): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

export function nameOf(schema: object): string | undefined {
  return (schema as { readonly title?: string }).title;
}
