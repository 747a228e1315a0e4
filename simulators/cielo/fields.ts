export type Fields = Readonly<Record<string, unknown>>;

const DEEPEST = 8;

/** Cielo does not care whether a name begins with a capital; its own answers do. */
export function capitalized(json: unknown, depth = 0): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (depth === DEEPEST) return null;
  if (Array.isArray(json)) return json.map((item) => capitalized(item, depth + 1));
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name.slice(0, 1).toUpperCase() + name.slice(1),
      capitalized(value, depth + 1),
    ]),
  );
}

export function fieldsOf(json: unknown): Fields {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Truths may be texts, and numbers but 0. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return value.toLowerCase() === 'true';
  return value === true || (typeof value === 'number' && value !== 0);
}

/** Null: it is none, or more than `most`. */
export function wholeOf(value: unknown, most: number): number | null {
  const text = textOf(value);
  return /^\d{1,15}$/.test(text) && Number(text) <= most ? Number(text) : null;
}
