import type { TObject, TSchema } from 'typebox';
import { isFreeText } from '../requests/text-readings.ts';
import { printSchema } from './json-schema.ts';
import type { Wording } from './wording.ts';

/** Parameters of an endpoint as OpenAPI has them; in a query an empty choice or number is absent. */
export function printParameters(
  place: 'path' | 'query',
  schema: TObject | undefined,
  wording: Wording,
  id: string,
): Record<string, unknown>[] {
  if (schema === undefined) return [];
  const required = (schema.required ?? []) as readonly string[];
  const mayBeEmpty = (name: string, property: TSchema) =>
    place === 'query' && !required.includes(name) && !isFreeText(property);
  return Object.entries(schema.properties as Record<string, TSchema>).map(([name, property]) => {
    const { description, ...printed } = printSchema(property, wording, [id, name]);
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      ...(mayBeEmpty(name, property) ? { allowEmptyValue: true } : {}),
      schema: printed,
    };
  });
}
