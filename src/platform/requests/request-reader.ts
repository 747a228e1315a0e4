import { parse } from 'node:querystring';
import { type TObject, type TSchema, Type } from 'typebox';
import { isBlank } from '../../values/blank-text.ts';
import { holdsCardNumber } from '../../values/card-number-in-text.ts';
import type { JsonFault, JsonReading, JsonValue } from '../../values/exact-json.ts';
import type { Caller, Contract, Fault, Synonyms } from '../http/endpoint.ts';
import { FAILURES, malformedJsonAt } from '../http/failures.ts';
import { MOST_FAULTS, REQUIRED, type SchemaCheck, schemaCheck } from '../http/schema-faults.ts';
import type { Sentence } from '../http/sentence.ts';
import { bodyShaper, type SentNames, tagOf, unknownName } from './body-shape.ts';
import { cardNumberFinder } from './card-numbers.ts';
import { findForeignFields } from './foreign-fields.ts';
import { nestFlatFields, placeFields } from './synonyms.ts';
import { isFreeText, readText } from './text-readings.ts';

export type RequestReading =
  | { readonly ok: true; readonly body: unknown; readonly query: unknown }
  | {
      readonly ok: false;
      readonly faults: readonly Fault[];
      /** The body without its faulty fields; null or undefined: none of it can be used. */
      readonly soundBody: unknown;
      /** All faults, with those of `more`, whose tags name fields as the documents do. */
      faultsWith(more: readonly Fault[]): readonly Fault[];
    };

export type RequestReader = (
  bytes: Buffer | undefined,
  query: unknown,
  caller: Caller | null,
  readJson: (bytes: Buffer) => JsonReading,
) => RequestReading;

/** Reports all faults of query and body at once, at most a hundred, in the order of the schema. */
export function requestReader(endpoint: Contract, synonyms?: Synonyms): RequestReader {
  const readQuery = queryReader(endpoint);
  const isFromEither = synonyms?.isFromEither === true;
  const isBodyOptional = endpoint.isBodyOptional === true || endpoint.body === undefined;
  const body = endpoint.body ?? (endpoint.isExact === true || isFromEither ? NO_FIELDS : undefined);
  const reader = { ...endpoint, isBodyOptional, flatFields: synonyms?.flatFields ?? {} };
  const readBody = body === undefined ? null : bodyReader(body, reader);
  return (sentBytes, sentQuery, caller, readJson) => {
    const whole = { bytes: sentBytes, query: sentQuery as Record<string, unknown>, faults: [] };
    const placed = isFromEither ? placeFields(endpoint, whole, readJson) : whole;
    const { bytes, query } = placed;
    const asked = readQuery(query);
    const sent = readBody === null ? NOTHING_SENT : readBody(bytes, caller, readJson);
    const faultsWith = (more: readonly Fault[]) =>
      [...placed.faults, ...asked.faults, ...sent.faultsWith(more)].slice(0, MOST_FAULTS);
    const faults = faultsWith([]);
    if (faults.length > 0) return { ok: false, faults, soundBody: sent.sound, faultsWith };
    return { ok: true, body: sent.value, query: asked.value };
  };
}

const LONGEST_KEY = 255;

type ReadKey = { readonly key: string | null; readonly faults: readonly Fault[] };

export const NO_KEY: ReadKey = { key: null, faults: [] };

/** The only header Idempotency-Key, or null. Node joins several of them, so raw headers are read. */
export function readIdempotencyKey(rawHeaders: readonly string[]): ReadKey {
  const keys = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'idempotency-key',
  );
  const [key] = keys;
  if (key === undefined) return NO_KEY;
  const isGood = keys.length === 1 && key.length <= LONGEST_KEY && /^[\x20-\x7e]+$/.test(key);
  if (!isGood) return { key: null, faults: [FAILURES.malformedIdempotencyKey] };
  if (holdsCardNumber(key)) return { key: null, faults: [FAILURES.cardNumberInIdempotencyKey] };
  return { key, faults: [] };
}

type Body = {
  readonly value: unknown;
  readonly sound: unknown;
  faultsWith(more: readonly Fault[]): readonly Fault[];
};

const NOTHING_SENT: Body = { value: undefined, sound: null, faultsWith: () => [] };

function unreadable(fault: Fault): Body {
  return { value: null, sound: null, faultsWith: () => [fault] };
}

const NO_BODY = Buffer.from('{}');
const NO_FIELDS = Type.Object({});

type ReadContract = Contract & Required<Pick<Synonyms, 'flatFields'>>;

function bodyReader(schema: TSchema, { check, isBodyOptional, isExact = false, flatFields }: ReadContract) {
  const shape = bodyShaper(schema, isExact);
  const findFaults = schemaCheck(schema);
  const findCardNumbers = cardNumberFinder(schema);
  return (
    sent: Buffer | undefined,
    caller: Caller | null,
    readJson: (bytes: Buffer) => JsonReading,
  ): Body => {
    const isMissing = sent === undefined || sent.length === 0;
    if (isMissing && isBodyOptional !== true) return unreadable(FAILURES.missingBody);
    const reading = readJson(isMissing ? NO_BODY : sent);
    if (!reading.ok) return unreadable(jsonFault(reading.fault));
    const flat = { sentNames: new Map<string, string>(), faults: [] as Fault[] };
    const shaped = shape(nestFlatFields(reading.value, flatFields, flat));
    const { value, missing } = shaped;
    const faults = [...flat.faults, ...shaped.faults];
    const sentNames = new Map([...shaped.sentNames, ...flat.sentNames]);
    const pointed = [...findFaults(value), ...findCardNumbers(value)];
    const checked = check?.(value, caller) ?? [];
    const found = [
      ...faults,
      ...pointed.map(({ pointer, sentence }) => ({ tag: pointer, sentence })),
      ...checked.map(atPointer),
    ];
    const unnamed = missing.filter((pointer) => !found.some(({ tag }) => tag.startsWith(`${pointer}/`)));
    found.push(...unnamed.map((tag) => ({ tag, sentence: REQUIRED })));
    const doubtful = checked.flatMap(({ concerns = [] }) => concerns.map(pointerOf));
    const faulty = new Set([...found.map(({ tag }) => tag), ...doubtful]);
    return {
      value,
      sound: found.length === 0 ? value : withoutFaulty(value, '', faulty),
      faultsWith: (more) =>
        oncePerField([...found, ...more.map(atPointer)])
          .slice(0, MOST_FAULTS)
          .map(({ tag, sentence }) => ({ tag: shownPath(tagOf(tag, sentNames)), sentence })),
    };
  };
}

/**
 * The value without its faulty fields; undefined: nothing of it is left, such as of a list with a faulty
 * item.
 */
function withoutFaulty(value: unknown, pointer: string, faulty: ReadonlySet<string>): unknown {
  if (![...faulty].some((tag) => tag === pointer || tag.startsWith(`${pointer}/`))) return value;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || faulty.has(pointer)) return undefined;
  const kept = Object.entries(value)
    .map(([name, own]) => [name, withoutFaulty(own, `${pointer}/${name}`, faulty)] as const)
    .filter(([, own]) => own !== undefined);
  return Object.fromEntries(kept);
}

/** Only the first fault of a field: "too short" beside "wrong type" would be noise. */
function oncePerField(faults: readonly Fault[]): Fault[] {
  const named = new Set<string>();
  return faults.filter(({ tag }) => !named.has(tag) && named.add(tag));
}

const atPointer = ({ tag, sentence }: Fault): Fault => ({ tag: pointerOf(tag), sentence });

/** Checks name fields as the documents do (`cardInfo.brand`, `configSplit[0].percent`). */
function pointerOf(tag: string): string {
  return tag === '' ? '' : `/${tag.replaceAll('[', '.').replaceAll(']', '').replaceAll('.', '/')}`;
}

export const JSON_FAULTS: Record<JsonFault['kind'], Sentence> = {
  syntax: FAILURES.malformedJson.sentence,
  notUtf8: { pt: 'O corpo não está em UTF-8.', en: 'The body is not UTF-8.' },
  duplicateKey: { pt: 'Campo informado mais de uma vez.', en: 'The field was sent more than once.' },
  forbiddenKey: { pt: 'Nome de campo não permitido.', en: 'This field name is not allowed.' },
  nul: { pt: 'O caractere NUL não é permitido.', en: 'The NUL character is not allowed.' },
  loneSurrogate: { pt: 'Texto Unicode malformado.', en: 'Malformed Unicode text.' },
  tooDeep: { pt: 'O JSON é profundo demais.', en: 'The JSON is nested too deeply.' },
  numberTooLong: { pt: 'Número longo demais.', en: 'The number is too long.' },
};

export function jsonFault(fault: JsonFault): Fault {
  const sentence = fault.kind === 'syntax' ? malformedJsonAt(fault) : JSON_FAULTS[fault.kind];
  return { tag: shownPath(fault.path), sentence };
}

/** A card number sent as a name must not come back into the caller's logs. */
const shownPath = (path: string): string => path.replaceAll(/\d(?:[ .-]?\d){12,}/g, '…');

export const EMPTY_PARAMETER: Sentence = {
  pt: 'Está vazio. Informe um valor ou deixe o parâmetro de fora.',
  en: 'It is empty. Give a value, or leave the parameter out.',
};

/** Names with a meaning to JavaScript. */
const FORBIDDEN_NAMES = ['__proto__', 'constructor', 'prototype'];

/** For malformed percent-encoded UTF-8: half a surrogate pair, which no well-formed query contains. */
const MALFORMED = '\ud800';

/** A repeated name gets a list. Malformed text is not guessed. */
export function parseQuery(text: string): Record<string, unknown> {
  if (text === '') return {};
  return parse(text, '&', '=', {
    // Without limit: a request line has 16 KiB at most.
    maxKeys: 0,
    decodeURIComponent(encoded) {
      try {
        return decodeURIComponent(encoded);
      } catch {
        return MALFORMED;
      }
    },
  });
}

/** Parameters for numbers that operators and acquirers give: one may look like a card number by chance. */
const NUMBERS_OF_OTHERS: ReadonlySet<string> = new Set(['/accountNumber', '/mid', '/nsu']);

/**
 * Parameters are text; an integer takes digits only. A capital first letter is accepted. A choice or number
 * without value (`?page=`) is absent, as forms send it. A text without value, or a parameter sent twice, is a
 * fault: an empty variable would otherwise read everything.
 */
function queryReader(endpoint: Contract) {
  const { query: schema = NO_FIELDS as TObject, checkQuery: check, isExact, body = NO_FIELDS } = endpoint;
  const unknownHere = unknownName(Object.keys((body as Partial<TObject>).properties ?? {}));
  const findFaults: SchemaCheck = schemaCheck(schema);
  const findCardNumbers = cardNumberFinder(schema);
  const properties = Object.entries(schema.properties as Record<string, { type?: string }>);
  const { required = [] } = schema as { readonly required?: readonly string[] };
  const isKnown = (name: string) =>
    properties.some(([known]) => known === name || capitalized(known) === name);
  return (query: Record<string, unknown>): { value: unknown; faults: readonly Fault[] } => {
    const value: Record<string, unknown> = {};
    const sentNames: SentNames = new Map();
    const faults: Fault[] = [];
    for (const name of FORBIDDEN_NAMES) {
      if (Object.hasOwn(query, name)) faults.push({ tag: name, sentence: JSON_FAULTS.forbiddenKey });
    }
    const unknown = Object.keys(query).filter((name) => !isKnown(name));
    if (isExact === true)
      faults.push(...unknown.map((name) => ({ tag: shownPath(name), sentence: unknownHere })));
    else faults.push(...foreignParameters(query, unknown));
    for (const [name, property] of properties) {
      const { type } = property;
      const tag = sentName(query, name);
      const sent = query[tag];
      if (sent === undefined) continue;
      sentNames.set(`/${name}`, tag);
      const isTwice = typeof sent !== 'string' || (tag !== name && query[name] !== undefined);
      const isText = isFreeText(property);
      if (sent === '' && !isTwice && (!isText || required.includes(name))) continue;
      if (isText && isBlank(sent) && !isTwice) faults.push({ tag, sentence: EMPTY_PARAMETER });
      else if (isTwice) faults.push({ tag, sentence: JSON_FAULTS.duplicateKey });
      else if (sent.includes('\0')) faults.push({ tag, sentence: JSON_FAULTS.nul });
      else if (!sent.isWellFormed()) faults.push({ tag, sentence: JSON_FAULTS.loneSurrogate });
      else
        value[name] = type === 'integer' && /^\d{1,15}$/.test(sent) ? Number(sent) : readText(property, sent);
    }
    // With an empty parameter, rules between parameters are not checked.
    const hasEmpty = faults.some(({ sentence }) => sentence === EMPTY_PARAMETER);
    const checked = (hasEmpty ? [] : (check?.(value) ?? [])).map(({ tag, sentence }) => ({
      pointer: `/${tag}`,
      sentence,
    }));
    const cardNumbers = findCardNumbers(value).filter(({ pointer }) => !NUMBERS_OF_OTHERS.has(pointer));
    for (const { pointer, sentence } of [...findFaults(value), ...checked, ...cardNumbers]) {
      const tag = tagOf(pointer, sentNames);
      if (!faults.some((fault) => fault.tag === tag)) faults.push({ tag, sentence });
    }
    return { value, faults };
  };
}

function foreignParameters(query: Record<string, unknown>, names: readonly string[]): readonly Fault[] {
  const sent = Object.fromEntries(names.map((name) => [name, query[name] as JsonValue]));
  return findForeignFields(undefined, sent).map(({ tag, sentence }) => ({
    tag: tagOf(tag, new Map()),
    sentence,
  }));
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function sentName(query: Record<string, unknown>, name: string): string {
  const capital = capitalized(name);
  return query[capital] === undefined ? name : capital;
}
