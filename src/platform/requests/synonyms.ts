import { isBlank } from '../../values/blank-text.ts';
import { ExactNumber, type JsonReading, type JsonValue } from '../../values/exact-json.ts';
import type { Contract, Fault, FlatField } from '../http/endpoint.ts';
import { DUPLICATE, type SentNames } from './body-shape.ts';

type Sent = { readonly bytes: Buffer | undefined; readonly query: Readonly<Record<string, unknown>> };
type Placed = Sent & { readonly faults: readonly Fault[] };

/**
 * Moves fields that stand in the query and belong into the body, and the other way round. A body that is no
 * object stays as it is: its reader refuses it. If a field stands in both, both must have one value.
 */
export function placeFields(
  { query: querySchema, body: bodySchema }: Contract,
  { bytes, query }: Sent,
  readJson: (bytes: Buffer) => JsonReading,
): Placed {
  const reading = bytes === undefined || bytes.length === 0 ? null : readJson(bytes);
  const body = reading?.ok === true ? fieldsOf(reading.value) : {};
  if (body === null || reading?.ok === false) return { bytes, query, faults: [] };
  const fromBody = pick(body, namesOf(querySchema), query);
  const fromQuery = pick(query, namesOf(bodySchema), body);
  const texts = Object.entries(fromBody).map(([name, value]) => [name, queryText(value as JsonValue)]);
  return {
    bytes:
      Object.keys(fromQuery).length === 0 ? bytes : Buffer.from(JSON.stringify({ ...body, ...fromQuery })),
    query: { ...Object.fromEntries(texts), ...query },
    faults: [...namesOf(querySchema), ...namesOf(bodySchema)]
      .filter((name) => isOtherValue(sentAs(name, body), sentAs(name, query)))
      .map((tag) => ({ tag, sentence: DUPLICATE })),
  };
}

const namesOf = (schema: object | undefined): string[] =>
  Object.keys((schema as { readonly properties?: object } | undefined)?.properties ?? {});

/** A client may send a capital first letter. */
const spellings = (name: string) => [name, name.charAt(0).toUpperCase() + name.slice(1)];

function sentAs(name: string, sent: Readonly<Record<string, unknown>>): unknown {
  const own = spellings(name).find((one) => Object.hasOwn(sent, one) && sent[one] !== null);
  return own === undefined ? undefined : sent[own];
}

const isOtherValue = (inBody: unknown, inQuery: unknown) =>
  inBody !== undefined && inQuery !== undefined && queryText(inBody as JsonValue) !== inQuery;

function pick(
  from: Readonly<Record<string, unknown>>,
  names: readonly string[],
  unlessIn: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const wanted = names
    .filter((name) => !spellings(name).some((spelling) => Object.hasOwn(unlessIn, spelling)))
    .flatMap(spellings)
    .filter((spelling) => Object.hasOwn(from, spelling) && from[spelling] !== null);
  return Object.fromEntries(wanted.map((spelling) => [spelling, from[spelling]]));
}

function queryText(value: JsonValue): string {
  if (value instanceof ExactNumber) return value.source;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Fields = Record<string, JsonValue>;

function fieldsOf(value: JsonValue | undefined): Fields | null {
  const isObject = typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
  return isObject && !Array.isArray(value) ? (value as Fields) : null;
}

/** Puts flat fields where the contract has them. Faults then use the flat names. */
export function nestFlatFields(
  value: JsonValue,
  flatFields: Readonly<Record<string, FlatField>>,
  { sentNames, faults }: { readonly sentNames: SentNames; readonly faults: Fault[] },
): JsonValue {
  const sent = fieldsOf(value);
  if (sent === null) return value;
  const nested: Fields = { ...sent };
  const used: string[] = [];
  for (const [name, { pointers, split }] of Object.entries(flatFields)) {
    const [spelling, another] = spellings(name).filter((one) => isFilled(sent[one]));
    if (spelling === undefined) continue;
    const own = sent[spelling] as JsonValue;
    used.push(name);
    if (another !== undefined) faults.push({ tag: pointers[0] as string, sentence: DUPLICATE });
    const parts = split !== undefined && typeof own === 'string' ? split(own) : pointers.map(() => own);
    for (const [place, pointer] of pointers.entries()) {
      if (!put(nested, pointer, parts[place] as JsonValue))
        faults.push({ tag: pointer, sentence: DUPLICATE });
      sentNames.set(pointer, `/${spelling}`);
    }
  }
  if (used.length === 0) return value;
  for (const [name, { pointers }] of Object.entries(flatFields))
    for (const pointer of pointers) if (!sentNames.has(pointer)) sentNames.set(pointer, `/${name}`);
  return nested;
}

const isFilled = (value: JsonValue | undefined) => value !== undefined && value !== null && !isBlank(value);

/** Copies the objects on the way. False: a value is already there, or there is no object to put it in. */
function put(root: Fields, pointer: string, value: JsonValue): boolean {
  const names = pointer.split('/').slice(1);
  const last = names.pop() as string;
  let at = root;
  for (const name of names) {
    const below = at[name] === undefined || at[name] === null ? {} : fieldsOf(at[name]);
    if (below === null) return false;
    const copy: Fields = { ...below };
    at[name] = copy;
    at = copy;
  }
  if (isFilled(at[last])) return false;
  at[last] = value;
  return true;
}
