import type { Contract } from '../../../src/platform/http/endpoint.ts';
import { sliceOf, turnOf } from '../../kit/patience.ts';
import { ENDPOINTS } from '../../published.ts';
import type { WireRequest } from '../wire.ts';
import { casesOfField, type HostileCase } from './field-cases.ts';
import { type Field, fieldsOf } from './fields.ts';
import { wholeCases } from './whole-cases.ts';

/**
 * Of what is tried at every field, what goes through the door, of one field after the other a quarter in
 * turn: at the first field of each kind everything, at every other one left out, of another type, too
 * long, and twice. A verdict is a function of schema and value, and `fields.test.ts` tries all of them
 * without a door; the long proof sends everything.
 */
const IS_WHOLE = sliceOf(2, 1) === 2;
/** At a field one of so many cases, at the next field the others. */
const TURNS = 4;

const OF_BODIES =
  /is (left out|an object in the place of the value|one (character|digit|plain letter|digit more) (over|before.*)|one (more than allowed|over the greatest)|sent twice)$/;
const OF_QUERIES = /is (left out|half a surrogate pair|one (character over|over the greatest)|sent twice)$/;
const OF_PATHS = /is (NUL|a very long id|a statement|%FF)$/;
const OF_PLACE = { body: OF_BODIES, query: OF_QUERIES, path: OF_PATHS };
const OF_WHOLE = /is (text\/plain|one byte larger than allowed|half of it)$/;

/** Fields of one kind are judged by the same keywords of a schema. */
function kindOf({ place, schema, isRequired }: Field): string {
  const { type, format, description: _, ...keywords } = schema;
  return [place, isRequired, type, format, ...Object.keys(keywords).sort()].join(' ');
}

const kindOfWhole = ({ scope, body, query, isBodyOptional, errorBody }: Contract): string =>
  [scope === null, !body, !query, isBodyOptional, !errorBody].join(' ');

/** The first of each kind. */
function firsts<T>(all: readonly T[], kind: (one: T) => string): ReadonlySet<T> {
  const found = new Map<string, T>();
  for (const one of all) found.getOrInsert(kind(one), one);
  return new Set(found.values());
}

const FIELDS = new Map(ENDPOINTS.map((endpoint) => [endpoint.id, fieldsOf(endpoint)]));
const FIRST_FIELDS = firsts([...FIELDS.values()].flat(), kindOf);
const FIRST_ENDPOINTS = firsts(ENDPOINTS, kindOfWhole);

export function doorCases(endpoint: Contract, valid: WireRequest): HostileCase[] {
  const ofFields = (FIELDS.get(endpoint.id) ?? []).flatMap((field, turn) => {
    const cases = casesOfField(endpoint, field);
    const hasAll = IS_WHOLE || FIRST_FIELDS.has(field);
    const chosen = hasAll ? cases : cases.filter(({ name }) => OF_PLACE[field.place].test(name));
    return turnOf(chosen, turn, TURNS);
  });
  const ofWhole = wholeCases(endpoint, valid);
  if (IS_WHOLE || FIRST_ENDPOINTS.has(endpoint)) return [...ofFields, ...ofWhole];
  return [...ofFields, ...ofWhole.filter(({ name }) => OF_WHOLE.test(name))];
}
