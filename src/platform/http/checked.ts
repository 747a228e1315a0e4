/**
 * Rules between the fields of an object, in JSON Schema: enforced by the contract's check and printed in the
 * published description. No `oneOf`: generators of clients make classes of it.
 */
export type CheckedRule = {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, object>>;
  readonly not?: CheckedRule;
  readonly if?: CheckedRule;
  readonly then?: CheckedRule;
  readonly else?: CheckedRule;
};

/** A blank text or null counts as absent. */
const PRESENT = { type: 'string', pattern: '\\S' };
const ABSENT = { type: ['string', 'null'], pattern: '^\\s*$' };

const each = (names: readonly string[], schema: object) =>
  Object.fromEntries(names.map((name) => [name, schema]));

/** These texts must be present. */
export const has = (...names: readonly string[]): CheckedRule => ({
  required: names,
  properties: each(names, PRESENT),
});

/** These numbers and lists must be present. */
export const hasValue = (...names: readonly string[]): CheckedRule => ({
  required: names,
  properties: each(names, { not: { type: 'null' } }),
});

export const lacks = (...names: readonly string[]): CheckedRule => ({ properties: each(names, ABSENT) });

export const isWord = (name: string, word: string): CheckedRule => ({
  required: [name],
  properties: { [name]: { const: word } },
});

export const withField = (name: string, schema: object): CheckedRule => ({ properties: { [name]: schema } });

export function both(one: CheckedRule, other: CheckedRule): CheckedRule {
  const required = [...(one.required ?? []), ...(other.required ?? [])];
  const properties = { ...one.properties, ...other.properties };
  return { ...(required.length === 0 ? {} : { required }), properties };
}

export function when(condition: CheckedRule, then: CheckedRule, otherwise?: CheckedRule): CheckedRule {
  return { if: condition, then, ...(otherwise === undefined ? {} : { else: otherwise }) };
}
